//! Options: semantics of the translated program. Public fields, all with defaults, serializable
//! (feature `serde`).
//! In: choices of the host. Out: plain data. Properties of host and driver are in
//! [`Profile`](crate::Profile).

use std::hash::{Hash, Hasher};

use super::register_layout::RegisterLayout;
use super::vertex_input::{AttributeFormat, Promise, VertexInput};
use crate::error::{At, Error, Kind, Result};
use crate::flow::cfg::explore;
use crate::limits::Limits;
use crate::machine::interp::{Registers, Settings};
use crate::machine::precision::Precision;
use crate::program::isa::Uniforms;

/// Layout of the uniforms in the uniform block. Offsets are in bytes.
///
/// As JSON (feature `serde`), a layout is its name, such as `"Azahar"`, or an object with the
/// offsets of the banks:
///
/// ```json
/// { "Custom": { "floats": 80, "ints": 16, "packing": "Words", "bools": 0 } }
/// ```
///
/// `floats` and `ints` are multiples of 16, `bools` of 4. The float registers take 1,536 bytes. Int
/// registers take 64 bytes as `Words`, 16 as `Bytes`. Bools are one word. Banks must not overlap
/// and must end within 16 KiB.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Layout {
    /// One named member for each bound symbol. Symbols that one relative read may reach are names
    /// of offsets in one array, `c`.
    #[default]
    Symbols,
    /// The complete register file: `c: array<vec4f, 96>` at 0, `i: array<vec4i, 4>` at 1,536,
    /// `b: u32` at 1,600. 1,616 bytes.
    Registers,
    /// The complete register file in Azahar's layout: `b` at 0, `i` at 16, `c` at 80. 1,616 bytes.
    Azahar,
    /// The complete register file in Panda3DS's layout: `c` at 0, `i` at 1,536 with four bytes for
    /// a register, `b` at 1,552. 1,556 bytes.
    Panda3ds,
    /// The complete register file, each bank at an offset of the host's choice: see above.
    Custom(RegisterLayout),
}

impl Layout {
    /// Returns the offsets of the register banks, or `None` if members follow symbols.
    pub fn registers(self) -> Option<RegisterLayout> {
        match self {
            Self::Symbols => None,
            Self::Registers => Some(RegisterLayout::REGISTERS),
            Self::Azahar => Some(RegisterLayout::AZAHAR),
            Self::Panda3ds => Some(RegisterLayout::PANDA3DS),
            Self::Custom(layout) => Some(layout),
        }
    }
}

/// The host's clip volume in z. The PICA200 keeps -w ≤ z ≤ 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum DepthRange {
    /// 0..w (Vulkan, WebGPU, Direct3D, Metal): z becomes -z.
    #[cfg_attr(feature = "serde", serde(alias = "0..w"))]
    #[default]
    ZeroToW,
    /// -w..w (OpenGL): z becomes -2·z - w.
    #[cfg_attr(feature = "serde", serde(alias = "-w..w"))]
    MinusWToW,
    /// z as the program writes it, in -w..0.
    #[cfg_attr(feature = "serde", serde(alias = "raw"))]
    Raw,
}

/// Tolerance of the clip volume -w ≤ z ≤ 0, in parts of w: z of a position that lies outside by
/// less is moved to the side of the volume before the position is clipped and converted. Positions
/// with w ≤ 0 and NaN stay as they are.
///
/// Each tolerance is in 0.0..1.0, and 0 moves nothing. Equal means equal bits.
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct DepthSnap {
    /// z becomes 0 if 0 < z < `near` · w. Default: `0.0`.
    pub near: f32,
    /// z becomes -w if -w - `far` · w < z < -w. Default: `0.0`.
    pub far: f32,
}

impl DepthSnap {
    /// No tolerance, the default.
    pub const OFF: Self = Self { near: 0.0, far: 0.0 };

    /// Tolerances of z = 0 and z = -w.
    pub(crate) fn tolerances(self) -> [f32; 2] {
        [self.near, self.far]
    }

    /// Returns whether no z is moved.
    pub(crate) fn is_off(self) -> bool {
        self.tolerances() == [0.0; 2]
    }

    fn bits(self) -> [u32; 2] {
        self.tolerances().map(f32::to_bits)
    }
}

impl PartialEq for DepthSnap {
    fn eq(&self, other: &Self) -> bool {
        self.bits() == other.bits()
    }
}

impl Eq for DepthSnap {}

impl Hash for DepthSnap {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bits().into_iter().for_each(|bits| state.write_u32(bits));
    }
}

/// Mirroring of the position in y.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FlipY {
    /// y as the program writes it: upwards, the row order of framebuffer memory.
    #[cfg_attr(feature = "serde", serde(alias = "never"))]
    #[default]
    Never,
    /// y becomes -y.
    #[cfg_attr(feature = "serde", serde(alias = "always"))]
    Always,
    /// Selected by the host block at draw time: see [`HostValues`](crate::host::HostValues).
    #[cfg_attr(feature = "serde", serde(alias = "host"))]
    Dynamic,
}

/// Export of the two PICA200 clip planes that are not sides of the view volume: z ≤ 0 and the user
/// plane. Both distances are computed from the position as the program writes it, with z moved by
/// [`Outputs::snap_depth`]. The distance from the user plane is 0 while the host block disables it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ClipPlanes {
    /// No export: the host's volume clips z, and the user plane has no effect.
    #[cfg_attr(feature = "serde", serde(alias = "none"))]
    #[default]
    None,
    /// `ClipDistance[0]` is -z, `ClipDistance[1]` the distance from the user plane.
    #[cfg_attr(feature = "serde", serde(alias = "builtin"))]
    BuiltIn,
    /// A varying of the two distances (see [`Varying`](crate::settings::Varying)). The fragment
    /// stage discards negative ones.
    #[cfg_attr(feature = "serde", serde(alias = "varying"))]
    Varying,
}

/// Functions behind RCP, RSQ, EX2 and LG2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Functions {
    /// The library's, bit-equal in the interpreter and on every driver. RCP and RSQ are rounded to
    /// nearest, EX2 and LG2 within 1.9 and 2 units in the last place.
    #[cfg_attr(feature = "serde", serde(alias = "portable"))]
    #[default]
    Portable,
    /// The driver's, whose last bits differ: nothing is promised of what depends on them.
    #[cfg_attr(feature = "serde", serde(alias = "driver"))]
    Driver,
}

/// Value of components that were never written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum UndefinedValue {
    /// (0, 0, 0, 1) for registers; 1 for semantics without a mapped component, as in hardware.
    #[cfg_attr(feature = "serde", serde(alias = "default"))]
    #[default]
    Default,
    /// 0.
    #[cfg_attr(feature = "serde", serde(alias = "zero"))]
    Zero,
}

/// Treatment of bool uniforms. Bit n of each mask is bn. Registers in neither mask are read from
/// the block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct BoolUniforms {
    /// Mask of constants. Default: `0`. Control flow that depends on them is decided before it is
    /// structured: with all sixteen constant, modules have 22 % fewer words.
    pub baked: u16,
    /// Values of the constants; other bits are ignored. Default: `0`.
    pub values: u16,
    /// Mask of specialization constants: `SpecId` n (SPIR-V) or `override` with id n (WGSL), false
    /// unless set. Default: `0`. A bit that is also in `baked` is an error.
    pub specialized: u16,
}

/// Treatment of int uniforms. Registers that are neither constants nor specialized are read from
/// the block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct IntUniforms {
    /// Values of the constants i0..i3: x, y, z, w, each 0..=255. Default:
    /// `[None, None, None, None]`. LOOP takes x as its count less one, y as the first aL, z as the
    /// step of aL.
    pub baked: [Option<[u8; 4]>; 4],
    /// Mask of specialization constants, bits 0..=3; bits above are ignored. Default: `0`. The
    /// components of in are `SpecId` 16 + 4·n + component, 0 unless set. A register that is also in
    /// `baked` is an error.
    pub specialized: u8,
}

/// Arithmetic of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Arithmetic {
    /// Rounding, and the value of products with 0. Default: `Exact`. `Fast` has 18 % fewer words,
    /// `F24` 34 % more.
    pub precision: Precision,
    /// Functions behind RCP, RSQ, EX2 and LG2. Default: `Portable`. `fast` takes the driver's.
    pub functions: Functions,
    /// Initial value of the registers r and o. Default: `Default`, which is (0, 0, 0, 1). No
    /// difference in size.
    pub uninitialized: UndefinedValue,
}

/// Control flow, and the uniforms that decide it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Control {
    /// Bool uniforms that are not read from the block. Default: none.
    pub bools: BoolUniforms,
    /// Int uniforms that are not read from the block. Default: none.
    pub ints: IntUniforms,
    /// Maximum number of backward jumps and calls in one run: those to the same or a lower address,
    /// including the jump of IF to its else-part. The next one ends the run as END does, with the
    /// results so far. Without a guard, an endless loop is endless on the GPU too, and may crash
    /// its compiler (drivers.md#endless-compilation). LOOP is finite and does not count, unless its
    /// end lies before its start.
    ///
    /// Default: `None`. Every `u32` is allowed; 0 ends the run at its first such jump. A guard adds
    /// 6 % of words, only in programs with such jumps.
    pub loop_guard: Option<u32>,
    /// Permissive mode: undefined opcodes count as NOP instead of being an error.
    ///
    /// Default: `false`.
    pub permissive: bool,
}

/// Outputs of a vertex entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Outputs {
    /// Emits an output for every semantic, so that one fragment stage fits every program. Otherwise
    /// the outputs are the position and the semantics with a mapped component. Default: `false`.
    /// All outputs take 3 % more words.
    pub all: bool,
    /// Depth convention of the position. Default: `ZeroToW`. `MinusWToW` takes 0.9 % more words.
    pub depth: DepthRange,
    /// Tolerance of the clip volume in z. Default: off. Any other takes 3 % more words.
    pub snap_depth: DepthSnap,
    /// Mirroring of the position in y. Default: `Never`. `Always` takes 0.3 % more words, `Dynamic`
    /// 3 % and the host block.
    pub flip_y: FlipY,
    /// Export of clip distances. Default: `None`. `BuiltIn` takes 10 % more words, `Varying` 9 %,
    /// and both take the host block.
    pub clip_planes: ClipPlanes,
    /// Clamps colors to min(|c|, 1), as the rasterizer does. Default: `true`. The clamp is 1 % of
    /// the words.
    pub clamp_colors: bool,
    /// Value of components without a mapped register. Default: `Default`, which is 1. No difference
    /// in size.
    pub unmapped: UndefinedValue,
    /// Order of the vertices of a triangle that a geometry program reverses: `true` swaps the first
    /// and the last, (2, 1, 0), `false` the first two, (1, 0, 2). Default: `false`; a console's is
    /// not known. Rasterizers see the same triangle, but may round between its vertices otherwise.
    pub reverse_ends: bool,
}

impl Default for Outputs {
    fn default() -> Self {
        Self {
            all: false,
            depth: DepthRange::default(),
            snap_depth: DepthSnap::OFF,
            flip_y: FlipY::default(),
            clip_planes: ClipPlanes::default(),
            clamp_colors: true,
            unmapped: UndefinedValue::default(),
            reverse_ends: false,
        }
    }
}

/// The uniform block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Block {
    /// Members and their offsets in bytes. Default: `Symbols`. A layout of the complete register
    /// file has one member for all floats.
    pub layout: Layout,
    /// Folds float and int setup constants without a symbol into the code. Those that a relative
    /// read may reach are in the block, too. Default: `true`.
    pub fold_constants: bool,
    /// Pads the array that relative reads take their registers from to c127, so that a read needs
    /// no test of its index. Default: `false`. The host fills c96..c127 with ones, as
    /// [`pack`](crate::host::pack) does; `UniformBlock::padding` says where. In `Layout::Registers`
    /// ints and bools move to 2048 and 2112.
    pub padded: bool,
}

impl Block {
    /// Returns the offsets of the register banks, or `None` if members follow symbols.
    pub fn registers(&self) -> Option<RegisterLayout> {
        match (self.layout, self.padded) {
            (Layout::Registers, true) => Some(RegisterLayout::PADDED),
            (layout, _) => layout.registers(),
        }
    }
}

impl Default for Block {
    fn default() -> Self {
        Self { layout: Layout::default(), fold_constants: true, padded: false }
    }
}

/// Promises of the host. While they are kept, the module computes what it computes without them,
/// with fewer guards of 0 · ∞ and tests for NaN. Beyond them its numbers are unspecified.
/// `Translation::relies_on` checks register files. Those about attributes are
/// [`VertexInput::promises`](crate::settings::VertexInput::promises).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Assume {
    /// Float uniforms of the uniform block. Default: `Nothing`.
    pub uniforms: Promise,
    /// Results of arithmetic: what ADD, MUL, MAD, dot products, RCP, RSQ, EX2 and LG2 write, and
    /// what outputs and hooks compute from that. Default: `Nothing`. Checking what a host feeds
    /// finds no breach; runs of the interpreter do, see [`Reliance`](crate::settings::Reliance).
    pub results: Promise,
}

/// Semantics of the translated program, by subject. Each field states its default, and its costs
/// where they were measured.
///
/// Costs are SPIR-V words of the 37 vertex programs in `shaders/` of the repository, translated by
/// version 0.1.0 with [`Job::Vertex`](crate::Job::Vertex) and without
/// [`Profile::names`](crate::Profile::names). They are in percent of the words with the
/// defaults. A driver's instructions need not follow them.
///
/// ```
/// use transpica::Options;
/// use transpica::settings::{DepthRange, Outputs};
/// let options = Options {
///     outputs: Outputs { depth: DepthRange::MinusWToW, ..Outputs::default() },
///     ..Options::default()
/// };
/// assert!(options.outputs.clamp_colors);
/// ```
///
/// With the feature `serde`, options are an object of objects with the names of the fields. Absent
/// fields have their defaults. Unknown keys are errors that list the known ones:
///
/// ```json
/// {
///   "arithmetic": { "precision": "exact", "functions": "driver" },
///   "control": { "bools": { "baked": 3, "values": 1 }, "loop_guard": 65536 },
///   "outputs": { "depth": "-w..w", "flip_y": "always" },
///   "block": { "layout": { "Custom": { "floats": 80, "ints": 16, "packing": "Words", "bools": 0 } } }
/// }
/// ```
///
/// Choices are read as the command line spells them, as here, or by the names of their variants,
/// which are what is written.
///
/// `input.formats` is a list of sixteen objects such as `{ "kind": "Uint", "components": 3 }`. An
/// element of `ints.baked` is `null` or a list of four numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Options {
    /// Arithmetic. Default: exact.
    pub arithmetic: Arithmetic,
    /// Control flow, and the uniforms that decide it. Default: all uniforms are read, no guard.
    pub control: Control,
    /// Outputs (vertex entry only). Default: as Vulkan clips them.
    pub outputs: Outputs,
    /// The uniform block. Default: a member for each symbol.
    pub block: Block,
    /// Formats of the attributes v0..v15, and promises about them. Default: floats with four
    /// components, and no promise. The vertex input of a draw takes its place.
    pub input: VertexInput,
    /// Promises of the host about uniforms and results. Default: none.
    pub assume: Assume,
    /// Limits on sizes. Default: what any program of 4,096 words needs.
    pub limits: Limits,
}

impl Control {
    /// Returns whether undefined opcodes are an error.
    pub(crate) fn refuses_undefined(&self) -> bool {
        !self.permissive
    }
    /// Returns the options of the control-flow exploration.
    #[doc(hidden)]
    pub fn exploration(&self) -> explore::ExploreOptions {
        explore::ExploreOptions {
            known_bools: self.bools.baked,
            bools: self.bools.values,
            ints: self.ints.baked.map(|int| int.map(|[x, y, z, _]| [x, y, z])),
            permissive: self.permissive,
            guarded: self.loop_guard.is_some(),
        }
    }
    /// Returns the same options with more int uniforms as constants.
    pub fn with_ints(mut self, ints: &[Option<[u8; 4]>; 4]) -> Self {
        for (baked, folded) in self.ints.baked.iter_mut().zip(ints) {
            *baked = baked.or(*folded);
        }
        self
    }
    /// Sets the uniforms that are constants to their values.
    #[doc(hidden)]
    pub fn apply(&self, uniforms: &mut Uniforms) {
        let BoolUniforms { baked, values, specialized: _ } = self.bools;
        uniforms.bools = uniforms.bools & !baked | values & baked;
        for (int, known) in uniforms.ints.iter_mut().zip(self.ints.baked) {
            *int = known.unwrap_or(*int);
        }
    }
}

impl Options {
    /// Returns the same options without promises.
    #[doc(hidden)]
    pub fn unpromised(self) -> Self {
        let input = VertexInput { promises: Default::default(), ..self.input };
        Self { input, assume: Assume::default(), ..self }
    }
    /// Returns the same options with ignored bits cleared: values of bools that are not constants.
    #[doc(hidden)]
    pub fn canonical(mut self) -> Self {
        self.control.bools.values &= self.control.bools.baked;
        self
    }
    /// Returns interpreter settings with the semantics of these options.
    pub fn settings(&self, budget: u64) -> Settings {
        Settings {
            precision: self.arithmetic.precision,
            permissive: self.control.permissive,
            budget,
            uninitialized: match self.arithmetic.uninitialized {
                UndefinedValue::Default => Registers::DEFAULT,
                UndefinedValue::Zero => [0.0; 4],
            },
            loop_guard: self.control.loop_guard,
            ..Settings::default()
        }
    }
    /// Checks the constraints that the types do not express.
    ///
    /// # Errors
    /// As `RegisterLayout::check`; [`Kind::AttributeComponents`], [`Kind::DepthTolerance`],
    /// [`Kind::KnownAndSpecialized`].
    pub fn check(&self) -> Result<()> {
        self.check_settings()?;
        self.check_attributes()
    }
    /// Checks the formats of attributes.
    pub(crate) fn check_attributes(&self) -> Result<()> {
        for (register, &AttributeFormat { components, .. }) in (0..).zip(&self.input.formats) {
            if !(1..=4).contains(&components) {
                return Err(Error::new(Kind::AttributeComponents { register, components }, At::Whole));
            }
        }
        Ok(())
    }
    /// Checks all but the formats of attributes.
    ///
    /// # Errors
    /// As `RegisterLayout::check`; [`Kind::DepthTolerance`], [`Kind::KnownAndSpecialized`].
    pub(crate) fn check_settings(&self) -> Result<()> {
        let wrong = |kind| Err(Error::new(kind, At::Whole));
        if let Some(layout) = self.block.registers() {
            layout.check_block(self.block.padded)?;
        }
        for tolerance in self.outputs.snap_depth.tolerances() {
            if !(0.0..1.0).contains(&tolerance) {
                return wrong(Kind::DepthTolerance(tolerance.to_bits()));
            }
        }
        let bools = self.control.bools.baked & self.control.bools.specialized;
        if bools != 0 {
            // Range: 0..=15, since the u16 is not 0.
            return wrong(Kind::KnownAndSpecialized { bank: 'b', register: bools.trailing_zeros() as u8 });
        }
        for (register, known) in (0..).zip(&self.control.ints.baked) {
            if known.is_some() && self.control.ints.specialized >> register & 1 != 0 {
                return wrong(Kind::KnownAndSpecialized { bank: 'i', register });
            }
        }
        Ok(())
    }
}
