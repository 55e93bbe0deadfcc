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


# What a driver says of a page that goes while it is asked: between two pages there is nothing of either.
BETWEEN_PAGES = ("no such element", "stale element", "does not belong to the document", "aborted by navigation",
                 "no such execution context", "Cannot find context", "Inspected target navigated or closed",
                 "Cannot read properties of null")


def is_between_pages(told):
    return any(words in told for words in BETWEEN_PAGES)


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
    end, last = time.monotonic() + patience, ""
    while time.monotonic() < end:
        try:
            found = find()
        except urllib.error.HTTPError as error:
            told = error.read().decode()
            if not is_between_pages(told):
                sys.exit(f"{what}: {told}")
            found, last = None, f"; the last refusal was: {told}"
        except OSError as error:
            found, last = None, f"; the last failure was: {error}"
        if found:
            return found
        time.sleep(0.05)
    sys.exit(f"{what} did not happen within {patience} s{last}")
