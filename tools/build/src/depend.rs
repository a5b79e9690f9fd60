//! Dependency files: rules of make that say which sources a file was made of.
//! In: paths. Out: text. Facts: what GNU make, Ninja and CMake's `DEPFILE` read of GCC's `-MD`.

/// Returns a rule for files that are made of these sources, and one for each source without
/// anything, so that a source that is gone is not an error.
///
/// ```
/// use transpica_build::dependencies;
/// let text = dependencies(&["out/a b.shbin"], &["a b.v.pica"]);
/// assert_eq!(text, "out/a\\ b.shbin: \\\n a\\ b.v.pica\n\na\\ b.v.pica:\n");
/// ```
pub fn dependencies(targets: &[impl AsRef<str>], sources: &[impl AsRef<str>]) -> String {
    let mut text = targets.iter().map(|path| escape(path.as_ref())).collect::<Vec<_>>().join(" ");
    text.push(':');
    text.extend(sources.iter().map(|source| format!(" \\\n {}", escape(source.as_ref()))));
    text.push('\n');
    text.extend(sources.iter().map(|source| format!("\n{}:\n", escape(source.as_ref()))));
    text
}

/// Escapes a path as GCC does.
fn escape(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let mut backslashes = 0;
    for character in path.chars() {
        match character {
            // Before a space backslashes count twice.
            ' ' | '\t' => out.extend(std::iter::repeat_n('\\', backslashes + 1)),
            '#' => out.push('\\'),
            '$' => out.push('$'),
            _other => {}
        }
        backslashes = if character == '\\' { backslashes + 1 } else { 0 };
        out.push(character);
    }
    out
}
