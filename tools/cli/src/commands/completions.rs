//! `transpica completions`: what shells read, from the command line's own description.

use clap::{Args, Command};
use clap_complete::Shell;

use crate::arguments::Arguments;
use crate::files;
use crate::report::Failure;

/// Print the completion script of a shell
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica completions bash > ~/.local/share/bash-completion/completions/transpica
  transpica completions zsh > ~/.zfunc/_transpica")]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

impl Arguments for Completions {}

/// Prints the completions of a shell for a command line.
pub fn run(&Completions { shell }: &Completions, mut command: Command) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut command, "transpica", &mut text);
    files::write(None, &text)
}
