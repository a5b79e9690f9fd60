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
pub struct Fast;
pub struct F24;

impl Mode for Exact {
    const PRECISION: Precision = Precision::Exact;
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

/// A source operand as places of the register file.
#[derive(Clone, Copy, Debug)]
struct Read {
    /// The place of the component of each lane.
    lanes: [u16; 4],
    /// The sign bit where the operand is negated, else 0.
    sign: u32,
    /// The place of its register.
    place: u16,
    index: Index,
}

impl Read {
    fn new(operand: &Operand) -> Self {
        let place = source_place(operand.register);
        Self {
            lanes: operand.swizzle.components().map(|component| place + component as u16),
            sign: u32::from(operand.negate) << 31,
            place,
            index: operand.index,
        }
    }
}

/// An instruction, decoded to run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operation {
    action: Action,
    /// The comparisons of CMP.
    compare: [CompareOp; 2],
    mask: Mask,
    dest: u16,
    /// All ones for each lane that is written.
    write: [u32; 4],
    reads: [Read; 3],
}

impl Operation {
    /// Decodes the data part of an instruction, if it has one.
    pub(super) fn new(inst: &Inst) -> Self {
        let unused = Read::new(&Operand::UNUSED);
        let nothing = Self {
            action: Action::None,
            compare: [CompareOp::Eq; 2],
            mask: Mask::NONE,
            dest: 0,
            write: [0; 4],
            reads: [unused; 3],
        };
        match inst {
            Inst::Data { op, dest, mask, sources } => Self {
                action: Action::Data(*op),
                dest: dest_place(*dest),
                mask: *mask,
                write: Component::ALL.map(|component| if mask.has(component) { u32::MAX } else { 0 }),
                reads: [Read::new(&sources[0]), Read::new(&sources[1]), Read::new(&sources[2])],
                ..nothing
            },
            Inst::Mova { mask, source } => Self {
                action: Action::Mova,
                mask: *mask,
                reads: [Read::new(source), unused, unused],
                ..nothing
            },
            Inst::Cmp { x, y, sources } => Self {
                action: Action::Cmp,
                compare: [*x, *y],
                reads: [Read::new(&sources[0]), Read::new(&sources[1]), unused],
                ..nothing
            },
            Inst::Flow(_) | Inst::Emit | Inst::SetEmit { .. } | Inst::Unassigned(_) => nothing,
        }
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
        let shift = if read.index == Index::None { 0 } else { self.shift(read.place, read.index) };
        let lane = |lane: u16| f32::from_bits(self.component(lane.wrapping_add(shift)).to_bits() ^ read.sign);
        let [x, y, z, w] = read.lanes;
        [lane(x), lane(y), lane(z), lane(w)]
    }

    /// Applies a function to the lanes of two operands.
    #[inline(always)]
    fn two(&self, operation: &Operation, op: impl Fn(f32, f32) -> f32) -> [f32; 4] {
        lanes2(self.operand(&operation.reads[0]), self.operand(&operation.reads[1]), op)
    }

    /// Returns the operands of an operation for the trace.
    pub(super) fn operands(&self, operation: &Operation) -> [[f32; 4]; 3] {
        operation.reads.map(|read| self.operand(&read))
    }

    /// Executes an operation.
    #[inline(always)]
    pub(super) fn run<M: Mode>(&mut self, operation: &Operation) {
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

    /// Executes an operation that writes a register. All operands are read before the write.
    #[inline(always)]
    fn data<M: Mode>(&mut self, op: DataOp, operation: &Operation) {
        let precision = M::PRECISION;
        let reads = &operation.reads;
        let value = match op {
            DataOp::Add => self.two(operation, |a, b| arith::add(precision, a, b)),
            DataOp::Mul => self.two(operation, M::mul),
            DataOp::Sge => self.two(operation, arith::sge),
            DataOp::Slt => self.two(operation, arith::slt),
            DataOp::Max => self.two(operation, arith::max),
            DataOp::Min => self.two(operation, arith::min),
            DataOp::Mad => {
                let product = self.two(operation, M::mul);
                lanes2(product, self.operand(&reads[2]), |a, b| arith::add(precision, a, b))
            }
            DataOp::Dp3 => {
                let ([ax, ay, az, _], [bx, by, bz, _]) = (self.operand(&reads[0]), self.operand(&reads[1]));
                [M::dot([ax, ay, az], [bx, by, bz]); 4]
            }
            DataOp::Dp4 => [M::dot(self.operand(&reads[0]), self.operand(&reads[1])); 4],
            DataOp::Dph => {
                // w of the second operand is added without a multiplication.
                let ([ax, ay, az, _], [bx, by, bz, bw]) = (self.operand(&reads[0]), self.operand(&reads[1]));
                [arith::add(precision, M::dot([ax, ay, az], [bx, by, bz]), bw); 4]
            }
            DataOp::Dst => {
                let (a, b) = (self.operand(&reads[0]), self.operand(&reads[1]));
                [1.0, M::mul(a[1], b[1]), a[2], b[3]]
            }
            DataOp::Ex2 => [arith::exp2(precision, self.operand(&reads[0])[0]); 4],
            DataOp::Lg2 => [arith::log2(precision, self.operand(&reads[0])[0]); 4],
            DataOp::Rcp => [arith::rcp(precision, self.operand(&reads[0])[0]); 4],
            DataOp::Rsq => [arith::rsq(precision, self.operand(&reads[0])[0]); 4],
            DataOp::Flr => lanes1(self.operand(&reads[0]), f32::floor),
            DataOp::Mov => self.operand(&reads[0]),
            DataOp::Litp => {
                let [x, y, _, w] = self.operand(&reads[0]);
                self.flags = [x >= 0.0, w >= 0.0];
                [arith::litp_positive(x), arith::litp_power(y), 0.0, arith::litp_positive(w)]
            }
            #[cfg(test)]
            DataOp::Lrp => {
                let a = self.operand(&reads[0]);
                let rest = arith::add(precision, 1.0, -a[3]);
                self.two(operation, |s, t| arith::add(precision, M::mul(s, a[3]), M::mul(t, rest)))
            }
        };
        let value = lanes1(value, M::result);
        // Whole vectors in, whole vector out: one load, one store.
        let write = operation.write;
        let places = self.places(operation.dest);
        let old = *places;
        let blend = |lane: usize| {
            f32::from_bits(value[lane].to_bits() & write[lane] | old[lane].to_bits() & !write[lane])
        };
        *places = [blend(0), blend(1), blend(2), blend(3)];
    }
}
