//! `transpica man`: manual pages, from the command line's own description.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use clap::{Args, Command};
use clap_mangen::roff::{Roff, bold, roman};

use crate::arguments::Arguments;
use crate::files;
use crate::report::Failure;

/// Print the manual page, or write a page for each command
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica man | man -l -
  transpica man --out-dir ~/.local/share/man/man1")]
pub struct Man {
    /// Write transpica.1 and a page for each command into this folder, created if missing
    #[arg(long, value_name = "DIR")]
    pub out_dir: Option<PathBuf>,
}

impl Arguments for Man {}

/// Commands by their use, as help and manual list them.
pub type Groups = [(&'static str, &'static [&'static str])];

/// Prints one manual page for all commands, or writes a page for each into a folder.
pub fn run(Man { out_dir }: &Man, (command, groups): (Command, &Groups)) -> Result<(), Failure> {
    let failure = |path: &Path, error| Failure::io("write", path, &error);
    let root = built(command);
    let Some(folder) = out_dir else {
        let text = whole(&root, groups).map_err(|error| failure(Path::new("standard output"), error))?;
        return files::write(None, &text);
    };
    let written = fs::create_dir_all(folder)
        .and_then(|()| pages(&root, groups))
        .and_then(|pages| pages.iter().try_for_each(|(name, text)| fs::write(folder.join(name), text)));
    written.map_err(|error| failure(folder, error))
}

/// Returns the command with all it has below; every option shows its text.
pub(super) fn built(root: Command) -> Command {
    let shown = |command: Command| command.mut_args(|arg| arg.hide_short_help(false));
    let mut root = shown(root).mut_subcommands(shown);
    root.build();
    root
}

/// Returns the subcommands but `help`.
pub(super) fn subcommands(root: &Command) -> impl Iterator<Item = &Command> {
    root.get_subcommands().filter(|command| command.get_name() != "help")
}

/// Returns the page that has all commands: a section for each.
pub(super) fn whole(root: &Command, groups: &Groups) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    page(root, groups, &mut text, |name| format!("transpica {name}"))?;
    for command in subcommands(root) {
        text.extend(format!(".SH {}\n", command.get_name().to_uppercase()).into_bytes());
        body(command, &mut text)?;
        epilogue(command).to_writer(&mut text)?;
    }
    Ok(text)
}

/// Returns the pages with the names of their files: the command, which cites the others, and each
/// subcommand.
pub(super) fn pages(root: &Command, groups: &Groups) -> io::Result<Vec<(String, Vec<u8>)>> {
    [root]
        .into_iter()
        .chain(subcommands(root))
        .map(|command| {
            let mut text = Vec::new();
            page(command, groups, &mut text, |name| format!("transpica-{name}(1)"))?;
            let name = command.get_display_name().unwrap_or_else(|| command.get_name());
            Ok((format!("{name}.1"), text))
        })
        .collect()
}

/// Writes a page. The list of commands has `citation` of each.
fn page(
    command: &Command,
    groups: &Groups,
    text: &mut Vec<u8>,
    citation: impl Fn(&str) -> String,
) -> io::Result<()> {
    let man = clap_mangen::Man::new(command.clone()).source(concat!("transpica ", env!("CARGO_PKG_VERSION")));
    man.render_title(text)?;
    man.render_name_section(text)?;
    body(command, text)?;
    if command.has_subcommands() {
        list(command, groups, citation).to_writer(text)?;
        return epilogue(command).to_writer(text);
    }
    epilogue(command).to_writer(text)?;
    Roff::new().control("SH", ["SEE ALSO"]).text([bold("transpica"), roman("(1)")]).to_writer(text)
}

/// Writes what a command takes and does.
fn body(command: &Command, text: &mut Vec<u8>) -> io::Result<()> {
    let man = clap_mangen::Man::new(command.clone());
    man.render_synopsis_section(text)?;
    man.render_description_section(text)?;
    man.render_options_section(text)
}

/// Returns the list of subcommands by their use.
fn list(command: &Command, groups: &Groups, citation: impl Fn(&str) -> String) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["COMMANDS"]);
    for (title, names) in groups.iter().copied().chain([("For packages", &["completions", "man"][..])]) {
        roff.control("SS", [title]);
        for command in names.iter().filter_map(|name| command.find_subcommand(name)) {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            roff.control("TP", []).text([bold(citation(command.get_name()))]).text([roman(about)]);
        }
    }
    roff
}

/// Returns examples and remarks: indented lines as they are, each other line as a paragraph.
fn epilogue(command: &Command) -> Roff {
    let mut roff = Roff::new();
    let text = command.get_after_long_help().or_else(|| command.get_after_help());
    let mut is_literal = false;
    for line in text.map(ToString::to_string).unwrap_or_default().lines() {
        if line.starts_with(' ') != is_literal {
            is_literal = !is_literal;
            roff.control(if is_literal { "nf" } else { "fi" }, []);
        }
        match line {
            "" => {}
            "Examples:" => drop(roff.control("SH", ["EXAMPLES"])),
            line if is_literal => drop(roff.text([roman(line)])),
            paragraph => drop(roff.control("PP", []).text([roman(paragraph)])),
        }
    }
    if is_literal {
        roff.control("fi", []);
    }
    roff
}
