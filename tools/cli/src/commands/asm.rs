//! `transpica asm`: sources in picasso's language to a container, and a C header.

use std::path::{Path, PathBuf};

use transpica::asm::{Options, Source, assemble_with};

use super::Input;
use crate::args::Common;
use crate::files;
use crate::report::{Failure, Text, print_diagnostics};

pub fn run(
    paths: &[PathBuf],
    output: &Path,
    header: Option<&Path>,
    no_nop: bool,
    common: &Common,
) -> Result<(), Failure> {
    let texts = paths.iter().map(|path| read(path)).collect::<Result<Vec<_>, _>>()?;
    let sources: Vec<_> = texts.iter().map(|text| Source { name: &text.name, text: &text.text }).collect();
    let result = assemble_with(&sources, &Options { no_nop });
    let (errors, warnings) = match &result {
        Ok(assembled) => (&[][..], &assembled.warnings[..]),
        Err(report) => (&report.errors[..], &report.warnings[..]),
    };
    let warnings = if common.quiet { &[][..] } else { warnings };
    print_diagnostics(errors, warnings, &texts, common.color);
    match result {
        Ok(assembled) => match header {
            Some(header) => {
                files::write_both((output, &assembled.bytes), (Some(header), assembled.header.as_bytes()))
            }
            None => files::write(Some(output), &assembled.bytes),
        },
        Err(report) => {
            let count = report.errors.len();
            let errors = if count == 1 { "1 error".into() } else { format!("{count} errors") };
            Err(Failure::new(format!("{errors}: nothing was written")))
        }
    }
}

/// A source. Comments may be in any encoding; nothing else is beyond ASCII.
fn read(path: &Path) -> Result<Text, Failure> {
    let input = Input::read(path)?;
    let name = if path == Path::new("-") { input.name() } else { path.display().to_string() };
    Ok(Text { name, text: String::from_utf8_lossy(&input.bytes).into_owned() })
}
