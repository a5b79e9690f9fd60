//! Programs of files, made shorter or faster: lifted, optimized and written again.
//! In: a file and values of uniforms that are known. Out: the file with better code, or as it was
//! and the reason. All sums keep their order, so that every bit of every output is the same, unless
//! a [`Goal`] lets them change. Tables, symbols and layout of the file stay. `equal` compares the
//! programs before and after.
//!
//! `lower.rs` programs as the back end takes them; `goal.rs` better code; `section.rs` the code of
//! all programs.

mod goal;
mod lower;
mod section;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::fmt;

use crate::geometry::Observation;
use crate::precision::float24;
use transpica::container::{Constant, ConstantValue, Model, write};
use transpica::isa::decode::decode;
use transpica::isa::{Flow, Inst};
use transpica::settings::Control;
use transpica::{Limits, Options, Program, Shbin};
use transpica_asm::like::keep_layout_of;

use crate::emit::{self, Costs, Emitted, Rank, Surroundings, emit_by, gather};
use crate::equal::matching::Matching;
use crate::equal::{Comparison, Distance, Effort, Opened, Verdict, compare};
use crate::ir::Module;
use crate::passes::{self, Scratch};
use goal::LAST;
use lower::{Lifted, lift_program};
use section::Part;

pub use goal::{Goal, Objective};

/// Knowledge of a program beside its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// Bool and int uniforms with a value: `baked`.
    pub control: Control,
    /// The constants of the file without a symbol never change.
    pub constants: bool,
}

impl Known {
    /// Parts of it that may be used for a program, all first. Less may give shorter code: constants
    /// that were merged may find no register, and a loop is shorter than many rounds.
    fn parts(mut self, program: &Program<'_>) -> Vec<Self> {
        let insts = section::reached(&[program]).into_iter().map(|(_, word)| decode(word, &[]));
        let counts = insts.fold(0u8, |all, inst| match inst {
            Inst::Flow(Flow::Loop { int, .. }) => all | 1 << (int & 3),
            _other => all,
        });
        for (int, baked) in self.control.ints.baked.iter_mut().enumerate() {
            *baked = baked.filter(|_| counts >> int & 1 != 0);
        }
        let mut parts: Vec<Self> = Vec::new();
        for constants in [self.constants, false] {
            for unused in 0..1u32 << 4 {
                let mut part = Self { constants, ..self };
                for (int, baked) in part.control.ints.baked.iter_mut().enumerate() {
                    *baked = baked.filter(|_| unused >> int & 1 == 0);
                }
                if !parts.contains(&part) {
                    parts.push(part);
                }
            }
        }
        parts
    }
}

/// A file after optimization.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimized {
    /// The file.
    pub bytes: Vec<u8>,
    /// Words of code before.
    pub before: usize,
    /// Words of code now.
    pub after: usize,
    /// The reason, if the file stays as it was.
    pub kept: Option<Reason>,
    /// For each program the reason why its code stays, if it does. Words that no program reaches
    /// are left out all the same.
    pub programs: Vec<Option<Reason>>,
    /// Set if the new programs are equal for all inputs, not only on those that were tried.
    pub is_proven: bool,
    /// The largest distance of results, if sums may be in another order.
    pub distance: Distance,
    /// The reason for which sums keep their order where they might change it.
    pub refused: Option<Reason>,
}

/// The reason for which a program stays as it is.
#[derive(Clone, Debug, PartialEq)]
pub enum Reason {
    /// An invocation of the geometry program reads what an earlier one left elsewhere than in
    /// r0..r15.
    Carried(Observation),
    /// Its control flow has no structure.
    Unstructured,
    /// The back end cannot write it.
    NotWritten(emit::Error),
    /// The new code is not shorter.
    NotShorter {
        /// Words of the program, or of the file, with new code.
        new: usize,
        /// Words that it stands for.
        old: usize,
    },
    /// The new code executes more instructions on some way.
    Slower,
    /// The new code executes as many instructions on all ways.
    NotFaster,
    /// The new code has more words than there is room for.
    NoRoom {
        /// Words of the file with new code.
        new: usize,
        /// Most words.
        limit: usize,
    },
    /// Sums in another order change results by more than was allowed.
    Far {
        /// A component that they change.
        component: String,
        /// The largest distance of results, relative to the largest component of their vector.
        distance: f32,
    },
    /// A constant needs more bits than files have.
    Inexact,
    /// All programs together need more operand descriptors than there are.
    Descriptors,
    /// No vertex ended in both programs, and the structure did not show them equal.
    Untested,
    /// The structure did not show a geometry program equal whose invocations read what earlier ones
    /// left: a few of them in a row do not show it.
    Unproven,
    /// The new code computes something else: a defect of this library. The component.
    Differs(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Carried(seen) => write!(f, "it reads what an earlier invocation left: {seen}"),
            Self::Unstructured => f.write_str("its jumps have no structure"),
            Self::NotWritten(error) => error.fmt(f),
            Self::NotShorter { new, old: 0 } => {
                write!(f, "new code would take {new} words, and other programs need all of the old one")
            }
            Self::NotShorter { new, old } if new == old => {
                write!(f, "new code would take {new} words, too")
            }
            Self::NotShorter { new, old } => {
                write!(f, "new code would take {new} words in place of {old}")
            }
            Self::Slower => f.write_str("new code would execute more instructions"),
            Self::NotFaster => f.write_str("new code would execute as many instructions"),
            Self::NoRoom { new, limit } => write!(f, "it would have {new} words, of at most {limit}"),
            Self::Far { component, distance } => {
                let by = format!("by {distance:.1e} of the largest component, more than --reorder allows");
                write!(f, "sums in another order change {component}, {by}")
            }
            Self::Differs(component) => write!(f, "{component} would differ; please report it"),
            Self::Untested => f.write_str("no proof was found, and no vertex that was tried ends"),
            Self::Unproven => {
                f.write_str("no proof was found, and invocations read what any number of earlier ones left")
            }
            Self::Inexact => f.write_str("a constant that it needs does not fit in 24 bits"),
            Self::Descriptors => f.write_str("it would need too many operand descriptors"),
        }
    }
}

/// Optimizes the programs of a file, of each of which something is known. The result was compared
/// with the source. A file that stays has the bytes that were given; else its tables stay where
/// they were as far as the length of the code allows. Where sums in another order are too far, they
/// keep it.
///
/// # Errors
/// A file without a program that can be read.
pub fn optimize(original: &[u8], known: &[Known], goal: Goal) -> transpica::Result<Optimized> {
    let result = optimize_once(original, known, goal)?;
    if matches!(result.kept, Some(Reason::Far { .. })) {
        let exact = optimize_once(original, known, Goal { rounding: None, ..goal })?;
        let is_better = exact.kept.is_none();
        return Ok(if is_better { Optimized { refused: result.kept, ..exact } } else { result });
    }
    Ok(result)
}

fn optimize_once(original: &[u8], known: &[Known], goal: Goal) -> transpica::Result<Optimized> {
    let file = &Shbin::parse(original)?;
    let model = Model::from(file);
    let before = model.code.len();
    let sources = sources(file, known, goal)?;
    let keep = |reason: Reason| {
        let programs = vec![Some(reason.clone()); sources.len()];
        let (bytes, kept, distance) = (original.to_vec(), Some(reason), Distance::default());
        let (is_proven, after, refused) = (true, before, None);
        Ok(Optimized { bytes, before, after, kept, programs, is_proven, distance, refused })
    };
    let better = |source: &Source<'_>| match source.written(&model)? {
        Ok(written) => source.better(written, &model),
        Err(reason) => Ok(Err(reason)),
    };
    let all: Vec<_> = sources.iter().map(better).collect::<Result<_, _>>()?;
    let (written, choice) = match best(&model, &sources, &all) {
        Ok(found) => found,
        Err(reason) => return keep(reason),
    };
    let bytes = keep_layout_of(original, &written, true)?.bytes;
    let after = written.code.len();
    let carries: Vec<bool> = all.iter().map(|new| new.as_ref().is_ok_and(|new| new.carries)).collect();
    match compared(file, &Shbin::parse(&bytes)?, &sources, &carries, Effort::default())? {
        Err(reason) => keep(reason),
        Ok((is_proven, distance)) => {
            let stays = |(n, result): (usize, &Result<Written, Reason>)| match result {
                Err(reason) => Some(reason.clone()),
                Ok(_) if choice[n] => None,
                Ok(written) => {
                    let (new, old) = (written.code.len(), lost(&sources, &choice, n));
                    Some(Reason::NotShorter { new, old })
                }
            };
            let programs = all.iter().enumerate().map(stays).collect();
            let (kept, refused) = (None, None);
            Ok(Optimized { bytes, before, after, kept, programs, is_proven, distance, refused })
        }
    }
}

/// The words that no program would need if one of those that stay got new code.
fn lost(sources: &[Source<'_>], choice: &[bool], program: usize) -> usize {
    let stay = |without: Option<usize>| {
        let stay = (0..sources.len()).filter(|&n| !choice[n] && Some(n) != without);
        section::reached(&stay.map(|n| sources[n].program.program()).collect::<Vec<_>>()).len()
    };
    stay(None) - stay(Some(program))
}

/// Writes all programs of a file, whatever their length: the file, and their procedures as text.
/// Nothing is compared.
///
/// # Errors
/// A file without a program that can be read.
pub fn written(
    file: &Shbin<'_>,
    known: &[Known],
    goal: Goal,
) -> transpica::Result<Result<(Vec<u8>, String), Reason>> {
    let model = Model::from(file);
    let sources = sources(file, known, goal)?;
    let mut all = Vec::new();
    for source in &sources {
        match source.written(&model)? {
            Ok(written) => all.push(written),
            Err(reason) => return Ok(Err(reason)),
        }
    }
    let text = all.iter().map(|written| written.text.as_str()).collect::<Vec<_>>().join("\n");
    let parts: Vec<Option<&Written>> = all.iter().map(Some).collect();
    let file = rewrite(&model, &sources, &parts).ok_or(Reason::Descriptors);
    Ok(file.map(|model| (write(&model), text)))
}

/// A program of a file.
struct Source<'a> {
    program: transpica::FileProgram<'a>,
    known: Known,
    goal: Goal,
    index: usize,
}

fn sources<'a>(file: &'a Shbin<'a>, known: &[Known], goal: Goal) -> transpica::Result<Vec<Source<'a>>> {
    let one = |index| {
        let known = known.get(index).copied().unwrap_or_default();
        Ok(Source { program: file.program(index)?, known, goal, index })
    };
    (0..file.executables.len().max(1)).map(one).collect()
}

/// New code of a program.
struct Written {
    code: Vec<u32>,
    descriptors: Vec<u32>,
    /// Addresses of `main` and `endmain`.
    main: [u32; 2],
    /// Constants that it needs beside those of its file.
    constants: Vec<Constant>,
    /// Its procedures.
    text: String,
    /// Later invocations read registers that it leaves.
    carries: bool,
    /// Instructions that it executes less than the old code, on all ways together.
    saved: f64,
}

impl Source<'_> {
    /// Lifts the program and writes it, with all that is known of it or less.
    fn written(&self, model: &Model) -> transpica::Result<Result<Written, Reason>> {
        let (mut best, before): (Option<Ranked>, _) = (None, self.ways(model)?);
        for known in self.known.parts(self.program.program()) {
            for result in self.written_knowing(&known, model, &before)? {
                best = Some(match best {
                    Some(best) => better(best, result),
                    None => result,
                });
            }
        }
        Ok(best.unwrap_or(Err(Reason::Unstructured)).map(|(_, written)| written))
    }

    /// New code that keeps the order of sums, and code that does not.
    fn written_knowing(
        &self,
        known: &Known,
        model: &Model,
        before: &[f64],
    ) -> transpica::Result<Vec<Ranked>> {
        let (program, constants) = (self.program.program(), self.program.environment().constants());
        let Lifted { module, mut surroundings } =
            match lift_program(program, known, &constants, model, self.index)? {
                Ok(lifted) => lifted,
                Err(reason) => return Ok(vec![Err(reason)]),
            };
        surroundings.is_exact = self.goal.rounding.is_none();
        let mut results = vec![self.written_as(&module, &surroundings, model, before)?];
        let mut gathered = module;
        if !surroundings.is_exact && gather::run(&mut gathered.main) {
            let options = Options::default();
            passes::optimize::run(&mut gathered, &options.arithmetic, &mut Scratch::default());
            results.push(self.written_as(&gathered, &surroundings, model, before)?);
        }
        Ok(results)
    }

    /// Writes a module, with procedures for lines that repeat if it is too long without them.
    fn written_as(
        &self,
        module: &Module,
        surroundings: &Surroundings,
        model: &Model,
        before: &[f64],
    ) -> transpica::Result<Ranked> {
        let rank = |emitted: &Emitted| self.rank(emitted, model, before);
        let costs = Costs { rank: &rank, most: &|rank| self.goal.objective.most_words(rank) };
        let write = |surroundings: &Surroundings| {
            let emitted = emit_by(module, surroundings, costs).map_err(Reason::NotWritten);
            let carries = !surroundings.carried.is_empty();
            emitted.and_then(|(rank, emitted)| Ok((rank, Written { carries, ..Written::new(emitted)? })))
        };
        let first = write(surroundings);
        // Calls take time, so they are for programs that are too long without them.
        let is_too_long = match &first {
            Ok((_, written)) => written.code.len() >= self.goal.objective.words(&[self.program.program()]),
            Err(reason) => matches!(reason, Reason::NotWritten(emit::Error::Limit { .. })),
        };
        if is_too_long {
            let shared = write(&Surroundings { shares: true, ..surroundings.clone() });
            let is_slower =
                shared.as_ref().map_or(Ok(true), |(_, written)| self.is_slower(written, model, before))?;
            if !is_slower {
                return Ok(better(first, shared));
            }
        }
        Ok(first)
    }
}

/// New code with its rank.
type Ranked = Result<(Rank, Written), Reason>;

/// The code of the lower rank, or else the first.
fn better(first: Ranked, second: Ranked) -> Ranked {
    let rank = |result: &Ranked| result.as_ref().map_or(LAST, |found| found.0);
    let is_better = rank(&second) < rank(&first) || first.is_err() && second.is_ok();
    if is_better { second } else { first }
}

impl Written {
    fn new(emitted: Emitted) -> Result<Self, Reason> {
        let Emitted { text, code, constants, .. } = emitted;
        let constant = |(register, value): (u8, [u32; 4])| {
            let value = value.map(|bits| (bits, float24::from_f32_bits(bits)));
            if value.iter().any(|&(bits, stored)| float24::to_f32_bits(stored) != bits) {
                return Err(Reason::Inexact);
            }
            let value = value.map(|(_, stored)| stored);
            Ok(Constant::new(ConstantValue::Float { register, value }))
        };
        let constants = constants.into_iter().map(constant).collect::<Result<_, _>>()?;
        let descriptors = code.descriptors.iter().map(|record| record.bits).collect();
        let main =
            code.executables.first().map_or([0; 2], |written| [written.header.main, written.header.endmain]);
        Ok(Self { code: code.code, descriptors, main, constants, text, carries: false, saved: 0.0 })
    }
}

/// Most programs of which every selection is tried; of more, all and none.
const SELECTED: usize = 8;

/// A selection of programs that get new code.
struct Choice {
    is_new: Vec<bool>,
    /// Words of the file.
    words: usize,
    /// The rank, least in the best selection.
    rank: Rank,
}

/// The best file, in which new code stands for some programs, and for which.
fn best(
    model: &Model,
    sources: &[Source<'_>],
    all: &[Result<Written, Reason>],
) -> Result<(Model, Vec<bool>), Reason> {
    let numbers: Vec<usize> = (0..all.len()).filter(|&n| all[n].is_ok()).collect();
    let objective = sources.first().map_or(Objective::Size, |source| source.goal.objective);
    let mut choices: Vec<Choice> = Vec::new();
    for selection in 0..1u32 << numbers.len().min(SELECTED) {
        let mut is_new = vec![false; all.len()];
        for (place, &n) in numbers.iter().enumerate() {
            is_new[n] = selection >> place.min(SELECTED - 1) & 1 != 0;
        }
        let chosen = all.iter().zip(&is_new).filter(|(_, new)| **new);
        let chosen: Vec<&Written> = chosen.filter_map(|(result, _)| result.as_ref().ok()).collect();
        let stay = sources.iter().zip(&is_new).filter(|(_, new)| !**new);
        let stay: Vec<&Program<'_>> = stay.map(|(source, _)| source.program.program()).collect();
        let new: usize = chosen.iter().map(|written| written.code.len()).sum();
        let words = new + section::reached(&stay).len();
        let saved: f64 = chosen.iter().map(|written| written.saved).sum();
        choices.push(Choice { is_new, words, rank: objective.rank(words, -saved) });
    }
    choices.sort_by(|a, b| a.rank.partial_cmp(&b.rank).unwrap_or(Ordering::Equal));
    let (before, limit) = (model.code.len(), objective.most(model));
    let least = choices.iter().find(|choice| choice.is_new.contains(&true)).map(|choice| choice.words);
    let reason = match (least, all.iter().find_map(|result| result.as_ref().err())) {
        (_, Some(reason)) => reason.clone(),
        (Some(new), None) if objective == Objective::Speed => Reason::NoRoom { new, limit },
        (new, None) => Reason::NotShorter { new: new.unwrap_or(before), old: before },
    };
    choices.retain(|choice| choice.words <= limit && (choice.words < before || choice.rank[0] < 0.0));
    if choices.is_empty() {
        return Err(reason);
    }
    for Choice { is_new, .. } in choices {
        let parts: Vec<Option<&Written>> =
            all.iter().zip(&is_new).map(|(result, &new)| result.as_ref().ok().filter(|_| new)).collect();
        if let Some(model) = rewrite(model, sources, &parts) {
            return Ok((model, is_new));
        }
    }
    Err(Reason::Descriptors)
}

/// The file with new code for some programs. Code of the others moves, without words that none of
/// them reaches.
fn rewrite(model: &Model, sources: &[Source<'_>], written: &[Option<&Written>]) -> Option<Model> {
    let mut rewritten = model.clone();
    let descriptors: Vec<u32> = model.descriptors.iter().map(|record| record.bits).collect();
    let mut parts: Vec<Part<'_>> = Vec::new();
    let mut end = 0;
    for (executable, written) in rewritten.executables.iter_mut().zip(written) {
        let Some(written) = written else { continue };
        let part = Part::whole(&written.code, &written.descriptors, end);
        end += part.len();
        let main = written.main.map(|address| part.place(address));
        [executable.header.main, executable.header.endmain] = main;
        executable.labels.clear();
        executable.constants.extend_from_slice(&written.constants);
        parts.push(part);
    }
    let stays = sources.iter().zip(written).filter(|(_, written)| written.is_none());
    let stays: Vec<&Program<'_>> = stays.map(|(source, _)| source.program.program()).collect();
    let part = Part::reached(&stays, &descriptors, end);
    for (executable, _) in
        rewritten.executables.iter_mut().zip(written).filter(|(_, written)| written.is_none())
    {
        let header = &mut executable.header;
        (header.main, header.endmain) = (part.place(header.main), part.place(header.endmain));
        executable.labels.retain(|label| part.has(label.address));
        executable.labels.iter_mut().for_each(|label| label.address = part.place(label.address));
    }
    parts.push(part);
    (rewritten.code, rewritten.descriptors) = section::build(&parts)?;
    (rewritten.lines, rewritten.names) = Default::default();
    Some(rewritten)
}

/// Compares all programs of two files. Returns whether they are proven equal, and the largest
/// distance of results, or the reason why the new one cannot stand for the old one. Those that
/// carry registers over need a proof.
fn compared(
    before: &Shbin<'_>,
    after: &Shbin<'_>,
    sources: &[Source<'_>],
    carries: &[bool],
    effort: Effort,
) -> transpica::Result<Result<(bool, Distance), Reason>> {
    let limits = Limits::default();
    let (mut is_proven, mut distance) = (true, Distance::default());
    for source in sources {
        let [first, second] = [before, after].map(|file| Opened::new(file, source.index, &limits));
        let (first, second) = (first?, second?);
        let options = Options { control: source.known.control, ..Options::default() };
        let matching = match Matching::new([&first.symbols, &second.symbols], &[]) {
            Ok(matching) => matching,
            Err(fault) => return Ok(Err(Reason::Differs(fault))),
        };
        let comparison = Comparison::new([&first, &second], &matching, options);
        let verdict = compare(&Comparison { effort, rounding: source.goal.rounding, ..comparison })?;
        let is_equal = verdict.is_equal();
        match verdict {
            Verdict::Proven { .. } => {}
            Verdict::Sampled { .. } if carries.get(source.index) == Some(&true) => {
                return Ok(Err(Reason::Unproven));
            }
            Verdict::Sampled { sampled, .. } if is_equal => {
                (is_proven, distance) = (false, distance.larger(sampled.worst));
            }
            Verdict::Sampled { .. } => return Ok(Err(Reason::Untested)),
            Verdict::Different(found) => {
                let component = found.output.map_or("its end".into(), |output| output.pair.name);
                if source.goal.rounding.is_none() {
                    return Ok(Err(Reason::Differs(component)));
                }
                let distance = match compare(&Comparison { effort, rounding: Some(f32::MAX), ..comparison })?
                {
                    Verdict::Sampled { sampled, .. } => sampled.worst.relative,
                    Verdict::Proven { .. } | Verdict::Different(_) => f32::INFINITY,
                };
                return Ok(Err(Reason::Far { component, distance }));
            }
        }
    }
    Ok(Ok((is_proven, distance)))
}
