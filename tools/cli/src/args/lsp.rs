//! Arguments of `lsp`.

use clap::Args;

/// Serve editors: problems, help, completion, names, formatting
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica lsp                                       the editor starts it

Speaks the Language Server Protocol on standard input and output, for files NAME.pica. NAME.v.pica and NAME.g.pica \
are one file; counts of executed lines are those of NAME.test.toml when it was opened or saved last.

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
    /// Standard input and output, which is the default: for editors that say so
    #[arg(long)]
    pub stdio: bool,
}
