//! Texts: what comes out, as modules, texts and reflections, and under which `keys`.

#[macro_use]
extern crate transpica_proof;

mod assembler;
mod corpus;
mod debug_info;
mod disassembler;
mod glsl;
mod glsl_names;
mod hlsl_msl;
mod keys;
mod places;
mod printer;
mod private_arrays;
mod reflection;
mod second_evaluation;
mod source_names;
mod spirv;
mod wgsl_text;

#[path = "../../tools/containers/tests/again.rs"]
mod again;
mod products;
#[path = "../support/samples.rs"]
mod samples;
