//! Executes SPIR-V modules on a driver that takes licenses of the specification, or none.
//! In: words, contents of the input variables and buffers. Out: contents of the output variables
//! and buffers. Knows only the instructions that the back end writes, and how SPIR-V defines them;
//! panics on anything else. `licenses.rs`: what a driver may do with floats.

mod licenses;

pub use licenses::Licenses;

use std::collections::{BTreeMap, BTreeSet};

use rspirv::dr::{self, Instruction, Operand};
use rspirv::spirv::{BuiltIn, Decoration, GlslStd450Op, Op, StorageClass, Word};

use transpica::stages::precision::arith;

use licenses::Function;

/// Blocks executed before a module counts as endless.
const BLOCKS: usize = 100_000;

#[derive(Clone, Debug)]
enum Ty {
    Scalar,
    Vector(u32),
    /// Element, byte stride, number of elements or 0.
    Array(Word, u32, u32),
    /// Members with their byte offsets.
    Struct(Vec<(Word, u32)>),
    Pointer(Word),
    Other,
}

#[derive(Clone, Debug, PartialEq)]
enum Val {
    Words(Vec<u32>),
    /// Variable, byte offset, type pointed to.
    Pointer(Word, u32, Word),
}

impl Val {
    fn words(&self) -> &[u32] {
        match self {
            Val::Words(words) => words,
            Val::Pointer(..) => panic!("pointer used as a value"),
        }
    }
}

/// Inputs and outputs of a run.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// Vertex attributes by location.
    pub attributes: BTreeMap<u32, Vec<u32>>,
    /// Buffers by binding.
    pub buffers: BTreeMap<u32, Vec<u32>>,
    /// `GlobalInvocationId.x`
    pub invocation: u32,
    /// Vertex outputs by location.
    pub outputs: BTreeMap<u32, Vec<u32>>,
    /// The position output.
    pub position: Vec<u32>,
    /// The clip distances.
    pub clip_distances: Vec<u32>,
}

struct Machine<'a> {
    module: &'a dr::Module,
    driver: &'a mut Licenses,
    types: BTreeMap<Word, Ty>,
    /// Types of floats and their vectors.
    floats: BTreeSet<Word>,
    globals: BTreeMap<Word, Val>,
    memory: BTreeMap<Word, Vec<u32>>,
    blocks: usize,
}

fn word(operand: &Operand) -> u32 {
    match operand {
        Operand::IdRef(word) | Operand::LiteralBit32(word) | Operand::LiteralExtInstInteger(word) => *word,
        other => panic!("{other:?}"),
    }
}

fn operand_words(instruction: &Instruction) -> Vec<u32> {
    instruction.operands.iter().map(word).collect()
}

/// Runs the module's entry point once, as IEEE 754 has its arithmetic.
///
/// # Panics
/// On words that the back end does not write.
pub fn run(words: &[Word], world: &mut World) {
    let module = dr::load_words(words).expect("rspirv loads our module");
    run_on(&module, world, &mut Licenses::none());
}

/// Runs the module's entry point once, on a driver.
///
/// # Panics
/// On words that the back end does not write.
pub fn run_on(module: &dr::Module, world: &mut World, driver: &mut Licenses) {
    let mut machine = Machine {
        module,
        driver,
        types: BTreeMap::new(),
        floats: BTreeSet::new(),
        globals: BTreeMap::new(),
        memory: BTreeMap::new(),
        blocks: 0,
    };
    let places = machine.globals(world);
    let entry = word(&module.entry_points[0].operands[1]);
    machine.call(entry, &[]);
    for (id, place) in places {
        let content = machine.memory.remove(&id).unwrap_or_default();
        match place {
            Place::Location(location) => drop(world.outputs.insert(location, content)),
            Place::Position => world.position = content,
            Place::ClipDistances => world.clip_distances = content,
            Place::Buffer(binding) => drop(world.buffers.insert(binding, content)),
        }
    }
}

enum Place {
    Location(u32),
    Position,
    ClipDistances,
    Buffer(u32),
}

impl Machine<'_> {
    fn decoration(&self, id: Word, wanted: Decoration) -> Option<&Operand> {
        let target = [Operand::IdRef(id), Operand::Decoration(wanted)];
        let found = self.module.annotations.iter().find(|i| i.operands.starts_with(&target))?;
        Some(found.operands.last().expect("has operands"))
    }

    fn offset(&self, id: Word, member: u32) -> u32 {
        let target =
            [Operand::IdRef(id), Operand::LiteralBit32(member), Operand::Decoration(Decoration::Offset)];
        let found = self.module.annotations.iter().find(|i| i.operands.starts_with(&target));
        word(&found.expect("every member has an offset").operands[3])
    }

    /// Types, constants and variables; says where the content of written variables goes.
    fn globals(&mut self, world: &World) -> Vec<(Word, Place)> {
        let mut places = Vec::new();
        for i in &self.module.types_global_values {
            let id = i.result_id.expect("globals have results");
            let ops = || operand_words(i);
            let ty = match i.class.opcode {
                Op::TypeFloat | Op::TypeInt | Op::TypeBool => Ty::Scalar,
                Op::TypeVector => Ty::Vector(ops()[1]),
                Op::TypeArray | Op::TypeRuntimeArray => {
                    // Arrays outside of blocks have none: their elements follow each other.
                    let stride = self.decoration(id, Decoration::ArrayStride).map_or(4, word);
                    let count = ops().get(1).map_or(0, |id| self.globals[id].words()[0]);
                    Ty::Array(ops()[0], stride, count)
                }
                Op::TypeStruct => {
                    Ty::Struct(ops().into_iter().zip(0..).map(|(ty, m)| (ty, self.offset(id, m))).collect())
                }
                Op::TypePointer => Ty::Pointer(word(&i.operands[1])),
                _ => Ty::Other,
            };
            let is_float = i.class.opcode == Op::TypeFloat
                || i.class.opcode == Op::TypeVector && self.floats.contains(&ops()[0]);
            if is_float {
                self.floats.insert(id);
            }
            self.types.insert(id, ty);
            let value = match i.class.opcode {
                Op::Constant => Val::Words(ops()),
                Op::ConstantTrue => Val::Words(vec![1]),
                Op::ConstantFalse => Val::Words(vec![0]),
                // Any number; dead values have it.
                Op::ConstantNull | Op::Undef => {
                    Val::Words(vec![0; self.lanes(i.result_type.expect("typed"))])
                }
                Op::ConstantComposite => {
                    Val::Words(ops().iter().flat_map(|id| self.globals[id].words().to_vec()).collect())
                }
                Op::Variable => self.variable(i, id, world, &mut places),
                _ => continue,
            };
            self.globals.insert(id, value);
        }
        places
    }

    fn variable(&mut self, i: &Instruction, id: Word, world: &World, places: &mut Vec<(Word, Place)>) -> Val {
        let Ty::Pointer(to) = self.types[&i.result_type.expect("typed")] else { panic!("not a pointer") };
        let location = self.decoration(id, Decoration::Location).map(word);
        let content = match i.operands[0] {
            Operand::StorageClass(StorageClass::Input) => match self.decoration(id, Decoration::BuiltIn) {
                Some(Operand::BuiltIn(BuiltIn::GlobalInvocationId)) => vec![world.invocation, 0, 0],
                None => world.attributes[&location.expect("inputs have locations")].clone(),
                other => panic!("{other:?}"),
            },
            Operand::StorageClass(StorageClass::Output) => {
                places.push((
                    id,
                    match (location, self.decoration(id, Decoration::BuiltIn)) {
                        (Some(location), _) => Place::Location(location),
                        (None, Some(Operand::BuiltIn(BuiltIn::ClipDistance))) => Place::ClipDistances,
                        (None, _) => Place::Position,
                    },
                ));
                vec![0xDEAD_BEEF; self.lanes(to)]
            }
            Operand::StorageClass(StorageClass::Uniform | StorageClass::StorageBuffer) => {
                let binding = word(self.decoration(id, Decoration::Binding).expect("buffers have bindings"));
                places.push((id, Place::Buffer(binding)));
                world.buffers[&binding].clone()
            }
            ref other => panic!("{other:?}"),
        };
        self.memory.insert(id, content);
        Val::Pointer(id, 0, to)
    }

    fn lanes(&self, ty: Word) -> usize {
        match self.types[&ty] {
            Ty::Scalar => 1,
            // An array of clip distances is stored as a whole.
            Ty::Vector(lanes) | Ty::Array(_, _, lanes) => lanes as usize,
            ref other => panic!("{other:?} is not a value type"),
        }
    }

    fn call(&mut self, function: Word, args: &[Val]) -> Option<Val> {
        let module = self.module;
        let function =
            module.functions.iter().find(|f| f.def_id() == Some(function)).expect("function exists");
        let mut values = self.globals.clone();
        for (param, arg) in function.parameters.iter().zip(args) {
            values.insert(param.result_id.expect("parameters have results"), arg.clone());
        }
        let mut block = &function.blocks[0];
        let mut previous = 0;
        loop {
            self.blocks += 1;
            assert!(self.blocks < BLOCKS, "endless");
            let label = block.label_id().expect("blocks have labels");
            let is_phi = |i: &&Instruction| i.class.opcode == Op::Phi;
            let phis: Vec<(Word, Val)> = block
                .instructions
                .iter()
                .take_while(is_phi)
                .map(|i| {
                    let ops = operand_words(i);
                    let pair =
                        ops.chunks(2).find(|pair| pair[1] == previous).expect("phi has its predecessor");
                    (i.result_id.expect("phis have results"), values[&pair[0]].clone())
                })
                .collect();
            for (id, value) in phis {
                values.insert(id, value);
            }
            let mut next = None;
            for i in block.instructions.iter().skip_while(is_phi) {
                match i.class.opcode {
                    Op::Branch => next = Some(word(&i.operands[0])),
                    Op::BranchConditional => {
                        let ops = operand_words(i);
                        next = Some(if values[&ops[0]].words()[0] != 0 { ops[1] } else { ops[2] });
                    }
                    Op::Switch => {
                        let ops = operand_words(i);
                        let selector = values[&ops[0]].words()[0];
                        let case = ops[2..].chunks(2).find(|case| case[0] == selector);
                        next = Some(case.map_or(ops[1], |case| case[1]));
                    }
                    Op::Return => return None,
                    Op::ReturnValue => return Some(values[&word(&i.operands[0])].clone()),
                    Op::Unreachable => panic!("unreachable reached"),
                    Op::SelectionMerge | Op::LoopMerge => {}
                    _ => self.step(i, &mut values),
                }
            }
            previous = label;
            let next = next.expect("blocks end in a branch");
            block = function.blocks.iter().find(|b| b.label_id() == Some(next)).expect("target exists");
        }
    }

    fn step(&mut self, i: &Instruction, values: &mut BTreeMap<Word, Val>) {
        let ops = operand_words(i);
        let value = match i.class.opcode {
            Op::Store => {
                let Val::Pointer(variable, offset, _) = values[&ops[0]] else { panic!("store to a value") };
                let words = values[&ops[1]].words().to_vec();
                let memory = self.memory.get_mut(&variable).expect("variable exists");
                memory[offset as usize / 4..][..words.len()].copy_from_slice(&words);
                return;
            }
            Op::Load => {
                let Val::Pointer(variable, offset, ty) = values[&ops[0]] else { panic!("load of a value") };
                let words = &self.memory[&variable][offset as usize / 4..][..self.lanes(ty)];
                let is_float = self.floats.contains(&ty);
                let driver = &mut *self.driver;
                Val::Words(
                    words.iter().map(|&bits| if is_float { driver.input(bits) } else { bits }).collect(),
                )
            }
            Op::AccessChain => self.chain(&ops, values),
            Op::ArrayLength => {
                let Val::Pointer(variable, ..) = values[&ops[0]] else { panic!("length of a value") };
                Val::Words(vec![self.memory[&variable].len() as u32 / 4])
            }
            Op::FunctionCall => {
                let args: Vec<Val> = ops[1..].iter().map(|id| values[id].clone()).collect();
                self.call(ops[0], &args).expect("helpers give a value")
            }
            op => {
                let ty = i.result_type.expect("typed");
                let lanes = self.lanes(ty);
                let id = i.result_id.expect("has a result");
                let mut words = compute(op, &ops, lanes, |id| values[&id].words(), self.driver, id);
                if matches!(op, Op::Select | Op::Bitcast) && self.floats.contains(&ty) {
                    words.iter_mut().for_each(|bits| *bits = self.driver.moved(*bits));
                }
                Val::Words(words)
            }
        };
        values.insert(i.result_id.expect("has a result"), value);
    }

    fn chain(&self, ops: &[u32], values: &BTreeMap<Word, Val>) -> Val {
        let Val::Pointer(variable, mut offset, mut ty) = values[&ops[0]] else { panic!("chain of a value") };
        for index in &ops[1..] {
            let index = values[index].words()[0];
            (ty, offset) = match &self.types[&ty] {
                Ty::Array(element, stride, _) => (*element, offset + stride * index),
                Ty::Struct(members) => (members[index as usize].0, offset + members[index as usize].1),
                other => panic!("chain into {other:?}"),
            };
        }
        Val::Pointer(variable, offset, ty)
    }
}

/// An operation on values, as a driver may compute it.
fn compute<'v>(
    op: Op,
    ops: &[u32],
    lanes: usize,
    value: impl Fn(Word) -> &'v [u32],
    driver: &mut Licenses,
    id: Word,
) -> Vec<u32> {
    let lane = |operand: usize, lane: usize| ops.get(operand).map_or(0, |&id| value(id)[lane]);
    let mut driven = |f: &mut dyn FnMut(&mut Licenses, [u32; 2]) -> u32| -> Vec<u32> {
        (0..lanes).map(|l| f(driver, [lane(0, l), lane(1, l)])).collect()
    };
    match op {
        Op::CompositeExtract => vec![value(ops[0])[ops[1] as usize]],
        Op::VectorShuffle => {
            let both = [value(ops[0]), value(ops[1])].concat();
            ops[2..].iter().map(|&index| both[index as usize]).collect()
        }
        Op::CompositeConstruct => ops.iter().flat_map(|&id| value(id).to_vec()).collect(),
        Op::Dot => vec![driver.dot(value(ops[0]), value(ops[1]), id)],
        Op::ExtInst => {
            let function = GlslStd450Op::from_u32(ops[1]).expect("known function");
            let pairs = (0..lanes).map(|l| [lane(2, l), lane(3.min(ops.len() - 1), l)]);
            let run = |pair: [u32; 2]| match function {
                GlslStd450Op::FMin => driver.choice(pair, arith::min),
                GlslStd450Op::FMax => driver.choice(pair, arith::max),
                GlslStd450Op::FAbs => driver.magnitude(pair[0]),
                GlslStd450Op::Floor => driver.floor(pair[0]),
                GlslStd450Op::Sqrt => driver.function(pair[0], Function::Sqrt),
                GlslStd450Op::InverseSqrt => driver.function(pair[0], Function::InverseSqrt),
                GlslStd450Op::Exp2 => driver.function(pair[0], Function::Exp2),
                GlslStd450Op::Log2 => driver.function(pair[0], Function::Log2),
                other => panic!("{other:?}"),
            };
            pairs.map(run).collect()
        }
        Op::IsNan => driven(&mut |driver, [a, _]| driver.is_nan(a)),
        Op::FNegate => driven(&mut |driver, [a, _]| driver.negated(a)),
        Op::FAdd => driven(&mut |driver, pair| driver.sum(pair, id)),
        Op::FMul => driven(&mut |driver, pair| driver.product(pair, id)),
        Op::FDiv => driven(&mut |driver, pair| driver.quotient(pair)),
        Op::FOrdEqual => driven(&mut |driver, pair| driver.compare(pair, |a, b| a == b)),
        Op::FOrdLessThan => driven(&mut |driver, pair| driver.compare(pair, |a, b| a < b)),
        Op::FOrdLessThanEqual => driven(&mut |driver, pair| driver.compare(pair, |a, b| a <= b)),
        Op::FOrdGreaterThan => driven(&mut |driver, pair| driver.compare(pair, |a, b| a > b)),
        Op::FOrdGreaterThanEqual => driven(&mut |driver, pair| driver.compare(pair, |a, b| a >= b)),
        Op::ConvertFToS => driven(&mut |driver, [a, _]| driver.truncated(a)),
        Op::ConvertSToF => driven(&mut |driver, [a, _]| driver.converted(a)),
        _of_integers => integers(op, ops, lanes, value),
    }
}

/// An operation on integers, truth values or bits.
fn integers<'v>(op: Op, ops: &[u32], lanes: usize, value: impl Fn(Word) -> &'v [u32]) -> Vec<u32> {
    let lane = |operand: usize, lane: usize| ops.get(operand).map_or(0, |&id| value(id)[lane]);
    let each = |f: &dyn Fn(u32, u32, u32) -> u32| -> Vec<u32> {
        (0..lanes).map(|l| f(lane(0, l), lane(1, l), lane(2, l))).collect()
    };
    match op {
        Op::Bitcast => each(&|a, _, _| a),
        Op::LogicalNot => each(&|a, _, _| a ^ 1),
        Op::LogicalAnd | Op::BitwiseAnd => each(&|a, b, _| a & b),
        Op::LogicalOr | Op::BitwiseOr => each(&|a, b, _| a | b),
        Op::BitwiseXor => each(&|a, b, _| a ^ b),
        Op::IAdd => each(&|a, b, _| a.wrapping_add(b)),
        Op::ISub => each(&|a, b, _| a.wrapping_sub(b)),
        Op::IMul => each(&|a, b, _| a.wrapping_mul(b)),
        Op::IEqual => each(&|a, b, _| u32::from(a == b)),
        Op::SLessThan => each(&|a, b, _| u32::from((a as i32) < b as i32)),
        Op::SGreaterThan => each(&|a, b, _| u32::from(a as i32 > b as i32)),
        Op::SGreaterThanEqual => each(&|a, b, _| u32::from(a as i32 >= b as i32)),
        Op::SLessThanEqual => each(&|a, b, _| u32::from(a as i32 <= b as i32)),
        Op::ULessThan => each(&|a, b, _| u32::from(a < b)),
        Op::UGreaterThanEqual => each(&|a, b, _| u32::from(a >= b)),
        Op::ShiftRightLogical => each(&|a, b, _| a.wrapping_shr(b)),
        Op::ShiftLeftLogical => each(&|a, b, _| a.wrapping_shl(b)),
        Op::Select => each(&|c, a, b| if c != 0 { a } else { b }),
        other => panic!("{other:?}"),
    }
}
