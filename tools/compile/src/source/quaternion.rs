//! Quaternions for fragment lighting, from a normal or from a normal and a tangent.
//! In: vectors that an output has. Out: lanes of a unit quaternion, without branches.
//!
//! For the rotation to the axes tangent, bitangent and normal, `4 q qᵀ` is a matrix of sums of
//! their components. Each of its rows is a multiple of q; the one with the largest component of q
//! on its diagonal is exact.

use super::ir::Binary;
use naga::MathFunction as M;

use super::data::{Data, LaneList, Scalar, Shape};
use super::error::Result;
use super::lower::Lowering;
use super::value::Value;

/// Least w of a quaternion of a normal, before it is normalized.
const SMALLEST_HALF: f32 = 1.0 / 1024.0;

/// Signs of the diagonals of the axes on the diagonal of `4 q qᵀ`.
const SIGNS: [[f32; 4]; 3] = [[1.0, -1.0, -1.0, 1.0], [-1.0, 1.0, -1.0, 1.0], [-1.0, -1.0, 1.0, 1.0]];

const VECTOR: Shape = Shape::vector(Scalar::Float, 3);
const QUATERNION: Shape = Shape::vector(Scalar::Float, 4);

impl Lowering<'_> {
    fn components(&mut self, value: &Value) -> Result<[Value; 3]> {
        let mut lane = |lane: u8| self.pick(value, Shape::scalar(Scalar::Float), &[lane]);
        Ok([lane(0)?, lane(1)?, lane(2)?])
    }

    /// The quaternion that turns z into a unit normal: its half vector with z.
    pub(super) fn quaternion(&mut self, normal: &Value) -> Result<Value> {
        let [x, y, z] = self.components(normal)?;
        let (zero, one) = (self.data(Data::float(0.0)), self.data(Data::float(1.0)));
        // A normal of -z has no half vector.
        let least = self.data(Data::float(SMALLEST_HALF));
        let w = self.add(&z, &one)?;
        let w = self.math(M::Max, &[w, least])?;
        let x_of = self.negate(&y)?;
        let half = self.join(QUATERNION, &[x_of, x, zero, w])?;
        self.math(M::Normalize, &[half])
    }

    /// The quaternion that turns z into a unit normal, and x into a unit tangent.
    pub(super) fn quaternion_of_axes(&mut self, normal: &Value, tangent: &Value) -> Result<Value> {
        let bitangent = self.math(M::Cross, &[normal.clone(), tangent.clone()])?;
        let [tx, ty, tz] = self.components(tangent)?;
        let [bx, by, bz] = self.components(&bitangent)?;
        let [nx, ny, nz] = self.components(normal)?;
        let first = self.join(VECTOR, &[bz, nx, ty])?;
        let second = self.join(VECTOR, &[ny, tz, bx])?;
        let (sums, differences) = (self.add(&first, &second)?, self.subtract(&first, &second)?);
        let mut diagonal = self.data(Data::float(1.0));
        for (component, signs) in [&tx, &by, &nz].into_iter().zip(SIGNS) {
            let signs = self.data(Data::floats(&signs));
            let product = self.multiply(&signs, component)?;
            diagonal = self.add(&diagonal, &product)?;
        }
        let row = self.largest(&tx, &by, &nz)?;
        // Component n is that of the row times column n: first the diagonal, then w, then the rest.
        let last = self.pick(&diagonal, Shape::scalar(Scalar::Float), &[3])?;
        let last = self.join(QUATERNION, &[differences.clone(), last])?;
        let w = self.math(M::Dot, &[last, row.clone()])?;
        let mut xyz = self.data(Data::splat(VECTOR, 0));
        for (values, lanes, factors) in [
            (&diagonal, [0, 1, 2], [0, 1, 2]),
            (&differences, [0, 1, 2], [3, 3, 3]),
            (&sums, [2, 2, 1], [1, 0, 0]),
            (&sums, [1, 0, 0], [2, 2, 1]),
        ] {
            let (values, factors) = (self.pick(values, VECTOR, &lanes)?, self.pick(&row, VECTOR, &factors)?);
            let product = self.multiply(&values, &factors)?;
            xyz = self.add(&xyz, &product)?;
        }
        let all = self.join(QUATERNION, &[xyz, w])?;
        self.math(M::Normalize, &[all])
    }

    /// 1 for a component of at least 1/2, 0 for the others.
    fn largest(&mut self, tx: &Value, by: &Value, nz: &Value) -> Result<Value> {
        let (zero, one) = (self.data(Data::float(0.0)), self.data(Data::float(1.0)));
        let is_behind = self.apply_two(Binary::SltP, nz, &zero)?;
        let is_along = self.apply_two(Binary::SltP, by, tx)?;
        let sum = self.add(tx, by)?;
        let is_turned = self.apply_two(Binary::SltP, &sum, &zero)?;
        let x = self.multiply(&is_behind, &is_along)?;
        let y = self.subtract(&is_behind, &x)?;
        let is_front = self.subtract(&one, &is_behind)?;
        let z = self.multiply(&is_front, &is_turned)?;
        let w = self.subtract(&is_front, &z)?;
        self.join(QUATERNION, &[x, y, z, w])
    }
}

/// The quaternion of a unit normal, or of a normal and a tangent, by definition.
pub(super) fn expected(normal: &[f32], tangent: Option<&[f32]>) -> Option<LaneList<f32>> {
    let &[nx, ny, nz] = normal else { return None };
    let all = match tangent {
        None => [-ny, nx, 0.0, (nz + 1.0).max(SMALLEST_HALF)],
        Some(&[tx, ty, tz]) => {
            let (bx, by, bz) = (ny * tz - nz * ty, nz * tx - nx * tz, nx * ty - ny * tx);
            match (nz < 0.0, by < tx, tx + by < 0.0) {
                (true, true, _) => [1.0 + tx - by - nz, ty + bx, tz + nx, bz - ny],
                (true, false, _) => [ty + bx, 1.0 - tx + by - nz, bz + ny, nx - tz],
                (false, _, true) => [tz + nx, bz + ny, 1.0 - tx - by + nz, ty - bx],
                (false, _, false) => [bz - ny, nx - tz, ty - bx, 1.0 + tx + by + nz],
            }
        }
        Some(_) => return None,
    };
    let length = all.iter().map(|lane| lane * lane).sum::<f32>().sqrt();
    Some(all.iter().map(|lane| lane / length).collect())
}
