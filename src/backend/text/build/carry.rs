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

use crate::backend::text::draft::{Draft, Label, Variable};
use crate::ir::{Func, Hint, Type, Value, ValueList};

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

    /// Invalidates the contents of carriers that would be stored with these values.
    pub fn lose(&mut self, carriers: &[Carrier], values: &[Value]) {
        for (&carrier, &value) in carriers.iter().zip(values) {
            let content = &mut self.states[carrier].content;
            *content = content.filter(|content| *content == value);
        }
    }

    /// Returns the carriers of a list, all different; new ones have a variable of the draft.
    pub fn assign(&mut self, ir: &Func, draft: &mut Draft, list: ValueList) -> Vec<Carrier> {
        let purpose = |value: &Value| (ir.values[*value].hint, ir.values[*value].ty);
        let values = ir.get(list).iter().map(purpose);
        let carriers = values.clone().enumerate().map(|(index, (hint, ty))| {
            // Values of one list are live together, so equal keys need different variables.
            let equals = values.clone().take(index).filter(|&before| before == (hint, ty)).count();
            self.carrier(draft, (hint, ty, equals))
        });
        carriers.collect()
    }

    fn carrier(&mut self, draft: &mut Draft, key: Key) -> Carrier {
        if let Some(found) = self.states.iter().position(|state| state.key == key) {
            return found;
        }
        let (hint, ty, _) = key;
        let variable = draft.variable(Label::Hint(hint), ty, None);
        self.states.push(State { key, variable, content: None, stored: 0 });
        self.states.len() - 1
    }

    /// Returns whether a carrier is known to hold a value.
    pub fn holds(&self, carrier: Carrier, value: Value) -> bool {
        self.states[carrier].content == Some(value)
    }

    /// Notes that a carrier holds a value that is loaded from it, and returns its variable.
    pub fn loaded(&mut self, carrier: Carrier, value: Value) -> Variable {
        let state = &mut self.states[carrier];
        state.content = Some(value);
        state.variable
    }

    /// Notes that a value is stored in a carrier, and returns its variable.
    pub fn stored(&mut self, carrier: Carrier, value: Value) -> Variable {
        self.clock += 1;
        self.states[carrier].stored = self.clock;
        self.loaded(carrier, value)
    }
}
