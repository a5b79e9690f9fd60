//! What tests with random programs share.

use transpica::error::Result;
use transpica::host::{
    ComponentSource, Constants, Interface, Location, Options, Output, Surroundings, Usage, layout,
};
use transpica::isa::Component;

/// A program without a file: no constants, every register in the block.
pub struct Bare;

impl Surroundings for Bare {
    fn folded(&self, _: &Options) -> Constants {
        Constants::default()
    }
    fn outputs(&self) -> Vec<Output> {
        let components = Component::ALL.map(|component| ComponentSource::Register { register: 0, component });
        vec![Output {
            name: "position".into(),
            location: Location::Position,
            components: components.to_vec(),
            color: false,
        }]
    }
    fn interface(&self, usage: &Usage, _: &Options) -> Result<Interface> {
        let needed = usage.floats != 0 || usage.relative.is_some() || usage.ints != 0 || usage.bools != 0;
        let block = if needed { layout::registers() } else { Default::default() };
        Ok(Interface { block, ..Interface::default() })
    }
}
