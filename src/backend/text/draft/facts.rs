//! Findings about the expressions of a draft, by the question that they answer, and the decisions
//! of `inline`.
//! In: nothing; `uses` and `stores` fill them in. Knows no lines and no expressions but by number.

use crate::backend::text::names::Word;

/// An expression: index into [`Draft::nodes`](super::Draft) and its facts.
pub type Expr = u32;
/// A local variable: index into the variables of a [`Draft`](super::Draft).
pub type Variable = u32;

/// No line, no expression, no store.
pub const NONE: u32 = u32::MAX;

/// Length and depth of an expression, and whether there is arithmetic on floats in it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Size {
    pub length: u32,
    pub depth: u8,
    pub is_exact: bool,
}

/// Size of nothing.
const EMPTY: Size = Size { length: 0, depth: 0, is_exact: false };

/// Evaluation of an expression.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The one line.
    pub at: u32,
    /// Block of that line.
    pub block: u32,
    /// Innermost loop around it; 0 outside all.
    pub home: u32,
}

/// Uses of an expression.
#[derive(Clone, Copy, Debug)]
pub struct Uses {
    pub count: u32,
    /// No use comes before this line.
    pub first: u32,
    /// Last line that may contain its text.
    pub last: u32,
    /// The last expression that uses it.
    pub user: u32,
    /// The last of its spans.
    pub spans: u32,
}

/// Facts about an expression.
#[derive(Clone, Copy, Debug)]
pub struct Fact {
    pub place: Place,
    pub uses: Uses,
    /// The first store of it.
    pub store: u32,
    /// Used in a loop other than its own.
    pub crosses: bool,
    /// `stored_between` may ask where it is used.
    pub has_spans: bool,
    /// Named by the variable of that store afterwards.
    pub is_kept: bool,
    /// Name, unless it is inlined; `inline` decides.
    pub name: Word,
    pub size: Size,
    /// Size of what is written where it is used: its name, or itself.
    pub written: Size,
}

impl Fact {
    /// Facts of an expression that no line has.
    pub const NEW: Self = Self {
        place: Place { at: NONE, block: 0, home: 0 },
        uses: Uses { count: 0, first: NONE, last: 0, user: NONE, spans: NONE },
        store: NONE,
        crosses: false,
        has_spans: false,
        is_kept: false,
        name: Word::NONE,
        size: EMPTY,
        written: EMPTY,
    };
    /// Returns whether it has a name.
    pub fn is_named(&self) -> bool {
        self.name != Word::NONE
    }
    /// Returns whether a line declares its name.
    pub fn has_line(&self) -> bool {
        self.is_named() && !self.is_kept
    }
}

/// First and last line that may contain one use, and the previous span of the same expression.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    pub first: u32,
    pub last: u32,
    pub previous: u32,
}

/// A store to a variable, and the previous store to it.
#[derive(Clone, Copy, Debug)]
pub struct Store {
    pub variable: Variable,
    pub at: u32,
    pub block: u32,
    pub previous: u32,
}

/// Place of the declaration of a variable.
#[derive(Clone, Copy, Debug)]
pub struct Declaration {
    /// Before this line, or by it.
    pub at: u32,
    pub variable: Variable,
    /// The line is the store that gives the first value.
    pub by_store: bool,
}
