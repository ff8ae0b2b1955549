import { parseSubmission, type Submission } from "@sealpost/sdk";

/** One line, or one submission, of a file: what could be read of it. */
export type ReadLine = { readonly submission: Submission } | { readonly issue: "not_a_submission" | "too_long" };

/** The largest body that the service takes is below 2 MB, in base64 and with its labels. Longer lines are something else. */
const lineCharactersMax = 8_000_000;
/** A file that is one JSON text is read as a whole. Exports are lines, so nothing large has to be. */
const documentBytesMax = 64_000_000;

/**
 * The submissions of a file, oldest first: an export (`GET …/submissions/export`, a line of JSON each), an answer with
 * `submissions` (newest first, so it is turned round), an array of them, one submission, or the body of a webhook. Reads line
 * by line, so a file may be larger than memory. Nothing is opened here.
 */
export async function* readSubmissions(file: Blob): AsyncGenerator<ReadLine, void> {
  let isFirst = true;
  for await (const line of readLines(file)) {
    if (line === undefined) {
      yield { issue: "too_long" };
      continue;
    }
    if (line.trim() === "") continue;
    const value = parse(line);
    // A JSON text over several lines, such as a list that was printed for people, is no line of JSON by itself.
    const whole =
      isFirst && value === undefined && file.size <= documentBytesMax ? parse(await file.text()) : undefined;
    yield* readDocument(whole ?? value);
    if (whole !== undefined) return;
    isFirst = false;
  }
}

function* readDocument(value: unknown): Generator<ReadLine, void> {
  const found = listSubmissions(value);
  for (const one of found.length === 0 ? [value] : found) yield readSubmission(one);
}

/** The values in a JSON text that may be submissions, oldest first. */
function listSubmissions(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value.toReversed();
  if (!isObject(value)) return [];
  if (Array.isArray(value.submissions)) return value.submissions.toReversed();
  // The body of a webhook names the form next to the submission.
  if (isObject(value.submission) && isObject(value.form)) return [{ ...value.submission, formId: value.form.id }];
  return [value];
}

function readSubmission(value: unknown): ReadLine {
  try {
    return { submission: parseSubmission(value) };
  } catch {
    return { issue: "not_a_submission" };
  }
}

/** The lines of a file; `undefined` in place of one that is too long to be kept. */
async function* readLines(file: Blob): AsyncGenerator<string | undefined, void> {
  const reader = file.stream().pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let isSkipping = false;
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      const lines = piece.value.split("\n");
      const last = lines.pop() ?? "";
      for (const line of lines) {
        if (isSkipping) yield undefined;
        else yield rest + line;
        isSkipping = false;
        rest = "";
      }
      rest += last;
      if (rest.length <= lineCharactersMax) continue;
      isSkipping = true;
      rest = "";
    }
  } finally {
    await reader.cancel();
  }
  if (isSkipping) yield undefined;
  else if (rest !== "") yield rest;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
