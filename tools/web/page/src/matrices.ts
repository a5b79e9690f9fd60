// Matrices for uniforms: rows of four, as PICA200 programs multiply them by DP4.

export type Matrix = number[][];
type Vector = [number, number, number];

const subtract = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: Vector, b: Vector) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

function unit(a: Vector): Vector {
  const length = Math.hypot(...a);
  return length > 0 ? [a[0] / length, a[1] / length, a[2] / length] : [0, 0, 0];
}

/** The matrix of a camera; it looks along its negative z axis. */
export function lookAt(eye: Vector, target: Vector, up: Vector = [0, 1, 0]): Matrix {
  const back = unit(subtract(eye, target));
  // A camera that looks straight up or down takes z as up.
  const isParallel = Math.hypot(...cross(up, back)) < 1e-6;
  const right = unit(cross(isParallel ? [0, 0, 1] : up, back));
  const above = cross(back, right);
  return [
    [...right, -dot(right, eye)],
    [...above, -dot(above, eye)],
    [...back, -dot(back, eye)],
    [0, 0, 0, 1],
  ];
}

/**
 * A perspective projection; depth goes from -1 at the near plane to 0 at the far one, as the
 * PICA200 clips.
 */
export function perspective(degrees: number, aspect: number, near: number, far: number): Matrix {
  const scale = 1 / Math.tan((degrees * Math.PI) / 360);
  return [
    [scale / aspect, 0, 0, 0],
    [0, scale, 0, 0],
    [0, 0, near / (near - far), (near * far) / (near - far)],
    [0, 0, -1, 0],
  ];
}

/** A rotation around an axis. */
export function rotation(axis: "x" | "y" | "z", degrees: number): Matrix {
  const [s, c] = [Math.sin((degrees * Math.PI) / 180), Math.cos((degrees * Math.PI) / 180)];
  const rows = {
    x: [
      [1, 0, 0, 0],
      [0, c, -s, 0],
      [0, s, c, 0],
    ],
    y: [
      [c, 0, s, 0],
      [0, 1, 0, 0],
      [-s, 0, c, 0],
    ],
    z: [
      [c, -s, 0, 0],
      [s, c, 0, 0],
      [0, 0, 1, 0],
    ],
  };
  return [...rows[axis], [0, 0, 0, 1]];
}

/** The product of two matrices; rows that one lacks come from the identity. */
export function product(a: Matrix, b: Matrix): Matrix {
  const full = (m: Matrix) => [0, 1, 2, 3].map((row) => m[row] ?? [0, 1, 2, 3].map((column) => Number(row === column)));
  const [left, right] = [full(a), full(b)];
  return left.map((row) =>
    [0, 1, 2, 3].map((column) => row.reduce((sum, value, at) => sum + value * (right[at]?.[column] ?? 0), 0)),
  );
}
