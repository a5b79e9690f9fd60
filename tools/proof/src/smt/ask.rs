//! Solvers, by the script `solve.py` in a Python that has their packages.
//! In: questions. Out: what each solver said, and the lists of `proven/`. Knows no terms.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::smt::mutants::mutants;
use crate::smt::question::{Answer, Question, answers, folder};
use crate::smt::{legal, ranges, rules};
use transpica_compile::equal::term;

const SCRIPT: &str = include_str!("solve.py");
/// Solvers in the order in which they are asked, see `solve.py`.
const SOLVERS: &str = "bitwuzla,cvc5,z3";

/// Every question of today's rules.
pub fn questions() -> Vec<Question> {
    let lemmas = term::lemma_scripts().into_iter().map(|(name, script)| Question::from_script(name, script));
    let all = [rules::questions(), legal::questions(), ranges::questions()].concat();
    all.into_iter().chain(lemmas).collect()
}

/// Writes scripts into a folder, each with its name in the first line.
///
/// # Errors
/// A file cannot be written.
pub fn write_scripts(folder: &Path, questions: &[Question]) -> Result<String, String> {
    fs::create_dir_all(folder).map_err(failed(folder))?;
    for question in questions {
        if let (Some(key), Some(script)) = (question.key(), &question.script) {
            let text = format!("; {}\n{script}", question.name.replace('\n', " "));
            fs::write(folder.join(key + ".smt2"), text).map_err(failed(folder))?;
        }
    }
    Ok(format!("{} questions in {}", questions.len(), folder.display()))
}

/// Builds the message of an error of a file.
pub fn failed(path: &Path) -> impl Fn(std::io::Error) -> String {
    move |error| format!("{}: {error}", path.display())
}

/// Asks the solvers about the questions that have no row, and adds their answers.
fn ask(
    python: &Path,
    questions: &[Question],
    seconds: u32,
    rows: &mut BTreeMap<String, Answer>,
) -> Result<(), String> {
    let folder = std::env::temp_dir().join(format!("transpica-smt-{}", std::process::id()));
    let is_open = |question: &&Question| question.key().is_some_and(|key| !rows.contains_key(&key));
    let open: Vec<Question> = questions.iter().filter(is_open).cloned().collect();
    write_scripts(&folder, &open)?;
    let program = folder.join("solve.py");
    fs::write(&program, SCRIPT).map_err(failed(&folder))?;
    let output =
        Command::new(python).arg(&program).arg(&folder).args([&seconds.to_string(), SOLVERS]).output();
    let output = output.map_err(failed(python))?;
    fs::remove_dir_all(&folder).map_err(failed(&folder))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    rows.extend(answers(&String::from_utf8_lossy(&output.stdout)));
    // The first question with a script gives it its name.
    for question in questions.iter().rev() {
        if let Some(row) = question.key().and_then(|key| rows.get_mut(&key)) {
            row.name.clone_from(&question.name);
        }
    }
    Ok(())
}

/// Asks about every question (or those without an answer) and writes the lists. Returns a summary.
///
/// # Errors
/// Python or a file fails, or a question is not proven.
pub fn run(python: &Path, only_new: bool, seconds: u32) -> Result<String, String> {
    let questions = questions();
    let path = folder().join("questions.tsv");
    let mut rows = answers(&fs::read_to_string(&path).unwrap_or_default());
    let keys: BTreeSet<String> = questions.iter().filter_map(Question::key).collect();
    rows.retain(|key, row| only_new && row.is_proven() && keys.contains(key));
    ask(python, &questions, seconds, &mut rows)?;
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
    fs::write(path, text).map_err(failed(path))
}

/// Lets solvers refute the wrong rules and writes the numbers.
fn refute(python: &Path, seconds: u32) -> Result<(), String> {
    let questions: Vec<Question> = mutants().iter().map(crate::smt::mutants::Mutant::question).collect();
    let mut rows = BTreeMap::new();
    ask(python, &questions, seconds, &mut rows)?;
    for row in rows.values_mut() {
        let numbers = row.solvers.strip_prefix("- false for ");
        row.solvers = numbers.ok_or_else(|| format!("no counterexample of {}", row.name))?.to_owned();
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
        *by_solver.entry(if row.is_proven() { &row.solvers } else { "undecided" }).or_default() += 1;
    }
    by_solver.iter().for_each(|(solver, count)| _ = writeln!(text, "{count:5} {solver}"));
    if let Some(longest) = rows.values().max_by_key(|row| row.time) {
        let _ = writeln!(text, "longest: {} ms, {}", longest.time, longest.name);
    }
    for row in rows.values().filter(|row| !row.is_proven()) {
        let _ =
            writeln!(text, "undecided: {} {}; random modules and programs sample it", row.name, row.solvers);
    }
    let _ = write!(text, "{} wrong rules, each with numbers that show it", mutants().len());
    text
}
