//! Every form of a random program gives what the reference interpreter gives: the tree, the block dispatcher, the pc
//! dispatcher, and the intermediate form after lowering, after each pass and after legalisation, bit for bit.

use transpica::precision::Precision;
use transpica_generate::{Kind, generate};
use transpica_prove::chain::{self, Count};
use transpica_prove::shrink;

/// Compares programs; the first that disagrees is made small and told.
fn compare(kind: Kind, seeds: std::ops::Range<u64>, precision: Precision) -> Count {
    let mut count = Count::default();
    for seed in seeds {
        let generated = generate(kind, seed);
        match chain::compare(&generated, precision) {
            Ok(one) => count.add(one),
            Err(first) => {
                let fails = |program: &_| {
                    chain::compare(program, precision).is_err_and(|found| found.form == first.form)
                };
                let small = shrink::text(&shrink::shrink(&generated, fails)).expect("a small program");
                panic!(
                    "{kind:?} seed {seed} {precision:?}: {first}\nthe smallest program that disagrees there:\n{small}"
                );
            }
        }
    }
    println!(
        "{kind:?} {precision:?}: {} programs, {} vertices ({} unfinished), {} forms compared, 0 differ",
        count.programs, count.vertices, count.unfinished, count.forms
    );
    count
}

#[test]
fn clean_programs_agree_in_every_form() {
    let count = compare(Kind::Clean, 0..2000, Precision::Exact);
    assert_eq!(count.unfinished, 0, "clean programs end");
}

#[test]
fn wild_programs_agree_in_every_form() {
    let count = compare(Kind::Wild, 0..2000, Precision::Exact);
    assert!(count.vertices > 3000, "most wild programs end within the budget");
}

#[test]
fn special_values_agree_in_every_precision() {
    compare(Kind::Numeric, 0..300, Precision::Exact);
    compare(Kind::Numeric, 300..600, Precision::Fast);
    compare(Kind::Numeric, 600..900, Precision::F24);
    compare(Kind::Clean, 5000..5100, Precision::F24);
}
