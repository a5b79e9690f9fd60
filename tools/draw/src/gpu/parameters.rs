//! Uniform-block layouts of the passes, and the result of the scan. Plain words in little endian.

/// Defines a struct of words with its bytes.
macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$field_about:meta])* $field:ident,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        pub struct $name {
            $($(#[$field_about])* pub $field: u32,)*
        }

        impl $name {
            /// The words in the order of the buffer.
            pub fn to_words(self) -> Vec<u32> {
                vec![$(self.$field),*]
            }
            /// The content of the buffer.
            pub fn to_bytes(self) -> Vec<u8> {
                self.to_words().into_iter().flat_map(u32::to_le_bytes).collect()
            }
            /// Reads the words of the buffer; missing ones are 0.
            pub fn from_words(words: &[u32]) -> Self {
                let mut words = words.iter().copied();
                Self { $($field: words.next().unwrap_or_default(),)* }
            }
        }
    };
}

words! {
    /// Block of the compute entry of a geometry program. Thread t runs the `chunk` invocations from
    /// t × `chunk` - (`threads` × `chunk` - `invocations`) on, and the first thread the remainder.
    /// Before them it runs up to `warm` invocations, whose triangles it drops.
    Draw {
        /// Number of threads with work.
        threads,
        /// Number of invocations of the draw.
        invocations,
        /// Number of invocations of a thread.
        chunk,
        /// Number of warm-up invocations before them.
        warm,
        /// Number of vectors of a record of the feed.
        window,
        /// Number of triangles for which a thread has room.
        capacity,
        /// 1 where reversed triangles are to be reversed.
        respects_winding,
        /// The thread of the draw with which a dispatch begins: 0, except for
        /// [`Plan::draws`](super::Plan::draws) of a split draw.
        first_thread,
    }
}

words! {
    /// Block of [`Pass::Feed`](super::Pass::Feed).
    Feed {
        /// 0 point, 1 variable, 2 fixed.
        mode,
        /// Records to write.
        records,
        /// Vectors of each.
        window,
        /// Number of forwarded outputs of a vertex.
        outputs,
        /// The registers of the first eight of them, four bits each.
        registers_low,
        /// The registers of the others.
        registers_high,
        /// The float uniform of the first vector of a record.
        first,
        /// Vertices of a primitive that come with all outputs.
        vertices,
        /// Float uniforms from one of them to the next.
        stride,
        /// Number of vertices of the draw.
        total,
        /// 1 where the index buffer selects the vertices.
        indexed,
        /// 0.
        reserved,
    }
}

words! {
    /// Block of the passes after a geometry program.
    Collect {
        /// Threads of the geometry program.
        threads,
        /// Number of triangles for which each has room.
        capacity,
        /// Vectors of a vertex.
        vectors,
        /// 0 list, 1 strip, 2 fan.
        topology,
    }
}

words! {
    /// Result of [`Pass::Scan`](super::Pass::Scan). The first four words are the arguments of an
    /// indirect draw, those from [`GROUPS`](ScanResult::GROUPS) on of an indirect dispatch.
    ScanResult {
        /// Vertices of the finished list.
        vertex_count,
        /// 1.
        instance_count,
        /// 0.
        first_vertex,
        /// 0.
        first_instance,
        /// Number of triangles that the geometry program submitted and had room for.
        triangles,
        /// Largest number of triangles of a thread.
        largest,
        /// 1 where that exceeds the room: some triangles are missing.
        overflowed,
        /// Workgroups of [`Pass::Compact`](super::Pass::Compact) in the first dimension.
        groups_x,
        /// Workgroups in the second dimension.
        groups_y,
        /// 1.
        groups_z,
    }
}

impl ScanResult {
    /// Bytes of the result.
    pub const BYTES: u64 = 40;
    /// Byte offset of the arguments of the indirect dispatch.
    pub const GROUPS: u64 = 28;
}

impl Draw {
    /// Returns the blocks of the dispatches of a draw: one for each thread if it is split, else the
    /// draw itself.
    pub fn dispatches(self, is_split: bool) -> impl ExactSizeIterator<Item = Self> {
        let dispatches = if is_split { self.threads } else { 1 };
        (0..dispatches).map(move |thread| {
            if is_split {
                // Each dispatch ends with the last invocation of its thread; the first thread has
                // the remainder.
                let behind = (self.threads - 1 - thread) * self.chunk;
                let invocations = self.invocations - behind;
                Self { threads: thread + 1, first_thread: thread, invocations, ..self }
            } else {
                self
            }
        })
    }
}
