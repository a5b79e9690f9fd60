//! Random functions: what the written module computes equals what the evaluator computes.
//! Random well-formed modules with every construct and every exit, to a depth of five. Loops count
//! to at most four.

use super::*;
use transpica::stages::ir::{Binary, Unary};

/// Functions that are executed, and how many of them the readers validate as well.
const EXECUTED: u64 = 600;
const VALIDATED: u64 = 60;
const DEPTH: usize = 5;

#[test]
fn random_functions_match_the_evaluator() {
    let inputs = [[0.5, -3.0, 7.0, 1.25], [2.0, 2.0, -0.75, 100.0], [-1.0, 0.0, 0.0, 4.0]];
    for seed in 0..EXECUTED {
        let case = Case::compute(|f, body| Generator::new(f, seed).function(body));
        verify(&case.module, Phase::Legal).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        let words = case.write().unwrap();
        if seed < VALIDATED {
            validate(&words, case.profile.spirv_version);
        }
        for input in inputs {
            case.run_words(&words, &[input.map(f32::to_bits)]);
        }
    }
}

/// Context of a region under construction.
#[derive(Clone, Copy, Default)]
struct Enclosing {
    depth: usize,
    /// Results of the construct that the region belongs to, if it may yield.
    yields: Option<usize>,
    /// Results of the innermost breakable.
    breaks: Option<usize>,
    /// Parameters of the innermost loop and its first, the counter.
    continues: Option<(usize, Value)>,
}

struct Generator<'a> {
    f: &'a mut Func,
    state: u64,
    /// Scalar floats that may be used here.
    visible: Vec<Value>,
}

impl<'a> Generator<'a> {
    fn new(f: &'a mut Func, seed: u64) -> Self {
        Self { f, state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1, visible: Vec::new() }
    }

    /// A number below `limit`.
    fn below(&mut self, limit: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 33) as usize % limit
    }

    fn any(&mut self) -> Value {
        let index = self.below(self.visible.len());
        self.visible[index]
    }

    fn any_list(&mut self, count: usize) -> ValueList {
        let values: Vec<Value> = (0..count).map(|_| self.any()).collect();
        self.f.list(values)
    }

    fn function(mut self, body: Region) -> Vec<Value> {
        let v = input(self.f, body, 0);
        for index in 0..4 {
            let x = lane(self.f, body, v, index);
            self.visible.push(x);
        }
        for _ in 0..3 {
            self.construct(body, Enclosing { depth: 1, ..Enclosing::default() });
        }
        (0..4).map(|_| self.any()).collect::<Vec<_>>().into_iter().map(|x| splat(self.f, body, x)).collect()
    }

    fn arithmetic(&mut self, r: Region) {
        let (a, b) = (self.any(), self.any());
        let value = match self.below(5) {
            0 => binary(self.f, r, Type::F32, Binary::Add, a, b),
            1 => binary(self.f, r, Type::F32, Binary::Mul, a, b),
            2 => self.f.emit(r, Type::F32, Op::Unary(Unary::Neg, a)),
            3 => float(self.f, r, [1.0, -2.5, 0.125, 3.0][self.state as usize % 4]),
            _ => {
                let cond = self.condition(r);
                self.f.emit(r, Type::F32, Op::Select { cond, a, b })
            }
        };
        self.visible.push(value);
    }

    fn condition(&mut self, r: Region) -> Value {
        let (a, b) = (self.any(), self.any());
        binary(self.f, r, Type::BOOL, Binary::Less, a, b)
    }

    /// Fills a region, and returns whether it yields.
    fn region(&mut self, r: Region, around: Enclosing) -> bool {
        let scope = self.visible.len();
        let mut falls_through = true;
        for _ in 0..self.below(4) {
            if around.depth < DEPTH && self.below(2) == 0 {
                falls_through = self.construct(r, Enclosing { depth: around.depth + 1, ..around });
            } else {
                self.arithmetic(r);
            }
            if !falls_through {
                break;
            }
        }
        let exit = if falls_through { self.exit(r, around) } else { Exit::Unreachable };
        self.f.regions[r].exit = exit;
        self.visible.truncate(scope);
        matches!(exit, Exit::Yield(_))
    }

    fn exit(&mut self, r: Region, around: Enclosing) -> Exit {
        let choice = self.below(4);
        if let (2, Some(count)) = (choice, around.breaks) {
            return Exit::Break(self.any_list(count));
        }
        if let (Some((count, counter)), true) = (around.continues, choice == 3 || around.yields.is_none()) {
            return self.repeat(r, count, counter);
        }
        Exit::Yield(self.any_list(around.yields.expect("a region that is not a loop body may yield")))
    }

    /// Continues the loop with its counter one up.
    fn repeat(&mut self, r: Region, count: usize, counter: Value) -> Exit {
        let one = float(self.f, r, 1.0);
        let next = binary(self.f, r, Type::F32, Binary::Add, counter, one);
        let rest: Vec<Value> = (1..count).map(|_| self.any()).collect();
        Exit::Continue(self.f.list([next].into_iter().chain(rest)))
    }

    /// Adds a construct, and returns whether control falls through it.
    fn construct(&mut self, r: Region, around: Enclosing) -> bool {
        match self.below(4) {
            0 => self.make_if(r, around),
            1 => self.make_loop(r, around),
            2 => self.make_block(r, around),
            _ => self.make_switch(r, around),
        }
    }

    fn results(&mut self, count: usize, falls_through: bool) -> ValueList {
        let count = if falls_through { count } else { 0 };
        let values: Vec<Value> = (0..count).map(|_| result(self.f, Type::F32)).collect();
        self.visible.extend(&values);
        self.f.list(values)
    }

    fn make_if(&mut self, r: Region, around: Enclosing) -> bool {
        let cond = self.condition(r);
        let count = self.below(3);
        let (then, otherwise) = (region(self.f), region(self.f));
        let inner = Enclosing { yields: Some(count), ..around };
        let then_yields = self.region(then, inner);
        let falls_through = self.region(otherwise, inner) || then_yields;
        let results = self.results(count, falls_through);
        node(self.f, r, NodeData::If { cond, then, otherwise, results });
        falls_through
    }

    /// The body begins with a break, so that every loop ends.
    fn make_loop(&mut self, r: Region, around: Enclosing) -> bool {
        let (results, params) = (self.below(3), 1 + self.below(3));
        let start = float(self.f, r, 0.5);
        let rest: Vec<Value> = (1..params).map(|_| self.any()).collect();
        let inits = self.f.list([start].into_iter().chain(rest));
        let values: Vec<Value> = (0..params).map(|_| param(self.f, Type::F32)).collect();
        let counter = values[0];
        let body = region(self.f);
        let scope = self.visible.len();
        self.visible.extend(&values);
        let params_list = self.f.list(values);
        let limit = float(self.f, body, 4.0);
        let over = binary(self.f, body, Type::BOOL, Binary::Greater, counter, limit);
        let exit = Exit::Break(self.any_list(results));
        let (then, otherwise) = (bare(self.f, exit), bare(self.f, Exit::Yield(ValueList::EMPTY)));
        let guard = NodeData::If { cond: over, then, otherwise, results: ValueList::EMPTY };
        node(self.f, body, guard);
        self.region(
            body,
            Enclosing { yields: None, breaks: Some(results), continues: Some((params, counter)), ..around },
        );
        self.visible.truncate(scope);
        let results = self.results(results, true);
        node(self.f, r, NodeData::Loop { params: params_list, inits, body, results });
        true
    }

    fn make_block(&mut self, r: Region, around: Enclosing) -> bool {
        let count = self.below(3);
        let body = region(self.f);
        self.region(body, Enclosing { yields: Some(count), breaks: Some(count), ..around });
        let falls_through = self.is_left(&[body]);
        let results = self.results(count, falls_through);
        node(self.f, r, NodeData::Block { body, results });
        falls_through
    }

    fn make_switch(&mut self, r: Region, around: Enclosing) -> bool {
        let count = self.below(3);
        let x = self.any();
        let selector = self.f.emit(r, Type::I32, Op::Unary(Unary::ToInt, x));
        let inner = Enclosing { yields: Some(count), breaks: Some(count), ..around };
        let mut cases = Vec::new();
        let mut next = -3;
        for _ in 0..self.below(4) {
            let case = region(self.f);
            self.region(case, inner);
            let values = (0..1 + self.below(2)).map(|index| next + index as i32).collect::<Vec<i32>>();
            next += values.len() as i32 + self.below(2) as i32;
            cases.push((values, case));
        }
        let default = region(self.f);
        self.region(default, inner);
        let regions: Vec<Region> = cases.iter().map(|case| case.1).chain([default]).collect();
        let falls_through = self.is_left(&regions);
        let results = self.results(count, falls_through);
        node(self.f, r, NodeData::Switch { selector, cases, default, results });
        falls_through
    }

    /// Returns whether a region of a breakable yields or breaks, here or inside an `if`.
    fn is_left(&self, regions: &[Region]) -> bool {
        let yields = |&region: &Region| matches!(self.f.regions[region].exit, Exit::Yield(_));
        if regions.iter().any(yields) {
            return true;
        }
        let mut work = regions.to_vec();
        while let Some(region) = work.pop() {
            if matches!(self.f.regions[region].exit, Exit::Break(_)) {
                return true;
            }
            for item in &self.f.regions[region].items {
                if let Item::Node(node) = *item
                    && let NodeData::If { then, otherwise, .. } = self.f.nodes[node]
                {
                    work.extend([then, otherwise]);
                }
            }
        }
        false
    }
}
