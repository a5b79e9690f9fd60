//! Bindings in every language, and build scripts of cargo.

mod compile;
mod example;
mod vertices;
