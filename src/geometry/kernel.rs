//! A geometry program as a compute shader: what it is told, where its buffers are, what its invocations leave for each other.
//! Plain data. Knows no vertex program and no back end.

use std::fmt;

use super::input::{GeometrySetup, Memory};
use super::{Carried, Observation};

/// Number of the word in the block [`bindings::DRAW`] that says which thread of the draw the first one of a dispatch is. Kernels with
/// [`Memory::Unbounded`] add it to their thread; all others leave it aside.
pub const FIRST_THREAD: u32 = 7;

/// Binding numbers of all compute forms, in set 0; in MSL slots of buffers. Each number stands here and nowhere else.
pub mod bindings {
    /// Compute form of a vertex program: `array<array<vec4f, 16>>`, read: v0..v15 of each vertex.
    pub const INPUTS: u32 = 0;
    /// Compute form of a vertex program: `array<array<vec4f, 16>>`, written: o0..o15 of each vertex.
    pub const OUTPUTS: u32 = 1;
    /// Kernel: `array<vec4f>`, read: the vertices of each invocation.
    pub const FEED: u32 = 0;
    /// Kernel: `array<vec4f>`, written: whole vertices, three for each triangle.
    pub const TRIANGLES: u32 = 1;
    /// The uniform block of both.
    pub const UNIFORMS: u32 = 2;
    /// Kernel: uniform block of [`DrawField`](crate::fields::DrawField)s.
    pub const DRAW: u32 = 3;
    /// Kernel: `array<i32>`, written: for each thread, how many triangles it made.
    pub const COUNTS: u32 = 4;
    /// Kernel: `array<u32>`: state words before the draw, read, and as many after it, written.
    pub const STATE: u32 = 5;
    /// Kernel: the host block.
    pub const HOST: u32 = 6;
    /// MSL alone, both: `uint`s, the sizes in bytes of the storage buffers above that the text declares, by binding.
    pub const SIZES: u32 = 7;
}

/// Bit of a thread's count: the loop guard ended one of its invocations, see [`GeometryKernel::reports_unfinished`].
pub const GUARD_FIRED: u32 = 1 << 31;
/// Bit of a thread's count: the driver left a loop on its own.
pub const DRIVER_LEFT: u32 = 1 << 30;

/// What numbers in the record of an EMIT begin at, see [`GeometryKernel::records_emits`]: 2^23.
pub const RECORDED: f32 = 8_388_608.0;

/// A scalar that one invocation leaves for the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateWord {
    /// What it is of.
    pub carried: Carried,
    /// For a vertex slot: which output of the interface, and which component; for SETEMIT in `component`: slot, whether a
    /// triangle is submitted, whether it is reversed. Else 0.
    pub output: u8,
    /// See `output`.
    pub component: u8,
    /// Its bits before the first draw.
    pub initial: u32,
}

impl fmt::Display for StateWord {
    /// `r3.y`, `vertex slot 1: output 0.x`, `SETEMIT: slot`, …
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let component = usize::from(self.component);
        match self.carried {
            Carried::Slot(_) => {
                let letter = ['x', 'y', 'z', 'w'][component & 3];
                write!(f, "{}: output {}.{letter}", self.carried, self.output)
            }
            Carried::Setting => {
                let part = ["slot", "prim", "invert"][component.min(2)];
                write!(f, "{}: {part}", self.carried)
            }
            other => write!(f, "{other}"),
        }
    }
}

/// A geometry program that runs as a compute shader.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeometryKernel {
    /// How it gets vertices, what it passes on.
    pub setup: GeometrySetup,
    /// Vectors of a vertex in the buffer of triangles: one for each output of the interface.
    pub vectors: u32,
    /// Whether it keeps EMITs instead of triangles: a record of `3 * vectors` vectors for each, the first of which is
    /// (slot + [`RECORDED`], 1 if a triangle is submitted, 1 if it is reversed, number of the invocation + [`RECORDED`]), the
    /// next the output registers that are passed on, in order. Its feed has, for each invocation, v0..v15 and c0..c95.
    pub records_emits: bool,
    /// Whether the count of a thread has two bits more, as [`Control::report_unfinished`](crate::host::Control::report_unfinished) asks:
    /// [`GUARD_FIRED`] and [`DRIVER_LEFT`].
    pub reports_unfinished: bool,
    /// What one invocation leaves for the next, as far as that sees it.
    pub state: Vec<StateWord>,
    /// How far back it sees.
    pub memory: Memory,
    /// Triangles that one invocation makes at most, where that could be proven.
    pub triangles: Option<u32>,
    /// What it may see of earlier invocations, and where.
    pub observations: Vec<Observation>,
}

impl GeometryKernel {
    /// Returns whether a draw may be split into dispatches of one thread each, see [`FIRST_THREAD`].
    pub fn is_split(&self) -> bool {
        self.memory == Memory::Unbounded
    }
}
