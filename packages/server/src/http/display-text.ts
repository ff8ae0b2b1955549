import { isInvisible } from "@sealpost/wire";

/**
 * Characters that are not seen where a name is shown, or that change the text around it: control characters, line separators, what
 * turns the direction of text, zero-width spaces, annotations. Joiners and variation selectors stay: emoji and Persian need them.
 */
const hidden = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\u200b\u2060-\u2064\ufeff\ufff9-\ufffb]/gu;

/**
 * Whether a text that somebody else will see as a name (of a person, an organization, a form, a key) is one line that shows what it is. Halves of
 * surrogate pairs would come out of the database as something else. Nothing visible at all is `isInvisible`.
 */
export function isDisplayable(text: string): boolean {
  return text.isWellFormed() && text.search(hidden) === -1;
}

/** A name that another program gave, as it may be shown; `undefined` if nothing of it is left. For people, who can type again, refuse it instead. */
export function toDisplayable(text: string): string | undefined {
  const shown = text
    .toWellFormed()
    .replaceAll(/[\s\p{Zl}\p{Zp}]+/gu, " ")
    .replaceAll(hidden, "")
    .trim();
  return isInvisible(shown) ? undefined : shown;
}
