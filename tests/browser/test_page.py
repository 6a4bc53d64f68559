"""`graph dump --format html` in a real browser: clicks, keys, search, the backward pass, groups, light and dark."""

import json

import pytest

from . import chromium

pytestmark = pytest.mark.skipif(chromium.PATH is None, reason="needs Chromium")

LOOP = "param x = 0.5\ny = x\nfor i in range(300) {\n    y = sin(y) * x\n}\nbackward(y)\n"
DIAMOND = "param x = 2\ny = x * x\nz = y + sin(x)\nbackward(z * y)\n"


@pytest.fixture
def page(dagrad, tmp_path):
    pages = []

    def show(source, *options):
        program, file = tmp_path / "model.dg", tmp_path / "page.html"
        program.write_text(source)
        answer = dagrad("graph", "dump", program, "--format", "html", "-o", file, *options)
        assert answer.code == 0, answer.err
        pages.append(chromium.Page(file.as_uri(), tmp_path / "profile"))
        return pages[-1]

    yield show
    for each in pages:
        each.close()


def box(id):
    return f'.box[data-id="{id}"] rect'


def classes(page, id):
    return set(page.run(f"document.querySelector('.box[data-id=\"{id}\"]').getAttribute('class')").split())


def details(page):
    return page.run("document.getElementById('details').innerText")


def count(page, selector):
    return page.run(f"document.querySelectorAll({json.dumps(selector)}).length")


def test_a_click_shows_rule_saved_values_shape_gradient_and_source(page):
    shown = page(DIAMOND)
    shown.click(box("%2"))
    text = details(shown)
    for part in ("%2 MulBackward0", "model.dg:2", "x * x", "a number", "a (%1): g * b", "saved for backward", "a 8 B = 2", "step 4"):
        assert part in text
    assert "chosen" in classes(shown, "%2")


def test_a_line_lights_its_nodes_and_a_node_its_line(page):
    shown = page(DIAMOND)
    shown.move("#source .row:nth-of-type(3)")
    assert "lit" in classes(shown, "%4")
    assert "lit" in classes(shown, "%3")
    assert "lit" not in classes(shown, "%2")
    shown.move(box("%2"))
    assert shown.run("document.querySelector('#source .row.lit').innerText").endswith("y = x * x")


def test_the_backward_pass_forward_back_and_play(page):
    shown = page(DIAMOND)
    shown.click("#next")
    assert "now" in classes(shown, "%5")
    assert shown.run("document.getElementById('step').innerText") == "1 of 5"
    shown.click("#next")
    assert {"now"} <= classes(shown, "%4")
    assert "done" in classes(shown, "%5")
    shown.click("#next")
    assert "ready" in classes(shown, "%2")
    assert "ready queue after it" in details(shown)
    shown.click("#back")
    assert "now" in classes(shown, "%4")
    shown.click("#last")
    gradient = shown.run("document.querySelector('.box[data-id=\"%1\"] .gradient').textContent")
    assert gradient.startswith("g = 33.9726")  # 4x³ + 2x sin x + x² cos x at 2
    shown.click("#play")
    shown.wait("document.getElementById('step').innerText.startsWith('2 of')")
    shown.click("#play")


def test_groups_open_on_click_and_close(page):
    shown = page(LOOP)
    assert count(shown, ".box") == 2
    shown.click(".box.group rect")
    assert count(shown, ".box") == 3
    assert "×300" in shown.run("document.querySelector('.frame text').textContent")
    shown.press("g", "g")
    assert count(shown, ".box") == 2
    assert "601 nodes are drawn as 3" in shown.run("document.getElementById('notes').innerText")


def test_search_finds_opens_and_centres(page):
    shown = page(LOOP)
    shown.press("/", "/")
    shown.type("sin")
    assert shown.run("document.getElementById('found').innerText") == "2 found"
    shown.press("Enter")
    assert count(shown, ".box.chosen") == 1
    assert "SinBackward0" in details(shown)


def test_keys_alone(page):
    shown = page(DIAMOND)
    shown.press("ArrowRight")
    shown.press("ArrowRight")
    shown.press("ArrowLeft")
    assert shown.run("document.getElementById('step').innerText") == "1 of 5"
    shown.run("document.querySelector('.box[data-id=\"%3\"]').focus()")
    shown.press("Enter", "\r")
    assert "%3 SinBackward0" in details(shown)


def test_zoom_and_pan(page):
    shown = page(DIAMOND)
    before = shown.run("document.getElementById('graph').getAttribute('viewBox')").split()
    shown.wheel("#graph", -200)
    shown.wait(f"+document.getElementById('graph').getAttribute('viewBox').split(' ')[2] < {before[2]}")
    shown.press("0", "0")
    assert shown.run("document.getElementById('graph').getAttribute('viewBox')").split() == before
    shown.press("ArrowDown")
    assert shown.run("document.getElementById('graph').getAttribute('viewBox')").split() != before


def test_light_and_dark(page):
    shown = page(DIAMOND)
    paper = "getComputedStyle(document.body).backgroundColor"
    light = shown.run(paper)
    shown.click("#theme")
    assert shown.run(paper) != light


def test_boxes_do_not_overlap_and_texts_stay_inside(page):
    body = "".join(f"v{i} = sin(v{(i * 7) % i if i else 0}) * x + v{i // 2}\n" for i in range(1, 61))
    shown = page(f"param x = 0.5\nv0 = x\n{body}backward({' + '.join(f'v{i}' for i in range(61))})\n", "--no-collapse")
    assert count(shown, ".box") > 200
    overlaps = """(() => {
        const boxes = [...document.querySelectorAll(".box")].map((g) => [g.querySelector("rect").getBBox(), g]);
        const meet = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
        let found = 0;
        for (const [a, g] of boxes) {
            found += boxes.filter(([b, h]) => g !== h && meet(a, b)).length;
            for (const t of g.querySelectorAll("text:not(.gradient)")) if (t.getBBox().x + t.getBBox().width > a.x + a.width + 1) found++;
        }
        return found; })()"""
    assert shown.run(overlaps) == 0


def test_a_picture_of_the_page(page):
    """The picture is no blank: a screenshot compresses to more than a page without a graph would."""
    shown = page(DIAMOND)
    shown.click("#next")
    picture = shown.screenshot()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 20_000


def test_nothing_is_fetched(dagrad):
    answer = dagrad("graph", "dump", "-e", "x * 2", "--at", "x=1", "--format", "html")
    assert "default-src 'none'" in answer.out
    assert "http://" not in answer.out.replace("http://www.w3.org/2000/svg", "")
    assert "https://" not in answer.out
