//! The interpreter and the structured program execute the same instructions, on random programs.
//!
//! This test verifies the rules of `cfg::live`. Simpler rules were wrong, and no other test failed.

use std::collections::BTreeSet;

use transpica::Kind as ErrorKind;
use transpica::interp::{Registers, Settings, TraceRecord, Uniforms};
use transpica::isa::{Inst, Pc};
use transpica::stages::cfg::explore::{self, ExploreOptions, Explored, explore};
use transpica::stages::cfg::reduce::{Reduced, reduce};
use transpica::stages::cfg::{Action, Cfg};
use transpica::stages::structure::{Structured, blocks, structure, tree::Tree};
use transpica::{Limits, Machine, Precision, Program};
use transpica_proof::generate::{Generated, Kind, generate};
use transpica_proof::tally::Tally;
use transpica_proof::walk::{Walk, Walked};

use crate::flow::graphs::program;

/// Limit of instructions per run.
const BUDGET: u64 = 600;

/// A data instruction, and the loop counter at its execution.
type Step = (Pc, i32);

/// Result of a run: the data instructions in order, the final registers, and true if it reached its
/// end.
struct Run {
    steps: Vec<Step>,
    registers: String,
    ended: bool,
}

/// Returns whether an instruction changes a register.
fn has_effect(inst: &Inst) -> bool {
    match inst {
        Inst::Data { op, mask, .. } => op.writes_flags() || !mask.is_empty(),
        Inst::Mova { mask, .. } => !mask.is_empty(),
        Inst::Cmp { .. } => true,
        Inst::Flow(_) | Inst::Emit | Inst::SetEmit { .. } | Inst::Unassigned(_) => false,
    }
}

/// Describes the complete state of a program, as text that distinguishes NaNs and zeros.
fn describe(registers: &Registers) -> String {
    // The sign and payload of a NaN depend on how the compiler orders operands.
    let bits = |value: &f32| if value.is_nan() { f32::NAN.to_bits() } else { value.to_bits() };
    let outputs: Vec<u32> = registers.outputs().iter().flatten().map(bits).collect();
    let (address, counter, flags) = (registers.address(), registers.counter(), registers.flags());
    format!("o {outputs:x?} a0 {address:?} aL {counter} cmp {flags:?}")
}

fn interpret(generated: &Generated, program: &Program<'_>) -> Run {
    let settings = Settings { budget: BUDGET, ..Settings::default() };
    let mut machine = Machine::new(program, settings).expect("is a vertex program");
    machine.set_uniforms(&generated.uniforms());
    let mut steps = Vec::new();
    let mut counter = 0;
    let mut trace = |record: &TraceRecord| {
        if has_effect(&record.inst) {
            steps.push((record.pc, counter));
        }
        counter = record.counter;
    };
    let result = machine.run_traced(&generated.inputs(1)[0], &mut trace).map(|_| ());
    let ended = match result {
        Ok(()) => true,
        Err(error) if matches!(error.kind, ErrorKind::StepBudget(_)) => false,
        Err(error) => panic!("{error}"),
    };
    let registers = describe(machine.registers());
    Run { steps, registers, ended }
}

fn walk(generated: &Generated, program: &Program<'_>, cfg: &Cfg, tree: &Tree, budget: u64) -> Run {
    let mut registers = Registers::new(Precision::Exact, &generated.uniforms());
    registers.begin(&generated.inputs(1)[0]);
    let mut steps = Vec::new();
    let walk = Walk { program, cfg, tree };
    let walked = walk.run(&mut registers, budget, &mut |pc, registers| steps.push((pc, registers.counter())));
    Run { steps, registers: describe(&registers), ended: walked == Walked::End }
}

/// Number of programs by tier.
#[derive(Debug, Default)]
struct Tiers {
    structured: u32,
    blocks: u32,
    addresses: u32,
    ended: u32,
}

fn compare(interpreted: &Run, walk: impl Fn(u64) -> Run, what: &str) {
    // An instruction takes a few statements of a tree, and more in code with only control flow.
    let walked = walk(if interpreted.ended { 100 * BUDGET } else { 4 * BUDGET });
    // An endless run is cut off somewhere; up to there both must agree.
    let common = if interpreted.ended { usize::MAX } else { interpreted.steps.len().min(walked.steps.len()) };
    let cut = |run: &Run| run.steps[..run.steps.len().min(common)].to_vec();
    let (left, right) = (cut(interpreted), cut(&walked));
    let same = left.iter().zip(&right).take_while(|(left, right)| left == right).count();
    assert!(left == right, "{what}, step {same}: {:?} became {:?}", left.get(same), right.get(same));
    if interpreted.ended {
        assert_eq!(interpreted.registers, walked.registers, "{what}");
        assert!(walked.ended, "{what}");
    } else {
        assert!(!walked.ended || walked.steps.len() > interpreted.steps.len(), "{what} ends");
    }
}

fn check(generated: &Generated, limits: &Limits, tiers: &mut Tiers) {
    let what = format!("{:?} program {}", generated.kind, generated.seed);
    let program = generated.program();
    let interpreted = interpret(generated, &program);
    tiers.ended += u32::from(interpreted.ended);
    let explored = explore(&program, &ExploreOptions::default(), limits).expect("has no undefined opcode");
    let Explored::Graph(mut cfg) = explored else {
        tiers.addresses += 1;
        return;
    };
    let tree = blocks::dispatcher(&cfg);
    compare(
        &interpreted,
        |budget| walk(generated, &program, &cfg, &tree, budget),
        &format!("dispatcher of {what}"),
    );
    if reduce(&mut cfg, limits) == Reduced::TooDeep {
        tiers.blocks += 1;
        return;
    }
    let tree = blocks::dispatcher(&cfg);
    compare(
        &interpreted,
        |budget| walk(generated, &program, &cfg, &tree, budget),
        &format!("dispatcher of reduced {what}"),
    );
    match structure(&cfg, limits) {
        Structured::Tree(tree) => {
            tiers.structured += 1;
            compare(
                &interpreted,
                |budget| walk(generated, &program, &cfg, &tree, budget),
                &format!("tree of {what}"),
            );
        }
        Structured::TooDeep { .. } => tiers.blocks += 1,
    }
}

fn check_all(kind: Kind, seeds: std::ops::Range<u64>) -> Tiers {
    let mut tiers = Tiers::default();
    let programs = seeds.end - seeds.start;
    for seed in seeds {
        check(&generate(kind, seed), &Limits::default(), &mut tiers);
    }
    let tally = Tally {
        stage: format!("executed words and registers of trees and dispatchers: {kind:?}"),
        programs,
        vertices: programs,
        note: format!("{} cut off by the budget: equal up to there", programs - u64::from(tiers.ended)),
        ..Tally::default()
    };
    tally.print();
    tiers
}

#[test]
fn trees_of_limited_depth_match_the_interpreter() {
    let limits = Limits { depth: 6, ..Limits::default() };
    let mut tiers = Tiers::default();
    for seed in 10_000..10_500 {
        check(&generate(Kind::Clean, seed), &limits, &mut tiers);
        check(&generate(Kind::Wild, seed), &limits, &mut tiers);
    }
    assert!(tiers.blocks > 50 && tiers.structured > 500, "{tiers:?}");
}

#[test]
fn trees_of_clean_programs_match_the_interpreter() {
    let tiers = check_all(Kind::Clean, 0..2500);
    assert_eq!(tiers.structured, 2500, "{tiers:?}");
}

#[test]
fn wild_programs_match_the_interpreter_in_every_tier() {
    let tiers = check_all(Kind::Wild, 0..2500);
    assert!(tiers.structured > 2000 && tiers.addresses > 0 && tiers.ended > 1000, "{tiers:?}");
}

/// Checks the data words that a program executes and the final aL; b0 is true, all other bool
/// uniforms are false.
#[track_caller]
fn trace(text: &str, ints: &[[u8; 3]], words: &[u16], counter: i32) {
    let program = program(text);
    let limits = Limits::default();
    let explored = explore(&program, &ExploreOptions::default(), &limits).expect("is defined");
    let Explored::Graph(mut cfg) = explored else { panic!("too many nodes") };
    let walk = |cfg: &Cfg, tree: &Tree| {
        let mut uniforms = Uniforms::default();
        uniforms.set_bool(0, true);
        for (place, int) in uniforms.ints.iter_mut().zip(ints) {
            place[..3].copy_from_slice(int);
        }
        let mut registers = Registers::new(Precision::Exact, &uniforms);
        let mut executed = Vec::new();
        let walk = Walk { program: &program, cfg, tree };
        let walked = walk.run(&mut registers, 10_000, &mut |Pc(pc), _| executed.push(pc));
        assert_eq!((walked, executed.as_slice(), registers.counter()), (Walked::End, words, counter));
    };
    walk(&cfg, &blocks::dispatcher(&cfg));
    reduce(&mut cfg, &limits);
    let Structured::Tree(tree) = structure(&cfg, &limits) else { panic!("too deep") };
    walk(&cfg, &tree);
}

#[test]
fn an_if_runs_one_of_its_parts() {
    trace("if b0 3 2; a; a; a; a; end", &[], &[1, 2], 0);
    trace("if b1 3 2; a; a; a; a; end", &[], &[3, 4], 0);
}

#[test]
fn a_call_in_the_last_word_of_a_callee_returns_through_both() {
    trace("call 3 1; a; end; call 6 1; a; end; a; end", &[], &[6, 1], 0);
}

#[test]
fn jumps_in_the_last_word_of_a_scope_are_lost() {
    trace("if b0 2 1; jmp b0 5; a; a; end; a", &[], &[3], 0);
    trace("loop i0 1; jmp b0 4; a; end; a; a", &[[2, 0, 1]], &[2], 3);
    trace("call 4 1; a; end; nop; jmp b0 6; a; a", &[], &[1], 0);
}

#[test]
fn a_call_in_the_last_word_of_a_then_part_is_lost() {
    trace("if b0 2 0; call 4 1; a; end; a; a", &[], &[2], 0);
}

#[test]
fn nested_loops_multiply_unless_they_end_together() {
    let ints = [[4, 0, 1], [4, 0, 1]];
    trace("loop i0 3; loop i1 2; a; nop; end", &ints, &[2; 25], 5);
    trace("loop i0 2; loop i1 2; a; end", &ints, &[2; 5], 0);
}

#[test]
fn ifs_that_end_with_a_loop_fire_one_in_each_iteration() {
    // The last word of the loop ends the inner two; the outer one skips a word if both are gone.
    let text = "if b0 6 1; if b0 5 0; if b0 5 0; loop i0 4; a; a; a; end";
    trace(text, &[[0, 0, 1]], &[4, 5, 6], 1);
    trace(text, &[[1, 0, 1]], &[4, 4, 5], 2);
    trace(text, &[[2, 0, 1]], &[4, 4, 4, 5], 3);
}

#[test]
fn break_steps_the_counter() {
    trace("loop i0 3; a; break; nop; end", &[[5, 3, 2]], &[1], 5);
}

#[test]
fn the_fourth_return_at_once_is_lost() {
    let text = "call 2 1; end; call 3 1; call 4 1; call 5 1; a; a; end";
    trace(text, &[], &[5, 5, 5, 5, 6], 0);
}

#[test]
fn leaving_a_loop_restores_the_counter_while_a_dead_one_remains() {
    trace("loop i0 2; loop i0 2; a; loop i1 4; a; end", &[[0, 0, 1], [1, 5, 1]], &[2, 4, 4], 0);
}

/// Lint uses traces, translation uses graphs: both must contain the same paths.
#[test]
fn a_trace_has_the_words_of_the_graph() {
    for (kind, seed) in Kind::ALL.into_iter().flat_map(|kind| (0..100).map(move |seed| (kind, seed))) {
        let generated = generate(kind, seed);
        let program = generated.program();
        let traced =
            explore::trace(&program, &ExploreOptions::default(), &Limits::default()).expect("is defined");
        let explored = explore(&program, &ExploreOptions::default(), &Limits::default()).expect("is defined");
        let Explored::Graph(cfg) = explored else {
            assert!(!traced.is_complete, "{kind:?} {seed}");
            continue;
        };
        assert_eq!(ran(&traced.graph()), ran(&cfg), "{kind:?} {seed}");
        let words: BTreeSet<Pc> =
            traced.runs.iter().flat_map(|run| (run.state.pc.0..=run.last.0).map(Pc)).collect();
        assert!(ran(&cfg).is_subset(&words), "{kind:?} {seed}");
    }
}

/// The words that a graph executes.
fn ran(cfg: &Cfg) -> BTreeSet<Pc> {
    let pcs = cfg.actions.iter().filter_map(|action| match action {
        Action::Run(pc) => Some(*pc),
        Action::Loop(_) | Action::SetDispatch { .. } => None,
    });
    pcs.collect()
}
