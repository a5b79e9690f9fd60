//! The passes around a geometry program on the GPU, which are the same for all programs.
//!
//! In: the configuration of a draw, its indices, the analysis of the program. Out: the size and
//! buffers of each pass, and the passes themselves as WGSL and as SPIR-V. Knows no program and no
//! graphics API: the host makes the buffers, dispatches and draws.
//!
//! A draw with a geometry program is a chain of compute passes, and one indirect draw:
//!
//! Files: `mod.rs` the dispatches, which are the files of `passes/`; `plan.rs` sizes of a draw;
//! `parameters.rs` their uniform blocks
//!
//! | pass | what it does |
//! |---|---|
//! | vertex program | its compute entry: o0..o15 of each vertex, 16 vectors a vertex |
//! | [`Pass::Feed`] | the input of each invocation, a *record* of [`Draw::window`] vectors |
//! | geometry program | its compute entry: three vertices for each triangle, the count of each thread |
//! | [`Pass::Scan`] | places and number of triangles, the arguments of the next pass and of the draw |
//! | [`Pass::Compact`] | the finished triangles, densely, a strip or fan as a list; an indirect dispatch |
//! | a copy | [`FeedCopy`]: the last record to the register file, for the next draw |
//!
//! The processor need not know a result before the draw: a host submits the chain at once, and
//! reads [`ScanResult`] after it if the number of triangles is a guess. All buffers but those of
//! the next draw's state (`state` of the geometry program) and the register file may be used again
//! by the next draw.
//!
//! All buffers of passes contain bits, vectors of 16 bytes or words of 4, densely. Entry points are
//! `main`; bindings are in group 0, [in the order of the table](Pass::bindings).
//!
//! ```
//! use transpica_draw::gpu::{Pass, Plan, Request};
//! use transpica::geometry::{GeometryInput, Dependence, Topology};
//! // An invocation for each of 1,000 vertices with two outputs; each makes up to two triangles.
//! let mut registers = [0; 16];
//! registers[1] = 1;
//! let input = GeometryInput::Point { inputs: 2, registers };
//! let plan = Plan::new(&Request {
//!     input,
//!     outputs: 0b101,
//!     vertices: 1000,
//!     indices: None,
//!     window: 0,
//!     vectors: 4,
//!     topology: Topology::Geometry,
//!     dependence: Dependence::None,
//!     triangles: 2,
//!     most_invocations: u32::MAX,
//!     bytes: 1 << 27,
//! })?;
//! assert_eq!((plan.draw.threads, plan.draw.capacity, plan.draw.window), (1000, 2, 2));
//! assert_eq!(plan.sizes.triangles, 1000 * 2 * 3 * 4 * 16);
//! assert_eq!(plan.dispatch(Pass::Feed), Some([2000_u32.div_ceil(256), 1, 1]));
//! assert_eq!(plan.dispatch(Pass::Compact), None); // indirect, at `ScanResult::GROUPS`
//! assert!(Pass::Feed.wgsl().contains("fn main"));
//! assert_eq!(Pass::Feed.spirv()[0], 0x0723_0203);
//! # Ok::<(), transpica::Error>(())
//! ```

mod parameters;
mod plan;
#[cfg(test)]
mod tests;

pub use parameters::{Collect, Draw, Feed, ScanResult};
pub use plan::{FeedCopy, Plan, Request, Sizes};

/// The kinds of bindings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BindingUse {
    /// A storage buffer that is read.
    Read,
    /// A storage buffer that is written.
    Write,
    /// A uniform buffer.
    Uniform,
}

/// One binding of a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PassBinding {
    /// Its name in the text.
    pub name: &'static str,
    /// Its kind.
    pub usage: BindingUse,
}

/// Defines the passes: name (also of the files), and bindings in order.
macro_rules! passes {
    ($($(#[$about:meta])* $pass:ident $name:literal [$($binding:ident $usage:ident),*],)*) => {
        /// A pass that is the same for all programs.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Pass { $($(#[$about])* $pass),* }

        impl Pass {
            /// All passes, in the order in which a draw runs them.
            pub const ALL: [Self; 3] = [$(Self::$pass),*];

            /// Its name, also that of its files.
            pub fn name(self) -> &'static str {
                match self { $(Self::$pass => $name),* }
            }
            /// Its text in WGSL.
            pub fn wgsl(self) -> &'static str {
                match self { $(Self::$pass => include_str!(concat!("passes/", $name, ".wgsl"))),* }
            }
            /// Its module in SPIR-V 1.3.
            pub fn spirv(self) -> Vec<u32> {
                let bytes: &[u8] =
                    match self { $(Self::$pass => include_bytes!(concat!("passes/", $name, ".spv"))),* };
                let (words, _rest) = bytes.as_chunks();
                words.iter().map(|&word| u32::from_le_bytes(word)).collect()
            }
            /// The bindings 0, 1, 2, … of group 0.
            pub fn bindings(self) -> &'static [PassBinding] {
                match self {
                    $(Self::$pass => {
                        const { &[$(PassBinding { name: stringify!($binding), usage: BindingUse::$usage }),*] }
                    })*
                }
            }
        }
    };
}

passes! {
    /// Writes the record of each invocation. 0 `vertices`: o0..o15 of each; 1 `feed`: the records;
    /// 2 [`Feed`]; 3 `indices`, of anything if there are none; 4 `primitives`:
    /// [`Plan::primitives`]; 5 `file`: c0..c95 before the draw, as
    /// `precision::arith::load` gives them.
    Feed "feed"
        [vertices Read, feed Write, parameters Uniform, indices Read, primitives Read, file Read],
    /// Computes places and totals. 0 `counts`: the number of triangles of each thread; 1 `offsets`:
    /// the number of triangles before those of each thread; 2 [`Collect`]; 3 `result`:
    /// [`ScanResult`], which begins with the arguments of an indirect draw.
    Scan "scan"
        [counts Read, offsets Write, collect Uniform, result Write],
    /// Writes the finished triangles. 0 `triangles` of the geometry program; 1 `offsets`; 2
    /// `result`; 3 `list`: vertices of a list of triangles, in the order of the threads; 4
    /// [`Collect`]. Its workgroups are in `result`, at [`ScanResult::GROUPS`].
    Compact "compact"
        [triangles Read, offsets Read, result Read, list Write, collect Uniform],
}

impl Pass {
    /// Threads of a workgroup.
    pub const WORKGROUP: u32 = 256;
    /// Workgroups in the first dimension of a dispatch; further ones are in the second.
    pub const ROW: u32 = 8192;

    /// Workgroups with a thread for each element.
    pub fn groups(elements: u32) -> [u32; 3] {
        let groups = elements.div_ceil(Self::WORKGROUP);
        [groups.min(Self::ROW), groups.div_ceil(Self::ROW), 1]
    }
}
