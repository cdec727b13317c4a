"""Views of a diagnosis: what a report says, as data that the terminal and the page both draw."""

from cadbridge.report.views.table import Badge, Cell, Names, Number, Row, Table
from cadbridge.report.views.verdict import Verdict, verdict

__all__ = ["Badge", "Cell", "Names", "Number", "Row", "Table", "Verdict", "verdict"]
