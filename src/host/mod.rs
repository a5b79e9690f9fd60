//! What surrounds a program: options, host profile, attributes, uniform block, outputs.
//! In: a DVLE (later: GPU registers). Out: [`Interface`]. Knows neither the IR nor the back ends.

pub mod interface;
pub mod options;

pub use interface::{
    Attribute, Bank, ComponentSource, Constants, Interface, Location, Member, MemberType, Output, Reach,
    UniformBlock, Usage,
};
pub use options::{DepthRange, EntryPoint, Layout, Options, Profile};
