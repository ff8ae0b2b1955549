import { type Binding, bindForm } from "./binding.ts";
import type { Options } from "./options.ts";
import { page, unclobbered } from "./page.ts";

/** What `init` gives: usable at once, even before the form is part of the page. */
export interface Handle extends Binding {}

/** Shared by all copies of this script on a page, so that no form is ever bound, and sent, twice. */
const boundMark = Symbol.for("sealpost.bound");

/**
 * Binds the form `formId` of the service to a form of the page: `options.form`, else the one with
 * `data-sealpost="{formId}"`, else the only form of the page. Waits for it if it is not there yet, and takes over when the
 * page replaces it. A fault in the options does not throw: it is logged, and the form refuses to send.
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
  let form: HTMLFormElement | undefined;
  let binding: Binding | undefined;

  function bind(event?: unknown): void {
    if (form && unclobbered(form).isConnected) return;
    const found = findForm(formId, options.form);
    if (!found) {
      // Said once, when the page is complete; the form may still be added later.
      if (event instanceof Event) console.error(`Sealpost: no form, or several, for ${formId}`);
      return;
    }
    unbind();
    form = found;
    Reflect.set(form, boundMark, true);
    binding = bindForm(
      // A malformed id is a fault that bindForm finds and refuses to send with.
      {
        form,
        formId: formId as `form_${string}`,
        endpoint,
        scriptFolder: scriptFolder ?? `${endpoint}/embed/`,
        showMessages,
      },
      options,
    );
  }

  function unbind(): void {
    binding?.destroy();
    if (form) Reflect.deleteProperty(form, boundMark);
    binding = form = undefined;
  }

  const observer = new MutationObserver(bind);
  observer.observe(page().documentElement, { childList: true, subtree: true });
  page().addEventListener("DOMContentLoaded", bind, aborter);
  bind();

  return {
    submit: async (submitter) => binding?.submit(submitter) ?? { sent: false, code: "cancelled" },
    destroy() {
      observer.disconnect();
      aborter.abort();
      unbind();
    },
  };
}

function findForm(formId: string, wanted: Options["form"]): HTMLFormElement | undefined {
  const forms = wanted instanceof HTMLFormElement ? [wanted] : Array.from(page().forms);
  const free = forms.filter((form) => !Reflect.has(form, boundMark));
  if (typeof wanted === "object") return free[0];
  if (wanted) return free.find((form) => unclobbered(form).matches(wanted));
  const marks = free.map((form) => unclobbered(form).getAttribute("data-sealpost"));
  if (page().readyState === "loading" || marks.includes(formId)) return free[marks.indexOf(formId)];
  // The only form may be meant without saying so; a guess among several could send one form's answers to another.
  const unmarked = free.filter((_, index) => marks[index] === null);
  return unmarked.length > 1 ? undefined : unmarked[0];
}
