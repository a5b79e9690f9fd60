//! Verdicts as text, for every tool that shows them.
//! In: a verdict, the names of both programs and of their instructions. Out: lines.

use std::fmt::Write;

use transpica::isa::Pc;

use super::Verdict;
use super::difference::Difference;

/// Names of what a verdict is about.
pub struct Names<'a> {
    /// The programs.
    pub programs: [&'a str; 2],
    /// The place and text of an instruction of a program, 0 or 1.
    pub instruction: &'a dyn Fn(usize, Pc) -> String,
}

/// Returns the text of a verdict.
pub fn text(verdict: &Verdict, names: &Names<'_>) -> String {
    match verdict {
        Verdict::Proven { claims: 0 } => "equal for all inputs, proven by structure\n".into(),
        Verdict::Proven { claims } => {
            format!("equal for all inputs, proven by structure and {claims} answers of a solver\n")
        }
        Verdict::Sampled { sampled, why } => {
            let worst = sampled.worst;
            let rounding = if worst.ulp > 0 { " up to rounding" } else { "" };
            let mut text = match sampled.vertices {
                0 => format!("nothing shows them equal: {why}\n"),
                vertices => format!("equal{rounding} on {vertices} vertices, not proven: {why}\n"),
            };
            if worst.ulp > 0 {
                let relative = worst.relative;
                let _ = writeln!(
                    text,
                    "largest distance: {} ulp, {relative:.1e} of the largest component",
                    worst.ulp
                );
            }
            if sampled.unfinished > 0 {
                let _ = writeln!(text, "{} vertices did not end within the budget", sampled.unfinished);
            }
            text
        }
        Verdict::Different(found) => difference(found, names),
    }
}

fn difference(found: &Difference, names: &Names<'_>) -> String {
    let mut text = String::from("different: ");
    match &found.output {
        Some(output) => {
            let [a, b] = output.results;
            let _ = write!(text, "{} is {a:?} ({:#010x})", output.pair.name, a.to_bits());
            let _ = write!(text, " and {b:?} ({:#010x})", b.to_bits());
            let _ =
                writeln!(text, "{}", output.ulp.map_or(String::new(), |ulp| format!(", {ulp} ulp apart")));
        }
        None if found.ended == [true; 2] => text.push_str("they emit other vertices\n"),
        None => {
            let endless = names.programs[usize::from(found.ended[0])];
            let _ = writeln!(text, "{endless} does not end within the budget");
        }
    }
    for (side, pc) in found.instructions.into_iter().enumerate() {
        if let Some(pc) = pc {
            let _ = writeln!(text, "  {}", (names.instruction)(side, pc));
        }
    }
    text
}
