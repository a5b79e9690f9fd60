//! The daily share of tests: `cargo xtask test` takes a part of the cases, `--all` takes all.
//! In: numbers of cases. Out: the number to take; a line about those that are left out,
//! in the file named by [`COUNTS`], if it is set.
//!
//! Tests call this so that nothing is left out without a line.

use std::fs::OpenOptions;
use std::io::Write as _;

/// Environment variable that selects all cases if it is set.
pub const ALL: &str = "TRANSPICA_ALL";

/// Environment variable with the path of the file that collects counts. Tests of several
/// executables append to it.
pub const COUNTS: &str = "TRANSPICA_TALLY";

/// Returns whether all cases are selected.
#[must_use]
pub fn takes_all() -> bool {
    std::env::var_os(ALL).is_some()
}

/// Returns how many cases to take: `daily`, or `all` if [`ALL`] is set.
///
/// ```
/// let programs = transpica_proof::daily::cases("random programs, clean", 100, 2000);
/// assert!(programs == 100 || programs == 2000);
/// ```
///
/// # Panics
/// If the file of counts cannot be written.
#[must_use]
pub fn cases(what: &str, daily: u64, all: u64) -> u64 {
    if takes_all() || daily >= all {
        return all;
    }
    println!("{what}: {daily} of {all}");
    append(&format!("{what}\t{daily}\t{all}\n"));
    daily
}

/// Returns the items to take: the first and each `step`-th after it, or all of them if [`ALL`] is
/// set.
///
/// # Panics
/// If `step` is zero, or the file of counts cannot be written.
#[must_use]
pub fn some<T>(what: &str, step: usize, items: Vec<T>) -> Vec<T> {
    let (all, daily) = (items.len() as u64, items.len().div_ceil(step) as u64);
    let step = if cases(what, daily, all) == all { 1 } else { step };
    items.into_iter().step_by(step).collect()
}

/// Appends a line to the file of counts, with a single call, since tests run in parallel.
///
/// # Panics
/// If the file cannot be written: what is missing would look as if nothing had been left out.
pub(crate) fn append(line: &str) {
    let Some(path) = std::env::var_os(COUNTS) else { return };
    let file = OpenOptions::new().create(true).append(true).open(&path);
    file.and_then(|mut file| file.write_all(line.as_bytes()))
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
}
