"""The section on redundant mates in a browser: a slider puts a mate off, forces grow, arrows show, red is beyond."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, ViewportSize

from cadbridge.diagnosis import Diagnosis, diagnose
from cadbridge.mechanism import Mechanism, build
from cadbridge.misfit import Rule, Settings, fit
from cadbridge.report.page import Extras, page_html, write_page
from cadbridge.report.page.misfit import FitShown
from cadbridge.sweeps.fits import fit_along
from tests.diagnosis.linkages import planar
from tests.report.page.browser import DESKTOP, PHONE, barriers, opened
from tests.report.page.models import HOSTILE, door

Made = tuple[Mechanism, Diagnosis]


@pytest.fixture(scope="module")
def shown(page_code: None, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A door on three hinges, the first of which may carry 500 N."""
    mechanism = build(door(more=1))
    settings = Settings(ratings=[Rule("mates", "*", {"across": 500.0})])
    path = tmp_path_factory.mktemp("fit") / "door.html"
    write_page(path, mechanism, diagnose(mechanism), Extras(fit=FitShown(fit(mechanism, settings))))
    return path


def slide(page: Page, to: int) -> None:
    page.get_by_label("How far it is off").evaluate(
        "(e, to) => { e.value = to; e.dispatchEvent(new Event('input')); }", to
    )


def forces(page: Page) -> list[float]:
    cells = page.locator("#fit .carried tbody tr td:nth-child(2)")
    return [float(text.replace("−", "-")) for text in cells.all_inner_texts()]


def test_forces_grow_with_the_slider_and_turn_red_beyond_the_rating(browser: Browser, shown: Path) -> None:
    with opened(browser, shown) as (page, _):
        assert forces(page) == [0.0, 0.0, 0.0]
        options = page.get_by_label("What is off").locator("option").all_inner_texts()
        page.get_by_label("What is off").select_option(label=next(o for o in options if "across" in o))
        slide(page, 10)
        small = forces(page)
        slide(page, 20)
        assert forces(page) == pytest.approx([2 * f for f in small], rel=0.02)
        assert max(small) > 0
        page.wait_for_selector("canvas[data-drawn=yes]")
        before = page.locator("#view canvas").screenshot()
        slide(page, 100)
        assert page.locator("#fit .carried tr.error").count() > 0
        page.wait_for_selector("canvas[data-drawn=yes]")
        assert page.locator("#view canvas").screenshot() != before
        slide(page, 0)
        page.get_by_label("with the weights").check()
        assert sum(forces(page)) > 0


def test_the_section_reads_without_a_script(browser: Browser, shown: Path) -> None:
    with opened(browser, shown, script=False) as (page, _):
        text = page.locator("#fit").inner_text()
        assert "What goes on the drawing?" in text
        assert "needs JavaScript" in text


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_the_section_is_read_by_everyone(browser: Browser, shown: Path, size: ViewportSize) -> None:
    with opened(browser, shown, size=size) as (page, _):
        assert [b for b in barriers(page, "#fit") if b[0] in ("serious", "critical")] == []


def test_play_and_forces_are_plotted_over_the_joint(browser: Browser, page_code: None, tmp_path: Path) -> None:
    mechanism = build(planar([(0, 0), (0.05, 0.2), (0.45, 0.35), (0.5, 0)]))
    settings = Settings(draws=100)
    joint = mechanism.joints[0].name
    along = fit_along(mechanism, joint, settings, poses=5)
    path = tmp_path / "bar.html"
    write_page(path, mechanism, diagnose(mechanism), Extras(fit=FitShown(fit(mechanism, settings, 0), along)))
    with opened(browser, path) as (page, _):
        assert page.locator("#fit figure.plot").count() == 3
        assert f"over {joint} in °" in (page.locator("#fit .chart").first.get_attribute("aria-label") or "")


def test_names_with_markup_stay_names(page_code: None) -> None:
    mechanism = build(door(HOSTILE, more=1))
    text = page_html(mechanism, diagnose(mechanism), Extras(fit=FitShown(fit(mechanism, Settings(draws=100), 0))))
    assert "<img src=x" not in text


def test_a_mechanism_that_fits_has_no_section(page_code: None, hinged: Made) -> None:
    mechanism = build(replace(hinged[0].assembly, mates=hinged[0].assembly.mates[:1]))
    assert 'id="fit"' not in page_html(mechanism, diagnose(mechanism), Extras(fit=FitShown(fit(mechanism))))
