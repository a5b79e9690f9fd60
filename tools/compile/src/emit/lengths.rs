//! Words of a program, and parts of an IF that are longer than the hardware reads.
//! In and out: lines of a procedure.
//!
//! Of the length of a second part the hardware reads eight bits. A longer one changes places with
//! the first part; where a bool decides, two jumps over the parts stand for the IF.

use transpica::isa::sizes;

use super::shorten::{closing, depth, inverted, opening, word};

/// Most words of the second part of an IF.
const MOST: usize = 255;

/// Words of lines, with the NOPs that the assembler adds at ends of blocks.
pub(super) fn words(lines: &[String]) -> usize {
    let own = lines.iter().filter(|line| !word(line).starts_with('.') && !line.ends_with(':')).count();
    let padded = lines.windows(2).filter(|pair| {
        let needs = ["ifc", "ifu", "for", ".else", ".end", "jmpc", "jmpu", "call", "breakc"];
        matches!(word(&pair[1]), ".else" | ".end") && needs.contains(&word(&pair[0]))
    });
    own + padded.count()
}

/// Makes every second part short enough. No program that fits has two long parts.
pub(super) fn run(lines: &mut Vec<String>) {
    let mut labels = 0;
    while words(lines) <= sizes::VERTEX_WORDS as usize
        && let Some((start, middle, end)) = long(lines)
    {
        let second: Vec<String> = lines.drain(middle..=end).collect();
        let first: Vec<String> = lines.drain(start..middle).collect();
        let (second, indent) = (&second[1..second.len() - 1], "\t".repeat(depth(&first[0])));
        let mut all = Vec::with_capacity(first.len() + second.len() + 6);
        if let Some((_, id)) = first[0].split_once("ifu ") {
            let [over, end] = [labels, labels + 1];
            labels += 2;
            all.push(format!("{indent}jmpu !{id}, over{over}"));
            all.extend_from_slice(&first[1..]);
            all.extend([format!("{indent}over{over}:"), format!("{indent}jmpu {id}, over{end}")]);
            all.extend_from_slice(second);
            // A block must not end where a jump leads.
            all.extend([format!("{indent}over{end}:"), format!("{indent}nop")]);
        } else {
            all.extend(inverted(&first[0]));
            all.extend_from_slice(second);
            all.push(format!("{indent}.else"));
            all.extend_from_slice(&first[1..]);
            all.push(format!("{indent}.end"));
        }
        lines.splice(start..start, all);
    }
}

/// The first IF whose second part is too long: where its parts begin and end.
fn long(lines: &[String]) -> Option<(usize, usize, usize)> {
    (0..lines.len()).filter(|&n| word(&lines[n]) == ".else").find_map(|middle| {
        let (start, end) = (opening(lines, middle)?, closing(lines, middle)?);
        (words(&lines[middle..=end]) > MOST).then_some((start, middle, end))
    })
}
