"""Chromium, by WebDriver."""

import base64
import re
import subprocess
import time
import urllib.error

from .asking import call, is_between_pages, until

TAB, ENTER, SPACE, SHIFT, ESCAPE, DOWN = "\ue004", "\ue007", " ", "\ue008", "\ue00c", "\ue015"
SCREENS = {"desktop": (1280, 900, False), "phone": (390, 844, True)}
THEMES = ("light", "dark")


class Browser:
    def __init__(self, scripts=True, language="en-GB", zone=None):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        port = next(m.group(1) for m in map(lambda l: re.search(r"successfully on port (\d+)", l), self.driver.stdout) if m)
        self.base = f"http://127.0.0.1:{port}/session"
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage",
                            f"--lang={language}"],
                   "prefs": {"intl.accept_languages": language}}
        if not scripts:
            options["prefs"]["profile.managed_default_content_settings.javascript"] = 2
        wanted = {"browserName": "chrome", "goog:chromeOptions": options,
                  "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}
        self.session = until("Chromium", lambda: call("POST", self.base, {"capabilities": {"alwaysMatch": wanted}}))
        self.base += "/" + self.session["value"]["sessionId"]
        self.cdp("Emulation.setLocaleOverride", locale=language)
        if zone:
            self.cdp("Emulation.setTimezoneOverride", timezoneId=zone)

    def do(self, path, body=None, method="POST"):
        return call(method, self.base + path, body if body is not None or method == "GET" else {}, patience=120)["value"]

    def run(self, script, *args):
        return self.do("/execute/sync", {"script": script, "args": list(args)})

    def cdp(self, command, **params):
        return self.do("/goog/cdp/execute", {"cmd": command, "params": params})

    def screen(self, name, theme, scale=1):
        width, height, mobile = SCREENS[name]
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=mobile)
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])

    def go(self, url):
        self.do("/url", {"url": url})

    def path(self):
        return self.do("/url", method="GET").split("/", 3)[3]

    def at(self, selector, what, method="POST", body=None):
        """Does something with an element. A page that comes meanwhile has another one of it."""
        for _ in range(20):
            found = next(iter(self.do("/element", {"using": "css selector", "value": selector}).values()))
            try:
                return self.do(f"/element/{found}/{what}", body, method)
            except urllib.error.HTTPError as error:
                told = error.read().decode()
                if not is_between_pages(told):
                    raise SystemExit(f"{what} of {selector}: {told}") from error
                time.sleep(0.1)
        raise SystemExit(f"{what} of {selector}: the page does not come to rest")

    def element_text(self, selector):
        """Without a script of the page."""
        return self.at(selector, "text", method="GET")

    def click(self, selector):
        self.at(selector, "click")

    def write(self, selector, text):
        self.at(selector, "value", body={"text": text})

    def keys(self, *keys):
        actions = [{"type": t, "value": k} for k in keys for t in ("keyDown", "keyUp")]
        self.do("/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    def log(self, kind):
        return self.do("/se/log", {"type": kind})

    def shot(self, kind="png", quality=None):
        given = {"format": kind, **({"quality": quality} if quality else {})}
        return base64.b64decode(self.cdp("Page.captureScreenshot", **given)["data"])

    def enter(self, bot, user=None):
        """Logs in by a link."""
        self.go(bot.link(user))
        self.click("button.main")
        until("the login", lambda: self.path() == "")

    def end(self):
        try:
            call("DELETE", self.base)
        finally:
            self.driver.terminate()
            self.driver.wait(30)
