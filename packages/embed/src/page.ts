/**
 * `target` with the members that its class gives it. A page's markup can replace those of a form and of the document:
 * `<input name="submit">` hides `form.submit`, `<img name="currentScript">` hides `document.currentScript` (DOM
 * clobbering). Everything here that touches a form or the document does it through this.
 */
export function unclobbered<Target extends object>(target: Target): Target {
  return new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(Object.getPrototypeOf(target), name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

export function page(): Document {
  return unclobbered(document);
}

export type Control =
  | HTMLInputElement
  | HTMLSelectElement
  | HTMLTextAreaElement
  | (HTMLButtonElement & { autocomplete?: string });

/** The controls of an unclobbered form in tree order, those outside that name it in their form attribute included. */
export function controlsOf(form: HTMLFormElement): Control[] {
  return Array.from(form.elements) as Control[]; // what a form lists as its elements are controls
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
  return link.origin === location.origin || (redirect && link.protocol === "https:") ? link.href : undefined;
}
