//! Local variables that carry parameters and results of constructs.
//! In: lists of values with the registers they came from. Out: variables, stores and loads. Knows no control flow.
//!
//! ```text
//! %9 = if %c { .. yield %5 } else { yield %2 }    =>    if c { r1 = %5; } else { r1 = %2; } let r1_1 = r1;
//! ```
//!
//! A carrier is stored only where a construct is entered or left and loaded first thing afterwards, so carriers of different
//! constructs never hold something at the same time: one variable for each register (and place among equals in a list)
//! serves all. All values of a list are expressions over `let`s, which makes the stores of one exit parallel: a swap is safe.
//! A store of what a variable holds already is left out.

use naga::{Expression, Handle, Span, Statement};

use super::function::{Builder, Expr, Slot};
use super::names;
use super::types::value_type;
use crate::error::Result;
use crate::ir::{Hint, Type, Value, ValueList};

/// A carrier: index into [`Carriers`].
pub(super) type Carrier = usize;

/// What a variable serves.
type Key = (Hint, Type, usize);

/// One variable.
struct Variable {
    key: Key,
    pointer: Expr,
    /// The value it holds for certain.
    content: Option<Value>,
    /// When it was last stored.
    stored: u32,
}

/// The variables of a function.
#[derive(Default)]
pub(super) struct Carriers {
    variables: Vec<Variable>,
    clock: u32,
}

/// The contents of all variables at one moment.
pub(super) struct Moment {
    contents: Vec<Option<Value>>,
    clock: u32,
}

impl Carriers {
    /// Remembers what the variables hold.
    pub(super) fn moment(&self) -> Moment {
        Moment {
            contents: self.variables.iter().map(|variable| variable.content).collect(),
            clock: self.clock,
        }
    }
    /// Goes back to what the variables held, for another way on from there.
    pub(super) fn restore(&mut self, moment: &Moment) {
        for (index, variable) in self.variables.iter_mut().enumerate() {
            variable.content = moment.contents.get(index).copied().flatten();
        }
    }
    /// After all ways on from a moment met again: only variables that none of them stored still hold what they held.
    pub(super) fn merge(&mut self, moment: &Moment) {
        self.restore(moment);
        for variable in &mut self.variables {
            if variable.stored > moment.clock {
                variable.content = None;
            }
        }
    }
    /// Forgets all contents, for a place that is reached from code not seen yet.
    pub(super) fn forget(&mut self) {
        for variable in &mut self.variables {
            variable.content = None;
        }
    }
    /// Whether the variable holds the value.
    pub(super) fn holds(&self, carrier: Carrier, value: Value) -> bool {
        self.variables[carrier].content == Some(value)
    }
}

impl Builder<'_, '_> {
    /// The carriers of a list, all different.
    pub(super) fn carriers_of(&mut self, list: ValueList) -> Vec<Carrier> {
        let ir = self.ir;
        let values = ir.get(list);
        let mut keys: Vec<Key> = Vec::with_capacity(values.len());
        for &value in values {
            let data = ir.values[value];
            let equals = keys.iter().filter(|key| key.0 == data.hint && key.1 == data.ty).count();
            keys.push((data.hint, data.ty, equals));
        }
        keys.into_iter().map(|key| self.carrier(key)).collect()
    }

    fn carrier(&mut self, key: Key) -> Carrier {
        if let Some(found) = self.carriers.variables.iter().position(|variable| variable.key == key) {
            return found;
        }
        let (hint, ty, _) = key;
        let local = naga::LocalVariable {
            name: Some(names::name(hint, ty.kind)),
            ty: value_type(&mut self.shared.module, ty),
            init: None,
        };
        let local: Handle<naga::LocalVariable> = self.out.local_variables.append(local, Span::UNDEFINED);
        let pointer = self.outside(Expression::LocalVariable(local));
        self.carriers.variables.push(Variable { key, pointer, content: None, stored: 0 });
        self.carriers.variables.len() - 1
    }

    /// Stores values in their carriers, all at once as far as the program can tell.
    pub(super) fn store(&mut self, carriers: &[Carrier], values: &[Value]) -> Result<()> {
        let mut stores = Vec::with_capacity(carriers.len());
        for (&carrier, &value) in carriers.iter().zip(values) {
            if !self.carriers.holds(carrier, value) {
                stores.push((carrier, value, self.operand(value)?));
            }
        }
        for (carrier, content, value) in stores {
            let pointer = self.carriers.variables[carrier].pointer;
            self.used(pointer);
            self.used(value);
            self.push(Statement::Store { pointer, value });
            self.carriers.clock += 1;
            let clock = self.carriers.clock;
            let variable = &mut self.carriers.variables[carrier];
            variable.content = Some(content);
            variable.stored = clock;
        }
        Ok(())
    }

    /// Loads the values of a list from their carriers.
    pub(super) fn load(&mut self, carriers: &[Carrier], values: ValueList) {
        let ir = self.ir;
        for (&carrier, &value) in carriers.iter().zip(ir.get(values)) {
            let pointer = self.carriers.variables[carrier].pointer;
            let expr = self.emit(Expression::Load { pointer });
            let data = ir.values[value];
            self.suggest(expr, data.hint, data.ty.kind);
            self.set(value, Slot::Whole(expr));
            self.carriers.variables[carrier].content = Some(value);
        }
    }
}
