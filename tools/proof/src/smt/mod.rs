//! Proofs for all inputs: rewrites, lowering of instructions and helper functions as questions for
//! SMT solvers.
//! In: the passes and the lifting of the library, run on small functions. Out: scripts in SMT-LIB,
//! and the list of those that solvers proved. Knows no solver but by its answers.
//!
//! Terms, their scripts, the meaning of the IR's operations and the walk over two functions are
//! those of `transpica_compile::equal`.
//!
//! Files: `spec.rs` the PICA200's instructions; `rules.rs` questions about rewrites, `legal.rs`
//! about legalization and lifting, `ranges.rs` about ranges; `question.rs` the list of answers;
//! `enumerate.rs` functions of one float, for all of them; `mutants.rs` wrong rules and numbers
//! that show them; `ask.rs` the solvers.

pub mod ask;
pub mod enumerate;
pub mod legal;
pub mod mutants;
pub mod question;
pub mod ranges;
pub mod rules;
pub mod spec;

#[cfg(test)]
mod tests;
