//! Completion of test files, also of those that are being written.
//! In: the text before a place, the shader if it is known. Out: the keys and names that can stand
//! there. Knows no editor.

use toml::Spanned;
use toml::de::{DeTable, DeValue};
use transpica::container::SymbolBank;
use transpica_inspect::symbols::letter;

use crate::declared::Declared;
use crate::keys::{KEYS, Place};
use crate::shader::Shader;

/// A word and a short description of it.
type Word = (String, String);

/// Returns the byte at which the word at the end of a text begins, and the words that can stand in
/// its place, with descriptions: keys, and names of uniforms, attributes and outputs.
///
/// ```
/// let text = "[[case]]\nname = \"a\"\nexpect = { color = { ne";
/// let (start, words) = transpica_unit::complete(text, None);
/// assert_eq!((&text[start..], words[0].0.as_str()), ("ne", "near"));
/// ```
pub fn complete(before: &str, shader: Option<&Shader>) -> (usize, Vec<Word>) {
    let start = before.trim_end_matches(is_word).len();
    (start, path(&before[..start]).map(|path| words(&path, shader)).unwrap_or_default())
}

fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-' | '$')
}

/// Returns the keys above a key at the end of a text, or `None` where none can stand.
fn path(text: &str) -> Option<Vec<String>> {
    // A key that no file has, where the parser finds it.
    let mark = "\u{1F4CD}";
    let marked = format!("{text}\"{mark}\" = 0");
    let (root, _errors) = DeTable::parse_recoverable(&marked);
    let mut work = vec![(Vec::new(), root.get_ref())];
    while let Some((path, table)) = work.pop() {
        if table.contains_key(mark) {
            return Some(path);
        }
        for (key, item) in table {
            let mut items = vec![item.get_ref()];
            while let Some(item) = items.pop() {
                match item {
                    DeValue::Array(list) => items.extend(list.iter().map(Spanned::get_ref)),
                    DeValue::Table(table) => {
                        work.push(([&path[..], &[key.get_ref().to_string()]].concat(), table))
                    }
                    _ => {}
                }
            }
        }
    }
    None
}

/// Returns the keys and names of the table at a path.
fn words(path: &[String], shader: Option<&Shader>) -> Vec<Word> {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let symbols = || shader.iter().flat_map(|shader| &shader.executables).map(|program| &program.symbols);
    // Names of a source in a shading language come first: sorting keeps the order of equal ones.
    let declared = |list: usize| {
        let declared = shader.and_then(|shader| shader.declared.as_ref()).map(Declared::names);
        declared.and_then(|names| names.into_iter().nth(list)).into_iter().flatten()
    };
    let named = |is_input: bool| -> Vec<Word> {
        let named = symbols().flat_map(|symbols| symbols.as_slice());
        let named = named.filter(|named| (named.bank == SymbolBank::Input) == is_input);
        let registers =
            named.map(|named| (named.name.clone(), format!("{}{}", letter(named.bank), named.first)));
        declared(usize::from(is_input)).chain(registers).collect()
    };
    let outputs = || -> Vec<Word> {
        let outputs = symbols().flat_map(|symbols| symbols.outputs());
        let semantics =
            outputs.map(|&(name, register, mask)| (name.to_owned(), format!("o{register}.{mask}")));
        declared(2).chain(semantics).collect()
    };
    let (places, mut words) = match &path[..] {
        [] => (&[Place::File][..], Vec::new()),
        ["compile"] => (&[Place::Compile][..], Vec::new()),
        ["case"] => (&[Place::Vertex, Place::Geometry, Place::Picture][..], Vec::new()),
        [.., "rows"] => (&[Place::Row][..], Vec::new()),
        [.., "uniforms"] => (&[][..], named(false)),
        [.., "attributes"] => (&[][..], named(true)),
        [.., "expect" | "vertices"] => (&[][..], outputs()),
        [.., "triangles"] => (&[Place::Triangle][..], outputs()),
        [.., "expect" | "triangles" | "vertices", _] => (&[Place::Near][..], Vec::new()),
        [.., "uniforms", _] | [.., "product"] => (&[Place::Matrix][..], Vec::new()),
        _ => (&[][..], Vec::new()),
    };
    // Programs of a file share names.
    words.sort_by(|a, b| a.0.cmp(&b.0));
    words.dedup_by(|a, b| a.0 == b.0);
    let keys = KEYS.iter().filter(|(_, of, _)| of.iter().any(|place| places.contains(place)));
    words.extend(keys.map(|&(name, _, value)| (name.to_owned(), value.to_owned())));
    words
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
        let words: Vec<&str> = words.iter().map(|word| word.0.as_str()).collect();
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
            ("compile = { |", (&["entry", "output-as", "scaled"][..], &["shader"][..])),
            ("lint = \"deny\"\n|", file),
            ("lint = |", none),
            ("lint = \"|", none),
            ("lint = 'de|", none),
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
            ("[[case]]\nuniforms = { tint = [1, |", none),
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
            ("[[case]]\ncalls = [\"|", none),
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
        assert!(complete("[[case]]\n", None).1.iter().any(|word| word.0 == "expect"));
    }
}
