//! Coverage: words and sides of branches that ran, and the lines that they were assembled from.
//! In: executed instructions, a source map. Out: counts, LCOV, a table. Knows no machine.

use std::collections::BTreeMap;
use std::fmt::Write;

use transpica::interp::TraceRecord;
use transpica::isa::{Opcode, Pc};

use crate::shader::Shader;

/// Counts of executed instructions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Executions of each code word.
    pub words: Vec<u64>,
    /// For each branch that ran, how often its condition held and failed.
    pub sides: BTreeMap<u16, [u64; 2]>,
}

impl Coverage {
    pub(crate) fn new(words: usize) -> Self {
        Self { words: vec![0; words], sides: BTreeMap::new() }
    }

    /// Counts an instruction, and the side that a branch took.
    pub(crate) fn record(&mut self, record: &TraceRecord, side: Option<bool>) {
        if let Some(count) = self.words.get_mut(record.pc.index()) {
            *count += 1;
        }
        if let Some(side) = side {
            let [held, failed] = self.sides.entry(record.pc.0).or_default();
            *(if side { held } else { failed }) += 1;
        }
    }

    /// Adds other counts for the same code.
    pub fn add(&mut self, other: &Self) {
        self.words.resize(self.words.len().max(other.words.len()), 0);
        self.words.iter_mut().zip(&other.words).for_each(|(count, more)| *count += more);
        for (&pc, more) in &other.sides {
            let sides = self.sides.entry(pc).or_default();
            sides.iter_mut().zip(more).for_each(|(count, more)| *count += more);
        }
    }

    /// Returns whether a word ran.
    pub fn has(&self, address: u32) -> bool {
        self.words.get(address as usize).is_some_and(|&count| count > 0)
    }
}

/// Coverage of a source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileCoverage {
    /// Executions of each line: of the word that ran most.
    pub lines: BTreeMap<u32, u64>,
    /// For each branch, its line and address, and how often its condition held and failed.
    pub branches: BTreeMap<(u32, u16), [u64; 2]>,
}

/// Collects the coverage of each source file, by its name. Nothing counts NOP, which assemblers
/// insert.
pub fn by_file(all: &[(&Shader, Coverage)]) -> BTreeMap<String, FileCoverage> {
    let mut files: BTreeMap<String, FileCoverage> = BTreeMap::new();
    for (shader, coverage) in all {
        let Some(code) = shader.executables.first().map(|executable| executable.program.code()) else {
            continue;
        };
        for (address, (&word, line)) in (0..=u16::MAX).zip(code.iter().zip(&shader.lines)) {
            let opcode = Opcode::of_word(word);
            let place = line.and_then(|(file, line)| Some((shader.files.get(file)?, line)));
            let (Some((file, line)), Some(opcode)) = (place, opcode.filter(|&opcode| opcode != Opcode::Nop))
            else {
                continue;
            };
            let file = files.entry(file.clone()).or_default();
            let most = file.lines.entry(line).or_default();
            *most = (*most).max(coverage.words.get(Pc(address).index()).copied().unwrap_or_default());
            if is_branch(opcode) {
                let own = coverage.sides.get(&address).copied().unwrap_or_default();
                let sides = file.branches.entry((line, address)).or_default();
                sides.iter_mut().zip(own).for_each(|(count, more)| *count += more);
            }
        }
    }
    files
}

fn is_branch(opcode: Opcode) -> bool {
    use Opcode::{Breakc, Callc, Callu, Ifc, Ifu, Jmpc, Jmpu};
    [Breakc, Callc, Callu, Ifc, Ifu, Jmpc, Jmpu].contains(&opcode)
}

/// Returns coverage in the format of LCOV.
pub fn lcov(files: &BTreeMap<String, FileCoverage>) -> String {
    let mut text = String::new();
    for (name, file) in files {
        let _ = writeln!(text, "TN:\nSF:{name}");
        for (&(line, block), sides) in &file.branches {
            let ran = sides.iter().any(|&count| count > 0);
            for (branch, count) in sides.iter().enumerate() {
                let taken = if ran { count.to_string() } else { "-".into() };
                let _ = writeln!(text, "BRDA:{line},{block},{branch},{taken}");
            }
        }
        let [[lines, all_lines], [sides, all_sides]] = file.totals();
        let _ = writeln!(text, "BRF:{all_sides}\nBRH:{sides}");
        for (line, count) in &file.lines {
            let _ = writeln!(text, "DA:{line},{count}");
        }
        let _ = writeln!(text, "LF:{all_lines}\nLH:{lines}\nend_of_record");
    }
    text
}

impl FileCoverage {
    /// Returns counts of lines and of sides of branches: those that ran, and all.
    fn totals(&self) -> [[usize; 2]; 2] {
        let lines = self.lines.values().filter(|&&count| count > 0).count();
        let sides = self.branches.values().flatten().filter(|&&count| count > 0).count();
        [[lines, self.lines.len()], [sides, 2 * self.branches.len()]]
    }

    /// Returns the lines that did not run, as `3, 5-7`. Lines without code between them do not part
    /// a range.
    fn missed(&self) -> String {
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        let mut goes_on = false;
        for (&line, &count) in &self.lines {
            match ranges.last_mut().filter(|_| goes_on) {
                Some((_, last)) if count == 0 => *last = line,
                Some(_) | None if count == 0 => ranges.push((line, line)),
                Some(_) | None => {}
            }
            goes_on = count == 0;
        }
        let range = |&(first, last): &(u32, u32)| {
            if first == last { first.to_string() } else { format!("{first}-{last}") }
        };
        ranges.iter().map(range).collect::<Vec<_>>().join(", ")
    }
}

/// Returns coverage as a table: lines and sides of branches that ran, and lines that did not.
pub fn table(files: &BTreeMap<String, FileCoverage>) -> String {
    let width = files.keys().map(String::len).max().unwrap_or_default().max(4);
    let mut text = format!("{:width$}  {:>9}  {:>9}  lines that did not run\n", "file", "lines", "branches");
    for (name, file) in files {
        let [[lines, all_lines], [sides, all_sides]] = file.totals();
        let (lines, sides) = (format!("{lines}/{all_lines}"), format!("{sides}/{all_sides}"));
        let line = format!("{name:width$}  {lines:>9}  {sides:>9}  {}", file.missed());
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}
