//! Matrices of the scenes, as rows: what DP4 wants. The console's clip volume is -w ≤ z ≤ 0.

/// Four rows.
pub type Matrix = [[f64; 4]; 4];

/// First `b`, then `a`.
pub fn product(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|row| std::array::from_fn(|column| (0..4).map(|k| a[row][k] * b[k][column]).sum()))
}

/// A shift.
pub fn moved(x: f64, y: f64, z: f64) -> Matrix {
    [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z], [0.0, 0.0, 0.0, 1.0]]
}

/// A turn around y.
pub fn turned(angle: f64) -> Matrix {
    let (s, c) = angle.sin_cos();
    [[c, 0.0, s, 0.0], [0.0, 1.0, 0.0, 0.0], [-s, 0.0, c, 0.0], [0.0, 0.0, 0.0, 1.0]]
}

/// A turn around x.
pub fn tilted(angle: f64) -> Matrix {
    let (s, c) = angle.sin_cos();
    [[1.0, 0.0, 0.0, 0.0], [0.0, c, -s, 0.0], [0.0, s, c, 0.0], [0.0, 0.0, 0.0, 1.0]]
}

/// A view of a picture of this size: what is near comes to z = -w, what is far to z = 0.
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

/// The rows as uniforms hold them.
pub fn rows(matrix: &Matrix) -> [[f32; 4]; 4] {
    matrix.map(|row| row.map(|x| x as f32))
}
