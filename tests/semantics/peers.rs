//! Programs that translators often get wrong, with results computed by hand: `tests/cases/peers`,
//! one behavior per file.
//! Every form must give exactly the results of the file, and every module must be valid.

use transpica::host::dvle::FileEnvironment;
use transpica::host::{Environment, Output, dvle, varying};
use transpica::interp::Settings;
use transpica::settings::{Block, DepthRange, Layout};
use transpica::stages::backend::naga::validate;
use transpica::stages::backend::text::Language;
use transpica::stages::lift::OutputSelection;
use transpica::{GlslVersion, Job, Machine, Options, Precision, Profile, Program, Shbin, Tier, Translator};
use transpica_inspect::executor::{Subnormals, Verdict};
use transpica_inspect::state::floats;
use transpica_proof::chain::{self, Bits, bits};
use transpica_proof::executors::{self, padded};
use transpica_proof::expected::{Case, Run, cases};
use transpica_proof::spirv_tools;
use transpica_proof::tally::Tally;

/// Calls `check` with every case, its program and its bindings.
fn for_each(mut check: impl FnMut(&Case, &Program<'_>, &FileEnvironment<'_>)) {
    let cases = cases();
    assert!(cases.len() >= 25, "only {} cases", cases.len());
    for case in &cases {
        let bytes = case.assemble().bytes;
        let file = Shbin::parse(&bytes).expect("well formed");
        let program = dvle::program(&file, 0, &Options::default().limits).expect("a vertex program");
        let environment = FileEnvironment::new(&file, 0, &case.name).expect("there");
        assert_eq!(file.executables[0].constants.len(), 0, "{}: `given` sets the uniforms", case.name);
        check(case, &program, &environment);
    }
}

fn interpret(case: &Case, program: &Program<'_>, run: &Run) {
    let mut machine = Machine::new(program, Settings::default()).expect("a vertex program");
    machine.set_uniforms(&run.uniforms);
    for (number, vertex) in run.vertices.iter().enumerate() {
        let found = machine.run(&vertex.inputs.map(|register| register.map(f32::from_bits))).expect("ends");
        let mut verdict = Verdict::default();
        verdict.vertex(number, [&vertex.outputs, &bits(found)], &[0; 16], Subnormals::Kept);
        executors::check("interpreter", &verdict, true)
            .unwrap_or_else(|error| panic!("{}: {error}", case.name));
    }
}

/// The vertices of a run with the outputs of the vertex entry, in its order; empty if the file
/// lists none.
fn semantics(run: &Run, outputs: &[Output]) -> Vec<(Bits, Bits)> {
    let listed = run.vertices.iter().filter(|vertex| !vertex.semantics.is_empty());
    let values = listed.map(|vertex| {
        assert_eq!(vertex.semantics.len(), outputs.len(), "all outputs of the vertex entry or none");
        let value = |output: &Output| {
            let value = vertex.semantics.iter().find(|(name, _)| *name == output.name);
            let (_, value) = value.unwrap_or_else(|| panic!("the file lists no {}", output.name));
            assert_eq!(value.len(), output.components.len(), "{}", output.name);
            let mut lanes = [0; 4];
            lanes[..value.len()].copy_from_slice(value);
            lanes
        };
        (vertex.inputs, padded(&outputs.iter().map(value).collect::<Vec<_>>()))
    });
    values.collect()
}

#[test]
fn every_form_gives_the_expected_results() {
    let (mut programs, mut vertices, mut compared) = (0, 0, 0);
    for_each(|case, program, environment| {
        let mapped = varying::outputs(&environment.output_map(), &Options::default(), &Profile::default());
        for run in &case.runs {
            interpret(case, program, run);
            let mut options = chain::options(Precision::Exact);
            options.outputs.depth = DepthRange::Raw;
            let inputs = run.vertices.iter();
            let registers = inputs.map(|vertex| (vertex.inputs, vertex.outputs)).collect();
            let named = semantics(run, &mapped);
            let all = [(OutputSelection::Registers, registers), (OutputSelection::Semantics(&mapped), named)];
            for (outputs, vertices) in all.into_iter().filter(|(_, vertices)| !vertices.is_empty()) {
                let uniforms = run.uniforms.clone();
                let inputs = vertices.iter().map(|(inputs, _)| floats(inputs)).collect();
                let expected = vertices.iter().map(|(_, outputs)| Some(*outputs)).collect();
                let forms = chain::Case { program, uniforms, options, outputs, inputs, expected };
                compared += forms.compare().unwrap_or_else(|error| panic!("{}: {error}", case.name));
            }
            vertices += run.vertices.len() as u64;
        }
        programs += 1;
    });
    let tally = Tally {
        stage: "every form: programs with results worked out by hand".into(),
        programs,
        vertices,
        note: format!("{compared} forms"),
        ..Tally::default()
    };
    tally.print();
}

#[test]
fn every_module_is_valid_and_structured() {
    for_each(|case, program, environment| {
        for (job, layout) in [(Job::Vertex, Layout::Symbols), (Job::Compute, Layout::Registers)] {
            let options = Options { block: Block { layout, ..Block::default() }, ..Options::default() };
            let mut translator = Translator::new(options, Profile::default());
            let translated = translator.translate(program, environment, job).expect("translates");
            assert_eq!(translated.tier, Tier::Structured, "{}", case.name);
            let words = translator.spirv(&translated).expect("SPIR-V");
            check_spirv(&case.name, &words);
            let wgsl = translated.text(Language::Wgsl).expect("WGSL");
            let module = naga::front::wgsl::parse_str(&wgsl)
                .unwrap_or_else(|error| panic!("{}: {}", case.name, error.emit_to_string(&wgsl)));
            validate(&module).unwrap_or_else(|error| panic!("{}: {error}\n{wgsl}", case.name));
        }
    });
}

/// Checks that spirv-val and naga accept a module, and that all its values have full precision.
fn check_spirv(name: &str, words: &[u32]) {
    spirv_tools::validate(words).unwrap_or_else(|error| panic!("{name}: {error}"));
    let options = naga::front::spv::Options {
        adjust_coordinate_space: false,
        strict_capabilities: true,
        ..Default::default()
    };
    let parsed = naga::front::spv::Frontend::new(words.iter().copied(), &options).parse();
    let module = parsed.unwrap_or_else(|error| panic!("{name}: naga: {error}"));
    validate(&module).unwrap_or_else(|error| panic!("{name}: naga: {error}"));
    let (decorate, member_decorate, relaxed_precision) = (71, 72, 0);
    let mut rest = &words[5..];
    while let Some(&first) = rest.first() {
        let decoration = match first & 0xFFFF {
            code if code == decorate => rest.get(2),
            code if code == member_decorate => rest.get(3),
            _ => None,
        };
        assert_ne!(decoration, Some(&relaxed_precision), "{name}");
        rest = &rest[(first >> 16) as usize..];
    }
}

#[test]
fn text_for_mobile_targets_asks_for_full_precision() {
    for_each(|case, program, environment| {
        let mut translator = Translator::new(Options::default(), Profile::default());
        let translated = translator.translate(program, environment, Job::Vertex).expect("translates");
        let text = translated.text(Language::Glsl(GlslVersion::Es310)).expect("GLSL");
        assert!(text.contains("precision highp float;") && text.contains("precision highp int;"), "{text}");
        assert!(!text.contains("mediump") && !text.contains("lowp"), "{}: {text}", case.name);
    });
}

#[test]
fn the_same_code_words_with_other_descriptors_are_another_program() {
    // The compute entry has every output register.
    let mut translator = Translator::new(chain::options(Precision::Exact), Profile::default());
    let mut pair = Vec::new();
    for_each(|case, program, environment| {
        if case.name.starts_with("descriptors_") {
            // Both jobs use one translator, which must not mix them up.
            let translated = translator.translate(program, environment, Job::Compute).expect("translates");
            let words = translator.spirv(&translated).expect("SPIR-V");
            pair.push((case.assemble().model.code, words));
        }
    });
    assert_eq!(pair.len(), 2);
    assert_eq!(pair[0].0, pair[1].0, "code words");
    assert_ne!(pair[0].1, pair[1].1, "modules");
}
