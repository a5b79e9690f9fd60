//! The text of one word; bits without operand syntax are printed separately.
//! In: a word, its descriptor, names of registers. Out: a line. Knows neither blocks nor the order
//! of words.
//! Facts: the assembler's syntax of operands; 3dbrew "GPU/Shader Instruction Set".

use std::fmt::Write;

use super::Form;
use super::symbols::{Registers, register_text};
use crate::asm::syntax::{BOOL, FLOAT, INT, significant};
use transpica::container;
use transpica::isa::decode::decode;
use transpica::isa::opdesc::{Descriptor, Selector};
use transpica::isa::print::MaskText;
use transpica::isa::table::{Class, Role};
use transpica::isa::word::Field;
use transpica::isa::{
    CompareOp, Component, Condition, ConditionOp, Dest, Index, Mask, Opcode, Swizzle, Word,
};

/// The form of a word's target in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target<'a> {
    /// The block that the word opens.
    Block,
    /// The name of a label or procedure.
    Name(&'a str),
    /// A number, where no name exists.
    Number,
}

/// The context of a line.
#[derive(Clone, Copy)]
pub(super) struct Context<'a> {
    pub registers: &'a Registers,
    pub descriptors: &'a [container::DescriptorRecord],
    pub form: Form,
    /// Bits of the descriptor that the text must set although the instruction does not read them.
    pub required: u32,
}

/// The index of a word's descriptor, and the bits of it that the assembler considers significant.
pub(crate) fn descriptor_use(
    word: Word,
    descriptors: &[container::DescriptorRecord],
) -> Option<(usize, u32)> {
    let number = word.get(Field::Descriptor)? as usize;
    let mask = Mask::from_descriptor(descriptors.get(number).map_or(0, |descriptor| descriptor.bits));
    Some((number, significant(word.opcode()?, mask)))
}

/// A line under construction.
struct Line<'a> {
    context: Context<'a>,
    word: Word,
    operands: Vec<String>,
    /// The word that the assembler makes of the text so far.
    shown: Word,
}

/// The line of a word, or `None` if the form cannot express it.
pub(super) fn line(word: Word, target: Target<'_>, context: Context<'_>) -> Option<String> {
    let raw = || format!(".word {:#010x}", word.0);
    let Some(opcode) = word.opcode() else { return Some(raw()) };
    if word.get(Field::Vertex) == Some(3) {
        // The language has three vertices.
        return Some(format!("{} ; {}", raw(), decode(word.0, &[])));
    }
    let mut line = Line { context, word, operands: Vec::new(), shown: Word::new(opcode) };
    let mut mnemonic = opcode.mnemonic();
    let mut suffix = String::new();
    match opcode.info().class {
        Class::Data(op) => {
            // picasso selects the form by the operands; after `.verbatim` the mnemonic names it.
            mnemonic = if context.form.verbatim { mnemonic } else { op.mnemonic() };
            let mask = line.dest();
            suffix = line.sources(opcode, mask);
        }
        Class::Address => {
            let mask = Mask(Mask::from_descriptor(line.descriptor()).0 & 3);
            line.operands.push(format!("a0{}", MaskText(mask, Mask::NONE)));
            suffix = line.sources(opcode, mask);
        }
        Class::Compare => {
            suffix = line.sources(opcode, Mask::NONE);
            line.comparisons();
        }
        Class::Control(_) | Class::Emit | Class::SetEmit => line.control(opcode, target),
    }
    let mut text = mnemonic.to_owned();
    if !line.operands.is_empty() {
        text.push(' ');
        text.push_str(&line.operands.join(", "));
    }
    text.push_str(&suffix);
    let rest = line.word.0 ^ line.shown.0;
    if rest != 0 {
        // Writing to a string cannot fail.
        let _ = write!(text, " ^ {rest:#x}");
    }
    (rest == 0 || context.form.verbatim).then_some(text)
}

impl Line<'_> {
    fn field(&self, field: Field) -> u32 {
        self.word.get(field).unwrap_or(0)
    }

    fn show(&mut self, field: Field, value: u32) {
        self.shown = self.shown.with(field, value);
    }

    /// The value of a field that the caller prints.
    fn take(&mut self, field: Field) -> u32 {
        let value = self.field(field);
        self.show(field, value);
        value
    }

    /// The descriptor that the word names.
    fn descriptor(&self) -> u32 {
        let index = self.field(Field::Descriptor) as usize;
        self.context.descriptors.get(index).map_or(0, |descriptor| descriptor.bits)
    }

    /// Prints the destination and returns its mask.
    fn dest(&mut self) -> Mask {
        let dest = Dest::from_field(self.take(Field::Dest));
        let mask = Mask::from_descriptor(self.descriptor());
        self.operands.push(format!("{dest}{}", MaskText(mask, Mask::XYZW)));
        mask
    }

    /// Prints the sources. Returns the selection of the descriptor if the assembler would select
    /// another one.
    fn sources(&mut self, opcode: Opcode, mask: Mask) -> String {
        let significant = significant(opcode, mask);
        let bits = Descriptor::unpack(self.descriptor());
        let blank = Selector { swizzle: Swizzle(0), negate: false };
        let mut request = Descriptor { mask, sources: [blank; 3] };
        for (index, field) in Field::SOURCES.into_iter().take(opcode.format().source_count()).enumerate() {
            let selector = bits.sources[index];
            request.sources[index] = selector;
            let required = (significant | self.context.required) >> (5 + 9 * index);
            let text = self.source(field, selector, required);
            self.operands.push(text);
        }
        let number = self.take(Field::Descriptor);
        if !self.context.form.descriptors {
            return String::new();
        }
        let request = request.pack();
        let agrees = |entry: &container::DescriptorRecord| (entry.bits ^ request) & significant == 0;
        let found = self.context.descriptors.iter().position(agrees);
        let is_clear = self.context.form.readable && found == Some(number as usize);
        if is_clear { String::new() } else { format!(" @{number}") }
    }

    /// Prints a source; `required` are the bits of its swizzle that the text must set.
    fn source(&mut self, field: Field, selector: Selector, required: u32) -> String {
        let register = self.take(field);
        let is_wide = self.word.opcode().is_some_and(|opcode| opcode.format().wide() == Some(field));
        let mut index = Index::None;
        // Elsewhere hardware ignores the address register.
        if is_wide && register >= FLOAT {
            index = Index::from_field(self.take(Field::Index));
        }
        let sign = if selector.negate { "-" } else { "" };
        format!("{sign}{}{}", self.register(register, index), swizzle_text(selector.swizzle, required))
    }

    /// Text of a source register with its offset.
    fn register(&self, register: u32, index: Index) -> String {
        let (name, offset) = match self.context.registers.find(register) {
            Some((name, offset)) => (name.to_owned(), offset),
            None => (register_text(register), 0),
        };
        match (index, offset) {
            (Index::None, 0) => name,
            (Index::None, offset) => format!("{name}[{offset}]"),
            (index, 0) => format!("{name}[{index}]"),
            (index, offset) => format!("{name}[{index} + {offset}]"),
        }
    }

    /// Inserts the comparisons between the two sources.
    fn comparisons(&mut self) {
        for (place, field) in [(1, Field::CompareX), (2, Field::CompareY)] {
            let op = CompareOp::from_field(self.take(field));
            self.operands.insert(place, op.to_string());
        }
    }

    fn control(&mut self, opcode: Opcode, target: Target<'_>) {
        for role in opcode.info().operands {
            match role {
                Role::Condition => self.condition(),
                Role::Bool | Role::BoolOrNot | Role::Int => self.uniform(*role),
                Role::Target | Role::Last => {
                    let address = self.take(Field::Target);
                    match target {
                        Target::Block => {}
                        Target::Name(name) => self.operands.push(name.to_owned()),
                        Target::Number => self.operands.push(format!("{address:#x}")),
                    }
                }
                Role::Length => {
                    let length = self.take(Field::Num);
                    if target == Target::Number {
                        self.operands.push(length.to_string());
                    }
                }
                Role::Vertex => {
                    let vertex = self.take(Field::Vertex).to_string();
                    self.operands.push(vertex);
                }
                Role::Flags => self.flags(),
                Role::Dest | Role::AddressDest | Role::Source | Role::CompareOp => {
                    unreachable!("no control instruction has these")
                }
            }
        }
    }

    fn condition(&mut self) {
        let op = ConditionOp::from_field(self.field(Field::ConditionOp));
        let [ref_x, ref_y] = [Field::RefX, Field::RefY].map(|field| self.field(field));
        self.show(Field::ConditionOp, op as u32);
        // The assembler writes 1 for a flag that the text does not name.
        self.show(Field::RefX, if op == ConditionOp::Y { 1 } else { ref_x });
        self.show(Field::RefY, if op == ConditionOp::X { 1 } else { ref_y });
        self.operands.push(Condition { op, ref_x: ref_x != 0, ref_y: ref_y != 0 }.to_string());
    }

    /// Prints a bool or int uniform.
    fn uniform(&mut self, role: Role) {
        let id = self.field(Field::Id);
        if role == Role::Int {
            // The text can name i0 to i7; hardware reads two bits of the index.
            self.show(Field::Id, id & 7);
            self.operands.push(self.register(INT + (id & 7), Index::None));
            return;
        }
        self.show(Field::Id, id);
        let inverts = role == Role::BoolOrNot && self.field(Field::Num) & 1 != 0;
        if inverts {
            self.show(Field::Num, 1);
        }
        let sign = if inverts { "!" } else { "" };
        self.operands.push(format!("{sign}{}", self.register(BOOL + id, Index::None)));
    }

    fn flags(&mut self) {
        let mut flags = Vec::new();
        for (field, name) in [(Field::Prim, "prim"), (Field::Invert, "inv")] {
            if self.take(field) != 0 {
                flags.push(name);
            }
        }
        if !flags.is_empty() {
            self.operands.push(flags.join(" "));
        }
    }
}

/// The shortest swizzle suffix that sets the required bits; a missing letter repeats the last one.
fn swizzle_text(swizzle: Swizzle, required: u32) -> String {
    let counts = Component::ALL.map(|component| required >> (6 - 2 * component.index()) & 3 != 0);
    let wanted = swizzle.components();
    let is_right =
        |components: [Component; 4]| (0..4).all(|place| !counts[place] || components[place] == wanted[place]);
    if is_right(Component::ALL) {
        return String::new();
    }
    // A free component repeats the next required one, which often shortens the suffix.
    let next = |place: usize| (place..4).find(|&next| counts[next]).unwrap_or(place);
    let full = [0, 1, 2, 3].map(|place| wanted[next(place)]);
    for length in 1..=4 {
        let mut short = full;
        short[length..].fill(full[length - 1]);
        if is_right(short) {
            return format!(
                ".{}",
                short[..length].iter().map(|component| component.letter()).collect::<String>()
            );
        }
    }
    format!(".{swizzle}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swizzles_are_as_short_as_they_can_be() {
        for (bits, text) in [(0x1B, ""), (0x00, ".x"), (0x1A, ".xyz"), (0x15, ".xy"), (0xE4, ".wzyx")] {
            assert_eq!(swizzle_text(Swizzle(bits), 0xFF), text);
        }
    }

    #[test]
    fn components_that_are_not_read_are_left_out() {
        for (bits, required, text) in
            [(0x19, 0x03, ".y"), (0x18, 0xFC, ""), (0x00, 0xC0, ""), (0x54, 0xC0, ".y")]
        {
            assert_eq!(swizzle_text(Swizzle(bits), required), text, "{bits:#x} {required:#x}");
        }
    }
}
