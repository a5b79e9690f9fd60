//! Register state made from a file provides the same bindings to a program as the file itself.

use transpica::container::{Dvle, ShaderType};
use transpica::host::dvle::FileEnvironment;
use transpica::host::{Environment, OutputMap, dvle};
use transpica::isa::Uniforms;
use transpica::settings::{Block, Layout};
use transpica::{Job, Options, Profile, RegisterState, Shbin, Stage, Translator};
use transpica_proof::spirv_tools;

use crate::samples::samples;

/// Returns whether the registers of an output table are o0, o1, … without a gap, and as many as the
/// library keeps words for.
fn is_contiguous(executable: &Dvle<'_>) -> bool {
    let mask = executable.outputs.iter().fold(0u32, |mask, output| mask | 1 << output.register);
    mask & (mask + 1) == 0 && mask < 1 << 7
}

#[test]
fn output_maps_of_registers_and_files_agree_where_outputs_are_contiguous() {
    let (mut equal, mut others) = (0, 0);
    for sample in samples() {
        let file = Shbin::parse(&sample.bytes).expect("valid");
        for (index, executable) in file.executables.iter().enumerate() {
            if executable.header.shader_type() != Some(ShaderType::Vertex) {
                continue;
            }
            if !is_contiguous(executable) {
                others += 1;
                continue;
            }
            let state = RegisterState::from_dvle(&file, index, None).expect("a vertex program");
            let map = OutputMap::from_executable(executable);
            assert_eq!(state.vertex().output_map(), map, "{} {index}", sample.name);
            equal += 1;
        }
    }
    println!("{equal} executables, {others} with gaps");
    assert!(equal > 80, "{equal} executables only");
}

/// Returns whether uniforms have the same bits.
fn same(a: &Uniforms, b: &Uniforms) -> bool {
    let bits = |uniforms: &Uniforms| uniforms.floats.map(|float| float.map(f32::to_bits));
    (bits(a), a.ints, a.bools) == (bits(b), b.ints, b.bools)
}

/// The modules from a file and from registers differ only in names.
#[test]
fn files_and_registers_give_the_same_module() {
    let profile = Profile { names: false, ..Profile::default() };
    let mut count = 0;
    for job in [Job::Vertex, Job::Compute] {
        let options = Options {
            block: Block { layout: Layout::Registers, fold_constants: false, ..Block::default() },
            ..Options::default()
        };
        let mut translator = Translator::new(options, profile.clone());
        for sample in samples() {
            let file = Shbin::parse(&sample.bytes).expect("valid");
            for (index, executable) in file.executables.iter().enumerate() {
                // Beyond 512 words the unit has less code than the file.
                if executable.header.shader_type() != Some(ShaderType::Vertex)
                    || !is_contiguous(executable)
                    || file.package.code.len() > 512
                {
                    continue;
                }
                let name = format!("{} {index}", sample.name);
                let state = RegisterState::from_dvle(&file, index, None).expect("a vertex program");
                let program = dvle::program(&file, index, &options.limits).expect("valid");
                let environment = FileEnvironment::new(&file, index, "file").expect("exists");
                let raw = state.program(Stage::Vertex).expect("valid");
                assert_eq!(raw, program, "{name}");
                let mut module = |environment: &dyn Environment| {
                    let translated = translator.translate(&raw, environment, job)?;
                    translator.spirv(&translated)
                };
                match (module(&environment), module(&state.vertex())) {
                    (Ok(of_file), Ok(of_registers)) => {
                        assert!(of_file == of_registers, "{name}");
                        spirv_tools::validate(&of_file).unwrap_or_else(|error| panic!("{name}: {error}"));
                    }
                    (of_file, of_registers) => assert_eq!(of_file, of_registers, "{name}"),
                }
                let mut uniforms = Uniforms::default();
                environment.constants().apply(&mut uniforms);
                assert!(same(&state.uniforms(Stage::Vertex), &uniforms), "{name}");
                count += 1;
            }
        }
    }
    println!("{count} modules");
    assert!(count > 160, "{count} modules only");
}
