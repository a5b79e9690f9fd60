//! Sizes that the hardware fixes: registers, stacks, memories.
//! In and out: nothing. What a program needs is checked against them; limits that a host can choose are in
//! [`limits`](crate::limits).
//! Facts: 3dbrew "GPU/Shader Instruction Set"; stack depths by hardware tests.

use super::word::Format;

/// Input registers v0..v15.
pub const INPUTS: usize = 16;
/// Temporary registers r0..r15.
pub const TEMPS: usize = 16;
/// Output registers o0..o15.
pub const OUTPUTS: usize = 16;
/// Float uniforms c0..c95.
pub const FLOATS: usize = 96;
/// Int uniforms i0..i3.
pub const INTS: usize = 4;
/// Bool uniforms b0..b15.
pub const BOOLS: usize = 16;

/// Calls that the hardware remembers, and the most that may return at once.
pub const CALL_DEPTH: usize = 4;
/// Then-parts that the hardware remembers.
pub const IF_DEPTH: usize = 8;
/// Loops that the hardware remembers.
pub const LOOP_DEPTH: usize = 4;

/// Vertex slots that SETEMIT can name; a triangle is made of the first three.
pub const VERTEX_SLOTS: usize = 4;

/// Code words that the vertex unit can hold.
pub const VERTEX_WORDS: u32 = 512;
/// Code words that the geometry unit can hold.
pub const GEOMETRY_WORDS: u32 = 4096;
/// Operand descriptors.
pub const DESCRIPTORS: usize = Format::One.descriptors();
/// Operand descriptors that MAD reaches.
pub const MAD_DESCRIPTORS: usize = Format::Five.descriptors();
