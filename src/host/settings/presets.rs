//! Blocks, conventions, options and profiles of known emulators.
//! In: an emulator and its graphics API. Out: plain data. Knows no program.
//! Facts: layouts of the hosts' blocks as in [`Layout`]; conventions of clip volume, bindings and
//! locations as the hosts' own stages have them.

use std::borrow::Cow;

use super::linkage::{AttributeNames, BlockNames, GlslOutputs, GlslProfile, Varying, VaryingSource};
use super::options::{Block, ClipPlanes, Control, DepthRange, DepthSnap, FlipY, Layout, Options, Outputs};
use super::profile::Profile;
use super::register_layout::{IntPacking, RegisterLayout};
use crate::program::container::Semantic;

/// An emulator with known conventions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KnownHost {
    /// Azahar: block of 1,616 bytes at binding 0, host block of 32 at binding 1, varyings by
    /// location.
    Azahar,
    /// Panda3DS: block of 1,556 bytes, z as the program writes it, varyings by the names of its
    /// fragment stages, clipping by the host's own `main`.
    Panda3ds,
    /// Tanuki3DS: block of 1,604 bytes, GLSL for a `main` of the host that maps depth and rotates
    /// normals, see [`guide::emulator`](crate::guide::emulator).
    Tanuki3ds,
}

impl RegisterLayout {
    /// Azahar: bools at 0, ints at 16, floats at 80; 1616 bytes.
    pub const AZAHAR: Self = Self { floats: 80, ints: 16, packing: IntPacking::Words, bools: 0 };
    /// Panda3DS: floats at 0, ints as bytes at 1536, bools at 1552; 1556 bytes.
    pub const PANDA3DS: Self = Self { floats: 0, ints: 1536, packing: IntPacking::Bytes, bools: 1552 };
}

/// The rows of [`Varying::AZAHAR`].
const AZAHAR: &[Varying; 9] = &[
    Varying::new("color", 1, Semantic::Color),
    Varying::new("texcoord0_uv", 2, Semantic::Texcoord0),
    Varying::new("texcoord1_uv", 3, Semantic::Texcoord1),
    Varying::new("texcoord2_uv", 4, Semantic::Texcoord2),
    Varying::new("texcoord0_w", 5, Semantic::Texcoord0W),
    Varying::new("normal_quaternion", 6, Semantic::Quaternion),
    Varying::new("view", 7, Semantic::View),
    Varying::new("clip_distances", 8, Semantic::Generic),
    Varying::new("position_raw", 0, Semantic::Position),
];

/// Variables that the `main` of Tanuki3DS reads. It has outputs of the plain names.
const TANUKI3DS: &[Varying; 7] = &[
    Varying::new("pica_color", 0, Semantic::Color),
    Varying::new("pica_texcoord0", 1, Semantic::Texcoord0),
    Varying::new("pica_texcoord1", 2, Semantic::Texcoord1),
    Varying::new("pica_texcoord2", 3, Semantic::Texcoord2),
    Varying::new("pica_texcoordw", 4, Semantic::Texcoord0W),
    Varying::new("pica_quaternion", 5, Semantic::Quaternion),
    Varying::new("pica_view", 6, Semantic::View),
];

/// Variables of Panda3DS's fragment stages: texture coordinates are mirrored, the first with its w.
const PANDA3DS: &[Varying; 6] = &{
    use VaryingSource::{Code, Complement};
    const fn row(name: &'static str, location: u32, components: &'static [VaryingSource]) -> Varying {
        Varying { name: Cow::Borrowed(name), location, components: Cow::Borrowed(components) }
    }
    [
        Varying::new("v_quaternion", 0, Semantic::Quaternion),
        Varying::new("v_colour", 1, Semantic::Color),
        row("v_texcoord0", 2, &[Code(0x0C), Complement(0x0D), Code(0x10)]),
        row("v_texcoord1", 3, &[Code(0x0E), Complement(0x0F)]),
        row("v_texcoord2", 4, &[Code(0x16), Complement(0x17)]),
        Varying::new("v_view", 5, Semantic::View),
    ]
};

impl Varying {
    /// Locations in Azahar's shaders: a copy of the position 0, color 1, texture coordinates 2 to
    /// 5, quaternion 6, view 7.
    pub const AZAHAR: Cow<'static, [Self]> = Cow::Borrowed(AZAHAR);
}

impl DepthSnap {
    /// Azahar's: 0 < z/w < 10^-6 becomes 0, -1.00001 < z/w < -1 becomes -1. Games depend on it:
    /// their triangles that cover the screen lie at z/w = 5·10^-8, 9·10^-7 and -1.0000021.
    pub const AZAHAR: Self = Self { near: 1e-6, far: 1e-5 };
}

/// The graphics API that a host draws with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Renderer {
    /// Vulkan 1.1 and later, with SPIR-V.
    Vulkan,
    /// OpenGL with a clip volume of -w..w, as it is without `glClipControl`.
    OpenGl,
    /// OpenGL ES.
    OpenGlEs,
}

/// Options and profile of a host.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Preset {
    /// Options.
    pub options: Options,
    /// Profile.
    pub profile: Profile,
}

/// Maximum number of backward jumps before a preset ends a program.
const LOOP_GUARD: u32 = 1 << 16;

/// Returns what a known host needs; none for a renderer that it does not have. Any field may be
/// changed afterwards. Presets serve every driver: a host that draws on GPUs only may switch off
/// [`Profile::leave_loops_at_head`], and a host of Vulkan adds what its device reports,
/// [`FloatControls::from_vulkan`](super::FloatControls::from_vulkan). OpenGL reads texts, which
/// declare nothing.
///
/// ```
/// use transpica::settings::{KnownHost, Renderer, preset};
/// use transpica::Translator;
/// use transpica::settings::Layout;
/// let preset = preset(KnownHost::Azahar, Renderer::Vulkan).expect("it has Vulkan");
/// assert_eq!(preset.options.block.layout, Layout::Azahar);
/// let _translator = Translator::new(preset.options, preset.profile);
/// ```
pub fn preset(host: KnownHost, renderer: Renderer) -> Option<Preset> {
    let shown = Outputs { all: true, depth: DepthRange::Raw, ..Outputs::default() };
    // Nothing reads the copy of the position.
    let [read @ .., _position] = AZAHAR;
    let (layout, outputs, varyings, glsl) = match (host, renderer) {
        (KnownHost::Azahar, _) => {
            let outputs = Outputs {
                depth: match renderer {
                    Renderer::Vulkan => DepthRange::ZeroToW,
                    Renderer::OpenGl | Renderer::OpenGlEs => DepthRange::MinusWToW,
                },
                flip_y: FlipY::Dynamic,
                clip_planes: ClipPlanes::BuiltIn,
                snap_depth: DepthSnap::AZAHAR,
                ..shown
            };
            (Layout::Azahar, outputs, Cow::Borrowed(&read[..]), GlslProfile::DEFAULT)
        }
        (KnownHost::Panda3ds | KnownHost::Tanuki3ds, Renderer::Vulkan)
        | (KnownHost::Tanuki3ds, Renderer::OpenGlEs) => return None,
        (KnownHost::Tanuki3ds, Renderer::OpenGl) => {
            let glsl = GlslProfile {
                version_line: false,
                extension_lines: false,
                entry: "pica_main".into(),
                outputs: GlslOutputs::Globals,
                attributes: AttributeNames::Numbered("v".into()),
                ..GlslProfile::DEFAULT
            };
            let outputs = Outputs { clamp_colors: false, ..shown };
            (Layout::Registers, outputs, Cow::Borrowed(&TANUKI3DS[..]), glsl)
        }
        (KnownHost::Panda3ds, Renderer::OpenGl | Renderer::OpenGlEs) => {
            let uniforms = BlockNames { block: "PICAShaderUniforms".into(), instance: None };
            let glsl = GlslProfile { uniforms, ..GlslProfile::DEFAULT };
            (Layout::Panda3ds, shown, Cow::Borrowed(&PANDA3DS[..]), glsl)
        }
    };
    let block = Block { layout, ..Block::default() };
    let control = Control { loop_guard: Some(LOOP_GUARD), ..Control::default() };
    Some(Preset {
        options: Options { block, outputs, control, ..Options::default() },
        profile: Profile { names: false, varyings, glsl, ..Profile::default() },
    })
}
