//! Output on terminals: no control characters from files, no characters outside the locale; quiet
//! and verbose output.

use std::fs;

use crate::needs;
use crate::support::{folder, on_terminal, transpica, transpica_reading};

const ESCAPE: char = '\u{1b}';

#[test]
fn control_characters_of_a_source_are_spelled_out() {
    let source = ".proc main\n\tmov r0, v0\u{1b}]0;title\u{7}\u{202e}x\n\tmvo\u{9b}31m r0, v0\n\tend\n.end\n";
    let ran = transpica_reading(&["asm", "-", "-o", "-"], source.as_bytes());
    assert_eq!(ran.status, 1);
    assert!(!ran.err.contains(|c: char| c.is_control() && c != '\n' || c == '\u{202e}'), "{:?}", ran.err);
    assert!(ran.err.contains("\\u{1b}") && ran.err.contains("\\u{9b}"), "{}", ran.err);
    let marks = ran.err.lines().map(|line| line.matches('━').count());
    let marks: Vec<usize> = marks.filter(|&count| count > 0).collect();
    assert!(!marks.is_empty() && marks.iter().all(|&count| count > 4), "{marks:?}: {}", ran.err);
    // Carriage returns at ends of lines are not escaped.
    let ran = transpica_reading(&["asm", "-", "-o", "-"], b".proc main\r\n\tmvo r0, v0\r\n\tend\r\n.end\r\n");
    assert!(ran.status == 1 && !ran.err.contains("\\u{d}"), "{}", ran.err);
}

#[test]
fn names_from_files_are_escaped_for_a_terminal() {
    needs!("script");
    let folder = folder("names");
    let file = folder.join("names.shbin");
    let source = b".fvec title\n.proc main\n\tmov o0, title\n\tend\n.end\n.out position position\n";
    let path = file.to_str().expect("a name");
    let ran = transpica_reading(&["asm", "-", "-o", path], source);
    assert_eq!(ran.status, 0, "{}", ran.err);
    let mut bytes = fs::read(&file).expect("written");
    let at = bytes.windows(6).position(|name| name == b"title\0").expect("the name");
    bytes[at..at + 5].copy_from_slice(b"\x1b[31m");
    fs::write(&file, bytes).expect("written");
    for command in ["info", "dis", "translate", "cfg --stage ir", "translate --to reflection"] {
        let ran = on_terminal(&format!("\"$TRANSPICA\" {command} {path}"), &[]);
        assert_eq!(ran.status, 0, "{command}: {}", ran.text());
        assert!(!ran.text().contains(ESCAPE), "{command}: {:?}", ran.text());
    }
    let shown = on_terminal(&format!("\"$TRANSPICA\" info {path}"), &[]).text();
    assert!(shown.contains("\\u{1b}[31m"), "{shown}");
    // A file receives control characters unchanged.
    assert!(transpica(&["info", path]).text().contains(ESCAPE));
    for missing in ["no\u{1b}[2Jsuch.shbin", "no\u{9b}2Jsuch.shbin"] {
        let ran = transpica(&["translate", missing]);
        assert!(ran.status == 1 && !ran.err.contains(|c: char| c.is_control() && c != '\n'), "{:?}", ran.err);
    }
}

#[test]
fn a_dumb_terminal_gets_neither_colors_nor_drawings() {
    needs!("script");
    let source = folder("dumb").join("bad.pica");
    fs::write(&source, ".proc main\n\tmvo r0, v0\n\tend\n.end\n").expect("written");
    let line = format!("\"$TRANSPICA\" asm {} -o /dev/null", source.display());
    let text = |variables: &[(&str, &str)]| on_terminal(&line, variables).text();
    let usual = text(&[]);
    assert!(usual.contains(ESCAPE) && usual.contains('│'), "{usual:?}");
    let dumb = text(&[("TERM", "dumb")]);
    assert!(dumb.is_ascii() && !dumb.contains(ESCAPE) && dumb.contains("mvo"), "{dumb:?}");
    let plain = text(&[("NO_COLOR", "1")]);
    assert!(!plain.contains(ESCAPE) && plain.contains('│'), "{plain:?}");
    let ascii = text(&[("LC_ALL", "C")]);
    assert!(ascii.is_ascii() && ascii.contains(ESCAPE), "{ascii:?}");
    let failure = on_terminal("\"$TRANSPICA\" info no/such.shbin", &[("TERM", "dumb")]);
    assert!(failure.status == 1 && failure.text().is_ascii(), "{:?}", failure.text());
    let asked = on_terminal(&format!("{line} --color always"), &[("TERM", "dumb")]).text();
    assert!(asked.is_ascii() && asked.contains(ESCAPE), "{asked:?}");
    let survey = on_terminal("\"$TRANSPICA\" survey shaders", &[("TERM", "dumb")]).text();
    assert!(!survey.contains(ESCAPE), "{survey:?}");
}

#[test]
fn quiet_commands_print_nothing_and_verbose_ones_more() {
    let folder = folder("remarks");
    let out = folder.join("out");
    let out = out.to_str().expect("a name");
    let sample = "shaders/library.shbin";
    for arguments in [
        &["translate", sample, "-o", out][..],
        &["info", sample, "-o", out],
        &["dis", sample, "-o", out],
        &["cfg", sample, "-o", out],
        &["run", sample, "-o", out],
        &["survey", sample, "-o", out],
        &["scan", sample, "-o", out],
        &["asm", "shaders/fog.v.pica", "-o", out],
    ] {
        let quiet = transpica(&[arguments, &["-q"]].concat());
        assert_eq!((quiet.status, quiet.err.as_str()), (0, ""), "{arguments:?}");
        let usual = transpica(arguments);
        let verbose = transpica(&[arguments, &["-v"]].concat());
        assert_eq!((usual.status, verbose.status), (0, 0), "{arguments:?}: {}", verbose.err);
        assert!(verbose.err.lines().count() > usual.err.lines().count(), "{arguments:?}: {}", verbose.err);
    }
}

#[test]
fn columns_of_tables_count_wide_characters_twice() {
    let source =
        ".symbol %E6%B0%B4%E9%9D%A2 0x10 0x10\n.symbol Fl%C3%A4che 0x11 0x11\n.proc main\nend\n.end\n";
    let file = folder("wide").join("wide.shbin");
    let name = file.to_str().expect("a name");
    assert_eq!(transpica_reading(&["asm", "-", "-o", name], source.as_bytes()).status, 0);
    let tables = transpica(&["info", name]).succeeded();
    assert!(tables.contains("\u{6c34}\u{9762}    c0\n") && tables.contains("Fl\u{e4}che  c1\n"), "{tables}");
}
