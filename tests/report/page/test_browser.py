"""The page in a real browser: it opens from its file, asks for nothing, complains of nothing, picks and plays."""

import io
from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread
from playwright.sync_api import Browser, Page

from cadbridge.diagnosis import Diagnosis, diagnose
from cadbridge.findings import Findings
from cadbridge.mechanism import Mechanism, build
from cadbridge.report.page import Extras, write_page
from cadbridge.simulation import simulate, write_trajectory
from tests.report.page.browser import PHONE, barriers, opened
from tests.report.page.models import door

Made = tuple[Mechanism, Diagnosis]


@pytest.fixture(scope="module")
def report(page_code: None, hinged: Made, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    write_trajectory(simulate(hinged[0], duration=0.5), folder / "door.parquet")
    write_page(folder / "report.html", *hinged, Extras(folder / "door.parquet"))
    return folder / "report.html"


def unfold(page: Page, *sections: str) -> None:
    """Open folded sections, as a reader does."""
    for name in sections:
        page.locator(f"#{name} > details > summary").click()


def picked(page: Page) -> str | None:
    """What the picture says is picked."""
    return page.locator("#view").get_attribute("data-selected")


def test_a_pick_in_a_table_shows_elsewhere_and_tables_sort_and_tell_it(browser: Browser, report: Path) -> None:
    with opened(browser, report) as (page, _):
        page.locator("#joints button[data-pick='joint:0']").click()
        assert picked(page) == "joint:0"
        assert page.locator("#joints tr[data-ref='joint:0']").get_attribute("class") == "picked"
        assert page.locator("#graph g[data-ref='joint:0']").get_attribute("class") == "edge joint redundant picked"
        assert "between ground and leaf" in page.locator(".told").inner_text()
        page.locator(".told button", has_text="leaf").click()
        assert picked(page) == "body:0"
        page.keyboard.press("Escape")
        assert picked(page) == ""
        unfold(page, "mates")
        first = page.locator("#mates tbody tr th").first
        names = {}
        for way in ("ascending", "descending"):
            page.locator("#mates th button.sort").first.click()
            assert page.locator("#mates thead th").first.get_attribute("aria-sort") == way
            names[way] = first.inner_text()
        assert names == {"ascending": "lower", "descending": "upper"}
        page.locator("#bodies th button.sort").nth(1).press("Enter")
        assert page.locator("#bodies thead th").nth(1).get_attribute("aria-sort") == "ascending"


def test_a_pick_in_the_picture_shows_in_the_table_and_a_distance_is_measured(browser: Browser, report: Path) -> None:
    with opened(browser, report) as (page, _):
        for box in ("joint axes", "redundant mates"):
            page.get_by_label(box, exact=True).uncheck()
        page.locator("#view canvas").click()
        ref = picked(page)
        assert ref in ("part:0", "part:1")
        assert page.locator(f"#parts tr[data-ref='{ref}']").get_attribute("class") == "picked"
        page.locator("#view canvas").click(position={"x": 3, "y": 3})
        assert picked(page) == ""
        page.get_by_role("group", name="Tools").get_by_text("measure").click()
        canvas = page.locator("#view canvas")
        size = canvas.bounding_box()
        assert size is not None
        middle = {"x": size["width"] / 2, "y": size["height"] / 2}
        canvas.click(position={"x": middle["x"] - 8, "y": middle["y"]})
        assert page.locator(".told").inner_text() == "Click the second point."
        canvas.click(position={"x": middle["x"] + 8, "y": middle["y"]})
        assert page.locator(".told").inner_text().startswith("distance ")
        assert picked(page) in (None, "")


def drawn(page: Page) -> bytes:
    """The picture as it stands, once it is drawn."""
    page.wait_for_selector("canvas[data-drawn=yes]")
    return page.locator("#view canvas").screenshot()


def test_the_picture_changes_with_what_is_picked_and_played_and_a_mate_lights_its_faces(
    browser: Browser, report: Path
) -> None:
    with opened(browser, report) as (page, _):
        unfold(page, "parts")
        seen = [drawn(page)]
        page.locator("#parts button[data-pick='part:1']").click()
        seen.append(drawn(page))
        page.locator("select[aria-label='Motion']").select_option("1")
        page.get_by_label("Position in the motion").evaluate(
            "e => { e.value = e.max; e.dispatchEvent(new Event('input')); }"
        )
        seen.append(drawn(page))
        page.locator("#view canvas").press("ArrowLeft")
        seen.append(drawn(page))
        assert len(set(seen)) == 4
        before = drawn(page)
        page.locator("#redundancies button[data-pick^='mate:']").first.click()
        assert "(revolute) between frame – leaf, redundant" in page.locator(".told").inner_text()
        assert drawn(page) != before


SLOWLY = """
const real = WebGL2RenderingContext.prototype;
const [fence, wait, began, seen] = [real.fenceSync, real.clientWaitSync, new Map(), []];
real.fenceSync = function (...all) { const it = fence.apply(this, all); began.set(it, performance.now()); return it; };
real.clientWaitSync = function (it, ...all) {
  return performance.now() < began.get(it) + 100 ? this.TIMEOUT_EXPIRED : wait.call(this, it, ...all);
};
new MutationObserver(() => {
  const canvas = document.querySelector("canvas");
  const { drawn, behind } = canvas?.dataset ?? {};
  if (drawn === "quick" || drawn === "yes") seen.push(`${drawn} ${behind} ${canvas.width / canvas.clientWidth}`);
}).observe(document, { subtree: true, attributeFilter: ["data-drawn"] });
window.seen = seen;
"""
"""A machine that takes 100 ms for each picture, and all pictures: detail, the rest anew or kept, sharpness."""

AT_REST = """() => {
    const rest = (window.rest ??= { pictures: -1, frames: 0 });
    rest.frames = rest.pictures === seen.length ? rest.frames + 1 : 0;
    rest.pictures = seen.length;
    return rest.frames > 60;
}"""
"""Whether the page has drawn nothing for 60 of its own frames, however long a busy machine takes for them."""


def test_where_drawing_is_slow_a_pick_is_drawn_over_the_kept_picture_and_a_turn_coarsely_first(
    browser: Browser, report: Path
) -> None:
    with opened(browser, report, before=SLOWLY) as (page, _):
        page.wait_for_function("() => seen.length >= 2")  # the first picture, and shaders made ready
        unfold(page, "parts")
        page.wait_for_function(AT_REST)  # a busy machine may draw once more
        first = page.evaluate("seen.length")
        # Not by the mouse: on its way it would point at others.
        page.locator("#parts button[data-pick='part:1']").dispatch_event("click")
        page.wait_for_function("n => seen.length >= n", arg=first + 2)
        page.locator("#view canvas").press("ArrowLeft")
        page.wait_for_function("n => seen.length >= n", arg=first + 4)
        found = page.evaluate("n => seen.slice(n)", first)
        assert found == ["quick kept 1", "yes kept 2", "quick drawn 1", "yes drawn 2"]


def test_the_whole_is_seen_in_a_window_of_any_shape(browser: Browser, report: Path) -> None:
    """Opened wide, then made tall and narrow: nothing is drawn at the sides of the picture, and something within."""
    with opened(browser, report) as (page, _):
        for name in ("wide", "narrow"):
            if name == "narrow":
                page.locator("#view canvas").evaluate("e => { e.parentElement.style.width = '150px'; }")
                page.wait_for_function("document.querySelector('canvas').clientWidth <= 150")
                page.wait_for_timeout(200)
            image = np.asarray(imread(io.BytesIO(drawn(page)), "png"))[..., :3]
            middle = image[len(image) // 4 : -len(image) // 4]
            ground = middle[:, 4:5]  # within the border; it pales from top to bottom
            away = np.abs(middle - ground).max(axis=2) > 0.02
            assert away.any()
            assert not away[:, [3, 4, 5, -6, -5, -4]].any(), name


def test_motions_play_and_stop(browser: Browser, report: Path) -> None:
    with opened(browser, report) as (page, _):
        view = page.locator("#view")
        for clip in page.locator("select[aria-label='Motion'] option").all():
            page.locator("select[aria-label='Motion']").select_option(clip.get_attribute("value"))
            start = view.get_attribute("data-frame")
            page.locator("button.play").click()
            page.wait_for_function("f => document.getElementById('view').dataset.frame !== f", arg=start)
            page.locator("button.play").click()
            assert page.locator("button.play").inner_text() == "Play"
        page.locator("#freedoms button[data-clip]").first.click()
        assert page.locator("button.play").inner_text() == "Pause"
        assert page.locator("#view output").inner_text().endswith("°")


def test_a_long_table_shows_its_first_rows_and_says_so_on_paper(
    browser: Browser, page_code: None, tmp_path: Path
) -> None:
    mechanism = build(door(more=18))
    write_page(tmp_path / "long.html", mechanism, diagnose(mechanism))
    with opened(browser, tmp_path / "long.html") as (page, _):
        unfold(page, "mates")
        rows = page.locator("#mates tbody tr")
        assert sum(row.is_visible() for row in rows.all()) == 15
        left = page.locator("#mates p.left")
        assert not left.is_visible()
        page.emulate_media(media="print")
        assert left.text_content() == "The page itself has all 20 rows."
        assert page.locator("#redundancies p.left").is_visible()
        page.emulate_media(media="screen")
        assert page.locator("summary input").count() == 0
        page.locator("#mates input[type=search]").fill("hinge 1")
        assert sum(row.is_visible() for row in rows.all()) == 9
        assert left.count() == 0


def test_names_with_markup_do_nothing(browser: Browser, page_code: None, hostile: Made, tmp_path: Path) -> None:
    path = tmp_path / "hostile.html"
    write_page(path, *hostile)
    with opened(browser, path) as (page, _):
        for ref in ("joint:0", "body:0", "mate:0", "part:0"):
            page.locator(f"button[data-pick='{ref}']").first.click()
            assert "<img src=x onerror=alert(1)>" in page.locator(".told").inner_text()
        assert page.locator("img").count() == 0


def test_on_a_phone_the_answer_comes_first_and_no_table_is_scrolled_sideways(browser: Browser, report: Path) -> None:
    with opened(browser, report, size=PHONE) as (page, _):
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        assert page.locator("#view canvas").bounding_box() is not None
        top = {name: page.locator(name).bounding_box() for name in (".verdict", "#view", "#redundancies")}
        assert [name for name, box in sorted(top.items(), key=lambda item: item[1]["y"] if item[1] else 0)] == [*top]
        page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        wide = "[...document.querySelectorAll('.scroll')].filter((e) => e.scrollWidth > e.clientWidth).length"
        assert page.evaluate(wide) == 0
        cell = page.locator("#joints tbody td").first
        assert cell.evaluate("e => getComputedStyle(e, '::before').content") == '"type"'
        assert barriers(page) == []
        page.locator("#joints button[data-pick='joint:0']").click()
        assert picked(page) == "joint:0"


def test_without_webgl_the_tables_still_work(browser: Browser, report: Path) -> None:
    no_webgl = "HTMLCanvasElement.prototype.getContext = () => null"
    with opened(browser, report, before=no_webgl) as (page, _):
        assert "use a browser with JavaScript and WebGL" in page.locator("#fallback").inner_text()
        assert page.locator("#fallback img").evaluate("e => e.naturalWidth") == 640
        page.locator("#joints button[data-pick='joint:0']").click()
        assert page.locator("#joints tr.picked").count() == 1


def test_without_script_the_tables_read(browser: Browser, report: Path) -> None:
    with opened(browser, report, script=False) as (page, _):
        assert page.locator("#redundancies tbody tr").count() == 1
        assert page.locator("#fallback").is_visible()


def test_the_answer_comes_first_and_everything_is_named_and_reached_by_keyboard(browser: Browser, report: Path) -> None:
    with opened(browser, report) as (page, _):
        first = page.locator(".content > section").first
        assert first.get_attribute("id") == "summary"
        answer = page.locator("p.verdict")
        assert answer.get_attribute("class") == "verdict good"
        assert answer.inner_text().startswith("It moves with 1 degree of freedom.")
        unnamed = page.evaluate(
            """() => [...document.querySelectorAll(
              'button, input, select, a, #view canvas, [role=button], [role=region]')]
            .filter((e) => !(e.textContent.trim() || e.ariaLabel || e.getAttribute('aria-label')
              || e.getAttribute('aria-labelledby') || e.closest('label'))).map((e) => e.outerHTML)"""
        )
        assert unnamed == []
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.className") == "skip"
        page.locator("#graph g[data-pick='joint:0']").press("Enter")
        assert picked(page) == "joint:0"
        levels = page.evaluate("[...document.querySelectorAll('h1, h2, h3')].map((h) => h.tagName)")
        assert levels[0] == "H1"
        assert set(levels[1:]) == {"H2"}


def test_parts_are_hidden_isolated_cut_and_moved_apart(browser: Browser, report: Path) -> None:
    with opened(browser, report) as (page, _):
        unfold(page, "parts")
        tools = page.get_by_role("group", name="Tools")
        seen = [drawn(page)]
        tools.get_by_text("hide").click()
        assert "Pick a part" in page.locator(".told").inner_text()
        page.locator("#parts button[data-pick='part:1']").click()
        tools.get_by_text("hide").click()
        seen.append(drawn(page))
        tools.get_by_text("show all").click()
        assert drawn(page) != seen[1]
        page.locator("#parts button[data-pick='part:1']").click()
        for name in ("zoom", "isolate"):
            tools.get_by_text(name).click()
            seen.append(drawn(page))
        tools.get_by_text("show all").click()
        tools.get_by_label("Section plane").select_option("y")
        seen.append(drawn(page))
        tools.get_by_label("Section plane").select_option("none")
        tools.get_by_label("explode").evaluate("e => { e.value = 1; e.dispatchEvent(new Event('input')); }")
        seen.append(drawn(page))
        assert len(set(seen)) == len(seen)


def test_charts_and_picture_show_the_same_moment_and_a_chart_is_saved(browser: Browser, report: Path) -> None:
    with opened(browser, report) as (page, _):
        chart = page.locator("figure.plot .u-over").first
        size = chart.bounding_box()
        assert size is not None
        chart.click(position={"x": size["width"] / 2, "y": size["height"] / 2})
        assert page.locator("#view output").inner_text().endswith(" s")
        shown = float(page.locator("#view output").inner_text().split()[0])
        assert 0.15 < shown < 0.35
        assert float(page.locator("figure.plot .chart").last.get_attribute("data-time") or "nan") == pytest.approx(
            shown, abs=0.01
        )
        figure = page.locator("figure.plot").first
        saved = {}
        for kind in ("CSV", "SVG", "PNG"):
            with page.expect_download() as download:
                # Not by the mouse, which waits for two pictures of the page: a busy machine may draw none for minutes.
                figure.get_by_text(kind, exact=True).dispatch_event("click")
            saved[kind] = download.value.path().read_bytes()
        assert saved["CSV"].decode().splitlines()[0].startswith('"t in s","')
        assert b"<polyline" in saved["SVG"]
        assert saved["PNG"].startswith(b"\x89PNG")


def test_on_paper_the_answer_and_the_picture_fit_few_pages(browser: Browser, report: Path) -> None:
    with opened(browser, report) as (page, _):
        pages = page.pdf(format="A4").count(b"/Type /Page\n")
        assert 1 <= pages <= 5
        page.emulate_media(media="print")  # a preview hides the canvas first; its picture stays as large
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        page.wait_for_function("document.querySelector('img.print').naturalWidth > 300")
        assert (page.locator("img.print").get_attribute("src") or "").startswith("data:image/png;base64,")
        tops = page.evaluate(
            "['#summary', 'img.print', '#findings'].map((s) => document.querySelector(s).getBoundingClientRect().top)"
        )
        assert tops == sorted(tops)  # the answer, the picture, the rest
        heads = page.locator("thead button").evaluate_all("all => all.map((b) => getComputedStyle(b).display)")
        assert set(heads) == {"contents"}  # Chromium repeats a head on the next page only where no button is drawn


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_it_is_dark_where_the_reader_wants_it_and_axe_finds_no_barrier(
    browser: Browser, report: Path, dark: bool
) -> None:
    """The rules of axe-core (WCAG and best practices) over the whole page, with its folded tables opened."""
    with opened(browser, report, dark=dark) as (page, _):
        shade = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).map(Number)")
        assert max(shade) < 60 if dark else min(shade) > 200
        page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        assert barriers(page) == []


def test_many_findings_about_nothing_that_can_be_picked_are_scrolled_by_keyboard(
    browser: Browser, page_code: None, hinged: Made, tmp_path: Path
) -> None:
    many = Findings()
    for k in range(1_000):
        many.add("CB187", f"j{k} is of type 'fixd'")
    write_page(tmp_path / "many.html", *hinged, Extras(findings=many.as_tuple()))
    with opened(browser, tmp_path / "many.html") as (page, _):
        assert "… and 800 more" in page.locator(".finding li").last.inner_text()
        assert barriers(page) == []
