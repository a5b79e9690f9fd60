//! Warnings about a parsed file: entries without effect.
//! In: a parsed file. Out: warnings in file order. Facts: libctru ignores such entries.

use super::bytes::{Record, Table};
use super::dvlb::Shbin;
use super::dvle::{Dvle, ShaderType};
use super::records::{Constant, OutputRecord, Symbol};
use crate::error::{At, Warning};

/// Maximum number of warnings; a damaged file could have one for every entry.
const MOST: usize = 100;

/// A list of limited length.
struct Warnings {
    list: Vec<Warning>,
    left_out: usize,
}

impl Warnings {
    fn push(&mut self, at: At, text: impl FnOnce() -> String) {
        if self.list.len() < MOST {
            self.list.push(Warning { text: text(), at });
        } else {
            self.left_out += 1;
        }
    }
}

impl Shbin<'_> {
    /// The warnings about the file; after a hundred, only the number of the others.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut out = Warnings { list: Vec::new(), left_out: 0 };
        if self.executables.is_empty() {
            out.push(At::Whole, || "the file has no executable".into());
        }
        for executable in &self.executables {
            header(executable, &mut out);
            entries(&executable.constants, &mut out, constant);
            entries(&executable.outputs, &mut out, output);
            entries(&executable.symbols, &mut out, |entry| symbol(entry, executable));
        }
        if out.left_out > 0 {
            let text = format!("{} more warnings are omitted", out.left_out);
            out.list.push(Warning { text, at: At::Whole });
        }
        out.list
    }
}

fn header(executable: &Dvle<'_>, out: &mut Warnings) {
    let (start, header) = (executable.start, &executable.header);
    match header.shader_type() {
        None => out.push(At::Offset(start + 6), || format!("shader type {} is not defined", header.kind)),
        Some(ShaderType::Geometry) if header.geometry_mode().is_none() => out
            .push(At::Offset(start + 0x14), || {
                format!("geometry mode {} is not defined", header.geometry_mode)
            }),
        Some(ShaderType::Vertex | ShaderType::Geometry) => {}
    }
    let (declared, length) = (executable.strings_declared as usize, executable.strings.bytes().len());
    if length > declared {
        out.push(At::Offset(start + 0x3C), || {
            format!("the string table is {declared} bytes long, but names reach {length} bytes")
        });
    }
}

/// Warns about the entries of a table for which `problem` has a text.
fn entries<T: Record>(table: &Table<'_, T>, out: &mut Warnings, problem: impl Fn(T) -> Option<String>) {
    for (index, entry) in table.iter().enumerate() {
        if let Some(text) = problem(entry) {
            out.push(table.place(index), || text);
        }
    }
}

fn constant(constant: Constant) -> Option<String> {
    match constant.kind {
        _ if constant.value().is_some() => None,
        0..=2 => Some(format!("a constant sets register {}, which does not exist", constant.register)),
        kind => Some(format!("constant type {kind} is not defined")),
    }
}

fn output(output: OutputRecord) -> Option<String> {
    match output.semantic() {
        None => Some(format!("output type {} is not defined", output.kind)),
        Some(_) if output.mask & !15 != 0 => {
            Some(format!("output mask {:#x} has undefined bits", output.mask))
        }
        Some(_) => None,
    }
}

fn symbol(symbol: Symbol, executable: &Dvle<'_>) -> Option<String> {
    let Symbol { name, first, last } = symbol;
    let name = executable.name(name);
    symbol
        .range()
        .is_none()
        .then(|| format!("symbol {name:?} names registers that do not exist: {first:#x} to {last:#x}"))
}
