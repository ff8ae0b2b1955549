import { createSubmissionId, encodeBase64, encodeFields } from "@sealpost/wire";
import { collect } from "./collect.ts";
import { controlsOf, nameOfControl, page } from "./page.ts";
import { replaced } from "./refuse.ts";

/**
 * Throws where the page has replaced something by what does less (Prototype's `toJSON`, a `TextEncoder` that knows no emoji, random bytes
 * that are all alike). With it, forms would not be found, and answers would be stored that nobody can open, or anybody. First an `exec` that
 * always finds something: what follows would look for more without end.
 */
export function checkReplaced(): void {
  const form = page().createElement("form");
  const input = page().createElement("input");
  input.name = "a[]";
  input.value = "😀";
  form.append(input);
  if (
    /./.test("") ||
    // biome-ignore lint/suspicious/noSelfCompare: each draws
    createSubmissionId(0) === createSubmissionId(0) ||
    controlsOf(form).filter(nameOfControl).length !== 1 ||
    encodeBase64(encodeFields(collect(form, null).fields)).replaceAll("ICAg", "") !== "eyJhIjpbIvCfmIAiXX0gIA=="
  )
    throw replaced;
}
