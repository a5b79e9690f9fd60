//! Times draws of several sizes in the interpreter and in batches: one draw again and again, and
//! many programs with buffers of their own in turn, as a frame of a host has them.
//! In: `.shbin` files. Out: nanoseconds of a draw.

use std::hint::black_box;
use std::time::Instant;

use transpica::host::Environment as _;
use transpica::host::dvle::FileEnvironment;
use transpica::{Error, Machine, Options, Program};
use transpica_draw::batch::{Batch, Order, Records, VertexAttribute, Vertices};
use transpica_inspect::values::inputs;

use crate::batch::{Mesh, prepare};

/// Vertices of a draw.
const SIZES: [usize; 12] = [1, 2, 3, 4, 5, 8, 16, 32, 64, 128, 256, 1024];
/// Programs that come in turn.
const PROGRAMS: usize = 200;

/// A program that is ready to draw.
struct Ready<'a> {
    machine: Machine,
    batch: Batch,
    mesh: &'a Mesh,
    attributes: Vec<VertexAttribute<'a>>,
    input_map: [Option<u8>; 16],
    to: Vec<f32>,
}

/// Prints times of a program.
///
/// # Errors
/// A program that stops with an error.
pub fn print(
    name: &str,
    program: &Program<'_>,
    environment: &FileEnvironment<'_>,
    options: Options,
    repeat: usize,
) -> Result<(), Error> {
    let settings = options.settings(1 << 24);
    let records = Records::from_map(&environment.output_map(), &options);
    let most = SIZES[SIZES.len() - 1];
    let of_seed = |seed| prepare(program, environment, settings, seed, &inputs(seed, most));
    let prepared: Vec<_> = (0..PROGRAMS as u64).map(of_seed).collect::<Result<_, _>>()?;
    let mut all: Vec<Ready<'_>> = Vec::with_capacity(PROGRAMS);
    for (machine, batch, mesh) in &prepared {
        let (machine, batch) = (machine.clone(), batch.clone());
        let (attributes, input_map) = mesh.fetched();
        let to = vec![0.0; most * records.stride];
        all.push(Ready { machine, batch, mesh, attributes, input_map, to });
    }
    println!(
        "{name}, ns a draw{:>14}{:>10}{:>8}{:>14}{:>10}{:>8}",
        "hot: machine", "batch", "ratio", "turn: machine", "batch", "ratio"
    );
    for size in SIZES {
        let mut best = [f64::INFINITY; 4];
        // Larger draws need fewer rounds for as much time.
        for _ in 0..repeat.div_ceil(size).max(3) {
            for (is_hot, best) in [true, false].into_iter().zip(best.chunks_exact_mut(2)) {
                let time =
                    |all: &mut [Ready<'_>], draw: &mut dyn FnMut(&mut Ready<'_>) -> Result<(), Error>| {
                        let start = Instant::now();
                        for number in 0..PROGRAMS {
                            draw(black_box(&mut all[if is_hot { 0 } else { number }]))?;
                        }
                        Ok::<_, Error>(start.elapsed().as_secs_f64() * 1e9 / PROGRAMS as f64)
                    };
                let interpreter = time(&mut all, &mut |ready| {
                    let Ready { machine, mesh, to, .. } = ready;
                    (0..size).try_for_each(|vertex| mesh.interpret(machine, vertex, &records, to))
                })?;
                let batch = time(&mut all, &mut |ready| {
                    let Ready { batch, attributes, input_map, to, .. } = ready;
                    let order = Order::Range { first: 0, count: size as u32 };
                    let vertices = Vertices { attributes, input_map: *input_map, order };
                    batch.run_draw(&vertices, &records, to).map_err(Error::from)
                })?;
                best[0] = best[0].min(interpreter);
                best[1] = best[1].min(batch);
            }
        }
        let [machine, batch, machine_in_turn, batch_in_turn] = best;
        let ratios = [machine / batch, machine_in_turn / batch_in_turn];
        println!(
            "{size:>7} vertices {:>10}{machine:>14.0}{batch:>10.0}{:>8.2}{machine_in_turn:>14.0}{batch_in_turn:>10.0}{:>8.2}",
            "", ratios[0], ratios[1]
        );
    }
    Ok(())
}
