//! The walks of the guide from an empty folder to a tested shader: their files are written, their
//! commands run in a shell in order, and print what the guide shows.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::needs;
use crate::support::{folder, root};

/// Headings of the walks, with the least numbers of their files and blocks of commands.
const WALKS: [(&str, [usize; 2]); 2] = [("## From an empty folder", [4, 5]), ("## From WGSL", [3, 4])];

/// A block of the guide.
enum Block {
    File { name: String, text: String },
    Console(String),
}

/// Returns the blocks of a walk. The last name in the line before a block names its file.
fn blocks(guide: &str, heading: &str) -> Vec<Block> {
    let (_, walk) = guide.split_once(heading).expect("the walk");
    let (walk, _) = walk.split_once("\n## ").expect("the next chapter");
    let mut pieces = walk.split("```");
    let mut before = pieces.next().expect("an introduction");
    let mut all = Vec::new();
    while let (Some(block), Some(after)) = (pieces.next(), pieces.next()) {
        let (language, text) = block.split_once('\n').expect("a language");
        if language == "console" {
            all.push(Block::Console(text.to_owned()));
        } else if let Some(line) = before.trim_end().lines().last().filter(|line| line.ends_with("`:")) {
            let name = line.split('`').rev().nth(1).expect("a name").to_owned();
            all.push(Block::File { name, text: text.to_owned() });
        }
        before = after;
    }
    all
}

/// Runs the commands of a block, and compares what each prints.
fn run(folder: &Path, text: &str) {
    let bin = Path::new(env!("CARGO_BIN_EXE_transpica")).parent().expect("a folder");
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    for step in text.split("$ ").skip(1) {
        let (line, expected) = step.split_once('\n').expect("a line");
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{line} 2>&1")]).current_dir(folder).env("PATH", &path);
        let ran = shell.output().expect("a shell");
        assert_eq!(String::from_utf8_lossy(&ran.stdout).trim_end(), expected.trim_end(), "{line}");
    }
}

#[test]
fn the_walks_of_the_guide_print_what_they_show() {
    needs!("sh");
    let guide = fs::read_to_string(root().join("tools/asm/src/guide/homebrew.md")).expect("readable");
    for (number, (heading, least)) in WALKS.into_iter().enumerate() {
        let folder = folder(&format!("walk-{number}"));
        let mut counts = [0, 0];
        for block in blocks(&guide, heading) {
            match block {
                Block::File { name, text } => {
                    counts[0] += 1;
                    fs::write(folder.join(name), text).expect("writable");
                }
                Block::Console(text) => {
                    counts[1] += 1;
                    run(&folder, &text);
                }
            }
        }
        assert!(counts[0] >= least[0] && counts[1] >= least[1], "{heading}: {counts:?} files and blocks");
        assert!(number > 0 || folder.join("ship.png").is_file() && folder.join("ship.h").is_file());
    }
}
