//! Findings of `doctor`: files, programs and their results.

use transpica::Key;
use transpica_gpu::compare::Verdict;
use transpica_gpu::{Report, Route};

use crate::caches::{Cache, StoredProgram};
use crate::commands::comparison::{Checked, Class, classify};

/// One file, read.
pub struct File {
    /// Its name without folders.
    pub name: String,
    pub bytes: usize,
    /// Its content, or the reason for having none.
    pub cache: Result<Cache, String>,
}

/// One of the programs with equal keys, and how often they occur.
pub struct Distinct<'a> {
    pub key: Key,
    pub program: &'a StoredProgram,
    /// File of the first one.
    pub file: &'a str,
    pub count: usize,
}

/// A program with its result.
pub struct Row<'a> {
    pub program: Distinct<'a>,
    pub class: Class,
    /// Why it is not equal.
    pub detail: String,
    /// Counts of what was compared, if anything.
    pub verdict: Verdict,
}

impl<'a> Row<'a> {
    pub fn new((program, checked): (Distinct<'a>, Checked)) -> Self {
        let (class, reason) = classify(&checked);
        let verdict = checked.unwrap_or_default();
        let detail = reason.unwrap_or_else(|| match verdict.first {
            Some(first) => format!("{} values differ; first: {first}", verdict.differing),
            None => String::new(),
        });
        Self { program, class, detail, verdict }
    }
}

/// Everything that a report says.
pub struct Examination<'a> {
    pub files: &'a [File],
    /// Names of caches of other kinds.
    pub others: Vec<String>,
    pub rows: Vec<Row<'a>>,
    pub driver: Report,
    pub vertices: usize,
    pub seed: u64,
    pub route: Route,
}

impl Examination<'_> {
    /// Returns the number of programs of a class.
    pub fn count(&self, class: Class) -> usize {
        self.rows.iter().filter(|row| row.class == class).count()
    }
    /// Returns the number of all stored programs.
    pub fn stored(&self) -> usize {
        self.rows.iter().map(|row| row.program.count).sum()
    }
}
