//! Depth: chains of operations and nests of constructs.

use std::fmt::Write as _;
use transpica_proof::ir;

use super::{check, interface, translate, write};
use transpica::host::EntryPoint;
use transpica::stages::backend::text;

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
fn long_chains_of_shuffles_are_split() {
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

/// A nest of these constructs, one in the other by turns.
fn nest(levels: usize, constructs: &[&str]) -> transpica::stages::ir::Module {
    let mut source =
        "func main {\n%0: f32x4 = input v0\n%1: f32 = shuffle %0.x\n%2: bool = less %1 %1\n".to_owned();
    for level in 0..levels {
        source.push_str(constructs[level % constructs.len()]);
    }
    source.push_str(&"yield }\n".repeat(levels));
    source.push_str("yield %0 }");
    ir::parse(&source).unwrap()
}

const IF: &str = "if %2 {\n";
/// A construct that becomes a switch, whose default has braces of its own: two levels in the text.
const BLOCK: &str = "block {\n if %2 { break } else { yield }\n";

/// Trees nest by braces too (`structure::build`), and all languages are read here.
#[test]
fn a_hundred_nested_braces_are_accepted() {
    for module in [nest(100, &[IF]), nest(50, &[BLOCK]), nest(75, &[IF, BLOCK, IF])] {
        translate(&module, &interface(&module), EntryPoint::Vertex);
    }
}

/// Readers of WGSL stop at 127 braces: a hundred constructs of which a third are blocks have 133.
#[test]
fn deeper_nests_are_errors() {
    for module in [nest(200, &[IF]), nest(100, &[IF, BLOCK, IF])] {
        let error =
            write(&module, &interface(&module), EntryPoint::Vertex, |source| text::wgsl(source, None));
        assert!(error.unwrap_err().to_string().contains("nested"));
    }
}
