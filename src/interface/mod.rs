//! Declarations of a module: attributes, uniform block, outputs, entry point.
//!
//! In: an [`Environment`], a program's use of registers, settings. Out: [`Interface`]. Must not
//! know: the IR and the back ends.
//! Begin with `module.rs`, what a translated program declares. `environment.rs` has where its half
//! comes from: `file.rs` executables, `registers.rs` GPU registers. `usage.rs` are registers that a
//! program uses, `block.rs` members of the uniform block and `layout.rs` their places, `output.rs`
//! outputs and `varying.rs` which ones there are, `entry_point.rs` kinds of stages,
//! `map_warnings.rs` warnings about maps that make no sense. On the CPU: `on_cpu.rs` depth, colors
//! and attributes, `hooks.rs` what hooks do to outputs.

pub mod block;
pub mod entry_point;
pub mod environment;
pub mod file;
pub mod hooks;
pub mod layout;
pub mod map_warnings;
pub mod module;
pub mod on_cpu;
pub mod output;
mod registers;
pub mod usage;
pub mod varying;

pub use block::{ArrayName, Bank, Member, MemberType, Padding, Uniform, UniformBlock};
pub use entry_point::EntryPoint;
pub use environment::{DrawEnvironment, Environment, Hooked, Sourced};
pub use file::FileEnvironment;
pub use hooks::{attach, redirect};
pub use layout::pack;
pub use module::{Attribute, EnvironmentInterface, Interface};
pub use on_cpu::{HostValues, align_quaternions};
pub use output::{ComponentSource, Location, Output, OutputValue};
pub use usage::Usage;

#[cfg(test)]
mod tests;
