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
/** Types of a script that browsers run: none, `module`, and the MIME types of JavaScript (WHATWG MIME Sniffing, section 4.6). */
const program = /^(|module|(text|application)\/(x-)?(java|ecma)script|text\/(javascript1\.[0-5]|jscript|livescript))$/;

/** Reads what a page embeds: the script, and each form with its options, in a call or in data attributes of the script. */
export function readSnippet(html: string): Snippet {
  const { tags, base, isClear } = readMarkup(html);
  const scripts: EmbedTag[] = [];
  const others: string[] = [];
  const calls: EmbedCall[] = [];
  const unclear = new Set(
    isClear
      ? []
      : ["has a script inside SVG or MathML, or is nested more than 512 deep, which this command does not read"],
  );
  if (tags.some(isRefresh)) unclear.add("sends visitors on to another address; give this command that one");
  // They change which scripts modules load.
  for (const { text } of tags.filter(isImportMap)) others.push(`an import map inside the page (${hash(text)})`);
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
  const isTooMany = [scripts, distinct, new Set(others), unclear].some(
    (list) => ("size" in list ? list.size : list.length) > manyMax,
  );
  if (isTooMany) unclear.add(`has more than ${manyMax} scripts or forms, of which this command names the first`);
  return {
    scripts: scripts.slice(0, manyMax),
    forms: distinct.flatMap(({ id, options }) => (options === undefined ? [] : [{ id, ...options }])).slice(0, manyMax),
    base,
    others: [...new Set(others)].slice(0, manyMax),
    unclear: [...unclear].slice(-manyMax),
  };
}

/** Others hold data, or are for browsers of long ago. */
function isProgram({ name, attributes }: Tag): boolean {
  const type = typeOf(attributes);
  return name === "script" && program.test(type) && (type === "module" || !attributes.has("nomodule"));
}

function isImportMap({ name, attributes }: Tag): boolean {
  return name === "script" && typeOf(attributes) === "importmap";
}

/** Not one that only loads the same page again. */
function isRefresh({ name, attributes }: Tag): boolean {
  const isMeant = name === "meta" && attributes.get("http-equiv")?.trim().toLowerCase() === "refresh";
  return isMeant && leadsOn(attributes.get("content") ?? "");
}

/** Whether the value of a refresh, of an element or a header, has an address. */
export function leadsOn(refresh: string): boolean {
  return /[^\s\d.;,]/.test(refresh);
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
