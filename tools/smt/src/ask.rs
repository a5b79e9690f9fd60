//! Solvers, by the script `solve.py` in a Python that has their packages.
//! In: questions. Out: what each solver said, and the lists of `proven/`. Knows no terms.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::mutants::mutants;
use crate::question::{Answer, Question, answers, folder, key};
use crate::{legal, ranges, rules, term, validate};

const SCRIPT: &str = include_str!("solve.py");
/// Solvers in the order in which they are asked, see `solve.py`.
const SOLVERS: &str = "bitwuzla,cvc5,z3";

/// One solver's answer.
struct Line {
    key: String,
    solver: String,
    answer: String,
    time: u32,
    model: String,
}

/// Every question of today's rules.
pub fn questions() -> Vec<Question> {
    let lemmas = term::lemma_scripts().into_iter().map(|(name, script)| Question::from_script(name, script));
    let all = [rules::questions(), legal::questions(), ranges::questions()].concat();
    all.into_iter().chain(lemmas).collect()
}

/// Writes every script into a folder, for a look with another solver. Returns their number.
///
/// # Errors
/// A file cannot be written.
pub fn write_scripts(folder: &Path) -> Result<String, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(failed)?;
    let mut count = 0;
    for question in questions() {
        if let (Some(key), Some(script)) = (question.key(), &question.script) {
            let text = format!("; {}\n{script}", question.name.replace('\n', " "));
            fs::write(folder.join(key + ".smt2"), text).map_err(failed)?;
            count += 1;
        }
    }
    Ok(format!("{count} scripts in {}", folder.display()))
}

/// Asks the solvers about scripts, half of them in each of two processes.
fn ask(python: &Path, questions: &[&Question], seconds: u32) -> Result<Vec<Line>, String> {
    let halves = [0, 1].map(|half| questions.iter().copied().skip(half).step_by(2).collect::<Vec<_>>());
    let answers = std::thread::scope(|scope| {
        let mut both = (0..)
            .zip(&halves)
            .map(|(number, half)| scope.spawn(move || ask_half(python, half, seconds, number)));
        let both: Vec<_> = both.by_ref().collect();
        both.into_iter()
            .map(|half| half.join().unwrap_or_else(|_| Err("a thread ended early".into())))
            .collect::<Vec<_>>()
    });
    let mut lines = Vec::new();
    for half in answers {
        lines.extend(half?);
    }
    Ok(lines)
}

fn ask_half(python: &Path, questions: &[&Question], seconds: u32, number: u32) -> Result<Vec<Line>, String> {
    let folder: PathBuf = std::env::temp_dir().join(format!("transpica-smt-{}-{number}", std::process::id()));
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    fs::create_dir_all(&folder).map_err(failed)?;
    for question in questions {
        if let (Some(key), Some(script)) = (question.key(), &question.script) {
            fs::write(folder.join(key + ".smt2"), script).map_err(failed)?;
        }
    }
    let program = folder.join("solve.py");
    fs::write(&program, SCRIPT).map_err(failed)?;
    let output =
        Command::new(python).arg(&program).arg(&folder).args([&seconds.to_string(), SOLVERS]).output();
    let output = output.map_err(|error| format!("{}: {error}", python.display()))?;
    fs::remove_dir_all(&folder).map_err(failed)?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = text.lines().filter_map(|line| {
        let [key, solver, answer, time, model] = line.split('\t').collect::<Vec<_>>()[..] else {
            return None;
        };
        let [key, solver, answer, model] = [key, solver, answer, model].map(str::to_owned);
        Some(Line { key, solver, answer, time: time.parse().ok()?, model })
    });
    Ok(lines.collect())
}

/// The answer of all solvers about one script.
fn joined(name: &str, lines: &[&Line]) -> Answer {
    let proven: Vec<&&Line> = lines.iter().filter(|line| line.answer == "unsat").collect();
    let wrong = lines.iter().find(|line| line.answer == "sat");
    let (solvers, time) = match (wrong, proven.is_empty()) {
        (Some(line), _) => (format!("- false for {}", line.model), line.time),
        (None, true) => (format!("- {}", lines.first().map_or("no answer", |line| &line.answer)), 0),
        (None, false) => {
            let names: Vec<&str> = proven.iter().map(|line| line.solver.as_str()).collect();
            (names.join("+"), proven.iter().map(|line| line.time).max().unwrap_or(0))
        }
    };
    Answer { name: name.to_owned(), solvers, time }
}

/// Compares the programs of a file or folder before and after each pass, and asks about claims
/// without an answer; keeps the answers about the samples. Returns a summary.
///
/// # Errors
/// A file cannot be read, or Python fails.
pub fn equal(python: Option<&Path>, path: &Path, seconds: u32) -> Result<String, String> {
    let steps = validate::steps(&validate::files(path)?)?;
    let list = folder().join("equal.tsv");
    let mut rows = answers(&fs::read_to_string(&list).unwrap_or_default());
    for level in 0..validate::levels() {
        let Some(python) = python else { break };
        let is_proven =
            |script: &str| rows.get(&key(script)).is_some_and(|row| !row.solvers.starts_with('-'));
        let open = validate::questions(&steps, level, &is_proven);
        for chunk in open.chunks(200) {
            let lines = ask(python, &chunk.iter().collect::<Vec<_>>(), seconds)?;
            for question in chunk {
                let key = question.key().unwrap_or_default();
                let own: Vec<&Line> = lines.iter().filter(|line| line.key == key).collect();
                rows.insert(key, joined(&question.name, &own));
            }
        }
    }
    rows.retain(|_, row| !row.solvers.starts_with('-'));
    let is_proven = |script: &str| rows.contains_key(&key(script));
    let used: BTreeSet<String> =
        validate::used(&steps, &is_proven).iter().map(|script| key(script)).collect();
    let summary = validate::summary(&steps, &is_proven);
    let samples = folder().join("../../../shaders").canonicalize().ok();
    if python.is_some() && path.canonicalize().ok() == samples {
        rows.retain(|key, _| used.contains(key));
        write(&list, &rows)?;
    }
    Ok(summary)
}

/// Asks about every question (or those without an answer) and writes the lists. Returns a summary.
///
/// # Errors
/// Python or a file fails, or a question is not proven.
pub fn run(python: &Path, only_new: bool, seconds: u32) -> Result<String, String> {
    let questions = questions();
    let path = folder().join("questions.tsv");
    let known = answers(&fs::read_to_string(&path).unwrap_or_default());
    let mut rows: BTreeMap<String, Answer> = BTreeMap::new();
    let mut open = Vec::new();
    let mut seen = BTreeSet::new();
    for question in &questions {
        let Some(key) = question.key() else { continue };
        match known.get(&key) {
            Some(answer) if only_new && !answer.solvers.starts_with('-') => {
                _ = rows.insert(key, answer.clone())
            }
            _ if seen.insert(key) => open.push(question),
            _ => {}
        }
    }
    let lines = ask(python, &open, seconds)?;
    for question in open {
        let key = question.key().unwrap_or_default();
        let own: Vec<&Line> = lines.iter().filter(|line| line.key == key).collect();
        rows.insert(key, joined(&question.name, &own));
    }
    write(&path, &rows)?;
    refute(python, seconds)?;
    let summary = summary(&questions, &rows);
    if rows.values().any(|row| row.solvers.starts_with("- false")) { Err(summary) } else { Ok(summary) }
}

fn write(path: &Path, rows: &BTreeMap<String, Answer>) -> Result<(), String> {
    let mut sorted: Vec<_> = rows.iter().collect();
    sorted.sort_by_cached_key(|(key, row)| (row.name.clone(), (*key).clone()));
    let mut text = String::new();
    for (key, row) in sorted {
        let _ = writeln!(text, "{key}\t{}\t{}\t{}", row.name, row.solvers, row.time);
    }
    fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

/// Lets solvers refute the wrong rules and writes the numbers.
fn refute(python: &Path, seconds: u32) -> Result<(), String> {
    let questions: Vec<Question> = mutants().iter().map(crate::mutants::Mutant::question).collect();
    let lines = ask(python, &questions.iter().collect::<Vec<_>>(), seconds)?;
    let mut rows = BTreeMap::new();
    for question in &questions {
        let key = question.key().unwrap_or_default();
        let found = lines.iter().find(|line| line.key == key && line.answer == "sat");
        let line = found.ok_or_else(|| format!("no counterexample of {}", question.name))?;
        rows.insert(
            key,
            Answer { name: question.name.clone(), solvers: line.model.clone(), time: line.time },
        );
    }
    write(&folder().join("mutants.tsv"), &rows)
}

/// Numbers of questions and answers, as text.
pub fn summary(questions: &[Question], rows: &BTreeMap<String, Answer>) -> String {
    let asked = questions.iter().filter(|question| question.script.is_some()).count();
    let (claims, functions) = questions.iter().fold((0, 0), |(a, b), q| (a + q.claims, b + q.functions));
    let mut text = format!(
        "{functions} functions, {claims} different claims in {asked} questions, {} of them different\n",
        rows.len()
    );
    let mut by_solver: BTreeMap<&str, u32> = BTreeMap::new();
    for row in rows.values() {
        *by_solver
            .entry(if row.solvers.starts_with('-') { "undecided" } else { &row.solvers })
            .or_default() += 1;
    }
    by_solver.iter().for_each(|(solver, count)| _ = writeln!(text, "{count:5} {solver}"));
    if let Some(longest) = rows.values().max_by_key(|row| row.time) {
        let _ = writeln!(text, "longest: {} ms, {}", longest.time, longest.name);
    }
    for row in rows.values().filter(|row| row.solvers.starts_with('-')) {
        let _ = writeln!(text, "undecided: {} {}", row.name, row.solvers);
    }
    let _ = write!(text, "{} wrong rules, each with numbers that show it", mutants().len());
    text
}
