//! Any program on any state: every intermediate form has the interpreter's results, and so does the
//! translator's module under any options, with its uniform block filled by the host's rules.

use crate::chain::{self, BUDGET, Case, bits};
use crate::executors::{Evaluated, check as check_form, padded};
use crate::generate::special_inputs;
use arbitrary::Unstructured;
use transpica::container::write;
use transpica::host::dvle::FileEnvironment;
use transpica::host::{HostValues, Output, dvle};
use transpica::isa::sizes::OUTPUTS;
use transpica::isa::{Opcode, Pc, Uniforms};
use transpica::{Limits, Machine, Profile, Program, Shbin, Translator};

use transpica_inspect::executor::{self, compare_with};

use super::{Input, unless_refused};

/// Vertices per program.
const VERTICES: usize = 2;
/// Largest number of code words in a program: longer ones only take more time.
const WORDS: usize = 200;
/// The NOP instruction.
const NOP: u32 = 0x8400_0000;

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
    let (outputs, host) = (&translated.interface.outputs, host_values(input.seed));
    let mut expect = |inputs: &[[f32; 4]; 16]| {
        let registers = machine.run(&options.attributes_seen(*inputs)).ok()?;
        let value = |output: &Output| output.value(registers, &options, &host).map(f32::to_bits);
        Some(match input.job.is_compute() {
            true => bits(registers),
            false => padded(&outputs.iter().map(value).collect::<Vec<_>>()),
        })
    };
    let expected: Vec<_> = vertices.iter().map(&mut expect).collect();
    let form = format!("translated, {} {options:?}", translated.tier);
    let block = &translated.interface.block;
    let count = if input.job.is_compute() { OUTPUTS } else { outputs.len() };
    let form = Evaluated { form: &form, module: &translated.module, block, outputs: count, host };
    let case = executor::Case { program, environment, uniforms, inputs: vertices, options, budget: BUDGET };
    let verdict = compare_with(&form, &case, &expected).unwrap_or_else(|error| panic!("{error}"));
    check_form(form.form, &verdict, false)
        .unwrap_or_else(|disagreement| panic!("{disagreement}\n{}", translated.module));
}

/// Returns the host's values at the draw.
fn host_values(seed: u32) -> HostValues {
    let clip_plane = special_inputs(seed.into(), 1)[0][0];
    HostValues { clip_enabled: seed & 1 != 0, flip_y: seed & 2 != 0, clip_plane, ..HostValues::default() }
}
