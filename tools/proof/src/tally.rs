//! Counts of comparisons, printed by the tests and collected by `cargo xtask test`.
//! In: one line for each stage. Out: standard output, and the file named by
//! [`daily::COUNTS`], if it is set.

use crate::daily;

/// Count of one stage of a test.
///
/// ```
/// use transpica_proof::tally::Tally;
/// let tally = Tally { stage: "IR after each pass, clean".into(), programs: 2000, vertices: 6000, ..Tally::default() };
/// assert_eq!(tally.to_string(), "IR after each pass, clean: 2000 programs, 6000 vertices, 0 differ");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// The form compared with the reference interpreter, and the driver, if any.
    pub stage: String,
    /// Programs.
    pub programs: u64,
    /// Vertices of all programs.
    pub vertices: u64,
    /// Programs that differed.
    pub differing: u64,
    /// Further information for the reader; may be empty.
    pub note: String,
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { stage, programs, vertices, differing, note } = self;
        write!(f, "{stage}: {programs} programs, {vertices} vertices, {differing} differ")?;
        if note.is_empty() { Ok(()) } else { write!(f, " ({note})") }
    }
}

impl Tally {
    /// Prints the count and appends it to the file.
    ///
    /// # Panics
    /// If the file cannot be written: a missing count would look as if nothing had been compared.
    pub fn print(&self) {
        println!("{self}");
        let Self { stage, programs, vertices, differing, note } = self;
        daily::append(&format!("{stage}\t{programs}\t{vertices}\t{differing}\t{note}\n"));
    }
}
