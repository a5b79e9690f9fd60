//! Lanes that are constants by their definitions.
//! In: values, each after its operands. Out: their bits. Changes nothing.
//!
//! Nothing is known of parameters and results: what goes into one and is constant is hidden
//! from drivers (see [`hide`](crate::passes::drivers::hide)), so that they know nothing either.

use crate::ir::op::scalar;
use crate::ir::op::signature::{Binary, Shape};
use crate::ir::{Array, Def, FloatConstants, Func, Lane, Op, Resource, Type, Value};
use crate::machine::precision::bits::{MAGNITUDE, ONE};
use crate::machine::precision::{Precision, arith, float24};
use crate::program::isa::sizes::FLOATS;
use crate::support::entity::Handle;

/// The constant lanes of a value; bit 0 is x.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constant {
    pub lanes: u8,
    pub bits: [u32; 4],
}

impl Constant {
    const NONE: Self = Self { lanes: 0, bits: [0; 4] };

    fn whole(ty: Type, bits: [u32; 4]) -> Self {
        Self { lanes: (1 << ty.lanes) - 1, bits }
    }

    /// Some of the lanes.
    pub fn of_lanes(mut self, lanes: u8) -> Self {
        self.lanes &= lanes;
        for (lane, bits) in self.bits.iter_mut().enumerate() {
            *bits *= u32::from(self.lanes >> lane & 1);
        }
        self
    }

    /// The lanes that are the same in both.
    pub fn and(self, other: Self) -> Self {
        let is_same = |lane: &u8| self.get(*lane).is_some_and(|bits| other.get(*lane) == Some(bits));
        self.of_lanes((0..4).filter(is_same).fold(0, |lanes, lane| lanes | 1 << lane))
    }

    fn set(&mut self, lane: u8, bits: Option<u32>) {
        if let Some(bits) = bits {
            self.lanes |= 1 << lane;
            self.bits[usize::from(lane & 3)] = bits;
        }
    }

    #[inline]
    pub fn get(&self, lane: u8) -> Option<u32> {
        (self.lanes >> lane & 1 != 0).then(|| self.bits[usize::from(lane & 3)])
    }
}

/// Constant lanes of the values of a function.
#[derive(Debug)]
pub(super) struct Constants<'a> {
    /// By value: the index of its constant in `known`, mostly 0.
    numbers: Vec<u32>,
    /// The constants that values have. The first has no constant lane.
    known: Vec<Constant>,
    precision: Precision,
    uniforms: &'a FloatConstants,
}

impl<'a> Constants<'a> {
    /// Constants of a function about which nothing is known yet. `uniforms` take the place of
    /// reads.
    pub fn new(precision: Precision, uniforms: &'a FloatConstants, values: usize) -> Self {
        let mut numbers = Vec::with_capacity(2 * values);
        numbers.resize(values, 0);
        let mut known = Vec::with_capacity(32);
        known.push(Constant::NONE);
        Self { numbers, known, precision, uniforms }
    }

    #[inline]
    pub fn get(&self, value: Value) -> Constant {
        self.numbers.get(value.index()).map_or(Constant::NONE, |&number| self.known[number as usize])
    }

    #[inline]
    pub fn lane(&self, lane: Lane) -> Option<u32> {
        match *self.numbers.get(lane.value().index())? {
            0 => None,
            number => self.known[number as usize].get(lane.index()),
        }
    }

    /// Returns whether bits count as a zero.
    pub fn is_zero(&self, bits: u32) -> bool {
        let magnitude = bits & MAGNITUDE;
        if self.precision.rules().rounds { magnitude < float24::SMALLEST } else { magnitude == 0 }
    }

    /// Looks at a value that is new, or whose operation is.
    #[inline]
    pub fn learn(&mut self, f: &Func, value: Value) {
        if self.numbers.len() <= value.index() {
            self.numbers.resize(value.index() + 1, 0);
        }
        let number = |value: Value| self.numbers[value.index()];
        // Nothing is known of the operands, as of most.
        let is_open = match &f.values[value].def {
            Def::Op(Op::Const(_) | Op::Read(Resource::Uniform(_))) => false,
            Def::Op(Op::ReadAt(_, a) | Op::Unary(_, a)) => number(*a) == 0,
            Def::Op(Op::Shuffle(lanes)) => lanes.map(|lane| number(lane.value())) == [0; 4],
            Def::Op(Op::Binary(_, a, b)) => number(*a) | number(*b) == 0,
            Def::Op(Op::Select { cond, a, b }) => number(*cond) | number(*a) | number(*b) == 0,
            _never => true,
        };
        let known = if is_open { Constant::NONE } else { self.transfer(f, value) };
        self.numbers[value.index()] = if known.lanes == 0 { 0 } else { self.known.len() as u32 };
        if known.lanes != 0 {
            self.known.push(known);
        }
    }

    #[inline(never)]
    fn transfer(&self, f: &Func, value: Value) -> Constant {
        let (mut result, ty) = (Constant::NONE, f.ty(value));
        let Some(op) = f.op(value) else { return result };
        let of = |value: Value| self.get(value);
        match op {
            Op::Const(bits) => return Constant::whole(ty, bits),
            Op::Read(Resource::Uniform(register)) => {
                return self.register(register).map_or(result, |bits| Constant::whole(ty, bits));
            }
            // Other offsets read the block, even where a driver knows them.
            Op::ReadAt(Array::Uniform(base), offset) => {
                let read = |offset: u32| {
                    let index = arith::uniform_index(base, offset.cast_signed());
                    if usize::from(index) < FLOATS { self.register(index) } else { Some([ONE; 4]) }
                };
                return of(offset).get(0).and_then(read).map_or(result, |bits| Constant::whole(ty, bits));
            }
            Op::Binary(op, a, b) if op.shape() == Shape::Dot => {
                let ([x, y], lanes) = ([a, b].map(of), f.ty(a).lanes);
                if x.lanes & y.lanes == (1 << lanes) - 1 {
                    result.set(0, scalar::fold_dot(op, self.precision, x.bits, y.bits, lanes));
                }
            }
            _each_lane => {
                for lane in 0..ty.lanes {
                    result.set(lane, self.fold(op, lane));
                }
            }
        }
        result
    }

    fn fold(&self, op: Op, lane: u8) -> Option<u32> {
        let of = |value: Value| self.lane(Lane::new(value, lane));
        match op {
            Op::Shuffle(lanes) => self.lane(lanes[usize::from(lane)]),
            Op::Unary(op, a) => scalar::fold_unary(op, self.precision, of(a)?),
            Op::Binary(op, a, b) => {
                let both = [a, b].map(of);
                if let [Some(a), Some(b)] = both {
                    return scalar::fold_binary(op, self.precision, a, b);
                }
                // What one operand decides alone.
                let alone = match op {
                    Binary::And | Binary::IAnd | Binary::BitAnd | Binary::IMul => 0,
                    Binary::Or => 1,
                    Binary::BitOr => u32::MAX,
                    _other => return None,
                };
                both.contains(&Some(alone)).then_some(alone)
            }
            Op::Select { cond, a, b } => match of(cond) {
                Some(cond) => of(if cond != 0 { a } else { b }),
                None => of(a).filter(|&bits| of(b) == Some(bits)),
            },
            Op::Const(_) | Op::Read(_) | Op::ReadAt(..) | Op::Call { .. } | Op::Submit { .. } => None,
        }
    }

    fn register(&self, register: u8) -> Option<[u32; 4]> {
        *self.uniforms.get(usize::from(register))?
    }
}
