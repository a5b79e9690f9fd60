//! Names that a program's file has for registers, and the semantics of its outputs.
//! In: an executable. Out: names with their registers, in the order of the file. Knows no values.

use crate::values::Named;
use crate::words::did_you_mean;
use transpica::container::{Dvle, SymbolBank};
use transpica::isa::Mask;

/// The letter of a bank's registers.
pub fn letter(bank: SymbolBank) -> char {
    ['v', 'c', 'i', 'b'][bank as usize]
}

/// Names of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    symbols: Vec<Named>,
    /// Semantic, register and components of each output.
    outputs: Vec<(&'static str, usize, Mask)>,
}

impl Symbols {
    /// Reads the tables of an executable. The first of equal names in a bank counts; entries
    /// without registers are left out.
    pub fn new(dvle: &Dvle<'_>) -> Self {
        let mut symbols: Vec<Named> = Vec::new();
        for symbol in dvle.symbols.iter() {
            let Some(range) = symbol.range().filter(|range| range.count > 0) else { continue };
            let name = dvle.name(symbol.name).to_text().to_string();
            let is_input = |bank| bank == SymbolBank::Input;
            let is_known = |known: &Named| known.name == name && is_input(known.bank) == is_input(range.bank);
            if !name.is_empty() && !symbols.iter().any(is_known) {
                let (first, count) = (range.first.into(), range.count.into());
                symbols.push(Named { name, bank: range.bank, first, count });
            }
        }
        let outputs = dvle.outputs.iter().filter_map(|output| {
            let register = usize::from(output.register);
            // Range: four bits.
            let mask = Mask((output.mask & 15) as u8);
            Some((output.semantic()?.info().name, register, mask)).filter(|_| register < 16)
        });
        Self { outputs: outputs.collect(), symbols }
    }

    /// Returns the named uniforms.
    pub fn uniforms(&self) -> impl Iterator<Item = &Named> {
        self.symbols.iter().filter(|symbol| symbol.bank != SymbolBank::Input)
    }

    /// Returns the named attributes.
    pub fn attributes(&self) -> impl Iterator<Item = &Named> {
        self.symbols.iter().filter(|symbol| symbol.bank == SymbolBank::Input)
    }

    /// Returns the registers of a bank, by its letter, that have a name.
    ///
    /// # Errors
    /// The name is none of the bank: the nearest one, or all.
    pub fn registers(&self, bank: char, name: &str) -> Result<Vec<usize>, String> {
        let of_bank = || self.symbols.iter().filter(|symbol| letter(symbol.bank) == bank);
        if let Some(symbol) = of_bank().find(|symbol| symbol.name == name) {
            return Ok((symbol.first..symbol.first + symbol.count).collect());
        }
        let names: Vec<&str> = of_bank().map(|symbol| symbol.name.as_str()).collect();
        let all = || match names.is_empty() {
            true => "the program has no names of this kind".into(),
            false => format!("the program's names are {}", names.join(", ")),
        };
        Err(did_you_mean(name, names.iter().copied()).unwrap_or_else(all))
    }

    /// Returns the outputs with a semantic.
    pub fn outputs(&self) -> &[(&'static str, usize, Mask)] {
        &self.outputs
    }

    /// Returns the name of a register, with its place in an array.
    pub fn name(&self, bank: char, register: usize) -> Option<String> {
        let is_part = |named: &&Named| {
            letter(named.bank) == bank && (named.first..named.first + named.count).contains(&register)
        };
        let Named { name, first, count, .. } = self.symbols.iter().find(is_part)?;
        Some(if *count == 1 { name.clone() } else { format!("{name}[{}]", register - first) })
    }

    /// Returns the semantics of an output register, separated by spaces.
    pub fn semantics(&self, register: usize) -> String {
        let names = self.outputs.iter().filter(|(_, other, _)| *other == register);
        names.map(|(name, ..)| *name).collect::<Vec<_>>().join(" ")
    }

    /// Returns all names.
    pub fn as_slice(&self) -> &[Named] {
        &self.symbols
    }
}
