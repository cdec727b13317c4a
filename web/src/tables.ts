// Tables that read without a script: sorting, filtering, and rows that are picked.

import type { Selection } from "./selection";

/** Rows that a table shows before somebody asks for all. */
const MOST_ROWS = matchMedia("(max-width: 40rem)").matches ? 5 : 15;
const WIDE = matchMedia("(min-width: 75rem)");
const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: "base" });

export function enhanceTables(selection: Selection): void {
  for (const section of document.querySelectorAll<HTMLElement>("section.data")) {
    const table = section.querySelector("table");
    if (table) enhance(section, table);
  }
  document.addEventListener("click", (event) => {
    const target = event.target as Element;
    const pick = target.closest<HTMLElement | SVGElement>("[data-pick]");
    if (pick) {
      selection.set(pick.dataset["pick"] ?? null, "page");
      return;
    }
    const row = target.closest<HTMLElement>("tr[data-ref]");
    if (row && !target.closest("a, button, summary, input")) selection.set(row.dataset["ref"] ?? null, "page");
  });
  document.addEventListener("keydown", (event) => {
    const target = event.target as Element;
    const node = target.closest<SVGElement>("svg [data-pick]");
    if (node && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      selection.set(node.dataset["pick"] ?? null, "page");
    } else if (event.key === "Escape" && !(target instanceof HTMLInputElement)) {
      selection.set(null, "page");
    }
  });
  selection.listen((ref, from) => mark(ref, from === "picture"));
  for (const link of document.querySelectorAll<HTMLAnchorElement>("nav a")) {
    link.addEventListener("click", () => open(document.querySelector(link.hash)));
  }
}

function enhance(section: HTMLElement, table: HTMLTableElement): void {
  const body = table.tBodies[0];
  const heads = [...(table.tHead?.rows[0]?.cells ?? [])];
  if (!body) return;
  const rows = [...body.rows];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    button.addEventListener("click", () => sort(body, rows, heads, column));
  });
  stackable(table, rows, heads);
  if (rows.length > 3) addFilter(section, rows);
  if (rows.length > MOST_ROWS) shorten(section, rows.length);
}

/** A narrow screen shows a row as a card: its cells know their heads, and it stays a table to those who hear it. */
function stackable(table: HTMLTableElement, rows: HTMLTableRowElement[], heads: HTMLElement[]): void {
  const titles = heads.map((head) => head.textContent ?? "");
  table.setAttribute("role", "table");
  for (const group of [table.tHead, ...table.tBodies]) group?.setAttribute("role", "rowgroup");
  for (const row of table.rows) row.setAttribute("role", "row");
  for (const head of heads) head.setAttribute("role", "columnheader");
  for (const row of rows) {
    [...row.cells].forEach((cell, column) => {
      cell.setAttribute("role", column ? "cell" : "rowheader");
      cell.dataset["head"] = titles[column] ?? "";
      if (column && ["", "–"].includes(cell.textContent ?? "")) cell.classList.add("none");
    });
  }
}

/** A long table shows its first rows and a button for the others. */
function shorten(section: HTMLElement, count: number): void {
  section.classList.add("short");
  const button = document.createElement("button");
  button.type = "button";
  button.className = "more";
  button.textContent = `Show all ${count}`;
  button.addEventListener("click", () => lengthen(section));
  const left = document.createElement("p");
  left.className = "left";
  left.textContent = `The page itself has all ${count} rows.`;
  section.querySelector(".scroll")?.after(button, left);
}

function lengthen(section: Element): void {
  section.classList.remove("short");
  for (const old of section.querySelectorAll("button.more, p.left")) old.remove();
}

/** Unfold what an element stands in. */
function open(element: Element | null): void {
  for (const inner of element?.querySelectorAll("details") ?? []) inner.open = true;
  for (let outer = element?.closest("details"); outer; outer = outer.parentElement?.closest("details")) outer.open = true;
}

function sort(body: HTMLTableSectionElement, rows: HTMLTableRowElement[], heads: HTMLElement[], column: number): void {
  const head = heads[column];
  if (!head) return;
  const down = head.getAttribute("aria-sort") === "ascending";
  for (const other of heads) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  const sign = down ? -1 : 1;
  const keyed = rows.map((row) => ({ row, key: keyOf(row.cells[column]) }));
  keyed.sort((p, q) => compare(p.key, q.key, sign));
  body.append(...keyed.map((k) => k.row));
}

/** A number where the cell has one, null where it would have one, else its text. */
function keyOf(cell: HTMLTableCellElement | undefined): number | string | null {
  const value = cell?.dataset["v"];
  if (value === undefined) return cell?.textContent?.trim() ?? "";
  return value === "" ? null : Number(value);
}

function compare(p: number | string | null, q: number | string | null, sign: number): number {
  if (p === null || q === null) return p === q ? 0 : p === null ? 1 : -1;
  if (typeof p === "number" && typeof q === "number") return sign * (p - q);
  return sign * collator.compare(String(p), String(q));
}

function addFilter(section: HTMLElement, rows: HTMLTableRowElement[]): void {
  const heading = section.querySelector("h2");
  const count = heading?.querySelector(".count");
  const title = heading?.firstChild?.textContent?.trim().toLowerCase() ?? "rows";
  const label = document.createElement("label");
  label.className = "filter";
  const name = document.createElement("span");
  name.className = "sr";
  name.textContent = `Filter ${title}`;
  const input = document.createElement("input");
  input.type = "search";
  input.placeholder = "filter";
  const status = document.createElement("span");
  status.className = "sr";
  status.setAttribute("role", "status");
  label.append(name, input);
  // Within a summary a field would be a control inside a control.
  (heading?.closest("summary") ?? heading)?.after(label, status);
  const texts = rows.map((row) => (row.textContent ?? "").toLowerCase());
  input.addEventListener("input", () => {
    lengthen(section);
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    rows.forEach((row, i) => {
      row.hidden = !words.every((word) => texts[i]?.includes(word));
      if (!row.hidden) shown += 1;
    });
    if (count) count.textContent = words.length ? `${shown} of ${rows.length}` : String(rows.length);
    status.textContent = words.length ? `${shown} of ${rows.length} ${title} shown` : "";
  });
}

function mark(ref: string | null, bring: boolean): void {
  for (const old of document.querySelectorAll(".picked")) {
    old.classList.remove("picked");
  }
  if (ref === null) return;
  const same = `[data-ref="${CSS.escape(ref)}"]`;
  const items = [...document.querySelectorAll<HTMLElement | SVGElement>(same)];
  for (const item of items) item.classList.add("picked");
  // A pick in the picture brings its row into view where the picture stays in view beside it.
  const row = items.find((item) => item instanceof HTMLTableRowElement);
  // In a live view a click in the picture is for its panel, which would be scrolled away.
  if (!bring || !row || !WIDE.matches || document.querySelector("[data-model]")) return;
  open(row);
  const section = row.closest("section");
  if (section) lengthen(section);
  row.scrollIntoView({ block: "center" });
}
