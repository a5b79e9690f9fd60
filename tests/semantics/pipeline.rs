//! Every form of a random program has the reference interpreter's results, bit for bit: the tree,
//! the block dispatcher, the pc dispatcher, and the IR after lowering, after each pass and after
//! legalization.

use transpica::Precision;
use transpica_proof::chain::{self, Count};
use transpica_proof::generate::{Kind, generate};
use transpica_proof::tally::Tally;
use transpica_proof::{daily, shrink};

/// Compares programs and prints the number that differ; the first of them is shrunk.
fn compare(kind: Kind, seeds: std::ops::Range<u64>, precision: Precision) -> Count {
    let (mut count, mut differing, mut first) = (Count::default(), 0, None);
    for seed in seeds {
        let generated = generate(kind, seed);
        match chain::compare(&generated, precision) {
            Ok(one) => count.add(one),
            Err(disagreement) => {
                differing += 1;
                first.get_or_insert((generated, disagreement));
            }
        }
    }
    let tally = Tally {
        stage: format!("tree, dispatchers, IR after each pass: {kind:?} {precision:?}"),
        programs: count.programs as u64 + differing,
        vertices: count.vertices as u64,
        differing,
        note: format!(
            "{} forms, {} vertices left out: no end within the budget",
            count.forms, count.unfinished
        ),
    };
    tally.print();
    if let Some((generated, first)) = first {
        let fails =
            |program: &_| chain::compare(program, precision).is_err_and(|found| found.form == first.form);
        let small = shrink::text(&shrink::shrink(&generated, fails)).expect("a small program");
        panic!(
            "{kind:?} seed {} {precision:?}: {first}\nthe smallest program that disagrees there:\n{small}",
            generated.seed
        );
    }
    count
}

#[test]
fn clean_programs_agree_in_every_form() {
    let programs = daily::cases("programs in every form, clean", 1000, 2000);
    let count = compare(Kind::Clean, 0..programs, Precision::Exact);
    assert_eq!(count.unfinished, 0, "clean programs end");
}

#[test]
fn wild_programs_agree_in_every_form() {
    let programs = daily::cases("programs in every form, wild", 1000, 2000);
    let count = compare(Kind::Wild, 0..programs, Precision::Exact);
    assert!(count.vertices > programs as usize * 3 / 2, "most wild programs end within the budget");
}

#[test]
fn special_values_agree_in_every_precision() {
    compare(Kind::Numeric, 0..150, Precision::Exact);
    compare(Kind::Numeric, 300..450, Precision::Fast);
    compare(Kind::Numeric, 600..750, Precision::F24);
    compare(Kind::Clean, 5000..5050, Precision::F24);
}
