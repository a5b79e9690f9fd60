//! Texts and places in them. Columns are units of UTF-16, as editors count.
//! In: texts, edits. Out: offsets and positions, which always exist: those after a line or the
//! text are its end.

use serde::{Deserialize, Serialize};

/// A place between two characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    /// Line, from 0.
    pub line: u32,
    /// Units of UTF-16 before it in the line.
    pub character: u32,
}

/// A part of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Range {
    /// Its start.
    pub start: Position,
    /// The place after it.
    pub end: Position,
}

/// A part of a text with its replacement.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TextEdit {
    /// The part.
    pub range: Range,
    /// The replacement.
    pub new_text: String,
}

/// A text with the offsets of its lines.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    text: String,
    starts: Vec<usize>,
    /// Offsets after characters that have more bytes than units, each with the sum of the
    /// differences up to it. A line may be as long as the text.
    wide: Vec<(u32, u32)>,
}

impl Text {
    /// Indexes a text.
    pub fn new(text: String) -> Self {
        let bytes = text.as_bytes();
        // The protocol ends lines at `\n`, `\r\n` and `\r`.
        let ends = |&end: &usize| {
            bytes[end - 1] == b'\n' || bytes[end - 1] == b'\r' && bytes.get(end) != Some(&b'\n')
        };
        let ends = (1..=bytes.len()).filter(ends);
        let starts = std::iter::once(0).chain(ends).collect();
        let mut wide = Vec::new();
        let mut sum = 0;
        for (offset, letter) in text.char_indices().filter(|(_, letter)| !letter.is_ascii()) {
            sum += letter.len_utf8() - letter.len_utf16();
            wide.push((count(offset + letter.len_utf8()), count(sum)));
        }
        Self { text, starts, wide }
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the number of lines, at least one.
    pub fn line_count(&self) -> usize {
        self.starts.len()
    }

    /// Returns a line without its end; an empty one after the text.
    pub fn line(&self, number: usize) -> &str {
        let Some(&start) = self.starts.get(number) else { return "" };
        let end = self.starts.get(number + 1).copied().unwrap_or(self.text.len());
        let line = self.text.get(start..end).unwrap_or_default();
        let line = line.strip_suffix('\n').unwrap_or(line);
        line.strip_suffix('\r').unwrap_or(line)
    }

    /// Returns the offset of a line.
    pub fn line_start(&self, number: usize) -> usize {
        self.starts.get(number).copied().unwrap_or(self.text.len())
    }

    /// Returns the line of an offset.
    pub fn line_of(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset).saturating_sub(1)
    }

    /// Returns the offset of a position.
    pub fn offset(&self, position: Position) -> usize {
        let number = position.line as usize;
        let (line, mut units) = (self.line(number), 0);
        let start = self.line_start(number);
        if self.excess(start) == self.excess(start + line.len()) {
            return start + line.len().min(position.character as usize);
        }
        for (offset, letter) in line.char_indices() {
            if units >= position.character as usize {
                return self.line_start(number) + offset;
            }
            units += letter.len_utf16();
        }
        self.line_start(number) + line.len()
    }

    /// Returns the position of an offset, which is between two characters.
    pub fn position(&self, offset: usize) -> Position {
        let line = self.line_of(offset);
        let start = self.line_start(line);
        let character = (offset - start).saturating_sub(self.excess(offset) - self.excess(start));
        Position { line: count(line), character: count(character) }
    }

    /// Returns by how much the bytes before an offset are more than the units.
    fn excess(&self, offset: usize) -> usize {
        let behind = self.wide.partition_point(|&(end, _)| end as usize <= offset);
        self.wide[..behind].last().map_or(0, |&(_, sum)| sum as usize)
    }

    /// Returns the range of bytes.
    pub fn range(&self, start: usize, end: usize) -> Range {
        Range { start: self.position(start), end: self.position(end) }
    }

    /// Returns the range of the whole text.
    pub fn whole(&self) -> Range {
        self.range(0, self.text.len())
    }

    /// Returns the text with a part replaced.
    #[must_use]
    pub fn replaced(&self, range: Range, new: &str) -> Self {
        self.edited(&[TextEdit { range, new_text: new.to_owned() }])
    }

    /// Returns the text with edits, which are in order.
    #[must_use]
    pub fn edited(&self, edits: &[TextEdit]) -> Self {
        let (mut text, mut done) = (String::with_capacity(self.text.len()), 0);
        for TextEdit { range, new_text } in edits {
            let [a, b] = [range.start, range.end].map(|place| self.offset(place));
            text += self.text.get(done..a.min(b)).unwrap_or_default();
            text += new_text;
            done = a.max(b);
        }
        text += self.text.get(done..).unwrap_or_default();
        Self::new(text)
    }
}

/// Converts a count for a message.
pub(crate) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Returns a name as part of a URI.
pub fn encode(name: &str) -> String {
    let part = |byte: u8| match byte {
        b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'_' | b'.' | b'~' => String::from(char::from(byte)),
        _ => format!("%{byte:02X}"),
    };
    name.bytes().map(part).collect()
}

/// Returns the URI of a file by its path from another one.
pub fn join(uri: &str, path: &str) -> String {
    let mut parts: Vec<String> = uri.split('/').map(str::to_owned).collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(encode(name)),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_as_in_the_protocol() {
        let text = Text::new("a\rb\r\nc\n\rd\r".to_owned());
        let lines: Vec<&str> = (0..text.line_count()).map(|number| text.line(number)).collect();
        assert_eq!(lines, ["a", "b", "c", "", "d", ""]);
        let place = |line, character| Position { line, character };
        assert_eq!(
            [2, 3, 5, 8].map(|at| text.position(at)),
            [place(1, 0), place(1, 1), place(2, 0), place(4, 0)]
        );
        assert_eq!([text.offset(place(0, 9)), text.offset(place(4, 1))], [1, 9]);
    }

    #[test]
    fn columns_are_units_of_utf16() {
        let text = Text::new("a\u{1F600}b\r\nc".to_owned());
        let place = |line, character| Position { line, character };
        assert_eq!(text.position(5), place(0, 3));
        assert_eq!([text.offset(place(0, 3)), text.offset(place(0, 9)), text.offset(place(7, 0))], [5, 6, 9]);
        // In the middle of a character: after it.
        assert_eq!(text.offset(place(0, 2)), 5);
        let range = Range { start: place(0, 1), end: place(1, 0) };
        assert_eq!(text.replaced(range, "-").as_str(), "a-c");
    }
}
