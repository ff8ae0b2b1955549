import { type Binding, bindForm, type Outcome } from "./binding.ts";
import type { Options } from "./options.ts";
import { attributeOf, documentMember, findAll, isConnected, listen } from "./page.ts";

/** What `init` gives: usable at once, even before the form is part of the page. */
export interface Handle extends Binding {}

/** Shared by all copies of this script on a page, so that no form is ever bound, and sent, twice. */
const boundMark = Symbol.for("sealpost.bound");

/**
 * Binds the form `formId` of the service to a form of the page: `options.form`, else the one with
 * `data-sealpost="{formId}"`, else the only form of the page. Waits for it if it is not there yet, and takes over when the
 * page replaces it. Never throws: a fault in the options is logged, and the form refuses to send.
 */
export function init(formId: string, options: Options = {}): Handle {
  return initFrom(formId, options, undefined);
}

/** `init` for a script that knows where it was loaded from. */
export function initFrom(formId: string, options: Options, scriptFolder: string | undefined): Handle {
  const aborter = new AbortController();
  let form: HTMLFormElement | undefined;
  let binding: Binding | undefined;
  let complained = false;

  function bind(): void {
    if (form && isConnected(form)) return;
    const found = findForm(formId, options.form);
    if (found === "ambiguous") {
      if (!complained) console.error(`Sealpost: several forms, none has data-sealpost=${formId}`);
      complained = true;
    } else if (found) {
      unbind();
      form = found;
      Reflect.set(form, boundMark, true);
      const endpoint = (options.endpoint ?? "").replace(/\/+$/, "");
      binding = bindForm(
        // A malformed id is a fault that bindForm finds and refuses to send with.
        { form, formId: formId as `form_${string}`, endpoint, scriptFolder: scriptFolder ?? `${endpoint}/embed` },
        options,
      );
    }
  }

  function unbind(): void {
    binding?.destroy();
    if (form) Reflect.deleteProperty(form, boundMark);
    binding = form = undefined;
  }

  const observer = new MutationObserver(bind);
  observer.observe(documentMember("documentElement"), { childList: true, subtree: true });
  listen(document, "DOMContentLoaded", bind, aborter.signal);
  bind();

  return {
    submit: async (submitter): Promise<Outcome> =>
      binding?.submit(submitter) ?? { sent: false, formId, code: "misconfigured", message: "" },
    destroy() {
      observer.disconnect();
      aborter.abort();
      unbind();
    },
  };
}

function findForm(formId: string, wanted: Options["form"]): HTMLFormElement | "ambiguous" | undefined {
  if (wanted instanceof HTMLFormElement) return wanted;
  if (typeof wanted === "string") return freeForms(wanted)[0];
  const marked = freeForms("form[data-sealpost]").find((form) => attributeOf(form, "data-sealpost") === formId);
  if (marked || documentMember("readyState") === "loading") return marked;
  // The only form may be meant without saying so; a guess among several could send one form's answers to another.
  const forms = freeForms("form:not([data-sealpost])");
  return forms.length > 1 ? "ambiguous" : forms[0];
}

function freeForms(selector: string): HTMLFormElement[] {
  return findAll(selector).filter(
    (element): element is HTMLFormElement => element instanceof HTMLFormElement && !Reflect.has(element, boundMark),
  );
}
