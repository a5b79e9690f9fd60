//! Operations. All but [`Op::Submit`] are pure; reading inputs and uniforms is too, since neither
//! changes while a program runs.

pub mod resource;
pub mod scalar;
pub mod signature;

use self::resource::{Array, Resource};
use self::signature::{Binary, Unary};
use super::func::ValueList;
use super::types::{Lane, Type, Value};

/// Operation that computes a value. Result types: see each operation; the value's
/// [`Type`](super::Type) states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Op {
    /// A constant of the value's type; lanes beyond the type's are 0. Floats by their bits, bools 0
    /// or 1.
    Const([u32; 4]),
    /// Reads something by its number; the types stand in [`Resource::row`].
    Read(Resource),
    /// Reads an element by an i32 scalar that the program computes; the types stand in
    /// [`Array::row`].
    ReadAt(Array, Value),
    /// i32: submits a triangle of a geometry program. The arguments are how many triangles there
    /// are so far (i32) and, for each of its three vertices, the outputs, each as f32x4; the result
    /// is how many there are then. The only operation with an effect. It consumes and produces the
    /// count, and every count is consumed once on every path, so nothing reorders, merges or drops
    /// triangles.
    Submit {
        /// The arguments.
        args: ValueList,
    },
    /// Collects lanes (as many as the result has; the others repeat the first). Extracts, swizzles,
    /// splats and builds vectors. All lanes have the result's kind.
    Shuffle([Lane; 4]),
    /// One operand.
    Unary(Unary, Value),
    /// Two operands.
    Binary(Binary, Value, Value),
    /// Each lane: `cond ? a : b`; `cond` is bool with as many lanes as the result.
    Select {
        /// The choice.
        cond: Value,
        /// Result for true.
        a: Value,
        /// Result for false.
        b: Value,
    },
    /// Calls a helper function of the module with these arguments; the result is its one output.
    Call {
        /// Index into [`Module::helpers`](super::Module::helpers).
        helper: u16,
        /// The arguments.
        args: ValueList,
    },
}

impl Op {
    /// A constant with the same bits in each lane of a type.
    pub fn splat(ty: Type, bits: u32) -> Self {
        let mut all = [0; 4];
        all[..usize::from(ty.lanes)].fill(bits);
        Self::Const(all)
    }

    /// A shuffle to the first `count` of these lanes.
    pub fn shuffle(mut lanes: [Lane; 4], count: u8) -> Self {
        let [first, ..] = lanes;
        lanes[usize::from(count)..].fill(first);
        Self::Shuffle(lanes)
    }

    /// Returns whether `legalize` removes it.
    pub fn is_pica(self) -> bool {
        match self {
            Self::Read(resource) => resource.is_pica(),
            Self::ReadAt(array, _) => array.is_pica(),
            Self::Unary(op, _) => op.is_pica(),
            Self::Binary(op, ..) => op.is_pica(),
            Self::Const(_)
            | Self::Shuffle(_)
            | Self::Select { .. }
            | Self::Submit { .. }
            | Self::Call { .. } => false,
        }
    }

    /// Visits every operand, in order. Calls and submissions have their operands in `pool`. A
    /// shuffle's values are visited once for each of its four lanes.
    #[inline]
    pub fn for_each(self, pool: &[Value], mut visit: impl FnMut(Value)) {
        match self {
            Self::Const(_) | Self::Read(_) => {}
            Self::ReadAt(_, value) | Self::Unary(_, value) => visit(value),
            Self::Shuffle(lanes) => lanes.into_iter().for_each(|lane| visit(lane.value())),
            Self::Binary(_, a, b) => {
                visit(a);
                visit(b);
            }
            Self::Select { cond, a, b } => {
                visit(cond);
                visit(a);
                visit(b);
            }
            Self::Call { args, .. } | Self::Submit { args } => {
                pool[args.range()].iter().copied().for_each(visit);
            }
        }
    }

    /// Replaces every operand, as [`for_each`](Self::for_each) visits them; the lanes of a shuffle
    /// keep their index.
    #[inline]
    pub fn replace_each(&mut self, pool: &mut [Value], mut by: impl FnMut(Value) -> Value) {
        match self {
            Self::Const(_) | Self::Read(_) => {}
            Self::ReadAt(_, value) | Self::Unary(_, value) => *value = by(*value),
            Self::Shuffle(lanes) => {
                lanes.iter_mut().for_each(|lane| *lane = Lane::new(by(lane.value()), lane.index()));
            }
            Self::Binary(_, a, b) => (*a, *b) = (by(*a), by(*b)),
            Self::Select { cond, a, b } => (*cond, *a, *b) = (by(*cond), by(*a), by(*b)),
            Self::Call { args, .. } | Self::Submit { args } => {
                pool[args.range()].iter_mut().for_each(|value| *value = by(*value));
            }
        }
    }
}

/// Definition of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Def {
    /// By an operation; evaluated by the one [`Item::Let`](super::Item::Let) that names the value.
    Op(Op),
    /// Parameter of a helper function or of a loop (listed there).
    Param,
    /// Result of an `if`, loop, block or switch (listed there).
    Result,
    /// Removed; no item or operand may name it.
    Dead,
}

#[cfg(test)]
mod tests {
    use super::Op;
    use crate::ir::ValueData;

    /// Passes copy and compare operations all the time.
    #[test]
    fn an_operation_fits_into_its_size() {
        assert_eq!(size_of::<Op>(), 20);
        assert_eq!(size_of::<ValueData>(), 28);
    }
}
