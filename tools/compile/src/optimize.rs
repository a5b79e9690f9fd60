//! Programs of files, made shorter: lifted, optimized and written again.
//! In: a file and values of uniforms that are known. Out: the file with shorter code, or as it was
//! and the reason. All sums keep their order, so that every bit of every output is the same.
//! Tables, symbols and layout of the file stay. `equal` compares both programs.

use std::fmt;

use crate::cfg::Action;
use crate::ir::{Exit, Func, Lane, Module, Op, ScalarKind, Type};
use crate::lift;
use crate::passes;
use crate::precision::float24;
use crate::translate::{self, ControlFlow};
use transpica::container::{Constant, ConstantValue, Model, ShaderType, write};
use transpica::host::Constants;
use transpica::isa::{Dest, Mask};
use transpica::settings::{Control, IntUniforms};
use transpica::{Limits, Options, Program, Shbin};

use crate::emit::{self, Emitted, Surroundings, emit};
use crate::equal::matching::Matching;
use crate::equal::{Comparison, Opened, Verdict, compare};

/// Knowledge of a program beside its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// Bool and int uniforms with a value: `baked`.
    pub control: Control,
    /// The constants of the file without a symbol never change.
    pub constants: bool,
}

/// A program after optimization.
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
    /// Set if the new program is equal for all inputs, not only on those that were tried.
    pub is_proven: bool,
}

/// The reason for which a program stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The file has several executables, which share their code.
    Shared,
    /// The program is for the geometry unit.
    Geometry,
    /// Its control flow has no structure.
    Unstructured,
    /// The back end cannot write it.
    NotWritten(emit::Error),
    /// The new code is not shorter: its words.
    NotShorter(usize),
    /// A constant needs more bits than files have.
    Inexact,
    /// The new code computes something else: a defect of this library. The component.
    Differs(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shared => f.write_str("its executables share code"),
            Self::Geometry => f.write_str("geometry programs are not compiled yet"),
            Self::Unstructured => f.write_str("its jumps have no structure"),
            Self::NotWritten(error) => error.fmt(f),
            Self::NotShorter(words) => write!(f, "it would have {words} words"),
            Self::Differs(component) => write!(f, "{component} would differ; please report it"),
            Self::Inexact => f.write_str("a constant that it needs does not fit in 24 bits"),
        }
    }
}

/// Optimizes the program of a file. The result was compared with the source.
///
/// # Errors
/// A file without a program that can be read.
pub fn optimize(file: &Shbin<'_>, known: &Known) -> transpica::Result<Optimized> {
    let model = Model::from(file);
    let before = model.code.len();
    let keep = |reason| {
        let (bytes, kept) = (write(&model), Some(reason));
        Ok(Optimized { bytes, before, after: before, kept, is_proven: true })
    };
    let (bytes, _) = match written(file, known)? {
        Ok(written) => written,
        Err(reason) => return keep(reason),
    };
    let rewritten = Shbin::parse(&bytes)?;
    let after = rewritten.package.code.len();
    if after >= before {
        return keep(Reason::NotShorter(after));
    }
    let limits = Limits::default();
    let (first, second) = (Opened::new(file, 0, &limits)?, Opened::new(&rewritten, 0, &limits)?);
    let options = Options { control: known.control, ..Options::default() };
    let matching = match Matching::new([&first.symbols, &second.symbols], &[]) {
        Ok(matching) => matching,
        Err(fault) => return keep(Reason::Differs(fault)),
    };
    let is_proven = match compare(&Comparison::new([&first, &second], &matching, options))? {
        Verdict::Proven { .. } => true,
        Verdict::Sampled { .. } => false,
        Verdict::Different(found) => {
            let name = found.output.map_or("its end".into(), |output| output.pair.name);
            return keep(Reason::Differs(name));
        }
    };
    Ok(Optimized { bytes, before, after, kept: None, is_proven })
}

/// Lifts the program of a file and writes it, whatever its length: the file, and its procedures as
/// text. Nothing is compared.
///
/// # Errors
/// A file without a program that can be read.
pub fn written(file: &Shbin<'_>, known: &Known) -> transpica::Result<Result<Written, Reason>> {
    let model = Model::from(file);
    if file.executables.len() != 1 {
        return Ok(Err(Reason::Shared));
    }
    if file.executables[0].header.shader_type() == Some(ShaderType::Geometry) {
        return Ok(Err(Reason::Geometry));
    }
    let mut best = write_program(file, known, &model)?;
    // What is known need not help: constants that were merged may find no register, and the
    // machine counts no loop without its int uniform.
    let control = Control { ints: IntUniforms::default(), ..known.control };
    for less in [Known { control, ..*known }, Known { control, constants: false }] {
        if less != *known {
            let other = write_program(file, &less, &model)?;
            let words = |result: &Result<Written, Reason>| {
                let file = result.as_ref().ok().and_then(|written| Shbin::parse(&written.0).ok());
                file.map_or(usize::MAX, |file| file.package.code.len())
            };
            if words(&other) < words(&best) {
                best = other;
            }
        }
    }
    Ok(best)
}

/// A file, and the procedures of its program as text.
type Written = (Vec<u8>, String);

fn write_program(
    file: &Shbin<'_>,
    known: &Known,
    model: &Model,
) -> transpica::Result<Result<Written, Reason>> {
    let source = file.program(0)?;
    let mut lifted = match lift_program(source.program(), known, &source.environment().constants(), model)? {
        Ok(lifted) => lifted,
        Err(reason) => return Ok(Err(reason)),
    };
    let mut emitted = emit(&lifted.module, &lifted.surroundings);
    // Calls take time, so they are for programs that are too long without them.
    if emitted.as_ref().is_ok_and(|emitted| emitted.words() >= model.code.len())
        || matches!(emitted, Err(emit::Error::Limit { .. }))
    {
        lifted.surroundings.shares = true;
        let shared = emit(&lifted.module, &lifted.surroundings);
        let words =
            |emitted: &Result<Emitted, emit::Error>| emitted.as_ref().map_or(usize::MAX, Emitted::words);
        if words(&shared) < words(&emitted) {
            emitted = shared;
        }
    }
    let emitted = match emitted {
        Ok(emitted) => emitted,
        Err(error) => return Ok(Err(Reason::NotWritten(error))),
    };
    Ok(rewrite(model, &emitted).map(|model| (write(&model), emitted.text)))
}

/// A program in the intermediate form, with what surrounds it.
struct Lifted {
    module: Module,
    surroundings: Surroundings,
}

/// Lifts a program and optimizes it.
fn lift_program(
    program: &Program<'_>,
    known: &Known,
    constants: &Constants,
    model: &Model,
) -> transpica::Result<Result<Lifted, Reason>> {
    let options = Options { control: known.control, ..Options::default() };
    let ControlFlow::Tree(cfg, tree, translate::Tier::Structured) = translate::control(program, &options)?
    else {
        return Ok(Err(Reason::Unstructured));
    };
    let mut written = [Mask::NONE; 16];
    for pc in cfg.actions.iter().filter_map(Action::pc) {
        if let Some((Dest::Output(register), mask)) = program.destination(pc) {
            written[usize::from(register & 15)].0 |= mask.0;
        }
    }
    let folded = if known.constants { unnamed(constants, model) } else { Constants::NONE };
    let context = lift::Context {
        program,
        constants: &folded.floats,
        outputs: lift::OutputSelection::Registers,
        geometry: None,
        options: &options,
        hooks: &[],
    };
    let mut module = lift::structured(context, &cfg, &tree)?;
    let Some(outputs) = restrict(&mut module.main, &written) else { return Ok(Err(Reason::Unstructured)) };
    passes::optimize::run(&mut module, &options.arithmetic, &mut passes::Scratch::default());
    let offsets = passes::analyze::offsets::run(&module.main, &options.arithmetic, &folded.floats);
    let usage = passes::analyze::usage::run(&module.main, &offsets);
    let present = (0..).zip(folded.floats).filter_map(|(register, value)| Some((register, value?))).collect();
    let free = !(usage.floats | usage.relative | taken(model));
    Ok(Ok(Lifted {
        module,
        surroundings: Surroundings { outputs, free, present, shares: false, is_exact: true },
    }))
}

/// Makes a function yield what a program writes of its outputs, alone.
fn restrict(f: &mut Func, written: &[Mask; 16]) -> Option<Vec<(u8, Mask)>> {
    let body = f.body?;
    let Exit::Yield(list) = f.regions[body].exit else { return None };
    let registers = f.get(list).to_vec();
    let mut outputs = Vec::new();
    let mut values = Vec::new();
    for (number, (value, &mask)) in (0u8..).zip(registers.into_iter().zip(written)) {
        let lanes: Vec<Lane> = mask.iter().map(|component| Lane::new(value, component as u8)).collect();
        let Some(&first) = lanes.first() else { continue };
        let all = std::array::from_fn(|n| lanes.get(n).copied().unwrap_or(first));
        let ty = Type::new(ScalarKind::F32, lanes.len() as u8); // Range: at most four.
        values.push(f.emit(body, ty, Op::Shuffle(all)));
        outputs.push((number, mask));
    }
    f.regions[body].exit = Exit::Yield(f.list(values));
    Some(outputs)
}

/// The float constants of registers without a symbol.
fn unnamed(constants: &Constants, model: &Model) -> Constants {
    let named = named(model);
    let mut unnamed = Constants { floats: constants.floats, ..Constants::NONE };
    for (register, value) in unnamed.floats.iter_mut().enumerate() {
        if named >> register & 1 != 0 {
            *value = None;
        }
    }
    unnamed
}

/// Mask of the float uniforms that symbols name.
fn named(model: &Model) -> u128 {
    let ranges = model
        .executables
        .iter()
        .flat_map(|executable| &executable.symbols)
        .filter_map(|symbol| symbol.range());
    let floats = ranges.filter(|range| range.bank == transpica::container::SymbolBank::Float);
    floats.fold(0, |mask, range| mask | ((1 << range.count) - 1) << range.first)
}

/// Mask of the float uniforms that symbols or constants have, and of those that do not exist.
fn taken(model: &Model) -> u128 {
    let constants = model.executables.iter().flat_map(|executable| &executable.constants);
    let floats = constants.filter_map(|constant| match constant.value() {
        Some(ConstantValue::Float { register, .. }) => Some(1u128 << register),
        _other => None,
    });
    floats.fold(named(model) | u128::MAX << 96, |mask, bit| mask | bit)
}

/// The file with the code of a program.
fn rewrite(model: &Model, emitted: &Emitted) -> Result<Model, Reason> {
    let mut rewritten = model.clone();
    rewritten.code.clone_from(&emitted.code.code);
    rewritten.descriptors.clone_from(&emitted.code.descriptors);
    (rewritten.lines, rewritten.names) = Default::default();
    for executable in &mut rewritten.executables {
        let Some(written) = emitted.code.executables.first() else { continue };
        (executable.header.main, executable.header.endmain) = (written.header.main, written.header.endmain);
        executable.labels.clear();
        for &(register, value) in &emitted.constants {
            let value = value.map(|bits| (bits, float24::from_f32_bits(bits)));
            if value.iter().any(|&(bits, stored)| float24::to_f32_bits(stored) != bits) {
                return Err(Reason::Inexact);
            }
            let value = value.map(|(_, stored)| stored);
            executable.constants.push(Constant::new(ConstantValue::Float { register, value }));
        }
    }
    Ok(rewritten)
}
