//! Two functions compute the same: walks both side by side, construct by construct.
//! In: two modules, such as one before and after a pass, and which registers of both are one. Out:
//! the claims on which their equality rests, or where they part. Choices without exits become
//! symbols; what is left of constructs must correspond one to one. Loop parameters count as equal
//! as long as every iteration keeps them so.

use std::collections::{HashMap, HashSet};
use std::mem;

use crate::ir::{
    Array, Binary, Exit, Func, Item, Module, Node, NodeData, Op, Region, Resource, ScalarKind, Shape, Type,
    Unary, Value, ValueList,
};
use transpica::Precision;

use crate::equal::matching::Registers;
use crate::equal::symbols::{Head, Symbol, Symbols};
use crate::equal::term::{Term, Terms};

/// Lanes of a list of values, one after the other.
type Lanes = Vec<Symbol>;
/// The same of both functions.
type Both = [Lanes; 2];

/// Most rounds over a loop.
const ROUNDS: usize = 100;

/// Most items of both functions that a walk visits, those of loops once in each round.
const MOST_ITEMS: usize = 1 << 22;

/// Walks over two modules of one input side by side. The second may have members for registers.
///
/// # Errors
/// The place where the modules diverge.
pub fn compare(modules: [&Module; 2], precision: Precision, signs: bool) -> Result<Symbols, String> {
    compare_related(modules, Symbols::new(precision, signs), &Registers::default(), None)
}

/// As [`compare`], with registers of the second module that stand for others of the first. Of the
/// outputs, only pairs of lanes in a list must be equal; without one, all.
///
/// # Errors
/// As for [`compare`], and relative reads of registers that stand for others.
pub fn compare_related(
    modules: [&Module; 2],
    symbols: Symbols,
    registers: &Registers,
    lanes: Option<&[[usize; 2]]>,
) -> Result<Symbols, String> {
    let mut walk = Walk { registers: *registers, ..Walk::new(modules, symbols) };
    let body = |module: &Module| module.main.body.ok_or("a function without a body");
    let outputs = walk.pair([body(modules[0])?, body(modules[1])?])?;
    match (outputs, lanes) {
        (None, _) => {}
        (Some([before, after]), None) if before.len() == after.len() => {
            for (a, b) in before.into_iter().zip(after) {
                walk.require([a, b], "an output")?;
            }
        }
        (Some([before, after]), None) => {
            return Err(format!("{} outputs before, {} after", before.len(), after.len()));
        }
        (Some([before, after]), Some(lanes)) => {
            for &[a, b] in lanes {
                let pair = before.get(a).zip(after.get(b)).ok_or("an output without a value")?;
                walk.require([*pair.0, *pair.1], "an output")?;
            }
        }
    }
    let mut symbols = walk.symbols;
    symbols.claims.append(&mut walk.required);
    Ok(symbols)
}

/// The terms of a function's results, lane by lane. Its parameters are variables from number 0 on.
///
/// # Errors
/// A construct other than a choice, or something that has no term.
pub fn results(t: &Terms, module: &Module, precision: Precision) -> Result<Vec<Term>, String> {
    let (symbols, results) = alone(module, precision, false)?;
    let terms = symbols.terms(t)?;
    Ok(results.iter().map(|result| terms[result]).collect())
}

/// The symbols of one function and its results. Its parameters are the first ones. Functions that
/// are enumerated are operations, unless they are opened.
///
/// # Errors
/// A construct other than a choice.
pub fn alone(
    module: &Module,
    precision: Precision,
    opens_all: bool,
) -> Result<(Symbols, Vec<Symbol>), String> {
    let mut walk = Walk { opens_all, ..Walk::new([module; 2], Symbols::plain(precision)) };
    let f = &module.main;
    let types = f.get(f.params).iter().map(|&value| f.ty(value));
    let kinds = types.flat_map(|ty| (0..ty.lanes).map(move |_| ty.kind));
    let parameters: Lanes = kinds.map(|kind| walk.symbols.free(kind)).collect();
    walk.bind(0, f.params, &parameters);
    let results = walk.arm(0, f.body.ok_or("a function without a body")?)?;
    Ok((walk.symbols, results))
}

/// A loop, block or switch that the walk is in, with what its exits give.
#[derive(Default)]
struct Target {
    is_loop: bool,
    breaks: Vec<Both>,
    continues: Vec<Both>,
}

/// A region that the walk of one function is in, and the results of its end.
struct Frame {
    region: Region,
    next: usize,
    results: Option<ValueList>,
}

enum Step {
    Construct(Node),
    Exit(Exit),
}

struct Walk<'a> {
    symbols: Symbols,
    modules: [&'a Module; 2],
    /// Functions that are being walked, each called by the one before, and their values.
    scopes: [Vec<(&'a Func, HashMap<Value, Lanes>)>; 2],
    targets: Vec<Target>,
    /// Conditions and outputs that must be equal.
    required: Vec<[Symbol; 2]>,
    /// Walks through functions that are enumerated, too.
    opens_all: bool,
    /// Registers of the first function for those of the second.
    registers: Registers,
    /// Items that may still be visited.
    left: usize,
}

/// Returns the operation that a helper function is, if its body is compared for all numbers
/// (`enumerate.rs`) instead of by solvers.
fn enumerated(helper: &str) -> Option<Unary> {
    let name = ["_vec2f", "_vec3f", "_vec4f"].iter().fold(helper, |name, end| name.trim_end_matches(end));
    Some(match name {
        "pica_rcp" | "pica_rcp_any" => Unary::RcpP,
        "pica_rsq" => Unary::RsqP,
        "pica_exp_two" => Unary::Exp2P,
        "pica_log_two" => Unary::Log2P,
        "pica_floor" => Unary::Floor,
        _other => return None,
    })
}

impl<'a> Walk<'a> {
    fn new(modules: [&'a Module; 2], symbols: Symbols) -> Self {
        let scopes = modules.map(|module| vec![(&module.main, HashMap::new())]);
        let (targets, required, registers) = (Vec::new(), Vec::new(), Registers::default());
        Self { symbols, modules, scopes, targets, required, opens_all: false, registers, left: MOST_ITEMS }
    }

    fn f(&self, side: usize) -> &'a Func {
        self.scopes[side].last().map_or(&self.modules[side].main, |scope| scope.0)
    }

    fn scope(&mut self, side: usize) -> &mut HashMap<Value, Lanes> {
        &mut self.scopes[side].last_mut().unwrap_or_else(|| unreachable!("main has a scope")).1
    }

    fn value(&self, side: usize, value: Value) -> &[Symbol] {
        self.scopes[side].last().and_then(|scope| scope.1.get(&value)).map_or(&[], Vec::as_slice)
    }

    fn lanes(&self, side: usize, list: ValueList) -> Lanes {
        self.f(side).get(list).iter().flat_map(|&value| self.value(side, value)).copied().collect()
    }

    fn bind(&mut self, side: usize, list: ValueList, lanes: &[Symbol]) {
        let (f, mut next) = (self.f(side), 0);
        for &value in f.get(list) {
            let end = next + usize::from(f.ty(value).lanes);
            self.scope(side).insert(value, lanes[next..end].to_vec());
            next = end;
        }
    }

    fn require(&mut self, pair: [Symbol; 2], what: &str) -> Result<(), String> {
        if pair[0] != pair[1] {
            if !self.symbols.agree(pair[0], pair[1]) {
                return Err(format!("{what} has another form"));
            }
            self.required.push(pair);
        }
        Ok(())
    }

    /// Goes on to the next construct or the end of a region.
    fn advance(&mut self, side: usize, frames: &mut Vec<Frame>) -> Result<Step, String> {
        let f = self.f(side);
        while let Some(frame) = frames.last_mut() {
            let data = &f.regions[frame.region];
            let item = data.items.get(frame.next).copied();
            frame.next += 1;
            self.left = self.left.checked_sub(1).ok_or("more operations than are compared")?;
            match item {
                Some(Item::Let(value)) => {
                    let op = f.op(value).ok_or("a value without an operation")?;
                    let lanes = self.operation(side, f.ty(value), op)?;
                    self.scope(side).insert(value, lanes);
                }
                Some(Item::Node(node)) => {
                    let NodeData::If { cond, then, otherwise, results } = f.nodes[node] else {
                        return Ok(Step::Construct(node));
                    };
                    let cond = self.value(side, cond)[0];
                    if let Some(bits) = self.symbols.constant(cond) {
                        let region = if bits == 0 { otherwise } else { then };
                        frames.push(Frame { region, next: 0, results: Some(results) });
                    } else if is_choice(f, node) {
                        let arms = [self.arm(side, then)?, self.arm(side, otherwise)?];
                        let lanes = self.choose(side, cond, &arms);
                        self.bind(side, results, &lanes);
                    } else {
                        return Ok(Step::Construct(node));
                    }
                }
                None => match (data.exit, frame.results) {
                    (Exit::Yield(list), Some(results)) => {
                        let lanes = self.lanes(side, list);
                        self.bind(side, results, &lanes);
                        frames.pop();
                    }
                    (exit, _) => return Ok(Step::Exit(exit)),
                },
            }
        }
        Err("a region without an end".into())
    }

    fn operation(&mut self, side: usize, ty: Type, op: Op) -> Result<Lanes, String> {
        let (kind, count) = (ty.kind, usize::from(ty.lanes));
        let operands = |value: Value| self.value(side, value).to_vec();
        let lane = |list: Lanes, lane: usize| list[lane.min(list.len() - 1)];
        let rows: Vec<(Head, Lanes)> = match op {
            Op::Const(bits) => bits[..count].iter().map(|&bits| (Head::Const(bits), Vec::new())).collect(),
            Op::Shuffle(lanes) => {
                return Ok(lanes[..count]
                    .iter()
                    .map(|lane| self.value(side, lane.value())[usize::from(lane.index())])
                    .collect());
            }
            Op::Read(resource) => {
                let resource = if side == 1 { self.registers.first(resource) } else { resource };
                if let Resource::BoolUniform(register) = resource {
                    return Ok(vec![self.bit(side, register)]);
                }
                (0..count as u8).map(|lane| (read(resource, lane), Vec::new())).collect()
            }
            Op::ReadAt(Array::Uniform(base), index) => {
                if self.registers.floats != Registers::default().floats {
                    return Err("a relative read of uniforms that have other registers".into());
                }
                return Ok(self.relative(side, base, self.value(side, index)[0]));
            }
            Op::ReadAt(array, index) => {
                (0..count as u8).map(|lane| (Head::ReadAt(array, lane), operands(index))).collect()
            }
            Op::Submit { args } => vec![(Head::Submit, self.lanes(side, args))],
            Op::Unary(op, a) => operands(a).into_iter().map(|a| (Head::Unary(op), vec![a])).collect(),
            Op::Binary(op, a, b) if op.shape() == Shape::Dot => {
                vec![(Head::Binary(op), [operands(a), operands(b)].concat())]
            }
            Op::Binary(op, a, b) => (0..count)
                .map(|n| (Head::Binary(op), vec![lane(operands(a), n), lane(operands(b), n)]))
                .collect(),
            Op::Select { cond, a, b } => (0..count)
                .map(|n| (Head::Select, [cond, a, b].map(|value| lane(operands(value), n)).to_vec()))
                .collect(),
            Op::Call { helper, args } => return self.call(side, usize::from(helper), args),
        };
        Ok(rows.into_iter().map(|(head, operands)| self.symbols.add(side, head, kind, operands)).collect())
    }

    fn call(&mut self, side: usize, helper: usize, args: ValueList) -> Result<Lanes, String> {
        let lanes = self.lanes(side, args);
        let helper: &'a Func = &self.modules[side].helpers[helper];
        if let Some(op) = enumerated(&helper.name).filter(|_| !self.opens_all) {
            let of = |&a: &Symbol| self.symbols.add(side, Head::Unary(op), ScalarKind::F32, vec![a]);
            return Ok(lanes.iter().map(of).collect());
        }
        self.scopes[side].push((helper, HashMap::new()));
        self.bind(side, helper.params, &lanes);
        let result = self.arm(side, helper.body.ok_or("a helper without a body")?);
        self.scopes[side].pop();
        result
    }

    /// A bool uniform, as a bit of their word.
    fn bit(&mut self, side: usize, register: u8) -> Symbol {
        let mut add = |head, kind, operands| self.symbols.add(side, head, kind, operands);
        let word = add(read(Resource::Member { member: 2, element: 0 }, 0), ScalarKind::U32, vec![]);
        let mask = add(Head::Const(1 << register), ScalarKind::U32, vec![]);
        let bit = add(Head::Binary(Binary::BitAnd), ScalarKind::U32, vec![word, mask]);
        let none = add(Head::Const(0), ScalarKind::U32, vec![]);
        let clear = add(Head::Binary(Binary::UEqual), ScalarKind::Bool, vec![bit, none]);
        add(Head::Unary(Unary::Not), ScalarKind::Bool, vec![clear])
    }

    /// A relative read as the reference has it: offsets beyond a signed byte are 0, the sum wraps
    /// at 128, registers from c96 on are ones.
    fn relative(&mut self, side: usize, base: u8, offset: Symbol) -> Lanes {
        let mut add = |head, kind, operands| self.symbols.add(side, head, kind, operands);
        let mut int = |number: i32| add(Head::Const(number.cast_unsigned()), ScalarKind::I32, vec![]);
        let [low, high, zero, base, wrap, end] = [-129, 128, 0, i32::from(base), 127, 96].map(&mut int);
        let (less, int) = (Head::Binary(Binary::ILess), ScalarKind::I32);
        let above = add(less, ScalarKind::Bool, vec![low, offset]);
        let below = add(less, ScalarKind::Bool, vec![offset, high]);
        let is_byte = add(Head::Binary(Binary::And), ScalarKind::Bool, vec![above, below]);
        let byte = add(Head::Select, int, vec![is_byte, offset, zero]);
        let sum = add(Head::Binary(Binary::IAdd), int, vec![byte, base]);
        let index = add(Head::Binary(Binary::IAnd), int, vec![sum, wrap]);
        let exists = add(less, ScalarKind::Bool, vec![index, end]);
        let one = add(Head::Const(1f32.to_bits()), ScalarKind::F32, vec![]);
        // What a register that does not exist would be is not looked at.
        let last = add(Head::Const(95), int, vec![]);
        let index = add(Head::Select, int, vec![exists, index, last]);
        let element = |lane| Head::ReadAt(Array::Member(0), lane);
        let lanes = [0, 1, 2, 3].map(|lane| {
            let read = add(element(lane), ScalarKind::F32, vec![index]);
            add(Head::Select, ScalarKind::F32, vec![exists, read, one])
        });
        lanes.to_vec()
    }

    /// The values that an arm yields whose only constructs are choices.
    fn arm(&mut self, side: usize, region: Region) -> Result<Lanes, String> {
        match self.advance(side, &mut vec![Frame { region, next: 0, results: None }])? {
            Step::Exit(exit) => Ok(self.lanes(side, exit.list())),
            Step::Construct(_) => Err("a choice with a construct".into()),
        }
    }

    fn choose(&mut self, side: usize, cond: Symbol, arms: &Both) -> Lanes {
        let pairs = arms[0].iter().zip(&arms[1]);
        pairs
            .map(|(&a, &b)| {
                let kind = self.symbols.kind(a);
                self.symbols.add(side, Head::Select, kind, vec![cond, a, b])
            })
            .collect()
    }

    /// Walks two regions and returns the values that they yield, or `None` if they yield none.
    fn pair(&mut self, regions: [Region; 2]) -> Result<Option<Both>, String> {
        let mut frames = regions.map(|region| vec![Frame { region, next: 0, results: None }]);
        loop {
            let [first, second] = &mut frames;
            match [self.advance(0, first)?, self.advance(1, second)?] {
                [Step::Construct(a), Step::Construct(b)] => self.construct([a, b])?,
                [Step::Exit(a), Step::Exit(b)] => return self.exit([a, b]),
                [Step::Construct(_), Step::Exit(_)] => return Err("a construct before, none after".into()),
                [Step::Exit(_), Step::Construct(_)] => return Err("no construct before, one after".into()),
            }
        }
    }

    fn exit(&mut self, exits: [Exit; 2]) -> Result<Option<Both>, String> {
        let both = [self.lanes(0, exits[0].list()), self.lanes(1, exits[1].list())];
        match exits {
            [Exit::Unreachable, _] => {}
            [Exit::Yield(_), Exit::Yield(_)] => return Ok(Some(both)),
            [Exit::Break(_), Exit::Break(_)] => {
                self.targets.last_mut().ok_or("a break out of nothing")?.breaks.push(both);
            }
            [Exit::Continue(_), Exit::Continue(_)] => {
                let target = self.targets.iter_mut().rev().find(|target| target.is_loop);
                target.ok_or("an iteration of nothing")?.continues.push(both);
            }
            _ => return Err("exits of different kinds".into()),
        }
        Ok(None)
    }

    fn construct(&mut self, nodes: [Node; 2]) -> Result<(), String> {
        let [before, after] = [0, 1].map(|side| &self.f(side).nodes[nodes[side]]);
        let results = [before.results(), after.results()];
        match (before, after) {
            (
                &NodeData::If { cond: a, then: x, otherwise: first, .. },
                &NodeData::If { cond: b, then: y, otherwise: second, .. },
            ) => self.choice([a, b], [x, y], [first, second], results)?,
            (
                &NodeData::Loop { params: a, inits: x, body: first, .. },
                &NodeData::Loop { params: b, inits: y, body: second, .. },
            ) => self.iterate([a, b], [x, y], [first, second], results)?,
            (&NodeData::Block { body: a, .. }, &NodeData::Block { body: b, .. }) => {
                self.targets.push(Target::default());
                let yielded = self.pair([a, b])?;
                self.leave(yielded.into_iter().collect(), results);
            }
            (
                NodeData::Switch { selector: a, cases: first, default: x, .. },
                NodeData::Switch { selector: b, cases: second, default: y, .. },
            ) => {
                self.require([self.value(0, *a)[0], self.value(1, *b)[0]], "a selector")?;
                if !first.iter().map(|case| &case.0).eq(second.iter().map(|case| &case.0)) {
                    return Err("a switch with other cases".into());
                }
                self.targets.push(Target::default());
                let mut yielded = Vec::new();
                for (a, b) in first.iter().zip(second).map(|(a, b)| (a.1, b.1)).chain([(*x, *y)]) {
                    yielded.extend(self.pair([a, b])?);
                }
                self.leave(yielded, results);
            }
            _ => return Err("constructs of different kinds".into()),
        }
        Ok(())
    }

    /// The results of a block or switch.
    fn leave(&mut self, mut outcomes: Vec<Both>, results: [ValueList; 2]) {
        outcomes.extend(self.targets.pop().unwrap_or_default().breaks);
        self.join(&outcomes, results, u32::MAX);
    }

    /// Results of a construct with several ends. Results that are equal at every end are one
    /// symbol: the symbol of the ends if it is older than a free one.
    fn join(&mut self, outcomes: &[Both], results: [ValueList; 2], free: u32) {
        let mut known: HashMap<Lanes, Symbol> = HashMap::new();
        for side in [0, 1] {
            let count = outcomes.first().map_or(0, |outcome| outcome[side].len());
            let mut lanes = Vec::new();
            for lane in 0..count {
                let ends: Lanes = outcomes.iter().map(|outcome| outcome[side][lane]).collect();
                let is_one = ends.iter().all(|&end| end == ends[0]) && self.symbols.is_older(ends[0], free);
                let kind = self.symbols.kind(ends[0]);
                lanes.push(if is_one {
                    ends[0]
                } else {
                    *known.entry(ends).or_insert_with(|| self.symbols.free(kind))
                });
            }
            if count > 0 {
                self.bind(side, results[side], &lanes);
            }
        }
    }

    fn choice(
        &mut self,
        conds: [Value; 2],
        mut then: [Region; 2],
        mut otherwise: [Region; 2],
        results: [ValueList; 2],
    ) -> Result<(), String> {
        let [a, mut b] = [0, 1].map(|side| self.value(side, conds[side])[0]);
        if a != b && !self.symbols.agree(a, b) {
            b = self.symbols.add(1, Head::Unary(Unary::Not), ScalarKind::Bool, vec![b]);
            mem::swap(&mut then[1], &mut otherwise[1]);
        }
        self.require([a, b], "a condition")?;
        let both = match (self.pair(then)?, self.pair(otherwise)?) {
            (Some([x, y]), Some([z, w])) => [self.choose(0, a, &[x, z]), self.choose(1, a, &[y, w])],
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => return Ok(()),
        };
        [0, 1].into_iter().for_each(|side| self.bind(side, results[side], &both[side]));
        Ok(())
    }

    fn iterate(
        &mut self,
        params: [ValueList; 2],
        inits: [ValueList; 2],
        bodies: [Region; 2],
        results: [ValueList; 2],
    ) -> Result<(), String> {
        let inits = [self.lanes(0, inits[0]), self.lanes(1, inits[1])];
        let (mut assumed, first, required) = (inits.clone(), self.symbols.next_free, self.required.len());
        let mut own = HashSet::new();
        for _ in 0..ROUNDS {
            [0, 1].into_iter().for_each(|side| self.bind(side, params[side], &assumed[side]));
            self.targets.push(Target { is_loop: true, ..Target::default() });
            self.pair(bodies)?;
            let target = self.targets.pop().unwrap_or_default();
            let next = self.refine(&assumed, &inits, &target.continues, &mut own);
            if next == assumed {
                self.join(&target.breaks, results, first);
                return Ok(());
            }
            assumed = next;
            self.required.truncate(required);
        }
        Err("a loop with too many kinds of parameters".into())
    }

    /// Splits parameters that were assumed to equal each other, or their first values.
    fn refine(&mut self, assumed: &Both, inits: &Both, ends: &[Both], own: &mut HashSet<Symbol>) -> Both {
        let key = |side: usize, lane: usize| {
            let mut key = vec![assumed[side][lane], inits[side][lane]];
            key.extend(ends.iter().map(|end| end[side][lane]));
            key
        };
        let mut kinds: HashMap<Symbol, HashSet<Lanes>> = HashMap::new();
        for side in [0, 1] {
            for (lane, &old) in assumed[side].iter().enumerate() {
                kinds.entry(old).or_default().insert(key(side, lane));
            }
        }
        let mut known: HashMap<Lanes, Symbol> = HashMap::new();
        let mut next = assumed.clone();
        for side in [0, 1] {
            for (lane, &old) in assumed[side].iter().enumerate() {
                let key = key(side, lane);
                let is_kept = key.iter().all(|&end| end == old);
                if !(is_kept || own.contains(&old) && kinds[&old].len() == 1) {
                    let kind = self.symbols.kind(old);
                    let new = *known.entry(key).or_insert_with(|| self.symbols.free(kind));
                    own.insert(new);
                    next[side][lane] = new;
                }
            }
        }
        next
    }
}

/// The symbol of a read lane, registers for the members of a block that has all of them.
fn read(resource: Resource, lane: u8) -> Head {
    match resource {
        Resource::Member { member: 0, element } => Head::Read(Resource::Uniform(element as u8), lane),
        Resource::Index { element, .. } => Head::Const(element.into()),
        Resource::Member { member: 1, element } => {
            Head::Read(Resource::IntUniform { index: element as u8, component: lane }, 0)
        }
        _own => Head::Read(resource, lane),
    }
}

/// Returns whether a construct is a choice between operations and such choices.
fn is_choice(f: &Func, node: Node) -> bool {
    let NodeData::If { then, otherwise, .. } = f.nodes[node] else { return false };
    [then, otherwise].into_iter().all(|arm| {
        let data = &f.regions[arm];
        matches!(data.exit, Exit::Yield(_))
            && data.items.iter().all(|item| match *item {
                Item::Let(_) => true,
                Item::Node(inner) => is_choice(f, inner),
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use transpica_proof::ir::parse;

    /// Claims about two functions of the input registers, in PICA200 arithmetic.
    fn claims(bodies: [&str; 2]) -> Result<usize, String> {
        let modules = bodies.map(|body| parse(&format!("func main {{ {body} }}")).expect("a function"));
        let symbols = compare([&modules[0], &modules[1]], Precision::Exact, true)?;
        Ok(symbols.claims.len())
    }

    const READS: &str = "%0: f32x4 = input v0 %1: f32 = shuffle %0.x %2: f32 = shuffle %0.y %3: i32 = uniform i0.x \
                         %4: i32 = const 1 %5: bool = less %1 %2";

    #[test]
    fn loops_are_equal_without_copies_dead_parameters_and_what_stays() {
        let before = format!(
            "{READS} loop (%6: f32 = %1, %7: f32 = %1, %8: f32 = %2, %9: i32 = %3, %16: f32 = %2) {{
               %10: f32 = addp %6 %8 %11: f32 = addp %8 %7 %12: i32 = isub %9 %4 %13: bool = igreater %12 %4
               if %13 {{ break %10, %11 }} %17: f32 = mulp %16 %10 continue %10, %11, %8, %12, %17 }}
             -> %14: f32, %15: f32 %18: f32 = mulp %14 %15 yield %18"
        );
        let after = format!(
            "{READS} loop (%6: f32 = %1, %9: i32 = %3) {{
               %10: f32 = addp %2 %6 %12: i32 = isub %9 %4 %13: bool = igreater %12 %4
               if %13 {{ break %10 }} continue %10, %12 }}
             -> %14: f32 %18: f32 = mulp %14 %14 yield %18"
        );
        assert_eq!(claims([&before, &after]), Ok(0));
        let wrong = after.replace("addp %2 %6", "addp %1 %6");
        assert!(claims([&before, &wrong]).is_err(), "another sum");
        let wrong = after.replace("%18: f32 = mulp %14 %14", "%18: f32 = mulp %14 %2");
        assert!(claims([&before, &wrong]).is_err(), "another result");
        let wrong = after.replace("continue %10, %12", "continue %10, %9");
        assert!(claims([&before, &wrong]).is_err(), "no count");
    }

    #[test]
    fn choices_are_equal_exchanged_and_without_the_construct() {
        let before = format!("{READS} if %5 {{ yield %1 }} else {{ yield %2 }} -> %6: f32 yield %6");
        let after = format!("{READS} %6: f32 = select %5 %1 %2 yield %6");
        assert_eq!(claims([&before, &after]), Ok(0));
        let exchanged = format!("{READS} %7: bool = not %5 %6: f32 = select %7 %2 %1 yield %6");
        assert_eq!(claims([&before, &exchanged]), Ok(1));
        let wrong = format!("{READS} %6: f32 = select %5 %2 %1 yield %6");
        assert_eq!(claims([&before, &wrong]), Err("an output has another form".into()));
    }

    #[test]
    fn results_that_only_samples_find_equal_are_a_claim() {
        // No sample is 77777.
        let before = format!("{READS} yield %1");
        let after = format!(
            "{READS} %6: f32 = const 77777 %7: bool = equal %1 %6 %8: f32 = select %7 %2 %1 yield %8"
        );
        assert_eq!(claims([&before, &after]), Ok(1));
    }
}
