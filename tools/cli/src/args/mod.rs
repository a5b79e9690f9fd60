//! The command line: subcommands, options, help texts with examples.
//! In: arguments. Out: [`Cli`]. One file for each command, and `values` for what options can be. What the options mean is
//! decided by the commands.

mod asm;
mod cfg;
mod compare;
mod dis;
mod info;
mod run;
mod survey;
mod translate;
mod values;

use clap::error::ErrorKind;
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use transpica::host;

pub use asm::Asm;
pub use cfg::Cfg;
pub use compare::Compare;
pub use dis::Dis;
pub use info::Info;
pub use run::Run;
pub use survey::Survey;
pub use translate::{GeometryOptions, Raw, Translate};
pub use values::{
    Entry, EntryOption, Form, Format, GlslVersion, Layout, Machine, Precision, RouteName, Target,
};

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

/// The subcommands; each is described at its arguments.
#[derive(Debug, Subcommand)]
pub enum Command {
    Translate(Translate),
    Info(Info),
    Run(Run),
    Compare(Compare),
    Survey(Survey),
    Asm(Asm),
    Dis(Dis),
    Cfg(Cfg),
}

/// Finds options that cannot go together, where that depends on their values.
pub fn check(cli: &Cli) -> Result<(), clap::Error> {
    let result = match &cli.command {
        Command::Translate(arguments) => arguments.check(),
        Command::Run(arguments) => arguments.check(),
        Command::Asm(arguments) => arguments.check(),
        Command::Cfg(arguments) => arguments.check(),
        Command::Info(_) | Command::Compare(_) | Command::Survey(_) | Command::Dis(_) => Ok(()),
    };
    result.map_err(|text| Cli::command().error(ErrorKind::ArgumentConflict, text))
}
