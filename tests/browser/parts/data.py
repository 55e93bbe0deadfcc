"""Something to look at: what a bot at home has after a few weeks. Nobody in it is real."""

from . import rows
from .asking import until

MEMORIES = [("preferences", "tea", "Likes green tea, without sugar."),
            ("relationships", "sister", "Her sister Mia lives in Ghent."),
            ("projects", "garden", "Plants quinces in the north bed this autumn.")]


def fill(bot):
    """A little of everything, by the offline responder."""
    for text in ("what is 6*7?", "what is 12*12?", "remind me in 2 hours to water the plants"):
        bot.ask(text)
    user = bot.api("GET", "/api/users")["items"][0]["id"]
    for module, key, value in MEMORIES:
        bot.api("POST", "/api/memories", {"userId": user, "module": module, "key": key, "value": value, "level": 2})
    agent = bot.api("GET", "/api/agents")["items"][0]
    path = f"/api/agents/{agent['id']}"
    bot.api("PATCH", path, {"prompt": agent["prompt"] + "\n\nAnswer in one short paragraph, and name your sources."})
    bot.api("POST", "/api/agents", {"name": "Gardener", "prompt": "You know plants. You ask where one grows before you give advice."})
    bot.api("POST", "/api/policies", {"name": "no deleting at night", "action": "deny", "tools": ["*.delete"], "hours": "22:00-06:00"})
    bot.api("POST", "/api/tokens", {"name": "backup of the laptop", "scopes": ["read"]})
    bot.end()
    rows.set_aside(bot.database(), 2)
    rows.undelivered(bot.database(), 2)
    bot.start()


def chat(browser, bot):
    """The operator's own conversation, in the dashboard."""
    cookie = browser.cdp("Network.getCookies")["cookies"][0]
    session = f"{cookie['name']}={cookie['value']}"
    for text in ("what is 12*12?", "remind me in 2 hours to water the plants"):
        bot.says(session, text)
    newest = lambda: bot.api("GET", "/api/runs?limit=1")["items"][0]
    until("the last answer", lambda: newest()["status"] == "completed")
    verdict = {"token": bot.token(session), "verdict": "disliked", "back": "/chat"}
    bot.form(f"/runs/{newest()['id']}/rate", verdict, session)
