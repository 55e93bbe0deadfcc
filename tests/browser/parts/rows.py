"""Many rows in no time: copies of a real one, so that they stay true to whatever columns there are.

The bot is stopped meanwhile.
"""

import os
import sqlite3
import time


def uuid7(milliseconds):
    """An id of that moment, as the bot makes them."""
    random = int.from_bytes(os.urandom(10), "big")
    value = (milliseconds & (2**48 - 1)) << 80 | 7 << 76 | (random >> 68 & 0xFFF) << 64 | 2 << 62 | random & (2**62 - 1)
    digits = f"{value:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def copies(path, table, count, change, every_ms=1000, where="1"):
    """Copies a row of a table: `change(row, place, at)` makes each of them another. The newest is a minute old."""
    with sqlite3.connect(path) as db:
        db.row_factory = sqlite3.Row
        row = dict(db.execute(f"SELECT * FROM {table} WHERE {where} ORDER BY rowid DESC LIMIT 1").fetchone())
        now = int(time.time() * 1000) - 60_000

        def made():
            for place in range(count):
                one = dict(row)
                change(one, place, now - (count - place) * every_ms)
                yield tuple(one.values())

        names = ", ".join(row)
        db.executemany(f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(row))})", made())
    db.close()


def runs(path, count):
    """Runs that have ended, most of them well."""
    def change(run, place, at):
        run["id"] = run["root_run_id"] = uuid7(at)
        run["created_at"], run["updated_at"], run["ended_at"] = at, at + 900, at + 900
        run["input_text"] = f"what is {place} times {place % 97}?"
        run["status"] = "failed" if place % 500 == 0 else "completed"
        run["error"] = "the model did not answer" if run["status"] == "failed" else None
    copies(path, "runs", count, change, where="status = 'completed'")


def messages(path, count):
    """Messages of one conversation, from both sides by turns."""
    def change(message, place, at):
        message["id"], message["created_at"], message["sent_at"] = uuid7(at), at, at
        message["idempotency_key"] = message["search_id"] = None
        is_person = place % 2 == 0
        message["direction"], message["status"] = ("inbound", "received") if is_person else ("outbound", "delivered")
        message["content"] = f"message {place}: is it warm enough for the quinces?" if is_person else f"answer {place}: yes, **from May on**, says `weather.forecast`."
    copies(path, "messages", count, change, where="direction = 'inbound'")


def set_aside(path, count):
    """Runs in quarantine."""
    def change(run, place, at):
        run["id"] = run["root_run_id"] = uuid7(at)
        run["created_at"], run["updated_at"], run["ended_at"], run["quarantined_at"] = at, at, at, at
        run["status"], run["error"] = "failed", "quarantined: 3 processes died while they worked on it"
        run["input_text"] = "read the whole archive of the garden club"
    copies(path, "runs", count, change, every_ms=3_600_000, where="status = 'completed'")


def undelivered(path, count):
    """Answers that could not be sent."""
    def change(message, place, at):
        message["id"], message["created_at"], message["sent_at"] = uuid7(at), at, at
        message["idempotency_key"] = message["search_id"] = message["run_id"] = None
        message["status"], message["error"] = "failed", "the platform refused it: the chat is gone"
        message["content"] = "The quinces are ripe: the nursery opens on Saturday at 9."
    copies(path, "messages", count, change, every_ms=3_600_000, where="direction = 'outbound'")


def change(path, statement, question):
    """Changes rows; the first column of what the question finds."""
    with sqlite3.connect(path) as db:
        db.execute(statement)
        found = db.execute(question).fetchone()[0]
    db.close()
    return found
