//! Reflection of compute forms: storage buffers, and the block of draw parameters.
//! In: [`EntryPoint`], [`GeometryKernel`]. Out: [`BufferInfo`], [`MemberInfo`], plain data.

use super::places::Languages;
use super::{HlslRegister, MemberInfo};
use crate::geometry::GeometryKernel;
use crate::geometry::kernel::bindings;
use crate::host::settings::Binding;
use crate::interface::EntryPoint;
use crate::support::fields::{DrawField, VECTOR};

/// A storage buffer of a compute stage.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct BufferInfo {
    /// Name.
    pub name: &'static str,
    /// Set or group.
    pub set: u32,
    /// Binding in it.
    pub binding: u32,
    /// Register in HLSL.
    pub hlsl: Option<HlslRegister>,
    /// Buffer slot of the stage in MSL, whose entry leaves out a buffer that the program does not
    /// use.
    pub msl: Option<u32>,
    /// Type.
    pub ty: &'static str,
    /// Written by the program.
    pub written: bool,
    /// Unit that the size is a multiple of: `vertex`, `invocation`, `triangle`, `emit`, `thread`,
    /// or `draw` for a buffer of one size.
    pub per: &'static str,
    /// Bytes for each unit. None if a draw chooses it: the feed, whose invocations have `window`
    /// vectors of 16 bytes each.
    pub stride: Option<u32>,
}

/// Registers of a vertex in the buffers of the compute form of a vertex program.
const REGISTERS: u32 = 16;

/// Describes the storage buffers of an entry point.
pub(super) fn buffers(entry_point: &EntryPoint, languages: Languages) -> Vec<BufferInfo> {
    let buffer = |name, binding, ty, written, per, stride| {
        let class = if written { 'u' } else { 't' };
        let (hlsl, msl) = languages.buffer(class, Binding { set: 0, binding });
        BufferInfo { name, set: 0, binding, hlsl, msl, ty, written, per, stride }
    };
    match entry_point {
        EntryPoint::Compute => {
            let (ty, bytes) = ("array<array<vec4f, 16>>", Some(VECTOR * REGISTERS));
            vec![
                buffer("inputs", bindings::INPUTS, ty, false, "vertex", bytes),
                buffer("outputs", bindings::OUTPUTS, ty, true, "vertex", bytes),
            ]
        }
        EntryPoint::Kernel(kernel) => {
            let (unit, bytes) =
                (if kernel.records_emits { "emit" } else { "triangle" }, 3 * VECTOR * kernel.vectors);
            let mut buffers = vec![
                buffer("feed", bindings::FEED, "array<vec4f>", false, "invocation", None),
                buffer("triangles", bindings::TRIANGLES, "array<vec4f>", true, unit, Some(bytes)),
                buffer("counts", bindings::COUNTS, "array<i32>", true, "thread", Some(4)),
            ];
            if !kernel.state.is_empty() {
                // The words before the draw, and as many after it. Range: a few hundred words.
                let bytes = 8 * kernel.state.len() as u32;
                buffers.push(buffer("state", bindings::STATE, "array<u32>", true, "draw", Some(bytes)));
            }
            buffers
        }
        EntryPoint::Vertex | EntryPoint::Stage(_) | EntryPoint::Quaternions => Vec::new(),
    }
}

/// Describes the fields of the block of draw parameters.
pub(super) fn draw_members(kernel: &GeometryKernel) -> Vec<MemberInfo> {
    let names = DrawField::MEMBERS.iter().map(|field| field.name());
    let names = names.chain(kernel.is_split().then_some("first_thread"));
    names.zip((0..).step_by(4)).map(|(name, offset)| MemberInfo { name, ty: "i32", offset }).collect()
}
