//! Random well-formed modules, to test the passes.
//! Constructs nest and exit in every way that the verifier permits; loops count their iterations,
//! so all end.

use transpica::stages::ir::{
    Array, Binary, Def, Exit, Func, Item, Lane, Module, Node, NodeData, Op, Phase, Region, RegionData,
    Resource, ScalarKind, Shape, Type, Unary, Value, ValueList, verify,
};

struct Target {
    results: Vec<Type>,
    /// Types of a loop's parameters; the first is its counter.
    params: Option<Vec<Type>>,
    /// The loop's counter.
    counter: Option<Value>,
    breakable: bool,
}

struct Generator {
    seed: u64,
    f: Func,
    visible: Vec<Value>,
    targets: Vec<Target>,
    /// Items that may still be created.
    fuel: u32,
}

impl Generator {
    fn below(&mut self, limit: usize) -> usize {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.seed >> 33) as usize % limit
    }

    fn ty(&mut self) -> Type {
        let kind = [ScalarKind::F32, ScalarKind::F32, ScalarKind::F32, ScalarKind::I32, ScalarKind::Bool]
            [self.below(5)];
        Type::new(kind, 1 + self.below(4) as u8)
    }

    fn literal(&mut self, region: Region, ty: Type) -> Value {
        let mut bits = [0; 4];
        let splat = self.below(2) == 0;
        let first = self.below(6);
        for lane in &mut bits[..usize::from(ty.lanes)] {
            let pick = if splat { first } else { self.below(6) };
            *lane = match ty.kind {
                ScalarKind::F32 => [0.0, -0.0, 1.0, -1.0, 2.5, 1e30f32][pick].to_bits(),
                ScalarKind::I32 => [0, 1, u32::MAX, 2, 5, 200][pick],
                ScalarKind::U32 => [0, 1, u32::MAX, 2, 0x7F80_0000, 31][pick],
                ScalarKind::Bool => pick as u32 & 1,
            };
        }
        self.f.emit(region, ty, Op::Const(bits))
    }

    /// Returns a value of a type: a visible one, lanes of some, or a constant.
    fn value(&mut self, region: Region, ty: Type) -> Value {
        let like: Vec<Value> = self.visible.iter().copied().filter(|&value| self.f.ty(value) == ty).collect();
        if !like.is_empty() && self.below(4) != 0 {
            return like[self.below(like.len())];
        }
        let kin: Vec<Value> =
            (self.visible.iter().copied()).filter(|&v| self.f.ty(v).kind == ty.kind).collect();
        let value = if kin.is_empty() || self.below(6) == 0 {
            self.literal(region, ty)
        } else {
            let mut lanes = [0; 4].map(|_: u8| {
                let from = kin[self.below(kin.len())];
                let lanes = usize::from(self.f.ty(from).lanes);
                Lane::new(from, self.below(lanes) as u8)
            });
            let [first, ..] = lanes;
            lanes[usize::from(ty.lanes)..].fill(first);
            self.f.emit(region, ty, Op::Shuffle(lanes))
        };
        self.visible.push(value);
        value
    }

    fn values(&mut self, region: Region, types: &[Type]) -> ValueList {
        let values: Vec<Value> = types.iter().map(|&ty| self.value(region, ty)).collect();
        self.f.list(values)
    }

    fn operation(&mut self, region: Region) {
        let ty = self.ty();
        let (ty, op) = match self.below(12) {
            0 => (Type::F32X4, Op::Read(Resource::Input(self.below(3) as u8))),
            1 => (Type::F32X4, Op::Read(Resource::Uniform(self.below(3) as u8))),
            2 => (Type::F32X4, Op::ReadAt(Array::Uniform(94), self.value(region, Type::I32))),
            3 => (Type::BOOL, Op::Read(Resource::BoolUniform(self.below(3) as u8))),
            4 => (Type::I32, Op::Read(Resource::IntUniform { index: 0, component: self.below(3) as u8 })),
            5..7 => {
                let op = Unary::ALL[self.below(Unary::ALL.len())];
                // Permissive operations on u32 and the conversion with a range requirement are
                // excluded.
                if matches!(op, Unary::ToInt) {
                    return;
                }
                let operand = ty.with_kind(op.signature().operand);
                (op.result(operand), Op::Unary(op, self.value(region, operand)))
            }
            7..10 => {
                let op = Binary::ALL[self.below(Binary::ALL.len())];
                let mut operand = ty.with_kind(op.signature().operand);
                if op.shape() == Shape::Dot {
                    operand.lanes = operand.lanes.max(2);
                }
                let a = self.value(region, operand);
                (op.result(operand), Op::Binary(op, a, self.value(region, operand)))
            }
            10 => {
                let cond = self.value(region, ty.with_kind(ScalarKind::Bool));
                let a = self.value(region, ty);
                (ty, Op::Select { cond, a, b: self.value(region, ty) })
            }
            _ => {
                self.value(region, ty);
                return;
            }
        };
        let value = self.f.emit(region, ty, op);
        self.visible.push(value);
    }

    /// Builds a region with items and an exit.
    fn region(&mut self, depth: usize, results: Option<&[Type]>) -> Region {
        let region = self.f.regions.push(RegionData::default());
        self.fill(region, depth, results);
        region
    }

    fn fill(&mut self, region: Region, depth: usize, results: Option<&[Type]>) {
        let scope = self.visible.len();
        for _ in 0..self.below(5) {
            if self.fuel == 0 {
                break;
            }
            self.fuel -= 1;
            if depth < 5 && self.below(3) == 0 {
                if !self.construct(region, depth) {
                    self.visible.truncate(scope);
                    return;
                }
            } else {
                self.operation(region);
            }
        }
        let breakable = self.targets.iter().rposition(|target| target.breakable);
        let looping = self.targets.iter().rposition(|target| target.params.is_some());
        let exit = match (self.below(4), breakable, looping) {
            (0, Some(target), _) => self.leave(region, target),
            (1, _, Some(target)) => self.next(region, target),
            (_, _, target) => match (results, target) {
                (Some(results), _) => Exit::Yield(self.values(region, results)),
                (None, Some(target)) => self.next(region, target),
                (None, None) => unreachable!("only loop bodies do not yield"),
            },
        };
        self.f.regions[region].exit = exit;
        self.visible.truncate(scope);
    }

    fn leave(&mut self, region: Region, target: usize) -> Exit {
        let results = self.targets[target].results.clone();
        Exit::Break(self.values(region, &results))
    }

    fn next(&mut self, region: Region, target: usize) -> Exit {
        let params = self.targets[target].params.clone().unwrap_or_default();
        let counter = self.targets[target].counter.expect("a loop counts");
        let one = self.f.emit(region, Type::I32, Op::Const([1, 0, 0, 0]));
        let next = self.f.emit(region, Type::I32, Op::Binary(Binary::IAdd, counter, one));
        let mut values = vec![next];
        values.extend(params[1..].iter().map(|&ty| self.value(region, ty)));
        Exit::Continue(self.f.list(values))
    }

    fn types(&mut self) -> Vec<Type> {
        (0..self.below(4)).map(|_| self.ty()).collect()
    }

    /// Builds a nested construct at the end of a region; returns whether it falls through.
    fn construct(&mut self, region: Region, depth: usize) -> bool {
        let types = self.types();
        let kind = self.below(4);
        let decider = match kind {
            0 => Some(self.value(region, Type::BOOL)),
            1 => Some(self.value(region, Type::I32)),
            _ => None,
        };
        let loop_types: Vec<Type> = [Type::I32].into_iter().chain(self.types()).collect();
        let inits = if kind == 2 { Some(self.values(region, &loop_types)) } else { None };
        let start = self.f.regions.len();
        self.targets.push(Target {
            results: types.clone(),
            params: None,
            counter: None,
            breakable: kind != 0,
        });
        let mut data = match (decider, kind) {
            (Some(cond), 0) => {
                let then = self.region(depth + 1, Some(&types));
                let otherwise = self.region(depth + 1, Some(&types));
                NodeData::If { cond, then, otherwise, results: ValueList::EMPTY }
            }
            (Some(selector), _) => {
                let first = (vec![-1, 1], self.region(depth + 1, Some(&types)));
                let second = (vec![2], self.region(depth + 1, Some(&types)));
                let default = self.region(depth + 1, Some(&types));
                NodeData::Switch { selector, cases: vec![first, second], default, results: ValueList::EMPTY }
            }
            (None, 2) => self.counted_loop(depth, &types, &loop_types, inits.unwrap_or_default()),
            (None, _) => {
                NodeData::Block { body: self.region(depth + 1, Some(&types)), results: ValueList::EMPTY }
            }
        };
        self.targets.pop();
        let falls = self.falls_through(&data, start);
        if falls {
            let results: Vec<Value> = types.iter().map(|&ty| self.f.value(ty, Def::Result)).collect();
            self.visible.extend(&results);
            *data.results_mut() = self.f.list(results);
        }
        let node = self.f.nodes.push(data);
        self.f.regions[region].items.push(Item::Node(node));
        falls
    }

    fn counted_loop(&mut self, depth: usize, types: &[Type], params: &[Type], inits: ValueList) -> NodeData {
        let scope = self.visible.len();
        let values: Vec<Value> = params.iter().map(|&ty| self.f.value(ty, Def::Param)).collect();
        self.visible.extend(&values);
        let target = self.targets.last_mut().expect("the loop is a target");
        target.params = Some(params.to_vec());
        target.counter = Some(values[0]);
        let body = self.f.regions.push(RegionData::default());
        // if counter > 3 { break .. }
        let three = self.f.emit(body, Type::I32, Op::Const([3, 0, 0, 0]));
        let over = self.f.emit(body, Type::BOOL, Op::Binary(Binary::IGreater, values[0], three));
        let then = self.f.regions.push(RegionData::default());
        let exit = Exit::Break(self.values(then, types));
        self.f.regions[then].exit = exit;
        self.visible.truncate(scope + values.len());
        let otherwise =
            self.f.regions.push(RegionData { items: Vec::new(), exit: Exit::Yield(ValueList::EMPTY) });
        let check = NodeData::If { cond: over, then, otherwise, results: ValueList::EMPTY };
        let check: Node = self.f.nodes.push(check);
        self.f.regions[body].items.push(Item::Node(check));
        self.fill(body, depth + 1, None);
        self.visible.truncate(scope);
        NodeData::Loop { params: self.f.list(values), inits, body, results: ValueList::EMPTY }
    }

    /// Returns whether an exit of the regions built since `start` reaches the end of a construct
    /// that is about to be added.
    fn falls_through(&self, data: &NodeData, start: usize) -> bool {
        let mut work: Vec<(Region, bool)> = Vec::new();
        let mut index = 0;
        while let Some(region) = data.child(index) {
            debug_assert!(region.0 as usize >= start);
            let exit = self.f.regions[region].exit;
            if matches!(exit, Exit::Yield(_)) {
                return true;
            }
            work.push((region, data.is_breakable()));
            index += 1;
        }
        while let Some((region, breaks)) = work.pop() {
            if breaks && matches!(self.f.regions[region].exit, Exit::Break(_)) {
                return true;
            }
            for &item in &self.f.regions[region].items {
                if let Item::Node(node) = item {
                    let inner = &self.f.nodes[node];
                    let mut index = 0;
                    while let Some(region) = inner.child(index) {
                        work.push((region, breaks && !inner.is_breakable()));
                        index += 1;
                    }
                }
            }
        }
        false
    }
}

/// Builds a random module.
pub fn module(seed: u64) -> Module {
    let f = Func { name: "main".into(), ..Func::default() };
    let mut generator = Generator {
        seed: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15),
        f,
        visible: Vec::new(),
        targets: Vec::new(),
        fuel: 60,
    };
    let body = generator.f.regions.push(RegionData::default());
    generator.f.body = Some(body);
    let mut reached = true;
    for _ in 0..8 {
        generator.operation(body);
        reached = reached && generator.construct(body, 1);
        if !reached {
            break;
        }
    }
    if reached {
        let types = [Type::F32X4, Type::F32X4.with_lanes(3), Type::F32, Type::I32, Type::BOOL];
        let outputs = generator.values(body, &types);
        generator.f.regions[body].exit = Exit::Yield(outputs);
    }
    Module { main: generator.f, helpers: Vec::new() }
}

#[test]
fn random_modules_are_well_formed() {
    assert!(verify(&module(1), Phase::Pica).is_ok());
}
