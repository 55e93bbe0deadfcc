"""Requests to this machine, and waiting for what is to happen."""

import json
import sys
import time
import urllib.error
import urllib.request

# Whatever proxy there is: all of this is on this machine.
OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


class Stays(urllib.request.HTTPRedirectHandler):
    """Follows nothing: where an answer leads is part of what is looked at."""

    def redirect_request(self, *_):
        return None


STAYING = urllib.request.build_opener(urllib.request.ProxyHandler({}), Stays())


def call(method, url, body=None, headers=None, patience=30):
    """JSON, in and out."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data=data, method=method)
    request.add_header("content-type", "application/json")
    for name, value in (headers or {}).items():
        request.add_header(name, value)
    with OPENER.open(request, timeout=patience) as answer:
        text = answer.read().decode()
    return json.loads(text) if text.strip() else None


def until(what, find, patience=60):
    """What `find` finds, as soon as it finds something."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        try:
            found = find()
        except urllib.error.HTTPError as error:
            told = error.read().decode()
            # Between two pages there is nothing of either.
            if '"no such element"' not in told:
                sys.exit(f"{what}: {told}")
            found = None
        except OSError:
            found = None
        if found:
            return found
        time.sleep(0.05)
    sys.exit(f"{what} did not happen within {patience} s")
