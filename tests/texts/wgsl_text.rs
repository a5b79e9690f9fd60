//! WGSL of all samples: without roundabout forms and without names that say nothing, with comments
//! on the program, its options, its loops and its procedures.

use transpica::host::dvle;
use transpica::host::dvle::FileEnvironment;
use transpica::settings::{Arithmetic, Block, Layout};
use transpica::stages::backend::text::Language;
use transpica::{Job, Options, Precision, Profile, Setup, Shbin, Stage, Translator};
use transpica_asm::{SourceText, assemble};

use crate::samples::samples;

/// Names without a meaning: those of values without a register, symbol, output or operation.
const NAMELESS: [&str; 7] = ["t", "n", "test", "bits", "value", "index", "unnamed"];
/// Operations on a constant that the result does not depend on.
const IDLE: [&str; 3] = [" + 0", " - 0", " * 1"];
/// Other forms that have a shorter one.
const LONG: [&str; 7] = [
    "0i +",
    "== true",
    "== false",
    "!= false",
    "min(1.0, max(0.0, ",
    "min(vec3f(1.0), max(vec3f(0.0), ",
    "select(select(select(",
];

fn options(precision: Precision, layout: Layout) -> Options {
    Options {
        arithmetic: Arithmetic { precision, ..Arithmetic::default() },
        block: Block { layout, ..Block::default() },
        ..Options::default()
    }
}

/// Returns the WGSL of all programs of a file that it can express.
fn texts(file: &Shbin<'_>, name: &str, options: Options) -> Vec<String> {
    let mut translator = Translator::new(options, Profile::default());
    let limits = Options::default().limits;
    let programs: Vec<_> = (0..file.executables.len())
        .map(|index| dvle::program(file, index, &limits).expect("there"))
        .collect();
    let vertex = programs.iter().position(|program| program.stage() == Stage::Vertex);
    let mut texts = Vec::new();
    for (index, program) in programs.iter().enumerate() {
        let environment = FileEnvironment::new(file, index, name).expect("there");
        let setup = vertex.and_then(|vertex| Setup::from_file(file, vertex, Some(index), None).ok());
        let job = match (program.stage(), &setup) {
            (Stage::Vertex, _) => Job::Vertex,
            (Stage::Geometry, Some(setup)) if setup.geometry.is_some() => Job::Geometry(setup),
            (Stage::Geometry, _) => continue,
        };
        let translated = translator.translate(program, &environment, job);
        let translated = translated.unwrap_or_else(|error| panic!("{name} {index}: {error}"));
        texts.push(translated.text(Language::Wgsl).expect("WGSL"));
    }
    texts
}

/// Returns the WGSL of all samples in the forms of these tests, with their names.
fn all_texts() -> Vec<(String, String)> {
    let mut all = Vec::new();
    for sample in samples() {
        let file = Shbin::parse(&sample.bytes).expect("a file");
        for precision in [Precision::Exact, Precision::Fast] {
            for layout in [Layout::Symbols, Layout::Registers] {
                let name = format!("{} {precision:?} {layout:?}", sample.name);
                let texts = texts(&file, &sample.name, options(precision, layout));
                all.extend(texts.into_iter().map(|text| (name.clone(), text)));
            }
        }
    }
    assert!(all.len() > 300, "only {} texts", all.len());
    all
}

/// Returns whether a line has an operation on a constant integer that does nothing: `a + 0`, not
/// `a + 0.5`.
fn is_idle(line: &str) -> bool {
    IDLE.iter().any(|form| {
        line.match_indices(form).any(|(at, _)| {
            let next = line[at + form.len()..].chars().next();
            next.is_none_or(|next| !next.is_ascii_alphanumeric() && next != '.')
        })
    })
}

/// Returns the name that a line declares.
fn declared(line: &str) -> Option<&str> {
    let rest = line.trim_start();
    let rest = rest.strip_prefix("let ").or_else(|| rest.strip_prefix("var "))?;
    rest.split([' ', ':', '=']).next()
}

/// Returns a name without the number that makes it unique.
fn stem(name: &str) -> &str {
    let end = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if end.len() < name.len() { end.strip_suffix('_').unwrap_or(name) } else { name }
}

/// Returns whether a text copies an array of the uniform block, in place of reading an element.
fn copies_array(text: &str) -> bool {
    let fields = text.lines().filter_map(|line| line.strip_prefix("    ")?.split_once(": array<"));
    fields.into_iter().any(|(name, _)| {
        let path = format!("uniforms.{name}");
        text.match_indices(&path).any(|(at, _)| {
            let next = text[at + path.len()..].chars().next();
            next.is_some_and(|next| next != '[' && !next.is_ascii_alphanumeric() && next != '_')
        })
    })
}

#[test]
fn texts_have_no_roundabout_forms() {
    for (name, text) in all_texts() {
        for line in text.lines() {
            assert!(!is_idle(line), "{name}: {line}");
            let found = LONG.iter().find(|form| line.contains(**form));
            assert_eq!(found, None, "{name}: {line}");
        }
        assert!(!copies_array(&text), "{name}\n{text}");
    }
}

#[test]
fn temporaries_have_names_with_a_meaning() {
    let (mut all, mut nameless) = (0, Vec::new());
    for (name, text) in all_texts() {
        for line in text.lines() {
            let Some(declared) = declared(line) else { continue };
            all += 1;
            if NAMELESS.contains(&stem(declared)) {
                nameless.push(format!("{name}: {line}"));
            }
        }
    }
    assert!(all > 9000, "only {all} declarations");
    assert!(nameless.len() * 1000 <= all, "{} of {all}:\n{}", nameless.len(), nameless.join("\n"));
}

#[test]
fn few_lines_are_long() {
    let texts = all_texts();
    let lines: Vec<_> = texts.iter().flat_map(|(_, text)| text.lines()).collect();
    let long: Vec<_> = lines.iter().filter(|line| line.len() > 100).collect();
    assert!(long.len() * 200 <= lines.len(), "{} of {}:\n{long:#?}", long.len(), lines.len());
    assert!(long.iter().all(|line| line.len() < 130), "{long:#?}");
}

#[test]
fn loops_show_their_condition() {
    let (mut heads, mut endless) = (0, Vec::new());
    for (name, text) in all_texts() {
        for line in text.lines().map(str::trim_start) {
            heads += usize::from(line.starts_with("for (") || line.starts_with("while "));
            endless.extend((line == "loop {").then(|| name.clone()));
        }
    }
    assert!(heads > 100 && endless.is_empty(), "{heads} beside {endless:?}");
}

#[test]
fn named_arrays_are_read_by_relative_indices() {
    let mut readers = 0;
    for (name, text) in all_texts() {
        let names = text.lines().filter_map(|line| line.strip_prefix("const ")?.split(':').next());
        for array in names {
            let (call, reader) = (format!("c_at({array} +"), format!("    return c_at({array} + index);"));
            let calls = text.lines().filter(|line| line.contains(&call) && **line != reader);
            assert_eq!(calls.collect::<Vec<_>>(), [""; 0], "{name}");
            readers += text.lines().filter(|line| **line == reader).count();
        }
    }
    assert!(readers > 40, "only {readers}");
}

#[test]
fn comments_show_the_counters_of_loops() {
    let texts = all_texts();
    let count = |part: &str| texts.iter().filter(|(_, text)| text.contains(part)).count();
    assert!(count("// up to ") > 20 && count("iterations, aL from ") > 20);
    let (_, lights) =
        texts.iter().find(|(name, _)| name.ends_with("lights.shbin Exact Symbols")).expect("there");
    let comment = "// up to lightLoop.x + 1 iterations, aL from lightLoop.y by lightLoop.z";
    assert!(lights.contains(comment), "{lights}");
}

#[test]
fn headers_name_the_translator_and_unusual_options() {
    for (name, text) in all_texts() {
        let translator = concat!("// translator: transpica ", env!("CARGO_PKG_VERSION"), "\n");
        assert!(text.starts_with("// source: ") && text.contains(translator), "{name}\n{text}");
        let unusual = [("Fast", "arithmetic.precision = Fast"), ("Registers", "block.layout = Registers")];
        for (word, option) in unusual {
            let is_named = text.lines().any(|line| line.starts_with("// options: ") && line.contains(option));
            assert_eq!(is_named, name.contains(word), "{name}\n{text}");
        }
    }
}

#[test]
fn comments_name_procedures_by_labels_of_the_file() {
    let text = "
        .out - position o0
        .proc main
            mov r0, v0
            call lighting
            mul r2, r0, r0
            add o0, r2, r2
            end
        .end
        .proc lighting
            mul r1, r0, r0
            add r0, r1, r1
            nop
        .end
        .label lighting 5 1 3
        .label main 0 0 0
    ";
    let assembled = assemble(&[SourceText { name: "procedures.v.pica", text }]);
    let assembled = assembled.unwrap_or_else(|report| panic!("{report}"));
    let file = Shbin::parse(&assembled.bytes).expect("a file");
    let texts = texts(&file, "procedures", Options::default());
    let place = |part: &str| texts[0].find(part).unwrap_or_else(|| panic!("{part} in\n{}", texts[0]));
    let places = ["// procedure lighting\n", "let r1 = ", "// procedure main\n", "let r2 = "].map(place);
    assert!(places.is_sorted(), "{}", texts[0]);
}

#[test]
fn the_guide_shows_the_wgsl_of_a_sample() {
    let root = env!("CARGO_MANIFEST_DIR");
    let bytes = std::fs::read(format!("{root}/shaders/textured.shbin")).expect("readable");
    let file = Shbin::parse(&bytes).expect("a file");
    let text = &texts(&file, "textured.shbin", Options::default())[0];
    let guide = std::fs::read_to_string(format!("{root}/tools/asm/src/guide/homebrew.md")).expect("readable");
    assert!(guide.contains(&format!("```wgsl\n{text}```\n")), "{text}");
}
