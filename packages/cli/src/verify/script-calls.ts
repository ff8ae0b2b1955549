import {
  type AnyNode,
  type CallExpression,
  type Expression,
  type ObjectExpression,
  type Program,
  type Property,
  parse,
} from "acorn";
import { parsePins, type ReadOptions } from "./embed-options.ts";

/** A call of the embed; its options are `undefined` where they are not a plain object. */
export interface EmbedCall {
  readonly id: string;
  readonly options: ReadOptions | undefined;
}

export interface ScriptCalls {
  readonly calls: readonly EmbedCall[];
  /** False where the script names the embed in a way that is no plain call. */
  readonly isClear: boolean;
  /** True if there is nothing in it but calls, with options that are data. */
  readonly isCallsAlone: boolean;
}

const noOptions: ReadOptions = { pins: undefined, keyLog: undefined, isSealed: true, endpoint: undefined };
/** No more calls are read of scripts that strangers could put into a page. */
const callsMax = 50;
const name = "Sealpost";

/** The calls of `Sealpost.init` in a script, wherever in it. A call with anything but plain values can't be read. */
export function readCalls(script: string, sourceType: "script" | "module"): ScriptCalls {
  if (!script.includes(name)) return { calls: [], isClear: true, isCallsAlone: script.trim() === "" };
  const program = parseScript(script, sourceType);
  if (program === undefined) return { calls: [], isClear: false, isCallsAlone: false };
  const calls: EmbedCall[] = [];
  let isClear = true;
  const waiting: AnyNode[] = [program];
  for (let node = waiting.pop(); node !== undefined && calls.length < callsMax; node = waiting.pop()) {
    const call = node.type === "CallExpression" ? readCall(node) : undefined;
    if (call !== undefined) calls.push(call);
    else isClear &&= !isNaming(node);
    // Within a call that was read, whatever names the embed in its options.
    const within = call !== undefined && node.type === "CallExpression" ? node.arguments : listChildren(node);
    waiting.push(...within.toReversed());
  }
  isClear &&= waiting.length === 0;
  return { calls, isClear, isCallsAlone: isClear && program.body.every(isCallAlone) };
}

/** `undefined` for what is no script, or is nested too deep to be read. */
function parseScript(script: string, sourceType: "script" | "module"): Program | undefined {
  try {
    return parse(script, { ecmaVersion: "latest", sourceType });
  } catch {
    return undefined;
  }
}

/** Whether this node by itself says the embed's name: as a variable, a member, or a text. */
function isNaming(node: AnyNode): boolean {
  if (node.type === "Identifier" || node.type === "PrivateIdentifier") return node.name === name;
  if (node.type === "Literal") return node.value === name;
  return node.type === "TemplateElement" && node.value.cooked === name;
}

function listChildren(node: AnyNode): readonly AnyNode[] {
  return Object.values(node).flatMap((value: unknown) => [value].flat().filter(isNode));
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function isCallAlone(statement: Program["body"][number]): boolean {
  if (statement.type === "EmptyStatement") return true;
  if (statement.type !== "ExpressionStatement") return false;
  const { expression } = statement;
  return (
    expression.type === "CallExpression" && readCall(expression) !== undefined && expression.arguments.every(isData)
  );
}

/** Whether it is written out, so that it runs nothing: no names, calls, getters or functions in it. */
function isData(node: AnyNode | null): boolean {
  if (node === null) return true;
  switch (node.type) {
    case "Literal":
      return true;
    case "TemplateLiteral":
      return node.expressions.length === 0;
    case "UnaryExpression":
      return isData(node.argument);
    case "ArrayExpression":
      return node.elements.every(isData);
    case "ObjectExpression":
      return node.properties.every(isData);
    case "Property":
      return node.kind === "init" && !node.computed && isData(node.value);
    default:
      return false;
  }
}

function readCall({ callee, arguments: [id, options, ...more], optional }: CallExpression): EmbedCall | undefined {
  if (callee.type !== "MemberExpression" || callee.computed || optional || callee.optional) return undefined;
  const { object, property } = callee;
  if (object.type !== "Identifier" || object.name !== name) return undefined;
  if (property.type !== "Identifier" || property.name !== "init") return undefined;
  const text = id && readString(id);
  if (text === undefined || !/^form_[0-9a-z]{26}$/.test(text)) return undefined;
  if (options === undefined) return { id: text, options: noOptions };
  const isPlain = more.length === 0 && options.type === "ObjectExpression";
  return { id: text, options: isPlain ? readObject(options) : undefined };
}

/** Reads the options that decide where answers go, and looks at the names of the others alone. */
function readObject({ properties }: ObjectExpression): ReadOptions | undefined {
  const members = new Map<string, Property>();
  for (const property of properties) {
    const key = property.type === "Property" ? readKey(property) : undefined;
    if (property.type !== "Property" || key === undefined || members.has(key)) return undefined;
    members.set(key, property);
  }
  const read = <Value>(key: string, parseValue: (value: Expression) => Value | undefined) => {
    const member = members.get(key);
    if (member === undefined) return { isRead: true, value: undefined };
    const isValue = member.kind === "init" && !member.method;
    const value = isValue ? parseValue(member.value) : undefined;
    return { isRead: value !== undefined, value };
  };
  const pins = read("keyFingerprint", (value) => parsePins(readStrings(value)));
  const sealing = read("encryption", readBoolean);
  const endpoint = read("endpoint", readString);
  const keyLog = read("keyLog", readString);
  if (![pins, sealing, endpoint, keyLog].every(({ isRead }) => isRead)) return undefined;
  return { pins: pins.value, keyLog: keyLog.value, isSealed: sealing.value ?? true, endpoint: endpoint.value };
}

function readKey({ key, computed }: Property): string | undefined {
  if (computed) return undefined;
  return key.type === "Identifier" ? key.name : readString(key);
}

/** A text without expressions in it. */
function readString(node: Expression | CallExpression["arguments"][number]): string | undefined {
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : undefined;
  if (node.type !== "TemplateLiteral" || node.expressions.length > 0) return undefined;
  return node.quasis[0]?.value.cooked ?? undefined;
}

function readStrings(node: Expression): unknown {
  if (node.type !== "ArrayExpression") return readString(node);
  return node.elements.map((element) => element && readString(element));
}

/** As written, or as minifiers write it. */
function readBoolean(node: Expression): boolean | undefined {
  if (node.type === "Literal") return typeof node.value === "boolean" ? node.value : undefined;
  if (node.type !== "UnaryExpression" || node.operator !== "!" || node.argument.type !== "Literal") return undefined;
  const { value } = node.argument;
  return value === 0 || value === 1 ? value === 0 : undefined;
}
