//! Values of options: their spelling, and the library's names for them.

use std::path::Path;

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, RangedU64ValueParser, TypedValueParser};
use transpica::GlslVersion;
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
    /// Returns the spelling as a value of `--to`, the name in messages, and the extension of files;
    /// that of GLSL depends on the stage.
    fn names(self) -> [&'static str; 3] {
        match self {
            Self::Wgsl => ["wgsl", "WGSL", "wgsl"],
            Self::Spirv => ["spirv", "SPIR-V", "spv"],
            #[cfg(feature = "spirv-asm")]
            Self::SpirvAsm => ["spirv-asm", "SPIR-V disassembly", "spvasm"],
            Self::Glsl => ["glsl", "GLSL", "glsl"],
            #[cfg(feature = "naga")]
            Self::Hlsl => ["hlsl", "HLSL", "hlsl"],
            #[cfg(feature = "naga")]
            Self::Msl => ["msl", "MSL", "metal"],
            Self::Reflection => ["reflection", "reflection", "json"],
            Self::Vbc => ["vbc", "VBC", "vbc"],
        }
    }
    /// Spelling as a value of `--to`.
    pub fn option(self) -> &'static str {
        self.names()[0]
    }
    /// Name in messages.
    pub fn name(self) -> &'static str {
        self.names()[1]
    }
    /// Extension of its files; that of GLSL depends on the stage.
    pub fn ending(self, glsl: &'static str) -> &'static str {
        if self == Self::Glsl { glsl } else { self.names()[2] }
    }
}

/// Versions of GLSL with their spelling and their use.
const GLSL_VERSIONS: [(GlslVersion, &str, &str); 12] = [
    (GlslVersion::Core330, "330", "OpenGL 3.3 and later: blocks and varyings by name"),
    (GlslVersion::Core400, "400", "OpenGL 4.0 and later: always exact"),
    (GlslVersion::Core410, "410", "OpenGL 4.1 and later: varyings by location"),
    (GlslVersion::Core420, "420", "OpenGL 4.2 and later: bindings, locations"),
    (GlslVersion::Core430, "430", "OpenGL 4.3 and later: compute shaders"),
    (GlslVersion::Core440, "440", "OpenGL 4.4 and later"),
    (GlslVersion::Vulkan450, "450", "Vulkan: sets, bindings, locations"),
    (GlslVersion::Core450, "450core", "OpenGL 4.5 and later"),
    (GlslVersion::Core460, "460", "OpenGL 4.6"),
    (
        GlslVersion::Es300,
        "300es",
        "OpenGL ES 3.0 and later, and WebGL 2: blocks and varyings by name, no switch, not exact",
    ),
    (GlslVersion::Es310, "310es", "OpenGL ES 3.1 and later: bindings, locations"),
    (GlslVersion::Es320, "320es", "OpenGL ES 3.2: always exact"),
];

/// Builds the parser of `--glsl-version`.
pub fn glsl_version() -> impl TypedValueParser<Value = GlslVersion> {
    let values = GLSL_VERSIONS.iter().map(|(_, name, help)| PossibleValue::new(*name).help(*help));
    PossibleValuesParser::new(values).map(|chosen| {
        let version = GLSL_VERSIONS.iter().find(|(_, name, _)| *name == chosen);
        version.map_or(GlslVersion::Vulkan450, |&(version, ..)| version)
    })
}

/// Returns the spelling of a version as a value of `--glsl-version`.
pub fn spelled(version: GlslVersion) -> &'static str {
    GLSL_VERSIONS.iter().find(|(other, ..)| *other == version).map_or("", |&(_, name, _)| name)
}

/// `--entry`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Entry {
    /// A vertex stage
    Vertex,
    /// A compute stage that maps v registers to o registers
    Compute,
    /// A geometry stage, after the vertex stage, that brings the quaternions of a triangle to one
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
    let wrong = || "must look like 0=0x03020100: a register 0 to 15 and a word".to_string();
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
