//! `transpica translate`: one program, from a file or from raw words, to one target; or with
//! `folder` every program of many files. `plan` and `names` say which files it reads and writes,
//! `target` makes modules.

mod folder;
mod names;
mod plan;
mod target;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use transpica::host::registers::number as register;
use transpica::host::{Constants, EntryPoint, Environment};
use transpica::isa::Pc;
use transpica::reflect::Reflection;
use transpica::{GlslVersion, Job, Program, RegisterState, Stage, Translation};
use transpica_inspect::{json, reflection};

use crate::arguments::Arguments;
use crate::debug_source::sourced;
use crate::files;
use crate::input::{Input, Selection};
use crate::jobs::{GeometryOptions, NO_OUTPUTS, Translatable};
use crate::report::{Common, Failure};
use crate::settings::{ForModules, Settings};
use crate::streams::{Streams, disagreement, named};
use folder::{Batch, Request};
use target::{EXTENSIONS, Emitted, Target, emit, glsl_ending, glsl_version, source_map};

/// Translate a program, or every program in many files
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica translate lights.shbin
  transpica translate lights.shbin -o lights.spv --reflect lights.json
  transpica translate lights.shbin --glsl-version 330 --depth -w..w -o lights.vert    for OpenGL
  transpica translate dumps --to spirv,wgsl,reflection --out-dir out

--help lists all options by purpose.")]
#[command(after_long_help = "Examples:
  transpica translate lights.shbin
  transpica translate lights.shbin -o lights.spv --reflect lights.json
  transpica translate lights.shbin --glsl-version 330 --depth -w..w -o lights.vert    for OpenGL
  transpica translate library.shbin --dvle 4 --to glsl --glsl-version 310es --depth -w..w
  transpica translate lights.shbin --to glsl --glsl-version 300es --profile names.json
  transpica translate lights.shbin --preset azahar-vulkan --loop-guard none -o lights.spv
  transpica translate lights.shbin --to reflection    what it reads and writes
  transpica translate dumps --to spirv,wgsl,reflection --out-dir out
  transpica translate dumps --to spirv --out-dir out --shard 3/64
  transpica translate --code code.bin --descriptors descriptors.bin --entry 0x10 \\
      --outmap 0=0x03020100 --outmap 1=0x0b0a0908")]
pub struct Translate {
    /// A .shbin file or .pica source; - reads standard input. With --out-dir, folders too
    ///
    /// Sources are assembled first. Wrappers around one container, such as BCSDR, are opened.
    #[arg(id = "file", value_name = "FILE", required_unless_present = "code")]
    pub files: Vec<PathBuf>,
    #[command(flatten)]
    pub raw: Raw,
    #[command(flatten)]
    pub selection: Selection,
    /// Target language [default: by the extension of -o, else WGSL]
    ///
    /// The extensions are .wgsl, .spv, .vert .comp .geom .glsl, .hlsl, .metal, .json and .vbc. With
    /// --out-dir it may be a list such as spirv,reflection.
    #[arg(long, value_enum, value_name = "TARGET", value_delimiter = ',')]
    pub to: Vec<Target>,
    #[command(flatten)]
    pub batch: Batch,
    /// GLSL version, for --to glsl [default: 450]
    #[arg(long, value_parser = glsl_version(), value_name = "VERSION")]
    pub glsl_version: Option<GlslVersion>,
    /// Kind of entry point: vertex, compute or quaternions; with --code, also the code word at
    /// which the program starts
    #[arg(long, hide_short_help = true, value_parser = EntryOption::parse, value_name = "SHAPE|N")]
    pub entry: Vec<EntryOption>,
    #[command(flatten)]
    pub geometry: GeometryOptions,
    /// Output file [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write a table of inputs, outputs and uniforms to this file, as JSON
    #[arg(long, value_name = "FILE")]
    pub reflect: Option<PathBuf>,
    /// Write the instruction addresses of each line of the result to this file, as JSON
    #[arg(long, value_name = "FILE", conflicts_with = "reflect", hide_short_help = true)]
    pub source_map: Option<PathBuf>,
    /// Text to mix into the program's key, such as a driver's name; -v prints the key
    #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true, hide_short_help = true)]
    pub salt: String,
    #[command(flatten)]
    pub settings: Settings<ForModules>,
}

impl Translate {
    /// Returns the targets, each once: `--to`, else the one that the extension of `-o` names, else
    /// WGSL.
    fn targets(&self) -> Vec<Target> {
        let mut targets: Vec<Target> = Vec::new();
        for &target in &self.to {
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        if targets.is_empty() {
            targets.push(self.named_target().unwrap_or(Target::Wgsl));
        }
        targets
    }
    /// Returns the target of the extension of `-o`.
    fn named_target(&self) -> Option<Target> {
        named(self.output.as_deref(), EXTENSIONS)
    }
    /// Returns whether an option that changes a vertex stage's outputs was given.
    fn shapes_outputs(&self) -> bool {
        self.settings.changes("outputs")
    }
    /// Rejects several files or targets without a folder for the results.
    fn check_count(&self) -> Result<(), String> {
        if self.batch.out_dir.is_some() {
            return Ok(());
        }
        let several = match (self.files.len(), self.targets().len()) {
            (2.., _) => "several files",
            (_, 2..) => "several targets",
            (1, _) if self.files[0].is_dir() => "the programs of a folder",
            _one_of_each => return Ok(()),
        };
        Err(format!("{several} need a folder for the results; add --out-dir DIR"))
    }
}

impl Arguments for Translate {
    fn check(&self) -> Result<(), String> {
        if self.raw.code.is_none() && self.entry.iter().any(|entry| matches!(entry, EntryOption::Word(_))) {
            return Err(
                "--entry takes a code word only with --code; executables have their own entry point".into()
            );
        }
        self.check_count()?;
        if let ([to], Some(named), Some(path)) = (self.to.as_slice(), self.named_target(), &self.output)
            && *to != named
        {
            return Err(disagreement(path, named.name(), "--to", to.name()));
        }
        let targets = self.targets();
        if self.glsl_version.is_some() && !targets.contains(&Target::Glsl) {
            return Err(format!("--glsl-version needs --to glsl, but the target is {}", targets[0].name()));
        }
        if self.source_map.is_some() && !targets[0].has_source_map() {
            return Err(format!(
                "--source-map needs wgsl, glsl, spirv or spirv-asm, but the target is {}",
                targets[0].name()
            ));
        }
        let is_compute = self.entry.iter().any(|entry| matches!(entry, EntryOption::Shape(Job::Compute)));
        if is_compute && self.shapes_outputs() {
            return Err(format!("{NO_OUTPUTS}; --entry compute returns raw registers"));
        }
        Ok(())
    }
    fn streams(&self) -> Streams<'_> {
        let Raw { code, descriptors, outmap: _ } = &self.raw;
        let others = [code, descriptors].into_iter().flatten().chain(self.settings.files());
        let streams = Streams::of_files(self.files.iter().chain(others), self.output.as_deref());
        let streams = streams.with_extensions(EXTENSIONS.iter().map(|(name, _)| *name));
        let streams = match (&*self.targets(), &self.batch.out_dir) {
            ([Target::Spirv], None) => streams.with_binary(SPIRV_AS_TEXT),
            ([Target::Vbc], None) => streams.with_binary("use -o FILE; transpica info prints its tables"),
            _text_or_folder => streams,
        };
        streams.and("--source-map", self.source_map.as_ref()).and("--reflect", self.reflect.as_ref())
    }
}

/// Advice: what to do instead of writing SPIR-V to a terminal.
const SPIRV_AS_TEXT: &str =
    if cfg!(feature = "spirv-asm") { "use -o FILE, or --to spirv-asm for text" } else { "use -o FILE" };

/// A program without a container.
#[derive(Args, Clone, Debug)]
pub struct Raw {
    /// Raw code words (little-endian) instead of a .shbin file; only the first 512 count
    #[arg(long, hide_short_help = true, value_name = "FILE", conflicts_with_all = ["file", "dvle"])]
    pub code: Option<PathBuf>,
    /// Raw operand descriptors for --code [default: none]
    #[arg(long, value_name = "FILE", requires = "code", conflicts_with = "file", hide_short_help = true)]
    pub descriptors: Option<PathBuf>,
    /// Semantics of the components of oN, encoded as in an output map register; may be repeated
    /// [default: o0 is the position]
    #[arg(long, value_parser = outmap, value_name = "N=WORD", requires = "code", conflicts_with = "file", hide_short_help = true)]
    pub outmap: Vec<(u8, u32)>,
}

/// One value of `--entry`.
#[derive(Clone, Copy, Debug)]
pub enum EntryOption {
    /// The shape of the entry point: the job of a vertex program.
    Shape(Job<'static>),
    /// The code word where the program starts.
    Word(u16),
}

impl EntryOption {
    /// Parses a shape or an address.
    fn parse(text: &str) -> Result<Self, String> {
        match text {
            "vertex" => Ok(Self::Shape(Job::Vertex)),
            "compute" => Ok(Self::Shape(Job::Compute)),
            "quaternions" => Ok(Self::Shape(Job::Quaternions)),
            word => number(word)
                .and_then(|word| Some(Self::Word(word.try_into().ok()?)))
                .ok_or_else(|| "must be vertex, compute, or the number of a code word".to_string()),
        }
    }
}

/// Parses a number, decimal or with 0x.
fn number(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    digits
        .map_or_else(|| text.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok().filter(|_| is_plain(hex)))
}

/// `--outmap`
fn outmap(text: &str) -> Result<(u8, u32), String> {
    let wrong = || "must look like 0=0x03020100: a register 0 to 15 and a word".to_string();
    let (register, word) = text.split_once('=').ok_or_else(wrong)?;
    let register = register.parse().ok().filter(|&register| register < 16).ok_or_else(wrong)?;
    Ok((register, number(word).ok_or_else(wrong)?))
}

/// Runs the command.
pub fn run(arguments: &Translate, common: &Common) -> Result<(), Failure> {
    if let Some(target) = arguments.targets().into_iter().find(|target| !target.is_built()) {
        return Err(target.left_out());
    }
    let (vertex, start) = entry_point(&arguments.entry);
    let request = |resolved| Request {
        resolved,
        job: (vertex, arguments.geometry),
        targets: arguments.targets(),
        version: arguments.glsl_version.unwrap_or(GlslVersion::Vulkan450),
        salt: &arguments.salt,
    };
    let settings = &arguments.settings;
    if let Some(folder) = &arguments.batch.out_dir {
        let request = request(settings.resolve()?);
        note_depth(&request, common);
        return folder::run((&arguments.files, folder), &arguments.batch, &request, common);
    }
    if let Some(code) = &arguments.raw.code {
        return from_words(code, start, arguments, &request(settings.resolve()?), common);
    }
    let Some(file) = arguments.files.first() else { unreachable!("one of the two is required") };
    let input = Input::open(file)?.remarked(common);
    let container = input.parse()?;
    let dvle = input.chosen(&container, &arguments.selection, common);
    let request = request(settings.resolve_for(&input.symbols(&container, dvle)?)?);
    let program = input.program(&container, dvle, &request.resolved.options.limits)?;
    fits(&program, arguments.geometry, arguments.shapes_outputs())?;
    let name = input.name();
    let limits = &request.resolved.options.limits;
    let source = Translatable::new(&container, dvle, &name, limits, request.job);
    let source = source.map_err(|error| input.fail(&error))?;
    let environment = sourced(&source.environment, &container, &request.resolved.profile, &input);
    let program = (&program, &*environment, source.job());
    show(&input, program, |translated| source.reflection(translated), (arguments, &request), common)
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
            EntryOption::Shape(shape) => job = *shape,
            EntryOption::Word(word) => start = Pc(*word),
        }
    }
    (job, start)
}

/// Translates a program without a container; the output map registers provide its interface.
fn from_words(
    code: &Path,
    start: Pc,
    arguments: &Translate,
    request: &Request<'_>,
    common: &Common,
) -> Result<(), Failure> {
    let raw = &arguments.raw;
    let input = Input::read(code)?;
    let mut code = words(&input)?;
    code.truncate(Stage::Vertex.words() as usize);
    let descriptors = raw.descriptors.as_ref().map_or(Ok(Vec::new()), |path| words(&Input::read(path)?))?;
    let program =
        Program::from_raw(code, descriptors, start, Stage::Vertex).map_err(|error| input.fail(&error))?;
    let state = output_registers(&raw.outmap);
    let describe = |translated: &mut Translation| {
        translated.interface.source = input.name();
        translated.interface.entry = Some(start);
        Reflection::new(&program, translated, &Constants::default())
    };
    show(&input, (&program, &state.vertex(), request.job.0), describe, (arguments, request), common)
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
    state.write(register::vertex::OUTPUT_MASK, mask);
    state.write(register::OUTMAP_TOTAL, map.len().min(7) as u32);
    for (register, word) in (register::OUTMAP..register::OUTMAP + 7).zip(map.into_values()) {
        state.write(register, word);
    }
    state
}

/// Notes that OpenGL expects another depth range than the position has.
fn note_depth(request: &Request<'_>, common: &Common) {
    let is_opengl = request.targets.contains(&Target::Glsl) && request.version.is_opengl();
    if is_opengl && !request.resolved.has_depth && request.job.0 == Job::Vertex {
        // ES has it as an extension that few drivers know.
        let other = if request.version.is_es() { "" } else { ", or --depth 0..w with glClipControl" };
        common.note(format_args!("z is 0..w as in Vulkan; for OpenGL, use --depth -w..w{other}"));
    }
}

/// Translates a program and writes the requested results.
fn show(
    input: &Input,
    (program, environment, job): (&Program<'_>, &dyn Environment, Job<'_>),
    describe: impl FnOnce(&mut Translation) -> Reflection,
    (arguments, request): (&Translate, &Request<'_>),
    common: &Common,
) -> Result<(), Failure> {
    let path = input.path.display();
    let mut translator = request.translator();
    let translated = translator.translate(program, environment, job);
    let translated = &mut translated.map_err(|error| input.fail(&error))?;
    // A program that was translated has a key.
    if let Ok(key) = translator.key(program, environment, job, request.salt.as_bytes()) {
        common.detail(format_args!("{path}: key {key}"));
    }
    let reflection = &describe(translated);
    for warning in &translated.warnings {
        common.warn(format_args!("{path}: {warning}"));
    }
    if translated.interface.entry_point == EntryPoint::Vertex {
        note_depth(request, common);
    }
    let output = arguments.output.as_deref();
    check_stage(output, translated)?;
    let start = Instant::now();
    let is_json = named(output, EXTENSIONS) == Some(Target::Reflection);
    let tables = if is_json { json::reflection } else { reflection::text };
    let (target, version) = (request.targets[0], request.version);
    let emitted = emit(&mut translator, translated, (target, version), || reflection, tables);
    let Emitted { bytes, warning } = emitted.map_err(|failure| failure.in_file(&input.path))?;
    if let Some(warning) = warning {
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
    let (path, text) = match (&arguments.reflect, &arguments.source_map) {
        (Some(path), _) => (path, json::reflection(reflection)),
        (None, Some(path)) => {
            let text = source_map(translated, target, version).map_err(|error| input.fail(&error))?;
            (path, text)
        }
        (None, None) => return files::write(output, &bytes),
    };
    files::write_all(&[(Some(path), text.as_bytes()), (output, &bytes)])
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
