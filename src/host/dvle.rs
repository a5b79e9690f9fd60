//! From an executable of a file to a program and its interface.
//! In: a parsed file, which executable, what the program uses. Out: [`Program`], [`Interface`], [`Constants`].
//! Knows no instruction and no IR. Facts: libctru loads setup constants in file order when an executable is bound.

use super::interface::{Attribute, Constants, Interface, Usage};
use super::names::Names;
use super::options::Options;
use super::{layout, varying};
use crate::container::{ConstantValue, Dvle, ShaderType, Shbin, SymbolBank};
use crate::error::{At, Error, Kind, Result};
use crate::isa::{Pc, Program, Stage};
use crate::limits::{Limits, check};
use crate::precision::float24;

/// The program of an executable.
///
/// ```
/// use transpica::{container::Shbin, host::dvle, limits::Limits};
/// let file = Shbin::parse(include_bytes!("../../shaders/textured.shbin"))?;
/// let program = dvle::program(&file, 0, &Limits::default())?;
/// assert_eq!((program.code().len(), program.entry().0), (13, 0));
/// # Ok::<(), transpica::error::Error>(())
/// ```
///
/// # Errors
/// No such executable, an unknown shader type, more code than the limit, an entry point that its unit does not reach.
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
    check("code words", code.len(), limits.code_words, code.at(0))?;
    let words = code.len() as u32; // Range: a file has less than 2^32 bytes.
    let entry = u16::try_from(header.main).map_err(|_| {
        Error::new(Kind::EntryOutOfCode { entry: header.main, words }, At::Offset(executable.start + 8))
    })?;
    let code: Vec<u32> = code.iter().collect();
    let most = limits.descriptors as usize;
    let descriptors: Vec<u32> = descriptors.iter().take(most).map(|descriptor| descriptor.bits).collect();
    Program::new(code, descriptors, Pc(entry), stage, limits)
}

/// The uniform values that an executable sets; of several for one register the last.
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

/// The constants that become literals: floats that no symbol names. A register with a name is set by its host, so there
/// the constant is a default and the register stays in the block.
pub fn folded(executable: &Dvle<'_>, options: &Options) -> Constants {
    if !options.fold_constants {
        return Constants::default();
    }
    let mut folded = Constants { floats: constants(executable).floats, ..Constants::default() };
    for range in executable.symbols.iter().filter_map(|symbol| symbol.range()) {
        if range.bank == SymbolBank::Float {
            let first = usize::from(range.first);
            folded.floats[first..first + usize::from(range.count)].fill(None);
        }
    }
    folded
}

/// The interface of an executable's program, which uses `usage`.
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
    let folded = folded(executable, options);
    let mut warnings = Vec::new();
    Ok(Interface {
        source: source_name.to_string(),
        entry_label: executable.entry_label().map(|name| name.to_string()),
        attributes: attributes(executable, usage.inputs),
        outputs: varying::outputs(executable, &mut warnings),
        block: layout::block(executable, usage, &folded, options.layout),
        folded,
        warnings,
    })
}

/// The attributes read, named by the first symbol of each.
fn attributes(executable: &Dvle<'_>, inputs: u16) -> Vec<Attribute> {
    let mut names = Names::default();
    let mut attributes = Vec::with_capacity(inputs.count_ones() as usize);
    let mut left = inputs;
    for symbol in executable.symbols.iter() {
        let Some(range) = symbol.range().filter(|range| range.bank == SymbolBank::Input) else { continue };
        for register in range.first..range.first + range.count {
            if left >> register & 1 == 0 {
                continue;
            }
            left &= !(1 << register);
            let name = names.give(executable.name(symbol.name), || unbound(register));
            attributes.push(Attribute { register, name });
        }
    }
    for register in (0..16).filter(|register| left >> register & 1 != 0) {
        attributes.push(Attribute { register, name: names.give_valid(unbound(register)) });
    }
    attributes.sort_unstable_by_key(|attribute| attribute.register);
    attributes
}

/// The name of an input without a symbol; it ends in a letter, so that no target changes it.
fn unbound(register: u8) -> String {
    format!("v{register}_unbound")
}
