import { formIdPattern, parseKeyLogHead } from "@sealpost/wire";
import { knowsKeyLogs } from "./logged-form.ts";
import { type Options, optionNames, pinsOf } from "./options.ts";

/**
 * The wrong part of a snippet, for its author, or `undefined`. A form with an error is bound all the same and refuses to
 * send: left unbound, the browser itself would send it, in plain. A misspelt option is an error because it may be the pin.
 */
export function findInvalidOption(formId: string, options: Options, endpoint = options.endpoint): string | undefined {
  if (!new RegExp(formIdPattern()).test(formId)) return "form id";
  // A pin that comes with sealing switched off contradicts itself.
  if (pinsOf(options)?.some((pin) => options.encryption === false || !/^[\w-]{43}$/.test(pin))) return "keyFingerprint";
  if (!endpoint) return "endpoint";
  if (SEALPOST_KEY_LOG && options.keyLog !== undefined)
    if (options.encryption === false || !parseKeyLogHead(options.keyLog)) return "keyLog";
  return Object.keys(options).find(
    (name) => !Object.hasOwn(SEALPOST_KEY_LOG && knowsKeyLogs() ? { ...optionNames, keyLog: 1 } : optionNames, name),
  );
}
