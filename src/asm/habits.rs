//! Hints for habits from other languages: comments, blocks, words, assignments, and missing commas.
//! In: the faulty part of a line, and the line. Out: a hint, if a habit explains the fault. Knows
//! no grammar and no state.

use super::lex;
use super::report::{offset, quote};

/// Words of other languages that begin a statement, in lower case, with the equivalent here.
const ELSEWHERE: [(&str, &str); 29] = [
    ("jmp", "jmpc jumps on flags, jmpu on a bool uniform"),
    ("sub", "add with a negated operand: `add r0, r1, -r2`"),
    ("ret return", "a procedure returns at its `.end`; nothing is written for it"),
    ("abs", "max with the negated operand: `max r0, r1, -r1`"),
    ("neg", "mov with a negated operand: `mov r0, -r1`"),
    ("div", "rcp, then mul"),
    ("sqrt", "rsq, then rcp"),
    ("inversesqrt", "rsq"),
    ("exp", "ex2, base 2"),
    ("log", "lg2, base 2"),
    ("pow", "lg2, mul, then ex2"),
    ("dot", "dp3 and dp4"),
    ("normalize", "dp3, rsq, then mul"),
    ("clamp", "max, then min"),
    ("floor", "flr"),
    ("loop while do", "loops begin with `for`, which takes an int uniform; `breakc` leaves them early"),
    ("if", "`ifc` tests the flags that cmp sets, `ifu` a bool uniform; the block ends with `.end`"),
    ("endif endproc", "every block ends with `.end`"),
    ("void main", "a procedure begins with `.proc main` and ends with `.end`"),
    (
        "float int uint vec2 vec3 vec4 ivec2 ivec3 ivec4 bvec2 bvec3 bvec4 lowp mediump highp",
        "values live in r0 to r15, four components each; `.alias name r0` names a register",
    ),
    ("mat2 mat3 mat4", "a matrix is an array of registers: `.fvec m[4]` as a uniform"),
    ("uniform", "`.fvec m[4]` declares four float uniforms called m, `.ivec` int uniforms, `.bool` flags"),
    ("const", "`.constf name(x, y, z, w)` declares a constant"),
    ("attribute", "`.in name` declares an input"),
    ("varying", "`.out name color` declares an output"),
    ("layout location", "the register stands behind the name: `.in name v0`, `.out name color o1`"),
    ("precision", "all numbers have one precision; remove the line"),
    ("struct", "there are no types; each register has a name of its own"),
    ("using", "there are no modules; all sources are named on the command line"),
];

const COMMENT: &str = "comments begin with `;`";
const BRACES: &str = "blocks have no braces: `.proc`, `ifc`, `ifu` and `for` begin them, `.end` ends them";
const ASSIGNMENT: &str = "there are no assignments: `mov r0, r1` copies, `add r0, r1, r2` adds";
const BUILT_IN: &str = "an output has the name that its line gives it: `.out name position`";

/// Hint about a part of a line that contains another language's comment or braces.
pub(super) fn foreign_syntax_hint(line: &str, part: &str) -> Option<&'static str> {
    let start = offset(line, part)?;
    let code = line.split(';').next().unwrap_or_default();
    let comment = ["//", "/*", "*/", "#"].iter().filter_map(|mark| code.find(*mark)).min();
    if comment.is_some_and(|comment| comment < start + part.len()) {
        return Some(COMMENT);
    }
    part.contains(['{', '}']).then_some(BRACES)
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
    fn each_word_is_listed_once() {
        let words =
            ELSEWHERE.iter().flat_map(|(words, hint)| words.split(' ').map(move |word| (word, *hint)));
        for (index, (word, hint)) in words.clone().enumerate() {
            assert!(words.clone().take(index).all(|(other, _)| other != word), "{word}");
            assert_eq!(statement(word, ""), Some(hint));
        }
    }
}
