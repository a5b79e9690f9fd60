//! Settings of a host: what a module computes, and what suits it to host and driver.
//! In: fields that a host fills; all have defaults. Out: the same, checked. Knows no program.
//! Begin with `options.rs`, semantics, and `profile.rs`, the target; both say what a field costs.
//!
//! | file | settings |
//! |---|---|
//! | `differences.rs` | those that are not the defaults, as text |
//! | `linkage.rs` | varyings and names by which a host's own shaders link |
//! | `presets.rs` | settings of known hosts |
//! | `register_layout.rs` | blocks of all registers |
//! | `assume.rs` | promises about numbers, and their checks |
//! | `job.rs`, `setup.rs` | what a program becomes; programs of a draw |
//! | `vertex_input.rs` | formats of attributes, and promises about them |
//! | `watch.rs` | checks of promises where numbers come in |

pub(crate) mod assume;
pub(crate) mod differences;
pub(crate) mod job;
pub(crate) mod linkage;
pub(crate) mod options;
pub(crate) mod presets;
pub(crate) mod profile;
pub(crate) mod register_layout;
pub(crate) mod setup;
pub(crate) mod vertex_input;
pub(crate) mod watch;

pub use assume::Reliance;
#[doc(hidden)]
pub use job::Job;
pub use linkage::{AttributeNames, BlockNames, GlslOutputs, GlslProfile, Varying, VaryingSource};
#[doc(hidden)]
pub use options::Options;
pub use options::{
    Arithmetic, Assume, Block, BoolUniforms, ClipPlanes, Control, DepthRange, DepthSnap, FlipY, Functions,
    IntUniforms, Layout, Outputs, UndefinedValue,
};
pub use presets::{KnownHost, Preset, Renderer, preset};
#[doc(hidden)]
pub use profile::Profile;
pub use profile::{Binding, Bindings, FloatControls};
#[doc(hidden)]
pub use register_layout::{IntPacking, RegisterLayout};
#[doc(hidden)]
pub use setup::Setup;
pub use vertex_input::{AttributeFormat, AttributeKind, Promise, VertexInput};
pub use watch::{Magnitudes, Watch};

#[cfg(test)]
mod tests;
