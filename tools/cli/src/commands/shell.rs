//! `transpica completions` and `transpica man`: what shells and `man` read, from the command line's
//! own description.

use std::fs;
use std::io;
use std::path::Path;

use clap::Command;
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use crate::args::{GROUPS, command};
use crate::files;
use crate::report::Failure;

/// Prints the completions of a shell.
pub fn completions(shell: Shell) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command(), "transpica", &mut text);
    files::write(None, &text)
}

/// Prints one manual page for all commands, or writes a page for each into a folder.
pub fn man(folder: Option<&Path>) -> Result<(), Failure> {
    let failure = |path: &Path, error| Failure::io("write", path, &error);
    let Some(folder) = folder else {
        let text = whole().map_err(|error| failure(Path::new("standard output"), error))?;
        return files::write(None, &text);
    };
    let written = fs::create_dir_all(folder)
        .and_then(|()| pages())
        .and_then(|pages| pages.iter().try_for_each(|(name, text)| fs::write(folder.join(name), text)));
    written.map_err(|error| failure(folder, error))
}

/// Returns the command with all it has below; every option shows its text.
fn built() -> Command {
    let shown = |command: Command| command.mut_args(|arg| arg.hide_short_help(false));
    let mut root = shown(command()).mut_subcommands(shown);
    root.build();
    root
}

/// Returns the subcommands but `help`.
fn subcommands(root: &Command) -> impl Iterator<Item = &Command> {
    root.get_subcommands().filter(|command| command.get_name() != "help")
}

/// Returns the page that has all commands: a section for each.
fn whole() -> io::Result<Vec<u8>> {
    let root = built();
    let mut text = Vec::new();
    page(&root, &mut text, |name| format!("transpica {name}"))?;
    for command in subcommands(&root) {
        text.extend(format!(".SH {}\n", command.get_name().to_uppercase()).into_bytes());
        body(command, &mut text)?;
        epilogue(command).to_writer(&mut text)?;
    }
    Ok(text)
}

/// Returns the pages with the names of their files: the command, which cites the others, and each
/// subcommand.
fn pages() -> io::Result<Vec<(String, Vec<u8>)>> {
    let root = built();
    [&root]
        .into_iter()
        .chain(subcommands(&root))
        .map(|command| {
            let mut text = Vec::new();
            page(command, &mut text, |name| format!("transpica-{name}(1)"))?;
            let name = command.get_display_name().unwrap_or_else(|| command.get_name());
            Ok((format!("{name}.1"), text))
        })
        .collect()
}

/// Writes a page. The list of commands has `citation` of each.
fn page(command: &Command, text: &mut Vec<u8>, citation: impl Fn(&str) -> String) -> io::Result<()> {
    let man = Man::new(command.clone()).source(concat!("transpica ", env!("CARGO_PKG_VERSION")));
    man.render_title(text)?;
    man.render_name_section(text)?;
    body(command, text)?;
    if command.has_subcommands() {
        list(command, citation).to_writer(text)?;
        return epilogue(command).to_writer(text);
    }
    epilogue(command).to_writer(text)?;
    Roff::new().control("SH", ["SEE ALSO"]).text([bold("transpica"), roman("(1)")]).to_writer(text)
}

/// Writes what a command takes and does.
fn body(command: &Command, text: &mut Vec<u8>) -> io::Result<()> {
    let man = Man::new(command.clone());
    man.render_synopsis_section(text)?;
    man.render_description_section(text)?;
    man.render_options_section(text)
}

/// Returns the list of subcommands by their use.
fn list(command: &Command, citation: impl Fn(&str) -> String) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["COMMANDS"]);
    for (title, names) in GROUPS.into_iter().chain([("For packages", &["completions", "man"][..])]) {
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The letters and digits of a text, which roff leaves as they are, without its apostrophes.
    fn plain(text: &str) -> String {
        text.replace("\\*(Aq", "").chars().filter(|c| c.is_ascii_alphanumeric()).collect()
    }

    #[test]
    fn every_option_has_its_text_in_the_manual() {
        let pages = pages().expect("in memory");
        let whole = plain(&String::from_utf8(whole().expect("in memory")).expect("UTF-8"));
        let root = built();
        let mut count = 0;
        for (command, (name, page)) in [&root].into_iter().chain(subcommands(&root)).zip(&pages) {
            let page = plain(std::str::from_utf8(page).expect("UTF-8"));
            // clap rewrites the text of `--help` as it renders.
            for arg in command.get_arguments().filter(|arg| arg.get_id() != "help") {
                let help = arg.get_long_help().or_else(|| arg.get_help()).expect("a text").to_string();
                let help = plain(&help);
                assert!(help.len() > 5 && page.contains(&help), "{name}: {arg}: {help}");
                assert!(whole.contains(&help), "{name}: {arg}: {help}");
                count += 1;
            }
        }
        assert!(count > 250, "{count}");
    }

    #[test]
    fn pages_that_a_page_cites_exist() {
        let pages = pages().expect("in memory");
        let names: BTreeSet<&str> = pages.iter().filter_map(|(name, _)| name.strip_suffix(".1")).collect();
        let mut cited = BTreeSet::new();
        for (_, page) in &pages {
            let page =
                String::from_utf8_lossy(page).replace("\\-", "-").replace("\\fR", "").replace("\\fB", "");
            for (before, _) in page.match_indices("(1)").map(|(at, _)| page.split_at(at)) {
                cited
                    .insert(before.rsplit(|c: char| c.is_whitespace()).next().unwrap_or_default().to_owned());
            }
        }
        let cited: BTreeSet<&str> = cited.iter().map(String::as_str).collect();
        assert_eq!(cited, names);
        let whole = String::from_utf8(whole().expect("in memory")).expect("UTF-8");
        assert!(!whole.contains("(1)"), "the one page cites no other");
    }

    #[test]
    fn examples_keep_their_lines_in_the_manual() {
        let root = built();
        let whole = String::from_utf8(whole().expect("in memory")).expect("UTF-8").replace("\\-", "-");
        for command in [&root].into_iter().chain(subcommands(&root)) {
            let text = command.get_after_long_help().or_else(|| command.get_after_help());
            let text = text.expect("examples").to_string();
            let mut lines = text.lines().filter(|line| line.starts_with("  transpica "));
            let first = plain(lines.next().expect("an example"));
            let mut is_literal = false;
            let found = whole.lines().any(|line| {
                is_literal = (is_literal || line == ".nf") && line != ".fi";
                is_literal && plain(line) == first
            });
            assert!(found, "{first}");
        }
    }
}
