//! Program sources and requested targets.
//! In: a chain. Out: [`ProgramRequest`], which provides the program with its bindings.

use std::borrow::Cow;
use std::ffi::{CStr, c_char};

use transpica::container::Dvle;
use transpica::host::dvle::FileEnvironment;
use transpica::host::registers::number;
use transpica::host::{
    Constants, DebugSource, DrawEnvironment, Environment, Hook, Hooked, RegisterView, Sourced, dvle,
};
use transpica::isa::Pc;
use transpica::settings::VertexInput;
use transpica::stages::limits::check;
use transpica::{At, Error, Job, Kind, Limits, Program, RegisterState, Shbin, Stage};

use crate::attributes::{TranspicaVertexInput, vertex_input};
use crate::boundary::{array, shared};
use crate::chain::{Chain, TranspicaHead, TranspicaType, structures};
use crate::enums::{TranspicaCode, TranspicaTarget};
use crate::geometry::TranspicaJob;
use crate::hooks::TranspicaHooks;
use crate::problem::Problem;
use crate::registers::TranspicaRegisters;
use crate::settings::{choice, reserved};

/// Requested targets. Without this structure: SPIR-V words.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaRequest {
    /// TRANSPICA_TYPE_REQUEST
    pub head: TranspicaHead,
    /// One or more of TranspicaTarget. 0: SPIR-V words.
    pub targets: u32,
    /// A TranspicaGlslVersion; ignored without a GLSL target.
    pub glsl_version: u32,
}

/// A program as stored in the memory of a shader unit.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaRawProgram {
    /// TRANSPICA_TYPE_RAW_PROGRAM
    pub head: TranspicaHead,
    /// Code words.
    pub code: *const u32,
    /// Number of code words. A vertex unit holds 512, a geometry unit 4,096; words beyond those are
    /// dropped.
    pub code_count: usize,
    /// Operand descriptors.
    pub descriptors: *const u32,
    /// Number of operand descriptors.
    pub descriptor_count: usize,
    /// Entry point, in code words.
    pub entry: u32,
    /// A TranspicaStage.
    pub stage: u32,
    /// Register 0x2BD: bit n enables output register n.
    pub output_mask: u32,
    /// Register 0x04F: the number of outputs that the rasterizer takes. 0 if the host does not keep
    /// it: all that output_mask enables, at most 7.
    pub output_count: u32,
    /// Registers 0x050 to 0x056: the semantics of the outputs' components.
    pub output_map: [u32; 7],
    /// Must be 0.
    pub reserved: u32,
}

/// An executable of a .shbin file.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaExecutable {
    /// TRANSPICA_TYPE_EXECUTABLE
    pub head: TranspicaHead,
    /// The file.
    pub bytes: *const u8,
    /// Size of the file in bytes.
    pub byte_count: usize,
    /// Name of the file for comments in texts, or NULL.
    pub name: *const c_char,
    /// Index of the executable (DVLE) in the file, from 0.
    pub index: u32,
    /// Must be 0.
    pub reserved: u32,
}

/// The program in a register state.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaRegisterProgram {
    /// TRANSPICA_TYPE_REGISTER_PROGRAM
    pub head: TranspicaHead,
    /// The state.
    pub registers: *const TranspicaRegisters,
    /// A TranspicaStage.
    pub stage: u32,
    /// Must be 0.
    pub reserved: u32,
}

/// A write to a register of the GPU.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaWrite {
    /// Number of the register.
    pub number: u32,
    /// Value of the register.
    pub value: u32,
}

/// The program in a register state of zeros after some writes.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaRegisterWrites {
    /// TRANSPICA_TYPE_REGISTER_WRITES
    pub head: TranspicaHead,
    /// The writes.
    pub writes: *const TranspicaWrite,
    /// Number of writes.
    pub write_count: usize,
    /// A TranspicaStage.
    pub stage: u32,
    /// Must be 0.
    pub reserved: u32,
}

/// Additional content of a key, such as the driver.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaSalt {
    /// TRANSPICA_TYPE_SALT
    pub head: TranspicaHead,
    /// Any bytes.
    pub bytes: *const u8,
    /// Number of bytes.
    pub byte_count: usize,
}

/// The source of a program for debuggers, with `debug_info` of the settings. It is a part of the
/// key.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaDebugSource {
    /// TRANSPICA_TYPE_DEBUG_SOURCE
    pub head: TranspicaHead,
    /// Name of the file, or NULL.
    pub name: *const c_char,
    /// Its text in UTF-8, which may end with a zero. NULL if text_length is 0.
    pub text: *const c_char,
    /// Bytes of the text.
    pub text_length: usize,
    /// The line of each code word, from 1; 0: none.
    pub lines: *const u32,
    /// Number of lines; words after them have none.
    pub line_count: usize,
}

structures! {
    TranspicaDebugSource => DebugSource,
    TranspicaRequest => Request,
    TranspicaRawProgram => RawProgram,
    TranspicaExecutable => Executable,
    TranspicaRegisterProgram => RegisterProgram,
    TranspicaRegisterWrites => RegisterWrites,
    TranspicaSalt => Salt,
}

/// Requested outputs for a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Targets {
    targets: u32,
    /// Version of GLSL.
    #[cfg(feature = "glsl")]
    pub(crate) glsl: transpica::GlslVersion,
}

impl Targets {
    /// Requests a single target.
    pub(crate) fn only(target: TranspicaTarget) -> Self {
        Self {
            targets: target as u32,
            #[cfg(feature = "glsl")]
            glsl: Default::default(),
        }
    }

    pub(crate) fn has(&self, target: TranspicaTarget) -> bool {
        self.targets & target as u32 != 0
    }

    fn new(request: Option<&TranspicaRequest>) -> Result<Self, Problem> {
        let Some(&TranspicaRequest { head: _, targets, glsl_version }) = request else {
            return Ok(Self::only(TranspicaTarget::Spirv));
        };
        let unknown = targets & !TARGETS.into_iter().fold(0, |all, (target, _)| all | target as u32);
        if unknown != 0 {
            let text = format!("TranspicaRequest.targets has the unknown target {unknown:#x}");
            return Err(Problem::choice(text));
        }
        if let Some((target, _)) = TARGETS.into_iter().find(|&(t, built)| targets & t as u32 != 0 && !built) {
            let text = format!("this library was built without {target:?}");
            return Err(Problem::argument(TranspicaCode::NoTarget, text));
        }
        #[cfg(not(feature = "glsl"))]
        let _ = glsl_version;
        Ok(Self {
            targets: if targets == 0 { TranspicaTarget::Spirv as u32 } else { targets },
            #[cfg(feature = "glsl")]
            glsl: choice("TranspicaRequest.glsl_version", glsl_version)?,
        })
    }
}

/// Every target, with true if this library is built with it.
pub(crate) const TARGETS: [(TranspicaTarget, bool); 7] = [
    (TranspicaTarget::Spirv, true),
    (TranspicaTarget::Wgsl, cfg!(feature = "wgsl")),
    (TranspicaTarget::Glsl, cfg!(feature = "glsl")),
    (TranspicaTarget::Hlsl, cfg!(feature = "hlsl")),
    (TranspicaTarget::Msl, cfg!(feature = "msl")),
    (TranspicaTarget::Reflection, true),
    (TranspicaTarget::GlslExtensions, cfg!(feature = "glsl")),
];

/// The structures of a chain.
#[derive(Default)]
struct Structures {
    request: Option<TranspicaRequest>,
    source: Option<Source>,
    salt: Option<TranspicaSalt>,
    input: Option<TranspicaVertexInput>,
    hooks: Option<TranspicaHooks>,
    job: Option<TranspicaJob>,
    debug: Option<TranspicaDebugSource>,
}

impl Structures {
    fn add(&mut self, source: Source) -> Result<(), Problem> {
        if self.source.replace(source).is_none() {
            return Ok(());
        }
        Err(Problem::argument(TranspicaCode::RepeatedType, "a chain has two programs".to_owned()))
    }
}

/// Source of the program.
enum Source {
    Raw(TranspicaRawProgram),
    Executable(TranspicaExecutable),
    Registers(TranspicaRegisterProgram),
    Writes(TranspicaRegisterWrites),
}

/// A program with the requested outputs.
pub(crate) struct ProgramRequest<'a> {
    source: Source,
    pub(crate) targets: Targets,
    /// Vertex input of the draw, or `None` if the settings have it.
    input: Option<VertexInput>,
    pub(crate) salt: &'a [u8],
    pub(crate) hooks: Vec<Hook>,
    /// The job, if it is not the vertex stage.
    pub(crate) job: Option<Job<'a>>,
    debug: Option<DebugSource>,
}

/// Work on a program: receives it, its bindings, and its executable if it is one of a file.
pub(crate) type Work<'w, R> =
    &'w mut dyn FnMut(&Program<'_>, &dyn Environment, Option<&Dvle<'_>>) -> Result<R, Problem>;

/// Returns the uniforms that an executable sets.
pub(crate) fn constants(executable: Option<&Dvle<'_>>) -> Constants {
    executable.map_or_else(Constants::default, dvle::constants)
}

impl ProgramRequest<'_> {
    /// Reads a chain.
    ///
    /// # Safety
    /// As for [`Chain::new`]; and every pointer in its structures is NULL or points to the data
    /// that its comment describes, unchanged until this is dropped.
    pub(crate) unsafe fn new(first: *const TranspicaHead, call: &str) -> Result<Self, Problem> {
        let mut given = Structures::default();
        // SAFETY: guaranteed by the caller.
        let mut chain = unsafe { Chain::new(first) };
        while let Some(link) = chain.next()? {
            use TranspicaType as T;
            match link.which()? {
                T::Request => link.read_into(&mut given.request)?,
                T::RawProgram => given.add(Source::Raw(link.read()?))?,
                T::Executable => given.add(Source::Executable(link.read()?))?,
                T::RegisterProgram => given.add(Source::Registers(link.read()?))?,
                T::RegisterWrites => given.add(Source::Writes(link.read()?))?,
                T::Salt => link.read_into(&mut given.salt)?,
                T::VertexInput => link.read_into(&mut given.input)?,
                T::Hooks => link.read_into(&mut given.hooks)?,
                T::Job => link.read_into(&mut given.job)?,
                T::DebugSource => link.read_into(&mut given.debug)?,
                other => return Err(link.misplaced(other, call)),
            }
        }
        let targets = Targets::new(given.request.as_ref())?;
        // SAFETY: guaranteed by the caller.
        let salt = |salt: TranspicaSalt| unsafe { array(salt.bytes, salt.byte_count, "TranspicaSalt.bytes") };
        let salt = given.salt.map(salt).transpose()?.unwrap_or_default();
        let input = given.input.as_ref().map(vertex_input).transpose()?;
        // SAFETY: guaranteed by the caller.
        let hooks = given.hooks.map(|hooks| unsafe { hooks.read() }).transpose()?.unwrap_or_default();
        // SAFETY: guaranteed by the caller.
        let job = given.job.map(|job| unsafe { job.read() }).transpose()?;
        // SAFETY: guaranteed by the caller.
        let debug = given.debug.map(|debug| unsafe { debug.read() }).transpose()?;
        let Some(source) = given.source else {
            let text = format!("{call} needs a structure that names the program");
            return Err(Problem::argument(TranspicaCode::NoProgram, text));
        };
        Ok(Self { source, targets, input, salt, hooks, job, debug })
    }

    /// Calls `work` with the program.
    pub(crate) fn with<R>(&self, limits: &Limits, work: Work<'_, R>) -> Result<R, Problem> {
        let work =
            &mut |program: &Program<'_>, environment: &dyn Environment, executable: Option<&Dvle<'_>>| {
                let environment = Hooked { environment, hooks: &self.hooks };
                let Some(source) = &self.debug else { return work(program, &environment, executable) };
                work(program, &Sourced { environment, source }, executable)
            };
        let Some(input) = self.input else { return self.with_program(limits, work) };
        self.with_program(limits, &mut |program, environment, executable| {
            work(program, &DrawEnvironment { environment, input }, executable)
        })
    }

    fn with_program<R>(&self, limits: &Limits, work: Work<'_, R>) -> Result<R, Problem> {
        match &self.source {
            // SAFETY: guaranteed by the caller of `new`.
            Source::Raw(raw) => unsafe { with_raw(raw, work) },
            // SAFETY: as above, and so below.
            Source::Executable(executable) => unsafe { with_executable(executable, limits, work) },
            Source::Registers(program) => {
                reserved("TranspicaRegisterProgram.reserved", program.reserved)?;
                let name = "TranspicaRegisterProgram.registers";
                // SAFETY: as above.
                let registers = unsafe { shared(program.registers, name)? };
                with_state(&registers.state, choice("TranspicaRegisterProgram.stage", program.stage)?, work)
            }
            Source::Writes(program) => {
                reserved("TranspicaRegisterWrites.reserved", program.reserved)?;
                let name = "TranspicaRegisterWrites.writes";
                // SAFETY: as above.
                let writes = unsafe { array(program.writes, program.write_count, name)? };
                let mut state = RegisterState::default();
                for &TranspicaWrite { number, value } in writes {
                    write(&mut state, number, value, u32::MAX);
                }
                with_state(&state, choice("TranspicaRegisterWrites.stage", program.stage)?, work)
            }
        }
    }
}

impl TranspicaDebugSource {
    /// Returns the source of the library.
    ///
    /// # Safety
    /// `name` is NULL or a text that ends with a zero; `text` and `lines` are NULL or arrays of
    /// the sizes that are said.
    unsafe fn read(&self) -> Result<DebugSource, Problem> {
        let &Self { head: _, name, text, text_length, lines, line_count } = self;
        // SAFETY: guaranteed by the caller.
        let (text, lines) = unsafe {
            (
                array(text.cast::<u8>(), text_length, "TranspicaDebugSource.text")?,
                array(lines, line_count, "TranspicaDebugSource.lines")?,
            )
        };
        let text = String::from_utf8_lossy(text).into_owned();
        // SAFETY: as above.
        let (name, lines) = (unsafe { name_of(name) }.into(), lines.to_vec());
        Ok(DebugSource { name, text, lines, ..DebugSource::default() })
    }
}

/// A name, empty for NULL.
///
/// # Safety
/// NULL or a text that ends with a zero.
unsafe fn name_of<'a>(name: *const c_char) -> Cow<'a, str> {
    // SAFETY: guaranteed by the caller.
    if name.is_null() { Cow::Borrowed("") } else { unsafe { CStr::from_ptr(name) }.to_string_lossy() }
}

/// Writes a register; numbers beyond 16 bits are ignored.
pub(crate) fn write(state: &mut RegisterState, number: u32, value: u32, bytes: u32) {
    if let Ok(number) = u16::try_from(number) {
        state.write_masked(number, value, bytes);
    }
}

fn view(state: &RegisterState, stage: Stage) -> RegisterView<'_> {
    match stage {
        Stage::Vertex => state.vertex(),
        Stage::Geometry => state.geometry(),
    }
}

fn with_state<R>(state: &RegisterState, stage: Stage, work: Work<'_, R>) -> Result<R, Problem> {
    let view = view(state, stage);
    work(&view.program()?, &view, None)
}

/// Calls `work` with a raw program.
///
/// # Safety
/// The pointers point to the data that their comments describe.
unsafe fn with_raw<R>(raw: &TranspicaRawProgram, work: Work<'_, R>) -> Result<R, Problem> {
    reserved("TranspicaRawProgram.reserved", raw.reserved)?;
    // SAFETY: guaranteed by the caller.
    let (code, descriptors) = unsafe {
        (
            array(raw.code, raw.code_count, "TranspicaRawProgram.code")?,
            array(raw.descriptors, raw.descriptor_count, "TranspicaRawProgram.descriptors")?,
        )
    };
    let stage = choice("TranspicaRawProgram.stage", raw.stage)?;
    let entry = u16::try_from(raw.entry).map_err(|_| {
        let words = u32::try_from(code.len()).unwrap_or(u32::MAX);
        Error::new(Kind::EntryOutOfCode { entry: raw.entry, words }, At::Whole)
    })?;
    let program = Program::from_raw(code, descriptors, Pc(entry), stage)?;
    let mut state = RegisterState::default();
    load_outputs(raw, stage, &mut state);
    work(&program, &view(&state, stage), None)
}

/// Writes the outputs of a raw program; returns the first register of its unit.
fn load_outputs(raw: &TranspicaRawProgram, stage: Stage, state: &mut RegisterState) -> u16 {
    let unit = match stage {
        Stage::Vertex => number::VERTEX_UNIT,
        Stage::Geometry => number::GEOMETRY_UNIT,
    };
    state.write(unit + number::unit::OUTPUT_MASK, raw.output_mask);
    let count = if raw.output_count == 0 { raw.output_mask.count_ones().min(7) } else { raw.output_count };
    state.write(number::OUTMAP_TOTAL, count);
    for (register, word) in (number::OUTMAP..).zip(raw.output_map) {
        state.write(register, word);
    }
    unit
}

/// Writes a raw program to registers.
///
/// # Safety
/// The pointers point to the data that their comments describe.
pub(crate) unsafe fn load(raw: &TranspicaRawProgram, state: &mut RegisterState) -> Result<(), Problem> {
    let write = &mut |program: &Program<'_>, _: &dyn Environment, _: Option<&Dvle<'_>>| {
        let unit = load_outputs(raw, program.stage(), state);
        use number::unit::{CODE_DATA, CODE_INDEX, DESCRIPTOR_DATA, DESCRIPTOR_INDEX, ENTRY};
        let rows = [
            (CODE_INDEX, CODE_DATA, program.code()),
            (DESCRIPTOR_INDEX, DESCRIPTOR_DATA, program.descriptors()),
        ];
        for (index, data, words) in rows {
            state.write(unit + index, 0);
            words.iter().for_each(|&word| state.write(unit + data, word));
        }
        state.write(unit + ENTRY, 0x7FFF_0000 | u32::from(program.entry().0));
        Ok(())
    };
    // SAFETY: guaranteed by the caller.
    unsafe { with_raw(raw, write) }
}

/// Calls `work` with an executable of a file.
///
/// # Safety
/// The pointers point to the data that their comments describe.
unsafe fn with_executable<R>(
    given: &TranspicaExecutable,
    limits: &Limits,
    work: Work<'_, R>,
) -> Result<R, Problem> {
    reserved("TranspicaExecutable.reserved", given.reserved)?;
    // SAFETY: guaranteed by the caller.
    let bytes = unsafe { array(given.bytes, given.byte_count, "TranspicaExecutable.bytes")? };
    // SAFETY: as above.
    let name = unsafe { name_of(given.name) };
    let file = Shbin::parse(bytes)?;
    check("executables", file.executables.len(), limits.executables, At::Offset(4))?;
    let index = given.index as usize;
    let program = dvle::program(&file, index, limits)?;
    let environment = FileEnvironment::new(&file, index, &name)?;
    work(&program, &environment, Some(environment.executable()))
}
