//! The daily share of tests: `cargo xtask test` takes a part of the cases, `--all` takes all.
//! In: numbers of cases. Out: the number to take; a line about those that are left out,
//! in the file named by [`tally::FILE`](crate::tally::FILE), if it is set.
//!
//! Tests call this so that nothing is left out without a line.

use crate::tally;

/// Environment variable that selects all cases if it is set.
pub const ALL: &str = "TRANSPICA_ALL";

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
    if std::env::var_os(ALL).is_some() || daily >= all {
        return all;
    }
    tally::note_left_out(what, daily, all);
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
