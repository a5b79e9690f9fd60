//! Draws of batches: from vertex buffers to records of outputs.
//! In: attributes, indices, an output map. Out: floats, statuses. Fetch, cache and conversion are
//! those of `transpica_draw::batch`.

use std::ffi::c_void;

use transpica::host::{Environment, HostValues};
use transpica_draw::batch::{Array, Order, Records, VertexAttribute, Vertices};

use crate::batch::{TranspicaBatch, failed};
use crate::boundary::{array, array_mut, done, exclusive, shared, value};
use crate::enums::TranspicaStatus;
use crate::problem::Problem;
use crate::registers::TranspicaRegisters;
use crate::result::TranspicaResult;
use crate::settings::{choice, switch};

/// An attribute of the vertices of a draw.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaVertexAttribute {
    /// The vertex buffer; NULL if all vertices have the same value.
    pub bytes: *const u8,
    /// Number of bytes.
    pub byte_count: usize,
    /// The byte where the attribute of vertex 0 begins.
    pub offset: usize,
    /// Bytes from vertex to vertex.
    pub stride: usize,
    /// A TranspicaNumber: the format of the components.
    pub number: u32,
    /// Number of components, 1 to 4. The others are those of (0, 0, 0, 1).
    pub components: u32,
    /// The value without a vertex buffer.
    pub value: [f32; 4],
}

/// A draw. All zeros are a draw of no vertices.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaDraw {
    /// The attributes.
    pub attributes: *const TranspicaVertexAttribute,
    /// Number of attributes.
    pub attribute_count: usize,
    /// The index buffer, aligned to the size of an index. NULL if index_size is 0.
    pub indices: *const c_void,
    /// Bytes of an index: 1, 2 or 4; 0 if there are no indices.
    pub index_size: u32,
    /// The first vertex if there are no indices; those after it follow.
    pub first: u32,
    /// Number of vertices, or of indices.
    pub count: usize,
    /// The registers that say which attribute each of v0 to v15 is, and which outputs a record has.
    /// NULL if attribute n is register n and `outputs` counts.
    pub registers: *const TranspicaRegisters,
    /// Without registers: a record is these output registers, bit n is on, of four floats each,
    /// without conversion.
    pub outputs: u32,
    /// 1 if y of the position is mirrored, with `outputs.flip_y` of `host`.
    pub flip_y: u32,
    /// 1 if the clip plane is on, with clip planes.
    pub clip_enabled: u32,
    /// Number of parameters, at most 16; the others are 0.
    pub parameter_count: u32,
    /// The clip plane.
    pub clip_plane: [f32; 4],
    /// Parameters of hooks, four floats each. NULL if there are none.
    pub parameters: *const f32,
}

impl TranspicaVertexAttribute {
    /// The attribute, as the library takes it.
    ///
    /// # Safety
    /// `bytes` is NULL or an array of `byte_count` bytes that stay unchanged.
    unsafe fn read<'a>(&self) -> Result<VertexAttribute<'a>, Problem> {
        let Self { bytes, byte_count, offset, stride, number, components, value } = *self;
        if bytes.is_null() {
            return Ok(VertexAttribute::Fixed(value));
        }
        if !(1..=4).contains(&components) {
            let text = format!("TranspicaVertexAttribute.components is {components}, must be 1 to 4");
            return Err(Problem::choice(text));
        }
        // SAFETY: such an array, as the caller guarantees.
        let bytes = unsafe { array(bytes, byte_count, "TranspicaVertexAttribute.bytes")? };
        let number = choice("TranspicaVertexAttribute.number", number)?;
        // Range: 1 to 4.
        Ok(VertexAttribute::Array(Array { bytes, offset, stride, number, components: components as u8 }))
    }
}

impl TranspicaDraw {
    /// The parameters of hooks.
    ///
    /// # Safety
    /// `parameters` is NULL or an array of four floats for each.
    unsafe fn parameters(&self) -> Result<[[f32; 4]; 16], Problem> {
        let mut all = [[0.0; 4]; 16];
        let count = self.parameter_count as usize;
        let Some(given) = all.get_mut(..count) else {
            return Err(Problem::size(format!("TranspicaDraw.parameter_count is {count}, at most 16")));
        };
        // SAFETY: such an array, as the caller guarantees.
        let floats = unsafe { array(self.parameters, 4 * count, "TranspicaDraw.parameters")? };
        given.as_flattened_mut().copy_from_slice(floats);
        Ok(all)
    }

    /// The vertices that run.
    ///
    /// # Safety
    /// `indices` is NULL or an array of `count` indices that stay unchanged.
    unsafe fn order<'a>(&self) -> Result<Order<'a>, Problem> {
        let (indices, count, name) = (self.indices, self.count, "TranspicaDraw.indices");
        // SAFETY: such an array, as the caller guarantees.
        unsafe {
            match self.index_size {
                0 => {
                    let count = u32::try_from(count)
                        .map_err(|_| Problem::size(format!("TranspicaDraw.count is {count}")))?;
                    Ok(Order::Range { first: self.first, count })
                }
                1 => Ok(Order::U8(array(indices.cast(), count, name)?)),
                2 => Ok(Order::U16(array(indices.cast(), count, name)?)),
                4 => Ok(Order::U32(array(indices.cast(), count, name)?)),
                size => {
                    Err(Problem::choice(format!("TranspicaDraw.index_size is {size}, must be 0, 1, 2 or 4")))
                }
            }
        }
    }
}

/// The layout of records.
///
/// # Safety
/// `registers` is NULL or a state that no other call changes.
unsafe fn layout(
    batch: &TranspicaBatch,
    registers: *const TranspicaRegisters,
    outputs: u32,
) -> Result<Records, Problem> {
    // SAFETY: guaranteed by the caller.
    if let Some(registers) = unsafe { registers.as_ref() } {
        return Ok(Records::from_map(&registers.state.vertex().output_map(), &batch.options));
    }
    let mask = u16::try_from(outputs).map_err(|_| {
        Problem::choice(format!("TranspicaDraw.outputs is {outputs:#x}, there are 16 registers"))
    })?;
    Ok(Records::from_registers(mask))
}

/// Returns the number of floats of a record of transpica_batch_draw, for `registers` and `outputs`
/// as in TranspicaDraw; 0 for NULL. A record with registers has the outputs of a vertex program
/// that is translated with the same settings and registers, in the order of
/// transpica_result_output, one behind the other.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_batch_record_floats(
    batch: *const TranspicaBatch,
    registers: *const TranspicaRegisters,
    outputs: u32,
) -> usize {
    value(0, || {
        // SAFETY: NULL or a batch and a state that no other call changes.
        let records = unsafe { shared(batch, "batch").and_then(|batch| layout(batch, registers, outputs)) };
        records.map_or(0, |records| records.stride)
    })
}

/// Runs the program for vertices of buffers, and writes a record for each, one behind the other.
/// `float_count` is the number of floats at `records`. A vertex that indices name more than once
/// runs once. Nothing is written if a vertex lies beyond its buffer, or a record beyond `records`.
/// `errors` is NULL or receives a result if a vertex fails, else NULL; the records of all others
/// are written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_batch_draw(
    batch: *mut TranspicaBatch,
    draw: *const TranspicaDraw,
    records: *mut f32,
    float_count: usize,
    errors: *mut *mut TranspicaResult,
) -> TranspicaStatus {
    let work = || {
        // SAFETY: NULL or a batch that no other call uses; NULL or a draw.
        let (batch, draw) = unsafe { (exclusive(batch, "batch")?, shared(draw, "draw")?) };
        // SAFETY: NULL or as many attributes, and NULL or a state that no other call changes.
        let (given, mut layout) = unsafe {
            let name = "TranspicaDraw.attributes";
            let given = array(draw.attributes, draw.attribute_count, name)?;
            (given, layout(batch, draw.registers, draw.outputs)?)
        };
        layout.host = HostValues {
            flip_y: switch("TranspicaDraw.flip_y", draw.flip_y)?,
            clip_enabled: switch("TranspicaDraw.clip_enabled", draw.clip_enabled)?,
            clip_plane: draw.clip_plane,
            // SAFETY: NULL or as many vectors, as the caller guarantees.
            parameters: unsafe { draw.parameters()? },
        };
        layout.add_hooks(&batch.hooks);
        if !batch.hooks.is_empty() {
            batch.redirect(&layout.host);
        }
        // SAFETY: buffers of the sizes that the draw says.
        let (attributes, order) = unsafe {
            let attributes: Result<Vec<_>, _> = given.iter().map(|given| given.read()).collect();
            (attributes?, draw.order()?)
        };
        let mut vertices = Vertices::new(&attributes, order);
        // SAFETY: NULL or a state that no other call changes.
        if let Some(registers) = unsafe { draw.registers.as_ref() } {
            vertices.input_map = registers.state.vertex().input_map();
        }
        // SAFETY: NULL or as many floats, and not used by anyone else.
        let to = unsafe { array_mut(records, float_count, "records")? };
        batch.batch.run_draw(&vertices, &layout, to).map_err(failed)
    };
    // SAFETY: NULL or a place for a pointer.
    unsafe { done(errors, work) }
}
