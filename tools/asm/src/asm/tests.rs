//! Tests of the assembler as a whole: places of messages, line markers, limits of our own.

use super::*;

fn run(text: &str) -> Result<Assembled, Report> {
    assemble(&[SourceText { name: "a.pica", text }])
}

/// The code of a program with this `main`.
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
    refused(
        ".proc main\n ifu !b0\n end\n.end\n.end",
        "2:6: error: Inverting the condition is not supported by IFU",
    );
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
fn an_alias_keeps_sign_swizzle_and_offset() {
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
fn programs_beyond_the_memory_of_a_unit_are_refused() {
    let end = ".proc main\nend\n.end\n";
    let many: String = (0..4097).map(|index| format!(".proc p{index}\n.end\n")).collect();
    assert!(run(&format!("{end}{many}")).is_err(), "padding counts");
    assert!(run(&format!(".gsh\n.proc main\n{}end\n.end", "nop\n".repeat(4096))).is_err());
}

#[test]
fn every_independent_error_is_reported_once_and_in_order() {
    let text = "\
.alias light c200
.fvec view[4], 4you
.proc main
\tmvo r0, v0
\tmov r0, light
\tmov r1, light
\tmov r2, nowhere
\tmov r3, nowhere
\tifu light
\t\tmov r9, r16
\t.else
\t.end
\tcall helper
\tcall helper
\tjmpc cmp.x, there
\tmul o0, view, view[1]
\tend
.end
.proc main
.end";
    let report = run(text).expect_err("refused").to_string();
    expect_test::expect![[r#"
        a.pica:1:14: error: invalid floating-point uniform register: c200
        a.pica:2:16: error: invalid identifier: 4you
        a.pica:4:2: error: invalid instruction: mvo
        a.pica:7:10: error: invalid register: nowhere
        a.pica:10:11: error: invalid temporary register: r16
        a.pica:13:7: error: procedure 'helper' is undefined
        a.pica:15:14: error: label 'there' is undefined
        a.pica:16:16: error: invalid source2 register: view
        a.pica:19:7: error: proc already exists: main"#]]
    .assert_eq(&report);
}

#[test]
fn an_unknown_word_does_not_make_blocks_wrong() {
    let report = run(".proc main\n iff b0\n .end\n nop\n end\n.end").expect_err("refused");
    assert_eq!(report.to_string(), "a.pica:2:2: error: invalid instruction: iff");
    let report = run("nop\nnop\n.proc main\nend\n.end\n.end").expect_err("refused").to_string();
    let report: Vec<_> = report.lines().collect();
    assert_eq!(
        report,
        ["a.pica:1:1: error: instruction outside block", "a.pica:6:1: error: .end with unmatched block"]
    );
}

#[test]
fn the_number_of_errors_is_limited() {
    let many = format!(".gsh\n.proc main\n{}end\n.end", "mov r0, r99\n".repeat(1000));
    for text in [many, "a:".repeat(1001)] {
        let report = run(&text).expect_err("refused");
        assert_eq!((report.errors.len(), report.left_out), (100, LeftOut { errors: 900, warnings: 0 }));
        assert!(report.to_string().ends_with("\nand 900 more errors"), "{report}");
    }
}

#[test]
fn the_number_of_warnings_is_limited() {
    let lines = |count| run(&format!(".proc main\n{}end\n.end", "mov R0, r1\n".repeat(count)));
    let assembled = lines(101).expect("assembles");
    assert_eq!(
        (assembled.warnings.len(), assembled.left_out.to_string().as_str()),
        (100, "and 1 more warning")
    );
    assert_eq!(lines(100).expect("assembles").left_out.to_string(), "");
    assert_eq!(LeftOut { errors: 1, warnings: 2 }.to_string(), "and 1 more error, and 2 more warnings");
}

/// A source may end with a warning beyond the maximum; the next source's are counted correctly.
#[test]
fn warnings_behind_the_last_line_count_once() {
    let first = format!(".proc main\n{}end\n.end\0behind", "mov R0, r1\n".repeat(100));
    let second = "\0behind";
    let sources = [SourceText { name: "a.pica", text: &first }, SourceText { name: "b.pica", text: second }];
    let assembled = assemble(&sources).expect("assembles");
    assert_eq!((assembled.warnings.len(), assembled.left_out.warnings), (100, 2));
}

#[test]
fn long_names_are_not_quoted_whole() {
    let report = run(&format!(".proc main\nmov r0, {}\nend\n.end", "n".repeat(1000))).expect_err("refused");
    assert_eq!(report.errors[0].message, format!("invalid register: {}\u{2026}", "n".repeat(60)));
    assert_eq!(report.errors[0].span.length, 1000);
}

#[test]
fn the_entry_of_a_vertex_program_lies_in_its_unit() {
    let program = |head: &str, words: usize| {
        let text = format!("{head}\n.proc a\n{}.end\n.proc main\nend\n.end", "nop\n".repeat(words));
        run(&text).expect("assembles").warnings.iter().map(ToString::to_string).collect::<String>()
    };
    let message = "a vertex program's entry must lie in the first 512 words, 'main' begins at word 512";
    assert_eq!(program("", 511), "");
    let full = "a.pica:518:1: the vertex unit holds 512 instructions, but there are 513";
    assert_eq!(program("", 512), format!("a.pica:516:7: {message}{full}"));
    assert_eq!(program(".entry main", 512), format!("a.pica:1:8: {message}{full}"));
    assert_eq!(program(".gsh", 512), "");
}

/// The only error of a text, and no warning.
#[track_caller]
fn only_error(text: &str) -> Diagnostic {
    let report = run(text).expect_err("refused");
    assert_eq!((report.errors.len(), &report.warnings[..]), (1, &[][..]), "{report}");
    report.errors[0].clone()
}

#[test]
fn an_operand_with_an_error_gives_no_warnings() {
    for (line, message) in [
        ("ifu B1\n.end", "invalid boolean uniform register: B1"),
        ("for I0\n.end", "invalid integer uniform register: I0"),
        ("mov r4, c90[10]", "invalid source1 register: c90"),
        (".fvec m[]", "invalid array size: 0"),
    ] {
        assert_eq!(only_error(&format!(".proc main\n{line}\nend\n.end")).message, message);
    }
    let report = run(".proc main\nadd R0, r1, r99\nend\n.end").expect_err("refused");
    assert_eq!(report.warnings.len(), 1, "another operand is another matter");
}

#[test]
fn too_much_code_is_reported_once() {
    let end = |last: &str| format!(".gsh\n.proc main\n{}{last}.end\n.proc a\n.end", "nop\n".repeat(4096));
    for (last, line) in [("end\nend\n", 4099), ("", 4101)] {
        let error = only_error(&end(last));
        assert_eq!(error.message, "instruction outside geometry shader code memory (max 4096)");
        assert_eq!(error.line, line);
    }
}

/// A line is not searched for other languages' comments again for each of its labels: that took
/// two minutes for this one in a build for development.
#[test]
fn a_line_of_many_wrong_labels_is_quick() {
    let text = "a:".repeat(80_000);
    let start = std::time::Instant::now();
    let report = run(&text).expect_err("refused");
    assert!(report.left_out.errors > 79_000, "{:?}", report.left_out);
    assert!(start.elapsed().as_secs() < 10, "{:?}", start.elapsed());
}

#[test]
fn a_byte_order_mark_is_named() {
    let error = only_error("\u{feff}.proc main\nend\n.end");
    assert_eq!((error.message.as_str(), error.line), ("invalid instruction: \u{feff}.proc", 1));
    assert!(error.hint.is_some_and(|hint| hint.contains("byte order mark")));
}

#[test]
fn hints_name_the_equivalent_of_other_languages() {
    for (body, hint) in [
        ("foo: callc cmp.x, foo", "this is a label: jmpc and jmpu jump to labels"),
        ("end\n.end\n.proc a\nend\n.end\n.proc a", "the first one is at a.pica:4"),
        ("JMP there", "jmpc jumps on flags, jmpu on a bool uniform"),
        ("sub r0, r1, r2", "add with a negated operand: `add r0, r1, -r2`"),
        ("mov r0, c0 [1]", "no space is allowed before the `[`"),
        ("add r0,, r1", "an operand is missing here"),
    ] {
        let error = only_error(&format!(".proc main\n{body}\nend\n.end"));
        assert_eq!(error.hint.as_deref(), Some(hint), "{body}");
    }
}

#[test]
fn an_error_spans_the_operand() {
    let text = "; \u{e9}\n\tadd r0, r16, r1 ; here";
    let report = run(&format!(".proc main\n{text}\n end\n.end")).expect_err("refused");
    let Span { source, start, length } = report.errors[0].span;
    assert_eq!((source, &format!(".proc main\n{text}")[start..start + length]), (0, "r16"));
}

/// Checks that the code equals that of `same`, with one warning that begins with `warning`.
#[track_caller]
fn quirk(body: &str, same: &str, warning: &str) {
    let head = ".fvec m[4]\n.alias t r3\n.out pos position\n.in inp v0\n.proc main\n";
    let assemble = |body: &str| run(&format!("{head}{body}\nend\n.end")).unwrap_or_else(|r| panic!("{r}"));
    let (odd, plain) = (assemble(body), assemble(same));
    assert_eq!(odd.model.code, plain.model.code, "{body}");
    assert_eq!(odd.warnings.len(), 1, "{:?}", odd.warnings);
    assert!(odd.warnings[0].message.starts_with(warning), "{}", odd.warnings[0]);
    assert!(odd.warnings[0].hint.is_some(), "{body}");
    assert!(plain.warnings.is_empty(), "{:?}", plain.warnings);
}

#[test]
fn input_that_picasso_accepts_silently_gives_the_same_bytes_and_a_warning() {
    quirk("mov r0, o1", "mov r0, v1", "this reads v1");
    quirk("mov r0, pos", "mov r0, v0", "this reads v0");
    quirk("mov v1, r0", "mov o1, r0", "this writes o1");
    quirk("mov inp, r0", "mov o0, r0", "this writes o0");
    quirk("mov r0, r15[1]", "mov r0, c0", "this is c0");
    quirk("mov R1, r0", "mov o1, r0", "R1 is read as v1");
    quirk("mov r010, r0", "mov r8, r0", "r010 is read as r8");
    quirk("mov r1foo, r0", "mov r1, r0", "r1foo is read as r1");
    quirk("mov r0x1junk, r0", "mov r1, r0", "r0x1junk is read as r1");
    quirk("mov r1, c0 .y", "mov r1, c0.y", "the space after the number is ignored");
    quirk("mov r1, c0 x[1]", "mov r1, c1", "c0 x is read as c0");
    quirk("setemit 0x1junk", "setemit 1", "0x1junk is read as 1");
    quirk("l: jmpu ! b0, l", "l: jmpu !b0, l", "the space after the `!` is ignored");
    quirk("mov -r1, r0", "mov r1, r0", "the sign has no effect");
    quirk("mov r1.yx, r0", "mov r1.xy, r0", "arbitrary swizzling");
    quirk("mov r1, r0.", "mov r1, r0.x", "an empty swizzle");
    quirk("mov r1, m[1]junk.x", "mov r1, m[1].x", "this is ignored");
    quirk("mov r1, m[4]", "mov r1, c4", "this is c4");
    quirk("mov r1, m[1x]", "mov r1, m[1]", "1x is read as 1");
    quirk("mov r1, r2,", "mov r1, r2", "this comma is ignored");
    quirk(": mov r1, r2", "mov r1, r2", "this label has no name");
    quirk("setemit 0, foo", "setemit 0", "unknown setemit flag: foo");
}

#[test]
fn ignored_index_registers_and_missing_int_registers_give_a_warning() {
    for (line, warning) in [
        ("mov r1, t[a0.x]", "hardware ignores the address register"),
        ("for i5\nnop\n.end", "i5 does not exist, and hardware reads i1"),
    ] {
        let assembled = run(&format!(".alias t r3\n.proc main\n{line}\nend\n.end")).expect("assembles");
        assert!(assembled.warnings[0].message.starts_with(warning), "{:?}", assembled.warnings);
    }
}

/// The hint of the only error or warning of a text, after its message.
#[track_caller]
fn advice(text: &str) -> String {
    let all = match run(text) {
        Ok(assembled) => assembled.warnings,
        Err(report) => report.errors.into_iter().chain(report.warnings).collect(),
    };
    let [only] = &all[..] else { panic!("{text}: {all:?}") };
    format!("{} / {}", only.message, only.hint.as_deref().unwrap_or(""))
}

#[test]
fn a_missing_comma_is_named() {
    for (line, expected) in [
        ("mov r0 r1", "missing parameter / a comma is missing between `r0` and `r1`"),
        ("dp4 r0.x, m[a0.x + 1] v0", "missing parameter / a comma is missing between `1]` and `v0`"),
        ("jmpc cmp.x l", "missing parameter / a comma is missing between `cmp.x` and `l`"),
        ("add t r1, r2, r3", "invalid register: t r1 / a comma is missing between `t` and `r1`"),
        ("mov r0 r1, r2", "r0 r1 is read as r0 / a comma is missing between `r0` and `r1`"),
        ("setemit 0 prim", "0 prim is read as 0 / a comma is missing between `0` and `prim`"),
        (".fvec a b", "invalid identifier: a b / a comma is missing between `a` and `b`"),
        (".constf k(1 0 0 1)", "invalid syntax / a comma is missing between `1` and `0`"),
        (".fvec a [2]", "invalid identifier: a  / no space is allowed before the `[`"),
        ("add r0, r1", "missing parameter / "),
    ] {
        let text = format!(".fvec m[4]\n.alias t r3\n.proc main\nl:\n{line}\nend\n.end");
        assert_eq!(advice(&text), expected, "{line}");
    }
}

#[test]
fn comments_and_blocks_of_other_languages_get_a_hint() {
    let comment = "comments begin with `;`";
    let braces = "blocks have no braces: `.proc`, `ifc`, `ifu` and `for` begin them, `.end` ends them";
    for (line, message, hint) in [
        ("// copy", "invalid instruction: //", comment),
        ("/* copy */", "invalid instruction: /*", comment),
        ("mov r0, r1 // copy", "r1 // copy is read as r1", comment),
        ("mov r0, r1 # copy", "r1 # copy is read as r1", comment),
        ("mov r0, r1.xyz // copy", "invalid swizzling mask: xyz // copy", comment),
        ("mov r0, m[1] # copy", "this is ignored", comment),
        ("mov r0, r1 // x, y", "too many parameters", comment),
        ("mov r0, r1 // note: this", "invalid label name: mov r0, r1 // note", comment),
        ("ifu b0 {\n.end", "b0 { is read as b0", braces),
        ("}", "invalid instruction: }", braces),
        ("# 3 lights follow", "this sets the number of the next line", comment),
        ("mvo r0, r1 // copy", "invalid instruction: mvo", "did you mean `mov`?"),
    ] {
        let text = format!(".fvec m[4]\n.proc main\n{line}\nend\n.end");
        let report = match run(&text) {
            Ok(assembled) => assembled.warnings,
            Err(report) => report.errors,
        };
        assert_eq!((report[0].message.as_str(), report[0].hint.as_deref()), (message, Some(hint)), "{line}");
    }
    assert!(only_error(".proc main {\nend\n.end").hint.is_some_and(|hint| hint == braces));
    let error = only_error(".proc main\nifu b0 // note: this\nnop\n.end\nend\n.end");
    assert_eq!(error.hint.as_deref(), Some(comment));
}

#[test]
fn glsl_statements_get_a_hint() {
    for (line, part) in [
        ("vec4 x = m[0];", "`.alias name r0`"),
        ("uniform mat4 m;", "`.fvec m[4]`"),
        ("in vec3 position;", "directives begin with a dot: `.in`"),
        ("attribute vec3 position;", "`.in name`"),
        ("gl_Position = r0;", "`.out name position`"),
        ("mov gl_Position, r0", "`.out name position`"),
        ("r0 = r1;", "assignments do not exist"),
        ("if(r0.x > 0.0)", "`ifc` tests the flags"),
        ("void main()", "`.proc main`"),
    ] {
        let text = format!(".fvec m[4]\n.proc main\n{line}\nend\n.end");
        let hint = only_error(&text).hint.unwrap_or_default();
        assert!(hint.contains(part), "{line}: {hint}");
    }
    assert!(only_error("void main() {").hint.is_some_and(|hint| hint.contains("`.proc main`")));
    let two = advice(".proc main\nmov r0, r1; mov r2, r3\nend\n.end");
    assert!(two.starts_with("this instruction is not assembled / `;` begins a comment"), "{two}");
    let other = run(".proc main\nmov r0, r1 ; mov r2, r3\nmov r0, r1;add all, then end\nend;end\n.end");
    assert_eq!(other.expect("assembles").warnings, []);
}

#[test]
fn errors_name_the_registers_that_can_index() {
    for (operand, message) in [
        ("m[r0.x]", "not a number: counts as 0"),
        ("m[t]", "not a number: counts as 0"),
        ("m[a0.z]", "invalid index register: a0.z"),
        ("m[aL.x]", "invalid index register: aL.x"),
        ("m[r0.x + 1]", "invalid index register: r0.x"),
        ("m[t.y + 1]", "invalid index register: t.y"),
    ] {
        let text = format!(".fvec m[4]\n.alias t r3\n.proc main\nmov r1, {operand}\nend\n.end");
        let report = advice(&text);
        let rest = report.strip_prefix(message).unwrap_or_else(|| panic!("{report}"));
        assert!(rest.contains("only a0.x, a0.y and aL can be an index"), "{report}");
    }
}

#[test]
fn an_error_about_too_much_code_states_the_number_of_words() {
    let program = |words: usize| format!(".proc main\n{}end\n.end\n", "nop\n".repeat(words - 1));
    assert_eq!(run(&program(512)).expect("fits").warnings, []);
    // picasso accepts one word more than the unit holds.
    let report = advice(&program(513));
    assert!(report.starts_with("the vertex unit holds 512 instructions, but there are 513 / "), "{report}");
    let error = only_error(&program(600));
    assert_eq!(
        error.message,
        "instruction outside vertex shader code memory (max 512 instructions, currently 513)"
    );
    assert!(error.hint.is_some_and(|hint| hint.starts_with("there are 600 by the end of this source;")));
}

#[test]
fn a_missing_entry_point_is_reported_after_its_cause() {
    for cause in [".prco main", "proc main", "void main()", ".proc main extra"] {
        let report = run(&format!("{cause}\nend\n.end")).expect_err("refused");
        let report = report.to_string();
        assert!(report.starts_with("a.pica:1:") && !report.contains("entrypoint"), "{cause}: {report}");
    }
    let report = run(".proc mian\ncall there\nend\n.end").expect_err("refused").to_string();
    assert_eq!(
        report,
        "a.pica:2:6: error: procedure 'there' is undefined\na.pica:1:1: error: entrypoint 'main' is undefined"
    );
}

#[test]
fn nested_and_repeated_declarations_of_picasso_are_accepted() {
    // The inner one of two procedures is declared first.
    let nested = run(".proc main\nnop\n.proc main\nend\n.end\nend\n.end").expect("assembles");
    let header = nested.model.executables[0].header;
    assert_eq!((header.main, header.endmain), (1, 2));
    assert!(nested.warnings[0].message.starts_with("two procedures have this name"));

    let empty = run(".out p position\n.proc main\n.end").expect("assembles");
    assert_eq!((empty.model.code.len(), empty.model.executables[0].header.endmain), (0, 0));
    assert!(empty.warnings[0].message.contains("has no instructions"));
    let file = transpica::Shbin::parse(&empty.bytes).expect("readable");
    let text =
        crate::dis::disassemble(&file, &crate::dis::DisassemblerOptions::default()).expect("has a text");
    assert_eq!(run(&text).expect("assembles").model, empty.model, "{text}");

    let unnamed = run(".fvec ,\n.fvec a\n.proc main\nmov r0, a\nend\n.end").expect("assembles");
    let symbols = &unnamed.model.executables[0].symbols;
    assert_eq!(symbols.iter().map(|s| s.first).collect::<Vec<_>>(), [16, 17]);
    assert_eq!(unnamed.warnings[0].message, "this uniform has no name");

    let far = run(".fvec mat[4]\n.alias m mat[257]\n.proc main\nmov r0, m\nend\n.end").expect("assembles");
    assert_eq!(far.model.code, code("mov r0, -c1"));
    assert_eq!(far.warnings[0].message, "only eight bits of the register number are used");

    let brackets = run(".constf k(1.0, (), --1.0, 2.0)\n.proc main\nend\n.end").expect("assembles");
    assert_eq!(brackets.model.executables[0].constants[0].words, [0x3F_0000, 0, 0, 0x40_0000]);
    assert_eq!(brackets.warnings.len(), 2, "{:?}", brackets.warnings);

    refused(".fvec p[8\n.proc main\nend\n.end", "1:7: error: missing ']'");
}

#[test]
fn numbers_of_constants_are_checked() {
    let warnings = |line: &str| {
        let assembled = run(&format!("{line}\n.proc main\nend\n.end")).expect("assembles");
        let report = assembled.warnings.iter().map(|w| format!("{w} / {}", w.hint.as_deref().unwrap_or("")));
        report.collect::<Vec<_>>().join("\n")
    };
    expect_test::expect![[r#"
        a.pica:1:11: 1.0/255.0 is read as 1.0 / write 0.003921569: expressions are not supported
        a.pica:1:22: abc is read as 0.0 / the number ends at the first character that does not belong to it
        a.pica:1:39: this is ignored / a constant has four values, with nothing after them"#]]
    .assert_eq(&warnings(".constf a(1.0/255.0, abc, 0x10, 1.5f) x"));
    expect_test::expect![[r#"
        a.pica:1:11: 300 is stored as 44 / int constants have eight bits
        a.pica:1:20: 1.5 is read as 1 / the number ends at the first character that is not a digit"#]]
    .assert_eq(&warnings(".consti a(300, -1, 1.5, 0)"));
    expect_test::expect![[r#"
        a.pica:1:11: 1e20 becomes inf / constants must be below 1.8446744e19
        a.pica:1:17: -1e400 becomes -inf / constants must be below 1.8446744e19
        a.pica:1:30: 2e19 becomes NaN / constants must be below 1.8446744e19"#]]
    .assert_eq(&warnings(".constf a(1e20, -1e400, inf, 2e19)"));
    expect_test::expect![[r#"
        a.pica:1:11: 1e-30 becomes 0.0 / the smallest constant is 2.1684043e-19
        a.pica:1:18: 1e-400 becomes 0.0 / the smallest constant is 2.1684043e-19
        a.pica:1:32: a missing value counts as 0.0 / write 0 if that is intended"#]]
    .assert_eq(&warnings(".constf a(1e-30, 1e-400, 0e-99, )"));
    expect_test::expect![[r#"a.pica:1:18: 012 is read as 10 / a leading 0 makes the number octal"#]]
        .assert_eq(&warnings(".gsh variable c0 012"));
    expect_test::expect![[r#"a.pica:1:18: 3x is read as 3 / `x` after the number is ignored"#]]
        .assert_eq(&warnings(".gsh variable c0 3x"));
    assert!(warnings(".constf A B(0, 0, 0, 0)").contains("no operand can refer to this name"));
    assert!(warnings(".fvec c0").contains("this name hides the register"));
}

#[test]
fn the_header_names_every_uniform_that_can_be_set() {
    let first =
        ".fvec proj[4], _hidden, light$pos\n.ivec loops\n.bool on, many[3]\n.in a v0\n.proc main\nend\n.end";
    let second = ".gsh point c0\n.entry gmain\n.fvec own\n.proc gmain\nend\n.end";
    let sources = [SourceText { name: "a", text: first }, SourceText { name: "b", text: second }];
    expect_test::expect![[r#"
        // Generated by picasso
        #pragma once
        #define VSH_FVEC_proj 0x00
        #define VSH_ULEN_proj 4
        #define VSH_FVEC_light$pos 0x05
        #define VSH_ULEN_light$pos 1
        #define VSH_IVEC_loops 0x00
        #define VSH_ULEN_loops 1
        #define VSH_FLAG_on BIT(0)
        #define VSH_ULEN_on 1
        #define VSH_FLAG_many(_n) BIT(1+(_n))
        #define VSH_ULEN_many 3
    "#]]
    .assert_eq(&assemble(&sources).expect("assembles").header);
    let legacy = run(".gsh\n.fvec a\n.proc main\nend\n.end").expect("assembles").header;
    assert!(legacy.contains("#define GSH_FVEC_a 0x00"), "{legacy}");
}

#[test]
fn errors_have_columns() {
    let assembled = run(".proc main\n\tlabel: nop\n end\n.end").expect("assembles");
    let places: Vec<_> = assembled.places.iter().map(|place| (place.line, place.column)).collect();
    assert_eq!(places, [(2, 9), (3, 2)]);
}

#[test]
fn words_have_the_names_of_their_destinations() {
    let text = ".alias normal r1\n.alias shine -r1.w\n.out - position o0\n.out color color\n.proc main\n\
        mul normal.xyz, v0, r2\nadd shine, r1, r1\nmov normal[2].xy, r1\nmova a0.x, normal\n\
        cmp normal, eq, eq, r1\nmov r1, normal\nmov color, normal\nifc cmp.x\nmov normal, r2\nnop\n.end\n\
        mov o0, r1\nend\n.end";
    let assembled = run(text).expect("assembles");
    let names = ["normal", "shine", "normal[2]", "", "", "", "color", "", "normal", "", "", ""];
    assert_eq!(assembled.destinations, names);
    assert_eq!(assembled.places.len(), names.len());
}

#[test]
fn verbatim_directives_set_exact_words() {
    let text = "\
.verbatim
.opdesc 0x80000368 7
.opdesc 0x0000036f
.dvle
.header version 0x0102
.header endmain 9
.symbol %41%20b 0x10 0x12
.constant 3 200 1 2 3 0xFFFFFFFF
.proc main
\tmova a0.x, r1 @0
\tdphi o0, r1, r2 ^ 0x2000000
\tifc cmp.x, 0x7, 2
\tcmp r0, true6, true7, r0
\t.word 0x40000000
\tjmpc !cmp.y, 0
.end";
    let assembled = run(text).unwrap_or_else(|report| panic!("{report}"));
    let model = &assembled.model;
    assert_eq!(
        model.code,
        [0x4801_1000, 0x6204_4902, 0xA380_1C02, 0xBEE1_0802, 0x4000_0000, 0xB2C0_0000],
        "{:#x?}",
        model.code
    );
    assert_eq!((model.descriptors[0].bits, model.descriptors[0].usage), (0x8000_0368, 7));
    let executable = &model.executables[0];
    assert_eq!((executable.header.version.major, executable.header.endmain), (1, 9));
    assert_eq!(executable.names.get(executable.symbols[0].name).0, b"A b");
    assert_eq!(executable.constants[0].words[3], u32::MAX);
    refused(
        ".opdesc 0\n.proc main\n mov r0, r1 @0\n end\n.end",
        "3:6: error: descriptor 0 contradicts the operands",
    );
}

#[test]
fn extensions_are_refused_where_picasso_gives_them_another_meaning() {
    // Text after a register number is ignored.
    assert_eq!(code("mov r0, r1 @7"), code("mov r0, r1"));
    assert!(run(".proc main\ncmp r0, true6, eq, r0\nend\n.end").is_err());
    assert!(run(".proc main\nmov r0._, r1\nend\n.end").is_err());
}
