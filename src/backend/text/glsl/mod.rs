//! GLSL that hosts can link with shaders of their own.
//! In: a `naga::Module` from [`naga_ir`](crate::backend::naga_ir), the [`Interface`] it was built for, what the host is like. Out:
//! text under the contract below. Must not know the IR. What GLSL shares with WGSL is in `text::writer`.
//! Facts: GLSL 3.30, 4.50 and ES 3.10, GL_KHR_vulkan_glsl; where `precise` is taken was measured with glslang 12.
//!
//! | what | name | where |
//! |---|---|---|
//! | uniform block | block `Uniforms`, instance `uniforms` | std140; binding and set of the [`Profile`], 330: by name |
//! | its members | as [`UniformBlock`](crate::host::UniformBlock) names them (`c`, `i`, `b` in register layouts) | byte offsets of the block; gaps are `padding` members |
//! | host block | block `Host`, instance `host`, members `clip_enabled`, `flip_y`, `clip_plane` | as the uniform block |
//! | attribute *name* | `in_`*name* | location of its v register, in all versions |
//! | varyings | `color`, `texcoord0_uv`, `texcoord1_uv`, `texcoord2_uv`, `texcoord0_w`, `normal_quaternion`, `view`, and where asked for `position_raw`, `clip_distances` | location of the [`Profile`]; 330: by name |
//! | position | `gl_Position`, as the options say and no other way; `invariant` if the profile says so | |
//! | clip distances | `gl_ClipDistance[0]`, `[1]`; not in ES | |
//! | specialisation constants | `b3`, `i0_x` | `constant_id`, 450 alone |
//! | compute form | storage buffers `Inputs`, `Outputs`, arrays `inputs`, `outputs` | bindings 0 and 1, block 2, set 0; not in 330 |
//! | geometry program | storage buffers `Feed`, `Triangles`, `Counts`, `State`, arrays of those names in small letters; block `Draw`, instance `draw` | as [`kernel::bindings`](crate::host::kernel::bindings) says, set 0; not in 330 |
//!
//! The names of blocks, varyings, and what is in the blocks never depend on the program, apart from members named after its symbols;
//! all else gives way to them. Nothing is of less than `highp`.
//!
//! Results are exact where arithmetic is `precise`, which it is unless [`Profile::no_contraction`] is off: 450 has the word;
//! 330 has it where the driver offers `GL_ARB_gpu_shader5` and `GL_ARB_shader_precision`, ES 310 where it offers
//! `GL_EXT_gpu_shader5` or `GL_OES_gpu_shader5`. There it goes by the macro `PRECISE`, which is empty elsewhere; a host that
//! knows better defines the macro itself. (Of 330 both are asked for because glslang defines the first without knowing the
//! word; Mesa defines both.)

mod declarations;
mod dialect;

use naga::ShaderStage;

use self::declarations::Ports;
use self::dialect::Glsl;
use super::writer::{Dialect, Names, Writer};
use super::{header, no_overrides, no_shared_bindings};
use crate::error::{At, Error, Kind, Result};
use crate::host::{Interface, Location, Profile};

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

    /// As error texts name it.
    const fn name(self) -> &'static str {
        match self {
            Self::Core330 => "GLSL 330",
            Self::Vulkan450 => "GLSL 450",
            Self::Es310 => "GLSL ES 310",
        }
    }
}

/// The module as GLSL. Names and places are those of the module's documentation.
///
/// ```
/// # use transpica::{backend::{naga_ir, text}, host, ir};
/// let module = ir::text::parse("func main { %0: f32x4 = input v0 %1: f32x4 = add %0 %0 yield %1 }")?;
/// let interface = host::Interface {
///     attributes: vec![host::Attribute { register: 0, name: "place".into() }],
///     outputs: vec![host::Output {
///         name: "position".into(),
///         location: host::Location::Position,
///         components: vec![host::ComponentSource::One; 4],
///         value: host::OutputValue::Plain,
///     }],
///     ..host::Interface::default()
/// };
/// let profile = host::Profile::default();
/// let module = naga_ir::build(&module, &interface, &host::Options::default(), &profile)?;
/// assert_eq!(
///     text::glsl(&module, &interface, text::GlslVersion::Vulkan450, &profile)?,
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
/// # Ok::<(), transpica::error::Error>(())
/// ```
///
/// # Errors
/// [`Kind::BadOption`] for what the version lacks: specialisation constants (but 450), the compute form (330), clip distances as
/// a built-in and two blocks of one binding (ES). [`Kind::Backend`] where the module contains what ours never do.
pub fn glsl(
    module: &naga::Module,
    interface: &Interface,
    version: GlslVersion,
    profile: &Profile,
) -> Result<String> {
    check(module, interface, version)?;
    let mut names = Names::new(Glsl::is_reserved);
    let ports = Ports::new(module, &mut names);
    let dialect = Glsl::new(version, profile.no_contraction, ports, &mut names);
    let mut writer = Writer::new(module, dialect, names, String::new());
    writer.head(&header(interface));
    writer.settings()?;
    writer.blocks()?;
    writer.ports()?;
    let start = writer.out.len();
    writer.helpers()?;
    for entry in &module.entry_points {
        writer.function(&entry.function, &entry.name)?;
    }
    let helpers = writer.dialect.helpers();
    writer.out.insert_str(start, &helpers);
    Ok(writer.out)
}

/// Checks that a version can say what the module wants.
fn check(module: &naga::Module, interface: &Interface, version: GlslVersion) -> Result<()> {
    let lacks = |what: &str| {
        let text = format!("{} has no {what}", version.name());
        Err(Error::new(Kind::BadOption(text), At::Whole))
    };
    if version != GlslVersion::Vulkan450 {
        no_overrides(module, version.name())?;
    }
    let stage = module.entry_points.first().map(|entry| entry.stage);
    match version {
        GlslVersion::Vulkan450 => {}
        GlslVersion::Core330 if stage == Some(ShaderStage::Compute) => return lacks("compute form"),
        GlslVersion::Core330 => {}
        GlslVersion::Es310 => {
            no_shared_bindings(module, version.name())?;
            let is_clipped =
                interface.outputs.iter().any(|output| output.location == Location::ClipDistances);
            if is_clipped && stage == Some(ShaderStage::Vertex) {
                return lacks("clip distances: let them be a varying");
            }
        }
    }
    Ok(())
}
