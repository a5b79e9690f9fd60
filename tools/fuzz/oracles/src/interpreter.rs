//! Any program on any state: every form of it gives what the interpreter gives, and so does what the translator makes of it
//! under any options, with its uniform block filled as a host fills it.

use arbitrary::Unstructured;
use transpica::container::{Shbin, write};
use transpica::host::dvle::{self, Executable};
use transpica::host::interface::ComponentSource;
use transpica::host::{
    DepthRange, EntryPoint, FlipY, HostField, MemberType, Options, Output, OutputValue, UniformBlock, pack,
};
use transpica::interp::{Machine, Settings};
use transpica::ir::eval::{Environment, Evaluator, Lanes};
use transpica::isa::{Opcode, Pc, Program, Uniforms};
use transpica::limits::Limits;
use transpica::lower::Outputs;
use transpica::precision::arith;
use transpica::{Profile, Translator};
use transpica_generate::{inputs, special_inputs, special_uniforms, uniforms};
use transpica_prove::chain::{self, BUDGET, Bits, Case, bits, same_outputs};

use crate::{Input, unless_refused};

/// Vertices of each program.
const VERTICES: usize = 2;
/// Code words of a program at most: longer ones only take longer.
const WORDS: usize = 200;
/// The word that does nothing.
const NOP: u32 = 0x8400_0000;
/// Items that the evaluator may take for a vertex.
const ITEMS: u64 = 1 << 22;

pub fn check(bytes: &[u8]) {
    let Ok(mut input) = Input::read(&mut Unstructured::new(bytes)) else { return };
    input.model.code.truncate(WORDS);
    let bytes = write(&input.model);
    let Ok(file) = Shbin::parse(&bytes) else { return };
    let Ok(program) = dvle::program(&file, 0, &Limits::default()) else { return };
    let around = Executable::new(&file, 0, "any.shbin").expect("there");
    let (mut uniforms, vertices) = state(&input);
    around.constants().apply(&mut uniforms);
    known(&input.options, &mut uniforms);
    forms(&input, &program, &uniforms, &vertices);
    door(&input, &program, &around, &uniforms, &vertices);
}

/// Uniforms and vertices from the seed: moderate values, or such as rules go wrong on.
fn state(input: &Input) -> (Uniforms, Vec<[[f32; 4]; 16]>) {
    let seed = u64::from(input.seed);
    if input.target & 1 == 0 {
        (uniforms(seed), inputs(seed, VERTICES))
    } else {
        (special_uniforms(seed), special_inputs(seed, VERTICES))
    }
}

/// Gives uniforms the values that the options take for granted.
fn known(options: &Options, uniforms: &mut Uniforms) {
    for id in 0..16 {
        if let Some(value) = options.known_bool(id) {
            uniforms.set_bool(id, value);
        }
    }
    for (index, int) in (0..).zip(&mut uniforms.ints) {
        *int = options.known_int(index).unwrap_or(*int);
    }
}

/// Every form of its own, on the program without its undefined opcodes.
fn forms(input: &Input, program: &Program<'_>, uniforms: &Uniforms, vertices: &[[[f32; 4]; 16]]) {
    let defined = |&word: &u32| if Opcode::of_word(word).is_some() { word } else { NOP };
    let code: Vec<u32> = program.code().iter().map(defined).collect();
    let Pc(entry) = program.entry();
    let program = Program::new(code, program.descriptors(), Pc(entry), program.stage(), &Limits::default())
        .expect("as before");
    let options = Options {
        portable_exponentials: input.options.portable_exponentials,
        ..chain::options(input.options.precision)
    };
    let Some(mut machine) = machine(&program, options.settings(BUDGET), uniforms) else { return };
    let mut finished = Vec::new();
    for inputs in vertices {
        if let Ok(outputs) = machine.run(inputs) {
            finished.push((bits(inputs), bits(outputs).to_vec()));
        }
    }
    let case = Case {
        program: &program,
        uniforms: uniforms.clone(),
        options,
        outputs: Outputs::Registers,
        vertices: finished,
    };
    case.compare().unwrap_or_else(|disagreement| panic!("{disagreement}"));
}

fn machine(program: &Program<'_>, settings: Settings, uniforms: &Uniforms) -> Option<Machine> {
    let mut machine = Machine::new(program, settings).ok()?;
    machine.set_uniforms(uniforms);
    Some(machine)
}

/// What comes out of the translator.
fn door(
    input: &Input,
    program: &Program<'_>,
    around: &Executable<'_>,
    uniforms: &Uniforms,
    vertices: &[[[f32; 4]; 16]],
) {
    let options = input.options;
    let Some(mut machine) = machine(program, options.settings(BUDGET), uniforms) else { return };
    let mut translator = Translator::new(options, Profile::default());
    let Some(translated) = unless_refused(translator.translate(program, around)) else { return };
    let evaluator = Evaluator::new(&translated.module).unwrap_or_else(|error| panic!("{error}"));
    let outputs = &translated.interface.outputs;
    let block = &translated.interface.block;
    let host = host_block(input.seed);
    let members = members(block, &pack(block, uniforms));
    for (vertex, inputs) in vertices.iter().enumerate() {
        let Ok(registers) = machine.run(&fetched(*inputs, &options)) else { continue };
        let expected: Vec<Lanes> = match options.entry {
            EntryPoint::Compute => bits(registers).to_vec(),
            EntryPoint::Vertex => {
                outputs.iter().map(|output| semantic(output, registers, &options, &host)).collect()
            }
        };
        let environment = Host { inputs: bits(inputs), members: &members, uniforms, host };
        let found =
            evaluator.run(options.precision, &environment, ITEMS).unwrap_or_else(|error| panic!("{error}"));
        let form = format!("translated, {} {options:?}", translated.tier);
        same_outputs(&form, vertex, &expected, &found)
            .unwrap_or_else(|disagreement| panic!("{disagreement}\n{}", translated.module));
    }
}

/// An output of the vertex entry, from the output registers.
fn semantic(output: &Output, registers: &[[f32; 4]; 16], options: &Options, host: &[Lanes; 3]) -> Lanes {
    let mut lanes = [0f32; 4];
    for (lane, source) in lanes.iter_mut().zip(&output.components) {
        *lane = match *source {
            ComponentSource::Register { register, component } => {
                registers[usize::from(register)][component.index()]
            }
            ComponentSource::One => 1.0,
            ComponentSource::Zero => 0.0,
        };
    }
    let add = |a, b| arith::add(options.precision, a, b);
    let is_set = |field: HostField| host[field as usize][0] != 0;
    match output.value {
        OutputValue::Color if options.clamp_colors => {
            lanes.iter_mut().for_each(|lane| *lane = arith::min(lane.abs(), 1.0));
        }
        OutputValue::Plain | OutputValue::Color => {}
        OutputValue::Position => {
            lanes[2] = match options.depth {
                DepthRange::ZeroToW => -lanes[2],
                DepthRange::MinusWToW => -add(add(lanes[2], lanes[2]), lanes[3]),
                DepthRange::Raw => lanes[2],
            };
            lanes[1] = match options.flip_y {
                FlipY::Always => -lanes[1],
                FlipY::Dynamic if is_set(HostField::FlipY) => -lanes[1],
                FlipY::Never | FlipY::Dynamic => lanes[1],
            };
        }
        OutputValue::ClipDistances => {
            let plane = host[HostField::ClipPlane as usize].map(f32::from_bits);
            let product = |lane: usize| arith::mul(options.precision, plane[lane], lanes[lane]);
            let distance = add(add(add(product(0), product(1)), product(2)), product(3));
            let on = is_set(HostField::ClipEnabled);
            lanes = [-lanes[2], if on { distance } else { 0.0 }, 0.0, 0.0];
        }
    }
    lanes.map(f32::to_bits)
}

/// What a shader reads of a uniform buffer: the elements of each member.
fn members(block: &UniformBlock, buffer: &[u8]) -> Vec<Vec<Lanes>> {
    let word = |at: usize| u32::from_le_bytes(buffer[at..at + 4].try_into().expect("four bytes"));
    let elements = block.members.iter().map(|member| {
        let start = member.offset as usize;
        let (elements, lanes) = match member.ty {
            MemberType::Vec4 | MemberType::IVec4 => (1, 4),
            MemberType::Vec4Array(count) | MemberType::IVec4Array(count) => (usize::from(count), 4),
            MemberType::PackedInts => (1, 4),
            MemberType::Bits => (1, 1),
        };
        let element = |element: usize| -> Lanes {
            std::array::from_fn(|lane| if lane < lanes { word(start + 16 * element + 4 * lane) } else { 0 })
        };
        (0..elements).map(element).collect()
    });
    elements.collect()
}

/// A host: attributes and a uniform buffer.
struct Host<'a> {
    inputs: Bits,
    members: &'a [Vec<Lanes>],
    /// For specialisation constants, which are given the values of their registers.
    uniforms: &'a Uniforms,
    /// The host block.
    host: [Lanes; 3],
}

impl Environment for Host<'_> {
    fn input(&self, register: u8) -> Lanes {
        self.inputs[usize::from(register)]
    }
    fn member(&self, member: u16, element: u16) -> Option<Lanes> {
        self.members.get(usize::from(member))?.get(usize::from(element)).copied()
    }
    fn int_uniform(&self, index: u8, component: u8) -> u8 {
        self.uniforms.ints[usize::from(index)][usize::from(component)]
    }
    fn bool_uniform(&self, register: u8) -> bool {
        self.uniforms.bool(register)
    }
    fn host_field(&self, field: u8) -> Lanes {
        self.host[usize::from(field)]
    }
}

/// The fields of the host block, by their numbers.
fn host_block(seed: u32) -> [Lanes; 3] {
    let plane = special_inputs(seed.into(), 1)[0][0].map(f32::to_bits);
    [[seed & 1, 0, 0, 0], [seed & 2, 0, 0, 0], plane]
}

/// What the program sees of an attribute that has fewer components than four.
fn fetched(mut inputs: [[f32; 4]; 16], options: &Options) -> [[f32; 4]; 16] {
    if options.entry == EntryPoint::Vertex {
        for (register, format) in inputs.iter_mut().zip(&options.attributes) {
            let components = usize::from(format.components);
            register[components..].copy_from_slice(&[0.0, 0.0, 0.0, 1.0][components..]);
        }
    }
    inputs
}
