//! Figures as a table of ratios, and as JSON.
//! The first form of a layout has absolute figures, the other forms are multiples of it: ratios
//! hold within one run, absolute times depend on the machine.

use serde_json::{Value, json};

use super::worker::Measured;
use super::{Column, Program, Results, Row};

/// Statistics of null hardware in the table: the name in RADV and the head of the column.
const STATISTICS: [(&str, &str); 5] = [
    ("Instructions", "instr"),
    ("Inverse Throughput", "inv thr"),
    ("Latency", "latency"),
    ("SGPRs", "SGPRs"),
    ("VGPRs", "VGPRs"),
];
/// Width of a column.
const WIDTH: usize = 9;

/// A figure of a module; `None` if the driver does not report it.
type Figure = Option<f64>;

/// Heads of the columns, in the order of [`figures`].
fn heads(results: &Results) -> Vec<&'static str> {
    let mut heads = vec!["words"];
    heads.extend(optimizes(results).then_some("-O"));
    for column in &results.columns {
        heads.extend(compiles(column).then_some("pipe µs"));
        if draws(column) {
            heads.extend(["first µs", "ns/vertex"]);
        }
        if reports(column) {
            heads.extend(STATISTICS.map(|(_, head)| head));
        }
    }
    heads
}

/// Figures of a module on every driver.
fn figures(results: &Results, program: usize, row: usize) -> Vec<Figure> {
    let Row { module, optimized, .. } = &results.programs[program].rows[row];
    let mut all = vec![Some(module.words.len() as f64)];
    all.extend(optimizes(results).then_some(optimized.map(|words| words as f64)));
    for column in &results.columns {
        let measured = &column.programs[program][row];
        all.extend(compiles(column).then_some(measured.pipeline.map(|time| time as f64 / 1000.0)));
        if draws(column) {
            all.push(measured.first.map(|time| time as f64 / 1000.0));
            all.push(measured.vertex);
        }
        if reports(column) {
            all.extend(STATISTICS.map(|(name, _)| statistic(measured, name)));
        }
    }
    all
}

fn statistic(measured: &Measured, name: &str) -> Figure {
    let found = measured.statistics.iter().find(|(known, _)| known == name);
    found.map(|&(_, value)| value as f64)
}

fn optimizes(results: &Results) -> bool {
    results.programs.iter().flat_map(|program| &program.rows).any(|row| row.optimized.is_some())
}

fn compiles(column: &Column) -> bool {
    column.programs.iter().flatten().any(|measured| measured.pipeline.is_some())
}

fn draws(column: &Column) -> bool {
    column.programs.iter().flatten().any(|measured| measured.vertex.is_some())
}

fn reports(column: &Column) -> bool {
    column.programs.iter().flatten().any(|measured| !measured.statistics.is_empty())
}

/// Prints the table, and ratios to the program `beside` if it is given.
pub fn print(results: &Results, beside: Option<&str>) {
    for missing in &results.missing {
        println!("{missing}");
    }
    let heads = heads(results);
    print_heads(results, &heads);
    let mut ratios: Vec<(String, Vec<Vec<f64>>)> = Vec::new();
    for (number, program) in results.programs.iter().enumerate() {
        println!("{}", program.name);
        let mut first: Option<(&str, Vec<Figure>)> = None;
        for (index, row) in program.rows.iter().enumerate() {
            let name = format!("{:<9} {:<10}", row.layout, row.form);
            let figures = figures(results, number, index);
            match &first {
                Some((layout, base)) if *layout == row.layout => {
                    let multiples: Vec<Figure> =
                        figures.iter().zip(base).map(|(figure, base)| ratio(*figure, *base)).collect();
                    line(&name, multiples.iter().map(|multiple| times(*multiple)));
                    note(&mut ratios, &name, &multiples);
                }
                Some(_) | None => {
                    line(&name, figures.iter().map(|figure| absolute(*figure)));
                    first = Some((row.layout, figures));
                }
            }
        }
    }
    if results.programs.len() > 1 && !ratios.is_empty() {
        println!("\ngeometric mean of all programs, and the largest");
        print_heads(results, &heads);
        for (name, columns) in &ratios {
            line(name, columns.iter().map(|column| times(mean(column))));
            line("", columns.iter().map(|column| times(column.iter().copied().reduce(f64::max))));
        }
    }
    if let Some(name) = beside {
        print_beside(results, name);
    }
}

fn print_heads(results: &Results, heads: &[&str]) {
    let mut widths = vec![1 + usize::from(optimizes(results))];
    for column in &results.columns {
        let [compiles, draws, reports] = [compiles(column), draws(column), reports(column)].map(usize::from);
        widths.push(compiles + 2 * draws + STATISTICS.len() * reports);
    }
    let names = results.columns.iter().map(|column| column.about.device.as_str());
    let names = ["SPIR-V"].into_iter().chain(names);
    let mut text = format!("{:<22}", "");
    for (name, width) in names.zip(widths) {
        let width = width * (WIDTH + 1) - 1;
        let short: String = name.chars().take(width).collect();
        text += &format!(" {short:>width$}");
    }
    println!("{text}");
    line(&format!("{:<9} {:<10}", "layout", "form"), heads.iter().map(|head| (*head).to_owned()));
}

fn line(name: &str, cells: impl Iterator<Item = String>) {
    let cells: String = cells.map(|cell| format!(" {cell:>WIDTH$}")).collect();
    println!("  {name:<20}{cells}");
}

/// Collects the multiples of a form for the summary.
fn note(ratios: &mut Vec<(String, Vec<Vec<f64>>)>, name: &str, multiples: &[Figure]) {
    let at = ratios.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
        ratios.push((name.to_owned(), vec![Vec::new(); multiples.len()]));
        ratios.len() - 1
    });
    for (column, multiple) in ratios[at].1.iter_mut().zip(multiples) {
        column.extend(*multiple);
    }
}

/// Prints pipeline times and times of a vertex as multiples of one program's.
fn print_beside(results: &Results, name: &str) {
    let is_base = |program: &Program| program.name.split(' ').next() == Some(name);
    let Some(base) = results.programs.iter().position(is_base) else {
        println!("\nno program is named {name}");
        return;
    };
    println!("\nmultiples of {name}, same layout and form: pipelines, and vertices where there are draws");
    for (number, program) in results.programs.iter().enumerate() {
        println!("{}", program.name);
        for (index, row) in program.rows.iter().enumerate() {
            let same = |other: &Row| other.layout == row.layout && other.form == row.form;
            let Some(other) = results.programs[base].rows.iter().position(same) else { continue };
            let mut cells = Vec::new();
            for column in &results.columns {
                let (measured, base) = (&column.programs[number][index], &column.programs[base][other]);
                let pipeline = |measured: &Measured| measured.pipeline.map(|time| time as f64);
                if compiles(column) {
                    cells.push(times(ratio(pipeline(measured), pipeline(base))));
                }
                if draws(column) {
                    cells.push(times(ratio(measured.vertex, base.vertex)));
                }
            }
            line(&format!("{:<9} {:<10}", row.layout, row.form), cells.into_iter());
        }
    }
}

fn ratio(figure: Figure, base: Figure) -> Figure {
    let (figure, base) = (figure?, base?);
    (base > 0.0).then_some(figure / base)
}

fn mean(values: &[f64]) -> Figure {
    let logarithms: f64 = values.iter().map(|value| value.ln()).sum();
    (!values.is_empty()).then(|| (logarithms / values.len() as f64).exp())
}

fn times(multiple: Figure) -> String {
    multiple.map_or_else(|| "-".into(), |multiple| format!("×{multiple:.2}"))
}

fn absolute(figure: Figure) -> String {
    match figure {
        Some(figure) if figure.fract() == 0.0 || figure >= 1000.0 => format!("{figure:.0}"),
        Some(figure) => format!("{figure:.1}"),
        None => "-".into(),
    }
}

/// Returns everything as JSON: absolute figures, each with its multiple of the first form.
pub fn to_json(results: &Results) -> Value {
    let drivers = results.columns.iter().map(
        |column| json!({ "name": column.name, "device": column.about.device, "driver": column.about.driver }),
    );
    let programs = results.programs.iter().enumerate().map(|(number, program)| {
        let rows = program.rows.iter().enumerate().map(|(index, row)| {
            let first = program.rows.iter().position(|other| other.layout == row.layout);
            row_to_json(results, number, (index, first.unwrap_or(index)))
        });
        json!({ "program": program.name, "modules": rows.collect::<Vec<_>>() })
    });
    json!({
        "drivers": drivers.collect::<Vec<_>>(),
        "missing": results.missing,
        "programs": programs.collect::<Vec<_>>(),
    })
}

/// Figures of a row, with multiples of the row `first` of its layout.
fn row_to_json(results: &Results, program: usize, (index, first): (usize, usize)) -> Value {
    let rows = &results.programs[program].rows;
    let (row, base) = (&rows[index], &rows[first]);
    let words = |row: &Row| [Some(row.module.words.len() as f64), row.optimized.map(|words| words as f64)];
    let drivers = results.columns.iter().map(|column| {
        let [figures, base] = [index, first].map(|index| named(&column.programs[program][index]));
        let multiples = figures
            .iter()
            .zip(&base)
            .map(|((name, figure), (_, base))| (name.clone(), json!(ratio(*figure, *base))));
        let multiples: serde_json::Map<_, _> = multiples.collect();
        let figures: serde_json::Map<_, _> =
            figures.iter().map(|(name, figure)| (name.clone(), number(*figure))).collect();
        (column.name.clone(), json!({ "figures": figures, "multiples": multiples }))
    });
    let [short, optimized] = [0, 1].map(|which| ratio(words(row)[which], words(base)[which]));
    json!({
        "layout": row.layout, "form": row.form, "words": row.module.words.len(), "words_optimized": row.optimized,
        "multiples": { "words": short, "words_optimized": optimized },
        "drivers": drivers.collect::<serde_json::Map<_, _>>(),
    })
}

/// A figure as JSON; counts are integers.
fn number(figure: Figure) -> Value {
    match figure {
        // Range: counts of drivers are far below 2^53.
        Some(figure) if figure.fract() == 0.0 => json!(figure as u64),
        Some(_) | None => json!(figure),
    }
}

/// Figures of a module on one driver, by name: times in nanoseconds, and the statistics of the
/// driver by its names.
fn named(measured: &Measured) -> Vec<(String, Figure)> {
    let time = |time: Option<u64>| time.map(|time| time as f64);
    let times = [
        ("pipeline_ns", time(measured.pipeline)),
        ("first_draw_ns", time(measured.first)),
        ("next_draw_ns", time(measured.again)),
        ("vertex_ns", measured.vertex),
    ];
    let times = times.into_iter().map(|(name, figure)| (name.to_owned(), figure));
    let statistics = measured.statistics.iter().map(|(name, value)| (name.clone(), Some(*value as f64)));
    times.chain(statistics).filter(|(_, figure)| figure.is_some()).collect()
}
