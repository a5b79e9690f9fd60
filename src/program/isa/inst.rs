//! Decoded instructions: operands resolved through their descriptor, inverted forms made equal to
//! the plain ones.

use super::reg::{Dest, Index, Mask, Pc, Source, Swizzle};

/// A source operand: register, swizzle, then negation of all components.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    /// The register.
    pub register: Source,
    /// The address register added to it; [`Index::None`] unless the register is a uniform.
    pub index: Index,
    /// The swizzle.
    pub swizzle: Swizzle,
    /// All components are negated.
    pub negate: bool,
}

impl Operand {
    /// The value of operands that an instruction does not have.
    pub const UNUSED: Self =
        Self { register: Source::Input(0), index: Index::None, swizzle: Swizzle::XYZW, negate: false };

    /// A register without modifiers; change the other fields with `Operand { negate: true,
    /// ..Operand::new(register) }`.
    pub const fn new(register: Source) -> Self {
        Self { register, ..Self::UNUSED }
    }
}

/// Operations that write a register. [`guide::instructions`](crate::guide::instructions) has the
/// semantics of each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum DataOp {
    /// Sum.
    Add,
    /// Dot product of three components, to all.
    Dp3,
    /// Dot product of four components, to all.
    Dp4,
    /// Dot product with 1 for the first operand's w, to all components.
    Dph,
    /// Distance vector.
    Dst,
    /// Power of two, to all components.
    Ex2,
    /// Base-2 logarithm, to all components.
    Lg2,
    /// Partial lighting; writes the flags too.
    Litp,
    /// Product.
    Mul,
    /// 1 where greater or equal, else 0.
    Sge,
    /// 1 where less, else 0.
    Slt,
    /// Floor.
    Flr,
    /// Larger of two.
    Max,
    /// Smaller of two.
    Min,
    /// Reciprocal of x, to all components.
    Rcp,
    /// Reciprocal square root of x, to all components.
    Rsq,
    /// Copy.
    Mov,
    /// Product, then sum.
    Mad,
    /// Linear interpolation, for tests of the table.
    #[cfg(test)]
    Lrp,
}

/// Control-flow operations; each is a variant of [`Flow`] without its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum FlowOp {
    /// Does nothing.
    Nop,
    /// Ends the program.
    End,
    /// Leaves the innermost loop.
    Break,
    /// `Break`, if a condition on the flags holds.
    BreakC,
    /// Runs a number of words elsewhere, then returns.
    Call,
    /// `Call`, if a condition on the flags holds.
    CallC,
    /// `Call`, if a bool uniform is true.
    CallU,
    /// Selects one of two parts by a bool uniform.
    IfU,
    /// Selects one of two parts by a condition on the flags.
    IfC,
    /// Repeats the following words.
    Loop,
    /// Jumps if a condition on the flags holds.
    JmpC,
    /// Jumps by a bool uniform.
    JmpU,
}

/// Transfer of control if the condition of a control-flow operation holds, or if it has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Move {
    /// To the next word.
    Next,
    /// None: the program ends.
    End,
    /// Out of the innermost loop.
    Break,
    /// To the target, and back to the next word.
    Call,
    /// Through the words up to the target, then over the second part. If the condition fails: to
    /// the target.
    If,
    /// Through the words up to the target, repeatedly.
    Loop,
    /// To the target.
    Jump,
}

impl FlowOp {
    /// The transfer of control.
    #[inline]
    #[doc(hidden)]
    pub const fn moves(self) -> Move {
        match self {
            Self::Nop => Move::Next,
            Self::End => Move::End,
            Self::Break | Self::BreakC => Move::Break,
            Self::Call | Self::CallC | Self::CallU => Move::Call,
            Self::IfU | Self::IfC => Move::If,
            Self::Loop => Move::Loop,
            Self::JmpC | Self::JmpU => Move::Jump,
        }
    }
}

/// A comparison of CMP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum CompareOp {
    /// `==`
    Eq,
    /// `!=` (true for NaN)
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// Always true (code 6).
    True6,
    /// Always true (code 7).
    True7,
}

impl CompareOp {
    /// All comparisons, by their 3-bit code.
    pub const ALL: [Self; 8] =
        [Self::Eq, Self::Ne, Self::Lt, Self::Le, Self::Gt, Self::Ge, Self::True6, Self::True7];

    /// From a 3-bit field.
    #[inline]
    pub fn from_field(bits: u32) -> Self {
        Self::ALL[(bits & 7) as usize]
    }
    /// The name in assembler text.
    pub const fn name(self) -> &'static str {
        ["eq", "ne", "lt", "le", "gt", "ge", "true6", "true7"][self as usize]
    }
    /// Applies the comparison; with a NaN only `!=` holds.
    #[inline]
    pub fn test(self, a: f32, b: f32) -> bool {
        match self {
            Self::Eq => a == b,
            Self::Ne => a != b,
            Self::Lt => a < b,
            Self::Le => a <= b,
            Self::Gt => a > b,
            Self::Ge => a >= b,
            Self::True6 | Self::True7 => true,
        }
    }
}

/// Combination of the two flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum ConditionOp {
    /// Either flag equals its reference.
    Or,
    /// Both flags equal their references.
    And,
    /// `cmp.x` equals its reference.
    X,
    /// `cmp.y` equals its reference.
    Y,
}

impl ConditionOp {
    /// From a 2-bit field.
    #[inline]
    pub fn from_field(bits: u32) -> Self {
        [Self::Or, Self::And, Self::X, Self::Y][(bits & 3) as usize]
    }
}

/// A condition on the flags `cmp.x` and `cmp.y`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Condition {
    /// Combination of the flags.
    pub op: ConditionOp,
    /// Reference value of `cmp.x`.
    pub ref_x: bool,
    /// Reference value of `cmp.y`.
    pub ref_y: bool,
}

impl Condition {
    /// Evaluates the condition.
    #[inline]
    pub fn test(self, x: bool, y: bool) -> bool {
        let (x, y) = (x == self.ref_x, y == self.ref_y);
        match self.op {
            ConditionOp::Or => x || y,
            ConditionOp::And => x && y,
            ConditionOp::X => x,
            ConditionOp::Y => y,
        }
    }
}

/// Control-flow instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flow {
    /// Does nothing.
    Nop,
    /// Ends the program.
    End,
    /// Leaves the innermost loop.
    Break,
    /// Leaves the innermost loop if the condition holds.
    BreakC(Condition),
    /// Runs `length` words from `target`, then returns.
    Call {
        /// First word.
        target: Pc,
        /// Number of words.
        length: u8,
    },
    /// As `Call`, if the condition holds.
    CallC {
        /// The condition.
        condition: Condition,
        /// First word.
        target: Pc,
        /// Number of words.
        length: u8,
    },
    /// As `Call`, if the bool uniform is true.
    CallU {
        /// b0..b15
        bool: u8,
        /// First word.
        target: Pc,
        /// Number of words.
        length: u8,
    },
    /// Then-part from the next word up to `target`, else-part of `length` words from there.
    IfU {
        /// b0..b15
        bool: u8,
        /// First word of the else-part.
        target: Pc,
        /// Length of the else-part.
        length: u8,
    },
    /// As `IfU`, on a condition.
    IfC {
        /// The condition.
        condition: Condition,
        /// First word of the else-part.
        target: Pc,
        /// Length of the else-part.
        length: u8,
    },
    /// Repeats the words up to and including `last`.
    Loop {
        /// i0..i3
        int: u8,
        /// Last word of the body.
        last: Pc,
    },
    /// Jumps if the condition holds.
    JmpC {
        /// The condition.
        condition: Condition,
        /// Target address.
        target: Pc,
    },
    /// Jumps if the bool uniform equals `expected`.
    JmpU {
        /// b0..b15
        bool: u8,
        /// The value that jumps.
        expected: bool,
        /// Target address.
        target: Pc,
    },
}

/// A decoded instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Inst {
    /// Writes the masked components of a register.
    Data {
        /// The operation.
        op: DataOp,
        /// The register written.
        dest: Dest,
        /// The components written.
        mask: Mask,
        /// The sources; [`Operand::UNUSED`] where the operation has none.
        sources: [Operand; 3],
    },
    /// Writes `a0.x` and `a0.y` (mask bits x and y).
    Mova {
        /// The components written.
        mask: Mask,
        /// The operand.
        source: Operand,
    },
    /// Writes both flags.
    Cmp {
        /// Comparison for `cmp.x`.
        x: CompareOp,
        /// Comparison for `cmp.y`.
        y: CompareOp,
        /// The operands.
        sources: [Operand; 2],
    },
    /// Moves the program counter, or ends the program.
    Flow(Flow),
    /// Sends a vertex to the primitive assembler; no effect in vertex programs.
    Emit,
    /// Configures the next EMIT; no effect in vertex programs.
    SetEmit {
        /// Vertex slot, 0..3.
        vertex: u8,
        /// EMIT submits a triangle.
        prim: bool,
        /// The winding of the triangle is reversed.
        invert: bool,
    },
    /// An undefined opcode.
    Unassigned(u8),
}

impl Inst {
    /// An instruction that writes a register. More than three sources are ignored, missing ones are
    /// [`Operand::UNUSED`].
    pub fn data(op: DataOp, dest: Dest, mask: Mask, sources: &[Operand]) -> Self {
        let source = |index: usize| sources.get(index).copied().unwrap_or(Operand::UNUSED);
        Self::Data { op, dest, mask, sources: [source(0), source(1), source(2)] }
    }
}
