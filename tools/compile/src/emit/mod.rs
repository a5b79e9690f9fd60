//! The back end: a function of the intermediate form becomes a program for the PICA200.
//! In: a module after `optimize`, before `legalize`, what its outputs are, and uniforms that are
//! free for constants. Out: the lines of a procedure, and constants. Knows neither files nor names.
//! Begin with [`emit`]. Rules of the machine: pica200.md §3 to §5.
//!
//! `flow.rs` constructs and outputs, `loops.rs` shapes of loops, `conditions.rs` tests, `select.rs`
//! operations and their operands, `fuse.rs` MAD and DPH, `uses.rs` counts of reads: to `code.rs`.
//! `coalesce.rs` copies, `live.rs` interference, `place.rs` registers, `constants.rs` uniforms for
//! constants, `tidy.rs` empty blocks, `print.rs` text,
//! `shorten.rs` lines that repeat; `error.rs` errors.

mod coalesce;
mod code;
mod conditions;
mod constants;
mod error;
mod flow;
mod fuse;
mod live;
mod loops;
mod place;
mod print;
mod select;
mod shorten;
mod tidy;
mod uses;

use transpica::isa::Mask;
use transpica::stages::ir::Module;

pub use error::{Error, Place};
use flow::Strategy;

/// What surrounds a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Surroundings {
    /// The output register of each value that the function yields, and the components that its
    /// lanes are written to, in their order.
    pub outputs: Vec<(u8, Mask)>,
    /// Float uniforms that constants may take, bit n = cn.
    pub free: u128,
}

/// A program as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emitted {
    /// Lines of its procedure: one instruction, `.else`, `.end` or label each.
    pub lines: Vec<String>,
    /// The procedures `part0`, `part1`, .. that it calls, in the same way.
    pub procedures: Vec<Vec<String>>,
    /// Constants by uniform register, as bits of f32.
    pub constants: Vec<(u8, [u32; 4])>,
}

impl Emitted {
    /// The number of lines that are instructions: a lower bound of the words.
    pub fn instructions(&self) -> usize {
        let is_word = |line: &&String| !line.trim().starts_with('.') && !line.ends_with(':');
        self.procedures.iter().flatten().chain(&self.lines).filter(is_word).count()
    }

    /// The procedures as text: `main` and those that it calls.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (n, lines) in self.procedures.iter().enumerate() {
            text += &format!(".proc part{n}\n{}\n.end\n\n", lines.join("\n"));
        }
        text + &format!(".proc main\n{}\n.end\n", self.lines.join("\n"))
    }
}

/// Writes the main function of a module as a program.
///
/// # Errors
/// What the machine or this compiler cannot do, and more of something than the machine has.
pub fn emit(module: &Module, surroundings: &Surroundings) -> Result<Emitted, Error> {
    let mut best: Option<Emitted> = None;
    let mut first_error = None;
    for (reuses, fuses) in [(true, true), (false, true), (true, false), (false, false)] {
        match emit_with(module, surroundings, Strategy { reuses, fuses }) {
            Ok(emitted) => {
                let is_shorter =
                    best.as_ref().is_none_or(|best| emitted.instructions() < best.instructions());
                if is_shorter {
                    best = Some(emitted);
                }
            }
            Err(error) => {
                first_error.get_or_insert(error);
            }
        }
    }
    match (best, first_error) {
        (Some(best), _) => Ok(best),
        (None, Some(error)) => Err(error),
        (None, None) => unreachable!("there is a strategy"),
    }
}

fn emit_with(module: &Module, surroundings: &Surroundings, strategy: Strategy) -> Result<Emitted, Error> {
    let (mut code, labels) = flow::run(&module.main, &surroundings.outputs, strategy)?;
    coalesce::run(&mut code);
    let spots = place::run(&mut code)?;
    tidy::run(&mut code.steps, labels);
    let constants = constants::run(&mut code.steps, surroundings.free)?;
    let mut lines = print::lines(&code.steps, &spots);
    shorten::merge_ends(&mut lines);
    let procedures = shorten::outline(&mut lines);
    Ok(Emitted { lines, procedures, constants })
}
