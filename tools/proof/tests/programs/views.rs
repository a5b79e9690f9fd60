//! Views of random programs: recorded runs and drawn graphs.

use transpica::interp::{Settings, Uniforms};
use transpica::stages::cfg::dot::Dot;
use transpica::stages::cfg::explore::{ExploreOptions, Explored, explore};
use transpica::{Limits, Machine, Program, Stage};
use transpica_inspect::graph::svg::{Node, Paint, draw};
use transpica_inspect::recording::Run;
use transpica_inspect::state::{DEFAULT_REGISTERS, State};
use transpica_proof::generate::{Generated, Kind, generate, inputs, uniforms};

fn owned(generated: &Generated) -> Program<'static> {
    let Generated { code, descriptors, entry, .. } = generated.clone();
    Program::new(code, descriptors, entry, Stage::Vertex, &Limits::default()).expect("within the limits")
}

/// Every step of random programs: the stacks lead to the address that the machine went to, and
/// the last state has the machine's outputs.
#[test]
fn states_are_those_of_the_machine() {
    let (mut steps, mut loops) = (0, 0);
    for seed in 0..300 {
        let kind = if seed % 2 == 0 { Kind::Wild } else { Kind::Clean };
        let generated = generate(kind, seed);
        let program = owned(&generated);
        let uniforms: Uniforms = uniforms(seed);
        let inputs = inputs(seed, 1);
        let bits = inputs[0].map(|register| register.map(f32::to_bits));
        let state = State::new(uniforms, vec![bits]);
        let settings = Settings { permissive: true, budget: 5_000, ..Settings::default() };
        let run = Run { program: &program, state: &state, settings, outputs: u16::MAX };
        let Ok(Some(recording)) = run.record(0) else { continue };
        for number in 0..recording.len() {
            let now = recording.state_before(number);
            assert_eq!(Some(now.control.pc), recording.pc(number), "seed {seed}, step {number}");
            loops += now.control.loops.len();
        }
        steps += recording.len();
        let mut machine = Machine::new(&program, settings).expect("a vertex program");
        machine.set_uniforms(&state.uniforms);
        if let Ok(outputs) = machine.run(&inputs[0]) {
            let found = recording.state_before(recording.len()).outputs;
            assert_eq!(
                found.map(|o| o.map(f32::to_bits)),
                outputs.map(|o| o.map(f32::to_bits)),
                "seed {seed}"
            );
            assert!(recording.error.is_none());
        }
    }
    assert!(steps > 10_000 && loops > 500, "{steps} steps, {loops} loops");
}

#[test]
fn there_is_no_vertex_beyond_the_last() {
    let generated = generate(Kind::Clean, 1);
    let program = owned(&generated);
    let vertices = vec![DEFAULT_REGISTERS];
    let state = State::new(Uniforms::default(), vertices);
    let run = Run { program: &program, state: &state, settings: Settings::default(), outputs: 0 };
    assert!(run.record(1).expect("no error").is_none());
}

#[test]
fn graphs_of_random_programs_are_drawn() {
    let (mut count, mut largest) = (0, 0);
    for seed in 0..200 {
        let kind = if seed % 2 == 0 { Kind::Wild } else { Kind::Clean };
        let generated = generate(kind, seed);
        let program = generated.program();
        let explored = explore(&program, &ExploreOptions::default(), &Limits::default());
        let Ok(Explored::Graph(cfg)) = explored else { continue };
        let graph = Dot { cfg: &cfg, program: Some(&program) };
        let name = |number: usize| ["p<1", "p<2"].get(number % 3).map(|&name| name.to_owned());
        let nodes = graph.nodes().into_iter().enumerate();
        let nodes = nodes.map(|(number, text)| Node { text, pcs: vec![1, 2], procedure: name(number) });
        let (nodes, edges) = (nodes.collect::<Vec<_>>(), graph.edges());
        let svg = draw(&nodes, &edges, Paint::File);
        let classes = draw(&nodes, &edges, Paint::Classes);
        assert_eq!(classes.matches("<g class=\"block\" data-pcs=\"1,2\">").count(), nodes.len());
        assert!(!classes.contains("#f") && svg.contains("prefers-color-scheme: dark"));
        assert_eq!(svg.matches("<g class=\"procedure\"><title>p&lt;").count(), nodes.len().min(2));
        assert_eq!(svg.matches("<rect").count(), nodes.len() + 1);
        assert_eq!(svg.matches("<polyline").count(), edges.len());
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        largest = largest.max(nodes.len());
        count += 1;
    }
    assert!(count > 150 && largest > 40, "{count} graphs of at most {largest} nodes");
}
