//! Draws with geometry programs on the CPU: from vertex buffers to triangles.
//! In: GPU registers, draws. Out: vertices of triangles at places of the host's choice. Fetch and
//! geometry are those of `transpica_draw::cpu`.

use transpica::Stage;
use transpica::host::varying;
use transpica_draw::batch::VertexAttribute;
use transpica_draw::cpu::{DrawLimits, Pipeline, Triangles};

use crate::boundary::{array, array_mut, create, done, exclusive, free, plain, shared, value};
use crate::draw::{ATTRIBUTES, TranspicaDraw};
use crate::enums::TranspicaStatus;
use crate::problem::Problem;
use crate::registers::TranspicaRegisters;
use crate::result::TranspicaResult;
use crate::settings::{TranspicaSettings, or, read};

/// The programs of a register state, decoded to draw on the CPU: a vertex program, and the geometry
/// program that takes its vertices, if the registers have one. State that a geometry program leaves
/// carries over to the next draw. One for each thread.
#[derive(Clone)]
pub struct TranspicaPipeline {
    pipeline: Pipeline,
    drawn: Option<Triangles>,
    /// Floats of each output, in the order of a record.
    lanes: Vec<usize>,
}

/// Limits of the work of a draw; a draw beyond one is an error. Zeros are the defaults of the
/// library.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaDrawLimits {
    /// Instructions of a vertex or of an invocation of the geometry program.
    pub steps: u64,
    /// Instructions of a draw.
    pub draw_steps: u64,
    /// EMITs of an invocation.
    pub emits: u32,
    /// Triangles of a draw.
    pub triangles: u32,
}

/// Creates a pipeline through `pipeline`, with the programs, the uniforms and the configuration of
/// registers. `settings` is as for transpica_translator_create. Both are not needed afterwards.
/// `errors` is NULL or receives a result if the call fails, else NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_pipeline_create(
    settings: *const TranspicaSettings,
    registers: *const TranspicaRegisters,
    pipeline: *mut *mut TranspicaPipeline,
    errors: *mut *mut TranspicaResult,
) -> TranspicaStatus {
    let make = || {
        // SAFETY: NULL or settings that no other call changes.
        let settings = unsafe { read(settings)? }.0;
        // SAFETY: NULL or a state that no other call changes.
        let state = &unsafe { shared(registers, "registers")? }.state;
        let mut pipeline = Pipeline::from_registers(state, &settings.options)?;
        pipeline.set_profile(&settings.profile);
        let outputs = varying::outputs(&pipeline.setup().map, &settings.options, &settings.profile);
        let lanes = outputs.iter().map(|output| output.lanes()).collect();
        Ok(TranspicaPipeline { pipeline, drawn: None, lanes })
    };
    // SAFETY: NULL or places for pointers.
    unsafe { create(pipeline, "pipeline", errors, make) }
}

/// Copies a pipeline with its uniforms and the state of its geometry program through `copy`.
/// `errors` is NULL or receives a result if the call fails, else NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_pipeline_copy(
    pipeline: *const TranspicaPipeline,
    copy: *mut *mut TranspicaPipeline,
    errors: *mut *mut TranspicaResult,
) -> TranspicaStatus {
    // SAFETY: NULL or a pipeline that no other call changes; NULL or places for pointers.
    unsafe { create(copy, "copy", errors, || Ok(shared(pipeline, "pipeline")?.clone())) }
}

/// Frees a pipeline. NULL is permitted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_pipeline_free(pipeline: *mut TranspicaPipeline) {
    // SAFETY: NULL or a pipeline that is no longer used.
    unsafe { free(pipeline) }
}

/// Sets the uniforms of both units to those of registers. The programs stay: other ones need
/// another pipeline.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_pipeline_use_registers(
    pipeline: *mut TranspicaPipeline,
    registers: *const TranspicaRegisters,
) -> TranspicaStatus {
    plain(|| {
        // SAFETY: NULL or a pipeline that no other call uses; NULL or a state that no other call
        // changes.
        let (own, state) =
            unsafe { (exclusive(pipeline, "pipeline")?, &shared(registers, "registers")?.state) };
        for stage in [Stage::Vertex, Stage::Geometry] {
            own.pipeline.set_uniforms(stage, &state.uniforms(stage));
        }
        Ok(())
    })
}

/// Sets the limits of the draws to come.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_pipeline_set_limits(
    pipeline: *mut TranspicaPipeline,
    limits: *const TranspicaDrawLimits,
) -> TranspicaStatus {
    plain(|| {
        // SAFETY: NULL or a pipeline that no other call uses; NULL or limits.
        let (own, limits) = unsafe { (exclusive(pipeline, "pipeline")?, shared(limits, "limits")?) };
        let &TranspicaDrawLimits { steps, draw_steps, emits, triangles } = limits;
        let usual = DrawLimits::default();
        own.pipeline.set_limits(DrawLimits {
            steps: or(steps, usual.steps),
            draw_steps: or(draw_steps, usual.draw_steps),
            emits: or(emits, usual.emits),
            triangles: or(triangles, usual.triangles),
        });
        Ok(())
    })
}

/// Draws vertices of buffers and keeps the triangles until the next draw; `vertex_count` receives
/// the number of their vertices, three for each. Only attributes, indices, `first`, `count`,
/// `registers`, `flip_y`, clip plane and `clip_enabled` of `draw` count. `errors` is NULL or
/// receives a result if the draw fails, else NULL; there are no triangles then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_pipeline_draw(
    pipeline: *mut TranspicaPipeline,
    draw: *const TranspicaDraw,
    vertex_count: *mut usize,
    errors: *mut *mut TranspicaResult,
) -> TranspicaStatus {
    let work = || {
        // SAFETY: NULL or a pipeline that no other call uses; NULL or a draw.
        let (own, draw) = unsafe { (exclusive(pipeline, "pipeline")?, shared(draw, "draw")?) };
        own.drawn = None;
        if vertex_count.is_null() {
            return Err(Problem::null("vertex_count"));
        }
        own.pipeline.set_host(draw.host()?);
        let mut read = [VertexAttribute::default(); ATTRIBUTES];
        // SAFETY: as many attributes, buffers and indices of the sizes that the draw says, and NULL
        // or a state that no other call changes.
        let vertices = unsafe { draw.vertices(&mut read)? };
        let drawn = own.pipeline.draw_buffers(&vertices)?;
        // SAFETY: not NULL, so a place for a number.
        unsafe { vertex_count.write(3 * drawn.triangles().len()) };
        own.drawn = Some(drawn);
        Ok(())
    };
    // SAFETY: NULL or a place for a pointer.
    unsafe { done(errors, work) }
}

/// Returns the number of floats of a packed record; 0 for NULL. A record has the outputs of a
/// vertex program that is translated with the same settings and registers, in that order.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_pipeline_record_floats(pipeline: *const TranspicaPipeline) -> usize {
    // SAFETY: NULL or a pipeline that no other call changes.
    value(0, || Ok(unsafe { shared(pipeline, "pipeline")? }.lanes.iter().sum()))
}

/// Writes a record for each vertex of the triangles of the last draw. `record_stride`, `offsets`
/// and `offset_count` are as in TranspicaDraw. Nothing is written if a record lies beyond the
/// `float_count` floats at `records`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_pipeline_read(
    pipeline: *const TranspicaPipeline,
    record_stride: usize,
    offsets: *const u32,
    offset_count: usize,
    records: *mut f32,
    float_count: usize,
) -> TranspicaStatus {
    plain(|| {
        // SAFETY: NULL or a pipeline that no other call changes.
        let own = unsafe { shared(pipeline, "pipeline")? };
        let Some(drawn) = &own.drawn else { return Ok(()) };
        let packed = own.lanes.iter().scan(0, |end, lanes| Some(std::mem::replace(end, *end + lanes)));
        let mut places: Vec<usize> = packed.collect();
        if offset_count != 0 {
            if offset_count != places.len() {
                let count = places.len();
                return Err(Problem::size(format!(
                    "offset_count is {offset_count}, but a record has {count} outputs"
                )));
            }
            // SAFETY: NULL or as many numbers, as the caller guarantees.
            let offsets = unsafe { array(offsets, offset_count, "offsets")? };
            places.iter_mut().zip(offsets).for_each(|(place, offset)| *place = *offset as usize);
        }
        let stride = or(record_stride, own.lanes.iter().sum());
        let fits = places.iter().zip(&own.lanes).all(|(place, lanes)| place.saturating_add(*lanes) <= stride);
        let count = 3 * drawn.triangles().len();
        if !fits || count.checked_mul(stride).is_none_or(|floats| floats > float_count) {
            return Err(Problem::size(format!(
                "{count} records of {stride} floats do not fit {float_count}"
            )));
        }
        // SAFETY: NULL or as many floats, and not used by anyone else.
        let to = unsafe { array_mut(records, float_count, "records")? };
        let records = to.chunks_exact_mut(stride.max(1));
        for (vertex, record) in drawn.triangles().flatten().zip(records) {
            for ((value, place), lanes) in vertex.iter().zip(&places).zip(&own.lanes) {
                record[*place..][..*lanes].copy_from_slice(&value[..*lanes]);
            }
        }
        Ok(())
    })
}
