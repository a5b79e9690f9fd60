//! The table of settings: one row for each flag, with the paths of the fields that it sets. Parser,
//! help, completions and `tools/cli/settings.md`, the form of the page, the inputs of the fuzzer
//! and the settings of the C interface follow from it. A test compares it with the fields of the
//! library.

use crate::spelling::{self, NamedSpelling, Spelling};
use crate::tree::is_below;

/// A flag.
#[derive(Debug)]
pub struct Row {
    /// Name of the flag, without dashes.
    pub flag: &'static str,
    /// Paths of the fields that it sets; `*` stands for the elements of a list.
    pub fields: &'static [&'static str],
    /// Form of its value.
    pub form: Form,
    /// Help text; the default of a choice is added.
    pub help: &'static str,
}

impl Row {
    /// Returns the heading in help, which names the part of the tree that it sets.
    pub fn heading(&self) -> &'static str {
        match self.path().split('.').next() {
            Some("arithmetic") => "Arithmetic",
            Some("control") => "Control flow",
            Some("outputs") => "Outputs of a vertex stage",
            Some("block" | "input" | "assume") => "Uniforms and attributes",
            Some("limits") => "Limits",
            Some("glsl") => "Names in GLSL",
            _of_profile => "Target",
        }
    }

    /// Returns whether `-h` lists it, not only `--help`.
    pub fn is_common(&self) -> bool {
        COMMON.contains(&self.flag)
    }

    /// Returns the path of what it sets: its field, or the part of the tree that has all of them.
    /// Where no part has all, it is that of the first ones.
    pub fn path(&self) -> &'static str {
        let first = self.fields.first().copied().unwrap_or_default();
        let mut path = first.split(".*").next().unwrap_or(first);
        while let (false, Some((parent, _))) =
            (self.fields.iter().all(|field| is_below(field, path)), path.rsplit_once('.'))
        {
            path = parent;
        }
        path
    }

    /// Returns texts of values that [`changes`](crate::changes) reads; together they set every
    /// field.
    pub fn values(&self) -> Vec<&'static str> {
        match self.form {
            Form::Switch(json) => vec![json],
            Form::Choice(_, words) => words.iter().map(|(word, ..)| *word).collect(),
            Form::Spelled(_, examples, _) | Form::Named(_, examples, _) => examples.to_vec(),
            Form::Optional(_, absent, _) => vec![absent],
        }
    }
}

/// Form of a value; first the name of the value.
#[derive(Clone, Copy, Debug)]
pub enum Form {
    /// No value: sets the field to this JSON text.
    Switch(&'static str),
    /// One of several words, each with its JSON text and its help.
    Choice(&'static str, &'static [(&'static str, &'static str, &'static str)]),
    /// A value of its own spelling, with examples; may be repeated.
    Spelled(&'static str, &'static [&'static str], Spelling),
    /// As [`Spelled`](Self::Spelled), about registers, which may have names.
    Named(&'static str, &'static [&'static str], NamedSpelling),
    /// As [`Spelled`](Self::Spelled), after `=`, by default this text.
    Optional(&'static str, &'static str, Spelling),
}

/// Flags that `-h` lists, not only `--help`.
const COMMON: [&str; 5] = ["precision", "depth", "flip-y", "clip", "layout"];

/// Values of components that nothing wrote or mapped.
const UNDEFINED: &[(&str, &str, &str)] =
    &[("default", "\"Default\"", "(0, 0, 0, 1)"), ("zero", "\"Zero\"", "0")];

/// A table of varyings.
const VARYINGS: &str =
    r#"[{"name": "v_texcoord0", "location": 2, "components": [{"Code": 12}, {"Complement": 13}, "One"]}]"#;

/// Every flag, in the order of help.
pub const ROWS: &[Row] = &[
    Row {
        flag: "precision",
        fields: &["arithmetic.precision"],
        form: Form::Choice(
            "HOW",
            &[
                ("exact", "\"Exact\"", "Matches the reference interpreter bit for bit, in f32"),
                ("fast", "\"Fast\"", "Plain IEEE arithmetic"),
                ("f24", "\"F24\"", "Rounded to float24 after each operation"),
            ],
        ),
        help: "Precision of the arithmetic",
    },
    Row {
        flag: "portable-exponentials",
        fields: &["arithmetic.portable_exponentials"],
        form: Form::Switch("true"),
        help: "Compute EX2 and LG2 with polynomials that return the same results on every driver",
    },
    Row {
        flag: "uninitialized",
        fields: &["arithmetic.uninitialized"],
        form: Form::Choice("HOW", UNDEFINED),
        help: "Value of r and o registers before the program writes them",
    },
    Row {
        flag: "bools",
        fields: &["control.bools.baked", "control.bools.values", "control.bools.specialized"],
        form: Form::Named("bN=HOW,…", &["b0=true,b3=specialized", "b*=false"], spelling::bools),
        help: "Treat bool uniforms (b0 to b15, or by name) as constants that decide control flow (true, false), as specialization constants (specialized), or as uniforms (uniform) [default: uniform]; b* means all; may be repeated",
    },
    Row {
        flag: "ints",
        fields: &["control.ints.baked", "control.ints.specialized"],
        form: Form::Named("iN=HOW", &["i0=3,0,1,0", "i1=specialized"], spelling::ints),
        help: "Treat int uniforms (i0 to i3, or by name) as a constant (x,y,z,w), as four specialization constants (specialized), or as a uniform (uniform) [default: uniform]; may be repeated",
    },
    Row {
        flag: "loop-guard",
        fields: &["control.loop_guard"],
        form: Form::Spelled("N|none", &["100", "none"], |text| {
            spelling::number_or_none("control.loop_guard", text)
        }),
        help: "End runs that jump backward more than N times, so that no program runs forever [default: none]",
    },
    Row {
        flag: "permissive",
        fields: &["control.permissive"],
        form: Form::Switch("true"),
        help: "Treat undefined opcodes as NOP",
    },
    Row {
        flag: "depth",
        fields: &["outputs.depth"],
        form: Form::Choice(
            "RANGE",
            &[
                ("0..w", "\"ZeroToW\"", "Vulkan, WebGPU, Direct3D and Metal, and OpenGL with glClipControl"),
                ("-w..w", "\"MinusWToW\"", "Other OpenGL, and OpenGL ES"),
                ("raw", "\"Raw\"", "As the program writes it, -w..0"),
            ],
        ),
        help: "Range of z that the host clips to",
    },
    Row {
        flag: "raw-depth",
        fields: &["outputs.depth"],
        form: Form::Switch("\"Raw\""),
        help: "Same as --depth raw",
    },
    Row {
        flag: "snap-depth",
        fields: &["outputs.snap_depth.near", "outputs.snap_depth.far"],
        form: Form::Optional("NEAR,FAR", "1e-6,1e-5", spelling::snap_depth),
        help: "Move positions whose z is just outside the clip volume into it: 0 < z/w < NEAR becomes 0, -1 - FAR < z/w < -1 becomes -1; without a value, Azahar's 1e-6,1e-5",
    },
    Row {
        flag: "flip-y",
        fields: &["outputs.flip_y"],
        form: Form::Choice(
            "HOW",
            &[
                ("never", "\"Never\"", "Keep y as the program writes it"),
                ("always", "\"Always\"", "Negate y"),
                ("host", "\"Dynamic\"", "As set in the host block at the draw"),
            ],
        ),
        help: "Mirror y",
    },
    Row {
        flag: "clip",
        fields: &["outputs.clip_planes"],
        form: Form::Choice(
            "HOW",
            &[
                ("none", "\"None\"", "Clip only to the host's volume"),
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
        fields: &["outputs.clamp_colors"],
        form: Form::Switch("false"),
        help: "Leave colors as written instead of clamping them to min(|c|, 1)",
    },
    Row {
        flag: "all-outputs",
        fields: &["outputs.all"],
        form: Form::Switch("true"),
        help: "Emit every semantic, so that one fragment stage fits every program",
    },
    Row {
        flag: "unmapped",
        fields: &["outputs.unmapped"],
        form: Form::Choice("HOW", &[("default", "\"Default\"", "1"), ("zero", "\"Zero\"", "0")]),
        help: "Value of output components that no register is mapped to",
    },
    Row {
        flag: "layout",
        fields: &[
            "block.layout",
            "block.layout.Custom.floats",
            "block.layout.Custom.ints",
            "block.layout.Custom.packing",
            "block.layout.Custom.bools",
        ],
        form: Form::Spelled(
            "LAYOUT",
            &[
                "registers",
                "azahar",
                "panda3ds",
                r#"{"floats": 64, "ints": 16, "packing": "Bytes", "bools": 4}"#,
            ],
            spelling::layout,
        ),
        help: "Layout of the uniform block: symbols [default], a member for each bound symbol; registers, azahar or \
               panda3ds, the complete register file as those hosts lay it out; or offsets in bytes as JSON, \
               {\"floats\": 80, \"ints\": 16, \"packing\": \"Words\", \"bools\": 0}",
    },
    Row {
        flag: "live-constants",
        fields: &["block.fold_constants"],
        form: Form::Switch("false"),
        help: "Keep setup constants in the uniform block instead of folding them",
    },
    Row {
        flag: "padded",
        fields: &["block.padded"],
        form: Form::Switch("true"),
        help: "Pad the array for relative reads to c127; the host fills c96..c127 with ones",
    },
    Row {
        flag: "attributes",
        fields: &["input.formats.*.kind", "input.formats.*.components"],
        form: Form::Named("vN=KIND[:COUNT],…", &["v1=uint:3,v2=int", "v*=float:2"], spelling::attributes),
        help: "Formats in which the host supplies attributes (v0 to v15, or by name): float, int or uint, and the number of components [default: 4]; v* means all; may be repeated",
    },
    Row {
        flag: "assume",
        fields: &["assume.uniforms", "assume.results", "input.promises.*"],
        form: Form::Named(
            "WHAT=PROMISE,…",
            &["uniforms=2^24,attributes=no-nan,results=finite", "v3=2^16", "uniforms=2^-20..2^32"],
            spelling::assume,
        ),
        help: "Rely on promises about numbers, and drop the guards for 0 * inf and tests for NaN that become needless. WHAT is uniforms, attributes, one of v0 to v15 or its name, or results of the program's arithmetic; PROMISE is any, no-nan, finite, 2^N (also below:N) for magnitudes below 2^N, or 2^M..2^N for 0 and magnitudes from 2^M to below 2^N; may be repeated, the last one wins",
    },
    Row {
        flag: "limit",
        fields: &[
            "limits.code_words",
            "limits.descriptors",
            "limits.nodes_per_instruction",
            "limits.nodes_base",
            "limits.depth",
            "limits.steps",
            "limits.values",
            "limits.output_words",
            "limits.executables",
        ],
        form: Form::Spelled(
            "NAME=N,…",
            &[
                "code_words=9,descriptors=9,nodes_per_instruction=9,nodes_base=9,depth=9",
                "steps=9,values=9,output_words=9,executables=9",
            ],
            |text| spelling::members("limits", text, spelling::json),
        ),
        help: "Limit the size of programs, of their translation or of its result: code_words, descriptors, \
               nodes_per_instruction, nodes_base, depth, steps, values, output_words, executables; may be repeated",
    },
    Row {
        flag: "spirv-version",
        fields: &["spirv_version"],
        form: Form::Spelled("1.N", &["1.0", "1.5"], spelling::spirv_version),
        help: "SPIR-V version, 1.0 to 1.6 [default: 1.3]",
    },
    Row {
        flag: "allow-contraction",
        fields: &["no_contraction"],
        form: Form::Switch("false"),
        help: "Let drivers fuse products with sums; results are then no longer exact",
    },
    Row {
        flag: "preserve-nan",
        fields: &["preserve_nan"],
        form: Form::Switch("true"),
        help: "Declare that NaN, infinities and the sign of zero are preserved; NVIDIA's drivers need this for exact results",
    },
    Row {
        flag: "preserve-subnormals",
        fields: &["preserve_subnormals"],
        form: Form::Switch("true"),
        help: "Declare that subnormal numbers are preserved, on drivers that support it",
    },
    Row {
        flag: "variant-position",
        fields: &["invariant_position"],
        form: Form::Switch("false"),
        help: "Do not mark the position as invariant",
    },
    Row {
        flag: "leave-loops-anywhere",
        fields: &["leave_loops_at_head"],
        form: Form::Switch("false"),
        help: "Leave loops where the program does, for GPUs only: llvmpipe and SwiftShader then lose values of loops",
    },
    Row {
        flag: "omit-names",
        fields: &["names"],
        form: Form::Switch("false"),
        help: "Write no debug names into SPIR-V",
    },
    Row {
        flag: "debug",
        fields: &["debug_info"],
        form: Form::Switch("true"),
        help: "Write lines and registers for debuggers into SPIR-V; the source is the disassembly",
    },
    Row {
        flag: "bindings",
        fields: &[
            "bindings.uniforms.set",
            "bindings.uniforms.binding",
            "bindings.host.set",
            "bindings.host.binding",
        ],
        form: Form::Spelled("BLOCK=SET:BINDING,…", &["uniforms=1:2,host=3:4"], spelling::bindings),
        help: "Bindings of a vertex entry's blocks [default: uniforms=0:0,host=0:1]",
    },
    Row {
        flag: "varyings",
        fields: &["varyings.*.name", "varyings.*.location", "varyings.*.components"],
        form: Form::Spelled("TABLE", &["dense", "azahar", VARYINGS], spelling::varyings),
        help: "Varyings of the host's fragment shader: dense [default], azahar, or JSON: [{\"name\": \"v_texcoord0\", \
               \"location\": 2, \"components\": [{\"Code\": 12}, {\"Complement\": 13}, \"One\"]}]",
    },
    Row {
        flag: "glsl-omit-version",
        fields: &["glsl.version_line"],
        form: Form::Switch("false"),
        help: "Write no #version line",
    },
    Row {
        flag: "glsl-omit-extensions",
        fields: &["glsl.extension_lines"],
        form: Form::Switch("false"),
        help: "Write no #extension lines; the host writes them before its own declarations",
    },
    Row {
        flag: "glsl-entry",
        fields: &["glsl.entry"],
        form: Form::Spelled("NAME", &["pica_main"], spelling::entry),
        help: "Name of the function that runs the program, for hosts with their own main [default: main]",
    },
    Row {
        flag: "glsl-outputs",
        fields: &["glsl.outputs"],
        form: Form::Choice(
            "WHERE",
            &[
                ("stage", "\"Stage\"", "Outputs of the stage, and gl_Position"),
                ("globals", "\"Globals\"", "Global variables that the host's main reads"),
            ],
        ),
        help: "Variables that receive the outputs",
    },
    Row {
        flag: "glsl-separable",
        fields: &["glsl.separable"],
        form: Form::Switch("true"),
        help: "Write locations for varyings in 330 and 400, for separable programs",
    },
    Row {
        flag: "glsl-uniforms",
        fields: &["glsl.uniforms.block", "glsl.uniforms.instance"],
        form: Form::Spelled("BLOCK[:INSTANCE]", &["Registers", "Block:instance"], |text| {
            spelling::block("glsl.uniforms", text)
        }),
        help: "Names of the uniform block and its instance [default: Uniforms:uniforms]; without an instance, members are global names",
    },
    Row {
        flag: "glsl-host",
        fields: &["glsl.host.block", "glsl.host.instance"],
        form: Form::Spelled("BLOCK[:INSTANCE]", &["Window:window"], |text| {
            spelling::block("glsl.host", text)
        }),
        help: "Names of the host block and its instance [default: Host:host]",
    },
    Row {
        flag: "glsl-attributes",
        fields: &["glsl.attributes.Named", "glsl.attributes.Numbered"],
        form: Form::Spelled(
            "named:TEXT|numbered:TEXT",
            &["numbered:v", "named:a_"],
            spelling::attribute_names,
        ),
        help: "Prefix of attribute names, or of attribute numbers [default: named:in_]",
    },
];
