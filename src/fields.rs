//! The fields of the blocks that a host fills for a draw, uniforms aside: their names, order and
//! places. Read by the IR, which names them in its operations, and by all that writes or fills the
//! blocks.

/// A field of the host block, which clip planes and a dynamic y need at the time of drawing. The
/// block has 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HostField {
    /// u32 at byte 0: the user's clip plane is on if it is not 0.
    ClipEnabled,
    /// u32 at byte 4: y is mirrored if it is not 0.
    FlipY,
    /// vec4f at byte 16: coefficients of the user's plane; what has dot(plane, position) < 0 is
    /// clipped.
    ClipPlane,
}

impl HostField {
    /// Bytes of the block.
    pub const BLOCK_SIZE: u32 = 32;
    /// All fields, by offset.
    pub const ALL: [Self; 3] = [Self::ClipEnabled, Self::FlipY, Self::ClipPlane];
    /// Byte offset in the block.
    pub fn offset(self) -> u32 {
        match self {
            Self::ClipEnabled => 0,
            Self::FlipY => 4,
            Self::ClipPlane => 16,
        }
    }
    /// Name of the member.
    pub fn name(self) -> &'static str {
        match self {
            Self::ClipEnabled => "clip_enabled",
            Self::FlipY => "flip_y",
            Self::ClipPlane => "clip_plane",
        }
    }
}

/// A per-draw parameter of a geometry compute shader, or the thread index. The first seven are, in
/// this order and as i32, its block
/// [`bindings::DRAW`](crate::geometry::kernel::bindings::DRAW) of 32 bytes. The eighth word is used
/// with unbounded dependences: see [`FIRST_THREAD`](crate::geometry::kernel::FIRST_THREAD).
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
    /// 1 where reversed triangles are to be reversed, else 0.
    HeedsWinding,
    /// Index of the thread; no member of the block.
    Thread,
}

impl DrawField {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Threads,
        Self::Invocations,
        Self::Chunk,
        Self::Warm,
        Self::Window,
        Self::Capacity,
        Self::HeedsWinding,
        Self::Thread,
    ];
    /// Those that are members of the block, in order.
    pub const MEMBERS: &'static [Self] = Self::ALL.split_at(7).0;
    /// Size of the block in bytes.
    pub const BLOCK_SIZE: u32 = 32;

    /// Its name in text targets.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Threads => "threads",
            Self::Invocations => "invocations",
            Self::Chunk => "chunk",
            Self::Warm => "warm",
            Self::Window => "window",
            Self::Capacity => "capacity",
            Self::HeedsWinding => "heeds_winding",
            Self::Thread => "thread",
        }
    }
}
