//! Verdicts about pairs of programs: edited samples, variants, mutated random programs. Each
//! verdict is held against the reference machine.

use std::fs;
use std::path::Path;

use transpica::host::Constants;
use transpica::interp::Uniforms;
use transpica::isa::DEFAULT;
use transpica::settings::Promise;
use transpica::{Limits, Options, Program, Shbin};
use transpica_asm::{SourceText, assemble};
use transpica_inspect::symbols::Symbols;
use transpica_inspect::values::{self, Random};
use transpica_proof::generate::{Kind, generate};

use super::matching::Matching;
use super::sample::{Machines, Values};
use super::{Comparison, Effort, Opened, Solver, Verdict, compare, distance_of, same_stage};

/// Assembles a source, or returns `None` if it has errors.
fn opened(text: &str) -> Option<Opened> {
    let bytes = assemble(&[SourceText { name: "", text }]).ok()?.bytes;
    let file = Shbin::parse(&bytes).expect("a file");
    Some(Opened::new(&file, 0, &Limits::default()).expect("a program"))
}

/// The line of each instruction of a source.
fn lines(text: &str) -> Vec<u32> {
    let assembled = assemble(&[SourceText { name: "", text }]).expect("valid");
    assembled.places.iter().map(|place| place.line).collect()
}

/// A program without a file.
fn raw(program: &Program<'_>) -> Opened {
    let (code, descriptors) = (program.code().to_vec(), program.descriptors().to_vec());
    let program = Program::from_raw(code, descriptors, program.entry(), program.stage()).expect("a program");
    Opened { program, constants: Constants::NONE, symbols: Symbols::default() }
}

/// Changes of a comparison of bits under default options.
type Change<'c> = &'c dyn Fn(&mut Comparison<'_>);

/// Returns whether the machine finds no difference on values of its own.
fn agree(comparison: &Comparison<'_>) -> bool {
    let mut machines = Machines::new(comparison).expect("programs of one stage");
    (100..108).all(|seed| {
        let uniforms = values::uniforms(seed);
        values::inputs(seed, 32).into_iter().all(|inputs| {
            let both = machines.run(&Values { uniforms: uniforms.clone(), inputs }).expect("it runs");
            let [Some(a), Some(b)] = both else { return true };
            distance_of(comparison, &a, &b).is_ok()
        })
    })
}

/// The verdict about two programs. A difference is seen on the machine; a proof is held against it.
fn verdict(pair: [&Opened; 2], change: Change<'_>) -> Verdict {
    checked(pair, change).0
}

/// As [`verdict`], and whether the machine finds no difference on values of its own.
fn checked(pair: [&Opened; 2], change: Change<'_>) -> (Verdict, bool) {
    let matching = Matching::new(pair.map(|opened| &opened.symbols), &[]).expect("outputs of both");
    let mut comparison = Comparison::new(pair, &matching, Options::default());
    comparison.effort = Effort { vertices: 4096, seed: 1, budget: 4096 };
    change(&mut comparison);
    let verdict = compare(&comparison).expect("it runs");
    match &verdict {
        Verdict::Different(found) => {
            let mut machines = Machines::new(&comparison).expect("programs of one stage");
            match (machines.run(&found.values).expect("it runs"), &found.output) {
                ([Some(a), Some(b)], Some(output)) => {
                    let [(register, component), (other, place)] = output.pair.places;
                    let results = [&a, &b].map(|sent| sent[output.emit].outputs);
                    let results = [results[0][register][component], results[1][other][place]];
                    assert_eq!(results.map(f32::to_bits), output.results.map(f32::to_bits));
                    assert!(distance_of(&comparison, &a, &b).is_err());
                }
                ([Some(a), Some(b)], None) => assert_eq!(distance_of(&comparison, &a, &b), Err(None)),
                ([Some(_), None] | [None, Some(_)], None) => {}
                other => panic!("a difference that is none: {other:?}"),
            }
        }
        Verdict::Proven { .. } => {
            // A proof is one of bits.
            comparison.rounding = None;
            assert!(agree(&comparison), "{verdict:?}");
        }
        Verdict::Sampled { .. } => {}
    }
    let agrees = agree(&comparison);
    (verdict, agrees)
}

/// The sources of vertex programs among the samples, with their names.
fn samples() -> Vec<(String, String)> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shaders"));
    let mut names: Vec<_> =
        fs::read_dir(folder).expect("samples").map(|entry| entry.expect("a file")).collect();
    names.sort_by_key(std::fs::DirEntry::file_name);
    let named = names.iter().map(|entry| (entry.file_name().to_string_lossy().into_owned(), entry.path()));
    let vertex = named.filter(|(name, _)| name.ends_with(".v.pica"));
    vertex.map(|(name, path)| (name, fs::read_to_string(path).expect("a text"))).collect()
}

/// The instruction of a line: its indentation, mnemonic and operands, without a comment.
fn instruction(line: &str) -> Option<(&str, Vec<&str>)> {
    let code = line.split(';').next()?.trim();
    let (name, operands) = code.split_once(char::is_whitespace)?;
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric()) && !code.contains('[');
    is_plain.then(|| (name, operands.split(',').map(str::trim).collect()))
}

/// A temporary that a text does not name.
fn free_register(text: &str) -> Option<String> {
    (0..16).rev().map(|n| format!("r{n}")).find(|name| !text.contains(name.as_str()))
}

const SUMS: &[&str] = &["add", "mul", "dp3", "dp4"];
const OTHERS: &[(&str, &str)] = &[
    ("add", "mul"),
    ("mul", "add"),
    ("max", "min"),
    ("min", "max"),
    ("dp3", "dp4"),
    ("sge", "slt"),
    ("rsq", "rcp"),
];

/// A line edited so that the program computes the same.
fn same(text: &str, line: &str, random: &mut Random) -> Option<String> {
    let (name, operands) = instruction(line)?;
    let free = free_register(text)?;
    match (random.below(3), &operands[..]) {
        (0, [to, a, b]) if SUMS.contains(&name) => Some(format!("{name} {to}, {b}, {a}")),
        (1, [to, a, rest @ ..]) if !rest.is_empty() && OTHERS.iter().any(|row| row.0 == name) => {
            Some(format!("mov {free}, {a}\n{name} {to}, {free}, {}", rest.join(", ")))
        }
        (2, [_, a, ..]) if name == "mov" || SUMS.contains(&name) => Some(format!("mov {free}, -{a}\n{line}")),
        _ => None,
    }
}

/// A line edited so that the program computes something else, unless nothing needs the result.
fn other(line: &str, random: &mut Random) -> Option<String> {
    let (name, operands) = instruction(line)?;
    let swapped = OTHERS.iter().find(|row| row.0 == name).map(|row| row.1);
    match (random.below(4), &operands[..]) {
        (0, _) => Some(format!("{} {}", swapped?, operands.join(", "))),
        (1, [to, a, rest @ ..]) if OTHERS.iter().any(|row| row.0 == name) => {
            let negated = a.strip_prefix('-').map_or_else(|| format!("-{a}"), str::to_owned);
            Some(format!("{name} {to}, {negated}, {}", rest.join(", ")))
        }
        (2, [to, a, b]) if SUMS.contains(&name) && a != b => Some(format!("{name} {to}, {a}, {a}")),
        (3, [_, ..]) if SUMS.contains(&name) => Some("nop".into()),
        _ => None,
    }
}

/// Edits lines of a text until one gives a program, with the text and the number of the line;
/// `None` if the text has no such line.
fn edited(
    text: &str,
    random: &mut Random,
    edit: &mut dyn FnMut(&str, &mut Random) -> Option<String>,
) -> Option<(Opened, String, u32)> {
    let lines: Vec<&str> = text.lines().collect();
    (0..200).find_map(|_| {
        let number = random.below(lines.len() as u32) as usize;
        let line = edit(lines[number], random)?;
        let mut all = lines.clone();
        all[number] = &line;
        let text = all.join("\n");
        Some((opened(&text)?, text, number as u32 + 1))
    })
}

#[test]
fn edited_samples_have_the_right_verdict() {
    let (mut equal, mut proven, mut different, mut dead, mut named) = (0, 0, 0, 0, 0);
    for (number, (name, text)) in (0..).zip(samples()) {
        // One sample is several files.
        let Some(sample) = opened(&text) else { continue };
        let mut random = Random::new(number, "edits");
        for _ in 0..4 {
            let Some((twin, ..)) = edited(&text, &mut random, &mut |line, random| same(&text, line, random))
            else {
                continue;
            };
            let found = verdict([&sample, &twin], &|_| {});
            assert!(!matches!(found, Verdict::Different(_)), "{name}: {found:?}");
            equal += 1;
            proven += u32::from(found == Verdict::Proven { claims: 0 });
        }
        for _ in 0..6 {
            let Some((wrong, changed, line)) = edited(&text, &mut random, &mut other) else { continue };
            match verdict([&sample, &wrong], &|_| {}) {
                Verdict::Different(found) => {
                    let [a, b] = [&text, &changed].map(|text| lines(text));
                    let [a, b] = [(a, 0), (b, 1)]
                        .map(|(lines, side): (_, usize)| Some(lines[found.instructions[side]?.index()]));
                    // Nothing stands for an instruction that was removed.
                    let is_removed = changed.lines().nth(line as usize - 1) == Some("nop");
                    let is_named = a == Some(line) && (b == a || is_removed);
                    if !is_named {
                        let texts = [&text, &changed].map(|text| text.lines().nth(line as usize - 1));
                        println!("{name}:{line}: {texts:?}, named {a:?} {b:?}");
                    }
                    named += u32::from(is_named);
                    different += 1;
                }
                // Nothing needs the result, or the machine shows no difference either.
                Verdict::Proven { .. } | Verdict::Sampled { .. } => dead += 1,
            }
        }
    }
    println!(
        "{equal} equal edits, {proven} proven; {different} different ones, {named} with the line, {dead} without effect"
    );
    assert!(equal >= 100 && different >= 100, "{equal} {different}");
    assert!(proven * 10 >= equal * 9 && dead * 10 <= different, "{proven} {dead}");
    assert!(named * 20 >= different * 19, "{named} of {different}");
}

const HEAD: &str = ".out pos position\n.out col color\n.fvec first, second\n.bool deep, flat, late\n\
                    .constf half(0.5, 1.0, 2.0, 4.0)\n.alias a v0\n.alias b v1\n.proc main\n";

fn program(body: &str) -> Opened {
    let text = format!("{HEAD}{body}\nmov col, half\nend\n.end\n");
    opened(&text).unwrap_or_else(|| panic!("{:?}", assemble(&[SourceText { name: "", text: &text }]).err()))
}

fn verdict_of(bodies: [&str; 2], change: Change<'_>) -> Verdict {
    let [a, b] = bodies.map(program);
    verdict([&a, &b], change)
}

#[test]
fn variants_of_a_program_are_equal_to_the_whole_under_their_bools() {
    let whole = program(
        "mov r0, a\nifu deep\nmul r0, first, r0\n.else\nadd r0, first, r0\n.end\nifu flat\nmax r0, half.xxxx, r0\n.end\n\
         ifu late\nmul r0, r0, r0\n.end\nmov pos, r0",
    );
    let part = |bools: u16, bit: u16, yes: &'static str, no: &'static str| {
        if bools >> bit & 1 != 0 { yes } else { no }
    };
    for bools in 0..8 {
        let variant = program(&format!(
            "mov r3, a\n{} r3, first, r3\n{}\n{}\nmov pos, r3",
            part(bools, 0, "mul", "add"),
            part(bools, 1, "max r3, half.xxxx, r3", "nop"),
            part(bools, 2, "mul r3, r3, r3", "nop"),
        ));
        for known in 0..8u16 {
            let found = verdict([&whole, &variant], &|comparison| {
                (comparison.options.control.bools.baked, comparison.options.control.bools.values) =
                    (7, known);
            });
            if known == bools {
                assert_eq!(found, Verdict::Proven { claims: 0 }, "{bools:03b}");
            } else {
                let Verdict::Different(found) = found else {
                    panic!("{bools:03b} as {known:03b}: {found:?}")
                };
                assert_eq!(found.values.uniforms.bools & 7, known, "{bools:03b}: what is known stays");
            }
        }
        let found = verdict([&whole, &variant], &|_| {});
        let Verdict::Different(found) = found else { panic!("{found:?}") };
        // The smallest values have as few bools as the difference needs.
        assert!((found.values.uniforms.bools & 7).count_ones() <= 1, "{bools:03b}: {found:?}");
    }
}

#[test]
fn random_programs_with_a_changed_bit_are_told_apart() {
    let (mut proven, mut different, mut alike, mut missed) = (0, 0, 0, 0);
    for seed in 0..200 {
        let generated = generate(if seed % 3 == 0 { Kind::Wild } else { Kind::Clean }, seed);
        let original = raw(&generated.program());
        let same = verdict([&original, &original], &|_| {});
        assert!(!matches!(same, Verdict::Different(_)), "{seed}");
        proven += u32::from(same == Verdict::Proven { claims: 0 });
        let mut random = Random::new(seed, "a bit");
        let mut wrong = generated.clone();
        let place = random.below(wrong.descriptors.len() as u32) as usize;
        wrong.descriptors[place] ^= 1 << random.below(31);
        match checked([&original, &raw(&wrong.program())], &|_| {}) {
            (Verdict::Different(_), _) => different += 1,
            (Verdict::Sampled { sampled, why }, false) => {
                println!("{seed}: {sampled:?} {why}");
                missed += 1;
            }
            (Verdict::Proven { .. } | Verdict::Sampled { .. }, _) => alike += 1,
        }
    }
    println!(
        "{proven} proven equal to themselves; {different} changed ones differ, {alike} do not, {missed} were missed"
    );
    assert!(proven >= 195 && different >= 30, "{proven} {different} {alike}");
    assert!(missed * 20 <= different, "{missed} {different}");
}

#[test]
fn geometry_programs_are_told_apart_by_what_they_emit() {
    let text = |body: &str| {
        let text = format!(
            ".gsh point c0\n.out pos position\n.out col color\n.fvec first\n.alias a v0\n.entry main\n\
             .proc main\n{body}\nend\n.end\n"
        );
        opened(&text).expect("a program")
    };
    let emit =
        |slot: u8, flags: &str, body: &str| format!("setemit {slot}{flags}\n{body}\nmov col, a\nemit\n");
    let triangle = |last: &str, middle: &str| {
        emit(0, "", "mov pos, a") + &emit(1, "", middle) + &emit(2, last, "add pos, first, a")
    };
    let plain = text(&triangle(", prim", "mov pos, first"));
    let same = text(&triangle(", prim", "mov r0, first\nmov pos, r0"));
    assert_eq!(verdict([&plain, &same], &|_| {}), Verdict::Proven { claims: 0 });
    // The third EMIT has the color of the first, as both banks take turns.
    let colors = |third: &str| {
        text(&format!(
            "{}setemit 2\nmov pos, a\n{third}emit\n",
            emit(0, "", "mov pos, a") + "setemit 1\nmov pos, a\nmov col, first\nemit\n"
        ))
    };
    let twice = [&colors(""), &colors("mov col, a\n")];
    assert_eq!(verdict(twice, &|_| {}), Verdict::Proven { claims: 0 });
    assert!(matches!(verdict([&colors(""), &colors("mov col, first\n")], &|_| {}), Verdict::Different(_)));
    for (wrong, has_output) in [
        (triangle(", prim inv", "mov pos, first"), false),
        (triangle("", "mov pos, first"), false),
        (triangle(", prim", "mov pos, -first"), true),
        (triangle(", prim", "mov pos, first") + &emit(0, "", "mov pos, a"), false),
    ] {
        let Verdict::Different(found) = verdict([&plain, &text(&wrong)], &|_| {}) else { panic!("{wrong}") };
        assert_eq!(found.output.as_ref().map(|output| output.emit), has_output.then_some(1), "{wrong}");
    }
    // What an invocation leaves is an input of the next one.
    let counting = text(&("add r0, first, r0\n".to_owned() + &emit(0, ", prim", "mov pos, r0")));
    let fresh = text(&("mov r1, first\nadd r0, first, r0\n".to_owned() + &emit(0, ", prim", "mov pos, r0")));
    let reset = text(
        &("mov r1, a\nadd r0, first, -r1\nadd r0, a, r0\n".to_owned() + &emit(0, ", prim", "mov pos, r0")),
    );
    assert_eq!(verdict([&counting, &fresh], &|_| {}), Verdict::Proven { claims: 0 });
    // What the first invocations send is equal, and what they leave is not.
    let other = text(&("mul r0, first, r0\n".to_owned() + &emit(0, ", prim", "mov pos, r1")));
    let same = text(&("mul r0, first, a\n".to_owned() + &emit(0, ", prim", "mov pos, r1")));
    assert_eq!(verdict([&other, &same], &|_| {}), Verdict::Proven { claims: 0 });
    let later = ["mov pos, r1", "mov pos, r1\nmov r2, r2", "mov pos, r1\nmov r2, a"];
    let [one, two, three] = later.map(|body| text(&(emit(0, ", prim", body) + "mov r1, r2\n")));
    assert_eq!(verdict([&one, &two], &|_| {}), Verdict::Proven { claims: 0 });
    assert!(matches!(verdict([&one, &three], &|_| {}), Verdict::Different(_)));
    assert!(matches!(verdict([&counting, &reset], &|_| {}), Verdict::Different(_)));
    let vertex = program("mov pos, a");
    let matching = Matching::new([&plain.symbols, &vertex.symbols], &[]).expect("outputs");
    let comparison = Comparison::new([&plain, &vertex], &matching, Options::default());
    let error = compare(&comparison).expect_err("two stages");
    let text = |what: &str, stage: &str| {
        format!("input: a comparison with a {what} program does not accept a {stage} program")
    };
    assert_eq!(error.to_string(), text("geometry", "vertex"));
    let other = same_stage([&vertex, &plain]).expect_err("two stages");
    assert_eq!(other.to_string(), text("vertex", "geometry"));
    assert_eq!((same_stage([&vertex; 2]), same_stage([&plain; 2])), (Ok(()), Ok(())));
}

#[test]
fn names_count_before_registers() {
    let text = |floats: &str, body: &str| {
        let text = format!(".out pos position\n.fvec {floats}\n.alias a v0\n.proc main\n{body}\nend\n.end\n");
        opened(&text).expect("a program")
    };
    let body = "mov r0, first\nadd pos, second, r0";
    let [a, b, c] = ["first, second", "second, first", "first, third"].map(|list| {
        text(list, &body.replace("second", if list.ends_with("third") { "third" } else { "second" }))
    });
    assert_eq!(verdict([&a, &b], &|_| {}), Verdict::Proven { claims: 0 });
    let matching = Matching::new([&a.symbols, &b.symbols], &[]).expect("outputs");
    assert_eq!(matching.notes, ["second is c1 and c0", "first is c0 and c1"]);
    // A name that only one has stands at its register.
    assert_eq!(verdict([&a, &c], &|_| {}), Verdict::Proven { claims: 0 });
    let difference = text("first, second", "mov r0, second\nadd r0, second, r0\nmov pos, r0");
    assert!(matches!(verdict([&b, &difference], &|_| {}), Verdict::Different(_)));
    let error = Matching::new([&a.symbols, &b.symbols], &["color".into()]).expect_err("no such output");
    assert!(error.contains("no output color; both have position"), "{error}");
}

#[test]
fn sums_in_another_order_are_equal_up_to_rounding() {
    let bodies = [
        "mov r2, b\nadd r0, a, r2\nadd r0, first, r0\nmul r1, second, r0\ndp4 r1.x, r1, r0\nmov pos, r1",
        "add r0, first, b\nadd r0, a, r0\nmul r1, second, r0\ndp4 r1.x, r0, r1\nmov pos, r1",
    ];
    assert!(matches!(verdict_of(bodies, &|_| {}), Verdict::Different(_)));
    let rounding = |comparison: &mut Comparison<'_>| comparison.rounding = Some(1e-5);
    // Structure shows the order, samples the distance.
    let found = verdict_of(bodies, &rounding);
    let Verdict::Sampled { sampled, why } = &found else { panic!("{found:?}") };
    assert_eq!(why, "sums and products are the same for all inputs, in another order");
    assert!(sampled.vertices == 4096 && sampled.worst.ulp > 0 && sampled.worst.relative <= 1e-5, "{found:?}");
    assert_eq!(verdict_of([bodies[0]; 2], &rounding), Verdict::Proven { claims: 0 });
    // Not the same sum, but near it.
    let near =
        ["mul pos, first, a", "mul r0, first, a\nmul r1, half.y, r0\nadd r1, r1, -r0\nadd pos, r1, r0"];
    assert!(!matches!(verdict_of(near, &rounding), Verdict::Different(_)));
    let far = ["mul pos, first, a", "mul r0, first, a\nmul pos, half.x, r0"];
    assert!(matches!(verdict_of(far, &rounding), Verdict::Different(_)));
    // The distance at the limit and above it.
    let rows = [["mov pos, half.y", "mov r0, half.y\nadd pos, half.w, r0"]];
    for (limit, is_equal) in [(0.79, false), (0.81, true)] {
        let found = verdict_of(rows[0], &|comparison| comparison.rounding = Some(limit));
        assert_eq!(!matches!(found, Verdict::Different(_)), is_equal, "{limit}: {found:?}");
    }
}

#[test]
fn sums_in_another_order_can_have_any_distance() {
    let bodies = ["add r0, first, a\nadd pos, b, r0", "mov r1, a\nadd r0, b, r1\nadd pos, first, r0"];
    // At most a unit in the last place on plausible values, with which verdicts are about rounding.
    for (limit, is_equal) in [(1e-5, true), (1e-9, false)] {
        let found = verdict_of(bodies, &|comparison| comparison.rounding = Some(limit));
        assert_eq!(found.is_equal(), is_equal, "{limit}: {found:?}");
        assert!(!matches!(found, Verdict::Proven { .. }), "{found:?}");
    }
    let [a, b] = bodies.map(program);
    let matching = Matching::new([&a.symbols, &b.symbols], &["position".into()]).expect("outputs");
    let comparison =
        Comparison { rounding: Some(1e-5), ..Comparison::new([&a, &b], &matching, Options::default()) };
    let mut values = Values { uniforms: values::uniforms(0), inputs: [[0.0; 4]; 16] };
    values.uniforms.floats[0] = [1e20, 0.0, 0.0, 0.0];
    (values.inputs[0][0], values.inputs[1][0]) = (-1e20, 1.0);
    let both = Machines::new(&comparison).expect("machines").run(&values).expect("it runs");
    let results = both.each_ref().map(|sent| sent.as_ref().expect("it ends")[0].outputs[0][0]);
    assert_eq!(results, [1.0, 0.0]);
}

#[test]
fn a_difference_names_the_instructions_at_which_programs_part() {
    let branch = |test: &str| {
        let arms = "mul r0, second, r0\n.else\nadd r0, second, r0\n.end\nmov pos, r0";
        format!("mov r0, a\ncmp first.x, {test}, {test}, a.x\nifc cmp.x\n{arms}")
    };
    for (bodies, places) in [
        // The other result occurs elsewhere.
        (
            [
                "dp4 r1.x, first, a\ndp4 r1.y, second, a\nmov r2, r1.xyyy\nadd pos, half, r2",
                "dp4 r1.x, second, a\ndp4 r1.y, second, a\nmov r2, r1.xyyy\nadd pos, half, r2",
            ],
            [0, 0],
        ),
        // A copy before it, and a sign.
        (
            [
                "mul r0, first, a\nadd pos, half, r0",
                "mov r3, a\nmul r0, first, -r3\nadd r2, half, r0\nmov pos, r2",
            ],
            [0, 1],
        ),
        // A copy behind it, with a sign.
        (["add r0, first, a\nadd pos, half, r0", "add r0, first, a\nadd r1, half, r0\nmov pos, -r1"], [1, 2]),
        // Another register, whose value is right.
        (
            [
                "mul r0, first, a\nmul r1, second, a\nadd r2, r0, r1\nmov pos, r2",
                "mul r0, first, a\nmul r1, second, a\nadd r2, r0, r0\nmov pos, r2",
            ],
            [2, 2],
        ),
        // Exchanged operands and other registers after it.
        (
            [
                "mul r0, first, a\nmul r1, second, a\nadd pos, r0, r1",
                "mul r0, first, a\nmul r2, second, b\nadd pos, r2, r0",
            ],
            [1, 1],
        ),
        // One that is gone, and one that nothing replaces.
        (["mul r0, first, a\nmul r0, second, r0\nmov pos, r0", "mul r0, first, a\nnop\nmov pos, r0"], [1, 0]),
        (["mul r0, first, a\nmov pos, r0", "nop\nmov pos, r0"], [0, 1]),
        // Another opcode, behind an address.
        (
            [
                "add r1, half, a\nmova a0.x, r1.x\nmov pos, first[a0.x + 0]",
                "mul r1, half, a\nmova a0.x, r1.x\nmov pos, first[a0.x + 0]",
            ],
            [0, 0],
        ),
        // A comparison that decides which instructions run.
        ([&branch("gt"), &branch("le")], [1, 1]),
    ] {
        let found = verdict_of(bodies, &|_| {});
        let Verdict::Different(found) = found else { panic!("{bodies:?}: {found:?}") };
        assert_eq!(found.instructions.map(|pc| pc.map(|pc| pc.index())), places.map(Some), "{bodies:?}");
    }
}

#[test]
fn promises_leave_out_what_breaks_them() {
    // Zero times infinity is 0 here: only NaN tells these apart.
    let bodies = [
        "mul pos, first, a",
        "mul r0, first, a\nmax r1, half.xxxx, r0\nmin r2, half.xxxx, r0\n\
                   add r1, r1, r2\nadd pos, -half.xxxx, r1",
    ];
    let below = |comparison: &mut Comparison<'_>| {
        comparison.rounding = Some(1e-3);
        comparison.options.input.promises = [Promise::Below(4); 16];
        comparison.options.assume.uniforms = Promise::Below(4);
    };
    let found = verdict_of(bodies, &below);
    assert!(matches!(found, Verdict::Sampled { .. }), "{found:?}");
    assert!(matches!(verdict_of(bodies, &|_| {}), Verdict::Different(_)));
}

#[test]
fn solvers_decide_what_structure_leaves_open() {
    // x + x is 2 x for every number, by other operations.
    let bodies = ["add pos, a, a", "mov r0, a\nmul pos, half.zzzz, r0"];
    let Verdict::Sampled { why, sampled } = verdict_of(bodies, &|_| {}) else { panic!("not on samples") };
    assert!(why.contains("no solver is asked") && sampled.vertices == 4096, "{why}");
    let ask = |answer: bool| -> Verdict {
        let solver: Solver<'_> = &move |script: &str| answer && script.contains("check-sat");
        let [a, b] = bodies.map(program);
        let matching = Matching::new([&a.symbols, &b.symbols], &[]).expect("outputs");
        let comparison =
            Comparison { solver: Some(solver), ..Comparison::new([&a, &b], &matching, Options::default()) };
        compare(&comparison).expect("it runs")
    };
    assert!(matches!(ask(true), Verdict::Proven { claims: 1.. }));
    let Verdict::Sampled { why, .. } = ask(false) else { panic!("not on samples") };
    assert!(why.contains("solvers do not decide"), "{why}");
}

#[test]
fn a_program_that_does_not_end_differs_from_one_that_does() {
    let bodies = ["mov pos, a", "again:\ncmp a.x, eq, eq, a.x\njmpc cmp.x, again\nmov pos, a"];
    let Verdict::Different(found) = verdict_of(bodies, &|_| {}) else { panic!("equal") };
    assert_eq!((found.ended, &found.output), ([true, false], &None));
    // Its values are as small as others: of all registers it is one component that decides.
    let endless = "mov r0, first\nagain:\ncmp half.z, lt, lt, r0.x\njmpc cmp.x, again\nmov pos, a";
    let found = verdict_of(["mov pos, a", endless], &|comparison| comparison.effort.budget = 1 << 16);
    let Verdict::Different(found) = found else { panic!("equal") };
    let mut defaults = Values { uniforms: Uniforms::default(), inputs: [DEFAULT; 16] };
    defaults.uniforms.floats = [[0.0; 4]; 96];
    defaults.uniforms.floats[0][0] = 3.0;
    assert_eq!((found.ended, found.values), ([true, false], defaults));
    // Twice the budget is no difference: the slower program gets sixteen times as much.
    let slow = "mov r0, a\n".repeat(70) + "mov pos, a";
    let found =
        verdict_of(["mov pos, first", &slow.replace("mov pos, a", "mov pos, first")], &|comparison| {
            comparison.effort.budget = 40;
        });
    assert!(matches!(found, Verdict::Proven { .. }), "{found:?}");
}
