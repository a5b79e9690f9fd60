//! Programs whose vertices leave a loop in different iterations: what drivers that run vertices side by side get wrong most
//! easily.
//! In: a random program and how many of its vertices to run on the interpreter. Out: whether it is one.

use std::collections::BTreeMap;

use transpica::stages::interp::{Machine, Record, Settings};
use transpica::stages::isa::word::Word;
use transpica::stages::isa::{Flow, Inst, Move, Pc};
use transpica_generate::Generated;

/// By address: how often a vertex entered a loop there (a LOOP in the word before), and how often it came back.
type Counts = BTreeMap<Pc, [u32; 2]>;

/// Whether two vertices that end within the budget enter a loop equally often and iterate it a different number of times.
///
/// ```
/// use transpica_generate::{Kind, generate};
/// use transpica_prove::iterations::differ;
/// let straight = generate(Kind::Numeric, 1);
/// assert!(!differ(&straight, 8, 1000));
/// ```
pub fn differ(generated: &Generated, vertices: usize, budget: u64) -> bool {
    if !generated.code.iter().any(|&word| repeats(Word(word))) {
        return false;
    }
    let program = generated.program();
    let settings = Settings { budget, ..Settings::default() };
    let Ok(mut machine) = Machine::new(&program, settings) else { return false };
    machine.set_uniforms(&generated.uniforms());
    let mut seen = Counts::new();
    for inputs in generated.inputs(vertices) {
        let mut counts = Counts::new();
        if machine.run_traced(&inputs, &mut |record: &Record| count(&mut counts, record)).is_err() {
            continue;
        }
        for (head, [entered, repeated]) in counts {
            let &mut [before, iterations] = seen.entry(head).or_insert([entered, repeated]);
            if before == entered && iterations != repeated {
                return true;
            }
        }
    }
    false
}

/// Whether an instruction may go back.
fn repeats(word: Word) -> bool {
    matches!(word.moves(), Some(Move::Loop | Move::Jump))
}

/// Counts what an instruction says of the loop that begins where it goes.
fn count(counts: &mut Counts, record: &Record) {
    let Some(next) = record.next else { return };
    match record.inst {
        Inst::Flow(Flow::Loop { .. }) => counts.entry(next).or_default()[0] += 1,
        Inst::Flow(Flow::JmpC { .. } | Flow::JmpU { .. }) if next <= record.pc => {
            counts.entry(next).or_default()[1] += 1;
        }
        // The end of a LOOP is no instruction of its own.
        Inst::Flow(_) | Inst::Data { .. } | Inst::Mova { .. } | Inst::Cmp { .. } => {
            if next <= record.pc
                && let Some(counts) = counts.get_mut(&next)
            {
                counts[1] += 1;
            }
        }
        Inst::Emit | Inst::SetEmit { .. } | Inst::Unassigned(_) => {}
    }
}
