//! Uniforms and vertices of the selected program.
//! In: a seed, a state file, single registers. Out: a [`State`], the rows of the form of uniforms.

use std::collections::BTreeSet;

use super::cfg::reach::reach;
use serde::Serialize;
use serde_json::{Value, from_str};
use transpica::container::SymbolBank;
use transpica::interp::Uniforms;
use transpica::isa::control::Test;
use transpica::isa::sizes::FLOATS;
use transpica::isa::{Flow, Inst, Source};
use transpica_inspect::inputs::{self, Seed, start_values};
use transpica_inspect::state::{self, Registers, State};
use transpica_inspect::symbols::letter;
use transpica_inspect::{json, saved};

use super::engine::Open;
use super::problem::Problem;

/// Most vertices.
pub const MOST_VERTICES: usize = 1 << 12;

/// Largest state, in bytes of text.
const MOST_TEXT: usize = 4 << 20;

/// Values of a program.
#[derive(Clone, Debug)]
pub struct Values {
    /// Uniforms and vertices.
    pub state: State,
    /// Uniforms that a person set.
    own: BTreeSet<(SymbolBank, usize)>,
    /// The uniforms that the seed gave.
    base: Uniforms,
    /// The vertices that the seed gave.
    vertices: Vec<Registers>,
}

/// Registers of a name, or a register without one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UniformValue {
    name: String,
    bank: char,
    first: usize,
    count: usize,
    shape: &'static str,
    /// Values of the picture.
    values: Vec<Vec<Value>>,
    /// Values of runs and steps.
    steps: Vec<Vec<Value>>,
    /// True for registers that are not set: the picture guesses them from names and from the view.
    guessed: Vec<bool>,
    constant: bool,
}

impl Values {
    /// Generates values as a run without a state has them.
    pub fn new(open: &Open<'_>, seed: u64, count: usize) -> Self {
        let seed = Seed { seed, count: count.min(MOST_VERTICES), stress: false };
        let state = inputs::of_seed(open.file, &open.environment, &open.symbols, seed);
        let (base, vertices) = (state.uniforms.clone(), state.vertices.clone());
        Self { state, own: BTreeSet::new(), base, vertices }
    }

    /// Sets the registers of other uniforms that a person set.
    pub fn overlay(&self, to: &mut Uniforms) {
        let own = &self.state.uniforms;
        for &(bank, register) in &self.own {
            match bank {
                SymbolBank::Float => to.floats[register] = own.floats[register],
                SymbolBank::Int => to.ints[register] = own.ints[register],
                // Range: below 16.
                SymbolBank::Bool => to.set_bool(register as u8, own.bool(register as u8)),
                SymbolBank::Input => {}
            }
        }
    }

    /// Returns the uniforms whose values differ from those that the seed gave.
    fn changed(&self) -> BTreeSet<(SymbolBank, usize)> {
        let (own, base) = (&self.state.uniforms, &self.base);
        let bits = |vector: &[f32; 4]| vector.map(f32::to_bits);
        let floats = (0..FLOATS).filter(|&at| bits(&own.floats[at]) != bits(&base.floats[at]));
        let ints = (0..own.ints.len()).filter(|&at| own.ints[at] != base.ints[at]);
        let bools = (0..16).filter(|&at| (own.bools ^ base.bools) >> at & 1 != 0);
        let floats = floats.map(|at| (SymbolBank::Float, at));
        floats
            .chain(ints.map(|at| (SymbolBank::Int, at)))
            .chain(bools.map(|at| (SymbolBank::Bool, at)))
            .collect()
    }

    /// Takes over what a person changed of the values of a program before a change: uniforms that
    /// were set, and vertices if the new program has as many.
    pub fn keep(&mut self, old: &Self) {
        old.overlay(&mut self.state.uniforms);
        self.own.clone_from(&old.own);
        self.state.floats_set = old.state.floats_set;
        let is_alike = self.state.delivered.is_empty() == old.state.delivered.is_empty();
        if is_alike && old.state.vertices != old.vertices {
            self.state.vertices.clone_from(&old.state.vertices);
            self.state.delivered.clone_from(&old.state.delivered);
        }
    }

    /// Replaces the state by a state file. A file without vertices only changes what it names.
    ///
    /// # Errors
    /// A text that is not a state of this program: nothing changes.
    pub fn set(&mut self, open: &Open<'_>, text: &str) -> Result<(), Problem> {
        if text.len() > MOST_TEXT {
            return Err(Problem::error(format!("the state has more than {MOST_TEXT} bytes")));
        }
        let parse = |uniforms| state::parse(text, uniforms, open.program.stage(), &open.symbols);
        let mut state = parse(start_values(&open.environment)).map_err(Problem::error)?;
        if state.vertices.is_empty() {
            state = parse(self.base.clone()).map_err(Problem::error)?;
            state.vertices.clone_from(&self.state.vertices);
            state.delivered.clone_from(&self.state.delivered);
        }
        if state.vertices.len() > MOST_VERTICES {
            return Err(Problem::error(format!("more than {MOST_VERTICES} vertices")));
        }
        self.state = state;
        // The file of a whole state does not say which of its values are a person's.
        self.own = self.changed();
        Ok(())
    }

    /// Sets registers of a bank from `first` on.
    ///
    /// # Errors
    /// No such registers, or no values for them: nothing changes.
    pub fn set_uniform(&mut self, bank: &str, first: u32, text: &str) -> Result<(), Problem> {
        let rows: Vec<Value> = from_str(text)
            .map_err(|_| Problem::error("must be a list of registers, each a list of values"))?;
        let bank = match bank {
            "c" => SymbolBank::Float,
            "i" => SymbolBank::Int,
            "b" => SymbolBank::Bool,
            _ => return Err(Problem::error(format!("`{bank}` is not a bank: use c, i or b"))),
        };
        let mut new = self.clone();
        for (register, row) in (first as usize..).zip(&rows) {
            let value = match row {
                Value::Array(list) if bank == SymbolBank::Bool && list.len() == 1 => &list[0],
                value => value,
            };
            let place = format!("{}{register}", letter(bank));
            new.state.set_uniform(bank, register, value, &place).map_err(Problem::error)?;
            new.own.insert((bank, register));
        }
        *self = new;
        Ok(())
    }

    /// Returns the uniforms that the program has names for, then those that it reads without one,
    /// with the values of a picture that was `drawn` with them.
    pub fn uniforms(&self, open: &Open<'_>, drawn: Option<&Uniforms>) -> Vec<UniformValue> {
        let mut named = BTreeSet::new();
        let mut rows = Vec::new();
        for symbol in open.symbols.uniforms() {
            let registers = symbol.first..symbol.first + symbol.count;
            if registers.clone().all(|register| named.insert((symbol.bank, register))) {
                let is_matrix = inputs::is_matrix(symbol);
                rows.push(self.row(open, drawn, &symbol.name, (symbol.bank, registers), is_matrix));
            }
        }
        for (bank, register) in read(open) {
            if !named.contains(&(bank, register)) {
                let name = format!("{}{register}", letter(bank));
                rows.push(self.row(open, drawn, &name, (bank, register..register + 1), false));
            }
        }
        rows
    }

    fn row(
        &self,
        open: &Open<'_>,
        drawn: Option<&Uniforms>,
        name: &str,
        (bank, registers): (SymbolBank, std::ops::Range<usize>),
        is_matrix: bool,
    ) -> UniformValue {
        let value = |uniforms: &Uniforms, register: usize| -> Vec<Value> {
            match bank {
                SymbolBank::Float => {
                    let float = uniforms.floats.get(register).into_iter().flatten();
                    float.map(|x| saved::number(x.to_bits())).collect()
                }
                SymbolBank::Int => {
                    uniforms.ints.get(register).into_iter().flatten().map(|&x| x.into()).collect()
                }
                SymbolBank::Bool => vec![(uniforms.bools >> (register & 15) & 1).into()],
                SymbolBank::Input => Vec::new(),
            }
        };
        let values = |uniforms: &Uniforms| -> Vec<Vec<Value>> {
            registers.clone().map(|register| value(uniforms, register)).collect()
        };
        let constants = open.environment.constants();
        let is_constant = |register: usize| match bank {
            SymbolBank::Float => constants.floats.get(register).is_some_and(Option::is_some),
            SymbolBank::Int => constants.ints.get(register).is_some_and(Option::is_some),
            SymbolBank::Bool => constants.bools.get(register).is_some_and(Option::is_some),
            SymbolBank::Input => false,
        };
        let is_guessed = |register: usize| {
            drawn.is_some() && !self.own.contains(&(bank, register)) && !is_constant(register)
        };
        let shape = match (bank, registers.len()) {
            (SymbolBank::Int, _) => "int",
            (SymbolBank::Bool, _) => "bool",
            (SymbolBank::Float | SymbolBank::Input, _) if is_matrix => "matrix",
            (SymbolBank::Float | SymbolBank::Input, 1) => "vector",
            (SymbolBank::Float | SymbolBank::Input, _) => "vectors",
        };
        UniformValue {
            name: name.to_owned(),
            bank: letter(bank),
            first: registers.start,
            count: registers.len(),
            shape,
            values: values(drawn.unwrap_or(&self.state.uniforms)),
            steps: values(&self.state.uniforms),
            guessed: registers.clone().map(is_guessed).collect(),
            constant: registers.clone().all(is_constant),
        }
    }
}

/// Reads a list of numbers as state files have them.
///
/// # Errors
/// A text that is not a number.
pub fn numbers(list: &str) -> Result<Vec<Value>, Problem> {
    let words = list.split([' ', ',', ';']).filter(|word| !word.is_empty());
    let number = |word| json::float(word).ok_or_else(|| Problem::error(format!("`{word}` is not a number")));
    words.map(|word| Ok(json::decimal(f32::from_bits(number(word)?)))).collect()
}

/// Returns the uniforms that reachable instructions name.
fn read(open: &Open<'_>) -> BTreeSet<(SymbolBank, usize)> {
    let mut all = BTreeSet::new();
    reach(&open.program, |pc, _| match open.program.inst(pc) {
        Some(Inst::Flow(Flow::Loop { int, .. })) => {
            all.insert((SymbolBank::Int, usize::from(int) & 3));
        }
        Some(Inst::Flow(flow)) => {
            if let Some(Test::Bool { id, .. }) = flow.test() {
                all.insert((SymbolBank::Bool, usize::from(id) & 15));
            }
        }
        Some(inst) => {
            for source in inst.sources() {
                if let Source::Uniform(register) = source.register
                    && usize::from(register) < FLOATS
                {
                    all.insert((SymbolBank::Float, usize::from(register)));
                }
            }
        }
        None => {}
    });
    all
}
