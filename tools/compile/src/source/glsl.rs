//! Declarations of older GLSL, rewritten to those of 450.
//! In: a text of version 100 to 450. Out: one that naga reads, in the same lines, and where places
//! of it are in the text that was given. Knows no expressions: only what stands outside of
//! functions changes, and names of bool uniforms.
//!
//! | declaration | becomes |
//! |---|---|
//! | `#version 100` | `#version 450` |
//! | `attribute`, `in`, `varying`, `out` without location | `layout(location = n) in` or `out` |
//! | `uniform vec4 name` | a block of one member |
//! | `in mat4 name` | an attribute for each column, and `mat4(name_0, ..)` where it is read |
//! | `uniform bool name` | an int, and `(name != 0)` where it is read |
//! | a block without binding | one with a binding |
//! | `precision`, `invariant`, samplers | nothing |

use super::error::{CLIP, Location};

/// Bindings of declarations that have none begin here.
const BINDINGS: usize = 16;

/// Interpolation and precision.
const KEPT: [&str; 4] = ["flat", "smooth", "centroid", "noperspective"];
/// Words before the type of a variable besides, and its end.
const DROPPED: [&str; 11] =
    ["highp", "mediump", "lowp", "invariant", "in", "out", "attribute", "varying", "uniform", "layout", ";"];

struct Rewriter<'a> {
    output: String,
    /// Next location of inputs and of outputs.
    inputs: usize,
    outputs: usize,
    bindings: usize,
    /// Names that expressions stand for.
    replaced: Vec<(&'a str, String)>,
}

/// Rewrites a text for naga's front end.
pub(super) fn modern(text: &str) -> String {
    let tokens = tokens(text);
    let [inputs, outputs] =
        [["in", "attribute"], ["out", "varying"]].map(|words| next_location(&tokens, words));
    let mut rewriter =
        Rewriter { output: String::new(), inputs, outputs, bindings: BINDINGS, replaced: Vec::new() };
    let mut depth = 0_usize;
    let mut statement: Vec<&str> = Vec::new();
    for token in tokens {
        if depth > 0 {
            rewriter.push(&statement, token);
            depth = match token {
                "{" => depth + 1,
                "}" => depth - 1,
                _other => depth,
            };
            statement.clear();
            statement.push(token);
            if depth == 0 {
                statement.clear();
            }
            continue;
        }
        if token.starts_with('#') {
            // It begins a line.
            if statement.iter().all(|token| is_trivia(token)) {
                statement.drain(..).for_each(|token| rewriter.output.push_str(token));
            }
            rewriter.directive(token);
            continue;
        }
        statement.push(token);
        match token {
            ";" => {
                rewriter.declaration(&statement);
                statement.clear();
            }
            "{" => {
                depth = 1;
                rewriter.head(&statement);
                statement.clear();
            }
            _other => {}
        }
    }
    statement.iter().for_each(|token| rewriter.output.push_str(token));
    rewriter.output
}

/// Returns whether a text stores to an element of gl_ClipDistance.
pub(super) fn writes_clip_distance(text: &str) -> bool {
    let tokens: Vec<&str> = tokens(text).into_iter().filter(|token| !is_trivia(token)).collect();
    let mut windows = tokens.windows(5);
    windows.any(|window| matches!(window, [name, "[", _, "]", "="] if *name == CLIP))
}

/// The place in the text that was given of one in the rewritten text. In a line that changed, what
/// stands before and after the change keeps its column. In the change a word that stays is found by
/// its number among equal ones, and the rest is one place.
pub(super) fn original_place(at: Location, text: &str, original: &str) -> Location {
    let number = (at.line as usize).saturating_sub(1);
    let [new, old] =
        [text, original].map(|text| text.lines().nth(number).unwrap_or_default().chars().collect::<Vec<_>>());
    let same = |(a, b): &(&char, &char)| a == b;
    let before = new.iter().zip(&old).take_while(same).count();
    let after = new[before..].iter().rev().zip(old[before..].iter().rev()).take_while(same).count();
    let column = (at.column as usize).saturating_sub(1);
    let column = match column.checked_sub(new.len() - after) {
        _ if column < before => column,
        Some(rest) => old.len() - after + rest,
        None => {
            let words = words(&new);
            let is_it = |&(start, word): &(usize, &[char])| (start..start + word.len()).contains(&column);
            let found = words.iter().position(is_it);
            let same = found.and_then(|found| {
                let is_equal = |(_, word): &(usize, &[char])| *word == words[found].1;
                let number = words[..found].iter().copied().filter(is_equal).count();
                self::words(&old).into_iter().filter(is_equal).nth(number)
            });
            same.map_or(before, |(start, _)| start)
        }
    };
    Location { column: u32::try_from(column + 1).unwrap_or(1), ..at }
}

/// The words of a line, each with the letters before it.
fn words(line: &[char]) -> Vec<(usize, &[char])> {
    let parts = line.chunk_by(|a, b| is_word(*a) == is_word(*b));
    let placed = parts.scan(0, |at, part| Some((std::mem::replace(at, *at + part.len()), part)));
    placed.filter(|(_, part)| part.iter().all(|letter| is_word(*letter))).collect()
}

/// The first location after those that declarations of a kind have.
fn next_location(tokens: &[&str], words: [&str; 2]) -> usize {
    let significant: Vec<&str> = tokens.iter().copied().filter(|token| !is_trivia(token)).collect();
    let mut next = 0;
    for window in significant.windows(12) {
        let ["location", "=", number, ..] = window else { continue };
        let end = window.iter().position(|token| *token == ";").unwrap_or(window.len());
        if window[..end].iter().any(|token| words.contains(token)) {
            next = next.max(number.parse::<usize>().map_or(0, |number| number.saturating_add(1)));
        }
    }
    next
}

impl<'a> Rewriter<'a> {
    fn directive(&mut self, line: &str) {
        let word = line.trim_start_matches('#').trim_start();
        if word.starts_with("version") {
            self.output.push_str("#version 450");
        } else if !word.starts_with("extension") {
            self.output.push_str(line);
        }
    }

    /// A token inside of braces.
    fn push(&mut self, before: &[&str], token: &'a str) {
        let is_member = before.last() == Some(&".");
        let by = self.replaced.iter().find(|(name, _)| *name == token && !is_member);
        self.output.push_str(by.map_or(token, |(_, by)| by));
    }

    /// Head before the brace of a function, struct or block.
    fn head(&mut self, tokens: &[&'a str]) {
        let words: Vec<&str> = tokens.iter().copied().filter(|token| !is_trivia(token)).collect();
        let is_block = words.contains(&"uniform") && !words.contains(&"binding");
        if !is_block {
            tokens.iter().for_each(|token| self.output.push_str(token));
            return;
        }
        let binding = self.binding();
        let has_layout = words.first() == Some(&"layout");
        let mut is_open = !has_layout;
        for token in tokens {
            if is_open && !is_trivia(token) && !has_layout {
                self.output.push_str(&format!("layout(set = 0, binding = {binding}) "));
                is_open = false;
            }
            self.output.push_str(token);
            if has_layout && *token == "(" {
                self.output.push_str(&format!("set = 0, binding = {binding}, "));
            }
        }
    }

    fn binding(&mut self) -> usize {
        self.bindings += 1;
        self.bindings - 1
    }

    fn declaration(&mut self, tokens: &[&'a str]) {
        let words: Vec<&str> = tokens.iter().copied().filter(|token| !is_trivia(token)).collect();
        let has = |word: &str| words.contains(&word);
        let is_input = has("in") || has("attribute");
        let is_output = has("out") || has("varying");
        let is_gone = words.first() == Some(&"precision")
            || (words.first() == Some(&"invariant") && !is_output)
            || (has("uniform") && words.iter().any(|word| word.contains("sampler")));
        // A prototype has parameters in parentheses.
        let is_function = has("(") && !has("layout");
        if is_gone {
            return self.lines(tokens, "");
        }
        let is_plain = |word: &&str| !KEPT.contains(word) && !DROPPED.contains(word);
        let plain: Vec<&str> = words.iter().copied().filter(is_plain).collect();
        let is_whole = is_function || is_whole(plain.clone());
        if is_input
            && is_whole
            && let Some(text) = self.matrix(&words)
        {
            return self.lines(tokens, &text);
        }
        // Where a `;` is missing, naga has the error and its place.
        if !is_whole && has("uniform") && !has("layout") {
            self.output.push_str("layout(binding = 0) ");
        }
        if !is_whole
            || is_function
            || has("location")
            || has("binding")
            || !(is_input || is_output || has("uniform"))
        {
            return tokens.iter().for_each(|token| self.output.push_str(token));
        }
        let kept = words.iter().copied().filter(|word| KEPT.contains(word)).collect::<Vec<_>>().join(" ");
        let mut rest = plain.into_iter();
        let Some(kind) = rest.next() else { return self.lines(tokens, "") };
        let mut text = String::new();
        for declarator in declarators(rest.collect()) {
            let Some(&name) = declarator.first() else { continue };
            let full = declarator.concat();
            if has("uniform") {
                let is_flag = kind == "bool" && declarator.len() == 1;
                let kind = if is_flag { "int" } else { kind };
                self.replaced.extend(is_flag.then(|| (name, format!("({name} != 0)"))));
                let binding = self.binding();
                text += &format!(
                    "layout(set = 0, binding = {binding}) uniform Block_{name} {{ {kind} {full}; }}; "
                );
            } else {
                let (next, word) =
                    if is_input { (&mut self.inputs, "in") } else { (&mut self.outputs, "out") };
                text += &format!("layout(location = {next}) {kept} {word} {kind} {full}; ");
                *next += 1;
            }
        }
        self.lines(tokens, &text);
    }

    /// The columns of an attribute that is a matrix, as naga has no others.
    fn matrix(&mut self, words: &[&'a str]) -> Option<String> {
        let (index, size) = words.iter().enumerate().find_map(|(index, word)| {
            let size = word.strip_prefix("mat")?.parse::<usize>().ok()?;
            (2..=4).contains(&size).then_some((index, size))
        })?;
        let name = words.get(index + 1)?;
        let explicit = words.windows(3).find(|window| window[..2] == ["location", "="]);
        let first = explicit.and_then(|window| window[2].parse().ok()).unwrap_or(self.inputs);
        self.inputs = self.inputs.max(first.saturating_add(size));
        let column = |column: usize| {
            format!("layout(location = {}) in vec{size} {name}_{column}; ", first.saturating_add(column))
        };
        let columns = (0..size).map(|column| format!("{name}_{column}")).collect::<Vec<_>>().join(", ");
        self.replaced.push((name, format!("mat{size}({columns})")));
        Some((0..size).map(column).collect())
    }

    /// Writes a text in the place of tokens: what stands before them, and as many lines.
    fn lines(&mut self, tokens: &[&str], text: &str) {
        let before = tokens.iter().take_while(|token| is_trivia(token));
        before.clone().for_each(|token| self.output.push_str(token));
        self.output.push_str(text);
        let inside = tokens.iter().skip(before.count()).filter(|token| is_trivia(token));
        let newlines = inside.map(|token| token.matches('\n').count()).sum();
        self.output.push_str(&"\n".repeat(newlines));
    }
}

/// Returns whether each variable has one name only; it has not where a `;` is missing.
fn is_whole(words: Vec<&str>) -> bool {
    let mut parts = declarators(words).into_iter().enumerate();
    parts.all(|(index, part)| {
        let mut depth = 0_usize;
        let names = part.iter().filter(|word| {
            match **word {
                "(" | "[" => depth += 1,
                ")" | "]" => depth = depth.saturating_sub(1),
                _other => {}
            }
            depth == 0 && word.starts_with(is_word)
        });
        // The type is in the first part.
        names.count() <= 1 + usize::from(index == 0)
    })
}

/// Name and array size of each declared variable, without initial values.
fn declarators(words: Vec<&str>) -> Vec<Vec<&str>> {
    let mut all = vec![Vec::new()];
    let (mut depth, mut is_value) = (0_usize, false);
    for word in words {
        match word {
            "(" | "[" => depth += 1,
            ")" | "]" => depth = depth.saturating_sub(1),
            "," if depth == 0 => {
                all.push(Vec::new());
                is_value = false;
                continue;
            }
            "=" if depth == 0 => is_value = true,
            _other => {}
        }
        if !is_value && let Some(last) = all.last_mut() {
            last.push(word);
        }
    }
    all
}

fn is_trivia(token: &str) -> bool {
    token.starts_with("//") || token.starts_with("/*") || token.chars().all(char::is_whitespace)
}

/// Words, symbols of one letter, spaces, comments, and directives as whole lines.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    let mut is_line_start = true;
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '#' if is_line_start => {
                let lines = rest.split('\n').take_while(|line| line.trim_end_matches('\r').ends_with('\\'));
                let continued: usize = lines.map(|line| line.len() + 1).sum();
                rest.get(continued..)
                    .and_then(|last| last.find('\n'))
                    .map_or(rest.len(), |end| continued + end)
            }
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ if first.is_whitespace() => {
                rest.find(|letter: char| !letter.is_whitespace()).unwrap_or(rest.len())
            }
            _ if is_word(first) => rest.find(|letter| !is_word(letter)).unwrap_or(rest.len()),
            _symbol => first.len_utf8(),
        };
        let (token, after) = rest.split_at(end);
        is_line_start = if token.chars().all(char::is_whitespace) {
            is_line_start || token.contains('\n')
        } else {
            false
        };
        tokens.push(token);
        rest = after;
    }
    tokens
}

fn is_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

#[cfg(test)]
mod tests {
    use super::{Location, modern, original_place};

    fn check(text: &str, expected: &str) {
        assert_eq!(modern(text), expected);
    }

    #[test]
    fn declarations_get_locations_and_blocks() {
        check(
            "#version 100\nattribute vec3 a, b;\nvarying lowp vec4 c;\nuniform mat4 m[2];\nvoid main() { c = a; }",
            "#version 450\nlayout(location = 0)  in vec3 a; layout(location = 1)  in vec3 b; \n\
             layout(location = 0)  out vec4 c; \n\
             layout(set = 0, binding = 16) uniform Block_m { mat4 m[2]; }; \nvoid main() { c = a; }",
        );
    }

    #[test]
    fn places_are_those_of_the_text_that_was_given() {
        let texts = "uniform bool lit;\nattribute vec4 p;\nvoid main() { if (lit) { x = lit && lit; } }";
        let rewritten = modern(texts);
        let place = |line: u32, word: &str| {
            let text = rewritten.lines().nth(line as usize - 1).expect("a line");
            let column = text.find(word).expect("a word") as u32 + 1;
            original_place(Location { line, column }, &rewritten, texts).column
        };
        assert_eq!([place(3, "main"), place(3, "if"), place(3, "; }"), place(3, "(lit")], [6, 15, 40, 19]);
        // Words stay; the rest of a change is one place, from its first letter on.
        assert_eq!(
            [place(3, "x ="), place(2, "vec4"), place(1, "lit;"), place(3, "!= 0)) {")],
            [26, 11, 14, 19]
        );
        assert_eq!([place(3, "(lit != 0) &&"), place(1, "set"), place(2, "= 0")], [19, 1, 1]);
    }

    #[test]
    fn directives_keep_their_lines() {
        check(
            "#version 120\n#ifdef GL_ES\nprecision highp float;\n#endif\nattribute vec4 p; // p\n#define A(x) \\\n\
             (x)\n#pragma x\nfloat f() {\n#ifdef B\n}",
            "#version 450\n#ifdef GL_ES\n\n#endif\nlayout(location = 0)  in vec4 p;  // p\n#define A(x) \\\n\
             (x)\n#pragma x\nfloat f() {\n#ifdef B\n}",
        );
    }

    #[test]
    fn explicit_locations_come_first() {
        check(
            "#version 330\nlayout(location = 2) in vec3 a;\nin vec2 b;\nout vec2 c;",
            "#version 450\nlayout(location = 2) in vec3 a;\nlayout(location = 3)  in vec2 b; \n\
             layout(location = 0)  out vec2 c; ",
        );
    }

    #[test]
    fn bool_uniforms_are_ints() {
        check(
            "#version 120\nuniform bool lit;\nvoid main() { if (lit) { x.lit = 1; } }",
            "#version 450\nlayout(set = 0, binding = 16) uniform Block_lit { int lit; }; \n\
             void main() { if ((lit != 0)) { x.lit = 1; } }",
        );
    }

    #[test]
    fn matrices_of_attributes_are_columns() {
        check(
            "#version 330\nlayout(location = 1) in mat2 m;\nin vec2 b;\nvoid main() { x = m * b; }",
            "#version 450\nlayout(location = 1) in vec2 m_0; layout(location = 2) in vec2 m_1; \n\
             layout(location = 3)  in vec2 b; \nvoid main() { x = mat2(m_0, m_1) * b; }",
        );
    }

    #[test]
    fn a_declaration_without_semicolon_stays() {
        for text in [
            "in vec2 a in vec2 b;",
            "in vec2 a\nvec2 b;",
            "uniform mat4 m\nuniform float k;",
            "attribute mat4 m attribute vec2 b;",
            "layout(location = 1) in mat2 m in vec2 b;",
        ] {
            assert!(modern(text).ends_with(text), "{text}");
        }
    }

    #[test]
    fn blocks_get_bindings_and_lines_stay() {
        check(
            "#version 300 es\nprecision\nhighp float;\nlayout(std140) uniform B {\n vec4 x;\n};",
            "#version 450\n\n\nlayout(set = 0, binding = 16, std140) uniform B {\n vec4 x;\n};",
        );
    }
}
