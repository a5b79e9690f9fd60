//! `transpica-smt`: asks the solvers about every question, or runs the enumerations.
//! In: arguments. Out: a summary, and the lists of `proven/`.

use std::process::ExitCode;

use transpica_smt::ask;

const USAGE: &str = "usage: transpica-smt --python PATH [--new] [--seconds N]
       transpica-smt --enumerate
       transpica-smt --write FOLDER

  --python   Python with the packages bitwuzla, cvc5 and z3-solver
  --new      asks only what has no answer in tools/smt/proven
  --seconds  limit for each solver and question, by default 20
  --enumerate  compares functions of one number with their definitions, for all 2^32
  --write    writes the scripts into a folder, each with its name in the first line";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match run(&arguments) {
        Ok(text) => println!("{text}"),
        Err(text) => {
            eprintln!("{text}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn run(arguments: &[String]) -> Result<String, String> {
    let (mut python, mut only_new, mut seconds) = (None, false, 20);
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--python" => python = rest.next(),
            "--new" => only_new = true,
            "--seconds" => seconds = rest.next().and_then(|text| text.parse().ok()).ok_or(USAGE)?,
            "--write" => return ask::write_scripts(rest.next().ok_or(USAGE)?.as_ref(), &ask::questions()),
            "--enumerate" => return transpica_smt::enumerate::run(1),
            _other => return Err(USAGE.to_owned()),
        }
    }
    let python = python.ok_or(USAGE)?;
    ask::run(python.as_ref(), only_new, seconds)
}
