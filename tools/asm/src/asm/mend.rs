//! Corrected lines for instructions whose operands stand where the hardware cannot read them.
//! In: texts of operands. Out: hints; what is in backticks assembles. Knows no declarations.

use super::lex;
use super::register::INT;
use super::space::UniformKind;
use transpica::isa::CompareOp;

/// Hint for a number in place of a register: the constant to declare.
pub(super) fn number(text: &str, kind: UniformKind) -> Option<String> {
    let number = text.strip_prefix('#').unwrap_or(text);
    let is_number = lex::is_float(number);
    match kind {
        UniformKind::Float if is_number => Some(format!(
            "operands are registers: declare `.constf number({number}, {number}, {number}, {number})` and write \
             `number` here"
        )),
        UniformKind::Int if is_number => {
            let more = lex::decimal(number).clamp(1, 256) - 1;
            Some(format!(
                "declare `.consti times({more}, 0, 1, 0)` and write `for times`: a loop runs once more than x says"
            ))
        }
        UniformKind::Bool if is_number || matches!(text, "true" | "false") => {
            let value = !matches!(number, "0" | "false");
            Some(format!("declare `.setb b0 {value}` and write b0 here, or `.bool flag` for the host to set"))
        }
        UniformKind::Float | UniformKind::Int | UniformKind::Bool => None,
    }
}

/// Hint for numbers in brackets in place of a register.
pub(super) fn vector(operands: &str) -> Option<String> {
    let (_, inside) = operands.split_once('(')?;
    let mut values: Vec<&str> =
        inside.split([',', ')']).map(lex::trim).take_while(|v| lex::is_float(v)).collect();
    let last = *values.last()?;
    values.resize(4, last);
    let values = values.join(", ");
    Some(format!("operands are registers: declare `.constf numbers({values})` and write `numbers` here"))
}

/// Hint for a source that only another place of the instruction can hold: a uniform, or a register
/// with an address register. `wide` says for each source whether it is one, `at` is the text of
/// this one.
pub(super) fn uniform(name: &str, operands: &[&str], wide: &[bool], at: &str) -> String {
    let exchanged = |a, b| {
        let mut operands = operands.to_vec();
        operands.swap(a, b);
        format!("`{name} {}`", operands.join(", "))
    };
    match (name, wide) {
        ("add" | "mul" | "dp3" | "dp4", [false, true]) => {
            format!("only the first source can be a uniform: {}", exchanged(1, 2))
        }
        ("min" | "max", [false, true]) => {
            let line = exchanged(1, 2);
            format!("only the first source can be a uniform: {line}, which differs only for NaN")
        }
        ("mad" | "madi", [true, false, false]) => {
            format!("the first source cannot be a uniform, the second can: {}", exchanged(1, 2))
        }
        ("cmp", [false, true]) => {
            let mirrored = |op: &str| match CompareOp::ALL.into_iter().find(|known| is_name(*known, op)) {
                Some(CompareOp::Lt) => "gt",
                Some(CompareOp::Le) => "ge",
                Some(CompareOp::Gt) => "lt",
                Some(CompareOp::Ge) => "le",
                Some(op @ (CompareOp::Eq | CompareOp::Ne | CompareOp::True6 | CompareOp::True7)) => op.name(),
                None => "eq",
            };
            let [a, x, y, b] = [0, 1, 2, 3].map(|index| operands.get(index).copied().unwrap_or_default());
            let (x, y) = (mirrored(x), mirrored(y));
            format!("only the first source can be a uniform: `cmp {b}, {x}, {y}, {a}`")
        }
        _ => format!("only one source can be a uniform: copy this one, `mov r15, {at}`, and read r15 here"),
    }
}

fn is_name(op: CompareOp, text: &str) -> bool {
    op.name().eq_ignore_ascii_case(text)
}

/// Hint for the operands of CMP, of which the comparison may be a symbol or stand once.
pub(super) fn comparison(operands: &str) -> String {
    let parts = parts(operands);
    let ops: Vec<_> = parts.iter().map(|part| comparison_name(part)).collect();
    let line = match (&parts[..], &ops[..]) {
        ([a, _, b], [None, Some(op), None]) => format!("cmp {a}, {op}, {op}, {b}"),
        ([a, _, _, b], [None, Some(x), Some(y), None]) => format!("cmp {a}, {x}, {y}, {b}"),
        _ => "cmp r0, lt, lt, r1".to_owned(),
    };
    format!("one comparison (eq, ne, lt, le, gt, ge) for x and one for y: `{line}`")
}

/// Name of a comparison that a text names or draws.
fn comparison_name(text: &str) -> Option<&'static str> {
    let symbol = match text {
        "==" | "=" => Some(CompareOp::Eq),
        "!=" | "<>" => Some(CompareOp::Ne),
        "<" => Some(CompareOp::Lt),
        "<=" => Some(CompareOp::Le),
        ">" => Some(CompareOp::Gt),
        ">=" => Some(CompareOp::Ge),
        _ => CompareOp::ALL[..6].iter().copied().find(|op| is_name(*op, text)),
    };
    symbol.map(CompareOp::name)
}

/// Splits operands at commas, blanks, and around symbols of comparisons.
fn parts(operands: &str) -> Vec<&str> {
    let class = |c: char| match c {
        ',' | ' ' | '\t' => 0,
        '<' | '>' | '=' | '!' => 1,
        _ => 2,
    };
    let (mut parts, mut rest) = (Vec::new(), operands);
    while let Some(kind) = rest.chars().next().map(class) {
        let end = rest.find(|c| class(c) != kind).unwrap_or(rest.len());
        let (part, behind) = rest.split_at(end);
        parts.extend((kind != 0).then_some(part));
        rest = behind;
    }
    parts
}

/// Hint for an offset after the last float uniform; `register` is the register without it.
pub(super) fn offset(register: u32) -> String {
    format!("the last c register is c95; the offset here is at most {}", (INT - 1).saturating_sub(register))
}

#[cfg(test)]
mod tests {
    use crate::asm::{Assembled, Diagnostic, Report, SourceText, assemble};

    fn assembled(declaration: &str, line: &str) -> Result<Assembled, Report> {
        let close = if line.starts_with("for") || line.starts_with("ifu") { "nop\n.end\n" } else { "" };
        let text =
            format!(".fvec k[4], p\n.in pos v0\n{declaration}\n.proc main\nnop\n{line}\n{close}end\n.end");
        assemble(&[SourceText { name: "a.pica", text: &text }])
    }

    /// Checks that the only error of a line has a hint with a declaration and a line, and that they
    /// assemble without a warning.
    #[track_caller]
    fn mended(wrong: &str, declaration: &str, line: &str) {
        let report = assembled("", wrong).map(|_| ()).expect_err(wrong);
        let [Diagnostic { message, hint: Some(hint), .. }] = &report.errors[..] else {
            panic!("{wrong}: {:?}", report.errors)
        };
        assert!(declaration.is_empty() || hint.contains(&format!("`{declaration}`")), "{message} / {hint}");
        let name = line.rsplit(' ').next().unwrap_or_default();
        let is_named = hint.contains(&format!("`{line}`")) || hint.contains(&format!("write `{name}` here"));
        assert!(is_named || hint.contains("write b0 here"), "{message} / {hint}");
        let warnings = assembled(declaration, line).unwrap_or_else(|report| panic!("{report}")).warnings;
        assert_eq!(warnings, [], "{line}");
    }

    #[test]
    fn a_number_as_operand_names_the_constant_to_declare() {
        mended("mov r0, 1.0", ".constf number(1.0, 1.0, 1.0, 1.0)", "mov r0, number");
        mended("mov r0, -1", ".constf number(-1, -1, -1, -1)", "mov r0, number");
        mended("mul r0, .5, r1", ".constf number(.5, .5, .5, .5)", "mov r0, number");
        mended("mov r0, #3", ".constf number(3, 3, 3, 3)", "mov r0, number");
        mended("mov r0, #-0.5", ".constf number(-0.5, -0.5, -0.5, -0.5)", "mov r0, number");
        mended("mov r0, vec4(1.0, 0.5, 0.0, 1.0)", ".constf numbers(1.0, 0.5, 0.0, 1.0)", "mov r0, numbers");
        mended("mov r0, (1.0, 2.0)", ".constf numbers(1.0, 2.0, 2.0, 2.0)", "mov r0, numbers");
        mended("for 3", ".consti times(2, 0, 1, 0)", "for times");
        mended("for 1000", ".consti times(255, 0, 1, 0)", "for times");
        mended("ifu 1", ".setb b0 true", "ifu b0");
        mended("ifu false", ".setb b0 false", "ifu b0");
    }

    #[test]
    fn comparisons_stand_twice_and_have_names() {
        mended("cmp r0, <, r1", "", "cmp r0, lt, lt, r1");
        mended("cmp r0.x, le, pos.y", "", "cmp r0.x, le, le, pos.y");
        mended("cmp r0>=r1", "", "cmp r0, ge, ge, r1");
        mended("cmp k, ==, !=, r1", "", "cmp k, eq, ne, r1");
        mended("cmp r0, r1", "", "cmp r0, lt, lt, r1");
        mended("cmp r0, r1, lt", "", "cmp r0, lt, lt, r1");
    }

    #[test]
    fn a_uniform_in_the_wrong_source_is_moved_or_copied() {
        mended("mad r0, k, r1, r2", "", "mad r0, r1, k, r2");
        mended("mad r0.xy, -k[a0.x].x, r1, r2", "", "mad r0.xy, r1, -k[a0.x].x, r2");
        mended("mad r0, k, r1, p", "", "mov r15, k");
        mended("mad r0, r1, k, p", "", "mov r15, p");
        mended("add r0, r1, p.x", "", "add r0, p.x, r1");
        mended("max r0, pos, k[1]", "", "max r0, k[1], pos");
        mended("mul r0, p, -k[2].wzyx", "", "mov r15, -k[2].wzyx");
        mended("cmp r0, lt, ge, k", "", "cmp k, gt, le, r0");
        mended("cmp p, eq, ne, k", "", "mov r15, k");
        mended("add r0, pos, -v1.x", "", "mov r15, -v1.x");
    }

    #[test]
    fn operands_and_words_of_other_languages_name_the_instructions() {
        mended("mov r0, |pos|", "", "max r0, r1, -r1");
        mended("mov r0, -|pos.x|", "", "max r0, r1, -r1");
        mended("mov r0, abs(r1)", "", "max r0, r1, -r1");
        mended("lerp r0, r1, r2, r3", "", "mad r0, r3, r0, r1");
        mended("nrm r0, r1", "", "mul r0, r1, r0");
        mended("mov r0, k * 2", "", "mul r0, r1, r2");
    }

    #[test]
    fn registers_that_cannot_be_read_are_explained() {
        for (line, expected) in [
            ("mov r0, k[a0.x+200]", "the last c register is c95; the offset here is at most 95"),
            ("mov r0, c90[10]", "the last c register is c95; the offset here is at most 5"),
            (".constb yes true", "bool constants have no names: `.setb b0 true` sets a register"),
            ("for r0", "i0 to i3, or a name that `.ivec` or `.consti` declares"),
            ("ifu r0", "b0 to b15, or a name that `.bool` declares"),
            ("mov r0, b3", "this is a b register: `for` reads i, `ifu`, `callu` and `jmpu` read b"),
            ("mov r0, i0[1]", "this is an i register"),
        ] {
            let report = assembled("", line).map(|_| ()).expect_err(line);
            let hint = report.errors[0].hint.as_deref().unwrap_or_default();
            assert!(hint.starts_with(expected), "{line}: {hint}");
        }
        assert!(assembled("", "mov r0, k[a0.x + 95]").is_ok_and(|assembled| assembled.warnings.is_empty()));
    }
}
