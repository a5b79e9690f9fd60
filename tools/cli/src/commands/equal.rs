//! `transpica equal`: whether two programs compute the same.
//! In: two programs. Out: the verdict; where they differ, the smallest inputs that show it. Solvers
//! are programs of the system.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use clap::Args;
use serde_json::{Value, json};
use transpica::isa::Pc;
use transpica::{Limits, Options, Shbin};
use transpica_compile::equal::difference::Difference;
use transpica_compile::equal::matching::Matching;
use transpica_compile::equal::report::{self, Names};
use transpica_compile::equal::{Comparison, Effort, Opened, Solver, Verdict, compare, same_stage};
use transpica_compile::source::Interface;
use transpica_inspect::saved;
use transpica_inspect::state::{State, bits};

use crate::arguments::{Arguments, Results};
use crate::files;
use crate::input::{Input, Selection};
use crate::json::Schema;
use crate::report::{Common, Failure};
use crate::settings::{ForRuns, Resolved, Settings};
use crate::streams::Streams;

/// Tell whether two programs compute the same
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  transpica equal old.shbin new.v.pica
  transpica equal uber.v.pica lit.v.pica --bools b0=true,b1=false    a variant for known values
  transpica equal a.v.pica b.v.pica --outputs position,color --json
  transpica equal a.v.pica b.v.pica --up-to-rounding    sums may be in another order
  transpica equal a.v.pica b.v.pica --assume uniforms=2^16,attributes=2^16
  transpica equal a.v.pica b.v.pica --save-state differs.json

Files with as many programs have all compared, in their order, unless --dvle or --other-dvle chooses one. Uniforms and inputs with the same name are the same, whatever their registers; the others are matched by register, outputs by semantic. Both programs are walked side by side; where that does not prove them equal, they run on values that find faults, and a difference is made as small as it can be.

A solver (bitwuzla, cvc5 or z3 on the PATH, or --solver) decides operations that are equal without looking alike.

Of two shaders, what the host computes from uniforms must be written alike; the programs are compared for all values of it.

Results are equal if their bits are, if both are NaN, or if both are zeros. Geometry programs that read what an earlier invocation left are equal if invocations that begin alike, in all that one of them reads, send the same and end alike in it. No distance is proven: --up-to-rounding has the largest one on values as games have them.

Exit status 1 if they differ, if no vertex shows that they do not, or for an error in the input: then nothing is printed on standard output.")]
pub struct Equal {
    /// A .shbin file, .pica source, or shader as `compile` takes it
    pub first: PathBuf,
    /// Another one, or the same
    pub second: PathBuf,
    #[command(flatten)]
    pub selection: Selection,
    /// Number of the executable in the second file [default: that of --dvle]
    #[arg(long, value_name = "N")]
    pub other_dvle: Option<usize>,
    /// Compare only these outputs: semantics or registers
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub outputs: Vec<String>,
    /// Let results differ by this part of the largest component of their vector, because sums and
    /// products are in another order [default: compare bits; without a number 1e-5]
    #[arg(long, value_name = "PART", num_args = 0..=1, require_equals = true, default_missing_value = "1e-5")]
    #[arg(value_parser = part)]
    pub up_to_rounding: Option<f32>,
    /// Number of vertices on which programs run that are not proven equal
    #[arg(long, default_value_t = 1 << 16, value_name = "N")]
    pub vertices: u64,
    /// Seed of their values
    #[arg(long, default_value_t = 0, value_name = "S", hide_short_help = true)]
    pub seed: u64,
    /// Maximum number of instructions per vertex or invocation
    #[arg(long, default_value_t = 1 << 16, value_name = "N", hide_short_help = true)]
    pub budget: u64,
    /// Write the smallest inputs with different results, for `run --state`
    #[arg(long, value_name = "FILE")]
    pub save_state: Option<PathBuf>,
    /// Solver to ask: a program that reads a script in SMT-LIB; `none` asks none
    #[arg(long, value_name = "PROGRAM", hide_short_help = true)]
    pub solver: Option<PathBuf>,
    /// Seconds for each question to a solver
    #[arg(long, default_value_t = 10, value_name = "S", hide_short_help = true)]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=3600))]
    pub seconds: u32,
    #[command(flatten)]
    pub results: Results,
    #[command(flatten)]
    pub settings: Settings<ForRuns>,
}

/// Parses a part of a number.
pub(super) fn part(text: &str) -> Result<f32, String> {
    let number = text.parse::<f32>().ok().filter(|number| (0.0..1.0).contains(number));
    number.ok_or_else(|| "a number from 0 to below 1, such as 1e-5".into())
}

impl Arguments for Equal {
    fn streams(&self) -> Streams<'_> {
        let inputs = self.settings.files().chain([&self.first, &self.second]);
        self.results.streams(inputs).and("--save-state", self.save_state.as_ref())
    }
}

/// Solvers that are looked for, the fastest first.
const SOLVERS: [&str; 3] = ["bitwuzla", "cvc5", "z3"];

/// The file of a program, opened.
struct Side<'a> {
    input: &'a Input,
    file: Shbin<'a>,
    dvle: usize,
    opened: Opened,
}

impl<'a> Side<'a> {
    fn new(input: &'a Input, dvle: Option<usize>, common: &Common) -> Result<Self, Failure> {
        let file = input.parse()?;
        let dvle = input.chosen(&file, &Selection { dvle }, common);
        let opened = Opened::new(&file, dvle, &Limits::default()).map_err(|error| input.fail(&error))?;
        Ok(Self { input, file, dvle, opened })
    }

    fn name(&self) -> String {
        let path = self.input.path.display();
        if self.file.executables.len() > 1 { format!("{path} DVLE {}", self.dvle) } else { path.to_string() }
    }

    /// The text of an instruction, with the line of the source if one was assembled.
    fn instruction(&self, pc: Pc) -> Result<(Option<u32>, String), Failure> {
        let source = self.input.debug_source();
        let line = source.and_then(|source| source.lines.get(usize::from(pc.0)).copied());
        let text = self.input.listing(&self.file, self.dvle)?.line(pc);
        Ok((line.filter(|line| *line > 0), text.unwrap_or_default()))
    }
}

/// Opens the programs: those with the chosen numbers, else all of two files in their order.
fn pairs<'a>(
    arguments: &Equal,
    [first, second]: [&'a Input; 2],
    common: &Common,
) -> Result<Vec<[Side<'a>; 2]>, Failure> {
    let counts = [first.parse()?.executables.len(), second.parse()?.executables.len()];
    let is_one_file = arguments.first == arguments.second;
    let [dvle, other] = [arguments.selection.dvle, arguments.other_dvle];
    let is_chosen = dvle.is_some() || other.is_some();
    let numbers = if is_chosen || counts.iter().all(|&count| count <= 1) {
        vec![[dvle, other.or(dvle.filter(|&number| number < counts[1]))]]
    } else if counts[0] == counts[1] {
        (0..counts[0]).map(|number| [Some(number); 2]).collect()
    } else {
        let [a, b] = [&arguments.first, &arguments.second].map(|path| path.display());
        let message = format!("{a} and {b} have {} and {} programs", counts[0], counts[1]);
        return Err(Failure::new(message).hint("choose one of each with --dvle and --other-dvle"));
    };
    let pair = |[dvle, other]: [Option<usize>; 2]| {
        let sides = [Side::new(first, dvle, common)?, Side::new(second, other, common)?];
        same_stage(sides.each_ref().map(|side| &side.opened)).map_err(|error| {
            first.fail(&error).hint("choose executables of one stage with --dvle and --other-dvle")
        })?;
        if is_one_file && sides[0].dvle == sides[1].dvle {
            common.note(format_args!("both are {}: the same program", sides[0].name()));
        }
        Ok(sides)
    };
    numbers.into_iter().map(pair).collect()
}

/// Runs the command.
pub fn run(arguments: &Equal, common: &Common) -> Result<(), Failure> {
    let [first, second] = [&arguments.first, &arguments.second].map(|path| Input::open(path));
    let (first, second) = (first?.remarked(common), second?.remarked(common));
    let pairs = pairs(arguments, [&first, &second], common)?;
    let solver = solver(arguments)?;
    let matching = |sides: &[Side<'_>; 2]| {
        Matching::new(sides.each_ref().map(|side| &side.opened.symbols), &arguments.outputs)
    };
    let matchings = pairs.iter().map(matching).collect::<Result<Vec<_>, _>>().map_err(Failure::new)?;
    let names = |(sides, matching)| move |bank, name: &str| registers(sides, matching, bank, name);
    let names: Vec<_> = pairs.iter().zip(&matchings).map(names).collect();
    let options = arguments.settings.resolve_for_each(&names)?;
    let compared = |((sides, matching), Resolved { options, .. })| {
        Ok((sides, verdict(arguments, (sides, matching), options, solver.as_deref(), common)?))
    };
    let compared = pairs.iter().zip(&matchings).zip(options).map(compared);
    let compared = compared.collect::<Result<Vec<Compared<'_>>, Failure>>()?;
    write(arguments, &compared, common)?;
    let is_different = |(_, verdict): &&Compared<'_>| matches!(verdict, Verdict::Different(_));
    if let Some((sides, _)) = compared.iter().find(is_different) {
        return Err(Failure::new(format!("{} and {} differ", sides[0].name(), sides[1].name())));
    }
    if compared.iter().all(|(_, verdict)| verdict.is_equal()) {
        return Ok(());
    }
    let message = format!("nothing was compared: no vertex ends within {} instructions", arguments.budget);
    Err(Failure::new(message).hint("a larger --budget, or bools and ints that end the loops"))
}

/// Registers of the first program for a name of the first one, or else of the second.
fn registers(
    sides: &[Side<'_>; 2],
    matching: &Matching,
    bank: char,
    name: &str,
) -> Result<Vec<usize>, String> {
    match sides.each_ref().map(|side| side.opened.symbols.registers(bank, name)) {
        [Ok(first), _] => Ok(first),
        [_, Ok(second)] => Ok(second.iter().map(|&own| matching.registers.number(bank, own)).collect()),
        [Err(first), Err(second)] => {
            let [a, b] = sides.each_ref().map(Side::name);
            Err(format!("{a}: {first}; {b}: {second}"))
        }
    }
}

/// Two programs and their verdict.
type Compared<'a> = (&'a [Side<'a>; 2], Verdict);

/// Compares two programs.
fn verdict(
    arguments: &Equal,
    (sides, matching): (&[Side<'_>; 2], &Matching),
    options: Options,
    solver: Option<&Path>,
    common: &Common,
) -> Result<Verdict, Failure> {
    matching.notes.iter().for_each(|note| common.note(note));
    check_hosts(sides, matching)?;
    let ask = |script: &str| solver.is_some_and(|solver| refutes(solver, arguments.seconds, script));
    let ask: Option<Solver<'_>> = if solver.is_some() { Some(&ask) } else { None };
    let &Equal { vertices, seed, budget, .. } = arguments;
    let comparison = Comparison {
        rounding: arguments.up_to_rounding,
        effort: Effort { vertices, seed, budget },
        solver: ask,
        ..Comparison::new(sides.each_ref().map(|side| &side.opened), matching, options)
    };
    let verdict = compare(&comparison).map_err(|error| sides[0].input.fail(&error))?;
    let interfaces = sides.iter().filter_map(|side| side.input.interface.as_ref());
    let computed = interfaces.map(Interface::computed_names).max_by_key(Vec::len).unwrap_or_default();
    if matches!(verdict, Verdict::Different(_)) && !computed.is_empty() {
        common.note(format_args!("a host computes {}, and may never send these values", computed.join(", ")));
    }
    Ok(verdict)
}

/// Checks that registers have one meaning where both programs are compiled shaders.
fn check_hosts(sides: &[Side<'_>; 2], matching: &Matching) -> Result<(), Failure> {
    let [Some(first), Some(second)] = sides.each_ref().map(|side| side.input.interface.as_ref()) else {
        return Ok(());
    };
    let number = |bank, register| matching.registers.number(bank, register);
    let others = first.computed_otherwise(second, number).join(", ");
    if others.is_empty() {
        return Ok(());
    }
    let [a, b] = sides.each_ref().map(Side::name);
    let failure = Failure::new(format!("{a} and {b} have the host compute {others} in other ways"));
    Err(failure.hint("write it alike; or compile both to .v.pica, and compare those for any values of it"))
}

/// Writes the verdicts, and the first inputs with different results.
fn write(arguments: &Equal, compared: &[Compared<'_>], common: &Common) -> Result<(), Failure> {
    let is_json = arguments.results.is_json();
    let text = match compared {
        [(sides, verdict)] if is_json => Schema::EQUAL.text(document(sides, verdict)?),
        [(sides, verdict)] => describe(sides, verdict),
        several if is_json => {
            let pairs = several.iter().map(|(sides, verdict)| document(sides, verdict));
            Schema::EQUAL.text(json!({ "pairs": pairs.collect::<Result<Vec<_>, _>>()? }))
        }
        several => {
            let pair = |(sides, verdict): &Compared<'_>| {
                let [a, b] = sides.each_ref().map(Side::name);
                format!("{a} and {b}: {}", describe(sides, verdict))
            };
            several.iter().map(pair).collect()
        }
    };
    let mut written = vec![(arguments.results.output.as_deref(), text.as_bytes())];
    let found = compared.iter().find_map(|(sides, verdict)| match verdict {
        Verdict::Different(found) => Some(state(&sides[0], found)),
        Verdict::Proven { .. } | Verdict::Sampled { .. } => None,
    });
    match (&found, &arguments.save_state) {
        (Some(state), Some(path)) => written.insert(0, (Some(path.as_path()), state.as_bytes())),
        (None, Some(path)) => {
            common.note(format_args!("{} is not written: no inputs show a difference", path.display()));
        }
        (_, None) => {}
    }
    files::write_all(&written)
}

/// The smallest inputs, as a state file.
fn state(side: &Side<'_>, found: &Difference) -> String {
    let state = State::new(found.values.uniforms.clone(), vec![bits(&found.values.inputs)]);
    saved::to_text(&state, &Default::default(), &side.opened.symbols)
}

/// Returns the solver to ask, if there is one.
fn solver(arguments: &Equal) -> Result<Option<PathBuf>, Failure> {
    match &arguments.solver {
        Some(name) if name == Path::new("none") => Ok(None),
        Some(path) => {
            let found = which(path).ok_or_else(|| Failure::new(format!("no program {}", path.display())));
            found.map(Some)
        }
        None => Ok(SOLVERS.iter().find_map(|name| which(Path::new(name)))),
    }
}

/// Returns the path of a program, looked for in the folders of PATH if it has no folder.
fn which(name: &Path) -> Option<PathBuf> {
    if name.components().count() > 1 {
        return name.is_file().then(|| name.to_path_buf());
    }
    let folders = std::env::var_os("PATH")?;
    std::env::split_paths(&folders).map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// Asks a solver whether a script is unsatisfiable. A solver that fails says nothing.
fn refutes(solver: &Path, seconds: u32, script: &str) -> bool {
    let limit = match solver.file_stem().and_then(|name| name.to_str()) {
        Some("z3") => vec!["-in".to_owned(), format!("-T:{seconds}")],
        Some("cvc5") => vec!["--lang=smt2".into(), "--fp-exp".into(), format!("--tlimit={}", 1000 * seconds)],
        Some("bitwuzla") => vec!["-t".into(), (1000 * seconds).to_string()],
        _other => Vec::new(),
    };
    let mut command = Command::new(solver);
    command.args(limit).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return false };
    // A solver that reads no further ends the pipe; its answer counts all the same.
    let wrote = child.stdin.take().map(|mut pipe| pipe.write_all(script.as_bytes()));
    drop(wrote);
    let output = child.wait_with_output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).trim() == "unsat")
}

/// The verdict as text; of a difference the state that shows it, too.
fn describe(sides: &[Side<'_>; 2], verdict: &Verdict) -> String {
    let names = sides.each_ref().map(Side::name);
    let instruction = |side: usize, pc: Pc| {
        let (line, text) = sides[side].instruction(pc).unwrap_or_default();
        let place = line.map_or(String::new(), |line| format!(":{line}"));
        format!("{}{place}: pc {pc}: {text}", names[side])
    };
    let named = Names { programs: names.each_ref().map(String::as_str), instruction: &instruction };
    let text = report::text(verdict, &named);
    match verdict {
        Verdict::Different(found) => format!("{text}with this state:\n{}", state(&sides[0], found)),
        Verdict::Proven { .. } | Verdict::Sampled { .. } => text,
    }
}

/// The verdict as JSON.
fn document(sides: &[Side<'_>; 2], verdict: &Verdict) -> Result<Value, Failure> {
    let files: Vec<Value> = sides
        .iter()
        .map(|side| json!({ "file": side.input.path.display().to_string(), "dvle": side.dvle }))
        .collect();
    let mut document = json!({ "programs": files });
    match verdict {
        Verdict::Proven { claims } => {
            document["verdict"] = "proven".into();
            document["claims"] = (*claims).into();
        }
        Verdict::Sampled { sampled, why } => {
            document["verdict"] = "sampled".into();
            document["vertices"] = sampled.vertices.into();
            document["unfinished"] = sampled.unfinished.into();
            document["why"] = why.as_str().into();
            document["ulp"] = sampled.worst.ulp.into();
            document["relative"] = transpica_inspect::json::decimal(sampled.worst.relative);
        }
        Verdict::Different(found) => {
            document["verdict"] = "different".into();
            if let Some(output) = &found.output {
                let results = output.results.map(|number| transpica_inspect::json::word(number.to_bits()));
                document["output"] = json!({ "name": output.pair.name, "emit": output.emit, "results": results, "ulp": output.ulp });
            }
            let mut instructions = Vec::new();
            for (side, pc) in sides.iter().zip(found.instructions) {
                let Some(pc) = pc else {
                    instructions.push(Value::Null);
                    continue;
                };
                let (line, text) = side.instruction(pc)?;
                instructions.push(json!({ "pc": pc.0, "line": line, "text": text }));
            }
            document["instructions"] = instructions.into();
            document["ended"] = json!(found.ended);
            document["state"] = serde_json::from_str(&state(&sides[0], found)).unwrap_or_default();
        }
    }
    Ok(document)
}
