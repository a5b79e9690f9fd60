//! `transpica translate`: one program, from a file or from raw words, to one target.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::time::Instant;

use crate::backend::text::Language;
use transpica::host::dvle::FileEnvironment;
use transpica::host::registers::number;
use transpica::host::{Constants, EntryPoint};
use transpica::isa::Pc;
use transpica::reflect::Reflection;
use transpica::{Error, GlslVersion, Job, Key, Program, RegisterState, Stage, Translation, Translator};
use transpica_containers::to_bytes;
use transpica_inspect::{json, reflection};

use super::{Input, batch, dis, source_map, translated, vbc, with_job};
use crate::args::settings::Resolved;
use crate::args::{Common, Entry, EntryOption, GeometryOptions, NO_OUTPUTS, Target, Translate};
use crate::files;
use crate::report::Failure;

pub fn run(arguments: Translate, common: &Common) -> Result<(), Failure> {
    let (vertex, start) = entry_point(&arguments.entry);
    let request = |resolved| Request {
        arguments: &arguments,
        resolved,
        vertex,
        targets: arguments.targets(),
        version: arguments.glsl_version.unwrap_or(GlslVersion::Vulkan450),
    };
    let settings = &arguments.settings;
    if let Some(folder) = &arguments.batch.out_dir {
        let request = request(settings.resolve()?);
        request.note_depth(common);
        return batch::run(folder, &request, common);
    }
    if let Some(code) = &arguments.raw.code {
        return from_words(code, start, &request(settings.resolve()?), common);
    }
    let Some(file) = arguments.files.first() else { unreachable!("one of the two is required") };
    let input = Input::open(file)?.remarked(common);
    let container = input.parse()?;
    let dvle = input.chosen(&container, &arguments.selection, common);
    let request = request(settings.resolve_for(&input.symbols(&container, dvle)?)?);
    let program = input.program(&container, dvle, &request.resolved.options.limits)?;
    let geometry = arguments.geometry;
    fits(&program, geometry, arguments.shapes_outputs())?;
    let name = input.name();
    let environment = FileEnvironment::new(&container, dvle, &name).map_err(|error| input.fail(&error))?;
    let profile = &request.resolved.profile;
    let sourced = dis::sourced(&environment, &container, profile, file);
    let mut translator = request.translator();
    let translated = translated(&mut translator, &container, dvle, &*sourced, vertex, geometry);
    let translated = translated.map_err(|error| input.fail(&error))?;
    let key = with_job(&container, dvle, &program, vertex, geometry, |job| {
        translator.key(&program, &*sourced, job, arguments.salt.as_bytes())
    });
    detail_key(&input, key, common);
    let reflection = Reflection::new(&program, &translated, &environment.constants())
        .with_symbols(environment.executable());
    show(&input, &program, translator, &translated, &reflection, &request, common)
}

/// Rejects options of the other stage.
fn fits(program: &Program<'_>, geometry: GeometryOptions, shapes_outputs: bool) -> Result<(), Failure> {
    let GeometryOptions { vertex, stride } = geometry;
    match program.stage() {
        Stage::Vertex if vertex.is_some() || stride.is_some() => {
            Err(Failure::usage("--vertex and --stride are for geometry programs; this is a vertex program"))
        }
        Stage::Geometry if shapes_outputs => {
            Err(Failure::usage(format!("{NO_OUTPUTS}; a geometry program becomes a compute shader")))
        }
        Stage::Vertex | Stage::Geometry => Ok(()),
    }
}

/// Returns the job of a vertex program and the start address of raw code; the last of several
/// values wins.
fn entry_point(values: &[EntryOption]) -> (Job<'static>, Pc) {
    let (mut job, mut start) = (Job::Vertex, Pc(0));
    for value in values {
        match value {
            EntryOption::Shape(Entry::Vertex) => job = Job::Vertex,
            EntryOption::Shape(Entry::Compute) => job = Job::Compute,
            EntryOption::Shape(Entry::Quaternions) => job = Job::Quaternions,
            EntryOption::Word(word) => start = Pc(*word),
        }
    }
    (job, start)
}

/// Translates a program without a container; the output map registers provide its interface.
fn from_words(code: &Path, start: Pc, request: &Request<'_>, common: &Common) -> Result<(), Failure> {
    let raw = &request.arguments.raw;
    let input = Input::read(code)?;
    let mut code = words(&input)?;
    code.truncate(Stage::Vertex.words() as usize);
    let descriptors = match &raw.descriptors {
        Some(path) => words(&Input::read(path)?)?,
        None => Vec::new(),
    };
    let program =
        Program::from_raw(code, descriptors, start, Stage::Vertex).map_err(|error| input.fail(&error))?;
    let state = output_registers(&raw.outmap);
    let mut translator = request.translator();
    let mut translated = translator
        .translate(&program, &state.vertex(), request.vertex)
        .map_err(|error| input.fail(&error))?;
    let key = translator.key(&program, &state.vertex(), request.vertex, request.arguments.salt.as_bytes());
    detail_key(&input, key, common);
    translated.interface.source = input.name();
    translated.interface.entry = Some(start);
    let reflection = Reflection::new(&program, &translated, &Constants::default());
    show(&input, &program, translator, &translated, &reflection, request, common)
}

/// Prints the key of a program. A program that was translated has one.
fn detail_key(input: &Input, key: Result<Key, Error>, common: &Common) {
    if let Ok(key) = key {
        common.detail(format_args!("{}: key {key}", input.path.display()));
    }
}

/// Returns the little-endian words of a file.
fn words(input: &Input) -> Result<Vec<u32>, Failure> {
    let (words, rest) = input.bytes.as_chunks();
    if !rest.is_empty() {
        let text =
            format!("{}: {} bytes are not a whole number of words", input.path.display(), input.bytes.len());
        return Err(Failure::new(text).hint("raw code and descriptors are little-endian words of four bytes"));
    }
    Ok(words.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect())
}

/// Builds registers with these output maps; the last of two words for one register wins. The
/// rasterizer has seven.
fn output_registers(map: &[(u8, u32)]) -> RegisterState {
    let map: BTreeMap<u8, u32> =
        if map.is_empty() { [(0, 0x0302_0100)].into() } else { map.iter().copied().collect() };
    let mut state = RegisterState::default();
    let mask = map.keys().fold(0, |mask, register| mask | 1 << register);
    state.write(number::vertex::OUTPUT_MASK, mask);
    state.write(number::OUTMAP_TOTAL, map.len().min(7) as u32);
    for (register, word) in (number::OUTMAP..number::OUTMAP + 7).zip(map.into_values()) {
        state.write(register, word);
    }
    state
}

/// Requested translation of a program.
pub struct Request<'a> {
    pub arguments: &'a Translate,
    pub resolved: Resolved,
    /// The job if it is a vertex program.
    pub vertex: Job<'static>,
    /// One target, or several of a batch.
    pub targets: Vec<Target>,
    pub version: GlslVersion,
}

impl Request<'_> {
    /// Builds a translator with the chosen settings.
    pub fn translator(&self) -> Translator {
        Translator::new(self.resolved.options, self.resolved.profile.clone())
    }
    /// Returns the target of a single translation.
    fn target(&self) -> Target {
        self.targets[0]
    }
    /// Notes that the position of GLSL is not that of its host.
    fn note_depth(&self, common: &Common) {
        let is_opengl = self.targets.contains(&Target::Glsl) && self.version.is_opengl();
        if is_opengl && !self.resolved.has_depth && self.vertex == Job::Vertex {
            common.note(
                "z is 0..w as in Vulkan; for OpenGL, use --depth -w..w, or --depth 0..w with glClipControl",
            );
        }
    }
}

/// Writes the requested results.
fn show(
    input: &Input,
    program: &Program<'_>,
    mut translator: Translator,
    translated: &Translation,
    reflection: &Reflection,
    request: &Request<'_>,
    common: &Common,
) -> Result<(), Failure> {
    let path = input.path.display();
    for warning in &translated.warnings {
        common.warn(format_args!("{path}: {warning}"));
    }
    if translated.interface.entry_point == EntryPoint::Vertex {
        request.note_depth(common);
    }
    let output = request.arguments.output.as_deref();
    check_stage(output, translated)?;
    let start = Instant::now();
    let is_json = output.and_then(Target::of_ending) == Some(Target::Reflection);
    let tables = if is_json { json::reflection } else { reflection::text };
    let (target, version) = (request.target(), request.version);
    let emitted = emit(&mut translator, translated, target, version, || reflection, tables);
    let Emitted { bytes, warnings } = emitted.map_err(|error| match error {
        EmitError::Program(error) => input.fail(&error),
        EmitError::Vbc(error) => vbc::failure(input, &error),
    })?;
    for warning in warnings {
        common.warn(format_args!("{path}: {warning}"));
    }
    common.detail(format_args!(
        "{path}: {}, {} code words, {} bytes of {} in {:?}",
        translated.tier,
        program.code().len(),
        bytes.len(),
        target.name(),
        start.elapsed()
    ));
    let (path, text) = match (&request.arguments.reflect, &request.arguments.source_map) {
        (Some(path), _) => (path, json::reflection(reflection)),
        (None, Some(path)) => {
            let text = source_map::text(translated, target, version).map_err(|error| input.fail(&error))?;
            (path, text)
        }
        (None, None) => return files::write(output, &bytes),
    };
    files::write_all(&[(Some(path), text.as_bytes()), (output, &bytes)])
}

/// Returns the extension of a GLSL file, by which compilers know the stage.
pub fn glsl_ending(translated: &Translation) -> &'static str {
    match &translated.interface.entry_point {
        EntryPoint::Vertex => "vert",
        EntryPoint::Compute { .. } | EntryPoint::Kernel(_) => "comp",
        EntryPoint::Stage(_) | EntryPoint::Quaternions => "geom",
    }
}

/// Rejects a shader of one stage in a file whose name says another.
fn check_stage(output: Option<&Path>, translated: &Translation) -> Result<(), Failure> {
    let stage = |ending: &str| match ending {
        "vert" => "a vertex shader",
        "comp" => "a compute shader",
        "geom" => "a geometry shader",
        _no_stage => "",
    };
    let ending = output.and_then(files::ending).unwrap_or_default();
    let (own, named) = (glsl_ending(translated), stage(&ending));
    if named.is_empty() || ending == own {
        return Ok(());
    }
    let path = output.unwrap_or(Path::new("-"));
    let message = format!("{} looks like {named}, but this is {}", path.display(), stage(own));
    Err(Failure::usage(message).hint(format!("name it {}", path.with_extension(own).display())))
}

/// A module in some target.
pub struct Emitted {
    pub bytes: Vec<u8>,
    /// Remarks about what the target does not hold.
    pub warnings: Vec<String>,
}

impl From<Vec<u8>> for Emitted {
    fn from(bytes: Vec<u8>) -> Self {
        Self { bytes, warnings: Vec::new() }
    }
}

/// Reason why a target cannot hold a module.
pub enum EmitError {
    Program(Error),
    Vbc(transpica_containers::vbc::Error),
}

impl From<Error> for EmitError {
    fn from(error: Error) -> Self {
        Self::Program(error)
    }
}

impl fmt::Display for EmitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program(error) => error.fmt(f),
            Self::Vbc(error) => error.fmt(f),
        }
    }
}

/// Returns a module in a target; `tables` writes the reflection as text.
pub fn emit<R: Borrow<Reflection>>(
    translator: &mut Translator,
    translated: &Translation,
    target: Target,
    version: GlslVersion,
    reflection: impl FnOnce() -> R,
    tables: impl FnOnce(&Reflection) -> String,
) -> Result<Emitted, EmitError> {
    let language = match target {
        Target::Spirv => {
            return Ok(to_bytes(&translator.spirv(translated)?).into());
        }
        #[cfg(feature = "spirv-asm")]
        Target::SpirvAsm => {
            let words = translator.spirv(translated)?;
            return Ok(transpica_inspect::spirv::assembly(&words)?.into_bytes().into());
        }
        Target::Reflection => return Ok(tables(reflection().borrow()).into_bytes().into()),
        Target::Vbc => return vbc::emit(translator, translated, reflection().borrow()),
        Target::Wgsl => Language::Wgsl,
        Target::Glsl => Language::Glsl(version),
        #[cfg(feature = "naga")]
        Target::Hlsl => Language::Hlsl,
        #[cfg(feature = "naga")]
        Target::Msl => Language::Msl,
    };
    Ok(translated.text(language)?.into_bytes().into())
}
