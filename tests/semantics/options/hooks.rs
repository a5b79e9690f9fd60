//! Hooks: the translated program on the IR evaluator, against the interpreter whose outputs and
//! uniforms are changed on the CPU.

use std::collections::HashMap;

use rspirv::dr;
use transpica::container::Semantic;
use transpica::host::{
    DrawEnvironment, Environment, Hook, HookOperand, Hooked, HostField, HostValues, Location, Output,
    OutputHook, OutputMap, OutputValue, redirect,
};
use transpica::interp::TraceRecord;
use transpica::isa::{Inst, Mask, Pc, Source, Uniforms};
use transpica::settings::{
    Binding, Bindings, Block, ClipPlanes, DepthRange, DepthSnap, FlipY, FloatControls, Layout, Outputs,
    Varying, VaryingSource, VertexInput,
};
use transpica::stages::ir;
use transpica::{
    Job, Machine, Options, Precision, Profile, Program, RegisterState, Setup, Shbin, Stage, Translator, key,
};
use transpica_asm::{SourceText, assemble};
use transpica_inspect::spirv;
use transpica_proof::daily;
use transpica_proof::generate::{Kind, Random, generate};
use transpica_proof::ir::{InputValues, eval};
use transpica_proof::spirv_machine::{Licenses, World, run_on};
use transpica_proof::spirv_tools;
use transpica_proof::unnamed::Unnamed;

/// Semantics of the rasterizer.
const SEMANTICS: [Semantic; 8] = [
    Semantic::Position,
    Semantic::Color,
    Semantic::Quaternion,
    Semantic::View,
    Semantic::Texcoord0,
    Semantic::Texcoord0W,
    Semantic::Texcoord1,
    Semantic::Texcoord2,
];

/// o0 to o3 are position, color, texture coordinates 0 and quaternion.
fn environment() -> Unnamed {
    let words = [(0, [0, 1, 2, 3]), (1, [8, 9, 10, 11]), (2, [12, 13, 16, 31]), (3, [4, 5, 6, 7])];
    Unnamed { map: OutputMap::from_words(words) }
}

/// Zero and one are frequent: what they are multiplied with or added to is folded.
fn float(random: &mut Random) -> f32 {
    match random.below(12) {
        0 | 1 => 0.0,
        2 | 3 => 1.0,
        4 => f32::INFINITY,
        5 => f32::NAN,
        6 => -1.0,
        // Float24 holds none of these.
        7 => random.pick(&[0.1, -1.0 / 3.0, 1e-21, 1e30]),
        _ => random.below(64) as f32 / 8.0 - 4.0,
    }
}

fn operand(random: &mut Random) -> HookOperand {
    match random.below(4) {
        0 | 1 => HookOperand::Parameter(random.below(16) as u8),
        2 => HookOperand::constant(std::array::from_fn(|_| float(random))),
        _ => HookOperand::constant([random.pick(&[0.0, 1.0]); 4]),
    }
}

/// A float uniform that an instruction names, or any.
fn uniform(random: &mut Random, program: &Program<'_>) -> u8 {
    let named = match program.inst(Pc(random.below(program.code().len() as u32) as u16)) {
        Some(Inst::Data { sources, .. }) => sources.iter().find_map(|source| match source.register {
            Source::Uniform(number) => Some(number),
            Source::Temp(_) | Source::Input(_) => None,
        }),
        _other => None,
    };
    named.unwrap_or(random.below(96) as u8)
}

/// A hook; every other redirect is of the register `again`.
fn hook(random: &mut Random, program: &Program<'_>, again: u8, location: u32) -> Hook {
    let semantic = random.pick(&SEMANTICS);
    let mask = Mask(random.below(16) as u8);
    let operand = operand(random);
    match random.below(8) {
        0 => Hook::Output(semantic, OutputHook::Transform(std::array::from_fn(|_| self::operand(random)))),
        1 => Hook::Output(semantic, OutputHook::Set(mask, operand)),
        2 => Hook::Output(semantic, OutputHook::Add(mask, operand)),
        3 => Hook::Output(semantic, OutputHook::Multiply(mask, operand)),
        4 => Hook::Redirect(again, operand),
        5 => Hook::Redirect(uniform(random, program), operand),
        6 => Hook::Again(location),
        _ => Hook::Tap(Pc(random.below(program.code().len() as u32) as u16), location),
    }
}

/// The value that a tap of an instruction has.
fn tapped(record: &TraceRecord) -> Option<[f32; 4]> {
    let flag = |flag: bool| if flag { 1.0 } else { 0.0 };
    match record.inst {
        // What writes no component is not part of a module.
        Inst::Data { mask: Mask(0), .. } => None,
        Inst::Data { .. } => Some(record.result),
        Inst::Cmp { .. } => Some([flag(record.flags[0]), flag(record.flags[1]), 0.0, 1.0]),
        Inst::Mova { .. } | Inst::Flow(_) | Inst::Emit | Inst::SetEmit { .. } | Inst::Unassigned(_) => None,
    }
}

/// The SPIR-V module with all declarations, if its bits are defined.
fn declared(options: Options, program: &Program<'_>, environment: &dyn Environment) -> Option<dr::Module> {
    let profile = Profile { float_controls: FloatControls::ALL, ..Profile::default() };
    let mut translator = Translator::new(options, profile);
    let translated = translator.translate(program, environment, Job::Vertex).expect("translates");
    let words = translator.spirv(&translated).expect("is written");
    (options.arithmetic.precision != Precision::Fast).then(|| spirv::load(&words).expect("a module"))
}

/// The outputs of a vertex stage, in the order of its interface, on a driver that takes licenses.
fn driven(module: &dr::Module, outputs: &[Output], values: &InputValues, host: &[u8]) -> Vec<Vec<u32>> {
    let mut world =
        World { attributes: (0..).zip(values.inputs.map(Vec::from)).collect(), ..World::default() };
    let (first, second) = values.members.split_at(3);
    world.buffers.extend([(0, first.concat().concat()), (2, second.concat().concat())]);
    world.buffers.insert(1, host.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect());
    run_on(module, &mut world, &mut Licenses::of(module, u64::from(values.inputs[0][0])));
    let output = |output: &Output| match output.location {
        Location::Position => world.position.clone(),
        Location::ClipDistances => world.clip_distances.clone(),
        Location::Varying(location) => world.outputs[&location].clone(),
    };
    outputs.iter().map(output).collect()
}

/// Sets the host block of the evaluator.
fn set_host(values: &mut InputValues, host: &HostValues) {
    let packed = host.pack_all();
    for (field, value) in HostField::ALL.into_iter().zip(&mut values.host) {
        for (word, bytes) in value.iter_mut().zip(packed[field.offset() as usize..].as_chunks().0) {
            *word = u32::from_le_bytes(*bytes);
        }
    }
}

/// The members of a block that holds all registers.
fn members(uniforms: &Uniforms) -> [Vec<[u32; 4]>; 3] {
    [
        uniforms.floats.map(|register| register.map(f32::to_bits)).to_vec(),
        uniforms.ints.map(|register| register.map(u32::from)).to_vec(),
        vec![[u32::from(uniforms.bools), 0, 0, 0]],
    ]
}

/// Compares a program with hooks for some vertices; returns the number of compared values.
fn compare(kind: Kind, seed: u64) -> usize {
    let generated = generate(kind, seed);
    let program = generated.program();
    let mut random = Random::new(seed, "hooks");
    let again = uniform(&mut random, &program);
    let mut hooks: Vec<Hook> =
        (0..1 + random.below(7)).map(|number| hook(&mut random, &program, again, 20 + number)).collect();
    let mut evaluations = 0;
    hooks.retain(|hook| {
        evaluations += u32::from(matches!(hook, Hook::Again(_)));
        !matches!(hook, Hook::Again(_)) || evaluations == 1
    });
    let precision = random.pick(&[Precision::Exact, Precision::Fast, Precision::F24]);
    let mut options = Options {
        outputs: Outputs {
            all: random.below(2) == 0,
            depth: random.pick(&[DepthRange::ZeroToW, DepthRange::MinusWToW, DepthRange::Raw]),
            flip_y: random.pick(&[FlipY::Never, FlipY::Always, FlipY::Dynamic]),
            clip_planes: random.pick(&[ClipPlanes::None, ClipPlanes::BuiltIn]),
            snap_depth: random.pick(&[DepthSnap::OFF, DepthSnap { near: 0.5, far: 0.25 }]),
            ..Outputs::default()
        },
        block: Block { layout: Layout::Registers, ..Block::default() },
        ..Options::default()
    };
    options.arithmetic.precision = precision;
    let host = HostValues {
        clip_enabled: random.below(2) == 0,
        flip_y: random.below(2) == 0,
        clip_plane: std::array::from_fn(|_| float(&mut random)),
        parameters: std::array::from_fn(|_| std::array::from_fn(|_| float(&mut random))),
    };

    let environment = environment();
    let hooked = Hooked { environment: &environment, hooks: &hooks };
    let mut translator = Translator::new(options, Profile::default());
    let Ok(translated) = translator.translate(&program, &hooked, Job::Vertex) else { return 0 };
    ir::verify(&translated.module, ir::Phase::Legal).unwrap_or_else(|error| panic!("{seed}: {error}"));

    // Those of a second evaluation are another program's.
    let both = [generated.uniforms(), generate(kind, seed + 1).uniforms()];
    let mut machines = both.each_ref().map(|uniforms| {
        let mut seen = uniforms.clone();
        redirect(&hooks, &mut seen, &host);
        let mut machine = Machine::new(&program, options.settings(1 << 16)).expect("a vertex program");
        machine.set_uniforms(&seen);
        machine
    });
    let mut values =
        InputValues { members: both.iter().flat_map(members).collect(), ..InputValues::default() };
    set_host(&mut values, &host);

    let (module, outputs) = (declared(options, &program, &hooked), &translated.interface.outputs);
    let mut compared = 0;
    for inputs in generated.inputs(4) {
        let mut taps: HashMap<u16, [f32; 4]> = HashMap::new();
        let mut trace = |record: &TraceRecord| {
            if let Some(value) = tapped(record) {
                taps.insert(record.pc.0, value);
            }
        };
        let Ok(registers) = machines[0].run_traced(&inputs, &mut trace).copied() else { continue };
        let Ok(again) = machines[1].run(&inputs).copied() else { continue };
        let taps_of: Vec<[f32; 4]> = hooks
            .iter()
            .filter_map(|hook| match hook {
                Hook::Tap(pc, _) => Some(taps.get(&pc.0).copied().unwrap_or([0.0, 0.0, 0.0, 1.0])),
                Hook::Output(..) | Hook::Redirect(..) | Hook::Again(_) => None,
            })
            .collect();
        values.inputs = inputs.map(|register| register.map(f32::to_bits));
        let found = eval(&translated.module, precision, &values, 1 << 20).expect("ends");
        let driven = module.as_ref().map(|module| driven(module, outputs, &values, &host.pack_all()));
        for (number, (output, found)) in outputs.iter().zip(found).enumerate() {
            let expected = match output.value {
                OutputValue::Tap(tap) => taps_of[usize::from(tap)],
                OutputValue::Again => output.value(&again, &options, &host),
                _ => output.value(&registers, &options, &host),
            };
            let driven = driven.as_ref().map(|outputs| &outputs[number][..]);
            for lane in 0..output.lanes() {
                for (form, found) in [("", Some(&found[..])), ("by the letter, ", driven)] {
                    let Some(found) = found else { continue };
                    let (expected, found) = (expected[lane], f32::from_bits(found[lane]));
                    // No instruction observes the sign of zero.
                    let same = expected == found || expected.is_nan() && found.is_nan();
                    let name = &output.name;
                    assert!(same, "{form}{kind:?} {seed} {name}.{lane}: {found}, not {expected}, {hooks:?}");
                }
                compared += 1;
            }
        }
    }
    compared
}

#[test]
fn random_hooks_change_programs_as_on_the_cpu() {
    for (kind, all) in [(Kind::Clean, 1500), (Kind::Numeric, 300), (Kind::Wild, 700)] {
        let count = daily::cases(&format!("{kind:?} programs with hooks"), all / 5, all);
        let compared: usize = (0..count).map(|seed| compare(kind, seed)).sum();
        println!("{kind:?}: {compared} values of {count} programs");
        assert!(compared > 10 * count as usize, "{kind:?}: only {compared} values");
    }
}

#[test]
fn keys_contain_hooks_and_their_order() {
    let generated = generate(Kind::Clean, 1);
    let (program, environment) = (generated.program(), environment());
    let (options, profile) = (Options::default(), Profile::default());
    let key = |environment: &dyn Environment| {
        key(&program, environment, Job::Vertex, &options, &profile, &[]).expect("translatable")
    };
    let add = Hook::Output(Semantic::Position, OutputHook::Add(Mask::X, HookOperand::Parameter(0)));
    let scale = Hook::Output(Semantic::Position, OutputHook::Multiply(Mask::X, HookOperand::Parameter(0)));
    let hooked = |hooks: &[Hook]| key(&Hooked { environment: &environment, hooks });
    assert_eq!(hooked(&[]), key(&environment));
    let all = [hooked(&[]), hooked(&[add]), hooked(&[scale]), hooked(&[add, scale]), hooked(&[scale, add])];
    for (index, one) in all.iter().enumerate() {
        assert!(!all[..index].contains(one), "{index}");
    }
}

#[test]
fn nested_hooks_apply_from_the_inside() {
    let generated = generate(Kind::Clean, 1);
    let (program, environment) = (generated.program(), environment());
    let add = Hook::Output(Semantic::Position, OutputHook::Add(Mask::X, HookOperand::Parameter(0)));
    let scale = Hook::Output(Semantic::Position, OutputHook::Multiply(Mask::X, HookOperand::Parameter(1)));
    let inner = Hooked { environment: &environment, hooks: &[add] };
    let outer = Hooked { environment: &inner, hooks: &[scale] };
    let both = Hooked { environment: &environment, hooks: &[add, scale] };
    let words = |environment: &dyn Environment| {
        let mut translator = Translator::new(Options::default(), Profile::default());
        let translated = translator.translate(&program, environment, Job::Vertex).expect("translates");
        translated.spirv().expect("SPIR-V")
    };
    assert_eq!(words(&outer), words(&both));
    assert_ne!(words(&outer), words(&inner));
}

/// Constants that hooks add are constants like those of a file.
#[test]
fn products_of_redirected_constants_are_computed() {
    let file = Shbin::parse(include_bytes!("../../../shaders/library.shbin")).expect("valid");
    let program = file.program(4).expect("a vertex program");
    for value in [0.0, 1.0, 2.0] {
        let constant = HookOperand::constant([value; 4]);
        let hooks = [Hook::Redirect(77, constant), Hook::Redirect(95, constant)];
        let hooked = Hooked { environment: program.environment(), hooks };
        for precision in [Precision::Exact, Precision::Fast, Precision::F24] {
            let mut options = Options::default();
            options.arithmetic.precision = precision;
            let mut translator = Translator::new(options, Profile::default());
            let module = translator.translate(program.program(), &hooked, Job::Vertex).expect("translates");
            ir::verify(&module.module, ir::Phase::Legal).expect("no zero is an operand");
        }
    }
}

/// Direct reads, relative reads and the CPU.
#[test]
fn the_last_redirect_of_a_register_counts() {
    let text = ".fvec one, two\n.constf zero(0.0, 0.0, 0.0, 0.0)\n.out direct position\n.out relative color\n\
                .proc main\nmova a0.x, zero.x\nmov direct, two\nmov relative, one[a0.x]\nend\n.end\n";
    let source = SourceText { name: "a.pica", text };
    let assembled = assemble(&[source]).unwrap_or_else(|report| panic!("{report}"));
    let file = Shbin::parse(&assembled.bytes).expect("valid");
    let program = file.program(0).expect("a program");
    let redirect_both = |operand| [Hook::Redirect(0, operand), Hook::Redirect(1, operand)];
    let [first, last] = [[3.0; 4], [5.0; 4]].map(HookOperand::constant);
    let hooks = [redirect_both(first), redirect_both(last)].concat();
    let mut uniforms = program.uniforms();
    redirect(&hooks, &mut uniforms, &HostValues::default());
    assert_eq!(uniforms.floats[..2], [[5.0; 4]; 2]);

    let outputs = Outputs { depth: DepthRange::Raw, ..Outputs::default() };
    let options = Options { outputs, ..Options::default() };
    let hooked = Hooked { environment: program.environment(), hooks };
    let mut translator = Translator::new(options, Profile::default());
    let translated = translator.translate(program.program(), &hooked, Job::Vertex).expect("translates");
    let values = InputValues { members: vec![vec![[0; 4]; 96]], ..InputValues::default() };
    let found = eval(&translated.module, Precision::Exact, &values, 1000).expect("ends");
    assert_eq!(found[0].map(f32::from_bits), [5.0; 4], "directly");
    // Colors are at most 1.
    assert_eq!(found[1].map(f32::from_bits), [1.0; 4], "relatively");
}

/// In modules and on the CPU, direct reads, relative ones and outputs.
#[test]
fn operands_are_float24_where_registers_are() {
    let text = ".fvec one, two\n.constf zero(0.0, 0.0, 0.0, 0.0)\n.out direct position\n.out relative normalquat\n\
                .out set view\n.proc main\nmova a0.x, zero.x\nmov direct, two\nmov relative, one[a0.x]\n\
                mov set, two\nend\n.end\n";
    let source = SourceText { name: "a.pica", text };
    let assembled = assemble(&[source]).unwrap_or_else(|report| panic!("{report}"));
    let file = Shbin::parse(&assembled.bytes).expect("valid");
    let program = file.program(0).expect("a program");
    let mut options =
        Options { outputs: Outputs { depth: DepthRange::Raw, ..Outputs::default() }, ..Options::default() };
    options.arithmetic.precision = Precision::F24;
    let host = HostValues { parameters: [[0.1; 4]; 16], ..HostValues::default() };
    for operand in [HookOperand::constant([0.1; 4]), HookOperand::Parameter(3)] {
        let set = Hook::Output(Semantic::View, OutputHook::Set(Mask(15), operand));
        let hooks = [Hook::Redirect(0, operand), Hook::Redirect(1, operand), set];
        let hooked = Hooked { environment: program.environment(), hooks };
        let mut translator = Translator::new(options, Profile::default());
        let translated = translator.translate(program.program(), &hooked, Job::Vertex).expect("translates");
        let mut values = InputValues { members: vec![vec![[0; 4]; 96]], ..InputValues::default() };
        set_host(&mut values, &host);
        let found = eval(&translated.module, Precision::F24, &values, 1000).expect("ends");

        let mut uniforms = program.uniforms();
        redirect(&hooked.hooks, &mut uniforms, &host);
        let mut machine = Machine::new(program.program(), options.settings(100)).expect("a vertex program");
        machine.set_uniforms(&uniforms);
        let registers = *machine.run(&[[0.0; 4]; 16]).expect("ends");
        for (output, found) in translated.interface.outputs.iter().zip(found) {
            let cpu = output.value(&registers, &options, &host).map(f32::to_bits);
            assert_eq!(
                (&found[..3], &cpu[..3]),
                (&[0x3DCC_CC80; 3][..], &[0x3DCC_CC80; 3][..]),
                "{}",
                output.name
            );
        }
    }
}

/// Neither environment nor hooks need a variable of their own.
#[test]
fn hooked_environments_own_what_they_take() {
    let mut state = RegisterState::default();
    for (register, value) in
        [(0x2CC, 0x4C00_0000), (0x2CC, 0x8800_0000), (0x2D6, 0x36F), (0x2BA, 0x7FFF_0000)]
    {
        state.write(register, value);
    }
    let white = || HookOperand::constant([1.0; 4]);
    let hooks = vec![Hook::Redirect(5, white()), Hook::Tap(Pc(0), 20)];
    let borrowed = Hooked { environment: &state.vertex(), hooks: &hooks[..] };
    let owned = Hooked { environment: state.vertex(), hooks: [Hook::Redirect(5, white())] };
    let nested = Hooked { environment: owned, hooks: vec![Hook::Tap(Pc(0), 20)] };
    let drawn = DrawEnvironment { environment: state.vertex(), input: VertexInput::default() };
    let drawn = Hooked { environment: drawn, hooks: hooks.clone() };
    let mut translator = Translator::new(Options::default(), Profile::default());
    let program = state.vertex().program().expect("a program");
    let mut key = |environment: &dyn Environment| {
        let key = translator.key(&program, environment, Job::Vertex, b"").expect("translatable");
        let translated = translator.translate(&program, environment, Job::Vertex).expect("translates");
        (key, translated.spirv().expect("SPIR-V"))
    };
    let expected = key(&borrowed);
    assert!(expected != key(&state.vertex()));
    assert!(expected == key(&&borrowed) && expected.1 == key(&nested).1 && expected == key(&drawn));
}

#[test]
fn taps_leave_geometry_programs_alone() {
    // These read outputs as earlier invocations left them, so that no slot of theirs is free.
    for bytes in [
        &include_bytes!("../../../shaders/trail.shbin")[..],
        include_bytes!("../../../shaders/counter.shbin"),
        include_bytes!("../../../shaders/subdivision.shbin"),
    ] {
        let file = Shbin::parse(bytes).expect("valid");
        let setup = Setup::from_file(&file, 0, Some(1), None).expect("a vertex and a geometry program");
        let program = file.program(1).expect("a program");
        let words = |hooks: &[Hook]| {
            let hooked = Hooked { environment: program.environment(), hooks };
            let mut translator = Translator::new(Options::default(), Profile::default());
            let translated = translator.translate(program.program(), &hooked, Job::Geometry(&setup));
            translated.expect("translates").spirv().expect("SPIR-V")
        };
        let plain = words(&[]);
        let addresses: Vec<u16> = (0..program.program().code().len() as u16).collect();
        for addresses in addresses.chunks(8) {
            let taps: Vec<Hook> =
                addresses.iter().zip(20..).map(|(&at, location)| Hook::Tap(Pc(at), location)).collect();
            assert!(words(&taps) == plain, "{addresses:?}");
        }
        let add = OutputHook::Add(Mask::X, HookOperand::constant([1.0; 4]));
        assert_ne!(words(&[Hook::Output(Semantic::Position, add)]), plain);
    }
}

#[test]
fn hooks_change_varyings_of_hosts_that_are_whole_outputs() {
    let generated = generate(Kind::Clean, 1);
    let (program, environment) = (generated.program(), environment());
    let hook = Hook::Output(Semantic::Color, OutputHook::Set(Mask::X, HookOperand::constant([0.5; 4])));
    let hooked = Hooked { environment: &environment, hooks: &[hook] };
    let translate = |codes: &[u8]| {
        let components = codes.iter().map(|&code| VaryingSource::Code(code)).collect();
        let varyings = vec![Varying { name: "v_color".into(), location: 0, components }].into();
        let profile = Profile { varyings, ..Profile::default() };
        Translator::new(Options::default(), profile).translate(&program, &hooked, Job::Vertex)
    };
    let whole = translate(&[8, 9, 10, 11]).expect("translates");
    let color = &whole.interface.outputs[1];
    assert_eq!(
        color.value(&[[0.25; 4]; 16], &whole.options, &HostValues::default()),
        [0.5, 0.25, 0.25, 0.25]
    );
    // Joined with others, in another order, and a part: a hook of all components has no place.
    for codes in [&[8, 9, 12][..], &[9, 8, 10, 11], &[8, 9, 10]] {
        let error = translate(codes).expect_err("refused");
        assert!(error.to_string().contains("hook 0: varying v_color"), "{error}");
    }
    translate(&[12, 13]).expect("another output");
}

/// The compute form has its own bindings, whatever those of the vertex stage are.
#[test]
fn parameters_of_compute_forms_have_a_binding_of_their_own() {
    let generated = generate(Kind::Clean, 1);
    let (program, environment) = (generated.program(), environment());
    // With all of them redirected there is no uniform block.
    let hooks: Vec<Hook> = (0..96).map(|c| Hook::Redirect(c, HookOperand::Parameter(c % 16))).collect();
    let hooked = Hooked { environment: &environment, hooks: &hooks };
    let options =
        Options { block: Block { layout: Layout::Registers, ..Block::default() }, ..Options::default() };
    let mut translator = Translator::new(options, Profile::default());
    let translated = translator.translate(&program, &hooked, Job::Compute).expect("translates");
    let module = translated.naga().expect("naga accepts the bindings");
    let mut bindings: Vec<_> = module.global_variables.iter().filter_map(|(_, var)| var.binding).collect();
    bindings.sort();
    assert_eq!(
        bindings.iter().map(|at| (at.group, at.binding)).collect::<Vec<_>>(),
        [(0, 0), (0, 1), (0, 6)]
    );
    // SPIR-V: words of OpDecorate with Binding, 33, or DescriptorSet, 34.
    let words = translated.spirv().expect("a module");
    let decorations = |which: u32| -> Vec<u32> {
        let is_one = |at: &usize| words[*at] == 4 << 16 | 71 && words[at + 2] == which;
        let mut found: Vec<u32> = (5..words.len() - 3).filter(is_one).map(|at| words[at + 3]).collect();
        found.sort();
        found
    };
    assert_eq!((decorations(33), decorations(34)), (vec![0, 1, 6], vec![0; 3]));
}

#[test]
fn second_evaluations_have_one_place() {
    let generated = generate(Kind::Clean, 1);
    let (program, environment) = (generated.program(), environment());
    let refused = |hooks: &[Hook], bindings: Bindings, job: Job<'_>, message: &str| {
        let hooked = Hooked { environment: &environment, hooks };
        let mut translator = Translator::new(Options::default(), Profile { bindings, ..Profile::default() });
        let error = translator.translate(&program, &hooked, job).expect_err(message);
        assert_eq!(translator.key(&program, &hooked, job, b""), Err(error.clone()));
        assert!(error.to_string().contains(message), "{error}");
    };
    let (own, once) = (Bindings::default(), [Hook::Again(20)]);
    refused(&[once[0], Hook::Again(21)], own, Job::Vertex, "hook 1: a module has one second evaluation");
    for job in [Job::Compute, Job::BeforeGeometry { outputs: 1, vertices: 1 }] {
        refused(
            &once,
            own,
            job,
            "hook 0: only vertex stages evaluate the position again; leave the hook out",
        );
    }
    // Color is at 0.
    refused(&[Hook::Again(0)], own, Job::Vertex, "location 0");
    refused(&[Hook::Tap(Pc(0), 20), once[0]], own, Job::Vertex, "location 20");
    for binding in 0..2 {
        let bindings = Bindings { again: Binding { set: 0, binding }, ..own };
        refused(&once, bindings, Job::Vertex, &format!("two blocks use set 0, binding {binding}"));
        // Without a second evaluation it has no place that another could take.
        let mut translator = Translator::new(Options::default(), Profile { bindings, ..Profile::default() });
        translator.translate(&program, &environment, Job::Vertex).expect("translates");
    }
    let bindings = Bindings { again: Binding { set: 1, binding: 0 }, ..own };
    let mut translator = Translator::new(Options::default(), Profile { bindings, ..Profile::default() });
    let hooked = Hooked { environment: &environment, hooks: &once };
    let output =
        translator.translate(&program, &hooked, Job::Vertex).expect("translates").interface.outputs.pop();
    assert_eq!(output.map(|output| output.location), Some(Location::Varying(20)));
}

#[test]
fn the_stage_for_quaternions_passes_varyings_of_hooks_on() {
    let generated = generate(Kind::Clean, 1);
    let (program, environment) = (generated.program(), environment());
    let mut translator = Translator::new(Options::default(), Profile::default());
    let mut stages = |hooks: &[Hook]| {
        let hooked = Hooked { environment: &environment, hooks };
        [Job::Vertex, Job::Quaternions].map(|job| {
            let translated = translator.translate(&program, &hooked, job)?;
            let places =
                translated.interface.outputs.iter().map(|output| (output.name.clone(), output.location));
            let key = translator.key(&program, &hooked, job, b"")?;
            Ok::<_, transpica::Error>((places.collect::<Vec<_>>(), translated.spirv()?, key))
        })
    };
    let plain = stages(&[]).map(|stage| stage.expect("translates"));
    let mut keys = vec![plain[1].2];
    for hooks in [&[Hook::Again(20)][..], &[Hook::Tap(Pc(0), 21)], &[Hook::Again(22), Hook::Tap(Pc(1), 23)]] {
        let [vertex, quaternions] = stages(hooks).map(|stage| stage.expect("translates"));
        assert_eq!(vertex.0, quaternions.0, "{hooks:?}");
        assert_eq!(vertex.0.len(), plain[0].0.len() + hooks.len());
        assert!(!keys.contains(&quaternions.2), "{hooks:?}");
        keys.push(quaternions.2);
        spirv_tools::validate(&quaternions.1).unwrap_or_else(|error| panic!("{hooks:?}: {error}"));
    }
    // Other hooks change nothing that it passes on.
    let redirect = Hook::Redirect(3, HookOperand::constant([1.0; 4]));
    assert_eq!(stages(&[redirect])[1].as_ref().expect("translates").2, plain[1].2);
    assert!(stages(&[Hook::Again(0)]).iter().all(Result::is_err), "color is there");
}

/// A module whose loop no run leaves has no outputs, whether evaluated once or twice.
#[test]
fn programs_that_never_end_are_evaluated_again() {
    // jmpu b0, 0; end
    let code = &[0xB400_0000, 0x8800_0000][..];
    let program = Program::from_raw(code, &[][..], Pc(0), Stage::Vertex).expect("well formed");
    let mut options = Options::default();
    (options.control.bools.baked, options.control.bools.values) = (1, 1);
    let environment = environment();
    let hooked = Hooked { environment: &environment, hooks: &[Hook::Again(20)] };
    let mut translator = Translator::new(options, Profile::default());
    let translated = translator.translate(&program, &hooked, Job::Vertex).expect("translates");
    ir::verify(&translated.module, ir::Phase::Legal).expect("legal");
    assert!(!translated.spirv().expect("SPIR-V").is_empty());
}

#[test]
fn hooks_that_name_nothing_are_errors() {
    let generated = generate(Kind::Clean, 1);
    let (program, environment) = (generated.program(), environment());
    let one = HookOperand::constant([1.0; 4]);
    let none = HookOperand::Parameter(16);
    let tap = |n: u32| Hook::Tap(Pc(0), 20 + n);
    let taps: Vec<Hook> = (0..9).map(tap).collect();
    for (hooks, message) in [
        (&[Hook::Redirect(96, one)][..], "hook 0: c96 does not exist; the last float uniform is c95"),
        (&[tap(0), Hook::Redirect(0, none)][..], "hook 1: parameter 16 does not exist; the last is 15"),
        (
            &[Hook::Output(Semantic::Generic, OutputHook::Add(Mask::X, one))][..],
            "hook 0: generic outputs are not inputs of the rasterizer",
        ),
        (&taps[..], "9 taps exceed the limit of 8"),
        (&[Hook::Tap(Pc(4000), 20)][..], "the program has"),
        (&[tap(0), tap(0)][..], "location 20"),
    ] {
        let hooked = Hooked { environment: &environment, hooks };
        let mut translator = Translator::new(Options::default(), Profile::default());
        let error = translator.translate(&program, &hooked, Job::Vertex).expect_err(message);
        assert!(error.to_string().contains(message), "{error}");
    }
}
