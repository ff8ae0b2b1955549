/** Attributes of a pressed button that say where the answers go. */
export interface PressedButton {
  readonly formmethod?: string | undefined;
  readonly formaction?: string | undefined;
}

/**
 * Without one the browser sends nothing, and may close the dialog around the form. `elsewhere`: the button names an address of its
 * own, where its author wants the answers. `collect`: the browser collects them for the form's own address, and so does the embed.
 */
export type Decision = undefined | "elsewhere" | "collect";

/**
 * What a browser does at the end of HTML's form submission algorithm (section 4.10.22.3), after every listener has run. What comes before
 * it, validation and the submit event, the browser has done itself. The form's own `method` does not count: for a form that is bound
 * it is always `dialog`. `isStopped`: a listener cancelled the submit event, which `form.submit()` does not have, or the form is no part of
 * the page any more, once all listeners have run. `button`: its own attributes, `null` where none was pressed.
 */
export function decide(isStopped: boolean, button: PressedButton | null): Decision {
  if (isStopped || button?.formmethod?.toLowerCase() === "dialog") return undefined;
  return isOwnAddress(button?.formaction) ? "elsewhere" : "collect";
}

/** Whether an `action` leads away from the page: `#`, nothing and no attribute do not. */
export function isOwnAddress(action: string | null | undefined): boolean {
  return !!action && action[0] !== "#"; // no pattern: pages have replaced what matches them
}
