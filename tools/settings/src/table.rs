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

/// Words of a choice: each with its JSON text and its help.
pub(crate) type Words = &'static [(&'static str, &'static str, &'static str)];

/// Flags that `-h` lists, not only `--help`.
const COMMON: [&str; 5] = ["precision", "depth", "flip-y", "clip", "layout"];

/// Values of `functions`.
const FUNCTIONS: Words = &[
    ("portable", "\"Portable\"", "The same results on every driver"),
    ("driver", "\"Driver\"", "The driver's, whose last bits differ"),
];

/// Values of components that nothing wrote or mapped.
const UNDEFINED: Words = &[("default", "\"Default\"", "(0, 0, 0, 1)"), ("zero", "\"Zero\"", "0")];

/// A table of varyings.
const VARYINGS: &str =
    r#"[{"name": "v_texcoord0", "location": 2, "components": [{"Code": 12}, {"Complement": 13}, "One"]}]"#;

/// Values of `precision`.
const PRECISIONS: Words = &[
    ("exact", "\"Exact\"", "Matches the reference interpreter bit for bit, in f32"),
    ("fast", "\"Fast\"", "Plain IEEE arithmetic"),
    ("f24", "\"F24\"", "Rounded to float24 after each operation"),
];

/// Values of `depth`.
const DEPTHS: Words = &[
    ("0..w", "\"ZeroToW\"", "Vulkan, WebGPU, Direct3D and Metal, and OpenGL with glClipControl"),
    ("-w..w", "\"MinusWToW\"", "Other OpenGL, and OpenGL ES"),
    ("raw", "\"Raw\"", "As the program writes it, -w..0"),
];

/// Values of `flip-y`.
const FLIPS: Words = &[
    ("never", "\"Never\"", "Keep y as the program writes it"),
    ("always", "\"Always\"", "Negate y"),
    ("host", "\"Dynamic\"", "As set in the host block at the draw"),
];

/// Values of `clip`.
const CLIPS: Words = &[
    ("none", "\"None\"", "Clip only to the host's volume"),
    ("builtin", "\"BuiltIn\"", "Clip distances"),
    ("varying", "\"Varying\"", "A varying of two distances; the fragment stage discards negative ones"),
];

/// Values of `glsl-outputs`.
const GLSL_OUTPUTS: Words = &[
    ("stage", "\"Stage\"", "Outputs of the stage, and gl_Position"),
    ("globals", "\"Globals\"", "Global variables that the host's main reads"),
];

/// Begins the row of a flag.
const fn row(flag: &'static str, fields: &'static [&'static str], form: Form) -> Row {
    Row { flag, fields, form, help: "" }
}

impl Row {
    const fn help(self, help: &'static str) -> Self {
        Self { help, ..self }
    }
}

/// Every flag, in the order of help.
pub const ROWS: &[Row] = &[
    row("precision", &["arithmetic.precision"], Form::Choice("HOW", PRECISIONS))
        .help("Precision of the arithmetic"),
    row("functions", &["arithmetic.functions"], Form::Choice("WHOSE", FUNCTIONS))
        .help("Functions behind RCP, RSQ, EX2 and LG2"),
    row("uninitialized", &["arithmetic.uninitialized"], Form::Choice("HOW", UNDEFINED))
        .help("Value of r and o registers before the program writes them; with zero, nothing is drawn where a program never writes position.w"),
    row(
        "bools",
        &["control.bools.baked", "control.bools.values", "control.bools.specialized"],
        Form::Named("bN=HOW,…", &["b0=true,b3=specialized", "b*=false"], spelling::bools),
    )
    .help(
        "Treat bool uniforms (b0 to b15, or by name) as constants that decide control flow (true, false), as \
         specialization constants (specialized), or as uniforms (uniform) [default: uniform]; b* means all; \
         may be repeated",
    ),
    row(
        "ints",
        &["control.ints.baked", "control.ints.specialized"],
        Form::Named("iN=HOW", &["i0=3,0,1,0", "i1=specialized"], spelling::ints),
    )
    .help(
        "Treat int uniforms (i0 to i3, or by name) as a constant (x,y,z,w), as four specialization constants \
         (specialized), or as a uniform (uniform) [default: uniform]; may be repeated",
    ),
    row(
        "loop-guard",
        &["control.loop_guard"],
        Form::Spelled("N|none", &["100", "none"], |text| {
            spelling::number_or_none("control.loop_guard", text)
        }),
    )
    .help("End runs that jump backward more than N times, so that no program runs forever [default: none]"),
    row("permissive", &["control.permissive"], Form::Switch("true")).help("Treat undefined opcodes as NOP"),
    row("depth", &["outputs.depth"], Form::Choice("RANGE", DEPTHS)).help("Range of z that the host clips to"),
    row("raw-depth", &["outputs.depth"], Form::Switch("\"Raw\"")).help("Same as --depth raw"),
    row(
        "snap-depth",
        &["outputs.snap_depth.near", "outputs.snap_depth.far"],
        Form::Optional("NEAR,FAR", "1e-6,1e-5", spelling::snap_depth),
    )
    .help(
        "Move positions whose z is just outside the clip volume into it: 0 < z/w < NEAR becomes 0, -1 - FAR \
         < z/w < -1 becomes -1; without a value, Azahar's 1e-6,1e-5",
    ),
    row("flip-y", &["outputs.flip_y"], Form::Choice("HOW", FLIPS)).help("Mirror y"),
    row("clip", &["outputs.clip_planes"], Form::Choice("HOW", CLIPS))
        .help("Export the planes z = 0 and the user's"),
    row("raw-colors", &["outputs.clamp_colors"], Form::Switch("false"))
        .help("Leave colors as written instead of clamping them to min(|c|, 1)"),
    row("all-outputs", &["outputs.all"], Form::Switch("true"))
        .help("Emit every semantic, so that one fragment stage fits every program"),
    row(
        "unmapped",
        &["outputs.unmapped"],
        Form::Choice("HOW", &[("default", "\"Default\"", "1"), ("zero", "\"Zero\"", "0")]),
    )
    .help("Value of output components that no register is mapped to"),
    row("reverse-ends", &["outputs.reverse_ends"], Form::Switch("true"))
        .help("Reverse triangles of geometry programs as (2, 1, 0) instead of (1, 0, 2)"),
    row(
        "layout",
        &[
            "block.layout",
            "block.layout.Custom.floats",
            "block.layout.Custom.ints",
            "block.layout.Custom.packing",
            "block.layout.Custom.bools",
        ],
        Form::Spelled(
            "LAYOUT",
            &[
                "registers",
                "azahar",
                "panda3ds",
                r#"{"floats": 64, "ints": 16, "packing": "Bytes", "bools": 4}"#,
            ],
            spelling::layout,
        ),
    )
    .help(
        "Layout of the uniform block: symbols [default], a member for each bound symbol; registers, azahar \
         or panda3ds, the complete register file as those hosts lay it out; or offsets in bytes as JSON, \
         {\"floats\": 80, \"ints\": 16, \"packing\": \"Words\", \"bools\": 0}",
    ),
    row("live-constants", &["block.fold_constants"], Form::Switch("false"))
        .help("Keep setup constants in the uniform block instead of folding them"),
    row("padded", &["block.padded"], Form::Switch("true"))
        .help("Pad the array for relative reads to c127; the host fills c96..c127 with ones"),
    row(
        "attributes",
        &["input.formats.*.kind", "input.formats.*.components"],
        Form::Named("vN=KIND[:COUNT],…", &["v1=uint:3,v2=int", "v*=float:2"], spelling::attributes),
    )
    .help(
        "Formats in which the host supplies attributes (v0 to v15, or by name): float, int or uint, and the \
         number of components [default: 4]; v* means all; may be repeated",
    ),
    row(
        "assume",
        &["assume.uniforms", "assume.results", "input.promises.*"],
        Form::Named(
            "WHAT=PROMISE,…",
            &["uniforms=2^24,attributes=no-nan,results=finite", "v3=2^16", "uniforms=2^-20..2^32"],
            spelling::assume,
        ),
    )
    .help(
        "Rely on promises about numbers, and drop the guards for 0 * inf and tests for NaN that become \
         needless. WHAT is uniforms, attributes, one of v0 to v15 or its name, or results of the program's \
         arithmetic; PROMISE is any, no-nan, finite, 2^N (also below:N) for magnitudes below 2^N, or \
         2^M..2^N for 0 and magnitudes from 2^M to below 2^N; may be repeated, the last one wins",
    ),
    row(
        "limit",
        &[
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
        Form::Spelled(
            "NAME=N,…",
            &[
                "code_words=9,descriptors=9,nodes_per_instruction=9,nodes_base=9,depth=9",
                "steps=9,values=9,output_words=9,executables=9",
            ],
            |text| spelling::members("limits", text, spelling::json),
        ),
    )
    .help(
        "Limit the size of programs, of their translation or of its result: code_words, descriptors, \
         nodes_per_instruction, nodes_base, depth, steps, values, output_words, executables; may be repeated",
    ),
    row("spirv-version", &["spirv_version"], Form::Spelled("1.N", &["1.0", "1.5"], spelling::spirv_version))
        .help("SPIR-V version, 1.0 to 1.6 [default: 1.3]"),
    row("allow-contraction", &["no_contraction"], Form::Switch("false"))
        .help("Let drivers fuse products with sums; results are then no longer exact"),
    row(
        "float-controls",
        &["float_controls.nan", "float_controls.subnormals", "float_controls.rounding"],
        Form::Spelled("RULE,…", &["nan,subnormals,rounding", "all"], spelling::float_controls),
    )
    .help(
        "Rules of float arithmetic that SPIR-V modules declare, on drivers that report them: nan (NaN, infinities \
         and the sign of zero are kept), subnormals (are kept), rounding (to nearest), all, none [default]",
    ),
    row("float-controls2", &["float_controls2"], Form::Switch("true")).help(
        "Declare what NaN and fused products may do by SPV_KHR_float_controls2 (Vulkan 1.4), as one mode instead of \
         a decoration of each operation",
    ),
    row("variant-position", &["invariant_position"], Form::Switch("false"))
        .help("Do not mark the position as invariant"),
    row("leave-loops-anywhere", &["leave_loops_at_head"], Form::Switch("false")).help(
        "Leave loops where the program does, for GPUs only: llvmpipe and SwiftShader then lose values of \
         loops",
    ),
    row("omit-names", &["names"], Form::Switch("false")).help("Write no debug names into SPIR-V"),
    row("debug", &["debug_info"], Form::Switch("true"))
        .help("Write lines and registers for debuggers into SPIR-V: those of the source, or of the disassembly of a binary"),
    row(
        "bindings",
        &[
            "bindings.uniforms.set",
            "bindings.uniforms.binding",
            "bindings.host.set",
            "bindings.host.binding",
            "bindings.again.set",
            "bindings.again.binding",
        ],
        Form::Spelled("BLOCK=SET:BINDING,…", &["uniforms=1:2,host=3:4,again=5:6"], spelling::bindings),
    )
    .help("Bindings of a vertex entry's blocks [default: uniforms=0:0,host=0:1,again=0:2]"),
    row(
        "varyings",
        &["varyings.*.name", "varyings.*.location", "varyings.*.components"],
        Form::Spelled("TABLE", &["dense", "azahar", VARYINGS], spelling::varyings),
    )
    .help(
        "Varyings of the host's fragment shader: dense [default], azahar, or JSON: [{\"name\": \
         \"v_texcoord0\", \"location\": 2, \"components\": [{\"Code\": 12}, {\"Complement\": 13}, \"One\"]}]",
    ),
    row("glsl-omit-version", &["glsl.version_line"], Form::Switch("false")).help("Write no #version line"),
    row("glsl-omit-extensions", &["glsl.extension_lines"], Form::Switch("false"))
        .help("Write no #extension lines; the host writes them before its own declarations"),
    row("glsl-entry", &["glsl.entry"], Form::Spelled("NAME", &["pica_main"], spelling::entry))
        .help("Name of the function that runs the program, for hosts with their own main [default: main]"),
    row("glsl-outputs", &["glsl.outputs"], Form::Choice("WHERE", GLSL_OUTPUTS))
        .help("Variables that receive the outputs"),
    row("glsl-separable", &["glsl.separable"], Form::Switch("true"))
        .help("Write locations for varyings in 330 and 400, for separable programs"),
    row(
        "glsl-uniforms",
        &["glsl.uniforms.block", "glsl.uniforms.instance"],
        Form::Spelled("BLOCK[:INSTANCE]", &["Registers", "Block:instance"], |text| {
            spelling::block("glsl.uniforms", text)
        }),
    )
    .help(
        "Names of the uniform block and its instance [default: Uniforms:uniforms]; without an instance, \
         members are global names",
    ),
    row(
        "glsl-host",
        &["glsl.host.block", "glsl.host.instance"],
        Form::Spelled("BLOCK[:INSTANCE]", &["Window:window"], |text| spelling::block("glsl.host", text)),
    )
    .help("Names of the host block and its instance [default: Host:host]"),
    row(
        "glsl-again",
        &["glsl.again.block", "glsl.again.instance"],
        Form::Spelled("BLOCK[:INSTANCE]", &["Before:before"], |text| spelling::block("glsl.again", text)),
    )
    .help(
        "Names of the block of a second evaluation, which hooks of the library add \
         [default: UniformsAgain:uniforms_again]",
    ),
    row(
        "glsl-attributes",
        &["glsl.attributes.Named", "glsl.attributes.Numbered"],
        Form::Spelled("named:TEXT|numbered:TEXT", &["numbered:v", "named:a_"], spelling::attribute_names),
    )
    .help("Prefix of attribute names, or of attribute numbers [default: named:in_]"),
];
