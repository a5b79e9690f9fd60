//! Programs that are compared, made shorter and compiled, held against the reference machine.

mod compiled;
mod forms;
mod programs;
mod source;

/// Layers below the public API that tests look into.
use transpica::stages::ir;
