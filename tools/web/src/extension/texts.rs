//! Files of a workspace that JavaScript has read.
//! In: contents by URI. Out: sources and tests around a document. Knows no message.

use std::collections::BTreeMap;

use transpica_lsp::{Host, join};
use transpica_unit::coverage::{Coverage, by_file};
use transpica_unit::{Cpu, ENDING, Problem, TestFile};

/// Largest file in bytes.
const MOST_BYTES: usize = 1 << 20;

/// Contents of files by URI.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    files: BTreeMap<String, Vec<u8>>,
}

impl Texts {
    /// Sets the content of a file; `None` removes it.
    pub fn set(&mut self, uri: &str, bytes: Option<Vec<u8>>) {
        match bytes.filter(|bytes| bytes.len() <= MOST_BYTES) {
            Some(bytes) => self.files.insert(uri.to_owned(), bytes),
            None => self.files.remove(uri),
        };
    }

    /// Returns the sources whose URI begins like this.
    fn sources(&self, start: &str) -> Vec<(String, String)> {
        let all = self.files.range(start.to_owned()..);
        let all = all.take_while(|(uri, _)| uri.starts_with(start));
        let sources = all.filter(|(uri, _)| uri.ends_with(".pica"));
        sources.map(|(uri, bytes)| (uri.clone(), String::from_utf8_lossy(bytes).into_owned())).collect()
    }
}

/// Loads a test file by its URI. Names in its reports are URIs.
///
/// # Errors
/// As [`TestFile::load`].
pub fn load(texts: &Texts, uri: &str) -> Result<TestFile, Problem> {
    let read = |name: &str| {
        let uri = join(uri, name);
        let bytes = texts.files.get(&uri).cloned();
        let message = "file not found".into();
        bytes.map(|bytes| (uri.clone(), bytes)).ok_or(Problem { file: uri, message, ..Problem::default() })
    };
    let text = texts.files.get(uri).map(|bytes| String::from_utf8_lossy(bytes)).unwrap_or_default();
    TestFile::with(uri, &text, &read)
}

impl Host for Texts {
    fn siblings(&mut self, uri: &str) -> Vec<(String, String)> {
        let mut all = self.sources(&stem(uri));
        all.retain(|(other, _)| other != uri);
        all
    }

    fn workspace(&mut self, root: &str) -> Vec<(String, String)> {
        self.sources(root)
    }

    fn read(&self, uri: &str) -> Option<Vec<u8>> {
        self.files.get(uri).cloned()
    }

    fn counts(&mut self, uri: &str) -> BTreeMap<String, BTreeMap<u32, u64>> {
        let test = format!("{}{}", stem(uri), &ENDING[1..]);
        let Ok(file) = load(self, &test) else { return BTreeMap::new() };
        let mut all = Coverage::default();
        for case in &file.cases {
            all.add(&case.check(&file.name, &file.shader, &Cpu).coverage);
        }
        by_file(&[(&file.shader, all)]).into_iter().map(|(name, file)| (name, file.lines)).collect()
    }
}

/// Returns a URI with the stem of its name, and a dot.
fn stem(uri: &str) -> String {
    let name = uri.rfind('/').map_or(0, |slash| slash + 1);
    format!("{}{}.", &uri[..name], transpica_asm::stem(&uri[name..]))
}
