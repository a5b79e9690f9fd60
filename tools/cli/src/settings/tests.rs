//! Flags against values of the library, and the page of settings.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use clap::Parser;
use transpica::host::{IntPacking, RegisterLayout};
use transpica::settings::{
    AttributeFormat, AttributeKind, AttributeNames, Binding, Control, KnownHost, Layout, Outputs, Promise,
    Renderer, Varying, preset,
};

use super::*;

/// A command line with nothing but settings.
#[derive(Debug, Parser)]
struct Line<S: Scope + Clone + Send + Sync + std::fmt::Debug + 'static> {
    #[command(flatten)]
    settings: Settings<S>,
}

fn parse<S: Scope + Clone + Send + Sync + std::fmt::Debug + 'static>(
    arguments: &[&str],
) -> Result<Resolved, String> {
    let line = Line::<S>::try_parse_from([&["transpica"], arguments].concat());
    let line = line.map_err(|error| error.to_string())?;
    line.settings.resolve().map_err(|failure| failure.message().to_string())
}

/// The page that lists flags, fields and members.
fn page() -> String {
    let mut text = String::from(
        "# Settings by their names\n\n\
         Every field of `transpica::Options` and `transpica::Profile`: as a flag of the command line, and as a path, which \
         `--set`, JSON (`--options`, `--profile`) and `transpica_settings_set` of the C interface have. A path of several \
         fields, such as `control.bools`, takes what its flag takes. A test generates this page (`UPDATE_EXPECT=1` rewrites it).\n",
    );
    let mut heading = "";
    for row in ROWS {
        if row.heading() != heading {
            heading = row.heading();
            let _ = write!(text, "\n## {heading}\n\n| flag | values | path | fields |\n|---|---|---|---|\n");
        }
        let list = |texts: Vec<&str>| {
            let texts = texts.iter().map(|text| format!("`{text}`"));
            texts.collect::<Vec<_>>().join(", ").replace('|', "\\|")
        };
        let fields = row.fields.iter().filter(|field| **field != row.path()).copied().collect();
        let (flag, values) = (row.flag, list(row.values()));
        let _ = writeln!(text, "| `--{flag}` | {values} | `{}` | {} |", row.path(), list(fields));
    }
    text
}

#[test]
fn the_page_of_settings_follows_from_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("settings.md");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, page()).expect("written");
    }
    assert!(fs::read_to_string(&path).unwrap_or_default() == page(), "settings.md is stale: UPDATE_EXPECT=1");
}

#[test]
fn spellings_are_values_of_the_library() {
    let default = || (Options::default(), Profile::default());
    let check = |arguments: &[&str], change: &dyn Fn(&mut Options, &mut Profile)| {
        let (mut options, mut profile) = default();
        change(&mut options, &mut profile);
        let found = parse::<ForModules>(arguments).unwrap_or_else(|error| panic!("{arguments:?}: {error}"));
        assert_eq!((found.options, found.profile), (options, profile), "{arguments:?}");
    };
    check(&[], &|_, _| {});
    check(&["--bools", "b0=true,b3=false,b15=specialized"], &|options, _| {
        let bools = &mut options.control.bools;
        (bools.baked, bools.values, bools.specialized) = (9, 1, 1 << 15);
    });
    check(&["--bools", "b*=true", "--bools=b1=uniform"], &|options, _| {
        (options.control.bools.baked, options.control.bools.values) = (!2, !2);
    });
    check(&["--ints", "i0=3,0,1,255", "--ints", "i3=specialized"], &|options, _| {
        (options.control.ints.baked[0], options.control.ints.specialized) = (Some([3, 0, 1, 255]), 8);
    });
    check(&["--loop-guard", "65536"], &|options, _| options.control.loop_guard = Some(65536));
    check(
        &["--preset", "azahar-vulkan", "--loop-guard", "none", "--set", "names=true"],
        &|options, profile| {
            let preset = preset(KnownHost::Azahar, Renderer::Vulkan).expect("there is one");
            (*options, *profile) = (preset.options, preset.profile);
            (options.control.loop_guard, profile.names) = (None, true);
        },
    );
    check(&["--snap-depth"], &|options, _| {
        options.outputs.snap_depth = transpica::settings::DepthSnap::AZAHAR;
    });
    check(&["--snap-depth=0.5,0"], &|options, _| {
        options.outputs.snap_depth = transpica::settings::DepthSnap { near: 0.5, far: 0.0 };
    });
    check(&["--layout", "panda3ds"], &|options, _| options.block.layout = Layout::Panda3ds);
    check(&["--layout", r#"{"floats":80,"ints":16,"packing":"Bytes","bools":0}"#], &|options, _| {
        let offsets = RegisterLayout { floats: 80, ints: 16, packing: IntPacking::Bytes, bools: 0 };
        options.block.layout = Layout::Custom(offsets);
    });
    check(&["--attributes", "v1=uint:3,v2=int"], &|options, _| {
        options.input.formats[1] = AttributeFormat { kind: AttributeKind::Uint, components: 3 };
        options.input.formats[2] = AttributeFormat { kind: AttributeKind::Int, components: 4 };
    });
    check(
        &["--assume", "attributes=2^16,uniforms=below:24", "--assume", "v3=finite,results=no-nan"],
        &|options, _| {
            options.input.promises = [Promise::Below(16); 16];
            options.input.promises[3] = Promise::FINITE;
            options.assume.uniforms = Promise::Below(24);
            options.assume.results = Promise::NotNan;
        },
    );
    check(&["--limit", "depth=5,steps=7"], &|options, _| {
        (options.limits.depth, options.limits.steps) = (5, 7);
    });
    check(&["--spirv-version", "1.6"], &|_, profile| profile.spirv_version = (1, 6));
    check(&["--bindings", "host=1:2"], &|_, profile| {
        profile.bindings.host = Binding { set: 1, binding: 2 };
    });
    check(&["--varyings", "azahar", "--set", "varyings.6.location=9"], &|_, profile| {
        profile.varyings = Varying::AZAHAR;
        profile.varyings.to_mut()[6].location = 9;
    });
    check(&["--varyings", r#"[{"name":"v","location":2}]"#], &|_, profile| {
        profile.varyings = vec![Varying { name: "v".into(), location: 2, ..Varying::default() }].into();
    });
    check(&["--glsl-uniforms", "Registers", "--glsl-host", "H:h"], &|_, profile| {
        (profile.glsl.uniforms.block, profile.glsl.uniforms.instance) = ("Registers".into(), None);
        (profile.glsl.host.block, profile.glsl.host.instance) = ("H".into(), Some("h".into()));
    });
    check(&["--glsl-attributes", "numbered:a"], &|_, profile| {
        profile.glsl.attributes = AttributeNames::Numbered("a".into());
    });
    check(&["--set", "spirv_version=1.6", "--set", "input.formats=v1=uint:3"], &|options, profile| {
        profile.spirv_version = (1, 6);
        options.input.formats[1] = AttributeFormat { kind: AttributeKind::Uint, components: 3 };
    });
    // The last one counts, whatever its door.
    check(&["--set", "outputs.depth=Raw", "--depth", "-w..w"], &|options, _| {
        options.outputs.depth = transpica::settings::DepthRange::MinusWToW;
    });
    check(&["--depth", "-w..w", "--set", "outputs.depth=\"Raw\""], &|options, _| {
        options.outputs.depth = transpica::settings::DepthRange::Raw;
    });
    check(&["--set", "control.ints.baked.2=[1,2,3,4]"], &|options, _| {
        options.control.ints.baked[2] = Some([1, 2, 3, 4]);
    });
}

#[test]
fn wrong_values_are_explained() {
    for (arguments, said) in [
        (&["--set", "output.depth=Raw"][..], "did you mean `outputs`?"),
        (&["--set", "outputs.dept=Raw"], "did you mean `depth`?"),
        (&["--set", "outputs.depth=Rav"], "did you mean `raw`?"),
        (&["--set", "outputs.depth.x=1"], "there is nothing below"),
        (&["--set", "input.formats.16.components=1"], "must be 0 to 15"),
        (&["--set", "outputs.depth"], "must look like outputs.depth=-w..w"),
        (&["--set", "varyings=[1"], "not JSON"),
        (&["--set", "limits.depth=-1"], "invalid value"),
        (&["--bools", "b16=true"], "must be b0 to b15, or b*"),
        (&["--bools", "b1=yes"], "must be one of true, false, specialized, uniform"),
        (&["--ints", "i0=1,2,3"], "must look like i0=3,0,1,0"),
        (&["--loop-guard", "many"], "must be a number, or none"),
        (&["--snap-depth=1,0"], "must be two numbers"),
        (&["--layout", "register"], "did you mean `registers`?"),
        (&["--layout", "{\"floats\":0}"], "missing field `ints`"),
        (&["--attributes", "v0=uint:5"], "1 to 4 components"),
        (&["--limit", "dept=1"], "did you mean `depth`?"),
        (&["--limit", "depth=x"], "invalid type: string"),
        (&["--spirv-version", "2.0"], "must be 1.0 to 1.6"),
        (&["--bindings", "uniforms=1"], "must look like uniforms=SET:BINDING"),
        (&["--varyings", "sparse"], "must be one of dense, azahar"),
        (&["--glsl-attributes", "prefix:x"], "must be one of named, numbered"),
        (&["--varyings", "[{\"name\": \"vec4\"}]"], "reserved"),
        (&["--raw-depth", "--depth", "raw"], "cannot be used with"),
        (&["--set", "control.bools.baked=1", "--set", "control.bools.specialized=1"], "b0"),
        (&["--layout", "{\"floats\":0,\"ints\":0,\"packing\":\"Words\",\"bools\":2000}"], "overlap"),
    ] {
        let error = parse::<ForModules>(arguments).expect_err(&arguments.join(" "));
        assert!(error.contains(said), "{arguments:?}: {error}");
    }
}

#[test]
fn runs_take_only_what_changes_them() {
    let found = parse::<ForRuns>(&["--preset", "azahar-opengl", "--precision", "fast"]).expect("valid");
    assert_eq!((found.options.outputs, found.profile), (Outputs::default(), Profile::default()));
    assert_eq!(found.options.block.layout, Layout::Azahar);
    for (arguments, said) in [
        (&["--depth", "raw"][..], "unexpected argument"),
        (&["--spirv-version", "1.0"], "unexpected argument"),
        (&["--set", "outputs.depth=Raw"], "outputs.depth has no effect here: runs show raw output registers"),
        (&["--set", "names=false"], "names has no effect here"),
        (
            &["--bools", "b0=specialized"],
            "control.bools.specialized has no effect here: only modules have specialization constants",
        ),
    ] {
        let error = parse::<ForRuns>(arguments).expect_err(&arguments.join(" "));
        assert!(error.contains(said), "{arguments:?}: {error}");
    }
    assert!(parse::<ForRuns>(&["--bools", "b0=true"]).is_ok());
    for promise in [["--set", "assume.uniforms=NotNan"], ["--assume", "uniforms=no-nan"]] {
        let found = parse::<ForRuns>(&promise).expect("valid");
        assert_eq!(found.options.assume.uniforms, Promise::NotNan, "{promise:?}");
    }
    // Bools and ints, by their flags and fields, are all that can be known.
    for row in rows::<ForKnownValues>() {
        assert!(["bools", "ints"].contains(&row.flag), "{}", row.flag);
    }
    for arguments in [["--bools", "b0=true"], ["--ints", "i1=1,2,3,4"], ["--set", "control.bools.baked=1"]] {
        assert!(parse::<ForKnownValues>(&arguments).is_ok(), "{arguments:?}");
    }
    for (name, ..) in PRESETS {
        let control = Values::preset(name).expect("a preset").options.control;
        let Control { bools, ints, .. } = Control::default();
        assert_eq!((control.bools, control.ints), (bools, ints), "{name}");
        assert!(
            parse::<ForKnownValues>(&["--preset", name]).is_err()
                && parse::<ForRuns>(&["--preset", name]).is_ok()
        );
    }
    for field in ["limits.depth=5", "assume.results=\"NotNan\"", "control.loop_guard=1"] {
        let error = parse::<ForKnownValues>(&["--set", field]).expect_err(field);
        assert!(error.contains("has no effect here: every bit of every output stays"), "{error}");
    }
    assert!(parse::<ForForms>(&["--depth", "raw"]).is_ok() && parse::<ForForms>(&["--omit-names"]).is_err());
}
