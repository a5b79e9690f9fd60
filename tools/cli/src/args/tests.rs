//! The tree of commands: what every option and every help has, so that none can be forgotten.

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
