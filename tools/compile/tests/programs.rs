//! Programs before and after optimization compute the same bits.

use transpica::container::{DescriptorRecord, Executable, Header, Model, ShaderType, write};
use transpica::isa::{Mask, Uniforms};
use transpica::settings::{BoolUniforms, Control};
use transpica::stages::cfg::reach::reach;
use transpica::{Limits, Machine, Options, Program, Shbin};
use transpica_asm::lint::{Rule, lint};
use transpica_asm::{SourceText, assemble};
use transpica_compile::optimize::{Known, Optimized, Reason, optimize, written};
use transpica_draw::batch::Batch;
use transpica_proof::daily::cases;
use transpica_proof::generate::{self, Kind};

const BUDGET: u64 = 200_000;

/// Rules that no program that is written breaks; the others concern what a source declares.
const RULES: [Rule; 10] = [
    Rule::MovaPair,
    Rule::MissingNop,
    Rule::Nesting,
    Rule::BreakOutside,
    Rule::BreakInIf,
    Rule::NoEnd,
    Rule::Unassigned,
    Rule::OutputTwice,
    Rule::TwoInputs,
    Rule::UnsetTemporary,
];

/// Runs a program for inputs; an error of one vertex is an error of all.
fn run(program: &Program<'_>, uniforms: &Uniforms, inputs: &[[[f32; 4]; 16]]) -> Option<Vec<[[f32; 4]; 16]>> {
    let mut batch = Batch::new(program, Options::default().settings(BUDGET)).ok()?;
    batch.set_uniforms(uniforms);
    let mut outputs = vec![[[0.0; 4]; 16]; inputs.len()];
    batch.run_all(inputs, &mut outputs).ok()?;
    Some(outputs)
}

/// The components that a program may write.
fn masks(program: &Program<'_>) -> [Mask; 16] {
    let batch = Batch::new(program, Options::default().settings(BUDGET)).expect("a vertex program");
    std::array::from_fn(|n| Mask((0..4).filter(|&c| batch.is_written(n, c)).fold(0, |mask, c| mask | 1 << c)))
}

/// Compares two programs for inputs; the first difference as text.
fn compare(
    programs: [&Program<'_>; 2],
    uniforms: [&Uniforms; 2],
    inputs: &[[[f32; 4]; 16]],
) -> Option<String> {
    let expected = run(programs[0], uniforms[0], inputs)?;
    let Some(actual) = run(programs[1], uniforms[1], inputs) else {
        return Some("it does not end".to_owned());
    };
    let masks = masks(programs[0]);
    for (vertex, (expected, actual)) in expected.iter().zip(&actual).enumerate() {
        for register in 0..16 {
            for component in masks[register].iter().map(|component| component as usize) {
                let (a, b) = (expected[register][component], actual[register][component]);
                if a.to_bits() != b.to_bits() && !(a.is_nan() && b.is_nan()) {
                    return Some(format!("vertex {vertex}, o{register}.{component}: {a:?} became {b:?}"));
                }
            }
        }
    }
    None
}

/// Compares two files for several uniforms, some of which have known values.
fn difference(before: &[u8], after: &[u8], known: &Known, seed: u64) -> Option<String> {
    let files = [before, after].map(|bytes| Shbin::parse(bytes).expect("a file"));
    let programs = [0, 1].map(|n: usize| files[n].program(0).expect("a program"));
    (seed..seed + 8).find_map(|seed| {
        let is_special = seed % 2 == 1;
        let uniforms = if is_special { generate::special_uniforms(seed) } else { generate::uniforms(seed) };
        let inputs = if is_special { generate::special_inputs(seed, 64) } else { generate::inputs(seed, 64) };
        // The constants of the second file are those that its code needs.
        let bound = [0, 1].map(|n: usize| {
            let mut uniforms = uniforms.clone();
            programs[n].environment().constants().apply(&mut uniforms);
            let BoolUniforms { baked, values, .. } = known.control.bools;
            uniforms.bools = uniforms.bools & !baked | values & baked;
            uniforms
        });
        let found = compare([programs[0].program(), programs[1].program()], [&bound[0], &bound[1]], &inputs);
        found.map(|found| format!("seed {seed}: {found}"))
    })
}

/// The mean number of instructions that a program executes for a vertex.
fn executed(bytes: &[u8]) -> f64 {
    let file = Shbin::parse(bytes).expect("a file");
    let program = file.program(0).expect("a program");
    let mut machine =
        Machine::new(program.program(), Options::default().settings(BUDGET)).expect("a vertex program");
    let (mut steps, mut vertices) = (0, 0);
    for seed in 0..16 {
        let mut uniforms = generate::uniforms(seed);
        program.environment().constants().apply(&mut uniforms);
        machine.set_uniforms(&uniforms);
        for inputs in generate::inputs(seed, 16) {
            steps += machine.run(&inputs).map_or(0, |_| 1) * machine.steps();
            vertices += 1;
        }
    }
    steps as f64 / f64::from(vertices)
}

/// Findings of some rules.
fn findings(bytes: &[u8], rules: &[Rule]) -> Vec<String> {
    let file = Shbin::parse(bytes).expect("a file");
    let program = file.program(0).expect("a program");
    let findings = lint(program.program(), &file, 0, &Limits::default()).expect("a program");
    findings.iter().filter(|finding| rules.contains(&finding.rule)).map(ToString::to_string).collect()
}

/// A file of one program.
fn file(generated: &generate::Generated) -> Vec<u8> {
    let header = Header { main: generated.entry.0.into(), ..Header::default() };
    let descriptors = generated.descriptors.iter();
    write(&Model {
        code: generated.code.clone(),
        descriptors: descriptors.map(|&bits| DescriptorRecord { bits, usage: 0, reserved: 0 }).collect(),
        executables: vec![Executable { header, ..Executable::default() }],
        ..Model::default()
    })
}

/// The vertex programs of the samples, each as a file of its own, with the words that it reaches.
fn samples() -> Vec<(String, Vec<u8>, usize)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shaders");
    let entries = std::fs::read_dir(folder).expect("there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("there").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "shbin"));
    paths.sort();
    let mut samples = Vec::new();
    for path in paths {
        let bytes = std::fs::read(&path).expect("a file");
        let file = Shbin::parse(&bytes).expect("a file");
        let model = Model::from(&file);
        for (n, executable) in model.executables.iter().enumerate() {
            if executable.header.shader_type() != Some(ShaderType::Vertex) {
                continue;
            }
            let program = file.program(n).expect("a program");
            let mut words = 0;
            reach(program.program(), |_, _| words += 1);
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let single = Model { executables: vec![executable.clone()], ..model.clone() };
            samples.push((format!("{name} {n}"), write(&single), words));
        }
    }
    samples
}

fn optimized(bytes: &[u8], known: &Known) -> Optimized {
    optimize(&Shbin::parse(bytes).expect("a file"), known).expect("a program")
}

/// Writes a text anew, whatever its length.
fn rewritten(text: &str) -> Result<String, Reason> {
    let bytes = assemble(&[SourceText { name: "test", text }]).expect("a text").bytes;
    let file = Shbin::parse(&bytes).expect("a file");
    let result = written(&file, &Known::default()).expect("a program");
    result.map(|(after, text)| {
        assert_eq!(difference(&bytes, &after, &Known::default(), 3), None, "{text}");
        text
    })
}

#[test]
fn samples_compute_the_same_and_have_no_findings() {
    let (mut count, all) = (0, samples());
    for constants in [false, true] {
        let known = Known { constants, ..Known::default() };
        for (name, bytes, words) in &all {
            let result = written(&Shbin::parse(bytes).expect("a file"), &known).expect("a program");
            match result {
                Ok((after, text)) => {
                    count += 1;
                    assert_eq!(difference(bytes, &after, &known, 1), None, "{name}\n{text}");
                    assert_eq!(findings(&after, &RULES), Vec::<String>::new(), "{name}\n{text}");
                    let now = Shbin::parse(&after).expect("a file").package.code.len();
                    let [first, second] = [bytes, &after].map(|bytes| executed(bytes));
                    println!(
                        "{name:16} constants known: {constants:5} {words:4} words, now {now:4}; \
                         {first:7.1} executed, now {second:7.1}"
                    );
                }
                Err(reason) => println!("{name:16} constants known: {constants:5} {words:4} words: {reason}"),
            }
        }
    }
    assert!(count >= 70, "only {count} of {} were written", 2 * all.len());
}

#[test]
fn files_never_become_longer_and_keep_their_tables() {
    let mut shorter = 0;
    for (name, bytes, _) in samples() {
        let Optimized { bytes: after, before: words, after: now, kept, is_proven: _ } =
            optimized(&bytes, &Known::default());
        assert!(now <= words, "{name}");
        assert_eq!(kept.is_some(), after == bytes, "{name}");
        let [first, second] =
            [&bytes, &after].map(|bytes| Model::from(&Shbin::parse(bytes).expect("a file")));
        assert_eq!(first.executables[0].symbols, second.executables[0].symbols, "{name}");
        assert_eq!(first.executables[0].outputs, second.executables[0].outputs, "{name}");
        assert!(second.executables[0].constants.starts_with(&first.executables[0].constants), "{name}");
        shorter += u32::from(now < words);
    }
    assert!(shorter >= 15, "only {shorter} became shorter");
}

#[test]
fn known_bools_make_variants_that_compute_the_same() {
    let mut shorter = 0;
    for (name, bytes, words) in samples() {
        for values in [0, 0xFFFF, 0x5555, 0xAAAA] {
            let bools = BoolUniforms { baked: 0xFFFF, values, specialized: 0 };
            let known = Known { control: Control { bools, ..Control::default() }, ..Known::default() };
            let result = written(&Shbin::parse(&bytes).expect("a file"), &known).expect("a program");
            let Ok((after, text)) = result else { continue };
            assert_eq!(difference(&bytes, &after, &known, 1), None, "{name}, bools {values:#x}\n{text}");
            shorter += u32::from(Shbin::parse(&after).expect("a file").package.code.len() < words);
        }
    }
    assert!(shorter >= 80, "only {shorter} became shorter");
}

#[test]
fn random_programs_compute_the_same() {
    let count = cases("random programs, made shorter", 100, 2000);
    for kind in Kind::ALL {
        let mut count_written = 0;
        for seed in 0..count {
            let bytes = file(&generate::generate(kind, seed));
            let parsed = Shbin::parse(&bytes).expect("a file");
            if let Ok((after, text)) = written(&parsed, &Known::default()).expect("a program") {
                count_written += 1;
                let found = difference(&bytes, &after, &Known::default(), seed);
                assert_eq!(found, None, "{kind:?} {seed}\n{text}");
                let found =
                    findings(&after, &[Rule::MovaPair, Rule::MissingNop, Rule::BreakInIf, Rule::TwoInputs]);
                assert_eq!(found, Vec::<String>::new(), "{kind:?} {seed}\n{text}");
            }
        }
        println!("{kind:?}: {count_written} of {count} were written");
        assert!(5 * count_written > count, "{kind:?}: only {count_written} of {count} were written");
    }
}

#[test]
fn a_product_and_a_sum_become_one_instruction() {
    let text = rewritten(
        ".out - position o0\n.proc main\n\tmul r0, c1, v0\n\tadd r1, r0, v0\n\tmov o0, r1\n\tend\n.end\n",
    );
    assert_eq!(text.expect("straight"), ".proc main\n\tmad o0, v0, c1, v0\n\tend\n.end\n");
}

#[test]
fn a_product_that_is_read_twice_stays() {
    let text = rewritten(
        ".out - position o0\n.out - color o1\n.proc main\n\tmul r0, c1, v0\n\tadd o0, r0, v0\n\tmov o1, r0\n\tend\n.end\n",
    );
    assert_eq!(
        text.expect("straight"),
        ".proc main\n\tmul r0, c1, v0\n\tmov o1, r0\n\tadd o0, r0, v0\n\tend\n.end\n"
    );
}
