//! `transpica compare`: every program below the paths, interpreter against GPU. It compares output
//! registers of vertices, and of each EMIT of geometry programs. An unreadable file gets its own
//! row, and the others are still compared.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use clap::Args;
use indicatif::ProgressBar;
use serde_json::{Value, json};
use transpica::host::dvle::FileEnvironment;
use transpica::{Options, Shbin, Stage};
use transpica_gpu::compare::{self, Case, Verdict};
use transpica_gpu::geometry::{EmitCase, compare_emits};
use transpica_gpu::{Gpu, Report, Route};
use transpica_inspect::inputs::Seed;
use transpica_inspect::promises::Promised;
use transpica_inspect::state::floats;
use transpica_inspect::symbols::Symbols;

use super::comparison::{Checked, Class, Fault, classify, counted, driver};
use crate::arguments::{Arguments, Results, RouteName, vertices};
use crate::files;
use crate::gpu;
use crate::input::{Input, programs};
use crate::json::{self, ProgramName, Schema};
use crate::progress::progress;
use crate::report::{Common, Failure};
use crate::settings::{ForRuns, Settings};
use crate::streams::Streams;
use crate::terminal::padded;

/// Run programs on interpreter and GPU, and report differences
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica compare shaders --vertices 4096
  transpica compare lights.v.pica --route wgsl        sources are assembled first
  transpica compare dumps --strict                    also fails if a program has nothing to compare
  transpica compare lights.shbin --adapter llvmpipe --json
  transpica compare lights.shbin --assume uniforms=2^16    tests the module that relies on a promise

Verdicts: ok; FAIL; none if a program had nothing to compare, as in `--precision fast` where the last bits are the driver's.

Generated inputs keep the promises of --assume; a constant in the file that breaks one fails the comparison.

Exit status 1 if any comparison failed.")]
pub struct Compare {
    /// Files (.shbin, or .pica sources) and folders; sources next to their binary are skipped
    #[arg(required = true)]
    pub paths: Vec<PathBuf>,
    /// Vertices per program
    #[arg(long, default_value_t = 256, value_name = "N", value_parser = vertices())]
    pub vertices: usize,
    /// Seed of the inputs
    #[arg(long, default_value_t = 0, value_name = "S")]
    pub seed: u64,
    /// Compare only this route [default: SPIR-V and WGSL]
    #[arg(long, value_enum)]
    pub route: Option<RouteName>,
    /// Part of the GPU's name
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub adapter: Option<String>,
    /// Count +0 and -0 as different
    #[arg(long, hide_short_help = true)]
    pub signed_zeros: bool,
    /// Also fail if a program had nothing to compare
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    pub results: Results,
    #[command(flatten)]
    pub settings: Settings<ForRuns>,
}

impl Arguments for Compare {
    fn streams(&self) -> Streams<'_> {
        self.results.streams(self.settings.files()).below(&self.paths).on_gpu(true)
    }
}

/// Limit of instructions per vertex or invocation on the interpreter.
const BUDGET: u64 = 1 << 20;

/// One program on one route, or a file or program that could not be read.
struct Row {
    file: String,
    /// The program, or `None` for a file that cannot be read.
    program: Option<ProgramName>,
    route: Option<Route>,
    result: Checked,
}

/// Options that decide which verdicts count as failures.
#[derive(Clone, Copy)]
struct Rules {
    signed_zeros: bool,
    strict: bool,
}

impl Row {
    /// Returns the class of the result, and the reason if nothing was compared.
    fn class(&self) -> (Class, Option<String>) {
        classify(&self.result)
    }

    /// Returns whether no component breaks the rules.
    fn passed(&self) -> bool {
        self.result.as_ref().is_ok_and(Verdict::passed)
    }

    /// Returns whether the row makes the command fail.
    fn fails(&self, rules: Rules) -> bool {
        let has_zeros = |verdict: &Verdict| rules.signed_zeros && verdict.signed_zeros > 0;
        match self.class().0 {
            Class::Equal => self.result.as_ref().is_ok_and(has_zeros),
            Class::Nothing => rules.strict,
            _failure => true,
        }
    }
}

/// State of a comparison of all programs.
struct Run<'a> {
    gpu: &'a Gpu,
    routes: &'a [Route],
    options: Options,
    vertices: usize,
    seed: u64,
    rules: Rules,
    /// `Some` prints rows as they come, and `Some(true)` also rows that pass.
    prints: Option<bool>,
    bar: ProgressBar,
    rows: Vec<Row>,
}

/// Runs the command.
pub fn run(arguments: &Compare, common: &Common) -> Result<(), Failure> {
    let &Compare { ref paths, vertices, seed, route, signed_zeros, strict, .. } = arguments;
    let (results, is_json) = (&arguments.results, arguments.results.is_json());
    let options = arguments.settings.resolve()?.options;
    let files = files::programs(paths);
    // The reason stands alone, without a report about a driver that had nothing to do.
    if !is_json && files.iter().all(Result::is_err) {
        let reasons: Vec<_> = files.iter().filter_map(|file| Some(file.as_ref().err()?.message())).collect();
        return Err(Failure::new(reasons.join("; ")));
    }
    let gpu = gpu::open(arguments.adapter.as_deref(), common)?;
    common.detail(format_args!("{} files, {vertices} vertices or invocations for each program", files.len()));
    let routes = match (route, gpu.usual_route()) {
        (Some(route), _) => vec![route.into()],
        (None, Route::Wgsl) => vec![Route::Wgsl],
        (None, usual) => vec![usual, Route::Wgsl],
    };
    let rules = Rules { signed_zeros, strict };
    let is_streamed = !is_json && results.output.as_deref().is_none_or(|path| path == Path::new("-"));
    let mut run = Run {
        gpu: &gpu,
        routes: &routes,
        options,
        vertices,
        seed,
        rules,
        prints: is_streamed.then_some(!common.quiet),
        bar: progress(files.len(), "files", common.quiet),
        rows: Vec::new(),
    };
    for file in files {
        match file {
            Ok(path) => run.file(&path)?,
            Err(failure) => run.fault("-".into(), failure.message().to_owned())?,
        }
        run.bar.inc(1);
    }
    run.bar.finish_and_clear();
    let rows = run.rows;
    let report = Report::new(&gpu).map_err(|error| Failure::new(error.to_string()))?;
    let text = if is_json {
        to_json(&rows, &report)
    } else {
        let table = if is_streamed { String::new() } else { to_table(&rows, rules, common.quiet) };
        table + &summary(&rows, &report, common.quiet)
    };
    results.write(&text)?;
    match rows.iter().filter(|row| row.fails(rules)).count() {
        0 => Ok(()),
        n => Err(Failure::new(format!("{n} of {} comparisons failed: {}", rows.len(), causes(&rows, rules)))),
    }
}

/// Counts failures by kind, as text.
fn causes(rows: &[Row], rules: Rules) -> String {
    let failed: Vec<Class> = rows.iter().filter(|row| row.fails(rules)).map(|row| row.class().0).collect();
    let count = |verdict| failed.iter().filter(|class| class.verdict() == verdict).count();
    counted([
        (count("differs"), "differ"),
        (count("agrees"), "differ in signs of zero (--signed-zeros)"),
        (count("failed"), "could not be made"),
        (count("nothing"), "had nothing to compare (--strict)"),
    ])
}

impl Run<'_> {
    /// Compares every program of a file. Only writing rows can fail.
    fn file(&mut self, path: &Path) -> Result<(), Failure> {
        let file = path.display().to_string();
        let compared = programs(Input::open(path), |input, container, program| {
            self.routes.iter().try_for_each(|&route| {
                let result = self.program(input, container, program.dvle, route);
                self.push(Row {
                    file: file.clone(),
                    program: Some(program.clone()),
                    route: Some(route),
                    result,
                })
            })
        });
        match compared {
            Ok(written) => written.into_iter().collect(),
            Err(error) => self.fault(file, error),
        }
    }

    /// Adds the row of a file that could not be read.
    fn fault(&mut self, file: String, text: String) -> Result<(), Failure> {
        let result = Err(Fault { class: Class::Refused, text });
        self.push(Row { file, program: None, route: None, result })
    }

    /// Compares one program on one route.
    fn program(&self, input: &Input, container: &Shbin<'_>, dvle: usize, route: Route) -> Checked {
        let &Self { gpu, options, vertices, seed, .. } = self;
        let program = &transpica::host::dvle::program(container, dvle, &options.limits)?;
        let name = input.name();
        let environment = &FileEnvironment::new(container, dvle, &name)?;
        let symbols = &Symbols::new(environment.executable());
        let promised = Promised { program, environment, symbols, options, budget: BUDGET };
        let mut state = promised.of_seed(container, Seed { seed, count: vertices, stress: true })?;
        if let Some(breach) = promised.breach(&state)? {
            return Err(Fault { class: Class::Refused, text: breach.to_string() });
        }
        options.control.apply(&mut state.uniforms);
        let (uniforms, budget) = (&state.uniforms, BUDGET);
        if program.stage() == Stage::Geometry {
            let (outputs, given) = (environment.executable().output_mask(), &gpu::invocations(&state)[..]);
            let case = EmitCase { program, environment, outputs, uniforms, given, options, budget };
            return Ok(compare_emits(gpu, &case, route)?);
        }
        let inputs = &state.vertices.iter().map(floats).collect::<Vec<_>>()[..];
        let case = Case { program, environment, uniforms, inputs, options, budget };
        Ok(compare::compare(gpu, &case, route)?)
    }

    /// Adds a row, and prints it if rows are printed as they come.
    fn push(&mut self, row: Row) -> Result<(), Failure> {
        if self.prints.is_some_and(|all| all || is_notable(&row, self.rules)) {
            let text = to_line(&row, self.rules);
            self.bar.suspend(|| files::write(None, text.as_bytes()))?;
        }
        self.rows.push(row);
        Ok(())
    }
}

/// Returns whether a row is shown even in quiet mode.
fn is_notable(row: &Row, rules: Rules) -> bool {
    row.fails(rules) || row.class().0 != Class::Equal
}

fn to_table(rows: &[Row], rules: Rules, quiet: bool) -> String {
    let shown = rows.iter().filter(|row| !quiet || is_notable(row, rules));
    shown.map(|row| to_line(row, rules)).collect()
}

fn to_line(row: &Row, rules: Rules) -> String {
    let (class, reason) = row.class();
    let mut text = format!("{} {} ", class.mark(), padded(&row.file, 28));
    if let Some(program) = &row.program {
        let _ = write!(text, "dvle {} ", program.dvle);
    }
    if let Some(route) = row.route {
        let _ = write!(text, "{:<10} ", route.name());
    }
    if let (Ok(_), Some(reason)) = (&row.result, &reason) {
        let _ = write!(text, "nothing compared: {reason}; ");
    }
    match &row.result {
        Ok(verdict) => text += &describe(verdict, rules),
        Err(fault) => text += &fault.text,
    }
    text.push('\n');
    text
}

/// Returns the lines below the rows.
fn summary(rows: &[Row], report: &Report, quiet: bool) -> String {
    let mut text = String::new();
    if !quiet || rows.iter().any(|row| !row.passed()) {
        let _ = writeln!(text, "\n{report}");
    }
    let verdicts = || rows.iter().filter_map(|row| row.result.as_ref().ok());
    let mut total = Verdict::default();
    verdicts().for_each(|verdict| total.add(verdict));
    let Verdict { vertices, differing, .. } = total;
    let count = rows.iter().filter(|row| row.class().0 == Class::Nothing).count();
    let _ = write!(text, "{} comparisons, {vertices} vertices", rows.len());
    if count > 0 {
        let _ = write!(text, ", {count} with nothing to compare");
    }
    let failed = rows.iter().filter(|row| !row.passed()).count();
    let _ = writeln!(text, ", {differing} differing values, {failed} failed");
    text
}

fn describe(verdict: &Verdict, rules: Rules) -> String {
    let mut text = format!("{} vertices, {} differing", verdict.vertices, verdict.differing);
    let mut note = |count: u64, what: &str| {
        if count > 0 {
            let _ = write!(text, ", {count} {what}");
        }
    };
    note(verdict.unfinished as u64, "unfinished");
    note(verdict.flushed, "flushed below 2^-126");
    note(if rules.signed_zeros { verdict.signed_zeros } else { 0 }, "zeros of other sign");
    if let Some(first) = &verdict.first {
        let _ = write!(text, "; first: {first}");
    }
    if let Some(first) = verdict.first_signed_zero.filter(|_| rules.signed_zeros) {
        let _ = write!(text, "; first zero of other sign: {first}");
    }
    text
}

fn to_json(rows: &[Row], report: &Report) -> String {
    let all: Vec<Value> = rows.iter().map(row_to_json).collect();
    Schema::COMPARE.text(json!({ "driver": driver(report), "comparisons": all }))
}

fn row_to_json(row: &Row) -> Value {
    let (class, reason) = row.class();
    // A comparison that could not be made compared nothing.
    let nothing = Verdict::default();
    let v = row.result.as_ref().unwrap_or(&nothing);
    let error = row.result.as_ref().err().map(|fault| &fault.text);
    let members = json!({
        "route": row.route.map(Route::name), "passed": row.passed(), "verdict": class.verdict(), "error": error,
        "reason": reason.filter(|_| error.is_none()),
        "vertices": v.vertices, "unfinished": v.unfinished, "differing": v.differing,
        "values": v.values, "flushed": v.flushed, "signed_zeros": v.signed_zeros,
        "first": v.first.map(|first| first.to_string()),
        "first_signed_zero": v.first_signed_zero.map(|first| first.to_string()),
    });
    json::row(&row.file, row.program.as_ref(), members)
}

#[cfg(test)]
mod tests {
    use transpica_gpu::compare::Difference;

    use super::*;

    #[test]
    fn zeros_of_other_sign_are_counted_and_the_first_is_shown() {
        let (expected, found) = (0.0f32.to_bits(), (-0.0f32).to_bits());
        let first = Difference { vertex: 3, register: 1, component: 2, expected, found };
        let verdict = Verdict {
            values: 8,
            components: 4,
            signed_zeros: 2,
            first_signed_zero: Some(first),
            ..Verdict::default()
        };
        let program = Some(ProgramName { dvle: 0, stage: Some("vertex".into()), entry: "main".into() });
        let route = Some(Route::Passthrough);
        let row = Row { file: "a.shbin".into(), program, route, result: Ok(verdict) };
        let [asked, not_asked] = [true, false].map(|signed_zeros| Rules { signed_zeros, strict: true });
        assert!(row.fails(asked) && !row.fails(not_asked));
        let text = to_line(&row, asked);
        assert!(text.contains("2 zeros of other sign"), "{text}");
        assert!(text.contains("first zero of other sign: vertex 3 o1.z: interpreter 0.0"), "{text}");
        assert!(!to_line(&row, not_asked).contains("sign"), "{text}");
        let json = row_to_json(&row);
        assert_eq!((&json["signed_zeros"], &json["verdict"]), (&2.into(), &"agrees".into()));
        assert_eq!(json["first_signed_zero"], first.to_string());
    }
}
