//! Detects programs whose vertices leave a loop in different iterations, a common source of defects
//! in drivers that run vertices side by side.
//! In: a random program and the number of its vertices to run on the interpreter. Out: true for
//! such a program.

use std::collections::BTreeMap;

use crate::generate::Generated;
use transpica::Machine;
use transpica::interp::{Settings, TraceRecord};
use transpica::isa::word::Word;
use transpica::isa::{Flow, Inst, Move, Pc};

/// Entries and back edges of each loop, by the address of its first word (after a LOOP).
type Counts = BTreeMap<Pc, [u32; 2]>;

/// Returns whether two vertices that end within the budget enter a loop equally often but iterate
/// it a different number of times.
///
/// ```
/// use transpica_proof::generate::{Kind, generate};
/// use transpica_proof::iterations::differ;
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
        if machine.run_traced(&inputs, &mut |record: &TraceRecord| count(&mut counts, record)).is_err() {
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

/// Returns whether an instruction may be a back edge.
fn repeats(word: Word) -> bool {
    matches!(word.moves(), Some(Move::Loop | Move::Jump))
}

/// Counts an executed instruction for the loop that starts at its target.
fn count(counts: &mut Counts, record: &TraceRecord) {
    let Some(next) = record.next else { return };
    match record.inst {
        Inst::Flow(Flow::Loop { .. }) => counts.entry(next).or_default()[0] += 1,
        Inst::Flow(Flow::JmpC { .. } | Flow::JmpU { .. }) if next <= record.pc => {
            counts.entry(next).or_default()[1] += 1;
        }
        // The end of a LOOP is not an instruction.
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
