//! Draws with a geometry program: their setup, the job of a translation, what a geometry program
//! needs of the host.
//! In: registers, files, results. Out: [`TranspicaSetup`], [`TranspicaKernel`].

use transpica::geometry::Dependence;
use transpica::{Job, Setup, Shbin};

use crate::boundary::{array, array_mut, copy, create, free, plain, shared, value};
use crate::chain::{TranspicaHead, fill, structures};
use crate::enums::{TranspicaDependence, TranspicaEntryPoint, TranspicaStatus, TranspicaTopology};
use crate::problem::Problem;
use crate::registers::TranspicaRegisters;
use crate::result::TranspicaResult;
use crate::settings::{choice, reserved};

/// Setup of the programs of a draw: outputs of the vertex program, input of the geometry program,
/// outputs that the rasterizer takes, topology.
pub struct TranspicaSetup {
    pub(crate) setup: Setup,
}

/// The entry point of a translation, in the chain of a program. Without it: the vertex stage.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaJob {
    /// TRANSPICA_TYPE_JOB
    pub head: TranspicaHead,
    /// A TranspicaEntryPoint.
    pub entry_point: u32,
    /// Must be 0.
    pub reserved: u32,
    /// The setup of the draw, for entry points of draws with a geometry program; else NULL.
    pub setup: *const TranspicaSetup,
}

/// Needs of a geometry program in a compute stage: TRANSPICA_ENTRY_POINT_GEOMETRY.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaKernel {
    /// TRANSPICA_TYPE_KERNEL
    pub head: TranspicaHead,
    /// Vectors of a vertex in the buffer of triangles: one for each output.
    pub vectors: u32,
    /// A TranspicaDependence of invocations on earlier ones.
    pub dependence: u32,
    /// For TRANSPICA_DEPENDENCE_DEPTH, the number of earlier invocations.
    pub depth: u32,
    /// 1 if `triangles` is a proven bound, 0 if none is.
    pub has_triangles: u32,
    /// Upper bound of the triangles of an invocation.
    pub triangles: u32,
    /// Words of carried state. The buffer at binding 5 has twice as many: before and after a draw.
    pub state_count: u32,
}

structures! { TranspicaJob => Job, TranspicaKernel => Kernel }

impl TranspicaJob {
    /// Returns the job.
    ///
    /// # Safety
    /// `setup` is NULL or a setup that no other call changes, for as long as the job is used.
    pub(crate) unsafe fn read<'a>(&self) -> Result<Job<'a>, Problem> {
        reserved("TranspicaJob.reserved", self.reserved)?;
        // SAFETY: guaranteed by the caller.
        let setup = unsafe { shared(self.setup, "TranspicaJob.setup") }.map(|setup| &setup.setup);
        Ok(match choice("TranspicaJob.entry_point", self.entry_point)? {
            TranspicaEntryPoint::Vertex => Job::Vertex,
            TranspicaEntryPoint::Compute => Job::Compute,
            TranspicaEntryPoint::Quaternions => Job::Quaternions,
            TranspicaEntryPoint::BeforeGeometry => {
                let setup = setup?;
                Job::BeforeGeometry { outputs: setup.vertex_outputs, vertices: setup.point_vertices() }
            }
            TranspicaEntryPoint::Geometry => Job::Geometry(setup?),
            TranspicaEntryPoint::GeometryStage => Job::GeometryStage(setup?),
            TranspicaEntryPoint::Draw => Job::Draw(setup?),
        })
    }
}

/// Returns 1 if a geometry program takes part in a draw with these registers, else 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_registers_have_geometry(registers: *const TranspicaRegisters) -> u32 {
    // SAFETY: NULL or a state that no other call changes.
    value(0, || Ok(unsafe { shared(registers, "registers")? }.state.has_geometry().into()))
}

/// Creates the setup of a draw from registers, through `setup`. `errors` is NULL or receives a
/// result if the call fails, else NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_setup_from_registers(
    registers: *const TranspicaRegisters,
    setup: *mut *mut TranspicaSetup,
    errors: *mut *mut TranspicaResult,
) -> TranspicaStatus {
    // SAFETY: NULL or a state that no other call changes; NULL or places for pointers.
    unsafe {
        create(setup, "setup", errors, || {
            Ok(TranspicaSetup { setup: Setup::from_registers(&shared(registers, "registers")?.state)? })
        })
    }
}

/// Creates the setup that the system library programs for two executables of a .shbin file, through
/// `setup`. `stride` is the application's parameter for the geometry program: vectors of an
/// invocation in point mode, uniforms of a vertex in fixed mode; 0 for the number of the vertex
/// program's outputs. `errors` is NULL or receives a result if the call fails, else NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_setup_from_file(
    bytes: *const u8,
    byte_count: usize,
    vertex: u32,
    geometry: u32,
    stride: u32,
    setup: *mut *mut TranspicaSetup,
    errors: *mut *mut TranspicaResult,
) -> TranspicaStatus {
    // SAFETY: NULL or as many bytes; NULL or places for pointers.
    unsafe {
        create(setup, "setup", errors, || {
            let file = Shbin::parse(array(bytes, byte_count, "bytes")?)?;
            // A stride beyond a byte is as wrong as 255, which the library reports.
            let stride = (stride > 0).then(|| u8::try_from(stride).unwrap_or(u8::MAX));
            let setup = Setup::from_file(&file, vertex as usize, Some(geometry as usize), stride)?;
            Ok(TranspicaSetup { setup })
        })
    }
}

/// Frees a setup. NULL is permitted. Results of translations do not need it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_setup_free(setup: *mut TranspicaSetup) {
    // SAFETY: NULL or a setup that is no longer used.
    unsafe { free(setup) }
}

/// Returns the mask of the output registers that the vertex program forwards; 0 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_setup_vertex_outputs(setup: *const TranspicaSetup) -> u32 {
    // SAFETY: NULL or a setup that no other call changes.
    value(0, || Ok(unsafe { shared(setup, "setup")? }.setup.vertex_outputs.into()))
}

/// Returns the TranspicaTopology of a setup; TRANSPICA_TOPOLOGY_LIST for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_setup_topology(setup: *const TranspicaSetup) -> u32 {
    // SAFETY: NULL or a setup that no other call changes.
    value(0, || Ok(TranspicaTopology::from(unsafe { shared(setup, "setup")? }.setup.topology) as u32))
}

/// Returns the number of vertices that a point has before TRANSPICA_ENTRY_POINT_GEOMETRY_STAGE: 1,
/// or all vertices of an invocation where no primitive has as many. The host then draws points
/// whose attributes lie as far apart as those of that many vertices. 1 for NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_setup_point_vertices(setup: *const TranspicaSetup) -> u32 {
    // SAFETY: NULL or a setup that no other call changes.
    value(1, || Ok(unsafe { shared(setup, "setup")? }.setup.point_vertices().into()))
}

/// Fills `kernel` from the result of TRANSPICA_ENTRY_POINT_GEOMETRY.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_result_kernel(
    result: *const TranspicaResult,
    kernel: *mut TranspicaKernel,
) -> TranspicaStatus {
    plain(|| {
        // SAFETY: NULL or a result; NULL or a structure with a head.
        unsafe {
            let facts = shared(result, "result")?.kernel()?;
            let (dependence, depth) = match facts.dependence {
                Dependence::None => (TranspicaDependence::None, 0),
                Dependence::Depth(depth) => (TranspicaDependence::Depth, depth),
                Dependence::Unbounded => (TranspicaDependence::Unbounded, 0),
            };
            fill(kernel, |head| TranspicaKernel {
                head,
                vectors: facts.vectors,
                dependence: dependence as u32,
                depth,
                has_triangles: facts.triangles.is_some().into(),
                triangles: facts.triangles.unwrap_or(0),
                state_count: facts.state.len() as u32, // Range: a few hundred.
            })
        }
    })
}

/// Copies the words of state as they are before the first draw to `words`, TranspicaKernel's
/// `state_count` of them, which `word_count` must be.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_result_state(
    result: *const TranspicaResult,
    words: *mut u32,
    word_count: usize,
) -> TranspicaStatus {
    plain(|| {
        // SAFETY: NULL or a result; NULL or as many words.
        let (facts, to) =
            unsafe { (shared(result, "result")?.kernel()?, array_mut(words, word_count, "words")?) };
        let initial: Vec<u32> = facts.state.iter().map(|word| word.initial).collect();
        copy(&initial, to, "word_count")
    })
}
