//! Sizes that hardware fixes: registers, stacks, memories.
//! In and out: nothing. Programs are checked against them; limits that a host can choose are in
//! [`limits`](crate::limits).
//! Facts: 3dbrew "GPU/Shader Instruction Set"; stack depths from hardware tests.

/// Input registers v0..v15.
pub const INPUTS: usize = 16;
/// Temporary registers r0..r15.
pub const TEMPS: usize = 16;
/// Output registers o0..o15.
pub const OUTPUTS: usize = 16;
/// Float uniforms c0..c95.
pub const FLOATS: usize = 96;
/// Float registers that an index can name; those beyond c95 do not exist and read as ones.
pub const INDICES: usize = 128;
/// Int uniforms i0..i3.
pub const INTS: usize = 4;
/// Bool uniforms b0..b15.
pub const BOOLS: usize = 16;

/// Depth of the call stack, and the maximum number of simultaneous returns.
pub const CALL_DEPTH: usize = 4;
/// Depth of the IF stack.
pub const IF_DEPTH: usize = 8;
/// Depth of the loop stack.
pub const LOOP_DEPTH: usize = 4;

/// Vertex slots that SETEMIT can name; a triangle uses the first three.
pub const VERTEX_SLOTS: usize = 4;

/// Code words of the vertex unit.
pub const VERTEX_WORDS: u32 = 512;
/// Code words of the geometry unit.
pub const GEOMETRY_WORDS: u32 = 4096;
/// Operand descriptors.
pub const DESCRIPTORS: usize = 128;
/// Operand descriptors that MAD reaches.
pub const MAD_DESCRIPTORS: usize = 32;
