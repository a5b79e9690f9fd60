//! `transpica completions` and `transpica man`: what shells and `man` read, from the command line's
//! own description.

use std::path::Path;

use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::args::Cli;
use crate::files;
use crate::report::Failure;

/// Prints the completions of a shell.
pub fn completions(shell: Shell) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "transpica", &mut text);
    files::write(None, &text)
}

/// Prints one manual page: the command, then a section for each subcommand.
pub fn man() -> Result<(), Failure> {
    let mut root = Cli::command();
    root.build();
    let mut text = Vec::new();
    let result = page(&root, &mut text);
    result.map_err(|error| Failure::io("write", Path::new("standard output"), &error))?;
    files::write(None, &text)
}

fn page(root: &Command, text: &mut Vec<u8>) -> std::io::Result<()> {
    Man::new(root.clone()).render(text)?;
    for command in root.get_subcommands().filter(|command| command.get_name() != "help") {
        text.extend(format!(".SH {}\n", command.get_name().to_uppercase()).into_bytes());
        let man = Man::new(command.clone());
        man.render_synopsis_section(text)?;
        man.render_description_section(text)?;
        man.render_options_section(text)?;
        man.render_extra_section(text)?;
    }
    Ok(())
}
