//! Licenses of a driver by the letter of Vulkan, operation by operation.
//! In: the declarations and decorations of a module, a seed. Out: a permitted result of each
//! operation, another one with each seed. Knows no instruction.
//! Facts: Vulkan 1.4, appendix "Vulkan environment for SPIR-V", "Precision and Operation of SPIR-V
//! Instructions". Each operation chooses anew; real drivers are more regular.

use std::collections::BTreeSet;

use rspirv::dr;
use rspirv::spirv::{Decoration, ExecutionMode, FPFastMathMode, Op, Word};
use transpica::settings::FloatControls;
use transpica::stages::precision::arith;

use crate::same::scatter;

/// Whose rules an operation follows.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Instructions that the declarations bind.
    Core,
    /// OpFDiv: subnormal numbers may be flushed in spite of a declaration.
    Quotient,
    /// Minima and maxima of GLSL.std.450: the declaration of subnormal numbers binds them.
    Choice,
    /// Others of GLSL.std.450: no declaration binds them.
    Extended,
}

/// The driver of a run.
pub struct Licenses {
    /// Declarations of the module.
    declared: FloatControls,
    /// The default mode of float operations, which binds those of GLSL.std.450 too.
    default_mode: Option<FPFastMathMode>,
    /// Results with NoContraction.
    marked: BTreeSet<Word>,
    /// `None` for a driver that takes no license.
    random: Option<u64>,
}

impl Licenses {
    /// A driver that computes as IEEE 754 does.
    #[must_use]
    pub fn none() -> Self {
        Self { declared: FloatControls::ALL, default_mode: None, marked: BTreeSet::new(), random: None }
    }

    /// A driver that takes every license that a module leaves, by seed.
    #[must_use]
    pub fn of(module: &dr::Module, seed: u64) -> Self {
        let has = |mode| {
            let is_it = |one: &dr::Instruction| one.operands.contains(&dr::Operand::ExecutionMode(mode));
            module.execution_modes.iter().any(is_it)
        };
        let default_mode = default_mode(module);
        let declared = FloatControls {
            nan: has(ExecutionMode::SignedZeroInfNanPreserve)
                || default_mode.is_some_and(|mode| !mode.intersects(SPECIAL)),
            subnormals: has(ExecutionMode::DenormPreserve),
            rounding: has(ExecutionMode::RoundingModeRTE),
        };
        let is_mark = |one: &&dr::Instruction| {
            one.class.opcode == Op::Decorate
                && one.operands[1] == dr::Operand::Decoration(Decoration::NoContraction)
        };
        let marks = module.annotations.iter().filter(is_mark);
        let marked = marks.filter_map(|one| one.operands[0].id_ref_any()).collect();
        Self { declared, default_mode, marked, random: Some(scatter(seed)) }
    }

    fn takes(&mut self) -> bool {
        self.random.is_some() && self.below(2) == 0
    }

    fn below(&mut self, limit: u64) -> u64 {
        let Some(random) = &mut self.random else { return 0 };
        *random = random.wrapping_add(1);
        scatter(*random) % limit
    }

    /// Any number at all.
    fn any(&mut self) -> f32 {
        const SOME: [f32; 8] = [0.0, -0.0, 1.0, -1.0, f32::MAX, f32::INFINITY, f32::NEG_INFINITY, f32::NAN];
        let random = self.below(1 << 32) as u32;
        SOME.get(self.below(12) as usize).copied().unwrap_or(f32::from_bits(random))
    }

    fn keeps_nan(&self, kind: Kind) -> bool {
        self.declared.nan && (self.default_mode.is_some() || !matches!(kind, Kind::Choice | Kind::Extended))
    }

    fn keeps_subnormals(&self, kind: Kind) -> bool {
        self.declared.subnormals && matches!(kind, Kind::Core | Kind::Choice)
    }

    /// An operand as an operation may take it.
    pub(super) fn operand(&mut self, bits: u32, kind: Kind) -> f32 {
        let x = f32::from_bits(bits);
        if !x.is_finite() && !self.keeps_nan(kind) && self.takes() {
            return self.any();
        }
        let flushes = x.is_subnormal() && !self.keeps_subnormals(kind);
        if flushes && self.takes() { 0f32.copysign(x) } else { x }
    }

    /// A result: the nearest number, and the sign of what it exceeds the exact result by, which has
    /// a magnitude.
    fn result(&mut self, nearest: f32, excess: f64, magnitude: f64, kind: Kind) -> u32 {
        let mut result = nearest;
        if excess != 0.0 && !self.declared.rounding && self.takes() {
            result = if excess > 0.0 { nearest.next_down() } else { nearest.next_up() };
        }
        let is_subnormal = magnitude != 0.0 && magnitude < f64::from(f32::MIN_POSITIVE);
        if is_subnormal && !self.keeps_subnormals(kind) && self.takes() {
            result = 0f32.copysign(result);
        }
        self.moved_as(result.to_bits(), kind)
    }

    /// A number that an operation passes on.
    fn moved_as(&mut self, bits: u32, kind: Kind) -> u32 {
        let is_free = !f32::from_bits(bits).is_finite() && !self.keeps_nan(kind);
        if is_free && self.takes() { self.any().to_bits() } else { bits }
    }

    /// A float that is loaded, selected or cast.
    pub(super) fn moved(&mut self, bits: u32) -> u32 {
        self.moved_as(bits, Kind::Core)
    }

    /// A float that comes from outside.
    pub(super) fn input(&mut self, bits: u32) -> u32 {
        let x = f32::from_bits(bits);
        let flushes = x.is_subnormal() && !self.declared.subnormals;
        if flushes && self.takes() { 0f32.copysign(x).to_bits() } else { self.moved(bits) }
    }

    /// A sum or a product that may be fused with another one: any neighbor stands for that.
    fn fused(&mut self, bits: u32, id: Word) -> u32 {
        let may_fuse = match self.default_mode {
            Some(mode) => mode.contains(FPFastMathMode::ALLOW_CONTRACT),
            None => !self.marked.contains(&id),
        };
        if !may_fuse || !self.takes() {
            return bits;
        }
        let x = f32::from_bits(bits);
        if self.takes() { x.next_up() } else { x.next_down() }.to_bits()
    }

    pub(super) fn sum(&mut self, [a, b]: [u32; 2], id: Word) -> u32 {
        let [a, b] = [a, b].map(|bits| self.operand(bits, Kind::Core));
        // The error of the f64 sum is exact, too.
        let (x, y) = (f64::from(a), f64::from(b));
        let sum = x + y;
        let back = sum - x;
        let rest = (x - (sum - back)) + (y - back);
        let nearest = a + b;
        let excess = if sum.is_finite() { (f64::from(nearest) - sum) - rest } else { 0.0 };
        let bits = self.result(nearest, excess, sum.abs(), Kind::Core);
        self.fused(bits, id)
    }

    pub(super) fn product(&mut self, [a, b]: [u32; 2], id: Word) -> u32 {
        let [a, b] = [a, b].map(|bits| self.operand(bits, Kind::Core));
        let product = f64::from(a) * f64::from(b);
        let excess = if product.is_finite() { f64::from(a * b) - product } else { 0.0 };
        let bits = self.result(a * b, excess, product.abs(), Kind::Core);
        self.fused(bits, id)
    }

    /// A result within some units in the last place.
    fn within(&mut self, exact: f64, ulp: f64, kind: Kind) -> u32 {
        let nearest = exact as f32;
        let steps = self.below(2 * ulp as u64 + 2) as i32 - ulp as i32 - 1;
        let moved =
            (0..steps.abs()).fold(nearest, |x, _| if steps > 0 { x.next_up() } else { x.next_down() });
        // The least distance of two numbers around it: below a power of two the smaller one.
        let unit = (f64::from((exact.abs() as f32).next_up()) - f64::from(exact.abs() as f32))
            .min(f64::from(exact.abs() as f32) - f64::from((exact.abs() as f32).next_down()));
        let is_allowed = self.random.is_some() && (f64::from(moved) - exact).abs() <= ulp * unit;
        let result = if is_allowed { moved } else { nearest };
        self.result(result, 0.0, exact.abs(), kind)
    }

    pub(super) fn quotient(&mut self, [a, b]: [u32; 2]) -> u32 {
        let [a, b] = [a, b].map(|bits| self.operand(bits, Kind::Quotient));
        let ends = 2f32.powi(-126)..=2f32.powi(126);
        let is_plain = b == 0.0 || !b.is_finite() || !a.is_finite() || a == 0.0;
        if !is_plain && !ends.contains(&b.abs()) && self.takes() {
            return self.any().to_bits();
        }
        let quotient = f64::from(a) / f64::from(b);
        if is_plain || self.random.is_none() {
            return self.result(a / b, 0.0, quotient.abs(), Kind::Quotient);
        }
        self.within(quotient, 2.5, Kind::Quotient)
    }

    pub(super) fn negated(&mut self, bits: u32) -> u32 {
        let x = -self.operand(bits, Kind::Core);
        self.result(x, 0.0, f64::from(x).abs(), Kind::Core)
    }

    pub(super) fn compare(&mut self, [a, b]: [u32; 2], holds: impl Fn(f32, f32) -> bool) -> u32 {
        let [a, b] = [a, b].map(|bits| self.operand(bits, Kind::Core));
        u32::from(holds(a, b))
    }

    pub(super) fn is_nan(&mut self, bits: u32) -> u32 {
        u32::from(self.operand(bits, Kind::Core).is_nan())
    }

    pub(super) fn truncated(&mut self, bits: u32) -> u32 {
        let x = self.operand(bits, Kind::Core);
        let is_defined = x.abs() < 2_147_483_648.0;
        if is_defined || self.random.is_none() {
            (x as i32).cast_unsigned()
        } else {
            self.below(1 << 32) as u32
        }
    }

    pub(super) fn converted(&mut self, bits: u32) -> u32 {
        let exact = f64::from(bits.cast_signed());
        let nearest = exact as f32;
        self.result(nearest, f64::from(nearest) - exact, exact.abs(), Kind::Core)
    }

    /// A dot product, in any order.
    pub(super) fn dot(&mut self, a: &[u32], b: &[u32], id: Word) -> u32 {
        let mut terms: Vec<u32> = a.iter().zip(b).map(|(&a, &b)| self.product([a, b], id)).collect();
        if self.takes() {
            terms.reverse();
        }
        let first = terms[0];
        terms[1..].iter().fold(first, |sum, &term| self.sum([sum, term], id))
    }

    pub(super) fn choice(&mut self, [a, b]: [u32; 2], choose: fn(f32, f32) -> f32) -> u32 {
        let [x, y] = [a, b].map(|bits| self.operand(bits, Kind::Choice));
        let is_free = x.is_nan() || y.is_nan() || x == 0.0 && y == 0.0;
        let chosen = match is_free && self.takes() {
            true if self.takes() => x,
            true => y,
            false => choose(x, y),
        };
        self.result(chosen, 0.0, f64::from(chosen).abs(), Kind::Choice)
    }

    pub(super) fn floor(&mut self, bits: u32) -> u32 {
        let x = self.operand(bits, Kind::Extended).floor();
        self.result(x, 0.0, f64::from(x).abs(), Kind::Extended)
    }

    pub(super) fn magnitude(&mut self, bits: u32) -> u32 {
        let x = self.operand(bits, Kind::Extended).abs();
        self.result(x, 0.0, f64::from(x), Kind::Extended)
    }

    /// A function with a domain: its error in units in the last place.
    pub(super) fn function(&mut self, bits: u32, function: Function) -> u32 {
        let x = self.operand(bits, Kind::Extended);
        if self.random.is_none() {
            return function.on_ieee(x).to_bits();
        }
        if x.is_nan() || x < 0.0 && function != Function::Exp2 {
            // Poison.
            return self.any().to_bits();
        }
        let exact = function.exact(f64::from(x));
        let ulp = function.ulp(f64::from(x));
        self.within(exact, ulp, Kind::Extended)
    }
}

/// Assumptions about zeros, infinities and NaN.
const SPECIAL: FPFastMathMode =
    FPFastMathMode::NOT_NAN.union(FPFastMathMode::NOT_INF).union(FPFastMathMode::NSZ);

/// The mode that a module declares for all its float operations.
fn default_mode(module: &dr::Module) -> Option<FPFastMathMode> {
    let is_it = |one: &&dr::Instruction| {
        one.operands.contains(&dr::Operand::ExecutionMode(ExecutionMode::FPFastMathDefault))
    };
    let constant = module.execution_modes.iter().find(is_it)?.operands.last()?.id_ref_any()?;
    let defined = module.types_global_values.iter().find(|one| one.result_id == Some(constant));
    match defined?.operands[0] {
        dr::Operand::LiteralBit32(bits) => FPFastMathMode::from_bits(bits),
        ref other => panic!("{other:?}"),
    }
}

/// A function of GLSL.std.450.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Function {
    Sqrt,
    InverseSqrt,
    Exp2,
    Log2,
}

impl Function {
    fn on_ieee(self, x: f32) -> f32 {
        match self {
            Self::Sqrt => x.sqrt(),
            Self::InverseSqrt => 1.0 / x.sqrt(),
            Self::Exp2 => arith::exp2(transpica::Precision::Fast, x),
            Self::Log2 => arith::log2(transpica::Precision::Fast, x),
        }
    }

    fn exact(self, x: f64) -> f64 {
        match self {
            Self::Sqrt => x.sqrt(),
            Self::InverseSqrt => 1.0 / x.sqrt(),
            Self::Exp2 => x.exp2(),
            Self::Log2 => x.log2(),
        }
    }

    fn ulp(self, x: f64) -> f64 {
        match self {
            Self::Sqrt => 6.0,
            Self::InverseSqrt => 2.0,
            Self::Exp2 => 3.0 + 2.0 * x.abs().min(1000.0),
            Self::Log2 => 3.0,
        }
    }
}
