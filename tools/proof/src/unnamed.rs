//! Bindings of a program without a file: an output map, no constants, no names.
//! In: an output map. Out: [`Unnamed`], which places every uniform in one block of registers.

use std::sync::LazyLock;

use transpica::host::{
    Constants, Environment, EnvironmentInterface, OutputMap, RegisterLayout, Usage, layout,
};
use transpica::{Options, Result};

/// Bindings of a program whose o0 is the position.
pub static BARE: LazyLock<Unnamed> =
    LazyLock::new(|| Unnamed { map: OutputMap::from_words([(0, [0, 1, 2, 3])]) });

/// Bindings without names.
#[derive(Clone, Debug, Default)]
pub struct Unnamed {
    /// Semantics of the outputs.
    pub map: OutputMap,
}

impl Environment for Unnamed {
    fn folded(&self, _: &Options) -> Constants {
        Constants::default()
    }
    fn output_map(&self) -> OutputMap {
        self.map
    }
    fn interface(&self, usage: &Usage, options: &Options) -> Result<EnvironmentInterface> {
        let needed = usage.floats != 0 || usage.relative != 0 || usage.ints != 0 || usage.bools != 0;
        let registers = options.block.layout.registers().unwrap_or(RegisterLayout::REGISTERS);
        let block = if needed { layout::registers(&registers) } else { Default::default() };
        Ok(EnvironmentInterface { block, ..EnvironmentInterface::default() })
    }
}
