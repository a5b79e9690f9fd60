//! The command line: subcommands, options, help texts with examples.
//! In: arguments. Out: [`Cli`]. What the options mean is decided by the commands.

use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use transpica::backend::text;
use transpica::host;
use transpica::precision;
use transpica_gpu::Route;

/// Translates PICA200 (Nintendo 3DS) shader programs to SPIR-V, WGSL, GLSL, HLSL and MSL, and proves the result.
#[derive(Debug, Parser)]
#[command(name = "transpica", version, arg_required_else_help = true, disable_help_subcommand = true)]
#[command(after_help = "Examples:
  transpica translate lights.shbin                    WGSL on standard output
  transpica translate lights.shbin --to spirv -o lights.spv
  transpica info lights.shbin                         every table of the file
  transpica run lights.shbin --seed 7                 outputs of the reference interpreter
  transpica compare shaders --vertices 4096           interpreter against GPU
  transpica asm lights.v.pica -o lights.shbin         picasso source to binary
  transpica dis lights.shbin                          and back

Exit status: 0 success, 1 the input is at fault, 2 wrong usage.")]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Options that every command takes.
    #[command(flatten)]
    pub common: Common,
}

/// Options that every command takes.
#[derive(Args, Clone, Debug)]
pub struct Common {
    /// Say less
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say more on standard error
    #[arg(short, long, global = true)]
    pub verbose: bool,
    /// Colour in diagnostics
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}

/// When diagnostics are coloured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Which program of a file, and how it is translated.
#[derive(Args, Clone, Debug)]
pub struct Selection {
    /// Number of the executable (DVLE) in the file
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub dvle: usize,
    /// The numbers the program computes with
    #[arg(long, value_enum, default_value_t = Precision::Exact)]
    pub precision: Precision,
    /// Layout of the uniform block
    #[arg(long, value_enum, default_value_t = Layout::Symbols)]
    pub layout: Layout,
}

impl Selection {
    /// Library options for an entry point.
    pub fn options(&self, entry: host::EntryPoint) -> host::Options {
        host::Options {
            precision: self.precision.into(),
            layout: self.layout.into(),
            entry,
            ..host::Options::default()
        }
    }
}

/// What stands before a geometry program.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct GeometryOptions {
    /// Of a geometry program: number of the vertex program before it; the nearest one in the file, first of those before it,
    /// if absent
    #[arg(long, value_name = "N")]
    pub vertex: Option<usize>,
    /// Of a geometry program: vectors of an invocation (point mode) or uniforms from vertex to vertex (fixed mode); as many
    /// as the vertex program has outputs if absent
    #[arg(long, value_name = "N")]
    pub stride: Option<u8>,
}

/// `--precision`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Precision {
    /// Bit-equal to the reference interpreter in f32
    Exact,
    /// Plain IEEE
    Fast,
    /// Rounded to float24 after each operation
    F24,
}

impl From<Precision> for precision::Precision {
    fn from(precision: Precision) -> Self {
        match precision {
            Precision::Exact => Self::Exact,
            Precision::Fast => Self::Fast,
            Precision::F24 => Self::F24,
        }
    }
}

/// `--layout`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Layout {
    /// One named member for each bound symbol
    Symbols,
    /// The whole register file at fixed offsets
    Registers,
    /// The whole register file as Azahar holds it
    Azahar,
    /// The whole register file as Panda3DS holds it
    Panda3ds,
}

impl From<Layout> for host::Layout {
    fn from(layout: Layout) -> Self {
        match layout {
            Layout::Symbols => Self::Symbols,
            Layout::Registers => Self::Registers,
            Layout::Azahar => Self::Azahar,
            Layout::Panda3ds => Self::Panda3ds,
        }
    }
}

/// `--to`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// WGSL text
    Wgsl,
    /// SPIR-V module
    Spirv,
    /// SPIR-V disassembly
    SpirvAsm,
    /// GLSL text (see --glsl-version)
    Glsl,
    /// HLSL text
    Hlsl,
    /// MSL text
    Msl,
    /// What the program reads and writes, as a table
    Reflection,
}

/// `--glsl-version`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GlslVersion {
    /// OpenGL 3.3 and later: blocks and varyings by name
    #[value(name = "330")]
    Core330,
    /// Vulkan: sets, bindings, locations
    #[value(name = "450")]
    Vulkan450,
    /// OpenGL ES 3.1 and later: bindings, locations
    #[value(name = "310es")]
    Es310,
}

impl From<GlslVersion> for text::GlslVersion {
    fn from(version: GlslVersion) -> Self {
        match version {
            GlslVersion::Core330 => Self::Core330,
            GlslVersion::Vulkan450 => Self::Vulkan450,
            GlslVersion::Es310 => Self::Es310,
        }
    }
}

/// `--entry`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Entry {
    /// A vertex stage
    Vertex,
    /// A compute stage that maps v registers to o registers
    Compute,
}

/// One value of `--entry`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryOption {
    /// The shape of the entry point.
    Shape(Entry),
    /// The code word where the program starts.
    Word(u16),
}

impl EntryOption {
    fn parse(text: &str) -> Result<Self, String> {
        if let Ok(shape) = Entry::from_str(text, false) {
            return Ok(Self::Shape(shape));
        }
        let word = number(text).and_then(|word| u16::try_from(word).ok());
        word.map(Self::Word)
            .ok_or_else(|| "must be vertex, compute, or the number of a code word".to_string())
    }
}

/// A program without a container.
#[derive(Args, Clone, Debug)]
pub struct Raw {
    /// Raw code words (little-endian) instead of a .shbin file; of more than 512 the first 512
    #[arg(long, value_name = "FILE", conflicts_with_all = ["file", "dvle"])]
    pub code: Option<PathBuf>,
    /// The raw operand descriptors of --code; none if absent
    #[arg(long, value_name = "FILE", requires = "code", conflicts_with = "file")]
    pub descriptors: Option<PathBuf>,
    /// What the components of oN are, as the output map register has it; may be repeated. o0 is the position if absent
    #[arg(long, value_parser = outmap, value_name = "N=WORD", requires = "code", conflicts_with = "file")]
    pub outmap: Vec<(u8, u32)>,
}

/// A number, decimal or with 0x.
fn number(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    digits
        .map_or_else(|| text.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok().filter(|_| is_plain(hex)))
}

/// `--outmap`
fn outmap(text: &str) -> Result<(u8, u32), String> {
    let wrong = || "must be like 0=0x03020100: a register 0 to 15 and a word".to_string();
    let (register, word) = text.split_once('=').ok_or_else(wrong)?;
    let register = register.parse().ok().filter(|&register| register < 16).ok_or_else(wrong)?;
    Ok((register, number(word).ok_or_else(wrong)?))
}

/// `--on`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Machine {
    /// The reference interpreter
    Cpu,
    /// The translated program on wgpu
    Gpu,
}

/// `--route`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RouteName {
    /// Our SPIR-V, unchanged (exact)
    Spirv,
    /// Our SPIR-V through naga
    SpirvNaga,
    /// Our WGSL text, read by naga (`naga` means the same)
    #[value(alias = "naga")]
    Wgsl,
}

impl From<RouteName> for Route {
    fn from(name: RouteName) -> Self {
        match name {
            RouteName::Spirv => Self::Passthrough,
            RouteName::SpirvNaga => Self::SpirvNaga,
            RouteName::Wgsl => Self::Wgsl,
        }
    }
}

/// `--stage`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// The control-flow graph
    Cfg,
    /// The structured tree
    Tree,
    /// The intermediate form after the passes
    Ir,
}

/// `--format`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Graphviz (control-flow graph only)
    Dot,
    /// Text
    Text,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Translate a vertex program
    #[command(after_help = "Examples:
  transpica translate lights.shbin
  transpica translate library.shbin --dvle 4 --to glsl --glsl-version 310es
  transpica translate lights.shbin --to spirv -o lights.spv --reflect lights.json
  transpica translate lights.shbin --to reflection    what it reads and writes
  transpica translate --code code.bin --descriptors descriptors.bin --entry 0x10 \\
      --outmap 0=0x03020100 --outmap 1=0x0b0a0908")]
    Translate {
        /// The .shbin file; - reads standard input
        #[arg(required_unless_present = "code")]
        file: Option<PathBuf>,
        #[command(flatten)]
        raw: Raw,
        #[command(flatten)]
        selection: Selection,
        /// Target language
        #[arg(long, value_enum, default_value_t = Target::Wgsl, value_name = "TARGET")]
        to: Target,
        /// Version of GLSL, for --to glsl
        #[arg(long, value_enum, default_value_t = GlslVersion::Vulkan450, value_name = "VERSION")]
        glsl_version: GlslVersion,
        /// Shape of the entry point, vertex or compute; with --code also the code word where the program starts
        #[arg(long, value_parser = EntryOption::parse, value_name = "SHAPE|N")]
        entry: Vec<EntryOption>,
        #[command(flatten)]
        geometry: GeometryOptions,
        /// Where the result goes; standard output if absent
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
        /// Also write what the program reads and writes, as JSON
        #[arg(long, value_name = "FILE")]
        reflect: Option<PathBuf>,
        /// Keep z as the program writes it (-w..0) instead of 0..w
        #[arg(long)]
        raw_depth: bool,
        /// Leave colours as written instead of min(|c|, 1)
        #[arg(long)]
        raw_colors: bool,
        /// Keep setup constants in the uniform block instead of folding them
        #[arg(long)]
        live_constants: bool,
        /// Treat undefined opcodes as NOP
        #[arg(long)]
        lenient: bool,
    },
    /// Show every table of a file, for every executable
    #[command(after_help = "Examples:
  transpica info lights.shbin
  transpica info lights.shbin --lint
  transpica info library.shbin --json")]
    Info {
        /// The .shbin file; - reads standard input
        file: PathBuf,
        /// Also what hardware does not tolerate
        #[arg(long)]
        lint: bool,
        /// As JSON
        #[arg(long)]
        json: bool,
        /// Where the result goes; standard output if absent
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Run a program and print its output registers
    #[command(after_help = "Examples:
  transpica run lights.shbin --seed 7
  transpica run lights.shbin --state state.json --json
  transpica run lights.shbin --on gpu --route wgsl
  transpica run textured.shbin --trace

State file: { \"uniforms\": { \"c\": {\"0\": [1, 0, 0, 0]}, \"i\": {\"0\": [3, 0, 1, 0]}, \"b\": {\"2\": true} },
              \"vertices\": [ { \"v0\": [0.5, 1, 0, 1], \"v1\": [\"0x3f800000\", \"inf\", \"-inf\", \"nan\"] } ] }

Of a geometry program each element is an invocation, and what it leaves behind carries over to the next:
  { \"v0\": [0, 0, 0, 1], \"c\": {\"10\": [1, 2, 3, 4]} }, c being the uniforms that vertices are delivered to")]
    Run {
        /// The .shbin file; - reads standard input
        file: PathBuf,
        #[command(flatten)]
        selection: Selection,
        /// Uniforms and vertices; generated from the seed if absent
        #[arg(long, value_name = "FILE")]
        state: Option<PathBuf>,
        /// Seed of generated inputs
        #[arg(long, default_value_t = 0, value_name = "S")]
        seed: u64,
        /// Number of generated vertices, or invocations of a geometry program
        #[arg(long, default_value_t = 4, value_name = "N")]
        vertices: usize,
        /// Where it runs
        #[arg(long, value_enum, default_value_t = Machine::Cpu)]
        on: Machine,
        /// How it reaches the GPU
        #[arg(long, value_enum, default_value_t = RouteName::Spirv)]
        route: RouteName,
        /// Part of the name of the GPU
        #[arg(long, value_name = "NAME")]
        adapter: Option<String>,
        /// Print every executed instruction (interpreter only)
        #[arg(long, conflicts_with = "json")]
        trace: bool,
        /// Instructions that one vertex or invocation may execute
        #[arg(long, default_value_t = 1 << 24, value_name = "N")]
        budget: u64,
        /// As JSON
        #[arg(long)]
        json: bool,
        /// Where the result goes; standard output if absent
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Run every program found on interpreter and GPU and report differences
    #[command(after_help = "Examples:
  transpica compare shaders --vertices 4096
  transpica compare lights.shbin --adapter llvmpipe --json")]
    Compare {
        /// Files and folders
        #[arg(required = true)]
        paths: Vec<PathBuf>,
        /// The numbers the programs compute with
        #[arg(long, value_enum, default_value_t = Precision::Exact)]
        precision: Precision,
        /// Layout of the uniform block
        #[arg(long, value_enum, default_value_t = Layout::Symbols)]
        layout: Layout,
        /// Vertices for each program
        #[arg(long, default_value_t = 256, value_name = "N")]
        vertices: usize,
        /// Seed of the inputs
        #[arg(long, default_value_t = 0, value_name = "S")]
        seed: u64,
        /// Only this route; otherwise SPIR-V and WGSL
        #[arg(long, value_enum)]
        route: Option<RouteName>,
        /// Part of the name of the GPU
        #[arg(long, value_name = "NAME")]
        adapter: Option<String>,
        /// Count +0 and -0 as different
        #[arg(long)]
        signed_zeros: bool,
        /// As JSON
        #[arg(long)]
        json: bool,
        /// Where the result goes; standard output if absent
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Translate every program below some folders, on all cores, and say what became of each
    #[command(after_help = "Examples:
  transpica survey dumps
  transpica survey dumps -q
  transpica survey shaders --json -o survey.json")]
    Survey {
        /// Files and folders
        #[arg(required = true)]
        paths: Vec<PathBuf>,
        /// The numbers the programs compute with
        #[arg(long, value_enum, default_value_t = Precision::Exact)]
        precision: Precision,
        /// Layout of the uniform block
        #[arg(long, value_enum, default_value_t = Layout::Symbols)]
        layout: Layout,
        /// As JSON
        #[arg(long)]
        json: bool,
        /// Where the result goes; standard output if absent
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Assemble sources in picasso's language into one file
    #[command(after_help = "Examples:
  transpica asm lights.v.pica -o lights.shbin
  transpica asm points.v.pica points.g.pica -o points.shbin --header points.h

All files share code and operand descriptors; each makes one executable (DVLE), in the order given.
- as output or header is standard output. picasso's -h is --header here, its -n is --no-nop.
Warnings and what --lint finds do not change the exit status; a build can look at --lint --json, a list.")]
    Asm {
        /// The sources; - reads standard input
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Where the binary goes
        #[arg(short, long, value_name = "FILE")]
        output: PathBuf,
        /// Also write a C header with the registers of the uniforms
        #[arg(long, value_name = "FILE")]
        header: Option<PathBuf>,
        /// Warn where a padding NOP is needed instead of inserting it
        #[arg(long)]
        no_nop: bool,
        /// Also warn of what hardware does not tolerate
        #[arg(long)]
        lint: bool,
        /// With --lint: what it finds as JSON on standard output (the assembler's own warnings are not among it)
        #[arg(long, requires = "lint")]
        json: bool,
    },
    /// Disassemble a file to text that `asm` turns back into it
    #[command(after_help = "Examples:
  transpica dis lights.shbin
  transpica dis lights.shbin --hex
  transpica dis lights.shbin -o copy.pica && transpica asm copy.pica -o copy.shbin")]
    Dis {
        /// The .shbin file; - reads standard input
        file: PathBuf,
        /// Address and word of each instruction in a comment
        #[arg(long)]
        hex: bool,
        /// Where the result goes; standard output if absent
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Show the intermediate forms of a program
    #[command(after_help = "Examples:
  transpica cfg fog.shbin --format dot | dot -Tsvg -o fog.svg
  transpica cfg lights.shbin --stage tree
  transpica cfg lights.shbin --stage ir")]
    Cfg {
        /// The .shbin file; - reads standard input
        file: PathBuf,
        #[command(flatten)]
        selection: Selection,
        /// Which form
        #[arg(long, value_enum, default_value_t = Form::Cfg)]
        stage: Form,
        /// How it is written
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
        /// Where the result goes; standard output if absent
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
}

/// Finds options that cannot go together, where that depends on their values.
pub fn check(cli: &Cli) -> Result<(), clap::Error> {
    let wrong = |text: &str| Err(Cli::command().error(ErrorKind::ArgumentConflict, text));
    match &cli.command {
        Command::Translate { raw: Raw { code: None, .. }, entry, .. }
            if entry.iter().any(|entry| matches!(entry, EntryOption::Word(_))) =>
        {
            wrong("only raw --code starts at a word that --entry names; executables name their own")
        }
        Command::Cfg { stage: Form::Tree | Form::Ir, format: Format::Dot, .. } => {
            wrong("only the control-flow graph has a dot form; leave --stage out, or use --format text")
        }
        Command::Run { trace: true, on: Machine::Gpu, .. } => {
            wrong("only the interpreter can --trace; leave --on gpu out")
        }
        Command::Asm { json: true, output, .. } if output == Path::new("-") => {
            wrong("the binary and --json both want standard output; give -o a file")
        }
        Command::Cfg { .. }
        | Command::Run { .. }
        | Command::Translate { .. }
        | Command::Info { .. }
        | Command::Asm { .. }
        | Command::Dis { .. }
        | Command::Compare { .. }
        | Command::Survey { .. } => Ok(()),
    }
}
