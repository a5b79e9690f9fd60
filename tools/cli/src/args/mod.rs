//! The command line: subcommands, options, help texts with examples.
//! In: arguments. Out: [`Cli`]. One file for each command, and `values` for the values of options.
//! The commands give options their meaning.

mod asm;
mod batch;
mod bind;
mod cfg;
mod compare;
mod dis;
mod doctor;
mod draw;
mod endings;
mod info;
mod lsp;
mod replay;
mod run;
mod scan;
pub mod settings;
mod shell;
mod survey;
mod test;
mod translate;
mod values;

use clap::error::ErrorKind;
use clap::{Args, ColorChoice, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::streams::Streams;

pub use asm::Asm;
pub use batch::{Batch, Manifest, NamePart, NamePattern, Shard};
pub use bind::{Bind, BindingFiles};
pub use cfg::Cfg;
pub use compare::Compare;
pub use dis::Dis;
pub use doctor::Doctor;
pub use draw::{Draw, MeshName};
pub use info::Info;
pub use lsp::Lsp;
pub use replay::Replay;
pub use run::Run;
pub use scan::Scan;
pub use settings::{ForForms, ForModules, ForRuns, Settings};
pub use shell::{Completions, Man};
pub use survey::Survey;
pub use test::{Test, TestMachine};
pub use translate::{GeometryOptions, NO_OUTPUTS, Translate};
pub(crate) use values::denied;
pub use values::{Denied, Entry, EntryOption, Form, Format, Machine, RouteName, Target, spelled};

/// Translates PICA200 (Nintendo 3DS) shader programs to SPIR-V, WGSL, GLSL, HLSL and MSL, and
/// checks the results.
#[derive(Debug, Parser)]
#[command(name = "transpica", version, arg_required_else_help = true)]
#[command(after_help = "Examples:
  transpica translate lights.shbin                    WGSL on standard output
  transpica translate lights.shbin --to spirv -o lights.spv
  transpica translate dumps --to spirv,reflection --out-dir out    every program in a folder
  transpica info lights.shbin                         headers, symbols, constants, outputs
  transpica run lights.shbin --seed 7                 outputs of the reference interpreter
  transpica test shaders                              test cases with expected outputs
  transpica compare shaders --vertices 4096           interpreter against GPU
  transpica scan romfs                                shaders inside any kind of file
  transpica draw lights.shbin -o lights.png           a picture of what it does
  transpica doctor shaders/vulkan/transferable        an emulator's shader caches on this GPU
  transpica asm lights.v.pica -o lights.shbin         picasso source to binary
  transpica dis lights.shbin                          and back

For packagers: `transpica completions SHELL` and `transpica man`.

Exit status: 0 success, 1 an error in the input, 2 wrong usage.")]
pub struct Cli {
    /// The subcommand.
    #[command(subcommand)]
    pub command: Command,
    /// Options that every command takes.
    #[command(flatten)]
    pub common: Common,
}

/// Display order of common options: after those of the command, before `--help`.
const LAST: usize = 998;

/// Options that every command takes.
#[derive(Args, Clone, Debug)]
pub struct Common {
    /// Hide warnings, notes and progress
    ///
    /// In tables, show only failed rows and totals.
    #[arg(short, long, global = true, conflicts_with = "verbose", display_order = LAST)]
    pub quiet: bool,
    /// Show sizes, times and fallback tiers on standard error
    #[arg(short, long, global = true, display_order = LAST)]
    pub verbose: bool,
    /// Color in diagnostics
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, display_order = LAST)]
    #[arg(hide_short_help = true)]
    pub color: Color,
}

/// Use of color in diagnostics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On terminals with color support
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Selection of a program within a file.
#[derive(Args, Clone, Debug)]
pub struct Selection {
    /// Number of the executable (DVLE) in the file [default: 0]
    #[arg(long, value_name = "N")]
    pub dvle: Option<usize>,
}

/// The subcommands; their arguments carry the descriptions.
#[derive(Debug, Subcommand)]
pub enum Command {
    Translate(Box<Translate>),
    Asm(Asm),
    Bind(Bind),
    Lsp(Lsp),
    Info(Info),
    Dis(Dis),
    Cfg(Cfg),
    Run(Run),
    Test(Test),
    Draw(Draw),
    Compare(Compare),
    Replay(Replay),
    Scan(Scan),
    Survey(Survey),
    Doctor(Doctor),
    Manifest(Manifest),
    Completions(Completions),
    Man(Man),
}

impl Command {
    /// Rejects combinations of options that conflict only for some of their values.
    fn check(&self) -> Result<(), String> {
        match self {
            Self::Translate(arguments) => arguments.check(),
            Self::Run(arguments) => arguments.check(),
            Self::Draw(arguments) => arguments.check(),
            Self::Bind(arguments) => arguments.check(),
            Self::Cfg(_)
            | Self::Info(_)
            | Self::Manifest(_)
            | Self::Asm(_)
            | Self::Compare(_)
            | Self::Replay(_)
            | Self::Survey(_)
            | Self::Test(_)
            | Self::Scan(_)
            | Self::Doctor(_)
            | Self::Dis(_)
            | Self::Lsp(_)
            | Self::Completions(_)
            | Self::Man(_) => Ok(()),
        }
    }
    /// Files and streams that it reads and writes.
    fn streams(&self) -> Streams<'_> {
        match self {
            Self::Translate(arguments) => arguments.streams(),
            Self::Info(Info { file, output, .. }) | Self::Dis(Dis { file, output, .. }) => {
                Streams::of_files([file], output.as_deref())
            }
            Self::Cfg(Cfg { file, settings, output, .. }) => {
                Streams::of_files(settings.files().chain([file]), output.as_deref())
            }
            Self::Run(arguments) => arguments.streams(),
            Self::Compare(Compare { paths, settings, output, .. }) => {
                Streams { trees: paths, ..Streams::of_files(settings.files(), output.as_deref()) }
            }
            Self::Survey(Survey { paths, settings, output, .. }) => {
                Streams { trees: paths, ..Streams::of_files(settings.files(), output.as_deref()) }
            }
            Self::Doctor(Doctor { paths, output, .. }) => {
                Streams { trees: paths, ..Streams::of_files([], output.as_deref()) }
            }
            Self::Replay(Replay { file, .. }) => Streams::of_files([file], None),
            Self::Scan(Scan { paths, output, .. }) => {
                Streams { trees: paths, reads_any: true, ..Streams::of_files([], output.as_deref()) }
            }
            Self::Draw(arguments) => arguments.streams(),
            Self::Asm(arguments) => arguments.streams(),
            Self::Bind(arguments) => arguments.streams(),
            Self::Test(arguments) => arguments.streams(),
            Self::Manifest(Manifest { files, output }) => Streams::of_files(files, output.as_deref()),
            // The protocol takes both standard streams.
            Self::Lsp(_) => Streams::default(),
            Self::Completions(_) | Self::Man(_) => Streams::of_files([], None),
        }
    }
    /// Returns whether it uses a GPU.
    #[cfg(feature = "gpu")]
    pub fn opens_gpu(&self) -> bool {
        match self {
            Self::Compare(_) | Self::Replay(_) | Self::Doctor(_) => true,
            Self::Run(Run { on, .. }) => *on == Machine::Gpu,
            Self::Draw(arguments) => arguments.opens_gpu(),
            Self::Test(Test { on, .. }) => *on == TestMachine::Gpu,
            Self::Translate(_)
            | Self::Manifest(_)
            | Self::Info(_)
            | Self::Survey(_)
            | Self::Scan(_)
            | Self::Asm(_)
            | Self::Bind(_)
            | Self::Dis(_)
            | Self::Lsp(_)
            | Self::Cfg(_)
            | Self::Completions(_)
            | Self::Man(_) => false,
        }
    }
}

/// The commands by their use, as help and manual list them. Those that packages need are not in it.
pub const GROUPS: [(&str, &[&str]); 4] = [
    ("Translate", &["translate", "asm", "bind", "lsp"]),
    ("Inspect", &["info", "dis", "cfg"]),
    ("Run", &["run", "test", "draw", "compare", "replay"]),
    ("Folders", &["scan", "survey", "doctor", "manifest"]),
];

/// Returns the command line, with its commands in groups.
pub fn command() -> clap::Command {
    let command = Cli::command();
    let (head, literal) = (command.get_styles().get_header(), command.get_styles().get_literal());
    let mut template = "{about-with-newline}\n{usage-heading} {usage}\n\n".to_owned();
    for (title, names) in GROUPS {
        template += &format!("{head}{title}:{head:#}\n");
        for command in names.iter().filter_map(|name| command.find_subcommand(name)) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            template += &format!("  {literal}{:<9}{literal:#}  {about}\n", command.get_name());
        }
        template.push('\n');
    }
    template += &format!("{head}Options:{head:#}\n{{options}}{{after-help}}");
    command.help_template(template)
}

/// Parses and checks the command line, before anything is read or written. Wrong usage ends the
/// process.
pub fn parse() -> Cli {
    // As compilers spell it: two letters are not an option of clap.
    let given = std::env::args_os()
        .map(|argument| if argument == "-MD" { "--dependencies".into() } else { argument });
    let matches = command().get_matches_from(given);
    let mut cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let command = &mut cli.command;
    // Endings last: an output over an input is worse than one with an odd name.
    let result = command.check().and_then(|()| command.streams().check());
    if let Err(text) = result.and_then(|()| command.take_ending()) {
        let color = match cli.common.color {
            Color::Auto => ColorChoice::Auto,
            Color::Always => ColorChoice::Always,
            Color::Never => ColorChoice::Never,
        };
        // The error shows the usage of the command that it concerns.
        let mut root = self::command().color(color);
        root.build();
        let command = matches.subcommand_name().and_then(|name| root.find_subcommand_mut(name));
        let error = command.map_or_else(
            || Cli::command().error(ErrorKind::ArgumentConflict, &text),
            |command| command.error(ErrorKind::ArgumentConflict, &text),
        );
        error.exit();
    }
    cli
}

#[cfg(test)]
mod tests;
