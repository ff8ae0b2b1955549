import { type Binding, bindForm } from "./binding.ts";
import { isOwnAddress } from "./decision.ts";
import type { Options } from "./options.ts";
import { ownMembers } from "./own-members.ts";
import { listen, page, unclobbered } from "./page.ts";
import { attributesOf, catching, checkListening, refuse, replaced } from "./refuse.ts";
import { checkReplaced } from "./self-test.ts";

/** The result of `init`: usable at once, even before the form is part of the page. */
export type Handle = Pick<Binding, "submit" | "destroy">;

/** Shared by all copies of this script on a page, so that no form is ever bound, and sent, twice. Holds the id it is bound to. */
const boundMark = Symbol.for("sealpost.bound");
type Marked = HTMLFormElement & { [boundMark]?: string };

/** No option is called so: forms bound with it refuse to send, and the console says why. */
const ambiguity = { "form: several": 1 };

/** For the page's author, who sees it at the first look, and the visitor before anything is typed. */
const unprotected = "Not protected: mark this form with data-sealpost.";

/**
 * Binds the form `formId` of the service to forms of the page: `options.form`, else those with `data-sealpost="{formId}"`, else the only
 * form of the page that is for nobody else. Waits for it if it is not there yet, and takes over when the page replaces or copies it. While
 * several could be meant, all of these refuse to send. An error in the options does not throw: it is logged, and the form refuses to send.
 */
export function init(formId: string, options?: Options): Handle {
  return initFrom(formId, options, undefined);
}

/** `init` for a script that knows where it was loaded from, or whose caller shows messages itself, if the page has no slots. */
export function initFrom(...parameters: Parameters<typeof start>): Handle {
  try {
    return start(...parameters);
  } catch (reason) {
    refuse(reason);
    throw reason;
  }
}

function start(
  formId: string,
  wishes: Options | undefined,
  scriptFolder: string | undefined,
  showMessages = true,
  origin = "",
): Handle {
  const options: Options = ownMembers({ ...wishes });
  const endpoint = (options.endpoint ?? origin).replace(/\/+$/, "");
  const aborter = new AbortController();
  const snippet = page().currentScript;
  /** In a list: pages have a `Map` of their own, such as the one of a map. */
  let bindings: (Binding & { readonly form: HTMLFormElement })[] = [];
  const isBound = (form: HTMLFormElement) => bindings.some((binding) => binding.form === form);
  let isAmbiguous = false;
  let notice: HTMLElement | undefined;

  function bind(event?: Event | false): void {
    for (const binding of bindings) binding.hold();
    if (event !== false) checkListening();
    const isFree = (form: HTMLFormElement) => isBound(form) || !(boundMark in form);
    const own = isAmbiguous ? [] : bindings.map(({ form }) => form);
    const { forms, isClear, left } = findForms(formId, options.form, own, isFree);
    if (!forms.length) {
      // Said once, when the page is complete; the form may still be added later.
      if (event) console.error(`Sealpost: no form for ${formId}`);
      // Once: by what the page has replaced, forms may only not be found.
      if (event !== false && !bindings.length) checkReplaced();
      if (left && !bindings.length && page().readyState !== "loading") showNotice();
      return;
    }
    notice?.remove();
    for (const { form } of bindings) if (isAmbiguous === isClear || !forms.includes(form)) unbind(form);
    isAmbiguous = !isClear;
    for (const form of forms) {
      if (isBound(form)) continue;
      if (isClear) (form as Marked)[boundMark] = formId;
      const target = {
        form,
        formId: formId as `form_${string}`, // bindForm finds a malformed id and then refuses to send
        endpoint,
        scriptFolder: scriptFolder ?? `${endpoint}/embed/`,
        showMessages,
      };
      const binding = bindForm(target, ownMembers({ ...options, ...(!isClear && ambiguity) }), isClear);
      bindings.push({ ...binding, form });
    }
    if (!bindings.length) throw replaced;
  }

  function unbind(form: HTMLFormElement): void {
    bindings = bindings.filter((binding) => binding.form !== form || binding.destroy());
    // While there are several the mark, if there is one, is another copy's.
    if (!isAmbiguous) delete (form as Marked)[boundMark];
  }

  /** Where the snippet is: the form that was meant may be anywhere. */
  function showNotice(): void {
    if (notice) return;
    notice = Object.assign(page().createElement("p"), { lang: "en", textContent: unprotected });
    if (snippet?.matches("body *")) snippet.after(notice);
    else page().body.append(notice);
  }

  const bindAll = catching(bind, refuse);
  const observer = new MutationObserver(() => {
    bindAll(false);
    // Nothing that was just done here is heard of: by what the page has replaced, it may be done again each time, without end.
    observer.takeRecords();
  });
  observer.observe(
    page().documentElement,
    ownMembers({
      childList: true,
      subtree: true,
      attributeFilter: ["data-sealpost", "data-sealpost-state", "method"],
    }),
  );
  listen(document, "DOMContentLoaded", bindAll, aborter);
  bindAll(undefined);

  return {
    async submit(submitter) {
      for (const binding of bindings) return binding.submit(submitter);
      return { sent: false, code: "cancelled" };
    },
    destroy() {
      observer.disconnect();
      aborter.abort();
      notice?.remove();
      for (const { form } of bindings) unbind(form);
    },
  };
}

interface Found {
  /** Those that are meant; or, when that is not clear, all that may be. */
  readonly forms: readonly HTMLFormElement[];
  readonly isClear: boolean;
  /** Whether there is a form that is somebody else's by its looks, and may be meant all the same. */
  readonly left: boolean;
}

/** `own`: those that are bound already. */
function findForms(
  formId: string,
  wanted: Options["form"],
  own: readonly HTMLFormElement[],
  isFree: (form: HTMLFormElement) => boolean,
): Found {
  const all = [...page().forms];
  const markOf = (form: HTMLFormElement): unknown =>
    (form as Marked)[boundMark] ?? attributesOf(unclobbered(form))["data-sealpost"];
  const connected = own.filter((form) => unclobbered(form).isConnected);
  let named = connected;
  if (wanted && typeof wanted === "object") named = [wanted];
  else if (wanted && !connected.length) named = all.filter((form) => unclobbered(form).matches(wanted)).slice(0, 1);
  // A clone of a form that is bound has its mark.
  const marked = wanted && !own.length ? [] : all.filter((form) => markOf(form) === formId);
  const clear = [...named, ...marked]; // one that is in both is bound once all the same
  if (wanted || clear.length || page().readyState === "loading") {
    const hidden = wanted || !clear.length ? [] : findHidden(all, clear, markOf);
    return { forms: [...clear, ...hidden].filter(isFree), isClear: !hidden.length, left: false };
  }
  // The page's one form is meant. Of several, one that does not say that it is for somebody else. A guess among
  // them could send one form's answers to another; left alone, the browser would put them into the page's address.
  const unmarked = all.filter((form) => markOf(form) === undefined);
  let left = false;
  const forms = unmarked.filter((form) => {
    if (!isOwnAddress(attributesOf(unclobbered(form)).action)) return true;
    const isPosted = unclobbered(form).method === "post";
    left ||= isPosted;
    return !isPosted && unmarked.length < 2;
  });
  return { forms: forms.filter(isFree), isClear: forms.length < 2, left };
}

/**
 * Forms that may be meant in place of marked ones that nobody can see: a form with the snippet's id that was put into the page would take
 * the binding, and the page's own would do nothing, in silence.
 */
function findHidden(
  all: readonly HTMLFormElement[],
  marked: readonly HTMLFormElement[],
  markOf: (form: HTMLFormElement) => unknown,
): readonly HTMLFormElement[] {
  const isSeen = (form: HTMLFormElement) => unclobbered(form).getClientRects().length > 0;
  if (marked.some((form) => boundMark in form || isSeen(form))) return [];
  const isWaiting = (form: HTMLFormElement) =>
    markOf(form) === undefined && isSeen(form) && unclobbered(form).matches('[method="dialog"]:not(dialog *)');
  return all.filter(isWaiting);
}
