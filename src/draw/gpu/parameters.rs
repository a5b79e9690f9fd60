//! What passes are told in uniform blocks, and what the scan tells. Plain numbers; bytes are those of words in little endian.

use crate::geometry::kernel;

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
            /// From the words of the buffer; those that are missing are 0.
            pub fn from_words(words: &[u32]) -> Self {
                let mut words = words.iter().copied();
                Self { $($field: words.next().unwrap_or_default(),)* }
            }
        }
    };
}

words! {
    /// What the compute entry of a geometry program is told. Thread t runs the `chunk` invocations from t × `chunk` -
    /// (`threads` × `chunk` - `invocations`) on, the first thread those that are left over, after up to `warm` before these whose
    /// triangles it drops.
    Draw {
        /// Threads that have something to do.
        threads,
        /// Invocations of the draw.
        invocations,
        /// Invocations of a thread.
        chunk,
        /// Invocations before them that it has to run too.
        warm,
        /// Vectors of a record of the feed.
        window,
        /// Triangles that a thread has room for.
        capacity,
        /// 1 where a reversed triangle is to be turned.
        heeds_winding,
        /// The thread of the draw that the first one of a dispatch is: 0, but for [`Plan::draws`](super::Plan::draws) of a split
        /// draw.
        first_thread,
    }
}

words! {
    /// What [`Pass::Feed`](super::Pass::Feed) is told.
    Feed {
        /// 0 point, 1 variable, 2 fixed.
        mode,
        /// Records to write.
        records,
        /// Vectors of each.
        window,
        /// Outputs of a vertex that are passed on.
        outputs,
        /// The registers of the first eight of them, four bits each.
        registers_low,
        /// And of the others.
        registers_high,
        /// The float uniform that the first vector of a record is.
        first,
        /// Vertices of a primitive that come with all outputs.
        vertices,
        /// Float uniforms from one of them to the next.
        stride,
        /// Vertices of the draw.
        total,
        /// 1 where the index buffer says which vertices they are.
        indexed,
        /// 0.
        reserved,
    }
}

words! {
    /// What the passes after a geometry program are told.
    Collect {
        /// Threads of the geometry program.
        threads,
        /// Triangles that each has room for.
        capacity,
        /// Vectors of a vertex.
        vectors,
        /// 0 list, 1 strip, 2 fan.
        topology,
    }
}

words! {
    /// What [`Pass::Scan`](super::Pass::Scan) finds. The first four are the arguments of an indirect draw.
    Found {
        /// Vertices of the finished list.
        vertex_count,
        /// 1.
        instance_count,
        /// 0.
        first_vertex,
        /// 0.
        first_instance,
        /// Triangles that the geometry program submitted and there was room for.
        triangles,
        /// Most triangles that a thread made.
        largest,
        /// 1 where that is more than there was room for: some are missing.
        overflowed,
        /// Not 0 where threads did not run to their end: [`Found::GUARD_FIRED`], [`Found::DRIVER_LEFT`] or both. Geometry programs
        /// tell it if the options ask for that
        /// ([`report_unfinished`](crate::host::Control::report_unfinished)).
        unfinished,
    }
}

impl Found {
    /// Bit of `unfinished`: the loop guard ended an invocation, whose triangles are those up to there.
    pub const GUARD_FIRED: u32 = kernel::GUARD_FIRED >> Self::SHIFT;
    /// Bit of `unfinished`: the driver left a loop on its own. Anything may be wrong with the triangles; fewer invocations in a
    /// thread ([`Request::most_invocations`](super::Request::most_invocations)) may help.
    pub const DRIVER_LEFT: u32 = kernel::DRIVER_LEFT >> Self::SHIFT;
    /// Where both bits begin in the count of a thread.
    const SHIFT: u32 = kernel::DRIVER_LEFT.trailing_zeros();
}

impl Draw {
    /// The blocks of the dispatches of a draw: one for each thread if it is split, else the draw itself.
    pub fn dispatches(self, is_split: bool) -> impl ExactSizeIterator<Item = Self> {
        let dispatches = if is_split { self.threads } else { 1 };
        (0..dispatches).map(move |thread| match is_split {
            false => self,
            // The invocations of a thread are the last ones of its block: the first thread has those that are left over.
            true => {
                let behind = (self.threads - 1 - thread) * self.chunk;
                let invocations = self.invocations - behind;
                Self { threads: thread + 1, first_thread: thread, invocations, ..self }
            }
        })
    }
}
