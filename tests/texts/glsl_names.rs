//! Names of hosts in GLSL: they stay as they are, or are errors.

use transpica::settings::{
    AttributeNames, BlockNames, ClipPlanes, GlslProfile, KnownHost, Outputs, Preset, Renderer, Varying,
    VaryingSource, preset,
};
use transpica::stages::backend::text::Language;
use transpica::{Code, Error, GlslVersion, Job, Kind, Options, Profile, Shbin, Translator};
use transpica_proof::glslang::{self, Stage};

const TEXTURED: &[u8] = include_bytes!("../../shaders/textured.shbin");

/// The text of a sample under a profile, or the error.
fn under(profile: Profile) -> Result<String, Error> {
    let options = Options {
        outputs: Outputs { clip_planes: ClipPlanes::Varying, ..Outputs::default() },
        ..Options::default()
    };
    let file = Shbin::parse(TEXTURED).expect("valid");
    let program = file.program(0).expect("a program");
    let mut translator = Translator::new(options, profile);
    let translated = translator.translate(program.program(), program.environment(), Job::Vertex)?;
    translated.text(Language::Glsl(GlslVersion::Core330))
}

#[test]
fn names_of_the_host_stay_as_they_are_or_are_errors() {
    needs!("glslangValidator");
    let block = |block: &'static str, instance: Option<&'static str>| BlockNames {
        block: block.into(),
        instance: instance.map(Into::into),
    };
    let glsl = |glsl: GlslProfile| Profile { glsl, ..Profile::default() };
    let uniforms = |uniforms| glsl(GlslProfile { uniforms, ..GlslProfile::default() });
    let host = |host| glsl(GlslProfile { host, ..GlslProfile::default() });
    let numbered = |name: &'static str| {
        glsl(GlslProfile { attributes: AttributeNames::Numbered(name.into()), ..GlslProfile::default() })
    };
    let varyings = |names: &[&'static str]| Profile {
        varyings: names
            .iter()
            .zip(0..)
            .map(|(&name, location)| Varying {
                name: name.into(),
                location,
                components: vec![VaryingSource::Code(12)].into(),
            })
            .collect(),
        ..Profile::default()
    };
    for (profile, expected) in [
        (uniforms(block("helper", Some("choose"))), "} choose;"),
        (uniforms(block("PICAShaderUniforms", None)), "} ;"),
        (host(block("ClipPlane", None)), "uniform ClipPlane {"),
        (numbered("vs_in_reg"), "in vec4 vs_in_reg2;"),
        (varyings(&["v_colour", "both"]), "out float both;"),
    ] {
        let text = under(profile.clone()).unwrap_or_else(|error| panic!("{profile:?}: {error}"));
        assert!(text.contains(&expected.replace("} ;", "};")), "{expected}\n{text}");
        glslang::read(&text, Stage::Vertex).unwrap_or_else(|error| panic!("{error}\n{text}"));
    }
    for (profile, name) in [
        (uniforms(block("gl_Uniforms", None)), "gl_Uniforms"),
        (uniforms(block("Uniforms", Some("a b"))), "a b"),
        (uniforms(block("", None)), ""),
        (uniforms(block("Registers", Some("Registers"))), "Registers"),
        (uniforms(block("clip_distances", None)), "clip_distances"),
        (uniforms(block("Uniforms", Some("uintBitsToFloat"))), "uintBitsToFloat"),
        (host(block("Uniforms", Some("host"))), "Uniforms"),
        (numbered("main__"), "main__0"),
        (numbered("3"), "30"),
        (varyings(&["vec3"]), "vec3"),
        (varyings(&["v", "v"]), "v"),
        (varyings(&["lessThan"]), "lessThan"),
        (varyings(&["a-b"]), "a-b"),
    ] {
        let error = under(profile.clone()).expect_err(name);
        let is_named = matches!(&error.kind, Kind::BadName { name: found, .. } if found == name);
        assert!(is_named, "{profile:?}: {error}");
        assert_eq!(error.kind.code(), Code::BadOption);
    }
    for components in
        [vec![VaryingSource::One; 5], vec![VaryingSource::Code(0x11)], vec![VaryingSource::Complement(0x18)]]
    {
        let varyings = vec![Varying { name: "v".into(), location: 0, components: components.into() }].into();
        let error = under(Profile { varyings, ..Profile::default() }).expect_err("refused");
        assert!(matches!(error.kind, Kind::BadVarying { .. }), "{error}");
    }
}

#[test]
fn the_presets_of_panda3ds_link_with_its_fragment_stages() {
    for renderer in [Renderer::OpenGl, Renderer::OpenGlEs] {
        let Preset { options, profile } = preset(KnownHost::Panda3ds, renderer).expect("it has OpenGL");
        let file = Shbin::parse(TEXTURED).expect("valid");
        let program = file.program(0).expect("a program");
        let mut translator = Translator::new(options, profile);
        let translated = translator.translate(program.program(), program.environment(), Job::Vertex);
        let text = translated.and_then(|it| it.text(Language::Glsl(GlslVersion::Es300))).expect("a text");
        for line in [
            "uniform PICAShaderUniforms {",
            "out vec4 v_quaternion;",
            "out vec4 v_colour;",
            "out vec3 v_texcoord0;",
            "out vec2 v_texcoord1;",
            "out vec2 v_texcoord2;",
            "out vec3 v_view;",
        ] {
            assert!(text.contains(line), "{line}\n{text}");
        }
        assert!(text.contains("1.0 - "), "v from the bottom up\n{text}");
    }
}

#[test]
fn members_without_an_instance_yield_to_names_of_the_host() {
    needs!("glslangValidator");
    let components = vec![VaryingSource::Code(12)].into();
    let varyings = vec![Varying { name: "projection".into(), location: 0, components }].into();
    let uniforms = BlockNames { block: "Uniforms".into(), instance: None };
    let glsl = GlslProfile { uniforms, ..GlslProfile::default() };
    let text = under(Profile { varyings, glsl, ..Profile::default() }).expect("GLSL");
    assert!(text.contains("vec4 projection_1[4];") && text.contains("out float projection;"), "{text}");
    glslang::read(&text, Stage::Vertex).unwrap_or_else(|error| panic!("{error}\n{text}"));
}

/// Names that a text declares outside of functions and blocks, but for attributes, varyings and
/// blocks.
fn globals(text: &str) -> Vec<&str> {
    let is_own = |line: &&str| {
        let word = line.split([' ', '(']).next().unwrap_or_default();
        let of_the_host = ["layout", "in", "out", "flat", "uniform", "precision", "invariant", "gl_Position"];
        !(line.is_empty() || line.starts_with([' ', '}', '/']) || of_the_host.contains(&word))
    };
    text.lines()
        .filter(is_own)
        .filter_map(|line| match line.strip_prefix('#') {
            Some(directive) => directive.strip_prefix("define ")?.split([' ', '(']).next(),
            None => line.split(['(', ';', '=', '[']).next()?.trim_end().rsplit(' ').next(),
        })
        .collect()
}

#[test]
fn the_guide_lists_the_names_that_texts_declare() {
    let guide = include_str!("../../src/guide/emulator.md");
    let listed = guide.split_once("must leave these global names to the text:").expect("the list").1;
    let listed = listed.split_once("\n\n").expect("its end").0;
    let mut found = std::collections::BTreeSet::new();
    for path in std::fs::read_dir("shaders").expect("samples").flatten().map(|entry| entry.path()) {
        if path.extension().is_none_or(|extension| extension != "shbin") {
            continue;
        }
        let bytes = std::fs::read(&path).expect("a sample");
        let file = Shbin::parse(&bytes).expect("valid");
        let program = file.program(0).expect("a program");
        let executable = &file.executables[0];
        let symbols =
            executable.symbols.iter().map(|symbol| executable.name(symbol.name).to_text().to_string());
        let symbols: Vec<String> = symbols.collect();
        let is_member = |name: &str| name == "c" || symbols.iter().any(|symbol| symbol == name);
        for version in [GlslVersion::Core330, GlslVersion::Es310, GlslVersion::Core450] {
            let mut translator = Translator::new(Options::default(), Profile::default());
            let translated = translator.translate(program.program(), program.environment(), Job::Vertex);
            let text = translated.and_then(|it| it.text(Language::Glsl(version))).expect("a text");
            for name in globals(&text) {
                let kind = match name {
                    name if name.starts_with("pica_") => "`pica_…`",
                    name if name.strip_suffix("_at").is_some_and(is_member) => "`…_at`",
                    name if is_member(name) => "`const int projection`",
                    name => &format!("`{name}`"),
                };
                assert!(listed.contains(kind), "{name} of {}: the guide lists no {kind}", path.display());
                found.insert(kind.to_owned());
            }
        }
    }
    let all = ["`PRECISE`", "`both`", "`const int projection`", "`either`", "`main`", "`pica_…`", "`…_at`"];
    assert_eq!(found.into_iter().collect::<Vec<_>>(), all);
}
