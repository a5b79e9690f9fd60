//! Any program on any state: every intermediate form has the interpreter's results, and so does the
//! translator's module under any options, with its uniform block filled by the host's rules.

use crate::chain::{self, BUDGET, Case, bits, same_outputs};
use crate::generate::special_inputs;
use crate::ir::{Evaluator, InputValues, Lanes, same_numbers};
use arbitrary::Unstructured;
use transpica::container::write;
use transpica::host::dvle::FileEnvironment;
use transpica::host::{HostField, HostValues, MemberType, UniformBlock, dvle, pack};
use transpica::isa::{Opcode, Pc, Uniforms};
use transpica::{Limits, Machine, Profile, Program, Shbin, Translator};

use super::{Input, unless_refused};

/// Vertices per program.
const VERTICES: usize = 2;
/// Largest number of code words in a program: longer ones only take more time.
const WORDS: usize = 200;
/// The NOP instruction.
const NOP: u32 = 0x8400_0000;
/// Limit of the evaluator's items per vertex.
const ITEMS: u64 = 1 << 22;

pub fn check(bytes: &[u8]) {
    let Ok(mut input) = Input::read(&mut Unstructured::new(bytes)) else { return };
    input.model.code.truncate(WORDS);
    let bytes = write(&input.model);
    let Ok(file) = Shbin::parse(&bytes) else { return };
    let Ok(program) = dvle::program(&file, 0, &Limits::default()) else { return };
    let environment = FileEnvironment::new(&file, 0, "any.shbin").expect("there");
    let (mut uniforms, vertices) = input.state(VERTICES);
    environment.constants().apply(&mut uniforms);
    input.settings.options.control.apply(&mut uniforms);
    check_forms(&input, &program, &uniforms, &vertices);
    check_module(&input, &program, &environment, &uniforms, &vertices);
}

/// Checks every form separately, on the program without its undefined opcodes.
fn check_forms(input: &Input, program: &Program<'_>, uniforms: &Uniforms, vertices: &[[[f32; 4]; 16]]) {
    let defined = |&word: &u32| if Opcode::of_word(word).is_some() { word } else { NOP };
    let code: Vec<u32> = program.code().iter().map(defined).collect();
    let Pc(entry) = program.entry();
    let program = Program::new(code, program.descriptors(), Pc(entry), program.stage(), &Limits::default())
        .expect("as before");
    let options = chain::options(input.settings.options.arithmetic.precision);
    let Ok(case) = Case::new(&program, uniforms.clone(), options, vertices) else { return };
    case.compare().unwrap_or_else(|disagreement| panic!("{disagreement}"));
}

/// Checks the translator's module.
fn check_module(
    input: &Input,
    program: &Program<'_>,
    environment: &FileEnvironment<'_>,
    uniforms: &Uniforms,
    vertices: &[[[f32; 4]; 16]],
) {
    let options = input.job.effective(&input.settings.options);
    let Ok(mut machine) = Machine::new(program, options.settings(BUDGET)) else { return };
    machine.set_uniforms(uniforms);
    let mut translator = Translator::new(options, Profile::default());
    let Some(translated) = unless_refused(translator.translate(program, environment, input.job)) else {
        return;
    };
    let evaluator = Evaluator::new(&translated.module).unwrap_or_else(|error| panic!("{error}"));
    let outputs = &translated.interface.outputs;
    let block = &translated.interface.block;
    let host = host_values(input.seed);
    let mut environment = InputValues {
        // Specialization constants take the values of their registers.
        ints: uniforms.ints,
        bools: uniforms.bools,
        members: members(block, &pack(block, uniforms)),
        host: fields(&host),
        ..InputValues::default()
    };
    for (vertex, inputs) in vertices.iter().enumerate() {
        let Ok(registers) = machine.run(&options.attributes_seen(*inputs)) else { continue };
        let expected: Vec<Lanes> = if input.job.is_compute() {
            bits(registers).to_vec()
        } else {
            outputs.iter().map(|output| output.value(registers, &options, &host).map(f32::to_bits)).collect()
        };
        environment.inputs = bits(inputs);
        let found = evaluator
            .run(options.arithmetic.precision, &environment, ITEMS)
            .unwrap_or_else(|error| panic!("{error}"));
        let form = format!("translated, {} {options:?}", translated.tier);
        same_outputs(&form, vertex, &expected, &found, same_numbers)
            .unwrap_or_else(|disagreement| panic!("{disagreement}\n{}", translated.module));
    }
}

/// Returns a shader's view of a uniform buffer: the elements of each member.
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

/// Returns the host's values at the draw.
fn host_values(seed: u32) -> HostValues {
    let clip_plane = special_inputs(seed.into(), 1)[0][0];
    HostValues { clip_enabled: seed & 1 != 0, flip_y: seed & 2 != 0, clip_plane, ..HostValues::default() }
}

/// Returns the fields of the host block by index.
fn fields(host: &HostValues) -> [Lanes; HostField::ALL.len()] {
    let flag = |flag: bool| [u32::from(flag), 0, 0, 0];
    HostField::ALL.map(|field| match field {
        HostField::ClipEnabled => flag(host.clip_enabled),
        HostField::FlipY => flag(host.flip_y),
        HostField::ClipPlane => host.clip_plane.map(f32::to_bits),
        HostField::Parameter(number) => host.parameters[usize::from(number % 16)].map(f32::to_bits),
    })
}
