//! `transpica survey`: translates every program below some folders, on all cores, and lists the
//! results.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use transpica::host::dvle;
use transpica::host::dvle::FileEnvironment;
use transpica::{Error, Job, Shbin, Stage, Tier, Translator};

use super::{Input, translated};
use crate::args::settings::Resolved;
use crate::args::{Common, GeometryOptions, Survey};
use crate::files;
use crate::json::{self, ProgramName, Schema};
use crate::report::Failure;
use crate::terminal::padded;

/// Result of one program, or of a file without a readable program.
struct Row {
    file: PathBuf,
    /// The program; none of a file that cannot be read.
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
    /// Time from container bytes to module, measured once.
    time: Duration,
    warnings: Vec<String>,
}

pub fn run(arguments: Survey, common: &Common) -> Result<(), Failure> {
    let Survey { paths, json, output, settings } = arguments;
    let Resolved { options, profile, .. } = settings.resolve()?;
    let files = files::shaders(&paths)?;
    let translator = || Translator::new(options, profile.clone());
    let work = |translator: &mut Translator, path: &PathBuf| file(translator, path);
    let rows = super::on_all_cores(&files, common, translator, work, |_| String::new());
    let rows: Vec<Row> = rows.into_iter().flatten().collect();
    let text = if json { to_json(&rows) } else { to_table(&rows, files.len(), common.quiet) };
    files::write(output.as_deref(), text.as_bytes())?;
    match rows.iter().filter(|row| row.result.is_err()).count() {
        0 => Ok(()),
        n => Err(Failure::new(format!("{n} of {} were not translated", rows.len()))),
    }
}

/// Translates every program of one file.
fn file(translator: &mut Translator, path: &Path) -> Vec<Row> {
    let row = |program, result| Row { file: path.to_path_buf(), program, result };
    let bytes = match Input::open(path) {
        Ok(input) => input.bytes,
        Err(failure) => return vec![row(None, Err(failure.message().to_string()))],
    };
    let start = Instant::now();
    let container = match Shbin::parse(&bytes) {
        Ok(container) => container,
        Err(error) => return vec![row(None, Err(error.to_string()))],
    };
    let parsed = start.elapsed();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let programs = container.executables.iter().enumerate();
    programs
        .map(|(dvle, executable)| {
            let mut result = program(translator, &container, dvle, &name).map_err(|error| error.to_string());
            if let Ok(module) = &mut result {
                module.time += parsed;
            }
            row(Some(ProgramName::new(dvle, executable)), result)
        })
        .collect()
}

/// Translates one program of a parsed file.
fn program(
    translator: &mut Translator,
    container: &Shbin<'_>,
    dvle: usize,
    name: &str,
) -> Result<Module, Error> {
    let start = Instant::now();
    let options = *translator.options();
    let program = dvle::program(container, dvle, &options.limits)?;
    let environment = FileEnvironment::new(container, dvle, name)?;
    let translated =
        translated(translator, container, dvle, &environment, Job::Vertex, GeometryOptions::default())?;
    let words = translator.spirv(&translated)?.len();
    Ok(Module {
        stage: program.stage(),
        tier: translated.tier,
        code: program.code().len(),
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
    let (mut words, mut times, mut geometry, mut failed) = (Vec::new(), Vec::new(), 0, 0);
    for row in rows {
        match &row.result {
            Ok(Module { stage, tier, words: size, time, .. }) => {
                geometry += usize::from(*stage == Stage::Geometry);
                *tiers.entry(*tier).or_default() += 1;
                words.push(*size as f64);
                times.push(micros(*time));
            }
            Err(_) => failed += 1,
        }
    }
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
