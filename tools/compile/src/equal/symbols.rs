//! Symbols: results of operations by operation and operands, so that functions that compute the
//! same in the same way have the same ones.
//! In: operations of two functions. Out: symbols, and the claims by which different ones count as
//! one: those whose results are equal for [`SAMPLES`] arguments. A claim knows of its operands as
//! much as it needs: those that both functions have are variables first, and are opened step by
//! step.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::ir::op::scalar;
use crate::ir::{Array, Binary, Resource, ScalarKind, Shape, Unary};
use transpica::Precision;
use xxhash_rust::xxh3::xxh3_64;

use crate::equal::meaning::{self, constant, variable};
use crate::equal::term::{Products, Term, Terms};

/// Arguments for which symbols are computed.
pub const SAMPLES: usize = 128;
/// Least number of different results for which equality is not an accident.
const TELLING: usize = 8;
/// Most operations of a claim.
const MOST: usize = 300;
/// Most operands of a sum or product that has no order.
const OPERANDS: usize = 64;
/// The last samples, which have special numbers.
const SPECIAL: usize = 64;
const NUMBERS: [f32; 8] = [0.0, -0.0, 1.5, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::NAN];

/// A symbol of [`Symbols`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Symbol(pub u32);

/// The operation of a symbol.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Head {
    /// Bits of a constant.
    Const(u32),
    /// A number of which nothing is known: a parameter or result of a construct.
    Free(u32),
    /// A lane of what is read.
    Read(Resource, u8),
    /// A lane of the element that the operand numbers.
    ReadAt(Array, u8),
    /// The number of triangles after one more.
    Submit,
    /// An operation with one operand.
    Unary(Unary),
    /// An operation with two operands. A dot product has the lanes of the first, then of the
    /// second.
    Binary(Binary),
    /// A choice.
    Select,
    /// A sum or product of any number of operands, in any order: [`Symbols::reordered`].
    Many(Binary),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Node {
    head: Head,
    kind: ScalarKind,
    operands: Vec<Symbol>,
}

/// Facts about a symbol.
#[derive(Debug)]
struct Facts {
    sample: Vec<u32>,
    /// Set for the functions, by their number, that have it.
    sides: [bool; 2],
    /// One more than the number of the last [`Head::Free`] in it.
    free: u32,
}

/// A store of symbols of two functions.
#[derive(Debug, Default)]
pub struct Symbols {
    precision: Precision,
    /// Set where the signs of zeros are compared.
    signs: bool,
    /// Number of samples; without any, every operation is a symbol of its own.
    samples: usize,
    /// Set where sums and products have no order.
    reorders: bool,
    nodes: Vec<Node>,
    facts: Vec<Facts>,
    known: HashMap<Node, Symbol>,
    by_sample: HashMap<Vec<u32>, Vec<Symbol>>,
    /// Number of the next free symbol.
    pub next_free: u32,
    /// Symbols that count as one.
    pub claims: Vec<[Symbol; 2]>,
}

impl Symbols {
    /// None yet.
    pub fn new(precision: Precision, signs: bool) -> Self {
        Self { precision, signs, samples: SAMPLES, ..Self::default() }
    }

    /// None yet. Sums are equal in any order of their operands, and products too.
    pub fn reordered(precision: Precision) -> Self {
        Self { reorders: true, ..Self::new(precision, false) }
    }

    /// None yet, of one function, for which no operations count as equal.
    pub fn plain(precision: Precision) -> Self {
        Self { precision, signs: true, ..Self::default() }
    }

    /// The symbol of an operation of a function, or one that counts as equal.
    pub fn add(&mut self, side: usize, head: Head, kind: ScalarKind, operands: Vec<Symbol>) -> Symbol {
        match head {
            Head::Binary(op @ (Binary::AddP | Binary::MulP)) if self.reorders => {
                self.many(side, op, operands)
            }
            Head::Binary(Binary::DotP) if self.reorders => {
                let (a, b) = operands.split_at(operands.len() / 2);
                let pairs: Vec<_> = a.iter().zip(b).map(|(&a, &b)| vec![a, b]).collect();
                let products = pairs.into_iter().map(|pair| self.many(side, Binary::MulP, pair)).collect();
                self.many(side, Binary::AddP, products)
            }
            _in_order => self.add_node(side, head, kind, operands),
        }
    }

    /// The symbol of a sum or product whose operands have no order. Signs of factors become one of
    /// the product.
    fn many(&mut self, side: usize, op: Binary, operands: Vec<Symbol>) -> Symbol {
        let (mut flat, mut is_negative) = (Vec::new(), false);
        for mut operand in operands {
            let node = &self.nodes[operand.0 as usize];
            if op == Binary::MulP && node.head == Head::Unary(Unary::Neg) {
                is_negative = !is_negative;
                operand = node.operands[0];
            }
            let node = &self.nodes[operand.0 as usize];
            if node.head == Head::Many(op) && flat.len() + node.operands.len() <= OPERANDS {
                flat.extend(&node.operands);
            } else {
                flat.push(operand);
            }
        }
        flat.sort_unstable();
        let result = self.add_node(side, Head::Many(op), ScalarKind::F32, flat);
        if is_negative {
            self.add_node(side, Head::Unary(Unary::Neg), ScalarKind::F32, vec![result])
        } else {
            result
        }
    }

    fn add_node(&mut self, side: usize, head: Head, kind: ScalarKind, mut operands: Vec<Symbol>) -> Symbol {
        if let Head::Binary(op) = head
            && self.samples > 0
            && op.commutes()
        {
            let half = operands.len() / 2;
            if operands[..half] > operands[half..] {
                operands.rotate_left(half);
            }
        }
        if head == Head::Select && self.samples > 0 {
            match self.constant(operands[0]) {
                Some(0) => return operands[2],
                Some(_) => return operands[1],
                None if operands[1] == operands[2] => return operands[1],
                None => {}
            }
        }
        let node = Node { head, kind, operands };
        if let Some(&symbol) = self.known.get(&node) {
            self.facts[symbol.0 as usize].sides[side] = true;
            return symbol;
        }
        let symbol = Symbol(self.nodes.len() as u32);
        let sample: Vec<u32> = (0..self.samples).map(|number| self.result(&node, number)).collect();
        let inner = node.operands.iter().map(|operand| self.facts[operand.0 as usize].free).max();
        let free = if let Head::Free(number) = head { number + 1 } else { inner.unwrap_or(0) };
        let is_computed = !node.operands.is_empty() && sample.iter().collect::<HashSet<_>>().len() >= TELLING;
        let others = self.by_sample.entry(sample.clone()).or_default();
        let facts = &self.facts;
        let equal = others.iter().copied().find(|other| {
            let other = other.0 as usize;
            is_computed && !facts[other].sides[side] && self.nodes[other].kind == kind
        });
        others.push(symbol);
        let mut sides = [false; 2];
        sides[side] = true;
        self.facts.push(Facts { sample, sides, free });
        self.nodes.push(node.clone());
        let stands = equal.unwrap_or(symbol);
        if let Some(equal) = equal {
            self.facts[equal.0 as usize].sides[side] = true;
            self.claims.push([equal, symbol]);
        }
        self.known.insert(node, stands);
        stands
    }

    /// A new symbol of which nothing is known, of both functions.
    pub fn free(&mut self, kind: ScalarKind) -> Symbol {
        let head = Head::Free(self.next_free);
        self.next_free += 1;
        self.add(0, head, kind, Vec::new());
        self.add(1, head, kind, Vec::new())
    }

    /// The kind of a symbol.
    pub fn kind(&self, symbol: Symbol) -> ScalarKind {
        self.nodes[symbol.0 as usize].kind
    }

    /// The bits of a constant.
    pub fn constant(&self, symbol: Symbol) -> Option<u32> {
        if let Head::Const(bits) = self.nodes[symbol.0 as usize].head { Some(bits) } else { None }
    }

    /// Returns whether a symbol has none of the free ones from a number on.
    pub fn is_older(&self, symbol: Symbol, free: u32) -> bool {
        self.facts[symbol.0 as usize].free <= free
    }

    /// Returns whether two symbols have equal results for all samples.
    pub fn agree(&self, a: Symbol, b: Symbol) -> bool {
        self.facts[a.0 as usize].sample == self.facts[b.0 as usize].sample
    }

    /// Fills the rows of results that one symbol needs from the row of the first, which is free.
    pub fn fill(&self, result: Symbol, rows: &mut Vec<Vec<u32>>, seed: i32) {
        let count = rows[0].len();
        rows.resize_with(self.nodes.len(), || vec![0; count]);
        let mut needed = vec![false; self.nodes.len()];
        needed[result.0 as usize] = true;
        for (index, node) in self.nodes.iter().enumerate().rev() {
            if needed[index] {
                node.operands.iter().for_each(|operand| needed[operand.0 as usize] = true);
            }
        }
        for (index, node) in self.nodes.iter().enumerate().skip(1).filter(|row| needed[row.0]) {
            let (known, rest) = rows.split_at_mut(index);
            // Rows of one length, so that the loop checks no bounds.
            let operands =
                [0, 1, 2].map(|n| &known[node.operands.get(n).map_or(0, |a| a.0 as usize)][..count]);
            for (number, slot) in rest[0][..count].iter_mut().enumerate() {
                *slot = self.computed(node, &|n| operands[n][number]).unwrap_or(0);
            }
            if seed != 0 && matches!(node.head, Head::Binary(Binary::Div) | Head::Unary(Unary::InverseSqrt)) {
                let of_driver = |bits: &mut u32| {
                    if f32::from_bits(*bits).is_normal() {
                        *bits = bits.wrapping_add_signed(seed);
                    }
                };
                rest[0][..count].iter_mut().for_each(of_driver);
            }
        }
    }

    /// The result of an operation, or `None` if it is unknown.
    // A call for each of 2^32 numbers would take as long as the operation.
    #[inline(always)]
    fn computed(&self, node: &Node, value: &impl Fn(usize) -> u32) -> Option<u32> {
        let precision = self.precision;
        Some(match node.head {
            Head::Const(bits) => bits,
            Head::Unary(op) => scalar::unary(op, precision, value(0)),
            Head::Binary(op) if node.operands.len() > 2 => {
                let half = node.operands.len() / 2;
                let lanes = |first: usize| [0, 1, 2, 3].map(|n| if n < half { value(first + n) } else { 0 });
                scalar::dot(op, precision, lanes(0), lanes(half), half as u8)
            }
            Head::Binary(op) => scalar::binary(op, precision, value(0), value(1)),
            Head::Select => value(if value(0) != 0 { 1 } else { 2 }),
            Head::Many(op) => (1..node.operands.len())
                .fold(value(0), |all, next| scalar::binary(op, precision, all, value(next))),
            Head::Free(_) | Head::Read(..) | Head::ReadAt(..) | Head::Submit => return None,
        })
    }

    fn result(&self, node: &Node, number: usize) -> u32 {
        let value = |index: usize| self.facts[node.operands[index].0 as usize].sample[number];
        let bits = self.computed(node, &value).unwrap_or_else(|| {
            let operands: Vec<u32> = (0..node.operands.len()).map(value).collect();
            let operands = if operands.is_empty() { String::new() } else { format!(" {operands:?}") };
            atom(&format!("{:?}{operands}", node.head), node.kind, number)
        });
        let float = f32::from_bits(bits);
        match node.kind {
            ScalarKind::F32 if float.is_nan() => f32::NAN.to_bits(),
            ScalarKind::F32 if float == 0.0 && !self.signs => 0,
            _ => bits,
        }
    }

    /// The script that is satisfiable if and only if two symbols differ, or `None` if it is too
    /// large. Operands that both functions have are opened a number of times.
    pub fn script(&self, [a, b]: [Symbol; 2], opened: u32, products: Products) -> Option<String> {
        // Budgets of the symbols that are needed, found from the last to the first.
        let mut open = BTreeMap::from([(a.max(b), opened), (a.min(b), opened)]);
        let mut needed = BTreeMap::new();
        while let Some((symbol, budget)) = open.pop_last() {
            let facts = &self.facts[symbol.0 as usize];
            let is_root = symbol == a || symbol == b;
            let costs = u32::from(!is_root && facts.sides == [true; 2]);
            let inside = budget.checked_sub(costs);
            needed.insert(symbol, inside.is_some());
            if let Some(inside) = inside {
                for &operand in &self.nodes[symbol.0 as usize].operands {
                    let known = open.entry(operand).or_insert(0);
                    *known = inside.max(*known);
                }
            }
            if needed.len() > MOST {
                return None;
            }
        }
        // From the roots on, so that equal claims have equal texts.
        let t = Terms::default();
        let mut terms: HashMap<Symbol, Term> = HashMap::new();
        let mut stack = vec![(b, false), (a, false)];
        while let Some((symbol, is_inside)) = stack.pop() {
            let node = &self.nodes[symbol.0 as usize];
            if terms.contains_key(&symbol) {
                continue;
            }
            if needed[&symbol] && !is_inside {
                stack.push((symbol, true));
                stack.extend(node.operands.iter().rev().map(|&operand| (operand, false)));
                continue;
            }
            let term = self.term(&t, node, needed[&symbol], &terms);
            terms.insert(symbol, term);
        }
        let claim = t.equal(terms[&a], terms[&b], self.signs);
        Some(t.script(claim, products))
    }

    /// Terms of all symbols of one function, in their order.
    ///
    /// # Errors
    /// Something is read that has no term.
    pub fn terms(&self, t: &Terms) -> Result<HashMap<Symbol, Term>, String> {
        let mut terms = HashMap::new();
        for (number, node) in (0..).zip(&self.nodes) {
            let term = match node.head {
                Head::Free(number) => variable(t, node.kind, number),
                Head::Read(Resource::Input(register), lane) => meaning::input(t, register, lane),
                Head::Read(Resource::Uniform(register), lane) => {
                    meaning::uniform(t, t.bits(register.into()), lane)
                }
                Head::ReadAt(Array::Member(0), lane) => meaning::uniform(t, terms[&node.operands[0]], lane),
                Head::Read(..) | Head::ReadAt(..) | Head::Submit => {
                    return Err(format!("{:?} has no term", node.head));
                }
                Head::Const(_) | Head::Unary(_) | Head::Binary(_) | Head::Select | Head::Many(_) => {
                    self.term(t, node, true, &terms)
                }
            };
            terms.insert(Symbol(number), term);
        }
        Ok(terms)
    }

    fn term(&self, t: &Terms, node: &Node, is_open: bool, terms: &HashMap<Symbol, Term>) -> Term {
        let operand = |index: usize| terms[&node.operands[index]];
        match node.head {
            Head::Const(bits) => constant(t, node.kind, bits),
            Head::Unary(op) if is_open => meaning::unary(t, op, self.precision, operand(0)),
            Head::Binary(op) if is_open && op.shape() == Shape::Dot => {
                let operands: Vec<Term> = (0..node.operands.len()).map(operand).collect();
                let (a, b) = operands.split_at(operands.len() / 2);
                meaning::dot(t, op, self.precision, a, b)
            }
            Head::Binary(op) if is_open => meaning::binary(t, op, self.precision, operand(0), operand(1)),
            Head::Select if is_open => t.ite(operand(0), operand(1), operand(2)),
            Head::Many(op) if is_open => (1..node.operands.len())
                .fold(operand(0), |all, next| meaning::binary(t, op, self.precision, all, operand(next))),
            _unknown => variable(t, node.kind, terms.len() as u32),
        }
    }
}

/// Bits of something unknown, by its name and the number of the sample.
fn atom(name: &str, kind: ScalarKind, number: usize) -> u32 {
    let hash = xxh3_64(format!("{name} {number}").as_bytes());
    let is_special = number >= SAMPLES - SPECIAL;
    match kind {
        ScalarKind::Bool => (hash & 1) as u32,
        ScalarKind::U32 => hash as u32,
        ScalarKind::I32 if is_special => hash as u32,
        ScalarKind::I32 => (hash % 100) as u32,
        ScalarKind::F32 if is_special => NUMBERS[(hash % NUMBERS.len() as u64) as usize].to_bits(),
        ScalarKind::F32 if number < SAMPLES / 4 => ((hash % 1601) as f32 / 800.0 + 0.125).to_bits(),
        ScalarKind::F32 => ((hash % 1601) as f32 / 160.0 - 2.0).to_bits(),
    }
}
