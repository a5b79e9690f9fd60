//! Matrices of scenes, as rows: the operands of DP4. The console's clip volume is -w ≤ z ≤ 0.

/// Four rows.
pub type Matrix = [[f64; 4]; 4];

/// The matrix that changes nothing.
pub const UNIT: Matrix =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

/// The product: applies `b`, then `a`.
pub fn product(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|row| std::array::from_fn(|column| (0..4).map(|k| a[row][k] * b[k][column]).sum()))
}

/// A translation.
pub fn moved(x: f64, y: f64, z: f64) -> Matrix {
    [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z], [0.0, 0.0, 0.0, 1.0]]
}

/// A rotation around y.
pub fn turned(angle: f64) -> Matrix {
    let (s, c) = angle.sin_cos();
    [[c, 0.0, s, 0.0], [0.0, 1.0, 0.0, 0.0], [-s, 0.0, c, 0.0], [0.0, 0.0, 0.0, 1.0]]
}

/// A rotation around x.
pub fn tilted(angle: f64) -> Matrix {
    let (s, c) = angle.sin_cos();
    [[1.0, 0.0, 0.0, 0.0], [0.0, c, -s, 0.0], [0.0, s, c, 0.0], [0.0, 0.0, 0.0, 1.0]]
}

/// A perspective projection for a picture of this size: near points map to z = -w, far points to z
/// = 0.
pub fn projection(width: u32, height: u32) -> Matrix {
    let (near, far) = (0.5, 40.0);
    let focus = 1.6;
    let aspect = f64::from(width) / f64::from(height);
    let scale = -near / (far - near);
    [
        [focus / aspect, 0.0, 0.0, 0.0],
        [0.0, focus, 0.0, 0.0],
        [0.0, 0.0, scale, scale * far],
        [0.0, 0.0, -1.0, 0.0],
    ]
}

/// The rows as uniform values.
pub fn rows(matrix: &Matrix) -> [[f32; 4]; 4] {
    matrix.map(|row| row.map(|x| x as f32))
}
