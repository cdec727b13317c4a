// Tools of the picture: hide, isolate, zoom to what is picked, section, exploded view, measure.

import { make, save } from "./dom";
import type { Picture } from "./picture";
import type { Selection } from "./selection";

const AXES = [["none", "section: off"], ["x", "section: across x"], ["y", "section: across y"], ["z", "section: across z"]] as const;

export function tools(picture: Picture, selection: Selection, say: (text: string) => void): HTMLElement {
  const box = make("div", { class: "switches", role: "group", "aria-label": "Tools" });
  const button = (text: string, title: string, act: () => void): HTMLButtonElement => {
    const it = make("button", { type: "button", title }, text);
    it.addEventListener("click", act);
    box.append(it);
    return it;
  };
  const picked = (act: () => void) => (): void => {
    if (selection.current === null) say("Pick a part, body, joint or mate first.");
    else act();
  };
  button("zoom", "Zoom to what is picked (F)", picked(() => picture.focus()));
  button("hide", "Hide what is picked (H)", picked(() => {
    picture.hidePicked();
    selection.set(null, "picture");
  }));
  button("isolate", "Show only what is picked (I)", picked(() => picture.isolatePicked()));
  button("show all", "Show all parts again (A)", () => picture.showAll());
  const measure = button("measure", "Distance between two points (M)", () => {
    const on = measure.getAttribute("aria-pressed") !== "true";
    measure.setAttribute("aria-pressed", String(on));
    picture.measuring(on);
    say(on ? "Click two points." : "");
  });
  measure.setAttribute("aria-pressed", "false");
  button("picture", "Save the picture as PNG", () => void picture.image().then((blob) => save(blob, "picture.png")));
  const film = button("video", "Record what moves, until pressed again", recorder(picture.canvas, () => film));
  film.setAttribute("aria-pressed", "false");
  film.hidden = typeof MediaRecorder === "undefined";
  box.append(section(picture), explode(picture));
  keys(picture, box);
  return box;
}

/** What a button does that records the picture: from the first press to the second, which saves the video. */
function recorder(canvas: HTMLCanvasElement, button: () => HTMLElement): () => void {
  let running: MediaRecorder | null = null;
  return () => {
    if (running) return running.stop();
    const made = new MediaRecorder(canvas.captureStream(30), { videoBitsPerSecond: 8e6 });
    const pieces: Blob[] = [];
    made.addEventListener("dataavailable", (event) => pieces.push(event.data));
    made.addEventListener("stop", () => {
      running = null;
      button().setAttribute("aria-pressed", "false");
      save(new Blob(pieces, { type: made.mimeType }), `motion.${made.mimeType.includes("mp4") ? "mp4" : "webm"}`);
    });
    made.start();
    running = made;
    button().setAttribute("aria-pressed", "true");
  };
}

function section(picture: Picture): HTMLElement {
  const axis = make("select", { "aria-label": "Section plane" });
  for (const [value, text] of AXES) axis.append(make("option", { value }, text));
  const at = make("input", { type: "range", min: "-1", max: "1", step: "0.01", value: "0", "aria-label": "Position of the section" });
  at.hidden = true;
  const cut = (): void => {
    at.hidden = axis.value === "none";
    picture.cut(axis.value === "none" ? null : (axis.value as "x" | "y" | "z"), Number(at.value));
  };
  axis.addEventListener("change", cut);
  at.addEventListener("input", cut);
  return make("span", { class: "tool" }, axis, at);
}

function explode(picture: Picture): HTMLElement {
  const slider = make("input", { type: "range", min: "0", max: "1", step: "0.01", value: "0" });
  slider.addEventListener("input", () => picture.explode(Number(slider.value)));
  return make("label", { class: "tool" }, "explode ", slider);
}

/** One letter for each tool, while the picture has the focus. */
function keys(picture: Picture, box: HTMLElement): void {
  const letters: Record<string, number> = { f: 0, h: 1, i: 2, a: 3, m: 4 };
  picture.canvas.addEventListener("keydown", (event) => {
    const index = letters[event.key];
    if (index === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    box.querySelectorAll("button")[index]?.click();
  });
}
