//! Programs of files in the intermediate form, as the back end takes them.
//! In: a program and its file, what is known. Out: a module that yields or sends what the program
//! writes of its outputs, alone, and the uniforms that are free for constants.

use crate::cfg::{Action, Cfg};
use std::collections::BTreeSet;

use crate::geometry::{Observation, StateItem, StateWord, observe};
use crate::ir::{Exit, Func, Lane, Module, Op, ScalarKind, Type, Unary, Value};
use crate::lift::{self, Context, Form, Geometry, OutputSelection};
use crate::passes;
use crate::translate::{self, ControlFlow};
use transpica::container::{ConstantValue, Executable, Model, SymbolBank};
use transpica::host::Constants;
use transpica::isa::{Dest, Mask};
use transpica::{Options, Program, Stage};

use super::{Known, Reason};
use crate::emit::{Carried, Surroundings, unroll};
use crate::equal::sent::{self, Vector};

/// A program in the intermediate form, with what surrounds it.
pub(super) struct Lifted {
    pub module: Module,
    pub surroundings: Surroundings,
}

/// Lifts a program and optimizes it. `index` is the number of its executable in the model.
pub(super) fn lift_program(
    program: &Program<'_>,
    known: &Known,
    constants: &Constants,
    model: &Model,
    index: usize,
) -> transpica::Result<Result<Lifted, Reason>> {
    let options = Options { control: known.control, ..Options::default() };
    let ControlFlow::Tree(cfg, tree, translate::Tier::Structured) = translate::control(program, &options)?
    else {
        return Ok(Err(Reason::Unstructured));
    };
    let written = written(program, &cfg, &model.executables[index]);
    let folded = if known.constants { unnamed(constants, model) } else { Constants::NONE };
    let setup = sent::setup();
    let observations = observe(program, &cfg, &written);
    let state = translate::state_words(&observations, &[], &options);
    let geometry = Geometry { setup: &setup, state: &state, form: Form::Unit };
    let (outputs, geometry) = match program.stage() {
        Stage::Vertex => (OutputSelection::Registers, None),
        Stage::Geometry => (OutputSelection::Semantics(&[]), Some(geometry)),
    };
    let context =
        Context { program, constants: &folded.floats, outputs, geometry, options: &options, hooks: &[] };
    let lifted = lift::structured(context, &cfg, &tree)?;
    let (mut scratch, mut words) = (passes::Scratch::default(), BTreeSet::new());
    let (mut module, outputs) = loop {
        let mut module = lifted.clone();
        let outputs = match program.stage() {
            Stage::Vertex => restrict(&mut module.main, &written),
            Stage::Geometry => restrict_sent(&mut module.main, &written, &words),
        };
        let Some(outputs) = outputs else { return Ok(Err(Reason::Unstructured)) };
        passes::optimize::run(&mut module, &options.arithmetic, &mut scratch);
        // The machine counts no loop without an int uniform.
        if unroll::run(&mut module.main) {
            passes::optimize::run(&mut module, &options.arithmetic, &mut scratch);
        }
        let known = words.len();
        words.extend(sent::read(&module.main));
        // What later invocations read may need more of what earlier ones left.
        if words.len() == known {
            break (module, outputs);
        }
    };
    let carried = match carried(&words, &state, &observations) {
        Ok(carried) => carried,
        Err(reason) => return Ok(Err(reason)),
    };
    if program.stage() == Stage::Geometry {
        yield_state(&mut module.main);
    }
    let offsets = passes::analyze::offsets::run(&module.main, &options.arithmetic, &folded.floats);
    let usage = passes::analyze::usage::run(&module.main, &offsets);
    let present = (0..).zip(folded.floats).filter_map(|(register, value)| Some((register, value?))).collect();
    let free = !(usage.floats | usage.relative | taken(model));
    let surroundings = Surroundings { outputs, carried, free, present, shares: false, is_exact: true };
    Ok(Ok(Lifted { module, surroundings }))
}

/// The temporaries of words of state, or the reason why they are elsewhere.
fn carried(
    words: &BTreeSet<usize>,
    state: &[StateWord],
    observations: &[Observation],
) -> Result<Vec<Carried>, Reason> {
    let place = |(word, item): (usize, StateItem)| {
        let StateItem::Temp { register, component } = item else {
            // The other bank may be the one that was seen.
            let seen = observations.iter().find(|seen| seen.item == item).or(observations.first());
            return Err(seen.map_or(Reason::Unstructured, |&seen| Reason::Carried(seen)));
        };
        Ok((word as u32, (register, component as u8))) // Range: at most 64 temporaries.
    };
    words.iter().filter_map(|&word| Some((word, state.get(word)?.item))).map(place).collect()
}

/// The components of o0..o15 that a program may write; of a geometry program, those that its table
/// names, if it has one.
fn written(program: &Program<'_>, cfg: &Cfg, executable: &Executable) -> [Mask; 16] {
    let mut written = [Mask::NONE; 16];
    for pc in cfg.actions.iter().filter_map(Action::pc) {
        if let Some((Dest::Output(register), mask)) = program.destination(pc) {
            written[usize::from(register & 15)].0 |= mask.0;
        }
    }
    if program.stage() == Stage::Geometry && !executable.outputs.is_empty() {
        for (register, mask) in (0u16..).zip(&mut written) {
            let rows = executable.outputs.iter().filter(|row| row.register == register);
            mask.0 &= rows.fold(0, |all, row| all | (row.mask & 15) as u8); // Range: four bits.
        }
    }
    written
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

/// Makes a function send what a program writes of its outputs, alone.
fn restrict_sent(f: &mut Func, sent: &[Mask; 16], words: &BTreeSet<usize>) -> Option<Vec<(u8, Mask)>> {
    let outputs: Vec<(u8, Mask)> = (0..).zip(*sent).filter(|(_, mask)| *mask != Mask::NONE).collect();
    let vector = |&(register, mask): &(u8, Mask)| {
        let place = |n: usize| (mask.0 >> n & 1 != 0).then_some((usize::from(register), n));
        [0, 1, 2, 3].map(place)
    };
    let vectors: Vec<Vector> = outputs.iter().map(vector).collect();
    if !sent::restrict(f, &vectors, words) {
        return None;
    }
    change_yields(f, |f, values| {
        let float = |value: Value| match f.op(value) {
            Some(Op::Unary(Unary::ToBits, float)) => float,
            _other => value,
        };
        values.into_iter().map(float).collect()
    });
    Some(outputs)
}

/// Makes a function yield what it carries over alone: the number of vertices only kept their order.
fn yield_state(f: &mut Func) {
    change_yields(f, |_, values| values.into_iter().skip(1).collect());
}

fn change_yields(f: &mut Func, change: impl FnOnce(&Func, Vec<Value>) -> Vec<Value>) {
    let Some(body) = f.body else { return };
    let values = change(f, f.get(f.regions[body].exit.list()).to_vec());
    f.regions[body].exit = Exit::Yield(f.list(values));
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
    let floats = ranges.filter(|range| range.bank == SymbolBank::Float);
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
