//! The table of the one- and two-operand operations: a row says name, meaning, kinds, how lanes
//! correspond, and the domain. The enumerations are made from the rows. Read by
//! the verifier, the text form, the evaluator, the passes and `ir/README.md`. Knows no arithmetic.

use crate::ir::types::{ScalarKind, Type};

/// Correspondence of the lanes of results and operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Each lane from the same lanes of the operands.
    Each,
    /// One lane from all lanes of the operands (two to four).
    Dot,
}

/// Kind of the result of an operation, and whose rules it follows. Passes ask for it where a rule
/// holds for many operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Domain {
    /// Floats by the rules of the PICA200; `legalize` removes them.
    Pica,
    /// Floats as the driver computes them.
    Driver,
    /// Truth values from numbers of one kind.
    Compare,
    /// Truth values from truth values.
    Logic,
    /// Integers.
    Int,
    /// Bit patterns.
    Bits,
    /// A number of one kind from a number of another.
    Convert,
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
    /// Domain.
    pub domain: Domain,
}

/// The flags that the words of a row stand for.
macro_rules! flag {
    (commutes) => {
        true
    };
    (ordered) => {
        false
    };
}

macro_rules! operations {
    (
        #[doc = $about:literal]
        $name:ident
        $(
            #[doc = $meaning:literal]
            $variant:ident $word:literal $operand:ident $result:ident $shape:ident $order:ident $domain:ident;
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
                domain: Domain::$domain,
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

            /// Domain.
            #[inline]
            pub const fn domain(self) -> Domain {
                self.signature().domain
            }

            /// Returns whether `legalize` removes it.
            #[inline]
            pub fn is_pica(self) -> bool {
                self.domain() == Domain::Pica
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
    RcpP         "rcpp"          F32  F32  Each ordered  Pica;
    /// 1/sqrt(x); ±0 gives +inf.
    RsqP         "rsqp"          F32  F32  Each ordered  Pica;
    /// 2^x, by the polynomial of `precision::portable`.
    Exp2P        "exp2p"         F32  F32  Each ordered  Pica;
    /// log2(x), by the polynomial of `precision::portable`.
    Log2P        "log2p"         F32  F32  Each ordered  Pica;
    /// The conversion of MOVA: truncates; 0 for NaN and outside a signed byte.
    AddressP     "addressp"      F32  I32  Each ordered  Pica;
    /// Sign bit flipped.
    Neg          "neg"           F32  F32  Each ordered  Driver;
    /// Sign bit cleared.
    Abs          "abs"           F32  F32  Each ordered  Driver;
    /// Largest integer not above.
    Floor        "floor"         F32  F32  Each ordered  Driver;
    /// 1/sqrt(x), about.
    InverseSqrt  "inverse_sqrt"  F32  F32  Each ordered  Driver;
    /// Square root.
    Sqrt         "sqrt"          F32  F32  Each ordered  Driver;
    /// 2^x.
    Exp2         "exp2"          F32  F32  Each ordered  Driver;
    /// log2(x).
    Log2         "log2"          F32  F32  Each ordered  Driver;
    /// Returns whether it is NaN.
    IsNan        "is_nan"        F32  Bool Each ordered  Compare;
    /// Logical not.
    Not          "not"           Bool Bool Each ordered  Logic;
    /// Truncation; the operand is finite and in range.
    ToInt        "to_int"        F32  I32  Each ordered  Convert;
    /// The number, rounded.
    ToFloat      "to_float"      I32  F32  Each ordered  Convert;
    /// The same bits.
    ToBits       "to_bits"       F32  U32  Each ordered  Convert;
    /// The same bits.
    FromBits     "from_bits"     U32  F32  Each ordered  Convert;
    /// The same bits.
    UintToInt    "uint_to_int"   U32  I32  Each ordered  Convert;
    /// The same bits.
    IntToUint    "int_to_uint"   I32  U32  Each ordered  Convert;
}

operations! {
    /// Two-operand operations; operands have the same type.
    Binary
    /// Sum.
    AddP         "addp"          F32  F32  Each commutes Pica;
    /// Product; inf · 0 = 0.
    MulP         "mulp"          F32  F32  Each commutes Pica;
    /// Dot product of 2 to 4 lanes: PICA200 products, summed left to right.
    DotP         "dotp"          F32  F32  Dot  commutes Pica;
    /// `a < b ? a : b`.
    MinP         "minp"          F32  F32  Each ordered  Pica;
    /// `a > b ? a : b`.
    MaxP         "maxp"          F32  F32  Each ordered  Pica;
    /// `a >= b ? 1 : 0`.
    SgeP         "sgep"          F32  F32  Each ordered  Pica;
    /// `a < b ? 1 : 0`.
    SltP         "sltp"          F32  F32  Each ordered  Pica;
    /// Sum. After `legalize` no operand is a constant ±0: drivers fold those wrongly.
    Add          "add"           F32  F32  Each commutes Driver;
    /// Product. After `legalize` no operand is a constant ±0.
    Mul          "mul"           F32  F32  Each commutes Driver;
    /// The lesser; either where one is NaN or both are zero. Drivers have an instruction for it.
    Min          "min"           F32  F32  Each ordered  Driver;
    /// The greater; either where one is NaN or both are zero.
    Max          "max"           F32  F32  Each ordered  Driver;
    /// Quotient.
    Div          "div"           F32  F32  Each ordered  Driver;
    /// Dot product of 2 to 4 lanes, order of the sum unspecified (`fast` only).
    Dot          "dot"           F32  F32  Dot  commutes Driver;
    /// `a == b`, false for NaN. There is no `!=`: `Not(Equal)` is right for NaN on every driver.
    Equal        "equal"         F32  Bool Each commutes Compare;
    /// `a < b`.
    Less         "less"          F32  Bool Each ordered  Compare;
    /// `a <= b`.
    LessEqual    "less_equal"    F32  Bool Each ordered  Compare;
    /// `a > b`.
    Greater      "greater"       F32  Bool Each ordered  Compare;
    /// `a >= b`.
    GreaterEqual "greater_equal" F32  Bool Each ordered  Compare;
    /// Logical and.
    And          "and"           Bool Bool Each commutes Logic;
    /// Logical or.
    Or           "or"            Bool Bool Each commutes Logic;
    /// Wrapping sum.
    IAdd         "iadd"          I32  I32  Each commutes Int;
    /// Wrapping difference.
    ISub         "isub"          I32  I32  Each ordered  Int;
    /// Wrapping product.
    IMul         "imul"          I32  I32  Each commutes Int;
    /// Bitwise and.
    IAnd         "iand"          I32  I32  Each commutes Int;
    /// `a == b`.
    IEqual       "iequal"        I32  Bool Each commutes Compare;
    /// `a < b`, signed.
    ILess        "iless"         I32  Bool Each ordered  Compare;
    /// `a > b`, signed.
    IGreater     "igreater"      I32  Bool Each ordered  Compare;
    /// Wrapping sum.
    UAdd         "uadd"          U32  U32  Each commutes Bits;
    /// Wrapping difference.
    USub         "usub"          U32  U32  Each ordered  Bits;
    /// Wrapping product.
    UMul         "umul"          U32  U32  Each commutes Bits;
    /// Bitwise and.
    BitAnd       "bit_and"       U32  U32  Each commutes Bits;
    /// Bitwise or.
    BitOr        "bit_or"        U32  U32  Each commutes Bits;
    /// Bitwise exclusive or.
    BitXor       "bit_xor"       U32  U32  Each commutes Bits;
    /// Logical shift right.
    ShiftRight   "shift_right"   U32  U32  Each ordered  Bits;
    /// Shift left.
    ShiftLeft    "shift_left"    U32  U32  Each ordered  Bits;
    /// `a == b`.
    UEqual       "uequal"        U32  Bool Each commutes Compare;
    /// `a < b`, unsigned.
    ULess        "uless"         U32  Bool Each ordered  Compare;
}

impl Binary {
    /// Returns the comparison of a choice of the lesser or greater operand, `a < b ? a : b` or
    /// `a > b ? a : b`, or `None` for other operations.
    pub fn choice(self) -> Option<Self> {
        match self {
            Self::MinP | Self::Min => Some(Self::Less),
            Self::MaxP | Self::Max => Some(Self::Greater),
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
