//! Depth: chains of operations and nests of constructs.

use std::fmt::Write as _;

use super::{check, interface};
use crate::backend::{naga_ir, text};
use crate::host::{Options, Profile};
use crate::ir;

/// Runs `work` with as little stack as a host may give.
fn on_a_small_stack(kibibytes: usize, work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(kibibytes << 10).spawn(work).unwrap().join().unwrap();
}

#[test]
fn four_thousand_dependent_products_need_little_stack() {
    on_a_small_stack(512, || {
        let mut source = "func main {\n%0: f32x4 = input v0\n%1: f32x4 = input v1\n".to_owned();
        for value in 2..4098 {
            writeln!(source, "%{value}: f32x4 = mul %{} %0", value - 1).unwrap();
        }
        source.push_str("yield %4097 }");
        check(&source);
    });
}

#[test]
fn chains_of_other_links_are_cut_too() {
    on_a_small_stack(512, || {
        let mut source = "func main {\n%0: f32x4 = input v0\n%1: f32 = shuffle %0.x\n".to_owned();
        for value in (2..2000).step_by(2) {
            writeln!(source, "%{value}: f32x4 = shuffle %{}.x %0.y %0.z %0.w", value - 1).unwrap();
            writeln!(source, "%{}: f32 = shuffle %{value}.x", value + 1).unwrap();
        }
        source.push_str("yield %1998 }");
        check(&source);
    });
}

#[test]
fn a_hundred_nested_constructs_pass() {
    let mut source =
        "func main {\n%0: f32x4 = input v0\n%1: f32 = shuffle %0.x\n%2: bool = less %1 %1\n".to_owned();
    for level in 0..100 {
        source.push_str(["if %2 {\n", "block {\n if %2 { break } else { yield }\n", "if %2 {\n"][level % 3]);
    }
    for _ in 0..100 {
        source.push_str("yield }\n");
    }
    source.push_str("yield %0 }");
    let module = ir::text::parse(&source).unwrap();
    let interface = interface(&module);
    let built = naga_ir::build(&module, &interface, &Options::default(), &Profile::default()).unwrap();
    naga_ir::validate(&built).unwrap();
    text::wgsl(&built, &interface).unwrap();
    text::glsl(&built, &interface, text::GlslVersion::default(), &Profile::default()).unwrap();
    text::hlsl(&built, &interface).unwrap();
    text::msl(&built, &interface).unwrap();
}

#[test]
fn deeper_nests_are_errors() {
    let mut source =
        "func main {\n%0: f32x4 = input v0\n%1: f32 = shuffle %0.x\n%2: bool = less %1 %1\n".to_owned();
    source.push_str(&"if %2 {\n".repeat(200));
    source.push_str(&"yield }\n".repeat(200));
    source.push_str("yield %0 }");
    let module = ir::text::parse(&source).unwrap();
    let interface = interface(&module);
    let error = naga_ir::build(&module, &interface, &Options::default(), &Profile::default());
    assert!(error.unwrap_err().to_string().contains("nested"));
}
