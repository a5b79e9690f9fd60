//! A function as a list of lines and the expressions in them, in the order of the text.
//! In: pieces from `region`, `operations` and `entry`, then decisions of `uses` and `inline`.
//! Out: a [`Draft`] for `print`. Knows no syntax.
//!
//! The builder inlines and names nothing. An expression is a [`Node`]; whatever only selects lanes,
//! repeats a scalar, is a constant or a negation is not a node but a [`View`] of one, written anew
//! at each use: `r1.xyz` reads better than a name for it.

pub mod facts;
pub mod inline;
pub mod scopes;
mod stores;
mod uses;

use self::facts::{Declaration, Fact, NONE, Span, Store};
use self::scopes::Scopes;
use super::names::{Name, Word, Words};
use crate::error::Error;
use crate::ir::{Binary, Hint, HintRegister, ScalarKind, Type, Unary, Value};

pub use self::facts::{Expr, Variable};

/// Relation of an operand to an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum View {
    /// The expression.
    Whole(Expr),
    /// These lanes of it, as many as the operand has.
    Lanes(Expr, Pattern),
    /// The scalar expression in each lane.
    Splat(Expr),
    /// The negation of a scalar condition, or of a lane of a vector of them.
    Not(Expr, Option<u8>),
    /// A constant in each lane; floats are finite.
    Const(u32),
    /// Constants that are not all equal, by their number in [`Draft::constants`].
    Consts(u32),
    /// Constants that are not all finite. A value may have them, but no operand.
    NotFinite(u32),
}

/// Lanes of a vector in some order: two bits for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern(pub u8);

impl Pattern {
    /// One lane, again and again.
    pub const fn repeated(lane: u8) -> Self {
        Self((lane & 3) * 0b0101_0101)
    }
    /// Returns the lane at a place.
    pub const fn lane(self, place: u8) -> u8 {
        self.0 >> (2 * (place & 3)) & 3
    }
    /// Returns whether so many lanes begin like those of another pattern.
    pub const fn begins(self, other: Self, lanes: u8) -> bool {
        let mask = (1u16 << (2 * if lanes < 4 { lanes } else { 4 })) - 1;
        (self.0 ^ other.0) as u16 & mask == 0
    }
}

impl View {
    /// The expression.
    pub const fn expr(self) -> Option<Expr> {
        match self {
            Self::Whole(expr) | Self::Lanes(expr, _) | Self::Splat(expr) | Self::Not(expr, _) => Some(expr),
            Self::Const(_) | Self::Consts(_) | Self::NotFinite(_) => None,
        }
    }
    /// Returns the negation of a scalar condition.
    pub const fn negated(self) -> Self {
        match self {
            Self::Not(expr, None) => Self::Whole(expr),
            Self::Not(expr, Some(lane)) => Self::Lanes(expr, Pattern::repeated(lane)),
            Self::Whole(expr) | Self::Splat(expr) => Self::Not(expr, None),
            Self::Lanes(expr, pattern) => Self::Not(expr, Some(pattern.lane(0))),
            Self::Const(bit) => Self::Const(1 - (bit & 1)),
            // Conditions have no such constants.
            Self::Consts(_) | Self::NotFinite(_) => self,
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

impl Operand {
    /// An integer constant.
    pub const fn int(value: u32) -> Self {
        Self { view: View::Const(value), ty: Type::I32 }
    }
    /// Returns the expression, if the operand is a complete one.
    pub const fn whole(self) -> Option<Expr> {
        if let View::Whole(expr) = self.view { Some(expr) } else { None }
    }
    /// Returns the bits of a scalar constant.
    pub fn scalar(self) -> Option<u32> {
        let View::Const(bits) = self.view else { return None };
        (self.ty.lanes == 1).then_some(bits)
    }
}

/// The operation of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Content of a local variable here.
    Variable(Variable),
    /// This text, by its number, or its element if there is an operand.
    Text(u32),
    Unary(Unary),
    Binary(Binary),
    /// Condition, value where true, value where false.
    Select,
    /// Returns whether any lane of a vector of conditions holds.
    Any,
    /// Returns whether all lanes of a vector of conditions hold.
    All,
    /// Value of its type made of parts.
    Build,
    /// Call of a function, by its number: the helpers of the module come first.
    Call(u32),
    /// Outputs of the interface, for WGSL.
    Outputs,
}

/// A name, or a place in memory.
#[derive(Clone, Copy, Debug)]
pub struct Text {
    pub word: Word,
    pub placement: Placement,
    /// A place in memory.
    pub is_memory: bool,
    /// The name of expressions about it; for the index of an element without a name, its number.
    pub subject: Word,
    /// An index of an element, for which the subject stands.
    pub is_index: bool,
}

impl Text {
    /// A place in memory that no expression is named after.
    pub const fn unnamed(word: Word, placement: Placement) -> Self {
        Self { word, placement, is_memory: true, subject: Word::NONE, is_index: false }
    }
}

/// A function that is called.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    /// Its name.
    pub word: Word,
    /// The noun of its results; may be empty.
    pub noun: &'static str,
    /// The name of what it reads elements of, by index.
    pub array: Word,
}

/// The places where a text may be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    /// Anywhere, since it never changes.
    Anywhere,
    /// On its line, or in the lines that use it.
    Line,
    /// On its line alone: the function writes this memory further down.
    OnlyLine,
}

/// Source of the name of an expression, if it gets one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// The register of a value, or else its type.
    Hint(Hint),
    /// This title, by its number, or one close to it.
    Title(u32),
}

/// A name and its parts.
#[derive(Clone, Copy, Debug)]
pub struct Title {
    pub word: Word,
    /// The entity that it is about.
    pub stem: Word,
    /// The noun after it; may be empty.
    pub noun: &'static str,
    /// The stem is an output, which a word in front says.
    pub is_output: bool,
}

/// Label of expressions that come from no register.
pub const PLAIN: Label = Label::Hint(Hint { register: HintRegister::None, mask: 0 });

/// An expression. A list of a power of two bytes each is quicker to index.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
pub struct Node {
    pub form: Form,
    pub ty: Type,
    pub label: Label,
    /// First operand in [`Draft::operands`].
    first: u32,
    /// Number of operands.
    count: u16,
    /// Maximum characters without a name.
    pub limit: u16,
}

impl Node {
    /// Returns its operands as a range of [`Draft::operands`].
    #[inline]
    pub fn range(self) -> std::ops::Range<usize> {
        self.first as usize..self.first as usize + usize::from(self.count)
    }
}

/// A line of the text, or the evaluation of an expression, which is a line only if the expression
/// gets a name.
#[derive(Clone, Copy, Debug)]
pub enum Line {
    Evaluate(Expr),
    /// The next lines belong to this procedure of the interface, or to none.
    Procedure(Option<u16>),
    Store {
        variable: Variable,
        value: Operand,
    },
    /// Stores in memory outside the function, or an element of it: index in
    /// [`Draft::operands`].
    Write {
        word: Word,
        index: Option<u32>,
        value: Operand,
    },
    /// Calls a function without operands and result, which reads what was written.
    Call(Word),
    If(Operand),
    /// Ends the first arm of an `If` and begins the second.
    Else,
    /// `is_left`: by a `Break`. `is_continued_in_switch`: a `Continue` is inside a switch of it.
    /// `is_counted`: the line before it stores the first value of a counter, its first lines test
    /// the counter, its last line stores the next value.
    Loop {
        is_left: bool,
        is_continued_in_switch: bool,
        is_counted: bool,
    },
    /// `continues`: has a `Continue` for the loop around.
    Switch {
        selector: Operand,
        continues: bool,
    },
    /// A case with `count` values from `first` in [`Draft::values`]; the default has none.
    Case {
        first: u32,
        count: u32,
    },
    /// Ends an `If`, a `Loop`, a `Switch` or a `Case`.
    End,
    Break,
    Continue,
    /// Returns from a function without a result.
    Leave,
    Return(Operand),
}

/// A local variable.
#[derive(Clone, Copy, Debug)]
pub struct Local {
    pub label: Label,
    pub ty: Type,
    /// Its bits, if it never changes.
    pub bits: Option<u32>,
    /// Its name, once chosen.
    pub name: Word,
    /// Exact: its stored values contain float arithmetic that must stay as written.
    pub is_exact: bool,
    /// The last of its stores in [`Draft::stores`].
    pub(super) stores: u32,
}

/// A function for elements of an array by their index in it: `palette_at(a0_x)`, which is
/// `c_at(palette + a0_x)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reader {
    /// The array: index of its name in the declarations.
    pub array: u16,
    /// The helper that it calls with an index in the member.
    pub helper: u16,
}

/// A function.
#[derive(Debug, Default)]
pub struct Draft {
    pub nodes: Vec<Node>,
    pub operands: Vec<Operand>,
    pub lines: Vec<Line>,
    pub variables: Vec<Local>,
    pub texts: Vec<Text>,
    pub functions: Vec<Function>,
    pub titles: Vec<Title>,
    /// Variables that the heads of loops declare.
    pub counters: Vec<Variable>,
    /// Constants that are not the same in each lane.
    pub constants: Vec<[u32; 4]>,
    /// Values of cases.
    pub values: Vec<i32>,
    /// Names and other texts.
    pub words: Words,
    /// The values that expressions evaluate: first expression, end, value. Only if
    /// [`is_traced`](Self::is_traced).
    pub origins: Vec<(Expr, Expr, Value)>,
    /// Origins are noted.
    pub is_traced: bool,
    /// Findings of `uses` about the expressions, and decisions of `inline`.
    pub facts: Vec<Fact>,
    /// Its pairs of braces.
    pub scopes: Scopes,
    /// Functions that it calls for elements of named arrays.
    pub readers: Vec<Reader>,
    /// Declarations of variables by place.
    pub declarations: Vec<Declaration>,
    /// While it is built: the values of the function so far.
    pub views: Vec<Option<Operand>>,
    /// The first use of a value that is not defined before.
    pub fault: Option<Error>,
    pub(super) spans: Vec<Span>,
    pub stores: Vec<Store>,
}

impl Draft {
    /// Takes memory for functions of up to so many values.
    pub fn new(values: usize) -> Self {
        // Loads of variables are no values.
        let nodes = values + values / 4;
        Self {
            nodes: Vec::with_capacity(nodes),
            lines: Vec::with_capacity(nodes),
            // Most operations have two operands; those with more are few.
            operands: Vec::with_capacity(2 * values),
            titles: Vec::with_capacity(values / 4),
            functions: Vec::with_capacity(values / 4),
            spans: Vec::with_capacity(values / 4),
            stores: Vec::with_capacity(values / 4),
            texts: Vec::with_capacity(values / 8),
            variables: Vec::with_capacity(values / 8),
            ..Self::default()
        }
    }

    /// Begins another function in the same memory. So many called functions stay, and the words up
    /// to a place.
    pub fn begin(&mut self, functions: usize, words: u32, is_traced: bool) {
        macro_rules! clear {
            ($($list:ident)*) => { $(self.$list.clear();)* };
        }
        clear!(nodes operands lines variables texts titles counters constants values);
        clear!(origins readers declarations spans stores);
        self.functions.truncate(functions);
        self.words.truncate(words);
        self.is_traced = is_traced;
    }

    pub fn node(&self, expr: Expr) -> &Node {
        &self.nodes[expr as usize]
    }

    pub fn fact(&self, expr: Expr) -> &Fact {
        &self.facts[expr as usize]
    }

    /// Returns the value that an expression was made for.
    pub fn origin(&self, expr: Expr) -> Option<Value> {
        let after = self.origins.partition_point(|(first, ..)| *first <= expr);
        let &(_, end, value) = self.origins[..after].last()?;
        (expr < end).then_some(value)
    }

    /// Returns the operands of an expression.
    #[inline]
    pub fn operands(&self, expr: Expr) -> &[Operand] {
        &self.operands[self.nodes[expr as usize].range()]
    }

    /// Returns the constants of a view.
    pub fn bits(&self, view: View) -> Option<[u32; 4]> {
        match view {
            View::Const(bits) => Some([bits; 4]),
            View::Consts(number) | View::NotFinite(number) => Some(self.constants[number as usize]),
            View::Whole(_) | View::Lanes(..) | View::Splat(_) | View::Not(..) => None,
        }
    }

    /// Returns the view of constants of a type.
    pub fn constant(&mut self, ty: Type, bits: [u32; 4]) -> View {
        let used = &bits[..usize::from(ty.lanes.clamp(1, 4))];
        let is_finite = used.iter().all(|&bits| is_finite(ty.kind, bits));
        if is_finite && used.iter().all(|&lane| lane == bits[0]) {
            return View::Const(bits[0]);
        }
        self.constants.push(bits);
        let number = self.constants.len() as u32 - 1;
        if is_finite { View::Consts(number) } else { View::NotFinite(number) }
    }

    /// Returns one lane of a vector.
    pub fn lane(&self, Operand { view, ty }: Operand, lane: u8) -> Operand {
        let view = match view {
            View::Whole(expr) => View::Lanes(expr, Pattern::repeated(lane)),
            View::Lanes(expr, pattern) => View::Lanes(expr, Pattern::repeated(pattern.lane(lane))),
            View::Splat(expr) => View::Whole(expr),
            View::Consts(number) | View::NotFinite(number) => {
                View::Const(self.constants[number as usize][usize::from(lane & 3)])
            }
            // A negation is of one lane already.
            View::Const(_) | View::Not(..) => view,
        };
        Operand { view, ty: ty.with_lanes(1) }
    }

    /// Adds an expression that is evaluated here.
    pub fn add(&mut self, form: Form, ty: Type, operands: &[Operand], label: Label) -> Operand {
        let expr = self.nodes.len() as Expr;
        let first = self.operands.len() as u32;
        self.operands.extend_from_slice(operands);
        self.nodes.push(Node { form, ty, label, first, count: operands.len() as u16, limit: u16::MAX });
        // A text that never changes needs no line that fixes when it is evaluated.
        if !matches!(form, Form::Text(text) if self.texts[text as usize].placement == Placement::Anywhere) {
            self.lines.push(Line::Evaluate(expr));
        }
        Operand { view: View::Whole(expr), ty }
    }

    /// Adds a text; with an operand, its element.
    pub fn add_text(&mut self, text: Text, ty: Type, operands: &[Operand], label: Label) -> Operand {
        self.texts.push(text);
        self.add(Form::Text(self.texts.len() as u32 - 1), ty, operands, label)
    }

    /// Adds a name that may be written anywhere; with a prefix it is a place in memory.
    pub fn name(&mut self, ty: Type, prefix: &str, name: &str) -> Operand {
        let start = self.words.end();
        self.word(prefix);
        let subject = self.word(name);
        let word = self.words.since(start);
        let is_memory = !prefix.is_empty();
        let text = Text { subject, is_memory, ..Text::unnamed(word, Placement::Anywhere) };
        self.add_text(text, ty, &[], PLAIN)
    }

    /// Returns the form of a call.
    pub fn call(&mut self, name: &str, noun: &'static str, array: Word) -> Form {
        let word = self.word(name);
        self.functions.push(Function { word, noun, array });
        Form::Call(self.functions.len() as u32 - 1)
    }

    /// Returns a label with a word before its stem: that of outputs.
    pub fn titled(&mut self, before: &str, stem: &str) -> Label {
        let start = self.words.end();
        self.word(before);
        let stem = self.word(stem);
        let (word, is_output) = (self.words.since(start), !before.is_empty());
        self.add_title(Title { word, stem, noun: "", is_output })
    }

    /// Returns a label of a stem and a noun.
    pub fn title_of(&mut self, (stem, noun): Name) -> Label {
        let word = self.whole((stem, noun));
        self.add_title(Title { word, stem, noun, is_output: false })
    }

    fn add_title(&mut self, title: Title) -> Label {
        self.titles.push(title);
        Label::Title(self.titles.len() as u32 - 1)
    }

    /// Returns a name as one word.
    pub fn whole(&mut self, (stem, noun): Name) -> Word {
        if noun.is_empty() {
            return stem;
        }
        let start = self.words.end();
        self.words.joined(stem, "_", Word::NONE);
        self.word(noun);
        self.words.since(start)
    }

    /// Adds a word.
    pub fn word(&mut self, text: &str) -> Word {
        self.words.add(|out| out.push_str(text))
    }

    /// Adds a variable.
    pub fn variable(&mut self, label: Label, ty: Type, bits: Option<u32>) -> Variable {
        self.variables.push(Local { label, ty, bits, name: Word::NONE, is_exact: false, stores: NONE });
        self.variables.len() as Variable - 1
    }
}

/// Returns whether a constant of this kind can be written.
pub fn is_finite(kind: ScalarKind, bits: u32) -> bool {
    kind != ScalarKind::F32 || f32::from_bits(bits).is_finite()
}
