//! Values for runs, from a seed: values that find faults (`stress.rs`), or values as games have
//! them (`plausible.rs`).
//! In: a seed, and the names that a file has for registers. Out: uniforms and inputs. Equal seeds
//! give equal values on every machine. Knows no program.

mod plausible;
mod random;
mod stress;

pub use plausible::{Named, Use, plausible_inputs, plausible_uniforms, unit_values, use_of};
pub use random::Random;
pub use stress::{inputs, special_inputs, special_uniforms, uniforms};
