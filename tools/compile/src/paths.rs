//! Instructions that a program executes, by the bool uniforms that it tests.
//! In: a program, what is known of its bools and ints. Out: a row for each way. The inputs are
//! those of a game, the same for equal seeds.

use transpica::isa::{Flow, Inst, Pc};
use transpica::settings::Control;
use transpica::{Error, Options, Program};
use transpica_inspect::values::{plausible_inputs, plausible_uniforms};

use crate::equal::Opened;
use crate::equal::sample::Executor;

/// Vertices that are run for each way.
const VERTICES: usize = 64;
/// Most bools of which all combinations are run; of more, none, all and each alone.
const COMBINED: usize = 4;
/// Limit of instructions for each vertex.
const BUDGET: u64 = 1 << 16;

/// Instructions of a way through a program.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// Value of b0..b15.
    pub bools: u16,
    /// Average number of instructions of a vertex or invocation.
    pub instructions: f64,
}

/// Bool uniforms that some instruction tests, bit n = bn.
pub fn tested(program: &Program<'_>) -> u16 {
    let words = (0..program.code().len()).filter_map(|pc| program.inst(Pc(u16::try_from(pc).ok()?)));
    words.fold(0, |all, inst| match inst {
        Inst::Flow(Flow::IfU { bool, .. } | Flow::CallU { bool, .. } | Flow::JmpU { bool, .. }) => {
            all | 1 << (bool & 15)
        }
        _other => all,
    })
}

/// Values of some bools: all combinations of few, else none, all and each alone.
pub fn combinations(bools: u16) -> Vec<u16> {
    let each: Vec<u16> = (0..16).map(|bit| 1 << bit & bools).filter(|bit| *bit != 0).collect();
    if each.len() > COMBINED {
        return [0].into_iter().chain(each).chain([bools]).collect();
    }
    let set = |number: u32| {
        let chosen = each.iter().enumerate().filter(|(place, _)| number >> place & 1 != 0);
        chosen.fold(0, |all, (_, bit)| all | bit)
    };
    (0..1 << each.len()).map(set).collect()
}

/// Counts the instructions of a vertex, or of an invocation of a geometry program, for values of
/// bools.
///
/// # Errors
/// A program that the machine refuses. What does not end is left out.
pub fn executed(opened: &Opened, control: &Control, bools: &[u16]) -> Result<Vec<Path>, Error> {
    let names = opened.symbols.as_slice();
    let inputs = plausible_inputs(0, VERTICES, names);
    let mut uniforms = plausible_uniforms(0, names);
    let mut executor = Executor::new(&opened.program, Options::default().settings(BUDGET))?;
    let mut paths = Vec::new();
    for &bools in bools {
        uniforms.bools = bools;
        opened.constants.apply(&mut uniforms);
        control.apply(&mut uniforms);
        let (mut steps, mut ended) = (0, 0u32);
        for inputs in &inputs {
            let mut own = 0;
            if executor.run(BUDGET, &uniforms, inputs, &mut own)?.is_some() {
                steps += own;
                ended += executor.runs();
            }
        }
        paths.push(Path { bools, instructions: steps as f64 / f64::from(ended.max(1)) });
    }
    Ok(paths)
}
