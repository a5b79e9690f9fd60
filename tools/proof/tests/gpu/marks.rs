//! Every float operation of every function of an exact module has NoContraction: in our words, in
//! what glslang makes of our GLSL, and in what naga makes of our WGSL once its decorations are
//! back.

use std::collections::BTreeSet;

use rspirv::dr;
use rspirv::spirv::{Decoration, Op};
use transpica::settings::FloatControls;
use transpica::{GlslVersion, Job, Options, Profile, Translator};
use transpica_gpu::Shader;
use transpica_proof::glslang::{self, Stage};

use crate::drivers::Language;
use crate::samples;

/// Float operations of a module, and those of them without NoContraction.
fn operations(words: &[u32]) -> [usize; 2] {
    let module = dr::load_words(words).expect("a module");
    let mark = dr::Operand::Decoration(Decoration::NoContraction);
    let marked = module.annotations.iter().filter(|one| one.operands.get(1) == Some(&mark));
    let marked: BTreeSet<_> = marked.filter_map(|one| one.operands[0].id_ref_any()).collect();
    let is_float = |one: &&dr::Instruction| {
        use Op::{Dot, FAdd, FDiv, FMul, FSub, MatrixTimesVector, VectorTimesMatrix, VectorTimesScalar};
        matches!(
            one.class.opcode,
            FAdd | FSub | FMul | FDiv | Dot | VectorTimesScalar | VectorTimesMatrix | MatrixTimesVector
        )
    };
    let bodies = module.functions.iter().flat_map(|function| function.all_inst_iter());
    let all: Vec<_> = bodies.filter(is_float).filter_map(|one| one.result_id).collect();
    [all.len(), all.iter().filter(|id| !marked.contains(id)).count()]
}

#[test]
fn no_operation_of_an_exact_module_lacks_its_mark() {
    needs!("glslangValidator");
    let mut total = [[0; 2]; 4];
    samples::for_each(|sample| {
        for (job, stage) in [(Job::Vertex, Stage::Vertex), (Job::Compute, Stage::Compute)] {
            let mut translator = Translator::new(Options::default(), Profile::default());
            let translated =
                translator.translate(sample.program, sample.environment, job).expect("translates");
            let ours = translator.spirv(&translated).expect("is written");
            let glsl = translated.text(Language::Glsl(GlslVersion::Vulkan450)).expect("a text");
            let glslang = glslang::spirv(&glsl, stage).expect("compiles");
            let naga = Shader::Wgsl(translated.text(Language::Wgsl).expect("a text"));
            let naga = naga.precise(FloatControls::NONE).expect("is read");
            let Shader::Passthrough(naga) = naga else { panic!("words are decorated") };
            for (words, total) in [&ours, &glslang, &naga].into_iter().zip(&mut total) {
                let [all, bare] = operations(words);
                assert_eq!(bare, 0, "{} {job:?}: of {all} operations", sample.name);
                total[0] += all;
            }
            // The count sees what is not decorated.
            let profile = Profile { no_contraction: false, ..Profile::default() };
            let mut plain = Translator::new(Options::default(), profile);
            let translated = plain.translate(sample.program, sample.environment, job).expect("translates");
            let [all, bare] = operations(&plain.spirv(&translated).expect("is written"));
            total[3] = [total[3][0] + all, total[3][1] + bare];
        }
    });
    println!("operations: ours, glslang's, naga's; without decorations: {total:?}");
    assert!(total.iter().all(|[all, _]| *all as u64 > samples::least(1000)), "{total:?}");
    assert_eq!(total[3][0], total[3][1]);
}
