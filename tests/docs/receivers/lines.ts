import { isTooDeep } from "../../../packages/wire/src/nesting.ts";

export interface Case {
  readonly name: string;
  readonly secret: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Base64, so that the bytes survive JSON. */
  readonly body: string;
  readonly valid: boolean;
}

export interface Vector {
  readonly name: string;
  readonly formId: string;
  readonly keyVersion: number;
  readonly submissionId: string;
  readonly keys: readonly { readonly name: string }[];
  readonly payload: unknown;
  readonly outcome: string;
  readonly plaintext?: string;
  readonly fields?: object;
  readonly text?: string;
  readonly sealpost?: object;
}

/** A question as Main.java reads it. */
const line = (name: string, ...parts: readonly string[]) =>
  [name, ...parts.map((part) => Buffer.from(part).toString("base64"))].join(" ");

export const keyLines = (keys: Readonly<Record<string, { readonly privateKey: unknown }>>): readonly string[] =>
  Object.entries(keys).map(([name, { privateKey }]) =>
    line("key", name, ...Object.entries(Object(privateKey)).flat().map(String)),
  );

export const verifyLine = ({ secret, headers, body }: Case): string =>
  [line("verify", secret), body, line("", ...Object.entries(headers).flat()).trimStart()].join(" ");

export const openLines = ({ formId, keyVersion, submissionId, payload, keys }: Vector): readonly string[] =>
  keys.map(({ name }) =>
    line("open", name, formId, submissionId, String(keyVersion), ...Object.entries(Object(payload)).flat().map(String)),
  );

/** The fields of an answer, by the rules that the guide leaves to a JSON library: an object, no deeper than 64 levels. */
export function readAnswer(answer: string): unknown {
  if (!answer.startsWith("+")) return null;
  try {
    const text = Buffer.from(answer.slice(1), "base64").toString();
    if (isTooDeep(text)) return null;
    const fields: unknown = JSON.parse(text);
    return Object.prototype.toString.call(fields) === "[object Object]" ? fields : null;
  } catch {
    return null;
  }
}
