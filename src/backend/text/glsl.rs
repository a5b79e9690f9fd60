//! GLSL that hosts can link with shaders of their own.
//! In: the pieces of a module, the version. Out: text under that contract. Knows nothing of the
//! IR's control flow.
//! Facts: GLSL 3.30 to 4.60 and ES 3.00 to 3.20, GL_KHR_vulkan_glsl,
//! GL_ARB_separate_shader_objects, GL_EXT_clip_cull_distance; where `precise` is taken was measured
//! with glslang 12 and Mesa 22.3.
//!
//! The contract is the section "GLSL" of [`guide::emulator`](crate::guide::emulator): names, types,
//! places, `precise`. (Of 330 both extensions are asked for because glslang defines the first
//! without knowing the word; Mesa defines both.)

#[cfg(feature = "glsl")]
use std::fmt::Write as _;

use super::inline::Marks;
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
#[cfg(feature = "glsl")]
use crate::isa::placed::PlacedText;

/// Version of GLSL.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum GlslVersion {
    /// `#version 330 core`, for OpenGL 3.3 and later.
    Core330,
    /// `#version 400 core`, for OpenGL 4.0 and later.
    Core400,
    /// `#version 410 core`, for OpenGL 4.1 and later.
    Core410,
    /// `#version 420 core`, for OpenGL 4.2 and later.
    Core420,
    /// `#version 430 core`, for OpenGL 4.3 and later.
    Core430,
    /// `#version 440 core`, for OpenGL 4.4 and later.
    Core440,
    /// `#version 450 core`, for OpenGL 4.5 and later.
    Core450,
    /// `#version 460 core`, for OpenGL 4.6.
    Core460,
    /// `#version 450` with sets and bindings, for Vulkan.
    #[default]
    Vulkan450,
    /// `#version 300 es`, for OpenGL ES 3.0 and later, and for WebGL 2.
    Es300,
    /// `#version 310 es`, for OpenGL ES 3.1 and later.
    Es310,
    /// `#version 320 es`, for OpenGL ES 3.2.
    Es320,
}

/// Facts about a version.
pub struct Row {
    pub version: GlslVersion,
    /// Name in error texts.
    pub name: &'static str,
    /// First line.
    line: &'static str,
    /// Versions of OpenGL ES have default precisions and no redeclared `gl_PerVertex`.
    pub is_es: bool,
    pub varyings: Varyings,
    pub bindings: Bindings,
    precise: Precise,
    /// True if `mix` selects integers and conditions, not only floats.
    pub mixes_all: bool,
    /// True if there are compute shaders and storage buffers.
    computes: bool,
    /// True if there is a `switch` that every driver takes inside a loop. WebGL reaches Direct3D's
    /// compiler FXC, which does not.
    pub switches: bool,
}

/// Matching of varyings between stages.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Varyings {
    /// By name. Vertex outputs cannot have locations.
    Named,
    /// By name; an extension gives locations, and a `gl_PerVertex` that can be redeclared.
    Extended,
    /// By location.
    Located,
}

/// Place of a block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Bindings {
    /// None: the host binds blocks by name.
    Named,
    /// A binding.
    Bound,
    /// A binding in a set.
    InSets,
}

/// The qualifier `precise`.
#[derive(Clone, Copy)]
enum Precise {
    /// A word of the language.
    Word,
    /// Offered by extensions: conditions on macros that a driver must define, and the extension
    /// that enables it then.
    Offered(&'static [[&'static str; 2]]),
    /// Not in the language.
    Absent,
}

impl GlslVersion {
    /// All versions.
    pub const ALL: [Self; 12] = {
        let mut all = [Self::Vulkan450; 12];
        let mut index = 0;
        while index < ROWS.len() {
            all[index] = ROWS[index].version;
            index += 1;
        }
        all
    };

    /// Returns whether the text is for OpenGL or OpenGL ES, not for Vulkan.
    pub const fn is_opengl(self) -> bool {
        !matches!(self, Self::Vulkan450)
    }

    /// Returns whether the text is for OpenGL ES.
    pub const fn is_es(self) -> bool {
        self.row().is_es
    }

    /// Returns whether every driver keeps arithmetic as written if the profile requests it. Other
    /// versions ask for an extension, or have no such promise.
    pub const fn is_exact(self) -> bool {
        matches!(self.row().precise, Precise::Word)
    }

    /// Returns whether the outputs of a vertex stage have locations, and stages match by them.
    /// Other versions match by name.
    pub const fn has_varying_locations(self) -> bool {
        matches!(self.row().varyings, Varyings::Located)
    }

    /// Returns whether blocks have bindings. Hosts of other versions bind blocks by name.
    pub const fn has_bindings(self) -> bool {
        !matches!(self.row().bindings, Bindings::Named)
    }

    /// Returns whether there are compute shaders.
    pub const fn has_compute(self) -> bool {
        self.row().computes
    }

    /// The row of this version.
    pub(super) const fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }
}

/// Desktop OpenGL from 4.2 on: 330 plus locations, bindings and `precise`.
const DESKTOP: Row = Row {
    version: GlslVersion::Core420,
    name: "GLSL 420",
    line: "#version 420 core\n",
    is_es: false,
    varyings: Varyings::Located,
    bindings: Bindings::Bound,
    precise: Precise::Word,
    mixes_all: false,
    computes: false,
    switches: true,
};
/// OpenGL ES 3.2.
const ES: Row = Row {
    version: GlslVersion::Es320,
    name: "GLSL ES 320",
    line: "#version 320 es\n",
    is_es: true,
    mixes_all: true,
    computes: true,
    ..DESKTOP
};

/// A row for each version, in their order.
static ROWS: [Row; 12] = [
    Row {
        version: GlslVersion::Core330,
        name: "GLSL 330",
        line: "#version 330 core\n",
        varyings: Varyings::Extended,
        bindings: Bindings::Named,
        // glslang defines GL_ARB_gpu_shader5 in 330 but has no `precise` there. Drivers that have
        // it define both.
        precise: Precise::Offered(&[[
            "defined(GL_ARB_gpu_shader5) && defined(GL_ARB_shader_precision)",
            "GL_ARB_gpu_shader5",
        ]]),
        ..DESKTOP
    },
    Row {
        version: GlslVersion::Core400,
        name: "GLSL 400",
        line: "#version 400 core\n",
        varyings: Varyings::Extended,
        bindings: Bindings::Named,
        ..DESKTOP
    },
    Row {
        version: GlslVersion::Core410,
        name: "GLSL 410",
        line: "#version 410 core\n",
        bindings: Bindings::Named,
        ..DESKTOP
    },
    DESKTOP,
    Row {
        version: GlslVersion::Core430,
        name: "GLSL 430",
        line: "#version 430 core\n",
        computes: true,
        ..DESKTOP
    },
    Row {
        version: GlslVersion::Core440,
        name: "GLSL 440",
        line: "#version 440 core\n",
        computes: true,
        ..DESKTOP
    },
    Row {
        version: GlslVersion::Core450,
        name: "GLSL 450 core",
        line: "#version 450 core\n",
        mixes_all: true,
        computes: true,
        ..DESKTOP
    },
    Row {
        version: GlslVersion::Core460,
        name: "GLSL 460",
        line: "#version 460 core\n",
        mixes_all: true,
        computes: true,
        ..DESKTOP
    },
    Row {
        version: GlslVersion::Vulkan450,
        name: "GLSL 450",
        line: "#version 450\n",
        bindings: Bindings::InSets,
        mixes_all: true,
        computes: true,
        ..DESKTOP
    },
    Row {
        version: GlslVersion::Es300,
        name: "GLSL ES 300",
        line: "#version 300 es\n",
        varyings: Varyings::Named,
        bindings: Bindings::Named,
        precise: Precise::Absent,
        mixes_all: false,
        computes: false,
        switches: false,
        ..ES
    },
    Row {
        version: GlslVersion::Es310,
        name: "GLSL ES 310",
        line: "#version 310 es\n",
        precise: Precise::Offered(&[
            ["defined(GL_EXT_gpu_shader5)", "GL_EXT_gpu_shader5"],
            ["defined(GL_OES_gpu_shader5)", "GL_OES_gpu_shader5"],
        ]),
        ..ES
    },
    ES,
];

impl Row {
    /// The qualifier in front of an exact declaration.
    pub const fn precise(&self) -> &'static str {
        match self.precise {
            Precise::Word => "precise ",
            Precise::Offered(_) => "PRECISE ",
            Precise::Absent => "",
        }
    }

    /// Returns what is marked as exact, or at least kept apart in variables of its own. Of
    /// comparisons in SPIR-V no qualifier says anything.
    pub const fn marks(&self) -> Marks {
        match self.bindings {
            Bindings::InSets => Marks::Arithmetic,
            Bindings::Bound | Bindings::Named => Marks::Comparisons,
        }
    }

    /// Writes the head of every text.
    #[cfg(feature = "glsl")]
    pub(super) fn head(&self, out: &mut String, source: &BackendInput<'_>, clips: bool) {
        let (mut header, glsl) = (header(source.interface), &source.profile.glsl);
        // Comments may have other characters since 4.20, and in OpenGL ES.
        if matches!(self.version, GlslVersion::Core330 | GlslVersion::Core400 | GlslVersion::Core410) {
            header = header.replace(|c: char| !c.is_ascii(), "?");
        }
        if glsl.version_line {
            out.push_str(self.line);
        }
        out.push_str(if header.is_empty() { "\n" } else { &header });
        let mut is_long = false;
        if glsl.separable && self.varyings == Varyings::Extended {
            out.push_str("#extension GL_ARB_separate_shader_objects : require\n");
            is_long = true;
        }
        if clips && self.is_es {
            // WebGL has the second name.
            out.push_str("#if defined(GL_EXT_clip_cull_distance) || !defined(GL_ANGLE_clip_cull_distance)\n");
            out.push_str("#extension GL_EXT_clip_cull_distance : require\n#else\n");
            out.push_str("#extension GL_ANGLE_clip_cull_distance : require\n#endif\n");
            is_long = true;
        }
        if let Precise::Offered(offers) = self.precise
            && source.profile.no_contraction
        {
            // First, so that a host may define the macro for a driver that offers no extension.
            out.push_str("#if defined(PRECISE)\n");
            for [condition, extension] in offers {
                let _ = writeln!(out, "#elif {condition}\n#extension {extension} : enable");
                out.push_str("#define PRECISE precise\n");
            }
            out.push_str("#else\n#define PRECISE\n#endif\n");
            is_long = true;
        }
        out.push_str(if is_long { "\n" } else { "" });
        // Registers hold 16 bits of fraction and 7 of exponent. `mediump` promises 10 and 5.
        if self.is_es {
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
/// [`Kind::TargetLacks`] for what the version lacks: specialization constants (all but 450 for
/// Vulkan), the compute form (before 430 and 310 es), two blocks of one binding (OpenGL).
/// [`Kind::BadName`] for the names of the profile.
/// [`Kind::Verify`] where the program is not well-formed or does not fit its interface.
#[cfg(feature = "glsl")]
pub fn glsl(source: &BackendInput<'_>, version: GlslVersion) -> Result<String> {
    write_glsl(source, version, None)
}

/// As [`glsl`], with the instructions of the program that each line evaluates values for.
///
/// # Errors
/// As [`glsl`].
#[cfg(feature = "glsl")]
pub fn glsl_placed(source: &BackendInput<'_>, version: GlslVersion) -> Result<PlacedText> {
    let mut trace = Vec::new();
    let text = write_glsl(source, version, Some(&mut trace))?;
    Ok(super::placed(text, &trace, &source.module.main))
}

#[cfg(feature = "glsl")]
fn write_glsl(
    source: &BackendInput<'_>,
    version: GlslVersion,
    mut trace: Option<&mut super::Trace>,
) -> Result<String> {
    if source.interface.entry_point == EntryPoint::Quaternions {
        return super::quaternions::glsl(source, version);
    }
    let row = version.row();
    let (module, names) = Shared::new(source, dialect::glsl(version))?;
    check(&module, row)?;
    let mut out = String::new();
    row.head(&mut out, source, module.declarations.clips());
    module.declarations.write_glsl(&mut out, &module.dialect, row, source.profile);
    // Only the bodies show which functions on vectors are called, but GLSL has definitions before
    // calls.
    let start = out.len();
    let mut called = module.functions(
        &mut out,
        &names,
        if source.profile.no_contraction { row.marks() } else { Marks::Nothing },
        trace.as_deref_mut(),
    )?;
    called.sort_by_cached_key(|(helper, ty)| {
        (*helper as u64) << 16 | (ty.kind as u64) << 8 | u64::from(ty.lanes)
    });
    let helpers: String = called.into_iter().map(|(helper, ty)| definition(&module, helper, ty)).collect();
    out.insert_str(start, &helpers);
    trace.into_iter().flatten().for_each(|(offset, _)| *offset += helpers.len());
    Ok(out)
}

/// Checks that a version can express the module.
#[cfg(feature = "glsl")]
fn check(module: &Shared<'_>, row: &Row) -> Result<()> {
    let declarations = &module.declarations;
    if row.version.is_opengl() && declarations.reads.specialized != 0 {
        return Err(unspecialized(row.name));
    }
    if !row.computes && module.source.interface.entry_point.is_compute() {
        let what = "compute form".into();
        return Err(Error::new(Kind::TargetLacks { target: row.name, what }, At::Whole));
    }
    match row.bindings {
        Bindings::Bound => no_shared_bindings(row.name, declarations.bindings()),
        Bindings::Named | Bindings::InSets => Ok(()),
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
