// The assembly in 3D: parts as instances of shapes, joint axes, redundant mates; what is picked stands out.

import {
  AmbientLight, Box3, BufferAttribute, BufferGeometry, Color, ConeGeometry, CylinderGeometry, DirectionalLight, DoubleSide,
  Group, HemisphereLight, InstancedMesh, Matrix4, Mesh, MeshBasicMaterial, MeshLambertMaterial,
  OctahedronGeometry, PerspectiveCamera, Plane, Quaternion, Raycaster, Sphere, SphereGeometry, TorusGeometry, Vector2, Vector3,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import { coarsened } from "./coarse";
import type { Block, MateState, SceneData, ShapeData } from "./data";
import { Frames } from "./frames";
import { type Carrier, lightSides, litMaterial } from "./lit";
import { unpack } from "./motion";
import { creased } from "./normals";
import { parse, type Ref } from "./selection";
import { bar, stickFigures } from "./sticks";

const CREASE = Math.PI / 6;
/** The whole is seen from the front, a little from the side and above, with room around it to move. */
const FRONT = new Vector3(0.62, -0.72, 0.36).normalize();
const MARGIN = 1.15;
/** Share of the radius of the assembly that a cell of a coarse shape measures. */
const COARSE = 1 / 90;
/** ms of one motion to and fro of what a question is about. */
const SWAY = 2600;
/** How often it is shown. */
const TIMES = 3;
const ZERO = new Vector3();
const Z = new Vector3(0, 0, 1);
const COLOURS = { stick: "#8b95a5", joint: "#2f7de1", picked: "#1e88ff", second: "#d6369a", redundant: "#e8860c", conflicting: "#d6293e" };

/** All instances of one shape that are drawn alike. */
interface Layer {
  mesh: InstancedMesh;
  /** Which part each instance is. */
  parts: number[];
}

interface Shape {
  fine: BufferGeometry;
  /** Made when it is first needed. */
  coarse?: BufferGeometry;
}

/** A place on a part (m, world), and the normal there; the part is -1 on the stick figure of a body. */
export interface Met {
  part: number;
  body: number;
  point: Vector3;
  normal: Vector3;
}

/** A motion about an axis (rad, to either side) or along it (m). */
export interface Motion {
  point: [number, number, number];
  axis: [number, number, number];
  turn: number;
  slide: number;
}

/** Two parts to be lit, and those that move. */
export interface Pointed {
  first: number;
  second: number;
  moving: number[];
  motion: Motion | null;
}

interface Placed {
  body: number;
  matrix: Matrix4;
}

/** A force at a place of a body as designed (m, world); `along` in parts of the radius of the assembly. */
export interface Arrow {
  body: number;
  from: Vector3;
  along: Vector3;
  colour: string;
}

export class Picture {
  readonly canvas: HTMLCanvasElement;
  readonly bodies: Matrix4[];
  private readonly frames: Frames;
  private readonly camera = new PerspectiveCamera(32, 1, 0.01, 100);
  private readonly controls: OrbitControls;
  private readonly rest: Matrix4[];
  private readonly parts: { shape: number; body: number; local: Matrix4; colour: Color }[] = [];
  private readonly shapes: Shape[] = [];
  /** What is shown, by shape; what is picked, by shape, in front of it. */
  private readonly all: Layer[] = [];
  private readonly own: Layer[] = [];
  private readonly opaque = new MeshLambertMaterial({ side: DoubleSide });
  private readonly glass = seenThrough(0.3);
  private readonly ghost = seenThrough(0.1);
  private readonly joints: { group: Group; placed: Placed }[] = [];
  private readonly jointGroup = new Group();
  private mateMarks: { mesh: InstancedMesh; mates: number[]; placed: Placed[] } | null = null;
  private readonly radius: number;
  private readonly centre: Vector3;
  private picked = new Set<number>();
  private pointed: Pointed | null = null;
  private moving = new Set<number>();
  /** The displacement in the world of the parts that move. */
  private readonly sway = new Matrix4();
  private swaying = 0;
  private pickedRef: Ref | null = null;
  private readonly hidden = new Set<number>();
  private readonly explodeOffsets: Vector3[] = [];
  private exploded = 0;
  private lit: { group: Group; placed: Placed }[] = [];
  private forces: { group: Mesh; placed: Placed }[] = [];
  private readonly sticks: { group: ReturnType<typeof stickFigures>[number] & object; placed: Placed }[] = [];
  private measured: { on: boolean; from: Vector3 | null } = { on: false, from: null };
  private ruled: Mesh | null = null;
  private seeThrough = false;
  private prepared = false;
  /** Whether the view is still that of `home`. */
  private whole = true;

  constructor(
    private readonly data: SceneData,
    block: Block,
    context: WebGL2RenderingContext,
    holder: HTMLElement,
  ) {
    this.frames = new Frames(context, this.camera, () => this.prepare(), (coarse) => this.coarsen(coarse));
    this.canvas = this.frames.canvas;
    holder.append(this.canvas);
    this.rest = restPoses(block.f4(data.bodies.pose), data.bodies.names.length);
    this.bodies = this.rest.map((m) => m.clone());
    this.readParts(block);
    this.addShapes(block);
    const around = this.bounds();
    this.radius = around.radius;
    this.centre = around.center;
    this.addJoints();
    this.addSticks();
    this.addMates();
    this.spread();
    this.light();
    this.controls = new OrbitControls(this.camera, this.canvas);
    this.camera.up.copy(Z);
    this.controls.addEventListener("change", () => this.frames.draw());
    this.resize(holder);
    this.home();
    this.controls.addEventListener("start", () => (this.whole = false));
    let size = `${holder.clientWidth} ${holder.clientHeight}`;
    new ResizeObserver(() => {
      // It tells of the first size too, which is drawn already.
      if (size !== (size = `${holder.clientWidth} ${holder.clientHeight}`)) this.resize(holder);
    }).observe(holder);
    this.arrange();
  }

  /** The whole assembly from the front, a little to the side and above. */
  home(): void {
    this.whole = true;
    const { distance, target } = this.fit(FRONT);
    this.controls.target.copy(target);
    this.camera.position.copy(target).addScaledVector(FRONT, distance);
    this.camera.near = distance / 200;
    this.camera.far = distance * 20;
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.frames.draw();
  }

  /** From where, looking against a direction, all parts fill the picture but for a margin for their motion. */
  private fit(towards: Vector3): { distance: number; target: Vector3 } {
    const right = new Vector3().crossVectors(Z, towards).normalize();
    const up = new Vector3().crossVectors(towards, right);
    const high = Math.tan((this.camera.fov * Math.PI) / 360);
    const wide = high * this.camera.aspect;
    const seen = this.corners().map((p) => new Vector3(p.dot(right), p.dot(up), p.dot(towards)));
    const box = new Box3().setFromPoints(seen);
    const middle = box.getCenter(new Vector3());
    const needed = seen.map((p) => p.z - middle.z + Math.max(Math.abs(p.x - middle.x) / wide, Math.abs(p.y - middle.y) / high));
    const distance = Math.max(MARGIN * Math.max(...needed), 0.5 * this.radius);
    const target = right.multiplyScalar(middle.x).addScaledVector(up, middle.y).addScaledVector(towards, middle.z);
    return { distance, target };
  }

  /** The corners of the boxes around all parts; without parts those around the joints and bodies. */
  private corners(): Vector3[] {
    const found: Vector3[] = [];
    const add = (box: Box3, placed: Matrix4 | null): void => {
      for (let k = 0; k < 8; k += 1) {
        const end = [k & 1 ? box.max : box.min, k & 2 ? box.max : box.min, k & 4 ? box.max : box.min] as const;
        const corner = new Vector3(end[0].x, end[1].y, end[2].z);
        found.push(placed ? corner.applyMatrix4(placed) : corner);
      }
    };
    const m = new Matrix4();
    this.parts.forEach((part, i) => {
      const geometry = this.shapes[part.shape]?.fine;
      if (geometry?.boundingBox) add(geometry.boundingBox, this.placePart(i, m));
    });
    for (const { group } of this.sticks) if (group.geometry.boundingBox) add(group.geometry.boundingBox, null);
    // Mates may lie apart along the axis of one joint: a stick figure does not reach them.
    if (this.sticks.length) found.push(...this.matePoints());
    if (!found.length) add(new Box3().setFromCenterAndSize(this.centre, new Vector3().setScalar(2 * this.radius)), null);
    return found;
  }

  /** Where the mates are (m, world, as designed). */
  private matePoints(): Vector3[] {
    return this.data.mates.flatMap((mate) => (mate.point ? [new Vector3(...mate.point)] : []));
  }

  /** The view as numbers, to be taken up again. */
  get view(): number[] {
    return this.whole ? [] : [...this.camera.position.toArray(), ...this.controls.target.toArray()];
  }

  set view(numbers: number[]) {
    if (numbers.length !== 6) return;
    this.whole = false;
    this.camera.position.fromArray(numbers);
    this.controls.target.fromArray(numbers, 3);
    this.controls.update();
    this.frames.draw();
  }

  /** Turn (rad) about the vertical and up, and come nearer by a factor. */
  turn(around: number, up: number, nearer: number): void {
    this.whole = false;
    const offset = this.camera.position.clone().sub(this.controls.target);
    const azimuth = Math.atan2(offset.y, offset.x) + around;
    const height = Math.asin(Math.max(-1, Math.min(1, offset.z / offset.length())));
    // Short of the poles, where the vertical has no direction on the canvas.
    const tilt = Math.max(-1.5, Math.min(1.5, height + up));
    offset.setLength(offset.length() / nearer);
    const r = offset.length();
    offset.set(r * Math.cos(tilt) * Math.cos(azimuth), r * Math.cos(tilt) * Math.sin(azimuth), r * Math.sin(tilt));
    this.camera.position.copy(this.controls.target).add(offset);
    this.controls.update();
    this.frames.draw();
  }

  showJoints(shown: boolean): void {
    this.jointGroup.visible = shown;
    this.frames.draw(false);
  }

  showMates(shown: boolean): void {
    if (this.mateMarks) this.mateMarks.mesh.visible = shown;
    this.frames.draw(false);
  }

  showThrough(through: boolean): void {
    this.seeThrough = through;
    this.arrange();
  }

  reset(): void {
    this.rest.forEach((m, i) => this.bodies[i]?.copy(m));
    this.moved();
  }

  /** Light two parts in two colours; the rest fades, and some parts may move to and fro. Null ends it. */
  point(what: Pointed | null): void {
    this.pick(what ? null : this.pickedRef);
    if (!what) return;
    this.pointed = what;
    this.picked = new Set([what.first, what.second]);
    this.moving = new Set(what.moving);
    this.arrangePicked();
    if (what.motion) this.swayAlong(what.motion);
    this.moved();
  }

  /** What is picked ends what is pointed at. */
  private endPointing(): void {
    if (!this.pointed) return;
    cancelAnimationFrame(this.swaying);
    this.pointed = null;
    this.moving.clear();
    this.sway.identity();
    this.rule(null);
    this.moved();
  }

  /** Move the parts that move to and fro about an axis, which is drawn, or along it. */
  private swayAlong({ point, axis, turn, slide }: Motion): void {
    const [at, along] = [new Vector3(...point), new Vector3(...axis).normalize()];
    const reach = 0.35 * this.radius;
    this.rule([at.clone().addScaledVector(along, -reach), at.clone().addScaledVector(along, reach)], COLOURS.redundant);
    const started = performance.now();
    const step = (now: number): void => {
      const turns = (now - started) / SWAY;
      const share = turns < TIMES ? Math.sin(2 * Math.PI * turns) : 0;
      this.sway.makeRotationAxis(along, turn * share);
      const moved = at.clone().sub(at.clone().applyMatrix4(this.sway)).addScaledVector(along, slide * share);
      this.sway.setPosition(moved);
      this.moved();
      if (turns < TIMES) this.swaying = requestAnimationFrame(step);
    };
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    this.swaying = requestAnimationFrame(step);
  }

  /** Highlight what a reference stands for; the rest fades. */
  pick(ref: Ref | null): void {
    this.endPointing();
    this.pickedRef = ref;
    this.picked = ref === null ? new Set() : this.partsOf(ref);
    this.lightMate(ref);
    this.joints.forEach(({ group }, i) => {
      const own = ref === `joint:${i}`;
      group.scale.setScalar(own ? 1.6 : 1);
      colourOf(group, own ? COLOURS.picked : stateColour(this.data.joints[i]?.state ?? ""));
    });
    for (const { group, placed } of this.sticks) group.material.color.set(ref === `body:${placed.body}` ? COLOURS.picked : COLOURS.stick);
    this.colourMates();
    this.arrangePicked();
    this.frames.draw(this.sticks.length > 0);
  }

  /** What lies under a point of the canvas, in pixels from its corner. */
  under(x: number, y: number): Ref | null {
    const caster = this.ray(x, y);
    if (this.jointGroup.visible) {
      const hit = caster.intersectObject(this.jointGroup, true)[0];
      const index = this.joints.findIndex(({ group }) => group === hit?.object.parent);
      if (index >= 0) return `joint:${index}`;
    }
    if (this.mateMarks?.mesh.visible) {
      const hit = caster.intersectObject(this.mateMarks.mesh)[0];
      const mate = hit?.instanceId === undefined ? undefined : this.mateMarks.mates[hit.instanceId];
      if (mate !== undefined) return `mate:${mate}`;
    }
    const met = this.met(x, y);
    return met && (met.part < 0 ? `body:${met.body}` : `part:${met.part}`);
  }

  /** The nearest part under a point of the canvas, a faint one where there is no other; what is cut away is not there. */
  met(x: number, y: number): Met | null {
    const caster = this.ray(x, y);
    for (const layers of [this.own, this.all]) {
      let nearest: (Met & { distance: number }) | null = null;
      for (const { mesh, parts } of layers) {
        if (mesh.count === 0) continue;
        // three keeps the sphere of the first call, though the instances have moved since.
        mesh.boundingSphere = null;
        for (const { distance, point, face, instanceId } of caster.intersectObject(mesh)) {
          const part = instanceId === undefined ? undefined : parts[instanceId];
          const cut = this.frames.cuts.some((plane) => plane.distanceToPoint(point) < 0);
          if (part === undefined || !face || cut || (nearest && distance >= nearest.distance)) continue;
          const normal = face.normal.clone().transformDirection(this.placePart(part, new Matrix4()));
          nearest = { distance, part, body: this.parts[part]?.body ?? -1, point, normal };
        }
      }
      if (nearest) return nearest;
    }
    const hit = caster.intersectObjects(this.sticks.map(({ group }) => group))[0];
    const stick = hit && this.sticks.find(({ group }) => group === hit.object);
    return stick && hit.face ? { part: -1, body: stick.placed.body, point: hit.point, normal: hit.face.normal } : null;
  }

  /** The place under a point of the canvas that is as far away as another place. */
  beside(x: number, y: number, place: Vector3): Vector3 {
    const facing = new Plane().setFromNormalAndCoplanarPoint(this.camera.getWorldDirection(new Vector3()), place);
    return this.ray(x, y).ray.intersectPlane(facing, new Vector3()) ?? place.clone();
  }

  /** Where a place stands on the canvas, in pixels from its corner. */
  onCanvas(place: Vector3): { x: number; y: number } {
    const p = place.clone().project(this.camera);
    return { x: ((p.x + 1) * this.canvas.clientWidth) / 2, y: ((1 - p.y) * this.canvas.clientHeight) / 2 };
  }

  /** Poses of all bodies: position and quaternion (w first), seven numbers each. */
  put(poses: Float32Array): void {
    restPoses(poses, this.bodies.length).forEach((pose, i) => this.bodies[i]?.copy(pose));
    this.moved();
  }

  /** Whether parts are where they are drawn, and a drag may move them. */
  get movable(): boolean {
    return this.exploded === 0 && !this.measured.on;
  }

  /** Whether a drag turns the view. */
  turning(on: boolean): void {
    this.controls.enabled = on;
  }

  /** Draw a line between two places, in place of the last; null takes it away. */
  rule(ends: [Vector3, Vector3] | null, colour = "#d6369a"): void {
    this.ruled?.removeFromParent();
    this.ruled = ends && over(bar(...ends, 0.003 * this.radius), colour, 5);
    if (this.ruled) this.frames.front.add(this.ruled);
    this.frames.draw(false);
  }

  /** Draw arrows in place of the last; they move with their bodies. */
  arrows(wanted: Arrow[]): void {
    for (const { group } of this.forces) {
      group.removeFromParent();
      group.geometry.dispose();
    }
    this.forces = wanted.map(({ body, from, along, colour }) => {
      const group = over(arrow(from, along.clone().multiplyScalar(this.radius), 0.009 * this.radius), colour, 6);
      this.frames.front.add(group);
      return { group, placed: this.fixedTo(body, new Matrix4()) };
    });
    const m = new Matrix4();
    for (const { group, placed } of this.forces) this.place(placed, m).decompose(group.position, group.quaternion, new Vector3());
    this.frames.draw(false);
  }

  /** Poses of bodies have changed. */
  moved(): void {
    const m = new Matrix4();
    this.placeParts(this.all);
    this.placeParts(this.own);
    for (const { group, placed } of [...this.joints, ...this.lit, ...this.sticks, ...this.forces]) this.place(placed, m).decompose(group.position, group.quaternion, new Vector3());
    this.placeMates();
    this.frames.draw();
  }

  /** Move near to what is picked. */
  focus(): void {
    const around = new Sphere(ZERO.clone(), -1);
    const m = new Matrix4();
    for (const i of this.picked) {
      const sphere = this.shapes[this.parts[i]?.shape ?? -1]?.fine.boundingSphere;
      if (sphere) around.union(sphere.clone().applyMatrix4(this.placePart(i, m)));
    }
    if (around.radius <= 0) return;
    this.whole = false;
    const offset = this.camera.position.clone().sub(this.controls.target);
    offset.setLength((1.3 * around.radius) / Math.sin((this.camera.fov * Math.PI) / 360));
    this.controls.target.copy(around.center);
    this.camera.position.copy(around.center).add(offset);
    this.camera.near = Math.min(this.camera.near, offset.length() / 100);
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.frames.draw();
  }

  hidePicked(): void {
    for (const part of this.picked) this.hidden.add(part);
    this.arrange();
  }

  isolatePicked(): void {
    this.parts.forEach((_, i) => (this.picked.has(i) ? this.hidden.delete(i) : this.hidden.add(i)));
    this.arrange();
  }

  showAll(): void {
    this.hidden.clear();
    this.arrange();
  }

  /** How many parts are shown. */
  get shown(): number {
    return this.parts.length - this.hidden.size;
  }

  /** Cut away what lies beyond a plane; `at` goes from -1 to 1 across the assembly. */
  cut(axis: "x" | "y" | "z" | null, at: number): void {
    // The half that is nearer in the first view (FRONT) goes: +x, −y and +z.
    const normal = new Vector3(axis === "x" ? -1 : 0, axis === "y" ? 1 : 0, axis === "z" ? -1 : 0);
    const place = this.centre.clone().addScaledVector(normal, -at * this.radius);
    this.frames.cuts = axis ? [new Plane().setFromNormalAndCoplanarPoint(normal, place)] : [];
  }

  /** Move the bodies apart, from 0 (as placed) to 1. */
  explode(share: number): void {
    this.exploded = share;
    this.moved();
  }

  measuring(on: boolean): void {
    this.measured = { on, from: null };
    this.rule(null);
  }

  /** Where measuring: takes a point under the pointer; the distance in mm and its components once there are two. */
  measure(x: number, y: number): string | null {
    if (!this.measured.on) return null;
    const point = this.met(x, y)?.point;
    if (!point) return "Click on a part.";
    const { from } = this.measured;
    this.measured = { on: true, from: from ? null : point };
    this.rule(from && [from, point]);
    if (!from) return "Click the second point.";
    const mm = (value: number): string => (1e3 * value).toPrecision(4);
    const d = point.clone().sub(from);
    return `distance ${mm(d.length())} mm (x ${mm(d.x)}, y ${mm(d.y)}, z ${mm(d.z)})`;
  }

  /** The picture as a PNG, drawn anew. */
  image(): Promise<Blob> {
    return new Promise((done) => this.frames.drawNow().toBlob((blob) => done(blob ?? new Blob())));
  }

  /** The picture as the address of a PNG, drawn anew. */
  address(): string {
    return this.frames.drawNow().toDataURL("image/png");
  }

  private ray(x: number, y: number): Raycaster {
    const caster = new Raycaster();
    const point = new Vector2((2 * x) / this.canvas.clientWidth - 1, 1 - (2 * y) / this.canvas.clientHeight);
    caster.setFromCamera(point, this.camera);
    return caster;
  }

  /** Where each body goes in the exploded view: away from the middle, the farther the farther out it is. */
  private spread(): void {
    for (const sphere of this.bodySpheres()) {
      this.explodeOffsets.push(sphere.radius > 0 ? sphere.center.clone().sub(this.centre).multiplyScalar(0.9) : new Vector3());
    }
  }

  private addSticks(): void {
    const origins = this.rest.map((m) => new Vector3().setFromMatrixPosition(m));
    stickFigures(this.data.joints, this.bodySpheres(), origins, 0.012 * this.radius).forEach((group, body) => {
      if (!group) return;
      group.material.color.set(COLOURS.stick);
      this.frames.behind.add(group);
      this.sticks.push({ group, placed: this.fixedTo(body, new Matrix4()) });
    });
  }

  /** Light the faces of the mate that is picked. */
  private lightMate(ref: Ref | null): void {
    for (const { group } of this.lit) group.removeFromParent();
    const { kind, index } = ref ? parse(ref) : { kind: "", index: -1 };
    const mate = kind === "mate" ? this.data.mates[index] : undefined;
    if (!mate) {
      this.lit = [];
      return;
    }
    const carriers = (side: { parts: number[] }): Carrier[] => side.parts.flatMap((i) => {
      const part = this.parts[i];
      const geometry = this.shapes[part?.shape ?? -1]?.fine;
      if (!part || !geometry) return [];
      const rest = this.rest[part.body];
      return [{ geometry, X_WP: rest ? rest.clone().multiply(part.local) : part.local.clone() }];
    });
    this.lit = lightSides(mate.sides, carriers, this.radius).map((group, i) => {
      this.frames.front.add(group);
      return { group, placed: this.fixedTo(mate.sides[i]?.body ?? -1, new Matrix4()) };
    });
  }

  private readParts(block: Block): void {
    const { shape, body, pose, colour } = this.data.parts;
    const [shapes, bodies, poses, colours] = [block.i4(shape), block.i4(body), block.f4(pose), block.f4(colour)];
    for (let i = 0; i < shapes.length; i += 1) {
      const row = [...poses.subarray(12 * i, 12 * i + 12), 0, 0, 0, 1];
      const rgb = colours.subarray(3 * i, 3 * i + 3);
      this.parts.push({
        shape: shapes[i] ?? -1,
        body: bodies[i] ?? -1,
        local: new Matrix4().fromArray(row).transpose(),
        colour: new Color().setRGB(rgb[0] ?? 0.6, rgb[1] ?? 0.6, rgb[2] ?? 0.6, "srgb"),
      });
    }
  }

  private addShapes(block: Block): void {
    const count = this.data.shapes.map(() => 0);
    for (const part of this.parts) if (part.shape >= 0) count[part.shape] = (count[part.shape] ?? 0) + 1;
    this.data.shapes.forEach((shape, i) => {
      const fine = geometryOf(shape, block);
      this.shapes.push({ fine });
      for (const [layers, scene] of [[this.all, this.frames.behind], [this.own, this.frames.front]] as const) {
        const mesh = new InstancedMesh(fine, this.opaque, Math.max(count[i] ?? 0, 1));
        // three would leave it out by a sphere that it computes once, though the instances move.
        mesh.frustumCulled = false;
        scene.add(mesh);
        layers.push({ mesh, parts: [] });
      }
    });
  }

  /** For where drawing is slow: make the coarse shapes, and have the shaders that the first selection of a mate needs. */
  private prepare(): void {
    if (this.prepared) return;
    this.prepared = true;
    this.coarsen(true);
    this.coarsen(false);
    const nothing = new BufferGeometry().setFromPoints([ZERO, ZERO, ZERO]);
    nothing.setAttribute("normal", nothing.getAttribute("position"));
    const pane = new InstancedMesh(nothing, this.glass, 1);
    pane.setColorAt(0, new Color());
    this.frames.front.add(new Mesh(nothing, litMaterial()), pane);
    this.frames.draw(false);
  }

  /** Show all shapes coarsely, or as they are. */
  private coarsen(coarse: boolean): void {
    this.shapes.forEach((shape, i) => {
      const geometry = coarse ? (shape.coarse ??= coarsened(shape.fine, COARSE * this.radius)) : shape.fine;
      for (const layers of [this.all, this.own]) if (layers[i]) layers[i].mesh.geometry = geometry;
    });
  }

  private bounds(): Sphere {
    const all = new Sphere(ZERO.clone(), -1);
    const m = new Matrix4();
    this.parts.forEach((part, i) => {
      const geometry = this.shapes[part.shape]?.fine;
      if (!geometry?.boundingSphere) return;
      all.union(geometry.boundingSphere.clone().applyMatrix4(this.placePart(i, m)));
    });
    if (all.radius <= 0) {
      for (const joint of this.data.joints) all.expandByPoint(new Vector3(...joint.origin));
      for (const point of this.matePoints()) all.expandByPoint(point);
      for (const body of this.rest) all.expandByPoint(new Vector3().setFromMatrixPosition(body));
      if (all.radius <= 0) all.radius = 1;
    }
    return all;
  }

  /** A glyph for each joint, as large as the smaller of its bodies allows. */
  private addJoints(): void {
    const size = this.bodySpheres().map((s) => Math.max(s.radius, 0));
    this.data.joints.forEach((joint, i) => {
      const body = Math.min(...[joint.a, joint.b].filter((k) => k >= 0).map((k) => size[k] || this.radius));
      const length = Math.min(Math.max(0.9 * body, 0.02 * this.radius), 0.22 * this.radius);
      const group = glyph(length, joint.type);
      colourOf(group, stateColour(joint.state));
      group.userData["joint"] = i;
      const designed = new Matrix4().compose(
        new Vector3(...joint.origin), new Quaternion().setFromUnitVectors(Z, new Vector3(...joint.axis).normalize()),
        new Vector3(1, 1, 1),
      );
      const placed = this.fixedTo(joint.a, designed);
      this.joints.push({ group, placed });
      this.jointGroup.add(group);
    });
    this.frames.front.add(this.jointGroup);
  }

  /** A sphere around the parts of each body as designed, of radius -1 where it has none. */
  private bodySpheres(): Sphere[] {
    const spheres = this.rest.map(() => new Sphere(ZERO.clone(), -1));
    const m = new Matrix4();
    this.parts.forEach((part, i) => {
      const sphere = this.shapes[part.shape]?.fine.boundingSphere;
      if (sphere) spheres[part.body]?.union(sphere.clone().applyMatrix4(this.placePart(i, m)));
    });
    return spheres;
  }

  private addMates(): void {
    const marked = this.data.mates.flatMap((mate, i) => (mate.state && mate.point ? [{ mate, i }] : []));
    if (!marked.length) return;
    const material = new MeshBasicMaterial({ depthTest: false, transparent: true, opacity: 0.9 });
    const mesh = new InstancedMesh(new OctahedronGeometry(0.011 * this.radius), material, marked.length);
    mesh.frustumCulled = false;
    mesh.renderOrder = 3;
    this.mateMarks = {
      mesh,
      mates: marked.map(({ i }) => i),
      placed: marked.map(({ mate }) => this.fixedTo(mate.body, new Matrix4().setPosition(...(mate.point ?? [0, 0, 0])))),
    };
    this.frames.front.add(mesh);
    this.colourMates();
  }

  private colourMates(): void {
    const marks = this.mateMarks;
    if (!marks) return;
    marks.mates.forEach((mate, i) => {
      const own = this.pickedRef === `mate:${mate}`;
      marks.mesh.setColorAt(i, new Color(own ? COLOURS.picked : stateColour(this.data.mates[mate]?.state ?? "")));
    });
    if (marks.mesh.instanceColor) marks.mesh.instanceColor.needsUpdate = true;
  }

  private placeMates(): void {
    const marks = this.mateMarks;
    if (!marks) return;
    const m = new Matrix4();
    marks.placed.forEach((placed, i) => marks.mesh.setMatrixAt(i, this.place(placed, m)));
    marks.mesh.instanceMatrix.needsUpdate = true;
    marks.mesh.boundingSphere = null;
  }

  private light(): void {
    const sun = new DirectionalLight("#ffffff", 1.9);
    const side = new DirectionalLight("#cfdcff", 0.7);
    sun.position.set(0.5, -0.9, 1.2);
    side.position.set(-1.2, -0.2, 0.3);
    const lights = [new HemisphereLight("#ffffff", "#8a8f99", 1.1), new AmbientLight("#ffffff", 0.25), sun, side];
    this.frames.behind.add(...lights);
    this.frames.front.add(...lights.map((light) => light.clone()));
  }

  private resize(holder: HTMLElement): void {
    const [w, h] = [holder.clientWidth, holder.clientHeight];
    if (!w || !h) return; // not shown: on paper, whose picture is drawn at the size before
    this.frames.resize(w, h);
    this.camera.aspect = w / h;
    this.camera.updateProjectionMatrix();
    // As long as nobody has turned or moved the view, it shows the whole in a window of any shape.
    if (this.whole) this.home();
    else this.frames.draw();
  }

  /** All parts that are not hidden, each in its colour. */
  private arrange(): void {
    this.fill(this.all, (part) => !this.hidden.has(part), this.seeThrough ? this.ghost : this.opaque);
    this.arrangePicked();
    this.frames.draw();
  }

  /** What is picked, in front of the rest, which is faint then. The faces of a mate lie between its parts: those are seen through. */
  private arrangePicked(): void {
    this.fill(this.own, (part) => this.picked.has(part) && !this.hidden.has(part), this.lit.length ? this.glass : this.opaque);
    this.frames.faint = this.picked.size > 0;
  }

  private fill(layers: Layer[], wanted: (part: number) => boolean, material: MeshLambertMaterial): void {
    for (const layer of layers) layer.parts = [];
    this.parts.forEach((part, i) => wanted(i) && layers[part.shape]?.parts.push(i));
    const shade = new Color();
    for (const { mesh, parts } of layers) {
      mesh.material = material;
      mesh.count = parts.length;
      mesh.visible = parts.length > 0; // what shows nothing needs no shader
      parts.forEach((part, i) => mesh.setColorAt(i, this.shadeOf(part, layers === this.own, shade)));
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
    this.placeParts(layers);
  }

  private placeParts(layers: Layer[]): void {
    const m = new Matrix4();
    for (const { mesh, parts } of layers) {
      parts.forEach((part, i) => mesh.setMatrixAt(i, this.placePart(part, m)));
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  private shadeOf(part: number, own: boolean, out: Color): Color {
    out.copy(this.parts[part]?.colour ?? out);
    const kind = this.pickedRef ? parse(this.pickedRef).kind : "";
    if (own && this.pointed) return out.set(part === this.pointed.first ? COLOURS.picked : COLOURS.second);
    if (own && (kind === "part" || kind === "mate")) out.lerp(new Color(COLOURS.picked), 0.6);
    return out;
  }

  private partsOf(ref: Ref): Set<number> {
    const { kind, index } = parse(ref);
    const ofBodies = (...bodies: number[]): Set<number> =>
      new Set(this.parts.flatMap((part, i) => (bodies.includes(part.body) ? [i] : [])));
    const joint = this.data.joints[index];
    switch (kind) {
      case "part": return new Set([index]);
      case "body": return ofBodies(index);
      case "joint": return joint ? ofBodies(...[joint.a, joint.b].filter((b) => b >= 0)) : new Set();
      case "gear": return ofBodies(...(this.data.gears[index]?.bodies ?? []));
      case "mate": return new Set(this.data.mates[index]?.parts ?? []);
      default: return new Set();
    }
  }

  private fixedTo(body: number, designed: Matrix4): Placed {
    const rest = this.rest[body];
    return { body, matrix: rest ? rest.clone().invert().multiply(designed) : designed };
  }

  private place({ body, matrix }: Placed, out: Matrix4): Matrix4 {
    const pose = this.bodies[body];
    return pose ? out.multiplyMatrices(pose, matrix) : out.copy(matrix);
  }

  private placePart(part: number, out: Matrix4): Matrix4 {
    const it = this.parts[part];
    if (!it) return out.identity();
    this.place({ body: it.body, matrix: it.local }, out);
    const offset = this.explodeOffsets[it.body];
    if (this.moving.has(part)) out.premultiply(this.sway);
    if (offset && this.exploded) out.premultiply(new Matrix4().makeTranslation(offset.clone().multiplyScalar(this.exploded)));
    return out;
  }
}

function restPoses(packed: Float32Array, count: number): Matrix4[] {
  const [p, q, one] = [new Vector3(), new Quaternion(), new Vector3(1, 1, 1)];
  return Array.from({ length: count }, (_, i) => {
    unpack(packed, i, p, q);
    return new Matrix4().compose(p, q, one);
  });
}

function geometryOf(shape: ShapeData, block: Block): BufferGeometry {
  const steps = block.u2(shape.vertices);
  const points = new Float32Array(steps.length);
  for (let i = 0; i < steps.length; i += 1) {
    points[i] = (shape.low[i % 3] ?? 0) + (steps[i] ?? 0) * (shape.step[i % 3] ?? 0);
  }
  const differences = block.u4(shape.triangles);
  const index = new Uint32Array(differences.length);
  let last = 0;
  for (let i = 0; i < differences.length; i += 1) {
    // Differences are packed modulo 2³² (cadbridge/report/page/meshes.py).
    last = (last + (differences[i] ?? 0)) >>> 0;
    index[i] = last;
  }
  const { corners, normals, triangles } = creased(steps, points, index, CREASE);
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(corners, 3));
  geometry.setAttribute("normal", new BufferAttribute(normals, 3));
  geometry.setIndex(new BufferAttribute(triangles, 1));
  geometry.computeBoundingSphere();
  geometry.computeBoundingBox();
  return geometry;
}

/** An axis with an arrow, and a ring where it turns; a ball where it turns about every axis. */
function glyph(length: number, type: string): Group {
  const group = new Group();
  const thin = 0.012 * length + 0.0002;
  if (type === "spherical") return group.add(over(new SphereGeometry(0.16 * length, 24, 16)));
  const rod = new CylinderGeometry(thin, thin, 2 * length, 6).rotateX(Math.PI / 2);
  const tip = new ConeGeometry(5 * thin, 16 * thin, 12).rotateX(Math.PI / 2).translate(0, 0, length);
  const shapes: BufferGeometry[] = [rod, tip];
  if (type !== "prismatic") shapes.push(new TorusGeometry(0.22 * length, 2 * thin, 5, 30));
  return group.add(over(mergeGeometries(shapes)));
}

/** An arrow from a place: a bar with a cone at its end. */
function arrow(from: Vector3, along: Vector3, thick: number): BufferGeometry {
  const head = Math.min(6 * thick, 0.5 * along.length());
  const neck = from.clone().add(along.clone().setLength(along.length() - head));
  const turned = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), along.clone().normalize());
  const cone = new ConeGeometry(2.6 * thick, head, 16).translate(0, head / 2, 0).applyQuaternion(turned).translate(...neck.toArray());
  return mergeGeometries([bar(from, neck, thick), cone]);
}

/** A mesh that parts do not hide. */
function over(geometry: BufferGeometry, color: string = COLOURS.joint, order = 2): Mesh {
  const mesh = new Mesh(geometry, new MeshBasicMaterial({ color, depthTest: false, transparent: true, opacity: 0.85 }));
  mesh.renderOrder = order;
  return mesh;
}

function seenThrough(opacity: number): MeshLambertMaterial {
  const material = new MeshLambertMaterial({ side: DoubleSide, transparent: true, opacity, depthWrite: false });
  // three draws what has two sides and is seen through twice otherwise: first the backs, then the fronts.
  material.forceSinglePass = true;
  return material;
}

function colourOf(group: Group, colour: string): void {
  const mesh = group.children[0] as Mesh | undefined;
  (mesh?.material as MeshBasicMaterial | undefined)?.color.set(colour);
}

function stateColour(state: MateState): string {
  return state ? COLOURS[state] : COLOURS.joint;
}
