// What the report embeds: one JSON document and one block of numbers, deflated and in base64.

/** A reference into the block: type, byte offset, length. */
export type ArrayRef = ["u2" | "u4" | "f4" | "i2" | "i4", number, number];

export interface ShapeData {
  low: [number, number, number];
  step: [number, number, number];
  vertices: ArrayRef;
  triangles: ArrayRef;
}

export type MateState = "" | "redundant" | "conflicting";

export interface JointData {
  name: string;
  type: string;
  a: number;
  b: number;
  origin: [number, number, number];
  axis: [number, number, number];
  state: MateState;
}

export interface MateData {
  name: string;
  kind: string;
  body: number;
  point: [number, number, number] | null;
  direction: [number, number, number] | null;
  parts: number[];
  /** Both features of the mate, in the world as designed. */
  sides: SideData[];
  /** The two components, and how far a conflicting mate is from being fulfilled; "" where it is. */
  between: string;
  gap: string;
  state: MateState;
}

export interface SideData {
  kind: "plane" | "axis" | "point" | "frame" | "sphere";
  body: number;
  point: [number, number, number];
  direction: [number, number, number] | null;
  radius: number | null;
  parts: number[];
}

/** A motion of bodies: their poses frame by frame, or one twist [v of the world's origin; ω] for a unit of the value. */
export interface ClipData {
  kind: "freedom" | "run";
  name: string;
  detail: string;
  duration: number;
  /** What the slider reads, frame by frame, and its unit. */
  values: number[];
  unit: string;
  bodies: number[];
  low?: [number, number, number];
  step?: [number, number, number];
  positions?: ArrayRef;
  quaternions?: ArrayRef;
  twist?: number[];
}

export interface SceneData {
  shapes: ShapeData[];
  parts: { names: string[]; shape: ArrayRef; body: ArrayRef; pose: ArrayRef; colour: ArrayRef };
  bodies: { names: string[]; pose: ArrayRef };
  joints: JointData[];
  gears: { name: string; bodies: number[] }[];
  mates: MateData[];
  clips: ClipData[];
}

/** The page's numbers, unpacked. */
export class Block {
  private constructor(private readonly bytes: ArrayBuffer) {}

  static async load(): Promise<Block> {
    const text = document.getElementById("buffer")?.textContent ?? "";
    const binary = atob(text);
    const packed = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i += 1) packed[i] = binary.charCodeAt(i);
    // The name "deflate" means zlib's format (RFC 1950) there, which the page is packed in; the bare one is
    // "deflate-raw".
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Block(await new Response(stream).arrayBuffer());
  }

  u2([, offset, length]: ArrayRef): Uint16Array {
    return new Uint16Array(this.bytes, offset, length);
  }

  i2([, offset, length]: ArrayRef): Int16Array {
    return new Int16Array(this.bytes, offset, length);
  }

  u4([, offset, length]: ArrayRef): Uint32Array {
    return new Uint32Array(this.bytes, offset, length);
  }

  i4([, offset, length]: ArrayRef): Int32Array {
    return new Int32Array(this.bytes, offset, length);
  }

  f4([, offset, length]: ArrayRef): Float32Array {
    return new Float32Array(this.bytes, offset, length);
  }
}

export function readScene(): SceneData {
  return JSON.parse(document.getElementById("scene")?.textContent ?? "null") as SceneData;
}
