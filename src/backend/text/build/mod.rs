//! Builder of the draft of one function: operands, constants, and the view of each IR value.
//! In: calls from `region`, `operations` and `entry`. Out: a [`Draft`]. Knows no operation and no
//! control flow.

mod carry;
mod entry;
mod loops;
mod operations;
mod region;

use self::carry::{Carrier, Carriers};
use super::draft::{Draft, Expr, Form, Label, Line, Operand, PLAIN, Pattern, Variable, View, is_finite};
use super::module::Module;
use crate::backend::interface::defect;
use crate::error::Error;
use crate::ir::op::scalar;
use crate::ir::{Binary, Def, Func, Lane, Op, ScalarKind, Type, Unary, Value, ValueList};
use crate::machine::precision::Precision;
use crate::machine::precision::bits::{INFINITY, SIGN};

/// A function under construction.
pub struct Builder<'a> {
    pub draft: &'a mut Draft,
    pub module: &'a Module<'a>,
    pub ir: &'a Func,
    /// Names of its parameters.
    pub parameters: &'a [String],
    /// Set if there are procedures, or names of registers in the source.
    pub is_sourced: bool,
    pub carriers: Carriers,
    /// Contents of input registers.
    pub inputs: [Option<Operand>; 16],
    /// Index of this thread (geometry programs).
    pub thread: Option<Operand>,
    /// Number of open braces.
    pub depth: u32,
    /// Lines of the open loops and switches.
    pub open: Vec<usize>,
    /// Counters of the open loops that count.
    pub counting: Vec<Variable>,
    /// Procedure of the last line, or `None` where lines were removed.
    pub procedure: Option<Option<u16>>,
    not_finite: Vec<(u32, Expr)>,
    /// Memory for stores that are still to be added.
    stores: Vec<(Carrier, Value, Operand)>,
}

impl<'a> Builder<'a> {
    /// Starts a function: evaluates its infinities and NaNs, and no other values.
    pub fn new(draft: &'a mut Draft, module: &'a Module<'a>, ir: &'a Func, parameters: &'a [String]) -> Self {
        draft.views.clear();
        draft.views.resize(ir.values.len(), None);
        let source = module.source;
        let mut builder = Self {
            draft,
            module,
            ir,
            parameters,
            is_sourced: source.debug_source.is_some() || !source.interface.procedures.is_empty(),
            carriers: Carriers::default(),
            inputs: [None; 16],
            thread: None,
            depth: 0,
            open: Vec::new(),
            counting: Vec::new(),
            procedure: Some(None),
            not_finite: Vec::new(),
            stores: Vec::new(),
        };
        // Evaluated at the top of the function, so that every block can use them.
        for data in ir.values.values() {
            if let Def::Op(Op::Const(bits)) = data.def {
                let bits = bits.iter().take(usize::from(data.ty.lanes));
                bits.filter(|&&bits| !is_finite(data.ty.kind, bits)).for_each(|&bits| {
                    builder.not_finite(bits);
                });
            }
        }
        builder
    }

    /// Returns the expression of an infinity or a NaN. Constant expressions of WGSL must not yield
    /// these, which Tint enforces and naga does not (drivers.md#naga-nan), so the bits come from a
    /// variable.
    fn not_finite(&mut self, bits: u32) -> Expr {
        if let Some(&(_, expr)) = self.not_finite.iter().find(|(known, _)| *known == bits) {
            return expr;
        }
        const NEGATIVE_INFINITY: u32 = SIGN | INFINITY;
        let (name, variable) = match bits {
            INFINITY => ("infinity", "infinity_bits"),
            NEGATIVE_INFINITY => ("negative_infinity", "negative_infinity_bits"),
            _ => ("not_a_number", "not_a_number_bits"),
        };
        let [name, variable] = [name, variable].map(|name| self.draft.titled("", name));
        let variable = self.draft.variable(variable, Type::U32, Some(bits));
        let load = self.draft.add(Form::Variable(variable), Type::U32, &[], PLAIN);
        self.draft.add(Form::Unary(Unary::FromBits), Type::F32, &[load], name);
        let expr = self.draft.nodes.len() as Expr - 1;
        self.not_finite.push((bits, expr));
        expr
    }

    /// Records the view of a value.
    pub fn set(&mut self, value: Value, view: View) {
        if let (Some(place), Some(data)) =
            (self.draft.views.get_mut(value.0 as usize), self.ir.values.get(value))
        {
            *place = Some(Operand { view, ty: data.ty });
        }
    }

    /// Returns the carriers of a list.
    pub fn carriers_of(&mut self, list: ValueList) -> Vec<Carrier> {
        self.carriers.assign(self.ir, self.draft, list)
    }

    /// Stores values in their carriers, in parallel.
    pub fn store(&mut self, carriers: &[Carrier], values: &[Value]) {
        // Values are looked up before the first store, which makes the stores parallel.
        let mut stores = std::mem::take(&mut self.stores);
        for (&carrier, &value) in carriers.iter().zip(values) {
            if !self.carriers.holds(carrier, value) {
                stores.push((carrier, value, self.value(value)));
            }
        }
        for (carrier, content, value) in stores.drain(..) {
            let variable = self.carriers.stored(carrier, content);
            self.draft.lines.push(Line::Store { variable, value });
        }
        self.stores = stores;
    }

    /// Loads values from their carriers.
    pub fn load(&mut self, carriers: &[Carrier], values: &[Value]) {
        for (&carrier, &value) in carriers.iter().zip(values) {
            let variable = self.carriers.loaded(carrier, value);
            self.load_from(variable, value);
        }
    }

    /// Loads a value from a variable.
    pub fn load_from(&mut self, variable: Variable, value: Value) {
        let data = self.ir.values[value];
        let load = self.draft.add(Form::Variable(variable), data.ty, &[], Label::Hint(data.hint));
        self.set(value, load.view);
    }

    /// Returns a value, whose constants may be infinite or NaN. One that is not defined before is a
    /// fault of the draft.
    pub fn view(&mut self, value: Value) -> Operand {
        match self.draft.views.get(value.0 as usize) {
            Some(&Some(operand)) => operand,
            _undefined => self.fault(|| defect(format!("{value} is used before it is defined"))),
        }
    }

    #[cold]
    fn fault(&mut self, fault: impl FnOnce() -> Error) -> Operand {
        self.draft.fault.get_or_insert_with(fault);
        Operand::int(0)
    }

    /// Returns a value as an operand.
    #[inline]
    pub fn value(&mut self, value: Value) -> Operand {
        let operand = self.view(value);
        match operand.view {
            View::NotFinite(number) => self.written(number, operand.ty),
            _writable => operand,
        }
    }

    /// Returns constants without a literal as an expression.
    fn written(&mut self, number: u32, ty: Type) -> Operand {
        let lanes = self.draft.constants[number as usize];
        let lanes = lanes.map(View::Const).map(|lane| self.writable(ty.kind, lane));
        Operand { view: self.collected(ty, lanes, PLAIN), ty }
    }

    /// Returns a scalar view; constants without a literal become expressions.
    fn writable(&mut self, kind: ScalarKind, lane: View) -> View {
        match lane {
            View::Const(bits) if !is_finite(kind, bits) => View::Whole(self.not_finite(bits)),
            _writable => lane,
        }
    }

    /// Returns the result of a shuffle of this type.
    pub fn shuffle(&mut self, ty: Type, lanes: [Lane; 4], label: Label) -> View {
        let used = usize::from(ty.lanes.clamp(1, 4));
        let Operand { view: of, ty: Type { lanes: count, .. } } = self.view(lanes[0].value());
        let is_one = |lane: &Lane| lane.value() == lanes[0].value() && lane.index() < count;
        // Most take lanes of one vector.
        if let (View::Whole(expr), 2.., true) = (of, count, lanes[..used].iter().all(is_one)) {
            let views = lanes.map(|lane| View::Lanes(expr, Pattern::repeated(lane.index())));
            return self.selection(expr, &views[..used]);
        }
        let mut views = [View::Const(0); 4];
        for (view, &lane) in views.iter_mut().zip(&lanes[..used]) {
            *view = self.lane(lane);
        }
        self.collected(ty, views, label)
    }

    /// Returns as many lanes of a vector as a type has.
    pub fn first_lanes(&mut self, value: Operand, ty: Type) -> Operand {
        if value.ty == ty {
            return value;
        }
        let mut lanes = [View::Const(0); 4];
        for (index, lane) in (0..ty.lanes).zip(&mut lanes) {
            *lane = self.draft.lane(value, index).view;
        }
        Operand { view: self.collected(ty, lanes, PLAIN), ty }
    }

    /// Returns a lane of a value as a scalar.
    fn lane(&mut self, lane: Lane) -> View {
        let mut operand = self.view(lane.value());
        if lane.index() >= operand.ty.lanes {
            operand = self.fault(|| defect(format!("{lane} does not exist")));
        }
        let is_scalar = operand.ty.lanes == 1 && !matches!(operand.view, View::NotFinite(_));
        let scalar = if is_scalar { operand } else { self.draft.lane(operand, lane.index()) };
        match scalar.view {
            View::Not(..) => self.draft.add(Form::Build, Type::BOOL, &[scalar], PLAIN).view,
            view => self.writable(operand.ty.kind, view),
        }
    }

    /// Returns the vector of these scalars, one for each lane of the type: a view of one
    /// expression, or a new one.
    fn collected(&mut self, ty: Type, scalars: [View; 4], label: Label) -> View {
        let used = &scalars[..usize::from(ty.lanes.clamp(1, 4))];
        let is_run = |first| used.iter().all(|&lane| base(lane) == Some(first));
        match used[0] {
            View::Whole(expr) if used.iter().all(|&lane| lane == used[0]) => match used.len() {
                1 => View::Whole(expr),
                _ => View::Splat(expr),
            },
            View::Lanes(expr, _) if is_run(expr) => self.selection(expr, used),
            View::Const(_) if used.iter().all(|lane| lane.expr().is_none()) => {
                let bits = scalars.map(|lane| if let View::Const(bits) = lane { bits } else { 0 });
                self.draft.constant(ty, bits)
            }
            _several => self.build(ty, used, label),
        }
    }

    /// Returns lanes of a vector; the vector itself for all its lanes in order.
    fn selection(&self, expr: Expr, lanes: &[View]) -> View {
        const IN_ORDER: Pattern = Pattern(0b1110_0100);
        let mut pattern = Pattern(0);
        for (place, lane) in lanes.iter().enumerate() {
            if let View::Lanes(_, lane) = *lane {
                pattern.0 |= lane.lane(0) << (2 * place);
            }
        }
        let count = lanes.len() as u8; // Range: at most four.
        let is_whole = self.draft.node(expr).ty.lanes == count && pattern.begins(IN_ORDER, count);
        if is_whole { View::Whole(expr) } else { View::Lanes(expr, pattern) }
    }

    /// Builds a vector of runs of lanes, scalars and constants.
    fn build(&mut self, ty: Type, scalars: &[View], label: Label) -> View {
        let runs = scalars.chunk_by(|&a, &b| base(a).is_some() && base(a) == base(b));
        // Adjacent lanes of one vector are one part: `vec4f(a.xyz, 1.0)`.
        let parts = runs.map(|run| {
            let view = base(run[0]).map_or(run[0], |expr| self.selection(expr, run));
            Operand { view, ty: ty.with_lanes(run.len() as u8) }
        });
        let mut operands = [Operand { view: View::Whole(0), ty }; 4];
        let count = operands.iter_mut().zip(parts).map(|(operand, part)| *operand = part).count();
        self.draft.add(Form::Build, ty, &operands[..count], label).view
    }

    /// Returns the scalar in all lanes of a value, if it is known that they are equal.
    pub fn repeated(&mut self, value: Value) -> Option<Operand> {
        let Operand { view, ty } = self.view(value);
        let scalar = ty.with_lanes(1);
        let view = match view {
            View::Splat(expr) => View::Whole(expr),
            View::Lanes(_, pattern) if pattern.begins(Pattern::repeated(pattern.lane(0)), ty.lanes) => view,
            View::Const(_) => view,
            View::NotFinite(number) => {
                let bits = self.draft.constants[number as usize];
                let is_one = bits[..usize::from(ty.lanes.min(4))].iter().all(|&lane| lane == bits[0]);
                return is_one.then(|| self.written(number, scalar));
            }
            View::Whole(_) | View::Lanes(..) | View::Not(..) | View::Consts(_) => return None,
        };
        Some(Operand { view, ty: scalar })
    }
}

/// Returns the result of an operation on integers that is a constant or one of its operands:
/// `0 + 1`, `a + 0`, `a * 1`.
pub fn known(op: Binary, operands: [Operand; 2]) -> Option<Operand> {
    let [a, b] = operands;
    match (op, a.scalar(), b.scalar()) {
        (Binary::IAdd | Binary::ISub | Binary::IMul, Some(left), Some(right)) => {
            let bits = scalar::fold_binary(op, Precision::Exact, left, right)?;
            Some(Operand { view: View::Const(bits), ty: a.ty })
        }
        (Binary::IAdd | Binary::ISub, None, Some(0)) | (Binary::IMul, None, Some(1)) => Some(a),
        (Binary::IAdd, Some(0), None) | (Binary::IMul, Some(1), None) => Some(b),
        _other => None,
    }
}

/// Returns the vector of which a scalar is a lane.
const fn base(scalar: View) -> Option<Expr> {
    if let View::Lanes(expr, _) = scalar { Some(expr) } else { None }
}
