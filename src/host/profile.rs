//! Profile: what host and driver want, apart from what the program means. Public fields with
//! defaults, serialisable.
//! In: choices of the host. Out: plain data.

use super::interface::EntryPoint;
use crate::error::{At, Error, Kind, Result};
use crate::geometry::kernel::bindings;

/// A place in the host's descriptor sets (Vulkan) or bind groups (WebGPU).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Binding {
    /// Set or group.
    pub set: u32,
    /// Binding in it.
    pub binding: u32,
}

/// Where the vertex entry finds its blocks. (The compute entry has fixed places in set 0.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Bindings {
    /// The uniform block.
    pub uniforms: Binding,
    /// The host block, which only clip planes and a dynamic y need (see
    /// [`HostField`](super::HostField)).
    pub host: Binding,
}

impl Bindings {
    /// Checks that the blocks have different places; only where both are there.
    ///
    /// # Errors
    /// [`Kind::SharedBinding`] if not.
    pub fn check(&self) -> Result<()> {
        if self.uniforms != self.host {
            return Ok(());
        }
        let Binding { set, binding } = self.host;
        Err(Error::new(Kind::SharedBinding { set, binding }, At::Whole))
    }
}

impl Default for Bindings {
    fn default() -> Self {
        Self { uniforms: Binding { set: 0, binding: 0 }, host: Binding { set: 0, binding: 1 } }
    }
}

/// Name of a specialisation constant by its id: `b3`, or `i0_x` from 16 on.
pub fn specialized_name(id: u8) -> String {
    match id {
        0..16 => format!("b{id}"),
        _ => format!("i{}_{}", (id - 16) >> 2, ["x", "y", "z", "w"][usize::from(id & 3)]),
    }
}

/// Locations of the varyings of a vertex entry. Attributes have the location of their v register,
/// always.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Locations {
    /// A second copy of the position, as the program writes it; none if nothing is said.
    pub position: Option<u32>,
    /// Colour.
    pub color: u32,
    /// Texture coordinate 0, first two components.
    pub texcoord0: u32,
    /// Texture coordinate 1.
    pub texcoord1: u32,
    /// Texture coordinate 2.
    pub texcoord2: u32,
    /// Third component of texture coordinate 0.
    pub texcoord0_w: u32,
    /// Normal quaternion.
    pub quaternion: u32,
    /// View vector.
    pub view: u32,
    /// The two clip distances, if they are a varying.
    pub clip_distances: u32,
}

impl Locations {
    /// Colour 0, texture coordinates 1 to 4, quaternion 5, view 6, clip distances 7.
    pub const DENSE: Self = Self {
        position: None,
        color: 0,
        texcoord0: 1,
        texcoord1: 2,
        texcoord2: 3,
        texcoord0_w: 4,
        quaternion: 5,
        view: 6,
        clip_distances: 7,
    };
    /// As Azahar's shaders have them: position 0, colour 1, texture coordinates 2 to 5, quaternion
    /// 6, view 7.
    pub const AZAHAR: Self = Self {
        position: Some(0),
        color: 1,
        texcoord0: 2,
        texcoord1: 3,
        texcoord2: 4,
        texcoord0_w: 5,
        quaternion: 6,
        view: 7,
        clip_distances: 8,
    };
}

impl Default for Locations {
    fn default() -> Self {
        Self::DENSE
    }
}

/// What host and driver want.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(default))]
pub struct Profile {
    /// SPIR-V version, 1.0 to 1.6.
    pub spirv_version: (u8, u8),
    /// Whether float operations carry NoContraction, and are `precise` in GLSL (needed for exact
    /// results).
    pub no_contraction: bool,
    /// Whether the position output is marked invariant. Two programs that compute it alike then
    /// agree on drivers that heed it; there are drivers that break on it.
    pub invariant_position: bool,
    /// Whether names are written into SPIR-V modules.
    pub names: bool,
    /// Places of the blocks.
    pub bindings: Bindings,
    /// Locations of the varyings.
    pub locations: Locations,
}

impl Profile {
    /// Checks that what is asked for exists.
    ///
    /// # Errors
    /// [`Kind::SpirvVersion`].
    pub fn check(&self) -> Result<()> {
        let (major, minor) = self.spirv_version;
        if matches!(self.spirv_version, (1, 0..=6)) {
            return Ok(());
        }
        Err(Error::new(Kind::SpirvVersion { major, minor }, At::Whole))
    }
    /// Binding of the uniform block of an entry point.
    pub fn uniforms(&self, entry_point: &EntryPoint) -> Binding {
        if entry_point.is_compute() {
            Binding { set: 0, binding: bindings::UNIFORMS }
        } else {
            self.bindings.uniforms
        }
    }
}

impl Default for Profile {
    fn default() -> Self {
        Self {
            spirv_version: (1, 3),
            no_contraction: true,
            invariant_position: true,
            names: true,
            bindings: Bindings::default(),
            locations: Locations::default(),
        }
    }
}
