//! Random programs on the machine, compared with the analyses.
//! State without a dependence may be anything, and bounds are never exceeded. Each kind of
//! dependence matters to some program, or the comparison would notice nothing.

use std::collections::BTreeMap;

use transpica::geometry::{StateItem, bounds, observe};
use transpica::interp::{CarriedState, GeometryMachine, Settings, Uniforms};
use transpica::isa::word::Field;
use transpica::isa::{Component, Mask, Opcode, Pc, Word};
use transpica::stages::cfg::Cfg;
use transpica::stages::cfg::explore::{ExploreOptions, Explored, explore};
use transpica::{Limits, Program, Stage};
use transpica_proof::daily;
use transpica_proof::generate::{Kind, Random, generate_sized};

/// Number of programs of a test.
fn programs() -> u64 {
    daily::cases("programs with carried state", 1_500, 20_000)
}
/// Forwarded outputs, and their components that are compared.
const OUTPUTS: u16 = 0b101;
const LOOKED_AT: [Mask; 16] = {
    let mut masks = [Mask::NONE; 16];
    masks[0] = Mask::XYZ;
    masks[2] = Mask::XYZW;
    masks
};

fn vector(random: &mut Random) -> [f32; 4] {
    [0; 4].map(|_| random.below(64) as f32 / 4.0 - 8.0)
}

fn vectors<const N: usize>(random: &mut Random) -> [[f32; 4]; N] {
    [0; N].map(|_| vector(random))
}

/// Random state of earlier invocations.
fn left(random: &mut Random) -> CarriedState {
    CarriedState {
        temps: vectors(random),
        banks: [vectors(random), vectors(random)],
        address: [0; 2].map(|_| random.below(200) as i32 - 100),
        counter: random.below(200) as i32 - 100,
        flags: [0; 2].map(|_| random.chance(50)),
        slots: [0; 4].map(|_| vectors(random)),
        setting: (random.below(4) as u8, random.chance(50), random.chance(50)),
        ran: random.chance(50),
    }
}

/// A random program with EMIT and SETEMIT, and perhaps a prefix that writes registers.
struct Sample {
    code: Vec<u32>,
    descriptors: Vec<u32>,
    entry: Pc,
    uniforms: Uniforms,
    inputs: [[f32; 4]; 16],
}

fn setemit(random: &mut Random) -> Word {
    let word = Word::new(Opcode::Setemit).with(Field::Vertex, random.below(4));
    word.with(Field::Prim, random.below(2)).with(Field::Invert, random.below(2))
}

/// Words that write registers which a program might read, each with a probability.
fn prefix(random: &mut Random, percent: u32) -> Vec<u32> {
    let mut words = Vec::new();
    let mut push = |word: Word, wanted: bool| words.extend(wanted.then_some(word.0));
    let mov = |dest| Word::new(Opcode::Mov).with(Field::Dest, dest).with(Field::Source1, dest & 7);
    for dest in 0..32 {
        push(mov(dest), random.chance(percent));
    }
    push(Word::new(Opcode::Mova), random.chance(percent));
    push(Word::new(Opcode::Cmp), random.chance(percent));
    let all_slots = random.chance(percent);
    for slot in (0..3).filter(|_| all_slots) {
        push(Word::new(Opcode::Setemit).with(Field::Vertex, slot), true);
        [0, 2].into_iter().for_each(|output| push(mov(output), true));
        push(Word::new(Opcode::Emit), true);
    }
    if percent == 100 {
        [0, 2].into_iter().for_each(|output| push(mov(output), true));
    }
    push(setemit(random), random.chance(percent));
    if random.chance(percent) {
        let last = words.len() as u32 + 1;
        words.push(Word::new(Opcode::Loop).with(Field::Target, last).0);
        words.push(Word::new(Opcode::Nop).0);
        words.push(Word::new(Opcode::Nop).0);
    }
    words
}

impl Sample {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed, "carried state");
        let generated = generate_sized(Kind::Clean, seed, 4..=40);
        let percent = [0, 50, 90, 100, 100][random.below(5) as usize];
        let mut code = prefix(&mut random, percent);
        let start = code.len() as u32;
        // The main program may be after its procedures.
        let entry = u32::from(generated.entry.0);
        let jump = entry != 0 && start != 0;
        let start = start + if jump { 2 } else { 0 };
        if jump {
            for value in 0..2 {
                let word = Word::new(Opcode::Jmpu).with(Field::Target, start + entry);
                code.push(word.with(Field::Num, value).0);
            }
        }
        let emits = 5 + random.below(30);
        for word in generated.code.into_iter().map(Word) {
            code.push(
                match word.opcode() {
                    Some(opcode) if aims(opcode) => {
                        word.with(Field::Target, word.get(Field::Target).unwrap_or(0) + start)
                    }
                    Some(opcode) if opcode.format().bits(Field::Descriptor).is_none() => word,
                    _ if !random.chance(emits) => word,
                    _ if random.chance(40) => setemit(&mut random),
                    _ => Word::new(Opcode::Emit),
                }
                .0,
            );
        }
        let mut uniforms = Uniforms { floats: vectors(&mut random), ..Uniforms::default() };
        uniforms.ints =
            [0; 4].map(|_| [random.below(4), random.below(9), random.below(4), 0].map(|x| x as u8));
        uniforms.bools = random.bits() as u16;
        let entry = Pc(if start != 0 { 0 } else { entry as u16 });
        let (descriptors, inputs) = (generated.descriptors, vectors(&mut random));
        Self { code, descriptors, entry, uniforms, inputs }
    }

    fn program(&self) -> Program<'_> {
        Program::new(&self.code[..], &self.descriptors[..], self.entry, Stage::Geometry, &Limits::default())
            .expect("a program")
    }

    /// Runs one invocation from a carried state. Returns EMITs and triangles as bits, or `None` if
    /// the budget runs out.
    fn run(&self, left: &CarriedState) -> Option<(Emitted, usize, usize)> {
        let mut machine =
            GeometryMachine::new(&self.program(), OUTPUTS, Settings::default()).expect("a machine");
        machine.set_uniforms(&self.uniforms);
        machine.set_budget(1 << 14);
        machine.set_carried_state(left);
        let invocation = machine.run(&self.inputs).ok()?;
        // Slots may hold anything in components that are not compared.
        let bits = |vertex: &[[f32; 4]; 16]| {
            let mut seen = [[0; 4]; 16];
            for (register, mask) in LOOKED_AT.iter().enumerate() {
                mask.iter()
                    .map(Component::index)
                    .for_each(|c| seen[register][c] = vertex[register][c].to_bits());
            }
            seen
        };
        let mut emitted = Vec::new();
        for emit in invocation.emits() {
            emitted.push((u8::from(emit.prim), vec![bits(emit.outputs)]));
        }
        for triangle in invocation.triangles() {
            let vertices = triangle.vertices.iter().map(|vertex| bits(vertex)).collect();
            emitted.push((2 + u8::from(triangle.invert), vertices));
        }
        Some((emitted, invocation.emits().len(), invocation.triangles().len()))
    }
}

/// EMITs, then triangles.
type Emitted = Vec<(u8, Vec<[[u32; 4]; 16]>)>;

/// Returns whether words with this opcode have a target.
fn aims(opcode: Opcode) -> bool {
    [
        Opcode::Call,
        Opcode::Callc,
        Opcode::Callu,
        Opcode::Ifu,
        Opcode::Ifc,
        Opcode::Loop,
        Opcode::Jmpc,
        Opcode::Jmpu,
    ]
    .contains(&opcode)
}

fn graph(program: &Program<'_>, options: &ExploreOptions) -> Cfg {
    match explore(program, options, &Limits::default()).expect("defined opcodes") {
        Explored::Graph(cfg) => cfg,
        Explored::TooManyNodes { .. } => panic!("a small program"),
    }
}

/// Copies one item of state.
fn copy(carried: StateItem, from: &CarriedState, to: &mut CarriedState) {
    match carried {
        StateItem::Temp { register, component } => {
            let place = (usize::from(register), component.index());
            to.temps[place.0][place.1] = from.temps[place.0][place.1];
        }
        StateItem::Address(component) => to.address[component.index()] = from.address[component.index()],
        StateItem::Counter => to.counter = from.counter,
        StateItem::Flag(component) => to.flags[component.index()] = from.flags[component.index()],
        StateItem::Current { register, component } => {
            let place = (usize::from(register), component.index());
            to.banks[0][place.0][place.1] = from.banks[0][place.0][place.1];
        }
        StateItem::Other { register, component } => {
            let place = (usize::from(register), component.index());
            to.banks[1][place.0][place.1] = from.banks[1][place.0][place.1];
        }
        StateItem::Slot(slot) => to.slots[usize::from(slot)] = from.slots[usize::from(slot)],
        StateItem::Setting => to.setting = from.setting,
        StateItem::Ran => to.ran = from.ran,
    }
}

/// The name of the kind of an item.
fn kind(carried: StateItem) -> &'static str {
    match carried {
        StateItem::Temp { .. } => "temp",
        StateItem::Address(_) => "address",
        StateItem::Counter => "counter",
        StateItem::Flag(_) => "flag",
        StateItem::Current { .. } => "current",
        StateItem::Other { .. } => "other",
        StateItem::Slot(_) => "slot",
        StateItem::Setting => "setting",
        StateItem::Ran => "ran",
    }
}

/// A save state holds everything that the next invocation may depend on.
#[test]
fn a_machine_with_restored_state_continues_like_the_saved_one() {
    let mut emitting = 0;
    let programs = programs();
    for seed in 0..programs / 10 {
        let sample = Sample::new(seed);
        let machine = || {
            let settings = Settings { budget: 1 << 14, ..Settings::default() };
            let mut machine = GeometryMachine::new(&sample.program(), OUTPUTS, settings).expect("a machine");
            machine.set_uniforms(&sample.uniforms);
            machine
        };
        let (mut saved, mut restored) = (machine(), machine());
        if saved.run(&sample.inputs).is_err() {
            continue;
        }
        restored.set_carried_state(&saved.carried_state());
        let mut next = |machine: &mut GeometryMachine| {
            let emitted = machine.run(&sample.inputs).map(|invocation| format!("{invocation:?}"));
            emitting += u32::from(machine.invocation().emits().len() != 0);
            (emitted.map_err(|error| error.to_string()), format!("{:?}", machine.carried_state()))
        };
        assert!(next(&mut saved) == next(&mut restored), "seed {seed}");
    }
    assert!(u64::from(emitting) > programs / 20, "{emitting}");
}

#[test]
fn carried_state_is_exactly_the_state_that_changes_results() {
    let (mut blind, mut emitting) = (0, 0);
    let mut matters: BTreeMap<&str, u32> = BTreeMap::new();
    let programs = programs();
    for seed in 0..programs {
        let sample = Sample::new(seed);
        let program = sample.program();
        let seen = observe(&program, &graph(&program, &ExploreOptions::default()), &LOOKED_AT);
        let mut random = Random::new(!seed, "carried state");
        for _ in 0..3 {
            let first = left(&mut random);
            let Some((expected, emits, _)) = sample.run(&first) else { continue };
            let other = left(&mut random);
            let mut second = other.clone();
            seen.iter().for_each(|seen| copy(seen.item, &first, &mut second));
            let found = sample.run(&second).map(|(emitted, ..)| emitted);
            assert!(found.as_ref() == Some(&expected), "seed {seed}: {seen:?}");
            (blind, emitting) = (blind + u32::from(seen.is_empty()), emitting + u32::from(emits != 0));
            for seen in &seen {
                let mut second = first.clone();
                copy(seen.item, &other, &mut second);
                let changed = sample.run(&second).map(|(emitted, ..)| emitted) != Some(expected.clone());
                *matters.entry(kind(seen.item)).or_default() += u32::from(changed);
            }
        }
    }
    println!(
        "{programs} programs: {blind} of {} runs see nothing, {emitting} emit; {matters:?}",
        3 * programs
    );
    assert!(u64::from(blind.min(emitting)) > programs / 8, "{blind} {emitting}");
    assert_eq!(matters.len(), 9);
    assert!(matters.values().all(|&count| count > 0), "{matters:?}");
}

#[test]
fn no_invocation_exceeds_its_emit_bound() {
    let (mut bounded, mut reached) = (0, 0);
    let programs = programs();
    for seed in 0..programs {
        let sample = Sample::new(seed);
        let program = sample.program();
        let ints = sample.uniforms.ints.map(|[x, y, z, _]| (seed & 1 == 0).then_some([x, y, z]));
        let bounds =
            bounds(&program, &graph(&program, &ExploreOptions { ints, ..ExploreOptions::default() }), ints);
        let mut random = Random::new(!seed, "carried state");
        for _ in 0..3 {
            let Some((_, emits, triangles)) = sample.run(&left(&mut random)) else { continue };
            let over = |count: usize, most: Option<u32>| most.is_some_and(|most| count > most as usize);
            assert!(!over(emits, bounds.emits), "seed {seed}: {emits} EMITs, {bounds:?}");
            assert!(!over(triangles, bounds.triangles), "seed {seed}: {triangles} triangles, {bounds:?}");
            bounded += u32::from(emits != 0 && bounds.emits.is_some());
            reached += u32::from(emits != 0 && bounds.emits == Some(emits as u32));
        }
    }
    println!("{bounded} runs that emit have a bound, {reached} reach it");
    assert!(u64::from(bounded) > programs && reached > bounded / 4, "{bounded} {reached}");
}
