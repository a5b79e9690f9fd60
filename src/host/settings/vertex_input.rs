//! Vertex input of a draw: what changes from draw to draw while the program stays.
//! In: formats and promises of attributes. Out: an [`Environment`] that carries them, options with
//! them in effect. Knows no program.

use std::borrow::Cow;

use super::options::{AttributeFormat, Options, Promise};
use crate::error::Result;
use crate::host::Environment;
use crate::host::hooks::Hook;
use crate::host::interface::{Constants, Interface, Usage};
use crate::host::varying::OutputMap;

/// Vertex input of a draw, by register: it takes the place of [`Options::attributes`] and of
/// [`Assume::attributes`](crate::settings::Assume::attributes). One translator then serves all
/// draws, and a [key](crate::translate::key()) depends only on the attributes that the program
/// reads.
///
/// The permutation of the console's attributes is no part of it: the attribute for vn has location
/// n in every module. [`permuted`](Self::permuted) sorts what a host knows of attributes by
/// register.
///
/// ```
/// use transpica::host::Environment;
/// use transpica::settings::VertexInput;
/// use transpica::{Job, RegisterState, Translator};
/// use transpica::settings::{AttributeFormat, AttributeKind};
/// let mut state = RegisterState::default();
/// for (register, value) in [(0x2CC, 0x4C00_0000), (0x2CC, 0x8800_0000), (0x2D6, 0x36F), (0x2BA, 0x7FFF_0000)] {
///     state.write(register, value);
/// }
/// let vertex = state.vertex();
/// let program = vertex.program()?; // mov o0, v0; end
/// let mut translator = Translator::new(Default::default(), Default::default());
/// let mut key = |register: usize| {
///     let mut input = VertexInput::default();
///     input.formats[register].kind = AttributeKind::Int;
///     translator.key(&program, &vertex.with_input(input), Job::Vertex, b"")
/// };
/// assert_ne!(key(0)?, key(1)?);
/// assert_eq!(key(1)?, key(2)?); // the program reads neither
/// # Ok::<(), transpica::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
pub struct VertexInput {
    /// Formats of v0..v15. Default: floats with four components.
    pub formats: [AttributeFormat; 16],
    /// Promises about v0..v15. Default: none.
    pub promises: [Promise; 16],
}

impl VertexInput {
    /// Returns the vertex input of a translator's options.
    pub fn of(options: &Options) -> Self {
        Self { formats: options.attributes, promises: options.assume.attributes }
    }

    /// Returns the vertex input by register, from one by attribute. `map` gives the attribute of
    /// each register, as [`RegisterView::input_map`](crate::host::RegisterView::input_map).
    /// Registers without an attribute have the defaults.
    #[must_use]
    pub fn permuted(&self, map: [Option<u8>; 16]) -> Self {
        let mut permuted = Self::default();
        for (register, attribute) in map.into_iter().enumerate() {
            if let Some(attribute) = attribute.map(usize::from).filter(|&attribute| attribute < 16) {
                permuted.formats[register] = self.formats[attribute];
                permuted.promises[register] = self.promises[attribute];
            }
        }
        permuted
    }
}

impl Options {
    /// Returns the options with this vertex input in effect.
    #[must_use]
    pub fn with_input(mut self, input: &VertexInput) -> Self {
        let VertexInput { formats, promises } = *input;
        self.attributes = formats;
        self.assume.attributes = promises;
        self
    }
}

/// An environment with the vertex input of a draw.
#[derive(Clone, Copy)]
pub struct DrawEnvironment<E> {
    /// The environment of the program, or a reference to it.
    pub environment: E,
    /// The vertex input.
    pub input: VertexInput,
}

impl<E: Environment> Environment for DrawEnvironment<E> {
    fn folded(&self, options: &Options) -> Constants {
        self.environment.folded(options)
    }
    fn output_map(&self) -> OutputMap {
        self.environment.output_map()
    }
    fn interface(&self, usage: &Usage, options: &Options) -> Result<Interface> {
        self.environment.interface(usage, options)
    }
    fn fingerprint(&self, options: &Options, out: &mut Vec<u8>) {
        self.environment.fingerprint(options, out);
    }
    fn hooks(&self) -> Cow<'_, [Hook]> {
        self.environment.hooks()
    }
    fn input(&self) -> Option<&VertexInput> {
        Some(&self.input)
    }
}
