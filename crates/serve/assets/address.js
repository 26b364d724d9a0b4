// The state of the page is its address: you can keep it, send it, and go back to it.

/** The words of the address, in order: [[name, value], ...]; a name may come several times. */
export function words() {
  return [...new URLSearchParams(location.search)];
}

/** The tab of an address without one. */
const FIRST = "machine";

/** The words of a tab; none if the address is another's. */
export function wordsOf(tab) {
  const all = words();
  const at = all.find(([name]) => name === "tab")?.[1] ?? FIRST;
  return at === tab ? all.filter(([name]) => name !== "tab") : [];
}

/** The tab that the address names. */
export function tab() {
  return new URLSearchParams(location.search).get("tab") ?? FIRST;
}

/** The query that has these words, without the empty ones. */
export function query(words) {
  const params = new URLSearchParams();
  for (const [name, value] of words) if (value !== "" && value != null) params.append(name, value);
  return params.toString();
}

/**
 * Steps of a form: the first key in a field makes a new entry of the history, further keys change that entry, and leaving
 * the field ends it. So Back returns to the state before the field was changed.
 */
export function steps(form) {
  let isOpen = false;
  form.addEventListener("change", () => { isOpen = false; });
  addEventListener("popstate", () => { isOpen = false; });
  return (tab, words) => {
    write(tab, words, !isOpen);
    isOpen = true;
  };
}

/** Writes a tab's words into the address; a new entry of the history where `isStep`. */
export function write(tab, words, isStep = false) {
  const address = "?" + query([["tab", tab], ...words]);
  if (address === location.search) return;
  history[isStep ? "pushState" : "replaceState"](null, "", address);
}
