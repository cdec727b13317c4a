"""An extension of Sphinx: the navigation beside each page is made of the titles of pages, of which alone it consists.

Sphinx copies the headings and names of all pages for each page and throws away all but the titles: a quarter of the
build.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect what makes the navigation, ahead of the theme, which asks for it."""
    app.connect("html-page-context", _of_titles, priority=100)
    return {"parallel_read_safe": True}


def _of_titles(app: Sphinx, page: str, template: str, context: dict[str, Any], tree: object) -> None:
    whole = context["toctree"]

    def made(**options: Any) -> str:
        if not options.get("titles_only"):
            return str(whole(**options))
        tables = app.env.tocs
        app.env.tocs = _titles(app)
        try:
            return str(whole(**options))
        finally:
            app.env.tocs = tables

    context["toctree"] = made


@cache
def _titles(app: Sphinx) -> dict[str, nodes.bullet_list]:
    """The table of contents of each page without its headings: its title, and the pages below it."""
    tables = {page: table.deepcopy() for page, table in app.env.tocs.items()}
    for table in tables.values():
        for title in table.children:
            if isinstance(title, nodes.Element) and len(title) > 1:
                if below := list(title.findall(addnodes.toctree)):
                    title[1][:] = below
                else:
                    title.pop(1)
    return tables
