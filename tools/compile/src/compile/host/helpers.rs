//! Functions that expressions call, in C and in Rust: `helpers.c.txt` and `helpers.rs.txt`.
//! In: a text. Out: the functions that it calls. `@` begins the name of one; what it calls comes
//! before it. Semantics: `source/math.rs`; sums begin with 0 where that decides the sign of zeros.

/// All functions, separated by empty lines.
const SOURCES: [&str; 2] = [include_str!("helpers.c.txt"), include_str!("helpers.rs.txt")];

/// The name that a function defines.
fn name(function: &str) -> &str {
    let after = function.split_once('@').map_or("", |(_, after)| after);
    after.split(['(', '<']).next().unwrap_or(after)
}

/// Names of all helpers; Rust needs fewer of them.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    SOURCES[0].split("\n\n").map(name)
}

/// Returns the helpers that a text calls.
pub(super) fn used(text: &str, language: usize) -> String {
    let mut out = String::new();
    let functions: Vec<&str> = SOURCES[language].trim_end().split("\n\n").collect();
    for function in functions.into_iter().rev() {
        let call = format!("@{}(", name(function));
        if text.contains(&call) || out.contains(&call) {
            out.insert_str(0, &format!("\n{function}\n"));
        }
    }
    out
}
