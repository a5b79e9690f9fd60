//! Reasons why a source is refused, each with its place and advice.
//! In: spans of naga. Out: [`Error`]. Knows no program.

use std::fmt;
use std::sync::LazyLock;

use naga::Span;

use super::Role;
use crate::words::did_you_mean;

/// Subjects of limits with advice of their own.
pub(super) const BYTES: &str = "bytes of source";
/// Resources that the vertex unit lacks.
pub(super) const TEXTURES: &str = "textures and samplers";
/// Operations that it cannot do.
pub(super) const DERIVATIVES: &str = "derivatives: it has no neighbors";
/// An operation that only fragments have.
pub(super) const DISCARD: &str = "a discarded vertex";
/// An output that it lacks.
pub(super) const CLIP: &str = "gl_ClipDistance";
/// Types that memory of a host lacks.
pub(super) const BOOLS: &str = "bools among float uniforms";
pub(super) const FLOAT_UNIFORMS: &str = "float uniforms";

/// Advice on outputs.
static NAMES: LazyLock<String> =
    LazyLock::new(|| format!("name or map outputs, as by --output-as NAME=color: {}", Role::names()));

/// A place in a text, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// The line.
    pub line: u32,
    /// The column in characters.
    pub column: u32,
}

/// Kind of a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The front end of naga does not read the text.
    Syntax(String),
    /// naga's validator refuses the module.
    Invalid(String),
    /// The module has no vertex entry point, or several; their names.
    NoEntry(Vec<String>),
    /// An option names what the module lacks.
    Unknown {
        /// Kind of the thing that it should be.
        what: &'static str,
        /// The name.
        name: String,
        /// Names that there are.
        known: Vec<String>,
    },
    /// A promise about what has no such range.
    Promise {
        /// The name of the attribute or uniform.
        name: String,
        /// The reason.
        why: &'static str,
    },
    /// A resource that the vertex unit lacks: textures, storage buffers.
    Resource(String),
    /// A built-in input or output that the vertex unit lacks.
    BuiltIn(String),
    /// A number format other than f32, i32, u32 and bool.
    Format(String),
    /// An operation that the vertex unit cannot do at a sensible price.
    Operation(String),
    /// A loop whose rounds neither constants nor uniforms decide.
    Loop,
    /// An index that the program computes, where no register file can be indexed.
    Index(String),
    /// Two attributes with one location, or a location above 11.
    Attribute(String),
    /// Outputs: a name or location without semantic, or two with one.
    Output(String),
    /// The program has no attribute.
    NoAttributes,
    /// More of something than the machine or a budget has.
    Limit {
        /// The resource that runs out.
        subject: &'static str,
        /// How many the program needs.
        needed: usize,
        /// How many there are.
        limit: usize,
        /// Names of those that take the room, the largest first.
        uses: Vec<(String, usize)>,
    },
    /// The module that was built is not well-formed: a defect of this package.
    Internal(String),
}

/// A refusal and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Kind of it.
    pub kind: Kind,
    /// Place in the source, where it has one.
    pub at: Option<Location>,
}

/// Result of this module.
pub type Result<T> = std::result::Result<T, Error>;

/// A refusal whose span is not a location yet.
pub(super) fn at(kind: Kind, span: Span, text: &str) -> Error {
    Error { kind, at: location(span, text) }
}

/// The span of the first of these words that a text has.
pub(super) fn find(text: &str, words: &[String]) -> Option<Span> {
    let (start, word) = words.iter().find_map(|word| text.find(word).map(|start| (start, word)))?;
    let at = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
    Some(Span::new(at(start), at(start + word.len())))
}

/// The span of an entry point, of which naga keeps none.
pub(super) fn entry_span(text: &str, name: &str) -> Span {
    find(text, &["fn ", "void "].map(|word| format!("{word}{name}"))).unwrap_or(Span::UNDEFINED)
}

/// The span of a whole word of a text, from a place on.
pub(super) fn find_name(text: &str, start: usize, name: &str) -> Option<Span> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let rest = text.get(start..)?;
    let mut places = rest.match_indices(name).map(|(at, _)| at);
    let at = places.find(|&at| {
        !rest[..at].ends_with(is_part) && !rest[at + name.len()..].starts_with(is_part) && !name.is_empty()
    })?;
    let at = u32::try_from(start + at).ok()?;
    Some(Span::new(at, at + u32::try_from(name.len()).ok()?))
}

/// Location of the beginning of a span in a text.
pub(super) fn location(span: Span, text: &str) -> Option<Location> {
    let start = span.to_range()?.start;
    // naga computes the location by a slice, which must lie within the text.
    let before = text.get(..start)?;
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Some(Location { line: u32::try_from(line).ok()?, column: u32::try_from(column).ok()? })
}

impl Kind {
    pub(super) fn limit(subject: &'static str, needed: usize, limit: usize) -> Self {
        Self::Limit { subject, needed, limit, uses: Vec::new() }
    }

    /// Stable word for tests and JSON.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Syntax(_) => "syntax",
            Self::Invalid(_) => "invalid",
            Self::NoEntry(_) => "no-entry",
            Self::Unknown { .. } => "unknown",
            Self::Promise { .. } => "promise",
            Self::Resource(_) => "resource",
            Self::BuiltIn(_) => "built-in",
            Self::Format(_) => "format",
            Self::Operation(_) => "operation",
            Self::Loop => "loop",
            Self::Index(_) => "index",
            Self::Attribute(_) => "attribute",
            Self::Output(_) => "output",
            Self::NoAttributes => "no-attributes",
            Self::Limit { .. } => "limit",
            Self::Internal(_) => "internal",
        }
    }

    /// The name in an option that the refusal is about.
    pub fn option(&self) -> Option<&str> {
        match self {
            Self::Unknown { name, .. } | Self::Promise { name, .. } => Some(name),
            _other => None,
        }
    }

    /// Advice on what to write instead, where there is any.
    pub fn advice(&self) -> Option<&'static str> {
        Some(match self {
            Self::Resource(what) if what == BOOLS => {
                "declare it uint in GLSL, u32 in WGSL, and test `!= 0u`: the test becomes a bool register"
            }
            Self::Resource(_) => {
                "the vertex unit reads attributes and 96 uniform registers only: move bones and tables to \
                 a uniform array (30 matrices of three rows fit), and sample textures per fragment"
            }
            Self::BuiltIn(what) if what == CLIP => {
                "the host sets the one clip plane of the console: leave it out here"
            }
            Self::BuiltIn(what) if what.contains("Matrix") => "declare a `uniform mat4`, which the host sets",
            Self::BuiltIn(_) => "give each vertex what it needs as an attribute",
            Self::Format(_) => "use f32, or i32 and u32 for whole numbers below 2^24",
            Self::Operation(what) if what == DISCARD => {
                "the alpha test leaves out fragments; give all vertices of a triangle one position to \
                 leave it out"
            }
            Self::Operation(what) if what == DERIVATIVES => "give each vertex the slope as an attribute",
            Self::Operation(_) => {
                "compute it on the host, from uniforms only, or once per mesh as an attribute"
            }
            Self::Loop => {
                "count the rounds by a constant or a uniform, `for (var i = 0; i < n; i++)`, and leave \
                 early by `break`"
            }
            Self::Index(_) => "index arrays in uniforms, or unroll: a local array takes constant indices",
            Self::Attribute(_) => "use the locations 0 to 11, each once",
            Self::Output(_) => &NAMES,
            Self::NoAttributes => "the console draws from vertex buffers: add an attribute",
            Self::Limit { subject, .. } => limit_advice(subject),
            Self::NoEntry(names) if names.is_empty() => {
                "the console runs vertex programs: write `@vertex fn` in WGSL, `void main()` in GLSL"
            }
            Self::NoEntry(_) => "name one, as by --entry",
            _other => return None,
        })
    }
}

/// Advice for what runs out.
fn limit_advice(subject: &str) -> &'static str {
    match subject {
        BYTES => "leave out what the program does not use",
        FLOAT_UNIFORMS => {
            "a mat4x3 takes three registers, a mat4x4 four: at most 30 of three rows fit beside a \
             mat4x4, so draw a mesh of more bones in parts"
        }
        _other => "split the program, or compute more on the host",
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(message) | Self::Invalid(message) => f.write_str(message),
            Self::NoEntry(names) if names.is_empty() => f.write_str("there is no vertex entry point"),
            Self::NoEntry(names) => {
                write!(f, "there are several vertex entry points: {}", names.join(", "))
            }
            Self::Unknown { what, name, known } => {
                let verb = if known.len() == 1 { "is" } else { "are" };
                let those = if known.is_empty() { "none".into() } else { known.join(", ") };
                write!(f, "no {what} {name}; there {verb} {those}")?;
                let near = did_you_mean(name, known.iter().map(String::as_str));
                near.map_or(Ok(()), |advice| write!(f, "; {advice}"))
            }
            Self::Resource(what) => write!(f, "the vertex unit has no {what}"),
            Self::BuiltIn(what) => write!(f, "the vertex unit has no built-in {what}"),
            Self::Format(what) => write!(f, "the vertex unit has no numbers of {what}"),
            Self::Operation(what) => write!(f, "the vertex unit cannot compute {what}"),
            Self::Loop => f.write_str("neither constants nor uniforms count the rounds of this loop"),
            Self::Index(what) => write!(f, "{what} takes no index that the program computes"),
            Self::Promise { name, why } => write!(f, "no promise about {name}: {why}"),
            Self::Attribute(what) | Self::Output(what) => f.write_str(what),
            Self::NoAttributes => f.write_str("the program reads no attribute"),
            Self::Limit { subject, needed, limit, uses } => {
                write!(f, "{needed} {subject}, at most {limit} are possible")?;
                for (index, (name, count)) in uses.iter().take(8).enumerate() {
                    write!(f, "{}{name} {count}", if index == 0 { ": " } else { ", " })?;
                }
                Ok(())
            }
            Self::Internal(message) => write!(f, "internal error: {message}"),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Location { line, column }) = self.at {
            write!(f, "{line}:{column}: ")?;
        }
        write!(f, "{}", self.kind)?;
        self.kind.advice().map_or(Ok(()), |advice| write!(f, " ({advice})"))
    }
}

impl std::error::Error for Error {}
