//! Random structured programs: what their WGSL says computes what the IR does.

use super::machine::{Val, run};
use super::{interface, parse, translate};
use transpica::Precision;
use transpica::host::EntryPoint;
use transpica::stages::ir::{
    Binary, Def, Exit, Func, Hint, HintRegister, Item, Lane, Module, NodeData, Op, Region, Resource, Type,
    Unary, Value,
};
use transpica_proof::ir::{InputValues, eval};

const F32X2: Type = Type::new(transpica::stages::ir::ScalarKind::F32, 2);
const TYPES: [Type; 4] = [Type::F32, F32X2, Type::F32X4, Type::I32];

/// xorshift64*
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u32 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32) as u32
    }
    pub fn below(&mut self, n: usize) -> usize {
        self.next() as usize % n
    }
    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
    fn ty(&mut self) -> Type {
        if self.chance(70) { Type::F32 } else { TYPES[self.below(4)] }
    }
    fn types(&mut self) -> Vec<Type> {
        (0..self.below(4)).map(|_| self.ty()).collect()
    }
}

/// Exits that a region may have.
#[derive(Clone, Default)]
struct Ends {
    yields: Option<Vec<Type>>,
    breaks: Option<Vec<Type>>,
    /// The types of the parameters; the first is the counter, and this is its value.
    continues: Option<(Vec<Type>, Value)>,
}

struct Generator {
    random: Random,
    f: Func,
    visible: Vec<Value>,
    fuel: usize,
}

impl Generator {
    fn hint(&mut self, value: Value) {
        // Few names, so that constructs share their carriers.
        let register = HintRegister::Temp(self.random.below(2) as u8);
        self.f.values[value].hint = Hint { register, mask: 15 };
    }
    fn listed(&mut self, types: &[Type], def: Def) -> Vec<Value> {
        let values: Vec<Value> = types.iter().map(|&ty| self.f.value(ty, def)).collect();
        values.iter().for_each(|&value| self.hint(value));
        values
    }
    fn emit(&mut self, region: Region, ty: Type, op: Op) -> Value {
        let value = self.f.emit(region, ty, op);
        self.hint(value);
        self.visible.push(value);
        value
    }
    /// A visible value of a type, or a new literal (never zero).
    fn pick(&mut self, region: Region, ty: Type) -> Value {
        let fitting: Vec<Value> =
            self.visible.iter().copied().filter(|&value| self.f.ty(value) == ty).collect();
        if !fitting.is_empty() && self.random.chance(97) {
            let recent = fitting.len().min(6);
            let back = if self.random.chance(60) {
                self.random.below(recent)
            } else {
                self.random.below(fitting.len())
            };
            return fitting[fitting.len() - 1 - back];
        }
        let mut bits = [0; 4];
        for bits in &mut bits[..usize::from(ty.lanes)] {
            let number = 1 + self.random.below(4);
            *bits = if ty == Type::I32 { number as u32 } else { (number as f32 / 2.0).to_bits() };
        }
        self.emit(region, ty, Op::Const(bits))
    }
    fn picks(&mut self, region: Region, types: &[Type]) -> transpica::stages::ir::ValueList {
        let values: Vec<Value> = types.iter().map(|&ty| self.pick(region, ty)).collect();
        self.f.list(values)
    }
    fn condition(&mut self, region: Region) -> Value {
        let (ty, op) = [
            (Type::F32, Binary::Less),
            (Type::F32, Binary::Greater),
            (Type::I32, Binary::IEqual),
            (Type::I32, Binary::ILess),
        ][self.random.below(4)];
        let (a, b) = (self.pick(region, ty), self.pick(region, ty));
        let test = self.f.emit(region, Type::BOOL, Op::Binary(op, a, b));
        if self.random.chance(30) {
            self.f.emit(region, Type::BOOL, Op::Unary(Unary::Not, test))
        } else {
            test
        }
    }
    fn operation(&mut self, region: Region) {
        let ty = self.random.ty();
        let (a, b) = (self.pick(region, ty), self.pick(region, ty));
        let op = match self.random.below(5) {
            _ if ty == Type::I32 => {
                Op::Binary([Binary::IAdd, Binary::ISub, Binary::IAnd][self.random.below(3)], a, b)
            }
            0 if ty == Type::F32 => {
                let args = self.f.list([a, b]);
                Op::Call { helper: 0, args }
            }
            0 => Op::Unary(Unary::Neg, a),
            1 => Op::Binary(Binary::Mul, a, b),
            2 | 3 => {
                let from = TYPES[self.random.below(3)];
                let (c, d) = (self.pick(region, from), self.pick(region, from));
                let mut lanes = [Lane::new(c, 0); 4];
                for lane in &mut lanes[..usize::from(ty.lanes)] {
                    let source = if self.random.chance(70) { c } else { d };
                    *lane = Lane::new(source, self.random.below(usize::from(from.lanes)) as u8);
                }
                let first = lanes[0];
                lanes[usize::from(ty.lanes)..].fill(first);
                Op::Shuffle(lanes)
            }
            _ => Op::Binary(Binary::Add, a, b),
        };
        self.emit(region, ty, op);
    }

    fn region(&mut self, depth: usize, ends: &Ends) -> Region {
        let mark = self.visible.len();
        let region = self.f.regions.push(Default::default());
        self.fill(region, depth, ends);
        self.visible.truncate(mark);
        region
    }

    fn fill(&mut self, region: Region, depth: usize, ends: &Ends) {
        for _ in 0..self.random.below(4) {
            if depth > 0 && self.fuel > 0 && self.random.chance(50) {
                self.fuel -= 1;
                self.construct(region, depth - 1, ends);
            } else {
                self.operation(region);
            }
        }
        self.f.regions[region].exit = self.end(region, depth, ends);
    }

    fn end(&mut self, region: Region, depth: usize, ends: &Ends) -> Exit {
        let jumps = Ends { yields: None, ..ends.clone() };
        if depth > 0 && self.random.chance(30) && (jumps.breaks.is_some() || jumps.continues.is_some()) {
            let cond = self.condition(region);
            let (then, otherwise) = (self.region(depth - 1, &jumps), self.region(depth - 1, &jumps));
            let results = transpica::stages::ir::ValueList::EMPTY;
            let node = self.f.nodes.push(NodeData::If { cond, then, otherwise, results });
            self.f.regions[region].items.push(Item::Node(node));
            return Exit::Unreachable;
        }
        loop {
            match self.random.below(4) {
                0 | 1 => {
                    if let Some(types) = &ends.yields {
                        return Exit::Yield(self.picks(region, types));
                    }
                }
                2 => {
                    if let Some(types) = &ends.breaks {
                        return Exit::Break(self.picks(region, types));
                    }
                }
                _ => {
                    if let Some((types, counter)) = &ends.continues {
                        let one = self.f.emit(region, Type::I32, Op::Const([1, 0, 0, 0]));
                        let next = self.f.emit(region, Type::I32, Op::Binary(Binary::IAdd, *counter, one));
                        let mut values = vec![next];
                        for &ty in &types[1..] {
                            values.push(self.pick(region, ty));
                        }
                        return Exit::Continue(self.f.list(values));
                    }
                }
            }
        }
    }

    fn construct(&mut self, region: Region, depth: usize, ends: &Ends) {
        let types = self.random.types();
        let yielding = Some(types.clone());
        let node = match self.random.below(5) {
            4 => self.count(region, depth, &types),
            0 => {
                let cond = self.condition(region);
                let arms = [
                    Ends { yields: yielding.clone(), ..Ends::default() },
                    Ends { yields: yielding, ..ends.clone() },
                ];
                let order = self.random.below(2);
                let (then, otherwise) =
                    (self.region(depth, &arms[order]), self.region(depth, &arms[1 - order]));
                let results = self.results(&types);
                NodeData::If { cond, then, otherwise, results }
            }
            1 => self.repeat(region, depth, &types),
            2 => {
                let inner =
                    Ends { yields: yielding.clone(), breaks: yielding, continues: ends.continues.clone() };
                let body = self.falling(depth, &inner);
                NodeData::Block { body, results: self.results(&types) }
            }
            _ => {
                let selector = self.pick(region, Type::I32);
                let inner =
                    Ends { yields: yielding.clone(), breaks: yielding, continues: ends.continues.clone() };
                let cases =
                    vec![(vec![0, 2], self.region(depth, &inner)), (vec![3], self.region(depth, &inner))];
                let default = self.falling(depth, &inner);
                NodeData::Switch { selector, cases, default, results: self.results(&types) }
            }
        };
        let node = self.f.nodes.push(node);
        self.f.regions[region].items.push(Item::Node(node));
        // Results become visible last.
        let count = types.len();
        let from = self.visible.len() - count;
        debug_assert!(self.visible[from..].iter().all(|&value| self.f.values[value].def == Def::Result));
    }

    /// A region that certainly goes on after its construct.
    fn falling(&mut self, depth: usize, ends: &Ends) -> Region {
        self.region(depth, &Ends { continues: None, ..ends.clone() })
    }

    fn results(&mut self, types: &[Type]) -> transpica::stages::ir::ValueList {
        let results = self.listed(types, Def::Result);
        self.visible.extend(&results);
        self.f.list(results)
    }

    /// A LOOP as programs have it: after its body the test of how many iterations are left.
    fn count(&mut self, region: Region, depth: usize, types: &[Type]) -> NodeData {
        let mut params = vec![Type::I32];
        params.extend(self.random.types());
        let inits = self.picks(region, &params);
        let mark = self.visible.len();
        let values = self.listed(&params, Def::Param);
        let register = HintRegister::LoopLeft(self.random.below(2) as u8);
        self.f.values[values[0]].hint = Hint { register, mask: 1 };
        self.visible.extend(&values);
        let body = self.f.regions.push(Default::default());
        for _ in 0..self.random.below(4) {
            if depth > 0 && self.fuel > 0 && self.random.chance(40) {
                self.fuel -= 1;
                self.construct(body, depth - 1, &Ends::default());
            } else {
                self.operation(body);
            }
        }
        let [zero, one] = [0, 1].map(|bits| self.f.emit(body, Type::I32, Op::Const([bits, 0, 0, 0])));
        let cond = self.f.emit(body, Type::BOOL, Op::Binary(Binary::IGreater, values[0], zero));
        let mut next = vec![self.f.emit(body, Type::I32, Op::Binary(Binary::ISub, values[0], one))];
        next.extend(params[1..].iter().map(|&ty| self.pick(body, ty)));
        let (next, left) = (self.f.list(next), self.picks(body, types));
        let exits = [Exit::Continue(next), Exit::Break(left)];
        let [then, otherwise] = exits
            .map(|exit| self.f.regions.push(transpica::stages::ir::RegionData { items: Vec::new(), exit }));
        let results = transpica::stages::ir::ValueList::EMPTY;
        let node = self.f.nodes.push(NodeData::If { cond, then, otherwise, results });
        self.f.regions[body].items.push(Item::Node(node));
        self.f.regions[body].exit = Exit::Unreachable;
        self.visible.truncate(mark);
        let params = self.f.list(values);
        NodeData::Loop { params, inits, body, results: self.results(types) }
    }

    fn repeat(&mut self, region: Region, depth: usize, types: &[Type]) -> NodeData {
        let mut params = vec![Type::I32];
        params.extend(self.random.types());
        let start = self.f.emit(region, Type::I32, Op::Const([0; 4]));
        let mut inits = vec![start];
        for &ty in &params[1..] {
            inits.push(self.pick(region, ty));
        }
        let inits = self.f.list(inits);
        let mark = self.visible.len();
        let values = self.listed(&params, Def::Param);
        self.visible.extend(&values);
        let body = self.f.regions.push(Default::default());
        // Leaves after a few iterations whatever the rest does.
        let limit = self.f.emit(body, Type::I32, Op::Const([3, 0, 0, 0]));
        let done = self.f.emit(body, Type::BOOL, Op::Binary(Binary::IGreater, values[0], limit));
        let leave = self.region(0, &Ends { breaks: Some(types.to_vec()), ..Ends::default() });
        let stay = self.f.regions.push(transpica::stages::ir::RegionData {
            items: Vec::new(),
            exit: Exit::Yield(transpica::stages::ir::ValueList::EMPTY),
        });
        let results = transpica::stages::ir::ValueList::EMPTY;
        let node = self.f.nodes.push(NodeData::If { cond: done, then: leave, otherwise: stay, results });
        self.f.regions[body].items.push(Item::Node(node));
        let inner = Ends { yields: None, breaks: Some(types.to_vec()), continues: Some((params, values[0])) };
        self.fill(body, depth, &inner);
        self.visible.truncate(mark);
        let params = self.f.list(values);
        NodeData::Loop { params, inits, body, results: self.results(types) }
    }
}

fn program(seed: u64) -> Module {
    let random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut generator = Generator { random, f: Func::default(), visible: Vec::new(), fuel: 20 };
    let body = generator.f.regions.push(Default::default());
    generator.f.body = Some(body);
    for register in 0..3 {
        let input = generator.emit(body, Type::F32X4, Op::Read(Resource::Input(register)));
        generator.emit(body, Type::F32, Op::Shuffle([Lane::new(input, register); 4]));
    }
    let counts = generator.f.emit(
        body,
        Type::new(transpica::stages::ir::ScalarKind::I32, 4),
        Op::Read(Resource::Member { member: 3, element: 0 }),
    );
    for lane in 0..4 {
        generator.emit(body, Type::I32, Op::Shuffle([Lane::new(counts, lane); 4]));
    }
    for element in [0, 2, 3] {
        generator.emit(body, Type::F32X4, Op::Read(Resource::Member { member: 0, element }));
    }
    let types = [Type::F32X4, F32X2, Type::F32];
    let ends = Ends { yields: Some(types.to_vec()), ..Ends::default() };
    generator.fill(body, 4, &ends);
    // The outputs depend on all that is visible at the end.
    let outputs = types.map(|ty| {
        let fitting = generator.visible.clone().into_iter().filter(|&value| generator.f.ty(value) == ty);
        let fitting: Vec<Value> = fitting.collect();
        let first = generator.pick(body, ty);
        fitting
            .into_iter()
            .fold(first, |sum, value| generator.emit(body, ty, Op::Binary(Binary::Add, sum, value)))
    });
    generator.f.regions[body].exit = Exit::Yield(generator.f.list(outputs));
    Module { main: generator.f, helpers: vec![helper().into()] }
}

/// `a + b * a`
fn helper() -> Func {
    let mut f = Func { name: "helper".into(), ..Func::default() };
    let (a, b) = (f.value(Type::F32, Def::Param), f.value(Type::F32, Def::Param));
    f.params = f.list([a, b]);
    let body = f.regions.push(Default::default());
    let product = f.emit(body, Type::F32, Op::Binary(Binary::Mul, b, a));
    let sum = f.emit(body, Type::F32, Op::Binary(Binary::Add, a, product));
    f.regions[body].exit = Exit::Yield(f.list([sum]));
    f.body = Some(body);
    f
}

/// Inputs and uniforms for the IR and for naga.
fn environment(random: &mut Random) -> (InputValues, Vec<Val>, Val) {
    let mut registers = InputValues::default();
    let mut float = || (random.below(9) as f32 - 4.0) / 2.0;
    let mut vector = || [float(), float(), float(), float()];
    let list = |lanes: [f32; 4]| Val::List(lanes.map(Val::F).to_vec());
    let mut arguments = Vec::new();
    for register in 0..3 {
        let lanes = vector();
        registers.inputs[register] = lanes.map(f32::to_bits);
        arguments.push(list(lanes));
    }
    let arrays: Vec<Vec<[f32; 4]>> =
        [4, 12, 1].map(|length| (0..length).map(|_| vector()).collect()).to_vec();
    let counts: [i32; 4] = std::array::from_fn(|_| random.below(5) as i32);
    registers.members =
        arrays.iter().map(|array| array.iter().map(|lanes| lanes.map(f32::to_bits)).collect()).collect();
    registers.members.push(vec![counts.map(|count| count as u32)]);
    registers.members.push(vec![[5, 0, 0, 0]]);
    let array = |index: usize| Val::List(arrays[index].iter().map(|&lanes| list(lanes)).collect());
    let uniforms = Val::List(vec![
        array(0),
        array(1),
        list(arrays[2][0]),
        Val::List(counts.map(Val::I).to_vec()),
        Val::U(5),
    ]);
    (registers, arguments, uniforms)
}

/// The bits of a result, all NaN alike.
pub fn bits(value: &Val) -> Vec<u32> {
    match value {
        Val::F(value) if value.is_nan() => vec![0x7FC0_0000],
        Val::F(value) => vec![value.to_bits()],
        Val::List(list) => list.iter().flat_map(bits).collect(),
        other => panic!("{other:?}"),
    }
}

/// Checks that what the WGSL says computes what the IR does, on random inputs.
pub fn compare(module: &Module, seed: u64) {
    let interface = interface(module);
    let wgsl = translate(module, &interface, EntryPoint::Vertex);
    let parsed = parse(&wgsl);
    let main = &module.main;
    let Some(Exit::Yield(outputs)) = main.body.map(|body| main.regions[body].exit) else { return };
    let widths: Vec<usize> =
        main.get(outputs).iter().map(|&value| usize::from(main.ty(value).lanes)).collect();
    let mut random = Random(seed | 1);
    for _ in 0..4 {
        let (registers, arguments, uniforms) = environment(&mut random);
        let results = eval(module, Precision::Exact, &registers, 100_000).unwrap();
        let expected = masked(&results, &widths);
        let found: Vec<Vec<u32>> = run(&parsed, arguments.clone(), &uniforms).iter().map(bits).collect();
        assert_eq!(found, expected, "seed {seed}\n{module}\n{wgsl}");
    }
}

/// The lanes that outputs have, all NaN alike.
pub fn masked(outputs: &[[u32; 4]], widths: &[usize]) -> Vec<Vec<u32>> {
    let nan = |bits: u32| if f32::from_bits(bits).is_nan() { 0x7FC0_0000 } else { bits };
    let lanes = |(lanes, &count): (&[u32; 4], &usize)| lanes[..count].iter().map(|&bits| nan(bits)).collect();
    outputs.iter().zip(widths).map(lanes).collect()
}

#[test]
fn random_programs_match_the_evaluator() {
    let seeds = std::env::var("SEEDS").ok().and_then(|text| text.parse().ok()).unwrap_or(150);
    for seed in 1..=seeds {
        compare(&program(seed), seed);
    }
}
