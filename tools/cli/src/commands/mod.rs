//! One file for each subcommand, and their common parts; `input` opens files.

mod asm;
mod batch;
mod bind;
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
mod lsp;
#[cfg_attr(not(feature = "gpu"), path = "without_gpu.rs")]
mod on_gpu;
#[cfg(feature = "gpu")]
mod replay;
mod run;
mod scan;
mod shell;
mod source_map;
mod survey;
mod test;
mod translate;
mod vbc;

use std::time::Instant;

use indicatif::{ParallelProgressIterator, ProgressBar, ProgressDrawTarget, ProgressStyle};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use transpica::host::dvle::FileEnvironment;
use transpica::host::{Environment, dvle};
use transpica::{Error, Job, Options, Program, Setup, Shbin, Stage, Translation, Translator};

use crate::args::{Cli, Command, Common, Completions, GeometryOptions, Man, RouteName};
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
        Command::Info(arguments) => info::run(&arguments, &common),
        Command::Asm(arguments) => asm::run(&arguments, &common),
        Command::Bind(arguments) => bind::run(&arguments, &common),
        Command::Dis(arguments) => dis::run(arguments, &common),
        Command::Lsp(_) => lsp::run(),
        Command::Run(arguments) => run::run(arguments, &common),
        Command::Test(arguments) => test::run(&arguments, &common),
        Command::Compare(arguments) => on_gpu::compare(arguments, &common),
        Command::Survey(arguments) => survey::run(arguments, &common),
        Command::Replay(arguments) => on_gpu::replay(&arguments, &common),
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
    state: &'a State,
    options: Options,
    /// Limit of instructions for each vertex or invocation.
    budget: u64,
    route: Option<RouteName>,
}

/// Translates a program of either stage; a geometry program becomes a compute stage.
fn translated(
    translator: &mut Translator,
    file: &Shbin<'_>,
    index: usize,
    environment: &dyn Environment,
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

/// Works on files on all cores, with a progress bar. `start` makes what a thread keeps, `more` says
/// what else a detail about all results has.
fn on_all_cores<T: Sync, S, R: Send>(
    files: &[T],
    common: &Common,
    start: impl Fn() -> S + Sync + Send,
    work: impl Fn(&mut S, &T) -> R + Sync + Send,
    more: impl Fn(&[R]) -> String,
) -> Vec<R> {
    let begin = Instant::now();
    let bar = progress(files.len(), "files", common.quiet);
    let results: Vec<R> = files.par_iter().progress_with(bar.clone()).map_init(start, work).collect();
    bar.finish_and_clear();
    let (count, more, threads) = (files.len(), more(&results), rayon::current_num_threads());
    common.detail(format_args!("{count} files{more} in {:?} on {threads} threads", begin.elapsed()));
    results
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
