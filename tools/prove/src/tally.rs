//! Counts of what was compared, told by the tests that compare and gathered by `cargo xtask test`.
//! In: one line for each stage. Out: standard output, and the file that [`FILE`] names, if it is set.

use std::io::Write;

/// The environment variable that names the file where lines are gathered. Tests of several programs append to it.
pub const FILE: &str = "TRANSPICA_TALLY";

/// What one stage of a test compared.
///
/// ```
/// use transpica_prove::tally::Tally;
/// let tally = Tally { stage: "IR after each pass, clean".into(), programs: 2000, vertices: 6000, ..Tally::default() };
/// assert_eq!(tally.to_string(), "IR after each pass, clean: 2000 programs, 6000 vertices, 0 differ");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// What was compared with the reference interpreter, and on which driver if on one.
    pub stage: String,
    /// Programs.
    pub programs: u64,
    /// Vertices that were run, all programs together.
    pub vertices: u64,
    /// Programs that differed.
    pub differing: u64,
    /// Anything else that a reader of the count should know; may be empty.
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
    /// Tells the count.
    ///
    /// # Panics
    /// Where the file cannot be written: a count that goes missing would say that nothing was compared.
    pub fn tell(&self) {
        println!("{self}");
        let Some(path) = std::env::var_os(FILE) else { return };
        let Self { stage, programs, vertices, differing, note } = self;
        let line = format!("{stage}\t{programs}\t{vertices}\t{differing}\t{note}\n");
        // One write of one line: tests run beside each other.
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&path);
        file.and_then(|mut file| file.write_all(line.as_bytes()))
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}
