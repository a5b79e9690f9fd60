//! Settings from presets, files, flags and single fields, as every command takes them.

use std::fs;

use transpica::settings::{DepthRange, FlipY, Outputs};
use transpica::stages::backend::text::Language;
use transpica::{Job, Options, Profile, Shbin, Translator};

use crate::support::{folder, root, transpica};

const SAMPLE: &str = "shaders/lights.shbin";

/// The library's text under these options.
fn library(options: Options) -> String {
    let bytes = fs::read(root().join(SAMPLE)).expect("a sample");
    let file = Shbin::parse(&bytes).expect("valid");
    let program = transpica::host::dvle::program(&file, 0, &options.limits).expect("a program");
    let environment = transpica::host::FileEnvironment::new(&file, 0, "lights.shbin").expect("an executable");
    let mut translator = Translator::new(options, Profile::default());
    let translated = translator.translate(&program, &environment, Job::Vertex).expect("translates");
    translated.text(Language::Wgsl).expect("a text")
}

#[test]
fn flags_override_files_and_files_override_presets() {
    let folder = folder("settings");
    let file = folder.join("options.json");
    let name = file.to_str().expect("a name");
    fs::write(&file, r#"{ "outputs": { "depth": "-w..w", "flip_y": "always" } }"#).expect("written");
    let text = |more: &[&str]| transpica(&[&["translate", SAMPLE], more].concat()).succeeded();
    let outputs = Outputs { depth: DepthRange::MinusWToW, flip_y: FlipY::Always, ..Outputs::default() };
    let expected = library(Options { outputs, ..Options::default() });
    assert_eq!(text(&["--options", name]), expected);
    let outputs = Outputs { depth: DepthRange::Raw, ..outputs };
    let expected = library(Options { outputs, ..Options::default() });
    assert_eq!(text(&["--options", name, "--depth", "raw"]), expected);
    assert_eq!(text(&["--set", "outputs.depth=Raw", "--options", name]), expected);
    let mut preset = transpica::settings::preset(
        transpica::settings::KnownHost::Azahar,
        transpica::settings::Renderer::Vulkan,
    )
    .expect("there is one")
    .options;
    (preset.outputs.depth, preset.outputs.flip_y) = (DepthRange::MinusWToW, FlipY::Always);
    let body = |text: &str| text.split_once("fn main").expect("an entry").1.to_owned();
    let found = text(&["--preset", "azahar-vulkan", "--options", name, "--varyings", "dense"]);
    assert_eq!(body(&found), body(&library(preset)));
    // A text for OpenGL has no remark on depth where the file chooses one.
    let glsl = ["translate", SAMPLE, "--to", "glsl", "--glsl-version", "330", "--options", name];
    assert_eq!(transpica(&glsl).err, "");
}

#[test]
fn a_faulty_file_of_options_is_named_with_its_place() {
    let folder = folder("faulty_settings");
    let file = folder.join("options.json");
    let name = file.to_str().expect("a name");
    for (text, said) in [
        ("{\n  \"outputs\": { \"dept\": 1 }\n}", "unknown field `dept`"),
        ("{ \"control\": { \"bools\": { \"baked\": 1, \"specialized\": 1 } } }", "options.json: "),
        ("{", "options.json: EOF"),
    ] {
        fs::write(&file, text).expect("written");
        for command in [&["translate"][..], &["run"], &["cfg"], &["survey"]] {
            let ran = transpica(&[command, &[SAMPLE, "--options", name]].concat());
            assert_eq!((ran.status, ran.out.len()), (1, 0), "{command:?} {text}");
            assert!(ran.report().contains(said), "{command:?}: {}", ran.err);
        }
    }
    fs::write(&file, "{}").expect("written");
    for command in [&["translate"][..], &["run"], &["cfg"], &["survey"], &["compare"]] {
        let ran = transpica(&[command, &[SAMPLE, "--options", name, "-o", name]].concat());
        assert_eq!(ran.status, 2, "{command:?}");
        assert!(ran.report().contains("does not overwrite inputs"), "{command:?}: {}", ran.err);
        assert_eq!(fs::read(&file).expect("kept"), b"{}");
    }
}

#[test]
fn constants_decide_runs_and_graphs() {
    let run =
        |more: &[&str]| transpica(&[&["run", "shaders/uber.shbin", "--json"], more].concat()).succeeded();
    let (off, on) = (run(&["--bools", "b*=false"]), run(&["--bools", "b*=true"]));
    assert_ne!(off, on);
    let lines = |more: &[&str]| {
        transpica(&[&["cfg", "shaders/uber.shbin"], more].concat()).succeeded().lines().count()
    };
    assert!(lines(&["--bools", "b*=false"]) < lines(&[]));
    let ran = transpica(&["run", SAMPLE, "--loop-guard", "0", "--limit", "code_words=1"]);
    assert_eq!(ran.status, 1);
    assert!(ran.report().contains("the limit is 1") || ran.report().contains("limit"), "{}", ran.err);
    let few = transpica(&["translate", "shaders/library.shbin", "--dvle", "0", "--limit", "executables=1"]);
    assert!(few.status == 1 && few.report().contains("executables"), "{}", few.err);
}

#[test]
fn registers_may_have_the_names_of_the_program() {
    let text = |more: &[&str]| transpica(&[&["translate", SAMPLE, "--dvle", "0"], more].concat()).succeeded();
    for (named, numbered) in [
        (["--bools", "useSpecular=true"], ["--bools", "b0=true"]),
        (["--ints", "lightLoop=3,0,1,0"], ["--ints", "i0=3,0,1,0"]),
        (["--attributes", "inpos=int:3"], ["--attributes", "v0=int:3"]),
        (["--assume", "inpos=2^4"], ["--assume", "v0=2^4"]),
    ] {
        assert_eq!(text(&named), text(&numbered), "{named:?}");
        assert_ne!(text(&named), text(&[]), "{named:?}");
    }
    let run = |how: &str| transpica(&["run", SAMPLE, "--bools", how]).succeeded();
    assert_eq!(run("useSpecular=true"), run("b0=true"));
    assert_ne!(run("useSpecular=true"), run("useSpecular=false"));
    let cfg = |how: &str| transpica(&["cfg", SAMPLE, "--bools", how]).succeeded();
    assert_eq!(cfg("useSpecular=false"), cfg("b0=false"));
    for (arguments, said) in [
        (&["translate", SAMPLE, "--bools", "useSpecula=true"][..], "did you mean `useSpecular`?"),
        (&["translate", SAMPLE, "--bools", "inpos=true"], "must be b0 to b15, or b*"),
        (&["translate", "shaders/textured.shbin", "--attributes", "xyz=int"], "inpos, inuv, incol"),
        (&["survey", SAMPLE, "--bools", "useSpecular=true"], "options of one program"),
    ] {
        let ran = transpica(arguments);
        assert_eq!((ran.status, ran.out.len()), (2, 0), "{arguments:?}: {}", ran.err);
        assert!(ran.report().contains(said), "{arguments:?}: {}", ran.err);
    }
}

#[test]
fn the_salt_is_part_of_the_key() {
    let key = |more: &[&str]| {
        let ran = transpica(&[&["translate", "shaders/points.shbin", "--dvle", "1", "-v"], more].concat());
        let (_, key) = ran.err.split_once(": key ").unwrap_or_else(|| panic!("{}", ran.err));
        key.lines().next().unwrap_or_default().to_owned()
    };
    let plain = key(&[]);
    assert!(plain.len() == 32 && plain.bytes().all(|byte| byte.is_ascii_hexdigit()), "{plain}");
    assert_eq!(plain, key(&["--salt", ""]));
    assert_ne!(plain, key(&["--salt", "driver 2"]));
}

#[test]
fn the_short_help_fits_a_screen_and_the_long_one_has_everything() {
    let help = |command: &str| ["-h", "--help"].map(|flag| transpica(&[command, flag]).succeeded());
    let more = ["draw", "scan", "doctor", "asm", "dis", "info", "manifest", "test"];
    let settings = ["translate", "run", "compare", "survey", "cfg"];
    for command in more.iter().chain(&settings) {
        let [short, _] = help(command);
        assert!(short.lines().count() <= 42, "{command}: {} lines", short.lines().count());
    }
    for command in settings {
        let [short, long] = help(command);
        assert!(short.contains("--precision") && !short.contains("--functions"), "{short}");
        assert!(long.contains("--functions") && long.contains("--set <PATH=VALUE>"), "{long}");
    }
}
