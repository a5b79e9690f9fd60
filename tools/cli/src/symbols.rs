//! Names that a program's file has for registers.
//! In: an executable. Out: names with their registers, in the order of the file. Knows no values.

use transpica::stages::container::{Dvle, SymbolBank};
use transpica_generate::Named;

/// Names of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbols {
    symbols: Vec<Named>,
}

impl Symbols {
    /// Reads the tables of an executable. Of equal names in a bank the first counts; entries
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
        Self { symbols }
    }

    /// Returns all names.
    pub fn all(&self) -> &[Named] {
        &self.symbols
    }
}
