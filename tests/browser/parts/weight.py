"""What the dashboard costs a bot that is at rest: memory, by itself and after every page was looked at."""

import pathlib
import tempfile

from .bot import Bot
from .crowd import timed
from .pages import examples
from .report import Report

GROWS_MB = 2
LOOKS = 40


def weigh(bot, report):
    """In a bot of its own, which was never looked at."""
    with tempfile.TemporaryDirectory() as home:
        fresh = Bot(bot.binary, pathlib.Path(home))
        try:
            fresh.ask("what is 6*7?")
            before = fresh.memory_kb()
            cookie = fresh.cookie()
            # What it has none of (a rule, a place) has no page.
            pages = [path for path in examples(fresh, Report()).values() if "none" not in path.split("/")]

            def look(rounds):
                for path in pages:
                    timed(fresh, path, cookie, rounds=rounds)
                return fresh.memory_kb()
            # The caches of the database's connections fill; then nothing may grow any more.
            first, warm, after = look(3), look(2 * LOOKS), look(LOOKS)
        finally:
            fresh.end()
    report.tell("memory at rest, never looked at", f"{before / 1000:.1f} MB")
    report.tell("more after every page was looked at three times", f"{(first - before) / 1000:.1f} MB")
    report.tell(f"more after {2 * LOOKS} times, with full caches", f"{(warm - before) / 1000:.1f} MB")
    report.tell(f"more after {LOOKS} times again", f"{(after - warm) / 1000:.1f} MB", f"{GROWS_MB} MB", holds=after - warm <= 2000 * GROWS_MB)
    report.tell("binary", f"{pathlib.Path(bot.binary).stat().st_size / 1e6:.1f} MB, as it was built for this")
