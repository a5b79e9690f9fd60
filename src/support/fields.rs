//! Settings of a host besides uniforms: fields of two further blocks, with names, order and
//! offsets, and specialization constants. The IR names them in its operations; the other layers
//! write or fill them.

use std::fmt;

/// Bytes of a vector of four components, alignment of blocks and stride of their arrays: the rules
/// of std140, which WGSL shares for the types that blocks have.
pub const VECTOR: u32 = 16;

/// Invocations of a workgroup of the compute entry and of geometry programs.
pub const WORKGROUP: u32 = 64;

/// A field of the host block, read at draw time for clip planes, a dynamic y and
/// [hooks](crate::host::Hook). The block has 32 bytes; with parameters of hooks, up to 288.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HostField {
    /// u32 at byte 0: enables the user's clip plane if not 0.
    ClipEnabled,
    /// u32 at byte 4: mirrors y if not 0.
    FlipY,
    /// vec4f at byte 16: coefficients of the user's plane. Positions with dot(plane, position) < 0
    /// are clipped.
    ClipPlane,
    /// vec4f at byte 32 + 16 · n, n = 0..15: parameter n of hooks.
    Parameter(u8),
}

/// Names of the parameters. They end in a letter, so that no target renames them.
const PARAMETERS: [&str; HostField::PARAMETERS as usize] = [
    "parameter_a",
    "parameter_b",
    "parameter_c",
    "parameter_d",
    "parameter_e",
    "parameter_f",
    "parameter_g",
    "parameter_h",
    "parameter_i",
    "parameter_j",
    "parameter_k",
    "parameter_l",
    "parameter_m",
    "parameter_n",
    "parameter_o",
    "parameter_p",
];

impl HostField {
    /// Size in bytes of the block without parameters.
    pub const BLOCK_SIZE: u32 = 32;
    /// Number of parameters.
    pub const PARAMETERS: u8 = 16;
    /// Size in bytes of the block with all parameters.
    pub const FULL_SIZE: u32 = Self::BLOCK_SIZE + VECTOR * Self::PARAMETERS as u32;
    /// Number of fields that every block has.
    pub const FIXED: usize = 3;
    /// All fields, by offset.
    pub const ALL: [Self; Self::FIXED + Self::PARAMETERS as usize] = {
        let mut all = [Self::ClipEnabled; Self::FIXED + Self::PARAMETERS as usize];
        (all[1], all[2]) = (Self::FlipY, Self::ClipPlane);
        let mut number = 0;
        while number < Self::PARAMETERS {
            all[Self::FIXED + number as usize] = Self::Parameter(number);
            number += 1;
        }
        all
    };
    /// Returns the position in [`ALL`](Self::ALL), which is the member of the block.
    pub const fn index(self) -> usize {
        match self {
            Self::ClipEnabled => 0,
            Self::FlipY => 1,
            Self::ClipPlane => 2,
            Self::Parameter(number) => Self::FIXED + number as usize,
        }
    }
    /// Returns the byte offset in the block.
    pub fn offset(self) -> u32 {
        match self {
            Self::ClipEnabled => 0,
            Self::FlipY => 4,
            Self::ClipPlane => 16,
            Self::Parameter(number) => Self::BLOCK_SIZE + VECTOR * u32::from(number),
        }
    }
    /// Returns the name of the member.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClipEnabled => "clip_enabled",
            Self::FlipY => "flip_y",
            Self::ClipPlane => "clip_plane",
            Self::Parameter(number) => PARAMETERS[usize::from(number % Self::PARAMETERS)],
        }
    }
}

/// A per-draw parameter of a geometry compute shader, or the thread index. The first seven are, in
/// this order and as i32, its block
/// [`bindings::DRAW`](crate::geometry::bindings::DRAW) of 32 bytes. The eighth word is used
/// with unbounded dependences: see [`FIRST_THREAD`](crate::geometry::FIRST_THREAD).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DrawField {
    /// Number of threads with work.
    Threads,
    /// Number of invocations of the draw.
    Invocations,
    /// Number of invocations of a thread; the first thread has the remainder.
    Chunk,
    /// Number of warm-up invocations that a thread runs before its own, without their triangles.
    Warm,
    /// Number of vectors of an invocation in the feed.
    Window,
    /// Number of triangles for which a thread has room.
    Capacity,
    /// 1 if triangles of reversed winding must be reversed, else 0.
    RespectsWinding,
    /// Index of the thread; no member of the block.
    Thread,
}

impl DrawField {
    /// All fields, in order.
    pub const ALL: [Self; 8] = [
        Self::Threads,
        Self::Invocations,
        Self::Chunk,
        Self::Warm,
        Self::Window,
        Self::Capacity,
        Self::RespectsWinding,
        Self::Thread,
    ];
    /// Those that are members of the block, in order.
    pub const MEMBERS: &'static [Self] = Self::ALL.split_at(7).0;
    /// Size of the block in bytes.
    pub const BLOCK_SIZE: u32 = 32;

    /// Returns the name in text targets.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Threads => "threads",
            Self::Invocations => "invocations",
            Self::Chunk => "chunk",
            Self::Warm => "warm",
            Self::Window => "window",
            Self::Capacity => "capacity",
            Self::RespectsWinding => "respects_winding",
            Self::Thread => "thread",
        }
    }
}

/// A specialization constant: a bool uniform, or a component of an int uniform.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpecId(u8);

impl SpecId {
    /// First id of the components of int uniforms.
    const INTS: u8 = 16;
    /// Ids are below this.
    pub const COUNT: u8 = 32;

    /// The constant with this id, if there is one.
    pub const fn new(id: u8) -> Option<Self> {
        if id < Self::COUNT { Some(Self(id)) } else { None }
    }
    /// The constant of a bool uniform, 0..=15.
    pub const fn bool(register: u8) -> Self {
        Self(register & 15)
    }
    /// The constant of a component, 0..=3, of an int uniform, 0..=3.
    pub const fn int(register: u8, component: u8) -> Self {
        Self(Self::INTS + 4 * (register & 3) + (component & 3))
    }
    /// Its id: n for bn, 16 + 4 · n + component for in.
    pub const fn get(self) -> u8 {
        self.0
    }
    /// Register and component of an int uniform; none for a bool.
    pub const fn component(self) -> Option<(u8, u8)> {
        match self.0.checked_sub(Self::INTS) {
            Some(place) => Some((place >> 2, place & 3)),
            None => None,
        }
    }
    /// Returns the constants of a mask, by id.
    pub fn of_mask(mask: u32) -> impl Iterator<Item = Self> {
        (0..Self::COUNT).filter(move |id| mask >> id & 1 != 0).map(Self)
    }
}

/// Its name in a module: `b3`, `i0_x`.
impl fmt::Display for SpecId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.component() {
            Some((register, component)) => {
                write!(f, "i{register}_{}", ["x", "y", "z", "w"][usize::from(component)])
            }
            None => write!(f, "b{}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SpecId;

    #[test]
    fn constants_have_ids_and_names() {
        let [bool, component] = [SpecId::bool(3), SpecId::int(1, 2)];
        assert_eq!((bool.get(), bool.to_string(), bool.component()), (3, "b3".into(), None));
        assert_eq!(
            (component.get(), component.to_string(), component.component()),
            (22, "i1_z".into(), Some((1, 2)))
        );
        assert_eq!((SpecId::new(31), SpecId::new(32)), (Some(SpecId::int(3, 3)), None));
        assert!(SpecId::of_mask(1 << 3 | 1 << 22).eq([bool, component]));
    }
}
