// Normals of triangle meshes: smooth over faces that meet at a small angle, sharp where they meet at a larger one.

/**
 * Corners with normals, and the triangles by them. `points` are in whole steps, so that corners in one place have one
 * key; `index` names three of them for each triangle; faces within `crease` (rad) of each other share their normals.
 */
export function creased(
  steps: Uint16Array, points: Float32Array, index: Uint32Array, crease: number,
): { corners: Float32Array; normals: Float32Array; triangles: Uint32Array } {
  const place = places(steps);
  const faces = faceNormals(points, index);
  const { start, around } = facesAround(place, index);
  const corners = new Float32Array(3 * index.length);
  const normals = new Float32Array(3 * index.length);
  const triangles = new Uint32Array(index.length);
  // The corners made so far in a place, the last first, as numbers from 1; most places have one, as most faces are smooth.
  const [last, before] = [new Uint32Array(steps.length / 3), new Uint32Array(index.length + 1)];
  const least = Math.cos(crease);
  const normal = new Float32Array(3);
  let made = 0;
  for (let i = 0; i < index.length; i += 1) {
    const own = 3 * Math.floor(i / 3);
    const [ax, ay, az] = [at(faces, own), at(faces, own + 1), at(faces, own + 2)];
    const vertex = at(place, at(index, i));
    let [x, y, z] = [0, 0, 0];
    for (let k = at(start, vertex); k < at(start, vertex + 1); k += 1) {
      const face = 3 * at(around, k);
      const [bx, by, bz] = [at(faces, face), at(faces, face + 1), at(faces, face + 2)];
      if (ax * bx + ay * by + az * bz < least) continue;
      x += bx;
      y += by;
      z += bz;
    }
    const length = Math.hypot(x, y, z) || 1;
    normal.set([x / length, y / length, z / length]);
    let corner = at(last, vertex);
    while (corner && normal.some((n, c) => n !== normals[3 * corner - 3 + c])) corner = at(before, corner);
    if (!corner) {
      corner = made += 1;
      before[corner] = at(last, vertex);
      last[vertex] = corner;
      normals.set(normal, 3 * corner - 3);
      const point = 3 * at(index, i);
      corners.set(points.subarray(point, point + 3), 3 * corner - 3);
    }
    triangles[i] = corner - 1;
  }
  return { corners: corners.slice(0, 3 * made), normals: normals.slice(0, 3 * made), triangles };
}

/** An element that is there. */
function at(values: Float32Array | Uint32Array, i: number): number {
  return values[i] as number;
}

/** A number for each place, by point: points in one place have one number. */
function places(steps: Uint16Array): Uint32Array {
  const count = steps.length / 3;
  const place = new Uint32Array(count);
  const seen = new Map<number, number>();
  for (let i = 0; i < count; i += 1) {
    // Three times 16 bits are 48, of which a number holds 53 exactly.
    const key = ((steps[3 * i] ?? 0) * 65536 + (steps[3 * i + 1] ?? 0)) * 65536 + (steps[3 * i + 2] ?? 0);
    let number = seen.get(key);
    if (number === undefined) {
      number = seen.size;
      seen.set(key, number);
    }
    place[i] = number;
  }
  return place;
}

/** Unit normals of the triangles, three numbers each; zero of one without an area. */
function faceNormals(points: Float32Array, index: Uint32Array): Float32Array {
  const normals = new Float32Array(index.length);
  for (let i = 0; i < index.length; i += 3) {
    const [a, b, c] = [3 * at(index, i), 3 * at(index, i + 1), 3 * at(index, i + 2)];
    const [ax, ay, az] = [at(points, a), at(points, a + 1), at(points, a + 2)];
    const [ux, uy, uz] = [at(points, b) - ax, at(points, b + 1) - ay, at(points, b + 2) - az];
    const [vx, vy, vz] = [at(points, c) - ax, at(points, c + 1) - ay, at(points, c + 2) - az];
    const [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    const length = Math.hypot(x, y, z) || 1;
    normals[i] = x / length;
    normals[i + 1] = y / length;
    normals[i + 2] = z / length;
  }
  return normals;
}

/** The triangles around each place: those of place p are around[start[p]] to around[start[p + 1] − 1]. */
function facesAround(place: Uint32Array, index: Uint32Array): { start: Uint32Array; around: Uint32Array } {
  const start = new Uint32Array(place.length + 2);
  for (const vertex of index) start[at(place, vertex) + 2] = at(start, at(place, vertex) + 2) + 1;
  for (let p = 2; p < start.length; p += 1) start[p] = at(start, p) + at(start, p - 1);
  const around = new Uint32Array(index.length);
  for (let i = 0; i < index.length; i += 1) {
    const p = at(place, at(index, i)) + 1;
    around[at(start, p)] = Math.floor(i / 3);
    start[p] = at(start, p) + 1;
  }
  return { start, around };
}
