//! Vega ByteCode, version 1: SPIR-V of all graphics stages and its reflection in one file.
//!
//! In: [`Vbc`], or bytes. Out: bytes, or [`Vbc`]. [`Vbc::from_translation`] makes one of a
//! translation. Knows nothing of SPIR-V but its first word.
//!
//! Integers are native-endian in the format, and little-endian here. In addition to the words the
//! file has inputs of the vertex stage, outputs of the fragment stage, bindings, one uniform block
//! and inputs of subpasses.
//!
//! Parts of translated programs that have no place in the file:
//!
//! * names of attributes: inputs have a location, a type, and no name;
//! * outputs of the vertex stage, so also clip distances and names of varyings;
//! * set and binding of the uniform block. A host has to know them, as it knows the set of other
//!   bindings;
//! * a second uniform block: the host block is listed as a read-only buffer, with its size as the
//!   element size;
//! * specialization constants, and values that binding an executable sets;
//! * names of parts of an array that several symbols share;
//! * compute stages, so geometry programs and `--entry compute`.
//!
//! It also has narrow fields: 65,535 words for each stage, 32 slots of bindings, 65,535 bytes of
//! uniforms, 255 bytes of a name. Beyond those [`Vbc::write`] and
//! [`Vbc::from_translation`] give an error.
//!
//! The reference writer stores its own object for an input of a subpass instead of the documented
//! four bytes. A reader tries four bytes first, then larger records, and takes the first size
//! after which SPIR-V begins.

mod read;
mod translated;
mod write;

use std::fmt;

use transpica::Stage;

use crate::hit::ProgramInfo;
use crate::programs::digest;

/// First bytes of a file: magic, version 1.
const MAGIC: [u8; 4] = *b"VBC\x01";
/// Type of a file with graphics stages.
const GRAPHICS: u8 = 1;
/// First word of SPIR-V.
const SPIRV: u32 = 0x0723_0203;
/// Number of slots of bindings.
const SLOTS: u8 = 32;
/// Most inputs of a subpass.
const SUBPASS_INPUTS: usize = 4;

/// Stages of a graphics pipeline, in the order of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ShaderStage {
    /// Bit 0 of masks.
    Vertex,
    /// Bit 1.
    TessellationControl,
    /// Bit 2.
    TessellationEvaluation,
    /// Bit 3.
    Geometry,
    /// Bit 4.
    Fragment,
}

impl ShaderStage {
    /// All stages, in the order of the file.
    pub const ALL: [Self; 5] = [
        Self::Vertex,
        Self::TessellationControl,
        Self::TessellationEvaluation,
        Self::Geometry,
        Self::Fragment,
    ];
    /// Returns the name.
    pub fn name(self) -> &'static str {
        ["vertex", "tessellation control", "tessellation evaluation", "geometry", "fragment"][self as usize]
    }
    /// Returns the mask of this stage alone.
    pub fn mask(self) -> u16 {
        1 << self as u16
    }
}

impl From<Stage> for ShaderStage {
    fn from(stage: Stage) -> Self {
        match stage {
            Stage::Vertex => Self::Vertex,
            Stage::Geometry => Self::Geometry,
        }
    }
}

/// Type of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Base {
    /// 32 bits.
    Boolean,
    /// Signed integer.
    Signed,
    /// Unsigned integer.
    Unsigned,
    /// Float.
    Float,
}

impl Base {
    /// All types, by ascending code from 1.
    pub const ALL: [Self; 4] = [Self::Boolean, Self::Signed, Self::Unsigned, Self::Float];
    /// Returns the name.
    pub fn name(self) -> &'static str {
        ["bool", "int", "uint", "float"][self as usize]
    }
    fn code(self) -> u8 {
        self as u8 + 1
    }
    fn of_code(code: u8) -> Option<Self> {
        Self::ALL.get(usize::from(code.checked_sub(1)?)).copied()
    }
}

/// Type of a variable: components of four bytes each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Type {
    /// Type of the components.
    pub base: Base,
    /// Size of a vector or rows of a matrix.
    pub rows: u8,
    /// Columns of a matrix, else 1.
    pub columns: u8,
    /// Elements of an array, else 1.
    pub array: u8,
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.base.name())?;
        match (self.rows, self.columns) {
            (1, 1) => {}
            (rows, 1) => write!(f, "{rows}")?,
            (rows, columns) => write!(f, "{rows}x{columns}")?,
        }
        if self.array != 1 { write!(f, "[{}]", self.array) } else { Ok(()) }
    }
}

/// An input of the vertex stage, or an output of the fragment stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Variable {
    /// Its location; for an output, its attachment.
    pub location: u8,
    /// Its type.
    pub ty: Type,
}

/// Type of a texel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Texels {
    /// 0 to 6: 1D, 2D, 3D, 1D array, 2D array, cube, buffer.
    pub rank: u8,
    /// Code of the texel's base type.
    pub base: u8,
    /// Bytes of a component.
    pub size: u8,
    /// Components: 1, 2 or 4.
    pub components: u8,
}

/// Resource of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Resource {
    /// Sampler with its image.
    Sampler,
    /// Image.
    Image,
    /// Buffer.
    Buffer {
        /// True if shaders may write it.
        is_writable: bool,
        /// Size of an element in bytes.
        element: u16,
    },
    /// Texels without a sampler.
    Texels {
        /// True if shaders may write them.
        is_writable: bool,
        /// Their type.
        texels: Texels,
    },
}

impl Resource {
    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sampler => "sampler",
            Self::Image => "image",
            Self::Buffer { is_writable: false, .. } => "read-only buffer",
            Self::Buffer { is_writable: true, .. } => "read-write buffer",
            Self::Texels { is_writable: false, .. } => "read-only texels",
            Self::Texels { is_writable: true, .. } => "read-write texels",
        }
    }
    /// Returns the index of its table among those of the header.
    fn table(self) -> usize {
        match self {
            Self::Sampler => 0,
            Self::Image => 1,
            Self::Buffer { .. } => 2,
            Self::Texels { is_writable: false, .. } => 3,
            Self::Texels { is_writable: true, .. } => 4,
        }
    }
}

/// A binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot {
    /// 0 to 31.
    pub slot: u8,
    /// Mask of the stages that use it.
    pub stages: u16,
    /// Its resource.
    pub resource: Resource,
}

/// A member of the uniform block.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Member {
    /// Name, at most 255 bytes.
    pub name: String,
    /// Byte offset in the block.
    pub offset: u16,
    /// Type; elements of arrays have a stride of 16 bytes.
    pub ty: Type,
}

/// The uniform block.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Uniform {
    /// Size in bytes, not 0.
    pub size: u16,
    /// Mask of the stages that use it.
    pub stages: u16,
    /// Its members.
    pub members: Vec<Member>,
}

/// An input of a subpass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SubpassInput {
    /// Code of the texel's base type.
    pub base: u8,
    /// Components.
    pub components: u8,
}

/// A file.
///
/// ```
/// use transpica_containers::vbc::{ShaderStage, Vbc};
/// let mut file = Vbc::default();
/// file.stages[ShaderStage::Vertex as usize] = vec![0x0723_0203, 0x0001_0300, 0, 1, 0];
/// let bytes = file.write()?;
/// assert_eq!(Vbc::read(&bytes)?, file);
/// # Ok::<(), transpica_containers::vbc::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vbc {
    /// SPIR-V words of each stage in the order of [`ShaderStage::ALL`]; empty if it is absent.
    pub stages: [Vec<u32>; 5],
    /// Sizes of the binding tables: samplers, images, buffers, read-only texels, read-write texels.
    pub tables: [u16; 5],
    /// Inputs of the vertex stage.
    pub inputs: Vec<Variable>,
    /// Outputs of the fragment stage.
    pub outputs: Vec<Variable>,
    /// Bindings.
    pub bindings: Vec<Slot>,
    /// The uniform block, if there is one.
    pub uniform: Option<Uniform>,
    /// Inputs of the subpass, at most four.
    pub subpass: Vec<SubpassInput>,
}

impl Vbc {
    /// Returns whether bytes begin like a file.
    pub fn is_start(bytes: &[u8]) -> bool {
        bytes.starts_with(&MAGIC)
    }

    /// Describes the stages as programs.
    pub(crate) fn programs(&self) -> Vec<ProgramInfo> {
        let present = ShaderStage::ALL.into_iter().zip(&self.stages).filter(|(_, words)| !words.is_empty());
        let describe = |(stage, words): (ShaderStage, &Vec<u32>)| ProgramInfo {
            stage,
            entry: None,
            start: 0,
            instructions: u32::try_from(words.len()).unwrap_or(u32::MAX),
            key: None,
            identity: digest(&words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>()),
        };
        present.map(describe).collect()
    }
}

/// Cause of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The bytes do not begin with the magic, version and type of a graphics file.
    Magic,
    /// The file ends inside a part.
    Truncated(&'static str),
    /// A field holds an undefined value.
    Field {
        /// Name of the field.
        what: &'static str,
        /// Its value.
        value: u32,
    },
    /// Bytes after the last stage.
    Trailing(usize),
    /// A value is too large for its field.
    Large {
        /// Name of the value.
        what: String,
        /// The value.
        value: u64,
        /// The largest value that the field holds.
        most: u64,
        /// Advice.
        hint: &'static str,
    },
    /// A translation to a compute stage.
    Compute,
}

/// An error with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The cause.
    pub fault: Fault,
    /// Offset in the file, or `None` for a file that is written.
    pub at: Option<usize>,
}

impl Error {
    fn read(fault: Fault, at: usize) -> Self {
        Self { fault, at: Some(at) }
    }
    fn large(what: impl Into<String>, value: usize, most: u64, hint: &'static str) -> Self {
        Self { fault: Fault::Large { what: what.into(), value: value as u64, most, hint }, at: None }
    }
    /// Advice, if there is any.
    pub fn hint(&self) -> Option<&'static str> {
        match &self.fault {
            Fault::Magic => Some("a file begins with VBC, version 1, type 1"),
            Fault::Truncated(_) => Some("the file may be cut off"),
            Fault::Field { .. } | Fault::Trailing(_) => None,
            Fault::Large { hint, .. } => Some(hint),
            Fault::Compute => {
                Some("VBC supports only graphics stages; use SPIR-V and its reflection instead")
            }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fault {
            Fault::Magic => f.write_str("not a VBC file")?,
            Fault::Truncated(what) => write!(f, "the file ends in {what}")?,
            Fault::Field { what, value } => write!(f, "{what} {value} is not defined")?,
            Fault::Trailing(count) => write!(f, "{count} bytes after the last stage")?,
            Fault::Large { what, value, most, .. } => {
                write!(f, "VBC cannot contain {what}: {value}, at most {most}")?;
            }
            Fault::Compute => f.write_str("VBC cannot contain a compute stage")?,
        }
        self.at.iter().try_for_each(|at| write!(f, " (at offset {at:#x})"))
    }
}

impl std::error::Error for Error {}
