//! Programs of executables: a file's code and tables as words to translate.
//! In: a parsed file, an index. Out: [`Program`], and the procedures with a label. Knows what CALL
//! is, and no other instruction.

use super::container::{Dvle, ShaderType, Shbin};
use super::isa::decode::decode;
use super::isa::{Flow, Inst, Move, Pc, Program, Stage, Word};
use crate::error::{At, Error, Kind, Result};
use crate::limits::{Limits, check};

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

/// A procedure: what a CALL runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Procedure {
    /// Its label.
    pub name: String,
    /// First code word.
    pub first: Pc,
    /// Number of code words, 0..=255.
    pub length: u8,
}

impl Procedure {
    /// Returns whether a code word is in it.
    ///
    /// ```
    /// use transpica::{host::Procedure, isa::Pc};
    /// let lighting = Procedure { name: "lighting".into(), first: Pc(8), length: 4 };
    /// assert!(lighting.holds(Pc(11)) && !lighting.holds(Pc(12)));
    /// ```
    pub fn holds(&self, pc: Pc) -> bool {
        pc.0.checked_sub(self.first.0).is_some_and(|at| at < u16::from(self.length))
    }
}

/// Returns the procedures that CALLs run and that have a label: innermost first.
pub fn procedures(file: &Shbin<'_>, executable: &Dvle<'_>) -> Vec<Procedure> {
    // Most tools write none.
    if executable.labels.iter().next().is_none() {
        return Vec::new();
    }
    // Every translation pays for this, so operands are decoded for calls alone.
    let is_call = |word: &u32| Word(*word).moves() == Some(Move::Call);
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
