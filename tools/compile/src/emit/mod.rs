//! The back end: a function of the intermediate form becomes a program for the PICA200.
//! In: a module after `optimize`, before `legalize`, what its outputs are, and uniforms that are
//! free for constants. Out: the lines of a procedure, and constants. Knows neither files nor names.
//! Begin with [`emit`]. Rules of the machine: pica200.md §3 to §5.
//!
//! `blocks.rs` no early ends of blocks; `flow.rs` constructs and outputs, `loops.rs` shapes of
//! loops, `conditions.rs` tests, `select.rs` operations and their operands, `fuse.rs` MAD and DPH,
//! `gather.rs` DP3 and DP4, `uses.rs` counts of reads: to `code.rs`. `join.rs` IFs in a row,
//! `pack.rs` instructions of several values; `coalesce.rs`, `hoist.rs` copies; `live.rs`
//! interference, `place.rs` registers; `constants.rs` uniforms for constants; `tidy.rs` empty
//! blocks, `print.rs` text, `shorten.rs` lines that repeat, `lengths.rs` long parts; `vertices.rs`
//! EMIT; `unroll.rs` loops of known length; `error.rs` errors.

mod blocks;
mod coalesce;
mod code;
mod conditions;
mod constants;
mod error;
mod flow;
mod fuse;
pub(crate) mod gather;
mod hoist;
mod join;
mod lengths;
mod live;
mod loops;
mod pack;
mod place;
mod print;
mod select;
mod shorten;
mod tidy;
pub(crate) mod unroll;
mod uses;
mod vertices;

use crate::ir::{Func, Module, Value};
use transpica::container::Model;
use transpica::isa::{Mask, Pc, sizes};
use transpica_asm::{SourceText, assemble};

use code::{Code, Step};
#[cfg(feature = "source")]
pub(crate) use error::listed;
pub use error::{Error, Place};
use flow::Strategy;
use pack::Packing;

/// A word of state, and the register and component of the temporary that holds it.
pub type Carried = (u32, (u8, u8));

/// Surroundings of a function: registers of its outputs, and uniforms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The output register of each value that the function yields, and the components that its
    /// lanes are written to, in their order; those of every vertex, if it sends vertices.
    pub outputs: Vec<(u8, Mask)>,
    /// Words of state that invocations leave for later ones, as the function reads and yields them,
    /// and the temporaries that hold them.
    pub carried: Vec<Carried>,
    /// Float uniforms that constants may take, bit n = cn.
    pub free: u128,
    /// Float uniforms with values that never change, as bits of f32.
    pub present: Vec<(u8, [u32; 4])>,
    /// Makes procedures of lines that repeat: fewer words, and a CALL more each time.
    pub shares: bool,
    /// Keeps the sign of zeros, and which operand of MIN and MAX a NaN gives.
    pub is_exact: bool,
}

/// A program as text and as code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Emitted {
    /// Its procedures in picasso's language: `main` is the last.
    pub text: String,
    /// The place of each line of the text in the source, if it has one.
    pub places: Vec<Option<Pc>>,
    /// A file with its code, descriptors and one executable without tables.
    pub code: Model,
    /// Constants by uniform register, as bits of f32.
    pub constants: Vec<(u8, [u32; 4])>,
}

impl Emitted {
    /// The number of its words.
    pub fn words(&self) -> usize {
        self.code.code.len()
    }
}

/// Most fusions, and whether 0 and 1 are computed: fewer fusions where there are too many for the
/// descriptors of MAD, then no constants for 0 and 1.
const FUSIONS: [(usize, bool); 8] = [
    (usize::MAX, false),
    (80, false),
    (64, false),
    (54, false),
    (44, false),
    (36, false),
    (usize::MAX, true),
    (0, true),
];

/// Ways to join instructions, of which the shortest program decides.
const PACKINGS: [Packing; 3] = [Packing::None, Packing::Near, Packing::Any];

/// The resource that programs exceed most.
const WORDS: &str = "words";
const MOST_WORDS: usize = sizes::VERTEX_WORDS as usize;
/// Words, and steps before registers are placed, beyond which other fusions are not tried. They
/// saved 8 of the 36 words of one random shader and none of 200 others.
const FAR: usize = MOST_WORDS * 3 / 2;

/// Changes of the best strategy that help some programs and harm others.
const CHANGES: [fn(&mut Strategy); 2] =
    [|strategy| strategy.copies = true, |strategy| strategy.spreads = true];

/// Costs of a program, the most important first.
pub type Rank = [f64; 3];

/// The costs by which programs are compared.
#[derive(Clone, Copy)]
pub struct Costs<'a> {
    /// Those of a program.
    pub rank: &'a dyn Fn(&Emitted) -> Rank,
    /// The number of words from which on no program has a lower rank than this one.
    pub most: &'a dyn Fn(Rank) -> usize,
}

/// Writes the main function of a module as a program of the fewest words.
///
/// # Errors
/// An operation that the machine or this compiler lacks; more of a resource than the machine has.
pub fn emit(module: &Module, surroundings: &Surroundings) -> Result<Emitted, Error> {
    // Range: a program that fits has at most 512 words.
    let rank = |emitted: &Emitted| [emitted.words() as f64, 0.0, 0.0];
    let costs = Costs { rank: &rank, most: &|[words, ..]| words as usize };
    emit_by(module, surroundings, costs).map(|(_, emitted)| emitted)
}

/// [`emit`] that keeps the first program of the least rank, and returns both.
///
/// # Errors
/// Those of [`emit`].
pub fn emit_by(
    module: &Module,
    surroundings: &Surroundings,
    costs: Costs<'_>,
) -> Result<(Rank, Emitted), Error> {
    let mut main = module.main.clone();
    let mut undefined = blocks::run(&mut main);
    undefined.extend(vertices::counts(&main));
    let (seen, flow, best, error) = (Vec::new(), None, None, None);
    let mut search =
        Search { main: &main, undefined: &undefined, surroundings, costs, seen, flow, best, error };
    let is_exact = surroundings.is_exact;
    for (fusions, computes) in FUSIONS {
        for (reuses, packing) in
            [true, false].into_iter().flat_map(|reuses| PACKINGS.map(|packing| (reuses, packing)))
        {
            let (copies, spreads) = (false, false);
            search.attempt(Strategy { reuses, fusions, computes, packing, copies, spreads, is_exact })?;
        }
        if search.best.is_some() || search.is_far() {
            break;
        }
    }
    for change in CHANGES {
        if let Some(&(.., strategy)) = search.best.as_ref() {
            let mut strategy = strategy;
            change(&mut strategy);
            search.attempt(strategy)?;
        }
    }
    match (search.best, search.error) {
        (Some((rank, best, _)), _) => Ok((rank, best)),
        (None, Some(error)) => Err(error),
        (None, None) => unreachable!("there is a strategy"),
    }
}

/// Programs of strategies, of which the one of the least rank is kept.
struct Search<'a> {
    main: &'a Func,
    undefined: &'a [Value],
    surroundings: &'a Surroundings,
    costs: Costs<'a>,
    /// Code before its registers are placed, of all strategies.
    seen: Vec<(Code, u32)>,
    /// The last selection, before instructions are joined.
    flow: Option<(Strategy, (Code, u32))>,
    best: Option<(Rank, Emitted, Strategy)>,
    /// The first error of a resource other than words, or else the one of the fewest words.
    error: Option<Error>,
}

impl Search<'_> {
    fn attempt(&mut self, strategy: Strategy) -> Result<(), Error> {
        let most = self.best.as_ref().map_or(usize::MAX, |&(rank, ..)| (self.costs.most)(rank));
        let written = match self.selected(strategy) {
            Ok(Some((code, labels))) => written(code, labels, self.surroundings, most),
            // Another strategy had the same result.
            Ok(None) => Ok(None),
            Err(error) => Err(error),
        };
        match written {
            Ok(Some(emitted)) => {
                let rank = (self.costs.rank)(&emitted);
                if self.best.as_ref().is_none_or(|(best, ..)| rank < *best) {
                    self.best = Some((rank, emitted, strategy));
                }
            }
            Ok(None) => {}
            Err(error @ Error::Unsupported { .. }) => return Err(error),
            Err(error) => match &self.error {
                Some(known) if excess(&error) >= excess(known) => {}
                _first_or_nearer => self.error = Some(error),
            },
        }
        Ok(())
    }

    /// The instructions of a strategy and the number of their labels, unless another one had them.
    fn selected(&mut self, strategy: Strategy) -> Result<Option<(Code, u32)>, Error> {
        let selection = Strategy { packing: Packing::None, ..strategy };
        if self.flow.as_ref().is_none_or(|(known, _)| *known != selection) {
            let undefined = self.undefined.to_vec();
            let (mut code, labels) = flow::run(self.main, undefined, self.surroundings, selection)?;
            join::run(&mut code.steps);
            self.flow = Some((selection, (code, labels)));
        }
        let Some((_, (code, labels))) = &self.flow else { return Ok(None) };
        let (mut code, labels) = (code.clone(), *labels);
        pack::run(&mut code, strategy.packing);
        if self.seen.iter().any(|(known, count)| *known == code && *count == labels) {
            return Ok(None);
        }
        self.seen.push((code.clone(), labels));
        Ok(Some((code, labels)))
    }

    /// Returns whether no other strategy makes the program short enough.
    fn is_far(&self) -> bool {
        !self.surroundings.shares && self.error.as_ref().and_then(excess).is_some_and(|words| words > FAR)
    }
}

/// The words that a program needs which has too many; `None` for other errors.
fn excess(error: &Error) -> Option<usize> {
    match error {
        Error::Limit { what: WORDS, needed, .. } => Some(needed.unwrap_or(usize::MAX)),
        Error::Limit { .. } | Error::Unsupported { .. } | Error::Assembly(_) => None,
    }
}

/// Writes instructions as a program, if it has fewer than so many words.
fn written(
    mut code: Code,
    labels: u32,
    surroundings: &Surroundings,
    most: usize,
) -> Result<Option<Emitted>, Error> {
    let computes = |step: &&Step| matches!(step, Step::Data(_) | Step::Compare { .. });
    if !surroundings.shares && code.steps.iter().filter(computes).count() > FAR {
        return Err(Error::limit(WORDS, None, MOST_WORDS));
    }
    let sends = vertices::send(&code.steps);
    if sends {
        vertices::compute_again(&mut code);
    }
    coalesce::run(&mut code);
    let has_ends = surroundings.shares || code.steps.contains(&Step::Else);
    if !has_ends && words(&code.steps) >= most {
        return Ok(None);
    }
    let spots = place::run(&mut code)?;
    tidy::run(&mut code.steps, labels);
    check_depth(&code.steps)?;
    let constants = constants::run(&mut code.steps, surroundings.free, &surroundings.present)?;
    let mut lines = print::lines(&code.steps, &spots);
    shorten::merge_ends(&mut lines);
    let procedures = if surroundings.shares { shorten::outline(&mut lines) } else { Vec::new() };
    lengths::run(&mut lines);
    let words = procedures.iter().map(|lines| lengths::words(lines)).sum::<usize>() + lengths::words(&lines);
    if words > MOST_WORDS {
        return Err(Error::limit(WORDS, Some(words), MOST_WORDS));
    }
    if words >= most {
        return Ok(None);
    }
    let text = text(sends, &procedures, &lines);
    let assembled = assemble(&[SourceText { name: "program", text: &text }])
        .map_err(|report| Error::Assembly(report.to_string()))?;
    let (bare, places): (Vec<&str>, _) = text.lines().map(print::split_place).unzip();
    Ok(Some(Emitted { text: bare.join("\n") + "\n", places, code: assembled.model, constants }))
}

/// The least number of words of steps, of which no two lines become one: what follows adds to them.
fn words(steps: &[Step]) -> usize {
    let is_word = |step: &&Step| {
        matches!(step, Step::Data(_) | Step::Compare { .. } | Step::Address { .. } | Step::Emit)
    };
    // END is one.
    steps.iter().filter(is_word).count() + 1
}

/// Checks that constructs do not nest deeper than the machine remembers.
fn check_depth(steps: &[Step]) -> Result<(), Error> {
    let (mut ifs, mut loops) = (0, 0);
    for step in steps {
        match step {
            Step::If(_) => ifs += 1,
            Step::EndIf => ifs -= 1,
            Step::Loop(_) => loops += 1,
            Step::EndLoop => loops -= 1,
            _other => {}
        }
        for (what, depth, limit) in
            [("nested IFs", ifs, sizes::IF_DEPTH), ("nested loops", loops, sizes::LOOP_DEPTH)]
        {
            if depth > limit {
                return Err(Error::limit(what, Some(depth), limit));
            }
        }
    }
    Ok(())
}

/// The procedures as text: `main` and those that it calls.
fn text(sends: bool, procedures: &[Vec<String>], main: &[String]) -> String {
    let mut text = String::from(if sends { ".gsh\n" } else { "" });
    for (n, lines) in procedures.iter().enumerate() {
        text += &format!(".proc part{n}\n{}\n.end\n\n", lines.join("\n"));
    }
    text + &format!(".proc main\n{}\n.end\n", main.join("\n"))
}
