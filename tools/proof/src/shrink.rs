//! Shrinks a failing program to the fewest words, as text and state for the regression folder.
//! In: a program and a test that decides whether it still fails. Out: the smallest program found.
//! Runs of words become NOP, halves first (delta debugging), so no address moves; then trailing
//! NOPs are removed.

use crate::generate::Generated;
use serde_json::{Map, Value, json};
use transpica::container::{DescriptorRecord, Executable, Header, Model};
use transpica_asm::dis;

const NOP: u32 = 0x8400_0000;
const END: u32 = 0x8800_0000;

/// Returns the smallest program found for which `fails` still holds. It must hold for `program`.
///
/// ```
/// use transpica_proof::generate::{Kind, generate};
/// let program = generate(Kind::Clean, 3);
/// let word = program.code[0];
/// let small = transpica_proof::shrink::shrink(&program, |program| program.code.contains(&word));
/// assert_eq!(small.code.iter().filter(|word| **word != 0x8400_0000).count(), 1);
/// ```
pub fn shrink(program: &Generated, mut fails: impl FnMut(&Generated) -> bool) -> Generated {
    let mut best = program.clone();
    let mut run = best.code.len().next_power_of_two();
    while run > 0 {
        for start in (0..best.code.len()).step_by(run) {
            let end = (start + run).min(best.code.len());
            for filler in [NOP, END] {
                if best.code[start..end].iter().all(|word| matches!(*word, NOP | END)) {
                    continue;
                }
                let mut smaller = best.clone();
                smaller.code[start..end].fill(filler);
                if fails(&smaller) {
                    best = smaller;
                }
            }
        }
        run /= 2;
    }
    while best.code.len() > usize::from(best.entry.0) + 1 {
        let mut smaller = best.clone();
        smaller.code.pop();
        if !fails(&smaller) {
            break;
        }
        best = smaller;
    }
    best
}

/// Disassembles the program.
///
/// # Errors
/// Errors of the disassembler; it accepts every program of this size.
pub fn text(program: &Generated) -> transpica::Result<String> {
    let header =
        Header { main: program.entry.0.into(), endmain: program.code.len() as u32, ..Header::default() };
    let model = Model {
        code: program.code.clone(),
        descriptors: program
            .descriptors
            .iter()
            .map(|&bits| DescriptorRecord { bits, ..DescriptorRecord::default() })
            .collect(),
        executables: vec![Executable { header, ..Executable::default() }],
        ..Model::default()
    };
    let bytes = transpica::container::write(&model);
    dis::disassemble(&transpica::Shbin::parse(&bytes)?, &dis::DisassemblerOptions::default())
}

/// Uniforms and inputs as a state file of the command line.
pub fn state(program: &Generated, vertices: usize) -> Value {
    let float = |x: &f32| json!(format!("{:#010x}", x.to_bits()));
    let register = |register: &[f32; 4]| register.iter().map(float).collect::<Value>();
    let uniforms = program.uniforms();
    let table = |rows: Vec<Value>| -> Value {
        rows.into_iter()
            .enumerate()
            .map(|(index, row)| (index.to_string(), row))
            .collect::<Map<_, _>>()
            .into()
    };
    let vertices = program.inputs(vertices);
    json!({
        "uniforms": {
            "c": table(uniforms.floats.iter().map(register).collect()),
            "i": table(uniforms.ints.iter().map(|register| json!(register)).collect()),
            "b": table((0..16).map(|bit| json!(uniforms.bools >> bit & 1 != 0)).collect()),
        },
        "vertices": vertices
            .iter()
            .map(|registers| -> Value {
                let named = registers.iter().enumerate();
                named.map(|(index, value)| (format!("v{index}"), register(value))).collect::<Map<_, _>>().into()
            })
            .collect::<Value>(),
    })
}

#[cfg(test)]
mod tests {
    use crate::generate::{Kind, generate};
    use transpica::Shbin;
    use transpica_asm::{SourceText, assemble};

    use super::*;

    #[test]
    fn a_reduced_program_still_shows_the_fault() {
        let multiplies = |program: &Generated| program.code.iter().any(|word| word >> 26 == 8);
        let seed = (0..).find(|seed| multiplies(&generate(Kind::Clean, *seed))).expect("MUL is common");
        let small = shrink(&generate(Kind::Clean, seed), multiplies);
        let left = small.code.iter().filter(|word| !matches!(**word, NOP | END)).count();
        assert_eq!((left, multiplies(&small)), (1, true));
        assert!(small.code.len() < generate(Kind::Clean, seed).code.len());
    }

    #[test]
    fn the_text_of_a_reduced_program_gives_the_same_words() {
        for kind in Kind::ALL {
            for seed in 0..20 {
                let program = generate(kind, seed);
                let text = text(&program).expect("a text");
                let assembled =
                    assemble(&[SourceText { name: "small.pica", text: &text }]).expect("assembles");
                let file = Shbin::parse(&assembled.bytes).expect("well formed");
                assert_eq!(file.package.code.iter().collect::<Vec<_>>(), program.code, "{kind:?} {seed}");
                assert_eq!(file.executables[0].header.main, u32::from(program.entry.0));
            }
        }
    }
}
