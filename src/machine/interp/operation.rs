//! Decoded instructions and their execution.
//! In: [`Inst`]. Out: [`Operation`], whose fields index the register file directly. Knows no
//! control flow. The arithmetic is [`arith`]'s; here are only operands, lanes and masks.

use std::marker::PhantomData;

use super::registers::{Registers, dest_place, source_place};
use crate::machine::precision::{Precision, arith};
use crate::program::isa::{CompareOp, Component, DataOp, Index, Inst, Mask, Operand};

/// Type-level precision: each gets its own monomorphized loop.
pub trait Mode {
    /// The precision.
    const PRECISION: Precision;
    /// True if products are plain ones, so that a result that may be NaN is computed again.
    const IS_PLAIN: bool = false;

    /// Converts a result to what the host computes.
    #[inline(always)]
    fn result(value: f32) -> f32 {
        value
    }
    /// Multiplies like the host.
    #[inline(always)]
    fn mul(a: f32, b: f32) -> f32 {
        arith::mul(Self::PRECISION, a, b)
    }
    /// Computes a dot product like the host.
    #[inline(always)]
    fn dot<const N: usize>(a: [f32; N], b: [f32; N]) -> f32 {
        arith::dot(Self::PRECISION, a, b)
    }
}

pub struct Exact;
/// [`Exact`] with plain products: those that the console defines otherwise are NaN, which sums
/// keep, and few programs have any. Only the machine computes such results again.
pub(super) struct Plain;
pub struct Fast;
pub struct F24;

impl Mode for Exact {
    const PRECISION: Precision = Precision::Exact;
}
impl Mode for Plain {
    const PRECISION: Precision = Precision::Exact;
    const IS_PLAIN: bool = true;

    #[inline(always)]
    fn mul(a: f32, b: f32) -> f32 {
        a * b
    }
    #[inline(always)]
    fn dot<const N: usize>(a: [f32; N], b: [f32; N]) -> f32 {
        arith::dot(Precision::Fast, a, b)
    }
}
impl Mode for Fast {
    const PRECISION: Precision = Precision::Fast;
}
impl Mode for F24 {
    const PRECISION: Precision = Precision::F24;
}

/// A precision on a host whose arithmetic flushes every number below 2^-126.
pub struct Flushed<M>(PhantomData<M>);

impl<M: Mode> Mode for Flushed<M> {
    const PRECISION: Precision = M::PRECISION;

    #[inline(always)]
    fn result(value: f32) -> f32 {
        flush_subnormal(value)
    }

    /// Processors that flush round the product to 24 bits for any exponent. So a product that
    /// rounds up to 2^-126 only because subnormals have fewer bits becomes zero.
    fn mul(a: f32, b: f32) -> f32 {
        const SMALLEST: f64 = f32::MIN_POSITIVE as f64;
        let product = arith::mul(M::PRECISION, a, b);
        let rounds_up = SMALLEST * (1.0 - f64::EPSILON * f64::from(1 << 27));
        if product.abs() == f32::MIN_POSITIVE && (f64::from(a) * f64::from(b)).abs() < rounds_up {
            return 0f32.copysign(product);
        }
        flush_subnormal(product)
    }

    fn dot<const N: usize>(a: [f32; N], b: [f32; N]) -> f32 {
        let product = |lane: usize| Self::mul(a[lane], b[lane]);
        (1..N).fold(product(0), |sum, lane| flush_subnormal(arith::add(M::PRECISION, sum, product(lane))))
    }
}

/// Replaces a number below 2^-126 by a zero of its sign.
#[inline(always)]
pub fn flush_subnormal(value: f32) -> f32 {
    if value.is_subnormal() { 0f32.copysign(value) } else { value }
}

/// The effect of an operation.
#[derive(Clone, Copy, Debug)]
enum Action {
    /// Changes no register.
    None,
    Data(DataOp),
    Mova,
    Cmp,
}

/// A source operand: the place of the component of each lane in the register file. [`NEGATED`] is
/// set in all where the operand is negated; it lies beyond the places.
type Read = [u16; 4];

/// The mark of a negated operand.
const NEGATED: u16 = 1 << 15;

fn read(operand: &Operand) -> Read {
    let mark = if operand.negate { NEGATED } else { 0 };
    let place = source_place(operand.register) | mark;
    operand.swizzle.components().map(|component| place + component as u16)
}

/// An instruction, decoded to run. It is small, since hosts run most programs with cold caches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    action: Action,
    /// The comparisons of CMP.
    compare: [CompareOp; 2],
    mask: Mask,
    /// The address register of the relative operand, if there is one, and its number.
    index: Index,
    relative: u8,
    dest: u16,
    reads: [Read; 3],
}

/// All ones for each lane of a mask.
const WRITTEN: [[u32; 4]; 16] = {
    let mut all = [[0; 4]; 16];
    let mut place = 0;
    while place < 64 {
        if (place / 4) >> (place % 4) & 1 != 0 {
            all[place / 4][place % 4] = u32::MAX;
        }
        place += 1;
    }
    all
};

impl Operation {
    /// Decodes the data part of an instruction, if it has one.
    pub(super) fn new(inst: &Inst) -> Self {
        let nothing = Self {
            action: Action::None,
            compare: [CompareOp::Eq; 2],
            mask: Mask::NONE,
            index: Index::None,
            relative: 0,
            dest: 0,
            reads: [read(&Operand::UNUSED); 3],
        };
        match inst {
            Inst::Data { op, dest, mask, sources } => {
                Self { action: Action::Data(*op), dest: dest_place(*dest), mask: *mask, ..nothing }
                    .with(sources)
            }
            Inst::Mova { mask, source } => {
                Self { action: Action::Mova, mask: *mask, ..nothing }.with(&[*source])
            }
            Inst::Cmp { x, y, sources } => {
                Self { action: Action::Cmp, compare: [*x, *y], ..nothing }.with(sources)
            }
            Inst::Flow(_) | Inst::Emit | Inst::SetEmit { .. } | Inst::Unassigned(_) => nothing,
        }
    }

    /// Decodes the operands. One at most is relative.
    fn with(mut self, operands: &[Operand]) -> Self {
        for ((number, operand), place) in (0..).zip(operands).zip(&mut self.reads) {
            *place = read(operand);
            if operand.index != Index::None {
                (self.index, self.relative) = (operand.index, number);
            }
        }
        self
    }

    /// Returns the first component of the register that is written, if there is one.
    pub(super) fn written(&self) -> Option<u16> {
        matches!(self.action, Action::Data(_)).then_some(self.dest)
    }
}

/// Applies a function of one operand to each lane. (`array::map` is not always inlined, which costs
/// more than the work.)
#[inline(always)]
fn lanes1(a: [f32; 4], op: impl Fn(f32) -> f32) -> [f32; 4] {
    [op(a[0]), op(a[1]), op(a[2]), op(a[3])]
}

/// Applies a function of two operands to each lane.
#[inline(always)]
fn lanes2(a: [f32; 4], b: [f32; 4], op: impl Fn(f32, f32) -> f32) -> [f32; 4] {
    [op(a[0], b[0]), op(a[1], b[1]), op(a[2], b[2]), op(a[3], b[3])]
}

impl Registers {
    /// Reads an operand: the register, then the swizzle, then the negation.
    #[inline(always)]
    fn operand(&self, read: &Read) -> [f32; 4] {
        let sign = u32::from(read[0] & NEGATED) << 16;
        // Places are taken modulo the size of the file, without the mark.
        let lane = |lane: u16| f32::from_bits(self.component(lane).to_bits() ^ sign);
        let [x, y, z, w] = *read;
        [lane(x), lane(y), lane(z), lane(w)]
    }

    /// Finds the register of a relative operand.
    #[inline(never)]
    fn found(&self, operation: &Operation) -> Operation {
        let mut found = *operation;
        let read = &mut found.reads[usize::from(operation.relative) % 3];
        let distance = self.shift(read[0] & !NEGATED & !3, operation.index);
        *read = read.map(|lane| lane.wrapping_add(distance));
        found
    }

    /// Returns the operands of an operation for the trace.
    pub(super) fn operands(&self, operation: &Operation) -> [[f32; 4]; 3] {
        self.found(operation).reads.map(|read| self.operand(&read))
    }

    /// Executes an operation.
    #[inline(always)]
    pub(super) fn run<M: Mode>(&mut self, operation: &Operation) {
        let found;
        let operation = if operation.index == Index::None {
            operation
        } else {
            found = self.found(operation);
            &found
        };
        // Tested separately, so that the common case takes one indirect jump and not two.
        if let Action::Data(op) = operation.action {
            self.data::<M>(op, operation);
        } else {
            self.other(operation);
        }
    }

    /// Executes an operation that writes no register.
    fn other(&mut self, operation: &Operation) {
        match operation.action {
            Action::None | Action::Data(_) => {}
            Action::Mova => {
                let value = self.operand(&operation.reads[0]);
                for component in [Component::X, Component::Y] {
                    if operation.mask.has(component) {
                        self.address[component.index()] = arith::address(value[component.index()]);
                    }
                }
            }
            Action::Cmp => {
                let [x, y] = operation.compare;
                let (a, b) = (self.operand(&operation.reads[0]), self.operand(&operation.reads[1]));
                self.flags = [x.test(a[0], b[0]), y.test(a[1], b[1])];
            }
        }
    }

    /// Computes the result of an operation that writes a register.
    #[inline(always)]
    fn value<M: Mode>(&mut self, op: DataOp, operation: &Operation) -> [f32; 4] {
        let precision = M::PRECISION;
        // In one place for all operations: less code, and most read two.
        let (a, b) = (self.operand(&operation.reads[0]), self.operand(&operation.reads[1]));
        let ([ax, ay, az, aw], [bx, by, bz, bw]) = (a, b);
        match op {
            DataOp::Add => lanes2(a, b, |a, b| arith::add(precision, a, b)),
            DataOp::Mul => lanes2(a, b, M::mul),
            DataOp::Sge => lanes2(a, b, arith::sge),
            DataOp::Slt => lanes2(a, b, arith::slt),
            DataOp::Max => lanes2(a, b, arith::max),
            DataOp::Min => lanes2(a, b, arith::min),
            DataOp::Mad => {
                let c = self.operand(&operation.reads[2]);
                lanes2(lanes2(a, b, M::mul), c, |a, b| arith::add(precision, a, b))
            }
            DataOp::Dp3 => [M::dot([ax, ay, az], [bx, by, bz]); 4],
            DataOp::Dp4 => [M::dot(a, b); 4],
            // w of the second operand is added without a multiplication.
            DataOp::Dph => [arith::add(precision, M::dot([ax, ay, az], [bx, by, bz]), bw); 4],
            DataOp::Dst => [1.0, M::mul(ay, by), az, bw],
            DataOp::Ex2 => [arith::exp2(precision, ax); 4],
            DataOp::Lg2 => [arith::log2(precision, ax); 4],
            DataOp::Rcp => [arith::rcp(precision, ax); 4],
            DataOp::Rsq => [arith::rsq(precision, ax); 4],
            DataOp::Flr => lanes1(a, f32::floor),
            DataOp::Mov => a,
            DataOp::Litp => {
                self.flags = [ax >= 0.0, aw >= 0.0];
                [arith::litp_positive(ax), arith::litp_power(ay), 0.0, arith::litp_positive(aw)]
            }
            #[cfg(test)]
            DataOp::Lrp => {
                let rest = arith::add(precision, 1.0, -aw);
                lanes2(a, b, |s, t| arith::add(precision, M::mul(s, aw), M::mul(t, rest)))
            }
        }
    }

    /// Computes a result whose products may be those of zero and infinity.
    #[cold]
    #[inline(never)]
    fn literal(&mut self, op: DataOp, operation: &Operation) -> [f32; 4] {
        self.value::<Exact>(op, operation)
    }

    /// Executes an operation that writes a register. All operands are read before the write.
    #[inline(always)]
    fn data<M: Mode>(&mut self, op: DataOp, operation: &Operation) {
        let mut value = self.value::<M>(op, operation);
        // A sum of lanes is NaN if one of them is.
        if M::IS_PLAIN && (value[0] + value[1] + value[2] + value[3]).is_nan() {
            value = self.literal(op, operation);
        }
        let value = lanes1(value, M::result);
        // Whole vectors in, whole vector out: one load, one store.
        let write = WRITTEN[usize::from(operation.mask.0) % 16];
        let places = self.places(operation.dest);
        let old = *places;
        let blend = |lane: usize| {
            f32::from_bits(value[lane].to_bits() & write[lane] | old[lane].to_bits() & !write[lane])
        };
        *places = [blend(0), blend(1), blend(2), blend(3)];
    }
}
