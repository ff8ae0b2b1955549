/** As long as what comes next may take the focus itself, such as the heading of another step. */
const waitMilliseconds = 100;

/** The element that was given the focus because what had it went away. */
let fallback: Element | undefined;

/** Whether nothing that somebody chose has the focus: what they pressed is gone, and what comes next may take it, however late it comes. */
export function isFocusFree(): boolean {
  const { activeElement, body } = document;
  return activeElement === body || activeElement === fallback;
}

/** Parts of a page in which somebody continues where what they had pressed is gone. */
const places = "[tabindex], dialog, form, fieldset, section, li";

/**
 * Where the element that has the focus goes away, and nothing else takes it, the focus goes to what is left around it: the next Tab
 * continues there, and screen readers stay there, instead of at the top of the page. Not after a press of the mouse somewhere else.
 */
export function keepFocus(): void {
  /** The element that had the focus, and those around it. */
  let path: readonly Element[] = [];
  let isWaiting = false;

  function look(): void {
    isWaiting = false;
    const active = document.activeElement;
    if (active !== null && active !== document.body) return;
    const place = path.find((element) => element.isConnected && element.matches(places) && element.checkVisibility());
    path = [];
    if (!(place instanceof HTMLElement)) return;
    if (!place.hasAttribute("tabindex")) {
      place.tabIndex = -1;
      place.classList.add("outline-none");
    }
    place.focus({ preventScroll: true });
    fallback = place;
  }

  document.addEventListener(
    "focusin",
    ({ target }) => {
      path = target instanceof Element ? withAncestors(target) : [];
    },
    true,
  );
  document.addEventListener(
    "pointerdown",
    () => {
      path = [];
      fallback = undefined;
    },
    true,
  );
  new MutationObserver(() => {
    if (isWaiting || path[0]?.isConnected !== false) return;
    isWaiting = true;
    setTimeout(look, waitMilliseconds);
  }).observe(document, { childList: true, subtree: true });
}

function withAncestors(element: Element): readonly Element[] {
  const path: Element[] = [];
  for (let one: Element | null = element; one !== null && one !== document.body; one = one.parentElement)
    path.push(one);
  return path;
}
