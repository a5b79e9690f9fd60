//! Executables of files as environments of their programs.
//! In: a parsed file, an index, the registers that the program uses. Out: constants, names, the
//! block. Knows no instruction.

use super::environment::Environment;
use super::layout::{self, BoundSymbols};
use super::map_warnings;
use super::module::{Attribute, EnvironmentInterface};
use super::usage::Usage;
use crate::error::Result;
use crate::host::constants::{Constants, constants};
use crate::host::registers::OutputMap;
use crate::host::settings::{IntUniforms, Options};
use crate::program::container::{Dvle, Name, Shbin, SymbolBank};
use crate::program::executable::procedures;
use crate::program::isa::Pc;
use crate::program::isa::sizes::BOOLS;
use crate::support::names;

/// Returns the constants to fold: floats and ints without a symbol. A register with a name is set
/// by the host, so its constant is a default and the register stays in the block. So does an int
/// that the options give a value or make a specialization constant.
fn folded(executable: &Dvle<'_>, symbols: &BoundSymbols<'_>, options: &Options) -> Constants {
    if !options.block.fold_constants {
        return Constants::NONE;
    }
    let mut folded = Constants { bools: [None; BOOLS], ..constants(executable) };
    for symbol in symbols.in_bank(SymbolBank::Int) {
        let first = usize::from(symbol.range.first);
        folded.ints[first..first + usize::from(symbol.range.count)].fill(None);
    }
    let IntUniforms { baked, specialized } = options.control.ints;
    for (register, int) in folded.ints.iter_mut().enumerate() {
        if baked[register].is_some() || specialized >> register & 1 != 0 {
            *int = None;
        }
    }
    for symbol in symbols.in_bank(SymbolBank::Float) {
        let first = usize::from(symbol.range.first);
        folded.floats[first..first + usize::from(symbol.range.count)].fill(None);
    }
    folded
}

/// An executable of a container as the environment of its program.
#[derive(Clone, Copy, Debug)]
pub struct FileEnvironment<'a> {
    file: &'a Shbin<'a>,
    executable: &'a Dvle<'a>,
    index: usize,
    source: &'a str,
}

impl<'a> FileEnvironment<'a> {
    /// Returns the executable.
    pub fn executable(&self) -> &'a Dvle<'a> {
        self.executable
    }
    /// Returns the environment of executable `index`. `source` is the name of the file in header
    /// comments.
    ///
    /// # Errors
    /// No such executable.
    pub fn new(file: &'a Shbin<'a>, index: usize, source: &'a str) -> Result<Self> {
        Ok(Self { file, executable: file.executable(index)?, index, source })
    }
    /// Sets the name of the file.
    #[must_use]
    pub fn named(self, source: &'a str) -> Self {
        Self { source, ..self }
    }
    /// Returns the uniform values that binding the executable sets.
    pub fn constants(&self) -> Constants {
        constants(self.executable)
    }
}

impl Environment for FileEnvironment<'_> {
    fn folded(&self, options: &Options) -> Constants {
        folded(self.executable, &BoundSymbols::new(self.executable), options)
    }
    fn output_map(&self) -> OutputMap {
        OutputMap::from_executable(self.executable)
    }
    fn interface(&self, usage: &Usage, options: &Options) -> Result<EnvironmentInterface> {
        let Self { file, executable, index, source } = *self;
        let symbols = BoundSymbols::new(executable);
        let mut warnings = Vec::new();
        map_warnings::generic(file, executable, &mut warnings);
        map_warnings::repeated(executable, &mut warnings);
        Ok(EnvironmentInterface {
            source: source.to_string(),
            executable: Some(index),
            entry_label: executable.entry_label().map(|name| name.to_string()),
            entry: u16::try_from(executable.header.main).ok().map(Pc),
            procedures: procedures(file, executable),
            attributes: attributes(&symbols, usage.inputs, options),
            block: layout::block(&symbols, usage, &options.block),
            warnings,
        })
    }
    fn fingerprint(&self, options: &Options, out: &mut Vec<u8>) {
        self.output_map().fingerprint(out);
        let symbols = BoundSymbols::new(self.executable);
        folded(self.executable, &symbols, options).fingerprint(out);
        for symbol in &symbols.list {
            let range = symbol.range;
            out.extend_from_slice(&[range.bank as u8, range.first, range.count]);
            let Name(name) = symbols.name(symbol);
            out.extend_from_slice(&(name.len() as u64).to_le_bytes());
            out.extend_from_slice(name);
        }
        out.push(0xFF);
    }
}

/// Returns the attributes read, each named by its first symbol.
fn attributes(symbols: &BoundSymbols<'_>, inputs: u16, options: &Options) -> Vec<Attribute> {
    let mut attributes: Vec<Attribute> = Vec::with_capacity(inputs.count_ones() as usize);
    let format = |register: u8| options.input.formats[usize::from(register)];
    let mut left = inputs;
    for symbol in symbols.in_bank(SymbolBank::Input) {
        for register in symbol.range.first..symbol.range.first + symbol.range.count {
            if left >> register & 1 == 0 {
                continue;
            }
            left &= !(1 << register);
            let taken = |name: &str| attributes.iter().any(|attribute| attribute.name == name);
            let name = names::from_file(symbols.name(symbol).0, || unbound(register), taken);
            attributes.push(Attribute { register, name, format: format(register) });
        }
    }
    for register in (0..16).filter(|register| left >> register & 1 != 0) {
        let taken = |name: &str| attributes.iter().any(|attribute| attribute.name == name);
        let name = names::unique(unbound(register), taken);
        attributes.push(Attribute { register, name, format: format(register) });
    }
    attributes.sort_by_cached_key(|attribute| u64::from(attribute.register));
    attributes
}

/// Returns the name of an input without a symbol. It ends in a letter, so that no target renames
/// it.
fn unbound(register: u8) -> String {
    format!("v{register}_unbound")
}
