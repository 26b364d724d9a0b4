// Which tab is shown; the tabs themselves are one file each.

import { tab } from "/address.js";
import * as machine from "/machine.js";
import * as bench from "/bench.js";
import * as plan from "/plan.js";
import * as results from "/results.js";
import * as lab from "/lab.js";
import * as live from "/live.js";

const TABS = { machine, bench, plan, results, lab, live };

function show() {
  const wanted = TABS[tab()] ? tab() : "machine";
  for (const [name, it] of Object.entries(TABS)) {
    const section = document.getElementById(name);
    const isShown = name === wanted;
    if (section.hidden === !isShown && section.dataset.shown) continue;
    section.hidden = !isShown;
    const link = document.querySelector(`nav a[data-tab="${name}"]`);
    if (isShown) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
    if (!isShown) it.leave?.();
  }
  TABS[wanted].enter();
}

/** What each tab's address was when it was left, so that going back to a tab finds it as it was. */
const kept = {};
document.querySelector("nav").addEventListener("click", (event) => {
  const link = event.target.closest("a[data-tab]");
  if (!link || event.metaKey || event.ctrlKey) return;
  event.preventDefault();
  if (link.dataset.tab === tab()) return;
  kept[tab()] = location.search;
  history.pushState(null, "", kept[link.dataset.tab] ?? link.getAttribute("href"));
  show();
});
// Links within answers lead to other tabs.
document.querySelector("main").addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='?']");
  if (!link || event.metaKey || event.ctrlKey) return;
  event.preventDefault();
  kept[tab()] = location.search;
  history.pushState(null, "", link.getAttribute("href"));
  show();
  document.getElementById("main").focus();
});
addEventListener("popstate", show);
show();
