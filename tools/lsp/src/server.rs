//! Messages of the Language Server Protocol, mapped to the analysis.
//! In: a message as JSON. Out: the messages to send: answers, problems. Reads no stream.
//! Facts: the Language Server Protocol 3.17.
//!
//! A message that is none, or has other members than it should, has no effect but an error answer.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::analysis::Analysis;
use crate::cases::is_cases;
use crate::completion::Completion;
use crate::mends::Mend;
use crate::project::file_name;
use crate::text::{Position, Range};
use crate::view::{TOKEN_MODIFIERS, TOKEN_TYPES};

/// Files and tests around documents; by default none.
pub trait Host {
    /// Returns the sources that may belong to a document's project, by URI.
    fn siblings(&mut self, _uri: &str) -> Vec<(String, String)> {
        Vec::new()
    }
    /// Returns the sources below a folder, by URI.
    fn workspace(&mut self, _root: &str) -> Vec<(String, String)> {
        Vec::new()
    }
    /// Returns the content of a file, or `None` if it does not exist.
    fn read(&self, _uri: &str) -> Option<Vec<u8>> {
        None
    }
    /// Runs the tests of a document's project; returns how often each line ran, by URI.
    fn counts(&mut self, _uri: &str) -> BTreeMap<String, BTreeMap<u32, u64>> {
        BTreeMap::new()
    }
}

/// No files and no tests: only open documents are known.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoHost;

impl Host for NoHost {}

/// A server: documents, and the host around them.
pub struct Server<H> {
    pub(crate) analysis: Analysis,
    pub(crate) host: H,
    was_shut_down: bool,
    has_exited: bool,
    /// The client reports files that change.
    can_watch: bool,
    /// The client inserts snippets.
    has_snippets: bool,
}

/// Codes of errors.
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;
const INVALID_REQUEST: i32 = -32600;
const REQUEST_FAILED: i32 = -32803;

/// An answer, or the code and the message of an error.
type Answer = Result<Value, (i32, String)>;

impl<H: Host> Server<H> {
    /// Creates a server without documents.
    pub fn new(host: H) -> Self {
        Self {
            analysis: Analysis::default(),
            host,
            was_shut_down: false,
            has_exited: false,
            can_watch: false,
            has_snippets: false,
        }
    }

    /// Returns the exit status, once the client asked for the exit.
    pub fn exit_status(&self) -> Option<u8> {
        self.has_exited.then_some(u8::from(!self.was_shut_down))
    }

    /// Returns the host.
    pub fn host_mut(&mut self) -> &mut H {
        &mut self.host
    }

    /// Returns the documents.
    pub fn analysis_mut(&mut self) -> &mut Analysis {
        &mut self.analysis
    }

    /// Takes a message, and returns those to send.
    pub fn handle(&mut self, message: &Value) -> Vec<Value> {
        let (id, params) = (message.get("id"), &message["params"]);
        let Some(method) = message["method"].as_str() else { return Vec::new() };
        let Some(id) = id else { return self.notification(method, params) };
        let answer = match self.was_shut_down {
            false => self.request(method, params),
            true => Err((INVALID_REQUEST, "the server is shut down".into())),
        };
        vec![match answer {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err((code, message)) => {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
            }
        }]
    }

    fn notification(&mut self, method: &str, params: &Value) -> Vec<Value> {
        let document = &params["textDocument"];
        let uri = document["uri"].as_str().unwrap_or_default().to_owned();
        match method {
            "initialized" if self.can_watch => return vec![watch()],
            "exit" => self.has_exited = true,
            "textDocument/didOpen" => {
                let text = document["text"].as_str().unwrap_or_default().to_owned();
                for (other, text) in self.host.siblings(&uri) {
                    self.analysis.know(&other, text);
                }
                self.analysis.open(&uri, text);
                self.count(&uri);
                return self.publish(&uri);
            }
            "textDocument/didChange" => {
                for change in params["contentChanges"].as_array().into_iter().flatten() {
                    let text = change["text"].as_str().unwrap_or_default();
                    self.analysis.edit(&uri, parameter::<Range>(&change["range"]).ok(), text);
                }
                return self.publish(&uri);
            }
            "textDocument/didSave" => self.count(&uri),
            "textDocument/didClose" => {
                // From now on the text is that on disk.
                self.analysis.close(&uri);
                let mut sent = vec![problems(&uri, &json!([]))];
                sent.extend(self.changed(&uri));
                return sent;
            }
            "workspace/didChangeWatchedFiles" => {
                let changes = params["changes"].as_array().into_iter().flatten();
                let uris = changes.filter_map(|change| change["uri"].as_str());
                return uris.flat_map(|uri| self.changed(uri)).collect();
            }
            // Notifications that are not known have no effect.
            _ => {}
        }
        Vec::new()
    }

    /// Reads a file that changed on disk.
    fn changed(&mut self, uri: &str) -> Vec<Value> {
        match self.text(uri) {
            Some(text) => self.analysis.know(uri, text),
            None => self.analysis.forget(uri),
        }
        self.publish(uri)
    }

    /// Reads the text of a file.
    fn text(&self, uri: &str) -> Option<String> {
        self.host.read(uri).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Runs the tests of a document's project.
    fn count(&mut self, uri: &str) {
        for (uri, counts) in self.host.counts(uri) {
            // Tests ran what is on disk.
            let is_saved = self.text(&uri).is_some_and(|text| self.analysis.has_text(&uri, &text));
            if is_saved {
                self.analysis.set_counts(&uri, counts);
            }
        }
    }

    /// Publishes the problems of the open documents of a project, and of the open test files beside
    /// it.
    fn publish(&mut self, uri: &str) -> Vec<Value> {
        let mut all = Vec::new();
        if let Some((project, _)) = self.analysis.project(uri) {
            all.extend(project.sources.iter().enumerate().map(|(number, source)| {
                (source.uri.clone(), serde_json::to_value(project.problems(number)).unwrap_or_default())
            }));
        }
        let folder = &uri[..uri.len() - file_name(uri).len()];
        let is_beside = |other: &&String| {
            is_cases(other)
                && other.strip_suffix(file_name(other)) == Some(folder)
                && self.analysis.is_open(other)
        };
        for uri in self.analysis.uris().iter().filter(is_beside) {
            let list = serde_json::to_value(self.case_problems(uri)).unwrap_or_default();
            all.push((uri.clone(), list));
        }
        let open = all.into_iter().filter(|(uri, _)| self.analysis.is_open(uri));
        open.map(|(uri, list)| problems(&uri, &list)).collect()
    }

    fn request(&mut self, method: &str, params: &Value) -> Answer {
        match method {
            "initialize" => {
                let folders = params["workspaceFolders"].as_array().into_iter().flatten();
                let roots = folders.map(|folder| &folder["uri"]).chain([&params["rootUri"]]);
                let roots: BTreeSet<&str> = roots.filter_map(Value::as_str).collect();
                for (uri, text) in roots.into_iter().flat_map(|root| self.host.workspace(root)) {
                    self.analysis.know(&uri, text);
                }
                let files = &params["capabilities"]["workspace"]["didChangeWatchedFiles"];
                self.can_watch = files["dynamicRegistration"] == true;
                let items = &params["capabilities"]["textDocument"]["completion"]["completionItem"];
                self.has_snippets = items["snippetSupport"] == true;
                Ok(capabilities())
            }
            "shutdown" => {
                self.was_shut_down = true;
                Ok(Value::Null)
            }
            "workspace/symbol" => {
                answer(self.analysis.find_symbols(params["query"].as_str().unwrap_or_default()))
            }
            _ => match method.strip_prefix("textDocument/") {
                Some(question) => self.question(question, params),
                None => Err((METHOD_NOT_FOUND, format!("unknown method {method}"))),
            },
        }
    }

    /// Answers a question about a document.
    fn question(&mut self, method: &str, params: &Value) -> Answer {
        let uri = params["textDocument"]["uri"].as_str().unwrap_or_default();
        let position = || parameter::<Position>(&params["position"]);
        let range = || parameter::<Range>(&params["range"]);
        let analysis = &mut self.analysis;
        match method {
            "hover" => answer(analysis.hover(uri, position()?)),
            "signatureHelp" => {
                let signature = analysis.signature(uri, position()?);
                answer(signature.map(|signature| json!({ "signatures": [signature] })))
            }
            "completion" => {
                if is_cases(uri) {
                    return answer(self.complete_cases(uri, position()?));
                }
                let mut list = analysis.complete(uri, position()?);
                if self.has_snippets {
                    list.iter_mut().for_each(Completion::complete_block);
                }
                answer(list)
            }
            "definition" => answer(analysis.definition(uri, position()?)),
            "references" => {
                let with = params["context"]["includeDeclaration"].as_bool().unwrap_or(true);
                answer(analysis.references(uri, position()?, with))
            }
            "documentHighlight" => {
                let all = analysis.references(uri, position()?, true).into_iter();
                answer(all.filter(|place| place.uri == uri).collect::<Vec<_>>())
            }
            "prepareRename" => answer(analysis.renamed_part(uri, position()?)),
            "rename" => {
                let new = params["newName"].as_str().unwrap_or_default();
                let edits =
                    analysis.rename(uri, position()?, new).map_err(|message| (REQUEST_FAILED, message))?;
                Ok(json!({ "changes": edits }))
            }
            "documentSymbol" => answer(analysis.symbols(uri)),
            "semanticTokens/full" => Ok(json!({ "data": analysis.semantic_tokens(uri) })),
            "foldingRange" => answer(analysis.folds(uri)),
            "inlayHint" => answer(analysis.inlay_hints(uri, range()?)),
            "formatting" => answer(analysis.format(uri)),
            "codeAction" => answer(analysis.mends(uri, range()?).iter().map(action).collect::<Vec<_>>()),
            _ => Err((METHOD_NOT_FOUND, format!("unknown method textDocument/{method}"))),
        }
    }
}

fn action(mend: &Mend) -> Value {
    json!({
        "title": mend.title,
        "kind": "quickfix",
        "isPreferred": mend.is_preferred,
        "diagnostics": [mend.problem],
        "edit": { "changes": mend.edits },
    })
}

/// Returns what the server can do.
fn capabilities() -> Value {
    json!({
        "serverInfo": { "name": "transpica", "version": env!("CARGO_PKG_VERSION") },
        "capabilities": {
            "positionEncoding": "utf-16",
            "textDocumentSync": { "openClose": true, "change": 2, "save": true },
            "hoverProvider": true,
            "completionProvider": { "triggerCharacters": [".", " ", "\t", ",", "["] },
            "definitionProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "renameProvider": { "prepareProvider": true },
            "documentSymbolProvider": true,
            "workspaceSymbolProvider": true,
            "semanticTokensProvider": {
                "legend": { "tokenTypes": TOKEN_TYPES, "tokenModifiers": TOKEN_MODIFIERS },
                "full": true,
            },
            "foldingRangeProvider": true,
            "inlayHintProvider": true,
            "documentFormattingProvider": true,
            "codeActionProvider": { "codeActionKinds": ["quickfix"] },
            "signatureHelpProvider": { "triggerCharacters": [" ", "\t", ","] },
        },
    })
}

/// Returns the request to report sources that change.
fn watch() -> Value {
    let options = json!({ "watchers": [{ "globPattern": "**/*.pica" }] });
    let method = "workspace/didChangeWatchedFiles";
    let params = json!({ "registrations": [{ "id": method, "method": method, "registerOptions": options }] });
    json!({ "jsonrpc": "2.0", "id": "watch", "method": "client/registerCapability", "params": params })
}

fn problems(uri: &str, list: &Value) -> Value {
    let params = json!({ "uri": uri, "diagnostics": list });
    json!({ "jsonrpc": "2.0", "method": "textDocument/publishDiagnostics", "params": params })
}

/// Reads a parameter.
fn parameter<T: DeserializeOwned>(value: &Value) -> Result<T, (i32, String)> {
    T::deserialize(value).map_err(|error| (INVALID_PARAMS, error.to_string()))
}

fn answer(result: impl Serialize) -> Answer {
    serde_json::to_value(result).map_err(|error| (REQUEST_FAILED, error.to_string()))
}
