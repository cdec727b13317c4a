// One item is selected at a time, wherever it was picked: "part:3", "body:0", "joint:2", "gear:1", "mate:7".

export type Ref = string;
type Listener = (ref: Ref | null, from: "page" | "picture") => void;

export class Selection {
  current: Ref | null = null;
  private readonly listeners: Listener[] = [];

  listen(listener: Listener): void {
    this.listeners.push(listener);
  }

  set(ref: Ref | null, from: "page" | "picture"): void {
    this.current = ref;
    for (const listener of this.listeners) listener(ref, from);
  }
}

export function parse(ref: Ref): { kind: string; index: number } {
  const [kind = "", index = ""] = ref.split(":");
  return { kind, index: Number(index) };
}
