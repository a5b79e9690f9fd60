//! Draws with geometry programs on the CPU: from vertex buffers to triangles.
//! In: GPU registers, draws. Out: vertices of triangles at places of the host's choice. Fetch and
//! geometry are those of `transpica_draw::cpu`.

use transpica::Stage;
use transpica_draw::batch::VertexAttribute;
use transpica_draw::cpu::{DrawLimits, Pipeline, Triangles};

use crate::boundary::{array_mut, create, done, exclusive, free, plain, shared, value};
use crate::draw::{ATTRIBUTES, Layout, TranspicaDraw};
use crate::enums::TranspicaStatus;
use crate::problem::Problem;
use crate::registers::TranspicaRegisters;
use crate::result::TranspicaResult;
use crate::settings::{TranspicaSettings, or, read};
use crate::translator::TranspicaKey;

/// The programs of a register state, decoded to draw on the CPU: a vertex program, and the geometry
/// program that takes its vertices, if the registers have one. State that a geometry program leaves
/// carries over to the next draw. One for each thread.
#[derive(Clone)]
pub struct TranspicaPipeline {
    pipeline: Pipeline,
    /// The layout of records of the last draw.
    layout: Layout,
    /// The attribute of each input register.
    input_map: [Option<u8>; ATTRIBUTES],
    /// Triangles of the last draw that had no room.
    rest: Option<Triangles>,
}

/// Limits of the work of a draw; a draw beyond one is an error. Zeros are the defaults. A draw
/// reads at most the first 2,097,152 vertices of its buffers, whatever they are.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaDrawLimits {
    /// Instructions of a vertex or of an invocation of the geometry program. Default: 16,777,216.
    pub steps: u64,
    /// Instructions of a draw. Default: 4,294,967,296.
    pub draw_steps: u64,
    /// EMITs of an invocation. Default: 65,536.
    pub emits: u32,
    /// Triangles of a draw. Default: 262,144.
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
        let layout = Layout::of_map(pipeline.setup().map, &settings);
        Ok(TranspicaPipeline { pipeline, layout, input_map: state.vertex().input_map(), rest: None })
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

/// Sets the uniforms of both units, b15 included, and the order of attributes to those of
/// registers. Everything else stays: when transpica_pipeline_key changes, another pipeline is
/// needed.
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
        own.input_map = state.vertex().input_map();
        Ok(())
    })
}

/// Writes the identifier of the pipeline that transpica_pipeline_create makes of registers, for
/// the same settings: equal keys mean equal pipelines but for uniforms and the order of
/// attributes, which transpica_pipeline_use_registers sets. It covers the words that both programs
/// reach, the output map and mask, the topology, and for geometry programs their mode and the
/// permutation of their inputs. Formats of attributes belong to the draw. Unlike transpica_key, no
/// program is refused. `errors` is NULL or receives a result if the registers describe no draw,
/// else NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_pipeline_key(
    registers: *const TranspicaRegisters,
    key: *mut TranspicaKey,
    errors: *mut *mut TranspicaResult,
) -> TranspicaStatus {
    let work = || {
        // SAFETY: NULL or a state that no other call changes; NULL or a place for a key.
        let (state, key) = unsafe { (&shared(registers, "registers")?.state, exclusive(key, "key")?) };
        key.bytes = Pipeline::key(state)?.0;
        Ok(())
    };
    // SAFETY: NULL or a place for a pointer.
    unsafe { done(errors, work) }
}

/// Returns the number of vertices, or indices, of which parts of a draw must be multiples so that
/// copies of a pipeline can draw one each, on threads of their own, with the same triangles: a part
/// has its own `first` or `indices`, `count` and records. 0 if one part depends on another: where
/// invocations depend on earlier ones, in variable mode, for strips and fans, and for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_pipeline_part(pipeline: *const TranspicaPipeline) -> u32 {
    // SAFETY: NULL or a pipeline that no other call changes.
    value(0, || Ok(unsafe { shared(pipeline, "pipeline")? }.pipeline.part().unwrap_or(0)))
}

/// Hands over what the last draw left in the geometry unit, which all programs of a console share.
/// In `registers` it sets the uniforms of the unit, among them those that vertices were delivered
/// to, and b15, which is true once an invocation has run: transpica_pipeline_use_registers takes
/// them from there. `next` takes registers, vertex slots and the setting of SETEMIT; programs whose
/// invocations are independent are not traced, so what they leave there stays unknown. Both may be
/// NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_pipeline_hand_over(
    pipeline: *const TranspicaPipeline,
    registers: *mut TranspicaRegisters,
    next: *mut TranspicaPipeline,
) -> TranspicaStatus {
    plain(|| {
        // SAFETY: NULL or a pipeline that no other call changes; NULL or objects that no other call
        // uses.
        let (own, registers, next) =
            unsafe { (shared(pipeline, "pipeline")?, registers.as_mut(), next.as_mut()) };
        registers.into_iter().for_each(|registers| own.pipeline.write_back(&mut registers.state));
        next.into_iter().for_each(|next| next.pipeline.continue_from(&own.pipeline));
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

/// Draws vertices of buffers, and writes a record for each vertex of the triangles to `records`, of
/// `float_count` floats, as they are made. `vertex_count` receives the number of vertices of all
/// triangles, three for each. Triangles for which there is no room are kept until the next draw:
/// see transpica_pipeline_read. The layout of records is that of transpica_batch_draw; `registers`,
/// `outputs` and parameters of `draw` do not count. `errors` is NULL or receives a result if the
/// draw fails, else NULL; the records are not defined then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_pipeline_draw(
    pipeline: *mut TranspicaPipeline,
    draw: *const TranspicaDraw,
    records: *mut f32,
    float_count: usize,
    vertex_count: *mut usize,
    errors: *mut *mut TranspicaResult,
) -> TranspicaStatus {
    let work = || {
        // SAFETY: NULL or a pipeline that no other call uses; NULL or a draw.
        let (own, draw) = unsafe { (exclusive(pipeline, "pipeline")?, shared(draw, "draw")?) };
        own.rest = None;
        if vertex_count.is_null() {
            return Err(Problem::null("vertex_count"));
        }
        own.pipeline.set_host(draw.host()?);
        let mut read = [VertexAttribute::default(); ATTRIBUTES];
        // SAFETY: as many offsets, attributes, buffers and indices of the sizes that the draw says.
        let mut vertices = unsafe {
            own.layout.place(draw)?;
            draw.vertices(&mut read)?
        };
        vertices.input_map = own.input_map;
        // SAFETY: NULL or as many floats, and not used by anyone else.
        let to = unsafe { array_mut(records, float_count, "records")? };
        let (written, rest) = own.pipeline.draw_records(&vertices, &own.layout.records, to)?;
        // SAFETY: not NULL, so a place for a number.
        unsafe { vertex_count.write(3 * (written + rest.triangles().len())) };
        own.rest = Some(rest);
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
    value(0, || Ok(unsafe { shared(pipeline, "pipeline")? }.layout.packed.1))
}

/// Writes the records of the last draw for which it had no room: all of them if it had none. Their
/// layout is that of the draw. Nothing is written if a record lies beyond the `float_count` floats
/// at `records`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_pipeline_read(
    pipeline: *const TranspicaPipeline,
    records: *mut f32,
    float_count: usize,
) -> TranspicaStatus {
    plain(|| {
        // SAFETY: NULL or a pipeline that no other call changes; NULL or as many floats, and not
        // used by anyone else.
        let (own, to) =
            unsafe { (shared(pipeline, "pipeline")?, array_mut(records, float_count, "records")?) };
        let Some(rest) = &own.rest else { return Ok(()) };
        rest.write(&own.layout.records, to).map_err(|error| Problem::size(error.to_string()))
    })
}
