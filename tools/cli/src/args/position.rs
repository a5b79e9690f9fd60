//! Position and clip planes for the rasterizer: options of translated vertex stages.

use clap::{Args, ValueEnum};
use transpica::stages::host::{ClipPlanes, DepthRange, DepthSnap, FlipY, Options, Outputs};

/// Host conventions for the position of a vertex stage. The defaults are the library's.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct Position {
    /// Range of z that the host clips: 0..w [default] for Vulkan, WebGPU, Direct3D and Metal, and
    /// OpenGL with glClipControl; -w..w for other OpenGL and for OpenGL ES; raw keeps -w..0, as the
    /// program writes it
    #[arg(long, value_enum, value_name = "RANGE", allow_hyphen_values = true, hide_possible_values = true)]
    pub depth: Option<Depth>,
    /// Move z of positions a hair outside of the clip volume into it, as Azahar does: 0 < z/w <
    /// 10^-6 becomes 0, -1.00001 < z/w < -1 becomes -1
    #[arg(long)]
    pub snap_depth: bool,
    /// Mirror y: never [default], always, or as the host block says at the draw
    #[arg(long, value_enum, value_name = "WHEN")]
    pub flip_y: Option<Flip>,
    /// The planes z = 0 and the user's: none [default], as built-in clip distances, or as a varying
    /// of two distances
    #[arg(long, value_enum, value_name = "HOW")]
    pub clip: Option<Clip>,
}

impl Position {
    /// Returns whether any of the options was given.
    pub fn is_given(self) -> bool {
        let Self { depth, snap_depth, flip_y, clip } = self;
        snap_depth || depth.is_some() || flip_y.is_some() || clip.is_some()
    }
    /// Overrides options with the given ones.
    pub fn apply(self, options: Options) -> Options {
        Options {
            outputs: Outputs {
                depth: self.depth.map_or(options.outputs.depth, DepthRange::from),
                snap_depth: if self.snap_depth { DepthSnap::AZAHAR } else { options.outputs.snap_depth },
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
    /// Keep y as the program writes it
    Never,
    /// Negate y
    Always,
    /// As the host block says at the draw
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
    /// Clip at the host's volume only
    None,
    /// Clip distances
    Builtin,
    /// A varying; the fragment stage discards negative values
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
