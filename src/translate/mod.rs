//! The translation driver: runs the pipeline and selects the tier of control flow.
//! In: [`Program`], its [`Environment`] and a [`Job`]. Out: [`Translation`], and from it SPIR-V,
//! text or a naga module.
//!
//! Begin with `Translator::translate`. Files: `accept.rs` conditions that keys check, too;
//! `control.rs` the tier of control flow; `file.rs` programs of files; `geometry.rs` geometry
//! programs as compute stages, `stage.rs` as native geometry stages where that is exact; `key.rs`
//! cache keys; `listing.rs` the program as a source for debuggers; `reflect/` what a translated
//! program reads and writes; `warm.rs` the warm-up.
//!
//! Tiers: *structured*; a *block dispatcher* where the tree would nest too deep or its graph is too
//! entangled; a *pc dispatcher*, a loop over a switch on the program counter with the rings in
//! variables, where the control states are too many or the blocks more than a block dispatcher is
//! good for. All three give the same results; the output says which one ran, and a warning says why
//! it was not the first.

mod accept;
mod control;
mod file;
mod geometry;
pub mod key;
mod listing;
pub mod reflect;
mod stage;
mod warm;

pub use control::{ControlFlow, Tier, control};
pub use file::FileProgram;
pub use geometry::state_words;

use crate::error::{Result, Warning};
use crate::flow::cfg::Action;
use crate::flow::cfg::reach::reach;
use crate::host::constants::Constants;
use crate::host::debug_source::DebugSource;
use crate::host::hooks::Hook;
use crate::host::registers::OutputMap;
use crate::host::settings::{Job, Options, Profile, Reliance};
use crate::interface::hooks::add_outputs;
use crate::interface::{
    EntryPoint, Environment, Interface, Output, OutputValue, Usage, attach, map_warnings, varying,
};
use crate::lift::{Context, OutputSelection};
use crate::passes::analyze::offsets::Offset;
use crate::passes::analyze::ranges::Promises;
#[cfg(any(feature = "wgsl", feature = "glsl"))]
use crate::program::isa::placed::PlacedText;
use crate::program::isa::{Dest, Pc, Program};
use crate::translate::key::{Key, SettingsDigest};
use crate::{ir, passes};

/// A translated program, ready for every back end, with all inputs of its modules.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Translation {
    /// The program after legalization. No public API.
    #[doc(hidden)]
    pub module: ir::Module,
    /// Its attributes, uniform block, outputs and entry point.
    pub interface: Interface,
    /// Registers that it uses.
    pub usage: Usage,
    /// Tier of its control flow.
    pub tier: Tier,
    /// Warnings, among them the reason for a tier other than [`Tier::Structured`].
    pub warnings: Vec<Warning>,
    /// Promises of the host that its modules rely on.
    pub relies_on: Reliance,
    /// Options in effect.
    pub options: Options,
    /// Target profile of its modules.
    pub profile: Profile,
    /// Source of the program, if its modules have it for debuggers or its names are known.
    pub debug_source: Option<DebugSource>,
}

impl Translation {
    /// Returns the SPIR-V module: always the same words for the same program, job, options and
    /// profile. [`Translator::spirv`] reuses memory.
    ///
    /// # Errors
    /// A module over the size limit.
    #[cfg(feature = "spirv")]
    pub fn spirv(&self) -> Result<Vec<u32>> {
        crate::backend::spirv::SpirvWriter::new().write(&self.source())
    }

    /// Returns the naga module, parsed from the WGSL. It is valid; the caller decides whether naga
    /// validates it.
    ///
    /// # Errors
    /// A module over the size limit, or one that WGSL cannot express: a geometry stage.
    #[cfg(feature = "naga")]
    pub fn naga(&self) -> Result<naga::Module> {
        crate::backend::naga::module(&self.source())
    }

    /// Returns the module as text.
    ///
    /// # Errors
    /// A module over the size limit, or one that the language cannot express.
    #[cfg(any(feature = "wgsl", feature = "glsl"))]
    #[doc(hidden)]
    pub fn text(&self, language: crate::backend::Language) -> Result<String> {
        crate::backend::write(&self.source(), language)
    }

    /// Returns the module as WGSL. The text is stable for one version of this library.
    ///
    /// # Errors
    /// A module over the size limit, or one that the language cannot express.
    #[cfg(feature = "wgsl")]
    pub fn wgsl(&self) -> Result<String> {
        self.text(crate::backend::Language::Wgsl)
    }

    /// Returns the module as GLSL of a version, stable as [`wgsl`](Self::wgsl) is.
    ///
    /// # Errors
    /// A module over the size limit, or one that the version cannot express.
    #[cfg(feature = "glsl")]
    pub fn glsl(&self, version: crate::backend::text::GlslVersion) -> Result<String> {
        self.text(crate::backend::Language::Glsl(version))
    }

    /// Returns the directives of that text after its `#version` line: `#extension`, and the macro
    /// that marks exact arithmetic. A host whose own declarations come first puts them in front:
    /// [`GlslProfile::extension_lines`](crate::settings::GlslProfile).
    #[cfg(feature = "glsl")]
    pub fn glsl_extensions(&self, version: crate::backend::text::GlslVersion) -> String {
        crate::backend::text::extensions(&self.source(), version)
    }

    /// Returns the module as HLSL for shader model 5.1, written by naga: stable for one version of
    /// this library and of naga.
    ///
    /// # Errors
    /// A module over the size limit, or one that the language cannot express.
    #[cfg(feature = "hlsl")]
    pub fn hlsl(&self) -> Result<String> {
        self.text(crate::backend::Language::Hlsl)
    }

    /// Returns the module as MSL, written by naga: stable for one version of this library and of
    /// naga.
    ///
    /// # Errors
    /// A module over the size limit, or one that the language cannot express.
    #[cfg(feature = "msl")]
    pub fn msl(&self) -> Result<String> {
        self.text(crate::backend::Language::Msl)
    }

    /// Returns the module as text and, for each line, the instructions of the program that it
    /// implements. No public API.
    ///
    /// # Errors
    /// As [`text`](Self::text), and for HLSL and MSL, which naga writes.
    #[cfg(any(feature = "wgsl", feature = "glsl"))]
    #[doc(hidden)]
    pub fn placed_text(&self, language: crate::backend::Language) -> Result<PlacedText> {
        crate::backend::write_placed(&self.source(), language)
    }

    /// Returns the module and, for each of its instructions, those of the program that it
    /// implements. No public API.
    ///
    /// # Errors
    /// As [`spirv`](Self::spirv).
    #[cfg(feature = "spirv")]
    #[doc(hidden)]
    pub fn placed_spirv(&self) -> Result<crate::backend::spirv::PlacedWords> {
        crate::backend::spirv::SpirvWriter::new().write_placed(&self.source())
    }

    #[cfg(any(feature = "spirv", feature = "wgsl", feature = "glsl"))]
    fn source(&self) -> crate::backend::BackendInput<'_> {
        let Self { module, interface, options, profile, debug_source, .. } = self;
        let (limits, debug_source) = (&options.limits, debug_source.as_ref());
        crate::backend::BackendInput { module, interface, limits, profile, debug_source }
    }
}

/// A lifted program, the input of [`Translator::finish`].
struct LiftedProgram {
    module: ir::Module,
    repeat: Repeat,
    outputs: Vec<Output>,
    control: ControlFlow,
    why: Option<String>,
    entry_point: EntryPoint,
}

/// Further evaluations of a program in its module.
enum Repeat {
    /// One, for the last output alone, with the uniforms of a second block.
    Again(Box<ir::Module>),
    /// One for each vertex of a point after the first.
    Vertices(u8),
}

/// A module with the registers that it reads.
struct ReadModule {
    module: ir::Module,
    offsets: Vec<Offset>,
    usage: Usage,
}

impl ReadModule {
    fn new(module: ir::Module, options: &Options, folded: &Constants) -> Self {
        let offsets = passes::analyze::offsets::run(&module.main, &options.arithmetic, &folded.floats);
        let usage = passes::analyze::usage::run(&module.main, &offsets);
        Self { module, offsets, usage }
    }
}

/// A program with its environment, job and options.
#[derive(Clone, Copy)]
struct Input<'a> {
    program: &'a Program<'a>,
    environment: &'a dyn Environment,
    /// Options in effect.
    options: &'a Options,
    /// Constants that are folded.
    folded: &'a Constants,
    hooks: &'a [Hook],
}

/// Returns the key of a program: see [`Translator::key`], which takes less time for many programs.
/// `salt` stands for everything else that a cache entry depends on, such as the driver.
///
/// ```
/// use transpica::isa::Pc;
/// use transpica::{Job, Key, Options, Profile, Program, RegisterState, Result, Stage, key};
/// let state = RegisterState::default();
/// let (options, profile) = (Options::default(), Profile::default());
/// let key = |code: &[u32]| -> Result<Key> {
///     let program = Program::from_raw(code, &[0x36F][..], Pc(0), Stage::Vertex)?;
///     key(&program, &state.vertex(), Job::Vertex, &options, &profile, b"driver 1.2")
/// };
/// let (mov, end) = (0x4C00_0000, 0x8800_0000);
/// assert_eq!(key(&[mov, end])?, key(&[mov, end, 0x1234])?); // nothing reaches the last word
/// assert_ne!(key(&[mov, end])?, key(&[mov | 0x1000, end])?);
/// assert!(key(&[0x4000_0000]).is_err()); // no such opcode
/// # Ok::<(), transpica::Error>(())
/// ```
///
/// # Errors
/// As [`Translator::key`].
pub fn key(
    program: &Program<'_>,
    environment: &dyn Environment,
    job: Job<'_>,
    options: &Options,
    profile: &Profile,
    salt: &[u8],
) -> Result<Key> {
    Translator::new(*options, profile.clone()).key(program, environment, job, salt)
}

/// No constants, where none are asked for.
static NOT_FOLDED: Constants = Constants::NONE;

/// Translator of programs, one for each thread. It reuses memory between programs.
///
/// ```
/// use transpica::{Job, Options, Profile, Shbin, Translator};
///
/// let bytes = std::fs::read("shaders/textured.shbin")?;
/// let file = Shbin::parse(&bytes)?;
/// let program = file.program(0)?;
/// let mut translator = Translator::new(Options::default(), Profile::default());
/// let translated = translator.translate(program.program(), program.environment(), Job::Vertex)?;
/// assert_eq!(translated.interface.attributes[0].name, "inpos");
/// let words = translator.spirv(&translated)?;
/// assert_eq!(words[0], 0x0723_0203);
/// assert_eq!(words, translated.spirv()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Translator {
    options: Options,
    profile: Profile,
    settings: SettingsDigest,
    /// The error of options and profile, if they have one.
    is_valid: Result<()>,
    scratch: passes::Scratch,
    #[cfg(feature = "spirv")]
    writer: crate::backend::spirv::SpirvWriter,
}

impl Translator {
    /// Creates a translator with these options for this profile.
    pub fn new(options: Options, profile: Profile) -> Self {
        Self {
            settings: SettingsDigest::new(&options, &profile),
            is_valid: accept::settings(&options, &profile),
            options,
            profile,
            scratch: passes::Scratch::default(),
            #[cfg(feature = "spirv")]
            writer: crate::backend::spirv::SpirvWriter::new(),
        }
    }
    /// Replaces the options; memory is kept.
    pub fn set_options(&mut self, options: Options) {
        self.settings = SettingsDigest::new(&options, &self.profile);
        self.is_valid = accept::settings(&options, &self.profile);
        self.options = options;
    }
    /// Returns the options.
    pub fn options(&self) -> &Options {
        &self.options
    }
    /// Returns the profile.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Returns the options in effect for a program and a job.
    fn effective(&self, environment: &dyn Environment, job: Job<'_>) -> Options {
        match environment.input() {
            Some(input) => job.effective(&Options { input: *input, ..self.options }),
            None => job.effective(&self.options),
        }
    }

    /// Returns the key of the result of [`translate`](Self::translate) without translating: see
    /// [`key`](crate::translate::key()).
    ///
    /// # Errors
    /// As [`translate`](Self::translate), so that a host that translates in another thread knows
    /// which programs it must run in another way. What only an analysis of the program finds is not
    /// an error of the key:
    ///
    /// * [`Kind::Limit`](crate::Kind::Limit), which no program of 4,096 words exceeds with the
    ///   default [`Limits`](crate::Limits);
    /// * a dependence on earlier invocations and the number of triangles, which
    ///   [`Job::GeometryStage`] may refuse;
    /// * the attributes of a point of several vertices, which may be too many for
    ///   [`Job::BeforeGeometry`];
    /// * errors of the host's own [`Environment::interface`].
    ///
    /// A program that might reach an undefined opcode is translated to find out, which takes as
    /// long.
    pub fn key(
        &self,
        program: &Program<'_>,
        environment: &dyn Environment,
        job: Job<'_>,
        salt: &[u8],
    ) -> Result<Key> {
        self.is_valid.clone()?;
        let options = &self.effective(environment, job);
        let hooks = &environment.hooks();
        let input = Input { program, environment, options, folded: &NOT_FOLDED, hooks };
        accept::program(&input, job, &self.profile)?;
        let digest = self.settings.digest(program, environment, job, options, salt);
        if digest.reaches_undefined && options.control.refuses_undefined() {
            Self::new(self.options, self.profile.clone()).translate(program, environment, job)?;
        }
        Ok(digest.key)
    }

    /// Translates a program.
    ///
    /// # Errors
    /// A program of another stage than the job takes, a reachable undefined opcode (unless
    /// permissive), an exceeded limit, options or a setup that contradict themselves: each with its
    /// place. [`Kind::NoGeometryStage`] for a geometry stage that the program cannot be.
    /// [`Error::is_unsupported`] reports whether another way to run the program could do better.
    ///
    /// [`Kind::NoGeometryStage`]: crate::Kind::NoGeometryStage
    /// [`Error::is_unsupported`]: crate::Error::is_unsupported
    ///
    /// ```
    /// use transpica::{Job, Program, RegisterState, Stage};
    /// use transpica::isa::Pc;
    /// let mut translator = transpica::Translator::new(Default::default(), Default::default());
    /// let state = RegisterState::default();
    /// let undefined = Program::from_raw(&[0x4000_0000][..], &[][..], Pc(0), Stage::Vertex)?;
    /// let error = translator.translate(&undefined, &state.vertex(), Job::Vertex).expect_err("no such opcode");
    /// assert!(error.is_unsupported());
    /// assert_eq!(error.to_string(), "pc 0x0: opcode 0x10 is not defined");
    /// # Ok::<(), transpica::Error>(())
    /// ```
    ///
    /// A geometry program:
    ///
    /// ```
    /// use transpica::{Job, Options, Profile, Setup, Shbin, Translator};
    /// use transpica::geometry::Dependence;
    /// let bytes = std::fs::read("shaders/points.shbin")?;
    /// let file = Shbin::parse(&bytes)?;
    /// let program = file.program(1)?;
    /// let setup = Setup::from_file(&file, 0, Some(1), None)?;
    /// let mut translator = Translator::new(Options::default(), Profile::default());
    /// let job = Job::Geometry(&setup);
    /// let translated = translator.translate(program.program(), program.environment(), job)?;
    /// let kernel = translated.interface.kernel().expect("it is one");
    /// assert_eq!((kernel.dependence, kernel.triangles), (Dependence::None, Some(2)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn translate(
        &mut self,
        program: &Program<'_>,
        environment: &dyn Environment,
        job: Job<'_>,
    ) -> Result<Translation> {
        self.is_valid.clone()?;
        let mut options = self.effective(environment, job);
        let folded = &environment.folded(&options);
        options.control = options.control.with_ints(&folded.ints);
        let hooks = &environment.hooks();
        let input = Input { program, environment, options: &options, folded, hooks };
        accept::program(&input, job, &self.profile)?;
        match job {
            Job::Vertex | Job::Compute => {
                let outputs = self.outputs(input, &environment.output_map(), job == Job::Vertex);
                let entry_point = if job.is_compute() { EntryPoint::Compute } else { EntryPoint::Vertex };
                self.vertex(input, outputs, entry_point, 1)
            }
            Job::BeforeGeometry { outputs, vertices } => {
                self.vertex(input, varying::of_point(outputs, vertices), EntryPoint::Vertex, vertices)
            }
            Job::Geometry(setup) => self.kernel(input, setup),
            Job::Emits { outputs } => self.emits(input, outputs),
            Job::GeometryStage(setup) => self.geometry_stage(input, setup),
            Job::Draw(setup) => self.draw_stage(input, setup),
            Job::Quaternions => self.quaternion_stage(input),
        }
    }

    /// Returns the outputs of a map, with hooks.
    fn outputs(&self, input: Input<'_>, map: &OutputMap, is_vertex: bool) -> Vec<Output> {
        let mut outputs = varying::outputs(map, input.options, &self.profile);
        attach(input.hooks, outputs.iter_mut());
        if is_vertex && !input.hooks.is_empty() {
            add_outputs(input.hooks, &mut outputs);
        }
        outputs
    }

    /// Translates a vertex program. The outputs are those of so many vertices.
    fn vertex(
        &mut self,
        input: Input<'_>,
        outputs: Vec<Output>,
        entry_point: EntryPoint,
        vertices: u8,
    ) -> Result<Translation> {
        let Input { program, options, folded, hooks, .. } = input;
        let (first, last) = match outputs.split_last() {
            Some((last, first)) if last.value == OutputValue::Again => (first, Some(last)),
            _none => (&outputs[..outputs.len() / usize::from(vertices.max(1))], None),
        };
        let semantics = OutputSelection::Semantics(first);
        let yielded = if entry_point.is_compute() { OutputSelection::Registers } else { semantics };
        let (mut control, mut why) = control::choose(program, options)?;
        let constants = &folded.floats;
        let mut lift = |outputs| {
            let context = Context { program, constants, outputs, geometry: None, options, hooks };
            let mut module = control::lift(context, &mut control, &mut why)?;
            passes::optimize::run(&mut module, &options.arithmetic, &mut self.scratch);
            Ok(module)
        };
        let module = lift(yielded)?;
        let repeat = match last {
            Some(last) => {
                Repeat::Again(Box::new(lift(OutputSelection::Semantics(std::slice::from_ref(last)))?))
            }
            None => Repeat::Vertices(vertices),
        };
        self.finish(input, LiftedProgram { module, repeat, outputs, control, why, entry_point })
    }

    /// Returns the source of a program: for debug information, or for the names that texts take.
    fn debug_source(&self, program: &Program<'_>, environment: &dyn Environment) -> Option<DebugSource> {
        let source = environment.debug_source();
        if self.profile.debug_info {
            Some(source.cloned().unwrap_or_else(|| listing::source(program)))
        } else {
            source.filter(|source| !source.destinations.is_empty()).cloned()
        }
    }

    /// Legalizes an optimized module for its environment.
    fn finish(&mut self, input: Input<'_>, lifted: LiftedProgram) -> Result<Translation> {
        let Input { program, environment, options, folded, hooks } = input;
        let LiftedProgram { module, repeat, outputs, control, why, entry_point } = lifted;
        if !hooks.is_empty() {
            ir::verify(&module, ir::Phase::Pica)?;
        }
        let module = ReadModule::new(module, options, folded);
        let (again, vertices) = match repeat {
            Repeat::Again(module) => (Some(ReadModule::new(*module, options, folded)), 1),
            Repeat::Vertices(vertices) => (None, vertices),
        };
        let mut usage = again.iter().fold(module.usage, |all, again| all.joined_with(&again.usage));
        add_written(program, &control, &mut usage);
        let in_block = usage.without(folded);
        let known = environment.interface(&in_block, options)?;
        let mut interface = Interface::new(known, outputs, entry_point, *options, folded.clone());
        let debug_source = self.debug_source(program, environment);
        let (mut module, mut relies_on) = self.legalize(module, &interface)?;
        if let Some(again) = again {
            let (again, too) = self.legalize(again, &interface)?;
            relies_on = relies_on.or(too);
            passes::join::run(&mut module, again, interface.block.members.len() as u16);
        }
        if vertices > 1 {
            stage::repeat(&mut module, &mut interface, usage.inputs, vertices)?;
        }
        let relies_on = relies_on.reliance(options);
        passes::optimize::tidy(&mut module, &mut self.scratch);
        #[cfg(debug_assertions)]
        ir::verify(&module, ir::Phase::Legal)?;
        if self.profile.leave_loops_at_head {
            // Last: its parameters begin as constants, which earlier passes would fold.
            passes::drivers::leave::run(&mut module.main, &module.helpers, &mut self.scratch);
            #[cfg(debug_assertions)]
            ir::verify(&module, ir::Phase::Legal)?;
        }
        let mut warnings = interface.warnings.clone();
        map_warnings::position(&interface, &mut warnings);
        map_warnings::constants(&interface, &self.profile, &mut warnings);
        let (options, profile, tier) = (*options, self.profile.clone(), control.tier());
        let mut translated = Translation {
            module,
            interface,
            usage,
            tier,
            warnings,
            relies_on,
            options,
            profile,
            debug_source,
        };
        if let Some(why) = why {
            let words = self.count_words(&translated);
            translated.warnings.push(control::fallback(&why, tier, words, program));
        }
        Ok(translated)
    }

    /// Legalizes a module. Returns the promises that it relies on, too.
    fn legalize(&mut self, read: ReadModule, interface: &Interface) -> Result<(ir::Module, Promises)> {
        let ReadModule { mut module, offsets, .. } = read;
        let uniforms = passes::legalize::Uniforms {
            block: &interface.block,
            constants: &interface.folded.floats,
            offsets: &offsets,
        };
        uniforms.check()?;
        let given = passes::legalize::Given {
            believed: Promises::given(&interface.options),
            keeps_subnormals: self.profile.float_controls.subnormals,
        };
        let built = &mut self.scratch.built;
        let relies_on = passes::legalize::run(&mut module, &interface.options, given, &uniforms, built);
        Ok((module, relies_on))
    }

    /// Returns the number of words of the SPIR-V module, if there is one.
    #[cfg(feature = "spirv")]
    fn count_words(&mut self, translated: &Translation) -> Option<usize> {
        self.spirv(translated).ok().map(|words| words.len())
    }

    #[cfg(not(feature = "spirv"))]
    fn count_words(&mut self, _translated: &Translation) -> Option<usize> {
        None
    }

    /// As [`Translation::spirv`], in memory that this translator keeps.
    ///
    /// # Errors
    /// A module over the size limit.
    #[cfg(feature = "spirv")]
    pub fn spirv(&mut self, translated: &Translation) -> Result<Vec<u32>> {
        self.writer.write(&translated.source())
    }
}

/// Adds the output registers that the program writes.
fn add_written(program: &Program<'_>, control: &ControlFlow, usage: &mut Usage) {
    let mut add = |pc: Pc| {
        if let Some((Dest::Output(register), mask)) = program.destination(pc) {
            usage.outputs |= 1 << register;
            usage.output_masks[usize::from(register)].0 |= mask.0;
        }
    };
    match control {
        ControlFlow::Tree(cfg, _, _) => cfg.actions.iter().filter_map(Action::pc).for_each(add),
        ControlFlow::Code => reach(program, |pc, _| add(pc)),
    }
}
