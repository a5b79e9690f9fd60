//! Names that a source gives to registers, in texts: of values and variables, beside any other
//! names.

use expect_test::expect;
use transpica::host::dvle::FileEnvironment;
use transpica::host::{DebugSource, Sourced, dvle};
use transpica::stages::backend::text::Language;
use transpica::{GlslVersion, Job, Key, Options, Precision, Profile, Setup, Shbin, Stage, Translator};
use transpica_asm::{SourceText, assemble};
use transpica_proof::glslang;

use crate::samples::{Sample, samples};

/// A program with two names of r1, one of them in both arms of a branch, and with words that
/// languages reserve.
const SHINY: &str = "\
.fvec light
.bool lit, wet
.alias normal r1
.alias shine r1
.alias switch r2
.alias vec4f r3
.out outpos position
.out outcol color
.in innormal
.proc main
    mul normal.xyz, light, innormal
    dp3 normal.w, normal, normal
    mul switch, normal.w, normal
    mul vec4f, switch, switch
    ifu lit
        add vec4f, light, vec4f
    .end
    mul shine, light, vec4f
    ifu wet
        add shine, light, shine
    .else
        max normal, light, shine
    .end
    mul outpos, vec4f, vec4f
    mul outcol, shine, switch
    end
.end
";

fn translator() -> Translator {
    let mut options = Options::default();
    options.arithmetic.precision = Precision::Fast;
    Translator::new(options, Profile::default())
}

/// Returns the texts and the key of a program of a file under names of its destinations.
fn texts(file: &Shbin<'_>, index: usize, destinations: &[String]) -> Option<([String; 2], Key)> {
    let program = dvle::program(file, index, &Options::default().limits).expect("a program");
    let environment = FileEnvironment::new(file, index, "file").expect("an executable");
    let source = DebugSource { destinations: destinations.to_vec(), ..DebugSource::default() };
    let environment = Sourced { environment, source };
    let setup = Setup::with_nearest(file, index, None, None);
    let job = match program.stage() {
        Stage::Vertex => Job::Vertex,
        Stage::Geometry => Job::Geometry(setup.as_ref().ok()?),
    };
    let mut translator = translator();
    let translated = translator.translate(&program, &environment, job).expect("a translation");
    let key = translator.key(&program, &environment, job, b"").expect("a key");
    let languages = [Language::Wgsl, Language::Glsl(GlslVersion::Vulkan450)];
    Some((languages.map(|language| translated.text(language).expect("a text")), key))
}

fn body(text: &str) -> &str {
    &text[text.find("@vertex").expect("an entry")..]
}

#[test]
fn values_have_the_names_of_the_source_and_variables_where_all_stores_agree() {
    let assembled = assemble(&[SourceText { name: "shiny.v.pica", text: SHINY }]).expect("assembles");
    let file = Shbin::parse(&assembled.bytes).expect("a file");
    let ([wgsl, glsl], key) = texts(&file, 0, &assembled.destinations).expect("texts");
    expect![[r#"
        @vertex
        fn main(@location(0) innormal: vec4f) -> VertexOutput {
            let normal_xyz = uniforms.light.xyz * innormal.xyz;
            let normal_w = dot(normal_xyz, normal_xyz);
            let switch_1 = normal_w * vec4f(normal_xyz, normal_w);
            var vec4f_1 = switch_1 * switch_1;
            if uniforms.lit_a != 0u {
                vec4f_1 += uniforms.light;
            }
            let shine = uniforms.light * vec4f_1;
            var r1: vec4f;
            if uniforms.wet == 0u {
                r1 = max(uniforms.light, shine);
            } else {
                r1 = uniforms.light + shine;
            }
            let outpos = vec4f_1 * vec4f_1;
            let out_position = vec4f(outpos.xy, -outpos.z, outpos.w);
            let out_color = min(abs(r1 * switch_1), vec4f(1.0));
            return VertexOutput(out_position, out_color);
        }
    "#]]
    .assert_eq(body(&wgsl));
    assert!(glsl.contains("float normal_w = dot("), "{glsl}");
    let ([plain, _], plain_key) = texts(&file, 0, &[]).expect("texts");
    assert_eq!((key, plain.lines().count()), (plain_key, wgsl.lines().count()));
    assert!(!plain.contains("normal_") && plain.contains("r1_xyz"), "{plain}");
}

#[test]
fn any_names_give_valid_texts() {
    needs!("glslangValidator");
    let long = "n".repeat(10_000);
    let names = [
        "switch",
        "vec4",
        "vec4f",
        "float4",
        "main",
        "uniforms",
        "gl_Position",
        "r1",
        "r1_x",
        "o0",
        "a__b",
        "1x",
        "_",
        "é",
        "a\n}",
        "mat4x4",
        "precise",
        "out_color",
        "color",
        "inpos",
        "position",
        "true",
        &long,
    ];
    let (mut programs, mut changed) = (0, 0);
    for Sample { name, bytes } in samples() {
        let file = Shbin::parse(&bytes).expect("a sample");
        for index in 0..file.executables.len() {
            let Some((plain, plain_key)) = texts(&file, index, &[]) else { continue };
            let words = file.package.code.len();
            // Each register has many names, and each name many registers.
            let hostile: Vec<String> =
                (0..words).map(|word| names[word * 7 % names.len()].to_owned()).collect();
            let (made, key) = texts(&file, index, &hostile).expect("texts");
            assert_eq!(texts(&file, index, &hostile), Some((made.clone(), key)), "{name} {index}");
            let [wgsl, glsl] = &made;
            naga::front::wgsl::parse_str(wgsl)
                .unwrap_or_else(|error| panic!("{name} {index}: {error}\n{wgsl}"));
            let stage =
                if wgsl.contains("@compute") { glslang::Stage::Compute } else { glslang::Stage::Vertex };
            glslang::read(glsl, stage).unwrap_or_else(|error| panic!("{name} {index}: {error}\n{glsl}"));
            assert!(made.iter().all(|text| text.len() < 40 * (plain[0].len() + 1000)), "{name} {index}");
            // More entries than words, or fewer, and none with a text.
            assert_eq!(
                texts(&file, index, &vec![String::new(); words + 9]),
                Some((plain.clone(), plain_key))
            );
            assert_eq!(key, plain_key, "{name} {index}");
            programs += 1;
            changed += u32::from(plain != made);
        }
    }
    assert!(programs > 30 && changed > 30, "{programs} {changed}");
}
