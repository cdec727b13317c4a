"""Views of a diagnosis: what a report says, as data that the terminal and the page both draw."""

from cadbridge.report.views.table import Badge, Cell, ItemNames, Number, Row, Table
from cadbridge.report.views.verdict import ReportVerdict, verdict

__all__ = ["Badge", "Cell", "ItemNames", "Number", "ReportVerdict", "Row", "Table", "verdict"]
