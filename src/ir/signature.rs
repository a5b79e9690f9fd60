//! What every one- and two-operand operation is called, takes and gives: one row each.
//! Read by the verifier, the text form, the evaluator and the passes. Knows no arithmetic.

use super::op::{Binary, Op, Unary};
use super::types::{Kind, Type};
use super::{Lane, Value};

/// How the lanes of a result follow from the operands'.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Each lane from the same lanes of the operands.
    Each,
    /// One lane from all lanes of the operands (two to four).
    Dot,
}

/// One row of the operation table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Its word in the text form.
    pub name: &'static str,
    /// Kind of the operands.
    pub operand: Kind,
    /// Kind of the result.
    pub result: Kind,
    /// How lanes correspond.
    pub shape: Shape,
    /// Whether the operands may be exchanged (any NaN counts as the same).
    pub commutes: bool,
    /// Whether `legalize` removes it.
    pub pica: bool,
}

/// Whether a row says "commutes".
macro_rules! flag {
    (commutes) => {
        true
    };
    (ordered) => {
        false
    };
    (pica) => {
        true
    };
    (plain) => {
        false
    };
}

macro_rules! operations {
    ($name:ident: $($variant:ident $word:literal $operand:ident $result:ident $shape:ident $order:ident $stage:ident;)*) => {
        impl $name {
            /// Every operation, in order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Its row.
            #[inline]
            pub const fn signature(self) -> Signature {
                match self {
                    $(Self::$variant => Signature {
                        name: $word,
                        operand: Kind::$operand,
                        result: Kind::$result,
                        shape: Shape::$shape,
                        commutes: flag!($order),
                        pica: flag!($stage),
                    },)*
                }
            }

            /// How lanes correspond.
            #[inline]
            pub const fn shape(self) -> Shape {
                match self {
                    $(Self::$variant => Shape::$shape,)*
                }
            }

            /// Whether the operands may be exchanged (any NaN counts as the same).
            #[inline]
            pub const fn commutes(self) -> bool {
                match self {
                    $(Self::$variant => flag!($order),)*
                }
            }

            /// Type of the result for operands of a type.
            #[inline]
            pub const fn result(self, operand: Type) -> Type {
                let signature = self.signature();
                match signature.shape {
                    Shape::Each => operand.with_kind(signature.result),
                    Shape::Dot => Type::new(signature.result, 1),
                }
            }
        }
    };
}

operations! { Unary:
    RcpP      "rcpp"        F32  F32  Each ordered pica;
    RsqP      "rsqp"        F32  F32  Each ordered pica;
    Exp2P     "exp2p"       F32  F32  Each ordered pica;
    Log2P     "log2p"       F32  F32  Each ordered pica;
    Exp2Portable "exp2_portable" F32 F32 Each ordered pica;
    Log2Portable "log2_portable" F32 F32 Each ordered pica;
    AddressP  "addressp"    F32  I32  Each ordered pica;
    Neg       "neg"         F32  F32  Each ordered plain;
    Abs       "abs"         F32  F32  Each ordered plain;
    Floor     "floor"       F32  F32  Each ordered plain;
    Sqrt      "sqrt"        F32  F32  Each ordered plain;
    Exp2      "exp2"        F32  F32  Each ordered plain;
    Log2      "log2"        F32  F32  Each ordered plain;
    Not       "not"         Bool Bool Each ordered plain;
    ToInt     "to_int"      F32  I32  Each ordered plain;
    ToBits    "to_bits"     F32  U32  Each ordered plain;
    FromBits  "from_bits"   U32  F32  Each ordered plain;
    UintToInt "uint_to_int" U32  I32  Each ordered plain;
    IntToUint "int_to_uint" I32  U32  Each ordered plain;
}

operations! { Binary:
    AddP         "addp"          F32  F32  Each commutes pica;
    MulP         "mulp"          F32  F32  Each commutes pica;
    DotP         "dotp"          F32  F32  Dot  commutes pica;
    MinP         "minp"          F32  F32  Each ordered  pica;
    MaxP         "maxp"          F32  F32  Each ordered  pica;
    SgeP         "sgep"          F32  F32  Each ordered  pica;
    SltP         "sltp"          F32  F32  Each ordered  pica;
    Add          "add"           F32  F32  Each commutes plain;
    Mul          "mul"           F32  F32  Each commutes plain;
    Div          "div"           F32  F32  Each ordered  plain;
    Dot          "dot"           F32  F32  Dot  commutes plain;
    Equal        "equal"         F32  Bool Each commutes plain;
    Less         "less"          F32  Bool Each ordered  plain;
    LessEqual    "less_equal"    F32  Bool Each ordered  plain;
    Greater      "greater"       F32  Bool Each ordered  plain;
    GreaterEqual "greater_equal" F32  Bool Each ordered  plain;
    And          "and"           Bool Bool Each commutes plain;
    Or           "or"            Bool Bool Each commutes plain;
    IAdd         "iadd"          I32  I32  Each commutes plain;
    ISub         "isub"          I32  I32  Each ordered  plain;
    IMul         "imul"          I32  I32  Each commutes plain;
    IAnd         "iand"          I32  I32  Each commutes plain;
    IEqual       "iequal"        I32  Bool Each commutes plain;
    ILess        "iless"         I32  Bool Each ordered  plain;
    IGreater     "igreater"      I32  Bool Each ordered  plain;
    BitAnd       "bit_and"       U32  U32  Each commutes plain;
    BitOr        "bit_or"        U32  U32  Each commutes plain;
    BitXor       "bit_xor"       U32  U32  Each commutes plain;
    ShiftRight   "shift_right"   U32  U32  Each ordered  plain;
    ShiftLeft    "shift_left"    U32  U32  Each ordered  plain;
    UEqual       "uequal"        U32  Bool Each commutes plain;
    ULess        "uless"         U32  Bool Each ordered  plain;
}

impl Op {
    /// Whether `legalize` removes it.
    pub fn is_pica(self) -> bool {
        match self {
            Self::Read(resource) => resource.is_pica(),
            Self::ReadAt(array, _) => array.is_pica(),
            Self::Unary(op, _) => op.signature().pica,
            Self::Binary(op, ..) => op.signature().pica,
            Self::Const(_)
            | Self::Shuffle(_)
            | Self::Select { .. }
            | Self::Submit { .. }
            | Self::Call { .. } => false,
        }
    }

    /// Visits every operand, those of a call or a submission in `pool`, in order. A shuffle's values are visited once for each of its four
    /// lanes.
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

    /// The same operation on other operands; the lanes of a shuffle keep their index. A call's arguments change in `pool`.
    #[inline]
    #[must_use]
    pub fn map(self, pool: &mut [Value], mut map: impl FnMut(Value) -> Value) -> Self {
        match self {
            Self::Const(_) | Self::Read(_) => self,
            Self::ReadAt(array, index) => Self::ReadAt(array, map(index)),
            Self::Shuffle(lanes) => {
                Self::Shuffle(lanes.map(|lane| Lane::new(map(lane.value()), lane.index())))
            }
            Self::Unary(op, a) => Self::Unary(op, map(a)),
            Self::Binary(op, a, b) => Self::Binary(op, map(a), map(b)),
            Self::Select { cond, a, b } => Self::Select { cond: map(cond), a: map(a), b: map(b) },
            Self::Call { args, .. } | Self::Submit { args } => {
                pool[args.range()].iter_mut().for_each(|value| *value = map(*value));
                self
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Passes copy and compare operations all the time.
    #[test]
    fn operations_are_small() {
        assert_eq!(size_of::<Op>(), 20);
        assert_eq!(size_of::<crate::ir::ValueData>(), 28);
    }

    #[test]
    fn every_word_names_one_operation() {
        let mut words: Vec<_> = (Unary::ALL.iter().map(|op| op.signature().name))
            .chain(Binary::ALL.iter().map(|op| op.signature().name))
            .collect();
        let count = words.len();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), count);
    }
}
