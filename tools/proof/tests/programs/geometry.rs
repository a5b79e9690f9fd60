//! Properties of generated geometry programs: the same from the same seed, draws that work and stay
//! small, every feature, and no more carried state than declared.

use std::collections::BTreeMap;

use transpica::geometry::{GeometryInput, StateItem, bounds, observe};
use transpica::isa::{Inst, Mask, Pc};
use transpica::stages::cfg::explore::{ExploreOptions, Explored, explore};
use transpica::{Limits, Stage};
use transpica_draw::cpu::Pipeline;
use transpica_proof::generate::{Dependence, GeneratedGeometry, generate_geometry};

const SEEDS: u64 = 2_000;

/// The triangles of each draw.
fn triangles(generated: &GeneratedGeometry) -> Vec<usize> {
    let (vertex, geometry) = (generated.vertex(), generated.geometry());
    let mut pipeline = Pipeline::new(&vertex, Some(&geometry), generated.setup, &Default::default())
        .unwrap_or_else(|error| panic!("seed {}: {error}", generated.seed));
    let mut counts = Vec::new();
    for draw in &generated.draws {
        if let Some([vertex, geometry]) = &draw.uniforms {
            pipeline.set_uniforms(Stage::Vertex, vertex);
            pipeline.set_uniforms(Stage::Geometry, geometry);
        }
        let drawn = pipeline.draw(&draw.vertices, draw.indices.as_deref());
        counts
            .push(drawn.unwrap_or_else(|error| panic!("seed {}: {error}", generated.seed)).triangles().len());
    }
    counts
}

#[test]
fn a_seed_gives_the_recorded_geometry_program_and_draws() {
    let hash = |seed| {
        let generated = generate_geometry(seed);
        let (vertex, geometry) = (generated.vertex(), generated.geometry());
        let code = [vertex.code(), vertex.descriptors(), geometry.code(), geometry.descriptors()].concat();
        let indices = generated.draws.iter().flat_map(|draw| draw.indices.clone().unwrap_or_default());
        let floats = generated.draws.iter().flat_map(|draw| draw.vertices.iter().flatten().flatten());
        let words = code.into_iter().chain(indices).chain(floats.map(|float| float.to_bits()));
        words.fold(0u32, |hash, word| hash.rotate_left(5) ^ word)
    };
    assert_eq!((0..100).map(hash).fold(0, u32::wrapping_add), 0x6DEA_1E82);
    assert_eq!(hash(3), hash(3));
}

#[test]
fn every_draw_works_and_every_feature_occurs() {
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    let mut most = 0;
    for seed in 0..SEEDS {
        let generated = generate_geometry(seed);
        let triangles = triangles(&generated);
        most = most.max(triangles.iter().copied().max().unwrap_or(0));
        let mut count = |what: &str, is: bool| *counts.entry(what.to_string()).or_default() += u32::from(is);
        count(&format!("{:?}", generated.dependence), true);
        count(&format!("{:?}", generated.setup.topology), true);
        count("two draws with triangles", triangles.iter().all(|&count| count > 0));
        count("no triangles at all", triangles.iter().all(|&count| count == 0));
        let [first, second] = &generated.draws[..] else { panic!("two draws") };
        count("uniforms set between draws", second.uniforms.is_some());
        count(
            "b15 from the beginning",
            first.uniforms.as_ref().is_some_and(|units| units[1].bools >> 15 != 0),
        );
        count("indices", first.indices.is_some());
        let outputs = generated.setup.vertex_outputs.count_ones() as usize;
        let input = generated.setup.geometry.expect("a geometry program").input;
        match input {
            GeometryInput::Point { inputs, registers } => {
                count("point", true);
                count("permuted", registers.iter().enumerate().any(|(place, &to)| place != usize::from(to)));
                count("several vertices", usize::from(inputs) > outputs);
            }
            GeometryInput::Variable { .. } => count("variable", true),
            GeometryInput::Fixed { stride, .. } => {
                count("fixed", true);
                count("overlapping vertices", usize::from(stride) < outputs);
                count("gaps between vertices", usize::from(stride) > outputs);
            }
        }
        let program = generated.geometry();
        let words = (0..program.code().len() as u16).filter_map(|pc| program.inst(Pc(pc)));
        let insts: Vec<Inst> = words.collect();
        let has = |wanted: fn(&Inst) -> bool| insts.iter().any(wanted);
        count("slot 3", has(|inst| matches!(inst, Inst::SetEmit { vertex: 3, .. })));
        count("inverted", has(|inst| matches!(inst, Inst::SetEmit { invert: true, .. })));
        let bounds = bounds(&program, &graph(&generated), [None; 4]);
        // A loop with an unknown count runs up to 256 times.
        count("EMIT in loops", bounds.emits.is_none_or(|most| most >= 256));
        for seen in carried_state(&generated) {
            count(
                match seen {
                    StateItem::Temp { .. } => "sees r",
                    StateItem::Address(_) => "sees a0",
                    StateItem::Counter => "sees aL",
                    StateItem::Flag(_) => "sees cmp",
                    StateItem::Current { .. } => "sees this bank",
                    StateItem::Other { .. } => "sees the other bank",
                    StateItem::Slot(_) => "sees slots",
                    StateItem::Setting => "sees SETEMIT",
                    StateItem::Ran => "sees b15",
                },
                true,
            );
        }
    }
    println!("at most {most} triangles; {counts:#?}");
    assert!((200..=400).contains(&most), "{most}");
    assert_eq!(counts.len(), 31, "{counts:?}");
    for (what, count) in counts {
        assert!(count > SEEDS as u32 / 100, "{what}: {count}");
    }
}

fn graph(generated: &GeneratedGeometry) -> transpica::stages::cfg::Cfg {
    match explore(&generated.geometry(), &ExploreOptions::default(), &Limits::default())
        .expect("defined opcodes")
    {
        Explored::Graph(cfg) => cfg,
        Explored::TooManyNodes { .. } => panic!("seed {}", generated.seed),
    }
}

fn carried_state(generated: &GeneratedGeometry) -> Vec<StateItem> {
    let outputs = generated.setup.geometry.map_or(0, |geometry| geometry.outputs);
    let masks =
        std::array::from_fn(|register| if outputs >> register & 1 != 0 { Mask::XYZW } else { Mask::NONE });
    observe(&generated.geometry(), &graph(generated), &masks).into_iter().map(|seen| seen.item).collect()
}

#[test]
fn programs_generated_without_carried_state_have_none() {
    let mut stateless = 0;
    for seed in 0..SEEDS {
        let generated = generate_geometry(seed);
        let seen = carried_state(&generated);
        match generated.dependence {
            Dependence::None => assert!(seen.is_empty(), "seed {seed}: {seen:?}"),
            Dependence::Bounded => assert!(!seen.contains(&StateItem::Ran), "seed {seed}"),
            Dependence::Any => {}
        }
        stateless += u32::from(seen.is_empty());
    }
    println!("{stateless} of {SEEDS} see nothing");
    assert!(u64::from(stateless) < SEEDS / 2, "{stateless}");
}
