//! Programs before and after optimization compute the same bits.

use transpica::container::{DescriptorRecord, Executable, Header, Label, Model, ShaderType, write};
use transpica::isa::{Mask, Move, Uniforms, Word};
use transpica::settings::{BoolUniforms, Control, IntUniforms};
use transpica::stages::cfg::reach::reach;
use transpica::{Limits, Machine, Options, Precision, Program, Shbin};
use transpica_asm::lint::{Rule, lint};
use transpica_asm::{SourceText, assemble};
use transpica_compile::equal::matching::Matching;
use transpica_compile::equal::{self, Comparison, Effort, Opened, Verdict, sample};
use transpica_compile::optimize::{Goal, Known, Optimized, Reason, optimize, written};
use transpica_compile::paths::executed as executed_by;
use transpica_draw::batch::Batch;
use transpica_proof::chain::{self, Disagreement};
use transpica_proof::daily::cases;
use transpica_proof::generate::{self, Generated, Kind};

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
            for (int, baked) in uniforms.ints.iter_mut().zip(known.control.ints.baked) {
                *int = baked.unwrap_or(*int);
            }
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

/// The samples with their names.
fn files() -> Vec<(String, Vec<u8>)> {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shaders");
    let entries = std::fs::read_dir(folder).expect("there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("there").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "shbin"));
    paths.sort();
    let name = |path: &std::path::Path| path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), std::fs::read(path).expect("a file"))).collect()
}

/// The vertex programs of the samples, each as a file of its own, with the words that it reaches.
fn samples() -> Vec<(String, Vec<u8>, usize)> {
    let mut samples = Vec::new();
    for (name, bytes) in files() {
        let file = Shbin::parse(&bytes).expect("a file");
        let model = Model::from(&file);
        for (n, executable) in model.executables.iter().enumerate() {
            if executable.header.shader_type() != Some(ShaderType::Vertex) {
                continue;
            }
            let program = file.program(n).expect("a program");
            let mut words = 0;
            reach(program.program(), |_, _| words += 1);
            samples.push((format!("{name} {n}"), single(&model, n), words));
        }
    }
    samples
}

fn optimized(bytes: &[u8], known: &Known) -> Optimized {
    optimize(bytes, &[*known], Goal::default()).expect("a program")
}

/// Writes a text anew, whatever its length.
fn rewritten(text: &str) -> Result<String, Reason> {
    let bytes = assemble(&[SourceText { name: "test", text }]).expect("a text").bytes;
    let file = Shbin::parse(&bytes).expect("a file");
    let result = written(&file, &[Known::default()], Goal::default()).expect("a program");
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
            let result =
                written(&Shbin::parse(bytes).expect("a file"), &[known], Goal::default()).expect("a program");
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
        let Optimized { bytes: after, before: words, after: now, kept, .. } =
            optimized(&bytes, &Known::default());
        assert!(now <= words, "{name}");
        assert_eq!(kept.is_some(), after == bytes, "{name}");
        let [first, second] =
            [&bytes, &after].map(|bytes| Model::from(&Shbin::parse(bytes).expect("a file")));
        assert_eq!(first.executables[0].symbols, second.executables[0].symbols, "{name}");
        assert_eq!(first.executables[0].outputs, second.executables[0].outputs, "{name}");
        assert!(second.executables[0].constants.starts_with(&first.executables[0].constants), "{name}");
        let [first, second] = [&bytes, &after].map(|bytes| executed(bytes));
        assert!(second <= first, "{name}: {first} executed, now {second}");
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
            let result = written(&Shbin::parse(&bytes).expect("a file"), &[known], Goal::default())
                .expect("a program");
            let Ok((after, text)) = result else { continue };
            assert_eq!(difference(&bytes, &after, &known, 1), None, "{name}, bools {values:#x}\n{text}");
            shorter += u32::from(Shbin::parse(&after).expect("a file").package.code.len() < words);
        }
    }
    assert!(shorter >= 80, "only {shorter} became shorter");
}

/// Compares all forms of a program that was written with the interpreter; returns their number.
fn forms_agree(kind: Kind, seed: u64, after: &[u8]) -> Result<usize, Disagreement> {
    let file = Shbin::parse(after).expect("a file");
    let program = file.program(0).expect("a program");
    let entry = program.program().entry();
    let code = file.package.code.iter().collect();
    let descriptors = file.package.descriptors.iter().map(|descriptor| descriptor.bits).collect();
    let written = Generated { kind, seed, code, descriptors, entry };
    chain::compare(&written, Precision::Exact).map(|count| count.forms)
}

#[test]
fn random_programs_compute_the_same() {
    let count = cases("random programs, made shorter", 100, 3400);
    for kind in Kind::ALL {
        let (mut count_written, mut forms) = (0, 0);
        for seed in 0..count {
            let bytes = file(&generate::generate(kind, seed));
            let parsed = Shbin::parse(&bytes).expect("a file");
            if let Ok((after, text)) =
                written(&parsed, &[Known::default()], Goal::default()).expect("a program")
            {
                count_written += 1;
                let found = difference(&bytes, &after, &Known::default(), seed);
                assert_eq!(found, None, "{kind:?} {seed}\n{text}");
                let found =
                    findings(&after, &[Rule::MovaPair, Rule::MissingNop, Rule::BreakInIf, Rule::TwoInputs]);
                assert_eq!(found, Vec::<String>::new(), "{kind:?} {seed}\n{text}");
                forms += forms_agree(kind, seed, &after).unwrap_or_else(|found| panic!("{found}\n{text}"));
            }
        }
        println!("{kind:?}: {count_written} of {count} were written, {forms} forms of them agree");
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

/// Returns whether programs of two files are proven equal. They must be equal where they run, too.
fn is_proven(before: &[u8], after: &[u8], index: usize) -> bool {
    let opened = [before, after].map(|bytes| {
        let file = Shbin::parse(bytes).expect("a file");
        Opened::new(&file, index, &Limits::default()).expect("a program")
    });
    let matching = Matching::new([&opened[0].symbols, &opened[1].symbols], &[]).expect("outputs of both");
    let effort = Effort { vertices: 1 << 12, ..Effort::default() };
    let comparison =
        Comparison { effort, ..Comparison::new([&opened[0], &opened[1]], &matching, Options::default()) };
    let sampled = sample::run(&comparison).expect("it runs");
    assert!(sampled.found.is_none() && sampled.vertices > 4000, "{sampled:?}");
    match equal::compare(&comparison).expect("it runs") {
        Verdict::Proven { .. } => true,
        Verdict::Sampled { why, .. } => {
            println!("not proven: {why}");
            false
        }
        Verdict::Different(found) => panic!("they differ: {found:?}"),
    }
}

/// A file of one program of another.
fn single(model: &Model, index: usize) -> Vec<u8> {
    write(&Model { executables: vec![model.executables[index].clone()], ..model.clone() })
}

#[test]
fn files_of_several_programs_never_become_longer_and_keep_their_tables() {
    let mut shorter = 0;
    for (name, bytes) in files() {
        let file = Shbin::parse(&bytes).expect("a file");
        if file.executables.len() < 2 {
            continue;
        }
        let all = optimized(&bytes, &Known::default());
        assert!(!matches!(all.kept, Some(Reason::Differs(_))), "{name}: {:?}", all.kept);
        let [before, after] =
            [&bytes, &all.bytes].map(|bytes| Model::from(&Shbin::parse(bytes).expect("a file")));
        assert_eq!((before.code.len(), after.code.len()), (all.before, all.after), "{name}");
        assert!(all.after < all.before || all.bytes == bytes, "{name}");
        assert_eq!(all.programs.len(), before.executables.len(), "{name}");
        for (n, (before, after)) in before.executables.iter().zip(&after.executables).enumerate() {
            assert_eq!((&before.symbols, &before.outputs), (&after.symbols, &after.outputs), "{name} {n}");
            assert!(after.constants.starts_with(&before.constants), "{name} {n}");
            assert!(all.after == all.before || is_proven(&bytes, &all.bytes, n), "{name} {n}");
        }
        println!("{name:12} {} words, now {}: {:?}", all.before, all.after, all.programs);
        shorter += u32::from(all.after < all.before);
    }
    assert!(shorter >= 3, "only {shorter} became shorter");
}

#[test]
fn geometry_programs_send_the_same() {
    let (mut written_count, mut faster) = (0, 0);
    for (name, bytes) in files() {
        let model = Model::from(&Shbin::parse(&bytes).expect("a file"));
        for (n, executable) in model.executables.iter().enumerate() {
            if executable.header.shader_type() != Some(ShaderType::Geometry) {
                continue;
            }
            let bytes = single(&model, n);
            let file = Shbin::parse(&bytes).expect("a file");
            let (after, text) = match written(&file, &[Known::default()], Goal::default()).expect("a program")
            {
                Ok(written) => written,
                Err(reason) => {
                    println!("{name}: {reason}");
                    assert!(matches!(reason, Reason::Carried(_)), "{name}: {reason}");
                    continue;
                }
            };
            assert!(is_proven(&bytes, &after, 0) || name == "trail", "{name}\n{text}");
            assert_eq!(findings(&after, &RULES), Vec::<String>::new(), "{name}\n{text}");
            let files = [&bytes, &after].map(|bytes| Shbin::parse(bytes).expect("a file"));
            let [first, second] = files.map(|file| {
                let opened = Opened::new(&file, 0, &Limits::default()).expect("a program");
                let path = executed_by(&opened, &Control::default(), &[0]).expect("it runs");
                (file.package.code.len(), path[0].instructions)
            });
            let mut words = 0;
            reach(file.program(0).expect("a program").program(), |_, _| words += 1);
            println!(
                "{name:12} {words:4} words, now {:4}; {:7.1} executed, now {:7.1}",
                second.0, first.1, second.1
            );
            written_count += 1;
            faster += u32::from(second.1 < first.1);
        }
    }
    assert!(written_count >= 11, "only {written_count} were written");
    assert!(faster >= 10, "only {faster} execute fewer instructions");
}

/// Assembles a geometry program and writes it anew.
fn rewritten_geometry(body: &str) -> Result<String, Reason> {
    let head = ".gsh point c0\n.entry main\n.out - position o0\n.out - color o1\n";
    let text = format!("{head}.proc main\n{body}\tend\n.end\n");
    let bytes = assemble(&[SourceText { name: "test", text: &text }]).expect("a text").bytes;
    let file = Shbin::parse(&bytes).expect("a file");
    let result = written(&file, &[Known::default()], Goal::default()).expect("a program");
    result.map(|(after, text)| {
        assert!(is_proven(&bytes, &after, 0), "{text}");
        text
    })
}

#[test]
fn an_output_that_both_banks_hold_is_not_written_again() {
    let emit =
        |slot: u32, color: u32| format!("\tsetemit {slot}\n\tmov o0, v{slot}\n\tmov o1, c{color}\n\temit\n");
    // What is dead makes the source so long that nothing becomes a procedure.
    let dead = "\tmov r0, v0\n".repeat(9);
    let colors = |colors: [u32; 4]| {
        dead.clone() + &(0..4).map(|n| emit(n % 3, colors[n as usize])).collect::<String>()
    };
    let count = |text: Result<String, Reason>| text.expect("straight").matches("mov o1").count();
    assert_eq!(count(rewritten_geometry(&colors([1, 1, 1, 1]))), 2);
    // The other bank has another color.
    assert_eq!(count(rewritten_geometry(&colors([1, 2, 1, 2]))), 4);
    assert_eq!(count(rewritten_geometry(&colors([1, 1, 2, 1]))), 4);
}

#[test]
fn a_vertex_is_computed_where_it_is_sent() {
    let text = rewritten_geometry(
        "\tadd r0, c1, v0\n\tmul r1, c2, v1\n\tsetemit 0\n\tmov o0, r0\n\tmov o1, r1\n\temit\n\
         \tsetemit 1\n\tadd o0, c1, v1\n\tmov o1, r1\n\temit\n\
         \tsetemit 2, prim inv\n\tmov o0, r0\n\tmul o1, c3, v1\n\temit\n",
    );
    let expected = "\tadd o0, c1, v0\n\tmul o1, c2, v1\n\tsetemit 0\n\temit\n\
                    \tadd o0, c1, v1\n\tmul o1, c2, v1\n\tsetemit 1\n\temit\n\
                    \tmul o1, c3, v1\n\tadd o0, c1, v0\n\tsetemit 2, prim inv\n\temit\n";
    let text = text.expect("straight");
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort_unstable();
        lines
    };
    let body = text.strip_prefix(".gsh\n.proc main\n").and_then(|text| text.strip_suffix("\tend\n.end\n"));
    assert_eq!(body.map(sorted), Some(sorted(expected)), "{text}");
}

#[test]
fn what_later_invocations_read_stays_in_its_registers() {
    let send = "\tsetemit 0\n\tmov o0, v0\n\tmov o1, r1\n\temit\n";
    let text = |body: &str| rewritten_geometry(&format!("{body}{send}")).expect("written");
    // It is never written.
    assert_eq!(text("").matches("r1").count(), 1);
    assert!(
        text("\tadd r1, c1, r1\n").contains("add r1, r1, c1")
            || text("\tadd r1, c1, r1\n").contains("add r1, c1, r1")
    );
    // Two that change places; what one of them needs of a third; a choice, and a loop.
    text("\tmov r3, r1\n\tmov r1, r2\n\tmov r2, r3\n");
    text("\tmov r1.xy, r1.yx\n\tmov r1.z, r14.w\n\tadd r14.w, c1, r13.x\n\tmul r13.x, c2, r13.x\n");
    text("\tcmp v0, gt, gt, r1\n\tifc cmp.x\n\tmov r1, c1\n\t.else\n\tmul r1.y, c2, r1.x\n\t.end\n");
    text("\tfor i0\n\tadd r1, c1, r1\n\tmul r1.x, c2, r15.y\n\t.end\n\tmov r15.y, r1.w\n");
    // Eight registers of one operand each.
    let all = (1..9).map(|n| format!("\tadd r{n}, c{n}, r{}\n", n + 1)).collect::<String>();
    text(&all);
    // What is read and not sent does not count.
    assert!(!text("\tmov r1, r2\n\tmov r1, c1\n").contains("r2"));
    // Without SETEMIT, an earlier setting counts.
    assert!(rewritten_geometry("\tmov o0, v0\n\tmov o1, v0\n\temit\n").is_err());
}

/// A vertex program with a copy too many, and a geometry program that carries r15 and the setting
/// of SETEMIT over and has all kinds of control flow.
const PAIR: [&str; 2] = [
    ".out - position o0\n.proc main\n\tmov r0, v0\n\tmov o0, r0\n\tend\n\tnop\n\tnop\n.end\n",
    ".gsh point c0\n.entry begin\n.out - position o0\n.ivec turns\n.bool b\n\
     .proc unused\n\tmov r1, c9\n\tmov r2, c9\n.end\n\
     .proc more\n\tadd r15, c1, r15\n.end\n\
     .proc begin\n\tjmpu !b15, first\n\tcall more\nfirst:\n\
     \tfor turns\n\t\tadd r15, c2, r15\n\t\tcmp r15, gt, gt, v0\n\t\tbreakc cmp.x\n\t.end\n\
     \tifu b\n\t\tmul r15, c3, r15\n\t.else\n\t\tadd r15, c4, r15\n\t.end\n\
     \tcallu b, more\n\tmov o0, r15\n\temit\n\tend\n.end\n",
];

#[test]
fn code_that_stays_moves() {
    let sources = [0, 1].map(|n| SourceText { name: ["a.v.pica", "a.g.pica"][n], text: PAIR[n] });
    let mut model = assemble(&sources).expect("texts").model;
    // Of `unused`, `more` and the words behind its entry.
    let [entry, labels] = [model.executables[1].header.main, model.executables[1].header.main - 3];
    for (name, address) in [("unused", labels), ("more", labels + 2), ("call", entry + 1)] {
        let executable = &mut model.executables[1];
        let name = executable.names.add(name.as_bytes());
        executable.labels.push(Label { id: 0, address, length: 0, name });
    }
    let bytes = write(&model);
    let all = optimized(&bytes, &Known::default());
    // A copy, two words behind END, and a procedure that nothing calls.
    assert_eq!((all.before - all.after, &all.kept), (5, &None));
    assert!(matches!(all.programs[..], [None, Some(Reason::Carried(_))]), "{:?}", all.programs);
    assert!(is_proven(&bytes, &all.bytes, 0) && is_proven(&bytes, &all.bytes, 1));
    let file = Shbin::parse(&all.bytes).expect("a file");
    let [vertex, geometry] = [0, 1].map(|n: usize| Model::from(&file).executables[n].clone());
    assert_eq!(vertex.header.main, 0);
    // New code comes first: MOV, END.
    let start = 2;
    let labels = geometry
        .labels
        .iter()
        .map(|label| (geometry.names.get(label.name).to_text().to_string(), label.address));
    // The copy and what stood behind END are gone, and so is the procedure.
    let expected = [("more", start), ("call", start + 2)].map(|(name, at)| (name.to_owned(), at));
    assert_eq!(labels.collect::<Vec<_>>(), expected);
    assert_eq!(geometry.header.main, start + 1);
}

/// Ints as a game may know them.
fn ints(seed: u64) -> IntUniforms {
    let mut ints = IntUniforms::default();
    for (int, baked) in (0u64..).zip(&mut ints.baked) {
        *baked = Some([(seed + int) as u8 % 4, int as u8, 1 + (seed as u8 + int as u8) % 2, 0]);
    }
    ints
}

#[test]
fn known_ints_make_variants_that_compute_the_same() {
    let (mut shorter, mut without_loops) = (0, 0);
    let is_loop = |word: u32| Word(word).moves() == Some(Move::Loop);
    for (name, bytes, words) in samples() {
        let file = Shbin::parse(&bytes).expect("a file");
        let mut has_loop = false;
        reach(file.program(0).expect("a program").program(), |_, word| has_loop |= is_loop(word));
        for seed in (0..4).filter(|_| has_loop) {
            let control = Control { ints: ints(seed), ..Control::default() };
            let known = Known { control, ..Known::default() };
            let Ok((after, text)) = written(&file, &[known], Goal::default()).expect("a program") else {
                continue;
            };
            assert_eq!(difference(&bytes, &after, &known, 1), None, "{name}, seed {seed}\n{text}");
            let now = Shbin::parse(&after).expect("a file").package.code.len();
            println!("{name}, seed {seed}: {words} words, now {now}");
            shorter += u32::from(now < words);
            without_loops += u32::from(!text.contains("\tfor i"));
        }
    }
    assert!(shorter >= 20, "only {shorter} became shorter");
    assert!(without_loops >= 8, "only {without_loops} have no loop");
}

/// Writes a loop of so many rounds, the int of which is known.
fn unrolled(body: &str, rounds: u8) -> String {
    let head = ".out - position o0\n.ivec turns\n.proc main\n\tmov r0, v0\n\tfor turns\n";
    let text = format!("{head}{body}\t.end\n\tmov o0, r0\n\tend\n.end\n");
    let bytes = assemble(&[SourceText { name: "test", text: &text }]).expect("a text").bytes;
    let mut control = Control::default();
    control.ints.baked[0] = Some([rounds - 1, 5, 2, 0]);
    let known = Known { control, ..Known::default() };
    let (after, text) = written(&Shbin::parse(&bytes).expect("a file"), &[known], Goal::default())
        .expect("a program")
        .expect("written");
    assert_eq!(difference(&bytes, &after, &known, 3), None, "{rounds} rounds\n{text}");
    text
}

#[test]
fn loops_of_known_length_are_written_in_rounds_where_that_is_shorter() {
    // aL is 5, then 7.
    let body = "\t\tadd r0, c1[aL], r0\n";
    let text = unrolled(body, 1);
    assert_eq!(text, ".proc main\n\tadd o0, c6, v0\n\tend\n.end\n");
    let text = unrolled(body, 2);
    assert_eq!(text, ".proc main\n\tadd r0, c6, v0\n\tadd o0, c8, r0\n\tend\n.end\n");
    let text = unrolled(body, 9);
    assert!(text.contains("\tfor i0\n"), "{text}");
    // Left early, in the first or a later round.
    let leaves = "\t\tcmp r0, gt, gt, v1\n\t\tbreakc cmp.x\n\t\tadd r0, c1[aL], r0\n";
    for rounds in [1, 2, 3, 32, 33] {
        unrolled(leaves, rounds);
    }
    let inside = "\t\tfor turns\n\t\t\tadd r0, c1[aL], r0\n\t\t.end\n\t\tmul r0, c2, r0\n";
    for rounds in [1, 2, 3] {
        unrolled(inside, rounds);
    }
}
