/**
 * The page, read so that its own markup cannot mislead us: `<input name="submit">` replaces `form.submit`, and
 * `<img name="currentScript">` replaces `document.currentScript` (DOM clobbering). Everything that touches a form or the
 * document goes through the prototypes, here.
 */

export function listen(
  target: EventTarget,
  type: string,
  listener: (event: Event) => void,
  signal: AbortSignal,
  capture = false,
): void {
  EventTarget.prototype.addEventListener.call(target, type, listener, { signal, capture });
}

/** Dispatches the CustomEvent `sealpost:{type}` on the form; false if a listener cancelled it. */
export function announce(form: HTMLFormElement, type: string, detail: unknown): boolean {
  return EventTarget.prototype.dispatchEvent.call(
    form,
    new CustomEvent(`sealpost:${type}`, { detail, bubbles: true, cancelable: true }),
  );
}

/** All elements that match, in the document or inside `form`. Throws a SyntaxError on a bad selector. */
export function findAll(selector: string, form?: HTMLFormElement): HTMLElement[] {
  return Array.from(
    form
      ? Element.prototype.querySelectorAll.call(form, selector)
      : Document.prototype.querySelectorAll.call(document, selector),
  ) as HTMLElement[]; // the selectors used here match HTML elements
}

export function attributeOf(form: HTMLFormElement, name: string): string | null {
  return Element.prototype.getAttribute.call(form, name);
}

export function setState(form: HTMLFormElement, state: "idle" | "sending" | "waiting" | "sent" | "error"): void {
  Element.prototype.setAttribute.call(form, "data-sealpost-state", state);
}

export type Control =
  | HTMLInputElement
  | HTMLSelectElement
  | HTMLTextAreaElement
  | (HTMLButtonElement & { autocomplete?: string });

/** The form's controls in tree order, those outside that name it in their form attribute included. */
export function controlsOf(form: HTMLFormElement): Control[] {
  const elements: HTMLFormControlsCollection = Reflect.get(HTMLFormElement.prototype, "elements", form);
  return Array.from(elements) as Control[]; // what a form lists as its elements are controls
}

export function documentMember<Name extends keyof Document>(name: Name): Document[Name] {
  return Reflect.get(Document.prototype, name, document);
}

export function isConnected(form: HTMLFormElement): boolean {
  return Reflect.get(Node.prototype, "isConnected", form);
}

/** Runs the browser's own validation, unless the form opts out of it (`novalidate`). */
export function isValid(form: HTMLFormElement): boolean {
  return Reflect.get(HTMLFormElement.prototype, "noValidate", form)
    ? true
    : HTMLFormElement.prototype.reportValidity.call(form);
}

export function createAfter(form: HTMLFormElement): HTMLElement {
  const element = Document.prototype.createElement.call(document, "div");
  Element.prototype.after.call(form, element);
  return element;
}

/**
 * Where to go after success, or `undefined`. `redirect` was written by the page's author: this origin, or any https
 * address. `next` (the field `_next`) may hold what a visitor brought along in a link: this origin only.
 */
export function resolveAddress(redirect: string | undefined, next: string | undefined): string | undefined {
  const wanted = redirect ?? next;
  if (!wanted) return undefined;
  // A link resolves an address as the page itself would, and does not throw on a bad one.
  const link = Document.prototype.createElement.call(document, "a") as HTMLAnchorElement; // an "a" is one
  link.href = wanted;
  return link.origin === location.origin || (redirect && link.protocol === "https:") ? link.href : undefined;
}
