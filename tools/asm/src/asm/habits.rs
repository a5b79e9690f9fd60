//! Hints for habits from other languages: comments, blocks, words, assignments, and missing commas.
//! In: the faulty part of a line, and the line. Out: a hint, if a habit explains the fault. Knows
//! no grammar and no state. Lines in backticks assemble.

use super::lex;
use super::report::{offset, quote};

/// Words of other languages that begin a statement, in lower case, with the equivalent here.
const ELSEWHERE: [(&str, &str); 46] = [
    ("jmp goto bra", "jmpc jumps on flags, jmpu on a bool uniform"),
    ("sub", "add with a negated operand: `add r0, r1, -r2`"),
    ("ret return", "a procedure returns at its `.end`; no instruction is needed"),
    ("abs", ABSOLUTE),
    ("neg", "mov with a negated operand: `mov r0, -r1`"),
    ("div", "rcp, then mul: r1 by r2.x is `rcp r0, r2.x`, then `mul r0, r1, r0`"),
    ("sqrt", "rsq, then rcp: `rsq r0, r1.x`, then `rcp r0, r0.x`"),
    ("inversesqrt", "rsq"),
    ("exp", "ex2, base 2"),
    ("log", "lg2, base 2"),
    ("pow", "lg2, mul, then ex2"),
    ("dot", "dp3 and dp4"),
    ("dp2 dp2add", "mul and add: of r1 and r2, `mul r0, r1, r2`, then `add r0.x, r0.x, r0.y`"),
    ("normalize nrm", "dp3, rsq, then mul: of r1, `dp3 r0, r1, r1`, `rsq r0, r0.x`, `mul r0, r1, r0`"),
    ("length", "dp3, rsq, then rcp: of r1, `dp3 r0, r1, r1`, `rsq r0, r0.x`, `rcp r0, r0.x`"),
    (
        "cross crs xpd",
        "mul and mad: of r1 and r2, `mul r0, r1.yzx, r2.zxy`, then `mad r0, -r1.zxy, r2.yzx, r0`",
    ),
    ("lerp lrp mix", "add and mad: from r1 to r2 by r3 is `add r0, r2, -r1`, then `mad r0, r3, r0, r1`"),
    ("clamp", "max, then min"),
    ("saturate sat", "max with a constant 0, then min with a constant 1"),
    ("floor", "flr"),
    ("frc fract", "flr and add: of r1, `flr r0, r1`, then `add r0, r1, -r0`"),
    ("ceil", "flr of the negated operand: of r1, `flr r0, -r1`, then `mov r0, -r0`"),
    ("fma", "mad"),
    ("sgt", "slt with the operands exchanged: `slt r0, r2, r1` for r1 > r2"),
    ("sle", "sge with the operands exchanged: `sge r0, r2, r1` for r1 <= r2"),
    ("sin cos sincos", "this instruction does not exist: use a polynomial with mad, or a table in uniforms"),
    ("m4x4 m4x3 m3x4 m3x3", "a product with a matrix is a dp4 or dp3 for each row: `dp4 r0.x, m[0], r1`"),
    ("loop while do rep", "loops begin with `for`, which takes an int uniform; `breakc` leaves them early"),
    ("if", "`ifc` tests the flags that cmp sets, `ifu` a bool uniform; the block ends with `.end`"),
    ("endif endproc endfor endloop endrep", "every block ends with `.end`"),
    ("void main", "a procedure begins with `.proc main` and ends with `.end`"),
    (
        "float int uint vec2 vec3 vec4 ivec2 ivec3 ivec4 bvec2 bvec3 bvec4 lowp mediump highp",
        "values live in r0 to r15, four components each; `.alias name r0` names a register",
    ),
    ("mat2 mat3 mat4", "a matrix is an array of registers: `.fvec m[4]` as a uniform"),
    ("uniform", "`.fvec m[4]` declares four float uniforms called m, `.ivec` int uniforms, `.bool` flags"),
    ("const def", "`.constf name(1.0, 0.5, 0.0, 1.0)` declares a constant"),
    ("constb defb", "bool constants have no names: `.setb b0 true` sets a register"),
    ("defi", "`.consti name(2, 0, 1, 0)` declares a constant for loops"),
    ("attribute dcl", "`.in name` declares an input"),
    ("varying", "`.out name color` declares an output"),
    ("layout location", "the register comes after the name: `.in name v0`, `.out name color o1`"),
    ("precision", "all numbers have one precision; remove the line"),
    ("struct", "types do not exist; each register has its own name"),
    ("using", "modules do not exist; name all sources on the command line"),
    ("arl", "mova: `mova a0.x, r0.x`"),
    ("discard kill texkill clip", "programs run on vertices and primitives, and cannot discard fragments"),
    (
        "tex texld texldl tex2d texture sample",
        "programs cannot read textures; all numbers come from attributes and uniforms",
    ),
];

/// Hint for an absolute value.
const ABSOLUTE: &str = "max with the negated operand: `max r0, r1, -r1`";
/// Hint for arithmetic in an operand.
const EXPRESSION: &str = "operands contain no arithmetic: use an instruction, such as `mul r0, r1, r2`";
const COMMENT: &str = "comments begin with `;`";
const BRACES: &str = "blocks have no braces: `.proc`, `ifc`, `ifu` and `for` begin them, `.end` ends them";
const ASSIGNMENT: &str = "assignments do not exist: `mov r0, r1` copies, `add r0, r1, r2` adds";
const BUILT_IN: &str = "an output has the name from its declaration: `.out name position`";

/// Hint about a part of a line that contains another language's comment or braces.
pub(super) fn foreign_syntax_hint(line: &str, part: &str) -> Option<&'static str> {
    let start = offset(line, part)?;
    let code = line.split(';').next().unwrap_or_default();
    // A number may begin with `#` elsewhere, too.
    let hash = code.find('#').filter(|&at| !code[at + 1..].starts_with(is_number_start));
    let comment = ["//", "/*", "*/"].iter().filter_map(|mark| code.find(*mark)).chain(hash).min();
    if comment.is_some_and(|comment| comment < start + part.len()) {
        return Some(COMMENT);
    }
    part.contains(['{', '}']).then_some(BRACES)
}

fn is_number_start(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, '-' | '+' | '.')
}

/// Hint about an operand that another language computes in place.
pub(super) fn operand(text: &str) -> Option<&'static str> {
    let is_call = text.contains('(');
    if text.starts_with('|') {
        return Some(ABSOLUTE);
    }
    let call = statement(text, "").filter(|_| is_call);
    call.or_else(|| text.contains(['*', '/', '+']).then_some(EXPRESSION))
}

/// Hint about a statement of another language.
pub(super) fn statement(name: &str, rest: &str) -> Option<&'static str> {
    let word = name.split('(').next().unwrap_or_default().to_ascii_lowercase();
    if let Some((_, hint)) = ELSEWHERE.iter().find(|(words, _)| words.split(' ').any(|known| known == word)) {
        return Some(hint);
    }
    if built_in(name).is_some() {
        return Some(BUILT_IN);
    }
    (name.contains('=') || rest.contains('=')).then_some(ASSIGNMENT)
}

/// Hint about a built-in name of GLSL.
pub(super) fn built_in(name: &str) -> Option<&'static str> {
    name.starts_with("gl_").then_some(BUILT_IN)
}

/// Hint to write a comma between two operands.
pub(super) fn missing_comma(text: &str) -> Option<String> {
    let is_end = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | ']' | '.');
    let is_start = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '-' | '!');
    let mut before: Option<&str> = None;
    for word in lex::words(text) {
        // Blanks between brackets belong to one operand.
        let is_inside = before.is_some_and(|before| before.contains('[') && !before.contains(']'));
        if let Some(before) = before
            && !is_inside
            && before.ends_with(is_end)
            && word.starts_with(is_start)
        {
            return Some(format!("a comma is missing between `{}` and `{}`", quote(before), quote(word)));
        }
        if !is_inside || word.contains(']') {
            before = Some(word);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asm::{SourceText, assemble};

    #[test]
    fn a_missing_comma_is_suspected_only_between_operands() {
        for (text, expected) in [
            ("r0 r1", Some(("r0", "r1"))),
            ("m[a0.x + 1] -v0", Some(("1]", "-v0"))),
            ("cmp.x && cmp.y there", Some(("cmp.y", "there"))),
            ("cmp.x && !cmp.y", None),
            ("m[a0.x + 1]", None),
            ("- r0", None),
            ("r0", None),
            ("", None),
        ] {
            let expected = expected.map(|(a, b)| format!("a comma is missing between `{a}` and `{b}`"));
            assert_eq!(missing_comma(text), expected, "{text}");
        }
    }

    #[test]
    fn the_comment_hint_is_limited_to_the_comment() {
        let line = "mvo r0, r1 // two, three ; // four";
        assert_eq!(foreign_syntax_hint(line, &line[..3]), None);
        assert_eq!(foreign_syntax_hint(line, &line[8..16]), Some(COMMENT));
        assert_eq!(foreign_syntax_hint(line, &line[18..24]), Some(COMMENT));
        let line = "mvo r0, r1 ; // two";
        assert_eq!(foreign_syntax_hint(line, &line[8..10]), None);
    }

    #[test]
    fn lines_in_hints_assemble() {
        let mut count = 0;
        for hint in ELSEWHERE.iter().map(|(_, hint)| *hint).chain([ASSIGNMENT, BUILT_IN, EXPRESSION]) {
            let lines = hint.split('`').skip(1).step_by(2).filter(|line| line.contains(' '));
            for line in lines.filter(|line| !line.starts_with(".proc")) {
                let (head, body) = if line.starts_with('.') { (line, "nop") } else { (".fvec m[4]", line) };
                let text = format!("{head}\n.proc main\n{body}\nend\n.end");
                let assembled = assemble(&[SourceText { name: "a", text: &text }]);
                let assembled = assembled.unwrap_or_else(|report| panic!("{report}\n{text}"));
                assert_eq!(assembled.warnings, [], "{text}");
                count += 1;
            }
        }
        assert!(count > 25, "{count}");
    }

    #[test]
    fn each_word_is_listed_once() {
        let words =
            ELSEWHERE.iter().flat_map(|(words, hint)| words.split(' ').map(move |word| (word, *hint)));
        for (index, (word, hint)) in words.clone().enumerate() {
            assert!(words.clone().take(index).all(|(other, _)| other != word), "{word}");
            assert_eq!(statement(word, ""), Some(hint));
        }
    }
}
