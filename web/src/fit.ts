// What redundant mates carry when one of them is off: a slider, the forces in a table, and arrows in the picture.

import { Vector3 } from "three";
import { make } from "./dom";
import type { Arrow, Picture } from "./picture";

/** Wrenches [force N; torque N m] on each mate's second component, world axes, for a unit of the misfit. */
interface Off {
  label: string;
  unit: string;
  /** The end of the slider, in the unit. */
  most: number;
  effects: number[][];
}

interface GroupData {
  title: string;
  mates: { name: string; ref: string; point: [number, number, number]; body: number; force: number | null; moment: number | null }[];
  /** What the weights do, where masses are known. */
  weights: number[][] | null;
  offs: Off[];
}

const ARROW = "#2f7de1";
const BEYOND = "#d6293e";
/** The longest arrow, as a part of the radius of the assembly. */
const LONGEST = 0.5;

export function openFit(section: HTMLElement, picture: Picture | null): void {
  const text = section.querySelector("script[type='application/json']")?.textContent;
  const place = section.querySelector<HTMLElement>(".carried");
  if (!text || !place) return;
  const groups = JSON.parse(text) as GroupData[];
  const first = groups[0];
  if (!first) return;
  const which = choice("Mates", groups.map((g) => g.title));
  const off = choice("What is off", []);
  const slider = make("input", { type: "range", min: "-100", max: "100", step: "1", value: "0", "aria-label": "How far it is off" });
  const read = make("output", {});
  const weights = make("input", { type: "checkbox" });
  const rating = make("input", { type: "number", min: "0", step: "any", "aria-label": "Load rating in N", placeholder: "none" });
  const body = make("tbody", {});
  const table = make("table", {}, make("thead", {}, make("tr", {}, ...["mate", "force N", "moment N m"].map((head) => make("th", { scope: "col" }, head)))), body);
  let group = first;

  const show = (): void => {
    const error = group.offs[Number(off.value)];
    const value = error ? (Number(slider.value) / 100) * error.most : 0;
    read.textContent = error ? `${plain(value)} ${error.unit} off` : "";
    slider.setAttribute("aria-valuetext", read.textContent);
    const own = group.mates.map((_, i) => sum(error?.effects[i], value, weights.checked ? group.weights?.[i] : undefined));
    const limit = Number(rating.value) > 0 ? Number(rating.value) : null;
    const beyond = own.map((w, i) => exceeds(w, group.mates[i], limit));
    body.replaceChildren(...group.mates.map((mate, i) => row(mate, own[i] ?? [], beyond[i] ?? false)));
    picture?.arrows(arrows(group, own, beyond, longest(group, weights.checked)));
    section.dataset["shown"] = read.textContent;
  };
  const choose = (): void => {
    group = groups[Number(which.value)] ?? first;
    off.replaceChildren(...group.offs.map((o, i) => make("option", { value: String(i) }, o.label)));
    weights.disabled = !group.weights;
    weights.checked = weights.checked && !weights.disabled;
    slider.value = "0";
    show();
  };
  which.addEventListener("change", choose);
  off.addEventListener("change", show);
  for (const input of [slider, weights, rating]) input.addEventListener("input", show);
  const controls = make("div", { class: "misfits", role: "group", "aria-label": "One mate off" });
  if (groups.length > 1) controls.append(make("label", {}, "mates ", which));
  controls.append(make("label", {}, "off: ", off), slider, read, make("label", {}, weights, " with the weights"),
    make("label", {}, "red above ", rating, " N"));
  place.replaceChildren(controls, make("div", { class: "scroll" }, table));
  choose();
}

function choice(label: string, options: string[]): HTMLSelectElement {
  return make("select", { "aria-label": label }, ...options.map((text, i) => make("option", { value: String(i) }, text)));
}

function sum(effect: number[] | undefined, value: number, weight: number[] | undefined): number[] {
  return Array.from({ length: 6 }, (_, k) => (effect?.[k] ?? 0) * value + (weight?.[k] ?? 0));
}

const size = (w: number[], from: number): number => Math.hypot(w[from] ?? 0, w[from + 1] ?? 0, w[from + 2] ?? 0);

function exceeds(w: number[], mate: GroupData["mates"][number] | undefined, limit: number | null): boolean {
  const force = mate?.force ?? limit;
  return (force !== null && size(w, 0) > force) || (mate?.moment != null && size(w, 3) > mate.moment);
}

function row(mate: GroupData["mates"][number], w: number[], beyond: boolean): HTMLElement {
  const name = make("button", { type: "button", class: "pick", "data-pick": mate.ref }, mate.name);
  const cells = [size(w, 0), size(w, 3)].map((value) => make("td", { class: "number" }, plain(value)));
  const head = make("th", { scope: "row" }, name, ...(beyond ? [" ", make("span", { class: "badge error" }, "beyond its rating")] : []));
  return make("tr", beyond ? { class: "error" } : {}, head, ...cells);
}

/** The largest force that the sliders of a group reach, so that arrows grow and shrink as the forces do. */
function longest(group: GroupData, weighed: boolean): number {
  const reached = group.offs.flatMap((o) => o.effects.map((w) => size(w, 0) * o.most));
  const carried = weighed && group.weights ? group.weights.map((w) => size(w, 0)) : [];
  return Math.max(...reached, ...carried, 1e-12);
}

function arrows(group: GroupData, own: number[][], beyond: boolean[], most: number): Arrow[] {
  return group.mates.flatMap((mate, i) => {
    const force = new Vector3(...((own[i] ?? [0, 0, 0]).slice(0, 3) as [number, number, number]));
    // Short arrows would hide that a small force is there: lengths go with the square root.
    const part = Math.sqrt(force.length() / most);
    if (!(part > 0.02)) return [];
    return [{ body: mate.body, from: new Vector3(...mate.point), along: force.normalize().multiplyScalar(LONGEST * part), colour: beyond[i] ? BEYOND : ARROW }];
  });
}

/** Three digits without a power of ten. */
function plain(value: number): string {
  if (Math.abs(value) < 1e-9) return "0";
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))));
  return Number(value.toPrecision(3)).toFixed(Math.min(digits, 6)).replace("-", "−");
}
