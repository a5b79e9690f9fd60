//! SPIR-V assembly text of a module, for people.
//! In: words. Out: one instruction a line. Uses rspirv's loader and disassembler, which are too
//! slow for anything else.

use std::borrow::Cow;

use crate::backend::spirv::PlacedWords;
use rspirv::binary::{Consumer, Disassemble, ParseAction, parse_words};
use rspirv::dr::{Instruction, Loader, Module, ModuleHeader, Operand};
use rspirv::spirv::{ExecutionMode, Op};
use transpica::isa::placed::PlacedText;
use transpica::{At, Error, Kind, Result};

/// rspirv's loader, which by itself accepts no debug instructions among the globals, and no mode
/// with ids (drivers.md#rspirv-mode-ids).
#[derive(Default)]
struct Reader {
    loader: Loader,
    is_inside: bool,
}

impl Reader {
    /// Returns the module.
    fn module(self) -> Module {
        let mut module = self.loader.module();
        for instruction in &mut module.types_global_values {
            if instruction.class.opcode == Op::NoLine && instruction.result_id.is_some() {
                instruction.class = bare(Op::ExtInst).class;
            }
        }
        for instruction in &mut module.execution_modes {
            if instruction.operands.contains(&Operand::ExecutionMode(ExecutionMode::FPFastMathDefault)) {
                instruction.class = bare(Op::ExecutionModeId).class;
            }
        }
        module
    }
}

impl Consumer for Reader {
    fn initialize(&mut self) -> ParseAction {
        self.loader.initialize()
    }
    fn finalize(&mut self) -> ParseAction {
        self.loader.finalize()
    }
    fn consume_header(&mut self, header: ModuleHeader) -> ParseAction {
        self.loader.consume_header(header)
    }
    fn consume_instruction(&mut self, mut instruction: Instruction) -> ParseAction {
        match instruction.class.opcode {
            Op::Function => self.is_inside = true,
            Op::FunctionEnd => self.is_inside = false,
            // The loader keeps this one in its place, and it has no result otherwise.
            Op::ExtInst if !self.is_inside => instruction.class = bare(Op::NoLine).class,
            Op::ExecutionModeId => instruction.class = bare(Op::ExecutionMode).class,
            _others => {}
        }
        self.loader.consume_instruction(instruction)
    }
}

/// Builds an instruction without operands.
fn bare(op: Op) -> Instruction {
    Instruction::new(op, None, None, Vec::new())
}

/// Returns rspirv's form of a module.
///
/// # Errors
/// [`Kind::Backend`] if the words are not a SPIR-V module.
pub fn load(words: &[u32]) -> Result<Module> {
    let mut reader = Reader::default();
    parse_words(words, &mut reader)
        .map_err(|error| Error::new(Kind::Backend(format!("SPIR-V: {error}")), At::Whole))?;
    Ok(reader.module())
}

/// Returns the module as text.
///
/// # Errors
/// As [`load`].
pub fn assembly(words: &[u32]) -> Result<String> {
    let module = load(words)?;
    let mut text = String::new();
    for line in module.disassemble().lines() {
        // rspirv writes two spaces before a type and its operands. A string keeps its spaces.
        let line = if line.contains('"') { Cow::Borrowed(line) } else { Cow::Owned(line.replace("  ", " ")) };
        text.push_str(&line);
        text.push('\n');
    }
    Ok(text)
}

/// Returns the module as text with the instructions of each line.
///
/// # Errors
/// As [`assembly`].
pub fn placed_assembly(module: &PlacedWords) -> Result<PlacedText> {
    let text = assembly(&module.words)?;
    let mut places = module.places.iter();
    // The lines of the header are comments; all others are one instruction each.
    let lines = text.lines().map(|line| {
        if line.starts_with(';') { Vec::new() } else { places.next().cloned().unwrap_or_default() }
    });
    let places = lines.collect();
    Ok(PlacedText { text, places })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invalid_words_are_an_error() {
        let error = assembly(&[1, 2, 3]).expect_err("no module");
        assert!(matches!(error.kind, Kind::Backend(_)));
    }
}
