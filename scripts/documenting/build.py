"""The site: its pages in one folder, its navigation, and the generator that makes HTML of them."""

from __future__ import annotations

import argparse
import gc
import json
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from sphinx.cmd.build import main as sphinx

sys.path.insert(0, str(Path(__file__).resolve().parent))
import reference

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
NOTEBOOKS = ("diagnose_and_mend", "simulate_and_compare", "convert_a_folder")

SECTIONS: dict[str, list[str]] = {
    "Tutorials": [f"tutorials/{name}" for name in NOTEBOOKS],
    "How to": [
        "formats", "mates-file", "recognition", "scenario", "trajectory", "sweep", "view", "inverse", "fit", "geared",
        "exports", "jobs", "config", "security",
    ],
    "Reference": ["reference/commands", "reference/findings", "reference/python", "reference/files", "check-json"],
    "Explanation": [
        "solver", "tree", "fit-theory", "recognition-measured", "papers", "bench", "architecture", "glossary",
    ],
    "Contributing": ["contributing", "how-to-add", "changelog"],
}  # fmt: skip
"""The site's sections and their pages; the first page of all is the README."""

CONFIGURATION = f"""
import sys
sys.path.insert(0, {str(Path(__file__).resolve().parent)!r})
import python_names
python_names.name_types()
project = "cadbridge"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"
autodoc_type_aliases = {{"ArrayLike": "ArrayLike"}}
napoleon_numpy_docstring = False
napoleon_use_ivar = True
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"
html_theme = "furo"
html_show_copyright = False
highlight_language = "none"
myst_heading_anchors = 4
"""


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the documentation site.")
    parser.add_argument("-o", dest="out", type=Path, default=ROOT / "out" / "site")
    out = parser.parse_args().out.resolve()
    pages = out.with_name(f"{out.name}-pages")
    # Nearly all that Sphinx makes lives to the end: looking through it for garbage is two fifths of a build.
    gc.disable()
    write_pages(pages)
    status = generated(pages, out)
    if status == 0:
        print(out / "index.html")
    raise SystemExit(status)


def generated(pages: Path, out: Path) -> int:
    """Make HTML of the pages; a dead link gives a status other than 0."""
    # In this process, which has loaded the whole package for its reference already.
    return sphinx(["--fail-on-warning", "--keep-going", "--quiet", "-b", "html", str(pages), str(out)])


def write_pages(folder: Path) -> None:
    """All pages and the generator's configuration in a folder, which is made anew."""
    shutil.rmtree(folder, ignore_errors=True)
    names = written_names()
    for source, name in names.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".md":
            target.write_text(relinked(source.read_text("utf-8"), source, name, names), "utf-8")
        elif source.suffix == ".ipynb":
            target.write_text(relinked(cells(source), source, name, names), "utf-8")
        else:
            shutil.copy(source, target)
    for name, text in reference.pages():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")
    with (folder / "index.md").open("a", encoding="utf-8") as index:
        for title, pages in SECTIONS.items():
            index.write("\n".join(["", "```{toctree}", ":hidden:", f":caption: {title}", "", *pages, "```", ""]))
    (folder / "conf.py").write_text(CONFIGURATION, "utf-8")


def written_names() -> dict[Path, str]:
    """Files of the project → their pages in the site."""
    docs = ROOT / "docs"
    names = {path: path.name for path in sorted(docs.iterdir()) if path.suffix in (".md", ".png", ".svg")}
    names |= {ROOT / "notebooks" / f"{name}.ipynb": f"tutorials/{name}.md" for name in NOTEBOOKS}
    names |= {path: f"schemas/{path.name}" for path in sorted((ROOT / "cadbridge" / "data" / "schemas").glob("*.json"))}
    return {
        ROOT / "README.md": "index.md",
        ROOT / "CONTRIBUTING.md": "contributing.md",
        ROOT / "CHANGELOG.md": "changelog.md",
        **names,
    }


def relinked(text: str, source: Path, name: str, names: dict[Path, str]) -> str:
    """The page with links to where the files stand in the site; a file of the project that has no page is named."""
    depth = name.count("/")

    def link(found: re.Match[str]) -> str:
        picture, words, target = found.groups()
        path, hash_sign, anchor = target.partition("#")
        if not path or re.match(r"[a-z]+:", path):
            return found.group(0)
        file = (source.parent / path).resolve()
        if file in names:
            return f"{picture}[{words}]({'../' * depth}{names[file]}{hash_sign}{anchor})"
        if not file.exists():
            return found.group(0)
        return f"{words} (`{file.relative_to(ROOT)}`)"

    return LINK.sub(link, text)


def cells(notebook: Path) -> str:
    """The text and the code of a notebook."""

    def parts() -> Iterator[str]:
        for cell in json.loads(notebook.read_text("utf-8"))["cells"]:
            text = "".join(cell["source"]).strip()
            if text:
                yield text if cell["cell_type"] == "markdown" else f"```python\n{text}\n```"

    return "\n\n".join(parts()) + "\n"


if __name__ == "__main__":
    main()
