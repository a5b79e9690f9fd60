//! Shader programs in `build.rs`: assembled, checked, with typed bindings for the crate.
//! In: paths of sources in picasso's language. Out: `NAME.shbin` and `NAME.rs` in `OUT_DIR`, and
//! lines for cargo: sources to watch, warnings and errors with file, line and column.
//!
//! ```no_run
//! // build.rs
//! fn main() -> Result<(), transpica_build::Failure> {
//!     transpica_build::shader("shaders/points.v.pica")
//!         .geometry("shaders/points.g.pica")
//!         .deny("output-not-written")
//!         .bind()?;
//!     Ok(())
//! }
//! ```
//!
//! The crate includes the module, which has the file as `points::SHBIN`, and a setter for each
//! uniform:
//!
//! ```ignore
//! mod points {
//!     include!(concat!(env!("OUT_DIR"), "/points.rs"));
//! }
//! ```
//!
//! With the feature `compile`, a source may be a vertex shader in WGSL, GLSL or SPIR-V; its module
//! has another one, `host`, whose `update` computes all registers from what the shader declares.
//!
//! Neither an assembler nor a nightly compiler is needed. `transpica asm` writes the same for make,
//! CMake and xmake, with [`bindings`] in C, and with [`dependencies`].

#![forbid(unsafe_code)]

pub mod bindings;
mod depend;
mod messages;
#[cfg(feature = "compile")]
mod shaders;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::{env, fmt, fs};

use transpica::Shbin;
use transpica_asm::lint::Rule;
use transpica_asm::{SourceText, assemble};

use bindings::Bindings;

pub use depend::dependencies;
pub use messages::{Message, Severity};

/// Sources of what this process wrote: a second file of one name would replace the first.
static WRITTEN: Mutex<BTreeMap<PathBuf, Vec<PathBuf>>> = Mutex::new(BTreeMap::new());

/// Begins a shader with its first source. Paths are relative to the package, as in any build
/// script.
pub fn shader(path: impl Into<PathBuf>) -> Build {
    Build { sources: vec![path.into()], denied: Vec::new(), name: None }
}

/// A shader to build.
#[derive(Clone, Debug)]
#[must_use = "nothing is written before `bind`"]
pub struct Build {
    sources: Vec<PathBuf>,
    denied: Vec<String>,
    name: Option<String>,
}

/// The reason why nothing was written. Cargo has printed the messages by then, so `Debug`, which
/// the `main` of a build script prints, is the summary alone.
#[derive(Clone)]
pub struct Failure {
    /// The reason, as a sentence.
    pub summary: String,
    /// Errors and warnings about the sources.
    pub messages: Vec<Message>,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary)
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.summary)
    }
}

impl std::error::Error for Failure {}

/// Written files.
#[derive(Clone, Debug)]
pub struct Bound {
    /// The file.
    pub shbin: PathBuf,
    /// The module to include.
    pub module: PathBuf,
    /// Warnings about the sources.
    pub messages: Vec<Message>,
}

impl Build {
    /// Adds a geometry program, or another vertex program: each source makes one executable.
    pub fn geometry(self, path: impl Into<PathBuf>) -> Self {
        self.source(path)
    }
    /// Adds a source.
    pub fn source(mut self, path: impl Into<PathBuf>) -> Self {
        self.sources.push(path.into());
        self
    }
    /// Makes findings of a lint rule errors. `all` stands for every rule.
    pub fn deny(mut self, rule: impl Into<String>) -> Self {
        self.denied.push(rule.into());
        self
    }
    /// Sets the name of the files, by default the [`stem`](transpica_asm::stem) of the first
    /// source.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Writes the file and its bindings to `OUT_DIR`, and prints the lines for cargo.
    ///
    /// # Errors
    /// No `OUT_DIR`, or as [`bind_in`](Self::bind_in).
    pub fn bind(self) -> Result<Bound, Failure> {
        for source in &self.sources {
            println!("cargo::rerun-if-changed={}", source.display());
        }
        let result = match env::var_os("OUT_DIR") {
            Some(folder) => self.bind_in(Path::new(&folder)),
            None => Err(failure("OUT_DIR is not set: `bind` is for build scripts; use `bind_in` elsewhere")),
        };
        let messages = match &result {
            Ok(bound) => &bound.messages,
            Err(failure) => &failure.messages,
        };
        messages.iter().for_each(|message| println!("{}", message.line_for_cargo()));
        if let Err(failure) = &result
            && failure.messages.is_empty()
        {
            println!("cargo::error={}", failure.summary);
        }
        result
    }

    /// Writes the file and its bindings to a folder.
    ///
    /// # Errors
    /// A source that cannot be read or assembled, a finding of a denied rule, an unknown rule, a
    /// name that another shader of this process has. Nothing is written then.
    pub fn bind_in(&self, folder: &Path) -> Result<Bound, Failure> {
        let name = self.file_name()?;
        let rules = self.rules()?;
        let [shbin, module] = ["shbin", "rs"].map(|end| folder.join(format!("{name}.{end}")));
        self.claim(&shbin, &name)?;
        let mut host = String::new();
        let texts = self.sources.iter().map(|path| text(path, &mut host)).collect::<Result<Vec<_>, _>>()?;
        let sources: Vec<_> = texts.iter().map(|(name, text)| SourceText { name, text }).collect();
        let assembled = assemble(&sources).map_err(|report| Failure {
            summary: format!("{name} does not assemble"),
            messages: messages::of_report(&report),
        })?;
        let mut found = messages::of_diagnostics(&assembled.warnings, Severity::Warning);
        let invalid = |error: &dyn fmt::Display| failure(&format!("{name}: {error}"));
        let file = Shbin::parse(&assembled.bytes).map_err(|error| invalid(&error))?;
        found.extend(messages::of_lint(&assembled, &file, &rules).map_err(|error| invalid(&error))?);
        if found.iter().any(|message| message.severity == Severity::Error) {
            return Err(Failure { summary: format!("{name} has findings that are denied"), messages: found });
        }
        let bindings = Bindings::new(&file, &name, &assembled.formats).map_err(|error| invalid(&error))?;
        write(&shbin, &assembled.bytes)?;
        write(&module, (bindings.rust(&format!("{name}.shbin")) + &host).as_bytes())?;
        Ok(Bound { shbin, module, messages: found })
    }

    /// The name of the files.
    fn file_name(&self) -> Result<String, Failure> {
        let first = self.sources.first().and_then(|path| path.file_name());
        let own = first.map(|name| name.to_string_lossy()).unwrap_or_default();
        let name = self.name.clone().unwrap_or_else(|| transpica_asm::stem(&own).into());
        if name.is_empty() || name.contains(['/', '\\']) {
            return Err(failure(&format!("{name:?} is not a file name; choose one with `name`")));
        }
        Ok(name)
    }

    /// The denied rules.
    fn rules(&self) -> Result<Vec<Rule>, Failure> {
        let mut rules = Vec::new();
        for denied in &self.denied {
            let before = rules.len();
            rules.extend(Rule::ALL.iter().filter(|rule| denied == "all" || rule.id() == denied));
            if rules.len() == before {
                let all: Vec<_> = Rule::ALL.iter().map(|rule| rule.id()).collect();
                return Err(failure(&format!("unknown lint rule {denied:?}; use all or {}", all.join(", "))));
            }
        }
        Ok(rules)
    }

    /// Takes a file for these sources.
    fn claim(&self, path: &Path, name: &str) -> Result<(), Failure> {
        let mut written = WRITTEN.lock().unwrap_or_else(PoisonError::into_inner);
        let owner = written.entry(path.to_path_buf()).or_insert_with(|| self.sources.clone());
        if *owner == self.sources {
            return Ok(());
        }
        let first = owner.first().map(|path| path.display().to_string()).unwrap_or_default();
        Err(failure(&format!("two shaders are named {name}; the other is {first}; choose another `name`")))
    }
}

/// A failure without messages about sources.
fn failure(summary: &str) -> Failure {
    Failure { summary: summary.into(), messages: Vec::new() }
}

/// Returns the text of a source; a shader in another language is compiled, and the code of its host
/// becomes a module `host`.
#[cfg(feature = "compile")]
fn text(path: &Path, host: &mut String) -> Result<(String, String), Failure> {
    if transpica_compile::source::Language::of(path).is_none() {
        return read(path);
    }
    let (text, code) = shaders::compiled(path)?;
    // Two shaders of one build have their own files.
    *host =
        format!("\n/// Registers of the shader, computed from its uniforms.\npub mod host {{\n{code}\n}}\n");
    Ok((path.display().to_string(), text))
}

/// Returns the text of a source.
#[cfg(not(feature = "compile"))]
fn text(path: &Path, _: &mut String) -> Result<(String, String), Failure> {
    let ending = path.extension().unwrap_or_default();
    if ["wgsl", "glsl", "vert", "vs", "spv"].iter().any(|shader| ending == *shader) {
        let name = path.display();
        return Err(failure(&format!("{name}: add the feature `compile` of transpica-build")));
    }
    read(path)
}

/// Reads a source with its name in messages.
fn read(path: &Path) -> Result<(String, String), Failure> {
    let name = path.display().to_string();
    let bytes = fs::read(path).map_err(|error| failure(&format!("{name}: cannot be read: {error}")))?;
    // Comments may be in any encoding.
    Ok((name, String::from_utf8_lossy(&bytes).into_owned()))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    fs::write(path, bytes).map_err(|error| failure(&format!("cannot write {}: {error}", path.display())))
}
