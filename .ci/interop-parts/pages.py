"""The pages of `--html` in a browser: every chart is drawn, nothing is complained of, nothing is loaded, and nothing is wider
than a telephone."""

import json
import os
import re

from browser import browser as driven
from common import MIB, check, folder, iobound, run, say

# A page for each kind of document, and the charts that it must have.
PAGES = {
    "predict": ("predict --vm DS14 --disk 10xP30 --depth 32 --find-knee", 2),
    "lab": ("lab --only E1,E2,E6,E7,E10-*", 3),
    "plan": ("plan --iops 20000 --block 8KiB --capacity 1TiB --candidates 3", 1),
    "explain": ("explain --vm D8s_v3 --disk P30:readonly --observed iops=1000;throughput=140MB/s;read=30%", 0),
}


def browser(page, *options):
    """The page as the browser has it after its scripts, and what the browser says on its console."""
    words = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"]
    words += ["--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=5000", *options]
    done = run([*words, "--dump-dom", f"file://{page}"], within=120)
    console = [line for line in done.stderr.splitlines() if ":CONSOLE" in line]
    return done.stdout, console


def held(page):
    """The charts that a page is to draw."""
    found = re.search(r'<script type="application/json" id="charts">(.*?)</script>', page, re.DOTALL)
    check(found, "a page has no charts")
    return json.loads(found.group(1))


def look(name, path, least):
    """Opens a page, and compares what is drawn with what is to be."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    charts = held(text)
    check(len(charts) >= least, f"{name}: {len(charts)} charts, and {least} were to be there")
    for mode in ("0", "1"):
        dom, console = browser(path, f"--blink-settings=preferredColorScheme={mode}")
        check(not console, f"{name}: the browser complains:\n" + "\n".join(console))
        check(f'data-drawn="{len(charts)}"' in dom, f"{name}: the script did not come to its end")
        canvases = dom.count("<canvas")
        check(canvases == len(charts), f"{name}: {canvases} canvases for {len(charts)} charts")
    # A copy that may measure itself, in a frame as wide as a telephone: nothing may stick out.
    measured = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*/>', "", text, count=1)
    width = "parent.postMessage(document.documentElement.scrollWidth+' on '+innerWidth,'*')"
    measured = measured.replace("</body>", f"<script>{width}</script></body>")
    check(measured.count("parent.postMessage") == 1, f"{name}: the page can't be measured")
    with open(f"{path}.measured.html", "w", encoding="utf-8") as file:
        file.write(measured)
    with open(f"{path}.frame.html", "w", encoding="utf-8") as file:
        script = "onmessage = function (said) { document.title = said.data; };"
        source = os.path.basename(path) + ".measured.html"
        file.write(f"<title>-</title><script>{script}</script><iframe width=360 height=800 src='{source}'></iframe>")
    dom, _ = browser(f"{path}.frame.html")
    widths = re.search(r"<title>(\d+) on (\d+)</title>", dom)
    check(widths, f"{name}: the page did not say how wide it is")
    check(int(widths.group(1)) <= int(widths.group(2)), f"{name}: it is {widths.group(1)} px wide on {widths.group(2)}")
    # What the policy forbids is not run: a script that somebody puts in does nothing.
    with open(f"{path}.attacked.html", "w", encoding="utf-8") as file:
        file.write(text.replace("</body>", "<script>document.title='taken over'</script></body>"))
    dom, console = browser(f"{path}.attacked.html")
    check("<title>taken over" not in dom and console, f"{name}: the policy let a foreign script run")
    say(f"   {name}: {len(charts)} charts, {os.path.getsize(path) / 1024:.0f} KiB, {widths.group(1)} px on {widths.group(2)}")


def accessible(paths):
    """Each page in light, in dark and on a telephone: axe finds nothing, keys reach all, and the answer stands first."""
    with driven() as page:
        for path in paths:
            name = os.path.basename(path)
            for width, scheme in ((1200, "light"), (1200, "dark"), (400, "light")):
                what = f"{name}, {width} pixels, {scheme}"
                page.width(width)
                page.mode(scheme)
                page.open(f"file://{path}")
                page.until("document.documentElement?.dataset.drawn", what)
                page.narrow(what)
                page.accessible(what)
            first = page.value("document.querySelector('header .conclusion')?.textContent ?? ''")
            check(len(first) > 10, f"{name}: no conclusion before everything else")
            page.reached_by_keys(name)
    say(f"   {len(paths)} pages in light, in dark and 400 pixels wide: axe finds nothing")


def part():
    with folder(64 * MIB) as at:
        for name, (words, least) in PAGES.items():
            path = os.path.join(at, f"{name}.html")
            iobound(*words.split(), "--html", path)
            look(name, path, least)
        # A real run: over time twice, latency, heat, tail.
        path = os.path.join(at, "run.html")
        data = os.path.join(at, "data")
        os.mkdir(data)
        words = ["run", data, "--size", "16MiB", "--read", "70%", "--duration", "4s", "--vm", "DS14", "--disk", "P30"]
        iobound(*words, "--html", path)
        look("run", path, 5)
        # Two in turns: three pictures over time and both curves.
        path = os.path.join(at, "versus.html")
        iobound("run", data, "--size", "16MiB", "--duration", "4s", "--rounds", "4", "--vs", "--depth 8", "--html", path)
        look("versus", path, 4)
        path = os.path.join(at, "knee.html")
        iobound("run", data, "--size", "16MiB", "--find-knee", "--depth", "8", "--html", path)
        look("knee", path, 2)
        named = [*PAGES, "run", "versus", "knee"]
        accessible([os.path.join(at, f"{name}.html") for name in named])
        # Hostile names stay text in a browser too.
        hostile = os.path.join(at, "<img src=x onerror=document.title='taken over'>")
        os.mkdir(hostile)
        path = os.path.join(at, "hostile.html")
        iobound("run", hostile, "--size", "4MiB", "--duration", "2s", "--html", path)
        dom, console = browser(path)
        check("<title>taken over" not in dom and "<img" not in dom and not console, "a name became an element")
        look("hostile", path, 1)
