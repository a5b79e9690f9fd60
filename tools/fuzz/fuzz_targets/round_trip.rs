//! See `oracles/src/round_trip.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| transpica_proof::fuzz::check("round_trip", bytes));
