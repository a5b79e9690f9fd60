//! Operators and functions of the languages: one row for each operation of the IR.
//! Facts: WGSL's expression grammar (`&`, `|`, `^` and shifts take unary operands, comparisons do
//! not chain, `&&` and `||` do not mix). GLSL binds as C does.

use crate::ir::{Binary, Unary};

/// Binding strength of an expression, ascending.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// `c ? a : b`
    Choice,
    /// `a || b`
    Or,
    /// `a && b`
    And,
    /// `a < b`
    Relation,
    /// `a | b`, `a ^ b`, `a & b`, `a >> b`: operands in parentheses unless unary.
    Bits,
    /// `a + b`
    Sum,
    /// `a * b`
    Product,
    /// `-a`
    Unary,
    /// `a.x`, `f(a)`, `1.0`
    Primary,
}

/// Form of an operator on vectors in GLSL; WGSL's take vectors.
#[derive(Clone, Copy)]
pub enum OnVectors {
    /// By the operator.
    Operator,
    /// By a function of the language.
    Function(&'static str),
    /// By a function of ours.
    Helper(Helper),
}

/// Functions on vectors that GLSL lacks and the text defines. They work lane by lane.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Helper {
    /// `a && b`
    Both,
    /// `a || b`
    Either,
    /// `c ? b : a`, for what `mix` does not take.
    Choose,
}

impl Helper {
    /// All helpers with their names and their expressions for lane `L`.
    pub const ALL: [(Self, &'static str, &'static str); 3] = [
        (Self::Both, "both", "a.L && b.L"),
        (Self::Either, "either", "a.L || b.L"),
        (Self::Choose, "choose", "c.L ? b.L : a.L"),
    ];
}

/// An operator between two operands.
#[derive(Clone, Copy)]
pub struct Operator {
    /// With spaces around it.
    pub text: &'static str,
    /// Level of the result.
    pub level: Level,
    /// Levels that the operands need.
    pub operands: [Level; 2],
    /// The opposite of a comparison. Float comparisons have none: NaN compares false either way.
    pub opposite: Option<&'static str>,
    pub on_vectors: OnVectors,
}

impl Operator {
    const fn new(text: &'static str, level: Level, operands: [Level; 2]) -> Self {
        Self { text, level, operands, opposite: None, on_vectors: OnVectors::Operator }
    }
    const fn bits(text: &'static str) -> Self {
        Self::new(text, Level::Bits, [Level::Unary; 2])
    }
    const fn comparison(text: &'static str, function: &'static str, opposite: Option<&'static str>) -> Self {
        let operands = [Level::Sum, Level::Sum];
        Self { text, level: Level::Relation, operands, opposite, on_vectors: OnVectors::Function(function) }
    }
}

/// Returns the operator of an operation on this number of lanes, or `None` for a function.
pub const fn operator(op: Binary, lanes: u8) -> Option<Operator> {
    use Level::{And, Or, Product, Relation, Sum, Unary};
    Some(match op {
        Binary::Add | Binary::IAdd | Binary::UAdd => Operator::new(" + ", Sum, [Sum, Product]),
        Binary::ISub | Binary::USub => Operator::new(" - ", Sum, [Sum, Product]),
        Binary::Mul | Binary::IMul | Binary::UMul => Operator::new(" * ", Product, [Product, Unary]),
        Binary::Div => Operator::new(" / ", Product, [Product, Unary]),
        Binary::Equal => Operator::comparison(" == ", "equal", None),
        Binary::IEqual | Binary::UEqual => Operator::comparison(" == ", "equal", Some(" != ")),
        Binary::Less => Operator::comparison(" < ", "lessThan", None),
        Binary::ILess | Binary::ULess => Operator::comparison(" < ", "lessThan", Some(" >= ")),
        Binary::LessEqual => Operator::comparison(" <= ", "lessThanEqual", None),
        Binary::Greater => Operator::comparison(" > ", "greaterThan", None),
        Binary::IGreater => Operator::comparison(" > ", "greaterThan", Some(" <= ")),
        Binary::GreaterEqual => Operator::comparison(" >= ", "greaterThanEqual", None),
        Binary::And if lanes == 1 => Operator::new(" && ", And, [And, Relation]),
        Binary::Or if lanes == 1 => Operator::new(" || ", Or, [Or, Relation]),
        Binary::And => Operator { on_vectors: OnVectors::Helper(Helper::Both), ..Operator::bits(" & ") },
        Binary::Or => Operator { on_vectors: OnVectors::Helper(Helper::Either), ..Operator::bits(" | ") },
        Binary::IAnd | Binary::BitAnd => Operator::bits(" & "),
        Binary::BitOr => Operator::bits(" | "),
        Binary::BitXor => Operator::bits(" ^ "),
        Binary::ShiftRight => Operator::bits(" >> "),
        Binary::ShiftLeft => Operator::bits(" << "),
        _function_or_pica => return None,
    })
}

/// Returns the function of an operation that has no operator, or `None` if `legalize` removes it.
pub const fn function(op: Binary) -> Option<&'static str> {
    match op {
        Binary::Dot => Some("dot"),
        Binary::Min => Some("min"),
        Binary::Max => Some("max"),
        _operator_or_pica => None,
    }
}

/// Spelling of an operation on one operand.
#[derive(Clone, Copy)]
pub enum Notation {
    /// A function of this name.
    Function(&'static str),
    /// A function of these names in WGSL and GLSL.
    Named([&'static str; 2]),
    /// A character before the operand.
    Prefix(char),
    /// The name of the type as a function.
    Constructor,
    /// The same bits as another type, by this function of GLSL and `bitcast` of WGSL.
    Bits(&'static str),
}

/// Returns the spelling of an operation, or `None` for those that no draft has.
pub const fn notation(op: Unary) -> Option<Notation> {
    Some(match op {
        Unary::Abs => Notation::Function("abs"),
        Unary::Floor => Notation::Function("floor"),
        Unary::InverseSqrt => Notation::Named(["inverseSqrt", "inversesqrt"]),
        Unary::Sqrt => Notation::Function("sqrt"),
        Unary::Exp2 => Notation::Function("exp2"),
        Unary::Log2 => Notation::Function("log2"),
        Unary::Neg => Notation::Prefix('-'),
        Unary::Not => Notation::Prefix('!'),
        Unary::ToInt | Unary::ToFloat | Unary::UintToInt | Unary::IntToUint => Notation::Constructor,
        Unary::ToBits => Notation::Bits("floatBitsToUint"),
        Unary::FromBits => Notation::Bits("uintBitsToFloat"),
        // Drafts contain the steps of a test for NaN.
        _steps_or_pica => return None,
    })
}
