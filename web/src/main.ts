// The report's code: tables that sort, filter and pick; the picture where the browser can draw it.

import "./page.css";
import { drawCharts } from "./charts";
import { Block, readScene } from "./data";
import { Selection } from "./selection";
import { enhanceTables } from "./tables";
import { openView } from "./view";

async function start(): Promise<void> {
  document.documentElement.classList.add("js");
  const selection = new Selection();
  enhanceTables(selection);
  drawCharts();
  const fallback = document.getElementById("fallback");
  const context = drawable();
  if (!context) {
    if (fallback) fallback.dataset["reason"] = "webgl";
    document.getElementById("view")?.setAttribute("data-ready", "fallback");
    return;
  }
  const told = fallback?.querySelector("p");
  if (told) told.textContent = "Unpacking the picture …";
  openView(readScene(), await Block.load(), context, selection);
}

/** A canvas's context to draw in, made once: a second one costs half a second where software draws. */
function drawable(): WebGL2RenderingContext | null {
  try {
    return document.createElement("canvas").getContext("webgl2", { antialias: true, alpha: true });
  } catch {
    return null;
  }
}

void start();
