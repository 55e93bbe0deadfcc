"""Passkeys, with an authenticator of Chromium's own: one is added, lets in, is renamed and removed, and lets in no more."""

from .asking import until
from .chromium import Browser
from .pages import axe, check

DEVICE = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True,
          "isUserConsenting": True, "isUserVerified": True}
STATUS = "return document.querySelector('[data-passkeys] [role=status]').textContent"
WHY = "return [...document.querySelectorAll('[data-why]')].filter((one) => one.checkVisibility()).map((one) => one.dataset.why)"


def log_out(browser):
    browser.run("document.querySelector('form[action=\"/logout\"]').requestSubmit()")
    until("the way out", lambda: browser.path().startswith("login"))


def sign_in(browser):
    browser.click("form[action='/login/passkey'] button")


def at_an_address(browser, bot, report):
    """Browsers keep no passkey for an address: the page says so, and leads to the name."""
    browser.go(bot.address + "/login?to=%2Fmemory")
    until("the word about addresses", lambda: browser.run(WHY) == ["address"])
    leads = browser.run("return document.querySelector('a[data-here]').href")
    report.check(leads == f"http://localhost:{bot.port}/login?to=%2Fmemory", "/login", f"leads to {leads}")
    shown = browser.run("return document.querySelector('form[action=\"/login/passkey\"]').checkVisibility()")
    report.check(not shown, "/login", "offers a passkey at an address")


def look_at(browser, report, script, where):
    for screen in ("desktop", "phone"):
        for theme in ("light", "dark"):
            browser.screen(screen, theme)
            check(browser, f"{where} ({screen}, {theme})", report, script, screen)


def by_passkey(bot, report):
    browser, script = Browser(), axe()
    try:
        here = f"http://localhost:{bot.port}"
        browser.screen("desktop", "light")
        at_an_address(browser, bot, report)
        browser.do("/webauthn/authenticator", DEVICE)
        browser.go(bot.link().replace(bot.address, here))
        browser.click("button.main")
        until("the login at localhost", lambda: browser.path() == "")

        browser.go(here + "/settings")
        kept = lambda: browser.element_text("#passkeys")
        report.check("No passkey" in kept(), "/settings", f"begins with {kept()!r}")
        browser.write("#name", "my phone")
        browser.click("form[action='/passkeys'] button")
        until("a passkey", lambda: "my phone" in kept() and "never used" in kept(), 20)
        look_at(browser, report, script, "/settings with a passkey")
        browser.screen("desktop", "light")
        browser.write("#name", "again")
        browser.click("form[action='/passkeys'] button")
        until("the word that there is one", lambda: "already" in browser.run(STATUS), 20)

        log_out(browser)
        browser.go(here + "/login?to=%2Fsettings")
        report.check(browser.run(WHY) == [], "/login", f"says {browser.run(WHY)} where there can be passkeys")
        look_at(browser, report, script, "/login with passkeys")
        browser.screen("desktop", "light")
        sign_in(browser)
        until("the login by a passkey", lambda: browser.path().startswith("settings") and "last used" in kept(), 20)

        browser.click("#passkeys summary")
        browser.run("document.querySelector('#passkeys input[name=name]').value = 'my tablet'")
        browser.click("#passkeys form.row button")
        until("another name", lambda: "my tablet" in kept(), 20)
        browser.click("#passkeys button.danger")
        browser.do("/alert/accept")
        until("no passkey", lambda: "No passkey" in kept(), 20)

        log_out(browser)
        browser.log("browser")
        sign_in(browser)
        until("the refusal", lambda: "not known here" in browser.element_text("main"), 20)
        browser.go(here + "/memory")
        report.check(browser.path().startswith("login"), "/login", "a passkey that was removed lets in")
        # The refusal's status, which the browser logs.
        browser.log("browser")
        report.tell("passkeys", "added, let in, renamed, removed, let in no more; none at an address, which is told")
    finally:
        browser.end()
