//! `transpica compare`: every program below the paths, interpreter against GPU. It compares output
//! registers of vertices, and of each EMIT of geometry programs. An unreadable file gets its own
//! row, and the others are still compared.

use std::error::Error;
use std::fmt::Write;
use std::path::Path;

use indicatif::ProgressBar;
use serde_json::{Value, json};
use transpica::host::dvle::FileEnvironment;
use transpica::{Options, Shbin, Stage};
use transpica_gpu::compare::{self, Case, MOST_UNDECIDED, Outcome, Verdict};
use transpica_gpu::geometry::{EmitCase, compare_emits};
use transpica_gpu::{Gpu, Report, Route};
use transpica_inspect::inputs::Seed;
use transpica_inspect::promises::Promised;
use transpica_inspect::symbols::Symbols;

use super::{Input, on_gpu};
use crate::args::{Common, Compare};
use crate::files;
use crate::json::{self, ProgramName, Schema};
use crate::report::Failure;
use crate::terminal::padded;

/// Limit of instructions per vertex or invocation on the interpreter.
const BUDGET: u64 = 1 << 20;

/// One program on one route, or a file or program that could not be read.
struct Row {
    file: String,
    /// The program; none of a file that cannot be read.
    program: Option<ProgramName>,
    route: Option<Route>,
    result: Result<Verdict, String>,
}

/// Options that decide which verdicts count as failures.
#[derive(Clone, Copy)]
struct Rules {
    signed_zeros: bool,
    strict: bool,
    /// Largest share of undecided values in a program that agrees.
    most_undecided: f64,
}

impl Row {
    /// Returns the summary of the verdict, or the error.
    fn outcome(&self, rules: Rules) -> Result<Outcome, &String> {
        self.result.as_ref().map(|verdict| verdict.outcome(rules.most_undecided))
    }

    /// Returns the four letters at the start of a row, and the verdict in JSON.
    fn mark(&self, rules: Rules) -> [&'static str; 2] {
        match self.outcome(rules) {
            Ok(Outcome::Agrees) => ["ok  ", "agrees"],
            Ok(Outcome::Differs) => ["FAIL", "differs"],
            Ok(Outcome::Undecided) => ["open", "undecided"],
            Ok(Outcome::Nothing(_)) => ["none", "nothing"],
            Err(_) => ["FAIL", "failed"],
        }
    }

    /// Returns the reason for an empty comparison, or the error.
    fn reason(&self, rules: Rules) -> Option<String> {
        match self.outcome(rules) {
            Ok(Outcome::Nothing(reason)) => Some(reason.to_string()),
            Ok(Outcome::Agrees | Outcome::Differs | Outcome::Undecided) => None,
            Err(error) => Some(error.clone()),
        }
    }

    /// Returns whether no component breaks the rules.
    fn passed(&self) -> bool {
        self.result.as_ref().is_ok_and(Verdict::passed)
    }

    /// Returns whether the row makes the command fail.
    fn fails(&self, rules: Rules) -> bool {
        let Ok(verdict) = &self.result else { return true };
        match verdict.outcome(rules.most_undecided) {
            Outcome::Differs => true,
            Outcome::Agrees => rules.signed_zeros && verdict.signed_zeros > 0,
            Outcome::Undecided | Outcome::Nothing(_) => rules.strict,
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
    /// `Some` prints rows as they come, and `Some(true)` also those that pass.
    prints: Option<bool>,
    bar: ProgressBar,
    rows: Vec<Row>,
}

pub fn run(arguments: Compare, common: &Common) -> Result<(), Failure> {
    let Compare { paths, vertices, seed, route, adapter, signed_zeros, strict, json, output, settings } =
        arguments;
    let options = settings.resolve()?.options;
    let files = files::programs(&paths);
    let gpu = on_gpu::open(adapter.as_deref(), common)?;
    common.detail(format_args!("{} files, {vertices} vertices or invocations for each program", files.len()));
    let routes = match (route, gpu.usual_route()) {
        (Some(route), _) => vec![route.into()],
        (None, Route::Wgsl) => vec![Route::Wgsl],
        (None, usual) => vec![usual, Route::Wgsl],
    };
    let most_undecided = strict.map_or(MOST_UNDECIDED, |percent| f64::from(percent) / 100.0);
    let rules = Rules { signed_zeros, strict: strict.is_some(), most_undecided };
    let is_streamed = !json && output.as_deref().is_none_or(|path| path == Path::new("-"));
    let mut run = Run {
        gpu: &gpu,
        routes: &routes,
        options,
        vertices,
        seed,
        rules,
        prints: is_streamed.then_some(!common.quiet),
        bar: super::progress(files.len(), "files", common.quiet),
        rows: Vec::new(),
    };
    for file in files {
        match file {
            Ok(path) => run.file(&path)?,
            Err(failure) => run.push("-".into(), None, None, Err(failure.message().to_string()))?,
        }
        run.bar.inc(1);
    }
    run.bar.finish_and_clear();
    let rows = run.rows;
    let report = Report::new(&gpu).map_err(|error| Failure::new(error.to_string()))?;
    let text = if json {
        to_json(&rows, rules, &report)
    } else {
        let table = if is_streamed { String::new() } else { to_table(&rows, rules, common.quiet) };
        table + &summary(&rows, rules, &report, common.quiet)
    };
    files::write(output.as_deref(), text.as_bytes())?;
    match rows.iter().filter(|row| row.fails(rules)).count() {
        0 => Ok(()),
        n => Err(Failure::new(format!("{n} of {} comparisons failed: {}", rows.len(), causes(&rows, rules)))),
    }
}

/// Counts failures by kind, as text.
fn causes(rows: &[Row], rules: Rules) -> String {
    let mut differ = 0;
    let [mut unreadable, mut zeros, mut undecided, mut nothing] = [0; 4];
    for row in rows.iter().filter(|row| row.fails(rules)) {
        match row.outcome(rules) {
            Ok(Outcome::Differs) => differ += 1,
            Ok(Outcome::Agrees) => zeros += 1,
            Ok(Outcome::Undecided) => undecided += 1,
            Ok(Outcome::Nothing(_)) => nothing += 1,
            Err(_) => unreadable += 1,
        }
    }
    let all = [
        (differ, "differ"),
        (zeros, "differ in signs of zero (--signed-zeros)"),
        (unreadable, "could not be made"),
        (undecided, "left undecided (--strict)"),
        (nothing, "had nothing to compare (--strict)"),
    ];
    let some = all.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    some.collect::<Vec<_>>().join(", ")
}

impl Run<'_> {
    /// Compares every program of a file. Only writing rows can fail.
    fn file(&mut self, path: &Path) -> Result<(), Failure> {
        let file = path.display().to_string();
        let input = match Input::open(path) {
            Ok(input) => input,
            Err(failure) => return self.push(file, None, None, Err(failure.message().to_string())),
        };
        let container = match Shbin::parse(&input.bytes) {
            Ok(container) => container,
            Err(error) => return self.push(file, None, None, Err(error.to_string())),
        };
        for (dvle, executable) in container.executables.iter().enumerate() {
            for route in 0..self.routes.len() {
                let route = self.routes[route];
                let result = self.program(&input, &container, dvle, route);
                let result = result.map_err(|error| error.to_string());
                let program = ProgramName::new(dvle, executable);
                self.push(file.clone(), Some(program), Some(route), result)?;
            }
        }
        Ok(())
    }

    /// Compares one program on one route.
    fn program(
        &self,
        input: &Input,
        container: &Shbin<'_>,
        dvle: usize,
        route: Route,
    ) -> Result<Verdict, Box<dyn Error>> {
        let &Self { gpu, options, vertices, seed, .. } = self;
        let program = &transpica::host::dvle::program(container, dvle, &options.limits)?;
        let name = input.name();
        let environment = &FileEnvironment::new(container, dvle, &name)?;
        let symbols = &Symbols::new(environment.executable());
        let promised = Promised { program, environment, symbols, options, budget: BUDGET };
        let mut state = promised.of_seed(container, Seed { seed, count: vertices, stress: true })?;
        if let Some(breach) = promised.breach(&state)? {
            return Err(breach.into());
        }
        options.control.apply(&mut state.uniforms);
        let (uniforms, budget) = (&state.uniforms, BUDGET);
        if program.stage() == Stage::Geometry {
            let (outputs, given) = (environment.executable().output_mask(), &on_gpu::invocations(&state)[..]);
            let case = EmitCase { program, environment, outputs, uniforms, given, options, budget };
            return Ok(compare_emits(gpu, &case, route)?);
        }
        let vertices =
            state.vertices.iter().map(|vertex| vertex.map(|register| register.map(f32::from_bits)));
        let inputs = &vertices.collect::<Vec<_>>()[..];
        let case = Case { program, environment, uniforms, inputs, options, budget };
        Ok(compare::compare(gpu, &case, route)?)
    }

    /// Adds a row, and prints it if rows are printed as they come.
    fn push(
        &mut self,
        file: String,
        program: Option<ProgramName>,
        route: Option<Route>,
        result: Result<Verdict, String>,
    ) -> Result<(), Failure> {
        let row = Row { file, program, route, result };
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
    row.fails(rules) || row.mark(rules)[1] != "agrees"
}

fn to_table(rows: &[Row], rules: Rules, quiet: bool) -> String {
    let shown = rows.iter().filter(|row| !quiet || is_notable(row, rules));
    shown.map(|row| to_line(row, rules)).collect()
}

fn to_line(row: &Row, rules: Rules) -> String {
    let [mark, _] = row.mark(rules);
    let mut text = format!("{mark} {} ", padded(&row.file, 28));
    if let Some(program) = &row.program {
        let _ = write!(text, "dvle {} ", program.dvle);
    }
    if let Some(route) = row.route {
        let _ = write!(text, "{:<10} ", route.name());
    }
    match (&row.result, row.reason(rules)) {
        (_, Some(reason)) if row.result.is_err() => text += &reason,
        (Ok(verdict), Some(reason)) => {
            let _ = write!(text, "nothing compared: {reason}; {}", describe(verdict, rules));
        }
        (Ok(verdict), None) => text += &describe(verdict, rules),
        (Err(_), _) => {}
    }
    text.push('\n');
    text
}

/// Returns the lines below the rows.
fn summary(rows: &[Row], rules: Rules, report: &Report, quiet: bool) -> String {
    let mut text = String::new();
    if !quiet || rows.iter().any(|row| !row.passed()) {
        let _ = writeln!(text, "\n{report}");
    }
    let verdicts = || rows.iter().filter_map(|row| row.result.as_ref().ok());
    let mut total = Verdict::default();
    verdicts().for_each(|verdict| total.add(verdict));
    let Verdict { vertices, differing, .. } = total;
    let is = |mark: &str| rows.iter().filter(|row| row.mark(rules)[1] == mark).count();
    let _ = write!(text, "{} comparisons, {vertices} vertices", rows.len());
    for (count, what) in [(is("nothing"), "with nothing to compare"), (is("undecided"), "undecided")] {
        if count > 0 {
            let _ = write!(text, ", {count} {what}");
        }
    }
    if total.excused > 0 {
        let _ = write!(text, ", {:.1} % of all values undecided", percent(&total));
    }
    let failed = rows.iter().filter(|row| !row.passed()).count();
    let _ = writeln!(text, ", {differing} differing values, {failed} failed");
    text
}

/// The share of undecided values in percent.
fn percent(verdict: &Verdict) -> f64 {
    100.0 * verdict.undecided()
}

fn describe(verdict: &Verdict, rules: Rules) -> String {
    let mut text = format!("{} vertices, {} differing", verdict.vertices, verdict.differing);
    let mut note = |count: u64, what: &str| {
        if count > 0 {
            let _ = write!(text, ", {count} {what}");
        }
    };
    note(verdict.unfinished as u64, "unfinished");
    note(verdict.approximate, "approximate (EX2/LG2)");
    note(verdict.excused_by_exponentials, "undecided (EX2/LG2 before a decision)");
    note(
        verdict.excused - verdict.excused_by_exponentials,
        "undecided (order of sums before a decision or limit)",
    );
    note(verdict.other_class, "of the undecided finite on one side only");
    note(verdict.within_ulp, "within 4 ulp");
    note(verdict.reassociated, "reassociated by the driver, as it may here");
    note(verdict.flushed, "flushed below 2^-126");
    note(if rules.signed_zeros { verdict.signed_zeros } else { 0 }, "zeros of other sign");
    if verdict.excused > 0 {
        let _ = write!(text, ", {:.1} % undecided", percent(verdict));
    }
    if verdict.worst_ulp > 0 {
        let _ = write!(text, ", worst {} ulp", verdict.worst_ulp);
    }
    if let Some(first) = &verdict.first {
        let _ = write!(text, "; first: {first}");
    }
    if let Some(first) = verdict.first_signed_zero.filter(|_| rules.signed_zeros) {
        let _ = write!(text, "; first zero of other sign: {first}");
    }
    text
}

fn to_json(rows: &[Row], rules: Rules, report: &Report) -> String {
    let all: Vec<Value> = rows.iter().map(|row| row_to_json(row, rules)).collect();
    Schema::COMPARE.text(json!({ "driver": driver(report), "comparisons": all }))
}

fn row_to_json(row: &Row, rules: Rules) -> Value {
    let [_, verdict] = row.mark(rules);
    // A comparison that could not be made compared nothing.
    let nothing = Verdict::default();
    let v = row.result.as_ref().unwrap_or(&nothing);
    let error = row.result.as_ref().err();
    let members = json!({
        "route": row.route.map(Route::name), "passed": row.passed(), "verdict": verdict, "error": error,
        "reason": if error.is_some() { None } else { row.reason(rules) },
        "vertices": v.vertices, "unfinished": v.unfinished, "differing": v.differing,
        "values": v.values, "approximate": v.approximate,
        "undecided": v.excused, "undecided_percent": percent(v),
        "undecided_by_exponentials": v.excused_by_exponentials, "undecided_of_other_class": v.other_class,
        "within_ulp": v.within_ulp, "reassociated": v.reassociated, "worst_ulp": v.worst_ulp,
        "flushed": v.flushed, "signed_zeros": v.signed_zeros,
        "first": v.first.map(|first| first.to_string()),
        "first_signed_zero": v.first_signed_zero.map(|first| first.to_string()),
    });
    json::row(&row.file, row.program.as_ref(), members)
}

/// The driver report as JSON.
pub(super) fn driver(report: &Report) -> Value {
    let Report { adapter, has_passthrough, known_as, route, measured } = report;
    let measured = measured.iter().map(|m| {
        json!({
            "instruction": m.name, "differing": m.differing, "worst_ulp": m.worst_ulp, "other_class": m.other_class,
            "subnormal": m.subnormal, "flushed": m.flushed,
            "small_operands": m.small, "small_operands_mistaken": m.mistaken,
        })
    });
    json!({
        "adapter": adapter.name, "type": format!("{:?}", adapter.device_type), "backend": format!("{:?}", adapter.backend),
        "vendor": adapter.vendor, "device": adapter.device, "driver": adapter.driver, "driver_info": adapter.driver_info,
        "known_as": known_as, "passthrough": has_passthrough, "route": route.name(), "measured": measured.collect::<Vec<_>>(),
    })
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
        let [asked, not_asked] = [true, false].map(|signed_zeros| Rules {
            signed_zeros,
            strict: true,
            most_undecided: MOST_UNDECIDED,
        });
        assert!(row.fails(asked) && !row.fails(not_asked));
        let text = to_line(&row, asked);
        assert!(text.contains("2 zeros of other sign"), "{text}");
        assert!(text.contains("first zero of other sign: vertex 3 o1.z: interpreter 0.0"), "{text}");
        assert!(!to_line(&row, not_asked).contains("sign"), "{text}");
        let json = row_to_json(&row, asked);
        assert_eq!((&json["signed_zeros"], &json["verdict"]), (&2.into(), &"agrees".into()));
        assert_eq!(json["first_signed_zero"], first.to_string());
    }
}
