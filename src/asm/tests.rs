//! The assembler as a whole, where picasso's probes say nothing: places of messages, line markers, limits of our own.

use super::*;

fn run(text: &str) -> Result<Assembled, Report> {
    assemble(&[Source { name: "a.pica", text }])
}

/// The code of a program whose `main` is this.
fn code(body: &str) -> Vec<u32> {
    run(&format!(".proc main\n{body}\nend\n.end")).expect("assembles").model.code
}

#[track_caller]
fn refused(text: &str, expected: &str) {
    assert_eq!(run(text).expect_err("refused").to_string(), format!("a.pica:{expected}"));
}

#[test]
fn errors_point_at_the_operand() {
    refused(".proc main\n\tadd r0,\tr1, q7\n.end", "2:14: error: invalid register: q7");
    refused(".proc main\n add r0, r1\n.end", "2:6: error: missing parameter");
    refused(".proc main\n nop\n end", "1:7: error: unclosed block(s)");
    refused(".proc main\n jmpc cmp.x, there\n end\n.end", "2:14: error: label 'there' is undefined");
    refused(".proc main\n call other\n end\n.end", "2:7: error: procedure 'other' is undefined");
    refused(".entry other\n.proc main\nend\n.end", "1:8: error: entrypoint 'other' is undefined");
}

#[test]
fn line_markers_give_file_and_line() {
    let text = "# 41 \"b.pica\"\n.proc main\n#define X\nmov r0, r77\n.end";
    let report = run(text).expect_err("refused");
    assert_eq!(report.to_string(), "b.pica:43:9: error: invalid temporary register: r77");
}

#[test]
fn each_word_knows_its_line() {
    let assembled = run(".proc main\nifu b0\n.end\nend\n.end").expect("assembles");
    let lines: Vec<_> = assembled.places.iter().map(|place| place.line).collect();
    assert_eq!((lines, assembled.files), (vec![2, 3, 4], vec!["a.pica".to_owned()]));
}

#[test]
fn line_ends_and_blanks_do_not_matter() {
    let plain = run(".setb b0 true\n.proc main\nmov r0.xy, v1\nend\n.end").expect("assembles");
    let other = run(".setb\tb0, true\r\n\r\n .proc main ; here\r\n\tMOV  r0.rg ,v1\r\nend\r\n.end\r\n\0junk");
    assert_eq!(other.expect("assembles").bytes, plain.bytes);
}

#[test]
fn names_turn_and_negate_registers() {
    assert_eq!(code(".alias n -r3.yx\nmov r0, -n"), code("mov r0, r3.yxxx"));
    assert_eq!(code(".alias n c3\nadd r0, n[a0.x + 2], r1"), code("add r0, c5[a0.x], r1"));
}

#[test]
fn a_word_that_is_no_number_counts_as_zero_with_a_warning() {
    let assembled = run(".fvec m[4]\n.proc main\nmov r0, m[first]\nend\n.end").expect("assembles");
    assert_eq!(assembled.warnings[0].to_string(), "a.pica:3:11: not a number: counts as 0");
}

#[test]
fn lengths_that_do_not_fit_are_refused() {
    let long = |count: usize| {
        let body = "nop\n".repeat(count);
        run(&format!(".gsh\n.proc long\n{body}.end\n.proc main\ncall long\nend\n.end"))
    };
    assert!(long(255).expect("fits").warnings.is_empty());
    assert_eq!(long(256).expect("fits ten bits").warnings.len(), 1);
    assert!(long(1024).is_err());
}

#[test]
fn programs_that_no_unit_can_hold_are_refused() {
    let end = ".proc main\nend\n.end\n";
    let many: String = (0..4097).map(|index| format!(".proc p{index}\n.end\n")).collect();
    assert!(run(&format!("{end}{many}")).is_err(), "padding counts");
    assert!(run(&format!(".gsh\n.proc main\n{}end\n.end", "nop\n".repeat(4096))).is_err());
}
