//! Modules built by hand: each is loaded by rspirv, accepted by spirv-val and by naga, and
//! executed.

mod control;
mod interface;
mod legalized;
mod letter;
mod ops;
mod random;

use rspirv::binary::Disassemble;
use transpica::host::{EntryPoint, Interface};
use transpica::stages::backend::spirv::{BackendInput, SpirvWriter};
use transpica::stages::ir::{
    Exit, Func, Item, Module, Node, NodeData, Op, Phase, Region, RegionData, Resource, Type, Value,
    ValueList, verify,
};
use transpica::{Options, Profile};
use transpica_proof::ir::{InputValues, eval};
use transpica_proof::spirv_machine::{self as machine, World};
use transpica_proof::spirv_tools::{bytes, tool, validate_for};

/// Items that the evaluator may take.
const BUDGET: u64 = 1_000_000;

/// Everything the back end needs for one module.
#[derive(Clone, Default)]
struct Case {
    module: Module,
    interface: Interface,
    options: Options,
    profile: Profile,
}

impl Case {
    /// A compute module whose first outputs are what `build` returns (f32x4); the others are 0.
    fn compute(build: impl FnOnce(&mut Func, Region) -> Vec<Value>) -> Self {
        let mut case = Self::default();
        case.interface.entry_point = EntryPoint::Compute;
        case.module.main = function(|f, body| {
            let mut outputs = build(f, body);
            let zero = f.emit(body, Type::F32X4, Op::Const([0; 4]));
            outputs.resize(16, zero);
            outputs
        });
        case
    }

    fn source(&self) -> BackendInput<'_> {
        BackendInput {
            module: &self.module,
            interface: &self.interface,
            limits: &self.options.limits,
            profile: &self.profile,
            debug_source: None,
        }
    }

    fn write(&self) -> transpica::Result<Vec<u32>> {
        SpirvWriter::new().write(&self.source())
    }

    /// Returns the words after all readers accepted them. The module must be well-formed.
    fn check(&self) -> Vec<u32> {
        verify(&self.module, Phase::Legal).expect("the test's module is well-formed");
        let words = self.write().expect("the module is written");
        validate(&words, self.profile.spirv_version);
        words
    }

    /// Register o0 onwards after one invocation on these inputs v0 onwards.
    fn run(&self, inputs: &[[f32; 4]]) -> Vec<[f32; 4]> {
        let bits = self.run_bits(&inputs.iter().map(|v| v.map(f32::to_bits)).collect::<Vec<_>>());
        bits.into_iter().map(|register| register.map(f32::from_bits)).collect()
    }

    fn run_bits(&self, inputs: &[[u32; 4]]) -> Vec<[u32; 4]> {
        self.run_words(&self.check(), inputs)
    }

    /// As [`run_bits`](Self::run_bits), and the evaluator must agree.
    fn run_words(&self, words: &[u32], inputs: &[[u32; 4]]) -> Vec<[u32; 4]> {
        let mut registers = InputValues::default();
        registers.inputs[..inputs.len()].copy_from_slice(inputs);
        let expected = eval(&self.module, self.options.arithmetic.precision, &registers, BUDGET)
            .expect("the module ends");
        let mut world = World::default();
        world.buffers.insert(0, registers.inputs.concat());
        world.buffers.insert(1, vec![0; 64]);
        machine::run(words, &mut world);
        let outputs: Vec<[u32; 4]> = world.buffers[&1].chunks(4).map(|r| [r[0], r[1], r[2], r[3]]).collect();
        let same =
            |(a, b): (&u32, &u32)| a == b || f32::from_bits(*a).is_nan() && f32::from_bits(*b).is_nan();
        let agree = outputs.concat().iter().zip(&expected.concat()).all(same);
        assert!(agree, "{outputs:x?}\n{expected:x?}\n{}", transpica::stages::ir::text::print(&self.module));
        outputs
    }
}

/// A function whose body yields what `build` returns.
fn function(build: impl FnOnce(&mut Func, Region) -> Vec<Value>) -> Func {
    let mut f = Func { name: "test".into(), ..Func::default() };
    let body = region(&mut f);
    f.body = Some(body);
    let outputs = build(&mut f, body);
    let list = f.list(outputs);
    f.regions[body].exit = Exit::Yield(list);
    f
}

fn region(f: &mut Func) -> Region {
    f.regions.push(RegionData::default())
}

/// An empty region with this exit.
fn bare(f: &mut Func, exit: Exit) -> Region {
    f.regions.push(RegionData { items: Vec::new(), exit })
}

fn result(f: &mut Func, ty: Type) -> Value {
    f.value(ty, transpica::stages::ir::Def::Result)
}

fn param(f: &mut Func, ty: Type) -> Value {
    f.value(ty, transpica::stages::ir::Def::Param)
}

fn single(f: &mut Func, value: Value) -> ValueList {
    f.list([value])
}

fn node(f: &mut Func, within: Region, data: NodeData) -> Node {
    let node = f.nodes.push(data);
    f.regions[within].items.push(Item::Node(node));
    node
}

fn float(f: &mut Func, r: Region, value: f32) -> Value {
    f.emit(r, Type::F32, Op::Const([value.to_bits(), 0, 0, 0]))
}

fn int(f: &mut Func, r: Region, value: i32) -> Value {
    f.emit(r, Type::I32, Op::Const([value as u32, 0, 0, 0]))
}

fn lane(f: &mut Func, r: Region, value: Value, index: u8) -> Value {
    let ty = f.ty(value).with_lanes(1);
    f.emit(r, ty, Op::Shuffle([transpica::stages::ir::Lane::new(value, index); 4]))
}

/// Four lanes of a scalar.
fn splat(f: &mut Func, r: Region, value: Value) -> Value {
    f.emit(r, Type::F32X4, Op::Shuffle([transpica::stages::ir::Lane::new(value, 0); 4]))
}

fn binary(f: &mut Func, r: Region, ty: Type, op: transpica::stages::ir::Binary, a: Value, b: Value) -> Value {
    f.emit(r, ty, Op::Binary(op, a, b))
}

fn input(f: &mut Func, r: Region, register: u8) -> Value {
    f.emit(r, Type::F32X4, Op::Read(Resource::Input(register)))
}

/// rspirv, spirv-val and naga must accept the module.
fn validate(words: &[u32], version: (u8, u8)) {
    rspirv::dr::load_words(words).expect("rspirv loads the module");
    let assembly = || disassembled(words);
    if let Err(error) = validate_for(words, version) {
        panic!("{error}\n{}", assembly());
    }
    let options = naga::front::spv::Options {
        adjust_coordinate_space: false,
        strict_capabilities: true,
        ..Default::default()
    };
    let module = naga::front::spv::parse_u8_slice(&bytes(words), &options)
        .unwrap_or_else(|error| panic!("naga: {error:?}\n{}", assembly()));
    let mut validator =
        naga::valid::Validator::new(naga::valid::ValidationFlags::all(), naga::valid::Capabilities::empty());
    validator.validate(&module).unwrap_or_else(|error| panic!("naga: {error:?}\n{}", assembly()));
}

/// Returns the module as text, with one space where rspirv writes two.
#[track_caller]
fn disassembled(words: &[u32]) -> String {
    rspirv::dr::load_words(words).expect("the module is readable").disassemble().replace("  ", " ") + "\n"
}
