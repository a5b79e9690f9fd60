//! Capabilities of the terminal, and safe text for it.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::io::IsTerminal;

use clap::ColorChoice;
use unicode_width::UnicodeWidthStr;

/// Returns the columns that a text takes in a terminal: two for each wide character.
pub fn columns(text: &str) -> usize {
    text.width()
}

/// Returns a text with blanks after it up to a number of columns.
pub fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

/// Escapes control characters: text from a file must not move the terminal's cursor, change its
/// title or reverse its text. Line feeds, also those after a carriage return, and tabs stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.char_indices().any(|(at, c)| is_active(text, at, c)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for (at, c) in text.char_indices() {
        if is_active(text, at, c) { out.extend(c.escape_unicode()) } else { out.push(c) }
    }
    Cow::Owned(out)
}

/// Maps a position in a text to the position in its [`visible`] form.
pub fn visible_place(text: &str, place: usize) -> usize {
    let before = text.char_indices().take_while(|&(at, _)| at < place);
    before.map(|(at, c)| if is_active(text, at, c) { c.escape_unicode().len() } else { c.len_utf8() }).sum()
}

/// Returns whether a terminal interprets the character at a position: control characters, and those
/// that change the direction of text.
fn is_active(text: &str, at: usize, c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\r' => !text[at..].starts_with("\r\n"),
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    }
}

/// Returns whether diagnostics are colored.
pub fn has_color(color: ColorChoice) -> bool {
    match color {
        ColorChoice::Always => obeys_sequences() || !std::io::stderr().is_terminal(),
        ColorChoice::Never => false,
        ColorChoice::Auto => {
            std::io::stderr().is_terminal() && !is_dumb() && !is_set("NO_COLOR") && obeys_sequences()
        }
    }
}

/// Has a console of Windows obey escape sequences. Returns false if it is too old; elsewhere every
/// terminal does.
fn obeys_sequences() -> bool {
    anstyle_query::windows::enable_ansi_colors().unwrap_or(true)
}

/// Returns whether lines may be drawn with non-ASCII characters. A file accepts any character, a
/// terminal only the characters of its locale.
pub fn has_unicode() -> bool {
    !is_dumb() && (!std::io::stderr().is_terminal() || has_unicode_locale())
}

fn is_dumb() -> bool {
    std::env::var_os("TERM").is_some_and(|term| term == OsStr::new("dumb"))
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}

/// Returns whether the locale is a Unicode one: the first of these variables that is set decides.
/// Other systems than Unix always use Unicode.
fn has_unicode_locale() -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find(|variable| is_set(variable));
    let locale = locale.and_then(std::env::var_os).unwrap_or_default().to_string_lossy().to_lowercase();
    !cfg!(unix) || locale.contains("utf-8") || locale.contains("utf8")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_those_of_the_terminal() {
        for text in ["µ", "中", "プログラム", "e\u{301}", ""] {
            let padded = padded(text, 12);
            assert_eq!((columns(&padded), padded.trim_end()), (12, text));
        }
        assert_eq!((columns("中"), columns("e\u{301}"), padded("long", 2)), (2, 1, "long".to_owned()));
    }

    #[test]
    fn characters_that_terminals_act_on_are_spelled_out() {
        for (text, expected) in [
            ("plain, µ and 中\n\ttext\r\n", "plain, µ and 中\n\ttext\r\n"),
            ("\u{1b}[2J", "\\u{1b}[2J"),
            ("a\rb\r\n\r", "a\\u{d}b\r\n\\u{d}"),
            ("\u{7f}\u{9b}1m\0", "\\u{7f}\\u{9b}1m\\u{0}"),
            ("r0\u{202e}, v0\u{2069}", "r0\\u{202e}, v0\\u{2069}"),
        ] {
            assert_eq!(visible(text), expected);
            for (place, _) in text.char_indices() {
                let (before, after) = (visible_place(text, place), visible(&text[place..]));
                assert_eq!(visible(text)[before..], after, "{text:?} at {place}");
            }
            assert_eq!(visible_place(text, text.len()), visible(text).len());
        }
    }
}
