//! GPU side of `run`, `draw`, `test`, `compare` and `doctor`: `present`, or `absent` in a build
//! without the feature `gpu`.

#[cfg(not(feature = "gpu"))]
mod absent;
#[cfg(feature = "gpu")]
mod present;

#[cfg(not(feature = "gpu"))]
pub use absent::*;
#[cfg(feature = "gpu")]
pub use present::*;
