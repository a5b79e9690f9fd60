//! GLSL that hosts can link with shaders of their own.
//! In: the pieces of a module, the version. Out: text under that contract. Knows nothing of the
//! IR's control flow.
//! Facts: GLSL 3.30, 4.50 and ES 3.10, GL_KHR_vulkan_glsl; where `precise` is taken was measured
//! with glslang 12.
//!
//! The contract is the section "GLSL" of [`guide::emulator`](crate::guide::emulator): names, types,
//! places, `precise`. (Of 330 both extensions are asked for because glslang defines the first
//! without knowing the word; Mesa defines both.)

use std::fmt::Write as _;

#[cfg(feature = "glsl")]
use super::{
    Shared,
    dialect::{self, Helper},
    header,
    names::LANES,
    no_shared_bindings, unspecialized,
};
#[cfg(feature = "glsl")]
use crate::backend::interface::BackendInput;
#[cfg(feature = "glsl")]
use crate::error::{At, Error, Kind, Result};
#[cfg(feature = "glsl")]
use crate::host::EntryPoint;
#[cfg(feature = "glsl")]
use crate::ir::{self, Type};

/// Version of GLSL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GlslVersion {
    /// `#version 330 core`, for OpenGL 3.3 and later.
    Core330,
    /// `#version 450` with sets and bindings, for Vulkan.
    #[default]
    Vulkan450,
    /// `#version 310 es`, for OpenGL ES 3.1 and later.
    Es310,
}

impl GlslVersion {
    /// All versions.
    pub const ALL: [Self; 3] = [Self::Core330, Self::Vulkan450, Self::Es310];

    /// Returns the name in error texts.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Core330 => "GLSL 330",
            Self::Vulkan450 => "GLSL 450",
            Self::Es310 => "GLSL ES 310",
        }
    }

    /// Writes the head of every text.
    pub(super) fn head(self, out: &mut String, header: &str, marks_exact: bool) {
        out.push_str(match self {
            Self::Core330 => "#version 330 core\n",
            Self::Vulkan450 => "#version 450\n",
            Self::Es310 => "#version 310 es\n",
        });
        out.push_str(if header.is_empty() { "\n" } else { header });
        // Macros that a driver must define, and the extension that then enables `precise`.
        let offers: &[[&str; 2]] = match self {
            // glslang defines GL_ARB_gpu_shader5 in 330 but has no `precise` there. Drivers that
            // have it define both.
            Self::Core330 => {
                &[["defined(GL_ARB_gpu_shader5) && defined(GL_ARB_shader_precision)", "GL_ARB_gpu_shader5"]]
            }
            Self::Vulkan450 => &[],
            Self::Es310 => &[
                ["defined(GL_EXT_gpu_shader5)", "GL_EXT_gpu_shader5"],
                ["defined(GL_OES_gpu_shader5)", "GL_OES_gpu_shader5"],
            ],
        };
        if marks_exact && !offers.is_empty() {
            // First, so that a host may define the macro for a driver that offers no extension.
            out.push_str("#if defined(PRECISE)\n");
            for [condition, extension] in offers {
                let _ = writeln!(out, "#elif {condition}\n#extension {extension} : enable");
                out.push_str("#define PRECISE precise\n");
            }
            out.push_str("#else\n#define PRECISE\n#endif\n\n");
        }
        // Registers hold 16 bits of fraction and 7 of exponent. `mediump` promises 10 and 5.
        if self == Self::Es310 {
            out.push_str("precision highp float;\nprecision highp int;\n\n");
        }
    }
}

/// The module as GLSL. Names and places are those of the module's documentation.
///
/// ```
/// use transpica::stages::{backend::{BackendInput, text}, host, ir};
/// let module = ir::text::parse("func main { %0: f32x4 = input v0 %1: f32x4 = add %0 %0 yield %1 }")?;
/// let interface = host::Interface {
///     attributes: vec![host::Attribute { register: 0, name: "place".into(), format: Default::default() }],
///     outputs: vec![host::Output {
///         name: "position".into(),
///         location: host::Location::Position,
///         components: vec![host::ComponentSource::One; 4],
///         value: host::OutputValue::Plain,
///         semantic: None,
///         hooks: Vec::new(),
///     }],
///     ..host::Interface::default()
/// };
/// let (options, profile) = (host::Options::default(), host::Profile::default());
/// let source = BackendInput { module: &module, interface: &interface, limits: &options.limits, profile: &profile };
/// assert_eq!(
///     text::glsl(&source, text::GlslVersion::Vulkan450)?,
///     "#version 450
///
/// layout(location = 0) in vec4 in_place;
///
/// out gl_PerVertex {
///     vec4 gl_Position;
/// };
/// invariant gl_Position;
///
/// void main() {
///     precise vec4 out_position = in_place + in_place;
///     gl_Position = out_position;
/// }
/// "
/// );
/// # Ok::<(), transpica::Error>(())
/// ```
///
/// # Errors
/// [`Kind::TargetLacks`] for what the version lacks: specialization constants (but 450), the
/// compute form (330), clip distances as a built-in and two blocks of one binding (ES).
/// [`Kind::Verify`] where the program is not well-formed or does not fit its interface.
#[cfg(feature = "glsl")]
pub fn glsl(source: &BackendInput<'_>, version: GlslVersion) -> Result<String> {
    if source.interface.entry_point == EntryPoint::Quaternions {
        return super::quaternions::glsl(source, version);
    }
    let (module, names) = Shared::new(source, dialect::glsl(version))?;
    check(&module, version)?;
    let mut out = String::new();
    version.head(&mut out, &header(source.interface), source.profile.no_contraction);
    let is_invariant = source.profile.invariant_position;
    module.declarations.write_glsl(&mut out, &module.dialect, version, is_invariant);
    // Only the bodies show which functions on vectors are called, but GLSL has definitions before
    // calls.
    let start = out.len();
    let mut called = module.functions(&mut out, &names, source.profile.no_contraction)?;
    called.sort_unstable();
    let helpers: String = called.into_iter().map(|(helper, ty)| definition(&module, helper, ty)).collect();
    out.insert_str(start, &helpers);
    Ok(out)
}

/// Checks that a version can express the module.
#[cfg(feature = "glsl")]
fn check(module: &Shared<'_>, version: GlslVersion) -> Result<()> {
    let (name, declarations) = (version.name(), &module.declarations);
    let lacks =
        |what: &str| Err(Error::new(Kind::TargetLacks { target: name, what: what.into() }, At::Whole));
    if version != GlslVersion::Vulkan450 && declarations.reads.specialized != 0 {
        return Err(unspecialized(name));
    }
    match version {
        GlslVersion::Core330 if module.source.interface.entry_point.is_compute() => lacks("compute form"),
        GlslVersion::Vulkan450 | GlslVersion::Core330 => Ok(()),
        GlslVersion::Es310 => {
            no_shared_bindings(name, declarations.bindings())?;
            if declarations.clips() { lacks("clip distances: let them be a varying") } else { Ok(()) }
        }
    }
}

/// Returns the definition of a function on vectors.
#[cfg(feature = "glsl")]
fn definition(module: &Shared<'_>, helper: Helper, ty: Type) -> String {
    let (dialect, name) = (&module.dialect, &module.lanewise[helper as usize]);
    let word = dialect.ty(ty);
    let condition = match helper {
        Helper::Choose => format!(", {} c", dialect.ty(ty.with_kind(ir::ScalarKind::Bool))),
        Helper::Both | Helper::Either => String::new(),
    };
    let lanes = LANES[..usize::from(ty.lanes)].iter();
    let lanes: Vec<_> =
        lanes.map(|lane| Helper::ALL[helper as usize].2.replace('L', &lane.to_string())).collect();
    format!(
        "{word} {name}({word} a, {word} b{condition}) {{\n    return {word}({});\n}}\n\n",
        lanes.join(", ")
    )
}
