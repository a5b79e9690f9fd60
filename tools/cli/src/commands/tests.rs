//! The tree of commands: what every option and every help has, so that none can be forgotten.

use std::collections::BTreeSet;

use super::*;

/// The command and its subcommands, as built.
fn commands() -> Vec<clap::Command> {
    let mut root = command();
    root.build();
    let subcommands = root.get_subcommands().filter(|command| command.get_name() != "help");
    [&root].into_iter().chain(subcommands).cloned().collect()
}

#[test]
fn every_option_has_a_help_that_shows_its_braces() {
    for command in commands() {
        for arg in command.get_arguments() {
            let helps = [arg.get_help(), arg.get_long_help()].into_iter().flatten();
            let helps: Vec<String> = helps.map(|help| help.ansi().to_string()).collect();
            assert!(helps.iter().any(|help| !help.is_empty()), "{}: {arg}", command.get_name());
            // clap takes these three characters for a line break.
            assert!(helps.iter().all(|help| !help.contains("{n}")), "{}: {arg}", command.get_name());
        }
    }
    let help = commands().swap_remove(1).render_long_help().to_string();
    assert!(help.contains("{n} the number of the program"), "{help}");
}

#[test]
fn paragraphs_behind_a_help_are_one_line_each() {
    for command in commands() {
        for text in [command.get_after_help(), command.get_after_long_help()].into_iter().flatten() {
            let text = text.to_string();
            assert!(text.starts_with("Examples:\n  transpica "), "{}", command.get_name());
            let lines: Vec<&str> = text.lines().collect();
            for pair in lines.windows(2) {
                let is_paragraph = |line: &str| !line.is_empty() && !line.starts_with(' ');
                let is_broken = is_paragraph(pair[0]) && is_paragraph(pair[1]);
                assert!(!is_broken, "{}: {pair:?}", command.get_name());
            }
            // Lines that stay as they are fit where nothing is known of the terminal.
            let longest = lines.iter().filter(|line| line.starts_with(' ')).map(|line| line.chars().count());
            assert!(longest.max() <= Some(100), "{}: {text}", command.get_name());
        }
    }
}

#[test]
fn every_command_is_in_one_group_of_the_list() {
    let listed = GROUPS.iter().flat_map(|(_, names)| names.iter().copied());
    let listed: Vec<&str> = listed.chain(["completions", "man"]).collect();
    let all = commands();
    let commands: Vec<&str> = all.iter().skip(1).map(clap::Command::get_name).collect();
    assert_eq!(listed, commands);
    let help = command().render_help().to_string();
    let list =
        help.split_once("Translate:\n").and_then(|(_, rest)| rest.split_once("Options:")).expect("a list").0;
    assert!(list.lines().all(|line| line.chars().count() <= 80), "{list}");
    assert!(
        list.trim_end().lines().next_back().is_some_and(|line| line.starts_with("  manifest ")),
        "{list}"
    );
}

#[test]
fn a_number_of_vertices_has_a_limit() {
    for name in ["run", "compare", "doctor"] {
        let parse =
            |number: &str| command().try_get_matches_from(["transpica", name, "file", "--vertices", number]);
        let error = parse("99999999999").expect_err(name).to_string();
        assert!(error.contains("is not in 0..=1048576"), "{error}");
        assert!(parse("1048576").is_ok(), "{name}");
    }
}

/// The letters and digits of a text, which roff leaves as they are, without its apostrophes.
fn plain(text: &str) -> String {
    text.replace("\\*(Aq", "").chars().filter(|c| c.is_ascii_alphanumeric()).collect()
}

#[test]
fn every_option_has_its_text_in_the_manual() {
    let pages = man::pages(&man::built(command()), &GROUPS).expect("in memory");
    let whole = plain(
        &String::from_utf8(man::whole(&man::built(command()), &GROUPS).expect("in memory")).expect("UTF-8"),
    );
    let root = man::built(command());
    let mut count = 0;
    for (command, (name, page)) in [&root].into_iter().chain(man::subcommands(&root)).zip(&pages) {
        let page = plain(std::str::from_utf8(page).expect("UTF-8"));
        // clap rewrites the text of `--help` as it renders.
        for arg in command.get_arguments().filter(|arg| arg.get_id() != "help") {
            let help = arg.get_long_help().or_else(|| arg.get_help()).expect("a text").to_string();
            let help = plain(&help);
            assert!(help.len() > 5 && page.contains(&help), "{name}: {arg}: {help}");
            assert!(whole.contains(&help), "{name}: {arg}: {help}");
            count += 1;
        }
    }
    assert!(count > 250, "{count}");
}

#[test]
fn pages_that_a_page_cites_exist() {
    let pages = man::pages(&man::built(command()), &GROUPS).expect("in memory");
    let names: BTreeSet<&str> = pages.iter().filter_map(|(name, _)| name.strip_suffix(".1")).collect();
    let mut cited = BTreeSet::new();
    for (_, page) in &pages {
        let page = String::from_utf8_lossy(page).replace("\\-", "-").replace("\\fR", "").replace("\\fB", "");
        for (before, _) in page.match_indices("(1)").map(|(at, _)| page.split_at(at)) {
            cited.insert(before.rsplit(|c: char| c.is_whitespace()).next().unwrap_or_default().to_owned());
        }
    }
    let cited: BTreeSet<&str> = cited.iter().map(String::as_str).collect();
    assert_eq!(cited, names);
    let whole =
        String::from_utf8(man::whole(&man::built(command()), &GROUPS).expect("in memory")).expect("UTF-8");
    assert!(!whole.contains("(1)"), "the one page cites no other");
}

#[test]
fn examples_keep_their_lines_in_the_manual() {
    let root = man::built(command());
    let whole = String::from_utf8(man::whole(&man::built(command()), &GROUPS).expect("in memory"))
        .expect("UTF-8")
        .replace("\\-", "-");
    for command in [&root].into_iter().chain(man::subcommands(&root)) {
        let text = command.get_after_long_help().or_else(|| command.get_after_help());
        let text = text.expect("examples").to_string();
        let mut lines = text.lines().filter(|line| line.starts_with("  transpica "));
        let first = plain(lines.next().expect("an example"));
        let mut is_literal = false;
        let found = whole.lines().any(|line| {
            is_literal = (is_literal || line == ".nf") && line != ".fi";
            is_literal && plain(line) == first
        });
        assert!(found, "{first}");
    }
}
