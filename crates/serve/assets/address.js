// The state of the page is its address: it can be kept, sent and gone back to.

/** The words of the address, in order: [[name, value], ...]; a name may come several times. */
export function words() {
  return [...new URLSearchParams(location.search)];
}

/** The words of a tab; none if the address is another's. */
export function wordsOf(tab) {
  const all = words();
  const at = all.find(([name]) => name === "tab")?.[1] ?? "bench";
  return at === tab ? all.filter(([name]) => name !== "tab") : [];
}

/** The tab that the address names. */
export function tab() {
  return new URLSearchParams(location.search).get("tab") ?? "bench";
}

/** The query that has these words, without the empty ones. */
export function query(words) {
  const params = new URLSearchParams();
  for (const [name, value] of words) if (value !== "" && value != null) params.append(name, value);
  return params.toString();
}

/** Writes a tab's words into the address; a new entry of the history where `isStep`. */
export function write(tab, words, isStep = false) {
  const address = "?" + query([["tab", tab], ...words]);
  if (address === location.search) return;
  history[isStep ? "pushState" : "replaceState"](null, "", address);
}
