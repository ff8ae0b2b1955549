import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { parseOptions, type ReadOptions } from "./embed-options.ts";
import { readMarkup, type Tag } from "./markup.ts";
import { type EmbedCall, readCalls } from "./script-calls.ts";

/** A script element that loads the embed. */
export interface EmbedTag {
  readonly src: string;
  readonly integrity: string | undefined;
  readonly isAnonymous: boolean;
}

/** A form that a page hands to the embed. */
export interface EmbeddedForm extends ReadOptions {
  readonly id: string;
}

export interface Snippet {
  readonly scripts: readonly EmbedTag[];
  readonly forms: readonly EmbeddedForm[];
  /** The address that relative ones are relative to, where the page names one. */
  readonly base: string | undefined;
  /** The page's other scripts, which could do anything: addresses, and hashes of what is in the page. */
  readonly others: readonly string[];
  /** Why it can't be said what the page does. */
  readonly unclear: readonly string[];
}

const manyMax = 50;
const optionsMax = 5000;
const program = /^(|module|(text|application)\/(x-)?(java|ecma)script)$/i;

/** Reads what a page embeds: the script, and each form with its options, in a call or in data attributes of the script. */
export function readSnippet(html: string): Snippet {
  const { tags, isClear } = readMarkup(html);
  const scripts: EmbedTag[] = [];
  const others: string[] = [];
  const calls: EmbedCall[] = [];
  const unclear = new Set(
    isClear
      ? []
      : ["has a script inside SVG or MathML, or is nested more than 512 deep, which this command does not read"],
  );
  for (const { attributes, text } of tags.filter(isProgram)) {
    const src = attributes.get("src");
    if (src === undefined) {
      const script = readCalls(text, typeOf(attributes) === "module" ? "module" : "script");
      calls.push(...script.calls);
      if (!script.isClear)
        unclear.add(
          "has a script that names Sealpost in a way that can't be read; call Sealpost.init in a script of its own",
        );
      if (!script.isCallsAlone) others.push(`a script inside the page (${hash(text)})`);
    } else if (isEmbed(src)) {
      const id = attributes.get("data-sealpost");
      const json = attributes.get("data-sealpost-options") ?? "{}";
      scripts.push({ src, integrity: attributes.get("integrity"), isAnonymous: attributes.has("crossorigin") });
      if (id !== undefined) calls.push({ id, options: json.length > optionsMax ? undefined : parseOptions(json) });
    } else others.push(src.slice(0, 200));
  }
  // A snippet says the same twice: in the script's attributes, and in a call.
  const distinct = calls.filter((call, index) => calls.findIndex((other) => isDeepStrictEqual(other, call)) === index);
  for (const { id, options } of distinct)
    if (options === undefined)
      unclear.add(
        `has options for ${id} that can't be read; write keyFingerprint, keyLog, encryption and endpoint as plain strings and words`,
      );
  return {
    scripts: scripts.slice(0, manyMax),
    forms: distinct.flatMap(({ id, options }) => (options === undefined ? [] : [{ id, ...options }])).slice(0, manyMax),
    base: tags.find(({ name, attributes }) => name === "base" && attributes.has("href"))?.attributes.get("href"),
    others: [...new Set(others)].slice(0, manyMax),
    unclear: [...unclear].slice(0, manyMax),
  };
}

/** Others hold data, or are for browsers of long ago. */
function isProgram({ name, attributes }: Tag): boolean {
  return name === "script" && program.test(typeOf(attributes)) && !attributes.has("nomodule");
}

function typeOf(attributes: Tag["attributes"]): string {
  const language = attributes.get("language");
  return (attributes.get("type") ?? (language ? `text/${language}` : "")).trim().toLowerCase();
}

function isEmbed(src: string): boolean {
  return /(^|\/)sealpost(-key-log)?(-\d[\w.-]*)?\.js$/.test(withoutQuery(src));
}

/** Whether it is the embed for pages that pin a key log, of whatever version. */
export function isKeyLogEmbed(src: string): boolean {
  return /(^|\/)sealpost-key-log(-\d[\w.-]*)?\.js$/.test(withoutQuery(src));
}

function withoutQuery(src: string): string {
  return src.trim().replace(/[?#].*$/s, "");
}

function hash(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
