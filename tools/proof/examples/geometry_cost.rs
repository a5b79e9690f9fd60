//! Draws per second of each geometry sample, on the CPU machine and on the GPU.
//! Ratios hold within one run; absolute times depend on the machine and its load.
//!
//! `cargo run --release -p transpica-proof --example geometry_cost -- [ADAPTER]`
//!
//! A draw on the GPU ends when the processor knows the number of triangles. Both sides take the
//! same vertices, and turns, so that other load on the machine affects both.

use std::error::Error;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use transpica::{Options, Stage};
use transpica_draw::cpu::Pipeline;
use transpica_gpu::geometry::GeometryChain;
use transpica_gpu::{Gpu, Registers, Route};
use transpica_proof::chain;
use transpica_proof::scenes::{self, Scene};

/// Turns, of which the shortest counts.
const ROUNDS: u32 = 7;
/// Least duration of a turn.
const TURN: Duration = Duration::from_millis(40);
/// Copies of a sample's vertices in a draw.
const COPIES: [usize; 2] = [1, 64];

fn main() -> ExitCode {
    match table(std::env::args().nth(1).as_deref()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn table(adapter: Option<&str>) -> Result<(), Box<dyn Error>> {
    let gpu = Gpu::open(adapter)?;
    println!("Draws a second on {}.\n", gpu.name());
    println!(
        "| sample | triangles | CPU machine | GPU | GPU / CPU | triangles | CPU machine | GPU | GPU / CPU |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for scene in scenes::list() {
        print!("| {} |", scene.name);
        for copies in COPIES {
            let Cost { triangles, cpu, gpu } = Cost::measure(&gpu, &scene, copies)?;
            print!(" {triangles} | {cpu:.0} | {gpu:.0} | {:.2} |", gpu / cpu);
        }
        println!();
    }
    Ok(())
}

/// Result of one sample.
struct Cost {
    triangles: u32,
    /// Draws a second on the CPU machine.
    cpu: f64,
    /// Draws a second on the GPU.
    gpu: f64,
}

impl Cost {
    fn measure(gpu: &Gpu, scene: &Scene, copies: usize) -> Result<Self, Box<dyn Error>> {
        let options = Options::default();
        let mut pipeline: Pipeline = scene.pipeline(&options)?;
        let file = scene.file()?;
        let mut chain =
            GeometryChain::from_file(gpu, &file, [0, 1], scene.stride, &options, Route::Passthrough)?;
        for stage in [Stage::Vertex, Stage::Geometry] {
            chain.set_uniforms(stage, &scene.uniforms(stage)?);
        }
        let indices = scene.indices.as_ref().map(|indices| indices.repeat(copies));
        let indices = indices.as_deref();
        let vertices = match indices {
            Some(_) => scene.vertices.clone(),
            None => scene.vertices.repeat(copies),
        };
        let bits: Vec<Registers> = vertices.iter().map(chain::bits).collect();
        let triangles = chain.draw(&bits, indices)?.triangles();
        let expected = pipeline.draw(&vertices, indices)?.triangles().len();
        if expected != triangles as usize {
            return Err(format!("{}: {triangles} triangles, the CPU has {expected}", scene.name).into());
        }
        let mut best = [f64::MAX; 2];
        for _ in 0..ROUNDS {
            best[0] = best[0].min(turn(|| pipeline.draw(&vertices, indices).map(drop))?);
            best[1] = best[1].min(turn(|| chain.draw(&bits, indices).map(drop))?);
        }
        let [cpu, gpu] = best.map(|seconds| 1.0 / seconds);
        Ok(Self { triangles, cpu, gpu })
    }
}

/// Draws for one turn and returns the seconds of a draw.
fn turn<E>(mut draw: impl FnMut() -> Result<(), E>) -> Result<f64, E> {
    let (start, mut draws) = (Instant::now(), 0);
    while start.elapsed() < TURN {
        draw()?;
        draws += 1;
    }
    Ok(start.elapsed().as_secs_f64() / f64::from(draws))
}
