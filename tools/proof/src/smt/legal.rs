//! Questions about lifting and legalization.
//! In: one instruction, lifted as any program is; operations on operands of which something is
//! known, legalized as in any program. Out: that the specification, the lifted operations and the
//! legal ones with their helper functions are equal, each under the facts under which legalization
//! chooses it.
//!
//! Legal forms in `exact` and `f24` may have another sign of a zero, which no instruction
//! observes: that is asked, too.

use transpica::stages::host::UniformBlock;
use transpica::stages::ir::{Binary, Module, Shape, Unary};
use transpica::stages::{lift, structure};
use transpica::{Precision, Program, Shbin};
use transpica_asm::{SourceText, assemble};

use crate::chain;
use crate::smt::question::{Claims, PRECISIONS, Question};
use crate::smt::rules::{function, operand};
use crate::smt::spec::{self, Register, Spec};
use transpica_compile::equal::meaning;
use transpica_compile::equal::term::{Fun, Products, Sort, Term};
use transpica_compile::equal::walk::results;

/// Mnemonics by their number of sources.
const INSTRUCTIONS: [(usize, &str); 3] =
    [(1, "mov flr rcp rsq ex2 lg2 litp"), (2, "add mul sge slt max min dp3 dp4 dph dst"), (3, "mad")];

/// The module that a program of one instruction becomes.
fn lifted(instructions: &str, precision: Precision) -> Result<Module, String> {
    let text = format!(
        ".proc main\n\tmov r0, v0\n\tmov r1, v1\n\tmov r2, v2\n\t{instructions}\n\tmov o0, r3\n\tend\n.end\n"
    );
    let source = SourceText { name: "instructions", text: &text };
    let assembled = assemble(&[source]).map_err(|error| error.to_string())?;
    let lower = || lift_program(Shbin::parse(&assembled.bytes)?.program(0)?.program(), precision);
    lower().map_err(|error: transpica::Error| error.to_string())
}

/// The function that a program is lifted to.
///
/// # Errors
/// An undefined opcode, or more than the limits.
pub fn lift_program(program: &Program<'_>, precision: Precision) -> transpica::Result<Module> {
    let options = &chain::options(precision);
    let context = chain::context(program, options);
    match chain::graph(program, options)? {
        Some((cfg, Some(tree))) => lift::structured(context, &cfg, &tree),
        Some((cfg, None)) => lift::structured(context, &cfg, &structure::blocks::dispatcher(&cfg)),
        None => lift::dispatched(context),
    }
}

/// Adds that instructions leave in r3 what the specification makes of r0, r1 and r2, possibly
/// except for the signs of zeros.
fn claim_lifting(
    claims: &mut Claims,
    [label, text]: [&str; 2],
    (precision, signs): (Precision, bool),
    expected: impl FnOnce(&Spec<'_>, &[Register; 3]) -> Register,
) {
    let module = lifted(text, precision).unwrap_or_else(|error| unreachable!("{text} is lifted: {error}"));
    let t = &claims.terms;
    let found = results(t, &module, precision).unwrap_or_else(|error| unreachable!("{text}: {error}"));
    let registers = [0, 1, 2].map(|register| [0, 1, 2, 3].map(|lane| meaning::input(t, register, lane)));
    let expected = expected(&Spec { t, precision }, &registers);
    let pairs: Vec<(Term, Term)> = expected.into_iter().zip(found).collect();
    claims.equal(&format!("{precision:?} {label}"), &pairs, signs);
}

/// Specification of each instruction = what it is lifted to: data instructions, CMP by a choice
/// between two registers, MOVA by a relative read.
fn instructions() -> Vec<Question> {
    let mut all = Vec::new();
    for (sources, mnemonics) in INSTRUCTIONS {
        let operands = ["r0", "r1", "r2"][..sources].join(", ");
        for mnemonic in mnemonics.split(' ') {
            let mut claims = Claims::new(format!("lift {mnemonic}"), Products::Lemmas);
            let text = format!("{mnemonic} r3, {operands}");
            for precision in [Precision::Exact, Precision::F24] {
                claim_lifting(&mut claims, [mnemonic, &text], (precision, false), |spec, s| {
                    spec.instruction(mnemonic, s)
                });
            }
            all.extend(claims.questions());
        }
    }
    for word in spec::COMPARISONS {
        let mut claims = Claims::new(format!("lift cmp {word}"), Products::Lemmas);
        for (flag, lane) in [("x", 0), ("y", 1)] {
            let text = format!(
                "cmp r0, {word}, {word}, r1\n\tifc cmp.{flag}\n\t\tmov r3, r0\n\t.else\n\t\tmov r3, r1\n\t.end"
            );
            for precision in PRECISIONS {
                claim_lifting(&mut claims, [flag, &text], (precision, true), |spec, s| {
                    spec.compared(word, lane, s)
                });
            }
        }
        all.extend(claims.questions());
    }
    let mut claims = Claims::new("lift mova".to_owned(), Products::Lemmas);
    for (register, lane) in [("x", 0), ("y", 1)] {
        let text = format!("mova a0.xy, r0\n\tnop\n\tmov r3, c40[a0.{register}]");
        for precision in PRECISIONS {
            claim_lifting(&mut claims, [register, &text], (precision, true), |spec, s| {
                spec.relative(40, s[0][lane])
            });
        }
    }
    all.extend(claims.questions());
    all
}

/// Legalizes the main function of a module.
pub fn legalized(before: &Module, precision: Precision) -> Module {
    let (mut module, options) = (before.clone(), chain::options(precision));
    chain::legalize(&mut module, &options, &UniformBlock::default());
    module
}

/// Makers of operands of which legalization knows something.
const OPERANDS: [&str; 15] = [
    "",
    "= abs A",
    "= sgep A B",
    "= mulp A A",
    "= rcpp A",
    "= rsqp A",
    "= exp2p A",
    "= const 1 T: f32 = maxp A R",
    "= const 1 T: f32 = minp A R",
    "= const 2 T: f32 = minp R A",
    "= sltp A B T: f32 = neg R",
    "= const 0",
    "= const 0x80000000",
    "= const 2",
    "= mulp A B",
];

/// Every function whose legal form is asked about, with the operation that groups it: one operation
/// of the PICA200 on such operands, then [`VECTORS`].
pub fn bodies() -> Vec<(String, String)> {
    let mut out = Vec::new();
    // Functions of one operand are enumerated, step by step.
    let portable = [Unary::RcpP, Unary::RsqP, Unary::Exp2P, Unary::Log2P];
    for op in Unary::ALL.iter().filter(|op| op.is_pica() && !portable.contains(op)) {
        let (word, to) = (op.signature().name, if *op == Unary::AddressP { "i32" } else { "f32" });
        for row in OPERANDS {
            let (items, value) = operand(row, 1, ["%0", "%1"]);
            let body = format!("(%0: f32 %1: f32) {items}%2: {to} = {word} {value} yield %2");
            out.push((word.to_owned(), body));
        }
    }
    for op in Binary::ALL.iter().filter(|op| op.is_pica() && op.shape() == Shape::Each) {
        let word = op.signature().name;
        // Nothing is asked about the operands of a comparison.
        let rows = if matches!(op, Binary::SgeP | Binary::SltP) { 2 } else { OPERANDS.len() };
        let rows = &OPERANDS[..rows];
        for (x, y) in rows.iter().flat_map(|x| rows.iter().map(move |y| (x, y))) {
            let ((first, a), (second, b)) = (operand(x, 1, ["%0", "%1"]), operand(y, 2, ["%2", "%3"]));
            let make = format!("(%0: f32 %1: f32 %2: f32 %3: f32) {first}{second}");
            out.push((word.to_owned(), format!("{make}%4: f32 = {word} {a} {b} yield %4")));
        }
    }
    out.extend(VECTORS.lines().map(|body| ("vectors".to_owned(), body.to_owned())));
    out
}

/// Functions with dot products of vectors, of points, of finite numbers and of one vector, and with
/// sums of products, which take over tests for NaN.
const VECTORS: &str = include_str!("vectors.tsv");

/// Operations of the PICA200 = their legal forms.
fn legal_forms() -> Vec<Question> {
    let mut groups: Vec<Claims> = Vec::new();
    for (word, body) in bodies() {
        let before = function(&body);
        for precision in PRECISIONS {
            // In `fast` drivers choose minima and maxima with NaN, and the order of sums.
            let is_free = || ["minp", "maxp", "dotp", "vectors"].iter().any(|free| body.contains(free));
            if precision == Precision::Fast && is_free() {
                continue;
            }
            let after = legalized(&before, precision);
            let group = Claims::group(&mut groups, format!("legalize {word}"), Products::Lemmas);
            // No form keeps the sign of a zero: in `fast` only a quotient by zero would show it.
            let added = group.same(&format!("{precision:?} {body}"), [&before, &after], precision, false);
            added.unwrap_or_else(|error| unreachable!("legal forms have terms: {error}"));
        }
    }
    groups.into_iter().flat_map(Claims::questions).collect()
}

/// No operation of the PICA200 observes the sign of a zero: results for operands that differ in it
/// alone are equal except for it.
fn signs() -> Vec<Question> {
    let mut claims = Claims::new("signs of zeros".to_owned(), Products::Lemmas);
    let t = &claims.terms;
    let zero = |number| {
        let bits = t.var(Sort::Bits, number);
        let other = t.apply(Fun::BitXor, &[bits, t.bits(0x8000_0000)]);
        let [one, other] = [bits, other].map(|bits| t.apply(Fun::FromBits, &[bits]));
        (one, t.ite(t.apply(Fun::IsZero, &[one]), other, one))
    };
    let ((a, c), (b, d)) = (zero(0), zero(1));
    let mut pairs = Vec::new();
    for precision in [Precision::Exact, Precision::F24] {
        for &op in Unary::ALL.iter().filter(|op| op.is_pica()) {
            pairs.push((op.signature().name, [a, c].map(|x| meaning::unary(t, op, precision, x))));
        }
        for &op in Binary::ALL.iter().filter(|op| op.is_pica()) {
            let results =
                [(a, b), (c, d), (c, b), (a, d)].map(|(x, y)| meaning::binary(t, op, precision, x, y));
            results[1..].iter().for_each(|&other| pairs.push((op.signature().name, [results[0], other])));
        }
    }
    for (name, [one, other]) in pairs {
        claims.equal(name, &[(one, other)], false);
    }
    claims.questions()
}

/// All of them.
pub fn questions() -> Vec<Question> {
    [instructions(), legal_forms(), signs()].concat()
}
