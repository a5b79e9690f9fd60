//! `cargo xtask count --speed`: executed instructions, allocations and touched cache lines of
//! translations and draws, which load cannot move, beside their ceilings.
//! In: samples, and programs of several sizes from code words. Out: a table; `tests/speed.tsv` has
//! a ceiling for each number. valgrind counts in two runs of `transpica-bench --work`: what the
//! longer one has more is that of its further translations.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::needs::{self, ROOT};
use crate::{cargo, symbols, target};

/// Translated programs: samples, and sizes of programs from code words. With the name of a language
/// before it, only the module of a sample is written; shaders are compiled.
const PROGRAMS: [&str; 25] = [
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
    "spirv:shaders/textured.shbin",
    "wgsl:shaders/textured.shbin",
    "glsl:shaders/textured.shbin",
    "spirv:shaders/lights.shbin",
    "wgsl:shaders/lights.shbin",
    "glsl:shaders/lights.shbin",
    "spirv:shaders/uber.shbin",
    "wgsl:shaders/uber.shbin",
    "glsl:shaders/uber.shbin",
    "compile:tools/compile/tests/shaders/plain.wgsl",
    "compile:tools/compile/tests/samples/lights.wgsl",
    "compile:tools/compile/tests/samples/water.wgsl",
];
/// Vertices of draws whose cache lines count, by the interpreter and by a batch. Up to 15 run in
/// blocks of their own.
const DRAWS: [usize; 5] = [1, 4, 15, 16, 64];
/// The program of these draws.
const DRAWN: &str = "shaders/textured.shbin";
/// Caches that count each line once: the first level holds two lines, the last one more than a
/// translation touches.
const CACHES: [&str; 4] = ["--cache-sim=yes", "--I1=128,1,64", "--D1=128,1,64", "--LL=1048576,16,64"];
/// Translations after the first one, in either run.
const ROUNDS: [u64; 2] = [1, 5];
/// Share by which a count may exceed its ceiling: another processor takes other ways through the
/// system's memory functions.
const MARGIN: f64 = 0.05;
/// The same if another compiler built it.
const MARGIN_OF_COMPILERS: f64 = 0.10;

/// Counts of a translation: executed instructions, allocated blocks, the peak of the process in
/// bytes, and the cache lines of code and data that it touches, those of the system included.
type Counts = [u64; 4];

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
            let counts = [number()?, number()?, number()?, number()?];
            Some((name, (counts, cells.next().unwrap_or_default().to_owned())))
        };
        Self { compiler, rows: text.lines().filter_map(row).collect() }
    }

    fn write(&self) -> String {
        let mut text = format!(
            "# {}\nprogram\tinstructions\tblocks\tpeak\tlines\treason of the last raise\n",
            self.compiler
        );
        for (name, ([instructions, blocks, peak, lines], reason)) in &self.rows {
            text += &format!("{name}\t{instructions}\t{blocks}\t{peak}\t{lines}\t{reason}\n");
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
    let names = ["instructions", "blocks", "bytes at the peak", "cache lines"];
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
    println!(
        "{:<28} {:>12} {:>7} {:>9} {:>6}  of ceilings",
        "translation of", "instructions", "blocks", "peak", "lines"
    );
    // Of the last module in SPIR-V, which its texts follow.
    let mut of_spirv = 0;
    let translations = PROGRAMS.into_iter().map(|name| (name.to_owned(), count(&program, name)));
    let draws = draws().map(|(name, who, size)| (name, count_draw(&program, who, size)));
    for (name, counts) in translations.chain(draws) {
        let counts = counts?;
        let [instructions, blocks, peak, lines] = counts;
        let ceiling = ceilings.rows.get(&name).map(|row| row.0);
        let ratio = ceiling.map_or(String::new(), |ceiling| {
            let ratio = |count| counts[count] as f64 / ceiling[count] as f64;
            format!("{:.3} {:.3}", ratio(0), ratio(3))
        });
        let times = match name.split_once(':') {
            Some(("spirv", _)) => {
                of_spirv = instructions;
                String::new()
            }
            Some(("wgsl" | "glsl", _)) => {
                format!("  {:.2} times SPIR-V", instructions as f64 / of_spirv as f64)
            }
            _other => String::new(),
        };
        println!("{name:<28} {instructions:>12} {blocks:>7} {peak:>9} {lines:>6}  {ratio}{times}");
        if is_blessed {
            ceilings.bless(&name, counts, &std::env::var("REASON").unwrap_or_default())?;
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

/// Draws: their names in the table, who draws, and vertices.
fn draws() -> impl Iterator<Item = (String, &'static str, usize)> {
    let all = DRAWS.into_iter().flat_map(|size| ["machine", "batch"].map(|who| (who, size)));
    all.map(|(who, size)| (format!("draw of {size:02}, {who}"), who, size))
}

/// Counts a translation of a program.
fn count(program: &Path, name: &str) -> Result<Counts, String> {
    let reports = |tool: &str| {
        let of = |rounds: u64| report(program, &["--work", &rounds.to_string(), name], tool, &[]);
        let [first, last] = ROUNDS.map(of);
        Ok::<_, String>([first?, last?])
    };
    let each = |reports: &[String; 2], title, index| {
        let [first, last] = [find(&reports[0], title, index)?, find(&reports[1], title, index)?];
        Ok::<_, String>(last.saturating_sub(first) / (ROUNDS[1] - ROUNDS[0]))
    };
    let instructions = each(&reports("callgrind")?, "Collected :", 0)?;
    let memory = reports("dhat")?;
    let [_, lines] = touched(program, &["--cold", "--work", "1", name])?;
    Ok([instructions, each(&memory, "Total:", 1)?, find(&memory[1], "At t-gmax:", 0)?, lines])
}

/// Counts a draw, which allocates nothing.
fn count_draw(program: &Path, who: &str, size: usize) -> Result<Counts, String> {
    let size = size.to_string();
    let mut arguments = vec!["--draws", "--work", &size, DRAWN];
    arguments.extend((who == "batch").then_some("--batch"));
    let [instructions, lines] = touched(program, &arguments)?;
    Ok([instructions, 0, 0, lines])
}

/// Counts the instructions and the cache lines of work that is done once, behind other memory and
/// other code.
fn touched(program: &Path, arguments: &[&str]) -> Result<[u64; 2], String> {
    let only = ["--collect-atstart=no", "--toggle-collect=*counted*only*"];
    let text = report(program, arguments, "callgrind", &[&CACHES[..], &only].concat())?;
    // After the instructions come reads, writes, and three counts of the first level.
    let [code, reads, writes] = [6, 7, 8].map(|index| find(&text, "Collected :", index));
    Ok([find(&text, "Collected :", 0)?, code? + reads? + writes?])
}

/// Finds a number in the report of valgrind.
fn find(text: &str, title: &str, index: usize) -> Result<u64, String> {
    number(text, title, index).ok_or_else(|| format!("valgrind says nothing of {title:?}: {text}"))
}

/// Returns what a tool of valgrind reports.
fn report(program: &Path, arguments: &[&str], tool: &str, options: &[&str]) -> Result<String, String> {
    let mut command = Command::new("valgrind");
    command.arg(format!("--tool={tool}")).arg(format!("--{tool}-out-file=/dev/null")).args(options);
    command.arg(program).args(arguments).current_dir(ROOT);
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
            Ceilings::read("# rustc 1\nprogram\tinstructions\ta.shbin\na\t100\t10\t1000\t7\tfirst\n");
        assert_eq!(ceilings.compiler, "rustc 1");
        ceilings.bless("a", [50, 10, 1000, 7], "").expect("less");
        assert!(ceilings.bless("a", [100, 10, 1000, 7], "").is_err(), "a rise without a reason");
        assert_eq!(ceilings.rows["a"], ([50, 10, 1000, 7], "first".into()));
        ceilings.bless("a", [100, 10, 1000, 7], "new").expect("a reason");
        assert_eq!(Ceilings::read(&ceilings.write()), ceilings);
        assert_eq!(ceilings.rows["a"], ([100, 10, 1000, 7], "new".into()));
    }

    #[test]
    fn each_count_has_a_ceiling() {
        let ceilings = [100, 10, 1000, 100];
        assert_eq!(exceeds([101, 10, 1000, 100], ceilings, MARGIN), None);
        assert_eq!(exceeds([100, 11, 1000, 100], ceilings, MARGIN), Some(("blocks", 11, 10)));
        assert_eq!(exceeds([106, 10, 1000, 100], ceilings, MARGIN), Some(("instructions", 106, 100)));
        assert_eq!(exceeds([100, 10, 1000, 105], ceilings, MARGIN), None);
        assert_eq!(exceeds([100, 10, 1000, 106], ceilings, MARGIN), Some(("cache lines", 106, 100)));
        let rows = Ceilings::read(include_str!("../../../tests/speed.tsv")).rows;
        let names = PROGRAMS.into_iter().map(String::from).chain(draws().map(|(name, ..)| name));
        let missing: Vec<_> = names.filter(|name| !rows.contains_key(name)).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
