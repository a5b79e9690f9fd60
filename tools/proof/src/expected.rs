//! Programs with expected results: reads the files of `tests/cases/peers`.
//! In: assembler text. Out: the text with uniforms, inputs and expected outputs. Runs nothing.
//!
//! Comment lines that begin with `;>` are for the tests:
//!
//! ```text
//! ;> given i0 = 3 0 1 0, b2 = true, c5 = 1 2 3 4     from here on
//! ;> vertex v0 = 0.5 -0.5 inf 0x7fc00000             the others are (0, 0, 0, 1)
//! ;> expect o0 = nan 1 2 3                           of the vertex before; the others are (0, 0, 0, 1), as if never written
//! ;> expect texcoord0_uv = 1 2                       an output of the vertex entry, the position with z as written
//! ```

use std::fs;
use std::path::Path;

use transpica::isa::Uniforms;
use transpica_asm::{Assembled, SourceText, assemble};

use crate::chain::Bits;
use transpica::isa::sizes::FLOATS;

/// A file.
pub struct Case {
    /// File name without `.pica`.
    pub name: String,
    /// Content of the file.
    pub text: String,
    /// Inputs and expected outputs, one entry for each set of uniforms.
    pub runs: Vec<Run>,
}

/// Vertices under the same uniforms.
#[derive(Clone)]
pub struct Run {
    /// All uniforms.
    pub uniforms: Uniforms,
    /// The vertices.
    pub vertices: Vec<Vertex>,
}

/// One vertex with its expected outputs.
#[derive(Clone)]
pub struct Vertex {
    /// v0..v15.
    pub inputs: Bits,
    /// o0..o15.
    pub outputs: Bits,
    /// Outputs of the vertex entry by name, as far as the file lists them.
    pub semantics: Vec<(String, Vec<u32>)>,
}

/// The default of input and output registers.
const UNWRITTEN: Bits = [[0, 0, 0, 1f32.to_bits()]; 16];

/// Returns every case, by name.
///
/// # Panics
/// If a file is malformed or cannot be read.
pub fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cases/peers");
    let paths = fs::read_dir(folder).expect("folder").map(|entry| entry.expect("entry").path());
    let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|end| end == "pica")).collect();
    paths.sort();
    paths.iter().map(|path| Case::read(path)).collect()
}

impl Case {
    fn read(path: &Path) -> Self {
        let name = path.file_stem().expect("a file").to_string_lossy().into_owned();
        let text = fs::read_to_string(path).expect("readable");
        let mut runs = vec![Run { uniforms: Uniforms::default(), vertices: Vec::new() }];
        for (number, line) in text.lines().enumerate() {
            if let Some(line) = line.strip_prefix(";>") {
                command(line.trim(), &mut runs)
                    .unwrap_or_else(|| panic!("{name}.pica:{}: cannot read: {line}", number + 1));
            }
        }
        Self { name, text, runs }
    }

    /// Assembles the program.
    ///
    /// # Panics
    /// If the text has an error.
    pub fn assemble(&self) -> Assembled {
        let source = SourceText { name: &self.name, text: &self.text };
        assemble(&[source]).unwrap_or_else(|report| panic!("{report}"))
    }
}

/// Executes one line for the tests, or returns `None` if it is malformed.
fn command(line: &str, runs: &mut Vec<Run>) -> Option<()> {
    let (verb, rest) = line.split_once(' ').unwrap_or((line, ""));
    let last = runs.last_mut()?;
    match verb {
        "given" if last.vertices.is_empty() => return set_uniforms(rest, &mut last.uniforms),
        "given" => {
            let mut run = Run { uniforms: last.uniforms.clone(), vertices: Vec::new() };
            set_uniforms(rest, &mut run.uniforms)?;
            runs.push(run);
        }
        "vertex" => {
            let mut vertex = Vertex { inputs: UNWRITTEN, outputs: UNWRITTEN, semantics: Vec::new() };
            for (name, values) in assignments(rest) {
                vertex.inputs[index(name, "v", 16)?] = floats(values)?.try_into().ok()?;
            }
            last.vertices.push(vertex);
        }
        "expect" => {
            let vertex = last.vertices.last_mut()?;
            for (name, values) in assignments(rest) {
                match index(name, "o", 16) {
                    Some(register) => vertex.outputs[register] = floats(values)?.try_into().ok()?,
                    None => vertex.semantics.push((name.to_owned(), floats(values)?)),
                }
            }
        }
        _ => return None,
    }
    Some(())
}

fn set_uniforms(text: &str, uniforms: &mut Uniforms) -> Option<()> {
    for (name, values) in assignments(text) {
        if let Some(register) = index(name, "c", FLOATS) {
            let bits: [u32; 4] = floats(values)?.try_into().ok()?;
            uniforms.floats[register] = bits.map(f32::from_bits);
        } else if let Some(register) = index(name, "i", 4) {
            let bytes: Option<Vec<u8>> = values.split_whitespace().map(|value| value.parse().ok()).collect();
            uniforms.ints[register] = bytes?.try_into().ok()?;
        } else {
            let register = u8::try_from(index(name, "b", 16)?).ok()?;
            uniforms.set_bool(register, values.parse().ok()?);
        }
    }
    Some(())
}

/// Splits `name = values, name = values, …`.
fn assignments(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let parts = text.split(',').filter(|part| !part.trim().is_empty());
    parts.map(|part| part.split_once('=').map_or((part, ""), |(name, values)| (name.trim(), values.trim())))
}

/// Parses the number of a register called `bank` and a number below `count`.
fn index(name: &str, bank: &str, count: usize) -> Option<usize> {
    name.strip_prefix(bank)?.parse().ok().filter(|&number| number < count)
}

fn floats(values: &str) -> Option<Vec<u32>> {
    values.split_whitespace().map(float).collect()
}

/// Parses the bits of a number.
fn float(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok().map(f32::to_bits),
    }
}
