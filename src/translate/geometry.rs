//! Geometry programs as compute shaders.
//! In: a geometry program, its surroundings and its set-up. Out: [`Translated`] with a [`GeometryKernel`].

use std::collections::BTreeSet;

use super::{Control, Lowered, Tier, Translated, Translator, choose, lowered};
use crate::error::{At, Error, Kind, Result};
use crate::geometry::{self, Bounds, Carried, Observation};
use crate::host::{
    Attribute, AttributeFormat, ComponentSource, EntryPoint, GeometryInput, GeometryKernel, GeometrySetup,
    HostValues, Interface, Memory, Options, Output, OutputMap, StateWord, Surroundings, Usage, varying,
};
use crate::ir::{self, Exit, Func, Lane, Module, Op, RegionData, Type};
use crate::isa::{Component, Mask, Program, Stage};
use crate::key::Key;
use crate::lower::{Context, Form, Geometry, Outputs};
use crate::passes;
use crate::pipeline::Setup;

impl Translator {
    /// The vertex stage that draws what a geometry program made: attribute n, four floats, is output n of the interface. The
    /// translator must be one with [`EntryPoint::Vertex`] whose attributes are floats; where it differs from that of the kernel
    /// in the entry point alone, its [`geometry_key`](Self::geometry_key) is the key of the stage. (Of a vertex program it makes a stage that
    /// draws its outputs.) the rules for depth and colours have
    /// been applied by the kernel.
    ///
    /// # Errors
    /// [`Kind::BadOption`]: another translator.
    pub fn draw_stage(&self, kernel: &Translated) -> Result<Translated> {
        let is_plain = |format: &AttributeFormat| *format == AttributeFormat::default();
        if self.options.entry != EntryPoint::Vertex || !self.options.attributes.iter().all(is_plain) {
            let text = "what a geometry program made is drawn by a vertex stage with plain attributes: the options differ";
            return Err(Error::new(Kind::BadOption(text.into()), At::Whole));
        }
        let outputs = &kernel.interface.outputs;
        let mut main = Func { name: "main".into(), ..Func::default() };
        let body = main.regions.push(RegionData::default());
        let mut values = Vec::with_capacity(outputs.len());
        // Range of both: at most sixteen.
        for (register, output) in (0u8..).zip(outputs) {
            let input = main.emit(body, Type::F32X4, Op::Input(register));
            let lanes = output.lanes().clamp(1, 4) as u8;
            values.push(match lanes {
                4 => input,
                _ => {
                    let lane = |lane: u8| Lane::new(input, if lane < lanes { lane } else { 0 });
                    main.emit(body, Type::new(ir::Kind::F32, lanes), Op::Shuffle([0, 1, 2, 3].map(lane)))
                }
            });
        }
        let values = main.list(values);
        main.regions[body].exit = Exit::Yield(values);
        main.body = Some(body);
        let attribute = |(register, output): (u8, &Output)| Attribute { register, name: output.name.clone() };
        let interface = Interface {
            source: kernel.interface.source.clone(),
            attributes: (0..).zip(outputs).map(attribute).collect(),
            outputs: outputs.clone(),
            ..Interface::default()
        };
        let usage = Usage { inputs: ((1u32 << outputs.len().min(16)) - 1) as u16, ..Usage::default() };
        let module = Module { main, helpers: Vec::new() };
        Ok(Translated { module, interface, usage, tier: Tier::Structured, warnings: Vec::new() })
    }

    /// The key of a geometry program under the options and the profile of this translator: as [`key`](Self::key), and of its
    /// set-up.
    pub fn geometry_key(
        &self,
        program: &Program<'_>,
        around: &dyn Surroundings,
        setup: &Setup,
        salt: &[u8],
    ) -> Key {
        self.settings.geometry_key(program, around, setup, &self.options, salt)
    }

    /// The key of what [`translate_before_geometry`](Self::translate_before_geometry) makes of a vertex program under the
    /// options and the profile of this translator: as [`key`](Self::key), and of the outputs that are passed on.
    pub fn before_geometry_key(
        &self,
        program: &Program<'_>,
        around: &dyn Surroundings,
        outputs: u16,
        salt: &[u8],
    ) -> Key {
        self.settings.before_geometry_key(program, around, outputs, &self.options, salt)
    }

    /// Translates a geometry program to a compute shader: see [`GeometryKernel`] for what it reads and writes, and the
    /// guide for the whole chain of a draw. The entry point must be [`EntryPoint::Compute`]. What outputs are is told by the
    /// set-up, in which the maps of both programs may be merged; constants and names come from what surrounds the program.
    ///
    /// # Errors
    /// A set-up without a geometry program, or one that cannot be (as [`GeometryInput::check`], as far as the vertex program is
    /// known); a vertex program, another entry point, a reachable undefined opcode (unless lenient), a limit passed: each with its
    /// place.
    ///
    /// ```
    /// use transpica::container::Shbin;
    /// use transpica::host::{EntryPoint, Memory, dvle, dvle::Executable};
    /// use transpica::pipeline::Setup;
    /// use transpica::{Options, Profile, Translator};
    /// let file = Shbin::parse(include_bytes!("../../shaders/points.shbin"))?;
    /// let options = Options { entry: EntryPoint::Compute, ..Options::default() };
    /// let program = dvle::program(&file, 1, &options.limits)?;
    /// let setup = Setup::from_file(&file, 0, Some(1), None)?;
    /// let mut translator = Translator::new(options, Profile::default());
    /// let around = Executable::new(&file, 1, "points.shbin")?;
    /// let translated = translator.translate_geometry(&program, &around, &setup)?;
    /// let kernel = translated.interface.geometry.as_ref().expect("it is one");
    /// assert_eq!((kernel.memory, kernel.triangles), (Memory::None, Some(2)));
    /// # Ok::<(), transpica::error::Error>(())
    /// ```
    pub fn translate_geometry(
        &mut self,
        program: &Program<'_>,
        around: &dyn Surroundings,
        setup: &Setup,
    ) -> Result<Translated> {
        let Some(geometry) = &setup.geometry else {
            let text = "the set-up has no geometry program";
            return Err(Error::new(Kind::BadOption(text.into()), At::Whole));
        };
        match setup.vertex_outputs {
            // Of a geometry program alone.
            0 => geometry.input.check_numbers()?,
            outputs => geometry.input.check(outputs)?,
        }
        self.kernel(program, around, &setup.map, geometry, Form::Kernel)
    }

    /// As [`translate_geometry`](Self::translate_geometry), but what is kept is every EMIT with raw output registers, and
    /// each invocation is given all its inputs and float uniforms: see [`GeometryKernel::records_emits`]. For comparison
    /// with [`GeometryMachine`](crate::interp::GeometryMachine). Bit n of `outputs` tells that on is passed on.
    ///
    /// # Errors
    /// As [`translate_geometry`](Self::translate_geometry).
    pub fn translate_emits(
        &mut self,
        program: &Program<'_>,
        around: &dyn Surroundings,
        outputs: u16,
    ) -> Result<Translated> {
        let input = GeometryInput::Point { inputs: 16, registers: std::array::from_fn(|place| place as u8) };
        let setup = GeometrySetup { input, outputs };
        self.kernel(program, around, &OutputMap::default(), &setup, Form::Emits)
    }

    fn kernel(
        &mut self,
        program: &Program<'_>,
        around: &dyn Surroundings,
        map: &OutputMap,
        setup: &GeometrySetup,
        form: Form,
    ) -> Result<Translated> {
        let options = &self.options;
        options.check()?;
        self.profile.check()?;
        match program.stage() {
            Stage::Geometry => {}
            Stage::Vertex => {
                let kind = Kind::Stage { what: "translation as a geometry program", stage: "vertex" };
                return Err(Error::new(kind, At::Whole));
            }
        }
        if options.entry != EntryPoint::Compute {
            let text = "a geometry program becomes a compute shader: the entry point must be the compute one";
            return Err(Error::new(Kind::BadOption(text.into()), At::Whole));
        }
        let folded = around.folded(options);
        let outputs = varying::outputs(map, options, &self.profile.locations);
        let (mut control, mut why) = choose(program, options)?;
        let records_emits = form == Form::Emits;
        let observations = match form {
            Form::Emits => observed(program, &control, &whole(setup.outputs)),
            Form::Kernel | Form::Stage { .. } => observed(program, &control, &seen(&outputs, setup.outputs)),
        };
        let held: &[Output] = if records_emits { &[] } else { &outputs };
        let mut state = words(&observations, held, options);
        let bounds = bounds(program, &control, options);
        let triangles = if records_emits { bounds.emits } else { bounds.triangles };
        let mut lower = |state: &[StateWord], scratch: &mut passes::Scratch| -> Result<Module> {
            let context = Context {
                program,
                constants: &folded.floats,
                outputs: Outputs::Semantics(&outputs),
                geometry: Some(Geometry { setup, state, form }),
                options,
            };
            let mut module = lowered(context, &mut control, &mut why)?;
            passes::optimize(&mut module, options.precision, scratch);
            Ok(module)
        };
        let mut module = lower(&state, &mut self.scratch)?;
        let memory = if state.is_empty() { Memory::None } else { passes::memory::run(&module) };
        if memory == Memory::None && !state.is_empty() {
            // What it may see, it makes nothing of: each invocation may run by itself.
            state.clear();
            module = lower(&state, &mut self.scratch)?;
        }
        // Range: at most seventeen.
        let vectors = match form {
            Form::Emits => (1 + setup.outputs.count_ones()).div_ceil(3),
            Form::Kernel | Form::Stage { .. } => outputs.len() as u32,
        };
        let setup = *setup;
        let reports_unfinished = options.reports();
        let kernel = GeometryKernel {
            setup,
            vectors,
            records_emits,
            reports_unfinished,
            state,
            memory,
            triangles,
            observations,
        };
        let geometry = Some(kernel);
        let lowered = Lowered { module, outputs, folded: &folded, control, why, geometry, stage: None };
        self.finish(program, around, lowered)
    }
}

/// The components of output registers that become part of a vertex.
pub(super) fn seen(outputs: &[Output], passed_on: u16) -> [Mask; 16] {
    let mut seen = [Mask::NONE; 16];
    for source in outputs.iter().flat_map(|output| &output.components) {
        if let ComponentSource::Register { register, component } = *source
            && passed_on >> (register & 15) & 1 != 0
        {
            seen[usize::from(register & 15)].0 |= 1 << component.index();
        }
    }
    seen
}

/// All components of the registers that are passed on.
fn whole(passed_on: u16) -> [Mask; 16] {
    std::array::from_fn(|register| if passed_on >> register & 1 != 0 { Mask::XYZW } else { Mask::NONE })
}

/// What an invocation may see of earlier ones; anything where control flow is not known.
pub(super) fn observed(program: &Program<'_>, control: &Control, outputs: &[Mask; 16]) -> Vec<Observation> {
    match control {
        Control::Tree(cfg, _, _) => geometry::observe(program, cfg, outputs),
        Control::Code => {
            let pc = program.entry();
            Carried::all(outputs).into_iter().map(|carried| Observation { carried, pc }).collect()
        }
    }
}

pub(super) fn bounds(program: &Program<'_>, control: &Control, options: &Options) -> Bounds {
    let ints = options.ints.baked.map(|int| int.map(|[x, y, z, _]| [x, y, z]));
    match control {
        Control::Tree(cfg, _, _) => geometry::bounds(program, cfg, ints),
        Control::Code => Bounds::default(),
    }
}

/// What must be kept so that an invocation finds all that it may see. An EMIT makes one bank of outputs the other, so that
/// what is in a bank may have been in the other one before.
fn kept(observations: &[Observation]) -> BTreeSet<Carried> {
    let mut kept = BTreeSet::new();
    for &Observation { carried, .. } in observations {
        kept.insert(carried);
        match carried {
            Carried::Current { register, component } => {
                kept.insert(Carried::Other { register, component });
            }
            Carried::Other { register, component } => {
                kept.insert(Carried::Current { register, component });
            }
            Carried::Temp { .. } | Carried::Address(_) | Carried::Counter | Carried::Flag(_) => {}
            Carried::Slot(_) | Carried::Setting | Carried::Ran => {}
        }
    }
    kept
}

/// The words that one invocation leaves for the next.
pub(super) fn words(observations: &[Observation], outputs: &[Output], options: &Options) -> Vec<StateWord> {
    let unwritten = options.settings(0).unwritten;
    let mut words = Vec::new();
    for carried in kept(observations) {
        let register = |component: Component| unwritten[component.index()].to_bits();
        let mut add = |output: usize, component: usize, initial| {
            // Range: at most sixteen outputs of four components.
            let (output, component) = (output as u8, component as u8);
            words.push(StateWord { carried, output, component, initial });
        };
        match carried {
            Carried::Temp { component, .. }
            | Carried::Current { component, .. }
            | Carried::Other { component, .. } => add(0, 0, register(component)),
            Carried::Address(_) | Carried::Counter | Carried::Flag(_) => add(0, 0, 0),
            Carried::Setting => (0..3).for_each(|part| add(0, part, 0)),
            Carried::Ran => {}
            Carried::Slot(_) => {
                for (index, output) in outputs.iter().enumerate() {
                    // What a flipped y or a clip plane makes of nothing is left aside.
                    let value = output.value(&[unwritten; 16], options, &HostValues::default());
                    for (component, lane) in value.into_iter().enumerate().take(output.lanes()) {
                        add(index, component, lane.to_bits());
                    }
                }
            }
        }
    }
    words
}
