//! Lines that stand twice: at the ends of both parts of an IF, or anywhere.
//! In and out: lines of a procedure. Out, too: procedures that it calls.
//!
//! ```text
//! ifc cmp.x            ifc cmp.x
//!     mov r0, c1           mov r0, c1
//!     mul o0, c2, r0   .end
//! .else            =>  mul o0, c2, r0
//!     mul o0, c2, r0
//! .end
//! ```

use super::print::split_place;

/// Most lines of a procedure that repeats.
const MOST_LENGTH: usize = 60;
/// Most procedures, each of which takes a search.
const MOST_PROCEDURES: usize = 24;
/// First words of lines that change control flow, flags or addresses, or do nothing.
const NOT_PLAIN: [&str; 13] =
    ["cmp", "mova", "nop", "end", "ifc", "ifu", "for", "breakc", "jmpc", "jmpu", "call", ".else", ".end"];

/// Moves the common end of both parts of every IF behind it.
pub(super) fn merge_ends(lines: &mut Vec<String>) {
    let mut n = 0;
    while n < lines.len() {
        if word(&lines[n]) != ".else" {
            n += 1;
            continue;
        }
        let Some(end) = closing(lines, n) else { return };
        let mut count = 0;
        // Each part keeps a line: an empty part takes a word.
        while count + 1 < n
            && n + 1 + count < end
            && bare(&lines[n - 1 - count]) == bare(&lines[end - 1 - count])
            && is_plain(&lines[n - 1 - count])
            && depth(&lines[n - 1 - count]) == depth(&lines[n]) + 1
        {
            count += 1;
        }
        if count == 0 {
            n += 1;
            continue;
        }
        // What two places need has none: it runs where one of them does not.
        let joined = |at: usize| match [&lines[at], &lines[at + n - end]].map(|line| split_place(line)) {
            [(_, place), (_, other)] if place == other => lines[at][1..].to_owned(),
            [(line, _), _] => line[1..].to_owned(),
        };
        let moved: Vec<String> = (end - count..end).map(joined).collect();
        lines.drain(end - count..end);
        let at = end - count + 1;
        lines.splice(at..at, moved);
        lines.drain(n - count..n);
        settle(lines, n - count);
        // What moved may be at the end of a part itself.
        n = 0;
    }
}

/// Repairs an IF, the `.else` of which is here, after lines left its parts.
fn settle(lines: &mut Vec<String>, middle: usize) {
    let Some(end) = closing(lines, middle) else { return };
    let Some(start) = opening(lines, middle) else { return };
    match (middle == start + 1, end == middle + 1) {
        (true, true) => {
            lines.drain(start..=end);
        }
        (false, true) => {
            lines.remove(middle);
        }
        (true, false) => match inverted(&lines[start]) {
            Some(line) => {
                lines[start] = line;
                lines.remove(middle);
            }
            None => lines.insert(middle, format!("{}nop", "\t".repeat(depth(&lines[middle]) + 1))),
        },
        (false, false) => {}
    }
}

/// The opposite test of flags.
pub(super) fn inverted(line: &str) -> Option<String> {
    let (head, condition) = line.split_once("ifc ")?;
    let flag = |flag: &str| flag.strip_prefix('!').map_or_else(|| format!("!{flag}"), str::to_owned);
    let inverted = if let Some((x, y)) = condition.split_once(" && ") {
        format!("{} || {}", flag(x), flag(y))
    } else if let Some((x, y)) = condition.split_once(" || ") {
        format!("{} && {}", flag(x), flag(y))
    } else {
        flag(condition)
    };
    Some(format!("{head}ifc {inverted}"))
}

pub(super) fn depth(line: &str) -> usize {
    line.bytes().take_while(|&byte| byte == b'\t').count()
}

/// A line without its indentation and its place.
fn bare(line: &str) -> &str {
    split_place(line).0.trim()
}

pub(super) fn word(line: &str) -> &str {
    line.split_whitespace().next().unwrap_or_default()
}

/// Returns whether a line computes and leaves flags and addresses alone.
fn is_plain(line: &str) -> bool {
    !NOT_PLAIN.contains(&word(line)) && !line.ends_with(':')
}

/// The `.end` of a block, from its `.else` on.
pub(super) fn closing(lines: &[String], middle: usize) -> Option<usize> {
    let level = depth(&lines[middle]);
    (middle + 1..lines.len()).find(|&n| depth(&lines[n]) == level && word(&lines[n]) == ".end")
}

/// The line that begins a block, before its `.else`.
pub(super) fn opening(lines: &[String], middle: usize) -> Option<usize> {
    let level = depth(&lines[middle]);
    (0..middle).rev().find(|&n| depth(&lines[n]) == level && matches!(word(&lines[n]), "ifc" | "ifu"))
}

/// Makes procedures of lines that repeat. Returns the procedures, each by its lines.
pub(super) fn outline(lines: &mut Vec<String>) -> Vec<Vec<String>> {
    let mut procedures = Vec::new();
    while procedures.len() < MOST_PROCEDURES {
        let Some((places, length)) = best(lines) else { break };
        let name = procedures.len();
        let body =
            lines[places[0]..places[0] + length].iter().map(|line| format!("\t{}", line.trim())).collect();
        for &place in places.iter().rev() {
            let call = format!("{}call part{name}", "\t".repeat(depth(&lines[place])));
            lines.splice(place..place + length, [call]);
        }
        procedures.push(body);
    }
    procedures
}

/// The repeated lines that save most: their places and their number.
fn best(lines: &[String]) -> Option<(Vec<usize>, usize)> {
    let texts: Vec<&str> = lines.iter().map(|line| bare(line)).collect();
    // The number of lines from each place on that a procedure may have.
    let mut runs = vec![0usize; lines.len() + 1];
    for n in (0..lines.len()).rev() {
        let may = is_plain(&lines[n]) || matches!(word(&lines[n]), "cmp" | "mova");
        runs[n] = if may { runs[n + 1] + 1 } else { 0 };
    }
    let mut best: Option<(usize, Vec<usize>, usize)> = None;
    for first in 0..lines.len() {
        for length in (3..=runs[first].min(MOST_LENGTH)).rev() {
            // What stands around a call may be another MOVA.
            if [first, first + length - 1].iter().any(|&n| word(texts[n]) == "mova") {
                continue;
            }
            let mut places = vec![first];
            let mut at = first + length;
            while at + length <= lines.len() {
                if runs[at] >= length && texts[at..at + length] == texts[first..first + length] {
                    places.push(at);
                    at += length;
                } else {
                    at += 1;
                }
            }
            // A call at the end of a block takes a NOP, too.
            let ends = |&&place: &&usize| matches!(texts.get(place + length), Some(&(".else" | ".end")));
            let cost = length + places.len() + places.iter().filter(ends).count();
            let saved = (places.len() * length).saturating_sub(cost);
            if places.len() > 1 && saved > 0 && best.as_ref().is_none_or(|(most, ..)| saved > *most) {
                best = Some((saved, places, length));
            }
        }
    }
    best.map(|(_, places, length)| (places, length))
}
