//! Endings of output files: for each command the formats that it writes.
//! In: the path of `-o`. Out: the format that its ending names. A name without an ending is free.

use std::path::Path;

use super::{Command, Doctor, Format, Info, Run, Scan, Survey, Target};
use crate::files;

/// Endings, each with the format that it names.
type Endings<T> = [(&'static str, T)];

/// Modules and tables of `translate`.
pub const TARGETS: &Endings<Target> = &[
    ("wgsl", Target::Wgsl),
    ("spv", Target::Spirv),
    #[cfg(feature = "spirv-asm")]
    ("spvasm", Target::SpirvAsm),
    ("glsl", Target::Glsl),
    ("vert", Target::Glsl),
    ("comp", Target::Glsl),
    ("geom", Target::Glsl),
    #[cfg(feature = "naga")]
    ("hlsl", Target::Hlsl),
    #[cfg(feature = "naga")]
    ("metal", Target::Msl),
    #[cfg(feature = "naga")]
    ("msl", Target::Msl),
    ("json", Target::Reflection),
    ("vbc", Target::Vbc),
];

/// Forms of `cfg`.
const GRAPHS: &Endings<Format> =
    &[("dot", Format::Dot), ("gv", Format::Dot), ("svg", Format::Svg), ("txt", Format::Text)];
/// Results as text or, true, as JSON.
const RESULTS: &Endings<bool> = &[("txt", false), ("json", true)];
/// Reports to publish.
const REPORTS: &Endings<bool> = &[("md", false), ("txt", false), ("json", true)];
/// Formats of commands that have one.
const CONTAINERS: &Endings<()> = &[("shbin", ()), ("bin", ())];
const SOURCES: &Endings<()> = &[("pica", ()), ("txt", ())];
const PICTURES: &Endings<()> = &[("png", ()), ("apng", ())];
const MANIFESTS: &Endings<()> = &[("json", ())];

/// Returns the format that an ending names; nothing without an ending.
fn named<T: Copy>(output: Option<&Path>, known: &Endings<T>) -> Result<Option<T>, String> {
    let Some((path, ending)) = output.and_then(|path| Some((path, files::ending(path)?))) else {
        return Ok(None);
    };
    let found = known.iter().find(|(name, _)| *name == ending);
    found.map(|&(_, format)| Some(format)).ok_or_else(|| {
        let all: Vec<String> = known.iter().map(|(name, _)| format!(".{name}")).collect();
        let (path, all) = (path.display(), all.join(", "));
        format!("{path}: this command does not write .{ending} files; use {all}, or no extension")
    })
}

/// The error about an ending and an option that disagree.
pub fn disagreement(path: &Path, named: &str, option: &str, given: &str) -> String {
    let path = path.display();
    format!("{path} looks like {named}, but {option} says {given}; drop {option}, or change one of them")
}

impl Command {
    /// Checks the ending of `-o`, and takes the format that it names.
    pub(super) fn take_ending(&mut self) -> Result<(), String> {
        let (json, output, known) = match self {
            Self::Translate(arguments) => return named(arguments.output.as_deref(), TARGETS).map(drop),
            Self::Cfg(arguments) => {
                arguments.named = named(arguments.output.as_deref(), GRAPHS)?;
                return arguments.check();
            }
            Self::Asm(arguments) => return named(Some(&arguments.output), CONTAINERS).map(drop),
            Self::Dis(arguments) => return named(arguments.output.as_deref(), SOURCES).map(drop),
            Self::Draw(arguments) => return named(arguments.output.as_deref(), PICTURES).map(drop),
            Self::Manifest(arguments) => return named(arguments.output.as_deref(), MANIFESTS).map(drop),
            Self::Bind(_)
            | Self::Test(_)
            | Self::Replay(_)
            | Self::Lsp(_)
            | Self::Completions(_)
            | Self::Man(_) => {
                return Ok(());
            }
            Self::Compare(arguments) => (&mut arguments.json, &arguments.output, RESULTS),
            Self::Info(Info { json, output, .. })
            | Self::Run(Run { json, output, .. })
            | Self::Survey(Survey { json, output, .. })
            | Self::Scan(Scan { json, output, .. }) => (json, &*output, RESULTS),
            Self::Doctor(Doctor { json, output, .. }) => (json, &*output, REPORTS),
        };
        match (named(output.as_deref(), known)?, output) {
            (Some(false), Some(path)) if *json => Err(disagreement(path, "text", "--json", "JSON")),
            (is_json, _) => {
                *json |= is_json.unwrap_or(false);
                Ok(())
            }
        }
    }
}
