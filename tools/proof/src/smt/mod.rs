//! Proofs for all inputs: rewrites, lowering of instructions and helper functions as questions for
//! SMT solvers.
//! In: the passes and the lifting of the library, run on small functions. Out: scripts in SMT-LIB,
//! and the list of those that solvers proved. Knows no solver but by its answers.
//!
//! Files: `term.rs` terms and scripts; `meaning.rs` the IR's operations, `symbols.rs` and
//! `equal.rs` its functions; `spec.rs` the PICA200's instructions; `rules.rs` questions about
//! rewrites, `legal.rs` about legalization and lifting, `ranges.rs` about ranges; `question.rs` the
//! list of answers; `enumerate.rs` functions of one float, for all of them; `mutants.rs` wrong
//! rules and numbers that show them; `ask.rs` the solvers.

pub mod ask;
pub mod enumerate;
pub mod equal;
pub mod legal;
pub mod meaning;
pub mod mutants;
pub mod question;
pub mod ranges;
pub mod rules;
pub mod spec;
pub mod symbols;
pub mod term;

#[cfg(test)]
mod tests;
