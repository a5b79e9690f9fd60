//! Sources by naga's front ends.
//! In: a text, or words of SPIR-V. Out: a validated module, whose nesting is limited so that what
//! follows may recurse. Knows no machine.

use std::path::Path;

use naga::front::glsl::ErrorKind;
use naga::front::{glsl, spv, wgsl};
use naga::valid::{Capabilities, EntryPointError, ValidationError, ValidationFlags, Validator};
use naga::{EntryPoint, Module, ShaderStage, Span, Statement};

use super::Options;
use super::eager;
use super::error::{BYTES, CLIP, Error, Kind, Result, at, find_name};
use super::glsl::{modern, original_place, writes_clip_distance};
use super::loops::spanned;
use super::lower::Lowering;
use super::messages;

/// Bytes of a text or of words.
const SIZE: usize = 1 << 20;
/// Statements inside each other.
const NESTING: usize = 40;

/// A source language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// WGSL.
    Wgsl,
    /// GLSL, with declarations of any version.
    Glsl,
    /// SPIR-V words.
    SpirV,
}

/// Languages by the extensions of files.
const EXTENSIONS: [(&str, Language); 5] = [
    ("wgsl", Language::Wgsl),
    ("glsl", Language::Glsl),
    ("vert", Language::Glsl),
    ("vs", Language::Glsl),
    ("spv", Language::SpirV),
];

impl Language {
    /// Returns the language of a file, by its extension: wgsl, glsl, vert, vs or spv.
    ///
    /// ```
    /// use transpica_compile::source::Language;
    /// assert_eq!(Language::of(std::path::Path::new("hero.vert")), Some(Language::Glsl));
    /// assert_eq!(Language::of(std::path::Path::new("hero.frag")), None);
    /// ```
    pub fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?;
        EXTENSIONS.iter().find(|(known, _)| known.eq_ignore_ascii_case(extension)).map(|row| row.1)
    }

    /// Returns the extensions of all languages.
    pub fn extensions() -> impl Iterator<Item = &'static str> {
        EXTENSIONS.iter().map(|(extension, _)| *extension)
    }
}

/// A source that naga has read and validated.
#[derive(Clone, Debug)]
pub struct Source {
    /// The module.
    pub module: Module,
    /// The text that places are in; empty for SPIR-V.
    pub text: String,
    /// The text as it was given, in the same lines.
    pub original: String,
}

/// Reads a source.
///
/// # Errors
/// The front end or the validator of naga refuses it, or it is too large.
pub fn read(language: Language, bytes: &[u8]) -> Result<Source> {
    if bytes.len() > SIZE {
        return Err(Error { kind: Kind::limit(BYTES, bytes.len(), SIZE), at: None });
    }
    // Its reader of SPIR-V indexes tables by words of the module, unchecked in places.
    let parsed = std::panic::catch_unwind(|| parse(language, bytes));
    parsed.unwrap_or_else(|_| Err(syntax("naga fails on it")))
}

/// An error without a place.
fn syntax(message: impl Into<String>) -> Error {
    Error { kind: Kind::Syntax(message.into()), at: None }
}

fn parse(language: Language, bytes: &[u8]) -> Result<Source> {
    let source = match language {
        Language::Wgsl => read_wgsl(text(bytes)?)?,
        Language::Glsl => read_glsl(text(bytes)?)?,
        Language::SpirV => {
            let options = spv::Options { adjust_coordinate_space: false, ..spv::Options::default() };
            let module = spv::parse_u8_slice(bytes, &options).map_err(|error| syntax(error.to_string()))?;
            Source { module, text: String::new(), original: String::new() }
        }
    };
    let checked = check_nesting(&source).and_then(|()| validate(&source)).and_then(|()| match language {
        Language::Glsl => eager::check(&source.module, &source.text),
        Language::Wgsl | Language::SpirV => Ok(()),
    });
    match checked {
        Ok(()) => Ok(source),
        Err(error) => Err(placed(error, &source.text, &source.original)),
    }
}

fn text(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|error| syntax(format!("the text is not UTF-8: {error}")))
}

fn read_wgsl(text: &str) -> Result<Source> {
    let module = wgsl::parse_str(text).map_err(|error| messages::of_wgsl(&error, text))?;
    Ok(Source { module, text: text.to_string(), original: text.to_string() })
}

fn read_glsl(text: &str) -> Result<Source> {
    let original = text.to_string();
    if writes_clip_distance(text) {
        let span = find_name(text, 0, CLIP).unwrap_or_default();
        return Err(at(Kind::BuiltIn(CLIP.into()), span, text));
    }
    let text = modern(text);
    let options = glsl::Options::from(ShaderStage::Vertex);
    match glsl::Frontend::default().parse(&options, &text) {
        Ok(module) => match redeclared(&module) {
            Some(again) => Err(placed(at(again.0, again.1, &text), &text, &original)),
            None => Ok(Source { module, text, original }),
        },
        Err(errors) => {
            let Some(first) = errors.errors.first() else { return Err(syntax("the text is not GLSL")) };
            let mut error = messages::of_glsl(first, &text);
            // Declarations of samplers are left out, for naga knows none of GLSL.
            if let ErrorKind::UnknownVariable(name) = &first.kind
                && is_sampler(&original, name)
            {
                error.kind = Kind::Resource(format!("textures, such as {name}"));
            }
            Err(placed(error, &text, &original))
        }
    }
}

/// An error whose place is in the text as it was given.
pub(super) fn placed(error: Error, text: &str, original: &str) -> Error {
    Error { at: error.at.map(|at| original_place(at, text, original)), ..error }
}

/// The second declaration of one name, which naga's reader of GLSL takes.
fn redeclared(module: &Module) -> Option<(Kind, Span)> {
    let mut names = Vec::new();
    let second = module.global_variables.iter().find_map(|(handle, variable)| {
        let name = variable.name.as_deref()?;
        let is_second = names.contains(&name) && !name.starts_with("gl_");
        names.push(name);
        is_second.then_some((handle, name))
    });
    let (handle, name) = second?;
    let message = format!("`{name}` is declared a second time");
    Some((Kind::Syntax(message), module.global_variables.get_span(handle)))
}

/// Returns whether a text declares a variable as a sampler.
fn is_sampler(text: &str, name: &str) -> bool {
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.windows(2).any(|pair| pair[0].contains("sampler") && pair[1] == name)
}

fn validate(source: &Source) -> Result<()> {
    check_calls(source)?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    match validator.validate(&source.module) {
        Ok(_) => Ok(()),
        Err(error) => {
            let is_forbidden = |entry: &&EntryPoint| match error.as_inner() {
                ValidationError::EntryPoint { name, source, .. } => {
                    entry.name == *name && matches!(source, EntryPointError::ForbiddenStageOperations)
                }
                _other => false,
            };
            // Of what a vertex stage lacks, the lowering has a place.
            let entry = source.module.entry_points.iter().find(is_forbidden);
            let options = Options::default();
            let lowering = Lowering::new(&source.module, &source.text, &options);
            entry.map_or(Ok(()), |entry| lowering.entry(entry).map(|_| ()))?;
            Err(messages::of_validator(&error, source))
        }
    }
}

/// naga's validator indexes functions by the order of calls.
fn check_calls(Source { module, text, .. }: &Source) -> Result<()> {
    for (handle, function) in module.functions.iter() {
        for (statement, span, _) in spanned(&[&function.body]) {
            if let Statement::Call { function: callee, .. } = statement
                && callee.index() >= handle.index()
            {
                return Err(at(Kind::Invalid("recursion, or a call of a later function".into()), span, text));
            }
        }
    }
    Ok(())
}

fn check_nesting(source: &Source) -> Result<()> {
    let functions = source.module.functions.iter().map(|(_, function)| function);
    for function in functions.chain(source.module.entry_points.iter().map(|entry| &entry.function)) {
        let statements = spanned(&[&function.body]);
        if let Some(&(_, span, needed)) = statements.iter().find(|(.., depth)| *depth > NESTING) {
            return Err(at(Kind::limit("nested statements", needed, NESTING), span, &source.text));
        }
    }
    Ok(())
}

impl Source {
    /// The vertex entry point of a name, or the only one.
    pub(super) fn entry(&self, name: Option<&str>) -> Result<&EntryPoint> {
        let all = || self.module.entry_points.iter().filter(|entry| entry.stage == ShaderStage::Vertex);
        let mut found = all().filter(|entry| name.is_none_or(|name| entry.name == name));
        match (found.next(), found.next()) {
            (Some(entry), None) => Ok(entry),
            _none_or_several => {
                let known: Vec<String> = all().map(|entry| entry.name.clone()).collect();
                let kind = match name {
                    Some(name) if !known.is_empty() => {
                        Kind::Unknown { what: "vertex entry point", name: name.into(), known }
                    }
                    _unnamed => Kind::NoEntry(known),
                };
                Err(Error { kind, at: None })
            }
        }
    }
}
