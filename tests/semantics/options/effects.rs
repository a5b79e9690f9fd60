//! Semantics of each option: the translated program on the IR evaluator, against values known
//! beforehand; every form of random programs under options that change control flow or uniforms,
//! against the interpreter.

use transpica::host::{HostField, HostValues, IntPacking, Location, OutputMap, RegisterLayout, layout};
use transpica::interp::Uniforms;
use transpica::isa::builder::Builder;
use transpica::isa::{DataOp, Dest, Flow, Inst, Mask, Operand, Pc, Source};
use transpica::settings::{
    Arithmetic, AttributeFormat, AttributeKind, Block, BoolUniforms, ClipPlanes, Control, DepthRange,
    DepthSnap, FlipY, IntUniforms, Layout, Outputs, UndefinedValue, Varying,
};
use transpica::stages::cfg::Cfg;
use transpica::stages::cfg::explore::{Explored, explore};
use transpica::stages::ir::Resource;
use transpica::{Job, Limits, Machine, Options, Precision, Profile, Program, Stage, Translation, Translator};
use transpica_inspect::executor::{self, Case};
use transpica_proof::chain::{self, Count};
use transpica_proof::executors::Evaluated;
use transpica_proof::generate::{Kind, generate};
use transpica_proof::ir::{InputValues, eval};
use transpica_proof::unnamed::{BARE, Unnamed};

/// Bindings without a file: o0 is the position, o1 the color, o2.xy texture coordinate 0.
fn bindings() -> Unnamed {
    Unnamed { map: OutputMap::from_words([(0, [0, 1, 2, 3]), (1, [8, 9, 10, 11]), (2, [12, 13, 31, 31])]) }
}

fn mov(dest: Dest, source: Source) -> Inst {
    Inst::data(DataOp::Mov, dest, Mask::XYZW, &[Operand::new(source)])
}

fn program(insts: impl IntoIterator<Item = Inst>) -> Program<'static> {
    let mut builder = Builder::new();
    insts.into_iter().for_each(|inst| {
        builder.push(inst);
    });
    let (code, descriptors) = builder.finish().expect("builds");
    Program::new(code, descriptors, Pc(0), Stage::Vertex, &Limits::default()).expect("is a program")
}

/// o0 = v0, o1 = v1; o2 is never written.
fn copy() -> Program<'static> {
    program([
        mov(Dest::Output(0), Source::Input(0)),
        mov(Dest::Output(1), Source::Input(1)),
        Inst::Flow(Flow::End),
    ])
}

fn translate(job: Job<'_>, program: &Program<'_>, options: Options, profile: Profile) -> Translation {
    Translator::new(options, profile).translate(program, &bindings(), job).expect("translates")
}

/// The outputs of the vertex entry by name and place, for v0 = (1, 2, 3, 4) and v1 = (-0.5, 2,
/// 0.25, -8).
fn outputs(options: Options, profile: Profile, host: [[u32; 4]; 3]) -> Vec<(String, Location, Vec<f32>)> {
    let translated = translate(Job::Vertex, &copy(), options, profile);
    let mut registers = InputValues::default();
    registers.host[..HostField::FIXED].copy_from_slice(&host);
    registers.inputs[0] = [1.0, 2.0, 3.0, 4.0].map(f32::to_bits);
    registers.inputs[1] = [-0.5, 2.0, 0.25, -8.0].map(f32::to_bits);
    let values = eval(&translated.module, options.arithmetic.precision, &registers, 1000).expect("ends");
    let named = translated.interface.outputs.iter().zip(values);
    named
        .map(|(output, value)| {
            let lanes = value[..output.lanes()].iter().map(|&bits| f32::from_bits(bits)).collect();
            (output.name.clone(), output.location, lanes)
        })
        .collect()
}

fn output(name: &str, options: Options, host: [[u32; 4]; 3]) -> Vec<f32> {
    let all = outputs(options, Profile::default(), host);
    all.into_iter().find(|output| output.0 == name).expect(name).2
}

const OFF: [[u32; 4]; 3] = [[0; 4]; 3];

#[test]
fn depth_follows_the_chosen_convention() {
    for (depth, z) in [(DepthRange::ZeroToW, -3.0), (DepthRange::MinusWToW, -10.0), (DepthRange::Raw, 3.0)] {
        let options = Options { outputs: Outputs { depth, ..Outputs::default() }, ..Options::default() };
        assert_eq!(output("position", options, OFF), [1.0, 2.0, z, 4.0], "{depth:?}");
    }
}

#[test]
fn y_is_mirrored_never_always_or_by_the_host_field() {
    let on = [[0; 4], [7, 0, 0, 0], [0; 4]];
    for (flip_y, host, y) in [
        (FlipY::Never, on, 2.0),
        (FlipY::Always, OFF, -2.0),
        (FlipY::Dynamic, OFF, 2.0),
        (FlipY::Dynamic, on, -2.0),
    ] {
        let options = Options { outputs: Outputs { flip_y, ..Outputs::default() }, ..Options::default() };
        assert_eq!(output("position", options, host), [1.0, y, -3.0, 4.0], "{flip_y:?}");
    }
}

#[test]
fn clip_distances_are_those_of_the_position_as_written() {
    let plane = [1.0f32, 10.0, 100.0, 1000.0].map(f32::to_bits);
    for clip_planes in [ClipPlanes::BuiltIn, ClipPlanes::Varying] {
        let options = Options {
            outputs: Outputs { clip_planes, flip_y: FlipY::Always, ..Outputs::default() },
            ..Options::default()
        };
        assert_eq!(output("clip_distances", options, [[1, 0, 0, 0], [0; 4], plane]), [-3.0, 4321.0]);
        assert_eq!(
            output("clip_distances", options, [[0; 4], [1, 0, 0, 0], plane]),
            [-3.0, 0.0],
            "it is off"
        );
        let profile = Profile::default();
        let place = outputs(options, profile.clone(), OFF).last().expect("it is the last").1;
        let varying = Location::Varying(7);
        let expected = if clip_planes == ClipPlanes::BuiltIn { Location::ClipDistances } else { varying };
        assert_eq!(place, expected);
    }
    let names: Vec<String> =
        outputs(Options::default(), Profile::default(), OFF).into_iter().map(|o| o.0).collect();
    assert_eq!(names, ["position", "color", "texcoord0_uv"]);
}

#[test]
fn colors_are_clamped_by_default() {
    assert_eq!(output("color", Options::default(), OFF), [0.5, 1.0, 0.25, 1.0]);
    let options =
        Options { outputs: Outputs { clamp_colors: false, ..Outputs::default() }, ..Options::default() };
    assert_eq!(output("color", options, OFF), [-0.5, 2.0, 0.25, -8.0]);
}

#[test]
fn all_outputs_have_their_locations_and_unmapped_ones_read_1_or_0() {
    for (unmapped, value) in [(UndefinedValue::Default, 1.0), (UndefinedValue::Zero, 0.0)] {
        let options =
            Options { outputs: Outputs { all: true, unmapped, ..Outputs::default() }, ..Options::default() };
        let profile = Profile { varyings: Varying::AZAHAR, ..Profile::default() };
        let all = outputs(options, profile.clone(), OFF);
        let places: Vec<_> = all.iter().map(|(name, place, _)| (name.as_str(), *place)).collect();
        let varying = Location::Varying;
        assert_eq!(
            places,
            [
                ("position", Location::Position),
                ("color", varying(1)),
                ("texcoord0_uv", varying(2)),
                ("texcoord1_uv", varying(3)),
                ("texcoord2_uv", varying(4)),
                ("texcoord0_w", varying(5)),
                ("normal_quaternion", varying(6)),
                ("view", varying(7)),
                ("position_raw", varying(0)),
            ]
        );
        assert_eq!(all[3].2, [value; 2]);
        assert_eq!(all[6].2, [value; 4]);
        assert_eq!(all[8].2, [1.0, 2.0, 3.0, 4.0], "as the program writes it");
    }
}

#[test]
fn uninitialized_registers_read_their_default_or_zero() {
    let read_r0 = program([mov(Dest::Output(0), Source::Temp(0)), Inst::Flow(Flow::End)]);
    for (uninitialized, w) in [(UndefinedValue::Default, 1.0), (UndefinedValue::Zero, 0.0)] {
        let options = Options {
            arithmetic: Arithmetic { uninitialized, ..Arithmetic::default() },
            ..chain::options(Precision::Exact)
        };
        let translated = translate(Job::Compute, &read_r0, options, Profile::default());
        let found = eval(&translated.module, Precision::Exact, &InputValues::default(), 1000).expect("ends");
        let expected = [0.0, 0.0, 0.0, w];
        let mut machine = Machine::new(&read_r0, options.settings(chain::BUDGET)).expect("vertex");
        let interpreted = *machine.run(&transpica::interp::Registers::DEFAULT_INPUTS).expect("ends");
        assert_eq!(interpreted, [expected; 16]);
        assert_eq!(found, [expected.map(f32::to_bits); 16]);
    }
}

#[test]
fn attributes_have_the_component_count_of_the_options() {
    for (components, expected) in [
        (1, [1.0, 0.0, -0.0, 1.0]),
        (2, [1.0, 2.0, -0.0, 1.0]),
        (3, [1.0, 2.0, -3.0, 1.0]),
        (4, [1.0, 2.0, -3.0, 4.0]),
    ] {
        for kind in [AttributeKind::Float, AttributeKind::Int] {
            let mut options = Options::default();
            options.input.formats[0] = AttributeFormat { kind, components };
            assert_eq!(output("position", options, OFF), expected, "{components} {kind:?}");
        }
        let mut options = Options::default();
        options.input.formats[0].components = components;
        let translated = translate(Job::Compute, &copy(), options, Profile::default());
        let mut registers = InputValues::default();
        registers.inputs[0] = [5; 4];
        let found = eval(&translated.module, Precision::Exact, &registers, 1000).expect("ends");
        assert_eq!(found[0], [5; 4], "the compute entry shows raw registers");
    }
}

#[test]
fn host_fields_are_read_only_where_something_needs_them() {
    let reads = |job, options| {
        let module = translate(job, &copy(), options, Profile::default()).module;
        let mut fields: Vec<HostField> = (module.main.reads())
            .filter_map(|(_, resource)| if let Resource::Host(field) = resource { Some(field) } else { None })
            .collect();
        fields.sort_unstable();
        fields.dedup();
        fields
    };
    assert_eq!(reads(Job::Vertex, Options::default()), []);
    let options =
        Options { outputs: Outputs { flip_y: FlipY::Dynamic, ..Outputs::default() }, ..Options::default() };
    assert_eq!(reads(Job::Vertex, options), [HostField::FlipY]);
    let options = Options {
        outputs: Outputs { clip_planes: ClipPlanes::Varying, ..Outputs::default() },
        ..Options::default()
    };
    assert_eq!(reads(Job::Vertex, options), [HostField::ClipEnabled, HostField::ClipPlane]);
    let options =
        Options { outputs: Outputs { flip_y: FlipY::Dynamic, ..Outputs::default() }, ..Options::default() };
    assert_eq!(reads(Job::Compute, options), [], "the compute entry has no use for them");
}

#[test]
fn the_presets_have_the_offsets_of_their_hosts() {
    let offsets = |layout: &RegisterLayout| {
        let block = layout::registers(layout);
        let place = |name: &str| block.members.iter().find(|member| member.name == name).expect(name).offset;
        ([place("b"), place("i"), place("c")], block.used(), block.size)
    };
    assert_eq!(offsets(&RegisterLayout::AZAHAR), ([0, 16, 80], 1616, 1616));
    assert_eq!(offsets(&RegisterLayout::PANDA3DS), ([1552, 1536, 0], 1556, 1568));
}

#[test]
fn uniforms_are_packed_where_the_presets_have_them() {
    let mut uniforms = Uniforms::default();
    uniforms.floats[95] = [1.5, 0.0, 0.0, 2.5];
    uniforms.ints[3] = [1, 2, 3, 4];
    uniforms.bools = 0x8001;
    let word = |bytes: &[u8], at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four"));
    let azahar = layout::pack(&layout::registers(&RegisterLayout::AZAHAR), &uniforms);
    assert_eq!((azahar.len(), word(&azahar, 0), word(&azahar, 16 + 48 + 8)), (1616, 0x8001, 3));
    assert_eq!(word(&azahar, 80 + 95 * 16 + 12), 2.5f32.to_bits());
    let panda = layout::pack(&layout::registers(&RegisterLayout::PANDA3DS), &uniforms);
    assert_eq!((panda.len(), word(&panda, 1552), word(&panda, 1536 + 12)), (1568, 0x8001, 0x0403_0201));
    assert_eq!(word(&panda, 95 * 16), 1.5f32.to_bits());
}

/// Compares every form of random programs with the interpreter.
fn compare(kind: Kind, seeds: std::ops::Range<u64>, options: impl Fn(u64) -> Options) -> Count {
    let mut count = Count::default();
    for seed in seeds {
        let one = chain::compare_with(&generate(kind, seed), options(seed), None);
        count.add(one.unwrap_or_else(|difference| panic!("{kind:?} {seed}: {difference}")));
    }
    count
}

#[test]
fn every_layout_gives_the_same_results() {
    let custom = RegisterLayout { floats: 256, ints: 144, packing: IntPacking::Bytes, bools: 4 };
    for layout in [Layout::Azahar, Layout::Panda3ds, Layout::Custom(custom)] {
        let options =
            |_| Options { block: Block { layout, ..Block::default() }, ..chain::options(Precision::Exact) };
        let clean = compare(Kind::Clean, 3000..3150, options);
        assert_eq!((clean.programs, clean.unfinished), (150, 0));
        compare(Kind::Wild, 3000..3100, options);
    }
}

#[test]
fn baked_specialized_and_dynamic_uniforms_give_the_same_results() {
    let options = |seed: u64| {
        let random = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let [baked, values, specialized] = [0, 16, 32].map(|shift| (random >> shift) as u16);
        let bools = BoolUniforms { baked, values, specialized: specialized & !baked };
        let mut ints = IntUniforms::default();
        // A fixed loop count stays below the interpreter's budget.
        ints.baked[(random >> 48 & 3) as usize] = Some([(random >> 50 & 7) as u8, 3, 1, 0]);
        ints.specialized = 1 << ((random >> 48 & 3) ^ 1);
        let uninitialized =
            if random >> 60 & 1 == 0 { UndefinedValue::Zero } else { UndefinedValue::Default };
        Options {
            control: Control { bools, ints, ..Control::default() },
            arithmetic: Arithmetic { uninitialized, ..Arithmetic::default() },
            ..chain::options(Precision::Exact)
        }
    };
    assert_eq!(compare(Kind::Clean, 4000..4300, options).programs, 300);
    assert!(compare(Kind::Wild, 4000..4300, options).vertices > 400);
}

#[test]
fn a_guard_against_endless_loops_ends_every_program_alike_in_every_form() {
    let options = |seed| Options {
        control: Control { loop_guard: Some([0, 1, 5, 40][seed as usize % 4]), ..Control::default() },
        ..chain::options(Precision::Exact)
    };
    let guarded = compare(Kind::Wild, 6000..6400, options);
    let free = compare(Kind::Wild, 6000..6400, |_| chain::options(Precision::Exact));
    assert!(guarded.unfinished * 4 < free.unfinished, "{guarded:?} {free:?}");
    // If every LOOP runs once, only backward jumps take long.
    let once = |seed| Options {
        control: Control {
            ints: IntUniforms { baked: [Some([0, 1, 2, 0]); 4], specialized: 0 },
            ..options(seed % 3).control
        },
        ..options(seed % 3)
    };
    assert_eq!(compare(Kind::Wild, 6400..6800, once).unfinished, 0);
    compare(Kind::Clean, 6000..6050, options);
}

#[test]
fn loops_left_anywhere_have_the_same_results() {
    use transpica::stages::passes::drivers::leave;
    let seeds = include_str!("../../cases/loops/left_early.clean.txt").lines().take(40);
    let (mut compared, mut rewritten) = (0, 0);
    for generated in seeds.map(|seed| generate(Kind::Clean, seed.parse().expect("a seed"))) {
        let (program, uniforms) = (generated.program(), generated.uniforms());
        let options = chain::options(Precision::Exact);
        for leave_loops_at_head in [true, false] {
            let profile = Profile { leave_loops_at_head, ..Profile::default() };
            let module = translate(Job::Compute, &program, options, profile).module;
            let mut again = module.clone();
            let changed = leave::run(&mut again.main, &module.helpers, &mut Default::default());
            assert!(!changed || !leave_loops_at_head, "seed {}", generated.seed);
            rewritten += u32::from(changed);
            let (form, inputs) = (format!("at head {leave_loops_at_head}"), &generated.inputs(8)[..]);
            let block = &layout::registers(&RegisterLayout::REGISTERS);
            let form =
                Evaluated { form: &form, module: &module, block, outputs: 16, host: HostValues::default() };
            let (program, uniforms, budget) = (&program, &uniforms, chain::BUDGET);
            let case = Case { program, environment: &*BARE, uniforms, inputs, options, budget };
            let verdict = executor::compare(&form, &case).expect("ends");
            assert!(verdict.passed(), "seed {}, {}: {verdict:?}\n{module}", generated.seed, form.form);
            compared += verdict.vertices;
        }
    }
    assert!(compared == 40 * 8 * 2 && rewritten > 10, "{rewritten} programs, {compared} vertices");
}

/// `JMPU b14` to an address, taken if it is true.
fn goto(target: u16) -> Inst {
    Inst::Flow(Flow::JmpU { bool: 14, expected: true, target: Pc(target) })
}

/// A program as a linker of shader fragments might produce it: pieces out of order, connected by
/// `JMPU b14`, which the host keeps true. 24 words; the order of pieces is 17, 1, 9, 5, 13 and 20.
fn fragments() -> Program<'static> {
    let double = |n| {
        let sources = [Operand::new(Source::Temp(n)), Operand::new(Source::Temp(n))];
        Inst::data(DataOp::Add, Dest::Temp(n), Mask::XYZW, &sources)
    };
    let add = |to, from| {
        let sources = [Operand::new(Source::Temp(to)), Operand::new(Source::Input(from))];
        Inst::data(DataOp::Add, Dest::Temp(to), Mask::XYZW, &sources)
    };
    let mut insts = vec![goto(17)];
    insts.extend([add(0, 1), double(0), double(0), goto(9)]);
    insts.extend([add(1, 2), double(1), double(1), goto(13)]);
    insts.extend([mov(Dest::Temp(1), Source::Input(0)), double(1), double(1), goto(5)]);
    insts.extend([double(1), add(0, 3), double(0), goto(20)]);
    insts.extend([mov(Dest::Temp(0), Source::Input(0)), double(0), goto(1)]);
    insts.extend([mov(Dest::Output(0), Source::Temp(0)), mov(Dest::Output(1), Source::Temp(1))]);
    insts.extend([mov(Dest::Output(2), Source::Input(0)), Inst::Flow(Flow::End)]);
    assert_eq!(insts.len(), 24);
    program(insts)
}

/// Counts edges to the same or an earlier block.
fn edges_back(cfg: &Cfg) -> usize {
    let back = |(block, data): (_, &transpica::stages::cfg::BlockData)| {
        data.terminator.targets().filter(|&target| target <= block).count()
    };
    cfg.blocks.iter().map(back).sum()
}

#[test]
fn a_known_b14_removes_every_loop_of_a_program_that_jumps_by_it() {
    let program = fragments();
    let graph = |options: &Options| match explore(&program, &options.control.exploration(), &options.limits) {
        Ok(Explored::Graph(cfg)) => cfg,
        other => panic!("{other:?}"),
    };
    let dynamic = chain::options(Precision::Exact);
    let b14 = 1 << 14;
    let baked = Options {
        control: Control {
            bools: BoolUniforms { baked: b14, values: b14, specialized: 0 },
            ..dynamic.control
        },
        ..dynamic
    };
    let specialized = Options {
        control: Control {
            bools: BoolUniforms { specialized: b14, ..Default::default() },
            ..dynamic.control
        },
        ..dynamic
    };
    assert!(edges_back(&graph(&dynamic)) > 0 && edges_back(&graph(&specialized)) > 0);
    assert_eq!(edges_back(&graph(&baked)), 0);
    let branches =
        |options| translate(Job::Compute, &program, options, Profile::default()).module.main.nodes.len();
    assert!(branches(dynamic) > 0);
    assert_eq!(branches(baked), 0, "straight code is left");

    let mut machine = Machine::new(&program, dynamic.settings(chain::BUDGET)).expect("vertex");
    let uniforms = Uniforms { bools: b14, ..Uniforms::default() };
    machine.set_uniforms(&uniforms);
    let mut inputs = transpica::interp::Registers::DEFAULT_INPUTS;
    for (register, value) in inputs.iter_mut().zip([1.0, 10.0, 100.0, 1000.0]) {
        *register = [value; 4];
    }
    let expected = *machine.run(&inputs).expect("ends");
    assert_eq!((expected[0][0], expected[1][0]), (2096.0, 832.0));
    for options in [dynamic, specialized, baked] {
        let translated = translate(Job::Compute, &program, options, Profile::default());
        let mut registers = InputValues { bools: b14, ..InputValues::default() };
        registers.inputs = inputs.map(|register| register.map(f32::to_bits));
        registers.members = vec![vec![[0; 4]; 96], vec![[0; 4]; 4], vec![[u32::from(b14), 0, 0, 0]]];
        let found = eval(&translated.module, Precision::Exact, &registers, 10_000).expect("ends");
        assert_eq!(found, expected.map(|register| register.map(f32::to_bits)));
    }
}

#[test]
fn the_guard_counts_jumps_back_and_ends_the_run_at_the_next_one() {
    // r0 counts the iterations, and o0 receives it after each.
    let add = Inst::data(
        DataOp::Add,
        Dest::Temp(0),
        Mask::XYZW,
        &[Operand::new(Source::Temp(0)), Operand::new(Source::Input(0))],
    );
    let endless = program([add, mov(Dest::Output(0), Source::Temp(0)), goto(0), Inst::Flow(Flow::End)]);
    for (limit, rounds) in [(0, 1.0), (1, 2.0), (3, 4.0)] {
        let options = Options {
            control: Control { loop_guard: Some(limit), ..Control::default() },
            ..chain::options(Precision::Exact)
        };
        let mut machine = Machine::new(&endless, options.settings(chain::BUDGET)).expect("vertex");
        machine.set_uniforms(&Uniforms { bools: 1 << 14, ..Uniforms::default() });
        let mut inputs = transpica::interp::Registers::DEFAULT_INPUTS;
        inputs[0] = [1.0, 0.0, 0.0, 0.0];
        assert_eq!(machine.run(&inputs).expect("ends")[0], [rounds, 0.0, 0.0, 1.0]);
        assert!(machine.is_stopped());
        machine.set_uniforms(&Uniforms::default());
        machine.run(&inputs).expect("ends");
        assert!(!machine.is_stopped(), "a run that does not jump");
    }
}

/// Position and clip distances of a position, as the module computes them.
fn moved(translated: &Translation, position: [f32; 4]) -> Vec<[u32; 4]> {
    let plane = [1.0f32, 10.0, 100.0, 1000.0].map(f32::to_bits);
    let host = [[1, 0, 0, 0], [0; 4], plane];
    let mut registers = InputValues::default();
    registers.host[..HostField::FIXED].copy_from_slice(&host);
    registers.inputs[0] = position.map(f32::to_bits);
    let precision = translated.options.arithmetic.precision;
    let values = eval(&translated.module, precision, &registers, 1000).expect("ends");
    [values[0], *values.last().expect("the distances")].to_vec()
}

#[test]
fn depth_that_lies_outside_by_less_than_a_tolerance_is_moved() {
    let host = HostValues {
        clip_enabled: true,
        flip_y: false,
        clip_plane: [1.0, 10.0, 100.0, 1000.0],
        ..HostValues::default()
    };
    let inf = f32::INFINITY;
    // The first three are those of games.
    let cases = [
        (5e-8, 1.0, 0.0),
        (9e-7, 1.0, 0.0),
        (-1.000_002_1, 1.0, -1.0),
        (-1.000_009, 1.0, -1.0),
        (9e-5, 100.0, 0.0),
        (-100.000_5, 100.0, -100.0),
        (1.1e-6, 1.0, 1.1e-6),
        (-1.000_011, 1.0, -1.000_011),
        (-0.5, 1.0, -0.5),
        (0.0, 1.0, 0.0),
        (-1.0, 1.0, -1.0),
        (5e-8, -1.0, 5e-8),
        (-5e-8, -1.0, -5e-8),
        (1.000_002, -1.0, 1.000_002),
        (5e-8, 0.0, 5e-8),
        (-5e-8, 0.0, -5e-8),
        (f32::NAN, 1.0, f32::NAN),
        (5e-8, f32::NAN, 5e-8),
        (3.0, inf, 0.0),
        (-3.0, inf, -3.0),
        (-inf, inf, -inf),
        (inf, inf, inf),
    ];
    for precision in [Precision::Exact, Precision::Fast] {
        for depth in [DepthRange::ZeroToW, DepthRange::MinusWToW, DepthRange::Raw] {
            let outputs = Outputs {
                depth,
                snap_depth: DepthSnap::AZAHAR,
                clip_planes: ClipPlanes::BuiltIn,
                ..Outputs::default()
            };
            let arithmetic = Arithmetic { precision, ..Arithmetic::default() };
            let options = Options { arithmetic, outputs, ..Options::default() };
            let still = Options { outputs: Outputs { snap_depth: DepthSnap::OFF, ..outputs }, ..options };
            let snapping = translate(Job::Vertex, &copy(), options, Profile::default());
            let still = translate(Job::Vertex, &copy(), still, Profile::default());
            for (z, w, expected) in cases {
                let found = moved(&snapping, [1.0, 2.0, z, w]);
                let same = |a: &[u32; 4], b: &[u32; 4]| {
                    let equal = |a: f32, b: f32| a == b || a.is_nan() && b.is_nan();
                    a.iter().zip(b).all(|(a, b)| equal(f32::from_bits(*a), f32::from_bits(*b)))
                };
                let reference = moved(&still, [1.0, 2.0, expected, w]);
                let all = found.iter().zip(&reference).all(|(a, b)| same(a, b));
                assert!(all, "{precision:?} {depth:?}: {z} {w} gives {found:x?}, not {reference:x?}");
                // The CPU does the same.
                let mut registers = [[0.0; 4]; 16];
                registers[0] = [1.0, 2.0, z, w];
                let outputs = &snapping.interface.outputs;
                for (output, found) in [&outputs[0], &outputs[outputs.len() - 1]].iter().zip(&found) {
                    let mut value = output.value(&registers, &options, &host).map(f32::to_bits);
                    value[output.lanes()..].copy_from_slice(&found[output.lanes()..]);
                    assert!(same(&value, found), "{precision:?} {depth:?}: {z} {w}");
                }
            }
        }
    }
}

/// Tolerances that are powers of two: their products and sums with w are exact.
#[test]
fn depth_at_the_bounds_of_the_tolerances_stays() {
    let snap_depth = DepthSnap { near: 0.5, far: 0.25 };
    let outputs = Outputs {
        depth: DepthRange::Raw,
        snap_depth,
        clip_planes: ClipPlanes::BuiltIn,
        ..Outputs::default()
    };
    let step = 1.0 / 4096.0;
    for precision in [Precision::Exact, Precision::Fast, Precision::F24] {
        let arithmetic = Arithmetic { precision, ..Arithmetic::default() };
        let options = Options { arithmetic, outputs, ..Options::default() };
        let translated = translate(Job::Vertex, &copy(), options, Profile::default());
        for w in [1.0, 4.0] {
            for (z, expected) in [
                (0.5, 0.5),
                (0.5 - step, 0.0),
                (0.0, 0.0),
                (-1.0, -1.0),
                (-1.25, -1.25),
                (-1.25 + step, -1.0),
            ] {
                let found = moved(&translated, [1.0, 2.0, z * w, w])[0].map(f32::from_bits);
                let mut registers = [[0.0; 4]; 16];
                registers[0] = [1.0, 2.0, z * w, w];
                let host = HostValues::default();
                let on_cpu = translated.interface.outputs[0].value(&registers, &options, &host);
                assert_eq!([found[2], on_cpu[2]], [expected * w; 2], "{precision:?}: {z} of {w}");
            }
        }
    }
}

#[test]
fn float24_depth_is_moved_by_its_own_steps() {
    let outputs = Outputs {
        depth: DepthRange::Raw,
        snap_depth: DepthSnap::AZAHAR,
        clip_planes: ClipPlanes::BuiltIn,
        ..Outputs::default()
    };
    let arithmetic = Arithmetic { precision: Precision::F24, ..Arithmetic::default() };
    let options = Options { arithmetic, outputs, ..Options::default() };
    let translated = translate(Job::Vertex, &copy(), options, Profile::default());
    // The least float24 beyond 1.75 is so by 8.7 parts in a million, the least beyond 1 by 15.3.
    let step = 1.0 / 65_536.0;
    for (z, w, expected) in [(5e-8, 1.0, 0.0), (-1.75 - step, 1.75, -1.75), (-1.0 - step, 1.0, -1.0 - step)] {
        let found = moved(&translated, [1.0, 2.0, z, w]);
        assert_eq!(f32::from_bits(found[0][2]), expected, "{z}");
    }
}

#[test]
fn tolerances_of_depth_are_parts_of_w() {
    for (near, far) in [(1.0, 0.0), (-1e-6, 0.0), (f32::NAN, 0.0), (0.0, 1.5), (0.0, f32::INFINITY)] {
        let outputs = Outputs { snap_depth: DepthSnap { near, far }, ..Outputs::default() };
        let error = Options { outputs, ..Options::default() }.check().expect_err("no part");
        assert_eq!(error.kind.code(), transpica::stages::error::Code::BadOption, "{error}");
    }
}
