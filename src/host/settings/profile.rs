//! Profile: target settings that do not change program semantics. Public fields with defaults,
//! serializable.
//! In: choices of the host. Out: plain data.

use std::borrow::Cow;

use super::linkage::{self, GlslProfile, Varying};
use crate::error::{At, Error, Kind, Result};
use crate::machine::interp::Settings;

/// A binding in the host's descriptor sets (Vulkan) or bind groups (WebGPU).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Binding {
    /// Set or group. Default: `0`.
    pub set: u32,
    /// Binding in it. Default: `0`.
    pub binding: u32,
}

impl Binding {
    /// The last of MSL's slots of buffers.
    const LAST_SLOT: u8 = 30;

    /// Returns the register space of the set in HLSL, which has 256.
    pub(crate) fn hlsl_space(self) -> Option<u8> {
        u8::try_from(self.set).ok()
    }
    /// Returns the slot of the buffer in MSL. It has no sets, so two may have one slot.
    pub(crate) fn msl_slot(self) -> Option<u8> {
        u8::try_from(self.binding).ok().filter(|&slot| slot <= Self::LAST_SLOT)
    }
}

/// Bindings of the blocks of a vertex entry. (A compute entry has fixed ones, in set 0.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Bindings {
    /// The uniform block. Default: `Binding { set: 0, binding: 0 }`.
    pub uniforms: Binding,
    /// The host block of 32 bytes, read only for clip planes and a dynamic y. Default:
    /// `Binding { set: 0, binding: 1 }`. [`HostValues`](crate::host::HostValues) packs it.
    pub host: Binding,
    /// The second uniform block, read only for [`Hook::Again`](crate::host::Hook::Again). Default:
    /// `Binding { set: 0, binding: 2 }`.
    pub again: Binding,
}

impl Bindings {
    /// Checks that uniform block and host block have different bindings. It matters only if both
    /// are used.
    ///
    /// # Errors
    /// [`Kind::SharedBinding`] if they are equal.
    pub fn check(&self) -> Result<()> {
        Self::check_pair(self.uniforms, self.host)
    }

    /// Checks that the second uniform block has a binding of its own.
    ///
    /// # Errors
    /// [`Kind::SharedBinding`] if another block has it.
    pub(crate) fn check_again(&self) -> Result<()> {
        Self::check_pair(self.uniforms, self.again)?;
        Self::check_pair(self.host, self.again)
    }

    fn check_pair(one: Binding, other: Binding) -> Result<()> {
        if one != other {
            return Ok(());
        }
        let Binding { set, binding } = other;
        Err(Error::new(Kind::SharedBinding { set, binding }, At::Whole))
    }
}

impl Default for Bindings {
    fn default() -> Self {
        let [uniforms, host, again] = [0, 1, 2].map(|binding| Binding { set: 0, binding });
        Self { uniforms, host, again }
    }
}

/// Settings of host and driver. Costs are given as in [`Options`](crate::Options).
///
/// ```
/// use transpica::Profile;
/// use transpica::settings::Varying;
/// let varyings = Varying::AZAHAR;
/// let profile = Profile { spirv_version: (1, 0), varyings, ..Profile::default() };
/// assert!(profile.no_contraction);
/// ```
///
/// As JSON (feature `serde`), absent fields have their defaults and unknown keys are errors:
/// `{ "spirv_version": [1, 0], "bindings": { "host": { "set": 1, "binding": 0 } } }`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Profile {
    /// SPIR-V version, (1, 0) to (1, 6). Default: `(1, 3)`, the newest that Vulkan 1.1 accepts;
    /// Vulkan 1.0 needs (1, 0). Sizes differ by less than 0.1 %.
    pub spirv_version: (u8, u8),
    /// Decorates float operations with NoContraction, or `precise` in GLSL. Default: `true`, which
    /// exact results need. Without it, modules have 5 % fewer words and drivers may fuse products
    /// with sums (drivers.md#reordered-sums).
    pub no_contraction: bool,
    /// Rules of float arithmetic that modules declare. Default: [`FloatControls::NONE`]. naga reads
    /// no module that declares one.
    pub float_controls: FloatControls,
    /// Declares `float_controls.nan` and `no_contraction` by SPV_KHR_float_controls2: as one
    /// default mode (`FPFastMathDefault`), which binds the extended instructions too. Default:
    /// `false`, by an execution mode and a decoration of each operation. Needs the feature
    /// `shaderFloatControls2` (Vulkan 1.4) and SPIR-V 1.2; modules of older versions have the other
    /// form, and texts are the same with both.
    pub float_controls2: bool,
    /// Marks the position output as invariant. Default: `true`. Two programs with the same
    /// computation of it then agree on drivers that respect the decoration. Some drivers fail on
    /// it.
    pub invariant_position: bool,
    /// Leaves loops at their head only, where invocations may leave them in different iterations.
    /// Default: `true`, which drivers for processors need for right values after such loops:
    /// lavapipe and SwiftShader (drivers.md#computed-after-loop). No driver of a GPU is known to
    /// need it, so hosts that run on GPUs only may switch it off. It costs 0.8 % of the samples'
    /// time there, 25 % in `particles`.
    pub leave_loops_at_head: bool,
    /// Writes debug names into SPIR-V modules. Default: `true`. They take 6 % more words.
    pub names: bool,
    /// Writes lines and variables for debuggers into SPIR-V modules: `OpLine`, and
    /// NonSemantic.Shader.DebugInfo.100 by SPV_KHR_non_semantic_info. Default: `false`. Vulkan
    /// before 1.3 needs `VK_KHR_shader_non_semantic_info`. The environment has the source, see
    /// [`DebugSource`](crate::host::DebugSource). Results do not change; two sample programs take
    /// 51 and 85 % more words.
    pub debug_info: bool,
    /// Bindings of the blocks. Default: all in set 0.
    pub bindings: Bindings,
    /// Varyings of the host's fragment shader, in this order. Default: [`Varying::DENSE`]. A
    /// varying is declared if any of its components is mapped or a constant, or if it is a copy of
    /// the position; [`Outputs::all`](crate::settings::Outputs) declares all. An empty table
    /// declares none, as for draws that write only depth. Costs a subtraction for each
    /// `Complement`.
    pub varyings: Cow<'static, [Varying]>,
    /// Form and names of GLSL texts. Default: [`GlslProfile::DEFAULT`].
    pub glsl: GlslProfile,
}

/// Rules of 32-bit float arithmetic that SPIR-V modules declare by SPV_KHR_float_controls, part of
/// SPIR-V 1.4. A device must report each one that is declared. What is exact with which:
/// [the guide](crate::guide::emulator).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct FloatControls {
    /// The sign of zero, infinities and NaN are kept (`SignedZeroInfNanPreserve`). Default:
    /// `false`. Without it a driver may assume that there are none: drivers.md#nan-minimum.
    pub nan: bool,
    /// Subnormal numbers are kept (`DenormPreserve`). Default: `false`. Without it a driver may
    /// replace them by zero: drivers.md#flushed-subnormals.
    pub subnormals: bool,
    /// Sums and products are rounded to nearest (`RoundingModeRTE`). Default: `false`. Without it
    /// either neighbor of the result is right.
    pub rounding: bool,
}

impl FloatControls {
    /// Nothing is declared.
    pub const NONE: Self = Self { nan: false, subnormals: false, rounding: false };
    /// All three.
    pub const ALL: Self = Self { nan: true, subnormals: true, rounding: true };

    /// Kind of the results of exact modules that declare these, by the letter of Vulkan.
    pub const fn exactness(self) -> &'static str {
        match self {
            Self::ALL => "exact",
            Self { nan: true, rounding: true, .. } => "exact but for subnormal numbers",
            Self { rounding: true, .. } => "exact but for NaN, infinities and subnormal numbers",
            _other => "of open rounding",
        }
    }

    /// Settings of an interpreter or a batch that computes as a device does with these: numbers
    /// below 2^-126 count as zero where nothing keeps them. Beside that number a device may round
    /// either way.
    #[must_use]
    pub fn settings(self, settings: Settings) -> Settings {
        Settings { flush_subnormals: !self.subnormals, ..settings }
    }

    /// Those that a Vulkan device reports in `VkPhysicalDeviceFloatControlsProperties`, as its
    /// fields `shaderSignedZeroInfNanPreserveFloat32`, `shaderDenormPreserveFloat32` and
    /// `shaderRoundingModeRTEFloat32`, which are 0 or 1.
    ///
    /// ```
    /// use transpica::settings::FloatControls;
    /// let lavapipe = FloatControls::from_vulkan([1, 0, 1]);
    /// assert!(lavapipe.nan && !lavapipe.subnormals && lavapipe.rounding);
    /// ```
    pub const fn from_vulkan([nan, subnormals, rounding]: [u32; 3]) -> Self {
        Self { nan: nan != 0, subnormals: subnormals != 0, rounding: rounding != 0 }
    }
}

impl Profile {
    /// Checks that the SPIR-V version exists, and the table of varyings.
    ///
    /// # Errors
    /// [`Kind::SpirvVersion`], [`Kind::BadName`], [`Kind::BadVarying`].
    pub fn check(&self) -> Result<()> {
        self.check_version().and_then(|()| linkage::check_varyings(&self.varyings))
    }
    /// Checks the version of SPIR-V. Varyings and names have done their part before modules are
    /// written.
    pub(crate) fn check_version(&self) -> Result<()> {
        match self.spirv_version {
            (1, 0..=6) => Ok(()),
            (major, minor) => Err(Error::new(Kind::SpirvVersion { major, minor }, At::Whole)),
        }
    }
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            spirv_version: (1, 3),
            no_contraction: true,
            float_controls: FloatControls::NONE,
            float_controls2: false,
            invariant_position: true,
            leave_loops_at_head: true,
            names: true,
            debug_info: false,
            bindings: Bindings::default(),
            varyings: Varying::DENSE,
            glsl: GlslProfile::DEFAULT,
        }
    }
}
