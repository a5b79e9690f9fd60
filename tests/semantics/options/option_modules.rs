//! Modules under every option: valid for spirv-val in the environment of their version and for
//! naga, and their WGSL and GLSL parse again. Words and texts declare the expected blocks,
//! attributes, outputs and specialization constants.

use naga::valid::{Capabilities, ValidationFlags, Validator};
use transpica::container::ShaderType;
use transpica::host::dvle::FileEnvironment;
use transpica::host::{IntPacking, RegisterLayout, dvle};
use transpica::settings::{
    Assume, AttributeFormat, AttributeKind, AttributeNames, Binding, Bindings, Block, BlockNames,
    BoolUniforms, ClipPlanes, Control, DepthRange, DepthSnap, FlipY, FloatControls, Functions, GlslOutputs,
    IntUniforms, Layout, Outputs, Promise, UndefinedValue, Varying, VaryingSource,
};
use transpica::stages::backend::text::Language;
use transpica::{
    Code, Error, GlslVersion, Job, Kind, Options, Precision, Profile, Shbin, Translation, Translator,
};
use transpica_proof::{daily, glslang, needs, spirv_tools};

use crate::samples::{Sample, samples};

const TEXTURED: &[u8] = include_bytes!("../../../shaders/textured.shbin");

/// Validates with naga; the only capability is clip distances, for modules that have them.
fn validate(module: &naga::Module, translated: &Translation) -> Result<(), String> {
    let clips = translated.options.outputs.clip_planes == ClipPlanes::BuiltIn
        && !translated.interface.entry_point.is_compute();
    let capabilities = if clips { Capabilities::CLIP_DISTANCES } else { Capabilities::empty() };
    let mut validator = Validator::new(ValidationFlags::all(), capabilities);
    validator.validate(module).map(|_| ()).map_err(|error| format!("naga: {:?}", error.into_inner()))
}

/// Translates a program and runs all validators; its GLSL is checked in one version.
fn check((sample, executable): (&Sample, usize), form: &Form, version: GlslVersion) -> Result<(), String> {
    let &Form { options, ref profile, job } = form;
    let text = |error: Error| error.to_string();
    let file = Shbin::parse(&sample.bytes).map_err(text)?;
    let program = dvle::program(&file, executable, &options.limits).map_err(text)?;
    let environment = FileEnvironment::new(&file, executable, &sample.name).map_err(text)?;
    let mut translator = Translator::new(options, profile.clone());
    let translated = translator.translate(&program, &environment, job).map_err(text)?;
    let words = translator.spirv(&translated).map_err(text)?;
    spirv_tools::validate_for(&words, profile.spirv_version)?;
    let reading = naga::front::spv::Options {
        adjust_coordinate_space: false,
        strict_capabilities: true,
        ..Default::default()
    };
    let module = naga::front::spv::Frontend::new(words.iter().copied(), &reading).parse();
    match module {
        // It reads no declarations of what arithmetic preserves.
        module if profile.float_controls != FloatControls::NONE => assert!(module.is_err()),
        module => validate(&module.map_err(|error| format!("naga reads SPIR-V: {error:?}"))?, &translated)?,
    }
    validate(&translated.naga().map_err(text)?, &translated)?;
    let wgsl = translated.text(Language::Wgsl).map_err(text)?;
    let module = naga::front::wgsl::parse_str(&wgsl).map_err(|error| error.emit_to_string(&wgsl))?;
    validate(&module, &translated).map_err(|error| format!("{error}\n{wgsl}"))?;
    for language in [Language::Hlsl, Language::Msl] {
        match translated.text(language) {
            Ok(_) => {}
            Err(error) if specialized(&options) && error.kind.code() == Code::BadOption => {}
            Err(error) => return Err(format!("{language:?}: {error}")),
        }
    }
    check_glsl(&translated, version)
}

fn specialized(options: &Options) -> bool {
    options.control.bools.specialized != 0 || options.control.ints.specialized != 0
}

/// Checks with glslang, if the version of GLSL can express the program.
fn check_glsl(translated: &Translation, version: GlslVersion) -> Result<(), String> {
    let options = &translated.options;
    let is_vertex = !translated.interface.entry_point.is_compute();
    let lacks = version.is_opengl() && specialized(options) || !version.has_compute() && !is_vertex;
    let text = match translated.text(Language::Glsl(version)) {
        Ok(text) => text,
        Err(error) if lacks && matches!(error.kind, Kind::TargetLacks { .. }) => return Ok(()),
        Err(error) => return Err(format!("{version:?}: {error}")),
    };
    let stage = if is_vertex { glslang::Stage::Vertex } else { glslang::Stage::Compute };
    let glsl = &translated.profile.glsl;
    let mut text = text;
    if !glsl.extension_lines {
        let at = if glsl.version_line { text.find('\n').map_or(0, |end| end + 1) } else { 0 };
        text.insert_str(at, &translated.glsl_extensions(version));
    }
    // glslang 12 does not know the extension; Mesa does.
    if text.contains("GL_EXT_clip_cull_distance") {
        return Ok(());
    }
    if !glsl.version_line {
        text.insert_str(0, &line(version));
    }
    if glsl.entry != "main" {
        text += &format!("void main() {{ {}(); }}\n", glsl.entry);
    }
    if !needs::has(&["glslangValidator"]) {
        return Ok(());
    }
    let read = if version.is_opengl() {
        glslang::read(&text, stage)
    } else {
        glslang::spirv(&text, stage).map(|_| ())
    };
    read.map_err(|error| format!("{version:?}: {error}\n{text}"))
}

/// The line that a host puts in front of a text without one.
fn line(version: GlslVersion) -> String {
    let digits: String = format!("{version:?}").chars().filter(char::is_ascii_digit).collect();
    format!("#version {digits}{}\n", if version.is_es() { " es" } else { "" })
}

/// Settings of a translation.
#[derive(Default)]
struct Form {
    options: Options,
    profile: Profile,
    job: Job<'static>,
}

/// A named change of the settings.
type Change = (&'static str, fn(&mut Form));

/// Every option except limits, each with all its values, and every job of vertex programs.
const CHANGES: [Change; 69] = [
    ("fast", |f| f.options.arithmetic.precision = Precision::Fast),
    ("f24", |f| f.options.arithmetic.precision = Precision::F24),
    ("compute", |f| f.job = Job::Compute),
    ("registers", |f| f.options.block.layout = Layout::Registers),
    ("azahar", |f| f.options.block.layout = Layout::Azahar),
    ("panda3ds", |f| f.options.block.layout = Layout::Panda3ds),
    ("custom", |f| {
        let layout = RegisterLayout { floats: 4096, ints: 336, packing: IntPacking::Bytes, bools: 12 };
        f.options.block.layout = Layout::Custom(layout);
    }),
    ("-w to w", |f| f.options.outputs.depth = DepthRange::MinusWToW),
    ("raw", |f| f.options.outputs.depth = DepthRange::Raw),
    ("snapped depth", |f| f.options.outputs.snap_depth = DepthSnap::AZAHAR),
    ("flip", |f| f.options.outputs.flip_y = FlipY::Always),
    ("dynamic flip", |f| f.options.outputs.flip_y = FlipY::Dynamic),
    ("clip distances", |f| f.options.outputs.clip_planes = ClipPlanes::BuiltIn),
    ("clip varying", |f| f.options.outputs.clip_planes = ClipPlanes::Varying),
    ("colors as they are", |f| f.options.outputs.clamp_colors = false),
    ("all outputs", |f| f.options.outputs.all = true),
    ("reversed ends", |f| f.options.outputs.reverse_ends = true),
    ("unmapped 0", |f| f.options.outputs.unmapped = UndefinedValue::Zero),
    ("functions of the driver", |f| f.options.arithmetic.functions = Functions::Driver),
    ("uninitialized 0", |f| f.options.arithmetic.uninitialized = UndefinedValue::Zero),
    ("ints", |f| f.options.input.formats = [AttributeFormat { kind: AttributeKind::Int, components: 4 }; 16]),
    ("uints", |f| {
        f.options.input.formats = [AttributeFormat { kind: AttributeKind::Uint, components: 4 }; 16]
    }),
    ("three", |f| f.options.input.formats.iter_mut().for_each(|attribute| attribute.components = 3)),
    ("mixed", |f| {
        for (n, attribute) in (0..).zip(&mut f.options.input.formats) {
            attribute.kind = [AttributeKind::Float, AttributeKind::Int, AttributeKind::Uint][n % 3];
            attribute.components = 1 + (n % 4) as u8;
        }
    }),
    ("constants live", |f| f.options.block.fold_constants = false),
    ("padded", |f| f.options.block.padded = true),
    ("padded registers", |f| (f.options.block.padded, f.options.block.layout) = (true, Layout::Registers)),
    ("baked false", |f| f.options.control.bools.baked = 0xFFFF),
    ("baked true", |f| (f.options.control.bools.baked, f.options.control.bools.values) = (0xFFFF, 0xFFFF)),
    ("baked some", |f| (f.options.control.bools.baked, f.options.control.bools.values) = (0x5555, 0x3333)),
    ("specialized", |f| f.options.control.bools.specialized = 0xFFFF),
    ("baked ints", |f| f.options.control.ints.baked = [Some([2, 0, 1, 0]); 4]),
    ("specialized ints", |f| f.options.control.ints.specialized = 15),
    ("guard", |f| f.options.control.loop_guard = Some(100)),
    ("guard of 0", |f| f.options.control.loop_guard = Some(0)),
    ("no NaN", |f| {
        f.options.assume = Assume { uniforms: Promise::NotNan, results: Promise::Nothing };
        f.options.input.promises = [Promise::NotNan; 16];
    }),
    ("finite uniforms", |f| f.options.assume.uniforms = Promise::FINITE),
    ("numbers as results", |f| f.options.assume.results = Promise::NotNan),
    ("finite results", |f| f.options.assume.results = Promise::FINITE),
    ("small attributes", |f| f.options.input.promises = [Promise::Below(8); 16]),
    ("permissive", |f| f.options.control.permissive = true),
    ("1.0", |f| f.profile.spirv_version = (1, 0)),
    ("1.1", |f| f.profile.spirv_version = (1, 1)),
    ("1.2", |f| f.profile.spirv_version = (1, 2)),
    ("1.4", |f| f.profile.spirv_version = (1, 4)),
    ("1.5", |f| f.profile.spirv_version = (1, 5)),
    ("1.6", |f| f.profile.spirv_version = (1, 6)),
    ("contraction", |f| f.profile.no_contraction = false),
    ("NaN kept", |f| f.profile.float_controls.nan = true),
    ("subnormals kept", |f| f.profile.float_controls.subnormals = true),
    ("rounded to nearest", |f| f.profile.float_controls.rounding = true),
    ("not invariant", |f| f.profile.invariant_position = false),
    ("loops left anywhere", |f| f.profile.leave_loops_at_head = false),
    ("no names", |f| f.profile.names = false),
    ("debug information", |f| f.profile.debug_info = true),
    ("uniforms elsewhere", |f| f.profile.bindings.uniforms = Binding { set: 2, binding: 7 }),
    ("host elsewhere", |f| f.profile.bindings.host = Binding { set: 1, binding: 3 }),
    ("azahar's locations", |f| f.profile.varyings = Varying::AZAHAR),
    ("raw position elsewhere", |f| {
        f.profile.varyings = Varying::AZAHAR;
        f.profile.varyings.to_mut()[8].location = 13;
    }),
    // The table may be empty by now: another change can come before.
    ("color elsewhere", |f| f.profile.varyings.to_mut().iter_mut().take(1).for_each(|row| row.location = 12)),
    ("no varyings", |f| f.profile.varyings = Vec::new().into()),
    ("varyings of the host", |f| {
        let row = |name: &'static str, location, components: &[VaryingSource]| Varying {
            name: name.into(),
            location,
            components: components.to_vec().into(),
        };
        f.profile.varyings = vec![
            row("v_colour", 3, &[8, 9, 10, 11].map(VaryingSource::Code)),
            row(
                "v_texcoord0",
                2,
                &[VaryingSource::Code(0xC), VaryingSource::Complement(0xD), VaryingSource::Complement(0x10)],
            ),
            row("v_mixed", 1, &[VaryingSource::Complement(8), VaryingSource::Zero, VaryingSource::One]),
            row("v_distances", 0, &[]),
        ]
        .into();
    }),
    ("no version line", |f| f.profile.glsl.version_line = false),
    ("extension lines of the host", |f| f.profile.glsl.extension_lines = false),
    ("main of the host", |f| {
        f.profile.glsl.entry = "pica_main".into();
        f.profile.glsl.outputs = GlslOutputs::Globals;
    }),
    ("separable", |f| f.profile.glsl.separable = true),
    ("names of the host", |f| {
        f.profile.glsl.uniforms = BlockNames { block: "PICAShaderUniforms".into(), instance: None };
        f.profile.glsl.host = BlockNames { block: "ClipPlane".into(), instance: None };
        f.profile.glsl.attributes = AttributeNames::Numbered("vs_in_reg".into());
    }),
    ("other names of the host", |f| {
        f.profile.glsl.uniforms = BlockNames { block: "Registers".into(), instance: Some("file".into()) };
        f.profile.glsl.attributes = AttributeNames::Named("a_".into());
    }),
    ("depth and y and planes", |f| {
        (f.options.outputs.depth, f.options.outputs.flip_y, f.options.outputs.clip_planes) =
            (DepthRange::MinusWToW, FlipY::Dynamic, ClipPlanes::BuiltIn);
    }),
];

/// Programs with many features: loops, flags, relative reads.
fn vertex_programs(samples: &[Sample]) -> Vec<(&Sample, usize)> {
    let mut programs = Vec::new();
    for sample in samples {
        let file = Shbin::parse(&sample.bytes).expect("valid");
        for (index, executable) in file.executables.iter().enumerate() {
            if executable.header.shader_type() == Some(ShaderType::Vertex) {
                programs.push((sample, index));
            }
        }
    }
    programs
}

fn check_sample(program: (&Sample, usize), changes: &[Change], version: GlslVersion) {
    let mut form = Form::default();
    changes.iter().for_each(|change| change.1(&mut form));
    // A uniform cannot be fixed and specialized.
    let options = &mut form.options;
    options.control.bools.specialized &= !options.control.bools.baked;
    for (n, _) in options.control.ints.baked.iter().enumerate().filter(|(_, known)| known.is_some()) {
        options.control.ints.specialized &= !(1 << n);
    }
    // Other layouts have no room for padding.
    options.block.padded &= options.block.registers().is_none() || options.check().is_ok();
    let names: Vec<&str> = changes.iter().map(|change| change.0).collect();
    check(program, &form, version)
        .unwrap_or_else(|error| panic!("{} {} {names:?}: {error}", program.0.name, program.1));
}

#[test]
fn every_option_alone_makes_valid_modules() {
    let samples = samples();
    let programs = vertex_programs(&samples);
    let rounds = daily::cases("programs with each option alone", 1, 4) as usize;
    for (index, change) in CHANGES.iter().enumerate() {
        for (round, version) in (0..rounds).zip(GlslVersion::ALL.into_iter().cycle()) {
            let program = programs[(index * 4 + round) * 7 % programs.len()];
            check_sample(program, std::slice::from_ref(change), version);
        }
    }
}

#[test]
fn options_together_make_valid_modules() {
    let samples = samples();
    let programs = vertex_programs(&samples);
    let mut random = 1u32;
    let mut next = |below: usize| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) as usize % below
    };
    let mut versions = GlslVersion::ALL.into_iter().cycle();
    for program in daily::some("programs with several options", 3, programs) {
        for version in versions.by_ref().take(2) {
            let changes: Vec<Change> = (0..3 + next(10)).map(|_| CHANGES[next(CHANGES.len())]).collect();
            check_sample(program, &changes, version);
        }
    }
}

/// Translates a sample: returns the assembly of its SPIR-V, and a text.
fn translate(bytes: &[u8], options: Options, profile: Profile) -> (String, String) {
    translate_as(Job::Vertex, bytes, options, profile)
}

/// Translates a sample like [`translate`], for a given job.
fn translate_as(job: Job<'_>, bytes: &[u8], options: Options, profile: Profile) -> (String, String) {
    let file = Shbin::parse(bytes).expect("valid");
    let program = dvle::program(&file, 0, &options.limits).expect("vertex");
    let environment = FileEnvironment::new(&file, 0, "").expect("there");
    let mut translator = Translator::new(options, profile);
    let translated = translator.translate(&program, &environment, job).expect("translates");
    let words = translator.spirv(&translated).expect("SPIR-V");
    let assembly = transpica_inspect::spirv::assembly(&words).expect("readable");
    (assembly, translated.text(Language::Wgsl).expect("WGSL"))
}

/// Returns the id of a name.
fn id<'a>(assembly: &'a str, name: &str) -> &'a str {
    let end = format!(" \"{name}\"");
    let line =
        assembly.lines().find(|line| line.ends_with(&end)).unwrap_or_else(|| panic!("{name}\n{assembly}"));
    line.split_whitespace().nth(1).expect("an id")
}

fn has(text: &str, line: &str) {
    assert!(text.lines().any(|found| found.trim() == line), "{line}\n{text}");
}

#[test]
fn presets_have_their_byte_offsets_in_both_languages() {
    for (layout, offsets) in [
        (Layout::Registers, [("c", 0), ("i", 1536), ("b", 1600)]),
        (Layout::Azahar, [("c", 80), ("i", 16), ("b", 0)]),
        (Layout::Panda3ds, [("c", 0), ("i", 1536), ("b", 1552)]),
    ] {
        let options = Options { block: Block { layout, ..Block::default() }, ..Options::default() };
        let (assembly, wgsl) = translate(TEXTURED, options, Profile::default());
        let block = id(&assembly, "Uniforms");
        for (name, offset) in offsets {
            let end = format!(" \"{name}\"");
            let begin = format!("OpMemberName {block} ");
            let line = assembly.lines().find(|line| line.starts_with(&begin) && line.ends_with(&end));
            let member = line.expect("the member").split_whitespace().nth(2).expect("its number");
            has(&assembly, &format!("OpMemberDecorate {block} {member} Offset {offset}"));
        }
        let module = naga::front::wgsl::parse_str(&wgsl).expect("reads");
        let (_, ty) = module.types.iter().find(|(_, ty)| ty.name.as_deref() == Some("Uniforms")).expect("it");
        let naga::TypeInner::Struct { members, span } = &ty.inner else { panic!("{ty:?}") };
        let mut found: Vec<(&str, u32)> =
            members.iter().map(|member| (member.name.as_deref().expect("named"), member.offset)).collect();
        found.retain(|(name, _)| !name.starts_with("padding"));
        let mut offsets = offsets.to_vec();
        offsets.sort_unstable_by_key(|place| place.1);
        assert_eq!(found, offsets);
        assert_eq!(*span, if layout == Layout::Panda3ds { 1568 } else { 1616 });
    }
}

#[test]
fn blocks_have_the_bindings_of_the_profile() {
    let [uniforms, host] = [(3, 5), (4, 6)].map(|(set, binding)| Binding { set, binding });
    let bindings = Bindings { uniforms, host, ..Bindings::default() };
    let profile = Profile { bindings, ..Profile::default() };
    let options =
        Options { outputs: Outputs { flip_y: FlipY::Dynamic, ..Outputs::default() }, ..Options::default() };
    let (assembly, wgsl) = translate(TEXTURED, options, profile.clone());
    for (name, set, binding) in [("uniforms", 3, 5), ("host", 4, 6)] {
        let variable = id(&assembly, name);
        has(&assembly, &format!("OpDecorate {variable} DescriptorSet {set}"));
        has(&assembly, &format!("OpDecorate {variable} Binding {binding}"));
    }
    has(&wgsl, "@group(3) @binding(5) var<uniform> uniforms: Uniforms;");
    has(&wgsl, "@group(4) @binding(6) var<uniform> host: Host;");
    for line in ["clip_enabled: u32,", "flip_y: u32,", "clip_plane: vec4f,"] {
        has(&wgsl, line);
    }
    let host = id(&assembly, "Host");
    for (member, offset) in [(0, 0), (1, 4), (2, 16)] {
        has(&assembly, &format!("OpMemberDecorate {host} {member} Offset {offset}"));
    }
    let (assembly, wgsl) = translate_as(Job::Compute, TEXTURED, options, profile.clone());
    has(&wgsl, "@group(0) @binding(2) var<uniform> uniforms: Uniforms;");
    let variable = id(&assembly, "uniforms");
    has(&assembly, &format!("OpDecorate {variable} DescriptorSet 0"));
    has(&assembly, &format!("OpDecorate {variable} Binding 2"));
    let (assembly, wgsl) = translate(TEXTURED, Options::default(), profile);
    assert!(!assembly.contains("\"Host\"") && !wgsl.contains("Host"), "nothing reads it");
}

#[test]
fn attributes_of_integers_are_converted() {
    let mut options = Options::default();
    options.input.formats[1].kind = AttributeKind::Int;
    options.input.formats[2].kind = AttributeKind::Uint;
    let (assembly, wgsl) = translate(TEXTURED, options, Profile::default());
    assert_eq!(assembly.matches("OpConvertSToF").count(), 1, "{assembly}");
    assert_eq!(assembly.matches("OpConvertUToF").count(), 1, "{assembly}");
    for line in ["@location(0) inpos: vec4f,", "@location(1) inuv: vec4i,", "@location(2) incol: vec4u,"] {
        has(&wgsl, line);
    }
    assert!(wgsl.contains("vec4f(inuv)") && wgsl.contains("vec4f(incol)"), "{wgsl}");
    let compute = translate_as(Job::Compute, TEXTURED, options, Profile::default());
    assert!(!compute.0.contains("OpConvert"));
}

#[test]
fn clip_distances_are_the_built_in_or_a_varying() {
    let options = Options {
        outputs: Outputs { clip_planes: ClipPlanes::BuiltIn, ..Outputs::default() },
        ..Options::default()
    };
    let (assembly, wgsl) = translate(TEXTURED, options, Profile::default());
    has(&assembly, "OpCapability ClipDistance");
    let variable = id(&assembly, "clip_distances");
    has(&assembly, &format!("OpDecorate {variable} BuiltIn ClipDistance"));
    let head = "// program: DVLE 0\n// entry: code word 0x0\n// options: outputs.clip_planes = BuiltIn\n";
    assert!(wgsl.starts_with(head), "{wgsl}");
    has(&wgsl, "enable clip_distances;");
    has(&wgsl, "@builtin(clip_distances) clip_distances: array<f32, 2>,");
    let options =
        Options { outputs: Outputs { clip_planes: ClipPlanes::Varying, ..options.outputs }, ..options };
    let (assembly, wgsl) = translate(TEXTURED, options, Profile::default());
    assert!(!assembly.contains("ClipDistance") && !wgsl.contains("enable clip"), "{wgsl}");
    has(&wgsl, "@location(7) clip_distances: vec2f,");
}

/// A sample that reads bool and int uniforms.
const LIGHTS: &[u8] = include_bytes!("../../../shaders/lights.shbin");

#[test]
fn specialization_constants_have_the_documented_ids() {
    let options = Options {
        control: Control {
            bools: BoolUniforms { specialized: 0xFFFF, ..BoolUniforms::default() },
            ints: IntUniforms { specialized: 15, ..IntUniforms::default() },
            ..Control::default()
        },
        ..Options::default()
    };
    let (assembly, wgsl) = translate(LIGHTS, options, Profile::default());
    let (mut bools, mut ints) = (0, 0);
    for number in 0..32 {
        let name = match number {
            0..16 => format!("b{number}"),
            _ => format!("i{}_{}", (number - 16) / 4, ["x", "y", "z", "w"][number % 4]),
        };
        if !assembly.contains(&format!(" \"{name}\"")) {
            continue;
        }
        has(&assembly, &format!("OpDecorate {} SpecId {number}", id(&assembly, &name)));
        if number < 16 {
            bools += 1;
            has(&wgsl, &format!("@id({number}) override {name}: bool = false;"));
        } else {
            ints += 1;
            has(&wgsl, &format!("@id({number}) override {name}: i32 = 0;"));
        }
    }
    assert!(bools + ints > 0, "{wgsl}");
    assert_eq!(assembly.matches("OpSpecConstant").count(), bools + ints);
}

/// Returns the error of a text under these options.
fn error(options: Options, profile: Profile, language: Language) -> String {
    error_as(Job::Vertex, options, profile, language)
}

/// Returns the error like [`error`], for a given job.
fn error_as(job: Job<'_>, options: Options, profile: Profile, language: Language) -> String {
    let file = Shbin::parse(LIGHTS).expect("valid");
    let program = dvle::program(&file, 0, &options.limits).expect("vertex");
    let mut translator = Translator::new(options, profile);
    let environment = FileEnvironment::new(&file, 0, "").expect("there");
    let translated = translator.translate(&program, &environment, job).expect("translates");
    let error = translated.text(language).expect_err("is refused");
    assert!(matches!(error.kind, Kind::TargetLacks { .. }), "{error}");
    error.to_string()
}

#[test]
fn features_that_a_language_lacks_are_refused_with_the_reason() {
    let es = Language::Glsl(GlslVersion::Es310);
    let ints = IntUniforms { specialized: 15, ..IntUniforms::default() };
    let bools = BoolUniforms { specialized: 0xFFFF, ..BoolUniforms::default() };
    let specialized =
        Options { control: Control { ints, bools, ..Control::default() }, ..Options::default() };
    for language in [es, Language::Glsl(GlslVersion::Core330), Language::Hlsl, Language::Msl] {
        let text = error(specialized, Profile::default(), language);
        assert!(text.contains("bake the values or read them from the block"), "{text}");
    }
    let core = Language::Glsl(GlslVersion::Core330);
    let text = error_as(Job::Compute, Options::default(), Profile::default(), core);
    assert!(text.contains("GLSL 330 has no compute form"), "{text}");
    let host = Binding { set: 1, binding: 0 };
    let bindings = Bindings { host, ..Bindings::default() };
    let dynamic =
        Options { outputs: Outputs { flip_y: FlipY::Dynamic, ..Outputs::default() }, ..Options::default() };
    for language in [es, Language::Msl] {
        let text = error(dynamic, Profile { bindings, ..Profile::default() }, language);
        assert!(text.contains("two blocks have binding 0"), "{text}");
    }
    let bindings = Bindings { uniforms: Binding { set: 0, binding: 31 }, ..Bindings::default() };
    let text = error(Options::default(), Profile { bindings, ..Profile::default() }, Language::Msl);
    assert!(text.contains("MSL has no place for set 0, binding 31"), "{text}");
}

#[test]
fn two_outputs_in_one_location_are_refused() {
    let refuse = |options: Options, profile: Profile, part: &str| {
        let file = Shbin::parse(TEXTURED).expect("valid");
        let program = dvle::program(&file, 0, &options.limits).expect("vertex");
        let environment = FileEnvironment::new(&file, 0, "").expect("there");
        let mut translator = Translator::new(options, profile);
        let spirv = translator.translate(&program, &environment, Job::Vertex).and_then(|translated| {
            let naga = translated.naga().map(|_| ());
            assert!(naga.is_err() == translator.spirv(&translated).is_err());
            naga
        });
        let error = spirv.expect_err("is refused");
        assert!(error.kind.code() == Code::BadOption && error.to_string().contains(part), "{error}");
    };
    let mut profile = Profile::default();
    profile.varyings.to_mut()[0].location = 1;
    refuse(Options::default(), profile, "color and texcoord0_uv both use location 1");
    let host = Binding { set: 0, binding: 0 };
    let profile = Profile { bindings: Bindings { host, ..Bindings::default() }, ..Profile::default() };
    let options =
        Options { outputs: Outputs { flip_y: FlipY::Dynamic, ..Outputs::default() }, ..Options::default() };
    refuse(options, profile, "two blocks use set 0, binding 0");
}
