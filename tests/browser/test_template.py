"""The templates of the client: values never become markup, and what is alike stays where it is."""

from typing import Any

import pytest
from playwright.async_api import Page

from tests.browser.conftest import DESKTOP, PageAt, Watch


async def within(page: Page, script: str) -> Any:
    """What a script returns that has ``html``, ``svg`` and ``patch``, and an empty ``box`` on the page."""
    return await page.evaluate(f"""async () => {{
        const {{ html, svg, patch }} = await import("/web/js/template.js");
        const box = document.getElementById("main").appendChild(document.createElement("div"));
        {script}
    }}""")


@pytest.fixture
async def page(page_at: PageAt) -> Page:
    return await page_at(DESKTOP, "#/no/such/page")


async def test_a_value_is_text_wherever_it_stands(page: Page):
    said = await within(
        page,
        """
        const bad = `"><img src=x onerror=alert(1)><script>alert(2)</script>&lt;`;
        const row = html`<tr><td>${bad}</td></tr>`;
        const text = html`<p title=${bad} class="a ${bad}">${bad} ${[bad, 1, null, false]}</p>`;
        box.append(html`${text}<table><tbody>${row}</tbody></table>`);
        return [box.querySelectorAll("img, script").length, box.querySelector("p").title === bad,
          box.querySelector("p").textContent === `${bad} ${bad}1`, box.querySelector("tbody td").textContent === bad];
    """,
    )
    assert said == [0, True, True, True]


async def test_an_attribute_that_is_false_or_nothing_is_left_out_and_true_is_empty(page: Page):
    said = await within(
        page,
        """
        box.append(html`<input disabled=${true} readonly=${false} id=${null} lang=${undefined} title=${0}>`);
        return box.innerHTML;
    """,
    )
    assert said == '<input disabled="" title="0">'


async def test_properties_and_listeners_are_set_and_drawings_are_svg(page: Page):
    said = await within(
        page,
        """
        let heard = 0;
        const options = [1, 2].map((n) => html`<option value=${n}>${n}</option>`);
        box.append(html`<button @click=${() => (heard += 1)} .someValue=${{ deep: 7 }}>b</button>`);
        box.append(html`<select .value=${"2"} aria-label="s">${options}</select>`);
        box.append(html`<svg>${svg`<circle r=${3}></circle>`}</svg>`);
        const button = box.querySelector("button");
        button.click();
        const drawn = box.querySelector("circle") instanceof SVGCircleElement;
        return [heard, button.someValue.deep, box.querySelector("select").value, drawn];
    """,
    )
    assert said == [1, 7, "2", True]


async def test_a_patch_keeps_what_is_alike_with_its_focus_and_what_was_typed(page: Page):
    said = await within(
        page,
        """
        const heard = [];
        const view = (name) => html`
          <h2>${name}</h2><input class=${name}><button @click=${() => heard.push(name)}>b</button>`;
        patch(box, view("one"));
        const input = box.querySelector("input"), button = box.querySelector("button");
        input.focus(); input.value = "typed";
        patch(box, view("two"));
        button.click();
        const kept = box.querySelector("input") === input && document.activeElement === input;
        return [kept, input.value, input.className, heard, box.querySelector("h2").textContent];
    """,
    )
    assert said == [True, "typed", "two", ["two"], "two"]


async def test_a_patch_moves_brothers_by_their_keys_and_forgets_who_is_gone(page: Page):
    said = await within(
        page,
        """
        const list = (names) => html`<ul>${names.map((name) => html`<li data-key=${name}>${name}</li>`)}</ul>`;
        patch(box, list(["a", "b", "c", "d"]));
        const before = Object.fromEntries([...box.querySelectorAll("li")].map((li) => [li.textContent, li]));
        patch(box, list(["d", "new", "b", "a"]));
        const now = [...box.querySelectorAll("li")];
        return [now.map((li) => li.textContent), now.map((li) => before[li.textContent] === li)];
    """,
    )
    assert said == [["d", "new", "b", "a"], [True, False, True, True]]


async def test_what_has_no_listener_any_more_does_not_listen(page: Page):
    said = await within(
        page,
        """
        let heard = 0;
        patch(box, html`<button @click=${() => (heard += 1)}>b</button>`);
        patch(box, html`<button>b</button>`);
        box.querySelector("button").click();
        return heard;
    """,
    )
    assert said == 0


async def test_markup_is_made_nowhere_else(page: Page, watch: Watch):
    said = await within(
        page,
        """
        try { box.innerHTML = "<b>x</b>"; return "made"; } catch (error) { return error.name; }
    """,
    )
    assert said == "TypeError"
    watch.forgive("TrustedHTML")
