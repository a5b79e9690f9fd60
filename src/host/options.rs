//! Options: semantics of the translated program. Public fields, all with defaults, serializable
//! (feature `serde`).
//! In: choices of the host. Out: plain data. Properties of host and driver are in
//! [`Profile`](super::Profile).

use super::registers_layout::RegisterLayout;
use crate::cfg::explore;
use crate::error::{At, Error, Kind, Result};
use crate::interp::{Registers, Settings};
use crate::isa::Uniforms;
use crate::limits::Limits;
use crate::precision::Precision;

/// Layout of the uniforms in the uniform block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Layout {
    /// One named member for each bound symbol. Symbols that one relative read may reach are names
    /// of offsets in one array, `c`.
    #[default]
    Symbols,
    /// The complete register file: `c: array<vec4f, 96>`, `i: array<vec4i, 4>`, `b: u32`
    /// (`RegisterLayout::REGISTERS`).
    Registers,
    /// The complete register file in Azahar's layout (`RegisterLayout::AZAHAR`).
    Azahar,
    /// The complete register file in Panda3DS's layout (`RegisterLayout::PANDA3DS`).
    Panda3ds,
    /// The complete register file, each bank at an offset of the host's choice.
    Custom(RegisterLayout),
}

impl Layout {
    /// Returns the offsets of the register banks; none if members follow symbols.
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
    #[default]
    ZeroToW,
    /// -w..w (OpenGL): z becomes -2·z - w.
    MinusWToW,
    /// z as the program writes it, in -w..0.
    Raw,
}

/// Mirroring of the position in y.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FlipY {
    /// y as the program writes it: upwards, the row order of framebuffer memory.
    #[default]
    Never,
    /// y becomes -y.
    Always,
    /// Selected by the host block at draw time (see `HostField`).
    Dynamic,
}

/// Export of the two PICA200 clip planes that are not sides of the view volume: z ≤ 0 and the user
/// plane. Both distances are computed from the position as the program writes it. The distance from
/// the user plane is 0 while the host block disables it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ClipPlanes {
    /// No export: the host's volume clips z, and the user plane has no effect.
    #[default]
    None,
    /// `ClipDistance[0]` is -z, `ClipDistance[1]` the distance from the user plane.
    BuiltIn,
    /// A varying of the two distances (see [`Locations`](super::Locations)). The fragment stage
    /// discards negative ones.
    Varying,
}

/// Value of components that were never written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Unwritten {
    /// (0, 0, 0, 1) for registers; 1 for semantics without a mapped component, as in hardware.
    #[default]
    Default,
    /// 0.
    Zero,
}

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
pub struct AttributeFormat {
    /// Number format.
    pub kind: AttributeKind,
    /// Number of components that the program reads, 1..=4. The others are those of (0, 0, 0, 1),
    /// whatever the host fetches. Hosts that fetch four bytes where the console has three need
    /// this.
    pub components: u8,
}

impl Default for AttributeFormat {
    fn default() -> Self {
        Self { kind: AttributeKind::Float, components: 4 }
    }
}

/// Treatment of bool uniforms. Bit n of each mask is bn. Registers in neither mask are read from
/// the block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BoolUniforms {
    /// Mask of constants. Control flow that depends on them is decided before it is structured.
    pub baked: u16,
    /// Values of the constants; other bits are ignored.
    pub values: u16,
    /// Mask of specialization constants: `SpecId` n (SPIR-V) or `override` with id n (WGSL), false
    /// unless set.
    pub specialized: u16,
}

/// Treatment of int uniforms. Registers that are neither constants nor specialized are read from
/// the block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct IntUniforms {
    /// Values of the constants.
    pub baked: [Option<[u8; 4]>; 4],
    /// Bit n: the components of in are specialization constants, `SpecId` 16 + 4·n + component, 0
    /// unless set.
    pub specialized: u8,
}

/// Arithmetic of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Arithmetic {
    /// Rounding, and the value of products with 0.
    pub precision: Precision,
    /// Computes EX2 and LG2 by polynomials of the library instead of the driver's functions. The
    /// results are bit-equal in the interpreter and on every driver.
    pub portable_exponentials: bool,
    /// Initial value of the registers r and o.
    pub uninitialized: Unwritten,
}

/// Control flow, and the uniforms that decide it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Control {
    /// Bool uniforms that are not read from the block.
    pub bools: BoolUniforms,
    /// Int uniforms that are not read from the block.
    pub ints: IntUniforms,
    /// Maximum number of backward jumps and calls in one run: those to the same or a lower address,
    /// including the jump of IF to its else-part. The next one ends the run as END does, with the
    /// results so far: see `report_unfinished`. Without a guard, an endless loop is endless on the
    /// GPU too. LOOP is finite and does not count, unless its end lies before its start.
    pub loop_guard: Option<u32>,
    /// Reports invocations that did not run to their end (compute entries only; other stages have
    /// no output for it). There are two causes: the loop guard fired, or the driver left a loop on
    /// its own. llvmpipe silently leaves loops after 65,535 iterations of all loops together. A
    /// short loop at the end of the module detects this, because it ends too early as well. A
    /// module without loops reports nothing and contains no code for it.
    ///
    /// A vertex program writes a seventeenth vector behind o15, so each vertex has 17 vectors. x is
    /// 1 if the guard fired, y is 1 if the driver left a loop; otherwise both are 0. A geometry
    /// program sets the two upper bits of a thread's count: see
    /// `GeometryKernel::reports_unfinished`.
    /// An invocation that never ends writes neither. To detect this, the host fills the buffers
    /// with ones before the dispatch.
    pub report_unfinished: bool,
    /// Permissive mode: undefined opcodes count as NOP instead of being an error.
    pub lenient: bool,
}

/// Outputs of a vertex entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Outputs {
    /// Emits an output for every semantic, so that one fragment stage fits every program. Otherwise
    /// the outputs are the position and the semantics with a mapped component.
    pub all: bool,
    /// Depth convention of the position.
    pub depth: DepthRange,
    /// Mirroring of the position in y.
    pub flip_y: FlipY,
    /// Clip distances.
    pub clip_planes: ClipPlanes,
    /// Clamps colors to min(|c|, 1), as the rasterizer does.
    pub clamp_colors: bool,
    /// Value of components without a mapped register.
    pub unmapped: Unwritten,
}

impl Default for Outputs {
    fn default() -> Self {
        Self {
            all: false,
            depth: DepthRange::default(),
            flip_y: FlipY::default(),
            clip_planes: ClipPlanes::default(),
            clamp_colors: true,
            unmapped: Unwritten::default(),
        }
    }
}

/// The uniform block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Block {
    /// Members and their offsets.
    pub layout: Layout,
    /// Folds float and int setup constants without a symbol into the code. Those that a relative
    /// read may reach are in the block, too.
    pub fold_constants: bool,
    /// Pads the array that relative reads take their registers from to c127, so that a read needs
    /// no test of its index. The host fills c96..c127 with ones, as [`pack`](super::pack) does;
    /// `UniformBlock::padding` says where. In `Layout::Registers` ints and bools move to 2048 and
    /// 2112.
    pub padded: bool,
}

impl Block {
    /// Returns the offsets of the register banks; none if members follow symbols.
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

/// Semantics of the translated program, by subject.
///
/// ```
/// use transpica::{DepthRange, Options, Outputs};
/// let options = Options {
///     outputs: Outputs { depth: DepthRange::MinusWToW, ..Outputs::default() },
///     ..Options::default()
/// };
/// assert!(options.outputs.clamp_colors);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Options {
    /// Arithmetic.
    pub arithmetic: Arithmetic,
    /// Control flow, and the uniforms that decide it.
    pub control: Control,
    /// Outputs (vertex entry only).
    pub outputs: Outputs,
    /// The uniform block.
    pub block: Block,
    /// Formats of the attributes v0..v15 (vertex entry only).
    pub attributes: [AttributeFormat; 16],
    /// Limits on sizes.
    pub limits: Limits,
}

impl Control {
    /// Returns the options of the control-flow exploration.
    pub fn known(&self) -> explore::Options {
        explore::Options {
            known_bools: self.bools.baked,
            bools: self.bools.values,
            ints: self.ints.baked.map(|int| int.map(|[x, y, z, _]| [x, y, z])),
            lenient: self.lenient,
            guarded: self.loop_guard.is_some(),
            reports_guard: self.report_unfinished,
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
    pub fn apply(&self, uniforms: &mut Uniforms) {
        let BoolUniforms { baked, values, specialized: _ } = self.bools;
        uniforms.bools = uniforms.bools & !baked | values & baked;
        for (int, known) in uniforms.ints.iter_mut().zip(self.ints.baked) {
            *int = known.unwrap_or(*int);
        }
    }
}

impl Options {
    /// Returns the same options with ignored bits cleared: values of bools that are no constants.
    pub fn canonical(mut self) -> Self {
        self.control.bools.values &= self.control.bools.baked;
        self
    }
    /// Returns interpreter settings with the semantics of these options.
    pub fn settings(&self, budget: u64) -> Settings {
        Settings {
            precision: self.arithmetic.precision,
            lenient: self.control.lenient,
            budget,
            portable_exponentials: self.arithmetic.portable_exponentials,
            unwritten: match self.arithmetic.uninitialized {
                Unwritten::Default => Registers::DEFAULT,
                Unwritten::Zero => [0.0; 4],
            },
            loop_guard: self.control.loop_guard,
            ..Settings::default()
        }
    }
    /// Checks the constraints that the types do not express.
    ///
    /// # Errors
    /// As `RegisterLayout::check`; [`Kind::AttributeComponents`], [`Kind::KnownAndSpecialized`].
    pub fn check(&self) -> Result<()> {
        let wrong = |kind| Err(Error::new(kind, At::Whole));
        if let Some(layout) = self.block.registers() {
            layout.check_block(self.block.padded)?;
        }
        for (register, &AttributeFormat { components, .. }) in (0..).zip(&self.attributes) {
            if !(1..=4).contains(&components) {
                return wrong(Kind::AttributeComponents { register, components });
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
