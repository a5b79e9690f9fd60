//! Numbers of the GPU registers that shaders depend on, as command lists name them.
//! In and out: constants. Facts: 3dbrew "GPU/Internal Registers".

/// Number of registers of a shader unit.
pub(crate) const BLOCK: u16 = 0x30;
/// First register of the geometry unit.
pub const GEOMETRY_UNIT: u16 = 0x280;
/// First register of the vertex unit.
pub const VERTEX_UNIT: u16 = 0x2B0;

/// Defines the registers of a unit, by their offset in its block and by their numbers.
macro_rules! unit_registers {
    ($($(#[$doc:meta])* $name:ident = $offset:literal;)*) => {
        /// Registers of a unit, relative to its first.
        pub mod unit {
            $($(#[$doc])* pub const $name: u16 = $offset;)*
        }
        /// Registers of the vertex unit.
        pub mod vertex {
            $($(#[$doc])* pub const $name: u16 = super::VERTEX_UNIT + $offset;)*
        }
        /// Registers of the geometry unit.
        pub mod geometry {
            $($(#[$doc])* pub const $name: u16 = super::GEOMETRY_UNIT + $offset;)*
        }
    };
}

unit_registers! {
    /// Bits 0..15: bool uniforms.
    BOOLS = 0x00;
    /// First of four int uniforms, one byte for each component.
    INTS = 0x01;
    /// Bits 0..3: number of attributes less one. Bit 8: vertices go to float uniforms.
    INPUT = 0x09;
    /// Entry point.
    ENTRY = 0x0A;
    /// Input registers of attributes 0 to 7, four bits each.
    PERMUTATION_LOW = 0x0B;
    /// Input registers of attributes 8 to 15.
    PERMUTATION_HIGH = 0x0C;
    /// Mask of the outputs that the unit forwards.
    OUTPUT_MASK = 0x0D;
    /// Written after an upload of code.
    CODE_END = 0x0F;
    /// Float uniform that the next vector goes to. Bit 31: f32 instead of float24.
    FLOAT_INDEX = 0x10;
    /// First of eight: words of float uniforms.
    FLOAT_DATA = 0x11;
    /// The last of those.
    FLOAT_DATA_LAST = 0x18;
    /// Address of the next code word.
    CODE_INDEX = 0x1B;
    /// First of eight: code words.
    CODE_DATA = 0x1C;
    /// The last of those.
    CODE_DATA_LAST = 0x23;
    /// Number of the next operand descriptor.
    DESCRIPTOR_INDEX = 0x25;
    /// First of eight: operand descriptors.
    DESCRIPTOR_DATA = 0x26;
    /// The last of those.
    DESCRIPTOR_DATA_LAST = 0x2D;
}

/// Number of outputs of the rasterizer.
pub const OUTMAP_TOTAL: u16 = 0x4F;
/// First of seven: semantics of the components of an output.
pub const OUTMAP: u16 = 0x50;
/// Presence of texture coordinates.
pub const OUTATTR_MODE: u16 = 0x64;
/// Presence of attributes.
pub const OUTATTR_CLOCK: u16 = 0x6F;
/// A write draws vertices in the order of their buffers.
pub const DRAW_ARRAYS: u16 = 0x22E;
/// A write draws vertices by their indices.
pub const DRAW_ELEMENTS: u16 = 0x22F;
/// Bits 0..2: 2 if a geometry program runs. Bit 31: its primitives have a variable number of
/// vertices.
pub const GEOMETRY_STAGE: u16 = 0x229;
/// Bit 0: the fourth unit is configured separately, for geometry.
pub const UNIT_MODE: u16 = 0x244;
/// Vertex outputs less one.
pub const VERTEX_OUTPUTS: u16 = 0x24A;
/// Vertex outputs less one, again.
pub const VERTEX_OUTPUTS_2: u16 = 0x251;
/// Vertex input of the geometry unit.
pub const GEOMETRY_INPUT: u16 = 0x252;
/// Number of complete vertices less one, for primitives of a variable number of vertices.
pub const GEOMETRY_MAIN: u16 = 0x254;
/// Byte 0: outputs of the last stage less one; bits 8 and 9: the kind of primitive.
pub const PRIMITIVE: u16 = 0x25E;

/// Registers outside the units, ascending.
pub const GLOBALS: [u16; 18] = [
    OUTMAP_TOTAL,
    OUTMAP,
    0x51,
    0x52,
    0x53,
    0x54,
    0x55,
    0x56,
    OUTATTR_MODE,
    OUTATTR_CLOCK,
    GEOMETRY_STAGE,
    UNIT_MODE,
    VERTEX_OUTPUTS,
    VERTEX_OUTPUTS_2,
    GEOMETRY_INPUT,
    0x253,
    GEOMETRY_MAIN,
    PRIMITIVE,
];
