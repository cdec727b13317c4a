// The panel of a live view: controls that its server names, bodies dragged, faces clicked, poses as they come.

import { Vector3 } from "three";
import { liveChart, onShown, type Series } from "./charts";
import { make } from "./dom";
import type { Met, Picture, Pointed } from "./picture";
import type { Ref, Selection } from "./selection";

interface ItemData {
  number: number;
  kind: "text" | "button" | "buttons" | "choice" | "tick" | "slider" | "entry" | "key" | "chart" | "tab" | "folder";
  label: string;
  /** The number of the tab or folder it stands in, 0 outside of all. */
  inside: number;
  visible: boolean;
  value: unknown;
  content: string;
  options: string[];
  low: number;
  high: number;
  letter: string;
}

/** What the server says, one thing at a time. */
interface Message {
  panel?: ItemData[];
  item?: number;
  reload?: number;
  light?: Ref | null;
  point?: Pointed | null;
  tab?: string;
  pull?: [Triple, Triple] | null;
  text?: string;
  file?: string;
  name?: string;
  taken?: boolean;
}

type Triple = [number, number, number];
type Send = (message: object) => void;
/** Shows a property of an item that has changed. */
type Show = (message: Partial<ItemData>) => void;

const TAB = "cadbridge tab";
const VIEW = "cadbridge view";
/** The event of a tab that is opened. */
const TABBED = "cadbridge-tab";
const PULL = "#e8860c";
/** ms between two times that the moment shown is sent. */
const SELDOM = 200;

export function openLive(section: HTMLElement, picture: Picture | null, selection: Selection): void {
  const socket = new WebSocket(`ws://${location.host}/socket${location.search}&model=${section.dataset["model"] ?? ""}`);
  socket.binaryType = "arraybuffer";
  const send: Send = (message) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
  };
  let items = new Map<number, Show>();
  const spring = picture && pulled(picture);
  const pointing = picture && pointed(picture);
  socket.addEventListener("message", ({ data }: MessageEvent<string | ArrayBuffer>) => {
    if (typeof data !== "string") return picture?.put(new Float32Array(data));
    const message = JSON.parse(data) as Message;
    // Said back in a task of its own: until what came before is done with, the server sends nothing more.
    if (message.taken) setTimeout(() => send(message));
    else if (message.panel) items = build(section, message.panel, send);
    else if (message.item !== undefined) items.get(message.item)?.(message as Partial<ItemData>);
    else if (message.light !== undefined) selection.set(message.light, "page");
    else if (message.point !== undefined) pointing?.(message.tab ?? "", message.point);
    else if (message.pull !== undefined) spring?.(message.pull, message.text ?? "");
    else if (message.file) make("a", { href: message.file, download: message.name ?? "" }).click();
    else if (message.reload !== undefined && String(message.reload) !== section.dataset["model"]) reload(picture);
  });
  socket.addEventListener("close", () => {
    section.querySelectorAll<HTMLButtonElement>("button, input, select").forEach((it) => (it.disabled = true));
    section.prepend(make("p", { class: "verdict mark", role: "alert" }, "The view has ended: it is no longer served."));
  });
  selection.listen((ref) => send({ chosen: ref }));
  const seldom = soon(SELDOM);
  onShown((time) => time !== null && seldom.call(() => send({ key: "time", time })));
  if (!picture) return;
  picture.view = JSON.parse(sessionStorage.getItem(VIEW) ?? "[]") as number[];
  dragging(picture, selection, send);
  // For scripts that steer a browser: where a place of the world stands on the canvas.
  Object.assign(window, { onCanvas: (place: Triple) => picture.onCanvas(new Vector3(...place)) });
}

function reload(picture: Picture | null): void {
  if (picture) sessionStorage.setItem(VIEW, JSON.stringify(picture.view));
  location.reload();
}

/** The newest of several calls, at most one in so many milliseconds. */
function soon(ms: number): { call: (act: () => void) => void; now: () => void } {
  let waiting: (() => void) | null = null;
  let timer = 0;
  const now = (): void => {
    clearTimeout(timer);
    timer = 0;
    const act = waiting;
    waiting = null;
    act?.();
  };
  const call = (act: () => void): void => {
    waiting = act;
    timer ||= setTimeout(now, ms);
  };
  return { call, now };
}

/** A body that is pressed and moved is dragged; one that is only clicked is named. */
function dragging(picture: Picture, selection: Selection, send: Send): void {
  const { canvas } = picture;
  const next = soon(25);
  let held: (Met & { x: number; y: number; moves: boolean }) | null = null;
  const say = (phase: string, end: Vector3): void => {
    if (held) send({ key: phase === "update" ? "drag" : undefined, drag: held.body, phase, start: held.point.toArray(), end: end.toArray() });
  };
  canvas.addEventListener("pointerdown", (event) => {
    const met = event.button === 0 && picture.movable ? picture.met(event.offsetX, event.offsetY) : null;
    if (!met) return;
    held = { ...met, x: event.offsetX, y: event.offsetY, moves: false };
    // Heard in the capturing phase: OrbitControls listens on the same canvas, and would begin to turn the view.
    if (met.body >= 0) picture.turning(false);
  }, { capture: true });
  canvas.addEventListener("pointermove", (event) => {
    if (!held || held.body < 0) return;
    if (!held.moves && Math.hypot(event.offsetX - held.x, event.offsetY - held.y) < 5) return;
    if (!held.moves) {
      held.moves = true;
      canvas.setPointerCapture(event.pointerId);
      selection.set(null, "picture");
      say("start", held.point);
    }
    const end = picture.beside(event.offsetX, event.offsetY, held.point);
    next.call(() => say("update", end));
  });
  const release = (event: PointerEvent): void => {
    next.now();
    if (held?.moves) say("end", held.point);
    else if (held && held.part >= 0 && Math.hypot(event.offsetX - held.x, event.offsetY - held.y) < 5) {
      send({ pick: held.part, point: held.point.toArray(), normal: held.normal.toArray() });
    }
    held = null;
    picture.turning(true);
  };
  canvas.addEventListener("pointerup", release);
  canvas.addEventListener("pointercancel", release);
}

/** What a question, or a joint to be made, is about is lit while its tab is open. */
function pointed(picture: Picture): (tab: string, what: Pointed | null) => void {
  const last = new Map<string, Pointed | null>();
  const open = (): string => sessionStorage.getItem(TAB) ?? "";
  document.addEventListener(TABBED, () => picture.point(last.get(open()) ?? null));
  return (tab, what) => {
    last.set(tab, what);
    if (tab === open()) picture.point(what);
  };
}

/** The spring that pulls a body: a line with its force. */
function pulled(picture: Picture): (ends: [Triple, Triple] | null, text: string) => void {
  const label = make("output", { class: "force" });
  label.hidden = true;
  picture.canvas.after(label);
  return (ends, text) => {
    const [from, to] = ends ? ends.map((end) => new Vector3(...end)) : [];
    label.hidden = !from;
    picture.rule(from && to ? [from, to] : null, PULL);
    if (!to) return;
    const { x, y } = picture.onCanvas(to);
    label.textContent = text;
    label.style.translate = `${x}px ${y}px`;
  };
}

/** Make the controls; what shows each item's changes, by its number. */
function build(section: HTMLElement, items: ItemData[], send: Send): Map<number, Show> {
  const heading = section.querySelector("h2") ?? "";
  const tabs = make("div", { class: "tabs", role: "tablist", "aria-label": "Live" });
  const body = make("div", { class: "panel" });
  section.replaceChildren(heading, body);
  const places = new Map<number, HTMLElement>([[0, body]]);
  const shows = new Map<number, Show>();
  for (const item of items) {
    const place = places.get(item.inside) ?? body;
    if (item.kind === "tab") {
      if (!tabs.isConnected) place.append(tabs);
      places.set(item.number, tab(item, tabs, place));
    } else if (item.kind === "folder") {
      const inner = make("fieldset", {}, make("legend", {}, item.label));
      place.append(inner);
      places.set(item.number, inner);
    } else if (item.kind === "key") {
      hear(item, send);
    } else {
      const [element, show] = control(item, (value) => send({ key: item.kind === "slider" ? `item ${item.number}` : undefined, item: item.number, value }));
      place.append(element);
      const all: Show = (message) => {
        if (message.visible !== undefined) element.hidden = !message.visible;
        show(message);
      };
      all(item);
      shows.set(item.number, all);
    }
  }
  const chosen = [...tabs.children].find((it) => it.textContent === sessionStorage.getItem(TAB)) ?? tabs.firstElementChild;
  (chosen as HTMLElement | null)?.click();
  return shows;
}

function tab(item: ItemData, tabs: HTMLElement, place: HTMLElement): HTMLElement {
  const id = `live-${item.number}`;
  const button = make("button", { type: "button", role: "tab", "aria-controls": id, id: `${id}-tab` }, item.label);
  const page = make("div", { role: "tabpanel", id, "aria-labelledby": `${id}-tab` });
  page.hidden = true;
  const all = (): HTMLElement[] => [...tabs.children] as HTMLElement[];
  button.addEventListener("click", () => {
    for (const other of all()) {
      const own = other === button;
      other.setAttribute("aria-selected", String(own));
      other.tabIndex = own ? 0 : -1;
      document.getElementById(other.getAttribute("aria-controls") ?? "")?.toggleAttribute("hidden", !own);
    }
    sessionStorage.setItem(TAB, item.label);
    document.dispatchEvent(new Event(TABBED));
  });
  button.addEventListener("keydown", (event) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    const next = all().at((all().indexOf(button) + step) % all().length);
    if (step) next?.focus();
    if (step) next?.click();
  });
  tabs.append(button);
  place.append(page);
  return page;
}

/** A letter that does something wherever nothing is typed or pressed by it. */
function hear(item: ItemData, send: Send): void {
  document.addEventListener("keydown", (event) => {
    const target = event.target as Element;
    if (event.key !== item.letter || event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.closest("input, select, textarea, button, summary, a")) return;
    event.preventDefault();
    send({ item: item.number });
  });
}

/** An item as an element, and what shows its properties. */
function control(item: ItemData, send: (value?: unknown) => void): [HTMLElement, Show] {
  const button = (text: string, value?: unknown): HTMLElement => {
    const it = make("button", { type: "button" }, text);
    it.addEventListener("click", (event) => {
      if (event.detail) it.blur(); // so that the space bar does not press it again
      send(value);
    });
    return it;
  };
  switch (item.kind) {
    case "button": return [button(item.label), () => undefined];
    case "buttons": {
      const group = { class: "buttons", role: "group", "aria-label": item.label };
      return [make("div", group, ...item.options.map((name) => button(name, name))), () => undefined];
    }
    case "choice": return choice(item, send);
    case "tick": {
      const input = make("input", { type: "checkbox" });
      input.addEventListener("change", () => send(input.checked));
      return [make("label", {}, input, ` ${item.label}`), ({ value }) => (input.checked = Boolean(value ?? input.checked))];
    }
    case "slider": return slider(item, send);
    case "entry": {
      const input = make("input", { type: "text", autocomplete: "off" });
      input.addEventListener("change", () => send(input.value));
      return [row(item, input), ({ value }) => value !== undefined && (input.value = String(value))];
    }
    case "chart": {
      const figure = make("figure", { class: "plot" });
      const draw = liveChart(figure);
      return [figure, ({ value }) => value !== undefined && draw(value as Series | null)];
    }
    default: {
      const box = make("div", { class: "text", role: "status" });
      // The server's own HTML, in which names are escaped (cadbridge/report/html.py).
      return [box, ({ content }) => content !== undefined && (box.innerHTML = content)];
    }
  }
}

function choice(item: ItemData, send: (value: unknown) => void): [HTMLElement, Show] {
  const select = make("select");
  select.addEventListener("change", () => send(select.value));
  const show: Show = ({ options, value }) => {
    if (options) select.replaceChildren(...options.map((name) => make("option", { value: name }, name)));
    if (value !== undefined) select.value = String(value);
  };
  return [row(item, select), show];
}

function slider(item: ItemData, send: (value: unknown) => void): [HTMLElement, Show] {
  const range = { type: "range", min: String(item.low), max: String(item.high), step: "any" };
  const input = make("input", range);
  const read = make("output", {});
  const say = (): void => {
    const shown = Number(Number(input.value).toFixed(1)) || 0;
    read.textContent = shown.toFixed(1).replace("-", "−");
  };
  input.addEventListener("input", () => {
    say();
    send(Number(input.value));
  });
  input.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    input.value = String(Number(input.value) + (step * (item.high - item.low)) / 200);
    input.dispatchEvent(new Event("input"));
  });
  const show: Show = ({ value }) => {
    if (value !== undefined) input.value = String(value);
    say();
  };
  return [row(item, input, read), show];
}

function row(item: ItemData, input: HTMLElement, ...more: HTMLElement[]): HTMLElement {
  input.id = `item-${item.number}`;
  return make("div", { class: "row" }, make("label", { for: input.id }, item.label), input, ...more);
}
