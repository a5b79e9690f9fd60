//! The layout of texts: the disassembler's, with comments.
//! In: a text. Out: the same statements, indented by blocks, with one blank after each comma.
//! Knows no semantics: a text with errors keeps them.

use transpica::isa::Opcode;

use crate::Line;
use crate::asm::syntax::{is_directive, is_name};

/// Width of a tab, for the columns of comments.
const TAB: usize = 4;

/// Most tabs before a line.
const MOST_TABS: usize = 32;

/// Directives whose operands are separated by commas; other directives separate them by blanks.
const BY_COMMAS: [&str; 8] = [".fvec", ".ivec", ".bool", ".constf", ".consti", ".constfa", ".setf", ".seti"];

/// Lays out a text. The result assembles to the same file, and a second run changes nothing.
///
/// Comments after statements stay in their column, unless a statement grows into it.
///
/// ```
/// let text = ".proc main\nMOV  r0 ,v0   ; copies\n  ifu b0\n  nop\n .end\nend\n.end";
/// let wanted = ".proc main\n\tmov r0, v0 ; copies\n\tifu b0\n\t\tnop\n\t.end\n\tend\n.end\n";
/// assert_eq!(transpica_asm::format(text), wanted);
/// ```
pub fn format(text: &str) -> String {
    // The assembler reads nothing after a zero byte.
    let (text, rest) = text.find('\0').map_or((text, ""), |end| text.split_at(end));
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let mut depth = 0_usize;
    let mut lines = text.split('\n').peekable();
    while let Some(line) = lines.next() {
        if lines.peek().is_none() && line.is_empty() {
            break;
        }
        let end = if line.ends_with('\r') { "\r\n" } else { "\n" };
        write_line(&mut out, line.trim_end_matches('\r'), &mut depth);
        out.push_str(end);
    }
    if !rest.is_empty() {
        out.pop();
    }
    out + rest
}

/// Writes a line, and changes the depth for those after it.
fn write_line(out: &mut String, line: &str, depth: &mut usize) {
    let parts = Line::new(line);
    let is_marker = line.split(';').next().is_some_and(|start| start.trim_start().starts_with('#'));
    // Blanks around a label have effects.
    if is_marker || line.starts_with('\u{feff}') || parts.labels.iter().any(|label| !is_name(label)) {
        out.push_str(line);
        return;
    }
    let statement = statement(&parts);
    let (ends, begins) = effect(&parts);
    let own = depth.saturating_sub(usize::from(ends));
    *depth = own + usize::from(begins);
    let tabs = own.min(MOST_TABS);
    let mut code: String = parts.labels.iter().map(|label| format!("{label}:")).collect();
    if !statement.is_empty() {
        match parts.labels.is_empty() {
            true => code.extend(std::iter::repeat_n('\t', tabs)),
            false => code.push(' '),
        }
        code.push_str(&statement);
    }
    out.push_str(&code);
    let Some(comment) = parts.comment else { return };
    if code.is_empty() {
        out.extend(std::iter::repeat_n('\t', if line.starts_with(';') { 0 } else { tabs }));
    } else {
        let before = line.find(';').map_or("", |at| &line[..at]);
        out.extend(std::iter::repeat_n(' ', width(before).saturating_sub(width(&code)).max(1)));
    }
    out.push_str(comment);
}

/// Returns whether a statement ends a block or a part of one, and whether it begins one.
fn effect(parts: &Line<'_>) -> (bool, bool) {
    let name = parts.name.to_ascii_lowercase();
    match name.as_str() {
        ".end" => (true, false),
        ".else" => (true, true),
        ".proc" => (false, true),
        ".constfa" => (false, !parts.rest.starts_with('(')),
        _ => {
            let opens =
                matches!(Opcode::from_mnemonic(&name), Some(Opcode::Ifc | Opcode::Ifu | Opcode::Loop));
            // With a number as a target it opens no block.
            (false, opens && parts.operands().len() == 1)
        }
    }
}

/// Returns a statement with one blank after its name and each comma.
fn statement(parts: &Line<'_>) -> String {
    let lower = parts.name.to_ascii_lowercase();
    let is_known = match lower.strip_prefix('.') {
        Some(directive) => is_directive(directive),
        None => Opcode::from_mnemonic(&lower).is_some(),
    };
    // An error quotes the name as it is.
    let mut text = if is_known { lower } else { parts.name.to_owned() };
    if parts.rest.is_empty() {
        return text;
    }
    text.push(' ');
    let by_commas = !text.starts_with('.') || BY_COMMAS.contains(&text.trim_end());
    let mut blank = false;
    for letter in parts.rest.chars() {
        match letter {
            ' ' | '\t' => blank = true,
            ',' if by_commas => {
                text.push(',');
                blank = true;
            }
            _ => {
                if std::mem::take(&mut blank) {
                    text.push(' ');
                }
                text.push(letter);
            }
        }
    }
    text
}

/// Returns the column after a text.
fn width(text: &str) -> usize {
    text.chars().fold(0, |column, letter| if letter == '\t' { (column / TAB + 1) * TAB } else { column + 1 })
}

#[cfg(test)]
mod tests {
    use super::format;
    use crate::{SourceText, assemble};

    /// Checks that a layout has the same words, and that it is its own layout.
    #[track_caller]
    fn check(text: &str) -> String {
        let laid_out = format(text);
        assert_eq!(format(&laid_out), laid_out, "{text}");
        let bytes = |text: &str| {
            assemble(&[SourceText { name: "a", text }])
                .map(|file| file.bytes)
                .map_err(|report| report.errors.len())
        };
        assert_eq!(bytes(&laid_out), bytes(text), "{text}\n{laid_out}");
        laid_out
    }

    #[test]
    fn samples_keep_their_words_and_comments() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../shaders");
        let mut count = 0;
        for entry in std::fs::read_dir(folder).expect("the samples").flatten() {
            if entry.path().extension().is_some_and(|ending| ending == "pica") {
                let text = std::fs::read_to_string(entry.path()).expect("a sample");
                let comments = |text: &str| text.matches(';').count();
                assert_eq!(comments(&check(&text)), comments(&text));
                count += 1;
            }
        }
        assert!(count > 30, "{count}");
    }

    #[test]
    fn the_layout_is_that_of_the_disassembler() {
        let text = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../shaders/uber.shbin"))
            .expect("a sample");
        let file = transpica::Shbin::parse(&text).expect("well formed");
        let text =
            crate::dis::disassemble(&file, &crate::dis::DisassemblerOptions::default()).expect("a text");
        assert_eq!(format(&text), text);
    }

    #[test]
    fn odd_texts_keep_what_they_mean() {
        for text in [
            "",
            "\n",
            ".end\n.end",
            ";",
            "a :\n",
            ": :a: nop",
            "# 3 \"f\" , ,\n.proc main\nend\n.end",
            ".proc main\r\nend\r\n.end\r\n",
            ".proc main\nnop\nend\n.end\0 mov  r0",
            "\u{feff}.proc main",
            ".proc main\nl:\tmov r0 , v0;c\n\t;d\n;e\nend\n.end",
            ".symbol a,b 0 1",
            "ifc cmp.x,0x12,3",
            "\u{e9}\u{e9}  x ,y ; z",
        ] {
            check(text);
        }
    }
}
