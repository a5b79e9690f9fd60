//! Mutants: deliberate translation errors, to show that the comparisons detect them.
//! In: a program, its control flow or its module between two stages of the translation. Out: the
//! same with an error, as if the previous stage had made it. The library itself contains none of
//! them.

use transpica::host::{Constants, Environment, Interface};
use transpica::isa::control::{Effect, Test};
use transpica::isa::sizes::FLOATS;
use transpica::isa::word::{Field, Word};
use transpica::isa::{ConditionOp, Opcode};
use transpica::stages::cfg::{Action, Cfg};
use transpica::stages::ir::{Binary, Def, Func, Item, Lane, Module, Op, Type, Unary, Value};
use transpica::stages::lift;
use transpica::stages::passes::{self, Scratch};
use transpica::stages::structure::tree::{Cond, Stmt, Tree};
use transpica::stages::translate::{self, ControlFlow};
use transpica::{Job, Options, Precision, Program, Result, Translation, Translator};

use crate::chain;

/// A deliberate error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mutant {
    /// DPH multiplies the fourth components too.
    DphAsDp4,
    /// Leaving an inner LOOP keeps its aL.
    CounterKept,
    /// LOOP runs one iteration more.
    LoopOnceMore,
    /// The else part of an IF does nothing.
    ElseSkipped,
    /// MIN returns the first operand if one is NaN.
    MinOfNan,
    /// inf · 0 is NaN.
    PlainProduct,
    /// NaN · 0 is 0.
    NanForgotten,
    /// Relative reads do not wrap at 128.
    IndexUnwrapped,
    /// MOVA rounds down.
    AddressFloor,
    /// SLT holds for equal operands.
    SltOfEqual,
    /// CMP swaps its two comparisons.
    CompareSwapped,
    /// A condition on both flags tests for either.
    EitherFlag,
    /// A shuffle merged from two takes the wrong first lane.
    ShuffleFirst,
}

/// Stage of the translation at which a mutant acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The words of the program, before lowering.
    Program,
    /// The graph and the tree, before lowering.
    Control,
    /// The module lowered from a tree.
    Lowered,
    /// The first pass of the optimizer.
    Optimizer,
    /// The input of legalization.
    Legalization,
    /// The legalized module.
    Legal,
}

impl Mutant {
    /// All mutants.
    pub const ALL: [Self; 13] = [
        Self::DphAsDp4,
        Self::CounterKept,
        Self::LoopOnceMore,
        Self::ElseSkipped,
        Self::MinOfNan,
        Self::PlainProduct,
        Self::NanForgotten,
        Self::IndexUnwrapped,
        Self::AddressFloor,
        Self::SltOfEqual,
        Self::CompareSwapped,
        Self::EitherFlag,
        Self::ShuffleFirst,
    ];

    /// Returns the stage at which it acts.
    pub fn place(self) -> Place {
        match self {
            Self::DphAsDp4 | Self::CompareSwapped => Place::Program,
            Self::CounterKept | Self::ElseSkipped | Self::EitherFlag => Place::Control,
            Self::LoopOnceMore => Place::Lowered,
            Self::ShuffleFirst => Place::Optimizer,
            Self::MinOfNan | Self::AddressFloor | Self::SltOfEqual => Place::Legalization,
            Self::PlainProduct | Self::NanForgotten | Self::IndexUnwrapped => Place::Legal,
        }
    }

    /// Returns the program with the error, which is translated instead.
    pub fn program(self, program: &Program<'_>) -> Program<'static> {
        let word = |word: &u32| self.word(Word(*word)).0;
        let code: Vec<u32> = program.code().iter().map(word).collect();
        let descriptors = program.descriptors().to_vec();
        Program::from_raw(code, descriptors, program.entry(), program.stage())
            .expect("as many words with the same entry")
    }

    fn word(self, word: Word) -> Word {
        match (self, word.opcode()) {
            // The inverted form has no counterpart.
            (Self::DphAsDp4, Some(Opcode::Dph)) => {
                let code = Opcode::Dp4.code();
                Word(word.0 & u32::MAX >> 6 | u32::from(code) << 26)
            }
            (Self::CompareSwapped, Some(Opcode::Cmp)) => {
                let get = |field| word.get(field).unwrap_or(0);
                let (x, y) = (get(Field::CompareX), get(Field::CompareY));
                word.with(Field::CompareX, y).with(Field::CompareY, x)
            }
            _other_words_stay => word,
        }
    }

    /// Adds the error to a graph and its tree.
    pub fn control(self, cfg: &mut Cfg, tree: &mut Tree) {
        if self == Self::CounterKept {
            keep_counters(cfg);
        }
        let mut parts = Vec::new();
        for stmt in tree.all_mut() {
            let Stmt::If { cond, otherwise, .. } = stmt else { continue };
            if self == Self::ElseSkipped {
                parts.push(*otherwise);
            }
            if self == Self::EitherFlag
                && let Cond::Test(Test::Cmp(condition)) = cond
                && condition.op == ConditionOp::And
            {
                condition.op = ConditionOp::Or;
            }
        }
        parts.into_iter().for_each(|list| tree.clear(list));
    }

    /// Adds the error to a module if this is its stage.
    pub fn module(self, place: Place, module: &mut Module) {
        if place == self.place() {
            module.functions_mut().for_each(|f| self.function(f));
        }
    }

    /// Adds the error to the first pass of the optimizer if this is its stage.
    pub fn optimizer(self, module: &mut Module, precision: Precision, scratch: &mut Scratch) {
        if self.place() == Place::Optimizer {
            for f in module.functions_mut() {
                let before = f.clone();
                passes::optimize::simplify::run(f, precision, &mut scratch.tables);
                take_first_lanes(&before, f);
            }
        }
    }

    fn function(self, f: &mut Func) {
        for value in f.values.keys() {
            let Def::Op(op) = f.values[value].def else { continue };
            if let Some(op) = self.operation(f, value, op) {
                f.values[value].def = Def::Op(op);
            }
        }
    }

    /// Returns the wrong operation that replaces an operation.
    fn operation(self, f: &mut Func, value: Value, op: Op) -> Option<Op> {
        Some(match (self, op) {
            (Self::LoopOnceMore, Op::Binary(Binary::IGreater, left, end)) if is_int(f, end, 0) => {
                Op::Binary(Binary::IGreater, left, before(f, value, Type::I32, int(-1)))
            }
            (Self::MinOfNan, Op::Binary(Binary::MinP, a, b)) => Op::Binary(Binary::MinP, b, a),
            // b ≥ a
            (Self::SltOfEqual, Op::Binary(Binary::SltP, a, b)) => Op::Binary(Binary::SgeP, b, a),
            (Self::AddressFloor, Op::Unary(Unary::AddressP, a)) => {
                let ty = f.ty(a);
                Op::Unary(Unary::AddressP, before(f, value, ty, Op::Unary(Unary::Floor, a)))
            }
            // The product's guard, which selects 0 for what meets a zero.
            (Self::PlainProduct, Op::Binary(Binary::Mul, a, b)) => match [a, b].map(|factor| f.op(factor)) {
                [Some(Op::Select { b: first, .. }), Some(Op::Select { b: second, .. })] => {
                    Op::Binary(Binary::Mul, first, second)
                }
                _no_guard => return None,
            },
            // False for every number, which no analysis of constants knows.
            (Self::NanForgotten, Op::Unary(Unary::IsNan, a)) => Op::Binary(Binary::Less, a, a),
            (Self::IndexUnwrapped, Op::Binary(Binary::IAnd, sum, mask)) if is_int(f, mask, 0x7F) => {
                Op::Binary(Binary::IAnd, sum, before(f, value, Type::I32, int(0xFF)))
            }
            _others_stay => return None,
        })
    }
}

/// Drops the actions that restore the outer loop's aL.
fn keep_counters(cfg: &mut Cfg) {
    let mut actions = Vec::with_capacity(cfg.actions.len());
    for block in cfg.blocks.keys() {
        let start = actions.len() as u32;
        let is_kept = |action: &&Action| !matches!(action, Action::Loop(Effect::RestoreCounter { .. }));
        actions.extend(cfg.actions_of(block).iter().filter(is_kept));
        cfg.blocks[block].actions = start..actions.len() as u32;
    }
    cfg.actions = actions;
}

/// Takes the first lane in each shuffle that a pass changed, as merging two shuffles does.
fn take_first_lanes(before: &Func, after: &mut Func) {
    for value in before.values.keys() {
        let (Some(Op::Shuffle(old)), Some(Op::Shuffle(mut lanes))) = (before.op(value), after.op(value))
        else {
            continue;
        };
        for (lane, old) in lanes.iter_mut().zip(old) {
            if lane.index() != old.index() {
                *lane = Lane::new(lane.value(), 0);
            }
        }
        after.values[value].def = Def::Op(Op::Shuffle(lanes));
    }
}

fn int(value: i32) -> Op {
    Op::Const([value.cast_unsigned(), 0, 0, 0])
}

fn is_int(f: &Func, value: Value, wanted: i32) -> bool {
    f.op(value) == Some(int(wanted)) && f.ty(value) == Type::I32
}

/// Inserts an operation before the one that computes a value.
fn before(f: &mut Func, value: Value, ty: Type, op: Op) -> Value {
    let new = f.value(ty, Def::Op(op));
    for region in f.regions.values_mut() {
        if let Some(index) = region.items.iter().position(|item| *item == Item::Let(value)) {
            region.items.insert(index, Item::Let(new));
        }
    }
    new
}

/// Translates a program for the compute entry with a mutant. The layout must consist of registers.
///
/// # Errors
/// As [`Translator::translate`].
pub fn translate(
    translator: &mut Translator,
    program: &Program<'_>,
    environment: &dyn Environment,
    mutant: Mutant,
) -> Result<Translation> {
    let mut right = translator.translate(program, environment, Job::Compute)?;
    let options: Options = *translator.options();
    let wrong = mutant.program(program);
    let context = chain::context(&wrong, &options);
    let mut module = match translate::control(program, &options)? {
        ControlFlow::Tree(mut cfg, mut tree, _) => {
            mutant.control(&mut cfg, &mut tree);
            let mut module = lift::structured(context, &cfg, &tree)?;
            mutant.module(Place::Lowered, &mut module);
            module
        }
        ControlFlow::Code => lift::dispatched(context)?,
    };
    let mut scratch = Scratch::default();
    mutant.optimizer(&mut module, options.arithmetic.precision, &mut scratch);
    passes::optimize::run(&mut module, &options.arithmetic, &mut scratch);
    let offsets = passes::analyze::offsets::run(&module.main, &options.arithmetic, &[None; FLOATS]);
    let usage = passes::analyze::usage::run(&module.main, &offsets);
    let Interface { outputs, entry_point, .. } = right.interface;
    let known = environment.interface(&usage, &options)?;
    let interface = Interface::new(known, outputs, entry_point, options, Constants::NONE);
    mutant.module(Place::Legalization, &mut module);
    chain::legalize(&mut module, &options, &interface.block);
    mutant.module(Place::Legal, &mut module);
    passes::optimize::tidy(&mut module, &mut scratch);
    passes::drivers::leave::run(&mut module.main, &module.helpers, &mut scratch);
    (right.module, right.interface, right.usage) = (module, interface, usage);
    Ok(right)
}

#[cfg(test)]
mod tests {
    use crate::generate::{Kind, generate};
    use transpica::Profile;

    use super::*;
    use crate::unnamed::Unnamed;

    /// Without an error, the stages used here produce the library's translation.
    #[test]
    fn stages_without_a_mutant_are_the_translation() {
        let mut translator = Translator::new(chain::options(Precision::Exact), Profile::default());
        for seed in 0..20 {
            let generated = generate(Kind::Numeric, seed);
            let program = generated.program();
            let right =
                translator.translate(&program, &Unnamed::default(), Job::Compute).expect("translates");
            // A straight program has no loop, so this mutant changes nothing.
            let same = translate(&mut translator, &program, &Unnamed::default(), Mutant::CounterKept)
                .expect("translates");
            assert_eq!(same.module, right.module, "seed {seed}");
        }
    }
}
