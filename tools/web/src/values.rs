//! Uniforms and vertices of the selected program.
//! In: a seed, a state file, single registers. Out: a [`State`], the rows of the form of uniforms.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::{Value, from_str};
use transpica::stages::cfg::reach::reach;
use transpica::stages::container::SymbolBank;
use transpica::stages::interp::Uniforms;
use transpica::stages::isa::limits::FLOATS;
use transpica::stages::isa::{Flow, Inst, Source};
use transpica_inspect::inputs::{self, Seed, start_values};
use transpica_inspect::state::{self, Registers, State};
use transpica_inspect::symbols::letter;

use crate::engine::Open;
use crate::problem::Problem;

/// Most vertices.
pub const MOST_VERTICES: usize = 1 << 12;

/// Largest state, in bytes of text.
const MOST_TEXT: usize = 4 << 20;

/// Values of a program.
#[derive(Clone, Debug)]
pub struct Values {
    /// Uniforms and vertices.
    pub state: State,
    /// The uniforms that the seed gave.
    pub base: Uniforms,
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
    values: Vec<Vec<f64>>,
    constant: bool,
}

impl Values {
    /// Generates values as a run without a state has them.
    pub fn new(open: &Open<'_>, seed: u64, count: usize) -> Self {
        let seed = Seed { seed, count: count.min(MOST_VERTICES), stress: false };
        let state = inputs::of_seed(open.file, &open.environment, &open.symbols, seed);
        Self { base: state.uniforms.clone(), vertices: state.vertices.clone(), state }
    }

    /// Sets the registers of other uniforms whose values differ from those that the seed gave:
    /// those that a person changed.
    pub fn overlay(&self, own: &mut Uniforms) {
        let (changed, base) = (&self.state.uniforms, &self.base);
        for ((own, changed), base) in own.floats.iter_mut().zip(&changed.floats).zip(&base.floats) {
            if changed.map(f32::to_bits) != base.map(f32::to_bits) {
                *own = *changed;
            }
        }
        for ((own, changed), base) in own.ints.iter_mut().zip(&changed.ints).zip(&base.ints) {
            if changed != base {
                *own = *changed;
            }
        }
        let bits = changed.bools ^ base.bools;
        own.bools = own.bools & !bits | changed.bools & bits;
    }

    /// Takes over what differs from the generated values of a program before a change: uniforms
    /// that were set, and vertices if there are as many as those of the new program.
    pub fn keep(&mut self, old: &Self) {
        old.overlay(&mut self.state.uniforms);
        self.state.floats_set = old.state.floats_set;
        let is_alike = self.state.delivered.is_empty() == old.state.delivered.is_empty();
        if is_alike && old.state.vertices != old.vertices {
            self.state.vertices.clone_from(&old.state.vertices);
            self.state.delivered.clone_from(&old.state.delivered);
        }
    }

    /// Replaces the state by that of a file.
    ///
    /// # Errors
    /// A text that is no state of this program: nothing changes.
    pub fn set(&mut self, open: &Open<'_>, text: &str) -> Result<(), Problem> {
        if text.len() > MOST_TEXT {
            return Err(Problem::error(format!("the state has more than {MOST_TEXT} bytes")));
        }
        let parsed = state::parse(text, start_values(&open.environment), open.program.stage(), &open.symbols);
        let state = parsed.map_err(Problem::error)?;
        if state.vertices.len() > MOST_VERTICES {
            return Err(Problem::error(format!("more than {MOST_VERTICES} vertices")));
        }
        self.state = state;
        Ok(())
    }

    /// Sets registers of a bank from `first` on.
    ///
    /// # Errors
    /// No such registers, or no values for them: nothing changes.
    pub fn set_uniform(&mut self, bank: &str, first: u32, text: &str) -> Result<(), Problem> {
        let wrong = || Problem::error("must be a list of registers, each a list of numbers");
        let rows: Vec<Value> = from_str(text).map_err(|_| wrong())?;
        let uniforms = &mut self.state.uniforms.clone();
        let mut floats_set = self.state.floats_set;
        for (register, row) in (first as usize..).zip(&rows) {
            let missing = || Problem::error(format!("{bank}{register} is no uniform"));
            let numbers = numbers(row).ok_or_else(wrong)?;
            match bank {
                "c" => {
                    let place = uniforms.floats.get_mut(register).ok_or_else(missing)?;
                    // Range: a number beyond f32 is infinite.
                    *place = <[f64; 4]>::try_from(numbers).map_err(|_| wrong())?.map(|x| x as f32);
                    floats_set[register] = true;
                }
                "i" => {
                    let place = uniforms.ints.get_mut(register).ok_or_else(missing)?;
                    let bytes = <[f64; 4]>::try_from(numbers).map_err(|_| wrong())?;
                    if !bytes.iter().all(|x| (0.0..=255.0).contains(x) && x.fract() == 0.0) {
                        return Err(Problem::error("components of i0 to i3 are 0 to 255"));
                    }
                    // Range: checked above.
                    *place = bytes.map(|x| x as u8);
                }
                "b" => {
                    let number = u8::try_from(register).ok().filter(|&number| number < 16);
                    let [value] = numbers[..] else { return Err(wrong()) };
                    uniforms.set_bool(number.ok_or_else(missing)?, value != 0.0);
                }
                _ => return Err(Problem::error(format!("`{bank}` is no bank: c, i or b"))),
            }
        }
        (self.state.uniforms, self.state.floats_set) = (uniforms.clone(), floats_set);
        Ok(())
    }

    /// Returns the uniforms that the program has names for, then those that it reads without one.
    pub fn uniforms(&self, open: &Open<'_>) -> Vec<UniformValue> {
        let mut named = BTreeSet::new();
        let mut rows = Vec::new();
        for symbol in open.symbols.uniforms() {
            let registers = symbol.first..symbol.first + symbol.count;
            if registers.clone().all(|register| named.insert((symbol.bank, register))) {
                let is_matrix = transpica_inspect::inputs::is_matrix(symbol);
                rows.push(self.row(open, &symbol.name, (symbol.bank, registers), is_matrix));
            }
        }
        for (bank, register) in read(open) {
            if !named.contains(&(bank, register)) {
                let name = format!("{}{register}", letter(bank));
                rows.push(self.row(open, &name, (bank, register..register + 1), false));
            }
        }
        rows
    }

    fn row(
        &self,
        open: &Open<'_>,
        name: &str,
        (bank, registers): (SymbolBank, std::ops::Range<usize>),
        is_matrix: bool,
    ) -> UniformValue {
        let uniforms = &self.state.uniforms;
        let value = |register: usize| -> Vec<f64> {
            match bank {
                SymbolBank::Float => {
                    uniforms.floats.get(register).into_iter().flatten().map(|&x| f64::from(x)).collect()
                }
                SymbolBank::Int => {
                    uniforms.ints.get(register).into_iter().flatten().map(|&x| f64::from(x)).collect()
                }
                SymbolBank::Bool => vec![f64::from(u8::from(uniforms.bools >> (register & 15) & 1 != 0))],
                SymbolBank::Input => Vec::new(),
            }
        };
        let constants = open.environment.constants();
        let is_constant = |register: usize| match bank {
            SymbolBank::Float => constants.floats.get(register).is_some_and(Option::is_some),
            SymbolBank::Int => constants.ints.get(register).is_some_and(Option::is_some),
            SymbolBank::Bool => constants.bools.get(register).is_some_and(Option::is_some),
            SymbolBank::Input => false,
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
            values: registers.clone().map(value).collect(),
            constant: registers.clone().all(is_constant),
        }
    }
}

/// Reads a register: numbers, texts as in state files, or a bool.
fn numbers(row: &Value) -> Option<Vec<f64>> {
    let number = |value: &Value| match value {
        Value::Bool(value) => Some(f64::from(u8::from(*value))),
        Value::Number(number) => number.as_f64(),
        Value::String(text) => match text.as_str() {
            "inf" => Some(f64::INFINITY),
            "-inf" => Some(f64::NEG_INFINITY),
            "nan" => Some(f64::NAN),
            _ => None,
        },
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    match row {
        Value::Array(list) => list.iter().map(number).collect(),
        single => number(single).map(|number| vec![number]),
    }
}

/// Returns the uniforms that reachable instructions name.
fn read(open: &Open<'_>) -> BTreeSet<(SymbolBank, usize)> {
    let mut all = BTreeSet::new();
    reach(&open.program, |pc, _| match open.program.inst(pc) {
        Some(Inst::Flow(flow)) => match flow {
            Flow::CallU { bool: id, .. } | Flow::IfU { bool: id, .. } | Flow::JmpU { bool: id, .. } => {
                all.insert((SymbolBank::Bool, usize::from(id) & 15));
            }
            Flow::Loop { int, .. } => {
                all.insert((SymbolBank::Int, usize::from(int) & 3));
            }
            _without_uniform => {}
        },
        Some(inst) => {
            for source in sources(&inst) {
                if let Source::Uniform(register) = source
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

/// Returns the registers that an instruction reads.
fn sources(inst: &Inst) -> Vec<Source> {
    match inst {
        Inst::Data { op, sources, .. } => {
            sources[..op.source_count()].iter().map(|source| source.register).collect()
        }
        Inst::Mova { source, .. } => vec![source.register],
        Inst::Cmp { sources, .. } => sources.iter().map(|source| source.register).collect(),
        Inst::Flow(_) | Inst::Emit | Inst::SetEmit { .. } | Inst::Unassigned(_) => Vec::new(),
    }
}
