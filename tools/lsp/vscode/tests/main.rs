//! The engine of the extension without VS Code: highlighting from the assembler's tables, tests of
//! the samples, linked files.

mod engine;
mod grammar;
