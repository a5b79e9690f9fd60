//! `transpica lsp`: the language server on standard input and output.

use std::io::{stdin, stdout};

use clap::Args;
use transpica_lsp::{Folders, serve};

use crate::arguments::Arguments;
use crate::report::{Common, Failure};
use crate::streams::Streams;

/// Serve editors: problems, help, completion, names, formatting
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica lsp                                       started by the editor

Speaks the Language Server Protocol on standard input and output, for NAME.pica files. NAME.v.pica and NAME.g.pica form one file; execution counts come from NAME.test.toml as last opened or saved.

Helix, languages.toml:
  [language-server.transpica]
  command = \"transpica\"
  args = [\"lsp\"]
  [[language]]
  name = \"pica\"
  scope = \"source.pica\"
  file-types = [\"pica\"]
  comment-token = \";\"
  language-servers = [\"transpica\"]

Neovim, init.lua:
  vim.filetype.add({ extension = { pica = \"pica\" } })
  vim.lsp.config(\"transpica\", { cmd = { \"transpica\", \"lsp\" }, filetypes = { \"pica\" } })
  vim.lsp.enable(\"transpica\")

Exit status 1 if the input ended without `shutdown` and `exit`.")]
pub struct Lsp {
    /// Use standard input and output, the default; for editors that pass this option
    #[arg(long)]
    pub stdio: bool,
}

impl Arguments for Lsp {
    /// The protocol takes both standard streams.
    fn streams(&self) -> Streams<'_> {
        Streams::default()
    }
}

/// Runs the command.
pub fn run(_: &Lsp, _: &Common) -> Result<(), Failure> {
    match serve(Folders, stdin().lock(), stdout().lock()) {
        Ok(0) => Ok(()),
        Ok(_) => Err(Failure::new("the input ended without `shutdown` and `exit`")),
        Err(error) => Err(Failure::new(format!("standard streams: {error}"))),
    }
}
