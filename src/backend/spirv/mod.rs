//! SPIR-V words.
//! In: a legalized module of the intermediate form, the host interface, limits and profile. Out:
//! the words of a SPIR-V module with one entry point, equal for equal input. Knows neither PICA200
//! encodings nor control-flow graphs.
//! Facts: the SPIR-V specification 1.6 and Vulkan's environment for it. Constructs that naga's
//! reader gets wrong are avoided, so that one module serves both Vulkan and wgpu.
//!
//! Shape of the module: capability Shader and GLSL.std.450 only, and ClipDistance where that is an
//! output; one function for each helper, then the entry point `main`. Vertex entry: attribute v_n
//! at location n, each output a variable, the uniform block and, if a field of it is read, the host
//! block where the profile has them. Compute entry: see
//! [`EntryPoint::Compute`](crate::host::EntryPoint::Compute); the buffers must hold whole vertices,
//! and the input buffer as many as the output buffer.
//!
//! Files: `function.rs` control flow; `ops.rs` operations; `access.rs` reads of blocks;
//! `interface.rs`, `kernel.rs`, `stage.rs` entry points; `quaternions.rs` the stage without a
//! program; `leaving.rs` parameters that are dead after a loop; `types.rs` types and constants;
//! `writer.rs` words; `placed.rs` instructions of the program for each of the module; `debug.rs`
//! lines and registers for debuggers.

mod access;
mod debug;
mod function;
mod interface;
mod kernel;
mod leaving;
mod ops;
mod placed;
mod quaternions;
mod stage;
mod types;
mod writer;

pub use placed::PlacedWords;

use ::spirv::Word;

pub use super::interface::{BackendInput, ENTRY_NAME};

use super::interface::{Reads, defect};
use crate::error::{At, Result};
use crate::interface::EntryPoint;
use crate::ir::Func;
use crate::limits;
use function::{Body, State};
use interface::{Declarations, Variables};
use writer::{Section, Writer};

/// Writer of SPIR-V modules. It reuses its tables and memory between modules.
///
/// ```
/// use std::borrow::Cow;
/// use transpica::stages::backend::spirv::{BackendInput, SpirvWriter};
/// use transpica::host::Interface;
/// use transpica::{Options, Profile};
/// use transpica::stages::ir::{Exit, Func, Module, RegionData, ValueList};
///
/// let mut main = Func { name: Cow::Borrowed("main"), ..Func::default() };
/// main.body = Some(main.regions.push(RegionData { items: Vec::new(), exit: Exit::Yield(ValueList::EMPTY) }));
/// let module = Module { main, helpers: Vec::new() };
/// let (interface, options, profile) = (Interface::default(), Options::default(), Profile::default());
/// let limits = &options.limits;
/// let source =
///     BackendInput { module: &module, interface: &interface, limits, profile: &profile, debug_source: None };
/// let words = SpirvWriter::default().write(&source).unwrap();
/// assert_eq!(words[..2], [0x0723_0203, 0x0001_0300]);
/// ```
#[derive(Default)]
pub struct SpirvWriter {
    writer: Writer,
    state: State,
    variables: Variables,
}

impl SpirvWriter {
    /// Creates a writer, at about the cost of writing a small module.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the words of a module.
    ///
    /// # Errors
    /// [`Kind::Verify`](crate::error::Kind::Verify) if the module is not well-formed or not
    /// legalized, [`Kind::Limit`](crate::error::Kind::Limit) if it is larger than the limits allow.
    pub fn write(&mut self, source: &BackendInput<'_>) -> Result<Vec<Word>> {
        self.state.trace = debug::source(source).map(|_| Vec::new());
        self.write_traced(source)
    }

    /// As [`write`](Self::write), with the instructions of the program that each word belongs to.
    ///
    /// # Errors
    /// As [`write`](Self::write).
    pub fn write_placed(&mut self, source: &BackendInput<'_>) -> Result<PlacedWords> {
        self.state.trace = Some(Vec::new());
        let words = self.write_traced(source)?;
        let trace = self.state.trace.take().unwrap_or_default();
        // The writer has all sections but the last one, the functions.
        let start = self.writer.len();
        Ok(PlacedWords::new(words, start, &trace, &source.module.main))
    }

    /// Writes a module, and the trace of its main function if the state has one.
    fn write_traced(&mut self, source: &BackendInput<'_>) -> Result<Vec<Word>> {
        source.profile.check_version()?;
        self.writer.start(source.profile.names);
        self.state.helpers.clear();
        let glsl = self.writer.id();
        if source.interface.entry_point == EntryPoint::Quaternions {
            self.variables.start();
            let main = quaternions::write(&mut self.declarations(source))?;
            return self.end(source, [main, glsl, 0]);
        }
        let reads = Reads::collect(source.module, &mut self.state.reads)?;
        self.declarations(source).declare(reads)?;
        for helper in &source.module.helpers {
            let id = self.body(source, helper, glsl).helper()?;
            self.writer.name(id, &helper.name);
        }
        let start = self.writer.section(Section::Code).len();
        let main = Body { is_main: true, ..self.body(source, &source.module.main, glsl) }.main()?;
        let set = debug::add(&mut self.writer, &mut self.state, source, start, main)?;
        self.end(source, [main, glsl, set])
    }

    /// Writes the preamble and joins all sections.
    fn end(&mut self, source: &BackendInput<'_>, ids: [Word; 3]) -> Result<Vec<Word>> {
        self.writer.name(ids[0], ENTRY_NAME);
        interface::preamble(&mut self.writer, &self.variables, source, ids);
        if self.writer.too_long {
            return Err(defect("an instruction is longer than SPIR-V allows"));
        }
        limits::check("output_words", self.writer.len(), source.limits.output_words, At::Whole)?;
        Ok(self.writer.finish(source.profile.spirv_version))
    }

    fn declarations<'a>(&'a mut self, source: &'a BackendInput<'a>) -> Declarations<'a> {
        Declarations { w: &mut self.writer, vars: &mut self.variables, source }
    }

    fn body<'a>(&'a mut self, source: &'a BackendInput<'a>, func: &'a Func, glsl: Word) -> Body<'a> {
        Body {
            w: &mut self.writer,
            s: &mut self.state,
            vars: &self.variables,
            source,
            func,
            is_main: false,
            glsl,
            registers: [0; 16],
            base: 0,
            thread: 0,
            block: 0,
            undefined: None,
        }
    }
}
