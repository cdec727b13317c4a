// The report's code: tables that sort, filter and pick; the picture where the browser can draw it.

import "./page.css";
import { drawCharts } from "./charts";
import { Block, readScene } from "./data";
import { openFit } from "./fit";
import { openLive } from "./live";
import type { Picture } from "./picture";
import { Selection } from "./selection";
import { enhanceTables } from "./tables";
import { openView } from "./view";

async function start(): Promise<void> {
  document.documentElement.classList.add("js");
  const selection = new Selection();
  enhanceTables(selection);
  drawCharts();
  const section = document.getElementById("view");
  const context = drawable();
  const fallback = document.getElementById("fallback");
  let picture: Picture | null = null;
  if (context && section) {
    const status = fallback?.querySelector("p");
    if (status) status.textContent = "Unpacking the picture …";
    picture = openView(readScene(), await Block.load(), context, selection, section);
  } else {
    if (fallback) fallback.dataset["reason"] = "webgl";
    section?.setAttribute("data-ready", "fallback");
  }
  const fit = document.getElementById("fit");
  if (fit) openFit(fit, picture);
  const live = document.getElementById("live");
  if (live) openLive(live, picture, selection);
}

/** A canvas's context to draw in, made once: a second one costs half a second where software draws. */
function drawable(): WebGL2RenderingContext | null {
  try {
    return document.createElement("canvas").getContext("webgl2", { antialias: false, alpha: true });
  } catch {
    return null;
  }
}

void start();
