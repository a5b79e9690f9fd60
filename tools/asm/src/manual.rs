//! The manual of the language, from the tables of opcodes and directives.
//! In: an opcode, a directive, a subject. Out: forms, pages in Markdown. Knows no source.
//! Facts: the table of opcodes; the assembler takes the inverted form where that one fits.

use transpica::isa::table::{Class, Role};
use transpica::isa::word::{Field, Format};
use transpica::isa::{Mask, Opcode};

use crate::directives;
use crate::lint::Rule;
use crate::words::did_you_mean;

/// The guide's page of the language, a section for each subject.
const LANGUAGE: &str = include_str!("guide/language.md");

/// Semantics of instructions whose operands in a text are not the fields of the word.
const FLOW: [(Opcode, &str); 8] = [
    (
        Opcode::Ifu,
        "runs the block up to `.else` or `.end` if the bool uniform is true, else the one after `.else`",
    ),
    (
        Opcode::Ifc,
        "runs the block up to `.else` or `.end` if the condition holds, else the one after `.else`",
    ),
    (
        Opcode::Loop,
        "repeats the block up to `.end` `int.x + 1` times; `aL` begins at `int.y` and grows by `int.z` each time",
    ),
    (Opcode::Call, "runs the procedure, then continues after the call"),
    (Opcode::Callc, "runs the procedure if the condition holds, then continues after the call"),
    (Opcode::Callu, "runs the procedure if the bool uniform is true, then continues after the call"),
    (Opcode::Jmpc, "continues at the label if the condition holds"),
    (Opcode::Jmpu, "continues at the label if the bool uniform is true, with `!` if it is false"),
];

/// Returns the page of a subject: an instruction, a directive, a rule of lint, or a section of the
/// language such as `directives`; `language` is the complete page, `lint-rules` lists the rules.
///
/// ```
/// use transpica_asm::manual::page;
/// assert!(page("mad").is_some_and(|page| page.contains("mad dest, s1, s2, s3")));
/// assert!(page("mova-pair").is_some_and(|page| page.contains("Hardware hangs")));
/// assert!(page("directives").is_some_and(|page| page.contains(".fvec")));
/// assert_eq!(page("shader"), None);
/// ```
pub fn page(subject: &str) -> Option<String> {
    let mut pages: Vec<String> = Opcode::from_mnemonic(subject).map(instruction).into_iter().collect();
    pages.extend(directive(subject));
    let is_wanted = |rule: &&Rule| subject == "lint-rules" || rule.id() == subject;
    let rules = Rule::ALL.iter().filter(is_wanted);
    pages.extend(rules.map(|rule| format!("{}: {}", rule.id(), rule.explanation())));
    if pages.is_empty() {
        let mut sections = LANGUAGE.split("\n## ");
        let is_wanted =
            |section: &&str| section.lines().next().is_some_and(|line| line.eq_ignore_ascii_case(subject));
        let section = match subject.eq_ignore_ascii_case("language") {
            true => LANGUAGE.to_owned(),
            false => format!("## {}", sections.find(is_wanted)?),
        };
        pages.push(section.trim_end().to_owned());
    }
    Some(pages.join("\n\n"))
}

/// Returns the error about a subject that has no page: the most similar one, and a list in which
/// are other subjects, too.
pub fn no_page(subject: &str, others: &[&str]) -> String {
    let sections = LANGUAGE.split("\n## ").skip(1).filter_map(|section| section.lines().next());
    let sections: Vec<String> = sections.map(str::to_lowercase).collect();
    let listed: Vec<&str> = ["language", "lint-rules"].into_iter().chain(others.iter().copied()).collect();
    let listed: Vec<&str> = listed.into_iter().chain(sections.iter().map(String::as_str)).collect();
    let known = listed.iter().copied().chain(Opcode::ALL.iter().map(|opcode| opcode.mnemonic()));
    let known =
        known.chain(directives().iter().map(|one| one.name)).chain(Rule::ALL.iter().map(|rule| rule.id()));
    let near = did_you_mean(subject, known).map_or_else(String::new, |hint| format!("; {hint}"));
    let kinds = "instructions, directives, rules of lint and keys of test files by their names";
    format!("no help on `{subject}`{near}\n\nThere is help on {}; on {kinds}.", listed.join(", "))
}

/// Returns the semantics of an instruction, in the words of its text.
pub fn meaning(opcode: Opcode) -> &'static str {
    FLOW.iter().find(|(known, _)| *known == opcode).map_or(opcode.info().meaning, |(_, meaning)| meaning)
}

/// Returns the page of an instruction, as Markdown.
pub fn instruction(opcode: Opcode) -> String {
    let info = opcode.info();
    let mut page = format!("```pica\n{}\n```\n{}\n", form(opcode), meaning(opcode));
    for (number, name) in operand_names(opcode).iter().enumerate() {
        page += &format!("\n- `{name}`: {}", describe(opcode, number));
    }
    for (number, reads) in (1..).zip(info.reads) {
        let components = reads.for_mask(Mask::XYZW);
        if components != Mask::XYZW {
            page += &format!("\n- reads `{components}` of `s{number}`");
        }
    }
    page
}

/// Returns the page of a directive, which may have its dot, as Markdown.
pub fn directive(name: &str) -> Option<String> {
    let name = name.trim_start_matches('.');
    let known = directives().iter().find(|known| known.name.eq_ignore_ascii_case(name))?;
    Some(format!("```pica\n.{} {}\n```\n{}", known.name, known.form, known.meaning))
}

/// An instruction with the names of its operands.
pub fn operand_names(opcode: Opcode) -> Vec<String> {
    let mut sources = 0;
    let mut name = |role: &Role| match role {
        Role::Dest => "dest".to_owned(),
        Role::AddressDest => "a0".to_owned(),
        Role::Source => {
            sources += 1;
            format!("s{sources}")
        }
        Role::CompareOp => String::new(),
        Role::Condition => "condition".to_owned(),
        Role::Bool => "bool".to_owned(),
        Role::BoolOrNot => "[!]bool".to_owned(),
        Role::Int => "int".to_owned(),
        Role::Target => "target".to_owned(),
        Role::Last | Role::Length => String::new(),
        Role::Vertex => "vertex".to_owned(),
        Role::Flags => "[prim] [inv]".to_owned(),
    };
    let is_block = matches!(opcode, Opcode::Ifu | Opcode::Ifc | Opcode::Loop);
    let roles = opcode.info().operands.iter().filter(|role| !(is_block && **role == Role::Target));
    let mut names: Vec<String> = roles.map(&mut name).filter(|name| !name.is_empty()).collect();
    if opcode.info().class == Class::Compare {
        names = ["s1", "opx", "opy", "s2"].map(str::to_owned).to_vec();
    }
    names
}

/// Returns the syntax of an instruction.
pub fn form(opcode: Opcode) -> String {
    format!("{} {}", opcode.mnemonic(), operand_names(opcode).join(", ")).trim_end().to_owned()
}

/// Returns the number of the source that an operand is, from 0.
pub fn source_number(opcode: Opcode, operand: usize) -> Option<usize> {
    let roles = opcode.info().operands;
    roles.get(operand).filter(|role| **role == Role::Source)?;
    Some(roles[..operand].iter().filter(|role| **role == Role::Source).count())
}

/// Returns the sources that can be a uniform in either form, from 0.
pub fn wide_sources(opcode: Opcode) -> Vec<usize> {
    let formats: [Option<Format>; 2] = [opcode.format().into(), opcode.inverted().map(Opcode::format)];
    let wide = formats.into_iter().flatten().filter_map(Format::wide);
    let mut all: Vec<usize> =
        wide.filter_map(|field| Field::SOURCES.iter().position(|one| *one == field)).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Describes an operand: what a text may have in its place.
pub fn describe(opcode: Opcode, operand: usize) -> String {
    let Some(role) = opcode.info().operands.get(operand) else { return String::new() };
    match role {
        Role::Dest => "an r or o register, with the components to write",
        Role::AddressDest => "`a0.x`, `a0.y` or `a0.xy`",
        Role::Source => {
            let wide = wide_sources(opcode);
            return match source_number(opcode, operand) {
                Some(number) if wide.contains(&number) && wide.len() > 1 => {
                    "a v or r register, or a uniform if no other source is one".to_owned()
                }
                Some(number) if wide.contains(&number) => "a v or r register, or a uniform".to_owned(),
                _ => "a v or r register, not a uniform".to_owned(),
            };
        }
        Role::CompareOp => "`eq`, `ne`, `lt`, `le`, `gt` or `ge`",
        Role::Condition => "`cmp.x` or `cmp.y`, `!` before it, two of them with `&&` or `||` between",
        Role::Bool => "a bool uniform",
        Role::BoolOrNot => "a bool uniform, perhaps with `!` before it",
        Role::Int => "an int uniform",
        Role::Target if opcode.mnemonic().starts_with("call") => "a procedure",
        Role::Target => "a label of the same source",
        Role::Last | Role::Length => "",
        Role::Vertex => "the vertex slot: 0, 1 or 2",
        Role::Flags => "`prim` completes a triangle, `inv` reverses its winding",
    }
    .to_owned()
}

/// Describes the registers of a bank.
pub fn bank(letter: char) -> &'static str {
    match letter {
        'v' => "an input, one attribute of the vertex",
        'o' => "an output; written once, never read",
        'c' => "a float uniform",
        'i' => "an int uniform, for `for`",
        'b' => "a bool uniform, for `ifu`, `callu` and `jmpu`",
        _ => "a temporary register",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_show_what_a_text_has() {
        let forms =
            [Opcode::Mad, Opcode::Cmp, Opcode::Ifu, Opcode::Jmpu, Opcode::Setemit, Opcode::End].map(form);
        let expected = [
            "mad dest, s1, s2, s3",
            "cmp s1, opx, opy, s2",
            "ifu bool",
            "jmpu [!]bool, target",
            "setemit vertex, [prim] [inv]",
            "end",
        ];
        assert_eq!(forms, expected);
        assert_eq!(
            [wide_sources(Opcode::Add), wide_sources(Opcode::Mad), wide_sources(Opcode::Sge)],
            [vec![0], vec![1, 2], vec![0, 1]]
        );
    }
}
