//! `transpica dis`: a container as assembler text, which is also the source that debuggers show.

use std::path::Path;

use transpica::host::dvle::FileEnvironment;
use transpica::host::{DebugSource, Environment, Sourced};
use transpica::{Profile, Shbin};
use transpica_asm::dis::{DisassemblerOptions, disassemble};
use transpica_asm::{SourceText, assemble};

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

/// Returns the environment of a program, with the text of its file as the source if modules have
/// debug information. Without a text the library makes a listing.
pub fn sourced<'a>(
    environment: &'a FileEnvironment<'a>,
    file: &Shbin<'_>,
    profile: &Profile,
    name: &str,
) -> Box<dyn Environment + 'a> {
    match profile.debug_info.then(|| source(file, name)).flatten() {
        Some(source) => Box::new(Sourced { environment, source }),
        None => Box::new(environment),
    }
}

/// Returns the text of a file with the line of each word, where it assembles again.
fn source(file: &Shbin<'_>, name: &str) -> Option<DebugSource> {
    let text = disassemble(file, &DisassemblerOptions::default()).ok()?;
    let assembled = assemble(&[SourceText { name, text: &text }]).ok()?;
    let lines = assembled.places.iter().map(|place| place.line).collect();
    let name = Path::new(name).with_extension("pica").to_string_lossy().into_owned();
    Some(DebugSource { name, text, lines })
}
