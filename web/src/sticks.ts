// Stick figures of bodies that have no shape: a bar from the middle of a body's joints to each of them.

import { BufferGeometry, CylinderGeometry, Mesh, MeshLambertMaterial, Quaternion, type Sphere, SphereGeometry, Vector3 } from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import type { JointData } from "./data";

const Y = new Vector3(0, 1, 0);

/** One mesh for each body without a shape, in the world as designed; null for the others. `thick` is a bar's radius in m. */
export function stickFigures(
  joints: JointData[], shapes: Sphere[], origins: Vector3[], thick: number,
): (Mesh<BufferGeometry, MeshLambertMaterial> | null)[] {
  return origins.map((own, body) => {
    if ((shapes[body]?.radius ?? -1) >= 0) return null;
    const ends = joints.filter((j) => j.a === body || j.b === body).map((j) => new Vector3(...j.origin));
    if (ends.length < 2) ends.push(own.clone());
    if (ends.length < 2) return null;
    const middle = ends.reduce((sum, p) => sum.add(p), new Vector3()).divideScalar(ends.length);
    const bars = ends.flatMap((end) => [bar(middle, end, thick), new SphereGeometry(1.6 * thick, 12, 8).translate(...end.toArray())]);
    const geometry = mergeGeometries(bars);
    geometry.computeBoundingBox();
    return new Mesh(geometry, new MeshLambertMaterial());
  });
}

/** A round bar between two places. */
export function bar(from: Vector3, to: Vector3, thick: number): BufferGeometry {
  const along = to.clone().sub(from);
  const turned = new Quaternion().setFromUnitVectors(Y, along.clone().normalize());
  const middle = from.clone().add(to).divideScalar(2);
  return new CylinderGeometry(thick, thick, along.length(), 10).applyQuaternion(turned).translate(...middle.toArray());
}
