//! Every question of today's rules is proven, without a solver: the list has it. The terms are
//! those of the library's arithmetic; every named rule and helper has its question; wrong rules are
//! shown by numbers.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use transpica::stages::ir::op::scalar;
use transpica::stages::ir::{Binary, Module, ScalarKind, Shape, Unary};
use transpica::stages::passes;
use transpica::stages::precision::arith::uniform_index;
use transpica::{Precision, Shbin};

use crate::smt::mutants::{mutants, numbers};
use crate::smt::question::{Answer, Claims, PRECISIONS, answers, folder};
use crate::smt::rules::{function, rows, simplified};
use crate::smt::{ask, legal};
use transpica_compile::equal::meaning;
use transpica_compile::equal::term::{Products, Terms};
use transpica_compile::equal::walk::compare;

fn source(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../src/passes").join(path);
    fs::read_to_string(&root).unwrap_or_else(|error| panic!("{}: {error}", root.display()))
}

fn list(name: &str) -> BTreeMap<String, Answer> {
    answers(&fs::read_to_string(folder().join(name)).expect("the list"))
}

#[test]
fn every_question_of_today_is_proven() {
    let (list, questions) = (list("questions.tsv"), ask::questions());
    let is_proven = |key: &String| list.get(key).is_some_and(Answer::is_proven);
    let keys: BTreeSet<String> = questions.iter().filter_map(crate::smt::question::Question::key).collect();
    let open: Vec<&str> = (questions.iter())
        .filter(|question| question.key().is_some_and(|key| !is_proven(&key)))
        .map(|question| question.name.as_str())
        .collect();
    assert!(
        open.is_empty(),
        "{} not proven: `cargo xtask prove --smt --new`\n{}",
        open.len(),
        open.join("\n")
    );
    let stale: Vec<_> = list.iter().filter(|(key, _)| !keys.contains(*key)).collect();
    assert!(stale.is_empty(), "answers without a question: {stale:?}");
    println!("{}", ask::summary(&questions, &list));
}

/// Names that comments of the sources give to rules.
fn named() -> BTreeSet<String> {
    let files = ["rules.rs", "comparisons.rs"].map(|file| source(&format!("optimize/simplify/{file}")));
    let lines = files.iter().flat_map(|text| text.lines());
    lines.filter_map(|line| line.trim().strip_prefix("// rule: ")).map(str::to_owned).collect()
}

#[test]
fn every_named_rule_has_a_row_that_it_changes() {
    let known: BTreeSet<String> = rows().map(|[name, _]| name.to_owned()).collect();
    assert_eq!(named(), known, "names of `simplify` and rows of `rules.rs`");
    for [name, body] in rows() {
        let before = function(body);
        assert!(simplified(&before, Precision::Exact).is_some(), "{name} does not fit {body}");
    }
}

/// Lines between the name of a rule and its result.
const NEAR: usize = 12;
/// Spellings of the result of a rule.
const RESULTS: [&str; 4] = ["Fold::Value(", "Fold::Op(", "=> all(", "return holds"];

#[test]
fn every_result_of_a_rule_has_a_name() {
    let text = source("optimize/simplify/rules.rs");
    // From the first rule on; results that are only passed on are patterns.
    let (_, rules) = text.split_once("fn read_at").expect("the rules");
    let lines: Vec<&str> = rules.lines().map(str::trim).collect();
    let mut count = 0;
    for (index, code) in lines.iter().enumerate() {
        let is_local = code.contains("Fold::Op(_)") || code.starts_with("Fold::Op(Op::Const(lanes))");
        if RESULTS.iter().any(|result| code.contains(result)) && !is_local {
            let near = &lines[index.saturating_sub(NEAR)..index];
            assert!(near.iter().any(|line| line.starts_with("// rule: ")), "a rule without a name: {code}");
            count += 1;
        }
    }
    assert!(count >= rows().count() - 4, "{count} results");
}

#[test]
fn every_helper_function_is_asked_about_or_enumerated() {
    let text = source("legalize/helpers.rs");
    let names = text.split("\"pica_").skip(1).filter_map(|rest| rest.split('"').next());
    let mut open: BTreeSet<String> = names.map(|name| format!("pica_{name}")).collect();
    assert!(open.len() > 20, "{open:?}");
    for (_, body) in legal::bodies() {
        for precision in PRECISIONS {
            for helper in legal::legalized(&function(&body), precision).helpers {
                let name = ["_vec2f", "_vec3f", "_vec4f"]
                    .iter()
                    .fold(&*helper.name, |name, end| name.trim_end_matches(end));
                open.remove(name);
            }
        }
    }
    // Nothing is promised of a driver's functions.
    open.retain(|name| !name.starts_with("pica_driver"));
    let enumerated = ["pica_floor", "pica_log_two", "pica_rcp_any", "pica_to_float"];
    assert_eq!(open, enumerated.map(str::to_owned).into(), "helpers without a question");
}

/// Numbers at the edges of classes and formats.
const SPECIAL: [u32; 24] = [
    0,
    0x8000_0000,
    1,
    0x8000_0001,
    0x007F_FFFF,
    0x0080_0000,
    0x1880_0000,
    0x207F_FFFF,
    0x2080_0000,
    0xA080_0000,
    0x3F7F_FFFF,
    0x3F80_0000,
    0xBF80_0000,
    0x3F80_0001,
    0x4000_0000,
    0x42FE_0000,
    0xC301_0000,
    0x5F7F_FFFF,
    0x5F80_0000,
    0x7F7F_FFFF,
    0x7F80_0000,
    0xFF80_0000,
    0x7FC0_0000,
    0xFF80_0001,
];

fn same(kind: ScalarKind, a: u32, b: u32) -> bool {
    a == b || kind == ScalarKind::F32 && f32::from_bits(a).is_nan() && f32::from_bits(b).is_nan()
}

#[test]
fn terms_are_the_arithmetic_of_the_library() {
    for precision in PRECISIONS {
        let t = Terms::default();
        for &op in Unary::ALL {
            let row = op.signature();
            let a = meaning::variable(&t, row.operand, 0);
            let term = meaning::unary(&t, op, precision, a);
            let mask = if row.operand == ScalarKind::Bool { 1 } else { u32::MAX };
            for x in SPECIAL.map(|x| x & mask) {
                let (found, expected) = (t.eval(term, &[x]), scalar::unary(op, precision, x));
                assert!(
                    same(row.result, found, expected),
                    "{} of {x:#x} in {precision:?}: {found:#x}, not {expected:#x}",
                    row.name
                );
            }
        }
        for &op in Binary::ALL {
            let row = op.signature();
            let [a, b] = [0, 1].map(|number| meaning::variable(&t, row.operand, number));
            let term = meaning::binary(&t, op, precision, a, b);
            let mask = if row.operand == ScalarKind::Bool { 1 } else { u32::MAX };
            for (x, y) in SPECIAL.iter().flat_map(|x| SPECIAL.map(|y| (x & mask, y & mask))) {
                let (found, expected) = (t.eval(term, &[x, y]), scalar::binary(op, precision, x, y));
                assert!(
                    same(row.result, found, expected),
                    "{} of {x:#x} and {y:#x} in {precision:?}: {found:#x}, not {expected:#x}",
                    row.name
                );
            }
        }
    }
}

/// `reference/pica200.md` 4.6, written a second time: indices of relative reads.
#[test]
fn relative_reads_have_the_index_of_the_reference() {
    for base in 0..=95u8 {
        for offset in (-1000..=1000).chain([i32::MIN, i32::MAX, -(1 << 20), 1 << 20]) {
            let kept = if (-128..=127).contains(&offset) { offset } else { 0 };
            let expected = (i32::from(base) + kept).rem_euclid(128);
            assert_eq!(i32::from(uniform_index(base, offset)), expected, "c{base} + {offset}");
        }
    }
}

#[test]
fn wrong_rules_are_shown_by_numbers() {
    let list = list("mutants.tsv");
    for mutant in &mutants() {
        let key = mutant.question().key().unwrap_or_else(|| panic!("{} is right", mutant.name));
        let answer = list.get(&key).unwrap_or_else(|| panic!("no counterexample of {}", mutant.name));
        assert!(
            mutant.is_shown_by(&numbers(&answer.solvers)),
            "{} is right for {}",
            mutant.name,
            answer.solvers
        );
    }
    assert_eq!(list.len(), mutants().len(), "counterexamples of wrong rules");
}

#[test]
fn a_changed_rule_asks_a_question_that_is_not_in_the_list() {
    let (before, after) = (
        function("(%0: f32) %1: f32 = floor %0 %2: f32 = floor %1 yield %2"),
        function("(%0: f32) yield %0"),
    );
    let mut claims = Claims::new("planted".to_owned(), Products::Exact);
    claims.same("floor is a copy", [&before, &after], Precision::Exact, true).expect("terms");
    assert_eq!(claims.refuted(&[0.5f32.to_bits()]), ["floor is a copy"]);
    assert!(claims.refuted(&[2f32.to_bits()]).is_empty());
    let key = claims.questions()[0].key().expect("a script");
    assert!(!list("questions.tsv").contains_key(&key));
}

#[test]
fn operations_of_all_lanes_are_dot_products() {
    let dots: Vec<_> = Binary::ALL.iter().filter(|op| op.shape() == Shape::Dot).collect();
    assert_eq!(dots, [&Binary::DotP, &Binary::Dot], "others have no term");
}

#[test]
fn a_part_of_the_enumeration_runs() {
    let mut lines = Vec::new();
    crate::smt::enumerate::run(1 << 14, |line| lines.push(line.to_owned())).expect("equal");
    assert_eq!(lines.len(), 7, "{lines:?}");
}

#[test]
fn walks_find_samples_equal_after_each_pass_and_different_programs_different() {
    let shaders = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shaders");
    let lift = |name: &str, precision| {
        let bytes = fs::read(shaders.join(name)).expect("a sample");
        let file = Shbin::parse(&bytes).expect("a file");
        let program = file.program(0).expect("a program");
        legal::lift_program(program.program(), precision).expect("lifted")
    };
    for (name, precision) in
        ["textured.shbin", "skinning.shbin", "particles.shbin"].into_iter().zip(PRECISIONS)
    {
        let mut module = lift(name, precision);
        let (mut before, mut compared) = (module.clone(), 0);
        passes::optimize::run_observed(&mut module, precision, &mut Default::default(), &mut |pass, main| {
            let after = Module { main: main.clone(), helpers: Vec::new() };
            compare([&before, &after], precision, true)
                .unwrap_or_else(|why| panic!("{name} after {pass}: {why}"));
            (before, compared) = (after, compared + 1);
        });
        assert!(compared > 0, "{name}");
        assert!(compare([&lift("lights.shbin", precision), &before], precision, true).is_err(), "{name}");
    }
}
