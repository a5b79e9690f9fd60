//! The lines in front of a text: where it is from, and what its language needs.
//! In: the interface. Out: comments, directives. Knows no functions.

use std::fmt::Write as _;

use super::dialect::versions::{GlslVersion, Precise, Row, Varyings};
use crate::backend::interface::BackendInput;
use crate::interface::{Interface, Location};

/// Returns the header comments of a text.
pub fn header(interface: &Interface) -> String {
    let word = interface.entry.map(|entry| format!("code word {:#x}", entry.0));
    let entry: Vec<&str> = interface.entry_label.as_deref().into_iter().chain(word.as_deref()).collect();
    let fields = [
        ("source", interface.source.clone()),
        ("program", interface.executable.map_or_else(String::new, |index| format!("DVLE {index}"))),
        ("entry", entry.join(", ")),
        ("options", interface.options.differences(&interface.folded)),
    ];
    let mut header = String::new();
    for (field, text) in fields.iter().filter(|(_, text)| !text.is_empty()) {
        header.extend(["// ", field, ": "]);
        comment(&mut header, text);
        header.push('\n');
    }
    if !header.is_empty() {
        header.push_str(concat!("// translator: transpica ", env!("CARGO_PKG_VERSION"), "\n\n"));
    }
    header
}

/// Writes a name from the input into a comment, so that it neither ends the comment nor continues
/// it on the next line, nor changes the direction of text.
pub fn comment(out: &mut String, name: &str) {
    let harmless = |c: char| match c {
        '\\' | '\u{2028}' | '\u{2029}' => '?',
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '?',
        c if c.is_control() => '?',
        c => c,
    };
    out.extend(name.chars().map(harmless));
}

/// Writes the head of every text in GLSL.
pub fn head(row: &Row, out: &mut String, source: &BackendInput<'_>) {
    let (mut header, glsl) = (header(source.interface), &source.profile.glsl);
    // Comments may have other characters since 4.20, and in OpenGL ES.
    if matches!(row.version, GlslVersion::Core330 | GlslVersion::Core400 | GlslVersion::Core410) {
        header = header.replace(|c: char| !c.is_ascii(), "?");
    }
    if glsl.version_line {
        out.push_str(row.line);
    }
    out.push_str(if header.is_empty() { "\n" } else { &header });
    if glsl.extension_lines {
        let lines = extensions(row, source);
        out.extend([lines.as_str(), if lines.is_empty() { "" } else { "\n" }]);
    }
    // Registers hold 16 bits of fraction and 7 of exponent. `mediump` promises 10 and 5.
    if row.is_es {
        out.push_str("precision highp float;\nprecision highp int;\n\n");
    }
}

/// Returns the `#extension` lines of a text, and the macro for exact declarations.
pub fn extensions(row: &Row, source: &BackendInput<'_>) -> String {
    let mut out = String::new();
    if source.profile.glsl.separable && row.varyings == Varyings::Extended {
        out.push_str("#extension GL_ARB_separate_shader_objects : require\n");
    }
    if row.is_es && clips(source) {
        // WebGL has the second name.
        out.push_str("#if defined(GL_EXT_clip_cull_distance) || !defined(GL_ANGLE_clip_cull_distance)\n");
        out.push_str("#extension GL_EXT_clip_cull_distance : require\n#else\n");
        out.push_str("#extension GL_ANGLE_clip_cull_distance : require\n#endif\n");
    }
    if let Precise::Offered(offers) = row.precise
        && source.profile.no_contraction
    {
        // First, so that a host may define the macro for a driver that offers no extension.
        out.push_str("#if defined(PRECISE)\n");
        for [condition, extension] in offers {
            let _ = writeln!(out, "#elif {condition}\n#extension {extension} : enable");
            out.push_str("#define PRECISE precise\n");
        }
        out.push_str("#else\n#define PRECISE\n#endif\n");
    }
    out
}

/// Returns whether the stage writes clip distances.
pub fn clips(source: &BackendInput<'_>) -> bool {
    let Interface { entry_point, outputs, .. } = source.interface;
    !entry_point.is_compute() && outputs.iter().any(|output| output.location == Location::ClipDistances)
}
