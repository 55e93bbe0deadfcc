"""The pictures of the documentation: a bot at home, after a month. Nobody in it is real."""

import random
import time

from . import rows, terminal
from .asking import until
from .bot import Bot
from .chromium import Browser
from .data import MEMORIES
from .model import Model

LARGEST, LARGEST_ALL = 120_000, 1_500_000
# Name, path (by the key of `places`), screen, theme.
PICTURES = [
    ("home", "home", "desktop", "light"), ("home", "home", "phone", "light"),
    ("chat", "chat", "desktop", "light"), ("chat", "chat", "desktop", "dark"), ("chat", "chat", "phone", "dark"),
    ("run", "run", "desktop", "light"), ("run", "run", "phone", "dark"),
    ("approvals", "approvals", "phone", "light"),
    ("memory", "memory", "desktop", "light"), ("usage", "usage", "desktop", "dark"), ("settings", "settings", "desktop", "light"),
]
PEOPLE = [("Ben", "telegram"), ("Mia", "telegram"), ("Noor", "discord"), ("Tomas", "discord")]
QUESTIONS = ["When do the beans go out?", "Translate the nursery's e-mail", "What did we plant along the fence?",
             "Remind me every Sunday to water the greenhouse", "Is it dry enough to mow?", "Sum up the meeting of the club",
             "How much compost for 12 m²?", "A name for the new hen, please"]
DAY = 86_400_000
# The newest words, above the field for the next ones.
END = "const end = document.getElementById('end'); if (end) { end.scrollIntoView({ block: 'end' }); scrollBy(0, 8); }"


def write(binary, home, out):
    out.mkdir(parents=True, exist_ok=True)
    with Model() as model:
        (home / "bot.toml").write_text(model.settings())
        bot = Bot(binary, home)
        browser = Browser(zone="Europe/Berlin")
        try:
            live_in(bot)
            places = happen(bot, browser)
            for name, place, screen, theme in PICTURES:
                browser.screen(screen, theme, scale=2 if screen == "phone" else 1.5)
                browser.go(bot.address + places[place])
                until("the page", lambda: browser.run("return document.readyState === 'complete'"))
                browser.run(END)
                (out / f"{name}-{screen}-{theme}.webp").write_bytes(browser.shot("webp", 78))
        finally:
            browser.end()
            bot.end()
    terminal.write(binary, home / "terminal", out)
    return weigh(out)


def weigh(out):
    sizes = {one.name: one.stat().st_size for one in sorted(out.iterdir())}
    for name, size in sizes.items():
        print(f"{name}: {size} bytes")
    print(f"all: {sum(sizes.values())} bytes")
    return 1 if max(sizes.values()) > LARGEST or sum(sizes.values()) > LARGEST_ALL else 0


def live_in(bot):
    """A month of use: people on platforms, runs and what they cost."""
    bot.ask("Thanks")
    bot.end()
    path, chance = bot.database(), random.Random(7)
    user = rows.change(path, "UPDATE users SET name = 'Ada', role = 'owner', language = 'en', time_zone = 'Europe/Berlin'",
                       "SELECT id FROM users")
    people = [(rows.uuid7(int(time.time() * 1000) - (40 - place) * DAY), name, platform)
              for place, (name, platform) in enumerate(PEOPLE)]

    def person(row, place, _):
        row["id"], row["name"], row["role"] = people[place][0], people[place][1], "member"
    rows.copies(path, "users", len(people), person)
    channels = []

    def channel(row, place, at):
        row["id"], row["platform"], row["external_id"] = rows.uuid7(at), people[place][2], f"chat-{place}"
        row["name"], row["user_id"], row["kind"], row["active_context_id"] = people[place][1], people[place][0], "private", None
        row["last_message_at"] = at
        channels.append(row["id"])
    rows.copies(path, "channels", len(people), channel, every_ms=9_000_000)
    runs = []

    def run(row, place, at):
        row["id"] = row["root_run_id"] = rows.uuid7(at)
        row["created_at"], row["updated_at"], row["ended_at"] = at, at + 2100, at + 2100
        row["input_text"], row["output_text"] = QUESTIONS[place % len(QUESTIONS)], "Done."
        who = chance.randrange(len(people))
        row["user_id"], row["channel_id"], row["context_id"] = people[who][0], channels[who], None
        row["cost"], row["prompt_tokens"] = round(chance.uniform(0.001, 0.006), 5), chance.randrange(2500, 9000)
        row["completion_tokens"], row["llm_calls"] = chance.randrange(60, 500), chance.randrange(1, 5)
        runs.append(row["id"])
        if place == 236:
            row["status"], row["error"] = "failed", "the model's server did not answer for 60 s"
    rows.copies(path, "runs", 240, run, every_ms=3 * 3_600_000)

    def use(row, place, at):
        row["id"], row["run_id"], row["created_at"], row["seq"] = rows.uuid7(at), runs[place // 2], at, place
        # Fewer on some days than on others, more towards the end.
        weight = (0.4 + place / 480) * (0.5 + chance.random())
        row["prompt_tokens"] = int(5200 * weight)
        row["cached_tokens"], row["completion_tokens"] = row["prompt_tokens"] // 2, int(260 * weight)
        row["cost"], row["user_id"], row["channel_id"] = round(0.0042 * weight, 5), people[place % 4][0], channels[place % 4]
        row["model"] = "garden-1" if place % 5 else "garden-mini"
    rows.copies(path, "usage", 480, use, every_ms=5_300_000)
    bot.start()
    for module, key, value in MEMORIES:
        bot.api("POST", "/api/memories", {"userId": user, "module": module, "key": key, "value": value, "level": 2})
    rule = {"name": "ask before the web", "tools": ["web"], "action": "confirm", "priority": 100}
    bot.api("POST", "/api/policies", rule)


def happen(bot, browser):
    """Today: Ada's conversation in the dashboard, and a call that asks her."""
    browser.enter(bot)
    cookie = browser.cdp("Network.getCookies")["cookies"][0]
    session = f"{cookie['name']}={cookie['value']}"

    def says(text, status="completed"):
        bot.says(session, text)
        newest = lambda: bot.api("GET", "/api/runs?limit=1")["items"][0]
        until(text, lambda: newest()["inputText"] == text and newest()["status"] == status)
        return newest()

    says("When do quinces ripen?")
    says("What is Mia's city?")
    jars = says("How many jars do I need for the jam from 7 kg of quinces? And remind me of the sugar.")
    says("Thanks, that helps!")
    chat = f"/chat/{jars['contextId']}"
    new = bot.form("/chat/new", {"token": bot.token(session)}, session)["location"]
    asks = says("What does the nursery ask for a Vranja quince tree?", "waiting")
    return {"home": "/", "chat": chat, "run": f"/runs/{jars['id']}", "approvals": new if new != "/chat" else "/chat",
            "memory": "/memory", "usage": "/usage", "settings": "/settings?scope=bot", "asks": f"/runs/{asks['id']}"}
