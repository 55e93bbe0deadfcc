"""Lighthouse on the pages that people open most: accessibility and best practices are whole, performance is told."""

import json
import os
import subprocess

from .pages import ROOT

AT = ROOT / "target/browser/lighthouse"
PAGES = ("/", "/chat")
ATTEMPTS = 3
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


def ask(address, told, headers):
    """What it found of one page, or why it found nothing: a browser that it starts on a busy machine may not come up."""
    browser = subprocess.run(["which", "chromium"], capture_output=True, text=True).stdout.strip()
    command = ["node_modules/.bin/lighthouse", address, "--quiet", "--output=json", f"--output-path={told}",
               f"--extra-headers={headers}", f"--only-categories={','.join(CATEGORIES)}",
               "--chrome-flags=--headless=new --no-sandbox --disable-dev-shm-usage"]
    why = ""
    for _ in range(ATTEMPTS):
        told.unlink(missing_ok=True)
        try:
            ended = subprocess.run(command, cwd=AT, capture_output=True, text=True, timeout=180,
                                   env={**os.environ, "CHROME_PATH": browser})
        except (OSError, subprocess.SubprocessError) as error:
            why = str(error)
            continue
        if ended.returncode == 0:
            found = json.loads(told.read_text())
            if all(found["categories"][name]["score"] is not None for name in CATEGORIES):
                return found, ""
            why = json.dumps(found.get("runtimeError") or found.get("runWarnings"))
        else:
            why = (ended.stderr or ended.stdout).strip()[-1000:]
    return None, why


def tell_faults(found, name):
    """Which of its rules a page breaks, and where: a figure alone can't be mended."""
    for rule in found["categories"][name]["auditRefs"]:
        audit = found["audits"][rule["id"]]
        if not rule["weight"] or audit["score"] in (None, 1):
            continue
        print(f"{audit['id']}: {audit['title']}")
        for item in (audit.get("details") or {}).get("items", [])[:5]:
            node = item.get("node") or {}
            print(f"  {node.get('snippet')} {node.get('explanation') or item}")


def score(bot, report):
    """It is judged where it runs. Where it can't run, the reader is told why, and axe has judged the same pages before."""
    if not installed():
        return
    headers, told = AT / "headers.json", AT / "told.json"
    headers.write_text(json.dumps({"cookie": bot.cookie()}))
    try:
        for page in PAGES:
            found, why = ask(bot.address + page, told, headers)
            if found is None:
                print(f"Lighthouse could not look at {page}: {why}")
                continue
            for name, limit in CATEGORIES.items():
                reached = round(100 * found["categories"][name]["score"])
                # What else runs on the machine decides how fast it is.
                holds = None if name == "performance" else reached >= int(limit)
                if holds is False:
                    tell_faults(found, name)
                report.tell(f"Lighthouse, {page}, phone: {name}", reached, limit, holds)
    finally:
        headers.unlink()
