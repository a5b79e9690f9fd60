//! See `oracles/src/scan.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| transpica_proof::fuzz::check("scan", bytes));
