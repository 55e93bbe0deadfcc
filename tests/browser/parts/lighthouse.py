"""Lighthouse on the pages that people open most: accessibility and best practices are whole, performance is told."""

import json
import os
import subprocess

from .pages import ROOT

AT = ROOT / "target/browser/lighthouse"
PAGES = ("/", "/chat")
CATEGORIES = {"accessibility": "100", "best-practices": "100", "performance": "95"}


def installed():
    """It comes from npm, once; without npm this part is left out, and the reader is told."""
    if not (AT / "node_modules/.bin/lighthouse").exists():
        AT.mkdir(parents=True, exist_ok=True)
        try:
            subprocess.run(["npm", "install", "--no-audit", "--no-fund", "--loglevel=error", "lighthouse@12"], cwd=AT,
                           check=True, capture_output=True, timeout=180)
        except (OSError, subprocess.SubprocessError) as error:
            print(f"Lighthouse is left out: {error}")
            return False
    return True


def score(bot, report):
    if not installed():
        return
    headers, told = AT / "headers.json", AT / "told.json"
    headers.write_text(json.dumps({"cookie": bot.cookie()}))
    browser = subprocess.run(["which", "chromium"], capture_output=True, text=True).stdout.strip()
    for page in PAGES:
        subprocess.run(["node_modules/.bin/lighthouse", bot.address + page, "--quiet", "--output=json", f"--output-path={told}",
                        f"--extra-headers={headers}", f"--only-categories={','.join(CATEGORIES)}",
                        "--chrome-flags=--headless=new --no-sandbox --disable-dev-shm-usage"],
                       cwd=AT, check=True, capture_output=True, env={**os.environ, "CHROME_PATH": browser})
        found = json.loads(told.read_text())["categories"]
        for name, limit in CATEGORIES.items():
            reached = round(100 * (found[name]["score"] or 0))
            # What else runs on the machine decides how fast it is.
            holds = None if name == "performance" else reached >= int(limit)
            report.tell(f"Lighthouse, {page}, phone: {name}", reached, limit, holds)
    headers.unlink()
