//! Registers of two programs that stand for each other: by their names, else by their numbers.
//! In: the names and outputs of both. Out: for each register of the second program that of the
//! first, and the pairs of output components. Knows no instructions.

use crate::ir::Resource;
use transpica::container::SymbolBank;
use transpica::interp::Uniforms;
use transpica::isa::sizes::{BOOLS, FLOATS, INTS};
use transpica_inspect::symbols::{Symbols, letter};
use transpica_inspect::values::Named;

/// For each register of the second program the number of the first program's that it stands for.
/// In each bank every number occurs once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers {
    /// v0..v15
    pub inputs: [u8; 16],
    /// c0..c95
    pub floats: [u8; FLOATS],
    /// i0..i3
    pub ints: [u8; INTS],
    /// b0..b15
    pub bools: [u8; BOOLS],
}

impl Default for Registers {
    fn default() -> Self {
        Self { inputs: same(), floats: same(), ints: same(), bools: same() }
    }
}

/// Every number stands for itself.
fn same<const N: usize>() -> [u8; N] {
    // Range: banks have at most 96 registers.
    std::array::from_fn(|register| register as u8)
}

impl Registers {
    /// Returns what the first program reads where the second reads this.
    pub fn first(&self, resource: Resource) -> Resource {
        let of = |bank: &[u8], register: u8| bank.get(usize::from(register)).copied().unwrap_or(register);
        match resource {
            Resource::Input(register) => Resource::Input(of(&self.inputs, register)),
            Resource::Uniform(register) => Resource::Uniform(of(&self.floats, register)),
            Resource::IntUniform { index, component } => {
                Resource::IntUniform { index: of(&self.ints, index), component }
            }
            Resource::BoolUniform(register) => Resource::BoolUniform(of(&self.bools, register)),
            other => other,
        }
    }

    /// Returns the number of the first program's register for that of the second, in a bank.
    pub fn number(&self, bank: char, register: usize) -> usize {
        let all: &[u8] = match bank {
            'v' => &self.inputs,
            'i' => &self.ints,
            'b' => &self.bools,
            _float => &self.floats,
        };
        all.get(register).map_or(register, |&first| first.into())
    }

    /// Returns the uniforms of the second program for those of the first.
    pub fn uniforms(&self, first: &Uniforms) -> Uniforms {
        let mut uniforms = first.clone();
        uniforms.floats = self.floats.map(|from| first.floats[usize::from(from)]);
        uniforms.ints = self.ints.map(|from| first.ints[usize::from(from)]);
        for (register, &from) in (0..).zip(&self.bools) {
            uniforms.set_bool(register, first.bool(from));
        }
        uniforms
    }

    /// Returns the inputs of the second program for those of the first.
    pub fn inputs(&self, first: &[[f32; 4]; 16]) -> [[f32; 4]; 16] {
        self.inputs.map(|from| first[usize::from(from)])
    }
}

/// One component of an output in both programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputPair {
    /// Name, such as `position.x` or `o3.w`.
    pub name: String,
    /// Output register, 0..=15, and component, 0..=3, in each program.
    pub places: [(usize, usize); 2],
}

/// Registers and outputs of two programs that stand for each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matching {
    /// Uniforms and inputs.
    pub registers: Registers,
    /// Components that must be equal.
    pub outputs: Vec<OutputPair>,
    /// Remarks for the user: names with other registers, names that only one program has.
    pub notes: Vec<String>,
}

impl Matching {
    /// Matches the registers of two programs. `outputs` selects outputs by semantic or register; if
    /// it is empty, all count.
    ///
    /// # Errors
    /// An output that only one program has, or a name that none has.
    pub fn new(symbols: [&Symbols; 2], outputs: &[String]) -> Result<Self, String> {
        let mut notes = Vec::new();
        let registers = Registers {
            inputs: permutation(symbols, SymbolBank::Input, &mut notes),
            floats: permutation(symbols, SymbolBank::Float, &mut notes),
            ints: permutation(symbols, SymbolBank::Int, &mut notes),
            bools: permutation(symbols, SymbolBank::Bool, &mut notes),
        };
        Ok(Self { registers, outputs: pairs(symbols, outputs)?, notes })
    }

    /// Lanes of both programs whose values must be equal, for functions that yield o0..o15.
    pub fn lanes(&self) -> Vec<[usize; 2]> {
        let lane = |(register, component)| 4 * register + component;
        self.outputs.iter().map(|pair| pair.places.map(lane)).collect()
    }
}

/// Names of a bank.
fn named(symbols: &Symbols, bank: SymbolBank) -> Vec<&Named> {
    let all = symbols.uniforms().chain(symbols.attributes());
    all.filter(|named| named.bank == bank).collect()
}

/// Returns for each register of the second program the first program's. Names come first, then
/// equal numbers; what is left is paired in order.
fn permutation<const N: usize>(symbols: [&Symbols; 2], bank: SymbolBank, notes: &mut Vec<String>) -> [u8; N] {
    let [first, second] = symbols.map(|symbols| named(symbols, bank));
    let (mut found, mut taken) = ([None; N], [false; N]);
    for own in &second {
        let Some(other) = first.iter().find(|other| other.name == own.name) else { continue };
        for place in 0..own.count.min(other.count) {
            let (to, from) = (own.first + place, other.first + place);
            if to < N && from < N && found[to].is_none() && !taken[from] {
                (found[to], taken[from]) = (Some(from), true);
            }
        }
        if own.first != other.first {
            let letter = letter(bank);
            notes.push(format!("{} is {letter}{} and {letter}{}", own.name, other.first, own.first));
        }
    }
    let alone = |list: &[&Named], others: &[&Named]| {
        let only = list.iter().filter(|own| others.iter().all(|other| other.name != own.name));
        only.map(|named| named.name.clone()).collect::<Vec<_>>()
    };
    for (names, which) in [(alone(&first, &second), "first"), (alone(&second, &first), "second")] {
        if !names.is_empty() {
            notes.push(format!("only the {which} program has {}: matched by register", names.join(", ")));
        }
    }
    for (register, from) in found.iter_mut().enumerate() {
        if from.is_none() && !taken[register] {
            (*from, taken[register]) = (Some(register), true);
        }
    }
    let mut rest = (0..N).filter(|&register| !taken[register]);
    // Range: banks have at most 96 registers, and as many are left as are free.
    found.map(|from| from.or_else(|| rest.next()).unwrap_or(0) as u8)
}

const COMPONENTS: [char; 4] = ['x', 'y', 'z', 'w'];

/// The places of the components of an output, by semantic or register.
fn places(symbols: &Symbols, name: &str) -> Option<Vec<(usize, usize)>> {
    let of_row = |&(_, register, mask): &(&str, usize, transpica::isa::Mask)| {
        mask.iter().map(|component| (register, component.index())).collect::<Vec<_>>()
    };
    let found = symbols.outputs().iter().filter(|row| row.0 == name).flat_map(of_row).collect::<Vec<_>>();
    if !found.is_empty() {
        return Some(found);
    }
    let register = name.strip_prefix('o')?.parse::<usize>().ok().filter(|&register| register < 16)?;
    Some((0..4).map(|component| (register, component)).collect())
}

fn pairs(symbols: [&Symbols; 2], outputs: &[String]) -> Result<Vec<OutputPair>, String> {
    let mut names: Vec<String> = outputs.to_vec();
    if names.is_empty() {
        let all = symbols.iter().flat_map(|symbols| symbols.outputs());
        for (name, ..) in all {
            if !names.iter().any(|known| known == name) {
                names.push((*name).to_owned());
            }
        }
    }
    if names.is_empty() {
        // Programs without tables: their registers.
        names = (0..16).map(|register| format!("o{register}")).collect();
    }
    let mut pairs = Vec::new();
    for name in &names {
        let [first, second] = symbols.map(|symbols| places(symbols, name));
        let missing = |which: &str| {
            let mut list: Vec<&str> = symbols[0].outputs().iter().map(|row| row.0).collect();
            list.retain(|name| symbols[1].outputs().iter().any(|row| row.0 == *name));
            list.dedup();
            let both = if list.is_empty() { "none".into() } else { list.join(", ") };
            format!("the {which} program has no output {name}; both have {both}: select outputs to compare")
        };
        let (first, second) =
            (first.ok_or_else(|| missing("first"))?, second.ok_or_else(|| missing("second"))?);
        if first.len() != second.len() {
            return Err(format!(
                "{name} has {} components, and {} in the second program",
                first.len(),
                second.len()
            ));
        }
        for (number, (a, b)) in first.into_iter().zip(second).enumerate() {
            let name = format!("{name}.{}", COMPONENTS[number & 3]);
            pairs.push(OutputPair { name, places: [a, b] });
        }
    }
    Ok(pairs)
}
