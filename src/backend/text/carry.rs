//! Local variables for the parameters and results of constructs.
//! In: lists of values with the registers they came from. Out: variables, stores and loads. Knows
//! no control flow.
//!
//! ```text
//! %9 = if %c { .. yield %5 } else { yield %2 }    =>    if c { r1 = %5; } else { r1 = %2; } let r1_1 = r1;
//! ```
//!
//! A carrier is stored only where a construct is entered or left and loaded first thing afterwards,
//! so carriers of different constructs never hold something at the same time: one variable for each
//! register (and place among equals in a list) serves all. All values of a list are evaluated
//! before, which makes the stores of one exit parallel: a swap is safe. A store of what a variable
//! holds already is left out.

use super::builder::Builder;
use super::draft::{Form, Label, Line, Variable};
use crate::error::Result;
use crate::ir::{Hint, Type, Value, ValueList};

/// A carrier: index into [`Carriers`].
pub type Carrier = usize;

/// The purpose of a variable.
type Key = (Hint, Type, usize);

#[derive(Debug)]
struct State {
    key: Key,
    variable: Variable,
    /// The value that it is known to hold.
    content: Option<Value>,
    /// Time of its last store.
    stored: u32,
}

/// The variables of a function.
#[derive(Debug, Default)]
pub struct Carriers {
    states: Vec<State>,
    clock: u32,
}

/// Contents of all variables at one point of the program.
pub struct Snapshot {
    contents: Vec<Option<Value>>,
    clock: u32,
}

impl Carriers {
    /// Returns the contents of the variables.
    pub fn snapshot(&self) -> Snapshot {
        Snapshot { contents: self.states.iter().map(|state| state.content).collect(), clock: self.clock }
    }
    /// Restores the contents of the variables, for another path from that point.
    pub fn restore(&mut self, moment: &Snapshot) {
        for (index, state) in self.states.iter_mut().enumerate() {
            // Variables that were added since hold nothing known there.
            state.content = moment.contents.get(index).copied().flatten();
        }
    }
    /// Merges all paths from a point: variables stored on any of them have unknown contents.
    pub fn merge(&mut self, moment: &Snapshot) {
        self.restore(moment);
        for state in &mut self.states {
            if state.stored > moment.clock {
                state.content = None;
            }
        }
    }
    /// Invalidates all contents, for a point with predecessors that are not built yet.
    pub fn forget(&mut self) {
        self.states.iter_mut().for_each(|state| state.content = None);
    }
}

impl Builder<'_> {
    /// Returns the carriers of a list, all different.
    pub fn carriers_of(&mut self, list: ValueList) -> Vec<Carrier> {
        let values = self.ir.get(list);
        let mut keys: Vec<Key> = Vec::with_capacity(values.len());
        for &value in values {
            let data = self.ir.values[value];
            // Values of one list are live together, so equal keys need different variables.
            let equals = keys.iter().filter(|key| key.0 == data.hint && key.1 == data.ty).count();
            keys.push((data.hint, data.ty, equals));
        }
        keys.into_iter().map(|key| self.carrier(key)).collect()
    }

    fn carrier(&mut self, key: Key) -> Carrier {
        if let Some(found) = self.carriers.states.iter().position(|state| state.key == key) {
            return found;
        }
        let (hint, ty, _) = key;
        let variable = self.draft.variable(Label::Hint(hint), ty, None);
        self.carriers.states.push(State { key, variable, content: None, stored: 0 });
        self.carriers.states.len() - 1
    }

    /// Stores values in their carriers, in parallel.
    pub fn store(&mut self, carriers: &[Carrier], values: &[Value]) -> Result<()> {
        // Values are looked up before the first store, which makes the stores parallel.
        let mut stores = Vec::with_capacity(carriers.len());
        for (&carrier, &value) in carriers.iter().zip(values) {
            if self.carriers.states[carrier].content != Some(value) {
                stores.push((carrier, value, self.value(value)?));
            }
        }
        for (carrier, content, value) in stores {
            self.carriers.clock += 1;
            let clock = self.carriers.clock;
            let state = &mut self.carriers.states[carrier];
            state.content = Some(content);
            state.stored = clock;
            let variable = state.variable;
            self.push(Line::Store { variable, value });
        }
        Ok(())
    }

    /// Loads values from their carriers.
    pub fn load(&mut self, carriers: &[Carrier], values: &[Value]) {
        for (&carrier, &value) in carriers.iter().zip(values) {
            let state = &mut self.carriers.states[carrier];
            state.content = Some(value);
            let variable = state.variable;
            self.load_from(variable, value);
        }
    }

    /// Loads a value from a variable.
    pub fn load_from(&mut self, variable: Variable, value: Value) {
        let data = self.ir.values[value];
        let load = self.draft.add(Form::Variable(variable), data.ty, &[], Label::Hint(data.hint));
        self.set(value, load.view);
    }
}
