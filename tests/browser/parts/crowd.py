"""Many of everything: runs, messages, viewers."""

import asyncio
import json
import re
import time

from . import rows
from .asking import until
from .pages import HEAVIEST_PAGE, painted

RUNS, MESSAGES, VIEWERS = 100_000, 10_000, 500
LIST_MS, VIEWERS_MB = 100, 50
# What a shared machine and a build without optimisation may add before it is a fault.
GENEROUS = 10


def timed(bot, path, cookie, rounds=7):
    """The middle of several looks, in milliseconds, and the bytes."""
    times, text = [], ""
    for _ in range(rounds):
        begun = time.monotonic()
        status, text = bot.page(path, cookie)
        times.append(1000 * (time.monotonic() - begun))
        assert status == 200, f"{path}: {status}"
    return sorted(times)[rounds // 2], len(text.encode())


def grow(bot):
    """A large database: 100,000 runs and a conversation of 10,000 messages."""
    few = [timed(bot, path, bot.cookie())[0] for path in ("/runs", "/")]
    bot.end()
    begun = time.monotonic()
    rows.runs(bot.database(), RUNS)
    rows.messages(bot.database(), MESSAGES)
    bot.start()
    return few, time.monotonic() - begun


def lists(bot, report, few):
    """Pages of the large database: bytes and counts are judged, times if they are ten times too long."""
    cookie = bot.cookie()
    person = bot.api("GET", "/api/users")["items"][0]["id"]
    everywhere = {"runs": "/runs", "failed runs": "/runs?status=failed", "runs of a person": f"/runs?user={person}",
                  "home": "/", "usage": "/usage"}
    for name, path in everywhere.items():
        took, weight = timed(bot, path, cookie)
        report.tell(f"{RUNS:,} runs: {name}", f"{took:.0f} ms, {weight} bytes", f"{LIST_MS} ms",
                    holds=took <= LIST_MS * GENEROUS and weight <= HEAVIEST_PAGE)
    # To the middle of the list, page by page: none is slower for what lies before it.
    path, times, seen = "/runs", [], set()
    for _ in range(60):
        begun = time.monotonic()
        text = bot.page(path, cookie)[1]
        times.append(1000 * (time.monotonic() - begun))
        found = set(re.findall(r'href="/runs/([0-9a-f-]{36})"', text))
        report.check(found and not found & seen, path, "shows a run twice or none")
        seen |= found
        older = re.search(r'rel="next" href="([^"]+)"', text)
        if not older:
            break
        path = older.group(1).replace("&amp;", "&")
    report.tell("page after page of runs", f"{len(seen)} on {len(times)} pages, the last in {times[-1]:.0f} ms")
    report.tell("runs among 100,000 against a few", f"{sorted(times)[len(times) // 2] / max(few[0], 0.1):.1f} times")


def crowd(bot, browser, report):
    few, took = grow(bot)
    print(f"({took:.1f} s for the rows)")
    lists(bot, report, few)
    browser.enter(bot)
    conversation(bot, browser, report)


LONG_TASKS = """
window.blocked = 0;
new PerformanceObserver((list) => { for (const one of list.getEntries()) window.blocked = Math.max(window.blocked, one.duration); })
    .observe({type: 'longtask', buffered: true});
"""


def conversation(bot, browser, report):
    """10,000 messages: light, paged to its beginning, and no script blocks the page."""
    found = bot.api("GET", "/api/contexts?limit=50")["items"]
    context = max(found, key=lambda one: len(bot.api("GET", f"/api/messages?contextId={one['id']}&limit=200")["items"]))["id"]
    cookie = bot.cookie()
    for where in (f"/chat/{context}", f"/conversations/{context}"):
        took, weight = timed(bot, where, cookie)
        report.tell(f"{MESSAGES:,} messages: {where.split('/')[1]}", f"{took:.0f} ms, {weight} bytes", f"{LIST_MS} ms",
                    holds=took <= LIST_MS * GENEROUS and weight <= HEAVIEST_PAGE)
    seen, path, pages = set(), f"/conversations/{context}", 0
    begun = time.monotonic()
    while path and pages < 1000:
        text = bot.page(path, cookie)[1]
        seen |= set(re.findall(r"message (\d+): is it warm", text)) | set(re.findall(r"answer (\d+): yes", text))
        older = re.search(r'rel="next" href="([^"]+)"', text)
        path, pages = older.group(1).replace("&amp;", "&") if older else None, pages + 1
    report.tell("all of them, page by page", f"{len(seen):,} on {pages} pages in {time.monotonic() - begun:.1f} s",
                f"{MESSAGES:,}", holds=len(seen) == MESSAGES)
    browser.screen("phone", "light")
    browser.go(f"{bot.address}/chat/{context}")
    painted(browser)
    browser.run(LONG_TASKS)
    browser.run("window.scrollTo(0, 0)")
    for _ in range(8):
        browser.run("window.scrollBy(0, 900)")
    blocked, nodes = browser.run("return window.blocked"), browser.run("return document.querySelectorAll('*').length")
    report.tell("longest task while scrolling it on a phone", f"{blocked:.0f} ms, {nodes} elements", "5,000 elements", holds=nodes <= 5000)
    scroll_back(bot, browser, report, context)


# The messages in the document now, and those that were ever in it.
MESSAGES_SEEN = """
window.met ||= new Set();
for (const one of document.querySelectorAll('.messages > li')) window.met.add(one.id.slice(8));
return window.met.size;
"""
BACK = 1_000


def scroll_back(bot, browser, report, context):
    """Up through older messages, as fast as they come, and down again: none is missing, and few are in the document."""
    met = lambda: browser.run("window.scrollBy(0, -2000);" + MESSAGES_SEEN)
    until("older messages", lambda: met() >= BACK, 60)
    ids, nodes = browser.run("return [[...window.met].sort(), document.querySelectorAll('*').length]")
    known, last = [], None
    while len(known) < len(ids):
        page = bot.api("GET", f"/api/messages?contextId={context}&limit=200" + (f"&before={last}" if last else ""))["items"]
        known += [one["id"] for one in page]
        last = known[-1]
    report.tell("messages met by scrolling up", f"{len(ids):,}, {nodes} elements, longest task {browser.run('return window.blocked'):.0f} ms",
                "5,000 elements", holds=sorted(known[:len(ids)]) == ids and nodes <= 5000)
    newest = known[0]
    until("the newest message again", lambda: browser.run(f"window.scrollBy(0, 4000); const one = document.getElementById('message-{newest}'); const box = one?.getBoundingClientRect(); return !!box && box.top < innerHeight && box.bottom > 0"), 60)


async def watch(address, port, run, cookie, heard):
    """One viewer: hears until the run is done."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET /api/runs/{run}/stream HTTP/1.1\r\nhost: {address}\r\ncookie: {cookie}\r\naccept: text/event-stream\r\n\r\n".encode())
    status = await reader.readline()
    if b" 200 " not in status:
        return writer.close()
    heard["open"] += 1
    while line := await reader.readline():
        if line.startswith(b"event: done"):
            heard["done"].append(time.monotonic())
            break
    writer.close()


def viewers(bot, report):
    """500 viewers of one run that sleeps; then it is stopped, and each of them hears of it."""
    session = bot.cookie()
    run = waiting_run(bot)
    idle, alone = bot.memory_kb(), timed(bot, "/runs", session)[0]
    heard = {"open": 0, "done": []}

    async def all_of_them():
        tasks = [asyncio.create_task(watch(bot.address[7:], bot.port, run, session, heard))
                 for place in range(VIEWERS)]
        for _ in range(600):
            if heard["open"] == VIEWERS:
                break
            await asyncio.sleep(0.05)
        busy = bot.memory_kb()
        beside = (await asyncio.to_thread(timed, bot, "/runs", session))[0]
        begun = time.monotonic()
        await asyncio.to_thread(bot.api, "POST", f"/api/runs/{run}/cancel")
        await asyncio.wait(tasks, timeout=30)
        return busy, beside, begun

    busy, beside, begun = asyncio.run(all_of_them())
    last = max(heard["done"], default=begun) - begun
    grown = (busy - idle) / 1000
    report.tell("live viewers that hear the end of a run", len(heard["done"]), VIEWERS, holds=len(heard["done"]) == VIEWERS)
    report.tell("memory that they take", f"{grown:.1f} MB", f"{VIEWERS_MB} MB", holds=grown <= VIEWERS_MB)
    report.tell("the last of them hears it after", f"{1000 * last:.0f} ms", holds=last < 10)
    report.tell("a page beside them, and without them", f"{beside:.0f} and {alone:.0f} ms")


def waiting_run(bot):
    """A run that waits for a person."""
    rule = {"name": "ask before sums", "tools": ["compute"], "action": "confirm", "priority": 100}
    made = bot.api("POST", "/api/policies", rule)
    run = bot.api("POST", "/api/messages", {"content": "what is 8*9?"})["runId"]
    until("a call that waits", lambda: bot.api("GET", f"/api/runs/{run}")["status"] == "waiting")
    bot.api("DELETE", f"/api/policies/{made['id']}")
    return run
