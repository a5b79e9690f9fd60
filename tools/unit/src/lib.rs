//! Tests of shaders: cases in TOML or in Rust, with coverage and mutation.
//! In: sources or a container, values, expected outputs. Out: failures with the instructions that
//! produced a wrong component. Every program runs on `transpica`'s reference machine, which ends
//! every run.
//!
//! ```
//! use transpica_unit::{IDENTITY, Shader, near};
//! let shader = Shader::load(&["../../shaders/textured.v.pica"])?;
//! let run = shader
//!     .vertex()
//!     .uniform("projection", IDENTITY)
//!     .uniform("modelView", IDENTITY)
//!     .attribute("inpos", [0.0, 1.0, 0.0, 1.0])
//!     .attribute("incol", [255.0, 0.0, 51.0, 255.0])
//!     .run();
//! assert_eq!(run.position(), [0.0, 1.0, 0.0, 1.0]);
//! run.assert("color", near([1.0, 0.0, 0.2, 1.0]).epsilon(1e-5));
//! # Ok::<(), transpica_unit::Problem>(())
//! ```
//!
//! # Test files
//!
//! `transpica test` runs the cases of `NAME.test.toml` files:
//!
//! ```toml
//! [uniforms]
//! projection = { perspective = [60, 1.6, 0.1, 100] }
//! modelView = "identity"
//! texScale = [1, 1, 0, 0]
//!
//! [[case]]
//! name = "colors of bytes"
//! attributes = { incol = [255, 0, 51, 255] }
//! expect = { color = { near = [1, 0, 0.2, 1], epsilon = 1e-5 } }
//! rows = [{}, { name = "dark", attributes = { incol = [0, 0, 0, 0] }, expect = { color = [0, 0, 0, 0] } }]
//!
//! [[case]]
//! name = "the near plane has a depth of -w"
//! attributes = { inpos = [0, 0, -0.1, 1] }
//! expect = { position = { near = [0, 0, -0.1, 0.1], epsilon = 1e-7 }, texcoord0 = [0, "_"] }
//! ```
//!
//! | key | of | value |
//! |---|---|---|
//! | `shader` | file | a source or container, or a list of sources; by default `NAME.v.pica` and `NAME.g.pica`, `NAME.shbin`, or `NAME.wgsl` or `.vert` |
//! | `compile` | file | choices for a source in a shading language, as the options of `transpica compile`: `entry`, `output-as`, `scaled`, `assume` |
//! | `lint` | file | `"deny"`: findings of lint fail |
//! | `uniforms` | file, case, row | by name, or by register: `c.4 = [1, 0, 0, 0]`, `i`, `b` |
//! | `attributes` | file, case, row | by name, or `v0`: one to four numbers, others of (0, 0, 0, 1) |
//! | `name` | case, row | its name, required for a case and unique among them |
//! | `program` | case | `"vertex"`, `"geometry"` or the number of a DVLE |
//! | `expect` | case, row | outputs by semantics, as `position` and `texcoord0`, or `o0` |
//! | `rows` | case | runs with values on top of the case's |
//! | `invocations` | case | for a geometry program: a table of v registers, and of delivered uniforms in `c`, for each |
//! | `triangles` | case | a list of three vertices with expected outputs for each, or `{ vertices = […], inverted = true }` |
//! | `calls` | case | procedures that must run |
//! | `instructions` | case | maximum number of instructions of a vertex or an invocation |
//! | `equal` | case | a source or container, or a list of sources, whose program computes the same; bools and ints of the case's `uniforms` are known; what hosts of two shaders compute must be written alike |
//! | `budget` | case | limit after which a run counts as endless, by default 2^20 |
//!
//! A case with `picture = "lights.png"` draws a mesh and compares it with the picture next to the
//! file, which `transpica test --bless` writes. Its uniforms take precedence over those guessed
//! from names; `mesh` is `"lathe"`, `"quad"`, `"cube"`, `"sphere"` or `"hills"`, and `differing`
//! the maximum number of pixels that may differ, by default 0.
//!
//! Values of a case take precedence over those of the file, and those of a row over both, register
//! by register: a name may stand for a register that another layer sets by number. Within one of
//! them, two names for a register are an error. Each case and each row of one must expect something
//! that can fail, and some row must use what its case expects. A bool may be 0 or 1.
//!
//! Uniforms of the file that only another of its programs has are left out.
//!
//! Expected values are numbers that must be equal (+0 equals -0, NaN is `nan`), `"_"` for any
//! value, or `{ near = […], ulp = N }` or `{ near = […], epsilon = X }`. Numbers that TOML cannot
//! express are strings: `"0x3f800000"` for bits, `"1/255"`.
//!
//! A uniform of three or four registers may be a matrix: `"identity"`, or one of `look_at` (eye,
//! target, up), `perspective` (degrees upwards, ratio of width to height, near, far), `ortho`
//! (left, right, bottom, top, near, far), `translate`, `scale`, `rotate` (axis, degrees), `product`
//! (a list of matrices). See [`matrix`].
//!
//! A uniform of more registers may be a list of vectors and matrices, one after the other, or a
//! table of them by the index of their first register: `bones = { 3 = { translate = [1, 2, 3] } }`.
//! Other registers keep their values. Matrices have 3 or 4 rows: as many as fill the uniform, or as
//! their places and the number of its registers are multiples of.
//!
//! Geometry programs always run on the reference machine.
//!
//! # Sources in WGSL, GLSL and SPIR-V
//!
//! With the feature `source`, the shader may be a `.wgsl`, `.vert`, `.glsl`, `.vs` or `.spv` file.
//! Then `uniforms` has the names and types of the source: `model`, a member of a struct variable as
//! `scene.view` or `view`, `"lights[0].color"`; a table for a struct, and for an array a list or a
//! table by index. Uniforms without a value are zeros, and the host's part of the program computes
//! registers from them. Projections have the depth that the source writes.
//!
//! ```toml
//! [uniforms]
//! scene = { view = "identity", projection = { perspective = [60, 1.6, 0.1, 100] } }
//! model = { rotate = [0, 1, 0, 30] }
//! lights = [{ color = [1, 0.5, 0], power = 2 }]
//! ```
//!
//! A declared name stands for the registers that the host computes from it, where it has precedence
//! as they have: a case's `lit = false` replaces a file's `b.0 = true`. A number that only bools
//! depend on may be `true` or `false`. Attributes and outputs have the names of the source, too.
#![forbid(unsafe_code)]

mod case;
mod complete;
pub mod coverage;
#[cfg(feature = "source")]
mod declared;
#[cfg(not(feature = "source"))]
#[path = "undeclared.rs"]
mod declared;
mod expect;
mod file;
mod keys;
pub mod matrix;
mod mutate;
mod picture;
mod program;
mod report;
mod run;
mod shader;
#[cfg(feature = "proptest")]
pub mod strategies;
mod toml;
mod twin;
mod values;

#[cfg(test)]
mod tests;

/// Returns whether a file is compiled before it is tested, by its extension: a source in a shading
/// language. None is without the feature `source`.
///
/// ```
/// use std::path::Path;
/// assert!(!transpica_unit::is_compiled(Path::new("hero.v.pica")));
/// assert_eq!(transpica_unit::is_compiled(Path::new("hero.vert")), cfg!(feature = "source"));
/// ```
pub fn is_compiled(path: &Path) -> bool {
    declared::is_source(path)
}

use std::path::Path;

pub use case::{Case, Checked, ExpectedTriangle, Row};
pub use complete::complete;
pub use expect::{Difference, Expectation, Expected, Output, Tolerance, near};
pub use file::{ENDING, Files, TestFile};
pub use keys::manual;
pub use matrix::IDENTITY;
pub use mutate::Mutant;
pub use picture::PictureCase;
pub use program::{Argument, ProgramRun, Ran};
pub use run::{BUDGET, Outcome, Trial, Triangle, Vertex, run};
pub use shader::{Executable, Problem, Shader};
pub use transpica_inspect::executor::{Batched, Cpu, Executor};
pub use twin::Twin;
