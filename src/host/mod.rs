//! What surrounds a program: options, host profile, attributes, uniform block, outputs.
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

pub use crate::fields::{DrawField, HostField};
pub use interface::{
    Attribute, Bank, ComponentSource, Constants, EntryPoint, Interface, Location, Member, MemberType, Output,
    OutputValue, Reach, UniformBlock, Usage,
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
    /// Appends everything about the surroundings that a module follows from, for
    /// [keys](crate::key): two surroundings that append the same must give one program the same
    /// module. Comments at the head of texts do not count.
    ///
    /// The default knows the interface of a program that uses every register; surroundings whose
    /// members or names follow from what a program uses in other ways than by being left out must
    /// say more.
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
