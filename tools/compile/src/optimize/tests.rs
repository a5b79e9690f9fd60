//! Conditions under which new code is written.

use transpica_asm::{SourceText, assemble};

use super::*;

/// A file of nested loops of so many rounds, around a line.
fn nested(rounds: u32, line: &str) -> Vec<u8> {
    let turns = rounds - 1;
    let text = format!(
        ".out pos position\n.constf two(2.0, 2.0, 2.0, 2.0)\n.consti turns({turns}, 0, 0, 0)\n.alias a v0\n.proc main\nmov r0, a\nfor turns\nfor \
         turns\n{line}\n.end\n.end\nmov pos, r0\nend\n.end\n"
    );
    assemble(&[SourceText { name: "nested", text: &text }]).expect("a text").bytes
}

fn result(rounds: u32, lines: [&str; 2], carries: bool) -> Result<(bool, Distance), Reason> {
    let [before, after] = lines.map(|line| nested(rounds, line));
    let [before, after] = [&before, &after].map(|bytes| Shbin::parse(bytes).expect("a file"));
    let sources = sources(&before, &[], Goal::default()).expect("programs");
    let effort = Effort { vertices: 4, budget: 1000, ..Effort::default() };
    compared(&before, &after, &sources, &[carries], effort).expect("it runs")
}

#[test]
fn only_programs_that_are_shown_equal_are_written() {
    let [one, other] = ["add r0, a, r0", "add r0, a, r0\nadd r0, -a, r0"];
    assert_eq!(result(4, [one, one], false), Ok((true, Distance::default())));
    assert!(matches!(result(4, [one, other], false), Err(Reason::Differs(_))));
    // Neither ends, and nothing else shows them equal.
    assert_eq!(result(200, [one, other], false), Err(Reason::Untested));
    assert_eq!(result(200, [one, one], false), Ok((true, Distance::default())));
    // Equal where they run, which is no proof.
    let [plain, twice] = ["add r0, a, r0", "add r0, a, r0\nmul r1, a, r0\nmin r0, r0, r0"];
    assert!(result(4, [plain, twice], false).is_ok());
    let doubled = ["add r0, a, a", "mul r0, two, a"];
    assert!(matches!(result(4, doubled, false), Ok((false, _))));
    assert_eq!(result(4, doubled, true), Err(Reason::Unproven));
    assert_eq!(result(4, [one, one], true), Ok((true, Distance::default())));
}
