//! MSL read by a C++ compiler, for tests. Metal's own compilers run on Apple's systems alone; MSL is C++14 with a library, and the
//! header beside this file stands for that. So syntax, names, types and overloads are checked; address spaces and attributes
//! are not, and slots of buffers by [`slots`].

use crate::spirv_tools::tool;

/// Where the header is.
const LIBRARY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/metal");

/// Reads texts, all at once: the header takes longer than they do.
///
/// # Errors
/// What the compiler has against them, by their names; or how to install it.
pub fn read<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<(), String> {
    let mut source = "#include <metal_stdlib>\n#include <simd/simd.h>\n".to_owned();
    for (index, (name, text)) in texts.into_iter().enumerate() {
        // What a text includes is known already, so that a namespace keeps its names from the others.
        source += &format!("namespace text_{index} {{\n#line 1 {name:?}\n{text}\n}}\n");
    }
    let arguments = ["-std=c++14", "-fsyntax-only", "-Wall", "-Werror", "-Wno-attributes", "-I", LIBRARY];
    let arguments = [&arguments[..], &["-x", "c++", "-"]].concat();
    tool("g++", &arguments, source.as_bytes()).map(|_| ())
}

/// The slots of the buffers of a text, in its order.
pub fn slots(text: &str) -> Vec<u32> {
    let slot = |rest: &str| rest.split(')').next().and_then(|slot| slot.parse().ok());
    text.split("[[buffer(").skip(1).filter_map(slot).collect()
}
