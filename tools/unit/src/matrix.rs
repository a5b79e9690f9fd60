//! Matrices as tests write them: rows that multiply a column vector, as DP4 does with uniforms.
//! In: numbers. Out: four rows. Right-handed; clip space has z from -w at the near plane to 0 at
//! the far one, as the console's.

/// Four rows of x, y, z, w.
pub type Matrix = [[f32; 4]; 4];

/// The matrix that changes nothing.
pub const IDENTITY: Matrix =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

/// Rows in the precision of the computation.
type Rows = [[f64; 4]; 4];

/// Depth of a clip space: the console's times the first number, and w times the second.
pub(crate) type Depth = [f64; 2];

/// Depth of the console.
pub(crate) const CONSOLE: Depth = [1.0, 0.0];

/// Rounds a projection with the console's depth to one with another.
fn deep(mut rows: Rows, [factor, share]: Depth) -> Matrix {
    let [.., z, w] = &mut rows;
    z.iter_mut().zip(w).for_each(|(z, w)| *z = factor * *z + share * *w);
    rounded(rows)
}

fn rounded(rows: Rows) -> Matrix {
    rows.map(|row| row.map(|value| value as f32))
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn unit(vector: [f64; 3]) -> [f64; 3] {
    let length = dot(vector, vector).sqrt();
    vector.map(|value| value / length)
}

fn cross([a, b, c]: [f64; 3], [x, y, z]: [f64; 3]) -> [f64; 3] {
    [b * z - c * y, c * x - a * z, a * y - b * x]
}

/// Returns the view from one point towards another.
pub fn look_at(eye: [f32; 3], at: [f32; 3], up: [f32; 3]) -> Matrix {
    let [eye, at, up] = [eye, at, up].map(|vector| vector.map(f64::from));
    let back = unit([eye[0] - at[0], eye[1] - at[1], eye[2] - at[2]]);
    let right = unit(cross(up, back));
    let row = |axis: [f64; 3]| [axis[0], axis[1], axis[2], -dot(axis, eye)];
    rounded([row(right), row(cross(back, right)), row(back), [0.0, 0.0, 0.0, 1.0]])
}

/// Returns a projection from an angle of view in degrees, upwards, and the ratio of width to
/// height.
pub fn perspective(planes: [f32; 4]) -> Matrix {
    perspective_to(CONSOLE, planes)
}

pub(crate) fn perspective_to(to: Depth, [degrees, aspect, near, far]: [f32; 4]) -> Matrix {
    let [degrees, aspect, near, far] = [degrees, aspect, near, far].map(f64::from);
    let scale = 1.0 / (degrees.to_radians() / 2.0).tan();
    let depth = near - far;
    let rows = [
        [scale / aspect, 0.0, 0.0, 0.0],
        [0.0, scale, 0.0, 0.0],
        [0.0, 0.0, near / depth, near * far / depth],
        [0.0, 0.0, -1.0, 0.0],
    ];
    deep(rows, to)
}

/// Returns a parallel projection of left, right, bottom, top, near and far.
pub fn ortho(planes: [f32; 6]) -> Matrix {
    ortho_to(CONSOLE, planes)
}

pub(crate) fn ortho_to(to: Depth, planes: [f32; 6]) -> Matrix {
    let [left, right, bottom, top, near, far] = planes.map(f64::from);
    let rows = [
        [2.0 / (right - left), 0.0, 0.0, (left + right) / (left - right)],
        [0.0, 2.0 / (top - bottom), 0.0, (bottom + top) / (bottom - top)],
        [0.0, 0.0, 1.0 / (near - far), far / (near - far)],
        [0.0, 0.0, 0.0, 1.0],
    ];
    deep(rows, to)
}

/// Returns a movement.
pub fn translate([x, y, z]: [f32; 3]) -> Matrix {
    [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z], IDENTITY[3]]
}

/// Returns an enlargement along the axes.
pub fn scale([x, y, z]: [f32; 3]) -> Matrix {
    [[x, 0.0, 0.0, 0.0], [0.0, y, 0.0, 0.0], [0.0, 0.0, z, 0.0], IDENTITY[3]]
}

/// Returns a rotation about an axis by degrees, counterclockwise as seen from its tip.
pub fn rotate([x, y, z, degrees]: [f32; 4]) -> Matrix {
    let [x, y, z] = unit([x, y, z].map(f64::from));
    let (sin, cos) = f64::from(degrees).to_radians().sin_cos();
    let rest = 1.0 - cos;
    rounded([
        [x * x * rest + cos, x * y * rest - z * sin, x * z * rest + y * sin, 0.0],
        [x * y * rest + z * sin, y * y * rest + cos, y * z * rest - x * sin, 0.0],
        [x * z * rest - y * sin, y * z * rest + x * sin, z * z * rest + cos, 0.0],
        [0.0, 0.0, 0.0, 1.0],
    ])
}

/// Returns the product: the last matrix is applied first.
pub fn product(matrices: &[Matrix]) -> Matrix {
    let multiply = |a: Rows, b: &Matrix| {
        let entry = |row: [f64; 4], column: usize| -> f64 {
            row.iter().zip(b).map(|(value, other)| value * f64::from(other[column])).sum()
        };
        a.map(|row| [0, 1, 2, 3].map(|column| entry(row, column)))
    };
    rounded(matrices.iter().fold(IDENTITY.map(|row| row.map(f64::from)), multiply))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A point transformed by a matrix.
    fn point(matrix: &Matrix, point: [f32; 4]) -> [f32; 4] {
        let entry = |row: [f32; 4]| row.iter().zip(point).map(|(a, b)| a * b).sum::<f32>();
        matrix.map(|row| (entry(row) * 1e4).round() / 1e4)
    }

    #[test]
    fn projections_have_the_depth_of_the_console() {
        let perspective = perspective([90.0, 1.0, 1.0, 3.0]);
        assert_eq!(point(&perspective, [1.0, 0.0, -1.0, 1.0]), [1.0, 0.0, -1.0, 1.0]);
        assert_eq!(point(&perspective, [0.0, 3.0, -3.0, 1.0]), [0.0, 3.0, 0.0, 3.0]);
        let ortho = ortho([0.0, 4.0, 0.0, 2.0, 1.0, 3.0]);
        assert_eq!(point(&ortho, [0.0, 2.0, -1.0, 1.0]), [-1.0, 1.0, -1.0, 1.0]);
        assert_eq!(point(&ortho, [4.0, 0.0, -3.0, 1.0]), [1.0, -1.0, 0.0, 1.0]);
    }

    #[test]
    fn projections_reach_the_depth_of_each_clip_space() {
        // Depth divided by w at the near and the far plane.
        for (depth, ends) in [([1.0, 0.0], [-1.0, 0.0]), ([1.0, 1.0], [0.0, 1.0]), ([2.0, 1.0], [-1.0, 1.0])]
        {
            let perspective = perspective_to(depth, [90.0, 1.0, 1.0, 3.0]);
            let ortho = ortho_to(depth, [0.0, 4.0, 0.0, 2.0, 1.0, 3.0]);
            for (z, end) in [-1.0, -3.0].into_iter().zip(ends) {
                let [.., deep, w] = point(&perspective, [0.0, 0.0, z, 1.0]);
                assert_eq!((deep / w, w), (end, -z));
                assert_eq!(point(&ortho, [0.0, 0.0, z, 1.0])[2], end);
            }
        }
    }

    #[test]
    fn views_and_products_have_their_order() {
        let view = look_at([0.0, 0.0, 5.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
        assert_eq!(point(&view, [1.0, 2.0, 0.0, 1.0]), [1.0, 2.0, -5.0, 1.0]);
        let both =
            product(&[translate([1.0, 0.0, 0.0]), rotate([0.0, 0.0, 2.0, 90.0]), scale([2.0, 1.0, 1.0])]);
        assert_eq!(point(&both, [1.0, 0.0, 0.0, 1.0]), [1.0, 2.0, 0.0, 1.0]);
    }
}
