//! Batches: vertex programs on the CPU, 64 vertices at a time.
//! In: [`settings`](crate::settings), chains of [`source`](crate::source), uniforms, lanes.
//! Out: lanes, statuses. The arithmetic is that of `transpica_draw::batch`.

use std::ptr::{null, null_mut};

use transpica::Stage;
use transpica::host::{Constants, Hook, HostValues, OutputMap, redirect};
use transpica::isa::Uniforms;
use transpica_draw::batch::{Batch, LANES, VertexError};
use transpica_settings::Settings;

use crate::boundary::{create, done, exclusive, free, plain, shared, value};
use crate::chain::TranspicaHead;
use crate::draw::Layout;
use crate::enums::TranspicaStatus;
use crate::problem::Problem;
use crate::registers::TranspicaRegisters;
use crate::result::TranspicaResult;
use crate::settings::{TranspicaSettings, read};
use crate::source::{ProgramRequest, constants};

/// Number of vertices that a batch runs side by side.
///
/// cbindgen:ignore
pub const BATCH_LANES: usize = 64;
const _: () = assert!(BATCH_LANES == LANES);

/// Components of a vertex: sixteen registers of four floats.
const COMPONENTS: usize = 64;

/// A vertex program, decoded to run on the CPU. One for each thread.
#[derive(Clone)]
pub struct TranspicaBatch {
    pub(crate) batch: Batch,
    /// The options and the profile of its settings.
    pub(crate) settings: Settings,
    /// The output map of the program.
    pub(crate) map: OutputMap,
    /// Uniforms that the file of the program sets.
    constants: Constants,
    /// Hooks of the program.
    pub(crate) hooks: Vec<Hook>,
    /// The uniforms before redirection.
    uniforms: Uniforms,
    /// The layout of records of the last draw.
    pub(crate) layout: Option<Layout>,
}

/// All uniform registers.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaUniforms {
    /// c0 to c95.
    pub floats: [[f32; 4]; 96],
    /// i0 to i3: iterations minus 1, start of aL, step of aL, and a component without effect.
    pub ints: [[u8; 4]; 4],
    /// Bit n is bn.
    pub bools: u16,
    /// Must be 0.
    pub reserved: u16,
}

impl TranspicaUniforms {
    pub(crate) fn read(&self) -> Result<Uniforms, Problem> {
        let &Self { floats, ints, bools, reserved } = self;
        crate::settings::reserved("TranspicaUniforms.reserved", reserved.into())?;
        Ok(Uniforms { floats, ints, bools })
    }
}

pub(crate) fn failed(error: VertexError) -> Problem {
    let vertex = error.vertex;
    let mut problem = Problem::from(error.error);
    problem.text = format!("vertex {vertex}: {}", problem.text);
    problem
}

/// Creates a batch through `batch`. `settings` is as for transpica_translator_create: precision,
/// exponentials, uninitialized registers, undefined opcodes and loop guard count. `program` is a
/// chain as for transpica_translate; targets do not count. Both are not needed afterwards.
/// `budget` is the number of instructions after which a vertex is an error. Uniforms are 0.
/// `errors` is NULL or receives a result if the call fails, else NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_batch_create(
    settings: *const TranspicaSettings,
    program: *const TranspicaHead,
    budget: u64,
    batch: *mut *mut TranspicaBatch,
    errors: *mut *mut TranspicaResult,
) -> TranspicaStatus {
    let make = || {
        // SAFETY: NULL or settings that no other call changes.
        let settings = unsafe { read(settings)? }.0;
        let options = settings.options;
        // SAFETY: NULL or such a chain.
        let request = unsafe { ProgramRequest::new(program, "transpica_batch_create")? };
        request.with(&options.limits, &mut |program, environment, executable| {
            let mut new = TranspicaBatch {
                batch: Batch::new(program, options.settings(budget))?,
                settings: settings.clone(),
                map: environment.output_map(),
                constants: constants(executable),
                hooks: request.hooks.clone(),
                uniforms: Uniforms::default(),
                layout: None,
            };
            new.set_uniforms(Uniforms::default());
            Ok(new)
        })
    };
    // SAFETY: NULL or places for pointers.
    unsafe { create(batch, "batch", errors, make) }
}

impl TranspicaBatch {
    fn set_uniforms(&mut self, mut uniforms: Uniforms) {
        self.constants.apply(&mut uniforms);
        self.uniforms = uniforms;
        self.redirect(&HostValues::default());
    }

    /// Sets the uniforms of the batch to those that the program reads with these parameters.
    pub(crate) fn redirect(&mut self, host: &HostValues) {
        let mut uniforms = self.uniforms.clone();
        redirect(&self.hooks, &mut uniforms, host);
        self.batch.set_uniforms(&uniforms);
    }
}

/// Copies a batch with its uniforms through `copy`, for another thread. Both share the decoded
/// program. `errors` is NULL or receives a result if the call fails, else NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_batch_copy(
    batch: *const TranspicaBatch,
    copy: *mut *mut TranspicaBatch,
    errors: *mut *mut TranspicaResult,
) -> TranspicaStatus {
    // SAFETY: NULL or a batch that no other call changes; NULL or places for pointers.
    unsafe { create(copy, "copy", errors, || Ok(shared(batch, "batch")?.clone())) }
}

/// Frees a batch. NULL is permitted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_batch_free(batch: *mut TranspicaBatch) {
    // SAFETY: NULL or a batch that is no longer used.
    unsafe { free(batch) }
}

/// Sets all uniforms; those that the file of the program sets stay.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_batch_set_uniforms(
    batch: *mut TranspicaBatch,
    uniforms: *const TranspicaUniforms,
) -> TranspicaStatus {
    plain(|| {
        // SAFETY: NULL or a batch that no other call uses; NULL or uniforms.
        let (batch, uniforms) = unsafe { (exclusive(batch, "batch")?, shared(uniforms, "uniforms")?) };
        batch.set_uniforms(uniforms.read()?);
        Ok(())
    })
}

/// Sets `register_count` float uniforms from c`first` on; those that the file of the program sets
/// stay. This is faster than setting all of them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_batch_write_floats(
    batch: *mut TranspicaBatch,
    first: u32,
    vectors: *const [f32; 4],
    register_count: usize,
) -> TranspicaStatus {
    plain(|| {
        // SAFETY: NULL or a batch that no other call uses.
        let batch = unsafe { exclusive(batch, "batch")? };
        let range = (first as usize).checked_add(register_count).map(|end| first as usize..end);
        let Some(places) = range.clone().and_then(|range| batch.uniforms.floats.get_mut(range)) else {
            let text = format!("{register_count} uniforms from c{first} on, but there are 96");
            return Err(Problem::size(text));
        };
        // SAFETY: NULL or as many vectors, as the caller guarantees.
        let vectors = unsafe { crate::boundary::array(vectors, register_count, "vectors")? };
        places.copy_from_slice(vectors);
        batch.constants.apply(&mut batch.uniforms);
        if batch.hooks.is_empty() {
            let values = &batch.uniforms.floats[range.unwrap_or_default()];
            batch.batch.write_floats(first as usize, values);
        } else {
            batch.redirect(&HostValues::default());
        }
        Ok(())
    })
}

/// Sets all uniforms to those of the vertex unit of a register state.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_batch_use_registers(
    batch: *mut TranspicaBatch,
    registers: *const TranspicaRegisters,
) -> TranspicaStatus {
    plain(|| {
        // SAFETY: NULL or a batch that no other call uses; NULL or a state that no other call
        // changes.
        let (batch, registers) = unsafe { (exclusive(batch, "batch")?, shared(registers, "registers")?) };
        batch.set_uniforms(registers.state.uniforms(Stage::Vertex));
        Ok(())
    })
}

/// Returns component 0 to 3 of v0 to v15 of TRANSPICA_BATCH_LANES vertices, to be written before a
/// run. NULL if the program does not read it. The memory stays in place until the batch is freed or
/// runs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_batch_input(
    batch: *mut TranspicaBatch,
    register_index: u32,
    component: u32,
) -> *mut f32 {
    value(null_mut(), || {
        // SAFETY: NULL or a batch that no other call uses.
        let batch = unsafe { exclusive(batch, "batch")? };
        let lanes = batch.batch.input_mut(register_index as usize, component as usize);
        Ok(lanes.map_or(null_mut(), |lanes| lanes.as_mut_ptr()))
    })
}

/// Runs the program for the first `count` vertices, at most TRANSPICA_BATCH_LANES. `errors` is NULL
/// or receives a result if a vertex fails, else NULL; all others have run to their end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_batch_run(
    batch: *mut TranspicaBatch,
    count: usize,
    errors: *mut *mut TranspicaResult,
) -> TranspicaStatus {
    // SAFETY: NULL or a batch that no other call uses; NULL or a place for a pointer.
    unsafe { done(errors, || exclusive(batch, "batch")?.batch.run(count).map_err(failed)) }
}

/// Returns component 0 to 3 of o0 to o15 of TRANSPICA_BATCH_LANES vertices after a run. NULL if
/// there is no such register or component. The memory stays in place until the batch is freed or
/// runs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_batch_output(
    batch: *const TranspicaBatch,
    register_index: u32,
    component: u32,
) -> *const f32 {
    value(null(), || {
        // SAFETY: NULL or a batch that no other call changes.
        let batch = unsafe { shared(batch, "batch")? };
        let lanes = batch.batch.output(register_index as usize, component as usize);
        Ok(lanes.map_or(null(), |lanes| lanes.as_ptr()))
    })
}

/// Runs the program for any number of vertices: `inputs` are v0 to v15 of each, 64 floats, and
/// `outputs` receive o0 to o15 of each. All registers move: transpica_batch_draw moves only what
/// the program reads and the rasterizer takes, and is several times faster. `errors` is NULL or
/// receives a result if a vertex fails, else NULL; all others have run to their end.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_batch_run_vertices(
    batch: *mut TranspicaBatch,
    inputs: *const f32,
    outputs: *mut f32,
    count: usize,
    errors: *mut *mut TranspicaResult,
) -> TranspicaStatus {
    let work = || {
        // SAFETY: NULL or a batch that no other call uses.
        let batch = unsafe { exclusive(batch, "batch")? };
        let floats = count
            .checked_mul(COMPONENTS)
            .ok_or_else(|| Problem::size(format!("{count} vertices exceed any memory")))?;
        // SAFETY: NULL or as many floats as the comment says.
        let inputs = unsafe { crate::boundary::array(inputs, floats, "inputs")? };
        // SAFETY: as above, and not read by anyone else.
        let outputs = unsafe { crate::boundary::array_mut(outputs, floats, "outputs")? };
        let outputs = outputs.as_chunks_mut().0.as_chunks_mut().0;
        batch.batch.run_all(vertices(inputs), outputs).map_err(failed)
    };
    // SAFETY: NULL or a place for a pointer.
    unsafe { done(errors, work) }
}

/// Registers of vertices.
fn vertices(floats: &[f32]) -> &[[[f32; 4]; 16]] {
    floats.as_chunks::<4>().0.as_chunks::<16>().0
}
