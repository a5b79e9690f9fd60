//! GPU side of `run`, `draw`, `test`, `compare` and `doctor`: `present`, or `absent` in a build
//! without the feature `gpu`.

#[cfg(not(feature = "gpu"))]
mod absent;
#[cfg(feature = "gpu")]
mod present;

use transpica::host::dvle::FileEnvironment;
use transpica::{Options, Program};
use transpica_inspect::state::State;

use crate::arguments::RouteName;

#[cfg(not(feature = "gpu"))]
pub use absent::*;
#[cfg(feature = "gpu")]
pub use present::*;

/// Run of a program on a GPU.
pub struct GpuRun<'a> {
    pub program: &'a Program<'a>,
    pub environment: &'a FileEnvironment<'a>,
    pub state: &'a State,
    pub options: Options,
    /// Limit of instructions for each vertex or invocation.
    pub budget: u64,
    pub route: Option<RouteName>,
}
