"""A headless Chromium that is driven through a pipe: the DevTools protocol, with nothing but Python beside it."""

import base64
import contextlib
import functools
import json
import os
import select
import shutil
import subprocess
import tarfile
import tempfile
import time

from common import Failed, check


# The version of axe-core, the accessibility checks that a page must pass.
AXE = "axe-core@4.14.1"


@functools.cache
def axe():
    """The source of axe-core, from the package registry."""
    with tempfile.TemporaryDirectory() as folder:
        packed = subprocess.run(["npm", "pack", "--silent", AXE], cwd=folder, capture_output=True, text=True, check=True)
        with tarfile.open(os.path.join(folder, packed.stdout.split()[-1])) as package:
            return package.extractfile("package/axe.min.js").read().decode()


class Browser:
    """One page of a browser."""

    def __init__(self, process, write, read):
        self.process, self.write, self.read = process, write, read
        self.number, self.rest, self.session = 0, b"", None
        self.said = []  # what the page's console and its errors said
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def message(self, until):
        """The next message of the browser."""
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.read], [], [], max(0, until - time.monotonic()))
            if not ready:
                raise Failed("the browser says nothing")
            more = os.read(self.read, 1 << 20)
            if not more:
                raise Failed("the browser has ended")
            self.rest += more
        first, _, self.rest = self.rest.partition(b"\0")
        return json.loads(first)

    def note(self, message):
        """Keeps what a page complains of."""
        method, params = message.get("method"), message.get("params", {})
        if method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.said.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.said.append(params["entry"]["text"] + " " + params["entry"].get("url", ""))
        elif method == "Network.requestWillBeSent":
            self.said_of_request(params["request"]["url"])

    def said_of_request(self, url):
        """A page loads nothing from elsewhere."""
        if not url.startswith(("http://127.0.0.1:", "file:", "data:", "about:", "blob:")):
            self.said.append(f"loads {url}")

    def call(self, method, **params):
        """Asks the browser, and gives its answer."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.write, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + 60
        while True:
            answer = self.message(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Failed(f"{method}: {answer['error']}")
                return answer["result"]
            self.note(answer)

    def value(self, expression):
        """What an expression of the page is; promises are waited for."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise Failed(f"{expression}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def until(self, expression, what):
        """Waits until an expression of the page is true."""
        end = time.monotonic() + 30
        while time.monotonic() < end:
            if self.value(f"!!({expression})"):
                return
            time.sleep(0.02)
        raise Failed(f"{what}: never so; the page says {self.value('document.body.innerText')[:2000]} {self.said}")

    def open(self, url):
        """Goes to an address."""
        self.call("Page.navigate", url=url)
        self.until("document.readyState === 'complete'", f"{url} is there")

    def width(self, width, height=900):
        """A window of another size."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)

    def key(self, key, text=None):
        """Presses a key."""
        code = {"Tab": 9, "Enter": 13}.get(key, 0)
        more = {"text": text} if text else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **more)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def type(self, selector, text):
        """Writes into a field as a person does: focus, all of it marked, new text."""
        self.value(f"(() => {{ const it = document.querySelector({selector!r}); it.focus(); it.select?.(); }})()")
        self.call("Input.insertText", text=text)

    def choose(self, selector, value):
        """Chooses one of a list."""
        script = f"const it = document.querySelector({selector!r}); it.value = {value!r}; it.dispatchEvent(new Event('input', {{bubbles: true}}));"
        self.value(f"(() => {{ {script} }})()")

    def mode(self, scheme):
        """Light or dark."""
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def accessible(self, what):
        """Fails with what axe finds: names, roles, contrast, order."""
        # Its end says nothing that can be returned by value.
        self.value(f"{axe()};undefined")
        script = "axe.run({resultTypes: ['violations']}).then((found) => found.violations.map((it) => it.id + ': ' + it.nodes.map((node) => node.html.slice(0, 160) + ' ' + (node.any[0]?.message ?? '')).slice(0, 3).join(' | ')))"
        found = self.value(script)
        check(not found, f"{what}: axe finds\n" + "\n".join(found or []))

    def narrow(self, what):
        """Fails where a page is wider than its window."""
        over = self.value("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        check(over <= 0, f"{what}: the page is {over} pixels too wide")

    def reached_by_keys(self, what):
        """Fails where a visible control cannot be focused with Tab, or shows no focus."""
        self.value("document.activeElement?.blur()")
        shown = "[...document.querySelectorAll('a[href], button, input, select, summary, [tabindex=\"0\"]')].filter((it) => it.checkVisibility() && !it.disabled && it.tabIndex >= 0)"
        wanted = self.value(f"{shown}.length")
        self.value("window.focused = new Set(); window.plain = []; undefined")
        note = "(() => { const it = document.activeElement; window.focused.add(it); if (getComputedStyle(it).outlineStyle === 'none' && it !== document.body) window.plain.push(it.outerHTML.slice(0, 120)); })()"
        for _ in range(wanted + 5):
            self.key("Tab")
            self.value(note)
        left = self.value(f"{shown}.filter((it) => !window.focused.has(it)).map((it) => it.outerHTML.slice(0, 120))")
        check(not left, f"{what}: Tab does not reach {left}")
        plain = self.value("window.plain")
        check(not plain, f"{what}: without a focus ring: {plain}")

    def picture(self, path):
        """What is seen, as a PNG file."""
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.call("Page.captureScreenshot")["data"]))


@contextlib.contextmanager
def browser():
    """A browser with an empty profile, ended at the end."""
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if not program:
        raise Failed("there is no chromium")
    profile = tempfile.mkdtemp()
    to_browser, ours = os.pipe()
    from_browser, theirs = os.pipe()
    words = [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
    words += [f"--user-data-dir={profile}", "--remote-debugging-pipe", "about:blank"]

    def descriptors():
        # The protocol has 3 to read from and 4 to write to.
        os.dup2(to_browser, 63)
        os.dup2(theirs, 64)
        os.dup2(63, 3)
        os.dup2(64, 4)

    process = subprocess.Popen(words, pass_fds=(3, 4, to_browser, theirs), preexec_fn=descriptors, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(to_browser)
    os.close(theirs)
    try:
        yield Browser(process, ours, from_browser)
    finally:
        process.kill()
        process.wait()
        os.close(ours)
        os.close(from_browser)
        shutil.rmtree(profile, ignore_errors=True)
