//! The ranges of numbers that `passes::analyze::ranges` finds for values, against the numbers that
//! values have when random programs and modules run: none is outside its range.
//!
//! The test detects an analysis that is too bold: numbers are met that each of some wrong rules
//! would exclude.

use transpica::isa::sizes::FLOATS;
use transpica::settings::Arithmetic;
use transpica::stages::ir::{Binary, Func, Lane, Module, NodeData, Op, ScalarKind, Unary, Value};
use transpica::stages::lift::{self, Context, OutputSelection};
use transpica::stages::passes::analyze::ranges::{Range, Ranges};
use transpica::stages::passes::{Scratch, optimize};
use transpica::stages::precision::arith;
use transpica::stages::{cfg, structure};
use transpica::{Limits, Options, Precision};
use transpica_proof::daily;
use transpica_proof::generate::{Generated, Kind, generate, special_inputs, special_uniforms};
use transpica_proof::ir::{Evaluator, InputValues, Lanes, ModuleInputs, parse};
use transpica_proof::same::Random;

use crate::modules::module;

/// Limit of items per run; runs beyond it are checked as far as they go.
const BUDGET: u64 = 1 << 14;

/// Statistics of the checks.
#[derive(Default)]
struct Count {
    /// Lanes checked, and those of which something was known.
    lanes: usize,
    known: usize,
    /// Lanes that each wrong rule would have excluded.
    excluded: [usize; Rule::ALL.len()],
}

/// A rule that an analysis could have by mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    ProductIsNumber,
    ProductIsFinite,
    SumIsNumber,
    SumIsFinite,
    DotIsNumber,
    MaximumIsNumber,
    ReciprocalIsFinite,
    RootIsNumber,
    ParameterIsItsFirstValue,
}

impl Rule {
    const ALL: [Self; 9] = [
        Self::ProductIsNumber,
        Self::ProductIsFinite,
        Self::SumIsNumber,
        Self::SumIsFinite,
        Self::DotIsNumber,
        Self::MaximumIsNumber,
        Self::ReciprocalIsFinite,
        Self::RootIsNumber,
        Self::ParameterIsItsFirstValue,
    ];

    /// Returns whether the rule says that a lane is not such a number.
    fn excludes(self, checked: &Checked<'_>, lane: Lane, bits: u32) -> bool {
        let op = checked.f.op(lane.value());
        let binary = |wanted| matches!(op, Some(Op::Binary(op, ..)) if op == wanted);
        let unary = |wanted| matches!(op, Some(Op::Unary(op, _)) if op == wanted);
        let number = f32::from_bits(bits);
        match self {
            Self::ProductIsNumber => binary(Binary::MulP) && number.is_nan(),
            Self::ProductIsFinite => binary(Binary::MulP) && number.is_infinite(),
            Self::SumIsNumber => binary(Binary::AddP) && number.is_nan(),
            Self::SumIsFinite => binary(Binary::AddP) && number.is_infinite(),
            Self::DotIsNumber => binary(Binary::DotP) && number.is_nan(),
            Self::MaximumIsNumber => binary(Binary::MaxP) && number.is_nan(),
            Self::ReciprocalIsFinite => unary(Unary::RcpP) && number.is_infinite(),
            Self::RootIsNumber => unary(Unary::RsqP) && number.is_nan(),
            Self::ParameterIsItsFirstValue => {
                let first = checked.inits.iter().find(|(param, _)| *param == lane.value());
                first.is_some_and(|&(_, init)| {
                    let range = checked.ranges.get(checked.f, Lane::new(init, lane.index()));
                    !range.contains(bits)
                })
            }
        }
    }
}

/// A function with its ranges.
struct Checked<'a> {
    f: &'a Func,
    ranges: Ranges<'a>,
    /// Parameters of loops with their first values.
    inits: Vec<(Value, Value)>,
}

impl<'a> Checked<'a> {
    fn new(f: &'a Func, precision: Precision) -> Self {
        let mut ranges = Ranges::new(precision, None);
        ranges.sweep(f);
        let mut pairs = Vec::new();
        for node in f.nodes.values() {
            if let NodeData::Loop { params, inits, .. } = *node {
                pairs.extend(f.get(params).iter().copied().zip(f.get(inits).iter().copied()));
            }
        }
        Self { f, ranges, inits: pairs }
    }

    /// Checks the number of every lane that a run evaluates.
    fn run(&self, module: &Module, precision: Precision, environment: &dyn ModuleInputs, count: &mut Count) {
        let evaluator = Evaluator::new(module).expect("it is well-formed");
        let mut observe = |value: Value, lanes: Lanes| {
            let ty = self.f.ty(value);
            if ty.kind != ScalarKind::F32 {
                return;
            }
            for (index, bits) in (0..ty.lanes).zip(lanes) {
                let lane = Lane::new(value, index);
                let range = self.ranges.get(self.f, lane);
                assert!(range.contains(bits), "{lane} is {bits:#x}, not in {range:?}\n{module}");
                count.lanes += 1;
                count.known += usize::from(range != Range::ALL);
                for (rule, excluded) in Rule::ALL.into_iter().zip(&mut count.excluded) {
                    *excluded += usize::from(rule.excludes(self, lane, bits));
                }
            }
        };
        // A run over the budget was checked as far as it went.
        let _over_budget = evaluator.run_observed(precision, environment, BUDGET, &mut observe);
    }
}

const PRECISIONS: [Precision; 3] = [Precision::Exact, Precision::Fast, Precision::F24];

/// The module of a program after the passes before legalization, if it has a tree.
fn lowered(generated: &Generated, precision: Precision, scratch: &mut Scratch) -> Option<Module> {
    let options =
        Options { arithmetic: Arithmetic { precision, ..Arithmetic::default() }, ..Options::default() };
    let program = generated.program();
    let limits = Limits::default();
    let explored =
        cfg::explore::explore(&program, &options.control.exploration(), &limits).expect("is explored");
    let cfg::explore::Explored::Graph(mut graph) = explored else { return None };
    if cfg::reduce::reduce(&mut graph, &limits) != cfg::reduce::Reduced::Reducible {
        return None;
    }
    let structure::Structured::Tree(tree) = structure::structure(&graph, &limits) else { return None };
    let context = Context {
        program: &program,
        constants: &[None; FLOATS],
        outputs: OutputSelection::Registers,
        geometry: None,
        options: &options,
        hooks: &[],
    };
    let mut module = lift::structured(context, &graph, &tree).expect("is lowered");
    optimize::run(&mut module, &options.arithmetic, scratch);
    Some(module)
}

/// Registers with a program's own numbers, or with special ones.
fn registers(generated: &Generated, precision: Precision, seed: u64) -> Vec<InputValues> {
    let load = |lanes: [f32; 4]| lanes.map(|x| arith::load(precision, x).to_bits());
    let mut all = Vec::new();
    for (inputs, uniforms) in
        [(generated.inputs(2), generated.uniforms()), (special_inputs(seed, 3), special_uniforms(seed))]
    {
        for registers in inputs {
            all.push(InputValues {
                inputs: registers.map(load),
                uniforms: uniforms.floats.iter().copied().map(load).collect(),
                ints: uniforms.ints,
                bools: uniforms.bools,
                ..InputValues::default()
            });
        }
    }
    all
}

/// Lanes are looked at one by one where they differ: beside `x - floor(x)`, which has no integer
/// part, is a difference of two numbers.
#[test]
fn a_sum_beside_a_fraction_has_a_range_of_its_own() {
    let mut count = Count::default();
    for (selection, added) in (0..256).flat_map(|selection| [0.0, 0.5].map(|added| (selection, added))) {
        let lanes = [0, 2, 4, 6].map(|shift| "xyzw".as_bytes()[selection >> shift & 3] as char);
        let [x, y, z, w] = lanes;
        let text = format!(
            "func main {{ %0: f32x4 = input v0 %1: f32x4 = shuffle %0.{x} %0.{y} %0.{z} %0.{w} %2: f32x4 = const {added} {added} {added} {added}
               %3: f32x4 = addp %1 %2 %4: f32x4 = floor %3 %5: f32x4 = neg %4 %6: f32x4 = addp %0 %5 %7: f32x4 = addp %5 %0
               %8: f32x4 = floor %1 %9: f32x4 = neg %8 %10: f32x4 = addp %0 %9 yield %6 %7 %10 }}"
        );
        let module = parse(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
        let checked = Checked::new(&module.main, Precision::Exact);
        for inputs in special_inputs(selection as u64, 4) {
            let inputs = inputs.map(|lanes| lanes.map(f32::to_bits));
            let environment = InputValues { inputs, ..InputValues::default() };
            checked.run(&module, Precision::Exact, &environment, &mut count);
        }
    }
    assert!(count.known > 0);
}

#[test]
fn no_number_is_outside_of_its_range() {
    let mut count = Count::default();
    for seed in 0..daily::cases("random modules for ranges", 400, 10_000) {
        let module = module(seed);
        let precision = PRECISIONS[seed as usize % 3];
        let checked = Checked::new(&module.main, precision);
        for run in 0..3 {
            checked.run(&module, precision, &Random(seed << 32 | run), &mut count);
        }
    }
    let mut scratch = Scratch::default();
    let programs = daily::cases("programs of each kind for ranges", 300, 7_000);
    for kind in Kind::ALL {
        for seed in 0..programs {
            let generated = generate(kind, seed);
            let precision = PRECISIONS[seed as usize % 3];
            let Some(module) = lowered(&generated, precision, &mut scratch) else { continue };
            let checked = Checked::new(&module.main, precision);
            for registers in registers(&generated, precision, seed) {
                checked.run(&module, precision, &registers, &mut count);
            }
        }
    }
    println!(
        "{} lanes, {} of them known, excluded by wrong rules: {:?}",
        count.lanes, count.known, count.excluded
    );
    assert!(count.known * 8 > count.lanes, "too little is known for a test");
    for (rule, excluded) in Rule::ALL.into_iter().zip(count.excluded) {
        assert!(excluded > 0, "{rule:?} would pass");
    }
}
