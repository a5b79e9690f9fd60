//! Completion of test files, also of those that are being written.
//! In: the text before a place, the shader if it is known. Out: what can stand there. Knows no
//! editor.

use transpica::container::SymbolBank;
use transpica_inspect::draw::mesh::BuiltIn;
use transpica_inspect::symbols::{Symbols, letter};

use crate::keys::Place;
use crate::shader::Shader;

/// A word that can stand at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The word, as a key or with the quotes of a value.
    pub text: String,
    /// A short description.
    pub detail: String,
}

/// The place at the end of a text.
#[derive(Default)]
struct Cursor<'t> {
    /// Keys of the header above it.
    header: Vec<&'t str>,
    /// Brackets around it, each with the key before it.
    open: Vec<(char, Vec<&'t str>)>,
    /// The key before it, or its parts.
    key: Vec<&'t str>,
    /// It takes a value, not a key.
    is_value: bool,
    /// It is in a string.
    is_quoted: bool,
}

/// Returns the byte at which the word at the end of a text begins, and the words that can stand in
/// its place.
///
/// ```
/// let text = "[[case]]\nname = \"a\"\nexpect = { color = { ne";
/// let (start, words) = transpica_unit::complete(text, None);
/// assert_eq!((&text[start..], words[0].text.as_str()), ("ne", "near"));
/// ```
pub fn complete(before: &str, shader: Option<&Shader>) -> (usize, Vec<Candidate>) {
    let start = before.trim_end_matches(is_word).len();
    let Some(cursor) = Cursor::new(before) else { return (start, Vec::new()) };
    let keys = cursor.header.iter().chain(cursor.open.iter().flat_map(|(_, key)| key)).chain(&cursor.key);
    let path: Vec<&str> = keys.copied().collect();
    let mut words = if cursor.is_value { values(&path, shader) } else { keys_of(&path, shader) };
    if cursor.is_value && !cursor.is_quoted {
        words.iter_mut().for_each(|word| word.text = format!("\"{}\"", word.text));
    }
    (start, words)
}

fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '$')
}

impl<'t> Cursor<'t> {
    /// Reads a text up to its end, or returns `None` if that is in a comment.
    fn new(text: &'t str) -> Option<Self> {
        let (mut cursor, mut at, mut string) = (Self::default(), 0, "");
        while let Some(letter) = text[at..].chars().next() {
            let (before, rest) = (&text[..at], &text[at + letter.len_utf8()..]);
            let line = rest.split('\n').next().unwrap_or_default();
            match letter {
                '#' if line.len() == rest.len() => return None,
                '#' => at += line.len(),
                '"' | '\'' => match line.find(letter) {
                    None if line.len() == rest.len() => return Some(Self { is_quoted: true, ..cursor }),
                    end => {
                        string = &line[..end.unwrap_or(line.len())];
                        at += string.len() + usize::from(end.is_some());
                    }
                },
                '[' if cursor.open.is_empty() && !cursor.is_value => {
                    let inner = line.trim_start_matches('[');
                    let (names, end) =
                        inner.split_once(']').map_or((inner, false), |(names, _)| (names, true));
                    cursor.header = names.split('.').map(str::trim).collect();
                    if !end && line.len() == rest.len() {
                        cursor.header.pop();
                    }
                    at += line.len();
                }
                _ => cursor.sign(letter, before, string),
            }
            at += letter.len_utf8();
        }
        Some(cursor)
    }

    /// Takes a sign outside of strings; `string` is the last one before it.
    fn sign(&mut self, letter: char, before: &'t str, string: &'t str) {
        let before = before.trim_end();
        let word = match before.ends_with(['"', '\'']) {
            true => string,
            false => &before[before.trim_end_matches(is_word).len()..],
        };
        match letter {
            '.' if !self.is_value => self.key.push(word),
            '=' if !self.is_value => {
                self.key.push(word);
                self.is_value = true;
            }
            '{' | '[' => {
                self.open.push((letter, std::mem::take(&mut self.key)));
                self.is_value = letter == '[';
            }
            '}' | ']' => {
                self.key = self.open.pop().map(|(_, key)| key).unwrap_or_default();
                self.is_value = true;
            }
            ',' => {
                self.key.clear();
                self.is_value = self.open.last().is_some_and(|&(bracket, _)| bracket == '[');
            }
            '\n' if self.open.is_empty() => {
                self.key.clear();
                self.is_value = false;
            }
            _ => {}
        }
    }
}

fn candidate(text: &str, detail: impl Into<String>) -> Candidate {
    Candidate { text: text.to_owned(), detail: detail.into() }
}

/// Calls `add` for the names of each program.
fn names(shader: Option<&Shader>, mut add: impl FnMut(&Symbols, &mut Vec<Candidate>)) -> Vec<Candidate> {
    let mut all = Vec::new();
    shader.iter().flat_map(|shader| &shader.executables).for_each(|program| add(&program.symbols, &mut all));
    all.sort_by(|a, b| a.text.cmp(&b.text));
    all.dedup_by(|a, b| a.text == b.text);
    all
}

/// Returns the keys of the table at a path.
fn keys_of(path: &[&str], shader: Option<&Shader>) -> Vec<Candidate> {
    let keys = |places: &[Place]| {
        let keys = crate::keys::KEYS.iter().filter(|key| places.iter().any(|place| key.of.contains(place)));
        keys.map(|key| candidate(key.name, key.value)).collect::<Vec<_>>()
    };
    let outputs = || {
        names(shader, |symbols, all| {
            let output =
                |&(name, register, mask): &(&str, usize, _)| candidate(name, format!("o{register}.{mask}"));
            all.extend(symbols.outputs().iter().map(output));
        })
    };
    let named = |is_input: bool| {
        names(shader, |symbols, all| {
            let wanted =
                symbols.as_slice().iter().filter(|named| (named.bank == SymbolBank::Input) == is_input);
            all.extend(wanted.map(|named| {
                let (bank, last) = (letter(named.bank), named.first + named.count - 1);
                let more = if named.count > 1 { format!(" to {bank}{last}") } else { String::new() };
                candidate(&named.name, format!("{bank}{}{more}", named.first))
            }));
        })
    };
    match path {
        [] => keys(&[Place::File]),
        ["case"] => keys(&[Place::Vertex, Place::Geometry, Place::Picture]),
        [.., "rows"] => keys(&[Place::Row]),
        [.., "uniforms"] => named(false),
        [.., "attributes"] => named(true),
        [.., "expect" | "vertices"] => outputs(),
        [.., "triangles"] => [keys(&[Place::Triangle]), outputs()].concat(),
        [.., "expect" | "triangles" | "vertices", _] => keys(&[Place::Near]),
        [.., "uniforms", _] | [.., "product"] => keys(&[Place::Matrix]),
        _ => Vec::new(),
    }
}

/// Returns the texts that a key takes.
fn values(path: &[&str], shader: Option<&Shader>) -> Vec<Candidate> {
    let words = |words: &[&str]| words.iter().map(|word| candidate(word, "")).collect();
    match path {
        ["lint"] => words(&["deny"]),
        ["case", "program"] => words(&["vertex", "geometry"]),
        ["case", "mesh"] => words(&BuiltIn::ALL.map(|(name, _)| name)),
        ["case", "calls"] => {
            let procedures = shader.iter().flat_map(|shader| &shader.procedures);
            procedures.map(|(name, address)| candidate(name, format!("{address:#05x}"))).collect()
        }
        [.., "uniforms", _] | [.., "product"] => words(&["identity"]),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use transpica_asm::SourceText;

    /// Checks what can stand at `|`, where the shader is known.
    #[track_caller]
    fn check(text: &str, (has, lacks): (&[&str], &[&str])) {
        let source = ".fvec tint, bones[6]\n.bool lit\n.in pos v0\n.out p position\n.out uv texcoord0.xy\n.proc main\n\
                      call f\nmov p, pos\nend\n.end\n.proc f\nnop\n.end";
        let shader = Shader::assemble(&[SourceText { name: "a.v.pica", text: source }]).expect("a shader");
        let (before, _) = text.split_once('|').expect("a place");
        let (start, words) = complete(before, Some(&shader));
        assert!(before[start..].chars().all(is_word), "{text}");
        let words: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        assert!(has.iter().all(|word| words.contains(word)), "{text}: {words:?}");
        assert!(!lacks.iter().any(|word| words.contains(word)), "{text}: {words:?}");
        assert!(!has.is_empty() || words.is_empty(), "{text}: {words:?}");
    }

    #[test]
    fn words_are_those_of_their_table() {
        let (file, case) =
            ((&["shader", "lint", "case"][..], &["expect"][..]), (&["expect", "mesh"][..], &["lint"][..]));
        let uniforms = (&["tint", "bones", "lit"][..], &["pos", "position"][..]);
        let outputs = (&["position", "texcoord0"][..], &["pos", "tint"][..]);
        let matrices = (&["translate", "product"][..], &["tint"][..]);
        let near = (&["near", "ulp"][..], &["position"][..]);
        let none: (&[&str], &[&str]) = (&[], &[]);
        for (text, expected) in [
            ("|", file),
            ("li|", file),
            ("lint = \"deny\"\n|", file),
            ("lint = |", (&["\"deny\""][..], &["deny"][..])),
            ("lint = \"|", (&["deny"][..], &[][..])),
            ("lint = 'de|", (&["deny"][..], &[][..])),
            ("# li|", none),
            ("# it's\nlin|", file),
            ("[[case]]\n|", case),
            ("[[case]] # \"\nna|", case),
            ("[|", file),
            ("[case.|", case),
            ("[uniforms]\nti|", uniforms),
            ("[case.uniforms]\n|", uniforms),
            ("uniforms.|", uniforms),
            ("uniforms = { ti|", uniforms),
            ("[[case]]\nuniforms = { tint = [1, 2, 3, 4], b|", uniforms),
            ("[[case]]\nuniforms = { tint = [1, |", (&["\"identity\""][..], &[][..])),
            ("[[case]]\nuniforms.bones = { tr|", matrices),
            ("[[case]]\nuniforms.bones = [\"identity\", { |", matrices),
            ("[[case]]\nuniforms = { bones = { product = [{ |", matrices),
            ("[[case]]\nattributes = {|", (&["pos"][..], &["tint", "position"][..])),
            ("[[case]]\nexpect = { |", outputs),
            ("[[case]]\nexpect = { position = [1, 2, 3, 4], |", outputs),
            ("[[case]]\nexpect.position = { |", near),
            ("[[case]]\n\"expect\" = { \"position\" = { near = [1], |", near),
            ("[[case]]\nrows = [\n  {}, # first\n  { |", (&["expect", "name"][..], &["rows"][..])),
            ("[[case]]\nrows = [{ expect = { |", outputs),
            ("[[case]]\nrows = [{ expect = {} }]\n|", case),
            ("[[case]]\nname = \"\u{e4}\u{1F600} [{= \"\n|", case),
            ("[[case]]\nname = \"open\n|", case),
            ("[[case]]\ncalls = [\"|", (&["f", "main"][..], &[][..])),
            ("[[case]]\nprogram = |", (&["\"vertex\""][..], &[][..])),
            ("[[case]]\nmesh = |", (&["\"lathe\""][..], &[][..])),
            ("[[case]]\ntriangles = [{ |", (&["inverted", "position"][..], &["near"][..])),
            ("[[case]]\ntriangles = [{ vertices = [{ |", outputs),
            ("[[case]]\ntriangles = [[{ position = { |", near),
            ("[[case]]\ninstructions = |", none),
            ("]}]=,.[|", none),
        ] {
            check(text, expected);
        }
        // Without a shader there are keys only.
        assert_eq!(complete("uniforms = { ", None).1, []);
        assert!(complete("[[case]]\n", None).1.iter().any(|word| word.text == "expect"));
    }
}
