//! Vertices in registers, to records of outputs.
//! In: v0..v15 of each vertex. Out: records as of a [draw](super::draw). Knows no order.

use super::code::Bank;
use super::lanes::LANES;
use super::records::Records;
use super::{Batch, VertexError};
use crate::entity::bits;

/// The place of each lane's record if they lie one after the other.
const PLACES: [u32; LANES] = {
    let mut places = [0; LANES];
    let mut lane = 0;
    while lane < LANES {
        places[lane] = lane as u32;
        lane += 1;
    }
    places
};

impl Batch {
    /// Runs the program for at most [`LANES`] vertices and writes their records, one after the
    /// other.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub(crate) fn shade(
        &mut self,
        inputs: &[[[f32; 4]; 16]],
        records: &Records,
        to: &mut [f32],
    ) -> Result<(), VertexError> {
        self.load(inputs);
        let ran = self.run(inputs.len());
        let (code, file) = (&self.code, &self.runner.file);
        let lanes =
            |register: u8, component: usize| file.output(&code.places, 4 * usize::from(register) + component);
        records.write(&PLACES[..inputs.len().min(LANES)], lanes, to);
        ran
    }

    /// Loads the inputs that the program reads.
    pub(super) fn load(&mut self, inputs: &[[[f32; 4]; 16]]) {
        for component in bits(self.code.places.used(Bank::Input)) {
            let component = component as usize;
            let lanes = self.runner.file.input_mut(&self.code.places, component);
            let values = inputs.iter().map(|input| input[component / 4][component % 4]);
            lanes.into_iter().flatten().zip(values).for_each(|(lane, value)| *lane = value);
        }
    }
}
