//! How the position and its planes reach the rasterizer: options that translated vertex stages have.

use clap::{Args, ValueEnum};
use transpica::stages::host::{ClipPlanes, DepthRange, FlipY, Options, Outputs};

/// Conventions of the host for the position of a vertex stage. The defaults are those of the library.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct Position {
    /// z that the host clips: 0..w [default] for Vulkan, WebGPU, Direct3D and Metal, and OpenGL with glClipControl;
    /// -w..w for other OpenGL and for OpenGL ES; raw keeps -w..0, as the program writes it
    #[arg(long, value_enum, value_name = "RANGE", allow_hyphen_values = true, hide_possible_values = true)]
    pub depth: Option<Depth>,
    /// Mirror y: never [default], always, or as the host block says when drawing
    #[arg(long, value_enum, value_name = "WHEN")]
    pub flip_y: Option<Flip>,
    /// The planes z = 0 and the user's: none [default], as built-in clip distances, or as a varying of two distances
    #[arg(long, value_enum, value_name = "HOW")]
    pub clip: Option<Clip>,
}

impl Position {
    /// Returns whether anything was asked for.
    pub fn is_given(self) -> bool {
        let Self { depth, flip_y, clip } = self;
        depth.is_some() || flip_y.is_some() || clip.is_some()
    }
    /// Lays what was asked for over options.
    pub fn apply(self, options: Options) -> Options {
        Options {
            outputs: Outputs {
                depth: self.depth.map_or(options.outputs.depth, DepthRange::from),
                flip_y: self.flip_y.map_or(options.outputs.flip_y, FlipY::from),
                clip_planes: self.clip.map_or(options.outputs.clip_planes, ClipPlanes::from),
                ..options.outputs
            },
            ..options
        }
    }
}

/// `--depth`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Depth {
    /// Vulkan, WebGPU, Direct3D, Metal
    #[value(name = "0..w")]
    ZeroToW,
    /// OpenGL
    #[value(name = "-w..w")]
    MinusWToW,
    /// As the program writes it, -w..0
    Raw,
}

impl From<Depth> for DepthRange {
    fn from(depth: Depth) -> Self {
        match depth {
            Depth::ZeroToW => Self::ZeroToW,
            Depth::MinusWToW => Self::MinusWToW,
            Depth::Raw => Self::Raw,
        }
    }
}

/// `--flip-y`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Flip {
    /// y as the program writes it
    Never,
    /// -y
    Always,
    /// As the host block says when drawing
    Host,
}

impl From<Flip> for FlipY {
    fn from(flip: Flip) -> Self {
        match flip {
            Flip::Never => Self::Never,
            Flip::Always => Self::Always,
            Flip::Host => Self::Dynamic,
        }
    }
}

/// `--clip`
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Clip {
    /// The host's volume alone clips
    None,
    /// Clip distances
    Builtin,
    /// A varying; the fragment stage discards what is below 0
    Varying,
}

impl From<Clip> for ClipPlanes {
    fn from(clip: Clip) -> Self {
        match clip {
            Clip::None => Self::None,
            Clip::Builtin => Self::BuiltIn,
            Clip::Varying => Self::Varying,
        }
    }
}
