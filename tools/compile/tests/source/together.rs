//! The evaluator: what 128 vertices give side by side, each gives alone.

use transpica_compile::source::data::LaneList;
use transpica_compile::source::evaluate::{Inputs, Outputs, evaluate};
use transpica_compile::source::promises::Promises;
use transpica_compile::source::{Interface, Language, Options, Source, lower, read};
use transpica_inspect::values::Random;

use super::shaders::{files, source};

/// More than two groups.
const VERTICES: usize = 150;

fn bits(outputs: &Outputs) -> Option<Vec<Vec<u32>>> {
    let bits = |lanes: &LaneList<f32>| lanes.iter().map(|lane| lane.to_bits()).collect();
    Some(outputs.as_ref()?.iter().map(bits).collect())
}

/// Evaluates vertices together and alone, and returns the outputs.
fn both(source: &Source, options: &Options, interface: &Interface, inputs: &[Inputs]) -> Vec<Outputs> {
    let together = evaluate(source, options, interface, inputs);
    assert_eq!(together.len(), inputs.len());
    for (vertex, (inputs, found)) in inputs.iter().zip(&together).enumerate() {
        let alone = evaluate(source, options, interface, std::slice::from_ref(inputs));
        assert_eq!(bits(found), bits(&alone[0]), "vertex {vertex} of {}", source.text);
    }
    together
}

/// Outputs of a body of `main` for vertices whose `p` is random and whose `kind` is 0 to 3.
fn run(body: &str, change: impl Fn(&mut [Inputs])) -> (Vec<Inputs>, Vec<Outputs>) {
    let text = |body: &str| {
        format!(
            "@group(0) @binding(0) var<uniform> table: array<vec4f, 4>;
            fn steps(p: vec4f, kind: i32) -> vec4f {{ {body} }}
            @vertex fn main(@location(0) p: vec4f, @location(1) kind: i32) -> @builtin(position) vec4f {{
                let sum = steps(p, kind);
                return sum;
            }}"
        )
    };
    let source = |body: &str| read(Language::Wgsl, text(body).as_bytes()).expect("valid");
    let options = Options { depth: transpica_compile::source::Depth::Console, ..Options::of(Language::Wgsl) };
    // The evaluator knows more than the lowering.
    let lowered = lower(&source("return table[kind] + p;"), &options).expect("in the subset");
    let mut random = Random::new(7, "together");
    let mut inputs =
        Inputs::several(&mut random, &lowered.interface, &Promises::none(&lowered.interface), VERTICES);
    change(&mut inputs);
    let outputs = both(&source(body), &options, &lowered.interface, &inputs);
    (inputs, outputs)
}

/// Checks a body against the same function in Rust.
#[track_caller]
fn check(body: &str, expected: impl Fn([f32; 4], i32) -> Option<f32>) {
    let (inputs, outputs) = run(body, |_| ());
    for (inputs, found) in inputs.iter().zip(&outputs) {
        let (p, kind) = (inputs.attributes[0], inputs.attributes[1][0] as i32);
        let found = found.as_ref().map(|outputs| outputs[0][0]);
        assert_eq!(found, expected(p, kind), "{p:?}, {kind}: {body}");
    }
}

#[test]
fn vertices_take_their_own_ways() {
    check(
        "if p.x > 0.0 { return vec4f(1.0); } else if p.y > 0.0 { return vec4f(2.0); } return p;",
        |p, _| {
            Some(if p[0] > 0.0 {
                1.0
            } else if p[1] > 0.0 {
                2.0
            } else {
                p[0]
            })
        },
    );
    check(
        "var sum = 0.0;
        for (var n = 0; n < 9; n++) {
            if n > kind && p.x > 0.0 { break; }
            if p.y > 0.0 && n == 4 { return vec4f(-sum); }
            if (n & 1) == kind { continue; }
            for (var inner = 0; inner < n; inner++) {
                if inner == kind { break; }
                sum += 1.0;
            }
        }
        return vec4f(sum);",
        |p, kind| {
            let mut sum = 0.0;
            for n in 0..9 {
                if n > kind && p[0] > 0.0 {
                    break;
                }
                if p[1] > 0.0 && n == 4 {
                    return Some(-sum);
                }
                if (n & 1) != kind {
                    sum += n.min(kind) as f32;
                }
            }
            Some(sum)
        },
    );
    check(
        "var sum = 0.0;
        for (var n = 0; n < 3; n++) {
            switch kind {
                case 2 { if p.x > 0.0 { break; } sum += 10.0; }
                case 0 { sum += 100.0; continue; }
                default { if n == 1 { return vec4f(sum); } sum += 1.0; }
            }
            sum += 1000.0;
        }
        return vec4f(sum);",
        |p, kind| {
            Some(match kind {
                2 if p[0] > 0.0 => 3000.0,
                2 => 3030.0,
                0 => 300.0,
                _other => 1001.0,
            })
        },
    );
}

#[test]
fn vertices_have_their_own_elements() {
    check("var all = array<f32, 4>(p.x, p.y, p.z, p.w); return vec4f(all[kind]);", |p, kind| {
        Some(p[kind as usize])
    });
    check(
        "var all = array<vec4f, 3>(p, p, p);
        if p.x > 0.0 { all[kind][kind] = 7.0; } else { all[1].y = 8.0; }
        return vec4f(all[0].x + all[1].y * 16.0);",
        |p, kind| match (p[0] > 0.0, kind) {
            (true, 0) => Some(7.0 + p[1] * 16.0),
            (true, 1) => Some(p[0] + 7.0 * 16.0),
            (true, 2) => Some(p[0] + p[1] * 16.0),
            // Outside.
            (true, _) => None,
            (false, _) => Some(p[0] + 8.0 * 16.0),
        },
    );
    check("let all = array<f32, 2>(p.x, p.y); return vec4f(all[kind - 1]);", |p, kind| match kind {
        1 | 2 => Some(p[kind as usize - 1]),
        _outside => None,
    });
}

#[test]
fn a_vertex_that_does_not_end_keeps_no_other() {
    let body = "var x = p.x; loop { if x != 0.0 { break; } } return vec4f(x);";
    let (_, outputs) = run(body, |inputs| {
        for (n, inputs) in inputs.iter_mut().enumerate() {
            inputs.attributes[0][0] = if n == 70 { 0.0 } else { 1.0 };
        }
    });
    let ended = outputs.iter().map(Option::is_some);
    assert!(ended.enumerate().all(|(n, ended)| ended == (n != 70)));
}

#[test]
fn other_roundings_are_those_of_a_vertex_alone() {
    let seeds = |inputs: &mut [Inputs]| {
        (0..).zip(inputs).for_each(|(seed, inputs)| inputs.rounding = (seed % 3 != 0).then_some(seed));
    };
    let (_, outputs) = run("if p.x > 0.0 { return p * 1.1; } return sin(p) + table[1];", seeds);
    assert!(outputs.iter().all(Option::is_some));
}

#[test]
fn shaders_give_the_same_together_and_alone() {
    for (path, language) in files() {
        let source = source(&path, language);
        let options = Options::of(language);
        let lowered = lower(&source, &options).expect("in the subset");
        let mut random = Random::new(1, "together");
        let inputs =
            Inputs::several(&mut random, &lowered.interface, &Promises::none(&lowered.interface), 20);
        both(&source, &options, &lowered.interface, &inputs);
    }
}
