//! Arguments of `completions` and `man`.

use clap::Args;
use clap_complete::Shell;

/// Print the completions of a shell
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica completions bash > ~/.local/share/bash-completion/completions/transpica
  transpica completions zsh > ~/.zfunc/_transpica")]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// Print the manual page
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica man | man -l -
  transpica man > ~/.local/share/man/man1/transpica.1")]
pub struct Man {}
