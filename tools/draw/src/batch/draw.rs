//! Draws: from vertex buffers to records of outputs, a batch at a time.
//! In: attributes, an order, the layout of records. Out: records. Knows no instruction: it brings
//! together [`fetch`](super::fetch), [`order`](super::order), a run, and
//! [`records`](super::records).

use super::code::{Bank, Code};
use super::fetch::VertexAttribute;
use super::lanes::{BLOCK, LANES};
use super::order::Vertices;
use super::records::Records;
use super::small::{SMALL, row_of_output};
use super::{Batch, VertexError};
use crate::entity::bits;
use transpica::interp::Registers;
use transpica::{At, Error, Kind};

impl Batch {
    /// Runs the program for vertices of buffers, and writes a record for each: the n-th for the
    /// n-th vertex of the order. Only the floats of its fields are written.
    ///
    /// A vertex that indices name more than once runs once, and its record is copied. This holds
    /// for the indices 0 to 65,535; those that differ by a multiple of 65,536 displace each other.
    ///
    /// ```
    /// use transpica_draw::batch::{Array, Batch, Number, Order, Records, VertexAttribute, Vertices};
    /// use transpica::{Options, Program, RegisterState, Stage};
    ///
    /// // mov o0, v0; mov o1, v1; end
    /// let mut state = RegisterState::default();
    /// let code = [(0x2CC, 0x4C00_0000), (0x2CC, 0x4C20_1000), (0x2CC, 0x8800_0000), (0x2D6, 0x36F)];
    /// // Two outputs are passed on: the position and the color.
    /// let outputs = [(0x2BD, 3), (0x04F, 2), (0x050, 0x0302_0100), (0x051, 0x0B0A_0908)];
    /// code.into_iter().chain(outputs).for_each(|(register, value)| state.write(register, value));
    ///
    /// let options = Options::default();
    /// let mut batch = Batch::new(&state.program(Stage::Vertex)?, options.settings(1000))?;
    /// batch.set_uniforms(&state.uniforms(Stage::Vertex));
    /// // Three vertices of two bytes; one color for all.
    /// let bytes = [1, 2, 3, 4, 250, 6];
    /// let position = Array { bytes: &bytes, offset: 0, stride: 2, number: Number::S8, components: 2 };
    /// let attributes = [VertexAttribute::Array(position), VertexAttribute::Fixed([1.0, 0.5, 0.0, 1.0])];
    /// let vertices = Vertices::new(&attributes, Order::U16(&[2, 0, 2]));
    ///
    /// let records = Records::from_map(&transpica::host::Environment::output_map(&state.vertex()), &options);
    /// let names: Vec<_> = records.fields.iter().map(|field| (&*field.output.name, field.offset)).collect();
    /// assert_eq!(names, [("position", 0), ("color", 4)]);
    /// let mut buffer = vec![0.0; 3 * records.stride];
    /// batch.run_draw(&vertices, &records, &mut buffer)?;
    /// assert_eq!(buffer[..8], [-6.0, 6.0, 0.0, 1.0, 1.0, 0.5, 0.0, 1.0]);
    /// assert_eq!(buffer[8..12], [1.0, 2.0, 0.0, 1.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Before anything runs: [`Kind::Setup`] for a vertex that ends beyond the buffer of an
    /// attribute that the program reads, with its place in the order, for a field outside its
    /// record, and for records outside `to`; [`Kind::Limit`] for more than 4,294,967,295 vertices.
    /// Then the error of the first vertex for which a [`Machine`](transpica::Machine) returns one:
    /// its record and copies of it are not defined, all others are written.
    pub fn run_draw(
        &mut self,
        vertices: &Vertices<'_>,
        records: &Records,
        to: &mut [f32],
    ) -> std::result::Result<(), VertexError> {
        self.check(vertices, records, to.len())?;
        let (mut failure, mut place) = (None, 0);
        self.begin();
        while place < vertices.order.len() {
            place = self.work.take(&vertices.order, place);
            self.draw_taken(vertices, records, to);
            if self.runner.failure.is_some() {
                failure = failure.or(self.failure());
            }
            if !self.work.copies.is_empty() {
                records.copy(&self.work.copies, to);
            }
        }
        failure.map_or(Ok(()), Err)
    }

    /// Runs the program for at most [`LANES`] vertices of buffers, which exist, and writes
    /// their records, one after the other. [`begin`](Self::begin) comes before the first of a draw.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub(crate) fn shade(
        &mut self,
        vertices: &Vertices<'_>,
        numbers: &[u32],
        records: &Records,
        to: &mut [f32],
    ) -> Result<(), VertexError> {
        let count = numbers.len().min(LANES);
        self.work.count = count;
        self.work.vertices[..count].copy_from_slice(&numbers[..count]);
        (0..).zip(&mut self.work.places[..count]).for_each(|(lane, place)| *place = lane);
        self.draw_taken(vertices, records, to);
        self.failure().map_or(Ok(()), Err)
    }

    /// Draws the vertices of a batch.
    fn draw_taken(&mut self, vertices: &Vertices<'_>, records: &Records, to: &mut [f32]) {
        match self.work.count {
            1 => self.draw_alone(vertices, records, to),
            ..=SMALL => self.draw_few(vertices, records, to),
            _many => self.draw_lanes(vertices, records, to),
        }
    }

    /// Takes the failure of a batch of a draw, with the place of its vertex in the order.
    #[cold]
    fn failure(&mut self) -> Option<VertexError> {
        let VertexError { vertex, error } = self.runner.failure.take()?;
        Some(VertexError { vertex: self.work.places[vertex % LANES] as usize, error })
    }

    /// Begins a draw.
    pub(crate) fn begin(&mut self) {
        self.work.is_filled = false;
    }

    /// Draws the vertices of a batch in lanes.
    fn draw_lanes(&mut self, vertices: &Vertices<'_>, records: &Records, to: &mut [f32]) {
        if !self.work.is_filled {
            self.fill(vertices);
        }
        let Self { code, runner, work } = self;
        let count = work.count.min(LANES);
        for register in registers(code) {
            let VertexAttribute::Array(array) = vertices.attribute(register) else { continue };
            array.read(&work.vertices[..count], &mut work.columns);
            for (component, column) in work.columns.iter().enumerate().take(array.components()) {
                if let Some(lanes) = runner.file.input_mut(&code.places, 4 * register + component) {
                    lanes[..count].copy_from_slice(&column[..count]);
                }
            }
        }
        runner.run(code, count);
        let lanes = |register: u8, component: usize| {
            runner.file.output(&code.places, 4 * usize::from(register) + component)
        };
        records.write(&work.places[..count], lanes, to);
    }

    /// Draws one vertex, which would occupy eight lanes.
    fn draw_alone(&mut self, vertices: &Vertices<'_>, records: &Records, to: &mut [f32]) {
        let Self { code, runner, work } = self;
        let load = |inputs: &mut [[f32; 4]; 16]| {
            registers(code)
                .for_each(|register| inputs[register] = vertices.fetch(register, work.vertices[0]));
        };
        records.write_one(work.places[0], runner.run_alone(code, load), to);
    }

    /// Draws at most [`SMALL`] vertices.
    fn draw_few(&mut self, vertices: &Vertices<'_>, records: &Records, to: &mut [f32]) {
        let Self { code, runner, work } = self;
        let count = work.count.min(SMALL);
        for register in registers(code) {
            let (values, read) = match vertices.attribute(register) {
                VertexAttribute::Fixed(value) => (*value, 0),
                VertexAttribute::Array(array) => {
                    array.read(&work.vertices[..count], &mut work.columns);
                    (Registers::DEFAULT, array.components())
                }
            };
            for component in bits(code.places.used(Bank::Input) >> (4 * register) & 15) {
                let component = component as usize % 4;
                let column = &mut work.columns[component];
                if component >= read {
                    column[..SMALL].fill(values[component]);
                }
                let place = code.places.get(Bank::Input, 4 * register + component);
                runner.file.small.set_input(place.into(), count, column);
            }
        }
        runner.run_small(code, count);
        for (rows, places) in runner.file.small.rows().zip(work.places[..count].chunks(BLOCK)) {
            let lanes = |register: u8, component: usize| {
                &rows[row_of_output(&code.places, 4 * usize::from(register) + component)]
            };
            runner.wide.call(
                #[inline(always)]
                || records.write(places, lanes, to),
            );
        }
    }

    /// Loads the inputs that are the same for all vertices, into as many lanes as the draw has.
    fn fill(&mut self, vertices: &Vertices<'_>) {
        self.work.is_filled = true;
        let lanes = vertices.order.len().min(LANES);
        for register in registers(&self.code) {
            let (value, first) = match vertices.attribute(register) {
                VertexAttribute::Fixed(value) => (*value, 0),
                VertexAttribute::Array(array) => (Registers::DEFAULT, array.components()),
            };
            for (component, value) in value.into_iter().enumerate().skip(first) {
                if let Some(all) = self.input_mut(register, component) {
                    all[..lanes].fill(value);
                }
            }
        }
    }

    /// Returns the number of vertices whose attributes exist, as far as the program reads them.
    pub(crate) fn vertices_there(&self, vertices: &Vertices<'_>) -> usize {
        let arrays = registers(&self.code).filter_map(|register| match vertices.attribute(register) {
            VertexAttribute::Array(array) => Some(array.vertices()),
            VertexAttribute::Fixed(_) => None,
        });
        arrays.min().unwrap_or(usize::MAX)
    }

    /// Checks a draw: vertices, fields and records lie where they should.
    fn check(&self, vertices: &Vertices<'_>, records: &Records, size: usize) -> Result<(), VertexError> {
        let count = vertices.order.len();
        let greatest = vertices.order.greatest();
        let exists = |register| match vertices.attribute(register) {
            VertexAttribute::Array(array) => greatest.is_none_or(|greatest| array.has(greatest)),
            VertexAttribute::Fixed(_) => true,
        };
        let is_right = u32::try_from(count).is_ok() && records.fit(count, size);
        if is_right && registers(&self.code).all(exists) {
            return Ok(());
        }
        self.fault(vertices, records, size)
    }

    /// Finds the fault of a draw.
    #[cold]
    #[inline(never)]
    fn fault(&self, vertices: &Vertices<'_>, records: &Records, size: usize) -> Result<(), VertexError> {
        let of_draw = |error| VertexError { vertex: 0, error };
        let count = vertices.order.len();
        if u32::try_from(count).is_err() {
            let kind = Kind::Limit { name: "vertices of a draw", value: count, limit: u32::MAX };
            return Err(of_draw(Error::new(kind, At::Whole)));
        }
        records.check(count, size).map_err(of_draw)?;
        for register in registers(&self.code) {
            let VertexAttribute::Array(array) = vertices.attribute(register) else { continue };
            let there = array.vertices();
            if let Some((place, vertex)) = vertices.order.first_beyond(there) {
                let size = array.bytes.len();
                let text = format!(
                    "v{register}: place {place} is vertex {vertex}, there are {there} in {size} bytes"
                );
                return Err(VertexError { vertex: place, error: Error::setup(text) });
            }
        }
        Ok(())
    }
}

/// The input registers that a program reads.
fn registers(code: &Code) -> impl Iterator<Item = usize> + use<> {
    // Bit 4 · n is register n.
    let components = code.places.used(Bank::Input);
    let registers =
        (components | components >> 1 | components >> 2 | components >> 3) & 0x1111_1111_1111_1111;
    bits(registers).map(|bit| bit as usize / 4)
}
