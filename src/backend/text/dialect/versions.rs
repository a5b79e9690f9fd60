//! Versions of GLSL: a row for each.
//! Facts: GLSL 3.30 to 4.60 and ES 3.00 to 3.20, GL_KHR_vulkan_glsl,
//! GL_ARB_separate_shader_objects; where `precise` is taken was measured with glslang 12 and Mesa
//! 22.3.

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
    pub line: &'static str,
    /// Versions of OpenGL ES have default precisions and no redeclared `gl_PerVertex`.
    pub is_es: bool,
    pub varyings: Varyings,
    pub bindings: Bindings,
    pub precise: Precise,
    /// True if `mix` selects integers and conditions, not only floats.
    pub mixes_all: bool,
    /// True if there are compute shaders and storage buffers.
    pub computes: bool,
    /// True if there is a `switch` that every driver takes inside a loop (drivers.md#fxc-switches).
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
pub enum Precise {
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

    /// Returns whether there are geometry stages.
    pub const fn has_geometry_stages(self) -> bool {
        !matches!(self, Self::Es300 | Self::Es310)
    }

    /// The row of this version.
    pub(crate) const fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }
}

/// Desktop OpenGL from 4.2 on: 330 plus locations, bindings and `precise`.
const fn desktop(version: GlslVersion, name: &'static str, line: &'static str) -> Row {
    Row {
        version,
        name,
        line,
        is_es: false,
        varyings: Varyings::Located,
        bindings: Bindings::Bound,
        precise: Precise::Word,
        mixes_all: false,
        computes: false,
        switches: true,
    }
}

/// OpenGL from 4.5 on, and OpenGL ES from 3.1 on.
const fn recent(version: GlslVersion, name: &'static str, line: &'static str) -> Row {
    Row { mixes_all: true, computes: true, ..desktop(version, name, line) }
}

/// A row for each version, in their order.
static ROWS: [Row; 12] = [
    Row {
        varyings: Varyings::Extended,
        bindings: Bindings::Named,
        // Drivers that have `precise` define both (drivers.md#glslang-precise).
        precise: Precise::Offered(&[[
            "defined(GL_ARB_gpu_shader5) && defined(GL_ARB_shader_precision)",
            "GL_ARB_gpu_shader5",
        ]]),
        ..desktop(GlslVersion::Core330, "GLSL 330", "#version 330 core\n")
    },
    Row {
        varyings: Varyings::Extended,
        bindings: Bindings::Named,
        ..desktop(GlslVersion::Core400, "GLSL 400", "#version 400 core\n")
    },
    Row { bindings: Bindings::Named, ..desktop(GlslVersion::Core410, "GLSL 410", "#version 410 core\n") },
    desktop(GlslVersion::Core420, "GLSL 420", "#version 420 core\n"),
    Row { computes: true, ..desktop(GlslVersion::Core430, "GLSL 430", "#version 430 core\n") },
    Row { computes: true, ..desktop(GlslVersion::Core440, "GLSL 440", "#version 440 core\n") },
    recent(GlslVersion::Core450, "GLSL 450 core", "#version 450 core\n"),
    recent(GlslVersion::Core460, "GLSL 460", "#version 460 core\n"),
    Row { bindings: Bindings::InSets, ..recent(GlslVersion::Vulkan450, "GLSL 450", "#version 450\n") },
    Row {
        is_es: true,
        varyings: Varyings::Named,
        bindings: Bindings::Named,
        precise: Precise::Absent,
        switches: false,
        ..desktop(GlslVersion::Es300, "GLSL ES 300", "#version 300 es\n")
    },
    Row {
        is_es: true,
        precise: Precise::Offered(&[
            ["defined(GL_EXT_gpu_shader5)", "GL_EXT_gpu_shader5"],
            ["defined(GL_OES_gpu_shader5)", "GL_OES_gpu_shader5"],
        ]),
        ..recent(GlslVersion::Es310, "GLSL ES 310", "#version 310 es\n")
    },
    Row { is_es: true, ..recent(GlslVersion::Es320, "GLSL ES 320", "#version 320 es\n") },
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
}

/// Operations that are exact only in the value of a marked variable.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Marks {
    /// Nothing.
    Nothing,
    /// Arithmetic on floats.
    Arithmetic,
    /// Arithmetic, and comparisons of floats (drivers.md#nan-maximum). The condition of `?:` is not
    /// part of what a mark reaches there, an argument of `mix` is.
    Comparisons,
}
