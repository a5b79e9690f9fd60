//! Program and environment of an executable of a file.
//! In: a parsed file, an index, the registers that the program uses. Out: [`Program`],
//! [`Interface`], [`Constants`]. Knows no instructions except calls, and no IR.
//! Facts: libctru loads setup constants in file order when an executable is bound.

use super::interface::{Attribute, Constants, EntryPoint, Interface, Procedure, Usage};
use super::layout::{self, BoundSymbols};
use super::map_warnings;
use super::settings::options::{IntUniforms, Options};
use super::varying::OutputMap;
use super::{Environment, names};
use crate::error::{At, Error, Kind, Result};
use crate::limits::{Limits, check};
use crate::machine::precision::float24;
use crate::program::container::{ConstantValue, Dvle, Name, ShaderType, Shbin, SymbolBank};
use crate::program::isa::decode::decode;
use crate::program::isa::{Flow, Inst, Opcode, Pc, Program, Stage};

/// Returns the program of an executable.
///
/// ```
/// use transpica::host::dvle;
/// use transpica::{Limits, Shbin};
/// let bytes = std::fs::read("shaders/textured.shbin")?;
/// let file = Shbin::parse(&bytes)?;
/// let program = dvle::program(&file, 0, &Limits::default())?;
/// assert_eq!((program.code().len(), program.entry().0), (13, 0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// No such executable, an unknown shader type, more code than the limit, an entry point that its
/// unit does not reach.
pub fn program(file: &Shbin<'_>, index: usize, limits: &Limits) -> Result<Program<'static>> {
    let executable = file.executable(index)?;
    let header = &executable.header;
    let stage = match header.shader_type() {
        Some(ShaderType::Vertex) => Stage::Vertex,
        Some(ShaderType::Geometry) => Stage::Geometry,
        None => {
            let value = u32::from(header.kind);
            let kind = Kind::BadField { what: "shader type", value, allowed: "0 or 1" };
            return Err(Error::new(kind, At::Offset(executable.start + 6)));
        }
    };
    let (code, descriptors) = (&file.package.code, &file.package.descriptors);
    check("code words", code.len(), limits.code_words, code.place(0))?;
    let words = code.len() as u32; // Range: a file has less than 2^32 bytes.
    let entry = u16::try_from(header.main).map_err(|_| {
        Error::new(Kind::EntryOutOfCode { entry: header.main, words }, At::Offset(executable.start + 8))
    })?;
    let code: Vec<u32> = code.iter().collect();
    let most = limits.descriptors as usize;
    let descriptors: Vec<u32> = descriptors.iter().take(most).map(|descriptor| descriptor.bits).collect();
    Program::new(code, descriptors, Pc(entry), stage, limits)
}

/// Returns the uniform values that an executable sets. The last of several for one register counts.
pub fn constants(executable: &Dvle<'_>) -> Constants {
    let mut constants = Constants::default();
    for constant in executable.constants.iter() {
        match constant.value() {
            Some(ConstantValue::Bool { register, value }) => {
                constants.bools[usize::from(register)] = Some(value);
            }
            Some(ConstantValue::Int { register, value }) => {
                constants.ints[usize::from(register)] = Some(value);
            }
            Some(ConstantValue::Float { register, value }) => {
                constants.floats[usize::from(register)] = Some(value.map(float24::to_f32_bits));
            }
            None => {}
        }
    }
    constants
}

/// Returns the constants to fold: floats and ints without a symbol. A register with a name is set
/// by the host, so its constant is a default and the register stays in the block. So does an int
/// that the options give a value or make a specialization constant.
fn folded(executable: &Dvle<'_>, symbols: &BoundSymbols<'_>, options: &Options) -> Constants {
    let mut folded = Constants::default();
    if !options.block.fold_constants {
        return folded;
    }
    for constant in executable.constants.iter() {
        match constant.value() {
            Some(ConstantValue::Float { register, value }) => {
                folded.floats[usize::from(register)] = Some(value.map(float24::to_f32_bits));
            }
            Some(ConstantValue::Int { register, value }) => folded.ints[usize::from(register)] = Some(value),
            Some(ConstantValue::Bool { .. }) | None => {}
        }
    }
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

/// Returns what the CALLs of the code run, as far as it has labels: innermost first.
fn procedures(file: &Shbin<'_>, executable: &Dvle<'_>) -> Vec<Procedure> {
    // Most tools write none.
    if executable.labels.iter().next().is_none() {
        return Vec::new();
    }
    // Every translation pays for this, so operands are decoded for calls alone.
    let is_call =
        |word: &u32| matches!(Opcode::of_word(*word), Some(Opcode::Call | Opcode::Callc | Opcode::Callu));
    let words = file.package.code.iter().filter(is_call);
    let calls = words.filter_map(|word| match decode(word, &[]) {
        Inst::Flow(
            Flow::Call { target, length }
            | Flow::CallC { target, length, .. }
            | Flow::CallU { target, length, .. },
        ) => Some((length, target)),
        _other_instructions => None,
    });
    let mut ranges: Vec<(u8, Pc)> = calls.collect();
    ranges.sort_by_cached_key(|&(length, first)| u64::from(length) << 16 | u64::from(first.0));
    ranges.dedup();
    let named = |(length, first): (u8, Pc)| {
        let name = executable.label_at(first.0.into())?.to_string();
        Some(Procedure { name, first, length })
    };
    ranges.into_iter().filter_map(named).collect()
}

/// Returns the interface of an executable's program with this register usage.
///
/// # Errors
/// No such executable.
pub fn interface(
    file: &Shbin<'_>,
    index: usize,
    usage: &Usage,
    options: &Options,
    source_name: &str,
) -> Result<Interface> {
    let executable = file.executable(index)?;
    let symbols = BoundSymbols::new(executable);
    let folded = folded(executable, &symbols, options);
    let mut warnings = Vec::new();
    map_warnings::generic(file, executable, &mut warnings);
    map_warnings::repeated(executable, &mut warnings);
    Ok(Interface {
        source: source_name.to_string(),
        executable: Some(index),
        entry_label: executable.entry_label().map(|name| name.to_string()),
        entry: u16::try_from(executable.header.main).ok().map(Pc),
        procedures: procedures(file, executable),
        options: *options,
        attributes: attributes(&symbols, usage.inputs, options),
        outputs: Vec::new(),
        block: layout::block(&symbols, usage, &folded, &options.block),
        folded,
        entry_point: EntryPoint::Vertex,
        debug_source: None,
        warnings,
    })
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
    fn interface(&self, usage: &Usage, options: &Options) -> Result<Interface> {
        interface(self.file, self.index, usage, options, self.source)
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
            let name = names::from_file(symbols.name(symbol), || unbound(register), taken);
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
