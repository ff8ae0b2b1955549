import { useSyncExternalStore } from "react";

/**
 * What follows `#` in the address, and the two steps between which the browser's Back leads: set by the first, replaced by
 * every further one.
 */
export function useHash() {
  const hash = useSyncExternalStore(subscribe, () => window.location.hash.slice(1));
  return {
    hash: hash === "" ? undefined : hash,
    setHash(next: string) {
      if (hash === "") window.location.hash = next;
      else {
        window.history.replaceState(null, "", `#${next}`);
        window.dispatchEvent(new HashChangeEvent("hashchange"));
      }
    },
    clear: () => window.history.back(),
  };
}

function subscribe(notify: () => void): () => void {
  window.addEventListener("hashchange", notify);
  return () => window.removeEventListener("hashchange", notify);
}
