//! Environment of a program: options, profile, attributes, uniform block, outputs.
//! In: a DVLE, or GPU registers. Out: [`Interface`]. Knows neither the IR nor the back ends.

pub mod dvle;
pub mod interface;
pub mod job;
pub mod layout;
pub(crate) mod names;
pub mod options;
pub mod profile;
pub mod registers;
mod registers_layout;
pub mod setup;
mod values;
pub mod varying;

pub use crate::fields::{DrawField, HostField, WORKGROUP};
pub use interface::{
    ArrayName, Attribute, Bank, ComponentSource, Constants, EntryPoint, Interface, Location, Member,
    MemberType, Output, OutputValue, UniformBlock, Usage,
};
pub use job::Job;
pub use layout::pack;
pub use options::{
    Arithmetic, AttributeFormat, AttributeKind, Block, BoolUniforms, ClipPlanes, Control, DepthRange, FlipY,
    IntUniforms, Layout, Options, Outputs, Unwritten,
};
pub use profile::{Binding, Bindings, Locations, Profile};
pub use registers::{RegisterState, RegisterView};
pub use registers_layout::{IntPacking, RegisterLayout};
pub use setup::Setup;
pub use values::HostValues;
pub use varying::OutputMap;

use crate::error::Result;

/// Environment of a program: the source of its constants, outputs and names.
pub trait Surroundings {
    /// Returns the float and int uniforms that are folded under these options.
    fn folded(&self, options: &Options) -> Constants;
    /// Returns the register component of each semantic.
    fn output_map(&self) -> OutputMap;
    /// Returns the interface of a program that uses these registers, without its outputs.
    ///
    /// # Errors
    /// A defect of the environment.
    fn interface(&self, usage: &Usage, options: &Options) -> Result<Interface>;
    /// Appends everything in the environment that a module depends on, for [keys](crate::key). Two
    /// environments that append the same bytes must give one program the same module. Header
    /// comments of texts are exempt.
    ///
    /// The default appends the interface of a program that uses every register. Environments must
    /// append more if their members or names depend on the usage in other ways than by omission.
    fn fingerprint(&self, options: &Options, out: &mut Vec<u8>) {
        self.output_map().fingerprint(out);
        self.folded(options).fingerprint(out);
        if let Ok(interface) = self.interface(&Usage::EVERYTHING, options) {
            interface.fingerprint(out);
        }
    }
}

#[cfg(test)]
mod tests;
