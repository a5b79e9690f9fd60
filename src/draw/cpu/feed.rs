//! Distribution of vertices to invocations of a geometry program.
//! In: the outputs of one vertex after the other. Out: inputs or uniforms of the machine,
//! and when it is to run. Knows neither the vertex program nor triangles. Facts: 3dbrew, GBATEK
//! (modes).

use crate::host::GeometryInput;
use crate::interp::{GeometryMachine, Registers};

/// The primitive under construction.
#[derive(Clone, Debug)]
pub(super) struct Feed {
    input: GeometryInput,
    /// Mask of the outputs that the vertex program forwards.
    mask: u16,
    /// v0..v15 of the next invocation.
    inputs: [[f32; 4]; 16],
    /// Point mode: number of vectors so far. Other modes: number of vertices.
    count: usize,
    /// Variable mode: register of the next vector.
    next: usize,
}

impl Feed {
    pub(super) fn new(input: GeometryInput, mask: u16) -> Self {
        Self { input, mask, inputs: Registers::DEFAULT_INPUTS, count: 0, next: 0 }
    }

    /// Starts a primitive of `size` vertices, in variable mode.
    pub(super) fn start(&mut self, size: u32, machine: &mut GeometryMachine) {
        machine.deliver(0, &[[size as f32; 4]]);
        (self.count, self.next) = (0, 1);
    }

    /// Takes a vertex; returns true when the machine is to run, with [`inputs`](Self::inputs).
    pub(super) fn take(&mut self, outputs: &[[f32; 4]; 16], machine: &mut GeometryMachine) -> bool {
        let (mut vectors, mut count) = ([[0.0; 4]; 16], 0);
        for register in (0..16).filter(|register| self.mask >> register & 1 != 0) {
            vectors[count] = outputs[register];
            count += 1;
        }
        let vectors = &vectors[..count];
        match self.input {
            GeometryInput::Point { inputs, registers } => {
                if self.count == 0 {
                    self.inputs = Registers::DEFAULT_INPUTS;
                }
                // The number of inputs is a multiple of the number of vectors.
                for (&register, &vector) in registers.iter().skip(self.count).zip(vectors) {
                    self.inputs[usize::from(register & 15)] = vector;
                }
                self.count = (self.count + vectors.len()) % usize::from(inputs);
                self.count == 0
            }
            GeometryInput::Variable { main } => {
                let is_main = self.count < usize::from(main);
                let vectors = if is_main { vectors } else { &vectors[..1.min(vectors.len())] };
                // Range: within c95, or the primitive was an error.
                machine.deliver(self.next as u8, vectors);
                self.next += vectors.len();
                self.count += 1;
                false
            }
            GeometryInput::Fixed { first, vertices, stride } => {
                let place = usize::from(first) + self.count * usize::from(stride);
                // Range: within c95, which was checked.
                machine.deliver(place as u8, vectors);
                self.count = (self.count + 1) % usize::from(vertices);
                self.count == 0
            }
        }
    }

    pub(super) fn inputs(&self) -> &[[f32; 4]; 16] {
        &self.inputs
    }
}
