// Charts of a run: read-out under the pointer, zoom, one cursor for all charts and the picture, downloads.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { make, save } from "./dom";

export interface Series {
  title: string;
  axis: string;
  logarithmic: boolean;
  /** What the lines are drawn over; by default the time of a run. */
  over?: string;
  time: number[];
  /** `look` is "c3 r1": its colour, and the dash of its run. */
  lines: { name: string; values: (number | null)[]; look: string }[];
}

const HEIGHT = 250;
const TIME = "time in s";
const COLOURS = ["#2f7de1", "#e8860c", "#2a9d5c", "#d6293e", "#8e5bd0", "#8a6d3b", "#d061a8", "#3aa7b5"];
/** Of the runs that are laid over each other. */
const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
/** The picture and the charts exchange the moment they show, in s. */
const SHOWN = "cadbridge:shown";
const SEEK = "cadbridge:seek";

export function tellTime(time: number | null): void {
  document.dispatchEvent(new CustomEvent(SHOWN, { detail: time }));
}

export function onShown(shown: (time: number | null) => void): void {
  document.addEventListener(SHOWN, (event) => shown((event as CustomEvent<number | null>).detail));
}

export function onSeek(seek: (time: number) => void): void {
  document.addEventListener(SEEK, (event) => seek((event as CustomEvent<number>).detail));
}

export function drawCharts(): void {
  if (!document.createElement("canvas").getContext("2d")) return;
  for (const figure of document.querySelectorAll<HTMLElement>("figure.plot")) {
    const text = figure.querySelector("script")?.textContent;
    if (text) chart(figure, JSON.parse(text) as Series);
  }
}

/** Draws a chart in a figure as often as it gets new numbers. */
export function liveChart(figure: HTMLElement): (series: Series | null) => void {
  let shown: { series: Series; plot: uPlot } | null = null;
  return (series) => {
    figure.hidden = !series;
    if (!series) return;
    shown ??= { series, plot: chart(figure, series) };
    Object.assign(shown.series, series);
    shown.plot.setData(numbers(series));
  };
}

function numbers(series: Series): uPlot.AlignedData {
  return [series.time, ...series.lines.map((line) => line.values)];
}

function chart(figure: HTMLElement, series: Series): uPlot {
  const over = series.over ?? TIME;
  const ink = getComputedStyle(document.body).color;
  const svg = figure.querySelector("svg");
  const holder = make("div", { class: "chart", role: "img", "aria-label": svg?.getAttribute("aria-label") ?? series.title });
  if (svg) svg.before(holder);
  else figure.append(make("figcaption", {}, series.title), holder);
  figure.classList.add("live");
  const axis = { stroke: ink, grid: { stroke: "rgba(128,128,128,.25)", width: 1 }, ticks: { stroke: "rgba(128,128,128,.4)" } };
  const plot = new uPlot(
    {
      width: Math.max(holder.clientWidth, 240),
      height: HEIGHT,
      cursor: over === TIME ? { sync: { key: "run" } } : {},
      scales: { x: { time: false }, y: { distr: series.logarithmic ? 3 : 1 } },
      axes: [{ ...axis, label: over, labelSize: 18 }, { ...axis, label: series.axis, labelSize: 18, size: numbersWide }],
      series: [
        { label: over === TIME ? "t in s" : over, value: (_, v) => short(v) },
        ...series.lines.map(({ name, look }) => ({
          label: name, stroke: COLOURS[digit(look, "c")] ?? ink, dash: DASHES[digit(look, "r")] ?? [], width: 1.6, value: (_: uPlot, v: number | null) => short(v),
        })),
      ],
    },
    numbers(series),
    holder,
  );
  plot.ctx.canvas.setAttribute("aria-hidden", "true");
  if (over === TIME) timed(plot, holder, series);
  new ResizeObserver(() => plot.setSize({ width: Math.max(holder.clientWidth, 240), height: HEIGHT })).observe(holder);
  figure.append(downloads(figure, series, plot));
  return plot;
}

/** A click seeks the moment in the picture, and the chart shows the moment that the picture shows. */
function timed(plot: uPlot, holder: HTMLElement, series: Series): void {
  plot.over.addEventListener("click", () => {
    const index = plot.cursor.idx;
    const time = index === null || index === undefined ? undefined : series.time[index];
    if (time !== undefined) document.dispatchEvent(new CustomEvent(SEEK, { detail: time }));
  });
  onShown((time) => {
    plot.setCursor(time === null ? { left: -10, top: -10 } : { left: plot.valToPos(time, "x"), top: 0 }, false);
    holder.dataset["time"] = String(time ?? "");
  });
}

/** How wide the numbers of an axis are, so that its label stands beside them. */
function numbersWide(plot: uPlot, values: string[] | null, index: number): number {
  const axis = plot.axes[index] as uPlot.Axis & { font?: [string, ...unknown[]] };
  const font = axis.font?.[0];
  if (font) plot.ctx.font = font;
  const widest = Math.max(0, ...(values ?? []).map((text) => plot.ctx.measureText(text).width));
  return Math.ceil(widest / devicePixelRatio) + (axis.ticks?.size ?? 10) + (axis.gap ?? 5);
}

/** The number after a letter in a look. */
function digit(look: string, letter: string): number {
  return Number(new RegExp(`\\b${letter}(\\d)`).exec(look)?.[1] ?? 0);
}

function short(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : Number(value.toPrecision(4)).toString().replace("-", "−");
}

function downloads(figure: HTMLElement, series: Series, plot: uPlot): HTMLElement {
  const box = make("p", { class: "downloads" });
  const add = (kind: string, data: () => Promise<Blob>): void => {
    const button = make("button", { type: "button", "aria-label": `${series.title} as ${kind}` }, kind);
    button.addEventListener("click", () => void data().then((blob) => save(blob, `${series.title}.${kind.toLowerCase()}`)));
    box.append(button);
  };
  add("PNG", () => new Promise((done) => plot.ctx.canvas.toBlob((blob) => done(blob ?? new Blob()))));
  if (figure.querySelector("svg")) add("SVG", async () => new Blob([svgText(figure)], { type: "image/svg+xml" }));
  add("CSV", async () => new Blob([csvText(series)], { type: "text/csv" }));
  return box;
}

/** The drawing that the page came with, with the colours of its style written out. */
function svgText(figure: HTMLElement): string {
  const svg = figure.querySelector("svg")?.cloneNode(true) as SVGElement;
  svg.setAttribute("xmlns", "http://www.w3.org/2000/svg");
  svg.querySelectorAll("polyline").forEach((line) => {
    const look = line.getAttribute("class") ?? "";
    line.setAttribute("fill", "none");
    line.setAttribute("stroke", COLOURS[digit(look, "c")] ?? "#000000");
    line.setAttribute("stroke-dasharray", (DASHES[digit(look, "r")] ?? []).join(" "));
  });
  svg.querySelectorAll(".grid line").forEach((line) => line.setAttribute("stroke", "#d9dde4"));
  svg.querySelectorAll("line.cursor").forEach((line) => line.remove());
  svg.querySelectorAll("text").forEach((text) => text.setAttribute("font-family", "sans-serif"));
  svg.querySelectorAll("text").forEach((text) => text.setAttribute("font-size", "11"));
  return new XMLSerializer().serializeToString(svg);
}

function csvText({ time, lines, over = TIME }: Series): string {
  const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
  const rows = time.map((t, i) => [t, ...lines.map((line) => line.values[i] ?? "")].join(","));
  return [[over === TIME ? "t in s" : over, ...lines.map((l) => l.name)].map(quote).join(","), ...rows].join("\n") + "\n";
}
