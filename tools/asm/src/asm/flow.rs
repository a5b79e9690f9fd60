//! Control-flow instructions, and those of geometry programs.
//! In: opcode and operands. Out: words, perhaps with unresolved targets, and blocks. Knows no
//! descriptor.
//! Facts: picasso's manual and probes.

use super::executable::Stage;
use super::instruction::Suffix;
use super::register::{BOOL, INT};
use super::report::{Parse, fault, hinted, invalid, quote};
use super::state::{Assembler, BlockKind, Reference};
use super::{extension, lex};
use transpica::isa::sizes::{BOOLS, INTS};
use transpica::isa::table::{Class, Role};
use transpica::isa::word::Field;
use transpica::isa::{ConditionOp, Move, Opcode, Word};

impl<'a> Assembler<'a> {
    /// Assembles an instruction that computes nothing.
    pub(super) fn control(
        &mut self,
        opcode: Opcode,
        rest: &'a str,
        operands: &[&'a str],
        suffix: Suffix,
    ) -> Parse<'a, ()> {
        let block = match opcode.moves() {
            Some(Move::If) => Some(BlockKind::If { word: self.code.len(), else_start: None }),
            Some(Move::Loop) => Some(BlockKind::For { word: self.code.len() }),
            Some(Move::Next | Move::End | Move::Break | Move::Call | Move::Jump) | None => None,
        };
        let roles = opcode.info().operands;
        let named_target = block.is_none() && roles.contains(&Role::Target);
        let condition = roles.first().copied().filter(|&role| role != Role::Target);
        let count = usize::from(condition.is_some()) + usize::from(named_target);
        let is_setemit = opcode.info().class == Class::SetEmit;
        let is_numeric = is_numeric(opcode, operands);
        // `prim inv` is optional; without it `setemit` has one operand.
        let most = if is_setemit { 2 } else { count };
        let most = if is_numeric { roles.len() } else { most };
        self.count(rest, operands, count, most)?;
        if is_setemit {
            return self.setemit(operands, suffix);
        }
        let mut word = Word::new(opcode);
        if let Some(role) = condition {
            word = self.condition_operand(word, opcode, role, operands[0])?;
        }
        let pc = self.code.len();
        if is_numeric {
            word = numbers(word, roles, operands)?;
        } else if named_target {
            let name = operands[count - 1];
            lex::check_name(name)?;
            let reference = Reference { word: pc, name, site: self.messages.site(name), is_label: false };
            let is_call = opcode.moves() == Some(Move::Call);
            let references = if is_call { &mut self.calls } else { &mut self.file.jumps };
            references.push(reference);
        } else if let Some(kind) = block {
            self.open(lex::first_word(self.messages.statement).0, kind)?;
        }
        self.emit(suffix.apply(word));
        Ok(())
    }

    /// Reads the operand that decides: flags, a bool or an int.
    fn condition_operand(
        &mut self,
        word: Word,
        opcode: Opcode,
        role: Role,
        text: &'a str,
    ) -> Parse<'a, Word> {
        match role {
            Role::Condition => condition(word, text),
            Role::Int => {
                let number = self.bank(text, INT, 8)?;
                if number >= INTS as u32 {
                    let message = format!("i{number} does not exist, and hardware reads i{}", number & 3);
                    self.messages.warn(text, &message, Some("they are i0 to i3"));
                }
                Ok(word.with(Field::Id, number))
            }
            _ => {
                let (invert, name) = match text.strip_prefix('!') {
                    Some(rest) => (true, lex::trim(rest)),
                    None => (false, text),
                };
                if invert && role != Role::BoolOrNot {
                    let mnemonic = opcode.mnemonic().to_ascii_uppercase();
                    let hint = "swap the parts of the block, or use jmpu";
                    let message = format!("Inverting the condition is not supported by {mnemonic}");
                    return hinted(text, message, hint);
                }
                if invert && !text[1..].starts_with(name) {
                    let hint = "write the `!` next to the name";
                    self.messages.warn(text, "the space after the `!` is ignored", Some(hint));
                }
                let number = self.bank(name, BOOL, BOOLS)?;
                Ok(word.with(Field::Id, number).with(Field::Num, u32::from(invert)))
            }
        }
    }

    /// `setemit vertex [, prim inv]`; without `.gsh` it declares a legacy geometry program.
    fn setemit(&mut self, operands: &[&'a str], suffix: Suffix) -> Parse<'a, ()> {
        let executable = self.executable();
        if executable.stage == Stage::Vertex {
            executable.stage = Stage::LegacyGeometry;
        }
        let Some(&vertex_text) = operands.first() else { return fault("", "missing parameter") };
        let vertex = match lex::integer(vertex_text).and_then(|vertex| u32::try_from(vertex.value).ok()) {
            Some(vertex @ 0..=2) => vertex,
            _ => {
                let hint = "a triangle has the vertices 0, 1 and 2";
                let message = format!("Value out of range (0..2): {}", quote(vertex_text));
                return hinted(vertex_text, message, hint);
            }
        };
        self.check_integer(vertex_text, vertex_text);
        let mut word = Word::new(Opcode::Setemit).with(Field::Vertex, vertex);
        for flag in operands.get(1).into_iter().flat_map(|&flags| lex::words(flags)) {
            match flag.to_ascii_lowercase().as_str() {
                "prim" | "primitive" => word = word.with(Field::Prim, 1),
                "inv" | "invert" => word = word.with(Field::Invert, 1),
                _ => self.messages.warn(
                    flag,
                    &format!("unknown setemit flag: {}", quote(flag)),
                    Some("flags: prim, inv"),
                ),
            }
        }
        self.emit(suffix.apply(word));
        Ok(())
    }
}

/// Returns whether the targets of an instruction are numbers. Only the extension has those: in
/// picasso, blocks have no operand for them and names begin with no digit.
fn is_numeric(opcode: Opcode, operands: &[&str]) -> bool {
    let roles = opcode.info().operands;
    let is_target = |role: &Role| matches!(role, Role::Target | Role::Last);
    let place = roles.iter().position(is_target);
    operands.len() == roles.len()
        && place
            .and_then(|place| operands.get(place))
            .is_some_and(|operand| operand.starts_with(|c: char| c.is_ascii_digit()))
}

/// Sets targets and lengths that are numbers.
fn numbers<'a>(word: Word, roles: &[Role], operands: &[&'a str]) -> Parse<'a, Word> {
    let mut word = word;
    for (role, text) in roles.iter().zip(operands) {
        match role {
            Role::Target | Role::Last => word = word.with(Field::Target, extension::number(text, 0xFFF)?),
            Role::Length => word = word.with(Field::Num, extension::number(text, 0x3FF)?),
            _ => {}
        }
    }
    Ok(word)
}

/// Sets a condition on the flags: one flag, or two with an operator between.
fn condition(word: Word, text: &str) -> Parse<'_, Word> {
    let Some(operator) = text.find(['&', '|']) else {
        let (is_y, wanted) = flag(text)?;
        let only = if is_y { ConditionOp::Y } else { ConditionOp::X };
        // picasso writes 1 for the flag that the condition ignores.
        return Ok(with_condition(word, [(is_y, wanted), (!is_y, true)], only));
    };
    let (left, right) = text.split_at(operator);
    let symbol = &right[..1];
    // `&` is the same as `&&`.
    let right = right[1..].strip_prefix(symbol).unwrap_or(&right[1..]);
    let flags = [flag(lex::trim(left))?, flag(lex::trim(right))?];
    if flags[0].0 == flags[1].0 {
        return hinted(text, "condition register checked twice", "the two flags are cmp.x and cmp.y");
    }
    Ok(with_condition(word, flags, if symbol == "&" { ConditionOp::And } else { ConditionOp::Or }))
}

fn with_condition(word: Word, flags: [(bool, bool); 2], op: ConditionOp) -> Word {
    let word = word.with(Field::ConditionOp, op as u32);
    flags.into_iter().fold(word, |word, (is_y, wanted)| {
        word.with(if is_y { Field::RefY } else { Field::RefX }, u32::from(wanted))
    })
}

/// Parses a flag: whether it is `cmp.y`, and its reference value.
fn flag(text: &str) -> Parse<'_, (bool, bool)> {
    let name = text.trim_start_matches('!');
    // Each `!` inverts the one after it.
    let wanted = (text.len() - name.len()).is_multiple_of(2);
    match name.to_ascii_lowercase().as_str() {
        "cmp.x" => Ok((false, wanted)),
        "cmp.y" => Ok((true, wanted)),
        _ if name.starts_with([' ', '\t']) => {
            let message = invalid("condition register", name);
            hinted(text, message, "no space is allowed after the `!`")
        }
        _ => hinted(text, invalid("condition register", name), "the flags are cmp.x and cmp.y"),
    }
}
