import { type ErrorCode, englishMessages, type MessageName, type Messages } from "./messages.ts";
import { type Control, controlsOf, createAfter, documentMember, findAll, listen, setState } from "./page.ts";

export interface View {
  sending(submitter: Control | null): void;
  /** Buttons can be pressed again. */
  release(): void;
  idle(): void;
  sent(message: "sent" | "sent_before"): void;
  /** Shows the message and returns it. `waiting`: a next try is planned. */
  failed(code: ErrorCode, values: Readonly<Record<string, string>>, waiting: boolean): string;
  /** Marks a field as the one to look at, and goes there. */
  blame(control: Control, message: string): void;
  destroy(): void;
}

/**
 * What a visitor sees and hears. Text goes only into elements that the page offers for it (`data-sealpost-…`) and are
 * empty, or into two elements of our own after the form; as text nodes, never as markup.
 */
export function createView(
  form: HTMLFormElement,
  formId: string,
  overrides: Partial<Messages>,
  signal: AbortSignal,
): View {
  const messages: Messages = { ...englishMessages, ...overrides };
  const status = createAfter(form, "status");
  const alert = createAfter(form, "alert");
  status.setAttribute("aria-live", "polite");
  const success = createSlot(findSlot(form, formId, "success"), "status");
  const error = createSlot(findSlot(form, formId, "error"), "alert");
  const disabled = new Set<Control>();
  let focused: Element | null = null;
  let jumped = false;

  for (const element of slotsOf(form, formId, "unavailable")) element.hidden = true;
  // A page may deliver its button disabled, so that nothing can be sent before this script is there.
  for (const button of buttonsOf(form)) if (button.hasAttribute("data-sealpost-submit")) button.disabled = false;

  function clear(): void {
    for (const element of [status, alert]) element.textContent = "";
    for (const slot of [success, error]) slot?.hide();
  }

  function say(slot: Slot | undefined, fallback: HTMLElement, message: string): void {
    clear();
    if (slot === undefined) fallback.textContent = message;
    else slot.show(message);
  }

  function release(): void {
    for (const button of disabled) button.disabled = false;
    disabled.clear();
    // Disabling the button in use took the focus away from whoever works with the keyboard.
    const active = documentMember("activeElement");
    if (focused instanceof HTMLElement && (active === null || active === documentMember("body"))) focused.focus();
    focused = null;
  }

  function blame(control: Control, message: string): void {
    control.setAttribute("aria-invalid", "true");
    const slot = fieldSlot(form, control.name);
    if (slot === undefined) return;
    slot.textContent = message;
    slot.hidden = false;
    slot.id ||= `sealpost-${crypto.getRandomValues(new Uint32Array(1))}`;
    control.setAttribute("aria-describedby", `${withoutSlot(control, slot)} ${slot.id}`.trim());
  }

  function forgive(control: Control): void {
    if (control.getAttribute("aria-invalid") !== "true") return;
    control.removeAttribute("aria-invalid");
    const slot = fieldSlot(form, control.name);
    if (slot === undefined) return;
    slot.textContent = "";
    const description = withoutSlot(control, slot);
    if (description === "") control.removeAttribute("aria-describedby");
    else control.setAttribute("aria-describedby", description);
  }

  // On the document, because a control may be outside of the form that its form attribute names.
  listen(
    document,
    "invalid",
    (event) => {
      const control = ownControl(form, event);
      if (control === undefined) return;
      blame(control, control.validationMessage);
      if (fieldSlot(form, control.name) === undefined) return;
      // The page shows the message itself: the browser's bubble would say it twice, but it also moved the focus.
      event.preventDefault();
      if (!jumped) {
        jumped = true;
        setTimeout(() => {
          jumped = false;
        });
        control.focus();
      }
    },
    signal,
    true,
  );
  for (const type of ["input", "change"]) {
    listen(
      document,
      type,
      (event) => {
        const control = ownControl(form, event);
        if (control !== undefined) forgive(control);
      },
      signal,
      true,
    );
  }

  setState(form, "idle");
  return {
    sending(submitter) {
      clear();
      for (const control of controlsOf(form)) forgive(control);
      focused = documentMember("activeElement");
      for (const button of submitter === null ? buttonsOf(form) : [submitter, ...buttonsOf(form)]) {
        if (button.disabled) continue;
        button.disabled = true;
        disabled.add(button);
      }
      status.textContent = messages.sending;
      setState(form, "sending");
    },
    release,
    idle() {
      release();
      clear();
      setState(form, "idle");
    },
    sent(message) {
      say(success, status, messages[message]);
      setState(form, "sent");
    },
    failed(code, values, waiting) {
      const message = fill(messages, code, values);
      say(error, alert, message);
      setState(form, waiting ? "waiting" : "error");
      return message;
    },
    blame(control, message) {
      blame(control, message);
      control.focus();
    },
    destroy() {
      release();
      clear();
      status.remove();
      alert.remove();
      Element.prototype.removeAttribute.call(form, "data-sealpost-state");
    },
  };
}

interface Slot {
  show(message: string): void;
  hide(): void;
}

/** An element that the page offers. What the author wrote into it stays; then showing it is all we do. */
function createSlot(element: HTMLElement | undefined, role: "status" | "alert"): Slot | undefined {
  if (element === undefined) return undefined;
  const written = element.textContent?.trim() !== "";
  if (!element.hasAttribute("role")) element.setAttribute("role", role);
  if (role === "status" && !element.hasAttribute("aria-live")) element.setAttribute("aria-live", "polite");
  if (written) element.hidden = true;
  return {
    show(message) {
      element.hidden = false;
      if (!written) element.textContent = message;
    },
    hide() {
      if (written) element.hidden = true;
      else element.textContent = "";
    },
  };
}

/** Elements with `data-sealpost-{kind}`: inside the form, or anywhere with the form's id as value. */
function slotsOf(form: HTMLFormElement, formId: string, kind: string): HTMLElement[] {
  const attribute = `data-sealpost-${kind}`;
  return [
    ...findAll(`[${attribute}=""]`, form),
    ...findAll(`[${attribute}]`).filter((element) => element.getAttribute(attribute) === formId),
  ];
}

function findSlot(form: HTMLFormElement, formId: string, kind: string): HTMLElement | undefined {
  return slotsOf(form, formId, kind)[0];
}

function fieldSlot(form: HTMLFormElement, name: string): HTMLElement | undefined {
  return name === ""
    ? undefined
    : findAll("[data-sealpost-error]", form).find((element) => element.getAttribute("data-sealpost-error") === name);
}

function withoutSlot(control: Control, slot: HTMLElement): string {
  const ids = (control.getAttribute("aria-describedby") ?? "").split(/\s+/);
  return ids.filter((id) => id !== slot.id).join(" ");
}

function buttonsOf(form: HTMLFormElement): Control[] {
  return controlsOf(form).filter(
    (control) => control.type === "submit" || control.hasAttribute("data-sealpost-submit"),
  );
}

function ownControl(form: HTMLFormElement, event: Event): Control | undefined {
  return controlsOf(form).find((control) => control === event.target);
}

function fill(messages: Messages, name: MessageName, values: Readonly<Record<string, string>>): string {
  return messages[name].replace(/\{(\w+)\}/g, (placeholder, key: string) => values[key] ?? placeholder);
}
