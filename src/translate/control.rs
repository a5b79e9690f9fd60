//! Control flow of a program: selection of the tier, and lifting.
//! In: a program and options. Out: [`ControlFlow`], then IR. A tier that exceeds a limit falls back
//! to the next one.

use std::fmt;

use crate::error::{At, Error, Kind, Result, Warning};
use crate::flow::cfg::explore::Explored;
use crate::flow::cfg::reduce::{Reduced, reduce};
use crate::flow::cfg::{Cfg, explore};
use crate::flow::structure;
use crate::flow::structure::Structured;
use crate::flow::structure::tree::Tree;
use crate::host::settings::Options;
use crate::ir;
use crate::lift;
use crate::lift::Context;
use crate::program::isa::Program;
use crate::program::isa::uniforms::constant_bools;

/// Representation of control flow, from the first to the last tier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// The program's own structure.
    Structured,
    /// A loop over a switch on basic blocks, for programs that nest too deeply.
    BlockDispatcher,
    /// A loop over a switch on the program counter, for programs with too many control states.
    PcDispatcher,
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["structured", "block dispatcher", "pc dispatcher"][*self as usize])
    }
}

/// Control flow of a program, structured as far as possible.
#[derive(Clone, Debug)]
pub enum ControlFlow {
    /// A tree over a graph.
    Tree(Cfg, Tree, Tier),
    /// The code alone: it has too many control states.
    Code,
}

impl ControlFlow {
    /// Returns the tier.
    pub fn tier(&self) -> Tier {
        match self {
            Self::Tree(_, _, tier) => *tier,
            Self::Code => Tier::PcDispatcher,
        }
    }
}

/// Structures the control flow of a program: its own structure, else a dispatcher over blocks, else
/// none.
///
/// # Errors
/// A reachable undefined opcode, unless the options are permissive.
pub fn control(program: &Program<'_>, options: &Options) -> Result<ControlFlow> {
    choose(program, options).map(|(control, _)| control)
}

/// As [`control`], with the reason for a fallback.
pub(super) fn choose(program: &Program<'_>, options: &Options) -> Result<(ControlFlow, Option<String>)> {
    let limits = &options.limits;
    let mut known = options.control.exploration();
    known.known_bools &= constant_bools(program.stage());
    let mut cfg = match explore::explore(program, &known, limits)? {
        Explored::Graph(cfg) => cfg,
        Explored::TooManyNodes { limit } => {
            return Ok((ControlFlow::Code, Some(format!("it has more than {limit} control states"))));
        }
    };
    let why = match reduce(&mut cfg, limits) {
        Reduced::Reducible => match structure::structure(&cfg, limits) {
            Structured::Tree(tree) => return Ok((ControlFlow::Tree(cfg, tree, Tier::Structured), None)),
            Structured::TooDeep { depth: Some(depth) } => {
                format!("its structure is {depth} levels deep, and the limit is {}", limits.depth)
            }
            Structured::TooDeep { depth: None } => "its jumps are too entangled".to_string(),
        },
        Reduced::TooDeep => format!("its loops are entangled more than {} levels deep", limits.depth),
    };
    Ok((dispatcher(cfg), Some(why)))
}

/// Returns the fallback tier of a graph: a dispatcher over blocks, or the code alone.
fn dispatcher(cfg: Cfg) -> ControlFlow {
    if cfg.blocks.len() > MOST_DISPATCHED_BLOCKS {
        return ControlFlow::Code;
    }
    let tree = structure::blocks::dispatcher(&cfg);
    ControlFlow::Tree(cfg, tree, Tier::BlockDispatcher)
}

/// Lifts a program. If it exceeds a limit, lifts it in a fallback tier and returns the reason.
pub(super) fn lift(
    context: Context<'_>,
    control: &mut ControlFlow,
    why: &mut Option<String>,
) -> Result<ir::Module> {
    loop {
        let result = match &*control {
            ControlFlow::Tree(cfg, tree, _) => lift::structured(context, cfg, tree),
            ControlFlow::Code => return lift::dispatched(context),
        };
        let Err(Error { kind: Kind::Limit { name, limit, .. }, .. }) = result else { return result };
        *why = Some(format!("lowering it takes more than {limit} {name}"));
        *control = match std::mem::replace(control, ControlFlow::Code) {
            ControlFlow::Tree(cfg, _, Tier::Structured) => dispatcher(cfg),
            _dispatcher => ControlFlow::Code,
        };
    }
}

/// Warns that a fallback tier was taken. `words` counts the SPIR-V module.
pub(super) fn fallback(why: &str, tier: Tier, words: Option<usize>, program: &Program<'_>) -> Warning {
    let mut text = format!("translated with a {tier}, which runs slower, because {why}");
    match words {
        Some(words @ SLOW_WORDS..) => {
            text += &format!("; its {words} words of SPIR-V may take a driver half a minute to compile");
        }
        Some(words) => text += &format!("; it takes {words} words of SPIR-V"),
        None => {}
    }
    Warning { text, at: At::Pc(program.entry().0) }
}

/// Words of a dispatcher that a driver may compile for half a minute (drivers.md#large-switches).
const SLOW_WORDS: usize = 30_000;

/// Maximum blocks of a block dispatcher. Beyond it, the pc dispatcher is smaller: its stacks have
/// one update, not one for each case.
const MOST_DISPATCHED_BLOCKS: usize = 1024;
