//! Places of a module's inputs and outputs in HLSL and MSL: registers and semantics, slots and
//! attributes.
//! In: bindings, locations. Out: plain data, none where the language cannot have the module.
//! Facts: naga's writers, whose texts the tests compare.

use std::fmt;

use crate::host::settings::Binding;
use crate::interface::{EntryPoint, Location};

/// A register of HLSL: `register(b0, space1)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct HlslRegister {
    /// `b` for a constant buffer, `t` for a buffer that is read, `u` for one that is written.
    pub class: char,
    /// Number in the class and space.
    pub number: u32,
    /// Register space.
    pub space: u32,
}

impl fmt::Display for HlslRegister {
    /// As in the text: `b0`, `b0, space1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { class, number, space } = self;
        write!(f, "{class}{number}")?;
        if *space == 0 { Ok(()) } else { write!(f, ", space{space}") }
    }
}

/// A binding in the host's descriptor sets (Vulkan) or bind groups (WebGPU), the register and slot
/// in its place, and the size of its block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct BlockInfo {
    /// Set or group.
    pub set: u32,
    /// Binding in it.
    pub binding: u32,
    /// Register in HLSL.
    pub hlsl: Option<HlslRegister>,
    /// Buffer slot of the stage in MSL.
    pub msl: Option<u32>,
    /// Size of the block in bytes, a multiple of 16: the least that the host must bind.
    pub size: u32,
    /// Size up to the end of the last member: the least that the host must write.
    pub used: u32,
}

/// The place of an attribute or an output in the languages made from WGSL; none in a compute stage.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct PortPlace {
    /// Semantic in HLSL, name and index: `LOC0`, `SV_Position`, `SV_ClipDistance`.
    pub hlsl: Option<String>,
    /// Attribute in MSL: `attribute(0)`, `user(loc0)`, `position`, `clip_distance`.
    pub msl: Option<String>,
}

/// Places of a module's attributes and outputs, each list in the order of the interface's.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Places {
    /// Places of the attributes.
    pub attributes: Vec<PortPlace>,
    /// Places of the outputs.
    pub outputs: Vec<PortPlace>,
}

/// The languages made from WGSL that can have a module.
#[derive(Clone, Copy, Debug)]
pub(super) struct Languages {
    hlsl: bool,
    msl: bool,
    /// The stage has attributes and outputs. Compute stages have buffers in their place.
    is_vertex: bool,
}

impl Languages {
    /// Returns those for an entry point with these bindings. Neither has specialization constants
    /// and geometry stages; MSL has no sets.
    pub(super) fn new(entry_point: &EntryPoint, bindings: &[Binding], is_specialized: bool) -> Self {
        let has_text = match entry_point {
            EntryPoint::Vertex | EntryPoint::Compute | EntryPoint::Kernel(_) => !is_specialized,
            EntryPoint::Stage(_) | EntryPoint::Quaternions => false,
        };
        let is_first = |(index, binding): (usize, &Binding)| {
            bindings[..index].iter().all(|other| other.binding != binding.binding)
        };
        Self {
            hlsl: has_text && bindings.iter().all(|binding| binding.hlsl_space().is_some()),
            msl: has_text
                && bindings.iter().all(|binding| binding.msl_slot().is_some())
                && bindings.iter().enumerate().all(is_first),
            is_vertex: matches!(entry_point, EntryPoint::Vertex),
        }
    }

    /// Returns register and slot of a binding.
    pub(super) fn buffer(self, class: char, binding: Binding) -> (Option<HlslRegister>, Option<u32>) {
        let register = || {
            let space = binding.hlsl_space()?.into();
            Some(HlslRegister { class, number: binding.binding, space })
        };
        let slot = || binding.msl_slot().map(Into::into);
        (self.hlsl.then(register).flatten(), self.msl.then(slot).flatten())
    }

    /// Describes a uniform block.
    pub(super) fn block(self, binding: Binding, size: u32, used: u32) -> BlockInfo {
        let (hlsl, msl) = self.buffer('b', binding);
        BlockInfo { set: binding.set, binding: binding.binding, hlsl, msl, size, used }
    }

    /// Returns the place of the attribute at a location.
    pub(super) fn attribute(self, location: u8) -> PortPlace {
        self.place(format!("LOC{location}"), format!("attribute({location})"))
    }

    /// Returns the place of an output.
    pub(super) fn output(self, location: Location) -> PortPlace {
        match location {
            Location::Position => self.place("SV_Position", "position"),
            Location::ClipDistances => self.place("SV_ClipDistance", "clip_distance"),
            Location::Varying(location) => {
                self.place(format!("LOC{location}"), format!("user(loc{location})"))
            }
        }
    }

    fn place(self, hlsl: impl Into<String>, msl: impl Into<String>) -> PortPlace {
        let Self { hlsl: has_hlsl, msl: has_msl, is_vertex } = self;
        let hlsl = (has_hlsl && is_vertex).then(|| hlsl.into());
        PortPlace { hlsl, msl: (has_msl && is_vertex).then(|| msl.into()) }
    }

    /// Returns the slot of the sizes of storage buffers in MSL.
    pub(super) fn sizes(self, entry_point: &EntryPoint) -> Option<u32> {
        (self.msl && entry_point.is_compute()).then_some(crate::geometry::kernel::bindings::SIZES)
    }
}
