//! One program for each rule, as small as shows it, and beside it the nearest one that the rule lets pass.

use expect_test::{Expect, expect};

use super::*;
use crate::asm::{Options, Source, assemble_with};
use crate::container::Shbin;
use crate::isa::Stage;

/// What is found in a program of which `body` is the main procedure.
fn findings(declarations: &str, body: &str, no_nop: bool) -> String {
    let text = format!("{declarations}\n.proc main\n{body}\nend\n.end\n");
    let source = Source { name: "a.pica", text: &text };
    let assembled = assemble_with(&[source], &Options { no_nop }).unwrap_or_else(|report| panic!("{report}"));
    let file = Shbin::parse(&assembled.bytes).unwrap();
    let code: Vec<u32> = file.package.code.iter().collect();
    let descriptors: Vec<u32> = file.package.descriptors.iter().map(|descriptor| descriptor.bits).collect();
    let dvle = &file.executables[0];
    let entry = Pc(dvle.header.main as u16);
    let program = Program::new(code, descriptors, entry, Stage::Vertex, &Limits::default()).unwrap();
    let found = lint(&program, dvle, &Limits::default());
    found.iter().map(|finding| finding.to_string() + "\n").collect()
}

/// A program that writes nothing mapped and reads what it declares.
#[track_caller]
fn plain(body: &str, expected: Expect) {
    expected.assert_eq(&findings(".fvec c\n.ivec i\n.bool b", body, false));
}

/// As it stands, without padding.
#[track_caller]
fn bare(body: &str, expected: Expect) {
    expected.assert_eq(&findings(".fvec c\n.ivec i\n.bool b", body, true));
}

#[test]
fn two_movas_in_a_row_hang() {
    plain(
        "mova a0.x, r0\nmova a0.y, r0",
        expect![[r#"
        pc 0x1: MOVA right after MOVA [mova-pair]
    "#]],
    );
    plain("mova a0.x, r0\nnop\nmova a0.y, r0", expect![""]);
    // The second round of a loop begins right after the first.
    plain(
        "for i\nmova a0.x, r0\n.end",
        expect![[r#"
        pc 0x1: MOVA right after MOVA [mova-pair]
    "#]],
    );
}

#[test]
fn blocks_end_in_something_harmless() {
    bare(
        "ifu b\njmpu b, there\n.end\nthere:",
        expect![[r#"
        pc 0x1: JMPU is the last word of a block [missing-nop]
    "#]],
    );
    plain("ifu b\njmpu b, there\n.end\nthere:", expect![""]);
    bare(
        "for i\nadd r0, r0, r0\nbreakc cmp.x\n.end",
        expect![[r#"
        pc 0x2: BREAKC is the last word of a loop [missing-nop]
    "#]],
    );
    bare(
        "ifu b\nifc cmp.x\nadd r0, r0, r0\n.end\n.end",
        expect![[r#"
        pc 0x1: what begins here ends at word 0x3, where something around it ends [missing-nop]
    "#]],
    );
    plain("ifu b\nifc cmp.x\nadd r0, r0, r0\n.end\n.end", expect![""]);
}

#[test]
fn stacks_are_not_that_deep() {
    let nested = |count: usize| "ifu b\n".repeat(count) + "add r0, r0, r0\n" + &".end\n".repeat(count);
    plain(&nested(8), expect![""]);
    plain(
        &nested(9),
        expect![[r#"
        pc 0x8: more than 8 nested IFs [nesting]
    "#]],
    );
    let nested = |count: usize| "for i\n".repeat(count) + "add r0, r0, r0\n" + &".end\n".repeat(count);
    plain(&nested(4), expect![""]);
    plain(
        &nested(5),
        expect![[r#"
        pc 0x4: more than 4 nested LOOPs [nesting]
    "#]],
    );
}

#[test]
fn every_path_reaches_an_end() {
    let loops = "there: jmpu b, there\njmpu !b, there";
    plain(
        loops,
        expect![[r#"
        input: no END is ever reached [no-end]
    "#]],
    );
    plain("jmpu b, there\njmpu !b, there\nadd r0, r0, r0\nthere:", expect![""]);
    expect![[r#"
        pc 0x0: the program goes on behind the end of its code [no-end]
    "#]]
    .assert_eq(&words(vec![nop()]));
}

#[test]
fn what_the_assembler_refuses_is_found_in_words() {
    let [end, add_two_inputs] = [0x8800_0000, 0x0000_0080];
    expect![[r#"
        pc 0x0: BREAK while no loop runs [break-outside-loop]
    "#]]
    .assert_eq(&words(vec![0x8000_0000, end]));
    expect![[r#"
        pc 0x0: opcode 0x10 does not exist [unassigned-opcode]
    "#]]
    .assert_eq(&words(vec![0x4000_0000, end]));
    expect![[r#"
        pc 0x0: reads v0 and v1 in one instruction [two-inputs]
    "#]]
    .assert_eq(&words(vec![add_two_inputs, end]));
    let mut long = vec![nop(); 513];
    long[512] = end;
    expect![[r#"
        pc 0x200: the program goes on behind the 512 words of the vertex unit [beyond-unit]
    "#]]
    .assert_eq(&words(long));
    // Words that are not reached do not count.
    expect![""].assert_eq(&words(vec![end, 0x8000_0000]));
}

fn nop() -> u32 {
    0x8400_0000
}

/// What is found in these words.
fn words(code: Vec<u32>) -> String {
    let text = ".proc main\nend\n.end";
    let assembled = assemble_with(&[Source { name: "a.pica", text }], &Options::default()).unwrap();
    let file = Shbin::parse(&assembled.bytes).unwrap();
    let program = Program::new(code, vec![0], Pc(0), Stage::Vertex, &Limits::default()).unwrap();
    lint(&program, &file.executables[0], &Limits::default())
        .iter()
        .map(|finding| finding.to_string() + "\n")
        .collect()
}

#[test]
fn outputs_are_written_once_on_every_path() {
    let outputs = |body| findings(".out p position\n.out t texcoord0.xy\n.bool b", body, false);
    expect![""].assert_eq(&outputs("mov p, r0\nmov t.xy, r1"));
    expect![[r#"
        input: o1.y is mapped but never written [output-not-written]
        pc 0x1: o0.w was written before [output-written-twice]
    "#]]
    .assert_eq(&outputs("mov p, r0\nmov p.w, r1\nmov t.x, r0"));
    expect![[r#"
        input: o1.xy is mapped but not on every path written [output-not-written]
    "#]]
    .assert_eq(&outputs("mov p, r0\nifu b\nmov t.xy, r0\n.end"));
    expect![[r#"
        pc 0x3: o1.x was written before on some path [output-written-twice]
    "#]]
    .assert_eq(&outputs("mov p, r0\nifu b\nmov t.x, r0\n.end\nmov t.xy, r0"));
    // The view vector has three components, whatever the mask says.
    expect![""].assert_eq(&findings(".out p position\n.out v view", "mov p, r0\nmov v.xyz, r0", false));
    // What nothing maps may be written as often as one likes.
    expect![""].assert_eq(&outputs("mov p, r0\nmov t.xy, r0\nmov t.z, r0\nmov t.z, r1"));
}

#[test]
fn a_loop_writes_its_outputs_again() {
    let text = findings(".out p position\n.ivec i", "for i\nmov p, r0\n.end", false);
    expect![[r#"
        pc 0x1: o0.xyzw was written before on some path [output-written-twice]
    "#]]
    .assert_eq(&text);
}

#[test]
fn uniforms_are_declared() {
    let nothing = |body| findings("", body, false);
    expect![[r#"
        pc 0x0: nothing in the file sets c5 [unbound-uniform]
    "#]]
    .assert_eq(&nothing("mov r0, c5\nmov r1, c5"));
    let constant =
        findings(".constf one(1, 1, 1, 1)\n.fvec named[2]", "mov r0, one\nmov r1, named[1]", false);
    expect![""].assert_eq(&constant);
}

#[test]
fn rules_have_names_of_their_own() {
    let mut ids: Vec<&str> = Rule::ALL.iter().map(|rule| rule.id()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), Rule::ALL.len());
}
