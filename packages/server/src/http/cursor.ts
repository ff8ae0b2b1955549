import { Problem } from "../problems/problem.ts";

/** A cursor is the sort key of the last row of a page: opaque to callers, two values to us. */
export function encodeCursor(first: number, second: string | number): string {
  return Buffer.from(JSON.stringify([first, second])).toString("base64url");
}

/** The two values of a cursor that we made; a 400 for any other text. */
export function decodeCursor(cursor: string): readonly [number, string | number] {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
    if (Array.isArray(value) && value.length === 2) {
      const [first, second]: unknown[] = value;
      if (Number.isSafeInteger(first) && (typeof second === "string" || Number.isSafeInteger(second))) {
        return [first as number, second as string | number]; // just checked
      }
    }
  } catch {
    // Falls through to the one answer below.
  }
  throw invalidCursor();
}

export function invalidCursor(): Problem {
  return new Problem("bad_request", "Invalid request", {
    details: { cursor: "Must be the nextCursor of a page before" },
  });
}
