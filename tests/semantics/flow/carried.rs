//! The smallest program for each rule; random programs are compared with the
//! machine by `tests/semantics/geometry/carried_state.rs`.

use transpica::geometry::{Bounds, bounds, observe};
use transpica::isa::Mask;
use transpica::stages::cfg::Cfg;
use transpica::stages::cfg::explore::{ExploreOptions, Explored, explore};
use transpica::stages::cfg::reduce::reduce;
use transpica::{Limits, Program, Stage};

use super::graphs::program_for;

fn graph(program: &Program<'_>, options: &ExploreOptions) -> Cfg {
    match explore(program, options, &Limits::default()).expect("defined opcodes") {
        Explored::Graph(cfg) => cfg,
        Explored::TooManyNodes { .. } => panic!("a small program"),
    }
}

/// Checks the dependences of a program that forwards o0 and o2: `item@address`.
#[track_caller]
fn sees(text: &str, expected: &str) {
    let program = program_for(text, Stage::Geometry);
    let cfg = graph(&program, &ExploreOptions::default());
    let mut reduced = cfg.clone();
    reduce(&mut reduced, &Limits::default());
    for cfg in [cfg, reduced] {
        let mut outputs = [Mask::NONE; 16];
        (outputs[0], outputs[2]) = (Mask::XYZW, Mask::XYZW);
        let seen = observe(&program, &cfg, &outputs);
        let seen: Vec<String> = seen.iter().map(|seen| format!("{}@{}", seen.item, seen.pc.0)).collect();
        assert_eq!(seen.join(", "), expected, "{text}");
    }
}

/// Checks the bounds of a program: EMITs and triangles.
#[track_caller]
fn emits(text: &str, ints: [Option<u8>; 4], expected: (Option<u32>, Option<u32>)) {
    let program = program_for(text, Stage::Geometry);
    let ints = ints.map(|count| count.map(|count| [count, 0, 1]));
    let cfg = graph(&program, &ExploreOptions { ints, ..ExploreOptions::default() });
    let mut reduced = cfg.clone();
    reduce(&mut reduced, &Limits::default());
    // This graph still has loops that never repeat.
    let whole = graph(&program, &ExploreOptions::default());
    for cfg in [cfg, reduced, whole] {
        let Bounds { emits, triangles } = bounds(&program, &cfg, ints);
        assert_eq!((emits, triangles), expected, "{text}");
    }
}

const UNKNOWN: [Option<u8>; 4] = [None; 4];

/// Writes the forwarded outputs.
const OUTPUTS: &str = "mov o0 v0; mov o2 v0";

#[test]
fn a_program_that_writes_before_reading_has_no_carried_state() {
    sees(
        "mov r0 v0; mov o0 r0; mov o2 r0; setemit 0; emit; mov o0 r0; mov o2 r0; setemit 1; emit; \
         mov o0 r0; mov o2 r0; setemit 2 prim; emit; end",
        "",
    );
}

#[test]
fn carried_registers_are_found_by_component() {
    sees("mov r1.xy v0; mov r2.yw r1.zzxx; end", "r1.z@1");
    sees("mov r1.xy v0; mov r2.xy r1.yxzw; mov r3 -r2.xxyz; end", "r2.z@2");
    // Operands are read before the result is written.
    sees("add r1.x r1.xxxx v0; mov r0 r1.xxxx; end", "r1.x@0");
    sees("mad r0.w v0 r1.xyzw r2.wzyx; end", "r1.w@0, r2.x@0");
}

#[test]
fn each_operation_reads_only_what_its_result_needs() {
    sees("dp3 r0 r1 r2.wzyx; end", "r1.x@0, r1.y@0, r1.z@0, r2.y@0, r2.z@0, r2.w@0");
    sees("dph r0.x r1 r2; end", "r1.x@0, r1.y@0, r1.z@0, r2.x@0, r2.y@0, r2.z@0, r2.w@0");
    sees("dp4 r0.x r1 v0; end", "r1.x@0, r1.y@0, r1.z@0, r1.w@0");
    for op in ["rcp", "rsq", "ex2", "lg2"] {
        sees(&format!("{op} r0 r1.yzwx; end"), "r1.y@0");
    }
    sees("dst r0.x r1 r2; end", "");
    sees("dst r0 r1 r2; end", "r1.y@0, r1.z@0, r2.y@0, r2.w@0");
    sees("flr r0.y r1; slt r0.x r2 v0; end", "r1.y@0, r2.x@1");
    // The flags depend on x and w for any mask.
    sees("litp r0.z r1; if x 2 0; end", "r1.x@0, r1.w@0");
    sees("litp r0.y r1; end", "r1.x@0, r1.y@0, r1.w@0");
    // An instruction that writes nothing reads nothing.
    sees("mov r0.none r1; end", "");
}

#[test]
fn addresses_and_flags_are_carried_state() {
    sees("mov r0 c1[a0.x]; mov r0 c1[a0.y]; mov r0 c1[aL]; end", "a0.x@0, a0.y@1, aL@2");
    sees("mova y v0; mov r0 c1[a0.y]; mov r0 c1[a0.x]; end", "a0.x@2");
    sees("mova xy r3; end", "r3.x@0, r3.y@0");
    sees("mova xz r3; end", "r3.x@0");
    sees("cmp eq true r1 r2.wwww; end", "r1.x@0, r2.w@0");
    sees("a; if x 3 0; a; end", "cmp.x@1");
    sees("jmp !y 2; a; a; end", "cmp.y@0");
    sees("cmp; jmp !y 3; a; a; end", "");
    sees("nop; call x 3 1; end; a", "cmp.x@1");
    sees("loop i0 3; a; break y; a; end", "cmp.y@2");
}

#[test]
fn the_loop_counter_is_written_by_loops() {
    sees("loop i0 1; mov r0 c1[aL]; end", "");
    // The last loop leaves aL; one that was never entered leaves the earlier value.
    sees("loop i0 1; a; mov r0 c1[aL]; end", "");
    sees("if b0 3 0; loop i0 2; a; mov r0 c1[aL]; end", "aL@3");
    sees("loop i0 4; loop i1 2; a; mov r0 c1[aL]; a; end", "");
}

#[test]
fn a_register_that_one_path_does_not_write_is_carried() {
    sees("if b0 2 1; mov r1 v0; mov r1.x v0; mov r2 r1; end", "r1.y@3, r1.z@3, r1.w@3");
    sees("if b0 2 1; mov r1 v0; mov r1 v0; mov r2 r1; end", "");
    // The body of a loop runs before what follows it, but not before itself.
    sees("loop i0 2; mov r2 r1; mov r1 v0; mov r3 r1; end", "r1.x@1, r1.y@1, r1.z@1, r1.w@1");
    // Unreachable words read nothing.
    sees("jmp b0 3; jmp !b0 3; mov r2 r1; end", "");
}

#[test]
fn emit_exchanges_the_two_banks_of_outputs() {
    sees("setemit 0; mov o0 v0; mov o2.xyz v0; emit; end", "o2.w (this bank)@3");
    // The second EMIT forwards the other bank, the third the first one again.
    let first = format!("setemit 0; {OUTPUTS}; emit");
    sees(
        &format!("{first}; mov o0.x v0; emit; emit; end"),
        "o0.y (other bank)@5, o0.z (other bank)@5, o0.w (other bank)@5, \
         o2.x (other bank)@5, o2.y (other bank)@5, o2.z (other bank)@5, o2.w (other bank)@5",
    );
    sees(&format!("{first}; {OUTPUTS}; emit; emit; emit; end"), "");
    // o1 is not forwarded.
    sees(&format!("{first}; mov o1 v0; end"), "");
}

#[test]
fn either_bank_may_be_carried_after_paths_with_different_emits() {
    let text = format!("setemit 0; {OUTPUTS}; if b0 5 0; emit; mov o0 v0; mov o2.xyz v0; emit; end");
    sees(&text, "o2.w (other bank)@7");
    let text = "setemit 0; if b0 3 0; emit; mov o0 v0; mov o2.xyz v0; emit; end";
    let all = |bank: &str, pc: u32| {
        let lane = |lane: &str| format!("{lane} ({bank} bank)@{pc}");
        ["o0.x", "o0.y", "o0.z", "o0.w", "o2.x", "o2.y", "o2.z", "o2.w"].map(lane).join(", ")
    };
    sees(text, &format!("{}, o2.w (other bank)@5", all("this", 2)));
    // In a loop every EMIT may be of either.
    let text = "setemit 0; loop i0 2; emit; end";
    sees(text, &format!("{}, {}", all("this", 2), all("other", 2)));
}

#[test]
fn slots_that_were_not_filled_are_carried_into_triangles() {
    let vertex = |setemit: &str| format!("{OUTPUTS}; setemit {setemit}; emit; ");
    sees(&format!("{} end", vertex("1 prim")), "vertex slot 0@3, vertex slot 2@3");
    sees(&format!("{} {} end", vertex("2"), vertex("0 prim inv")), "vertex slot 1@7");
    // Slot 3 is never part of a triangle.
    sees(&format!("{} {} end", vertex("0"), vertex("3 prim")), "vertex slot 1@7, vertex slot 2@7");
    sees(&format!("{} {} {} end", vertex("1"), vertex("2"), vertex("0 prim")), "");
    // Only one of two paths fills slot 1; SETEMIT is executed on both.
    sees(
        &format!(
            "{} if b0 6 1; setemit 1; setemit 2; {OUTPUTS}; emit; {} end",
            vertex("0"),
            vertex("2 prim")
        ),
        "vertex slot 1@13",
    );
}

#[test]
fn emit_without_setemit_reads_the_carried_setemit() {
    // It may be a triangle, of all slots but the one that EMIT fills.
    let all = "vertex slot 0@2, vertex slot 1@2, vertex slot 2@2, SETEMIT@2";
    sees(&format!("{OUTPUTS}; emit; end"), all);
    sees(&format!("{OUTPUTS}; emit; setemit 0; {OUTPUTS}; emit; end"), all);
    sees(
        "if b0 2 0; setemit 0; mov o0 v0; mov o2 v0; emit; end",
        &all.replace('2', "4").replace("slot 4", "slot 2"),
    );
}

#[test]
fn tests_of_b15_depend_on_earlier_invocations() {
    sees("if b15 2 0; a; jmp !b15 3; end", "b15@0");
    sees("a; jmp !b15 3; a; end", "b15@1");
    sees("if b14 2 0; a; end", "");
}

#[test]
fn the_bound_of_a_loop_free_program_is_that_of_its_longest_path() {
    emits("end", UNKNOWN, (Some(0), Some(0)));
    emits("setemit 0; emit; emit; setemit 1 prim; emit; end", UNKNOWN, (Some(3), Some(1)));
    emits("setemit 0 prim; if b0 4 1; emit; emit; emit; setemit 0; emit; end", UNKNOWN, (Some(3), Some(2)));
    // The inherited setting may submit a triangle.
    emits("emit; end", UNKNOWN, (Some(1), Some(1)));
    emits("setemit 0; if b0 3 0; setemit 0 prim; emit; end", UNKNOWN, (Some(1), Some(1)));
}

#[test]
fn the_count_of_a_known_loop_multiplies_the_bound() {
    let text = "setemit 0; loop i1 2; emit; emit; end";
    emits(text, [None, Some(6), None, None], (Some(8), Some(0)));
    emits(text, [None, Some(0), None, None], (Some(2), Some(0)));
    let nested = "setemit 0 prim; loop i0 4; loop i1 3; emit; emit; end";
    emits(nested, [Some(2), Some(3), None, None], (Some(15), Some(15)));
    // The first and the last round may be longer.
    let text = "setemit 0; emit; loop i0 8; if b0 4 0; jmp b0 9; emit; jmp b0 9; emit; emit; emit; end";
    emits(text, [Some(1), None, None, None], (Some(8), Some(0)));
    let text = "setemit 0; loop i0 4; if x 4 0; break; emit; end";
    emits(text, [Some(9), None, None, None], (Some(10), Some(0)));
    let text = "setemit 0; loop i0 7; if x 7 0; emit; emit; emit; break; emit; end";
    emits(text, [Some(9), None, None, None], (Some(12), Some(0)));
}

#[test]
fn four_nested_loops_have_a_bound() {
    let text = "setemit 0; loop i0 6; loop i1 6; loop i2 6; loop i3 5; emit; nop; end";
    let text = text
        .replace("loop i0 6; loop i1 6; loop i2 6; loop i3 5", "loop i0 8; loop i1 7; loop i2 6; loop i3 5");
    let text = text.replace("nop; end", "nop; nop; nop; end");
    emits(&text, [Some(1), Some(2), Some(3), Some(4)], (Some(2 * 3 * 4 * 5), Some(0)));
}

#[test]
fn unknown_loops_count_256_times_below_a_limit() {
    emits("setemit 0; loop i0 2; emit; end", UNKNOWN, (Some(256), Some(0)));
    emits("setemit 0; loop i0 4; loop i1 3; emit; nop; end", UNKNOWN, (None, Some(0)));
    emits(
        "setemit 0; loop i0 4; loop i1 3; emit; nop; end",
        [Some(9), None, None, None],
        (Some(2560), Some(0)),
    );
    emits("setemit 0; loop i0 4; loop i1 3; emit; nop; end", [Some(16), None, None, None], (None, Some(0)));
}

#[test]
fn back_edges_have_a_bound_only_without_emits() {
    emits("emit; jmp x 0; end", UNKNOWN, (None, None));
    emits("setemit 0; emit; jmp x 1; setemit 1 prim; emit; end", UNKNOWN, (None, Some(1)));
    emits("setemit 0; emit; a; jmp x 2; emit; end", UNKNOWN, (Some(2), Some(0)));
    // A jump out of a loop and back to its LOOP enters it anew.
    emits("setemit 0; loop i0 3; emit; a; jmp x 1; end", [Some(3), None, None, None], (None, Some(0)));
}
