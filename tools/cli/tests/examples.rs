//! Every example of the help, of README and of the guide, as a shell runs it.
//!
//! An example is a line that begins with `transpica`, in a block of code or after `Examples:`, or
//! a piece of code within text that names the folder `shaders`. Each runs in a folder of its own,
//! which has the files that examples name.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::needs;
use crate::support::{folder, ran, root, transpica};
use crate::writer::{Draw, opengl, opengl_record, vkch_of};

/// Texts with examples.
const TEXTS: [&str; 8] = [
    "README.md",
    "tools/draw/src/guide/batch.md",
    "src/guide/emulator.md",
    "src/guide/folders.md",
    "src/guide/jobs.md",
    "tools/asm/src/guide/homebrew.md",
    "src/guide/support.md",
    "tools/capi/README.md",
];

/// Examples that do not run here, with the reason.
const EXCEPTIONS: [(&str, &str); 8] = [
    ("cargo xtask test", "runs this test"),
    (
        "cargo xtask install --prefix /usr/local",
        "writes to the system; `cmake_finds_both_libraries` installs",
    ),
    (
        "cargo xtask install --prefix ./out --features wgsl,glsl,hlsl,msl",
        "`pkg_config_finds_both_libraries` installs",
    ),
    ("cargo xtask dist", "a release build; the tests of `tools/capi` build"),
    ("cargo xtask dist --target aarch64-linux-android --target x86_64-pc-windows-msvc --out ./out", IN_CI),
    (
        "cargo xtask dist --target x86_64-pc-windows-gnullvm --target aarch64-pc-windows-gnullvm --out ./out",
        IN_CI,
    ),
    ("cargo xtask vendor-capi ./transpica", "needs a network"),
    (
        "transpica translate /shaders/dumps --to spirv,reflection --out-dir /shaders/out --quiet",
        "folders of a cluster; the line for Slurm is the same",
    ),
];

/// Reason of examples for targets that rustup does not install by itself.
const IN_CI: &str = "which needs other targets: .github/workflows/ci.yml installs them and runs it";

/// Examples that show an error: start and exit status.
const ERRORS: [(&str, i32); 2] = [("transpica asm bad.v.pica", 1), ("transpica lsp", 1)];

/// An example and its place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Example {
    line: String,
    place: String,
}

/// Returns the command of a line, without prompt, explanation and comment.
fn command(line: &str) -> Option<String> {
    let line = line.trim();
    let line = line.strip_prefix("$ ").unwrap_or(line);
    let line = line.replace("cargo run -p transpica-cli --no-default-features -- ", "transpica ");
    // `transpica = …` is a line of a Cargo.toml.
    let is_command = line.starts_with("transpica ") && !line.starts_with("transpica = ");
    if !is_command && !line.starts_with("cargo xtask ") {
        return None;
    }
    // Explanations stand after several spaces.
    let end = line.find("    ").or_else(|| line.find("   #")).unwrap_or(line.len());
    Some(line[..end].trim_end().to_owned())
}

/// Returns the lines of a text. A line that ends in a backslash includes the next one.
fn lines(text: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut all = text.lines();
    while let Some(line) = all.next() {
        let mut line = line.to_owned();
        while let Some(start) = line.strip_suffix('\\') {
            line = format!("{} {}", start.trim_end(), all.next().unwrap_or_default().trim());
        }
        lines.push(line);
    }
    lines
}

/// Collects the examples of a text.
fn of_text(name: &str, found: &mut BTreeSet<Example>) {
    let text = fs::read_to_string(root().join(name)).expect("readable");
    // Within a block: whether its examples stand alone. `walk` runs lines of a console in order.
    let mut block = None;
    let mut add = |line: String| {
        found.insert(Example { line, place: name.to_owned() });
    };
    for line in lines(&text) {
        if line.trim_start().starts_with("```") {
            let stands_alone = !line.trim().ends_with("console");
            block = block.is_none().then_some(stands_alone);
        } else if let Some(stands_alone) = block {
            command(&line).filter(|_| stands_alone).into_iter().for_each(&mut add);
        } else {
            let pieces = line.split('`').skip(1).step_by(2);
            let pieces = pieces.filter(|piece| piece.contains(" shaders"));
            pieces.filter_map(command).for_each(&mut add);
        }
    }
}

/// Collects the examples of the help of a command.
fn of_help(arguments: &[&str], found: &mut BTreeSet<Example>) {
    for flag in ["-h", "--help"] {
        let help = transpica(&[arguments, &[flag]].concat()).succeeded();
        let (_, examples) = help.split_once("Examples:\n").unwrap_or_else(|| panic!("{help}"));
        let examples = lines(examples);
        let examples = examples.iter().take_while(|line| line.starts_with("  "));
        let place = [arguments, &[flag]].concat().join(" ");
        found
            .extend(examples.filter_map(|line| Some(Example { line: command(line)?, place: place.clone() })));
    }
}

/// Names of the commands, as the help lists them.
fn commands() -> Vec<String> {
    let help = transpica(&["--help"]).succeeded();
    let list = help.split_once("Translate:\n").and_then(|(_, rest)| rest.split_once("Options:\n"));
    let (list, rest) = list.expect("a list");
    let names = list.lines().filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
    let (_, more) = rest.split_once("For packagers: ").expect("more of them");
    let more = more.split("`transpica ").skip(1).filter_map(|rest| rest.split([' ', '`']).next());
    names.chain(more).map(str::to_owned).collect()
}

/// Fills a folder with the files that examples name.
fn fill(to: &Path) {
    let write = |name: &str, bytes: &[u8]| {
        let path = to.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        fs::write(path, bytes).expect("writable");
    };
    let sample = |name: &str| fs::read(root().join("shaders").join(name)).expect("a sample");
    for name in ["fog", "library", "lights", "points", "textured", "toon", "uber", "water"] {
        write(&format!("{name}.shbin"), &sample(&format!("{name}.shbin")));
    }
    // Fewer values of `toon` than of `uber` depend on the driver, so that `--strict` passes.
    for (folder, third) in [("shaders", "uber"), ("dumps", "toon")] {
        for name in ["lights", "textured", third] {
            write(&format!("{folder}/{name}.shbin"), &sample(&format!("{name}.shbin")));
        }
    }
    for name in ["lights.v.pica", "points.v.pica", "points.g.pica"] {
        write(name, &sample(name));
    }
    for to in ["", "shaders/"] {
        ["lights.v.pica", "lights.test.toml"]
            .iter()
            .for_each(|name| write(&format!("{to}{name}"), &sample(name)));
    }
    for name in ["old.shbin", "new.shbin"] {
        write(name, &sample("lights.shbin"));
    }
    for name in ["new.v.pica", "a.v.pica", "b.v.pica"] {
        write(name, &sample("lights.v.pica"));
    }
    let options = root().join("tools/compile/tests/shapes/options.v.pica");
    for name in ["uber.v.pica", "lit.v.pica"] {
        write(name, &fs::read(&options).expect("a shape"));
    }
    write("hero.wgsl", HERO.as_bytes());
    write("hero.vert", HERO_IN_GLSL.as_bytes());
    write("points.shlist", b"points.v.pica points.g.pica\n");
    write("bad.v.pica", b".out - position o0\n.proc main\n mvo r0, v0\n end\n.end\n");
    let packed = [&[7; 24][..], &sample("lights.shbin")].concat();
    ["romfs/pack.bin", "model.bcmdl", "pack.arc"].iter().for_each(|name| write(name, &packed));
    // 16 words that do nothing, and the program.
    let words = [[0x8400_0000u32; 16].as_slice(), &[0x4C00_0000, 0x4C20_1000, 0x8800_0000]].concat();
    let bytes = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    write("code.bin", &bytes(&words));
    write("descriptors.bin", &bytes(&[0x36F]));
    write("shaders/scenes.pclist", &sample("scenes.pclist"));
    // A recording of one frame without draws.
    write("menu.pclist", b"PCLIST\x01\0FRAM\0\0\0\0");
    write("names.json", br#"{ "glsl": { "version_line": false } }"#);
    write("head.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nvt 0 0\nf 1/1/1 2/1/1 3/1/1\n");
    let draw = Draw::numbered(1);
    let cache = vkch_of(std::slice::from_ref(&draw));
    write("0004000000030800_vs.vkch", &cache);
    write("shaders/vulkan/transferable/0004000000030800_vs.vkch", &cache);
    write("shaders/opengl/transferable/0004000000030800.bin", &opengl(&[opengl_record(&draw, &[])]));
    ["home/.zfunc", "home/.local/share/bash-completion/completions", "home/.local/share/man/man1"]
        .iter()
        .for_each(|name| fs::create_dir_all(to.join(name)).expect("writable"));
    // Programs of the system that read what the command writes.
    for name in ["dot", "man"] {
        write(&format!("bin/{name}"), b"#!/bin/sh\nexec cat > /dev/null\n");
        let path = to.join("bin").join(name);
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("writable");
    }
}

/// Runs a line in a folder; returns its exit status and what it reports.
fn run(line: &str, at: &Path) -> (i32, String) {
    let command = env!("CARGO_BIN_EXE_transpica");
    let path = std::env::var("PATH").unwrap_or_default();
    let built = Path::new(command).parent().expect("a folder");
    let path = format!("{}:{}:{path}", at.join("bin").display(), built.display());
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("cd \"$WHERE\" && {line}")]);
    // Cargo and rustup find what they have where they have it by default.
    let own = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    for (variable, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
        shell.env(variable, std::env::var_os(variable).unwrap_or_else(|| own.join(folder).into()));
    }
    shell.envs([("WHERE", at.as_os_str()), ("HOME", at.join("home").as_os_str())]);
    shell.envs([("PATH", path.as_str()), ("SLURM_ARRAY_TASK_ID", "3"), ("TERM", "xterm")]);
    let ran = ran(&mut shell, &[]);
    (ran.status, ran.err)
}

/// Runs what an example needs from examples before it: a state file, manifests of shards.
fn prepare(line: &str, at: &Path) {
    let word = |wanted: &dyn Fn(&str) -> bool| line.split_whitespace().find(|word| wanted(word));
    if let (Some((_, rest)), Some(file)) =
        (line.split_once("--state "), word(&|word| word.ends_with(".shbin")))
    {
        let state = rest.split_whitespace().next().unwrap_or_default();
        assert_eq!(
            run(&format!("transpica run {file} --save-state {state}"), at),
            (0, String::new()),
            "{line}"
        );
    }
    if let Some(count) = line.split_once(".*-of-").and_then(|(_, rest)| rest.split(".json").next()) {
        for shard in 0..count.parse().expect("a number") {
            let line =
                format!("transpica translate dumps --to spirv --out-dir out -q --shard {shard}/{count}");
            assert_eq!(run(&line, at).0, 0, "{line}");
        }
    }
}

/// A shader whose host computes a product.
const HERO: &str = "@group(0) @binding(0) var<uniform> all: array<mat4x4f, 2>;
@vertex fn vs_main(@location(0) place: vec3f) -> @builtin(position) vec4f {
    let clip = all[0] * all[1];
    return clip * vec4f(place, 1.0);
}
";
const HERO_IN_GLSL: &str = "#version 450
layout(location = 0) in vec3 aPlace;
layout(location = 1) in vec4 aColor;
layout(location = 0) out vec4 vTint;
void main() {
    gl_Position = vec4(aPlace, 1.0);
    vTint = aColor;
}
";

#[test]
fn every_example_runs() {
    needs!("vulkan", "sh");
    let mut found = BTreeSet::new();
    TEXTS.iter().for_each(|name| of_text(name, &mut found));
    of_help(&[], &mut found);
    commands().iter().for_each(|command| of_help(&[command], &mut found));
    assert!(commands().len() == 22 && found.len() > 80, "only {} examples: {found:#?}", found.len());
    let is_exception = |example: &&Example| EXCEPTIONS.iter().any(|(line, _)| *line == example.line);
    for (line, reason) in EXCEPTIONS {
        assert!(found.iter().any(|example| example.line == line), "no example any more: {line} ({reason})");
    }
    let workflow = fs::read_to_string(root().join(".github/workflows/ci.yml")).expect("readable");
    for (line, reason) in EXCEPTIONS.iter().filter(|(_, reason)| *reason == IN_CI) {
        assert!(workflow.contains(line), "ci.yml does not run {line}");
        crate::needs::leave_out(&format!("`{line}`, {reason}"));
    }
    for (start, _) in ERRORS {
        assert!(found.iter().any(|example| example.line.starts_with(start)), "no example any more: {start}");
    }
    let mut failed = Vec::new();
    let mut lines = BTreeSet::new();
    for (number, Example { line, place }) in found.iter().filter(|found| !is_exception(found)).enumerate() {
        if !lines.insert(line) {
            continue;
        }
        let at = folder(&format!("example_{number}"));
        fill(&at);
        prepare(line, &at);
        let expected =
            ERRORS.iter().find(|(start, _)| line.starts_with(start)).map_or(0, |(_, status)| *status);
        let (status, report) = run(line, &at);
        if status != expected {
            failed.push(format!("{place}: {line}\nexit status {status}\n{report}"));
        }
        fs::remove_dir_all(&at).expect("removable");
    }
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), lines.len(), failed.join("\n"));
}

#[test]
fn the_program_of_the_first_page_becomes_its_wgsl() {
    let page = fs::read_to_string(root().join("README.md")).expect("readable");
    let block = |language: &str| {
        let text = page.split_once(&format!("```{language}\n")).and_then(|(_, rest)| rest.split_once("```"));
        text.unwrap_or_else(|| panic!("no {language}")).0
    };
    let path = folder("first_page").join("wave.v.pica");
    fs::write(&path, block("asm")).expect("written");
    let path = path.to_str().expect("a name");
    let text = transpica(&["translate", path, "--precision", "fast"]).succeeded();
    let (_comments, text) = text.split_once("\n\n").expect("comments first");
    assert_eq!(text, block("wgsl"));
}
