//! The command line: one file for each command, with its arguments and its code. In: arguments.
//! Out: the exit status.

mod asm;
mod bind;
mod cfg;
#[cfg(feature = "gpu")]
mod compare;
#[cfg(feature = "gpu")]
mod comparison;
#[cfg(feature = "compile")]
mod compile;
#[cfg(feature = "packages")]
mod completions;
mod dis;
#[cfg(feature = "gpu")]
mod doctor;
#[cfg(feature = "draw")]
mod draw;
#[cfg(feature = "compile")]
mod equal;
mod info;
#[cfg(not(all(feature = "compile", feature = "gpu", feature = "packages", feature = "test")))]
mod left_out;
#[cfg(feature = "gpu")]
mod lint;
#[cfg(feature = "test")]
mod lsp;
#[cfg(feature = "packages")]
mod man;
mod manifest;
#[cfg(feature = "compile")]
mod optimize;
#[cfg(feature = "gpu")]
mod replay;
mod run;
mod scan;
mod survey;
#[cfg(feature = "test")]
mod test;
#[cfg(test)]
mod tests;
mod translate;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use transpica_asm::manual;

use crate::arguments::Arguments;
use crate::files;
use crate::report::{Common, Failure};
#[cfg(not(feature = "draw"))]
use left_out::draw;
#[cfg(not(feature = "gpu"))]
use left_out::{compare, doctor, lint, replay};
#[cfg(not(feature = "compile"))]
use left_out::{compile, equal, optimize};
#[cfg(not(feature = "packages"))]
use left_out::{completions, man};
#[cfg(not(feature = "test"))]
use left_out::{lsp, test};

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
  transpica equal old.shbin new.shbin                 whether two programs compute the same
  transpica scan romfs                                shaders inside any kind of file
  transpica draw lights.shbin -o lights.png           a picture of what it does
  transpica doctor shaders/vulkan/transferable        an emulator's shader caches on this GPU
  transpica asm lights.v.pica -o lights.shbin         picasso source to binary
  transpica dis lights.shbin                          and back
  transpica compile hero.wgsl -o hero.shbin           WGSL or GLSL to binary
  transpica optimize lights.shbin -o small.shbin      the same in fewer words
  transpica help mad                                  an instruction or a directive
  transpica help language                             the whole language of sources
  transpica help lint-rules                           what lint finds, or one rule by its name
  transpica help test-files                           the keys of test files

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

/// The subcommands; their arguments carry the descriptions.
#[derive(Debug, Subcommand)]
pub enum Command {
    Translate(Box<translate::Translate>),
    Asm(asm::Asm),
    Bind(bind::Bind),
    Compile(compile::Compile),
    Optimize(optimize::Optimize),
    Lsp(lsp::Lsp),
    Info(info::Info),
    Lint(lint::Lint),
    Dis(dis::Dis),
    Cfg(cfg::Cfg),
    Run(run::Run),
    Test(test::Test),
    Draw(draw::Draw),
    Compare(compare::Compare),
    Equal(equal::Equal),
    Replay(replay::Replay),
    Scan(scan::Scan),
    Survey(survey::Survey),
    Doctor(doctor::Doctor),
    Manifest(manifest::Merge),
    Completions(completions::Completions),
    Man(man::Man),
}

impl Command {
    /// Returns its arguments.
    pub fn arguments(&self) -> &dyn Arguments {
        match self {
            Self::Translate(arguments) => &**arguments,
            Self::Asm(arguments) => arguments,
            Self::Bind(arguments) => arguments,
            Self::Compile(arguments) => arguments,
            Self::Optimize(arguments) => arguments,
            Self::Lsp(arguments) => arguments,
            Self::Info(arguments) => arguments,
            Self::Lint(arguments) => arguments,
            Self::Dis(arguments) => arguments,
            Self::Cfg(arguments) => arguments,
            Self::Run(arguments) => arguments,
            Self::Test(arguments) => arguments,
            Self::Draw(arguments) => arguments,
            Self::Compare(arguments) => arguments,
            Self::Equal(arguments) => arguments,
            Self::Replay(arguments) => arguments,
            Self::Scan(arguments) => arguments,
            Self::Survey(arguments) => arguments,
            Self::Doctor(arguments) => arguments,
            Self::Manifest(arguments) => arguments,
            Self::Completions(arguments) => arguments,
            Self::Man(arguments) => arguments,
        }
    }
}

/// The commands by their use, as help and manual list them. Those that packages need are not in it.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Translate", &["translate", "asm", "bind", "compile", "optimize", "lsp"]),
    ("Inspect", &["info", "lint", "dis", "cfg"]),
    ("Run", &["run", "test", "draw", "compare", "equal", "replay"]),
    ("Folders", &["scan", "survey", "doctor", "manifest"]),
];

/// Returns the command line, with its commands in groups.
fn command() -> clap::Command {
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
    let matches = command().try_get_matches_from(given).unwrap_or_else(|error| refuse(error));
    let cli = Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    let arguments = cli.command.arguments();
    if let Err(text) = arguments.check().and_then(|()| arguments.streams().check()) {
        // The error shows the usage of the command that it concerns.
        let mut root = self::command().color(cli.common.color);
        root.build();
        match matches.subcommand_name().and_then(|name| root.find_subcommand_mut(name)) {
            Some(command) => command.error(ErrorKind::ArgumentConflict, text).exit(),
            None => root.error(ErrorKind::ArgumentConflict, text).exit(),
        }
    }
    cli
}

/// Returns the page of a subject of the language, or of test files.
fn page(subject: &str) -> Option<String> {
    let page = manual::page(subject);
    #[cfg(feature = "test")]
    let page = page.or_else(|| transpica_unit::manual(subject));
    page
}

/// Ends the process: with a page of the manual for `help` and a subject of the language, else with
/// the error.
fn refuse(mut error: clap::Error) -> ! {
    if let Some(ContextValue::String(subject)) = error.get(ContextKind::InvalidSubcommand)
        && std::env::args_os().any(|argument| argument == "help")
    {
        let Some(page) = page(subject) else {
            let mut command = command();
            let names = command.get_subcommands().map(|one| one.get_name());
            let names = names.chain(cfg!(feature = "test").then_some("test-files"));
            let text = manual::no_page(subject, &names.collect::<Vec<_>>());
            command.error(ErrorKind::InvalidSubcommand, text).exit()
        };
        let lines = page.lines().filter(|line| !line.starts_with("```"));
        let text = lines.fold(String::new(), |text, line| text + line + "\n");
        std::process::exit(files::write(None, text.as_bytes()).map_or(1, |()| 0));
    }
    let commands = command();
    let flags = commands.get_subcommands().flat_map(clap::Command::get_arguments);
    let mut flags = flags.filter(|flag| flag.is_require_equals_set()).filter_map(clap::Arg::get_long);
    let given =
        |flag: &str| std::env::args_os().any(|argument| argument.to_str() == Some(&format!("--{flag}")));
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(flag) = flags.find(|flag| given(flag))
    {
        let tip = format!("--{flag} takes a value after `=`, as --{flag}=1e-3");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error.exit()
}

/// Runs the command.
pub fn run(Cli { command, common }: &Cli) -> Result<(), Failure> {
    match command {
        Command::Translate(arguments) => translate::run(arguments, common),
        Command::Asm(arguments) => asm::run(arguments, common),
        Command::Bind(arguments) => bind::run(arguments, common),
        Command::Compile(arguments) => compile::run(arguments, common),
        Command::Optimize(arguments) => optimize::run(arguments, common),
        Command::Lsp(arguments) => lsp::run(arguments, common),
        Command::Info(arguments) => info::run(arguments, common),
        Command::Lint(arguments) => lint::run(arguments, common),
        Command::Dis(arguments) => dis::run(arguments, common),
        Command::Cfg(arguments) => cfg::run(arguments, common),
        Command::Run(arguments) => run::run(arguments, common),
        Command::Test(arguments) => test::run(arguments, common),
        Command::Draw(arguments) => draw::run(arguments, common),
        Command::Compare(arguments) => compare::run(arguments, common),
        Command::Equal(arguments) => equal::run(arguments, common),
        Command::Replay(arguments) => replay::run(arguments, common),
        Command::Scan(arguments) => scan::run(arguments, common),
        Command::Survey(arguments) => survey::run(arguments, common),
        Command::Doctor(arguments) => doctor::run(arguments, common),
        Command::Manifest(arguments) => manifest::run(arguments),
        Command::Completions(arguments) => completions::run(arguments, self::command()),
        Command::Man(arguments) => man::run(arguments, (self::command(), &GROUPS)),
    }
}
