import { messages } from "@sealpost/texts/embed";
import { isOwnAddress } from "./decision.ts";

/** The reason for the page's author, in the console: it has replaced functions of the browser. */
export const replaced = "Sealpost: wrong page";

/**
 * For pages that have replaced what the embed is made of: no browser sends a form that could be meant, and anyone who presses its button reads
 * so. Asks for little that a page replaces. Without a reason: until `Sealpost` is there.
 */
export function refuse(reason?: unknown): void {
  for (let index = document.forms.length; index--; ) hold(document.forms[index] as HTMLFormElement); // below its length
  const listener = ({ target }: Event) => {
    // Nothing but forms is submitted.
    if ((reason || !("Sealpost" in window)) && hold(target as HTMLFormElement)) complain(reason);
  };
  catching(() => addEventListener("submit", listener, true), complain)(0);
}

/** Where there is no place for a message, or none is known to be. */
export function complain(reason: unknown): void {
  alert(messages.misconfigured);
  console.error(reason);
}

/** Complains where listeners are taken, and nothing hears: no press would be. */
export function checkListening(): void {
  let isHeard: boolean | undefined;
  addEventListener("sealpost", () => {
    isHeard = true;
  });
  dispatchEvent(new CustomEvent("sealpost"));
  if (!isHeard) complain(replaced);
}

/** `work`, with what it throws going to `caught`. */
export function catching<Value>(
  work: (value: Value) => unknown,
  caught: (reason: unknown) => void,
): (value: Value) => void {
  return (value) => {
    try {
      work(value);
    } catch (reason) {
      caught(reason);
    }
  };
}

/**
 * An element's attributes by name, without a function that a page could have replaced. By number: for a name, the browser gives what a
 * link has put into `Object.prototype` before what the element has.
 */
export function attributesOf({ attributes }: Element): Readonly<Record<string, string | undefined>> {
  const found = { __proto__: null } as unknown as Record<string, string>; // the syntax for an object without a prototype
  for (let index = attributes.length; index--; ) {
    const { name, value } = attributes[index] as Attr; // below their length
    found[name] = value;
  }
  return found;
}

/** Whether a form could be meant; then no browser sends it. */
function hold(form: HTMLFormElement): unknown {
  const attributes = attributesOf(form);
  const isMeant = "data-sealpost" in attributes || (form.method !== "post" && !isOwnAddress(attributes.action));
  // Only where it says something else: the observer of init.ts hears of each time.
  if (isMeant && form.method !== "dialog") form.method = "dialog";
  return isMeant;
}
