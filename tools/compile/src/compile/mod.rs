//! Vertex shaders of shading languages as programs for the PICA200.
//! In: a source that naga has read. Out: a [`Compiled`]: a text for the assembler, a `.shbin` file,
//! what surrounds both, and how far results are from the source's. Knows no file system.
//!
//! `source` lowers the shader, `emit` writes its instructions, `text.rs` adds declarations and
//! names, `distance.rs` runs both on the same vertices.

mod distance;
mod host;
mod text;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use transpica::host::dvle;
use transpica::isa::{Mask, Pc};
use transpica::{Limits, Options as Settings, Shbin};
use transpica_asm::lint::{Rule, lint};
use transpica_asm::{SourceText, assemble};

use crate::emit::{self, Emitted, Surroundings, emit, listed};
use crate::passes::{self, Scratch};
use crate::source::error::Location;
use crate::source::{self, Interface, Language, Lowered, Options, Source, lower, read};

pub use distance::Distance;

/// Vertices on which the program is compared with its source.
const VERTICES: usize = 2000;
/// The largest distance, relative to the largest component of an output, that sums in another order
/// and reciprocals explain. More is a fault.
pub const MOST: f64 = 1e-3;

/// A compiled shader.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The program in the assembler's language.
    pub text: String,
    /// The same as a `.shbin` file.
    pub bytes: Vec<u8>,
    /// Number of code words.
    pub words: usize,
    /// Attributes, outputs and uniforms, with what the host computes.
    pub interface: Interface,
    /// For each output the largest distance to the source.
    pub distances: Vec<Distance>,
    /// Names in the text, by bank (v, o, c, b or i) and register.
    pub names: BTreeMap<(char, u8), String>,
    /// For each line of the text its line of the source, from 1.
    pub lines: Vec<Option<u32>>,
    /// The source as it was given.
    pub source: String,
}

impl Compiled {
    /// Returns the name that the text gives to a register of a bank, without its place in an array.
    pub fn name(&self, bank: char, register: u8) -> Option<&str> {
        let name = self.names.get(&(bank, register))?;
        Some(name.split_once('[').map_or(&**name, |(name, _)| name))
    }

    /// Returns a line of the source without the white space around it.
    pub fn line(&self, number: usize) -> Option<&str> {
        Some(self.source.lines().nth(number.checked_sub(1)?)?.trim())
    }
}

/// The reason why a shader is not compiled.
#[derive(Clone, Debug, PartialEq)]
pub enum Error {
    /// The source is outside of the subset.
    Source(source::Error),
    /// The program does not fit the machine.
    Emit(emit::Error),
    /// The text does not assemble to the program: a fault of this crate.
    Assembly(String),
    /// The program computes something else: a fault of this crate.
    Distance {
        /// Name of the output.
        output: String,
        /// Its distance.
        distance: Distance,
        /// The vertex that is farthest, and the line that stores the output.
        farthest: Box<Overflow>,
    },
    /// A component of an output, such as `position.w`, for which the source has no finite number on
    /// any vertex: nothing shows that the program computes it.
    Uncompared(String),
    /// A component of an output that is finite in the source and not on the machine.
    Overflow(Box<Overflow>),
}

/// A vertex with a result that is another one on the machine, or finite in the source alone.
#[derive(Clone, Debug, PartialEq)]
pub struct Overflow {
    /// The component of an output, such as `position.w`.
    pub component: String,
    /// The number of the vertex.
    pub vertex: usize,
    /// The value in the source and on the machine.
    pub values: [f32; 2],
    /// Attributes of the vertex.
    pub attributes: Vec<(String, Vec<f32>)>,
    /// The line of the source with the first result on the machine that is not finite, or else that
    /// of the output.
    pub line: Option<u32>,
}

/// An error in parts, for reports that have places of their own.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Place in the source.
    pub at: Option<Location>,
    /// The message without its place.
    pub message: String,
    /// A way around it.
    pub advice: Option<&'static str>,
}

impl Error {
    /// Divides the error for a report.
    pub fn report(&self) -> Report {
        match self {
            Self::Source(source::Error { kind, at }) => {
                Report { at: *at, message: kind.to_string(), advice: kind.advice() }
            }
            // The places of values are lines of the source.
            Self::Emit(emit::Error::Unsupported { what, place: emit::Place { pc: Some(line), .. } }) => {
                let at = Some(Location { line: line.0.into(), column: 1 });
                Report { at, message: format!("{what} is not compiled"), advice: None }
            }
            Self::Emit(error) => Report { at: None, message: error.to_string(), advice: advice(error) },
            Self::Overflow(_) | Self::Uncompared(_) => {
                let advice = "give the ranges of what the host feeds: `transpica compile --assume NAME=2^10` \
                              writes a file for other commands, a test file has assume; numbers without a \
                              range are from -2 to 2; write max(divisor, 1) for a whole divisor that may be 0";
                Report { at: None, message: self.to_string(), advice: Some(advice) }
            }
            Self::Distance { farthest, .. } => {
                let advice = "whole numbers are exact below 2^24 only, and unsigned ones do not wrap around below \
                              0: compute i32(a) - i32(b), or max(a, b) - b; write max(divisor, 1) for a whole \
                              divisor that may be 0";
                let at = farthest.line.map(|line| Location { line, column: 1 });
                Report { at, message: self.to_string(), advice: Some(advice) }
            }
            Self::Assembly(_) => Report { at: None, message: self.to_string(), advice: None },
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source(error) => error.fmt(f),
            Self::Emit(emit::Error::Unsupported { what, place: emit::Place { pc: Some(line), .. } }) => {
                write!(f, "line {}: {what} is not compiled", line.0)
            }
            Self::Emit(error) => error.fmt(f),
            Self::Assembly(report) => write!(f, "the program does not assemble as it was made: {report}"),
            Self::Distance { output, distance, farthest } => {
                write!(f, "{output} is not what the source computes: {distance}; {farthest}")
            }
            Self::Uncompared(component) => {
                write!(
                    f,
                    "{component} cannot be compared: the source has no finite number for it on any vertex"
                )
            }
            Self::Overflow(found) => {
                write!(f, "{found}")?;
                found.line.map_or(Ok(()), |line| {
                    write!(f, "; the first result that is not finite is of line {line}")
                })
            }
        }
    }
}

impl fmt::Display for Overflow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { component, vertex, values: [source, machine], attributes, .. } = self;
        write!(f, "{component} is {source:?} in the source and {machine:?} on the machine, vertex {vertex}")?;
        attributes.iter().try_for_each(|(name, lanes)| write!(f, ", {name} = {lanes:?}"))
    }
}

impl std::error::Error for Error {}

/// Compiles a vertex entry point.
///
/// ```
/// use transpica_compile::compile::compile;
/// use transpica_compile::source::{Language, Options, read};
/// let text = "@group(0) @binding(0) var<uniform> transform: mat4x4f;
///     @vertex fn main(@location(0) place: vec3f) -> @builtin(position) vec4f {
///         return transform * vec4f(place, 1.0);
///     }";
/// let source = read(Language::Wgsl, text.as_bytes()).expect("valid");
/// let compiled = compile(&source, &Options::of(Language::Wgsl)).expect("in the subset");
/// assert!(compiled.text.contains(".fvec transform[4]") && compiled.words < 16, "{}", compiled.text);
/// ```
///
/// # Errors
/// See [`Error`].
pub fn compile(source: &Source, options: &Options) -> Result<Compiled, Error> {
    compile_with(source, options, VERTICES)
}

/// Compiles the content of a file, whose extension is that of its language, with the default
/// options of the language or changed ones. Returns `None` for other extensions.
pub fn compile_file(
    path: &Path,
    bytes: &[u8],
    options: impl FnOnce(Options) -> Options,
) -> Option<Result<Compiled, Error>> {
    let language = Language::of(path)?;
    let options = options(Options::of(language));
    Some(read(language, bytes).map_err(Error::Source).and_then(|source| compile(&source, &options)))
}

/// [`compile`] that compares the program with its source on so many vertices.
///
/// # Errors
/// See [`Error`].
pub fn compile_with(source: &Source, options: &Options, vertices: usize) -> Result<Compiled, Error> {
    let (interface, emitted) = shortest(source, options)?;
    let text::Program { text, names, lines } =
        text::program(&emitted, &interface, &source.original).map_err(Error::Assembly)?;
    let assembled = assemble(&[SourceText { name: &interface.entry, text: &text }])
        .map_err(|report| Error::Assembly(report.to_string()))?;
    if assembled.model.code != emitted.code.code {
        return Err(Error::Assembly("other words".into()));
    }
    let file = Shbin::parse(&assembled.bytes).map_err(|error| Error::Assembly(error.to_string()))?;
    check_lint(&file)?;
    let line = |pc: Pc| {
        let place = assembled.places.get(pc.index())?;
        *lines.get((place.line as usize).checked_sub(1)?)?
    };
    let (distances, far) = distance::measure(source, options, &interface, &file, vertices, &line)?;
    if let Some(error) = far {
        return Err(error);
    }
    let words = emitted.words();
    let source = source.original.clone();
    Ok(Compiled { text, bytes: assembled.bytes, words, interface, distances, names, lines, source })
}

/// Checks that the lint has nothing to say about a program, other than that it does not read a
/// uniform or an input: passes after the numbering of registers find some reads unnecessary.
fn check_lint(file: &Shbin<'_>) -> Result<(), Error> {
    let failed = |error: transpica::Error| Error::Assembly(error.to_string());
    let limits = Limits::default();
    let program = dvle::program(file, 0, &limits).map_err(failed)?;
    let findings = lint(&program, file, 0, &limits).map_err(failed)?;
    match findings.iter().find(|finding| !matches!(finding.rule, Rule::UnusedUniform | Rule::UnusedInput)) {
        Some(finding) => Err(Error::Assembly(finding.to_string())),
        None => Ok(()),
    }
}

/// The program of a shader, with its interface. LOOP counts loops of constants where that takes
/// fewer words than rounds one after the other.
fn shortest(source: &Source, options: &Options) -> Result<(Interface, Emitted), Error> {
    let unrolled = lowered(source, options);
    if let Ok(Lowered { has_loops: false, .. }) = unrolled {
        return unrolled.and_then(emitted);
    }
    let counted = lowered(source, &Options { unroll: 0, ..options.clone() });
    let is_same = matches!((&unrolled, &counted), (Ok(one), Ok(other)) if one.module == other.module);
    let first = unrolled.and_then(emitted);
    if is_same {
        return first;
    }
    match (first, counted.and_then(emitted)) {
        (Ok(first), Ok(second)) if second.1.words() < first.1.words() => Ok(second),
        (Err(_), Ok(second)) => Ok(second),
        (first, _) => first,
    }
}

/// Names lines of the source in place of values that share temporaries.
fn with_lines(mut error: emit::Error) -> emit::Error {
    if let emit::Error::Limit { taken, places, .. } = &mut error
        && !places.is_empty()
    {
        let lines: Vec<u16> = places.iter().map(|line| line.0).collect();
        *taken = format!("values of the lines {} are needed at the same time", listed(&lines));
    }
    error
}

/// A way around a limit of the machine.
fn advice(error: &emit::Error) -> Option<&'static str> {
    let emit::Error::Limit { what, .. } = error else { return None };
    Some(match *what {
        "words" => {
            "split the mesh for two programs, compute more on the host, or count long loops by a uniform"
        }
        "temporaries" | "copies between temporaries" => {
            "use values soon after they are computed, or compute them again where they are used"
        }
        "registers for constants" => "uniforms and constants share 96 registers: use fewer of both",
        _nesting => "join conditions by `&&`, or end functions early",
    })
}

fn lowered(source: &Source, options: &Options) -> Result<Lowered, Error> {
    let mut lowered = lower(source, options).map_err(Error::Source)?;
    passes::optimize::run(&mut lowered.module, &Settings::default().arithmetic, &mut Scratch::default());
    Ok(lowered)
}

fn emitted(Lowered { module, interface, .. }: Lowered) -> Result<(Interface, Emitted), Error> {
    let outputs = (0u8..).zip(&interface.outputs);
    let outputs = outputs.map(|(register, output)| (register, Mask((1 << output.lanes) - 1))).collect();
    // Registers from `free` to the tables may hold constants.
    let end = interface.tables.last().map_or(96, |table| table.register);
    let free = (1u128 << end) - (1u128 << interface.free);
    let surroundings = Surroundings { outputs, free, ..Surroundings::default() };
    let emitted = emit(&module, &surroundings).map_err(|error| Error::Emit(with_lines(error)))?;
    Ok((interface, emitted))
}
