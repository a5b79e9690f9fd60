//! Reflection matches the declarations of the modules, for every sample in every layout; and its
//! form as a table.

mod samples;

use std::collections::BTreeSet;

use expect_test::expect;
use naga::{AddressSpace, Binding as Place, TypeInner};
use samples::{Sample, samples};
use transpica::stages::container::{ShaderType, Shbin};
use transpica::stages::host::Setup;
use transpica::stages::host::dvle::{self, FileEnvironment};
use transpica::stages::host::registers::number;
use transpica::stages::host::{
    AttributeFormat, AttributeKind, Block, BoolUniforms, ClipPlanes, Constants, Control, FlipY, IntUniforms,
    Job, Layout, Options, Outputs, Profile, RegisterState,
};
use transpica::stages::isa::{Pc, Program, Stage};
use transpica::stages::reflect::{Reflection, SCHEMA};
use transpica::{Translation, Translator};

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
    options.attributes[0] = AttributeFormat { kind: AttributeKind::Int, components: 3 };
    options.attributes[1].kind = AttributeKind::Uint;
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
    let members = reflection.uniforms.iter().filter(|uniform| uniform.array.is_none());
    lines.extend(members.map(|u| format!("member {} {}", u.offset, u.name)));
    if let Some(host) = reflection.host_block {
        // The module declares the entire block; the reflection lists the fields that are read.
        let fields = transpica::stages::host::HostField::ALL.into_iter();
        let fields = fields.filter(|field| field.offset() < host.size);
        lines.extend(fields.map(|field| format!("member {} {}", field.offset(), field.name())));
    }
    for attribute in &reflection.attributes {
        let kind = match &attribute.ty[..] {
            "vec4f" => "Float",
            "vec4i" => "Sint",
            "vec4u" => "Uint",
            other => panic!("{other}"),
        };
        lines.push(format!("attribute {} {kind} {}", attribute.location, attribute.name));
    }
    for output in &reflection.outputs {
        let place = output.location.map_or("built in".to_string(), |location| location.to_string());
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

#[test]
fn a_reflection_survives_json() {
    for (name, bytes, executable) in vertex_programs() {
        let (_, reflection) = reflect(&bytes, executable, &name, everything());
        let text = serde_json::to_string(&reflection).expect("text");
        assert_eq!(serde_json::from_str::<Reflection>(&text).expect("a reflection"), reflection, "{name}");
        assert!(text.starts_with(&format!("{{\"schema\":{SCHEMA},")), "{text}");
    }
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
        0x8800_0000, // end, behind the IF
        0x8400_0000, // out of reach
        0x8400_0000, // out of reach
    ];
    let program = Program::from_raw(&words[..], &[0x0000_0def][..], Pc(0), Stage::Vertex).expect("a program");
    let mut state = RegisterState::default();
    state.write(number::VERTEX_UNIT + number::OUTPUT_MASK, 1);
    state.write(number::OUTMAP_TOTAL, 1);
    state.write(number::OUTMAP, 0x0302_0100);
    let mut translator = Translator::new(Options::default(), Profile::default());
    let translated = translator.translate(&program, &state.vertex(), Job::Vertex).expect("translates");
    let Reflection { instructions, reads, .. } =
        Reflection::new(&program, &translated, &Constants::default());
    assert_eq!((instructions.code, instructions.reached), (8, 6));
    assert_eq!((instructions.arithmetic, instructions.control, instructions.nop), (1, 4, 1));
    // Both parts are equal, so b0 has no effect.
    assert_eq!((reads.v, reads.b), (vec![0], vec![]));
}

#[test]
fn the_table_shows_everything() {
    let (_, reflection) =
        reflect(include_bytes!("../shaders/lights.shbin"), 0, "lights.shbin", Options::default());
    expect![[r#"
        lights.shbin, entry code word 0xe: structured
        47 of 47 words reached: 38 arithmetic, 6 control, 3 nop
        reads v0..v1; c0..c10 c27..c29; c11 c19 with an address, which reaches c0..c95; i0; b0

        attributes
          location  register  type   components  name
          0         v0        vec4f  4           inpos
          1         v1        vec4f  4           innrm

        uniform block: set 0, binding 0, 1568 bytes, of which 1556 are used
          offset  registers  type              name
          0       c0..c95    array<vec4f, 96>  c
          0       c0..c3     array<vec4f, 4>   projection in c
          64      c4..c7     array<vec4f, 4>   modelView in c
          128     c8..c10    array<vec4f, 3>   normalMatrix in c
          176     c11..c18   array<vec4f, 8>   lightDir in c
          304     c19..c26   array<vec4f, 8>   lightColor in c
          432     c27        vec4f             ambient in c
          448     c28        vec4f             material in c
          464     c29        vec4f             eye in c
          1536    i0         vec4i             lightLoop
          1552    b0         u32               useSpecular

        outputs
          location  components  from                 name
          built in  4           o0.x o0.y o0.z o0.w  position
          0         4           o1.x o1.y o1.z o1.w  color
          6         3           o2.x o2.y o2.z       view

        setup constants
          register  value
          c95       0 1 0.5 16  set by the host

        18 products with a guard of 0 · inf, 24 tests for NaN
    "#]]
    .assert_eq(&reflection.to_string());
    let (_, reflection) = reflect(include_bytes!("../shaders/lights.shbin"), 0, "lights.shbin", everything());
    expect![[r#"
        lights.shbin, entry code word 0xe: structured
        47 of 47 words reached: 38 arithmetic, 6 control, 3 nop
        reads v0..v1; c0..c10 c27..c29 c95; c11 c19 with an address, which reaches c0..c95

        attributes
          location  register  type   components  name
          0         v0        vec4i  3           inpos
          1         v1        vec4u  4           innrm

        uniform block: set 0, binding 0, 1568 bytes, of which 1556 are used
          offset  registers  type              name
          0       c0..c95    array<vec4f, 96>  c
          1536    i0..i3     vec4u             i
          1552    b0..b15    u32               b

        host block: set 0, binding 1, 32 bytes
          offset  type   name
          0       u32    clip_enabled
          4       u32    flip_y
          16      vec4f  clip_plane

        specialization constants
          id  type  name
          0   bool  b0
          16  i32   i0_x
          17  i32   i0_y
          18  i32   i0_z

        outputs
          location  components  from                 name
          built in  4           o0.x o0.y o0.z o0.w  position
          0         4           o1.x o1.y o1.z o1.w  color
          6         3           o2.x o2.y o2.z       view
          7         2           o0.x o0.y o0.z o0.w  clip_distances

        setup constants
          register  value
          c95       0 1 0.5 16  set by the host

        22 products with a guard of 0 · inf, 31 tests for NaN
    "#]]
    .assert_eq(&reflection.to_string());
}

#[test]
fn reflection_of_a_geometry_program_states_its_threads() {
    for name in ["points", "counter", "subdivision", "banks"] {
        let path = format!("{}/../shaders/{name}.shbin", env!("CARGO_MANIFEST_DIR"));
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
        let geometry = reflection.geometry.as_ref().expect("a geometry program");
        let module = translated.naga().expect("a module");
        let declared: BTreeSet<u32> = (module.global_variables.iter())
            .filter_map(|(_, variable)| Some(variable.binding?.binding))
            .collect();
        let blocks = [reflection.uniform_block, reflection.host_block, Some(geometry.draw)];
        let described = geometry.buffers.iter().map(|buffer| buffer.binding);
        let described = described.chain(blocks.into_iter().flatten().map(|block| block.binding));
        assert_eq!(described.collect::<BTreeSet<_>>(), declared, "{name}");
        let kernel = translated.interface.kernel().expect("a kernel");
        assert_eq!(
            (geometry.state.len(), geometry.triangles),
            (kernel.state.len(), kernel.triangles),
            "{name}"
        );
        let text = reflection.to_string();
        assert!(text.contains(&format!("geometry program, {} mode", geometry.mode)), "{text}");
    }
}
