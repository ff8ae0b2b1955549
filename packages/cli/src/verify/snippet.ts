import { readTags } from "./markup.ts";

/** A script element that loads the embed. */
export interface EmbedTag {
  readonly src: string;
  readonly integrity: string | undefined;
}

/** A form that a page hands to the embed. */
export interface EmbeddedForm {
  readonly id: string;
  /** The fingerprints that it pins; `undefined` where it pins none. */
  readonly pins: readonly string[] | undefined;
  /** False where the page itself says that it is not sealed. */
  readonly isSealed: boolean;
  /** The service, where the page names another than that of the script. */
  readonly endpoint: string | undefined;
}

export interface Snippet {
  readonly scripts: readonly EmbedTag[];
  readonly forms: readonly EmbeddedForm[];
}

const call = /Sealpost\s*\.\s*init\s*\(\s*["'`](form_[0-9a-z]{26})["'`]/g;

/** Reads what a page embeds: the script, and each form with its options, in a call or in data attributes of the script. */
export function readSnippet(html: string): Snippet {
  const scripts: EmbedTag[] = [];
  const forms: EmbeddedForm[] = [];
  for (const { attributes, text } of readTags(html, ["script"])) {
    const src = attributes.get("src");
    if (src !== undefined && isEmbed(src)) {
      scripts.push({ src, integrity: attributes.get("integrity") });
      const id = attributes.get("data-sealpost");
      if (id !== undefined)
        forms.push(readForm(id, attributes.get("data-sealpost-options")?.slice(0, optionsMax) ?? ""));
    } else if (src === undefined) forms.push(...readCalls(text));
  }
  return { scripts: scripts.slice(0, manyMax), forms: forms.slice(0, manyMax) };
}

function isEmbed(src: string): boolean {
  return /(^|\/)sealpost(-\d[\w.-]*)?\.js$/.test(src.replace(/[?#].*$/s, ""));
}

function readCalls(script: string): readonly EmbeddedForm[] {
  const calls = [...script.matchAll(call)].slice(0, manyMax);
  return calls.map((match, index) =>
    // The options of a call end where the next one begins, at the latest.
    readForm(match[1] ?? "", script.slice(match.index, calls[index + 1]?.index).slice(0, optionsMax)),
  );
}

/** Of what strangers could put into a page, no more is read. */
const optionsMax = 5000;
const manyMax = 50;

/** Reads options as people write them, as JSON or as an object of JavaScript. */
function readForm(id: string, options: string): EmbeddedForm {
  const pins = readPins(options);
  return {
    id,
    pins,
    isSealed: !/\bencryption["'`]?\s*:\s*(false|!1)\b/.test(options),
    endpoint: /\bendpoint["'`]?\s*:\s*["'`](https?:[^"'`]*)/.exec(options)?.[1],
  };
}

/** The fingerprints in a string, or in the strings of a list; `undefined` where nothing is pinned. */
function readPins(options: string): readonly string[] | undefined {
  const found = /\bkeyFingerprint["'`]?\s*:\s*(["'`[])/.exec(options);
  if (found === null) return undefined;
  const start = found.index + found[0].length;
  const mark = found[1] ?? "";
  const end = options.indexOf(mark === "[" ? "]" : mark, start);
  return options.slice(start, end === -1 ? start : end).match(/[\w-]{43}/g) ?? [];
}
