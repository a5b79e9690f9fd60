//! Draws of batches: from vertex buffers to records of outputs.
//! In: attributes, indices, an output map. Out: floats, statuses. Fetch, cache and conversion are
//! those of `transpica_draw::batch`.

use std::ffi::c_void;

use transpica::host::{Hook, HostValues, Location, Output, OutputMap, varying};
use transpica_draw::batch::{Array, Order, Records, VertexAttribute, Vertices};
use transpica_settings::Settings;

use crate::batch::{TranspicaBatch, failed};
use crate::boundary::{array, array_mut, done, exclusive, shared, value};
use crate::enums::{TranspicaSemantic, TranspicaStatus};
use crate::problem::Problem;
use crate::registers::TranspicaRegisters;
use crate::result::TranspicaResult;
use crate::settings::{choice, narrow, or, reserved, switch};

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
    /// Number of attributes; those after the sixteenth have no effect.
    pub attribute_count: usize,
    /// The index buffer, aligned to the size of an index. NULL if index_size is 0.
    pub indices: *const c_void,
    /// Bytes of an index: 1, 2 or 4; 0 if there are no indices.
    pub index_size: u32,
    /// The first vertex if there are no indices; those after it follow.
    pub first: u32,
    /// Number of vertices, or of indices.
    pub count: usize,
    /// Of a batch, the registers that say which attribute each of v0 to v15 is, and which outputs a
    /// record has. NULL if attribute n is register n and `outputs` counts. A pipeline has those of
    /// its own registers.
    pub registers: *const TranspicaRegisters,
    /// Of a batch without registers: a record is these output registers, bit n is on, of four
    /// floats each, without conversion. 0: the outputs of the program that the batch was created
    /// with, converted.
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
    /// Floats from record to record; 0 if one ends where the next begins.
    pub record_stride: usize,
    /// The float of a record where each output begins; NULL if they are one after the other.
    /// Floats that belong to no output keep their values.
    pub offsets: *const u32,
    /// Number of offsets, one for each output of a record; 0 if there are none.
    pub offset_count: usize,
    /// 1 if offsets[n] belongs to the output with the TranspicaSemantic n, and offsets[8] to clip
    /// distances. Offsets of outputs that a record does not have are ignored.
    pub by_semantic: u32,
    /// Must be 0.
    pub reserved: u32,
}

/// Attributes that a program can read.
pub(crate) const ATTRIBUTES: usize = 16;

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
            let text = format!("TranspicaVertexAttribute.components is {components} but must be 1 to 4");
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
            return Err(Problem::size(format!(
                "TranspicaDraw.parameter_count is {count}, but at most 16 are allowed"
            )));
        };
        // SAFETY: such an array, as the caller guarantees.
        let floats = unsafe { array(self.parameters, 4 * count, "TranspicaDraw.parameters")? };
        given.as_flattened_mut().copy_from_slice(floats);
        Ok(all)
    }

    /// The values of the host other than the parameters of hooks.
    pub(crate) fn host(&self) -> Result<HostValues, Problem> {
        Ok(HostValues {
            flip_y: switch("TranspicaDraw.flip_y", self.flip_y)?,
            clip_enabled: switch("TranspicaDraw.clip_enabled", self.clip_enabled)?,
            clip_plane: self.clip_plane,
            ..HostValues::default()
        })
    }

    /// The vertices that run, whose attributes `read` holds.
    ///
    /// # Safety
    /// `attributes` is NULL or as many attributes, with buffers of the sizes that they say,
    /// `indices` NULL or an array of `count` indices that stay unchanged, and `registers` NULL or a
    /// state that no other call changes.
    pub(crate) unsafe fn vertices<'a>(
        &self,
        read: &'a mut [VertexAttribute<'_>; ATTRIBUTES],
    ) -> Result<Vertices<'a>, Problem> {
        // SAFETY: such an array, as the caller guarantees.
        let given = unsafe { array(self.attributes, self.attribute_count, "TranspicaDraw.attributes")? };
        for (attribute, given) in read.iter_mut().zip(given) {
            // SAFETY: such buffers, as the caller guarantees.
            *attribute = unsafe { given.read()? };
        }
        // SAFETY: such an array, as the caller guarantees.
        let order = unsafe { self.order()? };
        let mut vertices = Vertices::new(&read[..given.len().min(ATTRIBUTES)], order);
        // SAFETY: NULL or a state, as the caller guarantees.
        if let Some(registers) = unsafe { self.registers.as_ref() } {
            vertices.input_map = registers.state.vertex().input_map();
        }
        Ok(vertices)
    }

    /// The order of the vertices that run.
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
                size => Err(Problem::choice(format!(
                    "TranspicaDraw.index_size is {size} but must be 0, 1, 2 or 4"
                ))),
            }
        }
    }
}

/// The layout of records of a draw, which often is that of the next.
#[derive(Clone)]
pub struct Layout {
    /// Map of the registers, or the output registers of a record.
    wanted: Wanted,
    pub(crate) records: Records,
    /// Offsets of packed fields, and the floats of a packed record.
    pub(crate) packed: (Vec<usize>, usize),
}

#[derive(Clone, Copy, PartialEq)]
enum Wanted {
    Map(OutputMap),
    Registers(u16),
}

impl Layout {
    /// The layout of the outputs of a map.
    pub(crate) fn of_map(map: OutputMap, settings: &Settings) -> Self {
        Self::new(Wanted::Map(map), settings, &[])
    }

    fn new(wanted: Wanted, Settings { options, profile }: &Settings, hooks: &[Hook]) -> Self {
        let mut records = match wanted {
            Wanted::Map(map) => Records::new(varying::outputs(&map, options, profile), options),
            Wanted::Registers(mask) => Records::from_registers(mask),
        };
        records.add_hooks(hooks);
        let packed = (records.fields.iter().map(|field| field.offset).collect(), records.stride);
        Self { wanted, records, packed }
    }

    /// Places the fields of records as a draw wants them.
    ///
    /// # Safety
    /// `offsets` is NULL or an array of `offset_count` numbers.
    pub(crate) unsafe fn place(&mut self, draw: &TranspicaDraw) -> Result<(), Problem> {
        let Self { records, packed: (packed, floats), .. } = self;
        let &TranspicaDraw { record_stride, offsets, offset_count, by_semantic, .. } = draw;
        reserved("TranspicaDraw.reserved", draw.reserved)?;
        records.stride = or(record_stride, *floats);
        if offset_count == 0 {
            records.fields.iter_mut().zip(packed).for_each(|(field, offset)| field.offset = *offset);
            return Ok(());
        }
        // SAFETY: such an array, as the caller guarantees.
        let offsets = unsafe { array(offsets, offset_count, "TranspicaDraw.offsets")? };
        let (count, is_listed) = (records.fields.len(), !switch("TranspicaDraw.by_semantic", by_semantic)?);
        if is_listed && offset_count != count {
            let text =
                format!("TranspicaDraw.offset_count is {offset_count}, but a record has {count} outputs");
            return Err(Problem::size(text));
        }
        for (place, field) in records.fields.iter_mut().enumerate() {
            let place = if is_listed { Some(place) } else { semantic(&field.output) };
            let Some(&offset) = place.and_then(|place| offsets.get(place)) else {
                let name = &field.output.name;
                return Err(Problem::size(format!(
                    "TranspicaDraw.offsets has none for {name} by its semantic"
                )));
            };
            field.offset = offset as usize;
        }
        Ok(())
    }
}

/// The entry of an output among offsets by semantic, unless it combines outputs or is a register.
fn semantic(output: &Output) -> Option<usize> {
    match output.location {
        Location::ClipDistances => Some(TranspicaSemantic::Generic as usize),
        _attribute => output.semantic.map(|semantic| TranspicaSemantic::from(semantic) as usize),
    }
}

/// Outputs of a record of a program with this map.
///
/// # Safety
/// `registers` is NULL or a state that no other call changes.
unsafe fn wanted(
    own: OutputMap,
    registers: *const TranspicaRegisters,
    outputs: u32,
) -> Result<Wanted, Problem> {
    // SAFETY: guaranteed by the caller.
    if let Some(registers) = unsafe { registers.as_ref() } {
        return Ok(Wanted::Map(registers.state.vertex().output_map()));
    }
    if outputs == 0 {
        return Ok(Wanted::Map(own));
    }
    Ok(Wanted::Registers(narrow("TranspicaDraw.outputs", outputs)?))
}

/// Returns the number of floats of a record of transpica_batch_draw, for `registers` and `outputs`
/// as in TranspicaDraw; 0 for NULL. A record with registers has the outputs of a vertex program
/// that is translated with the same settings and registers, in the order of
/// transpica_result_output, one after the other.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_batch_record_floats(
    batch: *const TranspicaBatch,
    registers: *const TranspicaRegisters,
    outputs: u32,
) -> usize {
    value(0, || {
        // SAFETY: NULL or a batch and a state that no other call changes.
        let batch = unsafe { shared(batch, "batch")? };
        // SAFETY: as above.
        let wanted = unsafe { wanted(batch.map, registers, outputs)? };
        Ok(Layout::new(wanted, &batch.settings, &[]).records.stride)
    })
}

/// Runs the program for vertices of buffers, and writes a record for each, one after the other.
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
        // SAFETY: NULL or a state that no other call changes.
        let wanted = unsafe { wanted(batch.map, draw.registers, draw.outputs)? };
        let mut host = draw.host()?;
        // SAFETY: NULL or as many vectors, as the caller guarantees.
        host.parameters = unsafe { draw.parameters()? };
        if !batch.hooks.is_empty() {
            batch.redirect(&host);
        }
        let TranspicaBatch { batch, settings, hooks, layout, .. } = batch;
        let layout = match layout {
            Some(known) if known.wanted == wanted => known,
            other => other.insert(Layout::new(wanted, settings, hooks)),
        };
        layout.records.host = host;
        // SAFETY: NULL or as many numbers, as the caller guarantees.
        unsafe { layout.place(draw)? };
        let mut read = [VertexAttribute::default(); ATTRIBUTES];
        // SAFETY: as many attributes, and buffers of the sizes that the draw says.
        let vertices = unsafe { draw.vertices(&mut read)? };
        // SAFETY: NULL or as many floats, and not used by anyone else.
        let to = unsafe { array_mut(records, float_count, "records")? };
        batch.run_draw(&vertices, &layout.records, to).map_err(failed)
    };
    // SAFETY: NULL or a place for a pointer.
    unsafe { done(errors, work) }
}
