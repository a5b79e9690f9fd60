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
pub use layout::{UniformValues, pack};
pub use options::{DepthRange, EntryPoint, Layout, Options, Profile};

#[cfg(test)]
mod tests;
