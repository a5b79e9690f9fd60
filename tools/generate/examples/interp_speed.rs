//! Measures the reference interpreter in nanoseconds per executed instruction.
//!
//! `cargo run --release -p transpica-generate --example interp_speed -- shaders/*.shbin`

use std::time::{Duration, Instant};

use transpica::container::{ConstantValue, Dvle, ShaderType};
use transpica::interp::{Settings, Uniforms};
use transpica::isa::Pc;
use transpica::stages::precision::float24;
use transpica::{Limits, Machine, Precision, Program, Result, Shbin, Stage};

/// Duration of one measurement.
const ENOUGH: Duration = Duration::from_millis(60);
const VERTICES: usize = 64;

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    println!(
        "{:32} {:>12} {:>8} {:>8} {:>8}",
        "ns for an instruction", "instructions", "exact", "fast", "f24"
    );
    for path in std::env::args().skip(1) {
        let bytes = std::fs::read(&path)?;
        let file = Shbin::parse(&bytes)?;
        for (index, executable) in file.executables.iter().enumerate() {
            if executable.header.shader_type() == Some(ShaderType::Vertex) {
                line(&format!("{path}:{index}"), &file, executable)?;
            }
        }
    }
    Ok(())
}

/// Measures one executable in all precisions.
fn line(name: &str, file: &Shbin, executable: &Dvle) -> Result<()> {
    let code: Vec<u32> = file.package.code.iter().collect();
    let descriptors: Vec<u32> = file.package.descriptors.iter().map(|descriptor| descriptor.bits).collect();
    let entry = Pc(executable.header.main as u16);
    let program = Program::new(code, descriptors, entry, Stage::Vertex, &Limits::default())?;
    let uniforms = uniforms(executable);
    let (mut count, mut times) = (0.0, Vec::new());
    for precision in [Precision::Exact, Precision::Fast, Precision::F24] {
        let mut machine = Machine::new(&program, Settings { precision, ..Settings::default() })?;
        machine.set_uniforms(&uniforms);
        let (time, steps, vertices) = measure(&mut machine)?;
        count = steps as f64 / vertices as f64;
        times.push(time.as_nanos() as f64 / steps as f64);
    }
    println!("{name:32} {count:>12.1} {:>8.2} {:>8.2} {:>8.2}", times[0], times[1], times[2]);
    Ok(())
}

/// Runs the same vertices repeatedly; returns time, instructions and vertices of the best of
/// several rounds.
fn measure(machine: &mut Machine) -> Result<(Duration, u64, u64)> {
    let inputs = transpica_generate::inputs(0, VERTICES);
    let mut best = (Duration::MAX, 1, 1);
    let start = Instant::now();
    while start.elapsed() < ENOUGH {
        let (round, mut steps, mut vertices) = (Instant::now(), 0, 0);
        while round.elapsed() < ENOUGH / 20 {
            for inputs in &inputs {
                machine.run(inputs)?;
                steps += machine.steps();
                vertices += 1;
            }
        }
        let time = round.elapsed();
        if time.as_secs_f64() / (steps as f64) < best.0.as_secs_f64() / best.1 as f64 {
            best = (time, steps, vertices);
        }
    }
    Ok(best)
}

/// Random uniforms, overridden by the constants of the executable.
fn uniforms(executable: &Dvle) -> Uniforms {
    let mut uniforms = transpica_generate::uniforms(0);
    for constant in executable.constants.iter().filter_map(|constant| constant.value()) {
        match constant {
            ConstantValue::Bool { register, value } => uniforms.set_bool(register, value),
            ConstantValue::Int { register, value } => uniforms.ints[usize::from(register)] = value,
            ConstantValue::Float { register, value } => {
                uniforms.floats[usize::from(register)] =
                    value.map(|bits| f32::from_bits(float24::to_f32_bits(bits)));
            }
        }
    }
    uniforms
}
