//! Programs before and after optimization compute the same bits.

use transpica::container::{DescriptorRecord, Executable, Header, Model, write};
use transpica::isa::{Mask, Uniforms};
use transpica::{Options, Program, Shbin};
use transpica_compile::optimize::{Known, Reason, written};
use transpica_draw::batch::Batch;
use transpica_proof::generate::{self, Kind};

const BUDGET: u64 = 20_000;

/// Runs a program for inputs; an error of one vertex is an error of all.
fn run(program: &Program<'_>, uniforms: &Uniforms, inputs: &[[[f32; 4]; 16]]) -> Option<Vec<[[f32; 4]; 16]>> {
    let mut batch = Batch::new(program, Options::default().settings(BUDGET)).ok()?;
    batch.set_uniforms(uniforms);
    let mut outputs = vec![[[0.0; 4]; 16]; inputs.len()];
    batch.run_all(inputs, &mut outputs).ok()?;
    Some(outputs)
}

fn same(a: f32, b: f32) -> bool {
    a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
}

/// The components that a program may write.
fn masks(program: &Program<'_>) -> [Mask; 16] {
    let batch = Batch::new(program, Options::default().settings(BUDGET)).expect("a vertex program");
    std::array::from_fn(|n| Mask((0..4).filter(|&c| batch.is_written(n, c)).fold(0, |mask, c| mask | 1 << c)))
}

/// Compares two programs for inputs; the first difference as text.
fn compare(
    before: &Program<'_>,
    after: &Program<'_>,
    uniforms: [&Uniforms; 2],
    inputs: &[[[f32; 4]; 16]],
) -> Option<String> {
    let expected = run(before, uniforms[0], inputs)?;
    let Some(actual) = run(after, uniforms[1], inputs) else { return Some("it does not end".to_owned()) };
    let masks = masks(before);
    for (vertex, (expected, actual)) in expected.iter().zip(&actual).enumerate() {
        for register in 0..16 {
            for component in masks[register].iter().map(|component| component as usize) {
                let (a, b) = (expected[register][component], actual[register][component]);
                if !same(a, b) {
                    return Some(format!("vertex {vertex}, o{register}.{component}: {a:?} became {b:?}"));
                }
            }
        }
    }
    None
}

/// A file of one program.
fn file(generated: &generate::Generated) -> Vec<u8> {
    let header = Header { main: generated.entry.0.into(), ..Header::default() };
    let descriptors = generated.descriptors.iter();
    write(&Model {
        code: generated.code.clone(),
        descriptors: descriptors.map(|&bits| DescriptorRecord { bits, usage: 0, reserved: 0 }).collect(),
        executables: vec![Executable { header, ..Executable::default() }],
        ..Model::default()
    })
}

/// Compares a file with what is written for it, for several uniforms.
fn check(name: &str, bytes: &[u8], seed: u64) -> Result<bool, String> {
    let before = Shbin::parse(bytes).expect("a file");
    let (text, after) = match written(&before, &Known::default()).map_err(|error| error.to_string())? {
        Ok((after, text)) => (text, after),
        Err(reason) => {
            return if matches!(reason, Reason::NotWritten(_) | Reason::Unstructured | Reason::Inexact) {
                if std::env::var_os("SHOW").is_some() {
                    println!("{name}: {reason}");
                }
                Ok(false)
            } else {
                Err(reason.to_string())
            };
        }
    };
    let after = Shbin::parse(&after).expect("a file");
    let programs = [before.program(0).expect("a program"), after.program(0).expect("a program")];
    for round in 0..8 {
        let seed = seed + round;
        let is_special = round % 2 == 1;
        let uniforms = if is_special { generate::special_uniforms(seed) } else { generate::uniforms(seed) };
        let inputs = if is_special { generate::special_inputs(seed, 64) } else { generate::inputs(seed, 64) };
        // The constants of the second file are those that its code needs.
        let with_constants = [0, 1].map(|n| {
            let mut uniforms = uniforms.clone();
            programs[n].environment().constants().apply(&mut uniforms);
            uniforms
        });
        let [first, second] = [&with_constants[0], &with_constants[1]];
        let difference =
            compare(programs[0].program(), programs[1].program(), [first, second], &inputs);
        if let Some(difference) = difference {
            return Err(format!("{name}, round {round}: {difference}\n{text}"));
        }
    }
    Ok(true)
}

#[test]
fn samples_compute_the_same() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shaders");
    let mut paths: Vec<_> = std::fs::read_dir(folder).expect("there").map(|entry| entry.expect("there").path()).collect();
    paths.sort();
    let (mut count, mut wrong) = (0, Vec::new());
    for path in paths.iter().filter(|path| path.extension().is_some_and(|ending| ending == "shbin")) {
        let bytes = std::fs::read(path).expect("a file");
        match check(&path.file_name().unwrap_or_default().to_string_lossy(), &bytes, 1) {
            Ok(is_written) => count += u32::from(is_written),
            Err(difference) => wrong.push(difference),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(count >= 25, "only {count} were written");
}

#[test]
fn random_programs_compute_the_same() {
    let count: u64 = std::env::var("COUNT").ok().and_then(|count| count.parse().ok()).unwrap_or(200);
    let first: u64 = std::env::var("FIRST").ok().and_then(|count| count.parse().ok()).unwrap_or(0);
    for kind in Kind::ALL {
        let mut written = 0;
        for seed in first..first + count {
            let generated = generate::generate(kind, seed);
            match check(&format!("{kind:?} {seed}"), &file(&generated), seed) {
                Ok(is_written) => written += u64::from(is_written),
                Err(difference) => panic!("{difference}"),
            }
        }
        println!("{kind:?}: {written} of {count} were written");
    }
}
