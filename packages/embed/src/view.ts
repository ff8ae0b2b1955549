import { keyLogMessages as englishKeyLogMessages, messages as englishMessages } from "@sealpost/texts/embed";
import { createSubmissionId, type Fields } from "@sealpost/wire";
import type { ErrorCode, MessageName, Messages } from "./messages.ts";
import type { Options, SuccessDetail } from "./options.ts";
import { ownMembers } from "./own-members.ts";
import { type Control, controlsOf, isPartOf, listen, nameOfControl, page } from "./page.ts";
import { listStripped } from "./privacy.ts";
import type { Target } from "./target.ts";
import { nextTask } from "./time-slices.ts";

/**
 * On everything that was changed for a message: a copy of the page (Turbo's snapshots, `innerHTML`) has it too, and is cleaned by it.
 * `text` and `shown`: a slot that was filled, or whose own text was shown. `disabled`: a button. `own`: an element of ours.
 */
const changeMark = "data-sealpost-changed";

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
  failed(code: ErrorCode, seconds: number | undefined, control: Control | undefined, field: string | undefined): string;
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
  { form: target, formId, showMessages }: Target,
  overrides: Options["messages"],
  aborter: AbortController,
): View {
  const ownTexts: Readonly<Record<string, string>> = ownMembers({ ...overrides });
  const messages: Messages & Readonly<Record<string, string>> = ownMembers({
    ...englishMessages,
    ...(SEALPOST_KEY_LOG ? englishKeyLogMessages : ({} as typeof englishKeyLogMessages)), // codes that only key-log.ts gives
    ...ownTexts,
  });
  cleanCopy(form, formId);
  const own = page().createElement("div");
  own.setAttribute(changeMark, "own");
  if (showMessages) form.after(own);
  const alert = findRegion("error", "alert");
  const status = findRegion("success", "status");
  // If it does not fit after the message: the page offers a place for it, or says "thank you" in words of its own.
  const notice =
    slotsOf(form, formId, "stripped").length || status.textContent?.trim()
      ? findRegion("stripped", "status")
      : undefined;
  const hasOwnNotice = !!notice?.textContent?.trim();
  const disabled: Control[] = [];
  let focused: HTMLElement | null = null;
  let shown = status;
  let isFilled = false;
  let sentUntil = 0;
  let sending: ReturnType<typeof setTimeout> | undefined;
  let copy: HTMLAnchorElement | undefined;
  let fieldSlots: Record<string, HTMLElement> | undefined;
  let hasFocus = false;

  for (const element of slotsOf(form, formId, "unavailable")) element.hidden = true;
  // A page may deliver its button disabled, so that nothing can be sent before this script is there.
  for (const button of buttonsOf(form)) if (button.hasAttribute("data-sealpost-submit")) button.disabled = false;
  setState("idle");

  function setState(state: string): void {
    form.setAttribute("data-sealpost-state", state);
  }

  /** A role that speaks for itself: `alert` is assertive, `status` polite. */
  function findRegion(slot: string, role: string): HTMLElement {
    const element = slotsOf(form, formId, slot).at(0) ?? own.appendChild(page().createElement("div"));
    element.setAttribute("role", role);
    return element;
  }

  /** A slot's own text stays: then all we do is to show it, once the outcome is known. */
  function say(
    element: HTMLElement,
    name: MessageName,
    message: string,
    isOutcome = true,
    submitter?: Control | null,
  ): void {
    clear();
    shown = element;
    isFilled = !element.textContent?.trim();
    if (isFilled) write(element, message, name);
    else if (isOutcome) element.setAttribute(changeMark, "shown");
    element.hidden = !isFilled && !isOutcome;
    // A retry without a press takes nobody away from what they read.
    if (isOutcome || submitter) reveal(element);
  }

  /** Text of ours is English, whatever the page is; the page's own, and the browser's, which have no `name`, are not. */
  function write(element: HTMLElement, message: string, name: string): void {
    element.textContent = message;
    element.setAttribute(changeMark, "text");
    if (name && !(name in ownTexts)) {
      element.lang = "en";
      element.dir = "ltr";
    } else if (element.dir && element.lang === "en") element.lang = element.dir = "";
  }

  /** Brings the answer to what the visitor did before their eyes and under their fingers, where it is out of sight. */
  function reveal(element: HTMLElement): void {
    const active = page().activeElement;
    // Somebody who is busy elsewhere by then is left alone.
    if (active && active !== page().body && !isPartOf(target, active)) return;
    const { bottom, top } = element.getBoundingClientRect();
    if (top >= 0 && bottom <= innerHeight) return;
    element.tabIndex = -1;
    // Which scrolls to it at once; by an animation, which some visitors do not bear, only if the page's own styles ask for one.
    element.focus();
    focused = null;
  }

  function clear(): void {
    clearTimeout(sending);
    if (copy) {
      copy.remove();
      URL.revokeObjectURL(copy.href);
    }
    if (isFilled) write(shown, "", "");
    // A region that is empty stays: screen readers announce what comes into one that is there.
    else if (shown.textContent?.trim()) shown.hidden = true;
    shown.removeAttribute(changeMark);
    announce("");
  }

  function announce(message: string): void {
    if (!notice) return;
    if (hasOwnNotice) notice.hidden = !message;
    else write(notice, message, "stripped");
  }

  function release(): void {
    for (const button of disabled.splice(0)) enable(button);
    // Disabling the button in use took the focus away from keyboard users.
    if (page().activeElement === page().body) focused?.focus();
    focused = null;
  }

  /** By its name, in the form; looked for once for all fields that are invalid together. */
  function fieldSlot(control: Control): HTMLElement | undefined {
    if (!fieldSlots) {
      fieldSlots = ownMembers<Record<string, HTMLElement>>({});
      for (const slot of form.querySelectorAll<HTMLElement>("[data-sealpost-error]"))
        fieldSlots[slot.getAttribute("data-sealpost-error") as string] ??= slot; // they were found by it
      nextTask().then(() => {
        fieldSlots = undefined;
        hasFocus = false;
      });
    }
    const name = nameOfControl(control);
    return name ? fieldSlots[name] : undefined;
  }

  function markInvalid(control: Control, message: string, name: string): void {
    control.setAttribute("aria-invalid", "true");
    const slot = fieldSlot(control);
    if (!slot) return;
    write(slot, message, name);
    slot.id ||= createSubmissionId(0); // of the names at random here
    // After what the author describes the field by.
    const described = control.getAttribute("aria-describedby") ?? "";
    if (!described.includes(slot.id)) control.setAttribute("aria-describedby", `${described} ${slot.id}`.trim());
  }

  function clearInvalid(control: Control): void {
    if (!control.hasAttribute("aria-invalid")) return;
    control.removeAttribute("aria-invalid");
    const slot = fieldSlot(control);
    if (slot) write(slot, "", "");
  }

  function updateValidity(event: Event): void {
    const control = event.target as Control; // or an editor inside the form, which is never invalid
    if (!isPartOf(target, control)) return;
    if (event.type === "input") {
      sentUntil = 0;
      clearInvalid(control);
    }
    // The second half of a double click found the form emptied: nothing is wrong with what was sent.
    else if (performance.now() < sentUntil) event.preventDefault();
    else {
      const isFirst = !hasFocus;
      // The browser's own words are in the browser's language.
      markInvalid(control, control.validationMessage, "");
      if (!fieldSlot(control)) return;
      // The page shows the message itself. The browser's bubble would say it again; but it also moves the focus, so we must.
      event.preventDefault();
      hasFocus = true;
      if (isFirst) control.focus();
    }
  }

  // On the document, because a control may be outside of the form that its form attribute names.
  for (const type of ["invalid", "input"]) listen(document, type, updateValidity, aborter, { capture: true });

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
        button.setAttribute(changeMark, "disabled");
        disabled.push(button);
      }
      setState("sending");
      // Not before the second tap: the message moves what is under it.
      sending = setTimeout(say, doubleClickMilliseconds / 2, status, "sending", messages.sending, false, submitter);
    },
    showSent(message, stripped) {
      const notification = stripped.length
        ? messages.stripped.replace("{fields}", () => listStripped(form, stripped, messages))
        : "";
      say(status, message, notice || !notification ? messages[message] : `${messages[message]} ${notification}`);
      announce(notification);
      setState("sent");
      sentUntil = performance.now() + doubleClickMilliseconds;
    },
    failed(code, seconds, control, field) {
      // Where there is nothing to put in, it says what it says on a page with a `replace` of its own too.
      const message =
        seconds || field
          ? messages[code]
              .replace("{field}", () => control?.labels?.[0]?.textContent?.trim() ?? field ?? "")
              .replace("{seconds}", `${seconds}`)
          : messages[code];
      if (control) {
        markInvalid(control, message, code);
        control.focus();
      }
      say(alert, code, message);
      setState(seconds ? "waiting" : "error");
      return message;
    },
    offer(fields) {
      copy = page().createElement("a");
      const lines = Object.entries(fields).map((entry) => `${entry.join(": ")}\n`);
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

/** Elements with `data-sealpost-{kind}`: inside the form (in JSX an attribute without a value is "true"), or anywhere with the form's id as value. */
function slotsOf(form: HTMLFormElement, formId: string, kind: string): HTMLElement[] {
  const attribute = `data-sealpost-${kind}`;
  return [
    ...form.querySelectorAll<HTMLElement>(`[${attribute}=""], [${attribute}=true]`),
    ...page().querySelectorAll<HTMLElement>(`[${attribute}="${CSS.escape(formId)}"]`),
  ];
}

/** Takes out of a copy of a form what was said in the form that it was copied from. */
function cleanCopy(form: HTMLFormElement, formId: string): void {
  const next = form.nextElementSibling;
  if (next?.getAttribute(changeMark) === "own") next.remove();
  const slots = ["success", "error", "stripped"].flatMap((kind) => slotsOf(form, formId, kind));
  for (const element of [...form.querySelectorAll<HTMLElement>(`[${changeMark}]`), ...slots]) {
    const change = element.getAttribute(changeMark);
    if (change === "text") element.textContent = "";
    else if (change === "shown") element.hidden = true;
    else if (change === "disabled") enable(element as Control); // set on buttons alone
    element.removeAttribute(changeMark);
  }
}

function enable(button: Control): void {
  button.disabled = false;
  button.removeAttribute(changeMark);
}

function buttonsOf(form: HTMLFormElement): Control[] {
  return controlsOf(form).filter(
    (control) => control.type === "submit" || control.hasAttribute("data-sealpost-submit"),
  );
}
