//! Varyings and names by which a host's own shaders link with ours.
//! In: choices of the host. Out: plain data, and its checks. Knows no program and no text: which
//! outputs follow is decided in `interface/varying.rs`, and what a name becomes in the back ends.
//! Facts: semantic codes of the registers 0x050 to 0x056; GLSL 4.60, 3.7.

use std::borrow::Cow;

use crate::error::{At, Error, Kind, Result};
use crate::program::container::{SEMANTICS, Semantic, SemanticInfo};
use crate::support::names::is_keyword;

/// A varying of a host's fragment shader.
///
/// ```
/// use transpica::settings::{Varying, VaryingSource};
/// // u, v and w of texture coordinate 0 in one vector, with v from the bottom up.
/// let texcoord = Varying {
///     name: "v_texcoord0".into(),
///     location: 2,
///     components: vec![
///         VaryingSource::Code(0x0C),
///         VaryingSource::Complement(0x0D),
///         VaryingSource::Code(0x10),
///     ]
///     .into(),
/// };
/// assert!(texcoord.check().is_ok());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct Varying {
    /// Name in texts, and in SPIR-V modules with names. Default: none, which is an error.
    pub name: Cow<'static, str>,
    /// Location. Default: `0`.
    pub location: u32,
    /// One to four components. None at all for the two clip distances: they then have this name and
    /// location if they are exported as a varying. Default: none.
    pub components: Cow<'static, [VaryingSource]>,
}

/// Source of a component of a [`Varying`]. Codes are semantics of the output map: `0x00` to `0x03`
/// position, `0x04` to `0x07` quaternion, `0x08` to `0x0B` color, `0x0C` and `0x0D` texture
/// coordinate 0, `0x0E` and `0x0F` texture coordinate 1, `0x10` the third component of texture
/// coordinate 0, `0x12` to `0x14` view, `0x16` and `0x17` texture coordinate 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum VaryingSource {
    /// The component of a code. The position is as the program writes it.
    Code(u8),
    /// One minus the component of a code.
    Complement(u8),
    /// 0.
    Zero,
    /// 1.
    One,
}

impl VaryingSource {
    /// Returns the code, if there is one.
    pub(crate) const fn code(self) -> Option<u8> {
        match self {
            Self::Code(code) | Self::Complement(code) => Some(code),
            Self::Zero | Self::One => None,
        }
    }
}

/// The rows of [`Varying::DENSE`]. Names end in a letter, so that no target renames them.
const DENSE: &[Varying; 8] = &[
    Varying::new("color", 0, Semantic::Color),
    Varying::new("texcoord0_uv", 1, Semantic::Texcoord0),
    Varying::new("texcoord1_uv", 2, Semantic::Texcoord1),
    Varying::new("texcoord2_uv", 3, Semantic::Texcoord2),
    Varying::new("texcoord0_w", 4, Semantic::Texcoord0W),
    Varying::new("normal_quaternion", 5, Semantic::Quaternion),
    Varying::new("view", 6, Semantic::View),
    Varying::new("clip_distances", 7, Semantic::Generic),
];

impl Varying {
    /// One varying for each semantic: color at location 0, texture coordinates at 1 to 4,
    /// quaternion 5, view 6, clip distances 7.
    pub const DENSE: Cow<'static, [Self]> = Cow::Borrowed(DENSE);

    /// Returns the varying of all components of a semantic; the generic one has none.
    pub(crate) const fn new(name: &'static str, location: u32, semantic: Semantic) -> Self {
        const CODES: &[VaryingSource; 32] = &{
            let mut codes = [VaryingSource::Zero; 32];
            let mut code = 0;
            while code < 32 {
                codes[code as usize] = VaryingSource::Code(code);
                code += 1;
            }
            codes
        };
        let info = semantic.info();
        let (_, codes) = CODES.split_at(info.first_code as usize);
        let (codes, _) = codes.split_at(info.components as usize);
        Self { name: Cow::Borrowed(name), location, components: Cow::Borrowed(codes) }
    }

    /// Returns the semantic that has exactly the components of the varying, in order.
    pub(crate) fn semantic(&self) -> Option<Semantic> {
        let is_one = |info: &&SemanticInfo| {
            let codes = info.semantic.codes().map(Some);
            self.components.iter().map(|source| source.code()).eq(codes)
        };
        SEMANTICS.iter().find(is_one).map(|info| info.semantic)
    }

    /// Checks the name, the number of components and their codes.
    ///
    /// # Errors
    /// [`Kind::BadName`], [`Kind::BadVarying`].
    pub fn check(&self) -> Result<()> {
        check_name(&self.name)?;
        let bad = |why| Err(Error::new(Kind::BadVarying { name: self.name.to_string(), why }, At::Whole));
        if self.components.len() > 4 {
            return bad("has more than four components");
        }
        let is_unknown = |code| !matches!(code, 0..=0x10 | 0x12..=0x14 | 0x16 | 0x17);
        if self.components.iter().filter_map(|source| source.code()).any(is_unknown) {
            return bad("has a component with a code that belongs to no semantic");
        }
        Ok(())
    }
}

/// Checks a table: each varying, and that no two have one name.
///
/// # Errors
/// [`Kind::BadName`], [`Kind::BadVarying`].
pub(crate) fn check_varyings(varyings: &[Varying]) -> Result<()> {
    /// With the position as many vectors as a vertex stage of any driver has.
    const MOST: usize = 15;
    if let Some(varying) = varyings.get(MOST) {
        let why = "is one too many: the limit is fifteen";
        return Err(Error::new(Kind::BadVarying { name: varying.name.to_string(), why }, At::Whole));
    }
    for (index, varying) in varyings.iter().enumerate() {
        varying.check()?;
        let others = &varyings[..index];
        if others.iter().any(|other| other.name == varying.name) {
            return Err(bad_name(&varying.name, "is used twice"));
        }
        if varying.components.is_empty() && others.iter().any(|other| other.components.is_empty()) {
            let why = "has no components, but another varying already has the clip distances";
            return Err(Error::new(Kind::BadVarying { name: varying.name.to_string(), why }, At::Whole));
        }
    }
    Ok(())
}

/// Returns the clip distances of a table, or of [`Varying::DENSE`] if it has none.
pub(crate) fn distances(varyings: &[Varying]) -> &Varying {
    varyings.iter().find(|varying| varying.components.is_empty()).unwrap_or(&DENSE[7])
}

/// Returns whether no two outputs can share a location, whatever a program maps.
pub(crate) fn are_distinct(varyings: &[Varying]) -> bool {
    let semantics = varyings.iter().filter(|varying| !varying.components.is_empty());
    let mut all = semantics.chain([distances(varyings)]);
    // Locations beyond 31 are rare: they count as shared, which costs a closer look.
    let mask = all.try_fold(0u32, |mask, varying| {
        let bit = 1u32.checked_shl(varying.location)?;
        (mask & bit == 0).then_some(mask | bit)
    });
    mask.is_some()
}

/// Checks that a name is an identifier of GLSL and reserved in no target.
///
/// # Errors
/// [`Kind::BadName`].
pub(crate) fn check_name(name: &str) -> Result<()> {
    /// Characters that all drivers take.
    const MOST: usize = 256;
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let begins = name.bytes().next().is_some_and(|byte| !byte.is_ascii_digit());
    if !begins || !name.bytes().all(is_word) || name == "_" {
        return Err(bad_name(name, "is not an identifier"));
    }
    if name.len() > MOST {
        return Err(bad_name(name, "has more than 256 characters"));
    }
    let is_prefixed = name.starts_with("gl_") || name.starts_with("GL_") || name.contains("__");
    if is_prefixed || is_keyword(name) {
        return Err(bad_name(name, "is reserved"));
    }
    Ok(())
}

/// The error of a name.
#[cold]
pub(crate) fn bad_name(name: &str, why: &'static str) -> Error {
    Error::new(Kind::BadName { name: name.to_owned(), why }, At::Whole)
}

/// Names of a uniform block in GLSL.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(deny_unknown_fields))]
pub struct BlockNames {
    /// The block, as a host looks it up.
    pub block: Cow<'static, str>,
    /// The instance. With none, members are global names, so the text renames those that collide
    /// with another name of the host.
    pub instance: Option<Cow<'static, str>>,
}

/// Names of attributes in GLSL.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum AttributeNames {
    /// This text and the name of the attribute: `in_` and `v0` from registers.
    Named(Cow<'static, str>),
    /// This text and the number of the v register, 0 to 15.
    Numbered(Cow<'static, str>),
}

/// Variables to which the entry point of a GLSL text writes its outputs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum GlslOutputs {
    /// Outputs of the stage, and `gl_Position`.
    #[default]
    #[cfg_attr(feature = "serde", serde(alias = "stage"))]
    Stage,
    /// Global variables of the outputs' names, `position` among them: `main` of the host calls the
    /// entry point, reads them, and writes the stage's own outputs.
    #[cfg_attr(feature = "serde", serde(alias = "globals"))]
    Globals,
}

/// Form and names of GLSL texts of vertex entries. All but names and outputs applies to compute
/// entries, too. No choice changes results or costs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct GlslProfile {
    /// Writes the `#version` line. Default: `true`. Without it, the host puts its own first,
    /// followed only by directives: `#extension` must come before declarations.
    pub version_line: bool,
    /// Writes the `#extension` lines and the macro that follows from them. Default: `true`. Without
    /// them, the host puts `Translation::glsl_extensions` before all declarations, including its
    /// own.
    pub extension_lines: bool,
    /// The function that runs the program. Default: `main`. With any other name, `main` is the
    /// host's, and calls it.
    pub entry: Cow<'static, str>,
    /// The variables that vertex and geometry stages write. Default: `GlslOutputs::Stage`.
    /// Geometry stages emit vertices, so they have no other.
    pub outputs: GlslOutputs,
    /// For separable programs in 330 and 400, by GL_ARB_separate_shader_objects: varyings have
    /// locations, and `gl_PerVertex` is redeclared. Default: `false`. Later versions always have
    /// both. A fragment shader that matches by name does not link with varyings that have
    /// locations.
    pub separable: bool,
    /// The uniform block. Default: `Uniforms` and `uniforms`. In geometry stages the names of both
    /// blocks begin with `Geometry`, and a block without an instance gets one, since OpenGL links
    /// blocks of one name only if they are equal.
    pub uniforms: BlockNames,
    /// The host block. Default: `Host` and `host`; in geometry stages as above.
    pub host: BlockNames,
    /// The second uniform block, of [`Hook::Again`](crate::host::Hook::Again). Default:
    /// `UniformsAgain` and `uniforms_again`.
    pub again: BlockNames,
    /// The attributes. Default: `AttributeNames::Named("in_")`.
    pub attributes: AttributeNames,
}

impl GlslProfile {
    /// The defaults.
    pub const DEFAULT: Self = Self {
        version_line: true,
        extension_lines: true,
        entry: Cow::Borrowed("main"),
        outputs: GlslOutputs::Stage,
        separable: false,
        uniforms: BlockNames { block: Cow::Borrowed("Uniforms"), instance: Some(Cow::Borrowed("uniforms")) },
        host: BlockNames { block: Cow::Borrowed("Host"), instance: Some(Cow::Borrowed("host")) },
        again: BlockNames {
            block: Cow::Borrowed("UniformsAgain"),
            instance: Some(Cow::Borrowed("uniforms_again")),
        },
        attributes: AttributeNames::Named(Cow::Borrowed("in_")),
    };
}

impl Default for GlslProfile {
    fn default() -> Self {
        Self::DEFAULT
    }
}
