//! Terms over bits, floats and truth values, and their text in SMT-LIB.
//! In: functions applied to terms. Out: the script of a question, or the bits of a term for given
//! variables. Knows neither the IR nor instructions.
//!
//! A float is a number of the sort `F`: all NaN are one, both zeros are two. Its bits are known
//! where it was made of bits; else they are a variable that some float equals, so a NaN may have
//! any payload.
//! Facts: SMT-LIB 2.6, theories FloatingPoint and FixedSizeBitVectors.

use std::cell::{Ref, RefCell};
use std::collections::HashMap;
use std::fmt::Write;

use crate::precision::portable;

/// Sort of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// 32 bits.
    Bits,
    /// An f32.
    Float,
}

/// A term of [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(u32);

macro_rules! functions {
    ($($name:ident $text:literal $sort:ident;)*) => {
        /// A function of terms.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Fun { $(#[doc = $text] $name),* }
        impl Fun {
            /// Its spelling, and the sort of its result (that of the last argument for `ite`).
            fn row(self) -> (&'static str, Sort) {
                match self { $(Self::$name => ($text, Sort::$sort)),* }
            }
        }
    };
}

functions! {
    Not "not" Bool;
    And "and" Bool;
    Or "or" Bool;
    Same "=" Bool;
    Ite "ite" Bool;
    Neg "fp.neg" Float;
    Abs "fp.abs" Float;
    Add "fp.add RNE" Float;
    Mul "fp.mul RNE" Float;
    Div "fp.div RNE" Float;
    Sqrt "fp.sqrt RNE" Float;
    Floor "fp.roundToIntegral RTN" Float;
    Less "fp.lt" Bool;
    LessEqual "fp.leq" Bool;
    Equal "fp.eq" Bool;
    IsNan "fp.isNaN" Bool;
    IsZero "fp.isZero" Bool;
    IsInfinite "fp.isInfinite" Bool;
    FromBits "(_ to_fp 8 24)" Float;
    BitsOf "bits" Bits;
    ToInt "(_ fp.to_sbv 32) RTZ" Bits;
    FromInt "(_ to_fp 8 24) RNE" Float;
    BitAdd "bvadd" Bits;
    BitSub "bvsub" Bits;
    BitMul "bvmul" Bits;
    BitAnd "bvand" Bits;
    BitOr "bvor" Bits;
    BitXor "bvxor" Bits;
    ShiftLeft "bvshl" Bits;
    ShiftRight "bvlshr" Bits;
    BitLess "bvult" Bool;
    IntLess "bvslt" Bool;
    Exp2 "exp2" Float;
    Log2 "log2" Float;
    EitherMin "either_min" Bool;
    EitherMax "either_max" Bool;
    Uniform "uniform" Float;
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Node {
    Var(Sort, u32),
    Bool(bool),
    Bits(u32),
    Float(u32),
    Apply(Fun, Vec<Term>),
}

/// Treatment of sums and products in a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Products {
    /// As IEEE 754 has them.
    Exact,
    /// As functions of which only lemmas are known, which are proven themselves.
    Lemmas,
}

/// Functions of floats of which a script may know lemmas alone: word, real function, operands, and
/// whether these may be exchanged. Each lemma is a question of its own about the real function.
const LEMMAS: [(&str, Fun, usize, bool); 4] = [
    ("product", Fun::Mul, 2, true),
    ("total", Fun::Add, 2, true),
    ("ratio", Fun::Div, 2, false),
    ("root", Fun::Sqrt, 1, false),
];

/// The lemma of a word about operands `a`, `b` and result `r`, as a function of SMT-LIB.
fn lemma(word: &str) -> &'static str {
    let mut all = include_str!("lemmas.smt2").split_inclusive(")\n\n");
    all.find(|text| text[12..].starts_with(word)).map_or("", str::trim_end)
}

/// The value of a function without a theory for a constant.
fn known_value(fun: Fun, x: f32) -> Option<f32> {
    match fun {
        Fun::Exp2 => Some(portable::exp2(x)),
        Fun::Log2 => Some(portable::log2(x)),
        _ => None,
    }
}

const HEAD: &str = "(set-logic ALL)\n(define-sort F () (_ FloatingPoint 8 24))\n";

/// A store of terms; equal terms are one. Shared references add to it, so that calls can be nested.
#[derive(Clone, Debug, Default)]
pub struct Terms(RefCell<Table>);

#[derive(Clone, Debug, Default)]
struct Table {
    nodes: Vec<Node>,
    /// Set for terms without variables.
    closed: Vec<bool>,
    known: HashMap<Node, Term>,
}

impl Terms {
    fn add(&self, node: Node) -> Term {
        let Table { nodes, closed, known } = &mut *self.0.borrow_mut();
        if let Some(&term) = known.get(&node) {
            return term;
        }
        let term = Term(nodes.len() as u32);
        known.insert(node.clone(), term);
        closed.push(match &node {
            Node::Var(..) => false,
            Node::Apply(_, arguments) => arguments.iter().all(|argument| closed[argument.0 as usize]),
            Node::Bool(_) | Node::Bits(_) | Node::Float(_) => true,
        });
        nodes.push(node);
        term
    }

    fn node(&self, term: Term) -> Ref<'_, Node> {
        Ref::map(self.0.borrow(), |table| &table.nodes[term.0 as usize])
    }

    fn is_closed(&self, term: Term) -> bool {
        self.0.borrow().closed[term.0 as usize]
    }

    /// The variable with a number.
    pub fn var(&self, sort: Sort, number: u32) -> Term {
        self.add(Node::Var(sort, number))
    }

    /// A truth value.
    pub fn bool(&self, value: bool) -> Term {
        self.add(Node::Bool(value))
    }

    /// 32 bits.
    pub fn bits(&self, bits: u32) -> Term {
        self.add(Node::Bits(bits))
    }

    /// A number.
    pub fn float(&self, number: f32) -> Term {
        let bits = if number.is_nan() { f32::NAN.to_bits() } else { number.to_bits() };
        self.add(Node::Float(bits))
    }

    /// The sort of a term.
    pub fn sort(&self, term: Term) -> Sort {
        match &*self.node(term) {
            Node::Var(sort, _) => *sort,
            Node::Bool(_) => Sort::Bool,
            Node::Bits(_) => Sort::Bits,
            Node::Float(_) => Sort::Float,
            Node::Apply(Fun::Ite, arguments) => self.sort(arguments[2]),
            Node::Apply(fun, _) => fun.row().1,
        }
    }

    /// A function of terms. What was made of bits has these bits.
    pub fn apply(&self, fun: Fun, arguments: &[Term]) -> Term {
        if fun == Fun::BitsOf {
            let node = self.node(arguments[0]).clone();
            match node {
                Node::Apply(Fun::FromBits, bits) => return bits[0],
                Node::Float(bits) if !f32::from_bits(bits).is_nan() => return self.bits(bits),
                _ => {}
            }
        }
        if matches!(fun, Fun::Exp2 | Fun::Log2)
            && self.is_closed(arguments[0])
            && let Some(known) = known_value(fun, f32::from_bits(self.eval(arguments[0], &[])))
        {
            return self.float(known);
        }
        self.add(Node::Apply(fun, arguments.to_vec()))
    }

    /// `condition ? a : b`
    pub fn ite(&self, condition: Term, a: Term, b: Term) -> Term {
        self.apply(Fun::Ite, &[condition, a, b])
    }

    /// Negation of a truth value.
    pub fn not(&self, a: Term) -> Term {
        self.apply(Fun::Not, &[a])
    }

    /// Both hold.
    pub fn and(&self, a: Term, b: Term) -> Term {
        self.apply(Fun::And, &[a, b])
    }

    /// One holds.
    pub fn or(&self, a: Term, b: Term) -> Term {
        self.apply(Fun::Or, &[a, b])
    }

    /// Equality of bits, any NaN being as good as another; of floats also except for the sign of
    /// zero.
    pub fn equal(&self, a: Term, b: Term, signs_of_zero: bool) -> Term {
        let same = self.apply(Fun::Same, &[a, b]);
        if signs_of_zero || self.sort(a) != Sort::Float {
            return same;
        }
        self.or(same, self.apply(Fun::Equal, &[a, b]))
    }

    /// Script that is satisfiable if and only if a claim is false for some variables.
    pub fn script(&self, claim: Term, products: Products) -> String {
        let nodes = &self.0.borrow().nodes;
        let mut needed = vec![false; nodes.len()];
        needed[claim.0 as usize] = true;
        for index in (0..=claim.0 as usize).rev() {
            if let (true, Node::Apply(_, arguments)) = (needed[index], &nodes[index]) {
                arguments.iter().for_each(|argument| needed[argument.0 as usize] = true);
            }
        }
        let mut writer =
            Writer { terms: self, products, used: Vec::new(), body: String::new(), names: HashMap::new() };
        (0..=claim.0).filter(|&index| needed[index as usize]).for_each(|index| writer.define(Term(index)));
        let claim = writer.name(claim);
        let mut script = HEAD.to_owned();
        writer.used.iter().for_each(|line| script.push_str(line));
        let _ = write!(script, "{}(assert (not {claim}))\n(check-sat)\n", writer.body);
        script
    }
}

/// Scripts that prove the lemmas about the real functions, with their names.
pub fn lemma_scripts() -> Vec<(String, String)> {
    let mut scripts = Vec::new();
    for (word, fun, operands, commutes) in LEMMAS {
        let real = fun.row().0;
        let arguments = ["a", "a b"][operands - 1];
        let mut add = |name: &str, claim: String| {
            let lemma = lemma(word);
            let script = format!(
                "{HEAD}{lemma}\n(declare-const a F)\n(declare-const b F)\n(assert (not {claim}))\n(check-sat)\n"
            );
            scripts.push((format!("lemma {word}: {name}"), script));
        };
        add("special values", format!("({word}_lemma {arguments} ({real} {arguments}))"));
        if commutes {
            add("exchanged operands", format!("(= ({real} a b) ({real} b a))"));
        }
    }
    scripts
}

struct Writer<'a> {
    terms: &'a Terms,
    products: Products,
    /// Declarations of functions, each once.
    used: Vec<String>,
    body: String,
    /// Names in the order of use, so that equal questions have equal texts.
    names: HashMap<Term, String>,
}

impl Writer<'_> {
    fn name(&self, term: Term) -> String {
        let signed = |bits: u32| format!("((_ to_fp 8 24) #x{bits:08x})");
        match *self.terms.node(term) {
            Node::Bool(value) => value.to_string(),
            Node::Bits(bits) => format!("#x{bits:08x}"),
            Node::Float(bits) if f32::from_bits(bits).is_nan() => "(_ NaN 8 24)".to_owned(),
            Node::Float(bits) => signed(bits),
            Node::Var(..) | Node::Apply(..) => self.names[&term].clone(),
        }
    }

    fn declare(&mut self, line: String) {
        if !self.used.contains(&line) {
            self.used.push(line);
        }
    }

    fn define(&mut self, term: Term) {
        let sort = match self.terms.sort(term) {
            Sort::Bool => "Bool",
            Sort::Bits => "(_ BitVec 32)",
            Sort::Float => "F",
        };
        let (fun, arguments) = match &*self.terms.node(term) {
            Node::Var(of, number) => {
                let prefix = if *of == Sort::Bool { 'p' } else { 'v' };
                self.names.insert(term, format!("{prefix}{number}"));
                let _ = writeln!(self.body, "(declare-const {prefix}{number} {sort})");
                return;
            }
            Node::Apply(fun, arguments) => (*fun, arguments.clone()),
            Node::Bool(_) | Node::Bits(_) | Node::Float(_) => return,
        };
        let name = format!("t{}", self.names.len());
        let texts: Vec<String> = arguments.iter().map(|&argument| self.name(argument)).collect();
        let mut function = fun.row().0;
        match fun {
            Fun::BitsOf => {
                let _ = writeln!(
                    self.body,
                    "(declare-const {name} {sort})\n(assert (= ((_ to_fp 8 24) {name}) {}))",
                    texts[0]
                );
                self.names.insert(term, name);
                return;
            }
            Fun::Exp2 | Fun::Log2 => {
                self.declare(format!("(declare-fun {function} (F) F)\n"));
                let zeros = format!("(assert (= ({function} (_ +zero 8 24)) ({function} (_ -zero 8 24))))\n");
                self.declare(zeros);
            }
            Fun::EitherMin | Fun::EitherMax => self.declare(format!("(declare-fun {function} (F F) Bool)\n")),
            Fun::Uniform => {
                self.declare(format!("(declare-fun {function} ((_ BitVec 32) (_ BitVec 32)) F)\n"))
            }
            _ => {}
        }
        // Constants have one result, which the real function has.
        let is_open = self.products == Products::Lemmas && !self.terms.is_closed(term);
        let row = LEMMAS.iter().find(|(_, real, ..)| *real == fun && is_open);
        if let Some(&(word, _, operands, _)) = row {
            function = word;
            self.declare(format!("(declare-fun {word} ({}) F)\n", ["F", "F F"][operands - 1]));
            self.declare(format!("{}\n", lemma(word)));
        }
        let _ = writeln!(self.body, "(define-fun {name} () {sort} ({function} {}))", texts.join(" "));
        if let Some((word, .., commutes)) = row {
            let _ = writeln!(self.body, "(assert ({word}_lemma {} {name}))", texts.join(" "));
            if *commutes {
                let _ = writeln!(self.body, "(assert (= {name} ({word} {} {})))", texts[1], texts[0]);
            }
        }
        self.names.insert(term, name);
    }
}

impl Terms {
    /// The bits of a term, truth values as 0 and 1, for given bits of the variables.
    pub fn eval(&self, term: Term, variables: &[u32]) -> u32 {
        let mut results: Vec<u32> = Vec::with_capacity(term.0 as usize + 1);
        for node in &self.0.borrow().nodes[..=term.0 as usize] {
            let result = match node {
                Node::Var(_, number) => variables.get(*number as usize).copied().unwrap_or(0),
                Node::Bool(value) => u32::from(*value),
                Node::Bits(bits) | Node::Float(bits) => *bits,
                Node::Apply(fun, arguments) => {
                    let value =
                        |index: usize| arguments.get(index).map_or(0, |a: &Term| results[a.0 as usize]);
                    let is_float = arguments.first().is_some_and(|&a| self.sort(a) == Sort::Float);
                    evaluate(*fun, is_float, [value(0), value(1), value(2)])
                }
            };
            results.push(result);
        }
        results[term.0 as usize]
    }
}

fn evaluate(fun: Fun, is_float: bool, [a, b, c]: [u32; 3]) -> u32 {
    let (x, y) = (f32::from_bits(a), f32::from_bits(b));
    let shift = |shifted: fn(u32, u32) -> Option<u32>| shifted(a, b).unwrap_or(0);
    match fun {
        Fun::Not => a ^ 1,
        Fun::And | Fun::BitAnd => a & b,
        Fun::Or | Fun::BitOr => a | b,
        Fun::Same => u32::from(a == b || is_float && x.is_nan() && y.is_nan()),
        Fun::Ite => [c, b][usize::from(a != 0)],
        Fun::Neg => (-x).to_bits(),
        Fun::Abs => x.abs().to_bits(),
        Fun::Add => (x + y).to_bits(),
        Fun::Mul => (x * y).to_bits(),
        Fun::Div => (x / y).to_bits(),
        Fun::Sqrt => x.sqrt().to_bits(),
        Fun::Floor => x.floor().to_bits(),
        Fun::Less => u32::from(x < y),
        Fun::LessEqual => u32::from(x <= y),
        Fun::Equal => u32::from(x == y),
        Fun::IsNan => u32::from(x.is_nan()),
        Fun::IsZero => u32::from(x == 0.0),
        Fun::IsInfinite => u32::from(x.is_infinite()),
        Fun::FromBits | Fun::BitsOf => a,
        Fun::ToInt => (x as i32).cast_unsigned(),
        Fun::FromInt => (a.cast_signed() as f32).to_bits(),
        Fun::BitAdd => a.wrapping_add(b),
        Fun::BitSub => a.wrapping_sub(b),
        Fun::BitMul => a.wrapping_mul(b),
        Fun::BitXor => a ^ b,
        Fun::ShiftLeft => shift(u32::checked_shl),
        Fun::ShiftRight => shift(u32::checked_shr),
        Fun::BitLess => u32::from(a < b),
        Fun::IntLess => u32::from(a.cast_signed() < b.cast_signed()),
        Fun::Exp2 => portable::exp2(x).to_bits(),
        Fun::Log2 => portable::log2(x).to_bits(),
        // One choice of a driver among those that it has.
        Fun::EitherMin | Fun::EitherMax => 0,
        // Different components have different numbers.
        Fun::Uniform => 4 * a + b,
    }
}
