//! `include/transpica.h` is generated from the sources. `UPDATE_EXPECT=1` rewrites it.

use std::fs;
use std::path::Path;

/// The sources in the order of the header.
const SOURCES: [&str; 16] = [
    "enums",
    "chain",
    "memory",
    "attributes",
    "settings",
    "hooks",
    "source",
    "registers",
    "result",
    "reliance",
    "translator",
    "batch",
    "draw",
    "pipeline",
    "geometry",
    "plan",
];

fn generate_header() -> String {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(crate_folder.join("cbindgen.toml")).expect("a configuration");
    let mut builder = cbindgen::Builder::new().with_config(config).with_after_include(preamble());
    for source in SOURCES {
        builder = builder.with_src(crate_folder.join("src").join(source).with_extension("rs"));
    }
    let mut header = Vec::new();
    builder.generate().expect("cbindgen reads the sources").write(&mut header);
    let header = with_types(&String::from_utf8(header).expect("a text"));
    // What cbindgen writes around each enumeration, as macros of the preamble.
    let header = header.replace(
        "\n#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L\n  : uint32_t\n\
         #endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L\n {\n",
        " TRANSPICA_UINT32 {\n",
    );
    let [before, between, behind] = [
        "#ifndef __cplusplus\n#if __STDC_VERSION__ >= 202311L\ntypedef enum ",
        "#else\ntypedef uint32_t ",
        "#endif // __STDC_VERSION__ >= 202311L\n#endif // __cplusplus\n",
    ];
    let mut parts = header.split(before);
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once(' ').expect("a name");
        let (_, rest) = rest.split_once(between).expect("the other type");
        let (_, rest) = rest.split_once(behind).expect("an end");
        text += &format!("TRANSPICA_TYPEDEF({name})\n{rest}");
    }
    text
}

/// Gives the enumeration's type to fields whose comment begins with `A` and its name. In the
/// sources they are numbers, because a caller may store anything there; in C before C23 the types
/// are numbers, too, and in C++ they have the size of one.
fn with_types(header: &str) -> String {
    let (mut text, mut comment) = (String::with_capacity(header.len()), None);
    for line in header.lines() {
        let field = line.strip_prefix("    uint32_t ").filter(|field| field.ends_with(';'));
        match (field, comment.and_then(|comment| enumeration(header, comment))) {
            (Some(field), Some(name)) => text += &format!("    {name} {field}\n"),
            _others => text += &format!("{line}\n"),
        }
        comment = match line.trim_start().strip_prefix("// ") {
            Some(first) => comment.or(Some(first)),
            None => None,
        };
    }
    text
}

/// Returns the enumeration that the comment of a field names.
fn enumeration<'a>(header: &str, comment: &'a str) -> Option<&'a str> {
    let name = comment.strip_prefix("A ")?.split(|c: char| !c.is_alphanumeric()).next()?;
    header.contains(&format!("\nenum {name}\n")).then_some(name)
}

/// Parts that no source contains: numbers, and the macro for heads.
fn preamble() -> String {
    format!(
        "\n// Version of this header; transpica_version returns that of the library.\n\
         #define TRANSPICA_VERSION_MAJOR {}\n\
         #define TRANSPICA_VERSION_MINOR {}\n\
         #define TRANSPICA_VERSION_PATCH {}\n\n\
         // Enumerations are numbers of 32 bits; before C23 their types are.\n\
         #if defined(__cplusplus)\n\
         #define TRANSPICA_UINT32 : uint32_t\n\
         #define TRANSPICA_TYPEDEF(name)\n\
         #elif __STDC_VERSION__ >= 202311L\n\
         #define TRANSPICA_UINT32 : uint32_t\n\
         #define TRANSPICA_TYPEDEF(name) typedef enum name name;\n\
         #else\n\
         #define TRANSPICA_UINT32\n\
         #define TRANSPICA_TYPEDEF(name) typedef uint32_t name;\n\
         #endif\n\n\
         // Number of vertices that a batch runs side by side.\n\
         #define TRANSPICA_BATCH_LANES {}\n\n\
         // Gives a structure its head and zeros: TRANSPICA_INIT(program, RAW_PROGRAM);\n\
         #define TRANSPICA_INIT(structure, TYPE) \\\n    \
             (memset(&(structure), 0, sizeof(structure)), (structure).head.type = TRANSPICA_TYPE_##TYPE, \\\n     \
             (structure).head.size = (uint32_t)sizeof(structure))\n",
        transpica_capi::VERSION_MAJOR,
        transpica_capi::VERSION_MINOR,
        transpica_capi::VERSION_PATCH,
        transpica_capi::BATCH_LANES
    )
}

#[test]
fn the_header_matches_the_sources() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("include/transpica.h");
    let generated = generate_header();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, generated).expect("the header can be written");
        return;
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == generated,
        "include/transpica.h is stale: UPDATE_EXPECT=1 cargo test -p transpica-capi --test native header"
    );
}

#[test]
fn every_function_and_structure_is_in_the_header() {
    let header = generate_header();
    for source in SOURCES {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(source).with_extension("rs");
        let text = fs::read_to_string(path).expect("a source");
        let names = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        for name in names.filter(|name| name.starts_with("Transpica") || name.starts_with("transpica_")) {
            // Crates are not in the header.
            if !["transpica_capi", "transpica_draw", "transpica_settings"].contains(&name) {
                assert!(header.contains(name), "{name} of {source}.rs is not in the header");
            }
        }
    }
}

#[test]
fn fields_with_choices_have_the_types_of_enumerations() {
    let header = generate_header();
    let enumerations: Vec<&str> = header
        .lines()
        .filter_map(|line| line.strip_prefix("enum ")?.strip_suffix(" TRANSPICA_UINT32 {"))
        .collect();
    assert!(enumerations.len() > 20 && !header.contains("\n  : uint32_t\n"), "each has the size of a number");
    // The others are statuses, arguments and results of functions, flags, or parts of a number.
    let no_fields =
        ["TranspicaStatus", "TranspicaTarget", "TranspicaTopology", "TranspicaPass", "TranspicaBindingUse"];
    for name in enumerations {
        let is_field = header.contains(&format!("\n    {name} "));
        assert_eq!(is_field, !no_fields.contains(&name), "{name}");
    }
}

#[test]
fn macros_and_constants_have_the_prefix() {
    let header = generate_header();
    let macros = header.lines().filter_map(|line| line.strip_prefix("#define "));
    let constants =
        header.lines().filter(|line| line.starts_with("    ") && line.contains(" = ") && line.ends_with(','));
    let names: Vec<&str> = macros.chain(constants.map(str::trim_start)).collect();
    assert!(names.len() > 100, "{} names", names.len());
    let others: Vec<_> = names.iter().filter(|name| !name.starts_with("TRANSPICA_")).collect();
    assert!(others.is_empty(), "{others:?}");
}
