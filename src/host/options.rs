//! Options: what the translated program means. Public fields, all with defaults, serialisable
//! (feature `serde`).
//! In: choices of the host. Out: plain data. What host and driver are like stands in
//! [`Profile`](super::Profile).

use super::registers_layout::RegisterLayout;
use crate::cfg::explore;
use crate::error::{At, Error, Kind, Result};
use crate::interp::{Registers, Settings};
use crate::isa::Uniforms;
use crate::limits::Limits;
use crate::precision::Precision;

/// How uniforms are laid out in the one uniform block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Layout {
    /// One named member for each bound symbol.
    #[default]
    Symbols,
    /// The whole register file: `c: array<vec4f, 96>`, `i: array<vec4i, 4>`, `b: u32`
    /// ([`RegisterLayout::REGISTERS`]).
    Registers,
    /// The whole register file as Azahar holds it ([`RegisterLayout::AZAHAR`]).
    Azahar,
    /// The whole register file as Panda3DS holds it ([`RegisterLayout::PANDA3DS`]).
    Panda3ds,
    /// The whole register file, each bank at a place of the host's choice.
    Custom(RegisterLayout),
}

impl Layout {
    /// Where the banks lie; nothing where members follow symbols.
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
    /// z as the program writes it, -w..0.
    Raw,
}

/// Whether the position is mirrored in y.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum FlipY {
    /// y as the program writes it: up, as framebuffer memory is ordered.
    #[default]
    Never,
    /// y becomes -y.
    Always,
    /// As the host block says at the time of drawing (see [`HostField`](super::HostField)).
    Dynamic,
}

/// What becomes of the two planes that hardware clips at besides the volume's sides: z ≤ 0 and the
/// user's plane. Both distances are computed from the position as the program writes it; the user's
/// is 0 while the host block switches it off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum ClipPlanes {
    /// Nothing: the host's volume clips z, the user's plane is not there.
    #[default]
    None,
    /// `ClipDistance[0]` is -z, `ClipDistance[1]` the distance from the user's plane.
    BuiltIn,
    /// A varying of these two distances (see [`Locations`](super::Locations)): the fragment stage
    /// discards what is below 0.
    Varying,
}

/// What a component reads that nothing has written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Unwritten {
    /// (0, 0, 0, 1) for registers, 1 for semantics that no component is mapped to (as hardware has
    /// it for those).
    #[default]
    Default,
    /// 0
    Zero,
}

/// The number format of a vertex attribute in the host's input assembly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum AttributeKind {
    /// Floats, or integers that the host has converted.
    #[default]
    Float,
    /// Signed integers; the shader converts them, 127 to 127.0.
    Int,
    /// Unsigned integers; the shader converts them, 255 to 255.0.
    Uint,
}

/// A vertex attribute as the host feeds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct AttributeFormat {
    /// Its numbers.
    pub kind: AttributeKind,
    /// How many components the program shall see, 1..=4; the others are those of (0, 0, 0, 1),
    /// whatever the host fetches. Hosts that fetch four bytes where the console has three need
    /// this.
    pub components: u8,
}

impl Default for AttributeFormat {
    fn default() -> Self {
        Self { kind: AttributeKind::Float, components: 4 }
    }
}

/// What is done about bool uniforms. Bit n of each set is bn; those in neither set are read from
/// the block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BoolUniforms {
    /// These are known: control flow that depends on them is decided before it is structured.
    pub baked: u16,
    /// Their values; other bits mean nothing.
    pub values: u16,
    /// These are specialisation constants, `SpecId` n (SPIR-V) or `override` with that id (WGSL),
    /// false unless set.
    pub specialized: u16,
}

/// What is done about int uniforms. Those that are neither are read from the block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct IntUniforms {
    /// Values of those that are known.
    pub baked: [Option<[u8; 4]>; 4],
    /// Bit n: the components of in are specialisation constants, `SpecId` 16 + 4·n + component, 0
    /// unless set.
    pub specialized: u8,
}

/// The numbers that a program computes with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Arithmetic {
    /// How they are rounded, and what products of 0 are.
    pub precision: Precision,
    /// Whether EX2 and LG2 are computed by polynomials of the library, bit-equal on interpreter and
    /// every driver, instead of by the driver.
    pub portable_exponentials: bool,
    /// What registers r and o hold at the start.
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
    /// How many jumps (also those of IF to its second part) and calls to the same or a lower
    /// address one run may make; at the next one it ends as with END. Without it a program that
    /// loops for ever does so on the GPU too. Loops of LOOP end by themselves and do not count,
    /// unless they end before they begin. The results are those of the moment: see
    /// `report_unfinished`.
    pub loop_guard: Option<u32>,
    /// Whether an invocation reports that it did not run to its end (compute entries only; the
    /// others have no place for it). There are two reasons: the loop guard fired, or the driver
    /// left a loop on its own. llvmpipe does that without a word after 65,535 rounds of all loops
    /// together; a short loop at the end of the module, which then ends too early as well, finds
    /// out. A module without loops reports nothing and has nothing of this.
    ///
    /// A vertex program writes a seventeenth vector behind o15, so that 17 vectors a vertex are
    /// written: x is 1 if the guard fired, y is 1 if the driver left a loop, else both are 0. A
    /// geometry program sets the two upper bits of a thread's count: see
    /// [`GeometryKernel::reports_unfinished`](crate::geometry::GeometryKernel::reports_unfinished).
    /// An invocation that never ends writes neither: a host that wants to know fills the buffers
    /// with ones before.
    pub report_unfinished: bool,
    /// Whether undefined opcodes count as NOP instead of being an error.
    pub lenient: bool,
}

/// Outputs of a vertex entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Outputs {
    /// Whether every semantic has an output, so that one fragment stage fits every program; else
    /// those that some component is mapped to, and the position.
    pub all: bool,
    /// z convention of the position.
    pub depth: DepthRange,
    /// Whether the position is mirrored in y.
    pub flip_y: FlipY,
    /// Clip distances.
    pub clip_planes: ClipPlanes,
    /// Whether colors become min(|c|, 1), as the rasterizer does.
    pub clamp_colors: bool,
    /// What components read that no register is mapped to.
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
    /// Its members and where they lie.
    pub layout: Layout,
    /// Whether float setup constants become literals instead of members.
    pub fold_constants: bool,
}

impl Default for Block {
    fn default() -> Self {
        Self { layout: Layout::default(), fold_constants: true }
    }
}

/// What the translated program means, by subject.
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
    /// The numbers it computes with.
    pub arithmetic: Arithmetic,
    /// Control flow, and the uniforms that decide it.
    pub control: Control,
    /// Its outputs (vertex entry only).
    pub outputs: Outputs,
    /// The uniform block.
    pub block: Block,
    /// What attributes are like, v0..v15 (vertex entry only).
    pub attributes: [AttributeFormat; 16],
    /// Sizes that may not be passed.
    pub limits: Limits,
}

impl Control {
    /// The part that decides which control flow there is.
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
    /// Gives uniforms the values that are known.
    pub fn apply(&self, uniforms: &mut Uniforms) {
        let BoolUniforms { baked, values, specialized: _ } = self.bools;
        uniforms.bools = uniforms.bools & !baked | values & baked;
        for (int, known) in uniforms.ints.iter_mut().zip(self.ints.baked) {
            *int = known.unwrap_or(*int);
        }
    }
}

impl Options {
    /// The same options without what has no meaning: values of uniforms that are not known.
    pub fn canonical(mut self) -> Self {
        self.control.bools.values &= self.control.bools.baked;
        self
    }
    /// Settings with which the reference interpreter does what a program translated under these
    /// options does.
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
    /// Checks what types cannot say.
    ///
    /// # Errors
    /// As [`RegisterLayout::check`]; [`Kind::AttributeComponents`], [`Kind::KnownAndSpecialized`].
    pub fn check(&self) -> Result<()> {
        let wrong = |kind| Err(Error::new(kind, At::Whole));
        if let Some(layout) = self.block.layout.registers() {
            layout.check()?;
        }
        for (register, &AttributeFormat { components, .. }) in (0..).zip(&self.attributes) {
            if !(1..=4).contains(&components) {
                return wrong(Kind::AttributeComponents { register, components });
            }
        }
        let bools = self.control.bools.baked & self.control.bools.specialized;
        if bools != 0 {
            // Range: of sixteen bits.
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
