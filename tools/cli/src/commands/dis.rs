//! `transpica dis`: a container as assembler text.

use std::path::Path;

use transpica::dis::{Options, disassemble};

use super::Input;
use crate::files;
use crate::report::Failure;

pub fn run(file: &Path, hex: bool, output: Option<&Path>) -> Result<(), Failure> {
    let input = Input::read(file)?;
    let container = input.parse()?;
    let text = disassemble(&container, &Options { hex }).map_err(|error| input.fail(&error))?;
    files::write(output, text.as_bytes())
}
