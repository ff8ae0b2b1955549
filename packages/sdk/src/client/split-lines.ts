import { received } from "./connection-error.ts";
import type { Deadline } from "./deadline.ts";
import { lineLengthMax, tooLarge } from "./read-answer.ts";

/**
 * The lines of the answer. A line that lacks its end is given too: the parser tells whether it is whole. Throws an `ApiError` for
 * a line of more than `lengthMax` UTF-16 units, which a server need never end.
 */
export async function* splitLines(
  response: Response,
  deadline: Deadline,
  lengthMax = lineLengthMax,
): AsyncGenerator<string, void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream("utf-8", { fatal: true })).getReader();
  if (reader === undefined) return;
  let rest: string[] = [];
  let length = 0;
  try {
    for (let chunk = await received(reader.read()); !chunk.done; chunk = await received(reader.read())) {
      // The caller may take its time with each line; only the server is on the clock.
      deadline.end();
      const [first = "", ...others] = chunk.value.split("\n");
      rest.push(first);
      length += first.length;
      for (const next of others) {
        if (length > lengthMax) throw tooLarge(response);
        const line = rest.join("");
        rest = [next];
        length = next.length;
        if (line !== "") yield line;
      }
      if (length > lengthMax) throw tooLarge(response);
      deadline.extend();
    }
    deadline.end();
    const last = rest.join("");
    if (last !== "") yield last;
  } finally {
    // One that broke off rejects with what the loop has thrown already.
    await reader.cancel().catch(() => {});
  }
}
