//! `transpica lsp`: the language server on standard input and output.

use std::io::{stdin, stdout};

use transpica_lsp::{Folders, serve};

use crate::report::Failure;

/// Runs the command.
pub fn run() -> Result<(), Failure> {
    match serve(Folders, stdin().lock(), stdout().lock()) {
        Ok(0) => Ok(()),
        Ok(_) => Err(Failure::new("the input ended without `shutdown` and `exit`")),
        Err(error) => Err(Failure::new(format!("standard streams: {error}"))),
    }
}
