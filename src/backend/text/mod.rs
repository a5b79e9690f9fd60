//! WGSL and GLSL in the form of hand-written code.
//! In: a [`BackendInput`](super::BackendInput): a legalized module of the intermediate form, the
//! host interface and profile. Out: text that begins with comments naming the source, the program
//! and the entry. Knows neither PICA200 encodings nor control-flow graphs.
//!
//! | file | what it does |
//! |---|---|
//! | `functions.rs`, `module.rs` | the functions one by one; what they share |
//! | `kept.rs` | texts of functions that modules share, kept in these |
//! | `build/` | the draft of a function: `region.rs`, `carry.rs` control flow and its variables, `loops.rs` loops as `for` and `while`, `entry.rs` attributes, buffers, outputs, `operations.rs` an expression for each operation |
//! | `draft/` | the lines and expressions that these build; `uses.rs`, `scopes.rs`, `stores.rs` what `facts.rs` holds about them; `inline.rs` which expressions get a name, decided once |
//! | `names/` | identifiers; `labels.rs` names of expressions that come from no register |
//! | `print/` | lines as text; `expressions.rs`, `syntax.rs` what is in them; `switchless.rs` a `switch` as tests, for GLSL that has none in loops |
//! | `put.rs` | pieces of a text at its end, without `fmt` |
//! | `products.rs` | dot products that are the product of a vector and a matrix |
//! | `head.rs`, `declarations.rs` | comments and `#extension` lines; types, blocks and buffers |
//! | `language.rs` | the languages, naga's among them |
//! | `wgsl.rs`, `glsl.rs`, `quaternions.rs` | WGSL and GLSL as a whole; the one stage without a program |
//! | `dialect/` | the languages as tables: spellings, `versions.rs` of GLSL, `operators.rs` a row for each operation |

mod build;
mod declarations;
mod dialect;
mod draft;
mod functions;
mod glsl;
pub(super) mod head;
mod kept;
mod language;
pub(super) mod module;
mod names;
mod print;
mod products;
mod put;
mod quaternions;
mod wgsl;

#[cfg(feature = "glsl")]
pub use dialect::versions::GlslVersion;
#[cfg(feature = "glsl")]
pub use glsl::{extensions, glsl};
pub use language::{Language, write, write_placed};
#[cfg(feature = "wgsl")]
pub use wgsl::wgsl;
