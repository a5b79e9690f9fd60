//! Differences between WGSL and GLSL: a table of spellings and capabilities.
//! In: the version of GLSL. Out: a [`Dialect`]. Knows no lines and no expressions.
//! Facts: the WGSL and GLSL specifications; WGSL's template rule: `a < b` in a list of arguments
//! could begin a template that a later `>` ends.

pub mod operators;
pub mod versions;

use self::operators::Level;
use self::versions::{GlslVersion, Marks};
use crate::backend::text::put::put;
use crate::ir::Type;
use crate::support::names::{WordFilter, is_keyword};

/// A language.
pub struct Dialect {
    /// The version of GLSL.
    pub version: Option<GlslVersion>,
    /// Names of scalar and vector types: a row for each [`ScalarKind`](crate::ir::ScalarKind), by
    /// number of lanes.
    types: [[&'static str; 4]; 4],
    /// Declarations begin with the type and have no word of their own, as in C.
    pub is_type_first: bool,
    /// Qualifier in front of an exact declaration.
    pub exact: &'static str,
    /// Arithmetic that needs the qualifier.
    pub marks: Marks,
    /// Text around the number of a specialization constant.
    pub constant_id: [&'static str; 2],
    /// Attributes and outputs are global variables, not parameters and a result.
    pub has_globals: bool,
    /// Text around the condition of an `if` and the selector of a `switch`.
    pub condition: [&'static str; 2],
    /// The line before the body of a loop.
    pub endless: &'static str,
    /// Every loop needs an exit, even if it is never taken.
    pub needs_exit: bool,
    /// Every driver takes a `switch` inside a loop.
    pub switches: bool,
    /// A case without a jump runs into the next one, and has one value.
    pub falls_through: bool,
    /// The line of the case for all other values.
    pub default: &'static str,
    /// Operators and selections take vectors; else functions do, some of them defined by the text.
    pub takes_vectors: bool,
    /// A uniform that the program multiplies by is declared as a matrix. Hosts of GLSL ask for the
    /// elements of an array by name.
    pub has_matrices: bool,
    /// The function that selects lanes takes integers and conditions, not only floats.
    pub selects_all: bool,
    /// The function that selects one of two values. A scalar one has `?:` in GLSL.
    pub select: &'static str,
    /// The word `bitcast` reinterprets bits, not a function for each type.
    pub has_bitcast: bool,
    /// Constants of functions have the suffix of their type.
    pub has_suffixes: bool,
    /// End of the last of several lines of arguments.
    pub last_argument: &'static str,
    /// The least integer, which has no literal: its magnitude exceeds the largest integer.
    pub least_int: &'static str,
    /// Binding strength required of an argument before others.
    pub argument: Level,
    /// Expression for the number of vertices in the output buffer.
    pub length: &'static str,
    /// Returns whether a word is reserved.
    pub reserved: fn(&str) -> bool,
}

/// WGSL.
pub const WGSL: Dialect = Dialect {
    version: None,
    types: [
        ["f32", "vec2f", "vec3f", "vec4f"],
        ["i32", "vec2i", "vec3i", "vec4i"],
        ["u32", "vec2u", "vec3u", "vec4u"],
        ["bool", "vec2<bool>", "vec3<bool>", "vec4<bool>"],
    ],
    is_type_first: false,
    exact: "",
    marks: Marks::Nothing,
    constant_id: ["@id(", ") override "],
    has_globals: false,
    condition: ["", ""],
    endless: "loop {\n",
    needs_exit: true,
    switches: true,
    falls_through: false,
    default: "default {\n",
    takes_vectors: true,
    has_matrices: true,
    selects_all: true,
    select: "select",
    has_bitcast: true,
    has_suffixes: true,
    last_argument: ",\n",
    least_int: "i32(-2147483648)",
    // A `<` could find its `>` in a later argument.
    argument: Level::Bits,
    length: "arrayLength(&outputs)",
    reserved: |name| match name {
        // Functions that the text calls, besides those whose names are keywords of some target.
        "arrayLength" | "exp2" | "log2" => true,
        // Words of ours that are keywords of other targets alone.
        "thread" | "vertex" => false,
        _ => is_keyword(name),
    },
};

/// Functions and macros that GLSL uses, besides keywords of the targets.
#[rustfmt::skip]
const GLSL_WORDS: [&str; 16] = [
    "PRECISE", "VULKAN", "equal", "exp2", "floatBitsToInt", "floatBitsToUint", "greaterThan",
    "greaterThanEqual", "intBitsToFloat", "lessThan", "lessThanEqual", "log2", "mix", "not", "notEqual",
    "uintBitsToFloat",
];
const GLSL_FILTER: WordFilter<8> = WordFilter::new(&GLSL_WORDS);

/// GLSL of a version.
pub const fn glsl(version: GlslVersion) -> Dialect {
    let row = version.row();
    Dialect {
        version: Some(version),
        types: [
            ["float", "vec2", "vec3", "vec4"],
            ["int", "ivec2", "ivec3", "ivec4"],
            ["uint", "uvec2", "uvec3", "uvec4"],
            ["bool", "bvec2", "bvec3", "bvec4"],
        ],
        is_type_first: true,
        exact: row.precise(),
        marks: row.marks(),
        constant_id: ["layout(constant_id = ", ") const "],
        has_globals: true,
        condition: ["(", ")"],
        endless: "for (;;) {\n",
        needs_exit: false,
        switches: row.switches,
        falls_through: true,
        default: "default: {\n",
        takes_vectors: false,
        has_matrices: false,
        selects_all: row.mixes_all,
        select: "mix",
        has_bitcast: false,
        has_suffixes: false,
        last_argument: "\n",
        least_int: "int(0x80000000u)",
        argument: Level::Choice,
        length: "uint(outputs.length())",
        reserved: |name| {
            GLSL_FILTER.may_have(name) && GLSL_WORDS.contains(&name)
                || name.starts_with("gl_")
                || name.starts_with("GL_")
                || is_keyword(name)
        },
    }
}

impl Dialect {
    /// Returns the name of a type.
    pub const fn ty(&self, ty: Type) -> &'static str {
        self.types[ty.kind as usize][(ty.lanes as usize - 1) & 3]
    }

    /// Writes a declaration without its value: a name and its type.
    #[inline]
    pub fn pair(&self, out: &mut String, name: &str, ty: Type) {
        let ty = self.ty(ty);
        if self.is_type_first {
            put!(out, ty, " ", name);
        } else {
            put!(out, name, ": ", ty);
        }
    }
}
