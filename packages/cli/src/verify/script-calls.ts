import { parsePins, type ReadOptions } from "./embed-options.ts";
import { readTokens, type Token } from "./script-tokens.ts";

/** A call of the embed; its options are `undefined` where they are not a plain object. */
export interface EmbedCall {
  readonly id: string;
  readonly options: ReadOptions | undefined;
}

export interface ScriptCalls {
  readonly calls: readonly EmbedCall[];
  /** False where the script names the embed in a way that is no plain call. */
  readonly isClear: boolean;
  /** True if there is nothing in it but calls. */
  readonly isCallsAlone: boolean;
}

const noOptions: ReadOptions = { pins: undefined, keyLog: undefined, isSealed: true, endpoint: undefined };
const callsMax = 50;
/** Of what strangers could put into a page, no more is read. */
const tokensMax = 1000;
const sealings: Readonly<Record<string, boolean>> = { true: true, "!0": true, false: false, "!1": false };
const readNames = ["keyFingerprint", "encryption", "endpoint", "keyLog"];

/** The calls of `Sealpost.init` in a script. Not a parser of JavaScript: a script that names the embed must be plain. */
export function readCalls(script: string): ScriptCalls {
  const calls: EmbedCall[] = [];
  if (!script.includes("Sealpost")) return { calls, isClear: true, isCallsAlone: script.trim() === "" };
  const tokens = readTokens(script);
  if (tokens === undefined) return { calls, isClear: false, isCallsAlone: false };
  let isClear = true;
  let isCallsAlone = true;
  for (let at = 0; at < tokens.length && calls.length < callsMax; ) {
    const token = tokens[at];
    const call = is(token, "word", "Sealpost") ? readCall(tokens, at + 1) : undefined;
    if (call !== undefined) calls.push(call.call);
    else if (token?.text === "Sealpost") isClear = false;
    else if (token?.text !== ";") isCallsAlone = false;
    at = call?.end ?? at + 1;
  }
  return { calls, isClear, isCallsAlone: isCallsAlone && isClear };
}

interface Read<Value> {
  readonly end: number;
  readonly value: Value;
}

function readCall(
  tokens: readonly Token[],
  start: number,
): { readonly end: number; readonly call: EmbedCall } | undefined {
  const [dot, init, open, id] = tokens.slice(start, start + 4);
  if (!is(dot, "mark", ".") || !is(init, "word", "init") || !is(open, "mark", "(") || id?.kind !== "string")
    return undefined;
  if (!/^form_[0-9a-z]{26}$/.test(id.text)) return undefined;
  const after = tokens[start + 4];
  if (is(after, "mark", ")")) return { end: start + 5, call: { id: id.text, options: noOptions } };
  const object = is(after, "mark", ",") ? readObject(tokens, start + 5) : undefined;
  const close = object && (is(tokens[object.end], "mark", ",") ? object.end + 1 : object.end);
  const isRead = close !== undefined && is(tokens[close], "mark", ")");
  return { end: isRead ? close + 1 : start + 4, call: { id: id.text, options: isRead ? object?.value : undefined } };
}

/** Reads the options that decide where answers go; of the others, only where they end. */
function readObject(tokens: readonly Token[], start: number): Read<ReadOptions> | undefined {
  if (!is(tokens[start], "mark", "{")) return undefined;
  const members = new Map<string, readonly Token[]>();
  let at = start + 1;
  while (!is(tokens[at], "mark", "}")) {
    const key = tokens[at];
    const colon = tokens[at + 1];
    const end = findValueEnd(tokens, at + 1);
    if (key === undefined || key.kind === "mark" || end === undefined || members.has(key.text)) return undefined;
    if (!is(colon, "mark", ":") && (!is(colon, "mark", "(") || readNames.includes(key.text))) return undefined;
    members.set(key.text, tokens.slice(at + 2, end));
    at = is(tokens[end], "mark", ",") ? end + 1 : end;
  }
  const value = readMembers(members);
  return value && { end: at + 1, value };
}

/** The comma or the brace that ends the value. */
function findValueEnd(tokens: readonly Token[], start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < Math.min(tokens.length, start + tokensMax); at += 1) {
    const { kind, text } = tokens[at] ?? {};
    if (kind !== "mark" || text === undefined) continue;
    if (depth === 0 && (text === "," || text === "}")) return at;
    if ("([{".includes(text)) depth += 1;
    if (")]}".includes(text)) depth -= 1;
    if (depth < 0) return undefined;
  }
  return undefined;
}

function readMembers(members: ReadonlyMap<string, readonly Token[]>): ReadOptions | undefined {
  const [pinned, encryption, endpoint, keyLog] = readNames.map((name) => members.get(name));
  const pins = pinned && parsePins(readStrings(pinned));
  const sealing = encryption?.map(({ text }) => text).join("");
  const isSealed = sealing === undefined ? true : sealings[sealing];
  if ((pinned !== undefined && pins === undefined) || isSealed === undefined) return undefined;
  for (const value of [endpoint, keyLog])
    if (value !== undefined && (value.length !== 1 || value[0]?.kind !== "string")) return undefined;
  return { pins, keyLog: keyLog?.[0]?.text, isSealed, endpoint: endpoint?.[0]?.text };
}

/** A string, or the strings of a list. */
function readStrings(tokens: readonly Token[]): unknown {
  if (tokens.length === 1 && tokens[0]?.kind === "string") return tokens[0].text;
  const inner = tokens.slice(1, -1);
  const isList = is(tokens[0], "mark", "[") && is(tokens.at(-1), "mark", "]");
  const isPlain = inner.every((token, index) => (index % 2 === 0 ? token.kind === "string" : is(token, "mark", ",")));
  return isList && isPlain ? inner.filter(({ kind }) => kind === "string").map(({ text }) => text) : undefined;
}

function is(token: Token | undefined, kind: Token["kind"], text: string): boolean {
  return token?.kind === kind && token.text === text;
}
