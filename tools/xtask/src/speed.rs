//! `cargo xtask count --speed`: executed instructions and allocations of translations, which load
//! cannot move, beside their ceilings.
//! In: samples, and programs of several sizes from code words. Out: a table; `tests/speed.tsv` has
//! a ceiling for each number. valgrind counts in two runs of `transpica-bench --work`: what the
//! longer one has more is that of its further translations.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::needs::{self, ROOT};
use crate::{cargo, symbols, target};

/// Translated programs: samples, and sizes of programs from code words.
const PROGRAMS: [&str; 13] = [
    "shaders/textured.shbin",
    "shaders/lights.shbin",
    "shaders/water.shbin",
    "shaders/uber.shbin",
    "shaders/toon.shbin",
    "shaders/skinning.shbin",
    "shaders/particles.shbin",
    "shaders/terrain.shbin",
    "shaders/quaternion.shbin",
    "shaders/arm.shbin",
    "13",
    "150",
    "500",
];
/// Translations after the first one, in either run.
const ROUNDS: [u64; 2] = [1, 5];
/// Share by which a count may exceed its ceiling: another processor takes other ways through the
/// system's memory functions.
const MARGIN: f64 = 0.05;
/// The same if another compiler built it.
const MARGIN_OF_COMPILERS: f64 = 0.10;

/// Counts of a translation: executed instructions, allocated blocks, and the peak of the process in
/// bytes.
type Counts = [u64; 3];

/// The file of ceilings: a compiler, and rows with the reason of the last raise.
#[derive(Debug, Default, PartialEq, Eq)]
struct Ceilings {
    compiler: String,
    rows: BTreeMap<String, (Counts, String)>,
}

impl Ceilings {
    fn read(text: &str) -> Self {
        let compiler = text.lines().find_map(|line| line.strip_prefix("# ")).unwrap_or_default().to_owned();
        let row = |line: &str| {
            let mut cells = line.split('\t');
            let name = cells.next()?.to_owned();
            let mut number = || cells.next()?.parse().ok();
            let counts = [number()?, number()?, number()?];
            Some((name, (counts, cells.next().unwrap_or_default().to_owned())))
        };
        Self { compiler, rows: text.lines().filter_map(row).collect() }
    }

    fn write(&self) -> String {
        let mut text =
            format!("# {}\nprogram\tinstructions\tblocks\tpeak\treason of the last raise\n", self.compiler);
        for (name, ([instructions, blocks, peak], reason)) in &self.rows {
            text += &format!("{name}\t{instructions}\t{blocks}\t{peak}\t{reason}\n");
        }
        text
    }

    /// Takes counts as ceilings. One that rises by more than the margin takes the reason along.
    ///
    /// # Errors
    /// A rise without a reason.
    fn bless(&mut self, name: &str, counts: Counts, reason: &str) -> Result<(), String> {
        let row = self.rows.entry(name.to_owned()).or_insert_with(|| (counts, String::new()));
        if exceeds(counts, row.0, MARGIN).is_some() {
            if reason.is_empty() {
                return Err(format!("{name} rises: say why in REASON"));
            }
            reason.clone_into(&mut row.1);
        }
        row.0 = counts;
        Ok(())
    }
}

/// Returns the first count beyond its ceiling, with both.
fn exceeds(counts: Counts, ceilings: Counts, margin: f64) -> Option<(&'static str, u64, u64)> {
    let names = ["instructions", "blocks", "bytes at the peak"];
    let pairs = names.into_iter().zip(counts).zip(ceilings);
    let mut beyond = pairs.filter(|&((_, count), ceiling)| count as f64 > ceiling as f64 * (1.0 + margin));
    beyond.next().map(|((name, count), ceiling)| (name, count, ceiling))
}

/// Counts all programs and compares them with their ceilings; with `UPDATE_EXPECT=1` in the
/// environment it takes them as ceilings.
///
/// # Errors
/// A count beyond its ceiling, or a program that cannot be run.
pub fn run() -> Result<(), String> {
    needs::install(&["tests"])?;
    if !cargo(&["build", "--quiet", "--release", "--package", "transpica-bench"]) {
        return Err("transpica-bench cannot be built, see above".into());
    }
    let program = target()?.join("release/transpica-bench");
    let path = Path::new(ROOT).join("tests/speed.tsv");
    let mut ceilings = Ceilings::read(&fs::read_to_string(&path).unwrap_or_default());
    let compiler = symbols::rustc(&["--version"])?;
    let margin = if ceilings.compiler == compiler { MARGIN } else { MARGIN_OF_COMPILERS };
    let is_blessed = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut faults = Vec::new();
    println!("{:<26} {:>12} {:>7} {:>9}  of ceiling", "translation of", "instructions", "blocks", "peak");
    for name in PROGRAMS {
        let counts = count(&program, name)?;
        let [instructions, blocks, peak] = counts;
        let ceiling = ceilings.rows.get(name).map(|row| row.0);
        let ratio = ceiling
            .map_or(String::new(), |ceiling| format!("{:.3}", instructions as f64 / ceiling[0] as f64));
        println!("{name:<26} {instructions:>12} {blocks:>7} {peak:>9}  {ratio}");
        if is_blessed {
            ceilings.bless(name, counts, &std::env::var("REASON").unwrap_or_default())?;
        } else if let Some((what, count, ceiling)) = exceeds(counts, ceiling.unwrap_or_default(), margin) {
            faults.push(format!("{name}: {count} {what} of at most {ceiling}"));
        }
    }
    if is_blessed {
        ceilings.compiler = compiler;
        return fs::write(&path, ceilings.write()).map_err(|error| format!("{}: {error}", path.display()));
    }
    if margin > MARGIN {
        println!("The ceilings are of {}, so {margin} more is allowed.", ceilings.compiler);
    }
    if faults.is_empty() {
        Ok(())
    } else {
        Err(format!("{}\nUPDATE_EXPECT=1 REASON=… raises a ceiling", faults.join("\n")))
    }
}

/// Counts a translation of a program.
fn count(program: &Path, name: &str) -> Result<Counts, String> {
    let reports = |tool: &str| {
        let [first, last] = ROUNDS.map(|rounds| report(program, name, tool, rounds));
        Ok::<_, String>([first?, last?])
    };
    let number = |text: &str, title, index| {
        number(text, title, index).ok_or_else(|| format!("valgrind says nothing of {title:?}: {text}"))
    };
    let each = |reports: &[String; 2], title, index| {
        let [first, last] = [number(&reports[0], title, index)?, number(&reports[1], title, index)?];
        Ok::<_, String>(last.saturating_sub(first) / (ROUNDS[1] - ROUNDS[0]))
    };
    let instructions = each(&reports("callgrind")?, "Collected :", 0)?;
    let memory = reports("dhat")?;
    Ok([instructions, each(&memory, "Total:", 1)?, number(&memory[1], "At t-gmax:", 0)?])
}

/// Returns what a tool of valgrind reports of some rounds.
fn report(program: &Path, name: &str, tool: &str, rounds: u64) -> Result<String, String> {
    let mut command = Command::new("valgrind");
    command.arg(format!("--tool={tool}")).arg(format!("--{tool}-out-file=/dev/null"));
    command.arg(program).arg("--work").arg(rounds.to_string()).arg(name).current_dir(ROOT);
    let output = command.output().map_err(|error| format!("valgrind: {error}"))?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(text) } else { Err(format!("{command:?}: {text}")) }
}

/// Finds a number after a title in the report of valgrind.
fn number(text: &str, title: &str, index: usize) -> Option<u64> {
    let line = text.lines().find_map(|line| line.split_once(title))?.1;
    let numbers = line.split_whitespace().filter_map(|word| word.replace(',', "").parse().ok());
    numbers.into_iter().nth(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_of_valgrind_are_read() {
        let text = "==1== Collected : 5291022\n==1== Total:     5,286,394 bytes in 47,293 blocks\n\
                    ==1== At t-gmax: 302,120 bytes in 24 blocks\n";
        assert_eq!(number(text, "Collected :", 0), Some(5_291_022));
        assert_eq!(number(text, "Total:", 1), Some(47_293));
        assert_eq!(number(text, "At t-gmax:", 0), Some(302_120));
        assert_eq!(number(text, "Total bytes:", 0), None);
    }

    #[test]
    fn only_a_rise_needs_a_reason() {
        let mut ceilings =
            Ceilings::read("# rustc 1\nprogram\tinstructions\ta.shbin\na\t100\t10\t1000\tfirst\n");
        assert_eq!(ceilings.compiler, "rustc 1");
        ceilings.bless("a", [50, 10, 1000], "").expect("less");
        assert!(ceilings.bless("a", [100, 10, 1000], "").is_err(), "a rise without a reason");
        assert_eq!(ceilings.rows["a"], ([50, 10, 1000], "first".into()));
        ceilings.bless("a", [100, 10, 1000], "new").expect("a reason");
        assert_eq!(Ceilings::read(&ceilings.write()), ceilings);
        assert_eq!(ceilings.rows["a"], ([100, 10, 1000], "new".into()));
    }

    #[test]
    fn each_count_has_a_ceiling() {
        assert_eq!(exceeds([101, 10, 1000], [100, 10, 1000], MARGIN), None);
        assert_eq!(exceeds([100, 11, 1000], [100, 10, 1000], MARGIN), Some(("blocks", 11, 10)));
        assert_eq!(exceeds([106, 10, 1000], [100, 10, 1000], MARGIN), Some(("instructions", 106, 100)));
        let rows = Ceilings::read(include_str!("../../../tests/speed.tsv")).rows;
        assert!(PROGRAMS.iter().all(|name| rows.contains_key(*name)), "{:?}", rows.keys());
    }
}
