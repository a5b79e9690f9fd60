//! Common parts of the tests with random programs.

use transpica::stages::error::Result;
use transpica::stages::host::{
    Constants, Interface, Options, OutputMap, RegisterLayout, Surroundings, Usage, layout,
};

/// Bindings of a program without a file: no constants, every register in the block.
pub struct Bare;

impl Surroundings for Bare {
    fn folded(&self, _: &Options) -> Constants {
        Constants::default()
    }
    fn output_map(&self) -> OutputMap {
        OutputMap::from_words([(0, [0, 1, 2, 3])])
    }
    fn interface(&self, usage: &Usage, options: &Options) -> Result<Interface> {
        let needed = usage.floats != 0 || usage.relative.is_some() || usage.ints != 0 || usage.bools != 0;
        let registers = options.block.layout.registers().unwrap_or(RegisterLayout::REGISTERS);
        let block = if needed { layout::registers(&registers) } else { Default::default() };
        Ok(Interface { block, ..Interface::default() })
    }
}
