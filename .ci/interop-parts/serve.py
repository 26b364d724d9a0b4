"""The page of `iobound serve` in a real browser: opened, driven with keys and mouse, its figures beside the command line's."""

import json
import math
import os
import shutil
import signal
import tempfile
import time
from urllib.parse import urlencode

from browser import browser
from common import MIB, check, end_all, folder, iobound, say, start, started

# What the page shows, and where the command line has it.
SHOWN = {
    "expected-iops": ("expected", "iops"),
    "ceiling-iops": ("ceiling", "iops"),
    "price-month": ("price", "month"),
}
ASKED = (
    ("--vm", "DS14", "--disk", "10xP30", "--random", "--block", "8KiB", "--read", "70%", "--depth", "32"),
    ("--vm", "D8s_v3", "--disk", "3xP30:readonly", "--disk", "log=2xP20", "--preset", "sqlserver-oltp"),
    ("--vm", "E16bs_v5", "--disk", "data=premiumv2@1TiB+20000iops+600MB/s", "--diskspd", "-b4K -d60 -o8 -t4 -si -c50G"),
    ("--vm", "D8s_v5", "--disk", "2xP30", "--random", "--block", "64KiB", "--depth", "32", "--hosts", "8", "--slow-host", "50%"),
    ("--vm", "m5.large", "--disk", "gp3@500GiB+6000iops+300MB/s", "--rate", "4000iops", "--random", "--block", "16KiB"),
)


def address(words):
    """The same question in the address of the page."""
    pairs, names = [], list(words)
    while names:
        name = names.pop(0).removeprefix("--")
        pairs.append(("access", "random") if name == "random" else (name, names.pop(0)))
    return urlencode([("tab", "bench"), *pairs])


def figure(page, name):
    """A figure that the page shows, without its unit and what it is compared with."""
    text = page.value(f"document.getElementById('{name}')?.firstChild.textContent")
    return None if text is None else float(text.replace(",", "").split()[0])


def settled(page, vm):
    """Waits until the page shows what its address asks."""
    done = "document.getElementById('bench-answer').getAttribute('aria-busy') === 'false'"
    page.until(f"{done} && new URLSearchParams(location.search).get('vm') === '{vm}'", f"an answer for {vm}")


def equal_to_the_command_line(page, at):
    """Each question by its address: the figures are those that the command line prints."""
    for words in ASKED:
        region = "us-east-1" if words[1].startswith("m5") else "westeurope"
        words = (*words, "--region", region)
        document = json.loads(iobound("predict", *words, "--json").stdout)
        page.open(f"{at}?{address(words)}")
        page.until("document.getElementById('expected-iops')", "figures")
        settled(page, words[1])
        for name, (part, key) in SHOWN.items():
            value = document[part][key]
            if value is None:
                continue
            shown = figure(page, name)
            check(shown is not None and abs(shown - round(value)) <= 1, f"{words}: {name} is {shown} and not {value}")
        bars = page.value("document.querySelectorAll('#bench-answer tbody .bar').length")
        if "--hosts" in words:
            worth = f"{document['cluster']['scan']['slow_host']['lost_hosts']:.1f} hosts"
            shown = page.value("document.getElementById('cluster')?.textContent ?? ''")
            check(worth in shown, f"{words}: `{shown}` has no {worth}")
        check(bars >= len(document["limits"]), f"{words}: {bars} bars for {len(document['limits'])} limits")
    return f"{len(ASKED)} questions by their address: figures are the command line's"


def driven(page, at):
    """Fields that are typed into change figures and address; going back goes back."""
    page.open(f"{at}?{address(ASKED[0])}")
    page.until("document.getElementById('expected-iops')", "figures")
    before = figure(page, "expected-iops")
    page.type("#bench-depth", "128")
    page.until("location.search.includes('depth=128')", "the address has the depth")
    page.until(f"Number(document.getElementById('expected-iops').firstChild.textContent.replaceAll(',', '')) > {before} * 1.5", "more IOPS with more depth")
    words = [word if word != "32" else "128" for word in ASKED[0]]
    value = json.loads(iobound("predict", *words, "--json").stdout)["expected"]["iops"]
    settled(page, "DS14")
    check(abs(figure(page, "expected-iops") - round(value)) <= 1, f"depth 128: {figure(page, 'expected-iops')} and not {value}")
    page.until("document.querySelector('#knee canvas')", "the curve with the knee")
    check(page.value("document.querySelectorAll('#knee tbody tr').length") > 5, "the curve has a table")
    # What is pinned is compared with.
    page.value("[...document.querySelectorAll('#bench-answer button')].find((it) => it.textContent.startsWith('Pin')).click()")
    page.type("#bench-vm", "DS13")
    page.until("document.querySelector('#bench-answer .down')", "a smaller machine is less than the pinned")
    # What makes no sense is said, with what to do.
    page.type("#bench-vm", "DS140")
    page.until("document.querySelector('#bench-answer .error')?.textContent.includes('did you mean')", "a size that is not there")
    check(page.value("!!document.querySelector('#bench-answer .down')"), "the error took the answer away")
    page.value("history.back()")
    page.until("document.getElementById('bench-vm').value === 'DS14' && !document.querySelector('#bench-answer .error')", "back to the size before")
    # The advice is a link that follows it.
    page.open(f"{at}?{address(ASKED[0])}")
    page.until("document.querySelector('#binding a')?.textContent.startsWith('Try')", "advice after what binds")
    page.value("document.querySelector('#binding a').click()")
    page.until("location.search.includes('depth=10') && document.getElementById('binding').textContent.includes('disks')", "more depth reaches the disks' limit")
    # Tabs by the keyboard, and back again.
    page.value("document.querySelector('nav a[data-tab=bench]').focus()")
    page.key("Tab")
    page.key("Enter", "\r")
    page.until("!document.getElementById('plan').hidden && document.querySelector('#plan-answer tbody tr')", "a plan")
    plan = json.loads(iobound("plan", "--iops", "50000", "--block", "8KiB", "--read", "70%", "--capacity", "4TiB", "--region", "westeurope", "--json").stdout)
    first = page.value("document.querySelector('#plan-answer tbody tr').innerText")
    check(plan["candidates"][0]["configuration"]["vm"] in first, f"the plan's first is {first!r}")
    check(whole(plan["candidates"][0]["price"]["month"]) in first, f"its price: {first!r}")
    page.until("document.querySelector('#frontier .chart canvas')", "the frontier is drawn")
    rows = page.value("[...document.querySelectorAll('#frontier details tbody tr')].map((row) => row.textContent)")
    check(len(rows) == len(plan["frontier"]), f"the frontier has {len(rows)} points, and {len(plan['frontier'])} were to be there")
    for row, point in zip(rows, plan["frontier"]):
        check(whole(point["iops"]) in row and whole(point["month"]) in row, f"{point} is {row!r}")
    page.value("document.querySelector('#plan-answer tbody a').click()")
    page.until("!document.getElementById('bench').hidden", "a candidate leads to what it delivers")
    page.value("history.back()")
    page.until("!document.getElementById('plan').hidden", "back to the plan")
    return "driven with keys and fields: figures, address, errors, tabs, back"


def quick(page, at):
    """An answer from the moment that a field changes; printed, not judged: machines are noisy."""
    page.open(f"{at}?{address(ASKED[0])}")
    page.until("document.getElementById('expected-iops')", "figures")
    took = page.value(
        """(async () => {
            const times = [];
            for (let depth = 8; depth < 48; depth += 2) {
                const begin = performance.now();
                await (await fetch(`/api/predict?vm=DS14&disk=10xP30&random=true&block=8KiB&read=70%25&depth=${depth}`)).text();
                times.push(performance.now() - begin);
            }
            return times.sort((a, b) => a - b);
        })()"""
    )
    return f"an answer takes {took[len(took) // 2]:.0f} ms in the median, {took[-1]:.0f} at most"


def here(page, at):
    """This machine: its setup, its seconds, and an explanation by its address."""
    page.open(at)
    page.until("document.querySelector('#machine-answer .conclusion')", "the setup in a sentence")
    page.until("document.querySelectorAll('#machine-answer .chart canvas').length === 2", "two live charts")
    doctor = json.loads(iobound("doctor", "--json").stdout)
    shown = page.value("document.getElementById('machine-answer').innerText")
    for disk in doctor["disks"]:
        check(disk["device"] in shown, f"{disk['device']} is not in {shown!r}")
    page.until("[...document.querySelectorAll('#machine-answer caption')].some((it) => it.textContent.includes('over the last second'))", "a second")
    page.value("document.querySelector('#machine-answer a.button').click()")
    page.until("location.search.includes('explain=now') && document.querySelector('#why progress')", "progress while it watches")
    page.until("document.querySelector('#why code')", "an explanation")
    return "this machine: setup, live seconds, an explanation after its progress"


def laboratory(page, at):
    """An experiment runs on the model, and opens as a page."""
    page.open(f"{at}?tab=lab&experiment=queue-depth")
    rows = json.loads(iobound("lab", "queue-depth", "--json").stdout)["runs"]
    page.until(f"document.querySelectorAll('#lab-answer tbody tr').length === {len(rows)}", "its rows")
    page.value("document.querySelector('#lab-answer a').click()")
    page.until("location.pathname === '/pages/lab' && document.documentElement?.dataset.drawn", "its page, drawn")
    page.value("history.back()")
    page.until("document.querySelector('#lab-answer tbody tr')", "back to the lab")
    return f"{len(rows)} rows of an experiment, and its page"


def accessible(page, at):
    """Every tab in light, in dark and on a telephone: axe finds nothing, and keys reach all."""
    tabs = {
        "machine": "document.querySelector('#machine-answer table')",
        "bench": "document.querySelector('#knee canvas')",
        "plan": "document.querySelector('#frontier canvas')",
        "results": "document.querySelector('#results-answer table')",
        "lab": "document.querySelector('#lab-answer table')",
        "live": "document.querySelector('#live-form code')",
    }
    for name, there in tabs.items():
        for width, scheme in ((1200, "light"), (1200, "dark"), (400, "light")):
            what = f"{name}, {width} pixels, {scheme}"
            page.width(width)
            page.mode(scheme)
            page.open(f"{at}?tab={name}")
            page.until(there, what)
            page.narrow(what)
            page.accessible(what)
        page.reached_by_keys(name)
    page.mode("light")
    return f"{len(tabs)} tabs in light, in dark and 400 pixels wide: axe finds nothing, and Tab reaches every control"


def readable(page, at):
    """Labels, headings, no sideways scrolling on a phone."""
    for width in (360, 1200):
        page.width(width)
        page.open(f"{at}?{address(ASKED[1])}")
        page.until("document.getElementById('expected-iops')", "figures")
        over = page.value("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        check(over <= 0, f"at {width} the page is {over} pixels too wide")
    nameless = page.value(
        """[...document.querySelectorAll('input, select, button')].filter((it) => !it.closest('[hidden]')
            && !(it.labels?.length || it.textContent.trim() || it.getAttribute('aria-label'))).map((it) => it.outerHTML)"""
    )
    check(not nameless, f"fields without a name for a screen reader: {nameless}")
    tree = page.call("Accessibility.getFullAXTree")["nodes"]
    roles = {node.get("role", {}).get("value") for node in tree}
    for role in ("main", "navigation", "heading", "table", "textbox"):
        check(role in roles or role == "textbox" and "combobox" in roles, f"no {role} in the accessibility tree")
    return "360 and 1,200 pixels wide; every field has a name"


def live(page, at):
    """An emulator that runs is listed, and watched second by second."""
    with tempfile.TemporaryDirectory() as here:
        emulator = start("emulate", "--vm", "DS14", "--disk", "data=P10", "--nbd", f"unix:{here}/nbd.sock", "--memory", "64MiB")
        while not os.path.exists(f"{here}/nbd.sock"):
            check(emulator.poll() is None, "the emulator has ended")
            time.sleep(0.02)
        page.open(f"{at}?tab=live")
        page.until("document.querySelector('#live-answer tbody a')", "the emulator is listed")
        page.value("document.querySelector('#live-answer tbody a').click()")
        page.until("document.querySelector('#live-answer .chart canvas') && document.querySelector('#live-answer tbody tr')", "its state")
        page.until("document.querySelector('#live-answer tbody').innerText.includes('data')", "its volume is there")
        end_all_but(emulator)
        page.until("document.querySelector('#live-answer').innerText.includes('ended')", "its end is said")
    return "an emulator is listed, watched, and its end is said"


def going_on(page, at):
    """A run that goes on is listed beside, and watched."""
    with folder(64 * MIB) as here:
        words = ("--size", "8MiB", "--duration", "60s", "--warmup", "0", "--results", "off")
        run = start("run", here, *words)
        page.open(f"{at}?tab=live")
        page.until("document.querySelector('#live-answer tbody a')?.textContent.startsWith('run-')", "the run is listed")
        page.value("document.querySelector('#live-answer tbody a').click()")
        page.until("document.querySelector('#live-answer .chart canvas') && document.querySelector('#live-answer tbody tr')", "its state")
        end_all_but(run)
        page.until("document.querySelector('#live-answer').innerText.includes('ended')", "its end is said")
        started.remove(run)
    return "a run is listed, watched, and its end is said"


def whole(value):
    """A figure as the page rounds it: halves go up, and not to the even one as Python has it."""
    return f"{math.floor(value + 0.5):,}"


def end_all_but(process):
    """Ends one that was started, as Ctrl-C does."""
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)


def measured(page, at):
    """What is kept is listed with its figures, and two of it are compared."""
    with folder(64 * MIB) as here:
        for depth in (1, 4):
            iobound("run", here, "--size", "8MiB", "--duration", "2s", "--warmup", "0", "--depth", depth)
        kept = json.loads(iobound("results", "list", "--json").stdout)["runs"]
        page.open(f"{at}?tab=results")
        page.until("document.querySelectorAll('#results-answer tbody tr').length === 2", "two results")
        shown = page.value("document.querySelector('#results-answer tbody').innerText")
        for run in kept:
            check(run["id"] in shown and whole(run["iops"]) in shown, f"{run['id']}: {run['iops']} is not in {shown!r}")
        page.value("document.querySelectorAll('#results-answer input[type=checkbox]').forEach((box) => box.click())")
        page.until("document.querySelector('#results-answer h3') && document.querySelectorAll('#results-answer .scroll table').length === 2", "a comparison")
        page.until("location.search.includes('of=r-1') && location.search.includes('of=r-2')", "both are in the address")
        page.until("document.querySelectorAll('#results-answer canvas').length === 2", "both over time")
        for link in ("/pages/compare", "/pages/result"):
            page.value(f"document.querySelector('#results-answer a[href^=\"{link}\"]').click()")
            page.until(f"location.pathname === '{link}' && document.documentElement?.dataset.drawn", f"{link} is a page, drawn")
            page.value("history.back()")
            page.until("document.querySelectorAll('#results-answer canvas').length === 2", "back to the results")
    return f"{len(kept)} results are listed and compared"


def part():
    # Of its own: results of others are nothing to be shown here.
    store = tempfile.mkdtemp()
    os.environ["IOBOUND_RESULTS"] = f"{store}/results.db"
    server = start("serve", "--at", "0")
    started.remove(server)
    try:
        at = server.stdout.readline().strip()
        check(at.startswith("http://127.0.0.1:"), f"serve printed {at!r}")
        with browser() as page:
            for step in (here, equal_to_the_command_line, driven, quick, readable, live, measured, going_on, laboratory, accessible):
                say(step(page, at))
            # A size that is not there is refused: the browser notes that as an error too.
            wrong = [line for line in page.said if "400 (Bad Request)" not in line]
            check(not wrong, f"the page's console: {wrong}")
    finally:
        server.kill()
        server.communicate()
        end_all()
        shutil.rmtree(store)
