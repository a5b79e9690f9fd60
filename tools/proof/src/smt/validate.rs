//! Validation of translations: every pass on every program of a folder leaves what the function
//! computes.
//! In: `.shbin` files. Out: for each pass the number of functions that stay as they are, are equal
//! by structure, are equal by claims, or are undecided, with the reason. Claims are questions like
//! others; `proven/equal.tsv` has the claims of the samples.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use crate::chain;
use transpica::host::{RegisterLayout, dvle, layout};
use transpica::isa::limits::FLOATS;
use transpica::stages::ir::{Module, text};
use transpica::stages::lift::{self, Context, OutputSelection};
use transpica::stages::passes::{self, Scratch};
use transpica::stages::structure;
use transpica::{Limits, Precision, Program, Shbin};

use crate::smt::equal::compare;
use crate::smt::question::{PRECISIONS, Question, key};
use crate::smt::symbols::Symbols;
use crate::smt::term::Products;

/// Treatments of a claim in their order: how often common operands are opened, and what is known
/// of products.
pub fn levels() -> impl Iterator<Item = (u32, Products)> {
    let lemmas = [0, 1, 2, 3].map(|opened| (opened, Products::Lemmas));
    lemmas.into_iter().chain([0, 1, 2].map(|opened| (opened, Products::Exact)))
}

/// One pass on one function.
pub struct Step {
    /// The pass.
    pub pass: &'static str,
    /// File, program and precision.
    pub place: String,
    /// Operations of the function before it.
    pub size: usize,
    /// `None` if the pass changed nothing, else the claims, or the place where the functions
    /// diverge.
    pub outcome: Option<Result<Symbols, String>>,
}

/// The scripts of each claim of a comparison, from level to level, with `None` for one that is too
/// large.
fn scripts(symbols: &Symbols) -> impl Iterator<Item = impl Iterator<Item = Option<String>>> {
    let script = move |pair| move |(opened, products)| symbols.script(pair, opened, products);
    symbols.claims.iter().map(move |&pair| levels().map(script(pair)))
}

/// The function that a program is lifted to.
///
/// # Errors
/// An undefined opcode, or more than the limits.
pub fn lift(program: &Program<'_>, precision: Precision) -> transpica::Result<Module> {
    let (options, outputs) = (&chain::options(precision), OutputSelection::Registers);
    let constants = &[None; FLOATS];
    let context = Context { program, constants, outputs, geometry: None, options, hooks: &[] };
    match chain::graph(program, options)? {
        Some((cfg, Some(tree))) => lift::structured(context, &cfg, &tree),
        Some((cfg, None)) => lift::structured(context, &cfg, &structure::blocks::dispatcher(&cfg)),
        None => lift::dispatched(context),
    }
}

/// Every step of the programs of files, in every precision.
///
/// # Errors
/// A file that cannot be read. A program that the library refuses is an undecided step.
pub fn steps(paths: &[PathBuf]) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let bytes = fs::read(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let file = Shbin::parse(&bytes).map_err(|error| format!("{}: {error}", path.display()))?;
        for index in 0..file.executables.len() {
            let program = dvle::program(&file, index, &Limits::default());
            for precision in PRECISIONS {
                let place = format!("{name} {index} {precision:?}").to_lowercase();
                let mut run = Run { place: place.clone(), precision, steps: &mut steps };
                let done = program.as_ref().map_err(Clone::clone).and_then(|program| run.program(program));
                if let Err(error) = done {
                    let outcome = Some(Err(error.to_string()));
                    steps.push(Step { pass: "lift", place, size: 0, outcome });
                }
            }
        }
    }
    Ok(steps)
}

struct Run<'a> {
    place: String,
    precision: Precision,
    steps: &'a mut Vec<Step>,
}

impl Run<'_> {
    fn program(&mut self, program: &Program<'_>) -> transpica::Result<()> {
        let (options, mut scratch) = (chain::options(self.precision), Scratch::default());
        let mut module = lift(program, self.precision)?;
        let mut before = module.clone();
        passes::optimize::run_observed(&mut module, self.precision, &mut scratch, &mut |pass, main| {
            let after = Module { main: main.clone(), helpers: Vec::new() };
            self.step(pass, true, &mut before, after);
        });
        // In float24 legal reads narrow what they load, which the functions before take as done.
        let block = layout::registers(&RegisterLayout::REGISTERS);
        chain::legalize(&mut module, &options, &block);
        if self.precision != Precision::Exact {
            before = module.clone();
        } else {
            self.step("legalize", false, &mut before, module.clone());
        }
        passes::optimize::cse::run(&mut module.main, &mut scratch.tables);
        self.step("cse", false, &mut before, module.clone());
        passes::optimize::uncalled::run(&mut module);
        self.step("uncalled", false, &mut before, module.clone());
        passes::drivers::leave::run(&mut module.main, &module.helpers, &mut scratch);
        self.step("leave", false, &mut before, module);
        Ok(())
    }

    fn step(&mut self, pass: &'static str, signs: bool, before: &mut Module, after: Module) {
        let is_changed = text::print(before) != text::print(&after);
        let outcome = is_changed.then(|| compare([before, &after], self.precision, signs));
        self.steps.push(Step { pass, place: self.place.clone(), size: before.main.values.len(), outcome });
        *before = after;
    }
}

/// Questions about the claims that are open at a level, each once.
pub fn questions(steps: &[Step], level: usize, is_proven: &dyn Fn(&str) -> bool) -> Vec<Question> {
    let mut found = BTreeMap::new();
    for step in steps {
        let Some(Ok(symbols)) = &step.outcome else { continue };
        for mut levels in scripts(symbols) {
            let is_known = levels.by_ref().take(level).flatten().any(|script| is_proven(&script));
            if let Some(Some(script)) = levels.next().filter(|_| !is_known)
                && !is_proven(&script)
            {
                found.entry(script).or_insert_with(|| format!("equal {} {}", step.pass, step.place));
            }
        }
    }
    found.into_iter().map(|(script, name)| Question::from_script(name, script)).collect()
}

/// Keys of the scripts by which the steps are equal.
pub fn used(steps: &[Step], is_proven: &dyn Fn(&str) -> bool) -> BTreeSet<String> {
    let all = steps.iter().filter_map(|step| step.outcome.as_ref()?.as_ref().ok());
    let all = all.flat_map(scripts).flatten().flatten();
    all.filter(|script| is_proven(script)).map(|script| key(&script)).collect()
}

/// Files of a folder, or one file.
///
/// # Errors
/// The folder cannot be read.
pub fn files(path: &Path) -> Result<Vec<PathBuf>, String> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = fs::read_dir(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "shbin"));
    files.sort();
    Ok(files)
}

/// Numbers by pass, and what is undecided.
pub fn summary(steps: &[Step], is_proven: &dyn Fn(&str) -> bool) -> String {
    let mut rows: BTreeMap<&str, [usize; 5]> = BTreeMap::new();
    let mut undecided = String::new();
    for step in steps {
        let row = rows.entry(step.pass).or_default();
        let mut open = |why: String| {
            let _ =
                writeln!(undecided, "undecided: {} {}, {} values: {why}", step.pass, step.place, step.size);
            3
        };
        let column = match &step.outcome {
            None => 0,
            Some(Ok(symbols)) => {
                let proven = scripts(symbols).map(|levels| levels.flatten().any(|script| is_proven(&script)));
                let (count, all) = (proven.filter(|is_proven| !is_proven).count(), symbols.claims.len());
                row[4] += all;
                match (all, count) {
                    (0, _) => 1,
                    (_, 0) => 2,
                    _ => open(format!("{count} of {all} claims")),
                }
            }
            Some(Err(why)) => open(why.clone()),
        };
        row[column] += 1;
    }
    let mut text = String::new();
    for (pass, [same, structure, by_claims, open, claims]) in rows {
        let _ = writeln!(
            text,
            "{pass:9} {same:5} unchanged {structure:5} equal by structure {by_claims:5} by claims {open:5} \
             undecided ({claims} claims)"
        );
    }
    text + &undecided
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::daily;
    use crate::smt::question::{answers, folder};

    /// Passes whose equality is claimed; legalization has questions of its own, and what `leave`
    /// makes of a loop has other exits.
    const PASSES: [&str; 5] = ["simplify", "dce", "shrink", "cse", "uncalled"];

    #[test]
    fn passes_leave_what_the_samples_compute() {
        let shaders = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shaders");
        let files = daily::some("samples before and after passes", 4, files(&shaders).expect("the samples"));
        let steps = steps(&files).expect("files");
        let proven = answers(&fs::read_to_string(folder().join("equal.tsv")).expect("the list"));
        let is_proven = |script: &str| proven.contains_key(&key(script));
        let summary = summary(&steps, &is_proven);
        println!("{summary}");
        for pass in PASSES {
            let open = format!("undecided: {pass} ");
            let found: Vec<&str> = summary.lines().filter(|line| line.starts_with(&open)).collect();
            assert!(found.is_empty(), "`cargo xtask prove --equal shaders` asks again: {found:?}");
            let is_tried = |step: &&Step| step.pass == pass && step.outcome.is_some();
            assert!(steps.iter().any(|step| is_tried(&step)), "{pass} changes a function");
        }
    }
}
