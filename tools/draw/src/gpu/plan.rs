//! Plan of a draw: threads, records, buffer sizes.
//! In: a [`Request`]. Out: a [`Plan`], or the error that [`crate::cpu`] would report.

use super::{Collect, Draw, Feed, Pass};
use crate::fields::WORKGROUP;
use crate::limits::check;
use transpica::geometry::input::no_vertex;
use transpica::geometry::{Dependence, GeometryInput, Primitives, Topology};
use transpica::isa::sizes::FLOATS;
use transpica::{At, Error, Kind, Result};

/// Bytes of a vector.
const VECTOR: u64 = 16;

/// Description of a draw.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The input mode of the geometry program.
    pub input: GeometryInput,
    /// Mask of the outputs that the vertex program forwards, bit n = on.
    pub outputs: u16,
    /// Number of vertices.
    pub vertices: u32,
    /// The vertices to draw, if not all in their order. In variable mode for each primitive its
    /// number of vertices and then their indices.
    pub indices: Option<&'a [u32]>,
    /// The least window: the previous draw's, if the uniforms of the geometry program were
    /// not set since. Uniforms that it delivered beyond the primitives of this draw keep their
    /// values.
    pub window: u32,
    /// Number of vectors of an output vertex.
    pub vectors: u32,
    /// The topology of the triangles.
    pub topology: Topology,
    /// Data dependences between invocations.
    pub dependence: Dependence,
    /// Upper bound of the triangles of an invocation, or a guess: the scan detects where it was too
    /// low.
    pub triangles: u32,
    /// Limit of the invocations of a thread in one dispatch, warm-up included; `u32::MAX` for none.
    /// Drivers stop long shaders: one leaves loops after 65,535 rounds of an invocation of the
    /// compute shader (drivers.md#loop-countdown), those of the program's own loops and one for
    /// each of its invocations; others lose the device after some seconds. A program with
    /// [`Dependence::Unbounded`] then runs in several dispatches, see [`Plan::draws`].
    pub most_invocations: u32,
    /// Limit of the bytes of a buffer. Room for triangles ends there, other buffers must fit.
    pub bytes: u32,
}

/// Bytes of the buffers, never 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sizes {
    /// o0..o15 of each vertex.
    pub vertices: u64,
    /// Records.
    pub feed: u64,
    /// Room for the triangles of the geometry program.
    pub triangles: u64,
    /// A word for each thread; also `offsets`.
    pub counts: u64,
    /// Room for the finished triangles.
    pub list: u64,
}

/// A copy from the feed to the register file, c0..c95, after a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FeedCopy {
    /// Offset in the feed.
    pub from: u64,
    /// Offset in the register file.
    pub to: u64,
    /// Number of bytes.
    pub bytes: u64,
}

/// Plan of a draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Block of the geometry program.
    pub draw: Draw,
    /// Block of [`Pass::Feed`].
    pub feed: Feed,
    /// Block of the passes after the geometry program.
    pub collect: Collect,
    /// The primitives of variable mode for [`Pass::Feed`]: four words each.
    pub primitives: Vec<[u32; 4]>,
    /// Sizes of the buffers.
    pub sizes: Sizes,
    /// The uniforms that the draw leaves, or `None` in point mode.
    pub feed_copy: Option<FeedCopy>,
    /// True if the threads of the geometry program must run one after the other, each in its own
    /// dispatch: see [`draws`](Self::draws).
    pub is_split: bool,
}

impl Plan {
    /// Limit of the threads of a geometry program.
    pub const MOST_THREADS: u32 = 1 << 20;

    /// Plans a draw.
    ///
    /// # Errors
    /// See [`GeometryInput::check`] and [`Primitives`]; an index without a vertex; [`Kind::Limit`]
    /// where a buffer would exceed [`Request::bytes`], has no room for one triangle, or a program
    /// with independent invocations has more than 2^20: the host has to split such a draw.
    pub fn new(request: &Request<'_>) -> Result<Self> {
        request.input.check(request.outputs)?;
        let bytes = |name, count: usize, size: u64| buffer(name, count as u64 * size, request.bytes);
        let vertices = bytes("bytes of vertices", request.vertices as usize, 16 * VECTOR)?;
        bytes("bytes of indices", request.indices.map_or(0, <[u32]>::len), 4)?;
        let (primitives, largest) = match request.input {
            GeometryInput::Variable { main } => variable(request, main)?,
            GeometryInput::Point { .. } | GeometryInput::Fixed { .. } => {
                check_indices(request, 0..request.indices.map_or(0, <[u32]>::len))?;
                (Vec::new(), 0)
            }
        };
        // Range: the same as for `bytes`.
        let (feed, invocations) = records(request, primitives.len().saturating_sub(1) as u32, largest);
        let vectors = u64::from(feed.records) * u64::from(feed.window);
        let feed_bytes = buffer("bytes of the feed", vectors * VECTOR, request.bytes)?;
        let (draw, collect) = share(request, invocations, feed.window)?;
        let is_split = request.dependence == Dependence::Unbounded && draw.threads > 1;
        let row = u64::from(collect.threads) * u64::from(collect.capacity) * 3;
        let vertex = u64::from(collect.vectors) * VECTOR;
        let vertices_of_list = if collect.topology == 0 { row } else { row.saturating_sub(2) * 3 };
        let sizes = Sizes {
            vertices,
            feed: feed_bytes,
            triangles: (row * vertex).max(VECTOR),
            counts: (u64::from(collect.threads) * 4).max(VECTOR),
            list: (vertices_of_list * vertex).max(VECTOR),
        };
        let window = u64::from(feed.window) * VECTOR;
        let feed_copy = (feed.records > invocations).then(|| FeedCopy {
            from: u64::from(invocations) * window,
            to: u64::from(feed.first) * VECTOR,
            bytes: window,
        });
        Ok(Self { draw, feed, collect, primitives, sizes, feed_copy, is_split })
    }

    /// Workgroups of the compute entry of the vertex program.
    pub fn vertex_dispatch(vertices: u32) -> [u32; 3] {
        [vertices.div_ceil(WORKGROUP), 1, 1]
    }

    /// Returns the blocks of the geometry program, one for each dispatch, in order. Each dispatch
    /// has [`kernel_dispatch`](Self::kernel_dispatch) workgroups. There is one, unless the draw [is
    /// split](Self::is_split): then the second half of the state buffer is copied to its first half
    /// between two dispatches, and all dispatches write to the same buffers of triangles and
    /// counts.
    ///
    /// ```
    /// use transpica_draw::gpu::{Plan, Request};
    /// use transpica::geometry::{GeometryInput, Dependence, Topology};
    /// let plan = Plan::new(&Request {
    ///     input: GeometryInput::Fixed { first: 0, vertices: 3, stride: 1 },
    ///     outputs: 1,
    ///     vertices: 3000,
    ///     indices: None,
    ///     window: 0,
    ///     vectors: 1,
    ///     topology: Topology::Geometry,
    ///     dependence: Dependence::Unbounded,
    ///     triangles: 1,
    ///     most_invocations: 300,
    ///     bytes: 1 << 27,
    /// })?;
    /// let invocations: Vec<u32> = plan.draws().map(|draw| draw.invocations).collect();
    /// assert_eq!((plan.is_split, &invocations[..]), (true, &[100, 400, 700, 1000][..]));
    /// assert_eq!(plan.draws().map(|draw| draw.first_thread).max(), Some(3));
    /// # Ok::<(), transpica::Error>(())
    /// ```
    pub fn draws(&self) -> impl ExactSizeIterator<Item = Draw> + use<> {
        self.draw.dispatches(self.is_split)
    }

    /// Workgroups of the compute entry of the geometry program, in each of its dispatches.
    pub fn kernel_dispatch(&self) -> [u32; 3] {
        let threads = if self.is_split { 1 } else { self.draw.threads };
        [threads.div_ceil(WORKGROUP), 1, 1]
    }

    /// Workgroups of a pass; `None` for [`Pass::Compact`], which only the GPU knows: dispatch it
    /// indirectly, with the arguments at [`ScanResult::GROUPS`](super::ScanResult::GROUPS).
    pub fn dispatch(&self, pass: Pass) -> Option<[u32; 3]> {
        match pass {
            Pass::Feed => Some(Pass::groups(self.feed.records * self.feed.window)),
            Pass::Scan => Some([1, 1, 1]),
            Pass::Compact => None,
        }
    }

    /// Returns the content of the buffer of [`primitives`](Self::primitives).
    pub fn primitive_bytes(&self) -> Vec<u8> {
        self.primitives.iter().flatten().flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// Checks the size of a buffer.
fn buffer(name: &'static str, bytes: u64, most: u32) -> Result<u64> {
    check(name, usize::try_from(bytes).unwrap_or(usize::MAX), most, At::Whole)?;
    Ok(bytes.max(VECTOR))
}

/// Checks that indices refer to vertices.
fn check_indices(request: &Request<'_>, mut places: std::ops::Range<usize>) -> Result<()> {
    let Some(indices) = request.indices else { return Ok(()) };
    let count = request.vertices as usize;
    let wrong = |&place: &usize| indices.get(place).is_some_and(|&vertex| vertex as usize >= count);
    places.find(wrong).map_or(Ok(()), |place| Err(no_vertex(place, indices[place], count)))
}

/// The primitives of variable mode, then an empty one; and the largest number of vectors.
fn variable(request: &Request<'_>, main: u8) -> Result<(Vec<[u32; 4]>, u32)> {
    let mut all: Vec<[u32; 4]> = Vec::new();
    let mut most = 0;
    // Range of all casts: see `Request::bytes`.
    let mut push = |first: usize, size: u32, vectors: u32| {
        let own = all.len() as u32;
        // The nearest primitive before that fills more than this one does: those between fill less.
        let mut larger = own.checked_sub(1);
        while let Some(before) = larger
            && all[before as usize][2] <= vectors
        {
            let next = all[before as usize][3];
            larger = (next != before).then_some(next);
        }
        all.push([first as u32, size, vectors, larger.unwrap_or(own)]);
        most = vectors.max(most);
    };
    for primitive in Primitives::new(request.indices, main, request.outputs)? {
        let primitive = primitive?;
        check_indices(request, primitive.first..primitive.first + primitive.size as usize)?;
        push(primitive.first, primitive.size, primitive.vectors);
    }
    push(0, 0, 0);
    buffer("bytes of primitives", all.len() as u64 * VECTOR, request.bytes)?;
    Ok((all, most))
}

/// The block of [`Pass::Feed`] and the number of invocations. In variable mode there are so many
/// `primitives` of up to `largest` vectors.
fn records(request: &Request<'_>, primitives: u32, largest: u32) -> (Feed, u32) {
    // Range: the bytes of a buffer.
    let total = request.indices.map_or(request.vertices, |indices| indices.len() as u32);
    let outputs = request.outputs.count_ones();
    let (registers_low, registers_high) = registers(request.outputs);
    let indexed = u32::from(request.indices.is_some());
    let common = Feed { outputs, registers_low, registers_high, total, indexed, ..Feed::default() };
    match request.input {
        GeometryInput::Point { inputs, .. } => {
            let window = u32::from(inputs);
            // The number of vertices that fill the inputs.
            let invocations = total / (window / outputs);
            (Feed { mode: 0, records: invocations, window, ..common }, invocations)
        }
        GeometryInput::Variable { main } => {
            let window = largest.max(request.window).clamp(1, FLOATS as u32);
            (
                Feed { mode: 1, records: primitives + 1, window, vertices: u32::from(main), ..common },
                primitives,
            )
        }
        GeometryInput::Fixed { first, vertices, stride } => {
            let (first, vertices, stride) = (u32::from(first), u32::from(vertices), u32::from(stride));
            let (invocations, window) = (total / vertices, (vertices - 1) * stride + outputs);
            (
                Feed { mode: 2, records: invocations + 1, window, first, vertices, stride, ..common },
                invocations,
            )
        }
    }
}

/// Packs the registers that are forwarded, four bits each.
fn registers(outputs: u16) -> (u32, u32) {
    let registers = (0..16_u64).filter(|register| outputs >> register & 1 != 0);
    let packed = registers.enumerate().fold(0, |packed, (place, register)| packed | register << (4 * place));
    (packed as u32, (packed >> 32) as u32)
}

/// Distributes the invocations to threads.
fn share(request: &Request<'_>, invocations: u32, window: u32) -> Result<(Draw, Collect)> {
    let least = invocations.div_ceil(Plan::MOST_THREADS);
    let most = |warm: u32| request.most_invocations.saturating_sub(warm).max(least).max(1);
    let (chunk, warm) = match request.dependence {
        Dependence::None => {
            // A program with independent invocations runs one in each thread.
            check("invocations of a draw", invocations as usize, Plan::MOST_THREADS, At::Whole)?;
            (1, 0)
        }
        // A chunk of eight times the depth keeps the share of warm-up invocations small.
        Dependence::Depth(depth) => {
            let warm = depth.min(invocations);
            (depth.saturating_mul(8).max(16).max(least).min(most(warm)).min(invocations.max(1)), warm)
        }
        Dependence::Unbounded => (most(0).min(invocations.max(1)), 0),
    };
    let threads = invocations.div_ceil(chunk);
    let topology = match request.topology {
        Topology::List | Topology::Geometry => 0,
        Topology::Strip => 1,
        Topology::Fan => 2,
    };
    // The triangles of a strip take three times the place of its vertices.
    let triangle = 3 * u64::from(request.vectors.max(1)) * VECTOR * if topology == 0 { 1 } else { 3 };
    let fits = u64::from(request.bytes) / (triangle * u64::from(threads.max(1)));
    if fits == 0 {
        let value = usize::try_from(triangle * u64::from(threads)).unwrap_or(usize::MAX);
        let kind = Kind::Limit { name: "bytes of triangles", value, limit: request.bytes };
        return Err(Error::new(kind, At::Whole));
    }
    let wanted = u64::from(request.triangles) * u64::from(chunk.min(invocations));
    // Range: below the bytes of a buffer.
    let capacity = wanted.clamp(1, fits) as u32;
    let respects_winding = u32::from(request.topology == Topology::Geometry);
    let draw =
        Draw { threads, invocations, chunk, warm, window, capacity, respects_winding, first_thread: 0 };
    Ok((draw, Collect { threads, capacity, vectors: request.vectors.max(1), topology }))
}
