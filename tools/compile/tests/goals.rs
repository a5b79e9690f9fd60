//! Programs with fewer executed instructions, and with sums in another order.

use transpica::isa::sizes::VERTEX_WORDS;
use transpica::settings::Control;
use transpica::{Limits, Shbin};
use transpica_asm::{SourceText, assemble};
use transpica_compile::equal::{Distance, Opened};
use transpica_compile::optimize::{Goal, Known, Objective, Optimized, Reason, optimize};
use transpica_compile::paths;

/// Optimizes for speed.
const SPEED: Goal = Goal { objective: Objective::Speed, rounding: None };

/// The samples that become faster: words before and after, instructions of all ways before and
/// after, of the longest way before and after.
const FASTER: &str = "\
arm 72 95 317.1 246.0 80.5 62.0
billboard 45 40 79.0 71.0 44.0 40.0
cards 57 79 141.0 79.0 131.0 70.0
counter 59 53 114.3 102.3 45.3 39.3
extremes 57 46 60.0 49.0 60.0 49.0
fireworks 74 80 42.0 30.0 38.0 26.0
fog 41 39 42.4 40.4 42.4 40.4
library 461 482 8883.2 8745.2 183.6 183.6
lights 47 43 73.6 68.4 40.4 37.3
mirror 80 65 117.1 94.3 59.1 47.7
morph 43 43 648.0 640.0 42.0 42.0
outline 49 51 216.0 194.0 41.0 36.0
particles 64 56 60.8 60.3 60.8 60.3
points 29 33 47.0 33.0 41.0 27.0
projector 45 42 45.0 42.0 45.0 42.0
ribbon 67 65 67.0 65.0 67.0 65.0
shadow 94 102 167.4 119.8 103.4 65.8
silhouette 108 166 145.2 91.0 133.2 79.0
skinning 32 35 218.0 175.0 47.0 35.0
sprites 48 55 145.0 104.0 60.0 39.0
subdivision 151 188 252.0 178.0 234.0 164.0
terrain 63 57 169.0 155.0 57.0 52.0
toon 149 158 708.6 684.9 121.2 116.7
uber 337 325 2143.6 2037.0 274.0 251.7
vegetation 54 47 83.0 71.0 42.0 36.0
wireframe 82 107 179.5 106.0 167.5 94.0
";

/// Instructions of each way through the programs of a file.
fn executed(bytes: &[u8]) -> Vec<f64> {
    let file = Shbin::parse(bytes).expect("a file");
    let opened = |index| Opened::new(&file, index, &Limits::default()).expect("a program");
    let programs = (0..file.executables.len()).map(opened);
    let ways = |opened: Opened| {
        let bools = paths::combinations(paths::tested(&opened.program));
        paths::executed(&opened, &Control::default(), &bools).expect("it runs")
    };
    programs.flat_map(ways).map(|way| way.instructions).collect()
}

fn sum_and_most(ways: &[f64]) -> [f64; 2] {
    [ways.iter().sum(), ways.iter().copied().fold(0.0, f64::max)]
}

fn optimized(bytes: &[u8], goal: Goal) -> Optimized {
    optimize(bytes, &[], goal).expect("programs")
}

#[test]
fn samples_execute_fewer_instructions_as_recorded() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shaders");
    let entries = std::fs::read_dir(&folder).expect("there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("there").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "shbin"));
    paths.sort();
    let mut table = String::new();
    for path in paths {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let bytes = std::fs::read(path).expect("a file");
        let Optimized { bytes: after, before: words, after: now, kept, .. } = optimized(&bytes, SPEED);
        let [first, second] = [&bytes, &after].map(|bytes| executed(bytes));
        assert!(first.iter().zip(&second).all(|(first, second)| second <= first), "{name}");
        assert!(now <= words.max(VERTEX_WORDS as usize), "{name}: {now} words");
        assert_eq!(kept.is_none(), bytes != after, "{name}");
        if bytes != after {
            let [[sum, most], [sum_now, most_now]] = [&first, &second].map(|ways| sum_and_most(ways));
            assert!(sum_now < sum, "{name}");
            table += &format!("{name} {words} {now} {sum:.1} {sum_now:.1} {most:.1} {most_now:.1}\n");
        }
    }
    assert_eq!(table, FASTER, "\n{table}");
}

/// A vertex program of these lines.
fn vertex(body: &str) -> Vec<u8> {
    let head = ".out pos position\n.out col color\n.fvec a, b, c, d\n.alias p v0\n.alias q v1\n.bool flag\n";
    let text = format!("{head}.proc main\n{body}\nend\n.end\n");
    assemble(&[SourceText { name: "test", text: &text }]).expect("a text").bytes
}

/// A procedure that is called often: calls take time, and its lines as often take words.
fn called(times: usize) -> Vec<u8> {
    file(&[times])
}

/// A file of such programs.
fn file(times: &[usize]) -> Vec<u8> {
    let text = |(n, &times): (usize, &usize)| {
        let head = format!(".entry main{n}\n.out pos position\n.fvec a\n.alias p v0\n");
        let lines = "mul r0, a, r0\nadd r0, p, r0\nrcp r1.x, r0.x\nmul r0, r0, r1.xxxx\n";
        let calls = format!("call part{n}\n").repeat(times);
        let end = format!(".proc main{n}\nmov r0, p\n{calls}mov pos, r0\nend\n.end\n");
        format!("{head}.proc part{n}\n{lines}.end\n{end}")
    };
    let texts: Vec<String> = times.iter().enumerate().map(text).collect();
    let sources: Vec<_> = texts.iter().map(|text| SourceText { name: "test.v.pica", text }).collect();
    assemble(&sources).expect("a text").bytes
}

#[test]
fn words_become_more_only_for_speed_and_up_to_what_the_unit_holds() {
    let bytes = called(20);
    let (small, fast) = (optimized(&bytes, Goal::default()), optimized(&bytes, SPEED));
    assert!(small.after <= small.before && fast.after > fast.before, "{small:?}\n{fast:?}");
    assert!(fast.is_proven && fast.kept.is_none());
    let [[before, _], [after, _]] = [&bytes, &fast.bytes].map(|bytes| sum_and_most(&executed(bytes)));
    // At least the calls.
    assert!(after <= before - 20.0, "{before} {after}");
    // MUL and ADD become MAD: three words for each, and one for each of the ends.
    let words = |times: usize| optimized(&called(times), SPEED).after;
    let fits = (512 - 2) / 3;
    assert!((500..=512).contains(&words(fits)), "{}", words(fits));
    assert!(words(fits + 1) < 300, "{}", words(fits + 1));
    // Programs of one file share the room: both, then one of them.
    let stays = |times: &[usize]| {
        let Optimized { after, programs, .. } = optimized(&file(times), SPEED);
        assert!(after <= 512, "{after}");
        programs.iter().map(Option::is_some).collect::<Vec<_>>()
    };
    assert_eq!(stays(&[80, 80]), [false, false]);
    // Where either has room, the one that saves more; 140 calls have none beside the other's words.
    assert_eq!(stays(&[120, 100]), [false, true]);
    assert_eq!(stays(&[100, 120]), [true, false]);
    assert_eq!(stays(&[140, 100]), [true, false]);
}

#[test]
fn programs_without_a_faster_way_stay() {
    let bytes = vertex("add pos, a, p\nmov col, q");
    let Optimized { bytes: after, kept, .. } = optimized(&bytes, SPEED);
    assert_eq!((after, kept), (bytes, Some(Reason::NotFaster)));
    // A way that becomes faster counts, if the other one does not become slower.
    let bytes = vertex("ifu flag\nmov r0, p\nadd pos, a, r0\n.else\nadd pos, b, p\n.end\nmov col, q");
    let Optimized { bytes: after, kept, .. } = optimized(&bytes, SPEED);
    let [before, after] = [&bytes, &after].map(|bytes| executed(bytes));
    assert!(kept.is_none() && before[1] > after[1] && before[0] >= after[0], "{before:?} {after:?}");
}

/// A vertex program whose sums may be in another order.
fn reordered(body: &str, part: f32) -> Optimized {
    optimized(&vertex(body), Goal { rounding: Some(part), ..Goal::default() })
}

#[test]
fn sums_of_products_become_dot_products() {
    let line = |n: usize| {
        let component = ["x", "y", "z", "w"][n];
        format!("mad r0.x, p.{component}, a.{component}, r0.x\n")
    };
    let end = "mov pos, r0.x\nmov col, q";
    let four = format!("mul r0.x, a.x, p.x\n{}{}{}{end}", line(1), line(2), line(3));
    let three = format!("mul r0.x, a.x, p.x\n{}{}{end}", line(1), line(2));
    let two = format!("mul r0.x, a.x, p.x\n{}{end}", line(1));
    // Another order, another sign, and factors that changed places.
    let mixed = format!(
        "mul r0.x, -a.w, p.w\nmad r0.x, p.x, -a.x, r0.x\nmad r0.x, -p.z, a.z, r0.x\nmad r0.x, -p.y, a.y, r0.x\n{end}"
    );
    let subtracted = format!(
        "mul r1.x, a.x, p.x\nmul r0.x, -a.y, p.y\nmad r0.x, -p.z, a.z, r0.x\nadd r0.x, r0.x, -r1.x\n{end}"
    );
    let vector = format!("mul r1, a, p\nadd r1.xy, r1.xy, r1.zw\nadd r0.x, r1.x, r1.y\n{end}");
    for (body, before, after) in
        [(&four, 7, 3), (&three, 6, 3), (&two, 5, 4), (&mixed, 7, 3), (&vector, 6, 3), (&subtracted, 7, 3)]
    {
        let found = reordered(body, 1e-2);
        assert_eq!((found.before, found.after), (before, after), "{body}");
        assert_eq!(found.is_proven, before - 1 == after, "{body}");
        assert!(found.distance.relative < 1e-2, "{body}: {:?}", found.distance);
        // Else the order stays, and a copy is gone.
        assert_eq!(optimized(&vertex(body), Goal::default()).after, before - 1, "{body}");
    }
}

#[test]
fn sums_in_another_order_that_are_too_far_are_refused() {
    // DP4 begins with x.
    let body = "mul r0.x, a.w, p.w\nmad r0.x, p.z, a.z, r0.x\nmad r0.x, p.y, a.y, r0.x\nmad r0.x, p.x, a.x, r0.x\nmov pos, r0.x\nmov col, q";
    // Sums that cancel have large distances.
    let near = reordered(body, 0.5);
    let distance = near.distance.relative;
    assert!(distance > 0.0 && near.kept.is_none(), "{near:?}");
    // The order stays where it is too far, and a copy is gone.
    let exact = reordered(body, distance.next_down());
    assert!(exact.kept.is_none() && exact.is_proven && exact.after > near.after, "{exact:?}");
    assert_eq!(exact.distance, Distance::default());
    assert!(matches!(exact.refused, Some(Reason::Far { distance: far, .. }) if far == distance), "{exact:?}");
    let body = &body.replace("mad r0.x, p.x, a.x, r0.x\nmov pos, r0.x", "mad pos, p.xxxx, a.xxxx, r0.xxxx");
    let distance = reordered(body, 0.5).distance.relative;
    let refused = reordered(body, distance.next_down());
    assert!(
        matches!(&refused.kept, Some(Reason::Far { component, distance: far }) if component == "position.x" && *far == distance),
        "{refused:?}"
    );
    let reason = refused.kept.expect("too far").to_string();
    let measured = format!("change position.x, by {distance:.1e} of the largest component, more than");
    assert!(reason.contains(&measured), "{reason}");
    assert_eq!(refused.bytes, vertex(body));
    assert!(reordered(body, distance).kept.is_none());
}

#[test]
fn constants_of_sums_and_products_become_one() {
    let head = ".out pos position\n.constf k(0.25, 0.5, 1.0, 2.0)\n.alias p v0\n.proc main\n";
    let goal = Goal { rounding: Some(1e-5), ..Goal::default() };
    for (op, other, words) in [("add", "add", 2), ("mul", "mul", 2), ("mul", "add", 3)] {
        let lines = format!("{op} r0, k.xxxx, p\n{op} r0, k.yyyy, r0\n{other} pos, k.wwww, r0\nend\n.end\n");
        let text = format!("{head}{lines}");
        let mut model = assemble(&[SourceText { name: "test", text: &text }]).expect("a text").model;
        // A constant without a name never changes.
        model.executables[0].symbols.clear();
        let bytes = transpica::container::write(&model);
        let optimized = |constants: bool, goal: Goal| {
            let known = Known { constants, ..Known::default() };
            optimize(&bytes, &[known], goal).expect("a program").after
        };
        assert_eq!(optimized(true, goal), words, "{op} {other}");
        assert_eq!([optimized(true, Goal::default()), optimized(false, goal)], [4, 4], "{op} {other}");
    }
}
