//! Conversions of a vertex entry around the program, on the CPU: for hosts that run some draws with
//! the interpreter, and for the tests.
//! In: registers, options, the fields of the host block. Out: attributes as the program reads them,
//! outputs as the rasterizer receives them. Bit-equal to the modules; the arithmetic is
//! [`arith`]'s.

use super::output::{ComponentSource, Output, OutputValue};
use crate::host::settings::{DepthRange, FlipY, Options};
use crate::machine::precision::{Precision, arith};
use crate::program::isa::DEFAULT;
use crate::support::fields::HostField;

/// Values of the host block at draw time. Everything is off by default. The block begins with two
/// `u32` at 0 and 4 and the plane at 16, 32 bytes in all. Parameter n of hooks is at 32 + 16 · n.
/// The block ends after the last parameter that a hook names, so it has up to 288 bytes.
/// [`Reflection`](crate::translate::reflect::Reflection) has the size.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HostValues {
    /// Enables the user's clip plane.
    pub clip_enabled: bool,
    /// Mirrors y under [`FlipY::Dynamic`](crate::settings::FlipY::Dynamic).
    pub flip_y: bool,
    /// Coefficients of the user's clip plane: it keeps positions with dot(plane, position) ≥ 0.
    pub clip_plane: [f32; 4],
    /// Parameters of [hooks](crate::host::Hook). [`pack_all`](Self::pack_all) packs them.
    pub parameters: [[f32; 4]; HostField::PARAMETERS as usize],
}

impl HostValues {
    /// Returns the bytes of the block without parameters.
    pub fn pack(&self) -> [u8; HostField::BLOCK_SIZE as usize] {
        self.bytes()
    }

    /// Returns the bytes of the block with all parameters. Modules read those that hooks name.
    pub fn pack_all(&self) -> [u8; HostField::FULL_SIZE as usize] {
        self.bytes()
    }

    /// Returns the bytes of the fields that lie in the first `SIZE`.
    fn bytes<const SIZE: usize>(&self) -> [u8; SIZE] {
        let mut bytes = [0; SIZE];
        for field in HostField::ALL {
            let words = match field {
                HostField::ClipEnabled => [u32::from(self.clip_enabled), 0, 0, 0],
                HostField::FlipY => [u32::from(self.flip_y), 0, 0, 0],
                HostField::ClipPlane => self.clip_plane.map(f32::to_bits),
                HostField::Parameter(number) => self.parameter(number).map(f32::to_bits),
            };
            let place = bytes.get_mut(field.offset() as usize..).unwrap_or_default();
            for (place, byte) in place.iter_mut().zip(words.into_iter().flat_map(u32::to_le_bytes)) {
                *place |= byte;
            }
        }
        bytes
    }

    /// Returns a parameter of hooks; there are sixteen.
    #[doc(hidden)]
    pub fn parameter(&self, number: u8) -> [f32; 4] {
        self.parameters[usize::from(number % HostField::PARAMETERS)]
    }
}

impl Options {
    /// Returns the attributes as the program reads them: the components of each format, and
    /// (0, 0, 0, 1) in place of the others. Values are numbers of the host's format: 127 for the
    /// integer 127.
    pub fn attributes_seen(&self, mut attributes: [[f32; 4]; 16]) -> [[f32; 4]; 16] {
        for (register, format) in attributes.iter_mut().zip(&self.input.formats) {
            let missing = usize::from(format.components).min(4);
            register[missing..].copy_from_slice(&DEFAULT[missing..]);
        }
        attributes
    }
}

impl Output {
    /// Returns the value of this output of a vertex entry, from o0..o15. Components beyond its
    /// width are 0.
    ///
    /// ```
    /// use transpica::host::{Environment, HostValues, varying};
    /// use transpica::{Options, RegisterState};
    /// let mut state = RegisterState::default();
    /// for (register, value) in [(0x2BD, 1), (0x04F, 1), (0x050, 0x0302_0100)] {
    ///     state.write(register, value);
    /// }
    /// let options = Options::default();
    /// let outputs = varying::outputs(&state.vertex().output_map(), &options, &Default::default());
    /// let registers = [[1.0, 2.0, -3.0, 4.0]; 16];
    /// // Hardware keeps -w..0, Vulkan 0..w.
    /// assert_eq!(outputs[0].value(&registers, &options, &HostValues::default()), [1.0, 2.0, 3.0, 4.0]);
    /// ```
    pub fn value(&self, registers: &[[f32; 4]; 16], options: &Options, host: &HostValues) -> [f32; 4] {
        let mut lanes = [0.0; 4];
        for (lane, source) in lanes.iter_mut().zip(&self.components) {
            *lane = match *source {
                ComponentSource::Register { register, component } => {
                    registers[usize::from(register & 15)][component.index()]
                }
                ComponentSource::One => 1.0,
                ComponentSource::Zero => 0.0,
            };
        }
        if self.is_plain() {
            return lanes;
        }
        let mut columns = lanes.map(|lane| [lane]);
        self.convert(&mut columns, options, host);
        columns.map(|[lane]| lane)
    }

    /// Converts the components of several vertices. Those beyond the output's width are 0 before
    /// and after.
    #[inline]
    #[doc(hidden)]
    pub fn convert<const N: usize>(&self, columns: &mut [[f32; N]; 4], options: &Options, host: &HostValues) {
        let (precision, outputs) = (options.arithmetic.precision, &options.outputs);
        for hook in &self.hooks {
            hook.apply(columns, precision, host);
            columns.iter_mut().skip(self.components.len()).for_each(|column| *column = [0.0; N]);
        }
        let [x, y, z, w] = columns;
        if self.value.is_position() && !outputs.snap_depth.is_off() {
            let tolerances = outputs.snap_depth.tolerances();
            let snap = |(z, w): (&mut f32, &f32)| *z = arith::snap_depth(precision, *z, *w, tolerances);
            z.iter_mut().zip(&*w).for_each(snap);
        }
        let add = |a, b| arith::add(precision, a, b);
        let clamped = |value: f32| arith::min(value.abs(), 1.0);
        match self.value {
            OutputValue::Color if outputs.clamp_colors => {
                for column in [x, y, z, w].into_iter().take(self.components.len()) {
                    column.iter_mut().for_each(|value| *value = clamped(*value));
                }
            }
            OutputValue::Mixed { colors, complements } => {
                for (component, column) in [x, y, z, w].into_iter().take(self.components.len()).enumerate() {
                    if outputs.clamp_colors && colors.0 >> component & 1 != 0 {
                        column.iter_mut().for_each(|value| *value = clamped(*value));
                    }
                    if complements.0 >> component & 1 != 0 {
                        column.iter_mut().for_each(|value| *value = add(1.0, -*value));
                    }
                }
            }
            OutputValue::Plain | OutputValue::Color | OutputValue::Tap(_) => {}
            OutputValue::Position | OutputValue::Again => {
                match outputs.depth {
                    DepthRange::ZeroToW => z.iter_mut().for_each(|z| *z = -*z),
                    DepthRange::MinusWToW => {
                        z.iter_mut().zip(w).for_each(|(z, w)| *z = -add(add(*z, *z), *w))
                    }
                    DepthRange::Raw => {}
                }
                match (outputs.flip_y, host.flip_y) {
                    (FlipY::Always, _) | (FlipY::Dynamic, true) => y.iter_mut().for_each(|y| *y = -*y),
                    (FlipY::Never, _) | (FlipY::Dynamic, false) => {}
                }
            }
            OutputValue::ClipDistances => {
                for vertex in 0..N {
                    let position = [x[vertex], y[vertex], z[vertex], w[vertex]];
                    let products: [f32; 4] =
                        std::array::from_fn(|i| arith::mul(precision, host.clip_plane[i], position[i]));
                    let distance = add(add(add(products[0], products[1]), products[2]), products[3]);
                    x[vertex] = -position[2];
                    y[vertex] = if host.clip_enabled { distance } else { 0.0 };
                }
                (*z, *w) = ([0.0; N], [0.0; N]);
            }
        }
    }
}

/// Brings the quaternions of a triangle to one side: the second and the third are negated where
/// their dot product with the first is negative. They describe the same rotation, but
/// interpolation goes the short way.
#[inline]
pub fn align_quaternions([first, others @ ..]: &mut [[f32; 4]; 3]) {
    for other in others {
        if arith::dot(Precision::Fast, *first, *other) < 0.0 {
            *other = other.map(|component| -component);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_host_block_has_its_fields_where_modules_read_them() {
        let values = HostValues {
            clip_enabled: true,
            flip_y: false,
            clip_plane: [1.0, 0.0, 0.0, -2.0],
            ..HostValues::default()
        };
        let mut expected = [0; 32];
        expected[0] = 1;
        expected[16..20].copy_from_slice(&1f32.to_le_bytes());
        expected[28..32].copy_from_slice(&(-2f32).to_le_bytes());
        assert_eq!(values.pack(), expected);
    }
}
