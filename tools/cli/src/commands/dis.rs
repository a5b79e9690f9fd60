//! `transpica dis`: a container as assembler text.

use transpica_asm::dis::{DisassemblerOptions, disassemble};

use super::Input;
use crate::args::{Common, Dis};
use crate::files;
use crate::report::Failure;

pub fn run(Dis { file, hex, output }: Dis, common: &Common) -> Result<(), Failure> {
    let input = Input::open(&file)?.remarked(common);
    let container = input.parse()?;
    let text = disassemble(&container, &DisassemblerOptions { hex }).map_err(|error| input.fail(&error))?;
    common.detail(format_args!(
        "{}: {} code words, {} lines; programs: {}",
        file.display(),
        container.package.code.len(),
        text.lines().count(),
        container.executables.len()
    ));
    files::write(output.as_deref(), text.as_bytes())
}
