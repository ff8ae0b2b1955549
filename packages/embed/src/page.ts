import { ownMembers } from "./own-members.ts";

/**
 * `target` with the members that its class gives it. A page's markup can replace those of a form and of the document:
 * `<input name="submit">` hides `form.submit`, `<img name="currentScript">` hides `document.currentScript` (DOM
 * clobbering). Everything here that touches a form or the document does it through this.
 */
export function unclobbered<Target extends object>(target: Target): Target {
  return new Proxy<Target>(
    target,
    ownMembers<ProxyHandler<Target>>({
      get(_, name) {
        const value: unknown = Reflect.get(Object.getPrototypeOf(target), name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    }),
  );
}

export function page(): Document {
  return unclobbered(document);
}

export type Control =
  | HTMLInputElement
  | HTMLSelectElement
  | HTMLTextAreaElement
  | (HTMLButtonElement & { autocomplete?: string });

/** A control that submits. */
export type Submitter = Control & { readonly formNoValidate?: boolean };

/** The controls of an unclobbered form in tree order, those outside that name it in their form attribute included. */
export function controlsOf(form: HTMLFormElement): Control[] {
  return [...form.elements] as Control[]; // what a form lists as its elements are controls
}

/** The name of a control. Custom elements have no property for it. */
export function nameOfControl(control: Control): string {
  return control.getAttribute("name") ?? "";
}

/** Whether an event at `target`, which may be inside of a custom element, comes from a control or an editor of the form. */
export function isPartOf(form: HTMLFormElement, target: Element & { readonly form?: unknown }): boolean {
  return target.form === undefined ? unclobbered(form).contains(target) : target.form === form;
}

/** Adds a listener until the signal ends it. */
export function listen(
  target: EventTarget,
  type: string,
  listener: (event: Event) => unknown,
  { signal }: AbortController,
  options?: AddEventListenerOptions,
): void {
  // Through the class: a field of a form can be called addEventListener.
  EventTarget.prototype.addEventListener.call(target, type, listener, ownMembers({ ...options, signal }));
}

/**
 * Where to go after success, or `undefined`. `redirect` was written by the page's author: this origin, or any https
 * address. `next` (the field `_next`) may hold what a visitor brought along in a link: this origin only.
 */
export function resolveAddress(redirect: string | undefined, next: string | undefined): string | undefined {
  const wanted = redirect ?? next;
  if (!wanted) return undefined;
  // A link resolves an address as the page itself would, and does not throw on a bad one.
  const link = page().createElement("a");
  link.href = wanted;
  // A frame of `srcdoc` has the origin "null", and so has `javascript:`.
  const isOwn = /^https?:$/.test(link.protocol) && link.origin === location.origin;
  return isOwn || (redirect && link.protocol === "https:") ? link.href : undefined;
}
