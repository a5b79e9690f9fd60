//! Times this program and another build of it in turn.
//! In: the path of the other one, and the arguments of both. Out: for each measurement the ratio of
//! the least times, this one by the other, and how far the ratios of single rounds spread.
//!
//! Both run on one machine within one minute, so load and clock rate meet both alike; each round
//! changes the order.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Rounds of both programs.
const ROUNDS: usize = 7;

/// Least nanoseconds of each round, by program and measurement.
type Times = BTreeMap<(String, String), Vec<u64>>;

/// Runs both in turn and prints a table.
///
/// # Errors
/// A program that fails, or prints no measurements; no measurement that both have.
pub fn run(other: &Path) -> Result<(), String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut given: Vec<_> = std::env::args_os().skip(1).collect();
    let is_option = |argument: &std::ffi::OsString| argument.to_string_lossy().starts_with("--against");
    while let Some(index) = given.iter().position(is_option) {
        // Its value is the next argument, unless it stands after `=`.
        let values = if given[index] == "--against" { 2 } else { 1 };
        given.drain(index..(index + values).min(given.len()));
    }
    let mut times = [Times::new(), Times::new()];
    for round in 0..ROUNDS {
        for turn in 0..2 {
            let which = (round + turn) % 2;
            let program = if which == 0 { own.as_path() } else { other };
            let line = || format!("{} {given:?} --json", program.display());
            let output = Command::new(program).args(&given).arg("--json").output();
            let output = output.map_err(|error| format!("{}: {error}", line()))?;
            if !output.status.success() {
                return Err(format!("{}: {}", line(), String::from_utf8_lossy(&output.stderr).trim()));
            }
            let rows: Vec<Value> =
                serde_json::from_slice(&output.stdout).map_err(|error| format!("{}: {error}", line()))?;
            rows.iter().for_each(|row| collect(row, &mut times[which]));
        }
    }
    print(&times)
}

/// Adds the measurements of a row. Stages are left out: their sum says what a user waits for.
fn collect(row: &Value, times: &mut Times) {
    let text =
        |name: &str| row.get(name).map_or_else(String::new, |value| value.to_string().replace('"', ""));
    let name = match text("file") {
        file if file.is_empty() => format!("{} instructions", text("instructions")),
        file => format!("{file}#{}", text("dvle")),
    };
    for (measurement, value) in row.as_object().into_iter().flatten() {
        if let Some(least) = value.get("min").and_then(Value::as_u64) {
            times.entry((measurement.clone(), name.clone())).or_default().push(least);
        }
    }
}

fn print([own, other]: &[Times; 2]) -> Result<(), String> {
    let mut all: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    println!("{:<18} {:<32} {:>6}  {:>13}", "time", "of", "ratio", "of rounds");
    for ((measurement, name), own) in own {
        let Some(other) = other.get(&(measurement.clone(), name.clone())) else { continue };
        let [least, its_least] = [own, other].map(|times| times.iter().copied().min().unwrap_or(0));
        let ratio = least as f64 / its_least.max(1) as f64;
        let mut rounds: Vec<_> = own.iter().zip(other).map(|(&a, &b)| a as f64 / b.max(1) as f64).collect();
        rounds.sort_by(f64::total_cmp);
        let (first, last) = (rounds.first().unwrap_or(&0.0), rounds.last().unwrap_or(&0.0));
        println!("{measurement:<18} {name:<32} {ratio:>6.2}  {first:>5.2} to {last:.2}");
        all.entry(measurement).or_default().push(ratio);
    }
    if all.is_empty() {
        return Err("the other program measures nothing that this one does".into());
    }
    for (measurement, mut ratios) in all {
        ratios.sort_by(f64::total_cmp);
        let (median, most) = (ratios[ratios.len() / 2], ratios[ratios.len() - 1]);
        println!("{measurement}: median {median:.2}, most {most:.2} of {}", ratios.len());
    }
    Ok(())
}
