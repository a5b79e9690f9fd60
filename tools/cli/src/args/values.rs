//! Values of options: their spelling, and the library's names for them.

use std::path::Path;

use crate::backend::text;
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use transpica_asm::lint::Rule;

use super::endings;
use crate::files;

/// `--to`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// WGSL text
    Wgsl,
    /// SPIR-V module (also called `spv`)
    #[value(alias = "spv")]
    Spirv,
    /// SPIR-V disassembly
    #[cfg(feature = "spirv-asm")]
    #[value(alias = "spvasm")]
    SpirvAsm,
    /// GLSL text (see --glsl-version)
    Glsl,
    /// HLSL text
    #[cfg(feature = "naga")]
    Hlsl,
    /// MSL text (also called `metal`)
    #[cfg(feature = "naga")]
    #[value(alias = "metal")]
    Msl,
    /// Table of inputs, outputs and uniforms; JSON if -o ends in .json
    #[value(alias = "json")]
    Reflection,
    /// VBC: SPIR-V and its reflection in one file
    Vbc,
}

impl Target {
    /// Returns the target that belongs to a file extension.
    pub fn of_ending(path: &Path) -> Option<Self> {
        let ending = files::ending(path)?;
        endings::TARGETS.iter().find(|(name, _)| *name == ending).map(|&(_, target)| target)
    }
    /// Returns whether modules of this target have a source map: those that naga writes have none.
    pub fn has_source_map(self) -> bool {
        match self {
            #[cfg(feature = "spirv-asm")]
            Self::SpirvAsm => true,
            Self::Wgsl | Self::Spirv | Self::Glsl => true,
            #[cfg(feature = "naga")]
            Self::Hlsl | Self::Msl => false,
            Self::Reflection | Self::Vbc => false,
        }
    }
    /// Spelling as a value of `--to`.
    pub fn option(self) -> &'static str {
        match self {
            Self::Wgsl => "wgsl",
            Self::Spirv => "spirv",
            #[cfg(feature = "spirv-asm")]
            Self::SpirvAsm => "spirv-asm",
            Self::Glsl => "glsl",
            #[cfg(feature = "naga")]
            Self::Hlsl => "hlsl",
            #[cfg(feature = "naga")]
            Self::Msl => "msl",
            Self::Reflection => "reflection",
            Self::Vbc => "vbc",
        }
    }
    /// Extension of its files; that of GLSL depends on the stage.
    pub fn ending(self, glsl: &'static str) -> &'static str {
        match self {
            Self::Wgsl => "wgsl",
            Self::Spirv => "spv",
            #[cfg(feature = "spirv-asm")]
            Self::SpirvAsm => "spvasm",
            Self::Glsl => glsl,
            #[cfg(feature = "naga")]
            Self::Hlsl => "hlsl",
            #[cfg(feature = "naga")]
            Self::Msl => "metal",
            Self::Reflection => "json",
            Self::Vbc => "vbc",
        }
    }
    /// Name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Wgsl => "WGSL",
            Self::Spirv => "SPIR-V",
            #[cfg(feature = "spirv-asm")]
            Self::SpirvAsm => "SPIR-V disassembly",
            Self::Glsl => "GLSL",
            #[cfg(feature = "naga")]
            Self::Hlsl => "HLSL",
            #[cfg(feature = "naga")]
            Self::Msl => "MSL",
            Self::Reflection => "reflection",
            Self::Vbc => "VBC",
        }
    }
}

/// `--glsl-version`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GlslVersion {
    /// OpenGL 3.3 and later: blocks and varyings by name
    #[value(name = "330")]
    Core330,
    /// OpenGL 4.0 and later: always exact
    #[value(name = "400")]
    Core400,
    /// OpenGL 4.1 and later: varyings by location
    #[value(name = "410")]
    Core410,
    /// OpenGL 4.2 and later: bindings, locations
    #[value(name = "420")]
    Core420,
    /// OpenGL 4.3 and later: compute shaders
    #[value(name = "430")]
    Core430,
    /// OpenGL 4.4 and later
    #[value(name = "440")]
    Core440,
    /// Vulkan: sets, bindings, locations
    #[value(name = "450")]
    Vulkan450,
    /// OpenGL 4.5 and later
    #[value(name = "450core")]
    Core450,
    /// OpenGL 4.6
    #[value(name = "460")]
    Core460,
    /// OpenGL ES 3.0 and later, and WebGL 2: blocks and varyings by name, no switch, not exact
    #[value(name = "300es")]
    Es300,
    /// OpenGL ES 3.1 and later: bindings, locations
    #[value(name = "310es")]
    Es310,
    /// OpenGL ES 3.2: always exact
    #[value(name = "320es")]
    Es320,
}

impl GlslVersion {
    /// Spelling as a value of `--glsl-version`.
    pub fn option(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_string()).unwrap_or_default()
    }
    /// Returns whether this version is for OpenGL only, not for Vulkan.
    pub fn is_opengl(self) -> bool {
        text::GlslVersion::from(self).is_opengl()
    }
}

impl From<GlslVersion> for text::GlslVersion {
    fn from(version: GlslVersion) -> Self {
        match version {
            GlslVersion::Core330 => Self::Core330,
            GlslVersion::Core400 => Self::Core400,
            GlslVersion::Core410 => Self::Core410,
            GlslVersion::Core420 => Self::Core420,
            GlslVersion::Core430 => Self::Core430,
            GlslVersion::Core440 => Self::Core440,
            GlslVersion::Vulkan450 => Self::Vulkan450,
            GlslVersion::Core450 => Self::Core450,
            GlslVersion::Core460 => Self::Core460,
            GlslVersion::Es300 => Self::Es300,
            GlslVersion::Es310 => Self::Es310,
            GlslVersion::Es320 => Self::Es320,
        }
    }
}

/// `--entry`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Entry {
    /// A vertex stage
    Vertex,
    /// A compute stage that maps v registers to o registers
    Compute,
    /// The geometry stage behind the vertex stage that brings the quaternions of a triangle to one
    /// side
    Quaternions,
}

/// One value of `--entry`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryOption {
    /// The shape of the entry point.
    Shape(Entry),
    /// The code word where the program starts.
    Word(u16),
}

impl EntryOption {
    /// Parses a shape or an address.
    pub fn parse(text: &str) -> Result<Self, String> {
        if let Ok(shape) = Entry::from_str(text, false) {
            return Ok(Self::Shape(shape));
        }
        let word = number(text).and_then(|word| u16::try_from(word).ok());
        word.map(Self::Word)
            .ok_or_else(|| "must be vertex, compute, or the number of a code word".to_string())
    }
}
/// `--on`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Machine {
    /// The reference interpreter
    Cpu,
    /// The translated program on wgpu
    Gpu,
}

/// `--route`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RouteName {
    /// Our SPIR-V, unchanged (exact)
    Spirv,
    /// Our SPIR-V through naga
    SpirvNaga,
    /// Our WGSL text, parsed by naga (also called `naga`)
    #[value(alias = "naga")]
    Wgsl,
}

/// `--stage`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// The control-flow graph
    Cfg,
    /// The structured tree
    Tree,
    /// The intermediate representation after the passes
    Ir,
}

/// `--format`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Graphviz (control-flow graph only)
    Dot,
    /// A picture, SVG (control-flow graph only)
    Svg,
    /// Text
    Text,
}

impl Format {
    /// Name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Dot => "dot",
            Self::Svg => "svg",
            Self::Text => "text",
        }
    }
}

/// Parses a number, decimal or with 0x.
fn number(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_hexdigit());
    digits
        .map_or_else(|| text.parse().ok(), |hex| u32::from_str_radix(hex, 16).ok().filter(|_| is_plain(hex)))
}

/// `--outmap`
pub fn outmap(text: &str) -> Result<(u8, u32), String> {
    let wrong = || "must be like 0=0x03020100: a register 0 to 15 and a word".to_string();
    let (register, word) = text.split_once('=').ok_or_else(wrong)?;
    let register = register.parse().ok().filter(|&register| register < 16).ok_or_else(wrong)?;
    Ok((register, number(word).ok_or_else(wrong)?))
}

/// `--deny`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// Every rule.
    All,
    /// One rule.
    One(Rule),
}

impl Denied {
    /// Returns whether a list denies this rule.
    pub fn has(list: &[Self], rule: Rule) -> bool {
        list.iter().any(|denied| [Self::All, Self::One(rule)].contains(denied))
    }
}

/// Builds the parser for the name of a rule, or `all`.
pub fn denied() -> impl TypedValueParser<Value = Denied> {
    let names = Rule::ALL.iter().map(|rule| rule.id()).chain(["all"]);
    PossibleValuesParser::new(names).map(|name| {
        let rule = Rule::ALL.iter().find(|rule| rule.id() == name);
        rule.map_or(Denied::All, |&rule| Denied::One(rule))
    })
}

/// Most vertices of a run: their inputs take 256 MiB.
const VERTICES: u64 = 1 << 20;

/// Parses a number of vertices.
pub fn vertices() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(0..=VERTICES)
}
