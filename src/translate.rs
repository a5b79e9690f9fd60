//! The translation driver: runs the pipeline and selects the tier of control flow.
//! In: [`Program`], its [`Environment`] and a [`Job`]. Out: [`Translation`], and from it SPIR-V,
//! text or a naga module.

mod control;
mod file;
mod geometry;
mod stage;

pub use control::{ControlFlow, Tier, control};
pub use file::FileProgram;

use crate::cfg::Action;
use crate::cfg::reach::reach;
use crate::error::{At, Error, Kind, Result, Warning};
use crate::host::{
    Constants, EntryPoint, Environment, Interface, Job, Options, Output, Profile, Reliance, Usage, varying,
};
use crate::isa::{Dest, Pc, Program, Stage};
use crate::key::{Key, SettingsDigest};
use crate::lower::{Context, OutputSelection};
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
}

impl Translation {
    /// Returns, for each output of the main function, the mask of lanes (bit 0 = first) that depend
    /// on EX2 or LG2, whose last bits differ between drivers. The outputs of a geometry program are
    /// those of each vertex, or the vectors of an EMIT's record.
    pub fn approximate(&self) -> Vec<u8> {
        let all = passes::approximate::run(&self.module);
        match self.interface.kernel() {
            Some(kernel) if !kernel.records_emits && kernel.vectors > 0 => {
                let vertices = all.chunks(kernel.vectors as usize);
                let mut outputs = vec![0; kernel.vectors as usize];
                for vertex in vertices {
                    outputs.iter_mut().zip(vertex).for_each(|(lanes, more)| *lanes |= more);
                }
                outputs
            }
            Some(_) | None => all,
        }
    }

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

    #[cfg(any(feature = "spirv", feature = "wgsl", feature = "glsl"))]
    fn source(&self) -> crate::backend::BackendInput<'_> {
        let Self { module, interface, options, profile, .. } = self;
        crate::backend::BackendInput { module, interface, limits: &options.limits, profile }
    }
}

/// A lowered program, the input of [`Translator::finish`].
struct LoweredProgram {
    module: ir::Module,
    outputs: Vec<Output>,
    control: ControlFlow,
    why: Option<String>,
    entry_point: EntryPoint,
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
}

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
    scratch: passes::Scratch,
    #[cfg(feature = "spirv")]
    writer: crate::backend::spirv::SpirvWriter,
}

impl Translator {
    /// Creates a translator with these options for this profile.
    pub fn new(options: Options, profile: Profile) -> Self {
        Self {
            settings: SettingsDigest::new(&options, &profile),
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

    /// Returns the key of the result of [`translate`](Self::translate) without translating: see
    /// [`key`](crate::key::key).
    pub fn key(
        &self,
        program: &Program<'_>,
        environment: &dyn Environment,
        job: Job<'_>,
        salt: &[u8],
    ) -> Key {
        self.settings.key(program, environment, job, &self.options, salt)
    }

    /// Translates a program.
    ///
    /// # Errors
    /// A program of another stage than the job takes, a reachable undefined opcode (unless
    /// permissive), an exceeded limit, options or a setup that contradict themselves: each with its
    /// place. [`Kind::NoGeometryStage`] for a geometry stage that the program cannot be.
    /// [`Error::is_unsupported`] reports whether another way to run the program could do better.
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
        let mut options = job.effective(&self.options);
        options.check()?;
        self.profile.check()?;
        check_stage(program, job)?;
        let folded = &environment.folded(&options);
        options.control = options.control.with_ints(&folded.ints);
        let input = Input { program, environment, options: &options, folded };
        match job {
            Job::Vertex | Job::Compute => {
                let outputs = varying::outputs(&environment.output_map(), &options, &self.profile);
                varying::check_locations(&outputs)?;
                let entry_point = match job.is_compute() {
                    false => EntryPoint::Vertex,
                    true => EntryPoint::Compute { reports_unfinished: false },
                };
                self.vertex(input, outputs, entry_point)
            }
            Job::BeforeGeometry { outputs } => {
                self.vertex(input, varying::passed_on(outputs), EntryPoint::Vertex)
            }
            Job::Geometry(setup) => self.kernel(input, setup),
            Job::Emits { outputs } => self.emits(input, outputs),
            Job::GeometryStage(setup) => self.geometry_stage(input, setup),
            Job::Draw(setup) => self.draw_stage(input, setup),
        }
    }

    /// Translates a vertex program.
    fn vertex(
        &mut self,
        input: Input<'_>,
        outputs: Vec<Output>,
        entry_point: EntryPoint,
    ) -> Result<Translation> {
        let Input { program, options, folded, .. } = input;
        let yielded = match entry_point.is_compute() {
            false => OutputSelection::Semantics(&outputs),
            true => OutputSelection::Registers,
        };
        let context =
            Context { program, constants: &folded.floats, outputs: yielded, geometry: None, options };
        let (mut control, mut why) = control::choose(program, options)?;
        let mut module = control::lower(context, &mut control, &mut why)?;
        passes::optimize(&mut module, &options.arithmetic, &mut self.scratch);
        self.finish(input, LoweredProgram { module, outputs, control, why, entry_point })
    }

    /// Legalizes an optimized module for its environment.
    fn finish(&mut self, input: Input<'_>, lowered: LoweredProgram) -> Result<Translation> {
        let Input { program, environment, options, folded } = input;
        let LoweredProgram { mut module, outputs, control, why, entry_point } = lowered;
        let offsets = passes::offsets::run(&module.main, &options.arithmetic, &folded.floats);
        let mut usage = passes::usage::run(&module.main, &offsets);
        add_written(program, &control, &mut usage);
        let entry_point = entry_point.reporting(&options.control);
        let interface = environment.interface(&usage, options)?;
        let interface = Interface { outputs, entry_point, folded: folded.clone(), ..interface };
        let uniforms = passes::legalize::Uniforms {
            block: &interface.block,
            constants: &folded.floats,
            offsets: &offsets,
        };
        uniforms.check()?;
        let relies = passes::legalize::run(&mut module, options, &uniforms);
        let relies_on = match relies {
            true => Reliance::new(&usage, folded, options.assume),
            false => Reliance::default(),
        };
        passes::tidy(&mut module, &mut self.scratch);
        #[cfg(debug_assertions)]
        ir::verify(&module, ir::Phase::Legal)?;
        // Last: the first values of its parameters are constants that never leave a loop, which
        // `known` does not see.
        passes::leave::run(&mut module.main, &module.helpers, &mut self.scratch);
        #[cfg(debug_assertions)]
        ir::verify(&module, ir::Phase::Legal)?;
        let mut warnings = interface.warnings.clone();
        warnings.extend(varying::warn_position(&interface));
        warnings.extend(why.map(|why| control::fallback(&why, control.tier(), program)));
        let (options, profile, tier) = (*options, self.profile.clone(), control.tier());
        Ok(Translation { module, interface, usage, tier, warnings, relies_on, options, profile })
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

/// Rejects programs of another stage than the job takes.
fn check_stage(program: &Program<'_>, job: Job<'_>) -> Result<()> {
    let (what, stage) = match (job.stage(), program.stage()) {
        (None, _) | (Some(Stage::Vertex), Stage::Vertex) | (Some(Stage::Geometry), Stage::Geometry) => {
            return Ok(());
        }
        (Some(Stage::Vertex), Stage::Geometry) => ("translation as a vertex program", "geometry"),
        (Some(Stage::Geometry), Stage::Vertex) => ("translation as a geometry program", "vertex"),
    };
    Err(Error::new(Kind::Stage { what, stage }, At::Whole))
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
        ControlFlow::Tree(cfg, _, _) => {
            for action in &cfg.actions {
                if let Action::Run(pc) = action {
                    add(*pc);
                }
            }
        }
        ControlFlow::Code => reach(program, |pc, _| add(pc)),
    }
}
