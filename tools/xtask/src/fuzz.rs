//! `cargo xtask fuzz`: builds the targets of `tools/fuzz` with cargo-fuzz and runs each for some
//! time, starting from the corpus in the repository. New inputs stay in the target folder until
//! `--keep` merges the smallest of them into the corpus.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::{Failure, needs, succeeds, symbols, target};

/// The tested version of cargo-fuzz.
const VERSION: &str = "0.13.2";
/// The package of the targets.
const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz");
/// Size limit of a target's corpus in the repository, in bytes.
const KEPT: u64 = 80 << 10;

/// A fuzz target.
struct Target {
    name: &'static str,
    /// Largest useful input in bytes.
    longest: u32,
    /// Dictionary of words for inputs.
    dictionary: Option<&'static str>,
}

const TARGETS: [Target; 8] = [
    Target { name: "container", longest: 4096, dictionary: None },
    Target { name: "translate", longest: 3072, dictionary: None },
    Target { name: "assembler", longest: 2048, dictionary: Some("assembler.dict") },
    Target { name: "round_trip", longest: 2048, dictionary: None },
    Target { name: "interpreter", longest: 1024, dictionary: None },
    Target { name: "batch", longest: 1024, dictionary: None },
    Target { name: "ir_text", longest: 4096, dictionary: Some("ir_text.dict") },
    Target { name: "scan", longest: 8192, dictionary: Some("scan.dict") },
];

/// Parsed options.
struct Request<'a> {
    seconds: u32,
    /// Seed of libFuzzer, by default random.
    seed: Option<u32>,
    keep: bool,
    targets: Vec<&'a Target>,
}

/// Result of a target.
struct Outcome {
    executions: String,
    rate: String,
    coverage: String,
    /// The input that failed.
    failed: Option<PathBuf>,
}

/// Runs the task.
pub fn run(options: &[&str]) -> Result<(), Failure> {
    Ok(fuzz(&request(options).ok_or(Failure::Usage)?)?)
}

fn request<'a>(options: &[&str]) -> Option<Request<'a>> {
    let mut request = Request { seconds: 60, seed: None, keep: false, targets: Vec::new() };
    let mut options = options.iter();
    while let Some(&option) = options.next() {
        match option {
            "--seconds" => request.seconds = options.next()?.parse().ok()?,
            "--seed" => request.seed = Some(options.next()?.parse().ok()?),
            "--keep" => request.keep = true,
            name => request.targets.push(TARGETS.iter().find(|target| target.name == name)?),
        }
    }
    if request.targets.is_empty() {
        request.targets = TARGETS.iter().collect();
    }
    Some(request)
}

/// Fuzzes every target.
fn fuzz(request: &Request<'_>) -> Result<(), String> {
    needs::install(&["fuzz"])?;
    let binaries = build(&install()?)?;
    let work = target()?.join("fuzz/work");
    let mut failed = Vec::new();
    println!("{:<12} {:>11} {:>8} {:>9}  result", "target", "executions", "/s", "coverage");
    for target in &request.targets {
        let fuzzer = Fuzzer { target, binary: binaries.join(target.name), work: work.join(target.name) };
        let outcome = fuzzer.run(request.seconds, request.seed)?;
        let Outcome { executions, rate, coverage, .. } = &outcome;
        let result = if outcome.failed.is_some() { "FAILED" } else { "ok" };
        println!("{:<12} {executions:>11} {rate:>8} {coverage:>9}  {result}", target.name);
        match outcome.failed {
            Some(input) => failed.push((fuzzer, input)),
            None if request.keep => fuzzer.merge_corpus()?,
            None => {}
        }
    }
    failed.iter().for_each(|(fuzzer, input)| fuzzer.print_failure(input));
    if failed.is_empty() { Ok(()) } else { Err("a target failed, see above".into()) }
}

/// Installs cargo-fuzz into the target folder and returns its path.
fn install() -> Result<PathBuf, String> {
    let root = target()?.join("tools");
    let program = root.join("bin/cargo-fuzz");
    let version = Command::new(&program).arg("--version").output();
    if version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(VERSION)) {
        return Ok(program);
    }
    let root = root.to_string_lossy();
    let line = ["install", "cargo-fuzz", "--locked", "--version", VERSION, "--root", &root];
    if crate::cargo(&line) { Ok(program) } else { Err("cargo-fuzz cannot be installed".into()) }
}

/// Builds every target; returns the folder of their executables.
fn build(cargo_fuzz: &Path) -> Result<PathBuf, String> {
    let folder = target()?.join("fuzz");
    let host = symbols::host()?;
    // Without a sanitizer: none of the code is unsafe, and inputs run twice as fast.
    let line =
        ["build", "--sanitizer", "none", "--codegen-units", "4", "--target", &host, "--fuzz-dir", FOLDER];
    println!("$ RUSTC_BOOTSTRAP=1 cargo fuzz {}", line.join(" "));
    let mut build = Command::new(cargo_fuzz);
    build.args(line).arg("--target-dir").arg(&folder).env("RUSTC_BOOTSTRAP", "1");
    if succeeds(&mut build) {
        return Ok(folder.join(host).join("release"));
    }
    Err("the fuzz targets cannot be built".into())
}

/// A built target.
struct Fuzzer<'a> {
    target: &'a Target,
    binary: PathBuf,
    /// Folder of its new inputs and its log.
    work: PathBuf,
}

impl Fuzzer<'_> {
    fn corpus(&self) -> PathBuf {
        Path::new(FOLDER).join("corpus").join(self.target.name)
    }

    /// Returns a folder for its new inputs, created if missing.
    fn folder(&self, name: &str) -> Result<PathBuf, String> {
        let folder = self.work.join(name);
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(folder)
    }

    /// Builds a command whose output goes to a log.
    fn command(&self, log: &Path) -> Result<Command, String> {
        let io = |error: std::io::Error| format!("{}: {error}", log.display());
        let file = File::create(log).map_err(io)?;
        let mut command = Command::new(&self.binary);
        command.stdout(Stdio::null()).stderr(file).env("RUST_BACKTRACE", "0");
        command.arg(format!("-max_len={}", self.target.longest)).arg("-rss_limit_mb=1024");
        Ok(command)
    }

    fn run(&self, seconds: u32, seed: Option<u32>) -> Result<Outcome, String> {
        let (finds, failures) = (self.folder("finds")?, self.folder("failures")?);
        let log = self.work.join("log.txt");
        let mut command = self.command(&log)?;
        command.args([&finds, &self.corpus()]);
        command.arg(format!("-artifact_prefix={}/", failures.display()));
        command.arg(format!("-max_total_time={seconds}")).args(["-timeout=10", "-print_final_stats=1"]);
        if let Some(seed) = seed {
            command.arg(format!("-seed={seed}"));
        }
        if let Some(name) = self.target.dictionary {
            command.arg(format!("-dict={FOLDER}/{name}"));
        }
        let status = command.status().map_err(|error| format!("{}: {error}", self.binary.display()))?;
        let text = fs::read(&log).map_err(|error| format!("{}: {error}", log.display()))?;
        let mut outcome = outcome(&String::from_utf8_lossy(&text));
        if status.success() {
            // libFuzzer also writes slow inputs, which are not failures.
            outcome.failed = None;
        }
        if status.success() || outcome.failed.is_some() {
            return Ok(outcome);
        }
        Err(format!("{} ended with {status}; see {}", self.target.name, log.display()))
    }

    /// Merges the smallest inputs with the same coverage into the repository.
    fn merge_corpus(&self) -> Result<(), String> {
        let chosen = self.folder("chosen")?;
        let io = |error: std::io::Error| format!("{}: {error}", self.target.name);
        fs::remove_dir_all(&chosen).and_then(|()| fs::create_dir(&chosen)).map_err(io)?;
        let mut command = self.command(&self.work.join("merge.txt"))?;
        command.arg("-set_cover_merge=1").args([&chosen, &self.folder("finds")?, &self.corpus()]);
        if !succeeds(&mut command) {
            return Err(format!("{}: see merge.txt in {}", self.target.name, self.work.display()));
        }
        let mut inputs = Vec::new();
        for entry in fs::read_dir(&chosen).map_err(io)? {
            let entry = entry.map_err(io)?;
            inputs.push((entry.metadata().map_err(io)?.len(), entry.file_name()));
        }
        inputs.sort();
        let kept = self.corpus();
        let _ = fs::remove_dir_all(&kept);
        fs::create_dir_all(&kept).map_err(io)?;
        let mut left = KEPT;
        for (size, name) in inputs {
            let Some(rest) = left.checked_sub(size) else { break };
            left = rest;
            fs::copy(chosen.join(&name), kept.join(&name)).map_err(io)?;
        }
        Ok(())
    }

    /// Prints the failing input and the command that reproduces it.
    fn print_failure(&self, input: &Path) {
        let name = self.target.name;
        println!("\n{name} fails on {}", input.display());
        let log = fs::read(self.work.join("log.txt")).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        let said = log.lines().skip_while(|line| !line.contains("panicked at") && !line.contains("ERROR"));
        said.take(6).for_each(|line| println!("  {line:.300}"));
        println!("again:    RUST_BACKTRACE=1 {} {}", self.binary.display(), input.display());
        println!("smaller:  {} -minimize_crash=1 -runs=100000 {}", self.binary.display(), input.display());
        println!("once it is understood, keep it in tools/fuzz/found/{name}, where `cargo test` replays it");
    }
}

/// Parses the output of libFuzzer.
fn outcome(log: &str) -> Outcome {
    let statistic = |name: &str| {
        let line = log.lines().rev().find_map(|line| line.strip_prefix(name));
        line.map_or("-", str::trim).to_owned()
    };
    let coverage = log.lines().rev().find_map(|line| line.split_once(" cov: ")?.1.split(' ').next());
    let failed = log.lines().find_map(|line| Some(line.split_once("Test unit written to ")?.1));
    Outcome {
        executions: statistic("stat::number_of_executed_units:"),
        rate: statistic("stat::average_exec_per_sec:"),
        coverage: coverage.unwrap_or("-").to_owned(),
        failed: failed.map(PathBuf::from),
    }
}
