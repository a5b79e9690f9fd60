//! Instructions that steer, and those of geometry programs.
//! In: opcode and operands. Out: words whose targets may still be open, blocks. Knows no descriptor.
//! Facts: picasso's manual and probes.

use super::assembler::{Assembler, Reference};
use super::block::Kind;
use super::executable::Stage;
use super::lex;
use super::operand::{BOOL, INT};
use super::report::{Parse, fault};
use crate::isa::table::Role;
use crate::isa::word::Field;
use crate::isa::{ConditionOp, Opcode, Word};

/// What the target of an instruction is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Label,
    Proc,
}

impl<'a> Assembler<'a> {
    /// Carries out an instruction that computes nothing.
    pub(super) fn control(&mut self, opcode: Opcode, rest: &'a str, operands: &[&'a str]) -> Parse<'a, ()> {
        let is_block = matches!(opcode, Opcode::Ifc | Opcode::Ifu | Opcode::Loop);
        let named_target = !is_block && opcode.info().operands.contains(&Role::Target);
        let condition = opcode.info().operands.first().copied().filter(|&role| role != Role::Target);
        let count = usize::from(condition.is_some()) + usize::from(named_target);
        let is_setemit = opcode == Opcode::Setemit;
        self.count(rest, operands, count, if is_setemit { 2 } else { count })?;
        if is_setemit {
            return self.setemit(operands);
        }
        let mut word = Word::new(opcode);
        if let Some(role) = condition {
            word = self.subject(word, opcode, role, operands[0])?;
        }
        let pc = self.code.len();
        if named_target {
            let length = opcode.info().operands.contains(&Role::Length);
            let target = if length { Target::Proc } else { Target::Label };
            self.refer(pc, target, operands[count - 1])?;
        } else if is_block {
            let kind = if opcode == Opcode::Loop {
                Kind::For { word: pc }
            } else {
                Kind::If { word: pc, otherwise: None }
            };
            self.open(operands[0], kind)?;
        }
        self.emit(word);
        Ok(())
    }

    /// What the instruction depends on: flags, a bool or an int.
    fn subject(&mut self, word: Word, opcode: Opcode, role: Role, text: &'a str) -> Parse<'a, Word> {
        match role {
            Role::Condition => condition(word, text),
            Role::Int => Ok(word.with(Field::Id, self.bank(text, INT, 8, "integer uniform")?)),
            _ => {
                let (invert, name) = match text.strip_prefix('!') {
                    Some(rest) => (true, lex::trim(rest)),
                    None => (false, text),
                };
                if invert && role != Role::BoolOrNot {
                    let mnemonic = opcode.mnemonic().to_ascii_uppercase();
                    return fault(text, format!("Inverting the condition is not supported by {mnemonic}"));
                }
                let number = self.bank(name, BOOL, 16, "boolean uniform")?;
                Ok(word.with(Field::Id, number).with(Field::Num, u32::from(invert)))
            }
        }
    }

    /// Notes that a word wants the address of a label or procedure.
    fn refer(&mut self, word: usize, target: Target, name: &'a str) -> Parse<'a, ()> {
        self.check_name(name)?;
        let reference = Reference { word, name, site: self.site(name) };
        match target {
            Target::Label => self.file.jumps.push(reference),
            Target::Proc => self.calls.push(reference),
        }
        Ok(())
    }

    /// `setemit vertex [, prim inv]`; without `.gsh` it makes a geometry program of the old way.
    fn setemit(&mut self, operands: &[&'a str]) -> Parse<'a, ()> {
        let executable = self.executable();
        if executable.stage == Stage::Vertex {
            executable.stage = Stage::LegacyGeometry;
        }
        let Some(&vertex_text) = operands.first() else { return fault("", "missing parameter") };
        let vertex = match lex::integer(vertex_text).and_then(|vertex| u32::try_from(vertex).ok()) {
            Some(vertex @ 0..=2) => vertex,
            _ => return fault(vertex_text, format!("Value out of range (0..2): {vertex_text}")),
        };
        let mut word = Word::new(Opcode::Setemit).with(Field::Vertex, vertex);
        for flag in operands.get(1).into_iter().flat_map(|&flags| lex::words(flags)) {
            match flag.to_ascii_lowercase().as_str() {
                "prim" | "primitive" => word = word.with(Field::Prim, 1),
                "inv" | "invert" => word = word.with(Field::Invert, 1),
                _ => self.warn(flag, "unknown setemit flag"),
            }
        }
        self.emit(word);
        Ok(())
    }
}

/// Puts a condition on the flags into a word: one flag, or two with an operator between.
fn condition(word: Word, text: &str) -> Parse<'_, Word> {
    let Some(operator) = text.find(['&', '|']) else {
        let (is_y, wanted) = flag(text)?;
        let only = if is_y { ConditionOp::Y } else { ConditionOp::X };
        return Ok(put(word, [(is_y, wanted), (!is_y, true)], only));
    };
    let (left, right) = text.split_at(operator);
    let symbol = &right[..1];
    let right = right[1..].strip_prefix(symbol).unwrap_or(&right[1..]);
    let flags = [flag(lex::trim(left))?, flag(lex::trim(right))?];
    if flags[0].0 == flags[1].0 {
        return fault(text, "condition register checked twice");
    }
    Ok(put(word, flags, if symbol == "&" { ConditionOp::And } else { ConditionOp::Or }))
}

fn put(word: Word, flags: [(bool, bool); 2], op: ConditionOp) -> Word {
    let word = word.with(Field::ConditionOp, op as u32);
    flags.into_iter().fold(word, |word, (is_y, wanted)| {
        word.with(if is_y { Field::RefY } else { Field::RefX }, u32::from(wanted))
    })
}

/// Reads a flag: whether it is `cmp.y`, and its wanted value.
fn flag(text: &str) -> Parse<'_, (bool, bool)> {
    let name = text.trim_start_matches('!');
    let wanted = (text.len() - name.len()).is_multiple_of(2);
    match name.to_ascii_lowercase().as_str() {
        "cmp.x" => Ok((false, wanted)),
        "cmp.y" => Ok((true, wanted)),
        _ => fault(text, format!("invalid condition register: {name}")),
    }
}
