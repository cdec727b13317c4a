// Coarse shapes, for pictures of what moves where drawing is slow.

import { Box3, BufferGeometry, Float32BufferAttribute, type TypedArray } from "three";

/** Cells that a shape of any size has along its longest side, at the least. */
const CELLS = 6;

const at = (values: TypedArray, i: number): number => values[i] as number;

/** A shape with one point for each cell of a grid, and sharp edges still sharp; `cell` is the side of a cell in m. */
export function coarsened(geometry: BufferGeometry, cell: number): BufferGeometry {
  const [points, normals] = [geometry.getAttribute("position").array, geometry.getAttribute("normal").array];
  const index = geometry.getIndex()?.array ?? new Uint32Array();
  const { min, max } = geometry.boundingBox ?? new Box3();
  const side = Math.min(cell, Math.max(max.x - min.x, max.y - min.y, max.z - min.z) / CELLS) || 1;
  const [nx, ny] = [Math.floor((max.x - min.x) / side) + 1, Math.floor((max.y - min.y) / side) + 1];
  /** The first point of each cell; the corner made of it for each way that points of the cell look. */
  const [first, corners] = [new Map<number, number>(), new Map<number, number>()];
  const [cells, made] = [new Uint32Array(points.length / 3), new Uint32Array(points.length / 3)];
  const [position, normal]: [number[], number[]] = [[], []];
  for (let i = 0; i < cells.length; i += 1) {
    const [x, y, z] = [at(points, 3 * i) - min.x, at(points, 3 * i + 1) - min.y, at(points, 3 * i + 2) - min.z];
    const place = Math.floor(x / side) + nx * (Math.floor(y / side) + ny * Math.floor(z / side));
    const [a, b, c] = [at(normals, 3 * i), at(normals, 3 * i + 1), at(normals, 3 * i + 2)];
    // Each component of a normal rounded to −1, 0 or 1: 27 ways to look.
    const looks = 27 * place + 9 * Math.round(a) + 3 * Math.round(b) + Math.round(c) + 13;
    const own = first.get(place) ?? i;
    if (own === i) first.set(place, i);
    let corner = corners.get(looks);
    if (corner === undefined) {
      corners.set(looks, (corner = corners.size));
      position.push(at(points, 3 * own), at(points, 3 * own + 1), at(points, 3 * own + 2));
      normal.push(a, b, c);
    }
    cells[i] = own;
    made[i] = corner;
  }
  const kept: number[] = [];
  for (let i = 0; i < index.length; i += 3) {
    const [a, b, c] = [at(index, i), at(index, i + 1), at(index, i + 2)];
    const [p, q, r] = [at(cells, a), at(cells, b), at(cells, c)];
    if (p !== q && q !== r && r !== p) kept.push(at(made, a), at(made, b), at(made, c));
  }
  if (!kept.length) return geometry;
  const coarse = new BufferGeometry().setIndex(kept);
  coarse.setAttribute("position", new Float32BufferAttribute(position, 3));
  return coarse.setAttribute("normal", new Float32BufferAttribute(normal, 3));
}
