//! The grammar for highlighting is made of the assembler's tables. `UPDATE_EXPECT=1` writes it.

use serde_json::{Value, json};
use transpica::isa::Opcode;
use transpica_asm::{directives, output_types};

/// Returns a pattern of any of these words.
fn words(all: impl IntoIterator<Item = &'static str>) -> String {
    let mut all: Vec<&str> = all.into_iter().collect();
    all.sort_unstable();
    all.dedup();
    format!("(?i:{})", all.join("|"))
}

fn rule(name: &str, pattern: &str) -> Value {
    json!({ "name": format!("{name}.pica"), "match": pattern })
}

/// Returns the grammar. It has one rule for each kind of token that a line alone shows.
fn grammar() -> Value {
    let mnemonics = words(Opcode::ALL.iter().map(|opcode| opcode.mnemonic()));
    let directives = words(directives().iter().map(|directive| directive.name));
    let types = words(output_types());
    json!({
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "name": "PICA200 shader",
        "scopeName": "source.pica",
        "fileTypes": ["pica"],
        "patterns": [
            rule("comment.line", "[;#].*$"),
            {
                "match": r"(?i:(\.proc|\.entry))\s+([A-Za-z_$][\w$]*)",
                "captures": {
                    "1": { "name": "keyword.control.directive.pica" },
                    "2": { "name": "entity.name.function.pica" },
                },
            },
            {
                "match": format!(r"(?i:(\.out))\s+(-|[A-Za-z_$][\w$]*)\s+({types})\b"),
                "captures": {
                    "1": { "name": "keyword.control.directive.pica" },
                    "2": { "name": "variable.other.pica" },
                    "3": { "name": "support.type.pica" },
                },
            },
            rule("keyword.control.directive", &format!(r"(?<![\w$])\.{directives}\b")),
            rule("entity.name.label", r"[A-Za-z_$][\w$]*(?=\s*:)"),
            rule("keyword.operator.mnemonic", &format!(r"(?<![\w$.]){mnemonics}\b(?!\s*[:,.\[])")),
            rule("variable.language.register", r"(?<![\w$.])(?i:[vorc]\d+|[ib]\d+|a0|al|cmp)\b"),
            rule("variable.other.member", r"(?<=\.)(?i:[xyzwrgbastpq]{1,4})\b"),
            rule("constant.language", r"(?<![\w$.])(?i:true|false|eq|ne|lt|le|gt|ge)\b"),
            rule("constant.numeric", r"(?<![\w$])(?i:0x[0-9a-f]+|\d+(?:\.\d+)?(?:e[+-]?\d+)?)\b"),
        ],
    })
}

#[test]
fn the_grammar_has_every_mnemonic_directive_and_type() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/vscode/extension/pica.tmLanguage.json");
    let made = format!("{:#}\n", grammar());
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(path, &made).expect("the grammar");
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert_eq!(found, made, "UPDATE_EXPECT=1 writes {path}");
}
