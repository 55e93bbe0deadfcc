"""A bot with data of its own, and what it costs this machine."""

import json
import os
import pathlib
import re
import socket
import subprocess
import urllib.error
import urllib.parse
import urllib.request

from .asking import STAYING, call, until


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Bot:
    """`clifford serve` in a directory of its own; `settings` as for `--set`."""

    def __init__(self, binary, home, settings=(), environment=None):
        self.binary, self.home = os.path.abspath(binary), pathlib.Path(home)
        self.home.mkdir(parents=True, exist_ok=True)
        # The port stays when the bot is started again: open pages come back to it.
        self.port = free_port()
        self.settings = [f"data.dir={self.home}/data", f"http.bind=127.0.0.1:{self.port}", *settings]
        self.environment = {**{k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}, **(environment or {})}
        self.address = f"http://127.0.0.1:{self.port}"
        self.start()
        made = json.loads(self.command("token", "create", "--json", "--scope", "read", "--scope", "write", "--scope", "admin"))
        self.headers = {"authorization": "Bearer " + next(v for k, v in made.items() if k in ("token", "secret"))}

    def start(self):
        self.log = open(self.home / "log", "a")
        self.process = subprocess.Popen([self.binary, "serve", *self.flags()], stdout=self.log, stderr=self.log,
                                        cwd=self.home, env=self.environment)
        until("the start of the bot", lambda: self.page("/healthz")[0] == 200)

    def end(self, kill=False):
        self.process.kill() if kill else self.process.terminate()
        self.process.wait(60)
        self.log.close()

    def flags(self):
        return [part for setting in self.settings for part in ("--set", setting)]

    def command(self, *args):
        done = subprocess.run([self.binary, *args, *self.flags()], capture_output=True, text=True, cwd=self.home,
                              env=self.environment)
        if done.returncode:
            raise SystemExit(f"clifford {' '.join(args)}: {done.stderr}{done.stdout}")
        return done.stdout

    def link(self, user=None):
        """A link that lets one browser in; nobody: as the operator."""
        words = self.command("login", *(["--user", user] if user else []))
        return f"{self.address}/login?link=" + re.search(r"login\?link=(\S+)", words).group(1)

    def cookie(self, user=None):
        """A session without a browser."""
        link = self.link(user)
        token = self.token("", link[len(self.address):])
        entered = self.form("/login", {"token": token, "link": link.split("link=")[1]})
        return entered["set-cookie"].split(";")[0]

    def says(self, cookie, text):
        """Somebody writes in the chat of the dashboard."""
        return self.form("/chat", {"token": self.token(cookie), "content": text}, cookie)

    def token(self, cookie, path="/chat"):
        """What goes with every form of a session."""
        return re.search(r'name="token" value="([^"]+)"', self.page(path, cookie)[1]).group(1)

    def form(self, path, fields, cookie=""):
        """Sends a form; the answer's headers."""
        request = urllib.request.Request(self.address + path, data=urllib.parse.urlencode(fields).encode(), method="POST")
        for name, value in (("origin", self.address), ("cookie", cookie)):
            request.add_header(name, value)
        try:
            STAYING.open(request, timeout=30)
        except urllib.error.HTTPError as answer:
            if answer.code == 303:
                return answer.headers
            raise SystemExit(f"{path}: {answer.code} {answer.read().decode()}")
        raise SystemExit(f"{path} led nowhere")

    def page(self, path, cookie=None, headers=None):
        """Status and text of a page."""
        request = urllib.request.Request(self.address + path)
        for name, value in {**({"cookie": cookie} if cookie else {}), **(headers or {})}.items():
            request.add_header(name, value)
        try:
            with STAYING.open(request, timeout=60) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def api(self, method, path, body=None):
        return call(method, self.address + path, body, self.headers)

    def ask(self, text):
        return self.api("POST", "/api/messages?wait=30", {"content": text})

    def memory_kb(self):
        """What is its own: pages of the binary are shared with every other process of it."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"RssAnon:\s+(\d+)", status).group(1))

    def database(self):
        return self.home / "data/clifford.db"
