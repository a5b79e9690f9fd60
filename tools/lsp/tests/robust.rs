//! Every sample, odd texts, odd messages and random edits: every request is answered, in time.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use transpica_asm::{Diagnostic, SourceText, assemble};

use crate::client::{Client, apply, full, offset, place, requests, sample, samples};

/// A generator of numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % end.max(1) as u64) as usize
    }
}

#[test]
fn every_sample_is_answered_about() {
    let mut client = Client::new();
    for (uri, text) in samples() {
        client.open(&uri, &text);
        let messages = |client: &mut Client| -> Vec<Value> {
            client.problems(&uri).iter().map(|problem| problem["message"].clone()).collect()
        };
        let found = messages(&mut client);
        assert!(client.problems(&uri).iter().all(|problem| problem["severity"] != 1), "{uri}: {found:?}");
        let lines: Vec<&str> = text.lines().collect();
        for number in (0..lines.len()).step_by(7) {
            for (method, params) in requests(&uri, number, lines[number].len() / 2) {
                client.ask(&full(method), &params);
            }
        }
        let document = json!({ "textDocument": { "uri": uri } });
        let tokens = client.ask("textDocument/semanticTokens/full", &document);
        let tokens = tokens["data"].as_array().expect("numbers");
        assert!(tokens.len() > 50 && tokens.len().is_multiple_of(5), "{uri}: {}", tokens.len());
        let edits = client.ask("textDocument/formatting", &document);
        client.open(&uri, &apply(&text, &edits));
        assert_eq!(messages(&mut client), found, "{uri}");
        assert_eq!(client.ask("textDocument/formatting", &document), json!([]), "{uri}: once is enough");
    }
}

#[test]
fn odd_texts_are_answered_about() {
    let long = "a".repeat(100_000);
    let texts = [
        String::new(),
        "\0".into(),
        "\u{feff}.proc main\r\n\tmov r0, \u{1F600}\u{e9}.xyzw[\r\n".into(),
        "\u{e9}: \u{1F600} .\u{e9} ;\u{1F600}\n.\u{e9} x\n- \u{e9}.\n".into(),
        "ifc cmp.x\n".repeat(5000),
        ".end\n".repeat(5000),
        "a:".repeat(20_000),
        format!(".alias {long} r0\n.proc main\nmov {long}, {long}.{long}[{long}\n.end"),
        format!(".fvec {}", "x[1],".repeat(20_000)),
        format!(".proc main\n{}end\n.end", "\tmov r0, v0\n".repeat(5000)),
        ",,,,,\n.out\n.out - \n.in  \n.alias \n.constf (\n.constf a(((,,))\n mov\n mov \n mov ,\n".into(),
        long.clone() + "\n",
        "\n".repeat(30_000),
    ];
    let mut client = Client::new();
    for (number, text) in texts.iter().enumerate() {
        let uri = format!("file:///odd/{number}.v.pica");
        client.open(&uri, text);
        for line in [0, 1, 1_000_000] {
            for character in [0, 5, 1_000_000] {
                for (method, params) in requests(&uri, line, character) {
                    client.ask(&full(method), &params);
                }
            }
        }
        let mut rename = place(&uri, 0, 1);
        rename["newName"] = json!("other");
        client.request("textDocument/rename", &rename);
    }
}

#[test]
fn odd_messages_have_no_effect() {
    let mut client = Client::new();
    for text in ["", "{", "[]", "null", "3", "{\"method\": 3}", "{\"method\": \"textDocument/didOpen\"}"] {
        client.send(text);
    }
    for method in [
        "textDocument/didChange",
        "textDocument/didClose",
        "textDocument/didSave",
        "workspace/didChangeWatchedFiles",
        "$/cancelRequest",
    ] {
        client.notify(method, &Value::Null);
        client.notify(method, &json!({ "textDocument": [], "contentChanges": [3, {}], "changes": {} }));
    }
    let range =
        json!({ "start": { "line": 9, "character": 9 }, "end": { "line": 1, "character": 4_000_000 } });
    let change =
        json!({ "textDocument": { "uri": "x" }, "contentChanges": [{ "range": range, "text": "a" }] });
    client.notify("textDocument/didChange", &change);
    for (method, _) in requests("", 0, 0) {
        client.request(&full(method), &Value::Null);
        client.request(&full(method), &json!({ "position": { "line": -1 } }));
        client.request(&full(method), &place("file:///none", 0, 0));
    }
    assert_eq!(client.request("nonsense", &Value::Null)["error"]["code"], -32601);
}

/// The file of a text, or the errors.
fn messages(text: &str) -> Result<Vec<u8>, Vec<String>> {
    let assembled = assemble(&[SourceText { name: "a", text }]);
    // Messages quote texts, whose blanks change.
    let message = |error: &Diagnostic| error.message.replace([' ', '\t'], "");
    assembled.map(|file| file.bytes).map_err(|report| report.errors.iter().map(message).collect())
}

/// Pieces that edits insert.
const PIECES: [&str; 24] = [
    "",
    "\n",
    " ",
    ",",
    ".",
    ";",
    ":",
    "[",
    "]",
    "(",
    "-",
    "\u{1F600}",
    "r0",
    "c95",
    "a0.x",
    "mov r0, v0\n",
    ".end\n",
    ".proc x\n",
    "ifc cmp.x\n",
    ".fvec m[4]\n",
    "mad ",
    "\r\n",
    "\t",
    ".else\n",
];

#[test]
fn random_edits_leave_the_text_that_the_client_has() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let mut client = Client::new();
    for name in ["points.g.pica", "points.v.pica", "fog.v.pica", "library.sky.pica"] {
        let (uri, mut text) = sample(name);
        client.open(&uri, &text);
        for round in 0..300 {
            let lines = text.split('\n').count();
            let mut place = || json!({ "line": random.below(lines), "character": random.below(30) });
            let (a, b) = (place(), place());
            let near = json!({ "line": a["line"], "character": a["character"].as_u64().expect("a number") + random.below(4) as u64 });
            let mut range = if round % 10 == 0 { [a, b] } else { [a, near] };
            range.sort_by_key(|place| offset(&text, place));
            let range = json!({ "start": range[0], "end": range[1] });
            let piece = PIECES[random.below(PIECES.len())];
            let change = json!({ "range": range, "text": piece });
            // An edit in the middle of a character: at its end, as in the server.
            text = apply(&text, &json!([{ "range": range, "newText": piece }]));
            client.notify(
                "textDocument/didChange",
                &json!({ "textDocument": { "uri": uri }, "contentChanges": [change] }),
            );
            let (line, character) = (random.below(lines), random.below(30));
            let all = requests(&uri, line, character);
            let (method, params) = &all[random.below(all.len())];
            client.ask(&full(method), params);
            let laid_out = transpica_asm::format(&text);
            assert_eq!(transpica_asm::format(&laid_out), laid_out, "{text}");
            assert_eq!(messages(&laid_out), messages(&text), "{text}\n{laid_out}");
        }
        let edited = client.problems(&uri);
        client.open(&uri, &text);
        assert_eq!(client.problems(&uri), edited, "{name}\n{text}");
    }
}

#[test]
fn requests_on_the_largest_sample_are_fast() {
    let mut client = Client::new();
    let (uri, text) = sample("uber.v.pica");
    client.open(&uri, &text);
    client.problems(&uri);
    let (mut times, mut followed) = (Vec::new(), 0);
    // Registers, so that their values are followed.
    let lines = text.lines().enumerate().step_by(5);
    let places: Vec<_> = lines.filter_map(|(line, text)| Some((line, text.find(", r")? + 3))).collect();
    assert!(places.len() > 20);
    for &(line, character) in &places {
        for (method, params) in requests(&uri, line, character) {
            // The change makes everything about the document old.
            let place = json!({ "line": 0, "character": 1 });
            let change = json!({ "range": { "start": place, "end": place }, "text": " " });
            client.notify(
                "textDocument/didChange",
                &json!({ "textDocument": { "uri": uri }, "contentChanges": [change] }),
            );
            client.problems(&uri);
            let start = Instant::now();
            let answer = client.ask(&full(method), &params);
            times.push((start.elapsed(), method));
            followed += usize::from(answer.to_string().contains("written in"));
            let start = Instant::now();
            client.notify(
                "textDocument/didChange",
                &json!({ "textDocument": { "uri": uri }, "contentChanges": [change] }),
            );
            client.problems(&uri);
            times.push((start.elapsed(), "didChange"));
        }
    }
    assert!(followed > 10, "{followed}");
    // Every eighth line has a slip with advice.
    let slips: Vec<String> = (0..)
        .zip(text.lines())
        .map(|(number, line)| match number % 8 {
            0 => line
                .replacen("\tmul ", "\tmlu ", 1)
                .replacen("\tadd ", "\tadb ", 1)
                .replacen("\tmov ", "\tmvo ", 1),
            _ => line.to_owned(),
        })
        .collect();
    client.open(&uri, &slips.join("\n"));
    assert!(client.problems(&uri).len() > 8);
    let all = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 999, "character": 0 } });
    let params = json!({ "textDocument": { "uri": uri }, "range": all, "context": { "diagnostics": [] } });
    let start = Instant::now();
    let mends = client.ask("textDocument/codeAction", &params);
    times.push((start.elapsed(), "codeAction (8 slips)"));
    assert_eq!(mends.as_array().map(Vec::len), Some(8), "{mends}");
    times.sort();
    let mut seen = std::collections::BTreeSet::new();
    for (time, method) in times.iter().rev().filter(|(_, method)| seen.insert(*method)) {
        println!("{method:20} {time:?}");
    }
    let limit = Duration::from_millis(if cfg!(debug_assertions) { 2000 } else { 20 });
    assert!(times.iter().all(|(time, _)| *time < limit), "{times:?}");
}
