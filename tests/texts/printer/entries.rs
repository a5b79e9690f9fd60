//! The entry points and the uniform block.

use expect_test::expect;
use transpica_proof::ir;

use super::{check, interface, member, translate, write};
use transpica::host::{Bank, EntryPoint, MemberType};
use transpica::stages::backend::text;

#[test]
fn a_program_without_a_position_gets_one() {
    let wgsl = check("func main { %0: f32x4 = input v0 %1: f32x2 = shuffle %0.x %0.y yield %1 }");
    assert!(wgsl.contains("@builtin(position) @invariant position: vec4f"), "{wgsl}");
}

#[test]
fn the_compute_form_reads_and_writes_register_files() {
    let yields = ["%2"; 16].join(" ");
    let source = format!(
        "func main {{ %0: f32x4 = input v1 %1: f32x4 = member 2 %2 @o0: f32x4 = add %0 %1 yield {yields} }}"
    );
    let module = ir::parse(&source).unwrap();
    let interface = interface(&module);
    let wgsl = translate(&module, &interface, EntryPoint::Compute);
    for expected in [
        "@compute @workgroup_size(64)",
        "if id.x >= arrayLength(&outputs) {",
        " = inputs[id.x][1] + uniforms.light;",
        "outputs[id.x][15] = ",
        "@group(0) @binding(2) var<uniform> uniforms: Uniforms;",
    ] {
        assert!(wgsl.contains(expected), "{expected}\n{wgsl}");
    }
}

#[test]
fn gaps_in_the_uniform_block_are_kept() {
    let module = ir::parse("func main { %0: f32x4 = member 1 yield %0 }").unwrap();
    let mut interface = interface(&module);
    interface.block.members = vec![
        member("flags", Bank::Bool, 4, MemberType::Bits),
        member("light", Bank::Float, 64, MemberType::Vec4),
    ];
    interface.block.size = 160;
    let wgsl = translate(&module, &interface, EntryPoint::Vertex);
    let parsed = naga::front::wgsl::parse_str(&wgsl).unwrap();
    let (offset, span) = parsed
        .types
        .iter()
        .find_map(|(_, ty)| match &ty.inner {
            naga::TypeInner::Struct { members, span } => {
                let light = members.iter().find(|member| member.name.as_deref() == Some("light"))?;
                Some((light.offset, *span))
            }
            _ => None,
        })
        .unwrap();
    assert_eq!((offset, span), (64, 160), "{wgsl}");
}

#[test]
fn names_with_special_characters_do_not_change_the_text() {
    let module =
        ir::parse("func main { %0: f32x4 = input v0 %1: f32x4 = member 2 %2: f32x4 = add %0 %1 yield %2 }")
            .unwrap();
    let mut interface = interface(&module);
    interface.source = "sample.shbin".into();
    interface.executable = Some(4);
    interface.entry = Some(transpica::isa::Pc(2));
    interface.entry_label = Some("x\n}} fn evil() { \u{2028} \\".into());
    interface.attributes[0].name = "let; }".into();
    interface.block.members[2].name = "vec4".into();
    interface.outputs[0].name = "__$".into();
    let wgsl = translate(&module, &interface, EntryPoint::Vertex);
    assert!(
        wgsl.starts_with(
            "// source: sample.shbin\n// program: DVLE 4\n// entry: x?}} fn evil() { ? ?, code word 0x2\n"
        ),
        "{wgsl}"
    );
}

#[test]
fn comments_have_names_in_any_script() {
    let module =
        ir::parse("func main { %0: f32x4 = input v0 %1: f32x4 = member 2 %2: f32x4 = add %0 %1 yield %2 }")
            .unwrap();
    let mut interface = interface(&module);
    interface.source = "Wasserfl\u{e4}che.shbin".into();
    interface.entry_label = Some("\u{6c34}\u{202e}\u{85}\u{2029}".into());
    let expected = "// source: Wasserfl\u{e4}che.shbin\n// entry: \u{6c34}???\n";
    let wgsl = write(&module, &interface, EntryPoint::Vertex, |source| text::wgsl(source, None)).unwrap();
    assert!(wgsl.starts_with(expected), "{wgsl}");
    for version in text::GlslVersion::ALL {
        let vertex = EntryPoint::Vertex;
        let glsl = write(&module, &interface, vertex, |source| text::glsl(source, version, None)).unwrap();
        // Comments of these versions are ASCII.
        let is_ascii = ["#version 330 core", "#version 400 core", "#version 410 core"]
            .contains(&glsl.lines().next().unwrap_or_default());
        let expected = if is_ascii { "// source: Wasserfl?che.shbin\n// entry: ????\n" } else { expected };
        assert!(glsl.contains(expected), "{version:?}: {glsl}");
    }
}

#[test]
fn glsl_keeps_its_documented_names() {
    let module = ir::parse(
        "func main { %0: f32x4 = input v0 %1: f32x4 = input v1 %2: f32x4 = member 2 %3: f32x4 = add %0 %2
           %4: f32x4 = mul %3 %1 %5: f32x4 = mul %4 %4 %6: f32x4 = add %5 %1 %7: f32x4 = mul %6 %5
           yield %3 %7 }",
    )
    .unwrap();
    let interface = interface(&module);
    let glsl = |version| {
        write(&module, &interface, EntryPoint::Vertex, |source| text::glsl(source, version, None)).unwrap()
    };
    let (core, vulkan, es) = (
        glsl(text::GlslVersion::Core330),
        glsl(text::GlslVersion::Vulkan450),
        glsl(text::GlslVersion::Es310),
    );
    for (text, block, varying) in [
        (&core, "layout(std140) uniform Uniforms {", "\nout vec4 varying_1;"),
        (
            &vulkan,
            "layout(set = 0, binding = 0, std140) uniform Uniforms {",
            "layout(location = 1) out vec4 varying_1;",
        ),
        (&es, "layout(binding = 0, std140) uniform Uniforms {", "layout(location = 1) out vec4 varying_1;"),
    ] {
        for expected in [
            block,
            varying,
            "} uniforms;",
            "layout(location = 0) in vec4 in_position;",
            "invariant gl_Position;",
        ] {
            assert!(text.contains(expected), "{expected}\n{text}");
        }
        assert_eq!(text.matches("gl_Position = ").count(), 1, "{text}");
    }
}

#[test]
fn inputs_that_the_interface_lacks_are_attributes_too() {
    let wgsl = check("func main { %0: f32x4 = input v7 yield %0 }");
    assert!(wgsl.contains("@location(7) v7_unbound: vec4"), "{wgsl}");
}

#[test]
fn text_of_a_lit_vertex_has_short_expressions() {
    let wgsl = check(
        "func main {
           %0: f32x4 = input v0
           %1: f32x4 = member 0
           %2: f32x4 = member 0[1]
           %3: f32x4 = member 0[2]
           %4: f32x4 = member 0[3]
           %5 @r0.x: f32 = dot %1 %0
           %6 @r0.y: f32 = dot %2 %0
           %7 @r0.z: f32 = dot %3 %0
           %8 @r0.w: f32 = dot %4 %0
           %9 @r0: f32x4 = shuffle %5.x %6.x %7.x %8.x
           %10: f32x3 = shuffle %9.x %9.y %9.z
           %11: f32x4 = member 2
           %12: f32x3 = shuffle %11.x %11.y %11.z
           %13 @r2.x: f32 = dot %10 %12
           %14: f32 = const 0
           %15: bool = greater %13 %14
           %16 @r2.x: f32 = select %15 %13 %14
           %17: f32x4 = shuffle %16.x %16.x %16.x %16.x
           %18: f32x4 = input v1
           %19 @r3: f32x4 = mul %17 %18
           %20: f32 = sqrt %13
           %21: f32 = const 1
           %22: f32 = div %21 %20
           %23: f32x4 = shuffle %22.x %22.x %22.x %22.x
           %24 @o1: f32x4 = mul %19 %23
           yield %9 %24 }",
    );
    expect![[r#"
        // source: sample.shbin
        // entry: main
        // translator: transpica 0.1.0

        struct Uniforms {
            projection: mat4x4f,
            bones: array<vec4f, 12>,
            light: vec4f,
            counts: vec4i,
            flags: u32,
        }

        struct VertexOutput {
            @builtin(position) @invariant position: vec4f,
            @location(1) varying_1: vec4f,
        }

        @group(0) @binding(0) var<uniform> uniforms: Uniforms;

        @vertex
        fn main(
            @location(0) position: vec4f,
            @location(1) color: vec4f,
            @location(2) weights: vec4f,
        ) -> VertexOutput {
            let out_position = position * uniforms.projection;
            let r2_x = dot(out_position.xyz, uniforms.light.xyz);
            let out_varying_1 = select(0.0, r2_x, r2_x > 0.0) * color * (1.0 / sqrt(r2_x));
            return VertexOutput(out_position, out_varying_1);
        }
    "#]]
    .assert_eq(&wgsl);
}
