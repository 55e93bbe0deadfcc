"""Pictures of the terminal: real commands in tmux, whose screen becomes an SVG."""

import html
import os
import re
import subprocess

from .asking import until
from .model import Model

WIDTH, LINE, LETTER, PAD = 92, 20, 8.43, 18
COLOURS = {"8": "#8b949e", "9": "#ff7b72", "10": "#7ee787", "11": "#f2cc60", "12": "#79c0ff", "13": "#d2a8ff", "14": "#76e3ea",
           "1": "#ff7b72", "2": "#7ee787", "3": "#f2cc60", "4": "#79c0ff", "5": "#d2a8ff", "6": "#76e3ea"}
# What is typed, and what the screen then shows.
CHAT = [("what is 17 * 23?", "17 * 23 = 391"), ("remember that my cat is called Miro", "I will remember that"),
        ("remind me tomorrow at 9 to feed him", "I will remind you")]
# What is asked, and which keys answer.
INIT = [("chat platforms", ["Enter"]), ("language model", ["Down", "Down", "Enter"]), ("base URL", ["Enter"]),
        ("key", ["Enter"]), ("Which model", ["Enter"])]
# Where people's own model servers usually are.
OLLAMA = 11434


class Terminal:
    """One command in a terminal of its own, in an empty home."""

    def __init__(self, binary, home, *command):
        home.mkdir(parents=True, exist_ok=True)
        self.tmux = ["tmux", "-L", f"look-{os.getpid()}-{home.name}"]
        clean = ["env", "-i", f"HOME={home}", f"PATH={os.environ['PATH']}", "TERM=xterm-256color", "LANG=en_GB.UTF-8",
                 "TZ=Europe/Berlin", "sh", "-c", '"$@"; sleep 60', "sh", binary, *command]
        self.do("-f", "/dev/null", "new-session", "-d", "-x", str(WIDTH), "-y", "40", "-c", str(home), *clean)

    def do(self, *args):
        return subprocess.run([*self.tmux, *args], check=True, capture_output=True, text=True).stdout

    def screen(self):
        return self.do("capture-pane", "-p")

    def shows(self, text):
        until(f"`{text}` in the terminal", lambda: text in self.screen(), 20)

    def settled(self):
        """The screen, once it is the same twice."""
        last = [""]

        def same():
            now = self.screen()
            last[0], is_same = now, now == last[0] and now.strip()
            return is_same
        until("a screen that stands still", same, 20)

    def type(self, text):
        self.do("send-keys", "-l", text)
        self.do("send-keys", "Enter")

    def drawn(self, prompt=None):
        """Without the prompt that waits at the end."""
        lines = self.do("capture-pane", "-e", "-p").rstrip("\n").split("\n")
        return svg(lines[:-1] if prompt and prompt in lines[-1] else lines)

    def end(self):
        self.do("kill-server")


def pieces(line, style):
    """Runs of text with their style: bold, dim, colour."""
    found, rest = [], line
    while rest:
        match = re.match(r"\x1b\[([0-9;]*)m", rest)
        if match:
            codes = (match.group(1) or "0").split(";")
            while codes:
                code = codes.pop(0)
                if code in ("", "0"):
                    style.clear()
                elif code == "1":
                    style["bold"] = True
                elif code == "2":
                    style["dim"] = True
                elif code == "22":
                    style.pop("bold", None), style.pop("dim", None)
                elif code == "39":
                    style.pop("colour", None)
                elif code == "38" and codes[:1] == ["5"]:
                    style["colour"], codes = COLOURS.get(codes[1]), codes[2:]
                elif code.isdigit() and 30 <= int(code) <= 37:
                    style["colour"] = COLOURS.get(str(int(code) - 30))
            rest = rest[match.end():]
            continue
        end = rest.find("\x1b")
        text, rest = (rest, "") if end < 0 else (rest[:end], rest[end:])
        found.append((text, dict(style)))
    return found


def svg(lines):
    """The screen as a picture: as wide as the terminal, as high as what is on it."""
    width, height = round(WIDTH * LETTER + 2 * PAD), len(lines) * LINE + 2 * PAD
    out, style = [], {}
    for row, line in enumerate(lines):
        spans = []
        for text, how in pieces(line, style):
            colour = how.get("colour") or ("#8b949e" if how.get("dim") else None)
            attributes = (f' fill="{colour}"' if colour else "") + (' font-weight="700"' if how.get("bold") else "")
            spans.append(f"<tspan{attributes}>{html.escape(text)}</tspan>" if attributes else html.escape(text))
        if "".join(spans).strip():
            out.append(f'<text x="{PAD}" y="{PAD + row * LINE + 14}" xml:space="preserve">{"".join(spans)}</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
            f'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="14" fill="#e6edf3">\n'
            f'<rect width="100%" height="100%" rx="10" fill="#0d1117"/>\n' + "\n".join(out) + "\n</svg>\n")


def write(binary, home, out):
    terminal = Terminal(binary, home / "chat", "chat", "--set", "data.dir=data")
    try:
        terminal.shows("you>")
        for text, answer in CHAT:
            terminal.settled()
            terminal.type(text)
            terminal.shows(answer)
        terminal.settled()
        (out / "terminal-chat.svg").write_text(terminal.drawn("you>"))
    finally:
        terminal.end()
    with Model(OLLAMA):
        terminal = Terminal(binary, home / "init", "init")
        try:
            for question, keys in INIT:
                terminal.shows(question)
                terminal.settled()
                terminal.do("send-keys", *keys)
            terminal.shows("Now run")
            (out / "terminal-init.svg").write_text(terminal.drawn())
        finally:
            terminal.end()
