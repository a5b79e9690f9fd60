//! Rewrites of `simplify` as questions, and equalities of `cse`.
//! In: every operation of the table, in every shape that a rule looks at. Out: a question for each
//! function that the pass changes, so a new rule asks a new one. The pass itself is what runs here.
//!
//! [`rows`] has a function for each named rule of `simplify/rules.rs` and `simplify/comparisons.rs`
//! and is compared with the names there. Numbers in rules that hold for every number are
//! parameters in `schemas.tsv`.

use std::collections::BTreeMap;

use crate::ir::parse;
use transpica::Precision;
use transpica::stages::ir::{Binary, Module, ScalarKind, Shape, Type, Unary};
use transpica::stages::passes::Scratch;
use transpica::stages::passes::optimize::simplify;

use crate::smt::question::{Claims, PRECISIONS, Question};
use transpica_compile::equal::term::Products;

/// A function that each named rule changes, in `exact`: parameters, items, result. Rows of
/// `rules.tsv`.
pub fn rows() -> impl Iterator<Item = [&'static str; 2]> {
    table(include_str!("rules.tsv"))
}

/// Rows of a table with as many cells.
pub fn table<const CELLS: usize>(text: &'static str) -> impl Iterator<Item = [&'static str; CELLS]> {
    text.lines().filter_map(|line| line.split('\t').collect::<Vec<_>>().try_into().ok())
}

/// Parses a function from its parameters, items and exit.
pub fn function(body: &str) -> Module {
    let (parameters, items) = body.split_once(") ").unwrap_or(("(", body));
    let parameters = if parameters == "(" { String::new() } else { format!("{parameters})") };
    let text = format!("func rule{parameters} {{ {items} }}");
    parse(&text).unwrap_or_else(|error| unreachable!("rows are well formed: {error} in {text}"))
}

/// The function after `simplify`, or `None` if the pass changes nothing.
pub fn simplified(before: &Module, precision: Precision) -> Option<Module> {
    let mut after = before.clone();
    simplify::run(&mut after.main, precision, &mut Scratch::default().tables).then_some(after)
}

/// Constants that rules know, and others, as literals.
fn constants(kind: ScalarKind) -> &'static [&'static str] {
    match kind {
        ScalarKind::F32 => {
            &["0", "0x80000000", "1", "-1", "2", "0.5", "0x3f800001", "0x7f7fffff", "0x00000001"]
        }
        ScalarKind::I32 => &["0", "1", "-1", "2", "31", "-2147483648"],
        ScalarKind::U32 => &["0x0", "0x1", "0xffffffff", "0x2", "0x1f", "0x80000000"],
        ScalarKind::Bool => &["false", "true"],
    }
}

fn kind(kind: ScalarKind) -> Type {
    Type::new(kind, 1)
}

/// Functions with one-operand operations, also on another one, on a choice and on constants.
fn unaries(out: &mut Vec<String>) {
    for op in Unary::ALL {
        let (row, from) = (op.signature(), kind(op.signature().operand));
        let (word, to) = (row.name, kind(row.result));
        for constant in constants(row.operand) {
            out.push(format!("() %1: {from} = const {constant} %2: {to} = {word} %1 yield %2"));
        }
        let ones = Unary::ALL.iter().map(|inner| inner.signature());
        for inner in ones.filter(|inner| inner.result == row.operand) {
            let (source, name) = (kind(inner.operand), inner.name);
            out.push(format!("(%0: {source}) %1: {from} = {name} %0 %2: {to} = {word} %1 yield %2"));
        }
        let twos = Binary::ALL.iter().map(|inner| inner.signature());
        for inner in twos.filter(|inner| inner.result == row.operand && inner.shape == Shape::Each) {
            let (source, name) = (kind(inner.operand), inner.name);
            let make = format!("(%0: {source} %1: {source}) %2: {from} = {name} %0 %1");
            out.push(format!("{make} %3: {to} = {word} %2 yield %3"));
        }
    }
}

/// Functions with two-operand operations on variables, on one, on constants and on other
/// operations of them.
fn binaries(out: &mut Vec<String>) {
    for op in Binary::ALL {
        let row = op.signature();
        let (word, from, to) = (row.name, kind(row.operand), kind(row.result));
        out.push(format!("(%0: {from} %1: {from}) %2: {to} = {word} %0 %1 yield %2"));
        out.push(format!("(%0: {from}) %2: {to} = {word} %0 %0 yield %2"));
        for constant in constants(row.operand) {
            let make = format!("%1: {from} = const {constant}");
            out.push(format!("(%0: {from}) {make} %2: {to} = {word} %0 %1 yield %2"));
            out.push(format!("(%0: {from}) {make} %2: {to} = {word} %1 %0 yield %2"));
            for other in constants(row.operand) {
                out.push(format!("() {make} %3: {from} = const {other} %2: {to} = {word} %1 %3 yield %2"));
                if row.operand != ScalarKind::F32 {
                    nested(out, word, [from, to], [constant, other]);
                }
            }
        }
    }
}

/// An operation with a constant on another with a constant, and on a choice of constants.
fn nested(out: &mut Vec<String>, word: &str, [from, to]: [Type; 2], [first, second]: [&str; 2]) {
    let make = format!("%1: {from} = const {first} %2: {from} = const {second}");
    out.push(format!("(%0: bool) {make} %3: {from} = select %0 %1 %2 %4: {to} = {word} %3 %1 yield %4"));
    out.push(format!("(%0: bool) {make} %3: {from} = select %0 %1 %2 %4: {to} = {word} %2 %3 yield %4"));
    for inner in Binary::ALL.iter().map(|inner| inner.signature()) {
        if kind(inner.operand) == from && kind(inner.result) == from {
            for operands in ["%0 %1", "%1 %0"] {
                let first = format!("(%0: {from}) {make} %3: {from} = {} {operands}", inner.name);
                out.push(format!("{first} %4: {to} = {word} %3 %2 yield %4"));
            }
        }
    }
}

/// Makers of operands, by classes of numbers.
const OPERANDS: [&str; 9] = [
    "",
    "= abs A",
    "= abs A T: f32 = neg R",
    "= sgep A B",
    "= sltp A B T: f32 = neg R",
    "= mulp A A",
    "= const 1 T: f32 = maxp A R",
    "= const 1",
    "= const -0.5",
];

/// Items that make operand `number` as a row says, and its value: from parameters A and B; `T` is a
/// second value, of the first one `R`.
pub fn operand(text: &str, number: u32, [a, b]: [&str; 2]) -> (String, String) {
    let (first, second) = (format!("%{}", number * 10), format!("%{}", number * 10 + 1));
    if text.is_empty() {
        return (String::new(), a.to_owned());
    }
    let value = if text.contains('T') { &second } else { &first };
    let items = text.replace('A', a).replace('B', b).replace('T', &second).replace('R', &first);
    (format!("{first}: f32 {items} "), value.clone())
}

/// Comparisons of all pairs of made operands, and of one with itself and its opposites.
fn comparisons(out: &mut Vec<String>) {
    for op in Binary::ALL {
        let (row, is_set) = (op.signature(), matches!(op, Binary::SgeP | Binary::SltP));
        if row.operand != ScalarKind::F32 || row.result != ScalarKind::Bool && !is_set {
            continue;
        }
        let (word, to) = (row.name, kind(row.result));
        for (x, y) in OPERANDS.iter().flat_map(|x| OPERANDS.map(|y| (x, y))) {
            for others in [["%2", "%3"], ["%0", "%1"]] {
                let ((first, a), (second, b)) = (operand(x, 1, ["%0", "%1"]), operand(y, 2, others));
                let make = format!("(%0: f32 %1: f32 %2: f32 %3: f32) {first}{second}");
                out.push(format!("{make}%4: {to} = {word} {a} {b} yield %4"));
            }
        }
        for constant in constants(ScalarKind::F32) {
            for set in ["sgep", "sltp"] {
                let make = format!("(%0: f32 %1: f32) %2: f32 = {set} %0 %1 %3: f32 = const {constant}");
                out.push(format!("{make} %4: {to} = {word} %2 %3 yield %4"));
                out.push(format!("{make} %4: {to} = {word} %3 %2 yield %4"));
            }
        }
    }
}

/// Every function that the sweep looks at.
pub fn bodies() -> Vec<String> {
    let mut out: Vec<String> = rows().map(|[_, body]| body.to_owned()).collect();
    unaries(&mut out);
    binaries(&mut out);
    comparisons(&mut out);
    out
}

/// The operation that a function ends with, by which questions are grouped.
fn outer(body: &str) -> &str {
    body.rsplit(" = ").next().and_then(|last| last.split(' ').next()).unwrap_or_default()
}

/// Returns whether drivers may choose the sign of a zero that a function computes.
fn is_free(body: &str) -> bool {
    [" min ", " max "].iter().any(|word| body.contains(word))
}

/// Questions about all functions that `simplify` changes in some precision, one for each operation.
pub fn questions() -> Vec<Question> {
    let mut groups: BTreeMap<String, Claims> = BTreeMap::new();
    for body in bodies() {
        let before = function(&body);
        for precision in PRECISIONS {
            let Some(after) = simplified(&before, precision) else { continue };
            let name = format!("simplify {}", outer(&body));
            let group = groups.entry(name.clone()).or_insert_with(|| Claims::new(name, Products::Exact));
            // Reads have no terms: `tests` enumerates their indices.
            let _ =
                group.same(&format!("{precision:?} {body}"), [&before, &after], precision, !is_free(&body));
        }
    }
    let mut general = Claims::new("schemas".to_owned(), Products::Exact);
    // Rules that hold for every number: two equal functions. [`rows`] ties the pairs to `simplify`
    // of which it makes one from the other.
    for [name, before, after] in table(include_str!("schemas.tsv")) {
        let pair = [function(before), function(after)];
        let added = general.same(name, [&pair[0], &pair[1]], Precision::Exact, true);
        debug_assert_eq!(added, Ok(()), "schemas have terms");
    }
    let groups = groups.into_values().chain([general]);
    groups.flat_map(Claims::questions).chain(exchanges()).collect()
}

/// Operands of an operation that commutes may be exchanged: the equality of `cse`.
fn exchanges() -> Vec<Question> {
    let mut all = Vec::new();
    for row in Binary::ALL.iter().filter(|op| op.commutes()).map(|op| op.signature()) {
        let is_dot = row.shape == Shape::Dot;
        let (lanes, products) = if is_dot { (3, Products::Lemmas) } else { (1, Products::Exact) };
        let (from, to) = (Type::new(row.operand, lanes), kind(row.result));
        let [one, other] = ["%0 %1", "%1 %0"].map(|operands| {
            let result = format!("%2: {to} = {} {operands} yield %2", row.name);
            function(&format!("(%0: {from} %1: {from}) {result}"))
        });
        let mut claims = Claims::new(format!("cse {}", row.name), products);
        for precision in PRECISIONS {
            let added = claims.same(row.name, [&one, &other], precision, true);
            debug_assert_eq!(added, Ok(()), "operations have terms");
        }
        all.extend(claims.questions());
    }
    all
}
