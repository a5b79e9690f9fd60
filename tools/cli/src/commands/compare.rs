//! `transpica compare`: every program found, interpreter against GPU: output registers of vertices, those of each EMIT of
//! geometry programs.

use std::fmt::Write;
use std::path::Path;

use serde_json::{Value, json};
use transpica::host::dvle::Executable;
use transpica::host::{EntryPoint, Options};
use transpica::isa::Stage;
use transpica_gpu::compare::{self, Case, CompareError, Verdict};
use transpica_gpu::geometry::{EmitCase, compare_emits};
use transpica_gpu::{Gpu, Report, Route};

use super::{Input, geometry};
use crate::args::{Command, Common};
use crate::files;
use crate::report::Failure;

/// One program on one route.
struct Row {
    file: String,
    dvle: usize,
    route: Route,
    result: Result<Verdict, String>,
}

impl Row {
    fn passed(&self) -> bool {
        self.result.as_ref().is_ok_and(Verdict::passed)
    }
}

pub fn run(command: Command, common: &Common) -> Result<(), Failure> {
    let Command::Compare {
        paths,
        precision,
        layout,
        vertices,
        seed,
        route,
        adapter,
        signed_zeros,
        json,
        output,
    } = command
    else {
        unreachable!("dispatched by command")
    };
    let files = files::shaders(&paths)?;
    let gpu = Gpu::open(adapter.as_deref()).map_err(|error| Failure::gpu(&error))?;
    let routes = route.map_or_else(|| vec![Route::Passthrough, Route::Wgsl], |route| vec![route.into()]);
    let options = Options {
        precision: precision.into(),
        layout: layout.into(),
        entry: EntryPoint::Compute,
        ..Options::default()
    };
    let mut rows = Vec::new();
    for path in &files {
        file(path, &gpu, &routes, options, vertices, seed, &mut rows)?;
    }
    let report = Report::new(&gpu).map_err(|error| Failure::new(error.to_string()))?;
    let text =
        if json { to_json(&rows, &report) } else { to_table(&rows, &report, signed_zeros, common.quiet) };
    files::write(output.as_deref(), text.as_bytes())?;
    let differs = |row: &&Row| {
        !row.passed() || signed_zeros && row.result.as_ref().is_ok_and(|verdict| verdict.signed_zeros > 0)
    };
    match rows.iter().filter(differs).count() {
        0 => Ok(()),
        n => Err(Failure::new(format!("{n} of {} comparisons differ", rows.len()))),
    }
}

fn file(
    path: &Path,
    gpu: &Gpu,
    routes: &[Route],
    options: Options,
    vertices: usize,
    seed: u64,
    rows: &mut Vec<Row>,
) -> Result<(), Failure> {
    let input = Input::read(path)?;
    let container = input.parse()?;
    let name = input.name();
    for dvle in 0..container.executables.len() {
        let program = input.program(&container, dvle)?;
        let around = Executable::new(&container, dvle, &name).map_err(|error| input.fail(&error))?;
        let mut push = |route, result: Result<Verdict, CompareError>| {
            let result = result.map_err(|error| error.to_string());
            rows.push(Row { file: path.display().to_string(), dvle, route, result });
        };
        if program.stage() == Stage::Geometry {
            let executable = container.executable(dvle).map_err(|error| input.fail(&error))?;
            let delivered = geometry::delivered(&container, executable, seed, vertices);
            let state = super::run::generated(seed, vertices, &around, delivered);
            let case = EmitCase {
                program: &program,
                around: &around,
                outputs: executable.header.output_mask,
                uniforms: &state.uniforms,
                given: &geometry::given(&state),
                options,
                budget: 1 << 20,
            };
            routes.iter().for_each(|&route| push(route, compare_emits(gpu, &case, route)));
            continue;
        }
        let mut uniforms = transpica_generate::uniforms(seed);
        around.constants().apply(&mut uniforms);
        let inputs = transpica_generate::inputs(seed, vertices);
        let case = Case {
            program: &program,
            around: &around,
            uniforms: &uniforms,
            inputs: &inputs,
            options,
            budget: 1 << 20,
        };
        for &route in routes {
            push(route, compare::compare(gpu, &case, route));
        }
    }
    Ok(())
}

fn to_table(rows: &[Row], report: &Report, signed_zeros: bool, quiet: bool) -> String {
    let mut text = String::new();
    for row in rows {
        let mark = if row.passed() { "ok  " } else { "FAIL" };
        if quiet && row.passed() {
            continue;
        }
        let _ = write!(text, "{mark} {:<28} dvle {} {:<10} ", row.file, row.dvle, row.route.name());
        match &row.result {
            Err(error) => {
                let _ = writeln!(text, "{error}");
            }
            Ok(verdict) => {
                let _ = writeln!(text, "{}", describe(verdict, row.route, signed_zeros));
            }
        }
    }
    if !quiet || rows.iter().any(|row| !row.passed()) {
        let _ = writeln!(text, "\n{report}");
    }
    let (failed, total) = (rows.iter().filter(|row| !row.passed()).count(), rows.len());
    let vertices: usize = rows.iter().filter_map(|row| row.result.as_ref().ok()).map(|v| v.vertices).sum();
    let differing: u64 = rows.iter().filter_map(|row| row.result.as_ref().ok()).map(|v| v.differing).sum();
    let _ = writeln!(
        text,
        "{total} comparisons, {vertices} vertices, {differing} differing values, {failed} failed"
    );
    text
}

fn describe(verdict: &Verdict, route: Route, signed_zeros: bool) -> String {
    let mut text = format!("{} vertices, {} differing", verdict.vertices, verdict.differing);
    let mut note = |count: u64, what: &str| {
        if count > 0 {
            let _ = write!(text, ", {count} {what}");
        }
    };
    note(verdict.unfinished as u64, "unfinished");
    note(verdict.approximate, "approximate (EX2/LG2)");
    note(verdict.excused, "undecided (EX2/LG2 before a decision)");
    note(verdict.within_ulp, "within 4 ulp");
    note(verdict.reassociated, "reassociated by the driver, as it may here");
    note(verdict.flushed, "flushed below 2^-126");
    note(if signed_zeros { verdict.signed_zeros } else { 0 }, "zeros of other sign");
    if !route.is_exact() && verdict.worst_ulp > 0 {
        let _ = write!(text, ", worst {} ulp", verdict.worst_ulp);
    }
    if let Some(first) = &verdict.first {
        let _ = write!(text, "; first: {first}");
    }
    text
}

fn to_json(rows: &[Row], report: &Report) -> String {
    let row = |row: &Row| match &row.result {
        Err(error) => {
            json!({ "file": row.file, "dvle": row.dvle, "route": row.route.name(), "passed": false, "error": error })
        }
        Ok(v) => json!({
            "file": row.file, "dvle": row.dvle, "route": row.route.name(), "passed": row.passed(),
            "vertices": v.vertices, "unfinished": v.unfinished, "differing": v.differing,
            "values": v.values, "approximate": v.approximate, "undecided": v.excused, "within_ulp": v.within_ulp, "reassociated": v.reassociated, "worst_ulp": v.worst_ulp,
            "flushed": v.flushed, "signed_zeros": v.signed_zeros,
            "first": v.first.map(|first| first.to_string()),
        }),
    };
    let all: Vec<Value> = rows.iter().map(row).collect();
    let text = serde_json::to_string_pretty(&json!({ "driver": driver(report), "comparisons": all }));
    text.unwrap_or_default() + "\n"
}

/// What the report says.
fn driver(report: &Report) -> Value {
    let Report { adapter, has_passthrough, known_as, route, measured } = report;
    let measured = measured.iter().map(|m| {
        json!({
            "instruction": m.name, "differing": m.differing, "worst_ulp": m.worst_ulp,
            "subnormal": m.subnormal, "flushed": m.flushed,
        })
    });
    json!({
        "adapter": adapter.name, "type": format!("{:?}", adapter.device_type), "backend": format!("{:?}", adapter.backend),
        "vendor": adapter.vendor, "device": adapter.device, "driver": adapter.driver, "driver_info": adapter.driver_info,
        "known_as": known_as, "passthrough": has_passthrough, "route": route.name(), "measured": measured.collect::<Vec<_>>(),
    })
}
