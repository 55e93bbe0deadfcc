"""Hard conditions: a slow phone, a server that goes away and comes back, two people at once, a browser without scripts."""


from .asking import until
from .chromium import ENTER, Browser
from .pages import painted

SLOW_PAINT_MS = 1000
# A phone on a poor network: as Lighthouse simulates one.
NETWORK = {"offline": False, "latency": 150, "downloadThroughput": 1_638_400 / 8, "uploadThroughput": 750_000 / 8}
# How far the newest message reaches behind the field for the next one.
HIDDEN = """
const last = [...document.querySelectorAll('#talk .message')].pop().getBoundingClientRect().bottom;
return last - document.querySelector('.composer').getBoundingClientRect().top;
"""
TALK = "return document.querySelector('#talk')?.textContent || ''"


def slow_phone(bot, report, pages):
    """The first visit, with nothing kept, and a page after it."""
    browser = Browser()
    try:
        browser.screen("phone", "light")
        browser.enter(bot)
        browser.cdp("Network.enable")
        browser.cdp("Network.emulateNetworkConditions", **NETWORK)
        browser.cdp("Emulation.setCPUThrottlingRate", rate=4)
        paints = {}
        for name in ("/", "/chat", "/runs"):
            browser.cdp("Network.clearBrowserCache")
            browser.go(bot.address + pages[name])
            painted(browser)
            paints[name] = browser.run("return performance.getEntriesByName('first-contentful-paint')[0].startTime")
        told = ", ".join(f"{name} {paint:.0f} ms" for name, paint in paints.items())
        report.tell("first paint on a slow phone, nothing kept", told, f"{SLOW_PAINT_MS} ms", holds=max(paints.values()) <= 3 * SLOW_PAINT_MS)
    finally:
        browser.end()


def restart(bot, browser, report):
    """The server is killed under an open chat, and again; the page goes on by itself, and shows what came meanwhile."""
    browser.screen("desktop", "light")
    browser.go(bot.address + "/chat")
    painted(browser)
    browser.write("#content", "what is 3*17?")
    browser.click(".composer button.main")
    until("an answer", lambda: "3*17 = 51" in browser.run(TALK), 20)
    browser.run("window.same = 1; document.getElementById('content').value = 'half a sent'")
    bot.end(kill=True)
    browser.run("window.dispatchEvent(new Event('online'))")
    until("the page's word that the server is away", lambda: browser.run("return !document.getElementById('away')?.hidden"), 30)
    bot.start()
    cookie = browser.cdp("Network.getCookies")["cookies"][0]
    bot.says(f"{cookie['name']}={cookie['value']}", "what is 4*17?")
    until("what came meanwhile", lambda: "4*17 = 68" in browser.run(TALK), 30)
    kept = browser.run("return [window.same, document.getElementById('content').value, document.getElementById('away').hidden]")
    report.check(kept == [1, "half a sent", True], "/chat", f"after the server's restart the page has {kept}")
    browser.log("browser")
    report.tell("server killed under an open page", "told, came back by itself, showed what came meanwhile, kept the draft")


def refused(bot, browser, report):
    """A form that is refused: the way back leads to it as it was filled in."""
    browser.screen("phone", "light")
    browser.go(bot.address + "/agents")
    for field, text in (("#name", "Gardener"), ("#prompt", "A long prompt, written by hand")):
        browser.write(field, text)
    browser.click("form[action='/agents'] button.main")
    until("the refusal", lambda: "There is one already" in browser.element_text("main"), 10)
    browser.click("[data-back]")
    until("the form", lambda: browser.run("return !!document.querySelector('#prompt')"), 10)
    kept = browser.run("return ['#name', '#prompt'].map((field) => document.querySelector(field).value)")
    report.check(kept == ["Gardener", "A long prompt, written by hand"], "/agents", f"after a refusal the form has {kept}")
    report.tell("the way back from a refused form", "leads to it as it was filled in")


def logged_out(bot, browser, report):
    """The session ends while somebody types: what they typed stays, and is sent after a login in another window."""
    browser.screen("phone", "light")
    browser.go(bot.address + "/chat")
    browser.write("#content", "what is 9*17?")
    browser.run("window.same = 1")
    current = browser.cdp("Network.getCookies")["cookies"][0]
    for session in bot.api("GET", "/api/sessions")["items"]:
        bot.api("DELETE", f"/api/sessions/{session['id']}")
    browser.click(".composer button.main")
    until("the page's word that nobody is logged in", lambda: browser.run("return !document.getElementById('out').hidden"), 10)
    kept = browser.run("return [window.same, document.getElementById('content').value]")
    report.check(kept == [1, "what is 9*17?"], "/chat", f"logged out, the page has {kept}")
    name, value = bot.cookie().split("=", 1)
    browser.cdp("Network.setCookie", **{**{k: current[k] for k in ("domain", "path", "httpOnly")}, "name": name, "value": value})
    until("the page goes on", lambda: browser.run("return document.getElementById('out').hidden"), 10)
    browser.click(".composer button.main")
    until("an answer after the login", lambda: "9*17 = 153" in browser.run(TALK), 30)
    report.tell("logged out while typing", "told, kept what was typed, and sent it after a login in another window")


# Answers of the server to forms are held back until the look lets them through, so that somebody types meanwhile.
HELD = """
const send = window.fetch;
window.fetch = (address, given) => given?.method === 'POST'
  ? new Promise((go) => { window.let_through = () => go(send(address, given)); }) : send(address, given);
"""
BOXES = "return [document.getElementById('content').value, document.querySelector('.anew textarea')?.value]"


def typing_on(bot, browser, report):
    """What is typed while a message is on its way stays, and so does an edit while new messages appear."""
    browser.screen("desktop", "light")
    browser.go(bot.address + "/chat")
    painted(browser)
    browser.run(HELD)
    browser.write("#content", "what is 11*17?")
    browser.click(".composer button.main")
    until("the message on its way", lambda: browser.run("return !!window.let_through"), 10)
    browser.write("#content", " and what else")
    browser.run("window.let_through(); window.let_through = null")
    until("the answer", lambda: "11*17 = 187" in browser.run(TALK), 30)
    kept = browser.run(BOXES)[0]
    report.check(kept == "and what else", "/chat", f"after a message was sent, its field has {kept!r}")
    browser.click(".anew summary")
    browser.at(".anew textarea", "clear")
    browser.write(".anew textarea", "what is 12*17")
    browser.run("window.edit = document.querySelector('.anew textarea')")
    cookie = browser.cdp("Network.getCookies")["cookies"][0]
    bot.says(f"{cookie['name']}={cookie['value']}", "what is 13*17?")
    until("the new message", lambda: "13*17 = 221" in browser.run(TALK), 30)
    browser.keys("?")
    kept = browser.run("return [window.edit.isConnected, window.edit.value, document.activeElement === window.edit]")
    report.check(kept == [True, "what is 12*17?", True], "/chat", f"while a message came, the edit became {kept}")
    report.tell("typing while messages come and go", "nothing that was typed is lost, and what comes is shown")


def another_conversation(bot, browser, report):
    """Another window begins a conversation: this one shows it, and writes to it."""
    browser.screen("desktop", "light")
    browser.go(bot.address + "/chat")
    painted(browser)
    browser.run("window.same = 1")
    browser.write("#content", "half a sent")
    cookie = browser.cdp("Network.getCookies")["cookies"][0]
    session = f"{cookie['name']}={cookie['value']}"
    begun = bot.form("/chat/new", {"token": bot.token(session)}, session)["location"]
    shown = "return document.querySelector('#talk [name=context]').value"
    until("the other conversation", lambda: begun.endswith(browser.run(shown)), 20)
    browser.at("#content", "clear")
    browser.write("#content", "what is 14*17?")
    browser.click(".composer button.main")
    until("an answer there", lambda: "14*17 = 238" in browser.run(TALK), 30)
    told = browser.run("return [window.same, location.pathname, document.querySelector('.talks [aria-current]').getAttribute('href')]")
    report.check(told == [1, begun, begun], "/chat", f"after another window began {begun}, this one is at {told}")
    named = bot.api("PATCH", f"/api/contexts/{begun.rsplit('/', 1)[1]}", {"name": "Sums of the day"})
    heads = "return [document.querySelector('h1').textContent, document.querySelector('.talks [aria-current]').textContent]"
    until("the new name", lambda: browser.run(heads) == ["Sums of the day"] * 2, 20)
    report.check(bool(named), "/chat", "a conversation cannot be named")
    report.tell("a conversation begun and named elsewhere", "is shown with its name, and written to")


def chat_of_a_phone(bot, browser, report):
    """The conversations are behind a button: the chat begins below the heading."""
    browser.screen("phone", "light")
    browser.go(bot.address + "/chat")
    painted(browser)
    hidden = "return !document.querySelector('.talks').checkVisibility()"
    report.check(browser.run(hidden), "/chat (phone)", "the list of conversations stands above the chat")
    browser.run("scrollTo(0, 0)")
    browser.click(".talks-button")
    until("the conversations", lambda: not browser.run(hidden), 10)
    browser.screen("desktop", "light")
    browser.go(bot.address + "/chat")
    report.check(not browser.run(hidden), "/chat", "the list of conversations is not beside the chat")
    report.tell("the chat on a phone", "its conversations are behind a button")


def forced_colours(bot, browser, report, pages):
    """Colours of the reader's own take grounds away: kinds of steps and differences are told apart all the same."""
    browser.screen("desktop", "light")
    browser.cdp("Emulation.setEmulatedMedia", features=[{"name": "forced-colors", "value": "active"}])
    browser.go(bot.address + pages["/runs/{id}"])
    grounds = browser.run("""
        const ground = (one, part) => getComputedStyle(document.querySelector(one), part).backgroundColor;
        return [ground('body'), ...['wait', 'tool', 'delivery'].map((kind) => ground(`.legend .${kind}`, '::before'))];
    """)
    report.check(len(set(grounds)) == 4, "/runs/{id}", f"in forced colours the legend has {grounds}")
    browser.cdp("Emulation.setEmulatedMedia", features=[])
    report.tell("forced colours", "the legend of a run keeps its own")


def two_at_once(bot, browser, report):
    """The same person in two windows: what one says, the other sees without being touched."""
    other = Browser()
    try:
        other.enter(bot)
        browser.screen("phone", "light")
        browser.go(bot.address + "/chat")
        other.go(bot.address + "/chat")
        other.write("#content", "what is 5*17?")
        other.click(".composer button.main")
        until("the other window's words", lambda: "5*17 = 85" in browser.run(TALK), 30)
        until("the newest words above the composer", lambda: browser.run(HIDDEN) <= 0, 10)
        browser.go(bot.address + "/usage?by=tool")
        calls = lambda: browser.run("return document.querySelector('#usage td[data-label=Calls]')?.textContent || '0'")
        before = calls()
        other.write("#content", "what is 8*17?")
        other.click(".composer button.main")
        until("the figures of usage", lambda: calls() != before, 30)
        report.tell("two windows at once", "each shows what the other said, and what that used")
    finally:
        other.end()


def without_script(bot, report, pages):
    """Every page shows what it has, and its forms work: chat, rename, remember, approve, set, log out."""
    browser = Browser(scripts=False)
    try:
        browser.screen("phone", "light")
        browser.enter(bot)
        for route, path in pages.items():
            browser.go(bot.address + path)
            text = browser.element_text("main")
            report.check(len(text.strip()) > 20, f"{route} (no script)", f"shows only {text!r}")
        browser.go(bot.address + "/")
        browser.click(".menu-button")
        report.check(browser.element_text("nav.menu").count("\n") > 8, "/ (no script)", "the menu does not open")
        browser.go(bot.address + "/chat")
        browser.write("#content", "what is 6*17?")
        browser.click(".composer button.main")
        until("an answer without a script", lambda: browser.go(bot.address + "/chat") or "6*17 = 102" in browser.element_text("#talk"), 30)
        # By the Enter key: without a script nothing scrolls the newest words above the composer.
        browser.write(".message:last-of-type .rate button", ENTER)
        until("a verdict without a script", lambda: bot.api("GET", "/api/feedback?verdict=liked")["items"], 10)
        browser.go(bot.address + "/chat")
        browser.write(".anew summary", ENTER)
        browser.at(".anew textarea", "clear")
        browser.write(".anew textarea", "what is 7*17?")
        browser.write(".anew button.main", ENTER)
        until("another answer without a script", lambda: browser.go(bot.address + "/chat") or "7*17 = 119" in browser.element_text("#talk"), 30)
        browser.go(bot.address + "/memory")
        browser.click("article form button")
        until("a pin without a script", lambda: "pinned" in browser.element_text("main"), 10)
        browser.go(bot.address + "/settings")
        browser.click("#set-when_busy option:nth-child(2)")
        browser.click("form:has(#set-when_busy) button.main")
        until("the difference without a script", lambda: "What changes" in browser.element_text("main"), 10)
        browser.click("section form button.main")
        until("a setting without a script", lambda: bot.api("GET", "/api/settings/bot/when_busy")["value"], 10)
        bot.api("DELETE", "/api/settings/bot/when_busy")
        browser.click(".menu-button")
        browser.click("nav.menu .foot button")
        until("the way out without a script", lambda: browser.path() == "login", 10)
        report.tell("without a script", f"{len(pages)} pages read; wrote, rated, asked anew, pinned, set, logged out")
    finally:
        browser.end()


# Streams that the page opens, in the hands of the look.
STREAMS = """
window.streams = [];
window.EventSource = class extends EventTarget {
  constructor(address) { super(); this.address = address; this.readyState = 1; window.streams.push(this); }
  close() { this.readyState = 2; }
};
window.EventSource.CLOSED = 2;
window.tell = (name, data) => {
  const stream = window.streams.find((one) => one.address === '/api/runs/drafted/stream');
  stream.dispatchEvent(Object.assign(new Event(name), { data: JSON.stringify(data) }));
  return document.getElementById('drafted').textContent;
};
"""
DRAFTED = """
document.querySelector('main').insertAdjacentHTML('beforeend', '<div id="drafted" data-stream="drafted"></div>');
document.dispatchEvent(new CustomEvent('taken'));
"""


def drafts(bot, browser, report):
    """A step ends a draft: the next reply does not grow behind it. A stream that is opened anew tells the draft anew."""
    browser.screen("desktop", "light")
    script = browser.cdp("Page.addScriptToEvaluateOnNewDocument", source=STREAMS)
    browser.go(bot.address + "/outbox")
    painted(browser)
    browser.run(DRAFTED)
    events = [("token", {"text": "I'll "}), ("token", {"text": "look"}), ("step", {}), ("token", {"text": "The "}),
              ("token", {"text": "answer"}), ("reset", {}), ("token", {"text": "It is 42"}), ("open", {}),
              ("token", {"text": "It is 42."})]
    seen = [browser.run("return window.tell(...arguments)", name, data) for name, data in events]
    expected = ["I'll ", "I'll look", "I'll look", "The ", "The answer", "", "It is 42", "It is 42", "It is 42."]
    report.check(seen == expected, "/outbox", f"a draft grows as {seen}")
    browser.cdp("Page.removeScriptToEvaluateOnNewDocument", identifier=script["identifier"])
    report.tell("the draft of an answer", "ends with its step")
