//! Table of the tests' comparisons. In: the file to which tests append their counts. Out: text.

use std::fs;
use std::path::{Path, PathBuf};

use crate::target;

/// Environment variable that passes the file to the tests.
pub const FILE: &str = "TRANSPICA_TALLY";

/// Creates an empty file of counts.
pub fn begin(name: &str) -> Result<PathBuf, String> {
    let path = target()?.join(name);
    match fs::write(&path, "") {
        Ok(()) => Ok(path),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

/// Prints the counts, sorted. An empty file is an error: nothing was compared.
pub fn print(path: &Path) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut rows: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    rows.sort();
    if rows.is_empty() {
        return Err("no test reported a comparison".into());
    }
    println!("\ncompared with the reference interpreter:");
    println!("{:>8} {:>9} {:>6}  what", "programs", "vertices", "differ");
    let mut totals = [0u64; 3];
    for row in &rows {
        let [stage, programs, vertices, differing, note] = row[..] else {
            return Err(format!("not a count: {}", row.join(" ")));
        };
        for (total, number) in totals.iter_mut().zip([programs, vertices, differing]) {
            *total += number.parse::<u64>().map_err(|error| format!("{number}: {error}"))?;
        }
        let note = if note.is_empty() { String::new() } else { format!(" ({note})") };
        println!("{programs:>8} {vertices:>9} {differing:>6}  {stage}{note}");
    }
    let [programs, vertices, differing] = totals;
    println!("{programs:>8} {vertices:>9} {differing:>6}  all {} stages\n", rows.len());
    Ok(())
}
