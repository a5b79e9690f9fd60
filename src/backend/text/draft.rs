//! A function as a list of lines and the expressions in them, in the order of the text.
//! In: pieces from `region`, `operations` and `entry`. Out: a [`Draft`] for `inline` and `print`.
//! Knows no syntax.
//!
//! Nothing here is inlined or named yet. An expression is a [`Node`]; whatever only selects lanes,
//! repeats a scalar, is a constant or a negation is no node but a [`View`] of one, written anew at
//! each use: `r1.xyz` reads better than a name for it.

use crate::host::DrawField;
use crate::host::HostField;
use crate::ir::{Binary, Hint, HintRegister, Kind, Type, Unary, Value};

/// An expression: index into [`Draft::nodes`].
pub type Expr = u32;
/// A local variable: index into [`Draft::variables`].
pub type Variable = u32;

/// The way in which an operand is made of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum View {
    /// The expression.
    Whole(Expr),
    /// These lanes of it, as many as the operand has.
    Lanes(Expr, [u8; 4]),
    /// The scalar expression in each lane.
    Splat(Expr),
    /// The negation of a scalar condition, or of a lane of a vector of them.
    Not(Expr, Option<u8>),
    /// Constants; floats are finite.
    Const([u32; 4]),
}

impl View {
    /// The expression.
    pub const fn expr(self) -> Option<Expr> {
        match self {
            Self::Whole(expr) | Self::Lanes(expr, _) | Self::Splat(expr) | Self::Not(expr, _) => Some(expr),
            Self::Const(_) => None,
        }
    }
    /// The negation of a scalar condition.
    pub const fn negated(self) -> Self {
        match self {
            Self::Not(expr, None) => Self::Whole(expr),
            Self::Not(expr, Some(lane)) => Self::Lanes(expr, [lane; 4]),
            Self::Whole(expr) | Self::Splat(expr) => Self::Not(expr, None),
            Self::Lanes(expr, [lane, ..]) => Self::Not(expr, Some(lane)),
            Self::Const([bit, ..]) => Self::Const([1 - (bit & 1), 0, 0, 0]),
        }
    }
}

/// An operand of an expression or of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operand {
    /// Its value.
    pub view: View,
    /// Its type.
    pub ty: Type,
}

/// The operation of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Content of a local variable here.
    Variable(Variable),
    /// Float that is no number, made of the bits in a variable: no language has a constant for it.
    NotFinite(Variable),
    Unary(Unary),
    Binary(Binary),
    /// Condition, value where true, value where false.
    Select,
    /// Vector of parts.
    Build,
    /// Call of a helper.
    Call(u16),
    /// Integers as floats.
    Float,
    /// Argument of the function.
    Argument(u8),
    /// Specialisation constant.
    Specialized(u8),
    /// Memory that does not change, but for [`Source::State`]; by an index where there is an
    /// operand.
    Read(Source),
    /// Index of this invocation.
    Invocation,
    /// Index of this invocation as an i32.
    Thread,
    /// Number of vertices in the output buffer.
    Length,
}

impl Form {
    /// It has a place where it is evaluated, so that it could get a name there. All else
    /// never changes and is written at each use.
    pub const fn is_evaluated(self) -> bool {
        match self {
            Self::Argument(_) | Self::Specialized(_) | Self::Invocation => false,
            Self::Read(source) => source.is_evaluated(),
            Self::Variable(_)
            | Self::NotFinite(_)
            | Self::Unary(_)
            | Self::Binary(_)
            | Self::Select
            | Self::Build
            | Self::Call(_)
            | Self::Float
            | Self::Thread
            | Self::Length => true,
        }
    }
    /// Returns whether it only reads memory.
    pub const fn is_read(self) -> bool {
        matches!(self, Self::Variable(_) | Self::Argument(_) | Self::Specialized(_) | Self::Read(_))
    }
}

/// Memory outside of the function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Member of the uniform block that is no array.
    Member(u16),
    /// Element of an array member of the uniform block.
    Element(u16, u16),
    /// Element of an array member of the uniform block, by an index.
    ElementAt(u16),
    /// Field of the host block.
    Host(HostField),
    /// Member of the block of draw parameters.
    Draw(DrawField),
    /// Number of the first thread of a dispatch.
    FirstThread,
    /// The feed of a geometry program.
    Feed,
    /// The state of a geometry program.
    State,
    /// Register of this invocation's vertex.
    Input(u8),
}

impl Source {
    /// Returns whether it is a buffer, or needs an index that is evaluated.
    const fn is_evaluated(self) -> bool {
        match self {
            Self::ElementAt(_) | Self::Feed | Self::State | Self::Input(_) => true,
            Self::Member(_) | Self::Element(..) | Self::Host(_) | Self::Draw(_) | Self::FirstThread => false,
        }
    }
}

/// The source of a name, should an expression get one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// The register of a value, or else its form.
    Hint(Hint),
    /// This word.
    Word(&'static str),
    /// An output of the interface.
    Output(u16),
}

/// The label of what came from no register.
pub const PLAIN: Label = Label::Hint(Hint { register: HintRegister::None, mask: 0 });

/// An expression.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub form: Form,
    /// Of the elements, where it is an array.
    pub ty: Type,
    /// First operand in [`Draft::operands`], and how many there are.
    pub first: u32,
    pub count: u16,
    pub label: Label,
}

/// The target of a store.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    Variable(Variable),
    /// Register of this invocation's vertex in the output buffer.
    Output(u8),
    /// Element of the named buffer.
    Element(&'static str, Operand),
}

/// A line of the text, or the evaluation of an expression, which is a line only if that gets a
/// name.
#[derive(Clone, Copy, Debug)]
pub enum Line {
    Evaluate(Expr),
    Store {
        place: Place,
        value: Operand,
    },
    If {
        condition: Operand,
    },
    /// Ends the first arm of an `If` and begins the second.
    Else,
    /// `is_left`: by a `Break`.
    Loop {
        is_left: bool,
    },
    /// `continues`: has a `Continue` for the loop around.
    Switch {
        selector: Operand,
        continues: bool,
    },
    /// A case with these values: range of [`Draft::values`].
    Case {
        first: u32,
        count: u32,
    },
    Default,
    /// Ends an `If`, a `Loop`, a `Switch`, a `Case` or a `Default`.
    End,
    Break,
    Continue,
    /// Returns from a function without a result.
    Leave,
    /// Returns from a helper.
    Return(Operand),
    /// Returns the outputs of the interface, or zeros where there is none: range of
    /// [`Draft::operands`].
    Outputs {
        first: u32,
        count: u32,
    },
}

/// A local variable.
#[derive(Clone, Copy, Debug)]
pub struct Local {
    pub label: Label,
    pub ty: Type,
    /// Its bits, where it never changes.
    pub bits: Option<u32>,
}

/// A function.
#[derive(Debug, Default)]
pub struct Draft {
    pub nodes: Vec<Node>,
    pub operands: Vec<Operand>,
    pub lines: Vec<Line>,
    pub variables: Vec<Local>,
    /// Values of cases.
    pub values: Vec<i32>,
}

impl Draft {
    /// Empties it and keeps its memory.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.operands.clear();
        self.lines.clear();
        self.variables.clear();
        self.values.clear();
    }

    /// Operands of an expression.
    #[inline]
    pub fn operands(&self, expr: Expr) -> &[Operand] {
        let node = &self.nodes[expr as usize];
        self.list(node.first, node.count.into())
    }

    /// A range of the operands.
    #[inline]
    pub fn list(&self, first: u32, count: u32) -> &[Operand] {
        &self.operands[first as usize..][..count as usize]
    }

    /// Adds operands; gives the first.
    pub fn add_operands(&mut self, operands: &[Operand]) -> u32 {
        self.operands.extend_from_slice(operands);
        (self.operands.len() - operands.len()) as u32
    }

    /// Adds an expression that is evaluated here.
    pub fn add(&mut self, form: Form, ty: Type, operands: &[Operand], label: Label) -> Expr {
        let expr = self.nodes.len() as u32;
        let first = self.add_operands(operands);
        self.nodes.push(Node { form, ty, first, count: operands.len() as u16, label });
        if form.is_evaluated() {
            self.lines.push(Line::Evaluate(expr));
        }
        expr
    }
}

/// An expression as an operand.
pub const fn whole(expr: Expr, ty: Type) -> Operand {
    Operand { view: View::Whole(expr), ty }
}

/// An integer constant.
pub const fn int(value: u32) -> Operand {
    Operand { view: View::Const([value, 0, 0, 0]), ty: Type::I32 }
}

/// The error of a value that has no definition here.
pub fn undefined(value: Value) -> crate::error::Error {
    crate::backend::interface::defect(format!("{value} is used before it is defined"))
}

/// Returns whether a constant of this kind can be written.
pub fn is_finite(kind: Kind, bits: u32) -> bool {
    kind != Kind::F32 || f32::from_bits(bits).is_finite()
}
