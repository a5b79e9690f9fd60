//! Operands as texts: registers after names, forms of instructions, legal sources.
//! In: an opcode, operands. Out: registers, signatures. Knows no document.
//! Facts: the table of opcodes; the assembler takes the inverted form where that one fits.

use transpica::isa::table::{Class, Role};
use transpica::isa::word::{Field, Format};
use transpica::isa::{Mask, Opcode};

/// A register with the components that a text names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register {
    /// Letter of its bank.
    pub bank: char,
    /// Its number.
    pub number: u8,
    /// The components.
    pub mask: Mask,
}

impl Register {
    /// Reads a register with components and sign.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim_start_matches('-');
        let (base, components) = text.split_once('.').unwrap_or((text, "xyzw"));
        let base = base.split('[').next().unwrap_or(base);
        let bank = base.chars().next().filter(|letter| "ovrcib".contains(*letter))?;
        let number = base[1..].parse().ok()?;
        Some(Self { bank, number, mask: mask(components)? })
    }

    /// Returns the same register with the components that a swizzle takes of it.
    #[must_use]
    pub fn with(self, components: &str) -> Self {
        Self { mask: mask(components).unwrap_or(self.mask), ..self }
    }
}

/// Returns the components that letters name, or `None` if one is no component.
fn mask(letters: &str) -> Option<Mask> {
    let bit = |letter: char| {
        let sets = ["xyzw", "rgba", "stpq"];
        sets.iter().find_map(|set| set.find(letter.to_ascii_lowercase())).map(|place| 1 << place)
    };
    letters.chars().try_fold(0, |all, letter| Some(all | bit(letter)?)).map(Mask)
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

/// Describes an operand.
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

    #[test]
    fn registers_have_components() {
        let register = Register::parse("-r3.wx").expect("a register");
        assert_eq!((register.bank, register.number, register.mask), ('r', 3, Mask(9)));
        assert_eq!(
            [Register::parse("x1"), Register::parse("r"), Register::parse("r0.q1"), Register::parse("")],
            [None; 4]
        );
    }
}
