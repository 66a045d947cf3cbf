"""The questions in a real Chromium: answers survive a reload, the keyboard is enough, and paper and no scripts work."""

from playwright.sync_api import Page, expect

from site_server import Site

NAME = "check_embeddings"
STORED = "localStorage.getItem(location.pathname + 'check_embeddings')"
FORBIDDEN = """for (const name of ["localStorage", "sessionStorage"])
    Object.defineProperty(window, name, { get() { throw new DOMException("forbidden", "SecurityError"); } });"""


def at_questions(page: Page) -> Page:
    """The page with its questions in sight and Python ready."""
    page.locator(f"#{NAME}").scroll_into_view_if_needed()
    page.wait_for_selector(f"#{NAME}[python=ready]", timeout=90_000)
    return page


def says(page: Page, text: str) -> None:
    expect(page.locator(f"#{NAME}-say")).to_contain_text(text, timeout=90_000)


def result(page: Page, which: str, value: str) -> None:
    expect(page.locator(f"#{NAME}-{which}")).to_have_attribute("data-result", value, timeout=90_000)


def answer(page: Page) -> None:
    """Answers three questions: a choice, a number, and a row of which one number is wrong."""
    page.check(f"#{NAME}-swap-trade")
    page.click(f"#{NAME}-check-swap")
    result(page, "swap", "right")
    page.fill(f"#{NAME}-adam-typed", "4,36")
    page.click(f"#{NAME}-check-adam")
    result(page, "adam", "right")
    page.fill(f"#{NAME}-moved-typed", "1 0 0 1")
    page.press(f"#{NAME}-moved-typed", "Enter")
    page.click(f"#{NAME}-check-moved")
    result(page, "moved", "wrong")


def test_a_reload_keeps_the_answers_and_start_again_forgets_them(open_page):
    page = at_questions(open_page())
    answer(page)
    page.reload()
    says(page, "2 of 17 right, 14 open, 1 wrong.")
    expect(page.locator(f"#{NAME}-moved-typed")).to_have_value("1 0 0 1")
    page.click(f"#{NAME}-reset")
    says(page, "0 of 17 right, 17 open.")
    assert page.evaluate(STORED) == ""
    page.reload()
    at_questions(page)
    says(page, "0 of 17 right, 17 open.")


def test_a_link_in_the_address_goes_before_what_was_stored_and_keeps_up_with_the_answers(open_page):
    page = at_questions(open_page())
    page.evaluate(f"localStorage.setItem(location.pathname + '{NAME}', 'swap=new')")
    page.evaluate(f"history.replaceState(null, '', '#{NAME}?sums=ed3')")
    page.reload()
    expect(page.locator(f"#{NAME}-sums-ed3")).to_be_checked(timeout=90_000)
    expect(page.locator(f"#{NAME}-swap-new")).not_to_be_checked()
    page.click(f"#{NAME}-check-sums")
    result(page, "sums", "right")
    page.reload()
    says(page, "1 of 17 right, 16 open.")


def test_a_stored_link_of_older_questions_keeps_what_can_be_kept_and_heals(open_page):
    page = open_page()
    page.evaluate(f"localStorage.setItem(location.pathname + '{NAME}', 'gone=a&gone_tries=1&sums=ed3')")
    page.reload()
    expect(page.locator(f"#{NAME}-sums-ed3")).to_be_checked(timeout=90_000)
    expect(page.locator(f"#{NAME} .notice")).to_have_count(0)
    assert page.evaluate(STORED) == "sums=ed3"
    page.evaluate(f"localStorage.setItem(location.pathname + '{NAME}', 'gone=a')")
    page.reload()
    expect(page.locator(f"#{NAME} .notice")).to_contain_text("could not be used", timeout=90_000)
    assert page.evaluate(STORED) == ""


def test_what_was_stored_waits_for_python_and_is_not_written_over(open_page, site: Site):
    page = open_page()
    stored = "period=12.57&period_tries=1&period_done=checked&last=period"
    page.evaluate(f"localStorage.setItem(location.pathname + '{NAME}', '{stored}')")
    with site.answering(".wasm", b"", status=200):
        page.reload()
        page.locator(f"#{NAME}").scroll_into_view_if_needed()
        page.wait_for_selector(f"#{NAME}[python=failed]", timeout=90_000)
        page.check(f"#{NAME}-swap-trade")  # the table answers this
        page.wait_for_selector(f"#{NAME}[state*='\"swap\":\"trade\"']", state="attached")
        assert page.evaluate(STORED) == stored
    page.click(f"#{NAME} [data-when=failed] .load")
    says(page, "1 of 17 right")
    result(page, "period", "right")


def test_where_storage_is_forbidden_the_questions_work(open_page):
    page = at_questions(open_page(script=FORBIDDEN))
    answer(page)
    says(page, "2 of 17 right, 14 open, 1 wrong.")


def test_the_keyboard_is_enough_and_keeps_its_place(open_page):
    page = at_questions(open_page())
    page.focus(f"#{NAME}-swap-trade")
    page.keyboard.press("ArrowDown")  # going through the choices is no answer yet
    expect(page.locator(f"#{NAME}-swap-new")).to_be_checked()
    result(page, "swap", "")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    result(page, "swap", "wrong")
    says(page, "Question 1: not right.")
    expect(page.locator(f"#{NAME}-check-swap")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    says(page, "Question 1: the answer is shown.")
    expect(page.locator(f"#{NAME}-show-swap")).to_be_focused()
    expect(page.locator(f"#{NAME}-swap-why")).to_contain_text("Rows 2 and 3 trade places")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # Show it in the panel
    page.wait_for_selector("#build_x[state*='\"swapped\":\"swap\"'][state*='\"scheme\":\"none\"']", state="attached")


def test_without_scripts_the_questions_are_folded_and_only_they_are_there(open_page):
    page = open_page(java_script_enabled=False)
    folded = page.locator(".paper details.question")
    assert folded.count() == 17 and not page.locator(f"#{NAME}").is_visible()
    assert not page.locator(".paper .answer:visible, .paper .answers:visible").count()
    folded.first.locator("summary").click()
    expect(folded.first.locator(".answer")).to_be_visible()


def test_on_the_screen_and_on_paper_there_is_one_of_the_two(open_page):
    page = at_questions(open_page())
    assert page.locator(f"#{NAME}").is_visible() and not page.locator(".paper").is_visible()
    page.emulate_media(media="print")
    assert not page.locator(f"#{NAME}").is_visible() and page.locator(".paper").is_visible()
    tops = page.locator(".paper details.question:visible, .paper .answers li:visible").evaluate_all(
        "all => all.map((node) => node.getBoundingClientRect().top)")
    assert len(tops) == 34 and tops == sorted(tops)  # every question comes before every answer
    assert page.locator(".paper .space:visible").count() == 7  # where a number or a row is to be written
    assert not page.locator(".paper .answer:visible").count()
