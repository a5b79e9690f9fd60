//! Test files: cases in TOML.
//! In: the path of a file, or its text and the files in its folder. Out: a [`TestFile`]; an error
//! with line and column. The guide of the crate has the format.

use std::collections::BTreeSet;
use std::path::Path;

use toml::de::DeTable;
use transpica::Stage;
use transpica::interp::Uniforms;
use transpica::isa::sizes::FLOATS;
use transpica::settings::{BoolUniforms, IntUniforms};
use transpica_inspect::json::float;
use transpica_inspect::state::unknown_word;

use crate::case::{Case, Checked, ExpectedTriangle, Row};
use crate::coverage::Coverage;
use crate::declared;
use crate::expect::{Expectation, Expected, Tolerance, ULPS};
use crate::keys::Place;
use crate::picture::PictureCase;
use crate::run::{BUDGET, Trial};
use crate::shader::{Choices, Problem, Shader, read};
use crate::toml::{Item, Key, Reader, in_order, value};
use crate::twin::Twin;
use crate::values::{Defaults, Layers, state};

/// Ending of the names of test files.
pub const ENDING: &str = ".test.toml";

/// Files in the folder of a test file: name and content by the name in the file.
pub type Files<'a> = &'a dyn Fn(&str) -> Result<(String, Vec<u8>), Problem>;

/// A test file with its shader.
#[derive(Clone, Debug)]
pub struct TestFile {
    /// Its path, as reports show it.
    pub name: String,
    /// The shader.
    pub shader: Shader,
    /// Findings of lint, where the file denies them.
    pub findings: Option<Vec<String>>,
    /// The cases.
    pub cases: Vec<Case>,
    /// Cases with a picture.
    pub pictures: Vec<PictureCase>,
}

/// A case with what it takes from the file.
struct Parser<'a, 't> {
    reader: Reader<'t>,
    shader: &'a Shader,
    defaults: Layers<'a, 't>,
    files: Files<'a>,
}

impl TestFile {
    /// Loads a file and its shader.
    ///
    /// # Errors
    /// A file that cannot be read, or is not of the format; errors of the shader.
    pub fn load(path: &Path) -> Result<Self, Problem> {
        let name = path.display().to_string();
        Self::with(&name, &text(path)?, &|name| read(&path.with_file_name(name)))
    }

    /// Loads the shader of a file alone.
    ///
    /// # Errors
    /// A file that cannot be read; errors of the shader.
    pub fn load_shader(path: &Path) -> Result<Shader, Problem> {
        let files = |name: &str| read(&path.with_file_name(name));
        Self::shader_of(&path.display().to_string(), &text(path)?, &files)
    }

    /// Reads the text of a file and its shader without a file system. `files` returns sources by
    /// their names in the file, each with the name that reports show.
    ///
    /// ```
    /// use transpica_unit::{Cpu, Problem, TestFile};
    /// let source = ".out - position o0\n.proc main\n    mov o0, v0\n    end\n.end\n";
    /// let tests = "[[case]]\nname = \"copies\"\nattributes = { v0 = [1, 2, 3, 4] }\nexpect = { o0 = [1, 2, 3, 4] }";
    /// let files = |name: &str| match name {
    ///     "a.v.pica" => Ok((name.to_owned(), source.into())),
    ///     _ => Err(Problem { message: format!("there is no {name}"), ..Problem::default() }),
    /// };
    /// let file = TestFile::with("a.test.toml", tests, &files)?;
    /// assert_eq!(file.cases[0].check("a", &file.shader, &Cpu).failure, None);
    /// # Ok::<(), Problem>(())
    /// ```
    ///
    /// # Errors
    /// A file that is not there, or is not of the format; errors of the shader.
    pub fn with(name: &str, text: &str, files: Files<'_>) -> Result<Self, Problem> {
        let reader = Reader { name, text };
        let root = reader.parse()?;
        reader.check_keys(&root, Place::File, "the file")?;
        let shader = shader(reader, &root, files)?;
        Self::parse((reader, Path::new(name)), &root, shader, files)
    }

    /// Reads the shader of a text that may be incomplete; otherwise as [`with`](Self::with).
    ///
    /// # Errors
    /// A file that is not there; errors of the shader.
    pub fn shader_of(name: &str, text: &str, files: Files<'_>) -> Result<Shader, Problem> {
        shader(Reader { name, text }, DeTable::parse_recoverable(text).0.get_ref(), files)
    }

    fn parse(
        (reader, path): (Reader<'_>, &Path),
        root: &DeTable<'_>,
        shader: Shader,
        files: Files<'_>,
    ) -> Result<Self, Problem> {
        let table = |key: &str| root.get(key).map(|item| reader.table(item, key)).transpose();
        let findings = match root.get("lint").map(|item| (item, item.get_ref().as_str())) {
            None => None,
            Some((_, Some("deny"))) => {
                Some(shader.findings().map_err(|error| Problem::new(reader.name, error))?)
            }
            Some((item, _)) => return Err(reader.problem(item.span().start, "lint must be \"deny\"")),
        };
        let empty = DeTable::new();
        let layer = |key: &str| Ok::<_, Problem>(vec![table(key)?.unwrap_or(&empty)]);
        let (uniforms, attributes) = (layer("uniforms")?, layer("attributes")?);
        let defaults = Layers { uniforms, attributes, ..Layers::default() };
        let parser = Parser { reader, shader: &shader, defaults, files };
        let (mut cases, mut pictures): (Vec<Case>, Vec<PictureCase>) = (Vec::new(), Vec::new());
        let Some(list) = root.get("case") else {
            return Err(reader.problem(0, "the file has no [[case]]"));
        };
        let mut names = BTreeSet::new();
        if list.get_ref().is_table() {
            return Err(reader.problem(list.span().start, "case must be a list: write [[case]], not [case]"));
        }
        for item in reader.list(list, "case")? {
            let table = reader.table(item, "case")?;
            let name = if table.contains_key("picture") {
                let mut layers = parser.defaults.clone();
                parser.add(table, &mut layers)?;
                pictures.push(PictureCase::parse((reader, path), (table, item), &layers, &shader)?);
                pictures.last().map(|case| case.name.clone())
            } else {
                cases.push(parser.case(item)?);
                cases.last().map(|case| case.name.clone())
            };
            let name = name.unwrap_or_default();
            if !names.insert(name.clone()) {
                return Err(reader.problem(item.span().start, format!("a second case \"{name}\"")));
            }
        }
        Ok(Self { name: reader.name.to_owned(), findings, cases, pictures, shader })
    }

    /// Returns the findings of lint as a test.
    pub fn lint(&self) -> Checked {
        let findings =
            self.findings.iter().flatten().map(|finding| format!("{finding}\n")).collect::<String>();
        let failure = (!findings.is_empty()).then(|| format!("{}:1: lint\n{findings}", self.name));
        Checked { failure, coverage: Coverage::default(), steps: 0 }
    }

    /// Returns the name of the tests: the file's, without its folder and ending.
    pub fn stem(&self) -> &str {
        let name = self.name.rsplit(['/', '\\']).next().unwrap_or_default();
        name.strip_suffix(ENDING).unwrap_or(name)
    }
}

/// Reads the text of a test file.
fn text(path: &Path) -> Result<String, Problem> {
    std::fs::read_to_string(path).map_err(|error| Problem::new(path.display(), error))
}

/// Reads the shader that a file names, or the one beside it.
fn shader(reader: Reader<'_>, root: &DeTable<'_>, files: Files<'_>) -> Result<Shader, Problem> {
    let choices = choices(reader, root)?;
    let shader = match root.get("shader") {
        Some(item) => named(reader, (item, "shader"), files, &choices)?,
        None => {
            let chosen = Shader::chosen(&beside(reader.name, files)?, &choices);
            chosen.map_err(|problem| choices.located(reader, problem, None))?
        }
    };
    match root.get("compile").filter(|_| shader.declared.is_none()) {
        Some(item) => Err(reader.problem(item.span().start, "compile is for a source in a shading language")),
        None => Ok(shader),
    }
}

/// Reads the choices for a source in a shading language.
fn choices(reader: Reader<'_>, root: &DeTable<'_>) -> Result<Choices, Problem> {
    let mut choices = Choices::default();
    let Some(item) = root.get("compile") else { return Ok(choices) };
    let table = reader.table(item, "compile")?;
    reader.check_keys(table, Place::Compile, "compile")?;
    let entry = table.get("entry").map(|item| reader.text(item, "entry")).transpose()?;
    choices.entry = entry.map(str::to_owned);
    choices.scaled = table.get("scaled").map_or(Ok(Vec::new()), |item| reader.texts(item, "scaled"))?;
    for (key, item) in table {
        let names = item.get_ref().as_table().into_iter().flatten();
        choices.places.extend(names.map(|(name, _)| (name.get_ref().to_string(), name.span().start)));
        let lists = choices.scaled.iter().filter(|_| key.get_ref() == "scaled");
        choices.places.extend(lists.map(|name| (name.clone(), item.span().start)));
    }
    let named = |key: &str, check: fn(&str) -> Result<(), String>| {
        let named = table.get(key).map(|item| reader.table(item, key)).transpose()?;
        let value = |(name, item): (&Key<'_>, &Item<'_>)| {
            let what = format!("{key}.{}", name.get_ref());
            let text = reader.text(item, &what)?;
            check(text).map_err(|error| reader.problem(item.span().start, format!("{what}: {error}")))?;
            Ok((name.get_ref().to_string(), text.to_owned()))
        };
        named.into_iter().flatten().map(value).collect::<Result<Vec<_>, Problem>>()
    };
    choices.outputs = named("output-as", declared::check_role)?;
    choices.assume = named("assume", declared::check_promise)?;
    Ok(choices)
}

impl Choices {
    /// The problem of a shader where the file names what it is about, or the shader.
    fn located(&self, reader: Reader<'_>, problem: Problem, shader: Option<usize>) -> Problem {
        // The assembler's own places are the better ones.
        if problem.file.is_empty() {
            return problem;
        }
        let option = self.places.iter().find(|(name, _)| problem.option.as_ref() == Some(name));
        match option.map(|(_, place)| *place).or(shader) {
            Some(place) => reader.problem(place, problem.to_string()),
            None => problem,
        }
    }
}

/// Reads the shader that a value names.
fn named(
    reader: Reader<'_>,
    (item, key): (&Item<'_>, &str),
    files: Files<'_>,
    choices: &Choices,
) -> Result<Shader, Problem> {
    let located = |place| move |problem| choices.located(reader, problem, place);
    let read: Result<Vec<_>, _> = reader.texts(item, key)?.iter().map(|name| files(name)).collect();
    let read = read.map_err(located(Some(item.span().start)))?;
    // What a shader says is wrong has its place there.
    Shader::chosen(&read, choices).map_err(located(None))
}

/// Returns the sources next to a test file, or the container that was made of others. Sources come
/// first, since a container may be older than they are.
fn beside(name: &str, files: Files<'_>) -> Result<Vec<(String, Vec<u8>)>, Problem> {
    let own = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = own.strip_suffix(ENDING).unwrap_or(own);
    let other = |ending: &str| files(&format!("{stem}{ending}"));
    let sources: Vec<_> =
        [".v.pica", ".g.pica"].into_iter().filter_map(|ending| other(ending).ok()).collect();
    let mut languages = declared::extensions().filter_map(|extension| other(&format!(".{extension}")).ok());
    match (sources.is_empty(), languages.next()) {
        (false, None) => Ok(sources),
        (true, Some(found)) => Ok(vec![found]),
        (false, Some((found, _))) => {
            let [first, found] =
                [&sources[0].0, &found].map(|path| path.rsplit(['/', '\\']).next().unwrap_or_default());
            let message = format!("{first} and {found} are beside it; shader = \"{found}\" names one");
            Err(Problem::new(name, message))
        }
        (true, None) => {
            let others: Vec<String> = declared::extensions().map(|end| format!("{stem}.{end}")).collect();
            let message = format!(
                "no {stem}.v.pica, {stem}.g.pica, {} or {stem}.shbin beside it; name a shader",
                others.join(", ")
            );
            Ok(vec![other(".shbin").map_err(|_| Problem::new(name, message))?])
        }
    }
}

impl<'t> Parser<'_, 't> {
    fn case(&self, item: &Item<'t>) -> Result<Case, Problem> {
        let (reader, start) = (self.reader, item.span().start);
        let table = reader.table(item, "case")?;
        let index = self.program(table, start)?;
        let geometry =
            self.shader.executables.get(index).is_some_and(|it| it.program.stage() == Stage::Geometry);
        let keys = match table.get("equal") {
            Some(_) => Place::Equal,
            None if geometry => Place::Geometry,
            None => Place::Vertex,
        };
        reader.check_keys(table, keys, "case")?;
        let missing = |key: &str| reader.problem(start, format!("the case has no {key}"));
        let name = table.get("name").ok_or_else(|| missing("name"))?;
        if let Some(item) = table.get("equal") {
            let line = reader.place(name.span().start).0;
            let equal = Some(Box::new(self.twin(table, item, index)?));
            return Ok(Case { name: reader.text(name, "name")?.to_owned(), line, equal, ..Case::default() });
        }
        let invocations =
            table.get("invocations").map(|item| reader.list(item, "invocations")).transpose()?;
        if geometry && invocations.is_none_or(<[_]>::is_empty) {
            return Err(missing("invocations"));
        }
        let count = |key: &str| table.get(key).map(|item| reader.count(item, key)).transpose();
        let texts = |key: &str| table.get(key).map_or(Ok(Vec::new()), |item| reader.texts(item, key));
        let (instructions, budget) = (count("instructions")?, count("budget")?.unwrap_or(BUDGET));
        if let (Some(item), true) = (table.get("instructions"), instructions >= Some(budget)) {
            let message = format!("instructions must be at least 0 and less than the budget of {budget}");
            return Err(reader.problem(item.span().start, message));
        }
        let case = Case {
            name: reader.text(name, "name")?.to_owned(),
            line: reader.place(name.span().start).0,
            calls: texts("calls")?,
            instructions,
            triangles: table.get("triangles").map(|item| self.triangles(item, index)).transpose()?,
            rows: self.rows(table, index, budget, start)?,
            equal: None,
        };
        let labels = &self.shader.procedures;
        if let Some(label) = case.calls.iter().find(|call| !labels.iter().any(|(label, _)| label == *call)) {
            let place = table.get("calls").map_or(start, |item| item.span().start);
            let known: Vec<&str> = labels.iter().map(|(label, _)| label.as_str()).collect();
            return Err(reader.problem(place, unknown_word(("procedure", label), &known, "calls")));
        }
        if case.triangles.is_some() || !case.calls.is_empty() || case.instructions.is_some() {
            return Ok(case);
        }
        let expects = |row: &Row| row.expect.iter().any(|expected| expected.values.can_fail());
        let Some(number) = case.rows.iter().position(|row| !expects(row)) else { return Ok(case) };
        let nothing =
            if geometry { "triangles, calls or instructions" } else { "expect, calls or instructions" };
        let row = table.get("rows").and_then(|item| item.get_ref().as_array()?.get(number));
        let (start, what) = row.map_or((start, "the case"), |row| (row.span().start, "the row"));
        Err(reader.problem(start, format!("{what} expects nothing; add {nothing}")))
    }

    /// Returns the program that a case names as equal to its own.
    fn twin(&self, table: &DeTable<'t>, item: &Item<'t>, own: usize) -> Result<Twin, Problem> {
        let (reader, start) = (self.reader, item.span().start);
        let shader = named(reader, (item, "equal"), self.files, &Choices::default())?;
        let name = reader.texts(item, "equal")?.join(", ");
        let stage = self.shader.executables.get(own).map_or(Stage::Vertex, |it| it.program.stage());
        let index = shader.index_of(stage).map_err(|error| reader.problem(start, error))?;
        let has_other_host = || !self.shader.computed_otherwise(&shader, |_, own| own).is_empty();
        if shader.bytes == self.shader.bytes && index == own && !has_other_host() {
            return Err(reader.problem(start, format!("equal: {name} is the same program")));
        }
        // Registers that the case sets are those with the same value on top of either default.
        let layer = table.get("uniforms").map(|item| reader.table(item, "uniforms")).transpose()?;
        let layers = Layers { uniforms: layer.into_iter().collect(), ..Layers::default() };
        let set = |bools: u16, int: u8| {
            let floats = [[int.into(); 4]; FLOATS];
            let uniforms = Uniforms { bools, ints: [[int; 4]; 4], floats };
            let defaults = Defaults { uniforms, are_zero: false };
            Ok::<_, Problem>(state(reader, &layers, (self.shader, own), defaults, start)?.uniforms)
        };
        let (low, high) = (set(0, 0)?, set(u16::MAX, u8::MAX)?);
        let mut floats = low.floats.as_flattened().iter().zip(high.floats.as_flattened());
        let has_float = floats.any(|(low, high)| low.to_bits() == high.to_bits());
        if let (Some(item), true) = (table.get("uniforms"), has_float) {
            let message = "uniforms: beside equal only bools and ints are known; the programs are compared for all floats";
            return Err(reader.problem(item.span().start, message));
        }
        let bools = BoolUniforms { baked: !(low.bools ^ high.bools), values: low.bools, specialized: 0 };
        let mut ints = IntUniforms::default();
        for ((known, low), high) in ints.baked.iter_mut().zip(low.ints).zip(high.ints) {
            *known = (low == high).then_some(low);
        }
        Ok(Twin { name, shader, index, own, bools, ints })
    }

    /// Returns the number of a case's program.
    fn program(&self, table: &DeTable<'t>, start: usize) -> Result<usize, Problem> {
        let by_stage =
            |stage, start| self.shader.index_of(stage).map_err(|error| self.reader.problem(start, error));
        let Some(item) = table.get("program") else {
            let is_geometry = table.contains_key("invocations") || table.contains_key("triangles");
            return by_stage(if is_geometry { Stage::Geometry } else { Stage::Vertex }, start);
        };
        let start = item.span().start;
        match (item.get_ref().as_str(), value(item).as_u64()) {
            (Some("vertex"), _) => by_stage(Stage::Vertex, start),
            (Some("geometry"), _) => by_stage(Stage::Geometry, start),
            (_, Some(index)) if index < self.shader.executables.len() as u64 => Ok(index as usize),
            _other => {
                let last = self.shader.executables.len().saturating_sub(1);
                let message =
                    format!("program must be \"vertex\", \"geometry\" or the number of a DVLE, 0..={last}");
                Err(self.reader.problem(start, message))
            }
        }
    }

    /// Returns the runs of a case.
    fn rows(
        &self,
        table: &DeTable<'t>,
        index: usize,
        budget: u64,
        start: usize,
    ) -> Result<Vec<Row>, Problem> {
        let reader = self.reader;
        let mut layers = self.defaults.clone();
        self.add(table, &mut layers)?;
        layers.invocations = table.get("invocations");
        let Some(list) = table.get("rows") else {
            return Ok(vec![self.row(&layers, index, budget, start)?]);
        };
        let mut all = Vec::new();
        for (number, item) in reader.list(list, "rows")?.iter().enumerate() {
            let own = reader.table(item, "rows")?;
            reader.check_keys(own, Place::Row, "rows")?;
            let mut layers = layers.clone();
            self.add(own, &mut layers)?;
            let row = self.row(&layers, index, budget, item.span().start)?;
            let name = own.get("name").map(|item| reader.text(item, "name")).transpose()?;
            let name = name.map_or(format!("row {number}"), |name| format!("row {number} ({name})"));
            all.push(Row { name, ..row });
        }
        if all.is_empty() {
            return Err(reader.problem(list.span().start, "rows must be a list of tables, at least one"));
        }
        let Some(item) = table.get("expect") else { return Ok(all) };
        let own = reader.table(item, "expect")?;
        let expects = |expected: &Expected| expected.values.values.iter().any(Option::is_some);
        let given = in_order(own).into_iter().zip(self.outputs(own, index, "expect")?);
        for (number, ((key, _), expected)) in given.enumerate() {
            let is_left = all.iter().any(|row| row.expect.get(number).is_some_and(expects));
            if expects(&expected) && !is_left {
                let message = format!("expect.{} never counts: every row replaces it", key.get_ref());
                return Err(reader.problem(key.span().start, message));
            }
        }
        Ok(all)
    }

    /// Adds the values of a case or a row.
    fn add<'a>(&self, table: &'a DeTable<'t>, layers: &mut Layers<'a, 't>) -> Result<(), Problem> {
        let Layers { uniforms, attributes, expect, .. } = layers;
        for (key, tables) in [("uniforms", uniforms), ("attributes", attributes), ("expect", expect)] {
            tables.extend(table.get(key).map(|item| self.reader.table(item, key)).transpose()?);
        }
        Ok(())
    }

    /// Returns a run with these values.
    fn row(&self, layers: &Layers<'_, 't>, index: usize, budget: u64, start: usize) -> Result<Row, Problem> {
        let uniforms = self.shader.executables.get(index).map(|it| it.start.clone()).unwrap_or_default();
        let defaults = Defaults { uniforms, are_zero: true };
        let state = state(self.reader, layers, (self.shader, index), defaults, start)?;
        let mut expect: Vec<Expected> = Vec::new();
        for table in &layers.expect {
            let later = self.outputs(table, index, "expect")?;
            expect.iter_mut().for_each(|earlier| later.iter().for_each(|later| earlier.leave_to(later)));
            expect.extend(later);
        }
        Ok(Row { name: String::new(), trial: Trial { index, state, budget }, expect })
    }

    /// Returns expected outputs.
    fn outputs(&self, table: &DeTable<'t>, index: usize, place: &str) -> Result<Vec<Expected>, Problem> {
        let mut all = Vec::new();
        let Some(program) = self.shader.executables.get(index) else { return Ok(all) };
        for (key, item) in in_order(table) {
            let output = self.shader.output(program, key.get_ref(), place);
            let output = output.map_err(|error| self.reader.problem(key.span().start, error))?;
            let values = self.expectation(item, &format!("{place}.{}", output.name))?;
            let expected = Expected::new(output, values);
            all.push(expected.map_err(|error| self.reader.problem(item.span().start, error))?);
        }
        Ok(all)
    }

    /// Returns expected values of an output.
    fn expectation(&self, item: &Item<'t>, what: &str) -> Result<Expectation, Problem> {
        let reader = self.reader;
        let Some(table) = item.get_ref().as_table() else {
            return Ok(Expectation { values: self.components(item, what)?, tolerance: Tolerance::Exact });
        };
        reader.check_keys(table, Place::Near, what)?;
        let problem = |message: &str| reader.problem(item.span().start, format!("{what}{message}"));
        let near = table.get("near").ok_or_else(|| problem(" must have near"))?;
        let tolerance = match (table.get("ulp"), table.get("epsilon")) {
            (Some(ulp), None) => {
                let number = u32::try_from(reader.count(ulp, "ulp")?).ok().filter(|&ulp| ulp < ULPS);
                let any =
                    || problem(&format!(".ulp must be at least 0 and less than {ULPS}, as infinity is"));
                Tolerance::Ulp(number.ok_or_else(any)?)
            }
            (None, Some(epsilon)) => {
                let number = value(epsilon).as_f64().map(|epsilon| epsilon as f32);
                let number = number.filter(|epsilon| *epsilon >= 0.0 && epsilon.is_finite());
                let wrong = || problem(".epsilon must be a number of 0 or more, within f32");
                Tolerance::Epsilon(number.ok_or_else(wrong)?)
            }
            (None, None) | (Some(_), Some(_)) => return Err(problem(" must have ulp or epsilon")),
        };
        Ok(Expectation { values: self.components(near, what)?, tolerance })
    }

    /// Returns numbers, or `None` for `"_"`.
    fn components(&self, item: &Item<'t>, what: &str) -> Result<Vec<Option<f32>>, Problem> {
        let component = |item: &Item<'t>| {
            let given = value(item);
            let number = match given.as_str() {
                Some("_") => return Ok(None),
                Some(text) => float(text).map(f32::from_bits),
                None => given.as_f64().map(|number| number as f32),
            };
            let texts = "\"_\", \"0x…\" with f32 bits, \"1/255\", inf or nan";
            let wrong =
                || self.reader.problem(item.span().start, format!("{what} must have numbers, {texts}"));
            number.map(Some).ok_or_else(wrong)
        };
        self.reader.list(item, what)?.iter().map(component).collect()
    }

    /// Returns expected triangles.
    fn triangles(&self, item: &Item<'t>, index: usize) -> Result<Vec<ExpectedTriangle>, Problem> {
        let reader = self.reader;
        let triangle = |item: &Item<'t>| {
            let (mut vertices, mut inverted) = (Some(item), false);
            if let Some(table) = item.get_ref().as_table() {
                reader.check_keys(table, Place::Triangle, "triangles")?;
                vertices = table.get("vertices");
                inverted = table.get("inverted").map_or(Ok(false), |item| reader.bool(item, "inverted"))?;
            }
            let list = vertices.and_then(|item| item.get_ref().as_array()).map(|list| &list[..]);
            let Some([a, b, c]) = list else {
                let form = "a triangle must be a list of three vertices, or vertices and inverted";
                return Err(reader.problem(item.span().start, form));
            };
            let vertex = |item| self.outputs(reader.table(item, "a vertex")?, index, "a vertex");
            Ok(ExpectedTriangle { vertices: [vertex(a)?, vertex(b)?, vertex(c)?], inverted })
        };
        reader.list(item, "triangles")?.iter().map(triangle).collect()
    }
}
