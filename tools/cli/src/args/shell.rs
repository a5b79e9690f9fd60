//! Arguments of `completions` and `man`.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

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
