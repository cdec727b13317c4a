"""The report as one HTML file that works offline: no request leaves it, whatever the names in it are."""

from cadbridge.report.page.page import Extras, page_html, require_built, write_page

__all__ = ["Extras", "page_html", "require_built", "write_page"]
