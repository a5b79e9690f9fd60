//! JSON documents of commands: the schemas, and rows of tables.
//! In: a [`Schema`] and members. Out: text. Knows no command; `transpica_inspect` spells numbers.

use serde_json::{Map, Value};
use transpica_inspect::json;

pub use transpica_inspect::json::{ProgramName, TOOL, word};

/// Schema of a document. Each is described by a file in `tools/cli/schema`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schema {
    /// Errors and findings of `asm`.
    Asm,
    /// Comparisons of `compare`.
    Compare,
    /// The report of `doctor`.
    Doctor,
    /// Tables of `info`.
    Info,
    /// The manifest that `translate --out-dir` writes.
    Manifest,
    /// Registers that `scan --extract` writes beside code words.
    Registers,
    /// Results of `scan`.
    Scan,
    /// Instructions of a program for each line of its module.
    SourceMap,
    /// Results of `survey`.
    Survey,
    /// The summary of `translate --out-dir`.
    Translate,
    /// Tables of a VBC file.
    Vbc,
}

impl Schema {
    /// Returns its name and version.
    pub fn name(self) -> &'static str {
        match self {
            Self::Asm => "transpica.asm/1",
            Self::Compare => "transpica.compare/1",
            Self::Doctor => "transpica.doctor/1",
            Self::Info => "transpica.info/1",
            Self::Manifest => "transpica.manifest/1",
            Self::Registers => "transpica.registers/1",
            Self::Scan => "transpica.scan/1",
            Self::SourceMap => "transpica.source-map/1",
            Self::Survey => "transpica.survey/1",
            Self::Translate => "transpica.translate/1",
            Self::Vbc => "transpica.vbc/1",
        }
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
            Schema::Asm,
            Schema::Compare,
            Schema::Doctor,
            Schema::Info,
            Schema::Manifest,
            Schema::Registers,
            Schema::Scan,
            Schema::SourceMap,
            Schema::Survey,
            Schema::Translate,
            Schema::Vbc,
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
        let text = Schema::Scan.text(json!({ "stage": "vertex" }));
        let start = format!("{{\n  \"schema\": \"transpica.scan/1\",\n  \"tool\": \"{TOOL}\",\n  \"stage\"");
        assert!(text.starts_with(&start), "{text}");
    }
}
