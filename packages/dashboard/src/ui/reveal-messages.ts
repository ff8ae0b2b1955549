const messages = ":is([role=alert], [role=status]):not([data-loading])";

/**
 * Scrolls a message into view that appears out of sight, once after a button was pressed, and until somebody scrolls or types: on a phone the button is
 * often far below the place that says what became of it. A reader who scrolls elsewhere is left there. A message of another section than that of
 * the button, such as one that was asked for again and could not be had, takes nobody there.
 */
export function revealMessages(): void {
  let isWaited = false;
  let pressed: Element | undefined;
  /** Since the last press. What counts on in one of them, such as a progress, takes nobody back there. */
  let seen = new WeakSet<Element>();
  const arm = ({ target }: Event) => {
    isWaited = true;
    pressed = target instanceof Element ? (target.closest("section") ?? undefined) : undefined;
    seen = new WeakSet();
  };
  const disarm = () => {
    isWaited = false;
  };
  for (const type of ["click", "submit"]) document.addEventListener(type, arm, true);
  for (const type of ["wheel", "touchmove"]) document.addEventListener(type, disarm, { capture: true, passive: true });

  document.addEventListener("input", (event) => event instanceof InputEvent && disarm(), true);

  new MutationObserver((changes) => {
    if (!isWaited) return;
    const open = [...document.querySelectorAll("dialog[open]")].at(-1);
    for (const { target, addedNodes } of changes) {
      const message = findMessage(target, addedNodes);
      if (message === undefined || seen.has(message) || (open !== undefined && !open.contains(message))) continue;
      if (isElsewhere(message, pressed)) continue;
      if (reveal(message)) seen.add(message);
    }
  }).observe(document, { childList: true, characterData: true, subtree: true });
}

/** In a section, and not in that of the press, while that is still there. */
function isElsewhere(message: Element, pressed: Element | undefined): boolean {
  const section = message.closest("section");
  if (section === null || pressed === undefined || !pressed.isConnected) return false;
  return !pressed.contains(message) && !section.contains(pressed) && section.closest("dialog") === null;
}

function findMessage(target: Node, added: NodeList): Element | undefined {
  if (added.length === 0 && target.nodeType !== Node.TEXT_NODE) return undefined; // something was taken out
  const around = (target instanceof Element ? target : target.parentElement)?.closest(messages);
  if (around) return around;
  for (const node of added) {
    if (!(node instanceof Element)) continue;
    const own = node.matches(messages) ? node : node.querySelector(messages);
    if (own) return own;
  }
  return undefined;
}

/** Whether there is something to see, which is in view then. */
function reveal(message: Element): boolean {
  const { top, bottom, width, height } = message.getBoundingClientRect();
  // For screen readers alone, or empty.
  if (width < 2 || height < 2) return false;
  if (top < 0 || bottom > window.innerHeight || isCovered(message, top + 1) || isCovered(message, bottom - 1))
    message.scrollIntoView({ block: "nearest" });
  return true;
}

/** Whether a bar that stays in its place, such as that with Save, lies over the message at this height. The page's `scroll-padding` is as high as bars. */
function isCovered(message: Element, y: number): boolean {
  const { left, width } = message.getBoundingClientRect();
  const hit = document.elementFromPoint(left + width / 2, y);
  return hit !== null && !hit.contains(message) && !message.contains(hit);
}
