/** A submission that a browser is about to make of a form, as far as it decides whether and where anything goes. */
export interface Attempt {
  /** Whether a listener cancelled the submit event. `form.submit()` has none. */
  readonly isPrevented: boolean;
  /** Whether the form is still part of the page once all listeners have run. */
  readonly isConnected: boolean;
  /** The pressed button's own `formmethod` and `formaction`; `null` where it has none, `undefined` where no button was pressed. */
  readonly formMethod: string | null | undefined;
  readonly formAction: string | null | undefined;
}

/**
 * Without one the browser sends nothing, and may close the dialog around the form. `elsewhere`: the button names an address of its
 * own, where its author wants the answers. `collect`: the browser collects them for the form's own address, and so does the embed.
 */
export type Decision = undefined | "elsewhere" | "collect";

/**
 * What a browser does at the end of HTML's form submission algorithm (section 4.10.22.3), after every listener has run. What comes before
 * it, validation and the submit event, the browser has done itself. The form's own `method` does not count: for a form that is bound
 * it is always `dialog`.
 */
export function decide({ isPrevented, isConnected, formMethod, formAction }: Attempt): Decision {
  if (isPrevented || !isConnected || formMethod?.toLowerCase() === "dialog") return undefined;
  return isOwnAddress(formAction) ? "elsewhere" : "collect";
}

/** Whether an `action` leads away from the page: `#`, nothing and no attribute do not. */
export function isOwnAddress(action: string | null | undefined): boolean {
  return !!action && action[0] !== "#"; // no pattern: pages have replaced what matches them
}
