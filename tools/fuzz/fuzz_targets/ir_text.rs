//! See `oracles/src/ir_text.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| transpica_proof::fuzz::check("ir_text", bytes));
