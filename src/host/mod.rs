//! What surrounds a program: options, host profile, attributes, uniform block, outputs.
//! In: a DVLE (later: GPU registers). Out: [`Interface`]. Knows neither the IR nor the back ends.

pub mod dvle;
pub mod interface;
pub mod layout;
mod names;
pub mod options;
pub mod profile;
mod registers_layout;
pub mod varying;

pub use interface::{
    Attribute, Bank, ComponentSource, Constants, Interface, Location, Member, MemberType, Output,
    OutputValue, Reach, UniformBlock, Usage,
};
pub use layout::pack;
pub use options::{
    AttributeFormat, AttributeKind, BoolUniforms, ClipPlanes, DepthRange, EntryPoint, FlipY, IntUniforms,
    Layout, Options, OutputSet, Unwritten,
};
pub use profile::{Binding, Bindings, HostField, Locations, Profile};
pub use registers_layout::{IntPacking, RegisterLayout};
pub use varying::OutputMap;

use crate::error::Result;

/// What stands around a program: where its constants, outputs and names come from.
pub trait Surroundings {
    /// Float uniforms that become literals under these options.
    fn folded(&self, options: &Options) -> Constants;
    /// Which register components feed which semantics.
    fn output_map(&self) -> OutputMap;
    /// The interface of a program that uses these registers, all but its outputs.
    ///
    /// # Errors
    /// What is wrong with the surroundings.
    fn interface(&self, usage: &Usage, options: &Options) -> Result<Interface>;
}

#[cfg(test)]
mod tests;
