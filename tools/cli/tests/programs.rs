//! Selection of a program of a file and its name in the text; the output of `run`; options for the
//! position.

use std::fs;

use expect_test::expect;
use transpica::host::dvle;
use transpica::host::dvle::FileEnvironment;
use transpica::settings::{ClipPlanes, DepthRange, DepthSnap, FlipY, Outputs};
use transpica::stages::backend::text::Language;
use transpica::{GlslVersion, Job, Limits, Options, Profile, Shbin, Translator};

use crate::needs;
use crate::support::{Ran, folder, on_terminal, root, transpica, transpica_reading};

const SAMPLE: &str = "shaders/lights.shbin";
const LIBRARY: &str = "shaders/library.shbin";

#[test]
fn a_file_with_several_programs_gives_a_note_if_none_was_chosen() {
    for command in [&["translate"][..], &["run"], &["run", "--json"], &["cfg"], &["cfg", "--stage", "ir"]] {
        let ran = transpica(&[command, &[LIBRARY]].concat());
        assert_eq!(ran.status, 0, "{}", ran.err);
        assert_eq!(ran.err.lines().count(), 1, "{command:?}: {}", ran.err);
        assert!(
            ran.err.starts_with("note: library.shbin has ") && ran.err.contains("this is DVLE 0 (vertex")
        );
        for silent in [&["-q"][..], &["--dvle", "0"]] {
            let again = transpica(&[command, &[LIBRARY], silent].concat());
            assert_eq!((again.err.as_str(), &again.out), ("", &ran.out), "{command:?} {silent:?}");
        }
        let ran = transpica(&[command, &[SAMPLE]].concat());
        assert_eq!((ran.status, ran.err.as_str()), (0, ""), "one program");
    }
}

/// Two programs in one file.
const NAMED: [&str; 2] = [
    ".out position position\n.proc main\n\tmov position, v0\n\tend\n.end\n",
    ".out position position\n.entry sky\n.proc ground\n\tnop\n\tend\n.end\n.proc sky\n\tmov position, v0\n\tend\n.end\n",
];

#[test]
fn the_comment_at_the_head_of_a_text_names_program_and_entry() {
    let folder = folder("named");
    let names = ["a.pica", "b.pica", "both.shbin"].map(|name| folder.join(name));
    let [first, second, both] = names.each_ref().map(|name| name.to_str().expect("a name"));
    NAMED.iter().zip(&names).for_each(|(source, name)| fs::write(name, source).expect("written"));
    assert_eq!(transpica(&["asm", first, second, "-o", both]).status, 0);
    for (target, before) in [("wgsl", ""), ("glsl", "#version 450\n"), ("hlsl", ""), ("msl", "")] {
        let head = |dvle: &str| {
            let text = transpica(&["translate", both, "--dvle", dvle, "--to", target]).succeeded();
            text.split("\n\n").next().expect("a head").to_string()
        };
        let translator = concat!("// translator: transpica ", env!("CARGO_PKG_VERSION"));
        let comments = "// source: both.shbin\n// program: DVLE 0\n// entry: code word 0x0";
        assert_eq!(head("0"), format!("{before}{comments}\n{translator}"));
        let comments = "// source: both.shbin\n// program: DVLE 1\n// entry: code word 0x4";
        assert_eq!(head("1"), format!("{before}{comments}\n{translator}"));
    }
    let text = transpica(&["translate", "shaders/points.shbin", "--dvle", "1"]).succeeded();
    assert!(text.starts_with("// source: points.shbin\n// program: DVLE 1\n// entry: "), "{text:.100}");
    let code = folder.join("code.bin");
    fs::write(&code, [0u32, 0x8800_0000].map(u32::to_le_bytes).concat()).expect("written");
    let text =
        transpica(&["translate", "--code", code.to_str().expect("a name"), "--entry", "1"]).succeeded();
    assert!(text.starts_with("// source: code.bin\n// entry: code word 0x1\n// "), "{text:.100}");
}

#[test]
fn every_command_that_reads_a_container_reads_its_source() {
    let folder = folder("sources");
    let [source, binary, bad] = ["fog.v.pica", "fog.shbin", "bad.pica"].map(|name| folder.join(name));
    let [source, binary, bad] = [&source, &binary, &bad].map(|path| path.to_str().expect("a name"));
    let text = fs::read(root().join("shaders/fog.v.pica")).expect("a sample");
    fs::write(source, &text).expect("written");
    fs::write(bad, ".proc main\n\tmvo r0, v0\n\tmov r77, v0\n\tend\n.end\n").expect("written");
    assert_eq!(transpica(&["asm", source, "-o", binary]).status, 0);
    let commands: [&[&str]; 8] = [
        // Names of the source are in texts only.
        &["translate", "--to", "spirv-asm"],
        &["info"],
        &["dis"],
        &["run"],
        &["cfg"],
        &["cfg", "--stage", "ir"],
        &["survey", "-q"],
        &["translate", "--to", "spirv", "--out-dir"],
    ];
    for command in commands {
        let out = folder.join("out");
        let out: &[&str] =
            if command.contains(&"--out-dir") { &[out.to_str().expect("a name")] } else { &[] };
        let of = |file: &str| transpica(&[command, out, &[file]].concat());
        let ran = of(source);
        // Times of a survey differ.
        let end = |text: String| text.split("time in").next().unwrap_or_default().replace(source, "FILE");
        let found = end(ran.succeeded()).replace("fog.v.pica", "FILE");
        let expected = end(of(binary).succeeded()).replace(binary, "FILE").replace("fog.shbin", "FILE");
        // The source alone names its constants.
        let names = [("float_95", "k"), ("float_94", "lut"), ("int_3", "tail")];
        let names = names.iter().filter(|_| *command == ["cfg"]);
        let expected = names.fold(expected, |text, (made_up, name)| text.replace(made_up, name));
        assert_eq!(found, expected, "{command:?}");
        let ran = of(bad);
        assert_eq!(ran.status, 1, "{command:?}");
        let report = format!("{}{}", ran.report(), ran.text());
        assert!(report.contains("invalid instruction: mvo"), "{command:?}: {report}");
        assert!(!command.starts_with(&["run"]) || report.contains("r77"), "all errors: {report}");
    }
    // Also from standard input, which has no name.
    assert!(transpica_reading(&["translate", "-"], &text).succeeded().contains("@vertex"));
    let picture = folder.join("fog.png");
    assert_eq!(transpica(&["draw", source, "-o", picture.to_str().expect("a name")]).status, 0);
    // A folder has the source or its binary, not both.
    let rows = |ran: Ran| ran.text().lines().filter(|line| line.contains("dvle")).count();
    let path = folder.to_str().expect("a name");
    assert_eq!(rows(transpica(&["survey", path])), 2, "fog.shbin, and bad.pica");
    fs::remove_file(binary).expect("removable");
    assert_eq!(rows(transpica(&["survey", path])), 2, "fog.v.pica, and bad.pica");
}

#[test]
fn the_assembler_says_what_a_binary_is() {
    let ran = transpica(&["asm", SAMPLE, "-o", "-"]);
    assert_eq!((ran.status, ran.out.len()), (1, 0));
    let report = ran.report();
    assert!(report.contains("lights.shbin is already assembled: it is a .shbin file"), "{report}");
    assert!(report.contains("transpica dis"), "{report}");
}

/// Writes (0, 0, 0, 1) to one output, something else to the second, and nothing to the third.
const DEFAULTS: &str = "
.constf unit(0.0, 0.0, 0.0, 1.0)
.constf other(1.0, 2.0, 3.0, 4.0)
.out position position
.out color color
.out view view
.proc main
\tmov position, unit
\tmov color, other
\tend
.end
";

#[test]
fn run_prints_every_mapped_output() {
    let folder = folder("mapped");
    let file = folder.join("defaults.shbin");
    let name = file.to_str().expect("a name");
    let ran = transpica_reading(&["asm", "-", "-o", name], DEFAULTS.as_bytes());
    assert_eq!(ran.status, 0, "{}", ran.err);
    let table = transpica(&["run", name, "--vertices", "2"]).succeeded();
    expect![[r#"
        inputs: generated from seed 0; --save-state FILE saves them, --state FILE loads others
        vertex 0
          o0               0.0             0.0             0.0             1.0  position
          o1               1.0             2.0             3.0             4.0  color
          o2               0.0             0.0             0.0             1.0  view
        vertex 1
          o0               0.0             0.0             0.0             1.0  position
          o1               1.0             2.0             3.0             4.0  color
          o2               0.0             0.0             0.0             1.0  view
    "#]]
    .assert_eq(&table);
}

/// A program that does not end.
const ENDLESS: &str = "
.bool on
.setb on true
.out position position
.proc main
again:
\tjmpu on, again
\tend
.end
";

#[test]
fn the_trace_of_a_run_that_fails_goes_up_to_the_failure() {
    needs!("script");
    let folder = folder("trace");
    let file = folder.join("endless.shbin");
    let name = file.to_str().expect("a name");
    let ran = transpica_reading(&["asm", "-", "-o", name], ENDLESS.as_bytes());
    assert_eq!(ran.status, 0, "{}", ran.err);
    let ran = transpica(&["run", name, "--trace", "--budget", "5", "--vertices", "1"]);
    assert_eq!(ran.status, 1);
    assert!(ran.report().contains("budget") || ran.report().contains("instructions"), "{}", ran.err);
    assert_eq!(ran.text().lines().filter(|line| line.contains("jmpu")).count(), 5, "{}", ran.text());
    let out = folder.join("out.txt");
    let path = out.to_str().expect("a name");
    let into = transpica(&["run", name, "--trace", "--budget", "5", "--vertices", "1", "-o", path]);
    assert_eq!((into.status, into.out.len()), (1, 0));
    assert_eq!(fs::read(&out).expect("the trace"), ran.out);
    // A run without a trace writes no file, and neither does one that cannot start.
    fs::remove_file(&out).expect("removable");
    let ran = transpica(&["run", name, "--budget", "5", "-o", path]);
    assert_eq!((ran.status, ran.out.len(), out.exists()), (1, 0, false));
    let ran = transpica(&["run", name, "--trace", "--dvle", "1", "-o", path]);
    assert_eq!((ran.status, ran.out.len(), out.exists()), (1, 0, false));
    let geometry = ["run", "shaders/points.shbin", "--dvle", "1", "--trace", "--budget", "3"];
    let ran = transpica(&geometry);
    assert_eq!((ran.status, ran.text().lines().count()), (1, 3), "{}", ran.text());
    // A reader that closes the pipe early does not change the exit status.
    let line = format!("\"$TRANSPICA\" run {name} --trace --budget 50000 --color never | head -n 1");
    let shown = on_terminal(&line, &[]).text();
    assert!(shown.contains("jmpu") && shown.contains("endless.shbin"), "{shown}");
}

/// The library's text under these options.
fn library(options: Options, language: Language) -> String {
    let bytes = fs::read(root().join(SAMPLE)).expect("a sample");
    let file = Shbin::parse(&bytes).expect("valid");
    let program = dvle::program(&file, 0, &Limits::default()).expect("a program");
    let environment = FileEnvironment::new(&file, 0, "lights.shbin").expect("an executable");
    let mut translator = Translator::new(options, Profile::default());
    let translated = translator.translate(&program, &environment, Job::Vertex).expect("translates");
    translated.text(language).expect("a text")
}

#[test]
fn depth_y_and_clip_planes_match_the_library() {
    let base = Options::default();
    let depth = |depth| Options { outputs: Outputs { depth, ..base.outputs }, ..base };
    let flip = |flip_y| Options { outputs: Outputs { flip_y, ..base.outputs }, ..base };
    let clip = |clip_planes| Options { outputs: Outputs { clip_planes, ..base.outputs }, ..base };
    for (option, value, options) in [
        ("--depth", "0..w", depth(DepthRange::ZeroToW)),
        ("--depth", "-w..w", depth(DepthRange::MinusWToW)),
        ("--depth", "raw", depth(DepthRange::Raw)),
        ("--flip-y", "never", flip(FlipY::Never)),
        ("--flip-y", "always", flip(FlipY::Always)),
        ("--flip-y", "host", flip(FlipY::Dynamic)),
        ("--clip", "none", clip(ClipPlanes::None)),
        ("--clip", "builtin", clip(ClipPlanes::BuiltIn)),
        ("--clip", "varying", clip(ClipPlanes::Varying)),
    ] {
        let expected = library(options, Language::Wgsl);
        assert_eq!(expected == library(base, Language::Wgsl), options == base, "{option} {value}");
        for arguments in [vec![option.into(), value.into()], vec![format!("{option}={value}")]] {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let text = transpica(&[&["translate", SAMPLE][..], &arguments].concat()).succeeded();
            assert!(text == expected, "{option} {value}");
        }
        let ir = |more: &[&str]| transpica(&[&["cfg", SAMPLE, "--stage", "ir"], more].concat()).succeeded();
        assert_eq!(ir(&[option, value]) == ir(&[]), options == base, "{option} {value}");
    }
    let all = Options {
        outputs: Outputs {
            depth: DepthRange::MinusWToW,
            snap_depth: DepthSnap::AZAHAR,
            flip_y: FlipY::Always,
            clip_planes: ClipPlanes::Varying,
            ..base.outputs
        },
        ..base
    };
    let arguments = [
        "--depth",
        "-w..w",
        "--snap-depth",
        "--flip-y",
        "always",
        "--clip",
        "varying",
        "--to",
        "glsl",
        "--glsl-version",
        "330",
    ];
    let text = transpica(&[&["translate", SAMPLE][..], &arguments].concat()).succeeded();
    assert_eq!(text, library(all, Language::Glsl(GlslVersion::Core330)));
}

#[test]
fn text_for_opengl_notes_its_depth_until_one_is_chosen() {
    let err = |arguments: &[&str]| {
        let ran = transpica(&[&["translate", SAMPLE, "--to", "glsl"], arguments].concat());
        assert_eq!(ran.status, 0, "{}", ran.err);
        ran.err
    };
    for version in ["330", "310es"] {
        let note = err(&["--glsl-version", version]);
        assert!(note.starts_with("note: ") && note.contains("--depth -w..w"), "{note}");
        for silent in [
            &["--depth", "-w..w"][..],
            &["--depth", "0..w"],
            &["--raw-depth"],
            &["--entry", "compute"],
            &["-q"],
        ] {
            if (version, silent) == ("330", &["--entry", "compute"]) {
                continue; // There is none.
            }
            assert_eq!(err(&[&["--glsl-version", version], silent].concat()), "", "{version} {silent:?}");
        }
    }
    assert!(err(&["--glsl-version", "330"]).contains("or --depth 0..w with glClipControl"));
    assert!(!err(&["--glsl-version", "300es"]).contains("glClipControl"), "ES has none");
    assert_eq!(err(&[]), "");
    let help = transpica(&["translate", "--help"]).succeeded();
    assert!(help.contains("OpenGL") && help.contains("--depth <RANGE>"), "{help}");
}

#[test]
fn debug_information_has_the_source_that_the_file_names() {
    let folder = folder("source");
    let [plain, listed, binary] = ["plain.pica", "listed.pica", "source.shbin"].map(|name| folder.join(name));
    let source = ".out position position\n; a comment that no disassembly has\n.proc main\n\tadd position, v0, v0\n\tend\n.end\n";
    fs::write(&plain, source).expect("written");
    let table = ".line over/there/plain.pica 4\n.line over/there/plain.pica 5\n";
    fs::write(&listed, format!("{table}{source}")).expect("written");
    let [plain, listed, binary] = [&plain, &listed, &binary].map(|path| path.to_str().expect("a name"));
    let module = |from: &str| {
        assert_eq!(transpica(&["asm", from, "-o", binary]).status, 0);
        transpica(&["translate", binary, "--debug", "--to", "spirv-asm"]).succeeded()
    };
    let has_comment = |text: &str| text.contains("a comment that no disassembly has");
    let text = module(listed);
    assert!(has_comment(&text) && text.contains("\"plain.pica\"") && text.contains("OpLine"), "{text}");
    let text = module(plain);
    assert!(!has_comment(&text) && text.contains("\"source.shbin.pica\""), "without a table: {text}");
    let text = transpica(&["translate", plain, "--debug", "--to", "spirv-asm"]).succeeded();
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("OpLine")).collect();
    assert!(has_comment(&text) && text.contains("\"plain.pica\""), "{text}");
    assert!(lines.iter().any(|line| line.contains(" 4 ")), "the line of `add`: {lines:?}");
    fs::rename(plain, folder.join("elsewhere.pica")).expect("renamed");
    assert!(!has_comment(&module(listed)), "without the file, too");
}
