//! `transpica survey`: translates every program below some folders, on all cores, and lists the
//! results.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::{Value, json};
use transpica::{Error, Job, Shbin, Stage, Tier, Translator};

use crate::arguments::{Arguments, Results};
use crate::files;
use crate::input::{Input, programs};
use crate::jobs::{GeometryOptions, Translatable};
use crate::json::{self, ProgramName, Schema};
use crate::progress::on_all_cores;
use crate::report::{Common, Failure};
use crate::settings::{ForModules, Resolved, Settings};
use crate::streams::Streams;
use crate::terminal::padded;

/// Translate every program in folders, and list the results
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica survey dumps
  transpica survey dumps -q
  transpica survey shaders --json -o survey.json")]
pub struct Survey {
    /// Files (.shbin, or .pica sources) and folders; sources next to their binary are skipped
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub results: Results,
    #[command(flatten)]
    pub settings: Settings<ForModules>,
}

impl Arguments for Survey {
    fn streams(&self) -> Streams<'_> {
        self.results.streams(self.settings.files()).below(&self.paths)
    }
}

/// Result of one program, or of a file without a readable program.
struct Row {
    file: PathBuf,
    /// The program, or `None` for a file that cannot be read.
    program: Option<ProgramName>,
    result: Result<Module, String>,
}

/// A translated program.
struct Module {
    stage: Stage,
    tier: Tier,
    /// Words of code in the file, which programs may share.
    code: usize,
    /// Words of the module.
    words: usize,
    /// Time from the parsed file to the module, measured once.
    time: Duration,
    warnings: Vec<String>,
}

/// Runs the command.
pub fn run(arguments: &Survey, common: &Common) -> Result<(), Failure> {
    let Survey { paths, results, settings } = arguments;
    let Resolved { options, profile, .. } = settings.resolve()?;
    let files = files::shaders(paths)?;
    let translator = || Translator::new(options, profile.clone());
    let work = |translator: &mut Translator, path: &PathBuf| file(translator, path);
    let rows = on_all_cores(&files, common, translator, work, |_| String::new());
    let rows: Vec<Row> = rows.into_iter().flatten().collect();
    let is_json = results.is_json();
    results.write(&if is_json { to_json(&rows) } else { to_table(&rows, files.len(), common.quiet) })?;
    match rows.iter().filter(|row| row.result.is_err()).count() {
        0 => Ok(()),
        n => Err(Failure::new(format!("{n} of {} were not translated", rows.len()))),
    }
}

/// Translates every program of one file.
fn file(translator: &mut Translator, path: &Path) -> Vec<Row> {
    let row = |program, result| Row { file: path.to_path_buf(), program, result };
    let rows = programs(Input::open(path), |input, file, name| {
        let module = module(translator, file, name.dvle, &input.name());
        row(Some(name), module.map_err(|error| error.to_string()))
    });
    rows.unwrap_or_else(|error| vec![row(None, Err(error))])
}

/// Translates one program.
fn module(translator: &mut Translator, file: &Shbin<'_>, dvle: usize, name: &str) -> Result<Module, Error> {
    let start = Instant::now();
    let job = (Job::Vertex, GeometryOptions::default());
    let source = Translatable::new(file, dvle, name, &translator.options().limits, job)?;
    let translated = translator.translate(&source.program, &source.environment, source.job())?;
    let words = translator.spirv(&translated)?.len();
    Ok(Module {
        stage: source.program.stage(),
        tier: translated.tier,
        code: source.program.code().len(),
        words,
        time: start.elapsed(),
        warnings: translated.warnings.iter().map(ToString::to_string).collect(),
    })
}

/// Converts a duration to microseconds.
fn micros(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1e3
}

fn to_table(rows: &[Row], files: usize, quiet: bool) -> String {
    let mut text = String::new();
    for Row { file, program, result } in rows {
        let file = padded(&file.display().to_string(), 36);
        let dvle = program.as_ref().map_or(0, |program| program.dvle);
        let _ = match result {
            Ok(_) if quiet => Ok(()),
            Ok(Module { tier, code, words, time, warnings, .. }) => {
                let tier = tier.to_string();
                let _ = writeln!(
                    text,
                    "ok   {file} dvle {dvle:<3} {tier:<16} {code:>5} code {words:>6} words {:>9.1} µs",
                    micros(*time)
                );
                warnings.iter().try_for_each(|warning| writeln!(text, "       {warning}"))
            }
            Err(error) => writeln!(text, "FAIL {file} dvle {dvle:<3} {error}"),
        };
    }
    let mut tiers: BTreeMap<Tier, usize> = BTreeMap::new();
    let modules: Vec<&Module> = rows.iter().filter_map(|row| row.result.as_ref().ok()).collect();
    modules.iter().for_each(|module| *tiers.entry(module.tier).or_default() += 1);
    let geometry = modules.iter().filter(|module| module.stage == Stage::Geometry).count();
    let failed = rows.len() - modules.len();
    let words: Vec<f64> = modules.iter().map(|module| module.words as f64).collect();
    let times = modules.iter().map(|module| micros(module.time)).collect();
    let tiers: Vec<String> = tiers.iter().map(|(tier, count)| format!("{count} {tier}")).collect();
    let tiers = if tiers.is_empty() { "none".to_string() } else { tiers.join(", ") };
    let _ = writeln!(
        text,
        "{files} files, {} translated ({tiers}), {geometry} of them geometry programs, {failed} failed",
        words.len()
    );
    if !words.is_empty() {
        let _ = writeln!(text, "module words: {}", spread(words, 0));
        let _ = writeln!(text, "time in µs, one run each: {}", spread(times, 1));
    }
    text
}

/// Formats the median, the 90th percentile and the largest value.
fn spread(mut values: Vec<f64>, digits: usize) -> String {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values[((values.len() - 1) as f64 * share).round() as usize];
    format!("median {:.digits$}, 90 % {:.digits$}, most {:.digits$}", at(0.5), at(0.9), at(1.0))
}

fn to_json(rows: &[Row]) -> String {
    let row = |Row { file, program, result }: &Row| {
        let members = match result {
            Ok(Module { tier, code, words, time, warnings, .. }) => json!({
                "result": "translated", "tier": tier.to_string(), "code_words": code, "module_words": words,
                "microseconds": micros(*time), "warnings": warnings,
            }),
            Err(error) => json!({ "result": "failed", "error": error }),
        };
        json::row(&file.display().to_string(), program.as_ref(), members)
    };
    let all: Vec<Value> = rows.iter().map(row).collect();
    Schema::SURVEY.text(json!({ "programs": all }))
}
