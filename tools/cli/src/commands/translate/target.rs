//! Targets of `translate`: their names and extensions, and modules in each.

use std::borrow::Borrow;

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde_json::{Value, json};
use transpica::host::EntryPoint;
use transpica::isa::Pc;
use transpica::reflect::Reflection;
use transpica::{Error, GlslVersion, Translation, Translator};
use transpica_containers::to_bytes;
use transpica_containers::vbc::Vbc;

use crate::backend::text::Language;
use crate::json::Schema;
use crate::report::Failure;
use crate::vbc;

/// `--to`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Target {
    /// WGSL text
    Wgsl,
    /// SPIR-V module (also called `spv`)
    #[value(alias = "spv")]
    Spirv,
    /// SPIR-V disassembly
    #[value(alias = "spvasm")]
    SpirvAsm,
    /// GLSL text (see --glsl-version)
    Glsl,
    /// HLSL text
    Hlsl,
    /// MSL text (also called `metal`)
    #[value(alias = "metal")]
    Msl,
    /// Table of inputs, outputs and uniforms; JSON if -o ends in .json
    #[value(alias = "json")]
    Reflection,
    /// VBC: SPIR-V and its reflection in one file
    Vbc,
}

impl Target {
    /// Returns whether modules of this target have a source map; naga's modules have none.
    pub fn has_source_map(self) -> bool {
        ["wgsl", "spirv", "spirv-asm", "glsl"].contains(&self.option())
    }
    /// Returns whether this build has it.
    pub fn is_built(self) -> bool {
        match self {
            Self::Hlsl | Self::Msl => cfg!(feature = "naga"),
            Self::SpirvAsm => cfg!(feature = "spirv-asm"),
            _target_of_every_build => true,
        }
    }
    /// Builds the failure of a build that leaves it out.
    pub fn left_out(self) -> Failure {
        let feature = if self == Self::SpirvAsm { "spirv-asm" } else { "naga" };
        Failure::left_out(&format!("--to {}", self.option()), feature)
    }
    /// Returns the spelling as a value of `--to`, the name in messages, and the extension of files;
    /// the extension of GLSL depends on the stage.
    fn names(self) -> [&'static str; 3] {
        match self {
            Self::Wgsl => ["wgsl", "WGSL", "wgsl"],
            Self::Spirv => ["spirv", "SPIR-V", "spv"],
            Self::SpirvAsm => ["spirv-asm", "SPIR-V disassembly", "spvasm"],
            Self::Glsl => ["glsl", "GLSL", "glsl"],
            Self::Hlsl => ["hlsl", "HLSL", "hlsl"],
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
    /// Extension of its files; `glsl` is the extension of GLSL, which depends on the stage.
    pub fn ending(self, glsl: &'static str) -> &'static str {
        if self == Self::Glsl { glsl } else { self.names()[2] }
    }
}

/// Extensions of modules and tables.
pub const EXTENSIONS: &[(&str, Target)] = &[
    ("wgsl", Target::Wgsl),
    ("spv", Target::Spirv),
    ("spvasm", Target::SpirvAsm),
    ("glsl", Target::Glsl),
    ("vert", Target::Glsl),
    ("comp", Target::Glsl),
    ("geom", Target::Glsl),
    ("hlsl", Target::Hlsl),
    ("metal", Target::Msl),
    ("msl", Target::Msl),
    ("json", Target::Reflection),
    ("vbc", Target::Vbc),
];

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

/// Returns the extension of a GLSL file, by which compilers know the stage.
pub fn glsl_ending(translated: &Translation) -> &'static str {
    match &translated.interface.entry_point {
        EntryPoint::Vertex => "vert",
        EntryPoint::Compute | EntryPoint::Kernel(_) => "comp",
        EntryPoint::Stage(_) | EntryPoint::Quaternions => "geom",
    }
}

/// A module in some target.
pub struct Emitted {
    pub bytes: Vec<u8>,
    /// Warning about what the target does not hold.
    pub warning: Option<String>,
}

/// Returns a module in a target; `tables` writes the reflection as text.
///
/// # Errors
/// The reason why the target cannot hold the module, without the name of a file.
pub fn emit<R: Borrow<Reflection>>(
    translator: &mut Translator,
    translated: &Translation,
    (target, version): (Target, GlslVersion),
    reflection: impl FnOnce() -> R,
    tables: impl FnOnce(&Reflection) -> String,
) -> Result<Emitted, Failure> {
    let fail = |error: Error| Failure::of_program(&error);
    let text = |language| translated.text(language).map(String::into_bytes).map_err(fail);
    let bytes = match target {
        Target::Spirv => to_bytes(&translator.spirv(translated).map_err(fail)?),
        #[cfg(feature = "spirv-asm")]
        Target::SpirvAsm => {
            let words = translator.spirv(translated).map_err(fail)?;
            let text = transpica_inspect::spirv::assembly(&words).map_err(fail)?;
            let api = match translated.profile.spirv_version {
                (1, ..3) => "vulkan1.0",
                (1, 3) => "vulkan1.1",
                (1, 4) => "vulkan1.1spv1.4",
                (1, 5) => "vulkan1.2",
                _ => "vulkan1.3",
            };
            // In the first line, which a source map counts already.
            text.replacen("; SPIR-V\n", &format!("; SPIR-V: spirv-as --target-env {api}\n"), 1).into_bytes()
        }
        Target::Reflection => tables(reflection().borrow()).into_bytes(),
        Target::Vbc => {
            let words = translator.spirv(translated).map_err(fail)?;
            let file = Vbc::from_translation(translated, reflection().borrow(), words);
            let (file, left_out) = file.map_err(|error| vbc::failure(&error))?;
            let bytes = file.write().map_err(|error| vbc::failure(&error))?;
            let warning = || format!("VBC leaves out {}; --reflect has them", left_out.join(", "));
            return Ok(Emitted { bytes, warning: (!left_out.is_empty()).then(warning) });
        }
        Target::Wgsl => text(Language::Wgsl)?,
        Target::Glsl => text(Language::Glsl(version))?,
        #[cfg(feature = "naga")]
        Target::Hlsl => text(Language::Hlsl)?,
        #[cfg(feature = "naga")]
        Target::Msl => text(Language::Msl)?,
        #[cfg(not(all(feature = "naga", feature = "spirv-asm")))]
        left_out => return Err(left_out.left_out()),
    };
    Ok(Emitted { bytes, warning: None })
}

/// Returns the instructions of a program for each line of its module, as JSON, in a target that
/// [has a source map](Target::has_source_map).
///
/// # Errors
/// The same as for the module.
pub fn source_map(translated: &Translation, target: Target, version: GlslVersion) -> Result<String, Error> {
    let (member, places) = match target {
        Target::Spirv => ("instructions", translated.placed_spirv()?.places),
        #[cfg(feature = "spirv-asm")]
        Target::SpirvAsm => {
            ("lines", transpica_inspect::spirv::placed_assembly(&translated.placed_spirv()?)?.places)
        }
        Target::Glsl => ("lines", translated.placed_text(Language::Glsl(version))?.places),
        _wgsl => ("lines", translated.placed_text(Language::Wgsl)?.places),
    };
    let addresses = |pcs: &Vec<Pc>| pcs.iter().map(Pc::to_string).collect::<Value>();
    let places: Value = places.iter().map(addresses).collect();
    Ok(Schema::SOURCE_MAP.text(json!({ "target": target.option(), member: places })))
}
