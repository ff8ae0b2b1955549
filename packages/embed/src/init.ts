import { type Binding, bindForm } from "./binding.ts";
import type { Options } from "./options.ts";
import { page, unclobbered } from "./page.ts";

/** The result of `init`: usable at once, even before the form is part of the page. */
export interface Handle extends Binding {}

/** Shared by all copies of this script on a page, so that no form is ever bound, and sent, twice. Holds the id it is bound to. */
const boundMark = Symbol.for("sealpost.bound");

/** No option is called so: forms bound with it refuse to send, and the console says why. */
const ambiguity = { "form: several": 1 };

/**
 * Binds the form `formId` of the service to a form of the page: `options.form`, else the one with
 * `data-sealpost="{formId}"`, else the only form of the page that is for nobody else. Waits for it if it is not there yet, and
 * takes over when the page replaces it. While several could be meant, all of these refuse to send. An error in the options does not throw: it is logged, and the form refuses to send.
 */
export function init(formId: string, options: Options = {}): Handle {
  return initFrom(formId, options, undefined);
}

/** `init` for a script that knows where it was loaded from, or whose caller shows messages itself, if the page has no slots. */
export function initFrom(
  formId: string,
  options: Options,
  scriptFolder: string | undefined,
  showMessages = true,
): Handle {
  const endpoint = (options.endpoint ?? "").replace(/\/+$/, "");
  const aborter = new AbortController();
  /** One that is sent, or several of which none is. */
  let forms: readonly HTMLFormElement[] = [];
  let bindings: readonly Binding[] = [];

  function bind(event?: unknown): void {
    if (forms.length === 1 && forms.some((form) => unclobbered(form).isConnected)) return;
    const found = findForms(formId, options.form);
    // Said once, when the page is complete; the form may still be added later.
    if (!found[0] && event instanceof Event) console.error(`Sealpost: no form for ${formId}`);
    if (!found[0] || (found.length === forms.length && found.every((form) => forms.includes(form)))) return;
    unbind();
    forms = found;
    if (!found[1]) Reflect.set(found[0], boundMark, formId);
    bindings = found.map((form) =>
      bindForm(
        // bindForm finds a malformed id and then refuses to send.
        {
          form,
          formId: formId as `form_${string}`,
          endpoint,
          scriptFolder: scriptFolder ?? `${endpoint}/embed/`,
          showMessages,
        },
        found[1] ? { ...options, ...ambiguity } : options,
      ),
    );
  }

  function unbind(): void {
    for (const binding of bindings) binding.destroy();
    // While there are several the mark, if there is one, is another copy's.
    if (forms.length === 1) for (const form of forms) Reflect.deleteProperty(form, boundMark);
    forms = bindings = [];
  }

  const observer = new MutationObserver(bind);
  observer.observe(page().documentElement, {
    childList: true,
    subtree: true,
    attributeFilter: ["data-sealpost", "data-sealpost-state"],
  });
  page().addEventListener("DOMContentLoaded", bind, aborter);
  bind();

  return {
    submit: async (submitter) => bindings[0]?.submit(submitter) ?? { sent: false, code: "cancelled" },
    destroy() {
      observer.disconnect();
      aborter.abort();
      unbind();
    },
  };
}

/** The form that is meant; or, when that is not clear, all that may be. */
function findForms(formId: string, wanted: Options["form"]): readonly HTMLFormElement[] {
  const isFree = (form: HTMLFormElement) => !Reflect.has(form, boundMark);
  if (wanted && typeof wanted === "object") return [wanted].filter(isFree);
  const forms = Array.from(page().forms);
  const attributeOf = (form: HTMLFormElement, name: string) => unclobbered(form).getAttribute(name);
  const markOf = (form: HTMLFormElement) => Reflect.get(form, boundMark) ?? attributeOf(form, "data-sealpost");
  const marked = forms.filter((form) => (wanted ? unclobbered(form).matches(wanted) : markOf(form) === formId));
  if (wanted || marked[0] || page().readyState === "loading") return marked.filter(isFree).slice(0, 1);
  // The page's one form is meant, whatever it says. Of several, one that says that it is for nobody else. A guess among
  // them could send one form's answers to another; left alone, the browser would put them into the page's address.
  const unmarked = forms.filter((form) => markOf(form) === null);
  return unmarked[1] ? unmarked.filter((form) => /^(#|$)/.test(attributeOf(form, "action") ?? "")) : unmarked;
}
