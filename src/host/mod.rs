//! What surrounds a program: options, host profile, attributes, uniform block, outputs.
//! In: a DVLE (later: GPU registers). Out: [`Interface`]. Knows neither the IR nor the back ends.

pub mod dvle;
pub mod interface;
pub mod layout;
mod names;
pub mod options;
pub mod varying;

pub use interface::{
    Attribute, Bank, ComponentSource, Constants, Interface, Location, Member, MemberType, Output, Reach,
    UniformBlock, Usage,
};
pub use layout::pack;
pub use options::{DepthRange, EntryPoint, Layout, Options, Profile};

use crate::error::Result;

/// What stands around a program: where its constants, outputs and names come from.
pub trait Surroundings {
    /// Float uniforms that become literals under these options.
    fn folded(&self, options: &Options) -> Constants;
    /// The outputs of the vertex entry.
    fn outputs(&self) -> Vec<Output>;
    /// The whole interface of a program that uses these registers.
    ///
    /// # Errors
    /// What is wrong with the surroundings.
    fn interface(&self, usage: &Usage, options: &Options) -> Result<Interface>;
}

#[cfg(test)]
mod tests;
