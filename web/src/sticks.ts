// Stick figures of bodies that have no shape: a bar from the middle of a body's joints to each of them.

import { BufferAttribute, BufferGeometry, Group, LineBasicMaterial, LineSegments, Vector3 } from "three";
import type { JointData } from "./data";

/** One child for each body without a shape, in the world as designed; null for the others. */
export function stickFigures(joints: JointData[], bodies: number, shaped: Set<number>, origins: Vector3[]): (Group | null)[] {
  return Array.from({ length: bodies }, (_, body) => {
    if (shaped.has(body)) return null;
    const ends = joints.filter((j) => j.a === body || j.b === body).map((j) => new Vector3(...j.origin));
    const own = origins[body];
    if (own && ends.length < 2) ends.push(own.clone());
    if (ends.length < 2) return null;
    const middle = ends.reduce((sum, p) => sum.add(p), new Vector3()).divideScalar(ends.length);
    const points = new Float32Array(6 * ends.length);
    ends.forEach((end, k) => {
      middle.toArray(points, 6 * k);
      end.toArray(points, 6 * k + 3);
    });
    const geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(points, 3));
    const group = new Group();
    group.add(new LineSegments(geometry, new LineBasicMaterial({ color: "#5a6270" })));
    return group;
  });
}
