// Finds the place of each thread's triangles in a dense row, and counts the vertices to draw and the workgroups of the
// pass that writes them.
// One workgroup. Each of its threads adds up a run of the counts; the sums of the runs become their starts.

struct Collect {
    // Threads of the geometry program.
    threads: u32,
    // Triangles that each has room for.
    capacity: u32,
    // Vectors of a vertex.
    vectors: u32,
    // 0 list, 1 strip, 2 fan.
    topology: u32,
}

struct Result {
    // The arguments of an indirect draw.
    vertex_count: u32,
    instance_count: u32,
    first_vertex: u32,
    first_instance: u32,
    // Triangles in the dense row.
    triangles: u32,
    // Most triangles that a thread made.
    largest: u32,
    // Whether that is more than there was room for.
    overflowed: u32,
    // The arguments of an indirect dispatch with a thread for each vertex.
    groups_x: u32,
    groups_y: u32,
    groups_z: u32,
}

@group(0) @binding(0) var<storage, read> counts: array<u32>;
@group(0) @binding(1) var<storage, read_write> offsets: array<u32>;
@group(0) @binding(2) var<uniform> collect: Collect;
@group(0) @binding(3) var<storage, read_write> result: Result;

const THREADS = 256u;
// Workgroups in the first dimension of a dispatch.
const ROW = 8192u;

var<workgroup> sums: array<u32, THREADS>;
var<workgroup> maxima: array<u32, THREADS>;

@compute @workgroup_size(THREADS)
fn main(@builtin(local_invocation_index) thread: u32) {
    let run = (collect.threads + THREADS - 1u) / THREADS;
    let start = min(thread * run, collect.threads);
    let end = min(start + run, collect.threads);
    var sum = 0u;
    var largest = 0u;
    for (var index = start; index < end; index += 1u) {
        let count = counts[index];
        largest = max(largest, count);
        // What there was no room for was not written.
        sum += min(count, collect.capacity);
    }
    sums[thread] = sum;
    maxima[thread] = largest;
    workgroupBarrier();
    // Each takes up what those before it took up, twice as many each time.
    for (var distance = 1u; distance < THREADS; distance *= 2u) {
        var before = 0u;
        var larger = 0u;
        if thread >= distance {
            before = sums[thread - distance];
            larger = maxima[thread - distance];
        }
        workgroupBarrier();
        sums[thread] += before;
        maxima[thread] = max(maxima[thread], larger);
        workgroupBarrier();
    }
    var offset = sums[thread] - sum;
    for (var index = start; index < end; index += 1u) {
        offsets[index] = offset;
        offset += min(counts[index], collect.capacity);
    }
    if thread == THREADS - 1u {
        let total = sums[thread];
        var vertices = 3u * total;
        if collect.topology != 0u {
            // A triangle for each vertex after the first two.
            vertices = 3u * (max(vertices, 2u) - 2u);
        }
        let overflowed = select(0u, 1u, maxima[thread] > collect.capacity);
        let groups = (vertices + THREADS - 1u) / THREADS;
        let rows = (groups + ROW - 1u) / ROW;
        result = Result(
            vertices, 1u, 0u, 0u,
            total, maxima[thread], overflowed,
            min(groups, ROW), rows, 1u,
        );
    }
}
