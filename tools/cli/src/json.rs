//! JSON documents of commands: the schemas, and rows of tables.
//! In: a [`Schema`] and members. Out: text. Knows no command; `transpica_inspect` spells numbers.

use serde_json::{Map, Value};
use transpica_inspect::json;

pub use transpica_inspect::json::{ProgramName, TOOL, word};

/// Schema of a document. Each is described by a file in `tools/cli/schema`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Schema(&'static str);

impl Schema {
    /// Errors and findings of `asm`.
    pub const ASM: Self = Self("transpica.asm/1");
    /// Comparisons of `compare`.
    pub const COMPARE: Self = Self("transpica.compare/2");
    /// The report of `compile`.
    pub const COMPILE: Self = Self("transpica.compile/1");
    /// The report of `doctor`.
    pub const DOCTOR: Self = Self("transpica.doctor/1");
    /// Verdicts of `equal`.
    pub const EQUAL: Self = Self("transpica.equal/1");
    /// Tables of `info`.
    pub const INFO: Self = Self("transpica.info/1");
    /// The manifest that `translate --out-dir` writes.
    pub const MANIFEST: Self = Self("transpica.manifest/1");
    /// Words and instructions of `optimize`.
    pub const OPTIMIZE: Self = Self("transpica.optimize/1");
    /// Registers that `scan --extract` writes next to code words.
    pub const REGISTERS: Self = Self("transpica.registers/1");
    /// Results of `scan`.
    pub const SCAN: Self = Self("transpica.scan/1");
    /// Instructions of a program for each line of its module.
    pub const SOURCE_MAP: Self = Self("transpica.source-map/1");
    /// Results of `survey`.
    pub const SURVEY: Self = Self("transpica.survey/1");
    /// Results of `test`.
    pub const TEST: Self = Self("transpica.test/1");
    /// The summary of `translate --out-dir`.
    pub const TRANSLATE: Self = Self("transpica.translate/1");
    /// Tables of a VBC file.
    pub const VBC: Self = Self("transpica.vbc/1");

    /// Returns its name and version.
    pub fn name(self) -> &'static str {
        self.0
    }

    /// Returns a document with `schema` and `tool` in front of these members.
    pub fn document(self, members: Value) -> Map<String, Value> {
        json::document(self.name(), members)
    }

    /// Returns the text of a document with these members.
    pub fn text(self, members: Value) -> String {
        json::text(&self.document(members))
    }
}

/// Returns the row of a table about programs: its file, the program unless the row concerns the
/// file, and these members.
pub fn row(file: &str, program: Option<&ProgramName>, members: Value) -> Value {
    let mut row = Map::new();
    row.insert("file".into(), file.into());
    row.insert("dvle".into(), program.map(|program| program.dvle).into());
    row.insert("stage".into(), program.and_then(|program| program.stage.as_deref()).into());
    row.insert("entry".into(), program.map(|program| program.entry.as_str()).into());
    if let Value::Object(members) = members {
        row.extend(members);
    }
    Value::Object(row)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_schema_has_a_file_with_its_name() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("schema");
        let all = [
            Schema::ASM,
            Schema::COMPARE,
            Schema::COMPILE,
            Schema::DOCTOR,
            Schema::EQUAL,
            Schema::INFO,
            Schema::MANIFEST,
            Schema::OPTIMIZE,
            Schema::REGISTERS,
            Schema::SCAN,
            Schema::SOURCE_MAP,
            Schema::SURVEY,
            Schema::TEST,
            Schema::TRANSLATE,
            Schema::VBC,
        ];
        let others = [transpica_inspect::results::SCHEMA, transpica::reflect::SCHEMA];
        for schema in all.map(Schema::name).into_iter().chain(others) {
            let (name, _) =
                schema.strip_prefix("transpica.").and_then(|name| name.split_once('/')).expect("both");
            let text = std::fs::read_to_string(folder.join(format!("{name}.json"))).expect("a file");
            let value: Value = serde_json::from_str(&text).expect("JSON");
            assert_eq!(value["properties"]["schema"]["const"], schema);
        }
    }

    #[test]
    fn a_document_begins_with_its_schema() {
        let text = Schema::SCAN.text(json!({ "stage": "vertex" }));
        let start = format!("{{\n  \"schema\": \"transpica.scan/1\",\n  \"tool\": \"{TOOL}\",\n  \"stage\"");
        assert!(text.starts_with(&start), "{text}");
    }
}
