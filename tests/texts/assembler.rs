//! The assembler against picasso 2.7.1: our own shaders and small probes assemble to the same
//! bytes, or both reject them.
//! `tests/cases/picasso/NAME.pica` (and `NAME.b.pica`, a second source) assembles to `NAME.shbin`;
//! if that file is missing, picasso rejects the source. `NAME.txt` holds its options, exit status
//! and messages.
use std::fs;
use std::path::{Path, PathBuf};

use transpica::Shbin;
use transpica::container::Model;
use transpica_asm::{Assembled, AssemblerOptions, Report, SourceText, assemble_with};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Files of a folder, by name.
fn files(folder: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join(folder)).expect("folder");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("entry").path()).collect();
    files.sort();
    files
}

fn name(path: &Path) -> &str {
    path.file_name().and_then(|name| name.to_str()).expect("plain names")
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).expect("text")
}

fn assemble_files(paths: &[&PathBuf], options: &AssemblerOptions) -> Result<Assembled, Report> {
    let texts: Vec<_> = paths.iter().map(|path| read(path)).collect();
    let sources: Vec<_> =
        paths.iter().zip(&texts).map(|(path, text)| SourceText { name: name(path), text }).collect();
    assemble_with(&sources, options)
}

/// picasso's own binaries, which are never rewritten.
const BY_PICASSO: [&str; 10] =
    ["fog", "library", "lights", "points", "quaternion", "skinning", "textured", "toon", "uber", "water"];

/// Warnings of two shaders on purpose: their constants overflow and underflow.
const MEANT: [&str; 2] = ["1e38 becomes inf", "1e-30 becomes 0.0"];

/// `NAME.shbin` is assembled from `NAME.*.pica` in reverse alphabetical order. `UPDATE_EXPECT=1`
/// rewrites those that are not picasso's.
#[test]
fn every_shader_assembles_to_its_binary() {
    let shaders = files("shaders");
    let mut failures = Vec::new();
    let mut stems: Vec<_> = shaders
        .iter()
        .filter(|path| name(path).ends_with(".pica"))
        .map(|path| name(path).split('.').next().expect("a first part"))
        .collect();
    stems.dedup();
    for stem in &stems {
        let is_source = |path: &&PathBuf| {
            name(path).strip_prefix(stem).is_some_and(|rest| rest.starts_with('.') && rest.ends_with(".pica"))
        };
        let sources: Vec<_> = shaders.iter().rev().filter(is_source).collect();
        let assembled = match assemble_files(&sources, &AssemblerOptions::default()) {
            Ok(assembled) => assembled,
            Err(report) => {
                failures.push(report.to_string());
                continue;
            }
        };
        let unmeant = assembled.warnings.iter().filter(|warning| !MEANT.contains(&warning.message.as_str()));
        failures.extend(unmeant.map(ToString::to_string));
        let binary = root().join(format!("shaders/{stem}.shbin"));
        if std::env::var_os("UPDATE_EXPECT").is_some() && !BY_PICASSO.contains(stem) {
            fs::write(&binary, &assembled.bytes).expect("written");
        }
        if fs::read(&binary).ok().as_ref() != Some(&assembled.bytes) {
            failures.push(format!("{stem}.shbin is stale"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(stems.len() >= 22 && BY_PICASSO.iter().all(|stem| stems.contains(stem)));
}

#[test]
fn probes_assemble_as_with_picasso() {
    let mut failures = Vec::new();
    let mut count = 0;
    let purposes = read(&root().join("tests/cases/picasso/README.md"));
    for source in files("tests/cases/picasso") {
        let Some(stem) = name(&source).strip_suffix(".pica").filter(|stem| !stem.ends_with(".b")) else {
            continue;
        };
        assert!(purposes.contains(&format!("| `{stem}` | ")), "{stem}: its purpose is not in README.md");
        let second = source.with_file_name(format!("{stem}.b.pica"));
        let mut sources = vec![&source];
        if second.exists() {
            sources.push(&second);
        }
        let said = read(&source.with_extension("txt"));
        let options = AssemblerOptions { no_nop: said.starts_with("args: -n") };
        let accepted = said.contains("exit: 0");
        let expected = fs::read(source.with_extension("shbin")).ok();
        assert_eq!(accepted, expected.is_some(), "{stem}: the case contradicts itself");
        let result = assemble_files(&sources, &options);
        match (result, expected) {
            (Ok(assembled), Some(expected)) if assembled.bytes == expected => {}
            (Err(report), None) => failures.extend(misplaced(stem, &said, &report)),
            (Ok(_), Some(_)) => failures.push(format!("{stem}: other bytes")),
            (Ok(_), None) => failures.push(format!("{stem}: should be refused: {said}")),
            (Err(report), Some(_)) => failures.push(format!("{stem}: refused: {report}")),
        }
        count += 1;
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(count >= 104);
}

/// Compares place and text of the error with picasso's message, which begins with file, line and
/// text.
fn misplaced(stem: &str, said: &str, report: &Report) -> Option<String> {
    let expected = said.lines().find_map(|line| line.split_once(": error: "))?;
    let ours = &report.errors[0];
    let line = expected.0.rsplit(':').next().and_then(|line| line.parse().ok());
    // picasso reports this at the last line of the last file, which is unrelated.
    let late = expected.1.starts_with("no DVLEs");
    // picasso says the opposite of the rule.
    let text = expected.1.replace("must be different input", "must not be different input");
    let is_right = (late || line == Some(ours.line)) && ours.message.trim() == text.trim();
    // One probe has two mistakes.
    let most = if stem == "062_out_collide" { 2 } else { 1 };
    (!is_right || report.errors.len() > most).then(|| format!("{stem}: {report} instead of {said}"))
}

/// Texts resembling human mistakes: lines of shaders and probes, cut, repeated and mixed.
fn damaged(texts: &[String], seed: u32) -> String {
    let mut state = seed;
    let mut next = |below: usize| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as usize % below.max(1)
    };
    let mut lines: Vec<String> = texts[next(texts.len())].lines().map(str::to_owned).collect();
    let other: Vec<&str> = texts[next(texts.len())].lines().collect();
    for _ in 0..=next(2) {
        let (at, from) = (next(lines.len()), next(lines.len()));
        match next(6) {
            0 => drop(lines.remove(at)),
            1 => lines.insert(at, lines[from].clone()),
            2 => lines.insert(at, other[next(other.len())].to_owned()),
            3 => lines[at] = lines[at].chars().filter(|_| next(8) > 0).collect(),
            4 => lines[at] = lines[at].split(' ').rev().collect::<Vec<_>>().join(" "),
            _ => {
                let junk = [
                    " @1",
                    " ^ 0x1",
                    "._",
                    ".verbatim\n",
                    ".dvle\n",
                    ".opdesc 1\n",
                    ".word 9\n",
                    "0x5, 0x3",
                    "-",
                    "[",
                    "]",
                    ".",
                    "a0.x",
                    "(",
                    ")",
                    ",",
                    ":",
                    "99999999999",
                    "é",
                    "b",
                    "#",
                    "\u{0}",
                ];
                let place = lines[at].char_indices().map(|(place, _)| place).nth(next(20)).unwrap_or(0);
                lines[at].insert_str(place, junk[next(junk.len())]);
            }
        }
        if lines.is_empty() {
            break;
        }
    }
    lines.join("\n")
}

#[test]
fn damaged_texts_give_a_readable_file_or_an_error_with_a_place() {
    let sources = files("shaders").into_iter().chain(files("tests/cases/picasso"));
    let texts: Vec<_> =
        sources.filter(|path| name(path).ends_with(".pica")).map(|path| read(&path)).collect();
    let mut accepted = 0;
    for seed in 0..3000 {
        let text = damaged(&texts, seed * 7919);
        match assemble_with(&[SourceText { name: "damaged", text: &text }], &AssemblerOptions::default()) {
            Ok(assembled) => {
                let file = Shbin::parse(&assembled.bytes).unwrap_or_else(|error| panic!("{error}\n{text}"));
                assert_eq!(Model::from(&file), assembled.model, "{text}");
                assert_eq!(assembled.places.len(), assembled.model.code.len());
                accepted += 1;
            }
            Err(report) => {
                let error = &report.errors[0];
                assert!(
                    error.column >= 1 && error.line as usize <= text.lines().count() + 1,
                    "{error}\n{text}"
                );
            }
        }
    }
    assert!((300..2000).contains(&accepted), "{accepted} of 3000 are accepted");
}
