//! Geometry programs as compute stages.
//! In: a geometry program, its environment and its setup. Out: [`Translation`] with a
//! [`GeometryKernel`].

use std::collections::BTreeSet;

use super::{ControlFlow, Input, LiftedProgram, Repeat, Translation, Translator, accept, control};
use crate::error::Result;
use crate::geometry::{self, Bounds, Observation, StateItem};
use crate::geometry::{Dependence, GeometryInput, GeometryKernel, GeometrySetup, StateWord};
use crate::host::registers::OutputMap;
use crate::host::settings::{Options, Setup};
use crate::interface::{EntryPoint, HostValues, Output, varying};
use crate::ir::Module;
use crate::lift::{Context, Form, Geometry, OutputSelection};
use crate::passes;
use crate::program::isa::{Component, Mask, Program};

impl Translator {
    /// Translates a geometry program to a compute stage that records triangles.
    pub(super) fn kernel(&mut self, input: Input<'_>, setup: &Setup) -> Result<Translation> {
        self.compute(input, &setup.map, accept::geometry(setup)?, Form::Kernel)
    }

    /// Translates a geometry program to a compute stage that records EMITs.
    pub(super) fn emits(&mut self, input: Input<'_>, outputs: u16) -> Result<Translation> {
        let registers = std::array::from_fn(|place| place as u8);
        let setup = GeometrySetup { input: GeometryInput::Point { inputs: 16, registers }, outputs };
        self.compute(input, &OutputMap::default(), &setup, Form::Emits)
    }

    /// Translates a geometry program to a compute stage; `map` maps its outputs to the rasterizer.
    fn compute(
        &mut self,
        input: Input<'_>,
        map: &OutputMap,
        setup: &GeometrySetup,
        form: Form,
    ) -> Result<Translation> {
        let Input { program, options, folded, hooks, .. } = input;
        let outputs = self.outputs(input, map, false);
        let (mut control, mut why) = control::choose(program, options)?;
        let records_emits = form == Form::Emits;
        let every = |register| if setup.outputs >> register & 1 != 0 { Mask::XYZW } else { Mask::NONE };
        let passed_on = if records_emits {
            std::array::from_fn(every)
        } else {
            varying::components(&outputs, setup.outputs)
        };
        let observations = dependences(program, &control, &passed_on);
        let held: &[Output] = if records_emits { &[] } else { &outputs };
        let mut state = state_words(&observations, held, options);
        let bounds = bounds(program, &control, options);
        let triangles = if records_emits { bounds.emits } else { bounds.triangles };
        let mut lift = |state: &[StateWord], scratch: &mut passes::Scratch| -> Result<Module> {
            let context = Context {
                program,
                constants: &folded.floats,
                outputs: OutputSelection::Semantics(&outputs),
                geometry: Some(Geometry { setup, state, form }),
                options,
                hooks,
            };
            let mut module = control::lift(context, &mut control, &mut why)?;
            passes::optimize::run(&mut module, &options.arithmetic, scratch);
            Ok(module)
        };
        let mut module = lift(&state, &mut self.scratch)?;
        let dependence =
            if state.is_empty() { Dependence::None } else { passes::analyze::dependence::run(&module) };
        if dependence == Dependence::None && !state.is_empty() {
            // No carried state is used, so invocations are independent.
            state.clear();
            module = lift(&state, &mut self.scratch)?;
        }
        // Range: at most seventeen.
        let recorded = (1 + setup.outputs.count_ones()).div_ceil(3);
        let vectors = if records_emits { recorded } else { outputs.len() as u32 };
        let entry_point = EntryPoint::Kernel(GeometryKernel {
            setup: *setup,
            vectors,
            records_emits,
            state,
            dependence,
            triangles,
            observations,
        });
        self.finish(
            input,
            LiftedProgram { module, repeat: Repeat::Vertices(1), outputs, control, why, entry_point },
        )
    }
}

/// Returns the data dependences of an invocation on earlier ones; all possible ones if the control
/// flow is unknown.
pub(super) fn dependences(
    program: &Program<'_>,
    control: &ControlFlow,
    outputs: &[Mask; 16],
) -> Vec<Observation> {
    match control {
        ControlFlow::Tree(cfg, _, _) => geometry::observe(program, cfg, outputs),
        ControlFlow::Code => {
            let pc = program.entry();
            StateItem::list(outputs).into_iter().map(|item| Observation { item, pc }).collect()
        }
    }
}

pub(super) fn bounds(program: &Program<'_>, control: &ControlFlow, options: &Options) -> Bounds {
    let ints = options.control.exploration().ints;
    match control {
        ControlFlow::Tree(cfg, _, _) => geometry::bounds(program, cfg, ints),
        ControlFlow::Code => Bounds::default(),
    }
}

/// Returns the state to keep for these data dependences. EMIT swaps the banks of outputs, so a
/// component of one bank may have been in the other one before.
fn required_state(observations: &[Observation]) -> BTreeSet<StateItem> {
    let with_other_bank = |&Observation { item, .. }: &Observation| match item {
        StateItem::Current { register, component } => [item, StateItem::Other { register, component }],
        StateItem::Other { register, component } => [item, StateItem::Current { register, component }],
        _in_no_bank => [item; 2],
    };
    observations.iter().flat_map(with_other_bank).collect()
}

/// Returns the state words that an invocation leaves for the next.
pub fn state_words(observations: &[Observation], outputs: &[Output], options: &Options) -> Vec<StateWord> {
    let uninitialized = options.settings(0).uninitialized;
    let mut words = Vec::new();
    for item in required_state(observations) {
        let register = |component: Component| uninitialized[component.index()].to_bits();
        let mut add = |output: usize, component: usize, initial| {
            // Range: at most sixteen outputs of four components.
            let (output, component) = (output as u8, component as u8);
            words.push(StateWord { item, output, component, initial });
        };
        match item {
            StateItem::Temp { component, .. }
            | StateItem::Current { component, .. }
            | StateItem::Other { component, .. } => add(0, 0, register(component)),
            StateItem::Address(_) | StateItem::Counter | StateItem::Flag(_) => add(0, 0, 0),
            StateItem::Setting => (0..3).for_each(|part| add(0, part, 0)),
            StateItem::Ran => {}
            StateItem::Slot(_) => {
                for (index, output) in outputs.iter().enumerate() {
                    // Initial values ignore a mirrored y and the clip plane.
                    let value = output.value(&[uninitialized; 16], options, &HostValues::default());
                    for (component, lane) in value.into_iter().enumerate().take(output.lanes()) {
                        add(index, component, lane.to_bits());
                    }
                }
            }
        }
    }
    words
}
