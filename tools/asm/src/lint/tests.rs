//! For each rule the smallest program that breaks it, and the nearest one that does not.

use expect_test::{Expect, expect};

use super::*;
use crate::asm::{AssemblerOptions, SourceText, assemble_with};
use transpica::host::dvle;
use transpica::{Shbin, Stage};

/// Lints a program with `body` as its main procedure. Names that it does not use are left out, and
/// without outputs the missing position and undefined temporaries, too.
fn findings(declarations: &str, body: &str, no_nop: bool) -> String {
    let text = format!("{declarations}\n.proc main\n{body}\nend\n.end\n");
    let found = without("unused-", &lint_sources(&[&text], 0, no_nop));
    if declarations.contains(".out") {
        found
    } else {
        without("temporary-not-written]", &without_position(&found))
    }
}

/// Findings of all but some rules.
fn without(rules: &str, found: &str) -> String {
    found.split_inclusive('\n').filter(|line| !line.contains(&format!("[{rules}"))).collect()
}

/// Lints the program of one of several sources.
fn lint_sources(texts: &[&str], index: usize, no_nop: bool) -> String {
    let sources: Vec<_> = texts.iter().map(|text| SourceText { name: "a.pica", text }).collect();
    let assembled =
        assemble_with(&sources, &AssemblerOptions { no_nop }).unwrap_or_else(|report| panic!("{report}"));
    let file = Shbin::parse(&assembled.bytes).unwrap();
    let program = dvle::program(&file, index, &Limits::default()).unwrap();
    lines(&lint(&program, &file, index, &Limits::default()).unwrap())
}

fn lines(found: &[Finding]) -> String {
    found.iter().map(|finding| finding.to_string() + "\n").collect()
}

fn without_position(found: &str) -> String {
    without("no-position]", found)
}

/// A program without mapped outputs that reads only uniforms that it declares.
#[track_caller]
fn plain(body: &str, expected: Expect) {
    expected.assert_eq(&findings(".fvec c\n.ivec i\n.bool b", body, false));
}

/// The same without padding.
#[track_caller]
fn bare(body: &str, expected: Expect) {
    expected.assert_eq(&findings(".fvec c\n.ivec i\n.bool b", body, true));
}

#[test]
fn two_movas_in_a_row_are_found() {
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
fn blocks_need_a_nop_at_their_end() {
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
            pc 0x1: what begins here ends at word 0x3, where an enclosing block ends [missing-nop]
        "#]],
    );
    plain("ifu b\nifc cmp.x\nadd r0, r0, r0\n.end\n.end", expect![""]);
}

#[test]
fn nesting_beyond_the_stacks_is_found() {
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

/// The ring holds each IF that was left by the jump, but only the newest can still end.
#[test]
fn stale_scopes_do_not_count_as_nesting() {
    plain("there: ifc cmp.x\njmpc cmp.y, there\nnop\n.end", expect![""]);
}

#[test]
fn paths_without_end_are_found() {
    let loops = "there: jmpu b, there\njmpu !b, there";
    plain(
        loops,
        expect![[r#"
        input: no END is ever reached [no-end]
    "#]],
    );
    plain("jmpu b, there\njmpu !b, there\nadd r0, r0, r0\nthere:", expect![""]);
    let goes_on = |body: &str, next: &str| {
        let text = format!(".bool b\n.proc main\n{body}\n.end\n.proc next\n{next}\nend\n.end");
        without("unused-", &without_position(&lint_sources(&[&text], 0, false)))
    };
    for (body, next, expected) in [
        ("nop", "nop", "pc 0x0"),
        ("ifu b\nend\n.end", "nop", "pc 0x2"),
        // It is the callee that ends.
        ("call next", "nop", ""),
        ("there: jmpu b, there\nnop", "nop", "pc 0x1"),
        ("ifu b\nend\n.else\nend\n.end", "nop", ""),
        ("call next\nend", "nop", ""),
        // The next procedure only ends the program.
        ("nop", "", ""),
    ] {
        let message = "execution runs past the end of the entry procedure [no-end]\n";
        let expected = if expected.is_empty() { String::new() } else { format!("{expected}: {message}") };
        assert_eq!(goes_on(body, next), expected, "{body}");
    }
    expect![[r#"
        pc 0x0: execution runs past the end of the code [no-end]
    "#]]
    .assert_eq(&words(vec![nop()]));
}

#[test]
fn faults_that_the_assembler_refuses_are_found_in_words() {
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
        pc 0x200: execution runs past the 512 words of the vertex unit [beyond-unit]
    "#]]
    .assert_eq(&words(long));
    // Unreachable words do not count.
    expect![""].assert_eq(&words(vec![end, 0x8000_0000]));
}

fn nop() -> u32 {
    0x8400_0000
}

/// Lints these words.
fn words(code: Vec<u32>) -> String {
    // A file around a program of this length.
    let text = format!(".proc main\n{}.end", "nop\n".repeat(code.len()));
    let assembled =
        assemble_with(&[SourceText { name: "a.pica", text: &text }], &AssemblerOptions::default()).unwrap();
    let file = Shbin::parse(&assembled.bytes).unwrap();
    let program = Program::new(code, vec![0], Pc(0), Stage::Vertex, &Limits::default()).unwrap();
    without_position(&lines(&lint(&program, &file, 0, &Limits::default()).unwrap()))
}

#[test]
fn outputs_written_twice_on_a_path_are_found() {
    let outputs = |body| findings(".out p position\n.out t texcoord0.xy\n.bool b", body, false);
    expect![""].assert_eq(&outputs("mov p, v0\nmov t.xy, v0"));
    expect![[r#"
        input: o1.y is mapped but never written [output-not-written]
        pc 0x1: o0.w was written before [output-written-twice]
    "#]]
    .assert_eq(&outputs("mov p, v0\nmov p.w, v0\nmov t.x, v0"));
    expect![[r#"
        input: o1.xy is mapped but not on every path written [output-not-written]
    "#]]
    .assert_eq(&outputs("mov p, v0\nifu b\nmov t.xy, v0\n.end"));
    expect![[r#"
        pc 0x3: o1.x was written before on some path [output-written-twice]
    "#]]
    .assert_eq(&outputs("mov p, v0\nifu b\nmov t.x, v0\n.end\nmov t.xy, v0"));
    // The view vector has three components for any mask.
    expect![""].assert_eq(&findings(".out p position\n.out v view", "mov p, v0\nmov v.xyz, v0", false));
    // Unmapped components may be written any number of times.
    expect![""].assert_eq(&outputs("mov p, v0\nmov t.xy, v0\nmov t.z, v0\nmov t.z, v0"));
}

#[test]
fn outputs_written_in_a_loop_are_found() {
    let text = findings(".out p position\n.ivec i", "for i\nmov p, v0\n.end", false);
    expect![[r#"
        pc 0x1: o0.xyzw was written before on some path [output-written-twice]
    "#]]
    .assert_eq(&text);
}

#[test]
fn uniforms_without_symbol_or_constant_are_found() {
    let nothing = |body| findings("", body, false);
    expect![[r#"
        pc 0x0: nothing in the file sets c5 [unbound-uniform]
    "#]]
    .assert_eq(&nothing("mov r0, c5\nmov r1, c5"));
    let constant =
        findings(".constf one(1, 1, 1, 1)\n.fvec named[2]", "mov r0, one\nmov r1, named[1]", false);
    expect![""].assert_eq(&constant);
}

/// Library procedures read uniforms that the programs that call them declare.
#[test]
fn a_uniform_with_a_symbol_in_another_executable_is_no_finding() {
    let program = |declarations: &str, name: &str| {
        format!("{declarations}\n.out p position\n.entry {name}\n.proc {name}\nmov p, c0\nend\n.end")
    };
    let [with, without] = [program(".fvec first", "a"), program("", "b")];
    expect![""].assert_eq(&lint_sources(&[&with, &without], 1, false));
    expect![[r#"
        pc 0x0: nothing in the file sets c0 [unbound-uniform]
    "#]]
    .assert_eq(&lint_sources(&[&without], 0, false));
}

#[test]
fn temporaries_read_before_a_write_are_found() {
    let outputs = |body: &str| findings(".out p position\n.bool b\n.ivec i\n.in v", body, false);
    expect![[r#"
        pc 0x0: r0.xyzw is read before it is written [temporary-not-written]
    "#]]
    .assert_eq(&outputs("mov p, r0"));
    // Masks may write it piece by piece; the missing component is found.
    expect![""].assert_eq(&outputs("mov r0.xy, v\nmov r0.zw, v\nmov p, r0"));
    expect![[r#"
        pc 0x2: r0.w is read before it is written [temporary-not-written]
    "#]]
    .assert_eq(&outputs("mov r0.xy, v\nmov r0.z, v\nmov p, r0"));
    // The first round of a sum reads an undefined value.
    expect![[r#"
        pc 0x1: r0.xyzw is read before it is written [temporary-not-written]
    "#]]
    .assert_eq(&outputs("for i\nadd r0, v, r0\n.end\nmov p, r0"));
    expect![""].assert_eq(&outputs("mov r0, v\nfor i\nadd r0, v, r0\n.end\nmov p, r0"));
    // Each component is reported once.
    expect![[r#"
        pc 0x0: r1.x is read before it is written [temporary-not-written]
    "#]]
    .assert_eq(&outputs("mul r0, v, r1.x\nmul p, r0, r1.x"));
    expect![[r#"
        pc 0x0: r0.x is read before it is written [temporary-not-written]
        pc 0x2: r1.y is read before it is written [temporary-not-written]
    "#]]
    .assert_eq(&outputs(
        "mova a0.x, r0\nmov r2, c0[a0.x]\ncmp r1.yyyy, eq, eq, r2\njmpc cmp.y, l\nmov r2, v\nl: mov p, r2",
    ));
}

#[test]
fn temporaries_written_on_some_path_are_no_finding() {
    let outputs = |body: &str| findings(".out p position\n.bool b\n.ivec i\n.in v", body, false);
    // Both blocks depend on the same bool.
    expect![""].assert_eq(&outputs("ifu b\nmov r0, v\n.end\nmov r1, v\nifu b\nmov r1, r0\n.end\nmov p, r1"));
    // The first round takes the other part.
    expect![""].assert_eq(&outputs(
        "cmp v, eq, eq, v\nfor i\nifc cmp.x\nmov r0, v\n.else\nadd r0, v, r0\n.end\ncmp v, ne, ne, v\n.end\nmov p, v",
    ));
    // Dead components: unmapped, a flag that is never tested, overwritten.
    expect![""].assert_eq(&findings(
        ".out p position\n.out t texcoord0\n.in v",
        "mov p, v\nmov r0.xy, v\nmov r1, r0\nadd r1, v, r1\nmov t, r1",
        false,
    ));
    let flags = |flag: &str| {
        outputs(&format!(
            "mov r0.x, v\nmov r1, v\ncmp r0, eq, eq, v\njmpc {flag}, l\nmov r1, v.x\nl: mov p, r1"
        ))
    };
    expect![""].assert_eq(&flags("cmp.x"));
    expect![[r#"
        pc 0x2: r0.y is read before it is written [temporary-not-written]
    "#]]
    .assert_eq(&flags("cmp.x && cmp.y"));
    expect![""].assert_eq(&outputs("mov r0.x, v\nmova a0.xy, r0\nmov p, c0[a0.x]"));
    expect![""].assert_eq(&outputs("mov r0.x, v\nmov r1, r0\nmov r1, v\nmov p, r1"));
    // Nothing writes the register, so that the read is no copy of a part.
    expect![[r#"
        pc 0x0: r0.xyzw is read before it is written [temporary-not-written]
    "#]]
    .assert_eq(&outputs("mov r1, r0\nmov r1, v\nmov p, r1"));
}

/// Temporaries of geometry programs carry over from one invocation to the next.
#[test]
fn temporaries_of_geometry_programs_are_no_finding() {
    let program = |body: &str| {
        format!(".gsh point c0\n.out p position\n.proc main\n{body}\nemit\nmov r0.xy, v0\nend\n.end")
    };
    expect![""].assert_eq(&lint_sources(&[&program("setemit 0\nmov p, r0.xyyy")], 0, false));
    expect![[r#"
        pc 0x1: r0.z is read before it is written [temporary-not-written]
    "#]]
    .assert_eq(&lint_sources(&[&program("setemit 0\nmov p, r0.xyzz")], 0, false));
}

#[test]
fn a_missing_position_is_found() {
    let vertex = |output: &str| format!(".out o {output}\n.entry v\n.proc v\nmov o, v0\nend\n.end");
    let geometry = |output: &str| {
        let name = output.split(' ').nth(1).expect("a name");
        format!(".gsh point c0\n{output}\n.entry g\n.proc g\nmov {name}, v0\nend\n.end")
    };
    let missing = "input: no output is the position [no-position]\n";
    assert_eq!(lint_sources(&[&vertex("color")], 0, false), missing);
    assert_eq!(lint_sources(&[&vertex("position")], 0, false), "");
    // A geometry program follows, of this file or of another.
    assert_eq!(lint_sources(&[&vertex("color"), &geometry(".out p position")], 0, false), "");
    assert_eq!(lint_sources(&[&vertex("dummy")], 0, false), "");
    assert_eq!(lint_sources(&[&vertex("position"), &geometry(".out c color")], 1, false), missing);
    assert_eq!(lint_sources(&[&vertex("color"), &geometry(".out p position")], 1, false), "");
    // Its map is merged with that of the vertex program.
    assert_eq!(lint_sources(&[&vertex("position"), &geometry(".out d dummy")], 1, false), "");
    assert_eq!(lint_sources(&[&geometry(".out d dummy")], 0, false), "");
    assert_eq!(lint_sources(&[&vertex("color"), &geometry(".out d dummy")], 1, false), missing);
}

#[test]
fn outputs_with_equal_semantics_are_found() {
    let outputs = |declarations: &str, body: &str| {
        findings(&format!(".out p position\n{declarations}"), &format!("mov p, v0\n{body}"), false)
    };
    expect![[r#"
        input: o1.xyzw and o2.xyzw are both color [output-kind-twice]
    "#]]
    .assert_eq(&outputs(".out a color\n.out b color", "mov a, v0\nmov b, v0"));
    expect![[r#"
        input: o1.xy and o1.zw are both texcoord0 [output-kind-twice]
    "#]]
    .assert_eq(&outputs(".out a texcoord0 o1.xy\n.out - texcoord0 o1.zw", "mov a, v0"));
    expect![""].assert_eq(&outputs(".out a texcoord0 o1.xy\n.out - texcoord0w o1.z", "mov a, v0"));
    expect![""].assert_eq(&outputs(".out a dummy\n.out b dummy", "mov a, v0\nmov b, v0"));
}

#[test]
fn inputs_with_two_names_are_found() {
    let inputs =
        |declarations: &str| findings(&format!(".out p position\n{declarations}"), "mov p, v0", false);
    expect![[r#"
        input: v0 is both a and b [input-twice]
    "#]]
    .assert_eq(&inputs(".in a v0\n.in b v0"));
    expect![""].assert_eq(&inputs(".in a\n.in b"));
}

/// The else part of the outer IF runs after its first part, on hardware and in every translation.
#[test]
fn breaks_that_leave_an_if_below_an_else_are_found() {
    let body = |inner: &str, outer: &str| {
        let inner = inner.replace(';', "\n");
        format!("ifu b\nfor i\n{inner}\nnop\n.end\nnop\n{outer}nop\n.end")
    };
    let found = "pc 0x3: this leaves an IF open, so that the else part at word 0x7 runs after the first part [break-leaves-if]\n";
    for (inner, outer, expected) in [
        ("ifc cmp.x;breakc cmp.y;nop;.end", ".else\n", found),
        ("ifc cmp.x;break;nop;.end", ".else\n", found),
        ("ifc cmp.x;breakc cmp.y;nop;.end", "", ""),
        // The first part has ended.
        ("ifc cmp.x;nop;nop;.else;breakc cmp.y;.end", ".else\n", ""),
        ("nop;breakc cmp.y", ".else\n", ""),
    ] {
        assert_eq!(findings(".ivec i\n.bool b", &body(inner, outer), false), expected, "{inner} {outer}");
    }
    // Without an IF around the loop.
    let alone = "for i\nifc cmp.x\nbreakc cmp.y\nnop\n.else\nnop\n.end\nnop\n.end";
    assert_eq!(findings(".ivec i", alone, false), "");
}

#[test]
fn components_that_a_geometry_program_never_writes_are_found() {
    let program = |second: &str| {
        format!(
            ".gsh point c0\n.out p position\n.entry g\n.proc g\nsetemit 0\nmov p.xyz, v0\nemit\n{second}\nemit\nend\n.end"
        )
    };
    let found = "input: o0.w is mapped but never written [output-not-written]\n";
    assert_eq!(lint_sources(&[&program("mov p.xy, v1")], 0, false), found);
    assert_eq!(lint_sources(&[&program("mov p.w, v1")], 0, false), "", "it stays for later vertices");
}

#[test]
fn unused_names_are_found() {
    let text = ".fvec used, unused, palette[4], _hidden\n.bool nob\n.ivec noi\n.in pos v0\n.in other v7\n.out o position\n\
        .proc never\n\tnop\n.end\n.proc called\n\tnop\n.end\n.proc main\n\tmova a0.x, pos.x\n\tmov r0, palette[a0.x]\n\
        \tcall called\n\tnop\nlabel:\n\tadd o, used, r0\n\tend\n.end\n";
    expect![[r#"
        input: nothing reads the uniform nob [unused-uniform]
        input: nothing reads the uniform noi [unused-uniform]
        input: nothing reads the uniform unused [unused-uniform]
        input: nothing reads the input other [unused-input]
    "#]]
    .assert_eq(&lint_sources(&[text], 0, false));
    let source = |text| assemble_with(&[SourceText { name: "a.pica", text }], &AssemblerOptions::default());
    let unused = |text| source(text).unwrap_or_else(|report| panic!("{report}")).findings;
    expect![[r#"
        pc 0x6: nothing jumps to the label label [unused-label]
        pc 0x0: nothing calls the procedure never [unused-procedure]
    "#]]
    .assert_eq(&lines(&unused(text)));
    assert_eq!(unused(".proc other\nend\n.end\n.entry other\n.proc main\nend\n.end").len(), 1);
    // A relative read of a single register, or of none with a name, may be of any.
    for base in ["one", "c95"] {
        let text = format!(
            ".fvec one, two\n.out o position\n.proc main\nmova a0.x, v0\nmov o, {base}[a0.x]\nend\n.end"
        );
        assert_eq!(lint_sources(&[&text], 0, false), "");
    }
    // Programs of one stage share registers and procedures.
    let vertex = |declarations: &str, name: &str, source: &str| {
        format!("{declarations}\n.out o position\n.entry {name}\n.proc {name}\nmov o, {source}\nend\n.end")
    };
    let [first, second] = [vertex(".fvec a, b", "x", "a"), vertex("", "y", "c1")];
    assert_eq!(lint_sources(&[&first, &second], 0, false), "");
}

#[test]
fn the_front_page_lists_every_rule() {
    let readme = include_str!("../guide/homebrew.md");
    let start = readme.find("The rules: ").expect("a list of rules");
    let list = readme[start..].split('.').next().expect("a sentence");
    let names: Vec<&str> = list.split('`').skip(1).step_by(2).collect();
    assert_eq!(names, Rule::ALL.iter().map(|rule| rule.id()).collect::<Vec<_>>());
}

#[test]
fn rule_names_are_unique() {
    let mut ids: Vec<&str> = Rule::ALL.iter().map(|rule| rule.id()).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), Rule::ALL.len());
}
