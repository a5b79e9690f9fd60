//! `transpica test`: cases of test files, on all cores; with coverage, mutants, and results as JSON
//! or JUnit.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use clap::{Args, ValueEnum};
use rayon::prelude::*;
use serde_json::{Value, json};
use transpica::Program;
use transpica_inspect::draw::Size;
use transpica_inspect::draw::picture::Picture;
use transpica_inspect::executor;
use transpica_unit::coverage::{self, Coverage};
use transpica_unit::{Batched, Case, Checked, Cpu, Executor, PictureCase, Problem, TestFile};

use crate::arguments::Arguments;
use crate::files;
use crate::gpu::{self, Gpu};
use crate::json::Schema;
use crate::pictures::{decode, encode, side_by_side};
use crate::report::{Common, Failure};
use crate::streams::{Output, Streams};

/// Run test files, and show what caused a wrong output
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica test shaders
  transpica test lights.test.toml --filter light --on batch
  transpica test lights.test.toml --coverage lights.info --junit lights.xml
  transpica test lights.test.toml --mutate            which mistakes would go unnoticed?

A test file is named NAME.test.toml, next to NAME.v.pica, NAME.g.pica, NAME.shbin or NAME.wgsl. `transpica help test-files` lists all keys and has an example.

Exit status 1 if a case failed, a file cannot run, or no case ran.")]
pub struct Test {
    /// Test files, folders with NAME.test.toml files, and shaders or containers beside one
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Executor to test; the reference machine always runs as well
    #[arg(long, value_enum, default_value_t = TestMachine::Cpu)]
    pub on: TestMachine,
    /// Part of the GPU's name
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub adapter: Option<String>,
    /// Run only cases with this text in `NAME: case`
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
    /// Write the results to this file in JUnit format
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Write the executed lines and branches to this file in LCOV format, and print a table
    #[arg(long, value_name = "FILE")]
    pub coverage: Option<PathBuf>,
    /// Change the program one detail at a time, and print the changes that no case notices
    #[arg(long, conflicts_with = "filter")]
    pub mutate: bool,
    /// Write the pictures of cases instead of comparing them
    #[arg(long, conflicts_with_all = ["mutate", "watch"])]
    pub bless: bool,
    /// Run again whenever a file changes
    #[arg(long, conflicts_with_all = ["json", "junit", "coverage", "mutate"])]
    pub watch: bool,
}

/// Executor of cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TestMachine {
    /// The reference machine
    Cpu,
    /// 64 vertices side by side
    Batch,
    /// A module on the GPU
    Gpu,
}

impl Arguments for Test {
    fn streams(&self) -> Streams<'_> {
        let report = Output::text("the report", None);
        let streams = Streams { outputs: vec![report], ..Streams::default() }.below(&self.paths);
        let streams = streams.and("--junit", self.junit.as_ref()).and("--coverage", self.coverage.as_ref());
        streams.on_gpu(self.on == TestMachine::Gpu)
    }
}

/// Time between two looks at the files.
const PAUSE: Duration = Duration::from_millis(300);

/// Runs the command.
pub fn run(arguments: &Test, common: &Common) -> Result<(), Failure> {
    let executor = match arguments.on {
        TestMachine::Cpu => Opened::Cpu,
        TestMachine::Batch => Opened::Batch,
        TestMachine::Gpu => Opened::Gpu(Box::new(gpu::open(arguments.adapter.as_deref(), common)?)),
    };
    loop {
        let (seen, result) = check(arguments, &executor, common)?;
        if !arguments.watch {
            return result;
        }
        if let Err(failure) = result {
            failure.print(common.color);
        }
        while changes(&seen) == seen {
            std::thread::sleep(PAUSE);
        }
    }
}

/// An opened [`TestMachine`]. Geometry programs stay on the reference machine.
enum Opened {
    Cpu,
    Batch,
    Gpu(Box<Gpu>),
}

impl Executor for Opened {
    type Error = Box<dyn Error>;
    fn name(&self) -> &str {
        match self {
            Self::Cpu => Cpu.name(),
            Self::Batch => Batched.name(),
            Self::Gpu(_) => "gpu",
        }
    }
    fn takes(&self, program: &Program<'_>) -> bool {
        !matches!(self, Self::Cpu) && Batched.takes(program)
    }
    fn outputs(&self, case: &executor::Case<'_>) -> executor::Outputs {
        match self {
            Self::Cpu => Ok(Cpu.outputs(case)?),
            Self::Batch => Ok(Batched.outputs(case)?),
            Self::Gpu(gpu) => gpu::outputs(gpu, case),
        }
    }
}

/// Files with the times of their last changes.
type Changes = BTreeMap<PathBuf, Option<SystemTime>>;

/// Returns the present times of files.
fn changes(files: &Changes) -> Changes {
    let time = |path: &PathBuf| std::fs::metadata(path).and_then(|data| data.modified()).ok();
    files.keys().map(|path| (path.clone(), time(path))).collect()
}

/// A test of a file.
#[derive(Clone, Copy)]
enum Part<'f> {
    Lint,
    Case(&'f Case),
    Picture(&'f PictureCase),
}

impl<'f> Part<'f> {
    fn list(file: &'f TestFile) -> impl Iterator<Item = (&'f str, usize, Self)> {
        let cases = file.cases.iter().map(|case| (case.name.as_str(), case.line, Self::Case(case)));
        let pictures = file.pictures.iter();
        let pictures = pictures.map(|case| (case.name.as_str(), case.line, Self::Picture(case)));
        let mut all: Vec<_> = cases.chain(pictures).collect();
        all.sort_by_key(|&(_, line, _)| line);
        file.findings.iter().map(|_| ("lint", 1, Self::Lint)).chain(all)
    }
}

/// A test that ran.
struct Tested<'f> {
    file: &'f TestFile,
    name: &'f str,
    line: usize,
    time: Duration,
    checked: Checked,
}

/// Everything that ran.
struct Report<'f> {
    tests: Vec<Tested<'f>>,
    /// Test files that cannot run, each with its problem.
    errors: Vec<(&'f PathBuf, &'f Problem)>,
    filtered: usize,
    mutants: Vec<Mutants>,
}

/// Mutants of a file.
struct Mutants {
    file: String,
    killed: usize,
    total: usize,
    /// Place and change of the others.
    survivors: Vec<(String, String)>,
}

/// Returns the name of a source or container without its endings.
fn stem(path: &Path) -> Option<String> {
    let name = files::name(path);
    let endings = [".v.pica", ".g.pica", ".pica", ".shbin"];
    let stem = endings.iter().find_map(|ending| name.strip_suffix(ending));
    let of_language = || transpica_unit::is_compiled(path).then(|| name.rsplit_once('.')).flatten();
    stem.or_else(|| of_language().map(|(stem, _)| stem)).map(str::to_owned)
}

/// Advice where no test is found.
const NAMES: &str = "name test files, or folders with NAME.test.toml files";

/// Returns the test file beside a source or container; other files are test files themselves.
fn tests_of(path: PathBuf) -> Result<PathBuf, Failure> {
    let name = files::name(&path);
    let Some(stem) = stem(&path) else {
        if path.is_file() && files::ending(&path).as_deref() != Some("toml") {
            let message = format!("{} is neither a test file nor a shader", path.display());
            return Err(Failure::new(message).hint(NAMES));
        }
        return Ok(path);
    };
    let tests = path.with_file_name(format!("{stem}{}", transpica_unit::ENDING));
    if tests.is_file() {
        // It may name another program.
        let shader = transpica_unit::is_compiled(&path).then(|| TestFile::load_shader(&tests).ok()).flatten();
        let own = path.display().to_string();
        let Some(other) = shader.filter(|shader| !shader.files.contains(&own)) else { return Ok(tests) };
        let named = if other.files.is_empty() { "a container".into() } else { other.files.join(", ") };
        let message = format!("{} tests {named}", tests.display());
        return Err(Failure::new(message).hint(format!("shader = \"{name}\" in it tests this file")));
    }
    let hint = format!("{} would be its test file", tests.display());
    Err(Failure::new(format!("{} has no test file beside it", path.display())).hint(hint))
}

/// Runs all tests once. Returns the files that matter, and whether all tests passed.
fn check(
    arguments: &Test,
    executor: &Opened,
    common: &Common,
) -> Result<(Changes, Result<(), Failure>), Failure> {
    let paths: Result<Vec<PathBuf>, _> =
        arguments.paths.iter().flat_map(|path| files::walk(path, files::is_test)).collect();
    let paths = paths.map_err(files::no_folder)?;
    let mut paths = paths.into_iter().map(tests_of).collect::<Result<Vec<_>, _>>()?;
    // Two sources of one file have the same tests.
    paths.dedup();
    if paths.is_empty() {
        let is_shader = |path: &Path| stem(path).is_some();
        let shader = arguments.paths.iter().flat_map(|path| files::walk(path, is_shader)).flatten().next();
        let beside = shader.and_then(|path| tests_of(path).err());
        return Err(beside.unwrap_or_else(|| Failure::new("no test file found").hint(NAMES)));
    }
    let loaded: Vec<Result<TestFile, Problem>> = paths.par_iter().map(|path| TestFile::load(path)).collect();
    let sources = loaded.iter().flatten().flat_map(|file| file.shader.files.iter().map(PathBuf::from));
    // Before the run, so that a change during it counts.
    let seen = changes(&paths.iter().cloned().chain(sources).map(|path| (path, None)).collect());
    let report = report(arguments, (&paths, &loaded), executor)?;
    let files: Vec<&TestFile> = loaded.iter().flatten().collect();
    let covered = coverage(&files, &report.tests);
    let mut text = if arguments.json { report.json() } else { report.text(common) };
    // Where no file can run there is nothing to keep, and an older result stays.
    let to = arguments.coverage.as_deref().filter(|_| report.errors.is_empty() || !covered.is_empty());
    if to.is_some() && !arguments.json {
        let _ = write!(text, "\n{}", coverage::table(&covered));
    }
    files::write(None, text.as_bytes())?;
    let (junit, lcov) = (report.junit(), coverage::lcov(&covered));
    let outputs = [(arguments.junit.as_deref(), junit.as_bytes()), (to, lcov.as_bytes())];
    let outputs: Vec<_> = outputs.into_iter().filter(|(path, _)| path.is_some()).collect();
    files::write_all(&outputs)?;
    Ok((seen, report.result()))
}

/// Runs the tests of files, and mutants if they are requested.
fn report<'f>(
    arguments: &Test,
    (paths, loaded): (&'f [PathBuf], &'f [Result<TestFile, Problem>]),
    executor: &Opened,
) -> Result<Report<'f>, Failure> {
    let mut filtered = 0;
    let mut chosen = Vec::new();
    for file in loaded.iter().flatten() {
        for (name, line, part) in Part::list(file) {
            let is_chosen = |text: &String| format!("{}: {name}", file.stem()).contains(text);
            if arguments.filter.as_ref().is_none_or(is_chosen) {
                chosen.push((file, name, line, part));
            } else {
                filtered += 1;
            }
        }
    }
    let test = |&(file, name, line, part): &(&'f TestFile, &'f str, usize, Part<'f>)| {
        let start = Instant::now();
        let checked = match part {
            Part::Lint => file.lint(),
            Part::Case(case) => case.check(&file.name, &file.shader, executor),
            Part::Picture(case) => {
                let failure = compare_picture(file, case, arguments.bless).err();
                let failure = failure.map(|text| format!("{}:{line}: {name}\n{text}\n", file.name));
                Checked { failure, coverage: Coverage::default(), steps: 0 }
            }
        };
        Tested { file, name, line, time: start.elapsed(), checked }
    };
    // A device runs one program after the other.
    let tests: Vec<Tested<'f>> = if arguments.on == TestMachine::Gpu {
        chosen.iter().map(test).collect()
    } else {
        chosen.par_iter().map(test).collect()
    };
    let mut mutants = Vec::new();
    if arguments.mutate {
        if tests.iter().any(|test| test.checked.failure.is_some()) || loaded.iter().any(Result::is_err) {
            let hint = "drop --mutate to see what fails";
            return Err(Failure::new("--mutate needs tests that pass").hint(hint));
        }
        for file in loaded.iter().flatten() {
            mutants.push(mutate(file, &tests)?);
        }
    }
    let errors = paths.iter().zip(loaded);
    let errors = errors.filter_map(|(path, file)| Some((path, file.as_ref().err()?))).collect();
    Ok(Report { tests, errors, filtered, mutants })
}

/// Compares a case's picture with the kept one, or keeps it. The error is the text of a failure,
/// with the name of a file that shows the difference.
fn compare_picture(file: &TestFile, case: &PictureCase, bless: bool) -> Result<(), String> {
    let drawn = case.draw(&file.shader)?;
    let path = case.path.display();
    let write = |path: &Path, picture: &Picture| {
        let bytes = encode(std::slice::from_ref(picture)).map_err(|error| error.to_string())?;
        files::write(Some(path), &bytes).map_err(|failure| failure.message().to_owned())
    };
    if bless {
        return write(&case.path, &drawn);
    }
    let bytes = std::fs::read(&case.path)
        .map_err(|error| format!("{path}: {error}; transpica test --bless writes it"))?;
    let kept = decode(&bytes).map_err(|error| format!("{path}: {error}"))?;
    if kept.size != drawn.size {
        let (Size { width, height }, wanted) = (kept.size, drawn.size);
        let wanted = format!("{}x{}", wanted.width, wanted.height);
        return Err(format!("{path} is {width}x{height}, but the picture is {wanted}"));
    }
    let difference = drawn.difference(&kept);
    if difference.count as u64 <= case.differing {
        return Ok(());
    }
    let text = difference.to_string();
    let shown = side_by_side(&[(&kept, "kept"), (&drawn, "now"), (&difference.picture, &text)]);
    let place = case.path.with_extension("difference.png");
    write(&place, &shown)?;
    Err(format!("{path}: {text}: see {}; transpica test --bless keeps the new one", place.display()))
}

/// Runs the cases of a file on all mutants of its shader.
fn mutate(file: &TestFile, tests: &[Tested<'_>]) -> Result<Mutants, Failure> {
    let all = file.mutants().map_err(|error| Failure::new(format!("{}: {error}", file.name)))?;
    let own = tests.iter().filter(|test| std::ptr::eq(test.file, file));
    let steps = own.map(|test| test.checked.steps).max().unwrap_or_default();
    let survivors = all.par_iter().filter(|mutant| !file.kills(mutant, steps));
    let survivors: Vec<_> = survivors.map(|mutant| (mutant.place.clone(), mutant.what.clone())).collect();
    let (total, killed) = (all.len(), all.len() - survivors.len());
    Ok(Mutants { file: file.name.clone(), killed, total, survivors })
}

/// Joins the coverage of tests, by source file.
fn coverage(files: &[&TestFile], tests: &[Tested<'_>]) -> BTreeMap<String, coverage::FileCoverage> {
    let of_file = |&file: &&'_ TestFile| {
        let mut all = Coverage::default();
        let own = tests.iter().filter(|test| std::ptr::eq(test.file, file));
        own.for_each(|test| all.add(&test.checked.coverage));
        all
    };
    let all: Vec<_> = files.iter().map(|file| (&file.shader, of_file(file))).collect();
    coverage::by_file(&all)
}

impl Report<'_> {
    fn failed(&self) -> usize {
        self.tests.iter().filter(|test| test.checked.failure.is_some()).count()
    }

    /// Fails if a test failed, a file cannot run, or nothing ran.
    fn result(&self) -> Result<(), Failure> {
        let (failed, count, errors) = (self.failed(), self.tests.len(), self.errors.len());
        match (errors, failed, count) {
            (1, ..) => Err(Failure::new("a test file cannot run")),
            (2.., ..) => Err(Failure::new(format!("{errors} test files cannot run"))),
            (0, 1.., _) => Err(Failure::new(format!("{failed} of {count} tests failed"))),
            (0, 0, 0) => Err(Failure::new("no test ran").hint("--filter takes a part of \"NAME: case\"")),
            (0, 0, 1..) => Ok(()),
        }
    }

    fn text(&self, common: &Common) -> String {
        let mut text = String::new();
        for test in &self.tests {
            let verdict = if test.checked.failure.is_some() { "FAILED" } else { "ok" };
            if verdict == "FAILED" || !common.quiet {
                let _ = writeln!(text, "test {}: {} ... {verdict}", test.file.stem(), test.name);
            }
        }
        for (_, error) in &self.errors {
            let _ = writeln!(text, "\nerror: {error}");
        }
        for failure in self.tests.iter().filter_map(|test| test.checked.failure.as_ref()) {
            let _ = write!(text, "\n{failure}");
        }
        let failed = self.failed();
        let verdict = if self.result().is_ok() { "ok" } else { "FAILED" };
        let _ =
            write!(text, "\ntest result: {verdict}. {} passed; {failed} failed", self.tests.len() - failed);
        if self.filtered > 0 {
            let _ = write!(text, "; {} filtered out", self.filtered);
        }
        text.push('\n');
        for Mutants { file, killed, total, survivors } in &self.mutants {
            let _ = writeln!(text, "\nmutants of {file}: {killed} of {total} killed");
            for (place, what) in survivors {
                let _ = writeln!(text, "  {place}: {what}");
            }
        }
        text
    }

    fn json(&self) -> String {
        let test = |test: &Tested<'_>| {
            json!({
                "file": test.file.name,
                "line": test.line,
                "name": test.name,
                "passed": test.checked.failure.is_none(),
                "failure": test.checked.failure,
                "instructions": test.checked.steps,
            })
        };
        let mutants = |mutants: &Mutants| {
            let Mutants { file, killed, total, survivors } = mutants;
            let survivor = |(place, what): &(String, String)| json!({ "place": place, "change": what });
            let survivors: Value = survivors.iter().map(survivor).collect();
            json!({ "file": file, "killed": killed, "total": total, "survivors": survivors })
        };
        let failed = self.failed();
        Schema::TEST.text(json!({
            "tests": self.tests.iter().map(test).collect::<Value>(),
            "errors": self.errors.iter().map(|(_, error)| error.to_string()).collect::<Value>(),
            "passed": self.tests.len() - failed,
            "failed": failed,
            "filtered": self.filtered,
            "mutants": self.mutants.iter().map(mutants).collect::<Value>(),
        }))
    }

    /// Returns the results in the format of JUnit: a suite for each file.
    fn junit(&self) -> String {
        let mut suites: BTreeMap<&str, Vec<&Tested<'_>>> = BTreeMap::new();
        self.tests.iter().for_each(|test| suites.entry(&test.file.name).or_default().push(test));
        let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n".to_owned();
        for (file, tests) in suites {
            let failed = tests.iter().filter(|test| test.checked.failure.is_some()).count();
            let time: Duration = tests.iter().map(|test| test.time).sum();
            let (name, count, time) = (escaped(file), tests.len(), time.as_secs_f64());
            let _ = writeln!(
                text,
                "  <testsuite name=\"{name}\" tests=\"{count}\" failures=\"{failed}\" errors=\"0\" time=\"{time:.3}\">"
            );
            for test in tests {
                let (class, case) = (escaped(test.file.stem()), escaped(test.name));
                let (line, time) = (test.line, test.time.as_secs_f64());
                let _ = write!(
                    text,
                    "    <testcase classname=\"{class}\" name=\"{case}\" file=\"{name}\" line=\"{line}\" time=\"{time:.3}\""
                );
                let end = test.checked.failure.as_ref().map_or("/>".into(), |failure| {
                    let message = failure.lines().nth(1).unwrap_or_default();
                    let (message, all) = (escaped(message), escaped(failure));
                    format!(">\n      <failure message=\"{message}\">{all}</failure>\n    </testcase>")
                });
                let _ = writeln!(text, "{end}");
            }
            text += "  </testsuite>\n";
        }
        for (path, problem) in &self.errors {
            let [name, message] =
                [path.display().to_string(), problem.to_string()].map(|text| escaped(&text));
            let _ = writeln!(
                text,
                "  <testsuite name=\"{name}\" tests=\"1\" failures=\"0\" errors=\"1\">\n    <testcase classname=\"{name}\" \
                 name=\"file\"><error message=\"{message}\"/></testcase>\n  </testsuite>"
            );
        }
        text + "</testsuites>\n"
    }
}

/// Escapes a text for XML, which has no control characters.
fn escaped(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => all += "&amp;",
            '<' => all += "&lt;",
            '>' => all += "&gt;",
            '"' => all += "&quot;",
            '\n' | '\t' => all.push(letter),
            _ if letter.is_control() => all.push(char::REPLACEMENT_CHARACTER),
            _ => all.push(letter),
        }
    }
    all
}
