//! Records of outputs, as a rasterizer or a vertex buffer takes them.
//! In: an output map, options, registers of all lanes. Out: floats at places that the caller
//! chooses. Knows no program. What an output is, and its conversion, is [`transpica::host`]'s.

use transpica::host::varying::{self, Place};
use transpica::host::{ComponentSource, Hook, HostValues, Output, OutputMap, OutputValue, attach};
use transpica::{Error, Options, Profile, Result};

/// An output in a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The output. It has [`lanes`](Output::lanes) floats.
    pub output: Output,
    /// Location of the attribute of [`Job::Draw`](transpica::Job::Draw) that takes it.
    pub location: u8,
    /// The float of a record where its components begin.
    pub offset: usize,
}

/// The layout of records: an interleaved vertex buffer of floats with a record for each vertex.
/// Floats that belong to no field keep their values.
#[derive(Clone, Debug, PartialEq)]
pub struct Records {
    /// The outputs that are written. Any may be left out.
    pub fields: Vec<Field>,
    /// Floats from record to record.
    pub stride: usize,
    /// Conversions of outputs: depth, mirrored y, colors.
    pub options: Options,
    /// Values that clip planes and a dynamic y use.
    pub host: HostValues,
}

impl Records {
    /// Lays out outputs one after the other, those of
    /// [`Interface::outputs`](transpica::host::Interface) for instance.
    pub fn new(outputs: Vec<Output>, options: &Options) -> Self {
        let places: Vec<Place> = varying::places(&outputs).collect();
        let stride = places.last().map_or(0, |last| last.offset + usize::from(last.lanes));
        let field = |(output, place): (Output, Place)| {
            let Place { location, offset, lanes: _ } = place;
            Field { output, location, offset }
        };
        let fields = outputs.into_iter().zip(places).map(field).collect();
        Self { fields, stride, options: *options, host: HostValues::default() }
    }

    /// Lays out the position and the mapped outputs, one after the other.
    pub fn from_map(map: &OutputMap, options: &Options) -> Self {
        Self::new(varying::outputs(map, options, &Profile::default()), options)
    }

    /// Lays out whole output registers without conversion, one after the other: bit n of the mask
    /// is register n.
    pub fn from_registers(mask: u16) -> Self {
        Self::new(varying::passed_on(mask), &Options::default())
    }

    /// Adds hooks of outputs. Others change no record: see [`redirect`](transpica::host::redirect)
    /// for uniforms.
    pub fn add_hooks(&mut self, hooks: &[Hook]) {
        attach(hooks, self.fields.iter_mut().map(|field| &mut field.output));
    }

    /// Takes out the fields of a [second evaluation](Hook::Again): records of the same vertices,
    /// for a draw of their own into the same buffer, with the other uniforms.
    ///
    /// ```
    /// use transpica::host::{Hook, Hooked};
    /// use transpica::{Job, Options, Profile, RegisterState, Stage, Translator};
    /// use transpica_draw::batch::{Batch, Order, Records, VertexAttribute, Vertices};
    ///
    /// // add o0, c0, v0; end. o0 is the position.
    /// let mut state = RegisterState::default();
    /// let code = [(0x2CC, 0x0002_0000), (0x2CC, 0x8800_0000), (0x2D6, 0x0006_C36F)];
    /// let outputs = [(0x2BD, 1), (0x04F, 1), (0x050, 0x0302_0100)];
    /// code.into_iter().chain(outputs).for_each(|(register, value)| state.write(register, value));
    ///
    /// let (program, options) = (state.program(Stage::Vertex)?, Options::default());
    /// let hooked = Hooked { environment: state.vertex(), hooks: [Hook::Again(9)] };
    /// let mut translator = Translator::new(options, Profile::default());
    /// let translated = translator.translate(&program, &hooked, Job::Vertex)?;
    /// let mut records = Records::new(translated.interface.outputs, &options);
    /// let again = records.take_again();
    ///
    /// let mut batch = Batch::new(&program, options.settings(1000))?;
    /// let attributes = [VertexAttribute::Fixed([1.0, 2.0, -3.0, 4.0])];
    /// let vertices = Vertices::new(&attributes, Order::Range { first: 0, count: 1 });
    /// let mut buffer = vec![0.0; records.stride];
    /// batch.run_draw(&vertices, &records, &mut buffer)?;
    /// batch.write_floats(0, &[[0.5, 0.0, 0.0, 0.0]]);
    /// batch.run_draw(&vertices, &again, &mut buffer)?;
    /// assert_eq!(buffer, [1.0, 2.0, 3.0, 4.0, 1.5, 2.0, 3.0, 4.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn take_again(&mut self) -> Self {
        let fields = self.fields.extract_if(.., |field| field.output.value == OutputValue::Again).collect();
        let mut again = Self { fields, ..*self };
        // It is the position of that draw.
        again.fields.iter_mut().for_each(|field| field.output.value = OutputValue::Position);
        again
    }

    /// Returns whether each field lies in its record, and `count` records in `size` floats.
    pub(super) fn fit(&self, count: usize, size: usize) -> bool {
        self.fields.iter().all(|field| self.has(field))
            && count.checked_mul(self.stride).is_some_and(|need| need <= size)
    }

    /// Returns whether a field can be written.
    fn has(&self, Field { output, offset, .. }: &Field) -> bool {
        output.value != OutputValue::Again
            && output.components.len() <= 4
            && offset.saturating_add(output.lanes()) <= self.stride
    }

    /// Checks that `count` records lie in a buffer of `size` floats.
    pub(crate) fn check(&self, count: usize, size: usize) -> Result<()> {
        if self.fit(count, size) {
            return Ok(());
        }
        let fault = self.fields.iter().enumerate().find(|(_, field)| !self.has(field));
        let text = match fault {
            Some((index, field)) if field.output.value == OutputValue::Again => format!(
                "fields[{index}] has the position of other uniforms: draw Records::take_again with those"
            ),
            Some((index, Field { output, offset, .. })) => {
                let (lanes, stride) = (output.lanes(), self.stride);
                format!("fields[{index}]: {lanes} floats at {offset} of a record of {stride}")
            }
            None => format!("{count} records of {} floats; there are {size}", self.stride),
        };
        Err(Error::setup(text))
    }

    /// Writes a record for each place. They ascend, but for those beyond `to`, which have none.
    /// `lanes` gives the lanes of a component of an output register.
    #[inline(always)]
    pub(super) fn write<'a, const N: usize>(
        &self,
        places: &[u32],
        lanes: impl Fn(u8, usize) -> &'a [f32; N],
        to: &mut [f32],
    ) {
        for Field { output, offset, .. } in &self.fields {
            let mut columns = [&[0.0; N]; 4];
            // By index, or the compiler would write the loop four times.
            for (index, source) in output.components.iter().enumerate() {
                columns[index % 4] = match *source {
                    ComponentSource::Register { register, component } => {
                        lanes(register & 15, component.index())
                    }
                    ComponentSource::One => &[1.0; N],
                    ComponentSource::Zero => &[0.0; N],
                };
            }
            let at = (self.stride, *offset);
            if output.is_plain() {
                write(places, columns.map(|column| &column[..]), to, at, output.lanes());
                continue;
            }
            let mut converted = columns.map(|column| *column);
            output.convert(&mut converted, &self.options, &self.host);
            write(places, converted.each_ref().map(|column| &column[..]), to, at, output.lanes());
        }
    }

    /// Writes the record of a vertex from its output registers.
    pub(crate) fn write_one(&self, place: u32, registers: &[[f32; 4]; 16], to: &mut [f32]) {
        let start = (place as usize).wrapping_mul(self.stride);
        for Field { output, offset, .. } in &self.fields {
            let value = output.value(registers, &self.options, &self.host);
            let to = to.get_mut(start.wrapping_add(*offset)..).unwrap_or_default();
            to.iter_mut().zip(value).take(output.lanes()).for_each(|(to, value)| *to = value);
        }
    }

    /// Copies records: to the first place of each pair from the second.
    pub(super) fn copy(&self, copies: &[[u32; 2]], to: &mut [f32]) {
        for &[later, earlier] in copies {
            let [later, earlier] = [later, earlier].map(|place| place as usize * self.stride);
            for Field { output, offset, .. } in &self.fields {
                let from = earlier + offset;
                to.copy_within(from..from + output.lanes(), later + offset);
            }
        }
    }
}

/// Chooses the loop for the number of components.
fn write(places: &[u32], columns: [&[f32]; 4], to: &mut [f32], at: (usize, usize), count: usize) {
    match count {
        0 => {}
        1 => each::<1>(places, columns, to, at),
        2 => each::<2>(places, columns, to, at),
        3 => each::<3>(places, columns, to, at),
        _ => each::<4>(places, columns, to, at),
    }
}

/// Writes components of a field, lane by lane. Not inlined, so that all of it stays in registers.
#[inline(never)]
fn each<const COUNT: usize>(
    places: &[u32],
    [x, y, z, w]: [&[f32]; 4],
    to: &mut [f32],
    (stride, offset): (usize, usize),
) {
    let lanes = places.iter().zip(x).zip(y).zip(z).zip(w);
    // The buffer was checked.
    let start = |place: u32| (place as usize).wrapping_mul(stride);
    // Places without gaps need neither a product nor a test for each.
    if let [first, .., last] = *places
        && last.checked_sub(first).is_some_and(|distance| distance as usize == places.len() - 1)
    {
        let records = to.get_mut(start(first)..).unwrap_or_default().chunks_exact_mut(stride.max(1));
        for (record, ((((_, x), y), z), w)) in records.zip(lanes) {
            put::<COUNT>(record, offset, [*x, *y, *z, *w]);
        }
        return;
    }
    for ((((place, x), y), z), w) in lanes {
        put::<COUNT>(to, start(*place).wrapping_add(offset), [*x, *y, *z, *w]);
    }
}

/// Writes the first values from a float on.
#[inline(always)]
fn put<const COUNT: usize>(to: &mut [f32], start: usize, values: [f32; 4]) {
    let to = to.get_mut(start..).and_then(|to| to.first_chunk_mut::<COUNT>());
    if let (Some(to), Some(values)) = (to, values.first_chunk()) {
        *to = *values;
    }
}
