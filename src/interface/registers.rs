//! Registers of one unit as the environment of its program, without symbols, names or constants.
//! In: [`RegisterView`]. Out: [`Environment`]. Knows no instruction.

use super::block::UniformBlock;
use super::environment::Environment;
use super::map_warnings;
use super::module::{Attribute, EnvironmentInterface};
use super::usage::Usage;
use crate::error::{At, Result, Warning};
use crate::host::constants::Constants;
use crate::host::registers::{OutputMap, RegisterView};
use crate::host::settings::Options;
use crate::program::isa::Stage;

impl Environment for RegisterView<'_> {
    fn folded(&self, _: &Options) -> Constants {
        Constants::default()
    }
    fn output_map(&self) -> OutputMap {
        self.output_map()
    }
    fn interface(&self, usage: &Usage, options: &Options) -> Result<EnvironmentInterface> {
        let registers = (0..16).filter(|register| usage.inputs >> register & 1 != 0);
        let mut warnings = Vec::new();
        if self.stage() == Stage::Vertex && !self.is_last() {
            warnings.push(Warning { text: map_warnings::TAKEN.into(), at: At::Whole });
        }
        map_warnings::words(self.map_words(), &mut warnings);
        if self.stage() == Stage::Vertex {
            map_warnings::attributes(self.permutation(), usage.inputs, &mut warnings);
        }
        let attribute = |register| {
            let format = options.input.formats[usize::from(register)];
            Attribute { register, name: format!("v{register}"), format }
        };
        Ok(EnvironmentInterface {
            attributes: registers.map(attribute).collect(),
            block: UniformBlock::without_symbols(usage, &options.block),
            warnings,
            ..EnvironmentInterface::default()
        })
    }
    fn fingerprint(&self, _: &Options, out: &mut Vec<u8>) {
        self.output_map().fingerprint(out);
    }
}
