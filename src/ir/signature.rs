//! The table of the one- and two-operand operations: a row says name, meaning, kinds, how lanes
//! correspond, and whether `legalize` removes it. The enumerations are made from the rows. Read by
//! the verifier, the text form, the evaluator, the passes and `ir/README.md`. Knows no arithmetic.

use super::types::{ScalarKind, Type};

/// Correspondence of the lanes of a result to those of the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Each lane from the same lanes of the operands.
    Each,
    /// One lane from all lanes of the operands (two to four).
    Dot,
}

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Its word in the text form.
    pub name: &'static str,
    /// Its semantics in words.
    pub meaning: &'static str,
    /// Kind of the operands.
    pub operand: ScalarKind,
    /// Kind of the result.
    pub result: ScalarKind,
    /// Correspondence of lanes.
    pub shape: Shape,
    /// The operands may be exchanged (any NaN counts as the same).
    pub commutes: bool,
    /// PICA200 arithmetic, which `legalize` removes.
    pub pica: bool,
}

/// The flags that the words of a row stand for.
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
    (
        #[doc = $about:literal]
        $name:ident
        $(
            #[doc = $meaning:literal]
            $variant:ident $word:literal $operand:ident $result:ident $shape:ident $order:ident $stage:ident;
        )*
    ) => {
        #[doc = $about]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name {
            $(#[doc = $meaning] $variant,)*
        }

        impl $name {
            /// Every operation, in order of declaration.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            const ROWS: &'static [Signature] = &[$(Signature {
                name: $word,
                meaning: $meaning,
                operand: ScalarKind::$operand,
                result: ScalarKind::$result,
                shape: Shape::$shape,
                commutes: flag!($order),
                pica: flag!($stage),
            }),*];

            /// Its row.
            #[inline]
            pub const fn signature(self) -> &'static Signature {
                &Self::ROWS[self as usize]
            }

            /// Correspondence of lanes.
            #[inline]
            pub const fn shape(self) -> Shape {
                self.signature().shape
            }

            /// Returns whether the operands may be exchanged (any NaN counts as the same).
            #[inline]
            pub const fn commutes(self) -> bool {
                self.signature().commutes
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

operations! {
    /// One-operand operations; the result has as many lanes as the operand.
    Unary
    /// 1/x; ±0 gives +inf.
    RcpP         "rcpp"          F32  F32  Each ordered  pica;
    /// 1/sqrt(x); ±0 gives +inf.
    RsqP         "rsqp"          F32  F32  Each ordered  pica;
    /// 2^x.
    Exp2P        "exp2p"         F32  F32  Each ordered  pica;
    /// log2(x).
    Log2P        "log2p"         F32  F32  Each ordered  pica;
    /// 2^x, as `precision::portable` computes it.
    Exp2Portable "exp2_portable" F32  F32  Each ordered  pica;
    /// log2(x), as `precision::portable` computes it.
    Log2Portable "log2_portable" F32  F32  Each ordered  pica;
    /// The conversion of MOVA: truncates; 0 for NaN and outside of a signed byte.
    AddressP     "addressp"      F32  I32  Each ordered  pica;
    /// Sign bit flipped.
    Neg          "neg"           F32  F32  Each ordered  plain;
    /// Sign bit cleared.
    Abs          "abs"           F32  F32  Each ordered  plain;
    /// Largest integer not above.
    Floor        "floor"         F32  F32  Each ordered  plain;
    /// Square root.
    Sqrt         "sqrt"          F32  F32  Each ordered  plain;
    /// 2^x.
    Exp2         "exp2"          F32  F32  Each ordered  plain;
    /// log2(x).
    Log2         "log2"          F32  F32  Each ordered  plain;
    /// Returns whether it is NaN.
    IsNan        "is_nan"        F32  Bool Each ordered  plain;
    /// Logical not.
    Not          "not"           Bool Bool Each ordered  plain;
    /// Truncation; the operand is finite and in range.
    ToInt        "to_int"        F32  I32  Each ordered  plain;
    /// The same bits.
    ToBits       "to_bits"       F32  U32  Each ordered  plain;
    /// The same bits.
    FromBits     "from_bits"     U32  F32  Each ordered  plain;
    /// The same bits.
    UintToInt    "uint_to_int"   U32  I32  Each ordered  plain;
    /// The same bits.
    IntToUint    "int_to_uint"   I32  U32  Each ordered  plain;
}

operations! {
    /// Two-operand operations; operands have the same type.
    Binary
    /// Sum.
    AddP         "addp"          F32  F32  Each commutes pica;
    /// Product; inf · 0 = 0.
    MulP         "mulp"          F32  F32  Each commutes pica;
    /// Dot product of 2 to 4 lanes: PICA200 products, summed left to right.
    DotP         "dotp"          F32  F32  Dot  commutes pica;
    /// `a < b ? a : b`.
    MinP         "minp"          F32  F32  Each ordered  pica;
    /// `a > b ? a : b`.
    MaxP         "maxp"          F32  F32  Each ordered  pica;
    /// `a >= b ? 1 : 0`.
    SgeP         "sgep"          F32  F32  Each ordered  pica;
    /// `a < b ? 1 : 0`.
    SltP         "sltp"          F32  F32  Each ordered  pica;
    /// Sum. After `legalize` no operand is a constant ±0: drivers fold those wrongly.
    Add          "add"           F32  F32  Each commutes plain;
    /// Product. After `legalize` no operand is a constant ±0.
    Mul          "mul"           F32  F32  Each commutes plain;
    /// The lesser; either where one is NaN or both are zero. Drivers have an instruction for it.
    Min          "min"           F32  F32  Each ordered  plain;
    /// The greater; either where one is NaN or both are zero.
    Max          "max"           F32  F32  Each ordered  plain;
    /// The lesser; the second where the first is NaN. The second is no NaN.
    NMin         "nmin"          F32  F32  Each ordered  plain;
    /// The greater; the second where the first is NaN. The second is no NaN.
    NMax         "nmax"          F32  F32  Each ordered  plain;
    /// Quotient.
    Div          "div"           F32  F32  Each ordered  plain;
    /// Dot product of 2 to 4 lanes, order of the sum unspecified (`fast` only).
    Dot          "dot"           F32  F32  Dot  commutes plain;
    /// `a == b`, false for NaN. There is no `!=`: `Not(Equal)` is right for NaN on every driver.
    Equal        "equal"         F32  Bool Each commutes plain;
    /// `a < b`.
    Less         "less"          F32  Bool Each ordered  plain;
    /// `a <= b`.
    LessEqual    "less_equal"    F32  Bool Each ordered  plain;
    /// `a > b`.
    Greater      "greater"       F32  Bool Each ordered  plain;
    /// `a >= b`.
    GreaterEqual "greater_equal" F32  Bool Each ordered  plain;
    /// Logical and.
    And          "and"           Bool Bool Each commutes plain;
    /// Logical or.
    Or           "or"            Bool Bool Each commutes plain;
    /// Wrapping sum.
    IAdd         "iadd"          I32  I32  Each commutes plain;
    /// Wrapping difference.
    ISub         "isub"          I32  I32  Each ordered  plain;
    /// Wrapping product.
    IMul         "imul"          I32  I32  Each commutes plain;
    /// Bitwise and.
    IAnd         "iand"          I32  I32  Each commutes plain;
    /// `a == b`.
    IEqual       "iequal"        I32  Bool Each commutes plain;
    /// `a < b`, signed.
    ILess        "iless"         I32  Bool Each ordered  plain;
    /// `a > b`, signed.
    IGreater     "igreater"      I32  Bool Each ordered  plain;
    /// Bitwise and.
    BitAnd       "bit_and"       U32  U32  Each commutes plain;
    /// Bitwise or.
    BitOr        "bit_or"        U32  U32  Each commutes plain;
    /// Bitwise exclusive or.
    BitXor       "bit_xor"       U32  U32  Each commutes plain;
    /// Logical shift right.
    ShiftRight   "shift_right"   U32  U32  Each ordered  plain;
    /// Shift left.
    ShiftLeft    "shift_left"    U32  U32  Each ordered  plain;
    /// `a == b`.
    UEqual       "uequal"        U32  Bool Each commutes plain;
    /// `a < b`, unsigned.
    ULess        "uless"         U32  Bool Each ordered  plain;
}

impl Binary {
    /// Returns the comparison of a choice of the lesser or greater operand, `a < b ? a : b` or
    /// `a > b ? a : b`; none for other operations.
    pub fn choice(self) -> Option<Self> {
        match self {
            Self::MinP | Self::Min | Self::NMin => Some(Self::Less),
            Self::MaxP | Self::Max | Self::NMax => Some(Self::Greater),
            _other => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
