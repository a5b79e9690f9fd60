//! GLSL that hosts can link with shaders of their own.
//! In: the pieces of a module, the version. Out: text under the contract below. Knows nothing of
//! the IR's control flow.
//! Facts: GLSL 3.30, 4.50 and ES 3.10, GL_KHR_vulkan_glsl; where `precise` is taken was measured
//! with glslang 12.
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
//! | geometry program | storage buffers `Feed`, `Triangles`, `Counts`, `State`, arrays of those names in small letters; block `Draw`, instance `draw` | as [`kernel::bindings`](crate::geometry::kernel::bindings) says, set 0; not in 330 |
//!
//! The names of blocks, varyings, and what is in the blocks never depend on the program, apart from
//! members named after its symbols; all else gives way to them. Nothing is of less than `highp`.
//!
//! Results are exact where arithmetic is `precise`, which it is unless [`Profile::no_contraction`]
//! is off: 450 has the word; 330 has it where the driver offers `GL_ARB_gpu_shader5` and
//! `GL_ARB_shader_precision`, ES 310 where it offers `GL_EXT_gpu_shader5` or `GL_OES_gpu_shader5`.
//! There it goes by the macro `PRECISE`, which is empty elsewhere; a host that knows better defines
//! the macro itself. (Of 330 both are asked for because glslang defines the first without knowing
//! the word; Mesa defines both.)

mod declarations;
mod dialect;

use self::dialect::Glsl;
use super::declarations::Declarations;
use super::inline::Style;
use super::names::Names;
use super::{Writer, header};
use crate::backend::interface::Source;
use crate::error::{At, Error, Kind, Result};
use crate::host::Location;

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
/// # use transpica::stages::{backend::{Source, text}, host, ir};
/// let module = ir::text::parse("func main { %0: f32x4 = input v0 %1: f32x4 = add %0 %0 yield %1 }")?;
/// let interface = host::Interface {
///     attributes: vec![host::Attribute { register: 0, name: "place".into(), format: Default::default() }],
///     outputs: vec![host::Output {
///         name: "position".into(),
///         location: host::Location::Position,
///         components: vec![host::ComponentSource::One; 4],
///         value: host::OutputValue::Plain,
///     }],
///     ..host::Interface::default()
/// };
/// let (options, profile) = (host::Options::default(), host::Profile::default());
/// let source = Source { module: &module, interface: &interface, limits: &options.limits, profile: &profile };
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
/// [`Kind::TargetLacks`] for what the version lacks: specialisation constants (but 450), the compute
/// form (330), clip distances as a built-in and two blocks of one binding (ES). [`Kind::Verify`]
/// where the program is not well-formed or does not fit its interface.
pub fn glsl(source: &Source<'_>, version: GlslVersion) -> Result<String> {
    let declarations = Declarations::new(source, dialect::is_reserved)?;
    check(source, &declarations, version)?;
    let mut names = Names::new(dialect::is_reserved);
    let style = Style { marks_exact: source.profile.no_contraction };
    let dialect = Glsl::new(version, &declarations, &mut names);
    let inputs = dialect.inputs.clone();
    let mut writer = Writer::new(source, declarations, names, dialect, style);
    writer.head(&header(source.interface));
    writer.declare();
    let start = writer.out.len();
    writer.helpers()?;
    writer.entry(Some(&inputs))?;
    let helpers = writer.dialect.helpers();
    writer.out.insert_str(start, &helpers);
    Ok(writer.out)
}

/// Checks that a version can say what the module wants.
fn check(source: &Source<'_>, declarations: &Declarations, version: GlslVersion) -> Result<()> {
    let lacks = |what: &str| {
        Err(Error::new(Kind::TargetLacks { target: version.name(), what: what.into() }, At::Whole))
    };
    if version != GlslVersion::Vulkan450 {
        declarations.no_specialized(version.name())?;
    }
    match version {
        GlslVersion::Core330 if source.interface.entry_point.is_compute() => lacks("compute form"),
        GlslVersion::Vulkan450 | GlslVersion::Core330 => Ok(()),
        GlslVersion::Es310 => {
            declarations.no_shared_bindings(version.name())?;
            match declarations.ports.iter().any(|port| port.location == Location::ClipDistances) {
                true => lacks("clip distances: let them be a varying"),
                false => Ok(()),
            }
        }
    }
}
