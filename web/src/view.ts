// The picture with its controls: what is shown, which motion plays, and what is picked.

import { onSeek, tellTime } from "./charts";
import type { Block, SceneData } from "./data";
import { make } from "./dom";
import { Clip } from "./motion";
import { Picture } from "./picture";
import { parse, type Ref, type Selection } from "./selection";
import { tools } from "./tools";

const PROMPT = "Click a part or an axis, here or in a table.";
/** Times as fast as the motion is. */
const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5];
const KINDS: Record<string, string> = { part: "part", body: "body", joint: "joint", gear: "gear", mate: "mate" };

export function openView(
  data: SceneData, block: Block, context: WebGL2RenderingContext, selection: Selection, section: HTMLElement,
): Picture {
  const holder = make("div", { class: "canvas" });
  section.append(holder);
  const picture = new Picture(data, block, context, holder);
  document.getElementById("fallback")?.remove();
  const canvas = picture.canvas;
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "application");
  canvas.setAttribute(
    "aria-label",
    "3D picture of the assembly. Arrow keys turn it, plus and minus zoom, Home shows the whole. " +
      "All that can be picked here can be picked in the tables.",
  );
  const status = make("p", { class: "told", role: "status" }, PROMPT);
  const say = (text: string): void => status.replaceChildren(text || PROMPT);
  section.append(
    switches(picture, data), tools(picture, selection, say), ...player(picture, data, block, section),
  );
  holder.append(status);
  pointing(canvas, picture, selection, say);
  if (picture.shown || data.joints.length) printing(picture, section);
  keys(canvas, picture);
  selection.listen((ref) => {
    picture.pick(ref);
    section.dataset["selected"] = ref ?? "";
    status.replaceChildren(...(ref ? words(ref, data, block) : [PROMPT]));
  });
  section.dataset["ready"] = "true";
  return picture;
}

function switches(picture: Picture, data: SceneData): HTMLElement {
  const box = make("div", { class: "switches", role: "group", "aria-label": "What the picture shows" });
  const add = (text: string, on: boolean, change: (on: boolean) => void): void => {
    const input = make("input", { type: "checkbox" });
    input.checked = on;
    input.addEventListener("change", () => change(input.checked));
    change(on);
    box.append(make("label", {}, input, ` ${text}`));
  };
  if (data.joints.length) add("joint axes", true, (on) => picture.showJoints(on));
  if (data.mates.some((m) => m.state)) add("redundant mates", true, (on) => picture.showMates(on));
  add("see through", false, (on) => picture.showThrough(on));
  const whole = make("button", { type: "button" }, "whole");
  whole.addEventListener("click", () => picture.home());
  box.append(whole);
  return box;
}

/** For paper, which has no WebGL, the picture as it stands. */
function printing(picture: Picture, section: HTMLElement): void {
  addEventListener("beforeprint", () => {
    section.querySelector("img.print")?.remove();
    section.prepend(make("img", { class: "print", src: picture.address(), alt: "The assembly" }));
  });
}

function pointing(canvas: HTMLCanvasElement, picture: Picture, selection: Selection, say: (text: string) => void): void {
  let down: { x: number; y: number } | null = null;
  canvas.addEventListener("pointerdown", (e) => (down = { x: e.offsetX, y: e.offsetY }));
  canvas.addEventListener("pointerup", (e) => {
    const still = down && Math.hypot(e.offsetX - down.x, e.offsetY - down.y) < 5;
    down = null;
    if (!still) return;
    const measured = picture.measure(e.offsetX, e.offsetY);
    if (measured === null) selection.set(picture.under(e.offsetX, e.offsetY), "picture");
    else say(measured);
  });
}

function keys(canvas: HTMLCanvasElement, picture: Picture): void {
  const turns: Record<string, [number, number, number]> = {
    ArrowLeft: [-0.12, 0, 1], ArrowRight: [0.12, 0, 1], ArrowUp: [0, 0.1, 1], ArrowDown: [0, -0.1, 1],
    "+": [0, 0, 1.15], "=": [0, 0, 1.15], "-": [0, 0, 1 / 1.15],
  };
  canvas.addEventListener("keydown", (event) => {
    const turn = turns[event.key];
    if (turn) picture.turn(...turn);
    else if (event.key === "Home") picture.home();
    else return;
    event.preventDefault();
  });
}

/** What is picked, in words, with the body it belongs to as a button. */
function words(ref: Ref, data: SceneData, block: Block): (Node | string)[] {
  const { kind, index } = parse(ref);
  const button = (to: Ref, name: string): Node => make("button", { type: "button", class: "pick", "data-pick": to }, name);
  const body = (i: number): Node => button(`body:${i}`, data.bodies.names[i] ?? "ground");
  const label = make("b", {}, nameOf(kind, index, data));
  const head: (Node | string)[] = [`${KINDS[kind] ?? kind} `, label];
  const joint = data.joints[index];
  const mate = data.mates[index];
  if (kind === "part") return [...head, " of ", body(block.i4(data.parts.body)[index] ?? -1)];
  if (kind === "joint" && joint) return [...head, ` (${joint.type}) between `, body(joint.a), " and ", body(joint.b)];
  if (kind === "mate" && mate) {
    const state = mate.state === "conflicting" ? `, conflicting by ${mate.gap}` : mate.state ? `, ${mate.state}` : "";
    return [...head, ` (${mate.kind.replace("_", " ")}) between ${mate.between}${state}`];
  }
  return head;
}

function nameOf(kind: string, index: number, data: SceneData): string {
  const names: Record<string, string | undefined> = {
    part: data.parts.names[index], body: data.bodies.names[index] ?? "ground", joint: data.joints[index]?.name,
    gear: data.gears[index]?.name, mate: data.mates[index]?.name,
  };
  return names[kind] ?? "";
}

/** The choice of a motion, its slider, and the button that plays it. */
function player(picture: Picture, data: SceneData, block: Block, section: HTMLElement): HTMLElement[] {
  const rest = block.f4(data.bodies.pose);
  const clips = data.clips.map((clip) => new Clip(clip, block, rest));
  if (!clips.length) return [];
  const choice = make("select", { "aria-label": "Motion" });
  for (const [kind, label] of [["run", "Simulation"], ["freedom", "Freedoms"]] as const) {
    const group = make("optgroup", { label });
    clips.forEach((clip, i) => {
      if (clip.data.kind === kind) group.append(make("option", { value: String(i) }, clip.data.name));
    });
    if (group.childElementCount) choice.append(group);
  }
  const play = make("button", { type: "button", class: "play" }, "Play");
  const slider = make("input", { type: "range", min: "0", step: "any", "aria-label": "Position in the motion" });
  const read = make("output", {});
  const detail = make("p", { class: "detail" });
  const home = make("button", { type: "button" }, "as designed");
  const pace = make("select", { "aria-label": "Speed" });
  for (const times of SPEEDS) pace.append(make("option", { value: String(times) }, `${times} ×`));
  pace.value = "1";
  const loop = make("input", { type: "checkbox" });
  loop.checked = true;
  let clip = clips[Number(choice.value)] as Clip;
  let frame = 0;
  let running = 0;
  let direction = 1;
  const show = (at: number): void => {
    frame = Math.max(0, Math.min(at, clip.frames - 1));
    slider.value = String(frame);
    const value = clip.valueAt(frame);
    read.textContent = `${value.toFixed(clip.data.unit === "s" ? 2 : 1)} ${clip.data.unit}`;
    slider.setAttribute("aria-valuetext", read.textContent);
    clip.apply(frame, picture.bodies);
    picture.moved();
    section.dataset["frame"] = frame.toFixed(3);
    tellTime(clip.data.kind === "run" ? value : null);
  };
  const stop = (): void => {
    cancelAnimationFrame(running);
    running = 0;
    play.textContent = "Play";
  };
  const step = (before: number) => (now: number): void => {
    const speed = (Number(pace.value) * (clip.frames - 1)) / clip.data.duration;
    // A page that was in the background gets no frames: it goes on where it was.
    let next = frame + (direction * speed * Math.min(now - before, 100)) / 1000;
    const ends = clip.frames - 1;
    if (clip.data.kind === "run") next = next > ends && loop.checked ? 0 : next;
    else if (next > ends || next < 0) direction = next < 0 ? 1 : -1;
    show(next);
    if (next > ends && !loop.checked) return stop();
    running = requestAnimationFrame(step(now));
  };
  const one = (by: number): HTMLElement => {
    const it = make("button", { type: "button", title: by < 0 ? "A step back" : "A step on", "aria-label": by < 0 ? "A step back" : "A step on" }, by < 0 ? "◂" : "▸");
    it.addEventListener("click", () => {
      stop();
      show(Math.round(frame) + by);
    });
    return it;
  };
  play.addEventListener("click", () => {
    if (running) return stop();
    if (frame >= clip.frames - 1) frame = 0;
    play.textContent = "Pause";
    running = requestAnimationFrame(step(performance.now()));
  });
  const choose = (): void => {
    clip = clips[Number(choice.value)] as Clip;
    slider.max = String(clip.frames - 1);
    detail.textContent = clip.data.detail;
    direction = 1;
    picture.reset();
    show(clip.home);
  };
  choice.addEventListener("change", choose);
  slider.addEventListener("input", () => {
    stop();
    show(Number(slider.value));
  });
  home.addEventListener("click", () => {
    stop();
    picture.reset();
  });
  choose();
  picture.reset();
  onSeek((time) => {
    const run = clips.findIndex((it) => it.data.kind === "run");
    if (run < 0) return;
    if (choice.value !== String(run)) {
      choice.value = String(run);
      choose();
    }
    stop();
    show(clip.frameAt(time));
  });
  document.addEventListener("click", (event) => {
    const wanted = (event.target as Element).closest<HTMLElement>("[data-clip]")?.dataset["clip"];
    if (wanted === undefined || !clips[Number(wanted)]) return;
    choice.value = wanted;
    choose();
    if (!running) play.click();
    section.scrollIntoView({ block: "nearest" });
  });
  return [make("div", { class: "player", role: "group", "aria-label": "Motion" }, choice, one(-1), play, one(1), slider, read,
    pace, make("label", {}, loop, " loop"), home), detail];
}
