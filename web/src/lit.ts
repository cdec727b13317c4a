// The two faces of a mate: lit in two colours, each with an arrow along its normal or axis.

import {
  BufferAttribute, BufferGeometry, ConeGeometry, CylinderGeometry, DoubleSide, Group, Matrix4, Mesh, MeshBasicMaterial,
  Quaternion, Sphere, SphereGeometry, Vector3,
} from "three";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import type { SideData } from "./data";

const Z = new Vector3(0, 0, 1);
const SIDES = ["#1e88ff", "#d6369a"];
/** Share of a shape's radius within which a triangle lies on a face: meshes are packed in steps of 1/65535. */
const NEAR = 2e-3;
const PARALLEL = 0.995;

/** A part that may carry a face of the mate: its triangles, three points each, and its designed pose. */
export interface Carrier {
  geometry: BufferGeometry;
  X_WP: Matrix4;
}

/** Adds the faces and arrows of the sides of a mate to a group, in the world as designed; one child a side. */
export function lightSides(sides: SideData[], carriers: (side: SideData) => Carrier[], radius: number): Group[] {
  return sides.map((side, i) => {
    const group = new Group();
    const solid = litMaterial(SIDES[i % 2]);
    let size = 0;
    for (const carrier of carriers(side)) {
      const faces = facesOn(carrier, side);
      if (!faces) continue;
      faces.computeBoundingSphere();
      size = Math.max(size, faces.boundingSphere?.radius ?? 0);
      group.add(above(new Mesh(faces, solid)));
    }
    const length = Math.min(Math.max(1.2 * size, 0.05 * radius), 0.3 * radius);
    group.add(above(new Mesh(marker(side, length), solid)));
    return group;
  });
}

export function litMaterial(color = "#1e88ff"): MeshBasicMaterial {
  return new MeshBasicMaterial({ color, side: DoubleSide, depthTest: false, transparent: true, opacity: 0.75, forceSinglePass: true });
}

function above(mesh: Mesh): Mesh {
  mesh.renderOrder = 4;
  mesh.frustumCulled = false;
  return mesh;
}

/** An arrow along the direction, or a ball where there is none. */
function marker(side: SideData, length: number): BufferGeometry {
  const at = new Vector3(...side.point);
  if (!side.direction) return new SphereGeometry(0.12 * length, 16, 12).translate(at.x, at.y, at.z);
  const thin = 0.018 * length;
  const rod = new CylinderGeometry(thin, thin, length, 10).rotateX(Math.PI / 2).translate(0, 0, length / 2);
  const tip = new ConeGeometry(4 * thin, 12 * thin, 16).rotateX(Math.PI / 2).translate(0, 0, length);
  const turned = new Matrix4().makeRotationFromQuaternion(
    new Quaternion().setFromUnitVectors(Z, new Vector3(...side.direction).normalize()),
  );
  return mergeGeometries([rod, tip]).applyMatrix4(turned.setPosition(at));
}

/** The triangles of a part that lie on the plane, cylinder or sphere of a side, in world coordinates as designed. */
function facesOn({ geometry, X_WP }: Carrier, side: SideData): BufferGeometry | null {
  const X_PW = X_WP.clone().invert();
  const point = new Vector3(...side.point).applyMatrix4(X_PW);
  const direction = side.direction ? new Vector3(...side.direction).transformDirection(X_PW) : null;
  const around = geometry.boundingSphere ?? new Sphere();
  const near = NEAR * around.radius;
  if (side.kind === "plane" && direction && Math.abs(around.center.clone().sub(point).dot(direction)) > around.radius + near) return null;
  const points = geometry.getAttribute("position");
  const triangles = geometry.getIndex()?.array ?? [];
  const corners = [new Vector3(), new Vector3(), new Vector3()] as const;
  const found: { radius: number; at: number }[] = [];
  for (let i = 0; i < triangles.length; i += 3) {
    corners.forEach((c, k) => c.fromBufferAttribute(points, triangles[i + k] ?? 0).sub(point));
    const radius = onSurface(side, corners, direction, near);
    if (radius !== null) found.push({ radius, at: i });
  }
  const chosen = side.kind === "axis" && side.radius === null ? smallest(found, near) : found;
  if (!chosen.length) return null;
  const out = new Float32Array(9 * chosen.length);
  const v = new Vector3();
  chosen.forEach(({ at }, k) => {
    for (let c = 0; c < 3; c += 1) v.fromBufferAttribute(points, triangles[at + c] ?? 0).applyMatrix4(X_WP).toArray(out, 9 * k + 3 * c);
  });
  return new BufferGeometry().setAttribute("position", new BufferAttribute(out, 3));
}

/** Of an axis without a radius: the triangles of its thinnest cylinder, which is the pin or bore. */
function smallest(found: { radius: number; at: number }[], near: number): { radius: number; at: number }[] {
  const least = Math.min(...found.map((f) => f.radius));
  return found.filter((f) => f.radius < least + 2 * near);
}

const [NORMAL, EDGE, MIDDLE] = [new Vector3(), new Vector3(), new Vector3()];

/** The radius of the surface (0 of a plane) if the triangle lies on the side's surface, else null; corners from its point on. */
function onSurface(side: SideData, corners: readonly [Vector3, Vector3, Vector3], direction: Vector3 | null, near: number): number | null {
  const flat = side.kind === "plane" && direction;
  if (!flat && side.kind !== "axis" && side.kind !== "sphere") return null;
  if (flat && corners.some((c) => Math.abs(c.dot(direction)) >= near)) return null;
  NORMAL.subVectors(corners[1], corners[0]).cross(EDGE.subVectors(corners[2], corners[0]));
  if (NORMAL.lengthSq() === 0) return null;
  NORMAL.normalize();
  if (flat) return Math.abs(NORMAL.dot(direction)) > PARALLEL ? 0 : null;
  if (side.kind === "axis" && direction) for (const c of corners) c.addScaledVector(direction, -c.dot(direction));
  const radii = corners.map((c) => c.length());
  const [low, high] = [Math.min(...radii), Math.max(...radii)];
  if (high - low > near || low < near) return null;
  if (side.radius !== null && Math.abs(low - side.radius) > 2 * near) return null;
  MIDDLE.addVectors(corners[0], corners[1]).add(corners[2]).normalize();
  // The flat end of a pin has its corners on the cylinder as well: only its normal tells.
  return Math.abs(MIDDLE.dot(NORMAL)) > 0.9 ? (low + high) / 2 : null;
}
