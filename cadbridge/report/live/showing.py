"""What the picture of the live view shows: bodies hidden, alone or seen through, axes of joints, light or dark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import viser

THROUGH = 0.3
"""Opacity of what is seen through."""


class Showing:
    """Switches over the nodes of the scene: `meshes` with the names of their bodies, `axes` of the joints."""

    def __init__(
        self, server: viser.ViserServer, names: Sequence[str], meshes: Sequence[tuple[str, Any]], axes: Sequence[Any]
    ) -> None:
        self._meshes, self._axes, self._server = meshes, axes, server
        gui = server.gui
        self.body: Any = gui.add_dropdown("body", tuple(names))
        self.buttons = gui.add_button_group("show", ("Hide", "Isolate", "See through", "Show all"))
        self.buttons.on_click(lambda _: self.press(self.buttons.value))
        self.through: Any = gui.add_checkbox("See through all", False)
        self.through.on_update(lambda _: self._see_through(None, self.through.value))
        self.lines: Any = gui.add_checkbox("Joint axes", True)
        self.lines.on_update(lambda _: self._show_axes(self.lines.value))

        self.dark: Any = gui.add_checkbox("Dark", False)
        self.dark.on_update(lambda _: gui.configure_theme(dark_mode=self.dark.value))

    def press(self, button: str) -> None:
        """Hide, Isolate or See through the body that is chosen, or Show all."""
        name = self.body.value
        if button == "Show all":
            self.through.value = False
            self._see_through(None, False)
            for _, node in self._meshes:
                node.visible = True
        elif button == "See through":
            self._see_through(name, True)
        else:
            for own, node in self._meshes:
                if button == "Isolate":
                    node.visible = own == name
                elif own == name:
                    node.visible = False

    def _see_through(self, name: str | None, on: bool) -> None:
        for own, node in self._meshes:
            if name in (None, own):
                node.opacity = THROUGH if on else None

    def _show_axes(self, on: bool) -> None:
        for node in self._axes:
            node.visible = on
