"""Every page, on phone and desktop, in dark and light: weight, width, requests, errors, axe."""

import pathlib
import re
import subprocess

from .asking import until
from .chromium import SCREENS, THEMES

ROOT = pathlib.Path(__file__).resolve().parents[3]
AXE = ROOT / "target/browser/package/axe.min.js"
HEAVIEST_PAGE, HEAVIEST_VISIT = 150_000, 250_000
FIRST_PAINT_MS = 200
MEASURE = """
const navigation = performance.getEntriesByType('navigation')[0];
const paint = performance.getEntriesByName('first-contentful-paint')[0];
const all = performance.getEntriesByType('resource');
return {weight: navigation.transferSize, paint: paint ? paint.startTime : null,
    visit: all.reduce((sum, one) => sum + (one.initiatorType === 'fetch' ? 0 : one.transferSize || one.encodedBodySize), navigation.transferSize),
    foreign: all.map((one) => one.name).filter((name) => !name.startsWith(location.origin)),
    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    title: document.title, heads: document.querySelectorAll('h1').length};
"""
VIOLATIONS = """
const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ['violations']}).then((result) => done(result.violations
    .filter((one) => ['serious', 'critical'].includes(one.impact))
    .map((one) => one.id + ': ' + one.nodes.slice(0, 3).map((node) => node.target.join(' ')).join(', '))));
"""
# What a finger has to hit: 24 pixels, unless it stands in a line of text (WCAG 2.2, 2.5.8).
SMALL = """
return [...document.querySelectorAll('button, .button, select, input:not([type=hidden]), textarea, summary, nav a')]
    .filter((one) => one.checkVisibility() && !one.closest('.hidden'))
    .filter((one) => { const box = one.getBoundingClientRect(); return box.width > 0 && (box.height < 24 || box.width < 16) && one.type !== 'checkbox' && one.type !== 'radio'; })
    .map((one) => one.tagName + ' ' + (one.id || one.textContent.trim().slice(0, 30)));
"""

# Buttons that answer in place, and stand in no part that follows: nobody would see what they did.
SILENT = """
return [...document.querySelectorAll('form[data-inplace]')]
    .filter((one) => !one.closest('[data-live], [data-past]') && !one.matches('.composer') && !one.closest('#new-reminder'))
    .map((one) => one.action + ' ' + one.textContent.trim().slice(0, 30));
"""

# What a form would change, before it is saved: pages that no address leads to. The path of the form, and what to write.
REVIEWS = {"/settings": "document.querySelector('#set-memory').selectedIndex = 2",
           "/agents/{id}": "document.querySelector('#prompt').value += '\\nNever use emoji.'",
           "/policies/{id}": "document.querySelector('#action').value = 'allow'"}


def routes():
    """Every page that the router has: a new one is looked at without being named here."""
    found = []
    for file in (ROOT / "crates/web/src").rglob("*.rs"):
        found += re.findall(r'\.route\(\s*"(/[^"]*)",\s*get\(', file.read_text())
    return sorted(path for path in set(found) - {"/assets/{name}"} if not path.endswith(".csv"))


def examples(bot, report):
    """A path for each page, by its route."""
    first = lambda path: (bot.api("GET", path)["items"] or [{}])[0].get("id", "none")
    run, context, person = first("/api/runs?limit=1"), first("/api/contexts?limit=1"), first("/api/users?limit=1")
    known = {"/runs/{id}": run, "/chat/{id}": context, "/conversations/{id}": context, "/people/{id}": person,
             "/memory/{id}": first("/api/memories?limit=1"),
             "/tools/{name}": "web", "/agents/{id}": first("/api/agents"), "/policies/{id}": first("/api/policies"), "/api/docs/{tag}": "runs"}
    pages = {}
    for route in routes():
        value = known.get(re.sub(r"^([^{]*\{[a-z]+\}).*", r"\1", route))
        if "{" not in route:
            pages[route] = route
        elif value:
            pages[route] = re.sub(r"\{[a-z]+\}", value, route, count=1)
            if "{" in pages[route]:
                report.check(False, route, "is not looked at: tests/browser/parts/pages.py knows no example of it")
                del pages[route]
        else:
            report.check(False, route, "is not looked at: tests/browser/parts/pages.py knows no example of it")
    pages["/search?q="] = "/search?q=plants"
    return pages


def axe():
    """axe-core comes from npm, once; without npm its part is left out, and the reader is told."""
    if not AXE.exists():
        AXE.parents[1].mkdir(parents=True, exist_ok=True)
        try:
            name = subprocess.run(["npm", "pack", "axe-core@4"], cwd=AXE.parents[1], check=True, capture_output=True,
                                  text=True, timeout=120).stdout.strip().splitlines()[-1]
            subprocess.run(["tar", "xzf", name, "package/axe.min.js"], cwd=AXE.parents[1], check=True)
        except (OSError, subprocess.SubprocessError) as error:
            print(f"axe is left out: {error}")
            return None
    return AXE.read_text()


def painted(browser):
    found = "return !!performance.getEntriesByName('first-contentful-paint')[0]"
    until("the first paint", lambda: browser.run(found), 20)


def violations(browser, script):
    browser.cdp("Runtime.evaluate", expression=script)
    return browser.do("/execute/async", {"script": VIOLATIONS, "args": []})


def check(browser, where, report, script, screen):
    """What holds for every page, whatever is on it."""
    told = browser.run(MEASURE)
    report.check(told["weight"] <= HEAVIEST_PAGE, where, f"{told['weight']} bytes")
    report.check(told["visit"] <= HEAVIEST_VISIT, where, f"{told['visit']} bytes on a first visit")
    report.check(not told["foreign"], where, f"asks {told['foreign']}")
    report.check(told["wide"] <= 0, where, f"is {told['wide']} pixels wider than its screen")
    report.check(told["heads"] == 1 or where.startswith("/design"), where, f"has {told['heads']} main headings")
    silent = browser.run(SILENT)
    report.check(not silent, where, f"has buttons that show nothing of what they did: {silent[:4]}")
    if screen == "phone":
        small = browser.run(SMALL)
        report.check(not small, where, f"is hard to hit with a finger: {small[:4]}")
    for fault in violations(browser, script) if script else ():
        report.check(False, where, fault)
    for entry in browser.log("browser"):
        report.check(entry["level"] != "SEVERE", where, entry["message"])
    return told


def reviews(browser, bot, report, pages, screen, theme):
    """The difference that a form would make, before it is saved. Nothing is."""
    script = axe()
    for route, change in REVIEWS.items():
        browser.go(bot.address + pages[route])
        browser.run(change + "; document.querySelector('main form[method=post] button.main').click()")
        until(f"the difference of {route}", lambda: "Nothing is saved yet" in browser.element_text("main"), 20)
        painted(browser)
        check(browser, f"{route}, reviewed ({screen}, {theme})", report, script, screen)


def look_at(browser, bot, report, pages, seen=None):
    script, rows, checked = axe(), [], 0
    for screen in SCREENS:
        for theme in THEMES:
            browser.screen(screen, theme)
            for route, path in pages.items():
                where = f"{route} ({screen}, {theme})"
                browser.go(bot.address + path)
                painted(browser)
                told = check(browser, where, report, script, screen)
                rows.append((where, told["weight"], told["visit"], told["paint"]))
                checked += 1 if script else 0
                if seen:
                    seen(browser, route, screen, theme)
            reviews(browser, bot, report, pages, screen, theme)
    paints = sorted(row[3] for row in rows if row[3] is not None)
    heaviest = max(rows, key=lambda row: row[1])
    report.tell("pages looked at", f"{len(rows)}: {len(pages)} on two screens in two themes; axe on {checked}")
    report.tell("heaviest page", f"{heaviest[1]} bytes, {heaviest[0]}", HEAVIEST_PAGE)
    report.tell("heaviest first visit", f"{max(row[2] for row in rows)} bytes", HEAVIEST_VISIT)
    report.tell("first paint, middle and slowest", f"{paints[len(paints) // 2]:.0f} and {paints[-1]:.0f} ms", f"{FIRST_PAINT_MS} ms")
