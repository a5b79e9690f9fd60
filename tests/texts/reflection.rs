//! Reflection matches the declarations of the modules, for every sample in every layout.

use std::collections::{BTreeMap, BTreeSet};

use expect_test::expect;
use naga::{AddressSpace, Binding as Place, TypeInner};
use serde_json::json;
use transpica::container::ShaderType;
use transpica::host::dvle::FileEnvironment;
use transpica::host::registers::number;
use transpica::host::{Bank, Constants, Hook, HookOperand, Hooked, Location, Uniform, dvle, pack};
use transpica::isa::{Pc, Uniforms};
use transpica::reflect::{Reflection, SCHEMA};
use transpica::settings::{
    AttributeFormat, AttributeKind, Block, BoolUniforms, ClipPlanes, Control, FlipY, IntUniforms, Layout,
    Outputs,
};
use transpica::{
    GlslVersion, Job, Options, Profile, Program, RegisterState, Setup, Shbin, Stage, Translation, Translator,
};
use transpica_asm::{SourceText, assemble};

use crate::samples::{Sample, samples};

/// Every vertex program of the samples: name, file, index in it.
fn vertex_programs() -> impl Iterator<Item = (String, Vec<u8>, usize)> {
    samples().into_iter().flat_map(|Sample { name, bytes }| {
        let file = Shbin::parse(&bytes).expect("a file");
        let is_vertex =
            |&index: &usize| file.executables[index].header.shader_type() == Some(ShaderType::Vertex);
        let programs: Vec<_> = (0..file.executables.len()).filter(is_vertex).collect();
        programs.into_iter().map(|index| (name.clone(), bytes.clone(), index)).collect::<Vec<_>>()
    })
}

/// Translates a program and returns its reflection, too.
fn reflect(bytes: &[u8], executable: usize, name: &str, options: Options) -> (Translation, Reflection) {
    let file = Shbin::parse(bytes).expect("a file");
    let program = dvle::program(&file, executable, &options.limits).expect("a program");
    let environment = FileEnvironment::new(&file, executable, name).expect("there");
    let mut translator = Translator::new(options, Profile::default());
    let translated = translator.translate(&program, &environment, Job::Vertex).expect("translates");
    let reflection = Reflection::new(&program, &translated, &environment.constants());
    (translated, reflection)
}

/// Options that enable all features of reflection at once.
fn everything() -> Options {
    let mut options = Options {
        block: Block { layout: Layout::Panda3ds, fold_constants: false, ..Block::default() },
        outputs: Outputs { flip_y: FlipY::Dynamic, clip_planes: ClipPlanes::Varying, ..Outputs::default() },
        control: Control {
            bools: BoolUniforms { specialized: 0xFFFF, ..BoolUniforms::default() },
            ints: IntUniforms { specialized: 0xF, ..IntUniforms::default() },
            ..Control::default()
        },
        ..Options::default()
    };
    options.input.formats[0] = AttributeFormat { kind: AttributeKind::Int, components: 3 };
    options.input.formats[1].kind = AttributeKind::Uint;
    options
}

/// Describes a module's declarations in the words of a reflection: blocks with their members,
/// attributes, varyings, overrides.
fn describe_module(module: &naga::Module) -> Vec<String> {
    let mut lines = Vec::new();
    for (_, variable) in module.global_variables.iter() {
        let (AddressSpace::Uniform, Some(place)) = (variable.space, variable.binding) else { continue };
        let TypeInner::Struct { members, span } = &module.types[variable.ty].inner else { continue };
        lines.push(format!("block {} {} {span}", place.group, place.binding));
        // Members of gaps have WGSL names of their own: `padding`, `padding_1`, …
        let is_gap = |member: &&naga::StructMember| {
            let number = member.name.as_deref().and_then(|name| name.strip_prefix("padding"));
            number.is_some_and(|number| {
                number.trim_start_matches('_').bytes().all(|digit| digit.is_ascii_digit())
            })
        };
        for member in members.iter().filter(|member| !is_gap(member)) {
            lines.push(format!("member {} {}", member.offset, member.name.as_deref().unwrap_or_default()));
        }
    }
    let function = &module.entry_points[0].function;
    for argument in &function.arguments {
        if let Some(Place::Location { location, .. }) = argument.binding {
            let ty = match module.types[argument.ty].inner {
                TypeInner::Vector { scalar, .. } => scalar.kind,
                _ => unreachable!("attributes are vectors"),
            };
            lines.push(format!(
                "attribute {location} {ty:?} {}",
                argument.name.as_deref().unwrap_or_default()
            ));
        }
    }
    if let Some(result) = &function.result {
        let TypeInner::Struct { members, .. } = &module.types[result.ty].inner else {
            unreachable!("outputs")
        };
        for member in members {
            let place = match member.binding {
                Some(Place::Location { location, .. }) => location.to_string(),
                _ => "built in".to_string(),
            };
            lines.push(format!("output {place} {}", member.name.as_deref().unwrap_or_default()));
        }
    }
    for (_, constant) in module.overrides.iter() {
        lines.push(format!(
            "constant {} {}",
            constant.id.unwrap_or(u16::MAX),
            constant.name.as_deref().unwrap_or_default()
        ));
    }
    lines.sort();
    lines
}

/// Describes a reflection in the same words.
fn describe_reflection(reflection: &Reflection) -> Vec<String> {
    let mut lines = Vec::new();
    for block in [reflection.uniform_block, reflection.host_block].into_iter().flatten() {
        lines.push(format!("block {} {} {}", block.set, block.binding, block.size));
    }
    let interface = &reflection.interface;
    lines.extend(interface.block.members.iter().map(|m| format!("member {} {}", m.offset, m.name)));
    if let Some(host) = reflection.host_block {
        // The module declares the entire block; the reflection lists the fields that are read.
        let fields = transpica::host::HostField::ALL.into_iter();
        let fields = fields.filter(|field| field.offset() < host.size);
        lines.extend(fields.map(|field| format!("member {} {}", field.offset(), field.name())));
    }
    for attribute in &interface.attributes {
        let kind = match attribute.format.kind {
            AttributeKind::Float => "Float",
            AttributeKind::Int => "Sint",
            AttributeKind::Uint => "Uint",
        };
        lines.push(format!("attribute {} {kind} {}", attribute.register, attribute.name));
    }
    for output in &interface.outputs {
        let place = match output.location {
            Location::Varying(location) => location.to_string(),
            Location::Position | Location::ClipDistances => "built in".to_string(),
        };
        lines.push(format!("output {place} {}", output.name));
    }
    lines.extend(reflection.specialization.iter().map(|s| format!("constant {} {}", s.id, s.name)));
    lines.sort();
    lines
}

#[test]
fn reflection_lists_the_declarations_of_modules() {
    let layouts = [Layout::Symbols, Layout::Registers, Layout::Azahar];
    let options = layouts
        .map(|layout| Options { block: Block { layout, ..Block::default() }, ..Options::default() })
        .into_iter()
        .chain([everything()]);
    let mut compared = 0;
    for options in options {
        for (name, bytes, executable) in vertex_programs() {
            let (translated, reflection) = reflect(&bytes, executable, &name, options);
            let module = translated.naga().expect("a module");
            assert_eq!(
                describe_module(&module),
                describe_reflection(&reflection),
                "{name}, {:?}",
                options.block.layout
            );
            let Some(block) = reflection.uniform_block else { continue };
            let ends =
                translated.interface.block.members.iter().map(|member| member.offset + member.ty.size());
            assert_eq!(ends.max(), Some(block.used), "{name}");
            assert!(block.used <= block.size && block.size.is_multiple_of(16), "{name}: {block:?}");
            compared += 1;
        }
    }
    assert!(compared >= 80, "{compared} programs");
}

/// Returns the name and byte offset of every member of a structure that a module decorates.
fn decorated(words: &[u32]) -> BTreeSet<(String, u32)> {
    let (mut names, mut offsets) = (BTreeMap::new(), BTreeMap::new());
    let mut rest = &words[5..];
    while let Some(&first) = rest.first() {
        let (instruction, more) = rest.split_at((first >> 16) as usize);
        match (first & 0xFFFF, instruction) {
            // OpMemberName; OpMemberDecorate with Offset.
            (6, [_, structure, member, text @ ..]) => {
                let bytes: Vec<u8> = text.iter().flat_map(|word| word.to_le_bytes()).collect();
                let name = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
                names.insert((*structure, *member), String::from_utf8_lossy(name).into_owned());
            }
            (72, [_, structure, member, 35, offset]) => {
                offsets.insert((*structure, *member), *offset);
            }
            _other_instructions => {}
        }
        rest = more;
    }
    offsets.into_iter().filter_map(|(place, offset)| Some((names.get(&place)?.clone(), offset))).collect()
}

/// Checks every byte offset of a reflection against the decorations of the module and the bytes of
/// the uniform block; returns the number of parts of arrays.
fn check_offsets(name: &str, translated: &Translation, reflection: &Reflection) -> usize {
    let module = decorated(&translated.spirv().expect("a module"));
    let members = reflection.interface.block.members.iter();
    let host = reflection.host_members.iter().chain(&reflection.draw_members);
    let listed: Vec<_> = (members.map(|member| (&member.name[..], member.offset)))
        .chain(host.map(|member| (member.name, member.offset)))
        .collect();
    for (member, offset) in listed {
        assert!(module.contains(&(member.into(), offset)), "{name}: {member} at {offset}: {module:?}");
    }
    // Register n has the value n. Parts of arrays have no decoration of their own.
    let mut uniforms = Uniforms::default();
    for (register, value) in (1u8..).zip(&mut uniforms.floats) {
        *value = [f32::from(register); 4];
    }
    let block = pack(&translated.interface.block, &uniforms);
    let uniforms = reflection.interface.block.uniforms();
    for Uniform { member, .. } in uniforms.iter().filter(|uniform| uniform.member.bank == Bank::Float) {
        let value = block[member.offset as usize..].first_chunk().map(|bytes| f32::from_le_bytes(*bytes));
        assert_eq!(value, Some(f32::from(member.first) + 1.0), "{name}: {member:?}");
    }
    uniforms.iter().filter(|uniform| uniform.array.is_some()).count()
}

#[test]
fn offsets_are_those_of_the_module_for_every_member() {
    let registers = [Layout::Registers, Layout::Azahar, Layout::Panda3ds];
    let layouts = [Layout::Symbols].into_iter().chain(registers);
    let block = |layout| Options { block: Block { layout, ..Block::default() }, ..Options::default() };
    for options in layouts.map(block).chain([everything()]) {
        for (name, bytes, executable) in vertex_programs() {
            let (translated, reflection) = reflect(&bytes, executable, &name, options);
            check_offsets(&name, &translated, &reflection);
        }
    }
    for name in ["counter", "subdivision", "banks"] {
        let path = format!("{}/shaders/{name}.shbin", env!("CARGO_MANIFEST_DIR"));
        let bytes = std::fs::read(path).expect("a sample");
        let file = Shbin::parse(&bytes).expect("a container");
        let program = file.program(1).expect("a program");
        let translated = program.translate(&Options::default()).expect("translates");
        check_offsets(name, &translated, &program.reflect(&translated));
    }
}

/// The loop reads `bones` and, in its last round, the first of `more`: an array from c2 on.
#[test]
fn parts_of_an_array_that_begins_behind_c0_have_their_offsets() {
    let source = ".fvec unread[2]\n.fvec bones[3]\n.fvec more[2]\n.consti four(3, 0, 1, 0)\n.in pos v0\n\
                  .out outpos position\n.proc main\nmov r0, pos\nfor four\nadd r0, bones[aL], r0\n.end\n\
                  add r0, more[1], r0\nmov outpos, r0\nend\n.end\n";
    let assembled = assemble(&[SourceText { name: "a.pica", text: source }]);
    let assembled = assembled.unwrap_or_else(|report| panic!("{report}"));
    let file = Shbin::parse(&assembled.bytes).expect("a file");
    let program = file.program(0).expect("a program");
    let parameter = |number| Hook::Redirect(0, HookOperand::Parameter(number));
    let hooked = Hooked { environment: program.environment(), hooks: [parameter(3)] };
    let mut translator = Translator::new(Options::default(), Profile::default());
    let translated = translator.translate(program.program(), &hooked, Job::Vertex).expect("translates");
    let reflection = program.reflect(&translated);
    assert_eq!(check_offsets("a.pica", &translated, &reflection), 2, "{reflection:?}");
    assert!(reflection.interface.block.members.iter().any(|member| member.first == 2), "{reflection:?}");
}

/// The program has data, control-flow and idle words; two words are unreachable.
#[test]
fn instructions_are_those_that_may_run() {
    let words = [
        0x4C00_0000, // mov o0, v0
        0x9C00_1001, // ifu b0: else at 4, one word
        0x8400_0000, // nop
        0x8800_0000, // end
        0x8800_0000, // end
        0x8800_0000, // end, after the IF
        0x8400_0000, // out of reach
        0x8400_0000, // out of reach
    ];
    let program = Program::from_raw(&words[..], &[0x0000_0def][..], Pc(0), Stage::Vertex).expect("a program");
    let mut state = RegisterState::default();
    state.write(number::vertex::OUTPUT_MASK, 1);
    state.write(number::OUTMAP_TOTAL, 1);
    state.write(number::OUTMAP, 0x0302_0100);
    let mut translator = Translator::new(Options::default(), Profile::default());
    let translated = translator.translate(&program, &state.vertex(), Job::Vertex).expect("translates");
    let Reflection { instructions, usage, .. } =
        Reflection::new(&program, &translated, &Constants::default());
    assert_eq!((instructions.code, instructions.reached), (8, 6));
    assert_eq!((instructions.arithmetic, instructions.control, instructions.nop), (1, 4, 1));
    // Both parts are equal, so b0 has no effect.
    assert_eq!((usage.inputs, usage.bools), (1, 0));
}

#[test]
fn emissions_are_no_arithmetic() {
    let bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/points.shbin")).expect("there");
    let file = Shbin::parse(&bytes).expect("a file");
    let program = file.program(1).expect("a geometry program");
    let translated = program.translate(&Options::default()).expect("translates");
    let counts = program.reflect(&translated).instructions;
    // Four times SETEMIT, MOV, CALL and EMIT, END; a procedure of six instructions.
    assert_eq!((counts.reached - counts.nop, counts.arithmetic, counts.control), (23, 10, 13));
}

#[test]
fn reflection_of_a_geometry_program_states_its_threads() {
    for name in ["points", "counter", "subdivision", "banks"] {
        let path = format!("{}/shaders/{name}.shbin", env!("CARGO_MANIFEST_DIR"));
        let bytes = std::fs::read(path).expect("a sample");
        let file = Shbin::parse(&bytes).expect("a container");
        let options = Options {
            outputs: Outputs { flip_y: FlipY::Dynamic, ..Outputs::default() },
            ..Options::default()
        };
        let program = dvle::program(&file, 1, &options.limits).expect("a program");
        let environment = FileEnvironment::new(&file, 1, name).expect("an executable");
        let setup = Setup::from_file(&file, 0, Some(1), None).expect("a configuration");
        let mut translator = Translator::new(options, Profile::default());
        let translated =
            translator.translate(&program, &environment, Job::Geometry(&setup)).expect("translates");
        let reflection = Reflection::new(&program, &translated, &environment.constants());
        let module = translated.naga().expect("a module");
        let declared: BTreeSet<u32> = (module.global_variables.iter())
            .filter_map(|(_, variable)| Some(variable.binding?.binding))
            .collect();
        let blocks = [reflection.uniform_block, reflection.host_block, reflection.draw_block];
        let described = reflection.buffers.iter().map(|buffer| buffer.binding);
        let described = described.chain(blocks.into_iter().flatten().map(|block| block.binding));
        assert_eq!(described.collect::<BTreeSet<_>>(), declared, "{name}");
        assert!(reflection.interface.kernel().is_some() && reflection.draw_block.is_some(), "{name}");
    }
}

/// Returns the names of the entry point in SPIR-V: the texts of OpEntryPoint.
fn spirv_entry(words: &[u32]) -> String {
    let mut rest = &words[5..];
    while let Some(&first) = rest.first() {
        let (instruction, more) = rest.split_at((first >> 16) as usize);
        if first & 0xFFFF == 15 {
            let bytes = instruction[3..].iter().flat_map(|word| word.to_le_bytes());
            return bytes.take_while(|byte| *byte != 0).map(char::from).collect();
        }
        rest = more;
    }
    String::new()
}

#[test]
fn stages_names_and_workgroups_are_those_of_modules() {
    let bytes = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/points.shbin")).expect("there");
    let file = Shbin::parse(&bytes).expect("a file");
    let setup = Setup::from_file(&file, 0, Some(1), None).expect("a configuration");
    let options = Options::default();
    for (index, job, stage) in
        [(0, Job::Vertex, "vertex"), (0, Job::Compute, "compute"), (1, Job::Geometry(&setup), "compute")]
    {
        let program = dvle::program(&file, index, &options.limits).expect("a program");
        let environment = FileEnvironment::new(&file, index, "points").expect("there");
        let mut translator = Translator::new(options, Profile::default());
        let translated = translator.translate(&program, &environment, job).expect("translates");
        let reflection = Reflection::new(&program, &translated, &environment.constants());
        let program_stage = if index == 0 { Stage::Vertex } else { Stage::Geometry };
        assert_eq!((reflection.interface.executable, reflection.stage), (Some(index), program_stage));
        assert_eq!(reflection.interface.options, translated.options);
        let module = translated.naga().expect("a module");
        let entry = &module.entry_points[0];
        let expected = match entry.stage {
            naga::ShaderStage::Vertex => ("vertex", None),
            _compute => ("compute", Some(entry.workgroup_size)),
        };
        let info = &reflection.module;
        assert_eq!((info.stage, info.workgroup), expected);
        assert_eq!(info.stage, stage);
        let names = &info.entry_points;
        assert_eq!(
            (names.wgsl, names.spirv),
            (&entry.name[..], &spirv_entry(&translated.spirv().expect("words"))[..])
        );
        let glsl = translated.glsl(GlslVersion::Vulkan450).expect("a text");
        assert!(glsl.contains(&format!("void {}()", names.glsl)), "{glsl}");
        let hlsl = translated.hlsl().expect("a text");
        assert!(hlsl.contains(&format!(" {}(", names.hlsl)), "{hlsl}");
        let msl = translated.msl().expect("a text");
        assert!(msl.contains(&format!(" {}(", names.msl)) && !msl.contains(" main("), "{msl}");
        // Buffers and their elements.
        let mut declared: Vec<_> = (module.global_variables.iter())
            .filter(|(_, variable)| matches!(variable.space, AddressSpace::Storage { .. }))
            .map(|(_, variable)| {
                let place = variable.binding.expect("a binding");
                let TypeInner::Array { stride, .. } = module.types[variable.ty].inner else {
                    unreachable!("storage buffers are arrays")
                };
                let writes = naga::StorageAccess::STORE;
                let written =
                    matches!(variable.space, AddressSpace::Storage { access } if access.contains(writes));
                (place.binding, variable.name.clone().expect("a name"), written, stride)
            })
            .collect();
        declared.sort();
        let mut described: Vec<_> = (reflection.buffers.iter())
            .map(|buffer| (buffer.binding, buffer.name.to_owned(), buffer.written, buffer.stride))
            .collect();
        described.sort();
        assert_eq!(declared.len(), described.len(), "{stage}");
        for (declared, described) in declared.iter().zip(&described) {
            let (binding, name, written, stride) = described;
            assert_eq!((&declared.0, &declared.1, &declared.2), (binding, name, written));
            // A unit has whole elements; for a vertex it is one.
            assert!(stride.is_none_or(|stride| stride % declared.3 == 0), "{declared:?}, {described:?}");
            assert!(index == 1 || *stride == Some(declared.3), "{declared:?}, {described:?}");
        }
        if reflection.draw_block.is_some() {
            let block = module.types.iter().find_map(|(_, ty)| match &ty.inner {
                TypeInner::Struct { members, .. } if members[0].name.as_deref() == Some("threads") => Some(
                    members
                        .iter()
                        .map(|m| (m.name.clone().unwrap_or_default(), m.offset))
                        .collect::<Vec<_>>(),
                ),
                _other_types => None,
            });
            let listed: Vec<_> = reflection.draw_members.iter().map(|m| (m.name.into(), m.offset)).collect();
            assert_eq!(listed, block.expect("the draw block")[..listed.len()]);
        }
    }
}

#[test]
fn symbols_of_the_file_stand_beside_names_of_the_module() {
    let source = ".fvec texture\n.fvec unread\n.ivec count\n.in float v0\n.in gl_in v1\n.out pos position\n\
                  .proc main\nmov r0, v0\nadd r0, r0, v1\nfor count\nadd r0, texture, r0\n.end\nmov pos, r0\nend\n\
                  .end\n";
    let sources = [SourceText { name: "a.pica", text: source }];
    let assembled = assemble(&sources).unwrap_or_else(|report| panic!("{report}"));
    let file = Shbin::parse(&assembled.bytes).expect("a file");
    let program = file.program(0).expect("a program");
    let translated = program.translate(&Options::default()).expect("translates");
    let reflection = program.reflect(&translated);
    let mut rows: Vec<_> = (reflection.symbols.iter())
        .map(|s| format!("{} {}{} {:?}", s.symbol, s.bank, s.first, s.name.as_deref().unwrap_or("none")))
        .collect();
    rows.sort();
    expect![[r#"
        [
            "count i0 \"count\"",
            "float v0 \"float_a\"",
            "gl_in v1 \"n_gl_in\"",
            "texture c0 \"texture_a\"",
            "unread c1 \"none\"",
        ]
    "#]]
    .assert_debug_eq(&rows);
    let wgsl = translated.wgsl().expect("a text");
    for symbol in &reflection.symbols {
        assert!(symbol.name.as_ref().is_none_or(|name| wgsl.contains(name)), "{symbol:?}: {wgsl}");
    }
}

#[test]
fn the_interface_is_in_the_json_of_a_reflection() {
    let (_, reflection) =
        reflect(include_bytes!("../../shaders/lights.shbin"), 0, "lights.shbin", Options::default());
    let value = serde_json::to_value(&reflection).expect("JSON");
    assert_eq!(
        value["attributes"][1],
        json!({ "location": 1, "name": "innrm", "kind": "Float", "components": 4 })
    );
    assert_eq!(
        value["uniforms"][1],
        json!({
            "name": "projection", "bank": "c", "first": 0, "count": 4, "offset": 0,
            "ty": "array<vec4f, 4>", "array": "c",
        })
    );
    let outputs = &value["outputs"];
    assert_eq!((&outputs[0]["location"], &outputs[2]["location"]), (&json!("position"), &json!(6)));
    assert_eq!(outputs[2]["sources"], json!(["o2.x", "o2.y", "o2.z"]));
    assert_eq!(value["places"]["outputs"][2], json!({ "hlsl": "LOC6", "msl": "user(loc6)" }));
    assert_eq!(value["reads"]["bases"], json!([11, 19]));
    assert_eq!(
        value["defaults"][0]["value"],
        json!(["0x00000000", "0x3f800000", "0x3f000000", "0x41800000"])
    );
    let text = serde_json::to_string(&reflection).expect("text");
    assert!(text.starts_with(&format!("{{\"schema\":\"{SCHEMA}\",")), "{text}");
}

#[test]
fn feeds_are_those_of_the_configuration() {
    for (name, feed) in [
        ("points", json!({ "mode": "point", "inputs": 2 })),
        ("subdivision", json!({ "mode": "variable", "vertices": 3 })),
        ("fireworks", json!({ "mode": "fixed", "first": 0, "vertices": 4, "stride": 3 })),
    ] {
        let path = format!("{}/shaders/{name}.shbin", env!("CARGO_MANIFEST_DIR"));
        let bytes = std::fs::read(path).expect("a sample");
        let file = Shbin::parse(&bytes).expect("a file");
        let program = file.program(1).expect("a program");
        let reflection = program.reflect(&program.translate(&Options::default()).expect("translates"));
        let value = serde_json::to_value(&reflection).expect("JSON");
        let found = &value["entry_point"]["geometry"]["feed"];
        for (key, expected) in feed.as_object().expect("an object") {
            assert_eq!(&found[key], expected, "{name}: {found}");
        }
    }
}
