import type { Fields } from "@sealpost/wire";
import { createLabelOf, nameOf } from "./collect.ts";
import { type ErrorCode, englishKeyLogMessages, englishMessages, type Messages } from "./messages.ts";
import type { Options, SuccessDetail } from "./options.ts";
import { type Control, controlsOf, page } from "./page.ts";
import { nameType } from "./privacy.ts";
import type { Target } from "./submission.ts";

/** The second click of a double click must not send an emptied form, even if the service was faster than the visitor. */
export const doubleClickMilliseconds = 1000;

export interface View {
  showSending(submitter: Control | null): void;
  /** Lets buttons be pressed again. */
  release(): void;
  idle(): void;
  /** `stripped`: what was removed before sending, to tell the visitor. */
  showSent(message: "sent" | "sent_before", stripped: SuccessDetail["stripped"]): void;
  /** Shows the message and returns it. `seconds`: when the next try is planned. `control`: the invalid one. */
  failed(code: ErrorCode, seconds: number | undefined, control: Control | undefined): string;
  /** Offers what was typed as a file, until the next message. */
  offer(fields: Fields): void;
  restore(): void;
}

/**
 * What a visitor sees and hears. `form` is unclobbered. Text goes only into empty elements that the page offers for it (`data-sealpost-…`), or
 * into elements of our own after the form; as text nodes, never as markup.
 */
export function createView(
  form: HTMLFormElement,
  { formId, showMessages }: Target,
  overrides: Options["messages"],
  { signal }: AbortController,
): View {
  const messages: Messages & Readonly<Record<string, string>> = {
    ...englishMessages,
    ...(SEALPOST_KEY_LOG ? englishKeyLogMessages : ({} as typeof englishKeyLogMessages)), // codes that only key-log.ts gives
    ...overrides,
  };
  const own = page().createElement("div");
  if (showMessages) form.after(own);
  const alert = findRegion("error", "alert", "assertive");
  const status = findRegion("success", "status", "polite");
  // If it does not fit after the message: the page offers a place for it, or says "thank you" in words of its own.
  const notice =
    slotsOf(form, formId, "stripped")[0] || status.textContent?.trim()
      ? findRegion("stripped", "status", "polite")
      : undefined;
  const hasOwnNotice = !!notice?.textContent?.trim();
  const disabled: Control[] = [];
  let focused: HTMLElement | null = null;
  let shown = status;
  let isFilled = false;
  let sentUntil = 0;
  let copy: HTMLAnchorElement | undefined;

  for (const element of slotsOf(form, formId, "unavailable")) element.hidden = true;
  // A page may deliver its button disabled, so that nothing can be sent before this script is there.
  for (const button of buttonsOf(form)) if (button.hasAttribute("data-sealpost-submit")) button.disabled = false;
  setState("idle");

  function setState(state: string): void {
    form.setAttribute("data-sealpost-state", state);
  }

  function findRegion(slot: string, role: string, live: string): HTMLElement {
    const element = slotsOf(form, formId, slot)[0] ?? own.appendChild(page().createElement("div"));
    element.setAttribute("role", role);
    element.setAttribute("aria-live", live);
    return element;
  }

  /** A slot's own text stays: then all we do is to show it, once the outcome is known. */
  function say(element: HTMLElement, message: string, isOutcome = true): void {
    clear();
    shown = element;
    isFilled = !element.textContent?.trim();
    if (isFilled) element.textContent = message;
    element.hidden = !isFilled && !isOutcome;
  }

  function clear(): void {
    copy?.remove();
    if (isFilled) shown.textContent = "";
    else shown.hidden = true;
    announce("");
  }

  function announce(message: string): void {
    if (!notice) return;
    if (hasOwnNotice) notice.hidden = !message;
    else notice.textContent = message;
  }

  /** `Email (email address), Message (telephone number, IBAN)`; the page can name the types in its own words. */
  function listStripped(stripped: SuccessDetail["stripped"]): string {
    // The first of several with one name.
    const controls = new Map(
      controlsOf(form)
        .reverse()
        .map((control) => [nameOf(control.name), control]),
    );
    const labelOfOne = createLabelOf(form);
    return stripped
      .map(({ field, types }) => {
        const control = controls.get(field);
        const names = types.map((type) => messages[type] ?? nameType(form, type));
        return `${control ? labelOfOne(control) : field}${names[0] ? ` (${names.join(", ")})` : ""}`;
      })
      .join(", ");
  }

  function release(): void {
    for (const button of disabled.splice(0)) button.disabled = false;
    // Disabling the button in use took the focus away from keyboard users.
    if (page().activeElement === page().body) focused?.focus();
    focused = null;
  }

  function markInvalid(control: Control, message: string): void {
    control.setAttribute("aria-invalid", "true");
    const slot = fieldSlot(form, control);
    if (!slot) return;
    slot.textContent = message;
    slot.id ||= `s${Math.random()}`;
    // One that is there already is the author's, who can name the slot in it.
    if (!control.hasAttribute("aria-describedby")) control.setAttribute("aria-describedby", slot.id);
  }

  function clearInvalid(control: Control): void {
    if (!control.hasAttribute("aria-invalid")) return;
    control.removeAttribute("aria-invalid");
    const slot = fieldSlot(form, control);
    if (slot) slot.textContent = "";
  }

  function updateValidity(event: Event): void {
    const control = controlsOf(form).find((candidate) => candidate === event.target);
    if (!control) return;
    if (event.type === "input") clearInvalid(control);
    // The second half of a double click found the form emptied: nothing is wrong with what was sent.
    else if (performance.now() < sentUntil) event.preventDefault();
    else {
      markInvalid(control, control.validationMessage);
      if (!fieldSlot(form, control)) return;
      // The page shows the message itself. The browser's bubble would say it again; but it also moves the focus, so we must.
      event.preventDefault();
      if (controlsOf(form).find((candidate) => candidate.validity?.valid === false) === control) control.focus();
    }
  }

  // On the document, because a control may be outside of the form that its form attribute names.
  for (const type of ["input", "invalid"]) page().addEventListener(type, updateValidity, { signal, capture: true });

  function idle(): void {
    release();
    clear();
    setState("idle");
  }

  return {
    idle,
    release,
    showSending(submitter) {
      controlsOf(form).forEach(clearInvalid);
      focused = page().activeElement as HTMLElement | null; // all elements that can be active have focus()
      for (const button of [...buttonsOf(form), submitter]) {
        if (!button || button.disabled) continue;
        button.disabled = true;
        disabled.push(button);
      }
      say(status, messages.sending, false);
      setState("sending");
    },
    showSent(message, stripped) {
      const notification = stripped[0] ? messages.stripped.replace("{fields}", () => listStripped(stripped)) : "";
      say(status, notice || !notification ? messages[message] : `${messages[message]} ${notification}`);
      announce(notification);
      setState("sent");
      sentUntil = performance.now() + doubleClickMilliseconds;
    },
    failed(code, seconds, control) {
      const message = messages[code]
        .replace("{field}", () => (control ? createLabelOf(form)(control) : ""))
        .replace("{seconds}", `${seconds}`);
      say(alert, message);
      setState(seconds ? "waiting" : "error");
      if (control) {
        markInvalid(control, message);
        control.focus();
      }
      return message;
    },
    offer(fields) {
      copy = page().createElement("a");
      const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`);
      copy.href = URL.createObjectURL(new Blob(lines));
      copy.download = "answers.txt";
      copy.textContent = messages.save;
      own.append(copy);
    },
    restore() {
      idle();
      form.removeAttribute("data-sealpost-state");
      own.remove();
    },
  };
}

/** Elements with `data-sealpost-{kind}`: inside the form, or anywhere with the form's id as value. */
function slotsOf(form: HTMLFormElement, formId: string, kind: string): HTMLElement[] {
  const attribute = `data-sealpost-${kind}`;
  return [
    ...form.querySelectorAll<HTMLElement>(`[${attribute}=""]`),
    ...page().querySelectorAll<HTMLElement>(`[${attribute}="${CSS.escape(formId)}"]`),
  ];
}

function fieldSlot(form: HTMLFormElement, { name }: Control): HTMLElement | null {
  return form.querySelector(`[data-sealpost-error="${CSS.escape(name || "?")}"]`);
}

function buttonsOf(form: HTMLFormElement): Control[] {
  return controlsOf(form).filter(
    (control) => control.type === "submit" || control.hasAttribute("data-sealpost-submit"),
  );
}
