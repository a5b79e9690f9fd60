//! Sources of programs for debuggers.
//! In: a text of the host. Out: plain data, and an environment that has it. Knows no module.

use std::borrow::{Borrow, Cow};

use super::interface::{Constants, Interface, Usage};
use super::settings::options::Options;
use super::settings::vertex_input::VertexInput;
use super::varying::OutputMap;
use super::{Environment, Hook};
use crate::error::Result;
use crate::program::isa::Pc;
use crate::support::stable;

/// Source text of a program, which modules carry under
/// [`Profile::debug_info`](crate::Profile::debug_info): a disassembly, or what the program was
/// assembled from. It is a part of the [key](crate::Key).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DebugSource {
    /// Name of the file.
    pub name: String,
    /// Its text, which ends before the first NUL. May be empty.
    pub text: String,
    /// Line of each code word, from 1. 0, or a missing one: none.
    pub lines: Vec<u32>,
}

impl DebugSource {
    /// Returns the line of an instruction, from 1; none without one.
    pub fn line(&self, pc: Pc) -> Option<u32> {
        self.lines.get(pc.index()).copied().filter(|&line| line > 0)
    }
    /// Appends everything.
    pub(crate) fn fingerprint(&self, out: &mut Vec<u8>) {
        let Self { name, text, lines } = self;
        stable::append(out, &("source", name, text, lines.len()));
        out.extend(lines.iter().flat_map(|line| line.to_le_bytes()));
    }
}

/// An environment with the source of its program.
///
/// ```
/// use transpica::host::{DebugSource, Sourced};
/// use transpica::{Job, Options, Profile, Shbin, Translator};
/// let bytes = std::fs::read("shaders/textured.shbin")?;
/// let file = Shbin::parse(&bytes)?;
/// let program = file.program(0)?;
/// let lines = (1..=13).collect();
/// let source = DebugSource { name: "textured.pica".into(), text: "…".into(), lines };
/// let environment = Sourced { environment: program.environment(), source };
/// let profile = Profile { debug_info: true, ..Profile::default() };
/// let mut translator = Translator::new(Options::default(), profile);
/// let translated = translator.translate(program.program(), &environment, Job::Vertex)?;
/// assert_eq!(translated.interface.debug_source.as_deref(), Some(&environment.source));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Sourced<E, S> {
    /// The environment of the program, or a reference to it.
    pub environment: E,
    /// The source, or a reference to it.
    pub source: S,
}

impl<E: Environment, S: Borrow<DebugSource>> Environment for Sourced<E, S> {
    fn folded(&self, options: &Options) -> Constants {
        self.environment.folded(options)
    }
    fn output_map(&self) -> OutputMap {
        self.environment.output_map()
    }
    fn interface(&self, usage: &Usage, options: &Options) -> Result<Interface> {
        self.environment.interface(usage, options)
    }
    fn hooks(&self) -> Cow<'_, [Hook]> {
        self.environment.hooks()
    }
    fn input(&self) -> Option<&VertexInput> {
        self.environment.input()
    }
    fn debug_source(&self) -> Option<&DebugSource> {
        Some(self.source.borrow())
    }
    fn fingerprint(&self, options: &Options, out: &mut Vec<u8>) {
        self.environment.fingerprint(options, out);
    }
}
