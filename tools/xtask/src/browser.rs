//! `cargo xtask test --browser`: builds the page and has a real browser use it. The tests are
//! `tools/web/page/tests`; Node's test runner prints their count. The same browser takes the
//! pictures of `cargo xtask web --screenshots`.

use std::path::{self, Path};
use std::process::Command;

use crate::{needs, program, run_line, target, web};

/// Runs the task.
pub fn run() -> Result<(), String> {
    needs::install(&["browser"])?;
    let page = web::build(None)?;
    // The native tool computes what the page has to show.
    let native = ["build", "--package", "transpica-cli", "--no-default-features"];
    run_line(Command::new(program()).args(native))?;
    let target = target()?;
    let mut node = web::in_page("node");
    node.args(["--test", "--test-concurrency=1", "tests/"]);
    node.env("PAGE", page).env("TRANSPICA", target.join("debug/transpica"));
    node.env("SHOTS", target.join("web-shots"));
    run_line(&mut node)
}

/// Writes pictures of the first view of a built page.
pub fn picture(page: &Path, folder: &Path) -> Result<(), String> {
    needs::install(&["browser"])?;
    let folder = path::absolute(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    run_line(web::in_page("node").arg("screenshots.mjs").arg(page).arg(folder))
}
