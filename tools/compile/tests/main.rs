//! Programs that are compared, made shorter and compiled, held against the reference machine.

#[path = "../../../tests/needs/mod.rs"]
#[allow(dead_code, reason = "`cargo xtask` installs what it lists")]
mod needs;

mod compiled;
mod forms;
mod goals;
mod host;
mod programs;
mod quaternions;
mod samples;
mod shapes;
mod source;

/// Layers below the public API that tests look into.
use transpica::stages::ir;
