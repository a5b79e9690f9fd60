//! Names in generated code.
//! In: names of files, which may contain any byte. Out: identifiers. Knows no language.

/// Returns a name as an identifier of C and Rust: lower case, words separated by one `_`, none
/// around them but before a digit. It may be a keyword.
///
/// ```
/// assert_eq!(transpica_asm::names::snake_case("modelView"), "model_view");
/// ```
pub fn snake_case(name: &str) -> String {
    let mut out = String::new();
    let mut is_lower = false;
    for character in name.chars() {
        let is_word = character.is_ascii_alphanumeric();
        // modelView is model_view, but MVP is mvp.
        let begins = !is_word || is_lower && character.is_ascii_uppercase();
        // Rust warns of two in a row.
        if begins && !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
        if is_word {
            out.push(character.to_ascii_lowercase());
        }
        is_lower = character.is_ascii_lowercase() || character.is_ascii_digit();
    }
    out.truncate(out.trim_end_matches('_').len());
    match out.chars().next() {
        Some('0'..='9') => out.insert(0, '_'),
        Some(_) => {}
        None => out.push_str("unnamed"),
    }
    out
}

#[cfg(test)]
#[test]
fn words_are_separated_by_one_underscore() {
    for (name, expected) in [
        ("modelView", "model_view"),
        ("a__b_", "a_b"),
        ("_a", "a"),
        ("_1", "_1"),
        ("3D", "_3_d"),
        ("__", "unnamed"),
    ] {
        assert_eq!(snake_case(name), expected);
    }
}
