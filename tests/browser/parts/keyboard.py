"""By keyboard alone: every stop can be seen, everything that can be used is a stop, and a day's work is done."""

from .asking import until
from .chromium import DOWN, ENTER, SPACE, TAB

# What the focus is on, and whether that can be seen.
FOCUS = """
const one = document.activeElement;
if (!one || one === document.body) return null;
const style = getComputedStyle(one), box = one.getBoundingClientRect();
window.stops ||= new Set();
const again = window.stops.has(one);
window.stops.add(one);
return {again, name: `${one.tagName.toLowerCase()} ${one.id || one.textContent.trim().slice(0, 40)}`,
    ring: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2 || one.id === 'main',
    inside: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth};
"""
# What a mouse can use, and no stop was.
MISSED = """
return [...document.querySelectorAll('a[href], button, input:not([type=hidden]), select, textarea, summary, [onclick]')]
    .filter((one) => one.checkVisibility() && !one.disabled && !window.stops.has(one))
    .filter((one) => one.type !== 'radio')
    .map((one) => one.tagName.toLowerCase() + ' ' + (one.id || one.textContent.trim().slice(0, 40)));
"""
MOST_STOPS = 400


def stops(browser, where, report):
    """Tabs through a page once."""
    browser.run("document.activeElement.blur(); window.scrollTo(0, 0); window.stops = new Set()")
    first, count = None, 0
    for _ in range(MOST_STOPS):
        browser.keys(TAB)
        seen = browser.run(FOCUS)
        if seen is None or seen["again"]:
            break
        first, count = first or seen["name"], count + 1
        report.check(seen["ring"], where, f"the focus on {seen['name']} cannot be seen")
        report.check(seen["inside"], where, f"the focus on {seen['name']} is outside of the screen")
    has_menu = browser.run("return !!document.querySelector('nav.menu')")
    report.check(not has_menu or (first and first.startswith("a Skip")), where, f"the first stop is {first}, not the skip link")
    missed = browser.run(MISSED)
    report.check(not missed, where, f"no keyboard reaches {missed[:5]}")
    return count


def tab_to(browser, what, find):
    """Tabs until the script says that the focus is there."""
    for _ in range(MOST_STOPS):
        if browser.run(f"const one = document.activeElement; return !!({find})"):
            return
        browser.keys(TAB)
    raise SystemExit(f"no keyboard reaches {what}")


def says(text):
    return f"one.matches('a, button, summary') && one.textContent.trim() === {text!r}"


def journey(browser, bot, report):
    """In by the link; a message, an approval, a setting; out: no mouse."""
    rule = {"name": "ask before sums", "tools": ["compute"], "action": "confirm", "priority": 100}
    rule = bot.api("POST", "/api/policies", rule)
    browser.screen("desktop", "light")
    browser.go(bot.link())
    browser.keys(TAB)
    tab_to(browser, "the login", says("Log in"))
    browser.keys(ENTER)
    until("the login by keyboard", lambda: browser.path() == "")
    tab_to(browser, "the chat", says("Chat"))
    browser.keys(ENTER)
    until("the chat", lambda: browser.path().startswith("chat"))
    tab_to(browser, "the message", "one.id === 'content'")
    browser.keys(*"what is 2*21?", ENTER)
    until("a question about a call", lambda: browser.run("return [...document.querySelectorAll('button')].some((one) => one.textContent.trim() === 'Approve')"), 20)
    tab_to(browser, "the approval", says("Approve"))
    browser.keys(ENTER)
    until("an answer by keyboard", lambda: browser.run("return document.querySelector('#talk').textContent.includes('2*21 = 42')"), 20)
    bot.api("DELETE", f"/api/policies/{rule['id']}")
    tab_to(browser, "a verdict", says("Good answer"))
    browser.keys(ENTER)
    until("a verdict by keyboard", lambda: bot.api("GET", "/api/feedback?verdict=liked")["items"], 10)
    until("the pressed button", lambda: browser.run("return document.activeElement.getAttribute('aria-pressed') === 'true'"), 10)
    tab_to(browser, "the edit", says("Edit and ask again"))
    browser.keys(ENTER)
    tab_to(browser, "the message", "one.matches('.anew textarea')")
    browser.run("document.activeElement.select()")
    browser.keys(*"what is 3*21?")
    tab_to(browser, "asking again", says("Ask again"))
    browser.keys(ENTER)
    until("another answer by keyboard", lambda: browser.run("const text = document.querySelector('#talk').textContent; return text.includes('3*21 = 63') && !text.includes('2*21 = 42')"), 20)
    tab_to(browser, "the settings", says("Settings"))
    browser.keys(ENTER)
    until("the settings", lambda: browser.path().startswith("settings"))
    tab_to(browser, "a setting", "one.id === 'set-when_busy'")
    browser.keys(DOWN)
    tab_to(browser, "the difference", says("Show the difference"))
    browser.keys(ENTER)
    until("the difference", lambda: browser.run("return document.querySelector('h1').textContent === 'Change settings'"))
    tab_to(browser, "saving", says("Save"))
    browser.keys(ENTER)
    until("a change by keyboard", lambda: bot.api("GET", "/api/settings/bot/when_busy")["value"])
    bot.api("DELETE", "/api/settings/bot/when_busy")
    tab_to(browser, "the way out", says("Log out") + " && one.closest('nav')")
    browser.keys(SPACE)
    until("the way out", lambda: browser.path().startswith("login"))
    report.tell("by keyboard alone", "logged in, wrote, allowed a call, rated an answer, asked anew, changed a setting, logged out")


def by_keyboard(browser, bot, report, pages):
    total = 0
    for screen in ("desktop", "phone"):
        browser.screen(screen, "light")
        for route, path in pages.items():
            if route in ("/login", "/design"):
                continue
            browser.go(bot.address + path)
            total += stops(browser, f"{route} ({screen}, keyboard)", report)
    report.tell("stops of the keyboard", f"{total}, each of which can be seen")
    journey(browser, bot, report)
