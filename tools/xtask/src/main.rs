//! Tasks of the project. `cargo xtask test` installs the tests' requirements and runs the tests,
//! `cargo xtask check` checks formatting, lints, features, documentation and workflows, `cargo
//! xtask count` counts the code,
//! `cargo xtask validate` checks WGSL with Tint and HLSL with DXC, `cargo xtask prove` compares
//! random programs without end, `cargo xtask coverage` measures line coverage, `cargo xtask fuzz`
//! runs the fuzz targets, `cargo xtask wasm` compares and times batches in WebAssembly,
//! `cargo xtask web` builds the page, `cargo xtask vscode` the extension for VS Code, `cargo xtask
//! install` installs the C interface, `cargo xtask dist` writes its archives and the command's, and
//! `cargo xtask vendor-capi` copies its sources with their crates.
//! One module for each task.

mod bare;
mod browser;
mod check;
mod count;
mod coverage;
mod dist;
mod fuzz;
mod install;
mod needs;
mod notices;
mod second_driver;
mod sources;
mod speed;
mod symbols;
mod tally;
mod test;
mod validate;
mod vendor;
mod vscode;
mod wasm;
mod web;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};

const USAGE: &str = "usage: cargo xtask test [--all] [--second-driver] [--no-install]
       cargo xtask test --browser
       cargo xtask check [--alone]
       cargo xtask count [--speed]
       cargo xtask validate
       cargo xtask prove [--minutes N] [--programs N] [--seed S] [--control SLOTS MOST]
       cargo xtask prove --smt [--new | --enumerate] [--seconds N]
       cargo xtask coverage [--uncovered]
       cargo xtask fuzz [--seconds N] [--seed N] [--keep] [TARGET...]
       cargo xtask wasm [PATH...]
       cargo xtask web [--out DIR | --screenshots DIR]
       cargo xtask vscode [--test | --out DIR]
       cargo xtask install --prefix DIR [--static] [--features LIST | --built DIR]
       cargo xtask dist [--target TRIPLE]... [--features LIST | --built DIR] [--out DIR]
       cargo xtask dist --command [--target TRIPLE]... [--built DIR] [--out DIR]
       cargo xtask vendor-capi DIR

  test             installs missing requirements (Debian, Ubuntu; Dask into the target folder) and says what for; then
                   runs every test, random programs and slow drivers with fewer cases, and prints the counts of the
                   comparisons and what was left out
  --all            takes all cases, then counts as `count --speed`
  --no-install     fails if a requirement is missing, and prints the command that installs it
  --second-driver  then downloads SwiftShader into the target folder (Debian) and runs the GPU tests on it
  --browser        builds the page and tests it in a browser instead; installs Chromium if missing (Debian)
  check            checks formatting, lints and documentation; then installs linters of workflows (PyPI, into the target
                   folder), or says that it left them out
  --alone          checks instead that each feature and each package compiles without help from the others
  count            prints the numbers of lines and names, beside the ceilings in tests/counts.tsv
  --speed          counts executed instructions and allocations of translations instead, with valgrind, and compares them
                   with the ceilings in tests/speed.tsv; UPDATE_EXPECT=1 makes them the ceilings, REASON='...' says why one rises
  validate         installs Node.js and Python if missing, downloads Tint (npm) and DXC (PyPI) into the target folder,
                   and compiles the WGSL of every sample, case and of random programs, and the HLSL of every sample
                   and case; says which of them it left out, since it cannot be installed
  prove            compares every form of random programs with the interpreter, endlessly or up to a limit, and
                   writes the smallest program of each difference to target/prove
  --control        compares all programs of that many slots instead, of which at most MOST have control flow
  --smt            asks SMT solvers (PyPI, into the target folder) every question of tools/proof instead and writes their
                   answers to tools/proof/src/smt/proven
  --new            asks only questions without an answer there
  --enumerate      compares helper functions of one number with their definitions for all numbers
  coverage         runs the library's tests that need no GPU and prints their line coverage; installs llvm-tools
                   (rustup) and cargo-llvm-cov (into the target folder) if missing
  --uncovered      also lists the lines that no test runs
  fuzz             installs cargo-fuzz (into the target folder) and g++ if missing and runs each fuzz target
                   (container, translate, assembler, round_trip, interpreter, ir_text, batch) for N seconds, by default 60
  --keep           then merges the smallest inputs with the same coverage into tools/fuzz/corpus
  wasm             installs Node.js and the target wasm32-wasip1 (rustup) if missing; runs the interpreter and batches in
                   WebAssembly on samples, or on files below the root of the repository, compares them and prints their times
  web              builds the page of tools/web into target/page, or DIR, for any static host: installs Node.js, the target
                   wasm32-unknown-unknown (rustup) and the npm packages of its lock file if missing, and prints sizes
  --screenshots    then writes its first view as page-light.png and page-dark.png; installs Chromium if missing (Debian)
  vscode           builds the extension of tools/lsp/vscode into target/vscode, or DIR, and the package for VS Code beside
                   it: installs what web installs, and vsce (npm, into the target folder)
  --test           then tests it under Node.js, and in VS Code for browsers (npm); installs Chromium if missing (Debian)
  install          builds the C interface and installs its libraries, header, CMake and pkg-config files below DIR
  --features       optional text targets: a list of wgsl, glsl, hlsl, msl
  --static         installs no shared library, so that -ltranspica links the static one
  --built          installs the libraries from a folder of an earlier cargo build (for example target/debug)
  dist             writes an archive of the C interface and its checksum for each target, by default this machine; for other
                   targets only the static library, which needs no linker; --out is target/dist by default
  --command        writes archives of the command transpica instead, with completions, manual pages and notices; for targets
                   *-musl a static program without GPU commands, which Rust's own linker builds; other targets than this
                   machine need a linker. The texts stay in target/command for `cargo deb --package transpica-cli`
  vendor-capi      copies the sources of the C interface and the crates that it needs into DIR, which builds offline";

/// Reason why a task did not succeed.
enum Failure {
    /// Arguments that no task has.
    Usage,
    /// A message.
    Text(String),
}

impl From<String> for Failure {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (text, status) = match task(&arguments.iter().map(String::as_str).collect::<Vec<_>>()) {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Usage) => (USAGE.to_owned(), 2),
        Err(Failure::Text(text)) => (text, 1),
    };
    eprintln!("{text}");
    ExitCode::from(status)
}

fn task(arguments: &[&str]) -> Result<(), Failure> {
    match *arguments {
        ["test", "--browser"] => browser::run()?,
        ["test", ref flags @ ..] => test::run(flags)?,
        ["check"] => check::run()?,
        ["check", "--alone"] => check::alone()?,
        ["count"] => count::run()?,
        ["count", "--speed"] => speed::run()?,
        ["validate"] => validate::run()?,
        ["coverage"] => coverage::run(false)?,
        ["coverage", "--uncovered"] => coverage::run(true)?,
        ["fuzz", ref options @ ..] => fuzz::run(options)?,
        ["wasm", ref paths @ ..] => wasm::run(paths)?,
        ["web", ref options @ ..] => web::run(options)?,
        ["vscode", ref options @ ..] => vscode::run(options)?,
        ["install", ref options @ ..] => install::run(options)?,
        ["dist", ref options @ ..] => dist::run(options)?,
        ["vendor-capi", folder] => vendor::run(folder.as_ref())?,
        ["prove", "--smt", ref options @ ..] => {
            needs::install(&["solve"])?;
            run_line(prove().arg("--python").arg(needs::python()).arg("--smt").args(options))?;
        }
        ["prove", ref options @ ..] => run_line(prove().args(options))?,
        _ => return Err(Failure::Usage),
    }
    Ok(())
}

/// Returns a command that runs `prove`, without arguments.
fn prove() -> Command {
    let mut command = Command::new(program());
    command.args(["run", "--release", "--quiet", "--package", "transpica-proof", "--"]);
    command
}

/// Runs cargo with these arguments; returns whether it succeeded.
fn cargo(arguments: &[&str]) -> bool {
    println!("$ cargo {}", arguments.join(" "));
    succeeds(Command::new(program()).args(arguments))
}

/// Prints a command and runs it.
fn run_line(command: &mut Command) -> Result<(), String> {
    println!("$ {command:?}");
    let line = format!("{command:?}");
    wait(command, &line)
}

/// Runs a command; the error about its status says what it does.
fn wait(command: &mut Command, what: &str) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{what}: {status}")),
        Err(error) => Err(format!("{}: {error}", command.get_program().display())),
    }
}

/// Runs a command; returns whether it succeeds.
fn succeeds(command: &mut Command) -> bool {
    command.status().is_ok_and(|status| status.success())
}

/// Path of cargo.
fn program() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into())
}

/// Returns the target folder: this executable is in its folder of a profile.
fn target() -> Result<PathBuf, String> {
    let program = std::env::current_exe().map_err(|error| format!("where this program lies: {error}"))?;
    let folder = program.ancestors().nth(2).ok_or("this program lies outside a target folder")?;
    Ok(folder.to_path_buf())
}
