//! Operations. All but [`Op::Submit`] are pure; reading inputs and uniforms is too, since neither changes while a program runs.

use super::func::ValueList;
use super::resource::{Array, Resource};
use super::types::{Lane, Value};

/// One-operand operations; the result has as many lanes as the operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unary {
    /// f32, PICA200: 1/x, ±0 gives +inf. Removed by `legalize`.
    RcpP,
    /// f32, PICA200: 1/sqrt(x), ±0 gives +inf. Removed by `legalize`.
    RsqP,
    /// f32, PICA200: 2^x. Removed by `legalize`.
    Exp2P,
    /// f32, PICA200: log2(x). Removed by `legalize`.
    Log2P,
    /// f32, PICA200: 2^x, as [`crate::precision::portable`] computes it. Removed by `legalize`.
    Exp2Portable,
    /// f32, PICA200: log2(x), as [`crate::precision::portable`] computes it. Removed by `legalize`.
    Log2Portable,
    /// f32 to i32, PICA200: MOVA's conversion; values outside ±1000 clamp, NaN becomes some value outside the signed byte range or 0. Removed by `legalize`.
    AddressP,
    /// f32: sign bit flipped.
    Neg,
    /// f32: sign bit cleared.
    Abs,
    /// f32: largest integer not above.
    Floor,
    /// f32: square root.
    Sqrt,
    /// f32: 2^x.
    Exp2,
    /// f32: log2(x).
    Log2,
    /// bool: not.
    Not,
    /// f32 to i32: truncation; the operand is finite and in range.
    ToInt,
    /// f32 to u32: same bits.
    ToBits,
    /// u32 to f32: same bits.
    FromBits,
    /// u32 to i32: same bits.
    UintToInt,
    /// i32 to u32: same bits.
    IntToUint,
}

/// Two-operand operations; operands have the same type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Binary {
    /// f32, PICA200: sum. Removed by `legalize`.
    AddP,
    /// f32, PICA200: product, inf · 0 = 0. Removed by `legalize`.
    MulP,
    /// f32, PICA200: dot product of 2 to 4 lanes to a scalar: PICA200 products, summed left to right. Removed by `legalize`.
    DotP,
    /// f32, PICA200: `a < b ? a : b`. Removed by `legalize`.
    MinP,
    /// f32, PICA200: `a > b ? a : b`. Removed by `legalize`.
    MaxP,
    /// f32, PICA200: `a >= b ? 1 : 0`. Removed by `legalize`.
    SgeP,
    /// f32, PICA200: `a < b ? 1 : 0`. Removed by `legalize`.
    SltP,
    /// f32: sum. After `legalize` no operand is a literal ±0 (drivers fold those wrongly).
    Add,
    /// f32: product. After `legalize` no operand is a literal ±0.
    Mul,
    /// f32: quotient.
    Div,
    /// f32: dot product to a scalar, order of the sum unspecified (`fast` only).
    Dot,
    /// f32 to bool, each lane: `a == b`, false for NaN. There is no `!=`: `Not(Equal)` is right for NaN on every driver.
    Equal,
    /// f32 to bool, each lane.
    Less,
    /// f32 to bool, each lane.
    LessEqual,
    /// f32 to bool, each lane.
    Greater,
    /// f32 to bool, each lane.
    GreaterEqual,
    /// bool: and.
    And,
    /// bool: or.
    Or,
    /// i32: wrapping sum.
    IAdd,
    /// i32: wrapping difference.
    ISub,
    /// i32: wrapping product.
    IMul,
    /// i32: bitwise and.
    IAnd,
    /// i32 to bool.
    IEqual,
    /// i32 to bool, signed `a < b`.
    ILess,
    /// i32 to bool, signed `a > b`.
    IGreater,
    /// u32: bitwise and.
    BitAnd,
    /// u32: bitwise or.
    BitOr,
    /// u32: bitwise exclusive or.
    BitXor,
    /// u32: logical shift right.
    ShiftRight,
    /// u32: shift left.
    ShiftLeft,
    /// u32 to bool.
    UEqual,
    /// u32 to bool, unsigned `a < b`.
    ULess,
}

/// What computes a value. Result types: see each operation; the value's [`Type`](super::Type) states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Op {
    /// A literal of the value's type; lanes beyond the type's are 0. Floats by their bits, bools 0 or 1.
    Const([u32; 4]),
    /// Reads something by its number; the types stand in [`Resource::row`].
    Read(Resource),
    /// Reads an element by an i32 scalar that the program computes; the types stand in [`Array::row`].
    ReadAt(Array, Value),
    /// i32: submits a triangle of a geometry program. The arguments are how many triangles there are so far (i32) and, for
    /// each of its three vertices, the outputs, each as f32x4; the result is how many there are then. The one operation that
    /// does something: since it takes and gives the number, and every number is taken once on every path, nothing reorders
    /// triangles, makes one of two or drops one.
    Submit {
        /// The arguments.
        args: ValueList,
    },
    /// Collects lanes (as many as the result has; the others repeat the first). Extracts, swizzles, splats and builds
    /// vectors. All lanes have the result's kind.
    Shuffle([Lane; 4]),
    /// One operand.
    Unary(Unary, Value),
    /// Two operands.
    Binary(Binary, Value, Value),
    /// Each lane: `cond ? a : b`; `cond` is bool with as many lanes as the result.
    Select {
        /// The choice.
        cond: Value,
        /// Where true.
        a: Value,
        /// Where false.
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

/// How a value comes to be.
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
