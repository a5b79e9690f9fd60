//! Plans of draws with a geometry program, and the passes around it.
//! In: a setup, facts of a kernel, the vertices of a draw. Out: sizes of buffers, workgroups,
//! content of uniform blocks, modules. The planning is `transpica_draw::gpu`'s.

use transpica_draw::gpu::{Pass, Plan, Request, ScanResult, Sizes};

use crate::boundary::{array, array_mut, copy, create, exclusive, free, plain, shared};
use crate::chain::{TranspicaHead, fill, structures};
use crate::enums::{TranspicaBindingUse, TranspicaCode, TranspicaStatus};
use crate::geometry::TranspicaSetup;
use crate::problem::Problem;
use crate::result::TranspicaResult;
use crate::settings::{choice, or};

/// A draw with a geometry program. Zeros are defaults.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaPlanRequest {
    /// The setup of the draw.
    pub setup: *const TranspicaSetup,
    /// The result of TRANSPICA_ENTRY_POINT_GEOMETRY.
    pub kernel: *const TranspicaResult,
    /// The vertices to draw, or NULL for all in their order. In variable mode, each primitive is
    /// its number of vertices and then their indices.
    pub indices: *const u32,
    /// Number of indices.
    pub index_count: usize,
    /// Number of vertices.
    pub vertices: u32,
    /// Vectors of a record in the previous draw, if the float uniforms of the geometry program were
    /// not set since; else 0.
    pub window: u32,
    /// Triangles of an invocation where none are proven: a guess, which the result of the scan
    /// confirms. 0: 64.
    pub triangles: u32,
    /// Limit of the invocations of a thread in one dispatch. 0: none.
    pub most_invocations: u32,
    /// Limit of the bytes of a buffer. 0: 134,217,728, which every driver has.
    pub bytes: u32,
    /// Must be 0.
    pub reserved: u32,
}

/// Sizes and workgroups of a plan.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct TranspicaPlanFigures {
    /// TRANSPICA_TYPE_PLAN_FIGURES
    pub head: TranspicaHead,
    /// Bytes of o0 to o15 of each vertex: binding 1 of the vertex program, 0 of the feed.
    pub vertex_bytes: u64,
    /// Bytes of the feed.
    pub feed_bytes: u64,
    /// Bytes of the triangles.
    pub triangle_bytes: u64,
    /// Bytes of the counts, and of the offsets.
    pub count_bytes: u64,
    /// Bytes of the finished list.
    pub list_bytes: u64,
    /// Offset in the feed of the uniforms that the draw leaves in the register file.
    pub copy_from: u64,
    /// Their offset in the register file, c0 to c95 of 16 bytes each.
    pub copy_to: u64,
    /// Their bytes; 0 if the draw leaves none.
    pub copy_bytes: u64,
    /// Number of dispatches of the geometry program. Between two of them the second half of the
    /// state is copied to the first half.
    pub draw_count: u32,
    /// Vectors of a record.
    pub window: u32,
    /// Number of threads of the geometry program.
    pub threads: u32,
    /// Number of invocations.
    pub invocations: u32,
    /// Workgroups of the vertex program.
    pub vertex_groups: [u32; 3],
    /// Workgroups of the geometry program, in each of its dispatches.
    pub geometry_groups: [u32; 3],
    /// Workgroups of each TranspicaPass. 0 in all: dispatch it indirectly, see `groups_offset`.
    pub pass_groups: [[u32; 3]; 3],
    /// Bytes of the result of the scan, which begins with the arguments of an indirect draw.
    pub result_bytes: u32,
    /// Offset in it of the arguments of the indirect dispatch.
    pub groups_offset: u32,
    /// 0.
    pub reserved: u32,
    /// The uniform block of TRANSPICA_PASS_FEED.
    pub feed_block: [u32; 12],
    /// The uniform block of the other passes.
    pub collect_block: [u32; 4],
    /// Bytes that transpica_plan_primitives copies.
    pub primitive_bytes: u64,
}

structures! { TranspicaPlanFigures => PlanFigures }

/// The plan of a draw.
pub struct TranspicaPlan {
    plan: Plan,
    vertices: u32,
}

/// Plans a draw through `plan`. `request` is not needed afterwards. `errors` is NULL or receives a
/// result if the call fails, else NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_plan_create(
    request: *const TranspicaPlanRequest,
    plan: *mut *mut TranspicaPlan,
    errors: *mut *mut TranspicaResult,
) -> TranspicaStatus {
    // SAFETY: NULL or a structure whose pointers are as their comments say; NULL or places for
    // pointers.
    unsafe { create(plan, "plan", errors, || shared(request, "request")?.plan()) }
}

impl TranspicaPlanRequest {
    /// Plans the draw.
    ///
    /// # Safety
    /// Pointers are NULL or as their comments say.
    unsafe fn plan(&self) -> Result<TranspicaPlan, Problem> {
        crate::settings::reserved("TranspicaPlanRequest.reserved", self.reserved)?;
        // SAFETY: guaranteed by the caller.
        let (setup, kernel, indices) = unsafe {
            (
                &shared(self.setup, "TranspicaPlanRequest.setup")?.setup,
                shared(self.kernel, "TranspicaPlanRequest.kernel")?.kernel()?,
                array(self.indices, self.index_count, "TranspicaPlanRequest.indices")?,
            )
        };
        let Some(geometry) = setup.geometry else {
            let text = "the setup has no geometry program".to_owned();
            return Err(Problem::argument(TranspicaCode::NoProgram, text));
        };
        let plan = Plan::new(&Request {
            input: geometry.input,
            outputs: setup.vertex_outputs,
            vertices: self.vertices,
            indices: (!self.indices.is_null()).then_some(indices),
            window: self.window,
            vectors: kernel.vectors,
            topology: setup.topology,
            dependence: kernel.dependence,
            triangles: kernel.triangles.unwrap_or(or(self.triangles, 64)),
            most_invocations: or(self.most_invocations, u32::MAX),
            bytes: or(self.bytes, 1 << 27),
        })?;
        Ok(TranspicaPlan { plan, vertices: self.vertices })
    }
}

/// Frees a plan. NULL is permitted.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_plan_free(plan: *mut TranspicaPlan) {
    // SAFETY: NULL or a plan that is no longer used.
    unsafe { free(plan) }
}

/// Fills `figures`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_plan_figures(
    plan: *const TranspicaPlan,
    figures: *mut TranspicaPlanFigures,
) -> TranspicaStatus {
    plain(|| {
        // SAFETY: NULL or a plan; NULL or a structure with a head.
        unsafe {
            let TranspicaPlan { plan, vertices } = shared(plan, "plan")?;
            let Sizes { vertices: vertex_bytes, feed, triangles, counts, list } = plan.sizes;
            let (copy_from, copy_to, copy_bytes) =
                plan.feed_copy.map_or((0, 0, 0), |copy| (copy.from, copy.to, copy.bytes));
            fill(figures, |head| TranspicaPlanFigures {
                head,
                vertex_bytes,
                feed_bytes: feed,
                triangle_bytes: triangles,
                count_bytes: counts,
                list_bytes: list,
                copy_from,
                copy_to,
                copy_bytes,
                draw_count: plan.draws().len() as u32, // Range: at most the threads.
                window: plan.draw.window,
                threads: plan.draw.threads,
                invocations: plan.draw.invocations,
                vertex_groups: Plan::vertex_dispatch(*vertices),
                geometry_groups: plan.kernel_dispatch(),
                pass_groups: Pass::ALL.map(|pass| plan.dispatch(pass).unwrap_or_default()),
                result_bytes: ScanResult::BYTES as u32, // Range: constants.
                groups_offset: ScanResult::GROUPS as u32,
                reserved: 0,
                feed_block: words(&plan.feed.to_words()),
                collect_block: words(&plan.collect.to_words()),
                primitive_bytes: 16 * plan.primitives.len() as u64,
            })
        }
    })
}

/// The first words of a block.
fn words<const COUNT: usize>(from: &[u32]) -> [u32; COUNT] {
    std::array::from_fn(|index| from.get(index).copied().unwrap_or(0))
}

/// Copies the uniform block of a dispatch of the geometry program, eight words, to `block`.
/// `dispatch` counts from 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_plan_draw_block(
    plan: *const TranspicaPlan,
    dispatch: u32,
    block: *mut u32,
) -> TranspicaStatus {
    plain(|| {
        // SAFETY: NULL or a plan; NULL or eight words.
        let (plan, to) = unsafe { (shared(plan, "plan")?, array_mut(block, 8, "block")?) };
        let Some(draw) = plan.plan.draws().nth(dispatch as usize) else {
            let text = format!("dispatch is {dispatch}, but there are {}", plan.plan.draws().len());
            return Err(Problem::size(text));
        };
        to.copy_from_slice(&words::<8>(&draw.to_words()));
        Ok(())
    })
}

/// Copies the content of the buffer of primitives to `bytes`: TranspicaPlanFigures'
/// `primitive_bytes`, which `byte_count` must be.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_plan_primitives(
    plan: *const TranspicaPlan,
    bytes: *mut u8,
    byte_count: usize,
) -> TranspicaStatus {
    plain(|| {
        // SAFETY: NULL or a plan; NULL or as many bytes.
        let (plan, to) = unsafe { (shared(plan, "plan")?, array_mut(bytes, byte_count, "bytes")?) };
        copy(&plan.plan.primitive_bytes(), to, "byte_count")
    })
}

/// Copies the SPIR-V module of a TranspicaPass to `words`, if they are not NULL. `word_count` is
/// the number of words there is room for, and receives the number of the module's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_pass_words(
    pass: u32,
    words: *mut u32,
    word_count: *mut usize,
) -> TranspicaStatus {
    plain(|| {
        let pass: Pass = choice("pass", pass)?;
        let module = pass.spirv();
        // SAFETY: NULL or a number.
        let count = unsafe { exclusive(word_count, "word_count")? };
        let room = std::mem::replace(count, module.len());
        if words.is_null() {
            return Ok(());
        }
        // SAFETY: as many words, as the caller guarantees.
        let to = unsafe { array_mut(words, room, "words")? };
        match to.get_mut(..module.len()) {
            Some(to) => to.copy_from_slice(&module),
            None => {
                let text = format!("word_count is {room}, but the module has {} words", module.len());
                return Err(Problem::size(text));
            }
        }
        Ok(())
    })
}

/// Copies the kinds of bindings 0, 1, … of a TranspicaPass in set 0, each a TranspicaBindingUse, to
/// `uses`, which has room for six. `count` receives their number.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn transpica_pass_bindings(
    pass: u32,
    uses: *mut u32,
    count: *mut u32,
) -> TranspicaStatus {
    plain(|| {
        let pass: Pass = choice("pass", pass)?;
        // SAFETY: NULL or six numbers; NULL or a number.
        let (to, count) = unsafe { (array_mut(uses, 6, "uses")?, exclusive(count, "count")?) };
        let from = pass.bindings();
        *count = from.len() as u32; // Range: at most six.
        to.iter_mut()
            .zip(from)
            .for_each(|(to, binding)| *to = TranspicaBindingUse::from(binding.usage) as u32);
        Ok(())
    })
}
