import type { Deadline } from "./deadline.ts";

/** The lines of the answer. A line that lacks its end is given too: the parser tells whether it is whole. */
export async function* splitLines(response: Response, deadline: Deadline): AsyncGenerator<string, void> {
  const reader = response.body?.pipeThrough(new TextDecoderStream("utf-8", { fatal: true })).getReader();
  if (reader === undefined) return;
  let rest: string[] = [];
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      // The caller may take its time with each line; only the server is on the clock.
      deadline.end();
      const [first = "", ...others] = chunk.value.split("\n");
      rest.push(first);
      for (const next of others) {
        const line = rest.join("");
        rest = [next];
        if (line !== "") yield line;
      }
      deadline.extend();
    }
    deadline.end();
    const last = rest.join("");
    if (last !== "") yield last;
  } finally {
    await reader.cancel();
  }
}
