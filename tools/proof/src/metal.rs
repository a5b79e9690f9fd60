//! Checks MSL with a C++ compiler, for tests. Metal's own compilers run only on Apple's systems.
//! MSL is C++14 with a library, and the header in the folder `metal` stands in for that library.
//! This checks syntax, names, types and overloads, but not address spaces and attributes. [`slots`]
//! returns the buffer slots.

use crate::spirv_tools::tool;

/// Folder of the substitute header.
const LIBRARY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/metal");

/// Compiles texts, all at once: the header takes longer than they do.
///
/// # Errors
/// The compiler's messages, with the names of the texts; or how to install it.
pub fn read<'a>(texts: impl IntoIterator<Item = (&'a str, &'a str)>) -> Result<(), String> {
    let mut source = "#include <metal_stdlib>\n#include <simd/simd.h>\n".to_owned();
    for (index, (name, text)) in texts.into_iter().enumerate() {
        // The headers are already included above, so each text's names stay within its namespace.
        source += &format!("namespace text_{index} {{\n#line 1 {name:?}\n{text}\n}}\n");
    }
    let arguments = [
        "-std=c++14",
        "-fsyntax-only",
        "-fsingle-precision-constant",
        "-Wall",
        "-Werror",
        "-Wno-attributes",
        "-I",
        LIBRARY,
    ];
    let arguments = [&arguments[..], &["-x", "c++", "-"]].concat();
    tool("g++", &arguments, source.as_bytes()).map(|_| ())
}

/// Returns the buffer slots of a text, in order.
pub fn slots(text: &str) -> Vec<u32> {
    let slot = |rest: &str| rest.split(')').next().and_then(|slot| slot.parse().ok());
    text.split("[[buffer(").skip(1).filter_map(slot).collect()
}
