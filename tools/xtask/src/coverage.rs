//! `cargo xtask coverage`: line coverage of the library by its tests, module by module.
//! Counts the tests of packages that need no GPU, without documentation examples. Code compiled
//! only for tests is excluded. The compiler counts, `cargo-llvm-cov` collects.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::needs::ROOT;
use crate::{cargo, succeeds, symbols, target};

/// The collector, with the version whose options are used here.
const COLLECTOR: [&str; 3] = ["cargo-llvm-cov", "--version", "0.9.1"];
/// The toolchain component that reads the counts.
const COMPONENT: &str = "llvm-tools";
/// Packages whose tests exercise the library without a GPU.
const TESTS: [&str; 8] = [
    "--package",
    "transpica",
    "--package",
    "transpica-tests",
    "--package",
    "transpica-generate",
    "--all-features",
    "--no-fail-fast",
];
/// Modules that must reach [`LEAST`]; the others are only shown.
const BOUND: [&str; 7] = ["isa", "cfg", "structure", "ir", "lower", "passes", "backend"];
/// Required percentage of lines.
const LEAST: f64 = 95.0;
/// Lines of a file with their execution counts.
type Lines = BTreeMap<usize, u64>;

/// Runs the tests and prints the table, with the uncovered lines if requested.
pub fn run(uncovered: bool) -> Result<(), String> {
    let files = measure()?;
    if uncovered {
        files.iter().for_each(|(path, lines)| list_uncovered(path, lines));
    }
    if table(&files) { Ok(()) } else { Err(format!("a module is below {LEAST} %, or missing")) }
}

/// Returns the lines of every file of the library, by its path below the repository's root.
fn measure() -> Result<BTreeMap<String, Lines>, String> {
    let target = target()?;
    let collector = install(&target.join("tools"))?;
    let report = target.join("coverage.lcov");
    let collect = |arguments: &[&str]| {
        println!("$ cargo llvm-cov {}", arguments.join(" "));
        succeeds(Command::new(&collector).arg("llvm-cov").args(arguments).current_dir(ROOT))
    };
    if !collect(&[&["test", "--no-report"], &TESTS[..]].concat()) {
        return Err("the tests must pass first: what a failed test would have run is not counted".to_owned());
    }
    let path = report.to_str().ok_or("the target folder's name is not Unicode")?;
    if !collect(&["report", "--lcov", "--output-path", path]) {
        return Err("the counts cannot be read".to_owned());
    }
    let text = fs::read_to_string(&report).map_err(|error| format!("{path}: {error}"))?;
    without_tests(read(&text)?)
}

/// Installs missing tools and returns the collector's path.
fn install(folder: &Path) -> Result<PathBuf, String> {
    if !has_component() {
        let arguments = ["component", "add", COMPONENT];
        println!("$ rustup {}", arguments.join(" "));
        if !succeeds(Command::new("rustup").args(arguments)) {
            return Err(format!("this needs {COMPONENT}; install with: rustup component add {COMPONENT}"));
        }
    }
    let program = folder.join("bin").join(COLLECTOR[0]);
    let root = folder.to_str().ok_or("the target folder's name is not Unicode")?;
    let install = [&["install", "--locked", "--root", root], &COLLECTOR[..]].concat();
    if program.exists() || cargo(&install) {
        return Ok(program);
    }
    Err(format!("this needs {}; install with: cargo {}", COLLECTOR[0], install.join(" ")))
}

/// Returns whether the active toolchain can read the counts.
fn has_component() -> bool {
    let folder = symbols::rustc(&["--print", "target-libdir"]);
    folder.is_ok_and(|folder| Path::new(&folder).with_file_name("bin").join("llvm-cov").exists())
}

/// Parses a report: `SF` names a file, each `DA` after it a line and its count.
fn read(report: &str) -> Result<BTreeMap<String, Lines>, String> {
    let root = fs::canonicalize(ROOT).map_err(|error| format!("{ROOT}: {error}"))?;
    let mut files = BTreeMap::new();
    let mut current: Option<String> = None;
    for line in report.lines() {
        if let Some(path) = line.strip_prefix("SF:") {
            let below = Path::new(path).strip_prefix(&root).ok().and_then(Path::to_str);
            current = below.filter(|below| below.starts_with("src/")).map(str::to_owned);
        } else if let (Some(counts), Some(path)) = (line.strip_prefix("DA:"), &current) {
            let mut numbers = counts.split(',').map(str::parse::<u64>);
            let (Some(Ok(line)), Some(Ok(count))) = (numbers.next(), numbers.next()) else {
                return Err(format!("not understood: {line}"));
            };
            files.entry(path.clone()).or_insert_with(Lines::new).insert(line as usize, count);
        }
    }
    Ok(files)
}

/// Removes code compiled only for tests; the collector has already removed files that are named for
/// tests.
fn without_tests(mut files: BTreeMap<String, Lines>) -> Result<BTreeMap<String, Lines>, String> {
    let mut modules = Vec::new();
    for (path, lines) in &mut files {
        let text =
            fs::read_to_string(Path::new(ROOT).join(path)).map_err(|error| format!("{path}: {error}"))?;
        let text: Vec<&str> = text.lines().collect();
        for start in (0..text.len()).filter(|&line| is_for_tests(text[line])) {
            let item = start + 1 + text[start + 1..].iter().take_while(|line| line.starts_with("#[")).count();
            match module_file(path, &text[start + 1..=item]) {
                Some(module) => modules.push(module),
                None => {
                    let end =
                        text[item..].iter().position(|line| *line == "}").map_or(item, |count| item + count);
                    // Lines are counted from 1.
                    lines.retain(|&line, _| line <= start || line > end + 1);
                }
            }
        }
    }
    let is_test = |path: &str| {
        modules.iter().any(|module| {
            path.strip_prefix(module).is_some_and(|rest| rest == ".rs" || rest.starts_with('/'))
        })
    };
    files.retain(|path, lines| !lines.is_empty() && !is_test(path));
    Ok(files)
}

fn is_for_tests(line: &str) -> bool {
    line == "#[cfg(test)]" || line.starts_with("#[cfg(all(test,")
}

/// Returns the path, without extension, of the file that `#[path = "…"]` and `mod name;` name;
/// `None` for an inline module.
fn module_file(parent: &str, item: &[&str]) -> Option<String> {
    let name = item.last()?.strip_suffix(';')?.rsplit(' ').next()?;
    let (folder, file) = parent.rsplit_once('/')?;
    let named = item.iter().find_map(|line| line.strip_prefix("#[path = \"")?.strip_suffix(".rs\"]"));
    Some(match (named, file) {
        (Some(named), _) => format!("{folder}/{named}"),
        (None, "mod.rs" | "lib.rs") => format!("{folder}/{name}"),
        (None, file) => format!("{folder}/{}/{name}", file.strip_suffix(".rs")?),
    })
}

/// Prints every range of lines that no test reaches.
fn list_uncovered(path: &str, lines: &Lines) {
    let mut run: Option<(usize, usize)> = None;
    for (&line, &count) in lines {
        if count > 0 {
            run.take().into_iter().for_each(|(from, to)| println!("{path}:{from}-{to}"));
        } else {
            run = Some((run.map_or(line, |(from, _)| from), line));
        }
    }
    run.into_iter().for_each(|(from, to)| println!("{path}:{from}-{to}"));
}

/// Prints a row for every module; returns whether the bounded ones reach their limit.
fn table(files: &BTreeMap<String, Lines>) -> bool {
    let mut modules: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for (path, lines) in files {
        let below = path.strip_prefix("src/").unwrap_or(path);
        let module = below.split(['/', '.']).next().unwrap_or(below);
        let (covered, all) = modules.entry(module).or_default();
        *covered += lines.values().filter(|&&count| count > 0).count();
        *all += lines.len();
    }
    let percent = |(covered, all): (usize, usize)| 100.0 * covered as f64 / all as f64;
    let mut enough = true;
    println!("{:<12} {:>7} {:>9} {:>8}", "module", "lines", "uncovered", "covered");
    let (bound, others): (Vec<_>, Vec<_>) = modules.iter().partition(|(name, _)| BOUND.contains(name));
    for (name, &counts) in bound.into_iter().chain(others) {
        let short = BOUND.contains(name) && percent(counts) < LEAST;
        enough &= !short;
        let note = if short { format!(" below {LEAST} %") } else { String::new() };
        println!("{name:<12} {:>7} {:>9} {:>6.2} %{note}", counts.1, counts.1 - counts.0, percent(counts));
    }
    enough && BOUND.iter().all(|name| modules.contains_key(name))
}
