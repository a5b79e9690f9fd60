//! Selection of machine operations for the values of a function.
//! In: a function of the `Pica` stage. Out: [`Code`] in which each instruction obeys the rules for
//! operands: one uniform, in the wide source; one input; one sign for an operand.
//! `flow.rs` has constructs, `tests.rs` of conditions. Knows no temporary register.

use crate::ir::{
    Array, Binary, Buffer, Def, Func, HintRegister, Lane, Op, Resource, ScalarKind, Unary, Value,
};
use transpica::isa::{CompareOp, DataOp, Index, Pc};

use super::code::{Code, Home, Inst, Lanes, Source, Step, Target, Var, grouped, lanes};
use super::error::{Error, Place};
use super::flow::Strategy;
use super::fuse::{Fusion, Fusions};
use super::uses::Uses;

/// A lane of a value, as its operand reads it, before a0 is set for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Root {
    Value(Lane),
    /// A variable of no value.
    Var(Var),
    Input {
        register: u8,
        component: u8,
    },
    Uniform {
        register: u8,
        component: u8,
    },
    /// A uniform, the index of which the program computes.
    Relative {
        base: u8,
        component: u8,
        address: Lane,
        read: Value,
    },
    Const(u32),
    /// 0 or 1 without a constant.
    Computed(u32),
}

/// The word of state that a value is.
fn carried_word(f: &Func, value: Value) -> Option<u32> {
    let Some(Op::Unary(Unary::FromBits, bits)) = f.op(value) else { return None };
    let Some(Op::ReadAt(Array::Buffer(Buffer::State), index)) = f.op(bits) else { return None };
    if let Some(Op::Const([word, ..])) = f.op(index) { Some(word) } else { None }
}

/// The bits of 1.
pub(super) const ONE: u32 = 0x3F80_0000;

/// A root and its sign.
pub(super) type Operand = (Root, bool);

/// Follows a lane through shuffles and negations.
pub(super) fn root(f: &Func, mut lane: Lane) -> Operand {
    let mut negate = false;
    loop {
        let index = lane.index();
        match f.op(lane.value()) {
            Some(Op::Shuffle(lanes)) => lane = lanes[usize::from(index)],
            Some(Op::Unary(Unary::Neg, a)) => {
                negate = !negate;
                lane = Lane::new(a, index);
            }
            Some(Op::Const(bits)) if f.ty(lane.value()).kind == ScalarKind::F32 => {
                let sign = u32::from(negate) << 31;
                return (Root::Const(bits[usize::from(index)] ^ sign), false);
            }
            Some(Op::Read(Resource::Input(register))) => {
                return (Root::Input { register, component: index }, negate);
            }
            Some(Op::Read(Resource::Uniform(register))) => {
                return (Root::Uniform { register, component: index }, negate);
            }
            Some(Op::ReadAt(Array::Uniform(base), address)) => {
                let read = lane.value();
                let mut address = Lane::new(address, 0);
                while let Some(Op::Shuffle(lanes)) = f.op(address.value()) {
                    address = lanes[usize::from(address.index())];
                }
                return (Root::Relative { base, component: index, address, read }, negate);
            }
            _other => return (Root::Value(lane), negate),
        }
    }
}

/// Lanes that were copied to variables, so that later operands can read them there.
type Copied = Vec<(Operand, Operand)>;

/// Selection in progress.
pub(super) struct Select<'a> {
    pub f: &'a Func,
    pub uses: Uses,
    fusions: Fusions,
    pub code: Code,
    /// The variable of each lane.
    vars: Vec<Option<Var>>,
    copied: Vec<Copied>,
    /// Keeps copies of uniforms and inputs for later operands.
    pub reuses: bool,
    /// Computes 0 and 1.
    computes: bool,
    spreads: bool,
    is_exact: bool,
    /// Values that stand for nothing.
    pub undefined: Vec<Value>,
    /// The addresses that a0 holds.
    pub address: [Option<Lane>; 2],
    /// The component of a0 that was set last.
    newest: usize,
    /// The comparisons that the flags hold.
    pub flags: [Option<super::conditions::Comparison>; 2],
    /// The counters of the open loops, innermost last.
    pub counters: Vec<Option<Value>>,
    /// The value that aL has after the last loop.
    pub counted: Option<Value>,
    /// Integers that only the machine holds.
    pub hidden: Vec<Value>,
    /// By value: it exists here.
    pub exists: Vec<bool>,
    /// Place of the instructions that follow.
    pub pc: Option<Pc>,
}

impl<'a> Select<'a> {
    pub fn new(f: &'a Func, undefined: Vec<Value>, carried: &[super::Carried], strategy: Strategy) -> Self {
        let uses = Uses::new(f);
        let fusions = Fusions::new(f, &uses, strategy);
        let (mut code, mut vars) = (Code::default(), vec![None; 4 * f.values.len()]);
        for &(word, spot) in carried {
            let var = code.var(Some(spot));
            code.pins.push((var, spot));
            let reads = f.values.keys().filter(|&value| carried_word(f, value) == Some(word));
            reads.for_each(|value| vars[4 * value.0 as usize] = Some(var));
        }
        Self {
            f,
            uses,
            fusions,
            code,
            vars,
            copied: Vec::new(),
            reuses: strategy.reuses,
            computes: strategy.computes,
            spreads: strategy.spreads,
            is_exact: strategy.is_exact,
            newest: 0,
            undefined,
            address: [None; 2],
            flags: [None; 2],
            counters: Vec::new(),
            counted: None,
            hidden: Vec::new(),
            exists: vec![false; f.values.len()],
            pc: None,
        }
    }

    /// Place of a value in errors.
    pub fn place(&self, value: Value) -> Place {
        Place { pc: self.f.place(value).and_then(|place| place.pc), value: Some(value) }
    }

    /// The variable of a lane.
    pub fn var(&mut self, lane: Lane) -> Var {
        let slot = 4 * lane.value().0 as usize + usize::from(lane.index());
        if let Some(var) = self.vars[slot] {
            return var;
        }
        let hint = self.f.values[lane.value()].hint;
        let component = (0..4u8).filter(|n| hint.mask >> n & 1 != 0).nth(usize::from(lane.index()));
        let register = if let HintRegister::Temp(register) = hint.register { Some(register) } else { None };
        let var = self.code.var(register.zip(component));
        self.vars[slot] = Some(var);
        var
    }

    /// The number of open scopes of copies, for [`leave_copies`](Self::leave_copies).
    pub fn copies(&self) -> usize {
        self.copied.len()
    }
    /// Forgets copies that a region made.
    pub fn leave_copies(&mut self, count: usize) {
        self.copied.truncate(count);
    }

    /// The operand of a lane.
    pub fn operand(&self, value: Value, lane: u8) -> Operand {
        self.resolve(Lane::new(value, lane))
    }

    /// Follows a lane, not through reads that were made before.
    pub fn resolve(&self, lane: Lane) -> Operand {
        match root(self.f, lane) {
            (Root::Relative { component, read, .. }, negate) if self.uses.is_early(read) => {
                (Root::Value(Lane::new(read, component)), negate)
            }
            (Root::Const(bits), _) => self.constant(bits),
            other => other,
        }
    }

    /// A constant as an operand.
    pub fn constant(&self, bits: u32) -> Operand {
        let is_computed = self.computes && matches!(bits, 0 | ONE);
        (if is_computed { Root::Computed(bits) } else { Root::Const(bits) }, false)
    }

    /// Selects the operation of a value.
    pub fn value(&mut self, value: Value) -> Result<(), Error> {
        let Def::Op(op) = self.f.values[value].def else { return Ok(()) };
        if let Op::ReadAt(..) = op
            && self.uses.is_early(value)
        {
            let lanes: Vec<u8> = (0..4).filter(|&n| self.uses.of(Lane::new(value, n)) > 0).collect();
            let operands = lanes.iter().map(|&lane| root(self.f, Lane::new(value, lane))).collect();
            let targets = self.targets(value, &lanes);
            return self.data(DataOp::Mov, targets, vec![operands]);
        }
        let ty = self.f.ty(value);
        let lanes: Vec<u8> = (0..ty.lanes).filter(|&n| self.is_wanted(value, n)).collect();
        if lanes.is_empty() {
            return Ok(());
        }
        if let Some(fusion) = self.fusions.of(value) {
            return self.fused(value, &lanes, fusion);
        }
        match op {
            Op::Const(_) | Op::Read(_) | Op::ReadAt(..) | Op::Shuffle(_) => Ok(()),
            Op::Unary(op, a) => self.unary(value, &lanes, op, a),
            Op::Binary(op, a, b) => self.binary(value, &lanes, op, a, b),
            Op::Select { cond, a, b } => self.select(value, &lanes, cond, a, b),
            Op::Call { .. } => Err(Error::unsupported("a call of a helper function", self.place(value))),
            Op::Submit { .. } => Err(Error::unsupported("a geometry program", self.place(value))),
        }
    }

    fn is_wanted(&self, value: Value, lane: u8) -> bool {
        let lane = Lane::new(value, lane);
        self.uses.of(lane) > 0 && !self.fusions.is_gone(lane)
    }

    fn unary(&mut self, value: Value, lanes: &[u8], op: Unary, a: Value) -> Result<(), Error> {
        let op = match op {
            Unary::RcpP => DataOp::Rcp,
            Unary::RsqP | Unary::InverseSqrt => DataOp::Rsq,
            Unary::Exp2P | Unary::Exp2 => DataOp::Ex2,
            Unary::Log2P | Unary::Log2 => DataOp::Lg2,
            Unary::Floor => DataOp::Flr,
            Unary::Abs => {
                let x = self.operands(a, lanes);
                let negated = x.iter().map(|&(root, negate)| (root, !negate)).collect();
                let targets = self.targets(value, lanes);
                return self.data(DataOp::Max, targets, vec![x, negated]);
            }
            // Where they are needed.
            Unary::Neg | Unary::AddressP | Unary::Not => return Ok(()),
            // It is there from the start.
            Unary::FromBits if self.vars[4 * value.0 as usize].is_some() => return Ok(()),
            _other => return self.lacks(op.signature().name, value),
        };
        if op == DataOp::Flr {
            let targets = self.targets(value, lanes);
            return self.data(op, targets, vec![self.operands(a, lanes)]);
        }
        for &lane in lanes {
            let targets = self.targets(value, &[lane]);
            self.data(op, targets, vec![self.operands(a, &[lane])])?;
        }
        Ok(())
    }

    /// Refuses an operation that the machine lacks.
    fn lacks(&self, name: &str, value: Value) -> Result<(), Error> {
        Err(Error::unsupported(format!("the operation {name}"), self.place(value)))
    }

    fn binary(&mut self, value: Value, lanes: &[u8], op: Binary, a: Value, b: Value) -> Result<(), Error> {
        let op = match op {
            Binary::AddP | Binary::Add => DataOp::Add,
            Binary::MulP | Binary::Mul => DataOp::Mul,
            Binary::MinP | Binary::Min => DataOp::Min,
            Binary::MaxP | Binary::Max => DataOp::Max,
            Binary::SgeP => DataOp::Sge,
            Binary::SltP => DataOp::Slt,
            Binary::DotP | Binary::Dot => return self.dot(value, a, b),
            // Where they are needed: conditions and counters.
            Binary::Equal
            | Binary::Less
            | Binary::LessEqual
            | Binary::Greater
            | Binary::GreaterEqual
            | Binary::And
            | Binary::Or
            | Binary::IAdd
            | Binary::ISub
            | Binary::IEqual
            | Binary::ILess
            | Binary::IGreater => return Ok(()),
            _other => return self.lacks(op.signature().name, value),
        };
        let sources = vec![self.operands(a, lanes), self.operands(b, lanes)];
        let targets = self.targets(value, lanes);
        self.data(op, targets, sources)
    }

    fn dot(&mut self, value: Value, a: Value, b: Value) -> Result<(), Error> {
        let count = self.f.ty(a).lanes;
        let all: Vec<u8> = (0..count).collect();
        let sources = vec![self.operands(a, &all), self.operands(b, &all)];
        let targets = self.targets(value, &[0]);
        match count {
            4 => self.data(DataOp::Dp4, targets, sources),
            3 => self.data(DataOp::Dp3, targets, sources),
            _two => {
                let product = Lane::new(value, 1);
                let lane = |n: usize| sources.iter().map(|lanes| vec![lanes[n]]).collect::<Vec<_>>();
                let first = Target::Var(self.var(product));
                self.data(DataOp::Mul, vec![first], lane(0))?;
                let mut second = lane(1);
                second.push(vec![(Root::Value(product), false)]);
                // The first product comes first, and sums commute.
                self.data(DataOp::Mad, targets, second)
            }
        }
    }

    fn fused(&mut self, value: Value, lanes: &[u8], fusion: Fusion) -> Result<(), Error> {
        let targets = self.targets(value, lanes);
        match fusion {
            Fusion::Mad(products, sum) => {
                let mut sources = vec![Vec::new(), Vec::new(), self.operands(sum, lanes)];
                for &lane in lanes {
                    let (Root::Value(product), negate) = self.operand(products, lane) else { continue };
                    if let Some(Op::Binary(_, a, b)) = self.f.op(product.value()) {
                        let (root, sign) = self.operand(a, product.index());
                        sources[0].push((root, sign != negate));
                        sources[1].push(self.operand(b, product.index()));
                    }
                }
                self.data(DataOp::Mad, targets, sources)
            }
            Fusion::Dph { first, second, last } => {
                let mut sources = vec![self.operands(first, &[0, 1, 2]), self.operands(second, &[0, 1, 2])];
                sources[1].push(self.operand(last, 0));
                self.data(DataOp::Dph, targets, sources)
            }
        }
    }

    pub fn targets(&mut self, value: Value, lanes: &[u8]) -> Vec<Target> {
        lanes.iter().map(|&lane| Target::Var(self.var(Lane::new(value, lane)))).collect()
    }

    pub fn operands(&self, value: Value, lanes: &[u8]) -> Vec<Operand> {
        lanes.iter().map(|&lane| self.operand(value, lane)).collect()
    }

    /// Adds an instruction, after copies of what its operands cannot hold.
    pub fn data(
        &mut self,
        op: DataOp,
        targets: Vec<Target>,
        sources: Vec<Vec<Operand>>,
    ) -> Result<(), Error> {
        if let Some(parts) = self.parts(op, &sources) {
            for part in parts {
                let targets = part.iter().map(|&n| targets[n]).collect();
                let sources = sources.iter().map(|lanes| part.iter().map(|&n| lanes[n]).collect()).collect();
                self.data(op, targets, sources)?;
            }
            return Ok(());
        }
        let operands = sources.into_iter().map(|lanes| self.same_class(lanes));
        let mut operands = operands.collect::<Result<Vec<_>, Error>>()?;
        self.arrange(Slots::of(op, self.is_exact), &mut operands)?;
        let sources = operands.into_iter().map(|lanes| self.pin_all(lanes)).collect::<Result<_, Error>>()?;
        self.code.steps.push(Step::Data(Inst { op, targets, sources, pc: self.pc }));
        Ok(())
    }

    /// Parts of an instruction that need no copies, where two are shorter than the copies.
    fn parts(&self, op: DataOp, sources: &[Vec<Operand>]) -> Option<Vec<Vec<usize>>> {
        if lanes(op) == Lanes::All {
            return None;
        }
        let mixed = sources.iter().find(|lanes| lanes.iter().any(|&lane| class(lane) != class(lanes[0])))?;
        let has_var = mixed.iter().any(|&lane| class(lane) == (RootClass::Value, false));
        if op != DataOp::Mov && (has_var || self.copied_lanes(mixed).is_some()) {
            return None;
        }
        let key = |n: usize| sources.iter().map(|lanes| class(lanes[n])).collect::<Vec<_>>();
        let parts = grouped(mixed.len(), key);
        (op == DataOp::Mov || parts.len() == 2).then_some(parts)
    }

    fn copied_lanes(&self, lanes: &[Operand]) -> Option<Vec<Operand>> {
        self.copied.iter().rev().find_map(|copied| {
            let find = |lane: &Operand| {
                let known = copied.iter().find(|(known, _)| known == lane);
                known.map(|&(_, copy)| copy)
            };
            lanes.iter().map(find).collect()
        })
    }

    /// Makes the lanes of an operand come from one register with one sign.
    pub fn same_class(&mut self, lanes: Vec<Operand>) -> Result<Vec<Operand>, Error> {
        if lanes.iter().all(|&lane| class(lane) == class(lanes[0])) {
            return Ok(lanes);
        }
        self.copied_to_vars(&lanes)
    }

    /// Copies lanes that are no variables to variables.
    fn copied_to_vars(&mut self, lanes: &[Operand]) -> Result<Vec<Operand>, Error> {
        if let Some(known) = self.copied_lanes(lanes) {
            return Ok(known);
        }
        let mut copied: Vec<(Operand, Operand)> = Vec::new();
        let mut moves: Vec<Vec<(Target, Operand)>> = Vec::new();
        for &lane in lanes {
            if copied.iter().any(|&(known, _)| known == lane) {
                continue;
            }
            if class(lane) == (RootClass::Value, false) {
                copied.push((lane, lane));
                continue;
            }
            let var = self.code.var(None);
            copied.push((lane, (Root::Var(var), false)));
            match moves.iter_mut().find(|list| class(list[0].1) == class(lane)) {
                Some(list) => list.push((Target::Var(var), lane)),
                None => moves.push(vec![(Target::Var(var), lane)]),
            }
        }
        for list in moves {
            let (targets, lanes): (Vec<_>, Vec<_>) = list.into_iter().unzip();
            self.data(DataOp::Mov, targets, vec![lanes])?;
        }
        let find = |lane| copied.iter().find(|&&(known, _)| known == lane).map(|&(_, copy)| copy);
        let operands = lanes.iter().filter_map(|&lane| find(lane)).collect();
        if self.reuses {
            self.copied.push(copied);
        }
        Ok(operands)
    }

    /// Pins every lane of an operand.
    pub fn pin_all(&mut self, lanes: Vec<Operand>) -> Result<Vec<Source>, Error> {
        lanes.into_iter().map(|lane| self.pin(lane)).collect()
    }

    /// Turns a lane into a source, with its address in a0.
    pub fn pin(&mut self, (root, negate): Operand) -> Result<Source, Error> {
        let home = match root {
            Root::Value(lane) => Home::Var(self.var(lane)),
            Root::Var(var) => Home::Var(var),
            Root::Input { register, component } => Home::Input { register, component },
            Root::Uniform { register, component } => {
                Home::Uniform { register, index: Index::None, component }
            }
            Root::Relative { base, component, address, .. } => {
                Home::Uniform { register: base, index: self.index(address)?, component }
            }
            Root::Computed(bits) => Home::Var(self.computed(bits)?),
            Root::Const(bits) => Home::Const(bits),
        };
        Ok(Source { home, negate })
    }

    /// A variable that is 0 or 1, for programs without room for constants.
    fn computed(&mut self, bits: u32) -> Result<Var, Error> {
        let lane = (Root::Computed(bits), false);
        if let Some([(Root::Var(var), false)]) = self.copied_lanes(&[lane]).as_deref() {
            return Ok(*var);
        }
        let var = self.code.var(None);
        // No number is less than itself, and 0 is not less than 0.
        let (op, source) = if bits == 0 {
            (DataOp::Slt, Source::plain(Home::Input { register: 0, component: 0 }))
        } else {
            (DataOp::Sge, Source::var(self.computed(0)?))
        };
        let sources = vec![vec![source]; 2];
        self.code.steps.push(Step::Data(Inst { op, targets: vec![Target::Var(var)], sources, pc: None }));
        self.copied.push(vec![(lane, (Root::Var(var), false))]);
        Ok(var)
    }

    /// The index register that holds an address.
    fn index(&mut self, address: Lane) -> Result<Index, Error> {
        if self.counters.last().copied().flatten() == Some(address.value())
            || self.counted == Some(address.value())
        {
            return Ok(Index::Al);
        }
        if let Some(known) = self.address.iter().position(|&known| known == Some(address)) {
            return Ok([Index::A0x, Index::A0y][known]);
        }
        let Some(operand) = self.number(address) else {
            let what = "an index that is neither an address nor the counter of the innermost loop";
            return Err(Error::unsupported(what, self.place(address.value())));
        };
        // Both lanes of one conversion at once.
        if let Some(Op::Unary(Unary::AddressP, x)) = self.f.op(address.value())
            && self.f.ty(x).lanes == 2
            && class(self.operand(x, 0)) == class(self.operand(x, 1))
        {
            let sources = self.pin_all(self.operands(x, &[0, 1]))?;
            self.code.steps.push(Step::Address { lanes: [Some(sources[0]), Some(sources[1])] });
            self.address = [0, 1].map(|n| Some(Lane::new(address.value(), n)));
            return Ok([Index::A0x, Index::A0y][usize::from(address.index())]);
        }
        let source = self.pin(operand)?;
        // The same component each time lets equal lines share a procedure.
        let component = match self.address.iter().position(Option::is_none) {
            _first if !self.spreads => 0,
            Some(free) => free,
            None => 1 - self.newest,
        };
        let mut lanes = [None; 2];
        lanes[component] = Some(source);
        self.code.steps.push(Step::Address { lanes });
        self.address[component] = Some(address);
        self.newest = component;
        Ok([Index::A0x, Index::A0y][component])
    }

    /// Arranges operands so that one uniform is left, in a wide source, and one input.
    fn arrange(&mut self, slots: Slots, operands: &mut [Vec<Operand>]) -> Result<(), Error> {
        let class_of = |operands: &[Vec<Operand>], n: usize| operands[n].first().map(|&lane| class(lane).0);
        let count = operands.len();
        let wide: Vec<usize> =
            (0..count).filter(|&n| class_of(operands, n).is_some_and(RootClass::is_wide)).collect();
        let keep = wide.iter().copied().find(|&n| slots.wide[n]);
        let keep = keep.or_else(|| wide.iter().copied().find(|&n| slots.swaps && n < 2));
        for &n in &wide {
            if Some(n) != keep {
                operands[n] = self.moved(&operands[n].clone())?;
            }
        }
        if let Some(n) = keep
            && !slots.wide[n]
        {
            operands.swap(0, 1);
        }
        let mut first = None;
        for n in 0..count {
            let Some(RootClass::Input(register)) = class_of(operands, n) else { continue };
            if *first.get_or_insert(register) != register {
                operands[n] = self.moved(&operands[n].clone())?;
            }
        }
        Ok(())
    }

    /// Copies an operand of one class to variables; it keeps its sign.
    pub fn moved(&mut self, lanes: &[Operand]) -> Result<Vec<Operand>, Error> {
        let plain: Vec<Operand> = lanes.iter().map(|&(root, _)| (root, false)).collect();
        let copies = self.copied_to_vars(&plain)?.into_iter().zip(lanes);
        Ok(copies.map(|((root, negate), lane)| (root, negate != lane.1)).collect())
    }

    /// Adds CMP of two pairs of lanes.
    pub fn compare(&mut self, mut ops: [CompareOp; 2], pairs: [[Operand; 2]; 2]) -> Result<(), Error> {
        let mut lanes = |n: usize| self.same_class(pairs.map(|pair| pair[n]).to_vec());
        let mut operands = [lanes(0)?, lanes(1)?];
        let wide = |lanes: &[Operand]| class(lanes[0]).0.is_wide();
        if !wide(&operands[0]) && wide(&operands[1]) {
            operands.swap(0, 1);
            ops = ops.map(super::conditions::mirrored);
        }
        self.arrange(Slots { wide: [true, false, false], swaps: false }, &mut operands)?;
        let [a, b] = operands;
        let sources = [self.pin_all(a)?, self.pin_all(b)?];
        self.code.steps.push(Step::Compare { ops, sources, pc: self.pc });
        Ok(())
    }
}

/// The sources of an operation that can be uniforms.
struct Slots {
    wide: [bool; 3],
    /// The first two may be exchanged.
    swaps: bool,
}

impl Slots {
    fn of(op: DataOp, is_exact: bool) -> Self {
        let wide = match op {
            DataOp::Mad => [false, true, true],
            DataOp::Sge | DataOp::Slt | DataOp::Dph | DataOp::Dst => [true, true, false],
            _other => [true, false, false],
        };
        let swaps = match op {
            DataOp::Add | DataOp::Mul | DataOp::Mad | DataOp::Dp3 | DataOp::Dp4 => true,
            DataOp::Min | DataOp::Max => !is_exact,
            _other => false,
        };
        Self { wide, swaps }
    }
}

/// The register of a lane before a0 is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RootClass {
    Value,
    Input(u8),
    Uniform(u8),
    Relative(u8, Lane),
    Const,
}

impl RootClass {
    /// Returns whether only the wide source holds it.
    fn is_wide(self) -> bool {
        matches!(self, Self::Uniform(_) | Self::Relative(..) | Self::Const)
    }
}

pub(super) fn class((root, negate): Operand) -> (RootClass, bool) {
    let class = match root {
        Root::Value(_) | Root::Var(_) | Root::Computed(_) => RootClass::Value,
        Root::Input { register, .. } => RootClass::Input(register),
        Root::Uniform { register, .. } => RootClass::Uniform(register),
        Root::Relative { base, address, .. } => RootClass::Relative(base, address),
        Root::Const(_) => RootClass::Const,
    };
    (class, negate)
}
