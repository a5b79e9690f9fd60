//! Intermediate forms of small programs as golden text: `cases/cfg` and `cases/tree` hold assembler
//! text, `cases/ir` functions for one pass.
//! The expected text of `NAME.pica` or `NAME.ir` is in `NAME.txt`;
//! `UPDATE_EXPECT=1 cargo test -p transpica --test semantics forms` rewrites the stale ones. A case
//! without its text, a text without its case and a stale text fail.
//!
//! A case begins with a comment on its purpose. In a function it is the second line; the first one
//! names the pass:
//!
//! ```text
//! ; pass simplify            or several, `; pass dce, shrink`; another precision than exact, `; pass simplify in f24`
//! ```
//!
//! Empty lines separate the modules of a case. Each pass must leave its module valid, report
//! changes correctly, preserve results on random inputs, and change nothing when run again.

use crate::ir::legalize::symbols;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use transpica::host::dvle;
use transpica::settings::Arithmetic;
use transpica::stages::cfg::explore::{ExploreOptions, Explored, explore};
use transpica::stages::cfg::graph::is_reducible;
use transpica::stages::cfg::reduce::{Reduced, reduce};
use transpica::stages::cfg::{self, Cfg};
use transpica::stages::ir::{Module, Phase, text, verify};
use transpica::stages::passes::analyze::offsets;
use transpica::stages::passes::analyze::ranges::Promises;
use transpica::stages::passes::{Scratch, legalize};
use transpica::stages::structure::{self, Structured};
use transpica::{Limits, Precision, Program, Shbin};
use transpica_asm::{SourceText, assemble};
use transpica_proof::ir::same_numbers;
use transpica_proof::passes;
use transpica_proof::risk::first_risk;
use transpica_proof::same::{compare, compare_by};

/// Number of random inputs on which a pass must preserve the results of a function.
const RUNS: u32 = 50;

/// A folder of cases.
struct Folder<'a> {
    path: PathBuf,
    /// File extension of the cases.
    ending: &'a str,
    /// True if expectations are rewritten.
    bless: bool,
}

impl Folder<'_> {
    /// Returns the faults of the folder; `show` renders a case.
    fn faults(&self, show: impl Fn(&str) -> String) -> Vec<String> {
        let mut faults = Vec::new();
        let mut cases = 0;
        for path in self.files() {
            let is_case = path.extension().is_some_and(|ending| ending == self.ending);
            if !is_case {
                if path.extension().is_none_or(|ending| ending != "txt") {
                    faults.push(format!("{}: neither a case nor an expectation", path.display()));
                } else if !path.with_extension(self.ending).exists() {
                    faults.push(format!("{}: no case has this expectation", path.display()));
                }
                continue;
            }
            cases += 1;
            let shown = show(&fs::read_to_string(&path).expect("readable"));
            let expectation = path.with_extension("txt");
            if self.bless {
                fs::write(&expectation, &shown).expect("writable");
            }
            match fs::read_to_string(&expectation) {
                Ok(expected) if expected == shown => {}
                Ok(expected) => {
                    faults.push(format!("{}: expected\n{expected}\nfound\n{shown}", path.display()));
                }
                Err(error) => faults.push(format!("{}: {error}; found\n{shown}", expectation.display())),
            }
        }
        if cases == 0 {
            faults.push(format!("{}: no cases", self.path.display()));
        }
        faults
    }

    /// Returns the files in alphabetical order.
    fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.path).expect("a folder");
        let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
        files.sort();
        files
    }
}

/// Checks a folder of `tests/cases`.
fn check(name: &str, ending: &str, show: impl Fn(&str) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(name);
    let faults = Folder { path, ending, bless: std::env::var_os("UPDATE_EXPECT").is_some() }.faults(show);
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}

/// Assembles a text and builds the program's graph.
fn explored(source: &str) -> (Program<'static>, Cfg) {
    assert!(source.starts_with("; "), "says what it shows: {source}");
    let assembled = assemble(&[SourceText { name: "case", text: source }]);
    let bytes = assembled.unwrap_or_else(|report| panic!("{report}")).bytes;
    let limits = Limits::default();
    let file = Shbin::parse(&bytes).expect("well formed");
    let program = dvle::program(&file, 0, &limits).expect("a program");
    let Explored::Graph(cfg) = explore(&program, &ExploreOptions::default(), &limits).expect("is defined")
    else {
        panic!("too many nodes: {source}");
    };
    (program, cfg)
}

/// Makes a graph reducible; returns whether it changed.
fn reduced(cfg: &mut Cfg) -> bool {
    let was_reducible = is_reducible(cfg);
    let before = cfg.clone();
    assert_eq!(reduce(cfg, &Limits::default()), Reduced::Reducible, "{cfg}");
    assert!(is_reducible(cfg), "{cfg}");
    assert_eq!(was_reducible, *cfg == before, "only what is not reducible changes: {cfg}");
    !was_reducible
}

#[test]
fn graphs_match_the_cases() {
    check("cfg", "pica", |source| {
        let (program, mut cfg) = explored(source);
        let show = |cfg: &Cfg| cfg::text::CfgText { cfg, program: Some(&program) }.to_string();
        let mut shown = show(&cfg);
        if reduced(&mut cfg) {
            let _ = write!(shown, "reduced:\n{}", show(&cfg));
        }
        shown
    });
}

#[test]
fn trees_match_the_cases() {
    check("tree", "pica", |source| {
        let (program, mut cfg) = explored(source);
        reduced(&mut cfg);
        let Structured::Tree(tree) = structure::structure(&cfg, &Limits::default()) else {
            panic!("no tree: {source}");
        };
        structure::text::TreeText { tree: &tree, cfg: &cfg, program: Some(&program) }.to_string()
    });
}

#[test]
fn functions_after_passes_match_the_cases() {
    check("ir", "ir", |source| {
        let (head, rest) = source.split_once('\n').expect("lines");
        assert!(rest.starts_with("; "), "the second line says what it shows: {source}");
        let pass = head.strip_prefix("; pass ").unwrap_or_else(|| panic!("no pass: {head}"));
        let (names, precision) = pass.split_once(" in ").unwrap_or((pass, "exact"));
        let precision: Precision = match precision {
            "exact" => Precision::Exact,
            "fast" => Precision::Fast,
            "f24" => Precision::F24,
            other => panic!("{other} is not a precision"),
        };
        let modules = source.trim_end().split("\n\n").map(|source| {
            let mut module =
                transpica_proof::ir::parse(source).unwrap_or_else(|error| panic!("{error} in {source}"));
            if names == "legalize" {
                return legalized(module, precision);
            }
            for name in names.split(", ") {
                run(name, &mut module, precision);
            }
            text::print(&module)
        });
        modules.collect::<Vec<_>>().join("\n")
    });
}

/// Runs a pass on the main function.
fn run(name: &str, module: &mut Module, precision: Precision) {
    let (_, pass) = passes::find(name).unwrap_or_else(|| panic!("{name} is not a pass"));
    verify(module, Phase::Pica).unwrap_or_else(|error| panic!("{error} in {module}"));
    let before = module.clone();
    let mut scratch = Scratch::default();
    let changed = pass(&mut module.main, precision, &mut scratch);
    let differs = text::print_renumbered(&before) != text::print_renumbered(module);
    assert_eq!(changed, differs, "{name} says so: {module}");
    verify(module, Phase::Pica).unwrap_or_else(|error| panic!("{error} in {module}"));
    compare(&before, module, precision, 1, RUNS).unwrap_or_else(|error| panic!("{error}: {module}"));
    let again = text::print(module);
    assert!(!pass(&mut module.main, precision, &mut scratch), "a second run changes it to {module}");
    assert_eq!(text::print(module), again, "a second run");
}

/// Prints a legalized module, with names in its calls.
fn legalized(mut module: Module, precision: Precision) -> String {
    verify(&module, Phase::Pica).unwrap_or_else(|error| panic!("{error} in {module}"));
    let before = module.clone();
    let options = transpica::Options {
        arithmetic: Arithmetic { precision, ..Arithmetic::default() },
        ..transpica::Options::default()
    };
    let offsets = offsets::run(&module.main, &options.arithmetic, &[None; 96]);
    let uniforms = legalize::Uniforms { block: &symbols(), constants: &[None; 96], offsets: &offsets };
    legalize::run(
        &mut module,
        &options,
        legalize::Given::promises(Promises::NONE),
        &uniforms,
        &mut Default::default(),
    );
    verify(&module, Phase::Legal).unwrap_or_else(|error| panic!("{error} in {module}"));
    assert_eq!(first_risk(&module), None, "{module}");
    let mut shown = text::print_renumbered(&module);
    for (index, helper) in module.helpers.iter().enumerate().rev() {
        shown = shown.replace(&format!("call {index}("), &format!("call {}(", helper.name));
    }
    // Registers and members of the block have different random values.
    if ![" = uniform ", " = specialized "].iter().any(|read| text::print(&before).contains(read)) {
        compare_by(&before, &module, precision, 1, RUNS, same_numbers)
            .unwrap_or_else(|error| panic!("{error}: {module}"));
    }
    shown
}

/// Tests the harness itself: missing, stale and leftover texts fail, and blessing mends the first
/// two.
#[test]
fn a_wrong_expectation_is_a_failure() {
    let path = std::env::temp_dir().join(format!("transpica-forms-{}", std::process::id()));
    fs::create_dir_all(&path).expect("writable");
    let write = |name: &str, text: &str| fs::write(path.join(name), text).expect("writable");
    let faults = |bless| {
        let folder = Folder { path: path.clone(), ending: "pica", bless };
        folder.faults(|source| source.to_uppercase())
    };
    assert!(faults(false)[0].ends_with("no cases"));
    ["missing.pica", "stale.pica"].iter().for_each(|name| write(name, "case"));
    write("stale.txt", "other");
    write("surplus.txt", "case");
    write("left.over", "");
    let found = faults(false);
    let expected = ["neither a case", "missing.txt", "stale.pica: expected", "no case has this"];
    assert_eq!(found.len(), expected.len(), "{found:?}");
    assert!(found.iter().zip(expected).all(|(fault, expected)| fault.contains(expected)), "{found:?}");
    let found = faults(true);
    let expected = ["neither a case", "no case has this"];
    assert_eq!(found.len(), expected.len(), "{found:?}");
    assert!(found.iter().zip(expected).all(|(fault, expected)| fault.contains(expected)), "{found:?}");
    assert_eq!(fs::read_to_string(path.join("stale.txt")).expect("there"), "CASE");
    fs::remove_dir_all(&path).expect("there");
}
