import { chooseLanguage, languages } from "@sealpost/texts";
import { setFormats } from "./format.ts";
import { text } from "./text.ts";

const { tag, direction, load } = chooseLanguage(navigator.languages, languages);

/**
 * The texts of the pages that are loaded first, in the reader's language; no other language is loaded. The app is imported once
 * they are here: its modules take texts out of `text` when they are evaluated.
 */
export async function loadFirstTexts(): Promise<void> {
  const { formats, ...first } = await load.dashboardFirst();
  setFormats(formats);
  Object.assign(text, first);
  Object.assign(document.documentElement, { lang: tag, dir: direction });
}

let later: Promise<void> | undefined;

/** All other texts. What shows them is imported once they are here, by `loading`. */
export function loadLaterTexts(): Promise<void> {
  later ??= load.dashboardLater().then(
    (texts) => void Object.assign(text, texts),
    (error: unknown) => {
      later = undefined;
      throw error;
    },
  );
  return later;
}
