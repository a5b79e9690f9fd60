//! Modules of the intermediate form as text and as results.
//! In: text, or a module and the values of its inputs. Out: modules, or outputs. Knows no host.
//!
//! [`parse`](fn@parse) reads what `ir::text::print` writes, whose page has the grammar.
//! [`eval`](mod@eval) is the reference that translated modules are compared with.

pub mod eval;
mod lex;
mod parse;

pub use eval::{Evaluator, InputValues, Lanes, ModuleInputs, eval, same, same_numbers};
pub use lex::SyntaxError;
pub use parse::parse;
