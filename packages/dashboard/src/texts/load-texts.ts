import { chooseLanguage, languages } from "@sealpost/texts";
import { setErrorSentences } from "./error-sentence.ts";
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

/** All other texts; for errors the API's own sentences as well, whose gaps have values.  What shows them is imported once they are here, by `loading`. */
export function loadLaterTexts(): Promise<void> {
  later ??= Promise.all([load.dashboardLater(), load.errors(), languages[0].load.errors()]).then(
    ([texts, { errors, deliveryErrors }, { errors: ofApi }]) => {
      Object.assign(text, texts, { deliveryErrors });
      setErrorSentences(errors, ofApi);
    },
    (error: unknown) => {
      later = undefined;
      throw error;
    },
  );
  return later;
}
