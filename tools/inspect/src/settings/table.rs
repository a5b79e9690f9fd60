//! The table of settings: one row for each flag, with the fields of the library that it sets, by
//! their names in JSON and in C. Parser, help, completions and
//! `tools/cli/settings.md` follow from it. A test compares it with the fields of the library and of
//! the C header.

use super::spelling::{self, NamedSpelling, Spelling};

/// A flag.
#[derive(Debug)]
pub struct Row {
    /// Name of the flag, without dashes.
    pub flag: &'static str,
    /// Heading in help.
    pub heading: &'static str,
    /// True if `-h` lists it, not only `--help`.
    pub is_common: bool,
    /// Fields that it sets: path in JSON, and members of C structures.
    pub fields: &'static [(&'static str, &'static [&'static str])],
    /// Form of its value.
    pub form: Form,
    /// Help text; the default of a choice is added.
    pub help: &'static str,
}

impl Row {
    /// Returns the path of the first field: for switches and choices the only one.
    pub fn path(&self) -> &'static str {
        self.fields.first().map_or("", |(path, _)| path)
    }
}

/// Form of a value.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// No value: sets the field to this JSON text.
    Switch(&'static str),
    /// One of several words, each with its JSON text and its help; first the name of the value.
    Choice(&'static str, &'static [(&'static str, &'static str, &'static str)]),
    /// A value of its own spelling, behind its name; may be repeated.
    Spelled(&'static str, Spelling),
    /// As [`Spelled`](Self::Spelled), about registers, which may have names.
    Named(&'static str, NamedSpelling),
    /// As [`Spelled`](Self::Spelled), behind `=`; this text if absent.
    Optional(&'static str, &'static str, Spelling),
}

const ARITHMETIC: &str = "Arithmetic";
const CONTROL: &str = "Control flow";
const OUTPUTS: &str = "Outputs of a vertex stage";
const BLOCK: &str = "Uniforms and attributes";
const LIMITS: &str = "Limits";
const TARGET: &str = "Target";
const GLSL: &str = "Names in GLSL";

/// Values of components that nothing wrote or mapped.
const UNDEFINED: &[(&str, &str, &str)] =
    &[("default", "\"Default\"", "(0, 0, 0, 1)"), ("zero", "\"Zero\"", "0")];

/// Every flag, in the order of help.
pub const ROWS: &[Row] = &[
    Row {
        flag: "precision",
        heading: ARITHMETIC,
        is_common: true,
        fields: &[("arithmetic.precision", &["TranspicaOptions.precision"])],
        form: Form::Choice(
            "HOW",
            &[
                ("exact", "\"Exact\"", "Bit-equal to the reference interpreter in f32"),
                ("fast", "\"Fast\"", "Plain IEEE"),
                ("f24", "\"F24\"", "Rounded to float24 after each operation"),
            ],
        ),
        help: "Number format of the computation",
    },
    Row {
        flag: "portable-exponentials",
        heading: ARITHMETIC,
        is_common: false,
        fields: &[("arithmetic.portable_exponentials", &["TranspicaOptions.portable_exponentials"])],
        form: Form::Switch("true"),
        help: "Compute EX2 and LG2 by polynomials that are equal on every driver",
    },
    Row {
        flag: "uninitialized",
        heading: ARITHMETIC,
        is_common: false,
        fields: &[("arithmetic.uninitialized", &["TranspicaOptions.uninitialized"])],
        form: Form::Choice("HOW", UNDEFINED),
        help: "Value of registers r and o before the program writes them",
    },
    Row {
        flag: "bools",
        heading: CONTROL,
        is_common: false,
        fields: &[
            ("control.bools.baked", &["TranspicaOptions.known_bools"]),
            ("control.bools.values", &["TranspicaOptions.bool_values"]),
            ("control.bools.specialized", &["TranspicaOptions.specialized_bools"]),
        ],
        form: Form::Named("bN=HOW,…", spelling::bools),
        help: "Treat bool uniforms, b0 to b15 or by name: true or false makes a constant that decides control flow, specialized a \
               specialization constant, uniform [default] reads it; b* means all; may be repeated",
    },
    Row {
        flag: "ints",
        heading: CONTROL,
        is_common: false,
        fields: &[
            ("control.ints.baked", &["TranspicaOptions.known_ints", "TranspicaOptions.int_values"]),
            ("control.ints.specialized", &["TranspicaOptions.specialized_ints"]),
        ],
        form: Form::Named("iN=HOW", spelling::ints),
        help: "Treat int uniforms, i0 to i3 or by name: x,y,z,w makes a constant, specialized four specialization constants, \
               uniform [default] reads it; may be repeated",
    },
    Row {
        flag: "loop-guard",
        heading: CONTROL,
        is_common: false,
        fields: &[(
            "control.loop_guard",
            &["TranspicaOptions.has_loop_guard", "TranspicaOptions.loop_guard"],
        )],
        form: Form::Spelled("N|none", |text| spelling::number_or_none("control.loop_guard", text)),
        help: "End runs that jump backward more than N times, so that no program runs forever; none by default",
    },
    Row {
        flag: "report-unfinished",
        heading: CONTROL,
        is_common: false,
        fields: &[("control.report_unfinished", &["TranspicaOptions.report_unfinished"])],
        form: Form::Switch("true"),
        help: "Have compute entries report invocations that the loop guard or the driver ended",
    },
    Row {
        flag: "permissive",
        heading: CONTROL,
        is_common: false,
        fields: &[("control.permissive", &["TranspicaOptions.permissive"])],
        form: Form::Switch("true"),
        help: "Treat undefined opcodes as NOP",
    },
    Row {
        flag: "depth",
        heading: OUTPUTS,
        is_common: true,
        fields: &[("outputs.depth", &["TranspicaOptions.depth_range"])],
        form: Form::Choice(
            "RANGE",
            &[
                ("0..w", "\"ZeroToW\"", "Vulkan, WebGPU, Direct3D and Metal, and OpenGL with glClipControl"),
                ("-w..w", "\"MinusWToW\"", "Other OpenGL, and OpenGL ES"),
                ("raw", "\"Raw\"", "As the program writes it, -w..0"),
            ],
        ),
        help: "Range of z that the host clips",
    },
    Row {
        flag: "raw-depth",
        heading: OUTPUTS,
        is_common: false,
        fields: &[("outputs.depth", &["TranspicaOptions.depth_range"])],
        form: Form::Switch("\"Raw\""),
        help: "The same as --depth raw",
    },
    Row {
        flag: "snap-depth",
        heading: OUTPUTS,
        is_common: false,
        fields: &[
            ("outputs.snap_depth.near", &["TranspicaOptions.snap_near"]),
            ("outputs.snap_depth.far", &["TranspicaOptions.snap_far"]),
        ],
        form: Form::Optional("NEAR,FAR", "1e-6,1e-5", spelling::snap_depth),
        help: "Move z of positions a hair outside of the clip volume into it: 0 < z/w < NEAR becomes 0, -1 - FAR < z/w \
               < -1 becomes -1; Azahar's 1e-6,1e-5 if absent",
    },
    Row {
        flag: "flip-y",
        heading: OUTPUTS,
        is_common: true,
        fields: &[("outputs.flip_y", &["TranspicaOptions.flip_y"])],
        form: Form::Choice(
            "HOW",
            &[
                ("never", "\"Never\"", "Keep y as the program writes it"),
                ("always", "\"Always\"", "Negate y"),
                ("host", "\"Dynamic\"", "As the host block says at the draw"),
            ],
        ),
        help: "Mirror y",
    },
    Row {
        flag: "clip",
        heading: OUTPUTS,
        is_common: true,
        fields: &[("outputs.clip_planes", &["TranspicaOptions.clip_planes"])],
        form: Form::Choice(
            "HOW",
            &[
                ("none", "\"None\"", "Clip at the host's volume only"),
                ("builtin", "\"BuiltIn\"", "Clip distances"),
                (
                    "varying",
                    "\"Varying\"",
                    "A varying of two distances; the fragment stage discards negative ones",
                ),
            ],
        ),
        help: "Export the planes z = 0 and the user's",
    },
    Row {
        flag: "raw-colors",
        heading: OUTPUTS,
        is_common: false,
        fields: &[("outputs.clamp_colors", &["TranspicaOptions.keep_colors"])],
        form: Form::Switch("false"),
        help: "Leave colors as written instead of min(|c|, 1)",
    },
    Row {
        flag: "all-outputs",
        heading: OUTPUTS,
        is_common: false,
        fields: &[("outputs.all", &["TranspicaOptions.output_set"])],
        form: Form::Switch("true"),
        help: "Emit every semantic, so that one fragment stage fits every program",
    },
    Row {
        flag: "unmapped",
        heading: OUTPUTS,
        is_common: false,
        fields: &[("outputs.unmapped", &["TranspicaOptions.unmapped"])],
        form: Form::Choice("HOW", &[("default", "\"Default\"", "1"), ("zero", "\"Zero\"", "0")]),
        help: "Value of components of outputs that no register is mapped to",
    },
    Row {
        flag: "layout",
        heading: BLOCK,
        is_common: true,
        fields: &[
            ("block.layout", &["TranspicaOptions.layout"]),
            ("block.layout.Custom.floats", &["TranspicaRegisterLayout.floats"]),
            ("block.layout.Custom.ints", &["TranspicaRegisterLayout.ints"]),
            ("block.layout.Custom.packing", &["TranspicaRegisterLayout.packing"]),
            ("block.layout.Custom.bools", &["TranspicaRegisterLayout.bools"]),
        ],
        form: Form::Spelled("LAYOUT", spelling::layout),
        help: "Layout of the uniform block: symbols [default], a member for each bound symbol; registers, azahar or \
               panda3ds, the complete register file as those hosts have it; or offsets in bytes as JSON, \
               {\"floats\": 80, \"ints\": 16, \"packing\": \"Words\", \"bools\": 0}",
    },
    Row {
        flag: "live-constants",
        heading: BLOCK,
        is_common: false,
        fields: &[("block.fold_constants", &["TranspicaOptions.keep_constants"])],
        form: Form::Switch("false"),
        help: "Keep setup constants in the uniform block instead of folding them",
    },
    Row {
        flag: "padded",
        heading: BLOCK,
        is_common: false,
        fields: &[("block.padded", &["TranspicaOptions.padded"])],
        form: Form::Switch("true"),
        help: "Pad the array of relative reads to c127; the host fills c96..c127 with ones",
    },
    Row {
        flag: "attributes",
        heading: BLOCK,
        is_common: false,
        fields: &[
            ("attributes.*.kind", &["TranspicaOptions.attributes", "TranspicaAttributeFormat.kind"]),
            (
                "attributes.*.components",
                &["TranspicaOptions.attributes", "TranspicaAttributeFormat.components"],
            ),
        ],
        form: Form::Named("vN=KIND[:COUNT],…", spelling::attributes),
        help: "Formats in which the host feeds attributes, v0 to v15 or by name: float, int or uint, and the number of components, 4 \
               by default; v* means all; may be repeated",
    },
    Row {
        flag: "assume",
        heading: BLOCK,
        is_common: false,
        fields: &[
            ("assume.uniforms", &["TranspicaAssumptions.uniforms", "TranspicaPromise.kind"]),
            ("assume.attributes.*", &["TranspicaAssumptions.attributes", "TranspicaPromise.exponent"]),
            ("assume.results", &["TranspicaAssumptions.results"]),
        ],
        form: Form::Named("WHAT=PROMISE,…", spelling::assume),
        help: "Rely on numbers, and drop guards of 0 * inf and tests for NaN that they make needless: uniforms, \
               attributes, one of v0 to v15 or its name, or results of the program's arithmetic, each any, no-nan, finite, or 2^N \
               (also below:N) for magnitudes below 2^N; may be repeated, the last one counts",
    },
    Row {
        flag: "limit",
        heading: LIMITS,
        is_common: false,
        fields: &[
            ("limits.code_words", &["TranspicaLimits.code_words"]),
            ("limits.descriptors", &["TranspicaLimits.descriptors"]),
            ("limits.nodes_per_instruction", &["TranspicaLimits.nodes_per_instruction"]),
            ("limits.nodes_base", &["TranspicaLimits.nodes_base"]),
            ("limits.depth", &["TranspicaLimits.depth"]),
            ("limits.steps", &["TranspicaLimits.steps"]),
            ("limits.values", &["TranspicaLimits.values"]),
            ("limits.output_words", &["TranspicaLimits.output_words"]),
            ("limits.executables", &["TranspicaLimits.executables"]),
        ],
        form: Form::Spelled("NAME=N,…", |text| spelling::members("limits", text, spelling::json)),
        help: "Limit a size of programs, of their translation or of its result: code_words, descriptors, \
               nodes_per_instruction, nodes_base, depth, steps, values, output_words, executables; may be repeated",
    },
    Row {
        flag: "spirv-version",
        heading: TARGET,
        is_common: false,
        fields: &[("spirv_version", &["TranspicaProfile.spirv_major", "TranspicaProfile.spirv_minor"])],
        form: Form::Spelled("1.N", spelling::spirv_version),
        help: "Version of SPIR-V, 1.0 to 1.6; 1.3 by default",
    },
    Row {
        flag: "allow-contraction",
        heading: TARGET,
        is_common: false,
        fields: &[("no_contraction", &["TranspicaProfile.allow_contraction"])],
        form: Form::Switch("false"),
        help: "Let drivers fuse products with sums: results are not exact then",
    },
    Row {
        flag: "variant-position",
        heading: TARGET,
        is_common: false,
        fields: &[("invariant_position", &["TranspicaProfile.variant_position"])],
        form: Form::Switch("false"),
        help: "Do not mark the position as invariant",
    },
    Row {
        flag: "omit-names",
        heading: TARGET,
        is_common: false,
        fields: &[("names", &["TranspicaProfile.omit_names"])],
        form: Form::Switch("false"),
        help: "Write no debug names into SPIR-V",
    },
    Row {
        flag: "bindings",
        heading: TARGET,
        is_common: false,
        fields: &[
            ("bindings.uniforms.set", &["TranspicaBindings.uniform_set"]),
            ("bindings.uniforms.binding", &["TranspicaBindings.uniform_binding"]),
            ("bindings.host.set", &["TranspicaBindings.host_set"]),
            ("bindings.host.binding", &["TranspicaBindings.host_binding"]),
        ],
        form: Form::Spelled("BLOCK=SET:BINDING,…", spelling::bindings),
        help: "Bindings of the blocks of a vertex entry; uniforms=0:0,host=0:1 by default",
    },
    Row {
        flag: "locations",
        heading: TARGET,
        is_common: false,
        fields: &[
            ("locations.position", &["TranspicaLocations.has_position", "TranspicaLocations.position"]),
            ("locations.color", &["TranspicaLocations.color"]),
            ("locations.texcoord0", &["TranspicaLocations.texcoord0"]),
            ("locations.texcoord1", &["TranspicaLocations.texcoord1"]),
            ("locations.texcoord2", &["TranspicaLocations.texcoord2"]),
            ("locations.texcoord0_w", &["TranspicaLocations.texcoord0_w"]),
            ("locations.quaternion", &["TranspicaLocations.quaternion"]),
            ("locations.view", &["TranspicaLocations.view"]),
            ("locations.clip_distances", &["TranspicaLocations.clip_distances"]),
        ],
        form: Form::Spelled("WHERE", spelling::locations),
        help: "Locations of the varyings: dense [default], azahar, or NAME=N,… of position, color, texcoord0, texcoord1, \
               texcoord2, texcoord0_w, quaternion, view, clip_distances; position=none leaves out its copy; may be \
               repeated",
    },
    Row {
        flag: "varyings",
        heading: TARGET,
        is_common: false,
        fields: &[
            ("varyings", &["TranspicaVaryings.varyings", "TranspicaVaryings.varying_count"]),
            ("varyings.*.name", &["TranspicaVarying.name"]),
            ("varyings.*.location", &["TranspicaVarying.location"]),
            ("varyings.*.components", &["TranspicaVarying.components", "TranspicaVarying.component_count"]),
        ],
        form: Form::Spelled("JSON", |text| Ok(vec![spelling::json("varyings".into(), text)?])),
        help: "Varyings of the host's fragment shader in place of --locations, as JSON: [{\"name\": \"v_texcoord0\", \
               \"location\": 2, \"components\": [{\"Code\": 12}, {\"Complement\": 13}, \"One\"]}]",
    },
    Row {
        flag: "glsl-omit-version",
        heading: GLSL,
        is_common: false,
        fields: &[("glsl.version_line", &["TranspicaGlsl.omit_version"])],
        form: Form::Switch("false"),
        help: "Write no #version line",
    },
    Row {
        flag: "glsl-separable",
        heading: GLSL,
        is_common: false,
        fields: &[("glsl.separable", &["TranspicaGlsl.separable"])],
        form: Form::Switch("true"),
        help: "Give varyings of 330 and 400 locations, for separable programs",
    },
    Row {
        flag: "glsl-uniforms",
        heading: GLSL,
        is_common: false,
        fields: &[
            ("glsl.uniforms.block", &["TranspicaGlsl.uniform_block"]),
            ("glsl.uniforms.instance", &["TranspicaGlsl.uniform_instance"]),
        ],
        form: Form::Spelled("BLOCK[:INSTANCE]", |text| spelling::block("glsl.uniforms", text)),
        help: "Names of the uniform block and its instance; Uniforms:uniforms by default. Without an instance, members \
               are global names",
    },
    Row {
        flag: "glsl-host",
        heading: GLSL,
        is_common: false,
        fields: &[
            ("glsl.host.block", &["TranspicaGlsl.host_block"]),
            ("glsl.host.instance", &["TranspicaGlsl.host_instance"]),
        ],
        form: Form::Spelled("BLOCK[:INSTANCE]", |text| spelling::block("glsl.host", text)),
        help: "Names of the host block and its instance; Host:host by default",
    },
    Row {
        flag: "glsl-attributes",
        heading: GLSL,
        is_common: false,
        fields: &[
            ("glsl.attributes.Named", &["TranspicaGlsl.attributes"]),
            ("glsl.attributes.Numbered", &["TranspicaGlsl.numbered_attributes"]),
        ],
        form: Form::Spelled("named:TEXT|numbered:TEXT", spelling::attribute_names),
        help: "Text before the names of attributes, or before their numbers; named:in_ by default",
    },
];
