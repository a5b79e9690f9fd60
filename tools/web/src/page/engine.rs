//! The engine: one document, its settings and values, and what was made of them.
//! In: calls of the page. Out: texts of JSON, bytes. Every state can be rebuilt by calls with the
//! same arguments. No method panics or fails otherwise than by an answer with a problem.

use serde::Serialize;
use transpica::container::Model;
use transpica::host::dvle::{self, FileEnvironment};
use transpica::host::{DebugSource, Sourced};
use transpica::{Job, Program, Setup, Shbin, Stage, Translation, Translator};
use transpica_asm::dis::Listing;
use transpica_inspect::dead::dead;
use transpica_inspect::draw::mesh::{BuiltIn, Mesh};
use transpica_inspect::draw::scene::Scene;
use transpica_inspect::inputs::start_values;
use transpica_inspect::results::{View, listed, run_to_text};
use transpica_inspect::saved;
use transpica_inspect::symbols::Symbols;
use transpica_lsp::{Analysis, Position};
use wasm_bindgen::prelude::wasm_bindgen;

use super::comparison;
use super::document::{Document, sources};
use super::gpu;
use super::picture::{self, DrawRequest};
use super::problem::Problem;
use super::settings::{Settings, answer};
use super::stepping::Stepper;
use super::values::{self, Values};
use super::views::{self, TextView, Translated};

/// Limit of the instructions of one vertex of a run, as the command line has it.
const BUDGET: u64 = 1 << 24;

/// The selected program of a document, ready to be shown.
pub struct Open<'a> {
    /// The file.
    pub file: &'a Shbin<'a>,
    /// Number of the program.
    pub index: usize,
    /// The program.
    pub program: Program<'static>,
    /// Its names and constants.
    pub environment: FileEnvironment<'a>,
    /// Names of its registers.
    pub symbols: Symbols,
    /// The file's content with the names of its text, if it has one.
    named: Option<&'a Model>,
    /// Names that its text gives the registers that code words write.
    destinations: &'a [String],
}

impl Open<'_> {
    /// Returns the texts of instructions, with the names of the text.
    ///
    /// # Errors
    /// More code than instructions can address.
    pub fn listing(&self) -> Result<Listing, Problem> {
        let model = self.named.cloned().unwrap_or_else(|| Model::from(self.file));
        Ok(Listing::of_model(model, Some(self.index))?)
    }
}

/// The engine, which JavaScript sees as a class.
#[wasm_bindgen]
#[derive(Default)]
pub struct Engine {
    pub(crate) document: Option<Document>,
    /// Answers to questions of the editor about its text.
    language: Analysis,
    pub(crate) settings: Settings,
    pub(crate) values: Option<Values>,
    /// Seed and number of vertices of generated values.
    seed: Option<(u64, usize)>,
    /// The translation, once a view wanted it.
    translation: Option<Result<Translation, Problem>>,
    /// The recorded run.
    stepper: Option<Stepper>,
    mesh: Option<Mesh>,
    /// The last picture, whose uniforms the form shows.
    picture: DrawRequest,
    /// The problem of the last picture.
    problem: Option<Problem>,
    /// Contents of buffers of the last draw for WebGPU.
    contents: Vec<Vec<u8>>,
}

/// Returns an answer as text.
pub(crate) fn text<T: Serialize>(answer: Result<T, Problem>) -> String {
    match answer {
        Ok(answer) => serde_json::to_string(&answer).unwrap_or_else(|error| wrong(&error.to_string())),
        Err(problem) => problem.answer(),
    }
}

fn wrong(message: &str) -> String {
    Problem::error(message).answer()
}

/// Returns an answer without a result.
pub(crate) fn done(result: Result<(), Problem>) -> String {
    answer(result.err().as_slice())
}

#[wasm_bindgen]
impl Engine {
    /// Creates an engine without a document.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Opens a file of any kind.
    pub fn open(&mut self, name: &str, bytes: &[u8]) -> String {
        self.show(Document::open(name, bytes))
    }

    /// Opens a shader inside the container that is open.
    #[wasm_bindgen(js_name = openFound)]
    pub fn open_found(&mut self, number: usize) -> String {
        self.show(self.document().and_then(|document| document.open_found(number)))
    }

    /// Replaces the text of the document.
    pub fn edit(&mut self, source: &str) -> String {
        let Some(document) = &mut self.document else {
            return self.open("shader.v.pica", source.as_bytes());
        };
        match document.edit(source) {
            Ok(true) => self.keep_values(),
            Ok(false) => {}
            Err(problem) => return problem.answer(),
        }
        text(self.document())
    }

    /// Returns what a hover over a place of a text shows; both numbers begin at 0, in UTF-16.
    pub fn hover(&mut self, source: &str, line: u32, character: u32) -> String {
        let (uri, position) = self.place(source, line, character);
        text(Ok(self.language.hover(&uri, position)))
    }

    /// Returns what can stand at a place of a text.
    pub fn complete(&mut self, source: &str, line: u32, character: u32) -> String {
        let (uri, position) = self.place(source, line, character);
        text(Ok(self.language.complete(&uri, position)))
    }

    /// Selects a program of the file.
    pub fn select(&mut self, program: usize) -> String {
        let document = self.document.as_mut().ok_or_else(nothing_open);
        if let Err(problem) = document.and_then(|document| document.select(program)) {
            return problem.answer();
        }
        self.renew();
        text(self.document())
    }

    /// Returns the form of all settings.
    pub fn settings(&self) -> String {
        text(Ok(self.settings.form()))
    }

    /// Returns the settings of known hosts.
    pub fn presets(&self) -> String {
        text(Ok(Settings::presets()))
    }

    /// Replaces all settings.
    pub fn configure(&mut self, changes: &str) -> String {
        match self.settings.configure(changes) {
            Ok(()) => {
                self.forget();
                answer(&[])
            }
            Err(problems) => answer(&problems),
        }
    }

    /// Returns the content of a pane.
    pub fn view(&mut self, kind: &str) -> String {
        let what = match kind {
            "listing" => return text(self.with_open(views::listing)),
            "tree" => return text(self.with_open(|open| views::tree(open, &self.settings))),
            "graph" => return text(self.with_open(|open| views::graph(open, &self.settings))),
            "tables" => return text(self.with_open(|open| Ok(views::tables(open)))),
            "ir" => Translated::Ir,
            "wgsl" => Translated::Wgsl,
            "glsl" => Translated::Glsl(self.settings.version),
            #[cfg(feature = "extension")]
            "spirv" => Translated::Spirv,
            "reflection" => Translated::Reflection,
            _ => return wrong(&format!("unknown view `{kind}`")),
        };
        text(self.translated_view(what))
    }

    /// Returns the SPIR-V module, or no bytes on failure.
    pub fn spirv(&mut self) -> Vec<u8> {
        let words = self.translation().and_then(|made| Ok(made.spirv()?)).unwrap_or_default();
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Returns the `.shbin` file, or no bytes without one.
    pub fn shbin(&self) -> Vec<u8> {
        self.document().map(|document| document.bytes.clone()).unwrap_or_default()
    }

    /// Returns the names that the text gives to the registers of code words, for the second engine.
    pub fn destinations(&self) -> String {
        text(self.document().map(|document| &document.destinations))
    }

    /// Returns the sizes of the program in all its forms.
    pub fn sizes(&mut self) -> String {
        let sizes = self.translation().map(|translation| views::sizes(translation, GLSL));
        let bytes = self.shbin().len();
        text(sizes.and_then(|sizes| {
            self.with_open(|open| {
                let mut all = views::file_sizes(open, bytes);
                all.extend(sizes);
                Ok(all)
            })
        }))
    }

    /// Returns the state file of the values.
    pub fn state(&self) -> String {
        let state = self.with_values(|open, values| {
            Ok(saved::to_text(&values.state, &start_values(&open.environment), &open.symbols))
        });
        state.unwrap_or_else(|problem| problem.answer())
    }

    /// Replaces the values by a state file.
    #[wasm_bindgen(js_name = setState)]
    pub fn set_state(&mut self, state: &str) -> String {
        self.change(|open, values| values.set(open, state))
    }

    /// Generates values.
    pub fn seed(&mut self, seed: f64, vertices: usize) -> String {
        // Range: numbers of the page are whole and below 2^53; others become the nearest of those.
        self.generate(seed as u64, vertices)
    }

    /// Returns the form of the uniforms.
    pub fn uniforms(&self) -> String {
        text(self.with_values(|open, values| {
            // Without a picture there are no guesses.
            let drawn = picture::uniforms(open, values, &self.picture).ok();
            Ok(values.uniforms(open, drawn.as_ref()))
        }))
    }

    /// Reads numbers as state files have them, between blanks, commas or semicolons.
    pub fn numbers(&self, list: &str) -> String {
        text(values::numbers(list))
    }

    /// Sets registers of a bank.
    #[wasm_bindgen(js_name = setUniform)]
    pub fn set_uniform(&mut self, bank: &str, first: u32, rows: &str) -> String {
        self.change(|_, values| values.set_uniform(bank, first, rows))
    }

    /// Records a vertex, step by step: one of the values, or one of the mesh of the last picture.
    pub fn record(&mut self, vertex: usize, of_mesh: bool) -> String {
        self.stepper = None;
        let made = self.with_values(|open, values| {
            let state = if of_mesh {
                picture::state(open, values, &self.mesh(), &self.picture)?
            } else {
                let mut state = values.state.clone();
                self.settings.values.options.control.apply(&mut state.uniforms);
                state
            };
            Stepper::new(open, &state, &self.settings, vertex)
        });
        text(made.map(|stepper| self.stepper.insert(stepper).recorded()))
    }

    /// Returns the state in front of a step.
    pub fn step(&self, number: usize) -> String {
        text(self.stepper().map(|stepper| stepper.step(number)))
    }

    /// Returns the next step at an address; backwards for a negative direction; -1 without one.
    pub fn find(&self, pc: u16, from: usize, direction: i32) -> i32 {
        self.stepper().map_or(-1, |stepper| stepper.find(pc, from, direction >= 0))
    }

    /// Returns the origin of components of an output.
    pub fn ancestry(&self, output: &str, components: &str) -> String {
        text(self.stepper().and_then(|stepper| stepper.ancestry(output, components)))
    }

    /// Returns the steps that wrote a register, with its values.
    pub fn timeline(&self, register: &str) -> String {
        text(self.stepper().and_then(|stepper| stepper.timeline(register)))
    }

    /// Returns the first step, from one on, that wrote NaN or an infinity; backwards, the last one
    /// before it, for a negative direction; -1 without one.
    #[wasm_bindgen(js_name = findSpecial)]
    pub fn find_special(&self, from: usize, direction: i32) -> i32 {
        self.stepper().map_or(-1, |stepper| stepper.find_special(from, direction >= 0))
    }

    /// Returns the origin of the triangle that is in front at a pixel.
    pub fn pick(&mut self, request: &str, x: f64, y: f64) -> String {
        text(self.with_scene(request, |scene, request| picture::pick(scene, request, [x, y])))
    }

    /// Returns the addresses of instructions that no output depends on.
    pub fn dead(&self) -> String {
        text(self.with_open(|open| {
            let outputs = open.environment.executable().output_mask();
            Ok(dead(&open.program, outputs, &self.settings.values.options.limits)?)
        }))
    }

    /// Compares the program with that of another file, the first one there of its stage.
    pub fn equal(&self, name: &str, bytes: &[u8]) -> String {
        text(Document::open(name, bytes).and_then(|mut other| {
            self.with_open(|open| {
                other.select_stage(open.program.stage());
                self.with_program(&other, |other| comparison::equal(open, other, &self.settings))
            })
        }))
    }

    /// Returns the names of the built-in meshes.
    pub fn meshes(&self) -> String {
        text(Ok(BuiltIn::ALL.map(|(name, _)| name)))
    }

    /// Replaces the mesh by a built-in one or an OBJ file.
    #[wasm_bindgen(js_name = setMesh)]
    pub fn set_mesh(&mut self, name: &str) -> String {
        done(picture::mesh(name).map(|mesh| self.mesh = Some(mesh)))
    }

    /// Returns the names of what a picture can show.
    pub fn shows(&self) -> String {
        text(self.with_open(picture::shows))
    }

    /// Draws on the CPU: RGBA, row by row from the top. Nothing on failure, with the reason in
    /// [`last_problem`](Self::last_problem).
    pub fn draw(&mut self, request: &str) -> Vec<u8> {
        let drawn = self.with_scene(request, picture::draw);
        self.problem = drawn.as_ref().err().cloned();
        drawn.unwrap_or_default()
    }

    /// Returns the problem of the last picture.
    #[wasm_bindgen(js_name = lastProblem)]
    pub fn last_problem(&self) -> String {
        text(Ok(&self.problem))
    }

    /// Returns what WebGPU needs for the same picture.
    #[wasm_bindgen(js_name = gpuDraw)]
    pub fn gpu_draw(&mut self, request: &str) -> String {
        let made = self.with_scene(request, gpu::gpu_draw);
        self.contents.clear();
        text(made.map(|mut made| {
            self.contents = std::mem::take(&mut made.contents);
            made
        }))
    }

    /// Returns the content of a buffer of the last draw for WebGPU, or no bytes without one.
    #[wasm_bindgen(js_name = gpuBytes)]
    pub fn gpu_bytes(&self, number: usize) -> Vec<u8> {
        self.contents.get(number).cloned().unwrap_or_default()
    }

    /// Runs the program for all vertices.
    pub fn run(&self) -> String {
        let run = self.with_values(|open, values| {
            let mut state = values.state.clone();
            self.settings.values.options.control.apply(&mut state.uniforms);
            let settings = self.settings.machine(BUDGET);
            let mask = open.environment.executable().output_mask();
            let listed = listed(&open.program, mask);
            let view = View { mask, listed, json: true, symbols: &open.symbols, origin: None };
            Ok(run_to_text(&open.program, view, &state, settings, None)?)
        });
        run.unwrap_or_else(|problem| problem.answer())
    }
}

impl Engine {
    /// Makes the sources of a text known to the analysis; returns the one with a line, and the
    /// place in it.
    fn place(&mut self, text: &str, line: u32, character: u32) -> (String, Position) {
        let sources = sources("", text);
        if self.language.uris().len() != sources.len() {
            self.language = Analysis::default();
        }
        let mut place = (String::new(), Position { line, character });
        for (number, source) in sources.iter().enumerate() {
            let uri = format!("page:editor.{number}.pica");
            if !self.language.has_text(&uri, source.text) {
                self.language.open(&uri, source.text.to_owned());
            }
            if let Some(line) = line.checked_sub(source.above) {
                place = (uri, Position { line, character });
            }
        }
        place
    }

    /// Replaces the document, or leaves it alone on failure.
    fn show(&mut self, document: Result<Document, Problem>) -> String {
        match document {
            Ok(document) => self.document = Some(document),
            Err(problem) => return problem.answer(),
        }
        self.renew();
        text(self.document())
    }

    pub(crate) fn document(&self) -> Result<&Document, Problem> {
        self.document.as_ref().ok_or_else(nothing_open)
    }

    /// Forgets what was made of the program before.
    fn forget(&mut self) {
        self.translation = None;
        self.stepper = None;
    }

    /// Generates values for another program.
    fn renew(&mut self) {
        self.forget();
        let (seed, count) = self.seed.unwrap_or((0, 4));
        self.values = self.with_open(|open| Ok(Values::new(open, seed, count))).ok();
    }

    /// Keeps values that were changed, for a changed program.
    fn keep_values(&mut self) {
        let old = self.values.take();
        self.renew();
        if let (Some(old), Some(new)) = (old, &mut self.values) {
            new.keep(&old);
        }
    }

    /// Calls `work` with the selected program.
    ///
    /// # Errors
    /// Nothing is open, or there is no program.
    pub(crate) fn with_open<R>(
        &self,
        work: impl FnOnce(&Open<'_>) -> Result<R, Problem>,
    ) -> Result<R, Problem> {
        self.with_program(self.document()?, work)
    }

    /// Opens the selected program of a document.
    fn with_program<R>(
        &self,
        document: &Document,
        work: impl FnOnce(&Open<'_>) -> Result<R, Problem>,
    ) -> Result<R, Problem> {
        if document.bytes.is_empty() {
            return Err(Problem::error("the text has errors"));
        }
        let file = Shbin::parse(&document.bytes)?;
        let index = document.selected;
        let program = dvle::program(&file, index, &self.settings.values.options.limits)?;
        let environment = FileEnvironment::new(&file, index, &document.name)?;
        let symbols = Symbols::new(environment.executable());
        let named = document.named.as_ref();
        let destinations = &document.destinations;
        work(&Open { file: &file, index, program, environment, symbols, named, destinations })
    }

    /// Returns the translation of the selected program.
    pub(crate) fn translation(&mut self) -> Result<&Translation, Problem> {
        let made = self.translation.take();
        let made = made.unwrap_or_else(|| self.with_open(|open| Ok(translate(open, &self.settings)?)));
        self.translation.insert(made).as_ref().map_err(Problem::clone)
    }

    fn translated_view(&mut self, what: Translated) -> Result<TextView, Problem> {
        self.translation()?;
        let Some(Ok(translation)) = &self.translation else { return Err(nothing_open()) };
        self.with_open(|open| views::translated(open, translation, what))
    }

    /// Calls `work` with the selected program and its values.
    pub(crate) fn with_values<R>(
        &self,
        work: impl FnOnce(&Open<'_>, &Values) -> Result<R, Problem>,
    ) -> Result<R, Problem> {
        let values = self.values.as_ref().ok_or_else(|| Problem::error("no program is open"))?;
        self.with_open(|open| work(open, values))
    }

    /// Changes the values, or leaves them alone on failure.
    fn change(&mut self, work: impl FnOnce(&Open<'_>, &mut Values) -> Result<(), Problem>) -> String {
        let changed = self.with_values(|open, values| {
            let mut values = values.clone();
            work(open, &mut values)?;
            Ok(values)
        });
        done(changed.map(|values| self.values = Some(values)))
    }

    fn stepper(&self) -> Result<&Stepper, Problem> {
        self.stepper.as_ref().ok_or_else(|| Problem::error("nothing is recorded"))
    }

    fn mesh(&self) -> Mesh {
        self.mesh.clone().unwrap_or_else(|| Mesh::built_in(BuiltIn::Lathe))
    }

    /// Calls `draw` with the scene of a picture that the page wants.
    fn with_scene<R>(
        &mut self,
        request: &str,
        draw: impl FnOnce(&Scene<'_>, &DrawRequest) -> Result<R, Problem>,
    ) -> Result<R, Problem> {
        self.picture = DrawRequest::parse(request)?;
        let mesh = self.mesh();
        self.with_values(|open, values| {
            draw(&picture::scene(open, values, &mesh, &self.picture)?, &self.picture)
        })
    }

    /// Generates values.
    pub fn generate(&mut self, seed: u64, vertices: usize) -> String {
        self.seed = Some((seed, vertices));
        self.change(|open, values| {
            *values = Values::new(open, seed, vertices);
            Ok(())
        })
    }
}

/// A version of GLSL that holds every program.
const GLSL: transpica::GlslVersion = transpica::GlslVersion::Vulkan450;

fn nothing_open() -> Problem {
    Problem::error("nothing is open")
}

/// Translates a program: one of the geometry unit to a compute stage.
fn translate(open: &Open<'_>, settings: &Settings) -> Result<Translation, transpica::Error> {
    let mut translator = Translator::new(settings.values.options, settings.values.profile.clone());
    let source = DebugSource { destinations: open.destinations.to_vec(), ..DebugSource::default() };
    let (program, environment) = (&open.program, &Sourced { environment: &open.environment, source });
    match program.stage() {
        Stage::Vertex => translator.translate(program, environment, Job::Vertex),
        Stage::Geometry => {
            let setup = Setup::with_nearest(open.file, open.index, None, None)?;
            translator.translate(program, environment, Job::Geometry(&setup))
        }
    }
}
