import { type CsvSeparator, csvSeparators } from "@sealpost/sdk/csv";

const storageKey = "sealpost-csv-separator";

/** This browser's choice, or what Excel expects where its language is spoken. */
export function findSeparator(): CsvSeparator {
  try {
    const kept = localStorage.getItem(storageKey) ?? "";
    if (isSeparator(kept)) return kept;
  } catch {
    // A browser that keeps nothing.
  }
  return separatorOf(navigator.language);
}

export function keepSeparator(separator: CsvSeparator): void {
  try {
    localStorage.setItem(storageKey, separator);
  } catch {
    // Then it holds for this dialog.
  }
}

/**
 * Excel splits at the system's list separator: a semicolon wherever the comma is needed for decimals, and in Switzerland
 * and Liechtenstein, which write a point. A comma for a language that `Intl` does not know as one: WebKitGTK in the locale
 * `C` says "C".
 */
export function separatorOf(language: string): CsvSeparator {
  const decimal =
    findFormat(language)
      ?.formatToParts(0.5)
      .find(({ type }) => type === "decimal")?.value ?? ".";
  return decimal === "." && !/-(?:CH|LI)\b/i.test(language) ? "comma" : "semicolon";
}

function findFormat(language: string): Intl.NumberFormat | undefined {
  try {
    return new Intl.NumberFormat(language);
  } catch {
    return undefined;
  }
}

function isSeparator(text: string): text is CsvSeparator {
  return Object.hasOwn(csvSeparators, text);
}
