//! Vertex input: what changes from draw to draw while the program stays.
//! In: formats of attributes and promises about them. Out: the same by register. Knows no program.

/// The number format of a vertex attribute in the host's input assembly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum AttributeKind {
    /// Floats, or integers that the host converts.
    #[default]
    Float,
    /// Signed integers; the shader converts them (127 to 127.0).
    Int,
    /// Unsigned integers; the shader converts them (255 to 255.0).
    Uint,
}

/// Format in which the host feeds a vertex attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct AttributeFormat {
    /// Number format. Default: `Float`. A conversion costs 0.7 % of the words.
    pub kind: AttributeKind,
    /// Number of components that the program reads, 1..=4. Default: `4`. The others come from
    /// (0, 0, 0, 1), whatever the host fetches. Hosts that fetch four bytes where the console has
    /// three need this.
    pub components: u8,
}

impl Default for AttributeFormat {
    fn default() -> Self {
        Self { kind: AttributeKind::Float, components: 4 }
    }
}

/// A promise about numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Promise {
    /// None: any number.
    #[default]
    Nothing,
    /// No number is NaN.
    NotNan,
    /// All numbers are finite, and their magnitudes are below 2^n. From 128 on, any finite number.
    Below(u8),
    /// As `Below` the second number, and those but 0 have magnitudes of at least 2 to the power of
    /// the first. Where no square of a number vanishes, vectors over their lengths need no guards:
    /// `Between(-20, 32)` is enough for one that a matrix has turned.
    Between(i8, u8),
}

/// Vertex input by register. A draw can replace [`Options::input`](crate::Options::input) by its
/// own. One translator then serves all draws, and a [key](crate::translate::key()) depends only on
/// the attributes that the program reads.
///
/// The permutation of the console's attributes is not part of it: the attribute for vn has location
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
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct VertexInput {
    /// Formats of v0..v15 (vertex entry only). Default: floats with four components.
    pub formats: [AttributeFormat; 16],
    /// Promises about v0..v15 of vertex programs, as the host's input assembly converts them.
    /// Default: none.
    pub promises: [Promise; 16],
}

impl VertexInput {
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
