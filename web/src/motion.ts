// Poses of bodies along a motion: interpolated between frames, or carried along a twist.

import { Matrix4, Quaternion, Vector3 } from "three";
import type { Block, ClipData } from "./data";

const ONE = new Vector3(1, 1, 1);

/** A pose at index `at` of packed poses (x y z, w x y z) as position and quaternion. */
export function unpack(poses: Float32Array, at: number, p: Vector3, q: Quaternion): void {
  const k = 7 * at;
  const value = (i: number): number => poses[k + i] ?? 0;
  p.set(value(0), value(1), value(2));
  // three has w last.
  q.set(value(4), value(5), value(6), value(3));
}

export class Clip {
  readonly frames: number;
  /** Unpacked when the motion is first shown. */
  private poses: Float32Array | null = null;

  constructor(
    readonly data: ClipData,
    private readonly block: Block,
    private readonly rest: Float32Array,
  ) {
    this.frames = data.values.length;
  }

  /** What the slider reads at a frame, which need not be whole. */
  valueAt(frame: number): number {
    const i = Math.min(Math.floor(frame), this.frames - 1);
    const j = Math.min(i + 1, this.frames - 1);
    return mix(this.data.values[i] ?? 0, this.data.values[j] ?? 0, frame - i);
  }

  /** The frame, which need not be whole, at a value of the slider; values rise. */
  frameAt(value: number): number {
    const values = this.data.values;
    const next = values.findIndex((v) => v >= value);
    if (next <= 0) return next < 0 ? this.frames - 1 : 0;
    const [before, after] = [values[next - 1] ?? 0, values[next] ?? 0];
    return next - 1 + (value - before) / (after - before);
  }

  /** The frame at which every body is nearest to its designed pose. */
  get home(): number {
    if (this.data.kind === "run") return 0;
    return this.data.values.reduce((best, v, i, all) => (Math.abs(v) < Math.abs(all[best] ?? 0) ? i : best), 0);
  }

  apply(frame: number, out: Matrix4[]): void {
    if (this.data.twist) this.alongTwist(this.data.twist, this.valueAt(frame), out);
    else this.alongPoses((this.poses ??= unpackPoses(this.data, this.block)), frame, out);
  }

  private alongPoses(poses: Float32Array, frame: number, out: Matrix4[]): void {
    const n = this.data.bodies.length;
    const i = Math.min(Math.max(Math.floor(frame), 0), this.frames - 1);
    const j = Math.min(i + 1, this.frames - 1);
    const [p, q, p2, q2] = [new Vector3(), new Quaternion(), new Vector3(), new Quaternion()];
    this.data.bodies.forEach((body, k) => {
      unpack(poses, i * n + k, p, q);
      unpack(poses, j * n + k, p2, q2);
      out[body]?.compose(p.lerp(p2, frame - i), q.slerp(q2, frame - i).normalize(), ONE);
    });
  }

  private alongTwist(twist: number[], value: number, out: Matrix4[]): void {
    const [p, q, v, w] = [new Vector3(), new Quaternion(), new Vector3(), new Vector3().fromArray(twist, 3)];
    for (const body of this.data.bodies) {
      unpack(this.rest, body, p, q);
      screw(p, q, v.copy(w).cross(p).add(new Vector3().fromArray(twist)), w, value);
      out[body]?.compose(p, q, ONE);
    }
  }
}

/** Carries a pose along a constant twist (v at the pose's origin, ω; world axes) for a while. */
function screw(p: Vector3, q: Quaternion, v: Vector3, w: Vector3, s: number): void {
  const speed = w.length();
  if (speed < 1e-9) {
    p.addScaledVector(v, s);
    return;
  }
  const axis = w.clone().divideScalar(speed);
  const foot = axis.clone().cross(v).divideScalar(speed).add(p);
  const turn = new Quaternion().setFromAxisAngle(axis, speed * s);
  p.sub(foot).applyQuaternion(turn).add(foot).addScaledVector(axis, axis.dot(v) * s);
  q.premultiply(turn);
}

/** Poses frame by frame, seven numbers a body, from their steps. */
function unpackPoses({ positions, quaternions, low, step }: ClipData, block: Block): Float32Array {
  if (!positions || !quaternions || !low || !step) return new Float32Array();
  const [p, q] = [block.u2(positions), block.i2(quaternions)];
  const count = q.length / 4;
  const poses = new Float32Array(7 * count);
  for (let k = 0; k < count; k += 1) {
    for (let i = 0; i < 3; i += 1) poses[7 * k + i] = (low[i] ?? 0) + (p[3 * k + i] ?? 0) * (step[i] ?? 0);
    for (let i = 0; i < 4; i += 1) poses[7 * k + 3 + i] = (q[4 * k + i] ?? 0) / 32767;
  }
  return poses;
}

function mix(a: number, b: number, t: number): number {
  return a + (b - a) * t;
}
