//! Programs of files, made shorter: lifted, optimized and written again.
//! In: a file and values of uniforms that are known. Out: the file with shorter code, or as it was
//! and the reason. All sums keep their order, so that every bit of every output is the same.
//! Tables, symbols and layout of the file stay. `equal` compares the programs before and after.
//!
//! `lower.rs` programs as the back end takes them; `section.rs` the code of all programs.

mod lower;
mod section;
#[cfg(test)]
mod tests;

use std::fmt;

use crate::geometry::Observation;
use crate::precision::float24;
use transpica::container::{Constant, ConstantValue, Model, write};
use transpica::isa::decode::decode;
use transpica::isa::{Flow, Inst};
use transpica::settings::Control;
use transpica::{Limits, Options, Program, Shbin};
use transpica_asm::like::keep_layout_of;

use crate::emit::{self, Emitted, emit};
use crate::equal::matching::Matching;
use crate::equal::{Comparison, Effort, Opened, Verdict, compare};
use crate::paths;
use lower::lift_program;
use section::Part;

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
#[derive(Clone, Debug, PartialEq, Eq)]
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
}

/// The reason for which a program stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// An invocation of the geometry program reads what an earlier one left.
    Carried(Observation),
    /// Its control flow has no structure.
    Unstructured,
    /// The back end cannot write it.
    NotWritten(emit::Error),
    /// The new code is not shorter: the words of the program, or of the file.
    NotShorter(usize),
    /// A constant needs more bits than files have.
    Inexact,
    /// All programs together need more operand descriptors than there are.
    Descriptors,
    /// No vertex ended in both programs, and the structure did not show them equal.
    Untested,
    /// The new code computes something else: a defect of this library. The component.
    Differs(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Carried(seen) => write!(f, "it reads what an earlier invocation left: {seen}"),
            Self::Unstructured => f.write_str("its jumps have no structure"),
            Self::NotWritten(error) => error.fmt(f),
            Self::NotShorter(words) => write!(f, "it would have {words} words"),
            Self::Differs(component) => write!(f, "{component} would differ; please report it"),
            Self::Untested => f.write_str("no proof was found, and no vertex that was tried ends"),
            Self::Inexact => f.write_str("a constant that it needs does not fit in 24 bits"),
            Self::Descriptors => f.write_str("it would need too many operand descriptors"),
        }
    }
}

/// Optimizes the programs of a file, of each of which something is known. The result was compared
/// with the source. A file that stays has the bytes that were given; else its tables stay where
/// they were as far as shorter code allows.
///
/// # Errors
/// A file without a program that can be read.
pub fn optimize(original: &[u8], known: &[Known]) -> transpica::Result<Optimized> {
    let file = &Shbin::parse(original)?;
    let model = Model::from(file);
    let before = model.code.len();
    let sources = sources(file, known)?;
    let keep = |reason: Reason| {
        let programs = vec![Some(reason.clone()); sources.len()];
        let bytes = original.to_vec();
        Ok(Optimized { bytes, before, after: before, kept: Some(reason), programs, is_proven: true })
    };
    let all: Vec<_> = sources.iter().map(|source| source.written(&model)).collect::<Result<_, _>>()?;
    let (written, choice) = match shortest(&model, &sources, &all) {
        Ok(found) => found,
        Err(reason) => return keep(reason),
    };
    let bytes = keep_layout_of(original, &written, true)?.bytes;
    let after = written.code.len();
    match compared(file, &Shbin::parse(&bytes)?, &sources, Effort::default())? {
        Err(reason) => keep(reason),
        Ok(is_proven) => {
            let stays = |(n, result): (usize, Result<Written, Reason>)| match result {
                Err(reason) => Some(reason),
                Ok(written) => (!choice[n]).then_some(Reason::NotShorter(written.code.len())),
            };
            let programs = all.into_iter().enumerate().map(stays).collect();
            Ok(Optimized { bytes, before, after, kept: None, programs, is_proven })
        }
    }
}

/// Writes all programs of a file, whatever their length: the file, and their procedures as text.
/// Nothing is compared.
///
/// # Errors
/// A file without a program that can be read.
pub fn written(file: &Shbin<'_>, known: &[Known]) -> transpica::Result<Result<(Vec<u8>, String), Reason>> {
    let model = Model::from(file);
    let sources = sources(file, known)?;
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
    index: usize,
}

fn sources<'a>(file: &'a Shbin<'a>, known: &[Known]) -> transpica::Result<Vec<Source<'a>>> {
    let one = |index| {
        let known = known.get(index).copied().unwrap_or_default();
        Ok(Source { program: file.program(index)?, known, index })
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
}

impl Source<'_> {
    /// Lifts the program and writes it.
    fn written(&self, model: &Model) -> transpica::Result<Result<Written, Reason>> {
        let mut best: Option<Result<Written, Reason>> = None;
        for known in self.known.parts(self.program.program()) {
            let result = self.written_knowing(&known, model)?;
            let length = |result: &Result<Written, Reason>| {
                result.as_ref().map_or(usize::MAX, |written| written.code.len())
            };
            if best.as_ref().is_none_or(|best| length(&result) < length(best)) {
                best = Some(result);
            }
        }
        Ok(best.unwrap_or(Err(Reason::Unstructured)))
    }

    fn written_knowing(&self, known: &Known, model: &Model) -> transpica::Result<Result<Written, Reason>> {
        let (program, constants) = (self.program.program(), self.program.environment().constants());
        let mut lifted = match lift_program(program, known, &constants, model, self.index)? {
            Ok(lifted) => lifted,
            Err(reason) => return Ok(Err(reason)),
        };
        let emitted = emit(&lifted.module, &lifted.surroundings);
        // Calls take time, so they are for programs that are too long without them.
        let is_too_long = match &emitted {
            Ok(emitted) => emitted.words() >= section::reached(&[program]).len(),
            Err(error) => matches!(error, emit::Error::Limit { .. }),
        };
        let first = emitted.map_err(Reason::NotWritten).and_then(Written::new);
        if is_too_long {
            lifted.surroundings.shares = true;
            let shared = emit(&lifted.module, &lifted.surroundings).map_err(Reason::NotWritten);
            let length = first.as_ref().map_or(usize::MAX, |written| written.code.len());
            if let Ok(shared) = shared.and_then(Written::new)
                && shared.code.len() < length
                && self.is_no_slower(&shared, known, model)?
            {
                return Ok(Ok(shared));
            }
        }
        Ok(first)
    }

    /// Returns whether new code executes no more instructions on any way through the program.
    fn is_no_slower(&self, written: &Written, known: &Known, model: &Model) -> transpica::Result<bool> {
        let own = Model { executables: vec![model.executables[self.index].clone()], ..model.clone() };
        let Some(after) = rewrite(&own, std::slice::from_ref(self), &[Some(written)]) else {
            return Ok(false);
        };
        let limits = Limits::default();
        let [before, after] = [write(&own), write(&after)];
        let before = Opened::new(&Shbin::parse(&before)?, 0, &limits)?;
        let after = Opened::new(&Shbin::parse(&after)?, 0, &limits)?;
        let bools = paths::combinations(paths::tested(&before.program) & !known.control.bools.baked);
        let now = paths::executed(&after, &known.control, &bools)?;
        let ways = paths::executed(&before, &known.control, &bools)?;
        Ok(ways.iter().zip(&now).all(|(before, now)| now.instructions <= before.instructions))
    }
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
        Ok(Self { code: code.code, descriptors, main, constants, text })
    }
}

/// Most programs of which every selection is tried; of more, all and none.
const SELECTED: usize = 8;

/// The shortest file, in which new code stands for some programs, and for which.
fn shortest(
    model: &Model,
    sources: &[Source<'_>],
    all: &[Result<Written, Reason>],
) -> Result<(Model, Vec<bool>), Reason> {
    let numbers: Vec<usize> = (0..all.len()).filter(|&n| all[n].is_ok()).collect();
    let selections = 1u32 << numbers.len().min(SELECTED);
    let mut choices: Vec<(usize, Vec<bool>)> = Vec::new();
    for selection in 0..selections {
        let mut choice = vec![false; all.len()];
        for (place, &n) in numbers.iter().enumerate() {
            choice[n] = selection >> place.min(SELECTED - 1) & 1 != 0;
        }
        let new: usize = numbers
            .iter()
            .filter(|&&n| choice[n])
            .filter_map(|&n| all[n].as_ref().ok())
            .map(|written| written.code.len())
            .sum();
        let stay: Vec<&Program<'_>> = sources
            .iter()
            .zip(&choice)
            .filter(|(_, new)| !**new)
            .map(|(source, _)| source.program.program())
            .collect();
        choices.push((new + section::reached(&stay).len(), choice));
    }
    choices.sort_by_key(|(words, _)| *words);
    let least = choices.iter().find(|(_, choice)| choice.contains(&true));
    let reason = match (least, all.iter().find_map(|result| result.as_ref().err())) {
        (_, Some(reason)) => reason.clone(),
        (Some(&(words, _)), None) => Reason::NotShorter(words),
        (None, None) => Reason::NotShorter(model.code.len()),
    };
    choices.retain(|(words, _)| *words < model.code.len());
    if choices.is_empty() {
        return Err(reason);
    }
    for (_, choice) in choices {
        let parts: Vec<Option<&Written>> =
            all.iter().zip(&choice).map(|(result, &new)| result.as_ref().ok().filter(|_| new)).collect();
        if let Some(model) = rewrite(model, sources, &parts) {
            return Ok((model, choice));
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

/// Compares all programs of two files. Returns whether they are proven equal, or the reason why the
/// new one cannot stand for the old one.
fn compared(
    before: &Shbin<'_>,
    after: &Shbin<'_>,
    sources: &[Source<'_>],
    effort: Effort,
) -> transpica::Result<Result<bool, Reason>> {
    let limits = Limits::default();
    let mut is_proven = true;
    for source in sources {
        let [first, second] = [before, after].map(|file| Opened::new(file, source.index, &limits));
        let (first, second) = (first?, second?);
        let options = Options { control: source.known.control, ..Options::default() };
        let matching = match Matching::new([&first.symbols, &second.symbols], &[]) {
            Ok(matching) => matching,
            Err(fault) => return Ok(Err(Reason::Differs(fault))),
        };
        let comparison = Comparison::new([&first, &second], &matching, options);
        let verdict = compare(&Comparison { effort, ..comparison })?;
        let is_equal = verdict.is_equal();
        match verdict {
            Verdict::Proven { .. } => {}
            Verdict::Sampled { .. } if is_equal => is_proven = false,
            Verdict::Sampled { .. } => return Ok(Err(Reason::Untested)),
            Verdict::Different(found) => {
                let component = found.output.map_or("its end".into(), |output| output.pair.name);
                return Ok(Err(Reason::Differs(component)));
            }
        }
    }
    Ok(Ok(is_proven))
}
