//! Table of the tests' comparisons. In: the file to which tests append their counts. Out: text.

use std::fs;
use std::path::{Path, PathBuf};

use crate::target;

/// Creates an empty file of counts.
pub fn begin(name: &str) -> Result<PathBuf, String> {
    let path = target()?.join(name);
    fs::write(&path, "").map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path)
}

/// Prints the counts, sorted, and what the daily tier left out. A file without counts is an error:
/// nothing was compared.
pub fn print(path: &Path) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    print!("{}", table(&text)?);
    Ok(())
}

/// Returns the table of the lines that tests wrote.
fn table(text: &str) -> Result<String, String> {
    let mut lines: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    lines.sort();
    // Tests of one program may share their cases.
    lines.dedup_by(|a, b| a.len() == 3 && a == b);
    let [mut counts, mut left_out, mut whole] = [(); 3].map(|()| String::new());
    let mut totals = [0u64; 3];
    let mut stages = 0;
    for line in &lines {
        match line[..] {
            [stage, programs, vertices, differing, note] => {
                for (total, number) in totals.iter_mut().zip([programs, vertices, differing]) {
                    *total += number.parse::<u64>().map_err(|error| format!("{number}: {error}"))?;
                }
                stages += 1;
                let note = if note.is_empty() { String::new() } else { format!(" ({note})") };
                counts += &format!("{programs:>8} {vertices:>9} {differing:>6}  {stage}{note}\n");
            }
            [text] if text.starts_with("left out: ") => whole += &format!("{text}\n"),
            [what, taken, all] => left_out += &format!("{taken:>8} of {all:>6}  {what}\n"),
            _ => return Err(format!("not a count: {}", line.join(" "))),
        }
    }
    if stages == 0 {
        return Err("no test reported a comparison".into());
    }
    let [programs, vertices, differing] = totals;
    let head = format!("{:>8} {:>9} {:>6}  what", "programs", "vertices", "differ");
    let total = format!("{programs:>8} {vertices:>9} {differing:>6}  all {stages} stages\n");
    let mut table = format!("\ncompared with the reference interpreter:\n{head}\n{counts}{total}\n");
    if !left_out.is_empty() {
        table += &format!("left out today; `cargo xtask test --all` takes all:\n{left_out}\n");
    }
    Ok(table + &whole)
}

#[cfg(test)]
mod tests {
    use super::table;

    #[test]
    fn counts_are_added_and_what_was_left_out_is_named() {
        let text =
            "left out: b needs c\nwild\t2\t30\t0\t\nclean\t1\t3\t1\tlavapipe\nprograms of loops\t100\t2000\n";
        let table = table(text).expect("a table");
        assert!(table.contains("       3        33      1  all 2 stages\n"), "{table}");
        assert!(table.contains("     100 of   2000  programs of loops\n"), "{table}");
        assert!(table.ends_with("\n\nleft out: b needs c\n"), "{table}");
        assert!(!self::table("wild\t2\t30\t0\t\n").expect("a table").contains("left out"));
    }

    #[test]
    fn a_run_without_a_comparison_is_an_error() {
        assert_eq!(table(""), Err("no test reported a comparison".into()));
        assert_eq!(table("programs\t1\t2\n"), Err("no test reported a comparison".into()));
        assert_eq!(table("1\t2\n"), Err("not a count: 1 2".into()));
    }
}
