//! One file for each subcommand, and their common parts; `input` opens files.

mod asm;
mod batch;
mod cfg;
#[cfg(feature = "gpu")]
mod compare;
mod dis;
#[cfg(feature = "gpu")]
mod doctor;
mod draw;
mod info;
mod input;
mod lint;
#[cfg_attr(not(feature = "gpu"), path = "without_gpu.rs")]
mod on_gpu;
mod run;
mod scan;
mod shell;
mod source_map;
mod survey;
mod translate;
mod vbc;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use transpica::host::dvle;
use transpica::host::dvle::FileEnvironment;
use transpica::{Error, Job, Options, Program, Setup, Shbin, Stage, Translation, Translator};
use transpica_inspect::results::View;

use crate::args::{Asm, Cli, Command, Completions, Dis, GeometryOptions, Info, Man, RouteName};
use crate::report::Failure;
use crate::terminal::has_unicode;
use input::Input;
use transpica_inspect::state::State;

/// Runs the selected command.
pub fn run(cli: Cli) -> Result<(), Failure> {
    let common = cli.common;
    match cli.command {
        Command::Translate(arguments) => translate::run(*arguments, &common),
        Command::Manifest(arguments) => batch::merge(&arguments),
        Command::Info(Info { file, lint, deny, json, output }) => {
            let lint = (lint || !deny.is_empty()).then_some(&deny[..]);
            info::run(&file, lint, json, output.as_deref(), &common)
        }
        Command::Asm(Asm { files, output, header, no_nop, lint, deny, json }) => {
            let wanted = asm::AsmOptions { no_nop, lint: lint || !deny.is_empty(), deny, json };
            asm::run(&files, &output, header.as_deref(), &wanted, &common)
        }
        Command::Dis(Dis { file, hex, output }) => dis::run(&file, hex, output.as_deref(), &common),
        Command::Run(arguments) => run::run(arguments, &common),
        Command::Compare(arguments) => on_gpu::compare(arguments, &common),
        Command::Survey(arguments) => survey::run(arguments, &common),
        Command::Doctor(arguments) => on_gpu::doctor(arguments, &common),
        Command::Scan(arguments) => scan::run(arguments, &common),
        Command::Draw(arguments) => draw::run(&arguments, &common),
        Command::Cfg(arguments) => cfg::run(arguments, &common),
        Command::Completions(Completions { shell }) => shell::completions(shell),
        Command::Man(Man { out_dir }) => shell::man(out_dir.as_deref()),
    }
}

/// Run of a program on a GPU.
struct GpuRun<'a> {
    program: &'a Program<'a>,
    environment: &'a FileEnvironment<'a>,
    view: View<'a>,
    state: &'a State,
    options: Options,
    /// Limit of instructions for each vertex or invocation.
    budget: u64,
    /// Part of the adapter's name.
    adapter: Option<&'a str>,
    route: Option<RouteName>,
}

/// Translates a program of either stage; a geometry program becomes a compute stage.
fn translated(
    translator: &mut Translator,
    file: &Shbin<'_>,
    index: usize,
    environment: &FileEnvironment<'_>,
    vertex: Job<'_>,
    chosen: GeometryOptions,
) -> Result<Translation, Error> {
    let program = dvle::program(file, index, &translator.options().limits)?;
    with_job(file, index, &program, vertex, chosen, |job| translator.translate(&program, environment, job))
}

/// Calls `work` with the job of a program of either stage.
fn with_job<R>(
    file: &Shbin<'_>,
    index: usize,
    program: &Program<'_>,
    vertex: Job<'_>,
    chosen: GeometryOptions,
    work: impl FnOnce(Job<'_>) -> Result<R, Error>,
) -> Result<R, Error> {
    match program.stage() {
        Stage::Vertex => work(vertex),
        Stage::Geometry => {
            work(Job::Geometry(&Setup::with_nearest(file, index, chosen.vertex, chosen.stride)?))
        }
    }
}

/// Progress bar on standard error, if it is a terminal.
fn progress(count: usize, what: &str, quiet: bool) -> ProgressBar {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(Some(count as u64), target);
    match ProgressStyle::with_template(&format!("{{bar:40}} {{pos}}/{{len}} {what}, {{eta}} left")) {
        Ok(style) if !has_unicode() => bar.with_style(style.progress_chars("=> ")),
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
