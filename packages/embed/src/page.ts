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

/** Dispatches a CustomEvent on the form; false if a listener cancelled it. */
export function announce(form: HTMLFormElement, type: string, detail: unknown): boolean {
  return EventTarget.prototype.dispatchEvent.call(
    form,
    new CustomEvent(type, { detail, bubbles: true, cancelable: true }),
  );
}

/** All elements that match, in the document or inside `form`. Throws a SyntaxError on a bad selector. */
export function findAll(selector: string, form?: HTMLFormElement): HTMLElement[] {
  return Array.from(
    form === undefined
      ? Document.prototype.querySelectorAll.call(document, selector)
      : Element.prototype.querySelectorAll.call(form, selector),
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

export function createAfter(form: HTMLFormElement, role: "status" | "alert"): HTMLElement {
  const element = Document.prototype.createElement.call(document, "div");
  element.setAttribute("role", role);
  Element.prototype.after.call(form, element);
  return element;
}
