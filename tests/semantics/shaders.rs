//! Our own shaders on the interpreter. Each vertex program ends and writes finite outputs for
//! ordinary inputs, unless it demonstrates others. Together they cover all features of the vertex
//! unit.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use transpica::container::{ConstantValue, Dvle, SEMANTICS, ShaderType};
use transpica::geometry::{GeometryInput, Topology};
use transpica::host::dvle;
use transpica::interp::{Registers, Settings, Uniforms};
use transpica::isa::control::{Outcome, State};
use transpica::isa::{Dest, Flow, Index, Inst, Opcode, Operand, Pc, Source, control};
use transpica::stages::precision::float24;
use transpica::{Limits, Machine, Options, Precision, Program, Shbin, Stage};
use transpica_draw::batch::Number;
use transpica_draw::recording::{RecordedAttribute, RecordedDraw, RecordedIndices, Recording};

/// Demonstrates infinities and NaN.
const SPECIAL: &str = "extremes.shbin";
/// Finite only for realistic values: its light grows without bound under water of negative depth.
const SENSITIVE: &str = "water.shbin";

/// Returns whether the uniforms of a scene are small and positive.
fn is_ordinary(scene: u32) -> bool {
    (scene / 8).is_multiple_of(4) && scene % 5 != 4
}

/// Every binary with its name, by name.
fn binaries() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders");
    let entries = fs::read_dir(folder).expect("folder").map(|entry| entry.expect("entry").path());
    let mut paths: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|end| end == "shbin")).collect();
    paths.sort();
    let name = |path: &Path| path.file_name().expect("file").to_string_lossy().into_owned();
    paths.iter().map(|path| (name(path), fs::read(path).expect("readable"))).collect()
}

fn program<'a>(file: &Shbin<'a>, executable: &Dvle<'a>) -> Program<'static> {
    let code: Vec<u32> = file.package.code.iter().collect();
    let descriptors: Vec<u32> = file.package.descriptors.iter().map(|entry| entry.bits).collect();
    let entry = Pc(u16::try_from(executable.header.main).expect("small"));
    Program::new(code, descriptors, entry, Stage::Vertex, &Limits::default()).expect("valid")
}

/// Pseudorandom numbers of 0 .. 1.
struct Numbers(u32);

impl Numbers {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as f32 / 16_777_216.0
    }
}

/// Typical values of a host, different for each scene, overridden by the program's constants.
fn uniforms(executable: &Dvle<'_>, scene: u32) -> Uniforms {
    let mut numbers = Numbers(scene);
    let mut uniforms = Uniforms::default();
    let scale = (1 + scene / 8 % 4 * 2) as f32;
    let offset = if scene % 5 == 4 { -0.5 } else { 0.1 };
    for value in uniforms.floats.iter_mut().flatten() {
        *value = numbers.next() * scale + offset;
    }
    uniforms.ints = [[1, 0, 1, 0]; 4];
    uniforms.bools = match scene % 4 {
        0 => 0,
        1 => 0xFFFF,
        _ => (numbers.next() * 65536.0) as u16,
    };
    for constant in executable.constants.iter() {
        match constant.value().expect("meaningful") {
            ConstantValue::Bool { register, value } if scene.is_multiple_of(2) => {
                uniforms.set_bool(register, value)
            }
            ConstantValue::Bool { .. } => {}
            ConstantValue::Int { register, value } => uniforms.ints[usize::from(register)] = value,
            ConstantValue::Float { register, value } => {
                let widened = value.map(|bits| f32::from_bits(float24::to_f32_bits(bits)));
                uniforms.floats[usize::from(register)] = widened;
            }
        }
    }
    uniforms
}

/// A vertex; its last inputs, which programs use as indices, grow with the scene.
fn inputs(scene: u32) -> [[f32; 4]; 16] {
    let mut numbers = Numbers(!scene);
    let mut inputs = Registers::DEFAULT_INPUTS;
    for value in inputs.iter_mut().flatten() {
        *value = numbers.next() * (1.0 + (scene % 8) as f32 / 2.0) - 0.4 * (scene % 3) as f32;
    }
    inputs
}

const SCENES: u32 = 64;

/// Calls `run` for each vertex program and scene.
fn for_each_scene(mut run: impl FnMut(&str, &Dvle<'_>, &Program<'_>, u32)) {
    for (name, bytes) in &binaries() {
        let file = Shbin::parse(bytes).expect("well formed");
        assert!(file.warnings().is_empty(), "{name}");
        for executable in &file.executables {
            if executable.header.shader_type() != Some(ShaderType::Vertex) {
                continue;
            }
            let program = program(&file, executable);
            for scene in 0..SCENES {
                run(name, executable, &program, scene);
            }
        }
    }
}

#[test]
fn every_vertex_program_ends_with_finite_outputs() {
    let mut failures = BTreeSet::new();
    for_each_scene(|name, executable, program, scene| {
        for precision in [Precision::Exact, Precision::F24] {
            let settings = Settings { precision, budget: 2000, ..Settings::default() };
            let mut machine = Machine::new(program, settings).expect("vertex");
            machine.set_uniforms(&uniforms(executable, scene));
            let outputs = match machine.run(&inputs(scene)) {
                Ok(outputs) => outputs,
                Err(error) => {
                    failures.insert(format!("{name}: {error}"));
                    continue;
                }
            };
            for output in executable.outputs.iter() {
                let value = outputs[usize::from(output.register)];
                let meant = (0..4).filter(|lane| output.mask >> lane & 1 != 0).map(|lane| value[lane]);
                let is_free = match name {
                    SPECIAL => output.kind != 0,
                    SENSITIVE => !is_ordinary(scene),
                    _ => false,
                };
                if !is_free && meant.into_iter().any(|number| !number.is_finite()) {
                    failures.insert(format!(
                        "{name} {:#x}: o{} {value:?}",
                        executable.header.main, output.register
                    ));
                }
            }
        }
    });
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Facts observed on the machine.
#[derive(Default)]
struct Facts(BTreeSet<String>);

impl Facts {
    fn add(&mut self, fact: impl Into<String>) {
        self.0.insert(fact.into());
    }
    /// Notes a source operand at its read.
    fn operand(&mut self, operand: &Operand, registers: &Registers, is_in_loop: bool) {
        let Source::Uniform(base) = operand.register else { return };
        let value = registers.source(operand.register);
        if operand.index == Index::None {
            for number in value {
                if number.is_infinite() {
                    self.add("inf read");
                } else if number == 0.0 {
                    self.add(if number.is_sign_negative() { "-0 read" } else { "0 read" });
                }
            }
            return;
        }
        let [x, y] = registers.address();
        let (name, offset) = match operand.index {
            Index::A0x => ("a0.x", x),
            Index::A0y => ("a0.y", y),
            Index::Al | Index::None => ("aL", registers.counter()),
        };
        let sign = if operand.negate { "-" } else { "" };
        self.add(format!("{sign}c[{name}]"));
        if i8::try_from(offset).is_err() {
            self.add(format!("{name} beyond a byte"));
        } else if i32::from(base) + offset < 0 || i32::from(base) + offset > 95 {
            self.add(format!("{sign}{name} outside c0..c95"));
        } else if offset < 0 {
            self.add(format!("negative {name}"));
        }
        if operand.index == Index::Al && !is_in_loop {
            self.add("aL read after a loop");
        }
    }
    /// Notes an instruction before its execution.
    fn instruction(&mut self, word: Opcode, inst: &Inst, state: &State, registers: &Registers) {
        self.add(word.mnemonic());
        let in_loop = !state.loops.is_empty();
        match inst {
            Inst::Data { dest, sources, op, .. } => {
                if let Dest::Output(number) = dest {
                    self.add(format!("o{number} written"));
                }
                let used = &sources[..op.source_count()];
                used.iter().for_each(|operand| self.operand(operand, registers, in_loop));
                if matches!(word, Opcode::Rcp | Opcode::Rsq | Opcode::Lg2 | Opcode::Ex2) {
                    self.unary(word, &sources[0], registers);
                }
            }
            Inst::Mova { mask, source } => {
                self.add(format!("mova {mask}"));
                self.operand(source, registers, in_loop);
            }
            Inst::Cmp { x, y, .. } => [x, y].into_iter().for_each(|op| self.add(format!("cmp {op:?}"))),
            Inst::Flow(flow) => self.flow(flow, state),
            Inst::Emit | Inst::SetEmit { .. } | Inst::Unassigned(_) => {}
        }
    }
    fn unary(&mut self, word: Opcode, source: &Operand, registers: &Registers) {
        let lane = source.swizzle.components()[0].index();
        let value = registers.source(source.register)[lane];
        let value = if source.negate { -value } else { value };
        let kind = if value == 0.0 && value.is_sign_negative() {
            "-0"
        } else if value == 0.0 {
            "0"
        } else if value < 0.0 {
            "negative"
        } else {
            "positive"
        };
        self.add(format!("{} of {kind}", word.mnemonic()));
    }
    fn flow(&mut self, flow: &Flow, state: &State) {
        let depths = [(state.calls.len(), "callee"), (state.ifs.len(), "if"), (state.loops.len(), "loop")];
        for (depth, place) in depths {
            if matches!(flow, Flow::End) && depth > 0 {
                self.add(format!("end inside {place}"));
            }
            self.add(format!("{place} {depth} deep"));
        }
        if let Flow::IfC { condition, .. }
        | Flow::CallC { condition, .. }
        | Flow::JmpC { condition, .. }
        | Flow::BreakC(condition) = flow
        {
            self.add(format!("condition {:?}", condition.op));
        }
    }
}

/// Runs one scene and notes its facts.
fn watch(facts: &mut Facts, program: &Program<'_>, uniforms: &Uniforms, inputs: &[[f32; 4]; 16]) {
    let mut registers = Registers::new(Precision::Exact, uniforms);
    registers.begin(inputs);
    let mut state = State::new(program.entry());
    while let Some(inst) = program.inst(state.pc) {
        let pc = state.pc;
        let word = program.word(pc).and_then(|word| word.opcode()).expect("defined");
        facts.instruction(word, &inst, &state, &registers);
        registers.execute(&inst);
        let shared = std::cell::RefCell::new(&mut registers);
        let outcome =
            control::step(&inst, &mut state, &mut |test| shared.borrow().test(test), &mut |effect| {
                shared.borrow_mut().apply(effect)
            });
        if outcome == Outcome::End {
            return;
        }
        if let Inst::Flow(flow) = inst {
            branch(facts, word.mnemonic(), &flow, pc, state.pc);
        }
    }
}

/// Notes the direction of a branch.
fn branch(facts: &mut Facts, name: &str, flow: &Flow, pc: Pc, next: Pc) {
    match *flow {
        Flow::JmpC { target, .. } | Flow::JmpU { target, .. } => {
            let way = match next {
                _ if next != target => "not taken",
                _ if target <= pc => "backward",
                _ => "forward",
            };
            let kind = if let Flow::JmpU { expected, .. } = flow {
                format!(" if {expected}")
            } else {
                String::new()
            };
            facts.add(format!("{name}{kind} {way}"));
        }
        Flow::IfC { target, length, .. } | Flow::IfU { target, length, .. } => {
            let way = if next == target { "else" } else { "then" };
            facts.add(format!("{name} {way} of {}", if length == 0 { "one part" } else { "two parts" }));
        }
        Flow::CallC { target, .. } | Flow::CallU { target, .. } => {
            facts.add(format!("{name} {}", if next == target { "taken" } else { "not taken" }));
        }
        Flow::BreakC(_) => {
            facts.add(format!("{name} {}", if next == pc.next() { "not taken" } else { "taken" }))
        }
        Flow::Nop | Flow::End | Flow::Break | Flow::Call { .. } | Flow::Loop { .. } => {}
    }
}

/// Facts that the shaders must show together, besides all opcodes of the vertex unit.
const FACTS: &str = "jmpc forward, jmpc backward, jmpc not taken, jmpu if true forward, jmpu if true not taken,
    jmpu if false forward, jmpu if false not taken, ifc then of one part, ifc else of one part, ifc then of two parts,
    ifc else of two parts, ifu then of one part, ifu else of one part, ifu then of two parts, ifu else of two parts,
    callc taken, callc not taken, callu taken, callu not taken, breakc taken, breakc not taken, callee 4 deep,
    loop 2 deep, if 3 deep, end inside callee, end inside if, end inside loop, condition Or, condition And, condition X,
    condition Y, cmp Eq, cmp Ne, cmp Lt, cmp Le, cmp Gt, cmp Ge, mova x, mova y, mova xy, c[a0.x], c[a0.y], c[aL],
    -c[a0.y], negative a0.x, a0.x outside c0..c95, -a0.y outside c0..c95, a0.x beyond a byte, a0.y beyond a byte,
    aL beyond a byte, aL read after a loop, 0 read, -0 read, inf read, rcp of 0, rcp of -0, rcp of negative, rsq of 0,
    rsq of -0, rsq of negative, lg2 of 0, lg2 of negative, ex2 of 0, ex2 of negative, o7 written";

#[test]
fn the_shaders_show_everything_the_vertex_unit_can_do() {
    let mut facts = Facts::default();
    for_each_scene(|_, executable, program, scene| {
        watch(&mut facts, program, &uniforms(executable, scene), &inputs(scene));
        let mut registers = BTreeSet::new();
        for output in executable.outputs.iter() {
            facts.add(format!("semantic {}", output.kind));
            if !registers.insert(output.register) {
                facts.add("two semantics in a register");
            }
        }
        for constant in executable.constants.iter() {
            facts.add(format!("constant {}", constant.kind));
        }
    });
    let mut wanted: Vec<String> = FACTS.split(',').map(|fact| fact.trim().to_owned()).collect();
    let is_vertex = |opcode: &&Opcode| !matches!(opcode, Opcode::Emit | Opcode::Setemit);
    wanted.extend(Opcode::ALL.iter().filter(is_vertex).map(|opcode| opcode.mnemonic().to_owned()));
    wanted.extend(SEMANTICS.iter().map(|info| format!("semantic {}", info.kind)));
    wanted
        .extend(["two semantics in a register", "constant 0", "constant 1", "constant 2"].map(String::from));
    wanted.retain(|fact| !facts.0.contains(fact));
    assert!(wanted.is_empty(), "not shown: {wanted:#?}");
    assert!(!facts.0.contains("callee 5 deep"), "deeper than hardware remembers");
}

/// Facts that the geometry samples must show together; their scenes are those of the pictures.
const GEOMETRY_FACTS: &str = "setemit 0, setemit 1, setemit 2, setemit 0 prim, setemit 1 prim, setemit 2 prim,
    setemit 0 prim inv, setemit 1 prim inv, setemit 2 prim inv, emit in a loop, emit in an if, emit in both, emit in a callee,
    b15 read, bool read, 1 vertices in v, 3 vertices in v, 6 vertices in v, vertices in c, any number of vertices in c,
    c[a0.x], c[aL], end inside if, breakc in a loop";

/// Notes the instructions of a geometry program with their context.
fn note_geometry(facts: &mut Facts, program: &Program<'_>, main: std::ops::Range<u16>) {
    let insts = (0..program.code().len() as u16).filter_map(|pc| Some((pc, program.inst(Pc(pc))?)));
    let insts: Vec<_> = insts.collect();
    let mut scopes = Vec::new();
    for (pc, inst) in &insts {
        if let Inst::Flow(Flow::Loop { last, .. }) = inst {
            scopes.push(("loop", *pc..=last.0));
        } else if let Inst::Flow(Flow::IfC { target, .. } | Flow::IfU { target, .. }) = inst {
            scopes.push(("if", *pc..=target.0 - 1));
        }
    }
    for (pc, inst) in &insts {
        let is_in = |what: &str| scopes.iter().any(|(kind, range)| *kind == what && range.contains(pc));
        match inst {
            Inst::SetEmit { vertex, prim, invert } => {
                let flag = |is_set: bool, name: &'static str| if is_set { name } else { "" };
                facts.add(format!("setemit {vertex}{}{}", flag(*prim, " prim"), flag(*invert, " inv")));
            }
            Inst::Emit => {
                let places = [
                    (is_in("loop"), "in a loop"),
                    (is_in("if"), "in an if"),
                    (is_in("loop") && is_in("if"), "in both"),
                    (!main.contains(pc), "in a callee"),
                ];
                places
                    .iter()
                    .filter(|place| place.0)
                    .for_each(|(_, place)| facts.add(format!("emit {place}")));
            }
            Inst::Flow(Flow::End) if is_in("if") => facts.add("end inside if"),
            Inst::Flow(Flow::BreakC(_)) if is_in("loop") => facts.add("breakc in a loop"),
            Inst::Flow(Flow::JmpU { bool, .. } | Flow::CallU { bool, .. } | Flow::IfU { bool, .. }) => {
                facts.add(if *bool == 15 { "b15 read" } else { "bool read" });
            }
            Inst::Data { sources, .. } => {
                for index in sources.iter().map(|source| source.index) {
                    match index {
                        Index::A0x => facts.add("c[a0.x]"),
                        Index::Al => facts.add("c[aL]"),
                        Index::A0y | Index::None => {}
                    }
                }
            }
            Inst::Flow(_) | Inst::Mova { .. } | Inst::Cmp { .. } | Inst::Unassigned(_) => {}
        }
    }
}

#[test]
fn the_shaders_show_everything_the_geometry_unit_can_do() {
    let mut facts = Facts::default();
    for scene in transpica_proof::scenes::list() {
        let file = scene.file().expect("well formed");
        let executable = &file.executables[1];
        let range = executable.header.main as u16..executable.header.endmain as u16;
        let program = dvle::program(&file, 1, &Limits::default()).expect("valid");
        note_geometry(&mut facts, &program, range);
        let setup = scene.setup().expect("valid");
        let outputs = setup.vertex_outputs.count_ones() as u8;
        match setup.geometry.expect("a geometry program").input {
            GeometryInput::Point { inputs, .. } => facts.add(format!("{} vertices in v", inputs / outputs)),
            GeometryInput::Fixed { .. } => facts.add("vertices in c"),
            GeometryInput::Variable { .. } => facts.add("any number of vertices in c"),
        }
        let mut pipeline = scene.pipeline(&Options::default()).expect("valid");
        let drawn = pipeline.draw(&scene.vertices, scene.indices.as_deref()).expect("draws");
        assert!(drawn.triangles().len() > 50, "{}: {} triangles", scene.name, drawn.triangles().len());
        let mut numbers = drawn.triangles().flatten().flatten().flatten();
        assert!(numbers.all(|number| number.is_finite()), "{}", scene.name);
    }
    let mut wanted: Vec<&str> = GEOMETRY_FACTS.split(',').map(str::trim).collect();
    wanted.retain(|fact| !facts.0.contains(*fact));
    assert!(wanted.is_empty(), "not shown: {wanted:#?}");
}

/// `shaders/scenes.pclist` draws three scenes of geometry programs; `UPDATE_EXPECT=1` rewrites it.
#[test]
fn the_sample_of_a_recording_is_current() {
    let mut made = Recording::default();
    for scene in transpica_proof::scenes::list() {
        if !["points", "sprites", "subdivision"].contains(&scene.name) {
            continue;
        }
        let used = |register: &usize| {
            scene.vertices.iter().any(|vertex| vertex[*register] != Registers::DEFAULT_INPUTS[*register])
        };
        let registers: Vec<usize> = (0..16).filter(used).collect();
        let floats =
            scene.vertices.iter().flat_map(|vertex| registers.iter().map(|&register| vertex[register]));
        let floats = floats.flatten().flat_map(f32::to_le_bytes).collect();
        let buffer = made.buffers.len() as u32;
        made.buffers.push(floats);
        let attribute = |(place, &register): (usize, &usize)| RecordedAttribute {
            register: register as u8,
            number: Number::F32,
            components: 4,
            buffer,
            offset: 16 * place as u32,
            stride: 16 * registers.len() as u32,
        };
        let attributes = registers.iter().enumerate().map(attribute).collect();
        let indices = scene.indices.as_ref().map(|indices| {
            made.buffers.push(indices.iter().flat_map(|&index| (index as u16).to_le_bytes()).collect());
            RecordedIndices { buffer: buffer + 1, offset: 0, size: 2 }
        });
        let count = scene.indices.as_ref().map_or(scene.vertices.len(), Vec::len) as u32;
        let commands = scene.commands().expect("a list");
        made.frames.push(vec![RecordedDraw {
            commands,
            topology: Topology::Geometry,
            count,
            indices,
            attributes,
        }]);
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/scenes.pclist");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, made.to_bytes()).expect("written");
    }
    assert_eq!(made.frames.len(), 3);
    assert!(std::fs::read(path).is_ok_and(|bytes| bytes == made.to_bytes()), "UPDATE_EXPECT=1 rewrites it");
    assert_eq!(Recording::parse(&made.to_bytes()), Ok(made));
}
