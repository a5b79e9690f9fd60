//! Settings of a host: what a module computes, and what suits it to host and driver.
//! In: fields that a host fills; all have defaults. Out: the same, checked. Knows no program.
//! Begin with `options.rs`, semantics, and `profile.rs`, the target; both say what a field costs.
//!
//! | file | settings |
//! |---|---|
//! | `differences.rs` | those that are not the defaults, as text |
//! | `linkage.rs` | varyings and names by which a host's own shaders link |
//! | `presets.rs` | those of known hosts |
//! | `assume.rs` | promises about numbers, and their checks |
//! | `job.rs`, `setup.rs` | what a program becomes; programs of a draw |
//! | `vertex_input.rs` | formats and promises of a draw |

pub mod assume;
pub mod differences;
pub mod job;
pub mod linkage;
pub mod options;
pub mod presets;
pub mod profile;
pub mod setup;
pub mod vertex_input;
