//! Generators of values for property tests with `proptest`.
//!
//! ```
//! use proptest::prelude::*;
//! use transpica_unit::{Shader, strategies};
//! let shader = Shader::load(&["../../shaders/textured.v.pica"])?;
//! proptest!(|(matrix in strategies::matrix(), point in strategies::attribute())| {
//!     let run = shader.vertex().uniform("projection", matrix).attribute("inpos", point).run();
//!     prop_assert!(run.position().iter().all(|component| component.is_finite()));
//! });
//! # Ok::<(), transpica_unit::Problem>(())
//! ```

use proptest::prelude::*;

use crate::matrix::{Matrix, perspective, product, rotate, scale, translate};

/// Points within 100 of the origin, w = 1.
pub fn attribute() -> impl Strategy<Value = [f32; 4]> {
    prop::array::uniform3(-100f32..100.0).prop_map(|[x, y, z]| [x, y, z, 1.0])
}

/// Directions of length 1, w = 0.
pub fn unit_vector() -> impl Strategy<Value = [f32; 4]> {
    let vectors = prop::array::uniform3(-1f32..1.0);
    vectors.prop_filter_map("too short", |vector| {
        let length = vector.iter().map(|component| component * component).sum::<f32>().sqrt();
        let [x, y, z] = vector.map(|component| component / length);
        (length > 0.01).then_some([x, y, z, 0.0])
    })
}

/// Matrices as games have them: a movement of a rotated, enlarged thing, half of them in
/// perspective.
pub fn matrix() -> impl Strategy<Value = Matrix> {
    let moves = (unit_vector(), -180f32..180.0, attribute(), 0.1f32..10.0, any::<bool>());
    moves.prop_map(|([x, y, z, _], degrees, [a, b, c, _], factor, is_perspective)| {
        let model = product(&[translate([a, b, c]), rotate([x, y, z, degrees]), scale([factor; 3])]);
        if is_perspective { product(&[perspective([60.0, 5.0 / 3.0, 0.1, 1000.0]), model]) } else { model }
    })
}

/// Numbers that find faults: zeros, infinities, NaN, the smallest and the largest, among others.
pub fn special() -> impl Strategy<Value = f32> {
    let known =
        [0.0, -0.0, 1.0, -1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, f32::MIN_POSITIVE, f32::MAX];
    prop_oneof![prop::sample::select(known.to_vec()), any::<f32>()]
}
