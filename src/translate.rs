//! The door: programs in, modules out. Drives every layer below, decides which tier a program takes.
//! In: [`Program`] and its [`Surroundings`]. Out: [`Translated`], and from it SPIR-V, text or a naga module.

mod geometry;
mod stage;

use std::fmt;

use crate::cfg::explore::{self, Explored};
use crate::cfg::reach::reach;
use crate::cfg::reduce::{Reduced, reduce};
use crate::cfg::{Action, Cfg};
use crate::error::{At, Error, Kind, Result, Warning};
use crate::host::{
    Constants, EntryPoint, GeometryKernel, GeometryStage, Interface, Options, Output, Profile, Surroundings,
    Usage, varying,
};
use crate::isa::{Dest, Pc, Program, Stage};
use crate::key::{Key, Settings};
use crate::lower::{self, Context, Outputs};
use crate::structure::tree::Tree;
use crate::structure::{self, Structured};
use crate::{ir, passes};

/// Which way a program took to structured control flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// Its own structure was recovered.
    Structured,
    /// Too deeply nested: a loop over a switch on basic blocks.
    BlockDispatcher,
    /// Too many control states: a loop over a switch on the program counter.
    PcDispatcher,
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Structured => "structured",
            Self::BlockDispatcher => "block dispatcher",
            Self::PcDispatcher => "pc dispatcher",
        })
    }
}

/// A translated program, ready for every back end.
#[derive(Clone, Debug)]
pub struct Translated {
    /// The program, legalised.
    pub module: ir::Module,
    /// What surrounds it.
    pub interface: Interface,
    /// The registers it uses.
    pub usage: Usage,
    /// The way it took.
    pub tier: Tier,
    /// What was odd on the way; also why it was not [`Tier::Structured`], if it was not.
    pub warnings: Vec<Warning>,
}

impl Translated {
    /// For each output of the main function (of a geometry program: of each vertex that it makes, or of each vector of
    /// an EMIT's record), the lanes (bit 0 is the first) that depend on EX2 or LG2, whose last bits differ between drivers.
    pub fn approximate(&self) -> Vec<u8> {
        let all = passes::approximate::run(&self.module);
        match &self.interface.geometry {
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
}

/// What became of a program, by what a host does about it.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant, reason = "the large one is the one that is wanted, and it is moved once")]
pub enum Outcome {
    /// A module.
    Translated(Translated),
    /// The program may well be one, but this library does not translate it: run it otherwise (with
    /// [`interp`](crate::interp), say).
    Unsupported {
        /// What it is that is not translated.
        what: String,
        /// Where.
        pc: Option<Pc>,
    },
    /// What was handed in contradicts itself; no other way of running it will do better.
    Invalid {
        /// What is wrong.
        error: Error,
    },
}

impl Outcome {
    /// What an error is to a host.
    pub fn of(error: Error) -> Self {
        match &error.kind {
            // Defects of this library are no fault of the program.
            Kind::BadOpcode(_)
            | Kind::Limit { .. }
            | Kind::Stage { .. }
            | Kind::StepBudget(_)
            | Kind::Verify(_)
            | Kind::Backend(_) => {
                let pc = match error.at {
                    At::Pc(pc) => Some(Pc(pc)),
                    At::Offset(_) | At::Text { .. } | At::Whole => None,
                };
                Self::Unsupported { what: error.kind.to_string(), pc }
            }
            Kind::Truncated { .. }
            | Kind::BadMagic { .. }
            | Kind::OutOfFile { .. }
            | Kind::BadField { .. }
            | Kind::NoExecutable { .. }
            | Kind::EntryOutOfCode { .. }
            | Kind::EntryOutOfReach { .. }
            | Kind::BadOption(_)
            | Kind::Syntax(_)
            | Kind::Other(_) => Self::Invalid { error },
        }
    }
}

/// A program on its way through [`Translator::finish`].
struct Lowered<'a> {
    module: ir::Module,
    outputs: Vec<Output>,
    folded: &'a Constants,
    control: Control,
    why: Option<String>,
    geometry: Option<GeometryKernel>,
    stage: Option<GeometryStage>,
}

/// Translates programs; keeps its memory from one to the next. One for each thread.
///
/// ```
/// use transpica::container::Shbin;
/// use transpica::host::dvle::{self, Executable};
/// use transpica::{Options, Profile, Translator};
///
/// let bytes = include_bytes!("../shaders/textured.shbin");
/// let file = Shbin::parse(bytes)?;
/// let options = Options::default();
/// let program = dvle::program(&file, 0, &options.limits)?;
/// let mut translator = Translator::new(options, Profile::default());
/// let translated = translator.translate(&program, &Executable::new(&file, 0, "textured.shbin")?)?;
/// assert_eq!(translated.interface.attributes[0].name, "inpos");
/// let words = translator.spirv(&translated)?;
/// assert_eq!(words[0], 0x0723_0203);
/// # Ok::<(), transpica::error::Error>(())
/// ```
pub struct Translator {
    options: Options,
    profile: Profile,
    settings: Settings,
    scratch: passes::Scratch,
    #[cfg(feature = "spirv")]
    writer: crate::backend::spirv::SpirvWriter,
}

impl Translator {
    /// A translator with these options and for this host.
    pub fn new(options: Options, profile: Profile) -> Self {
        Self {
            settings: Settings::new(&options, &profile),
            options,
            profile,
            scratch: passes::Scratch::default(),
            #[cfg(feature = "spirv")]
            writer: crate::backend::spirv::SpirvWriter::new(),
        }
    }
    /// The same translator with other options; what it keeps of memory stays.
    pub fn set_options(&mut self, options: Options) {
        self.settings = Settings::new(&options, &self.profile);
        self.options = options;
    }
    /// The options it has.
    pub fn options(&self) -> &Options {
        &self.options
    }
    /// The profile it was made with.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// The key of a program under the options and the profile of this translator, without translating it: see
    /// [`key`](crate::key::key).
    pub fn key(&self, program: &Program<'_>, around: &dyn Surroundings, salt: &[u8]) -> Key {
        self.settings.key(program, around, &self.options, salt)
    }

    /// As [`translate`](Self::translate), with errors told apart by what a host does about them.
    ///
    /// ```
    /// use transpica::host::RegisterState;
    /// use transpica::isa::{Pc, Program, Stage};
    /// use transpica::translate::Outcome;
    /// let mut translator = transpica::Translator::new(Default::default(), Default::default());
    /// let state = RegisterState::default();
    /// let undefined = Program::from_raw(&[0x4000_0000][..], &[][..], Pc(0), Stage::Vertex)?;
    /// match translator.outcome(&undefined, &state.vertex()) {
    ///     Outcome::Translated(_) => unreachable!("the opcode is not defined"),
    ///     Outcome::Unsupported { what, pc } => assert_eq!((&what[..], pc), ("opcode 0x10 is not defined", Some(Pc(0)))),
    ///     Outcome::Invalid { error } => panic!("{error}"),
    /// }
    /// # Ok::<(), transpica::error::Error>(())
    /// ```
    pub fn outcome(&mut self, program: &Program<'_>, around: &dyn Surroundings) -> Outcome {
        self.translate(program, around).map_or_else(Outcome::of, Outcome::Translated)
    }

    /// Translates a vertex program. A geometry program is for [`translate_geometry`](Self::translate_geometry).
    ///
    /// # Errors
    /// A geometry program, a reachable undefined opcode (unless lenient), a limit passed: each with its place.
    pub fn translate(&mut self, program: &Program<'_>, around: &dyn Surroundings) -> Result<Translated> {
        let options = &self.options;
        options.check()?;
        self.profile.check()?;
        if program.stage() == Stage::Geometry {
            return Err(Error::new(Kind::Stage { what: "translation", stage: "geometry" }, At::Whole));
        }
        let folded = around.folded(options);
        let outputs = varying::outputs(&around.output_map(), options, &self.profile.locations);
        varying::check_locations(&outputs)?;
        let yielded = match options.entry {
            EntryPoint::Vertex => Outputs::Semantics(&outputs),
            EntryPoint::Compute => Outputs::Registers,
            EntryPoint::Geometry => {
                let text = "a vertex program cannot be a geometry stage: the entry point must be another one";
                return Err(Error::new(Kind::BadOption(text.into()), At::Whole));
            }
        };
        let context =
            Context { program, constants: &folded.floats, outputs: yielded, geometry: None, options };
        let (mut control, mut why) = choose(program, options)?;
        let mut module = lowered(context, &mut control, &mut why)?;
        passes::optimize(&mut module, options.precision, &mut self.scratch);
        let lowered = Lowered { module, outputs, folded: &folded, control, why, geometry: None, stage: None };
        self.finish(program, around, lowered)
    }

    /// Legalises an optimised module for its surroundings.
    fn finish(
        &mut self,
        program: &Program<'_>,
        around: &dyn Surroundings,
        lowered: Lowered<'_>,
    ) -> Result<Translated> {
        let Lowered { mut module, outputs, folded, control, why, geometry, stage } = lowered;
        let options = &self.options;
        let mut usage = passes::usage::run(&module.main);
        written(program, &control, &mut usage);
        let interface = Interface { outputs, geometry, stage, ..around.interface(&usage, options)? };
        passes::legalize::run(&mut module, options, &interface.block, &folded.floats);
        passes::tidy(&mut module, &mut self.scratch);
        #[cfg(debug_assertions)]
        ir::verify(&module, ir::Stage::Legal)?;
        // Last: the first values of its parameters are literals that never leave a loop, which `known` does not see.
        passes::leave::run(&mut module.main, &module.helpers, &mut self.scratch);
        #[cfg(debug_assertions)]
        ir::verify(&module, ir::Stage::Legal)?;
        let mut warnings = interface.warnings.clone();
        warnings.extend(why.map(|why| simpler(&why, control.tier(), program)));
        Ok(Translated { module, interface, usage, tier: control.tier(), warnings })
    }

    /// That a program was translated for the entry point of this translator.
    #[cfg(any(feature = "spirv", feature = "wgsl", feature = "glsl"))]
    fn suits(&self, translated: &Translated) -> Result<()> {
        let entry = self.options.entry;
        let interface = &translated.interface;
        let (is_kernel, is_stage) = (interface.geometry.is_some(), interface.stage.is_some());
        let count = match translated.module.main.body.map(|body| translated.module.main.regions[body].exit) {
            Some(ir::Exit::Yield(list)) => Some(list.len as usize),
            _does_not_end => None,
        };
        let fits = |expected: usize| count.is_none_or(|count| count == expected);
        let suits = match entry {
            EntryPoint::Vertex => !is_kernel && !is_stage && fits(interface.outputs.len()),
            EntryPoint::Compute => is_kernel || !is_stage && fits(16 + usize::from(self.options.reports())),
            EntryPoint::Geometry => is_stage,
        };
        if suits {
            return Ok(());
        }
        let text =
            format!("this translator writes the {entry:?} entry, the program was translated for another one");
        Err(Error::new(Kind::BadOption(text), At::Whole))
    }

    /// The SPIR-V module of a translated program: the same words for the same program, options and profile, always.
    ///
    /// # Errors
    /// A module over the size limit; [`Kind::BadOption`] for a program that was translated for another entry point than this
    /// translator has.
    #[cfg(feature = "spirv")]
    pub fn spirv(&mut self, translated: &Translated) -> Result<Vec<u32>> {
        use crate::backend::spirv::Source;
        self.suits(translated)?;
        let Translated { module, interface, .. } = translated;
        self.writer.write(&Source { module, interface, options: &self.options, profile: &self.profile })
    }

    /// The naga module of a translated program, read from its WGSL. It is valid; whether to have naga check that is the caller's
    /// choice.
    ///
    /// # Errors
    /// As [`spirv`](Self::spirv).
    #[cfg(feature = "naga")]
    pub fn naga(&self, translated: &Translated) -> Result<naga::Module> {
        self.suits(translated)?;
        crate::backend::naga::module(&self.source(translated))
    }

    /// The text of a translated program. Stable for one version of this library; HLSL and MSL for one version of naga.
    ///
    /// # Errors
    /// As [`spirv`](Self::spirv), or a module that the language cannot express.
    #[cfg(any(feature = "wgsl", feature = "glsl"))]
    pub fn text(&self, translated: &Translated, language: crate::backend::Language) -> Result<String> {
        self.suits(translated)?;
        let text = crate::backend::write(&self.source(translated), language)?;
        let limit = self.options.limits.output_words;
        crate::limits::check("output_words", text.len().div_ceil(4), limit, At::Whole)?;
        Ok(text)
    }

    #[cfg(any(feature = "wgsl", feature = "glsl"))]
    fn source<'a>(&'a self, translated: &'a Translated) -> crate::backend::Source<'a> {
        let Translated { module, interface, .. } = translated;
        crate::backend::Source { module, interface, options: &self.options, profile: &self.profile }
    }
}

/// The control flow of a program, as far as it could be structured.
#[derive(Clone, Debug)]
pub enum Control {
    /// A tree over a graph.
    Tree(Cfg, Tree, Tier),
    /// Only the code itself: there are too many control states.
    Code,
}

impl Control {
    /// The tier it stands for.
    pub fn tier(&self) -> Tier {
        match self {
            Self::Tree(_, _, tier) => *tier,
            Self::Code => Tier::PcDispatcher,
        }
    }
}

/// Structures the control flow of a program: its own structure, else a dispatcher over blocks, else nothing.
///
/// # Errors
/// A reachable undefined opcode, unless the options are lenient.
pub fn control(program: &Program<'_>, options: &Options) -> Result<Control> {
    choose(program, options).map(|(control, _)| control)
}

/// What the exploration of control flow takes from the options.
pub fn known(options: &Options) -> explore::Options {
    explore::Options {
        known_bools: options.bools.baked,
        bools: options.bools.values,
        ints: options.ints.baked.map(|int| int.map(|[x, y, z, _]| [x, y, z])),
        lenient: options.lenient,
        guarded: options.loop_guard.is_some(),
        reports_guard: options.reports(),
    }
}

/// As [`control`], and why it is not structured.
fn choose(program: &Program<'_>, options: &Options) -> Result<(Control, Option<String>)> {
    let limits = &options.limits;
    let mut known = known(options);
    if program.stage() == Stage::Geometry {
        // It becomes true after the first invocation.
        known.known_bools &= 0x7FFF;
    }
    let mut cfg = match explore::explore(program, &known, limits)? {
        Explored::Graph(cfg) => cfg,
        Explored::TooManyNodes { limit } => {
            return Ok((Control::Code, Some(format!("there are more than {limit} control states"))));
        }
    };
    let why = match reduce(&mut cfg, limits) {
        Reduced::Reducible => match structure::structure(&cfg, limits) {
            Structured::Tree(tree) => return Ok((Control::Tree(cfg, tree, Tier::Structured), None)),
            Structured::TooDeep { depth: Some(depth) } => {
                format!("its structure is {depth} levels deep, {} are allowed", limits.depth)
            }
            Structured::TooDeep { depth: None } => "its jumps are too entangled".to_string(),
        },
        Reduced::TooDeep => format!("its loops are entangled more than {} levels deep", limits.depth),
    };
    Ok((dispatcher(cfg), Some(why)))
}

/// The simpler ways to run a graph: block by block, or without it.
fn dispatcher(cfg: Cfg) -> Control {
    if cfg.blocks.len() > MOST_DISPATCHED_BLOCKS {
        return Control::Code;
    }
    let tree = structure::blocks::dispatcher(&cfg);
    Control::Tree(cfg, tree, Tier::BlockDispatcher)
}

/// Lowers a program; in a simpler way where it passes a limit, and says so.
fn lowered(context: Context<'_>, control: &mut Control, why: &mut Option<String>) -> Result<ir::Module> {
    loop {
        let result = match &*control {
            Control::Tree(cfg, tree, _) => lower::structured(context, cfg, tree),
            Control::Code => return lower::dispatched(context),
        };
        let Err(Error { kind: Kind::Limit { name, limit, .. }, .. }) = result else { return result };
        *why = Some(format!("lowering it takes more than {limit} {name}"));
        *control = match std::mem::replace(control, Control::Code) {
            Control::Tree(cfg, _, Tier::Structured) => dispatcher(cfg),
            Control::Tree(_, _, Tier::BlockDispatcher | Tier::PcDispatcher) | Control::Code => Control::Code,
        };
    }
}

/// Tells that a program took a simpler way.
fn simpler(why: &str, tier: Tier, program: &Program<'_>) -> Warning {
    let text = format!("translated with a {tier}, which runs slower, because {why}");
    Warning { text, at: At::Pc(program.entry().0) }
}

/// Blocks beyond which the pc dispatcher is the smaller one: its stacks go through one place, not through every case.
const MOST_DISPATCHED_BLOCKS: usize = 1024;

/// Adds the output registers that the program writes.
fn written(program: &Program<'_>, control: &Control, usage: &mut Usage) {
    let mut add = |pc: Pc| {
        if let Some((Dest::Output(register), mask)) = program.written(pc) {
            usage.outputs |= 1 << register;
            usage.output_masks[usize::from(register)].0 |= mask.0;
        }
    };
    match control {
        Control::Tree(cfg, _, _) => {
            for action in &cfg.actions {
                if let Action::Run(pc) = action {
                    add(*pc);
                }
            }
        }
        Control::Code => reach(program, |pc, _, _| add(pc)),
    }
}
