//! Cache keys, recorded words, the same bytes again.

mod determinism;
mod equality;
mod key_values;
mod key_verdicts;
mod recorded;
mod values;
