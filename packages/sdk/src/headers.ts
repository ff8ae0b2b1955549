type HeaderValue = string | readonly string[] | null | undefined;

/**
 * The headers of a request as any platform holds them: the `Headers` of fetch, a `Map` or any other iterable of pairs,
 * something with `get(name)`, or a record as Node's `request.headers` (names in any case, repeated ones as an array).
 */
export type HeadersLike =
  | Iterable<readonly [string, HeaderValue]>
  | { get(name: string): HeaderValue }
  | { readonly [name: string]: HeaderValue };

/**
 * The value of the header `name` (given in lower case), or `undefined`. One that occurs several times is joined by `, `
 * (RFC 9110 section 5.3), which no single value of a webhook contains, so a doubled id or timestamp never passes for one
 * of its values; signatures are a list anyway. Takes whatever it is given without throwing: a body parser or a framework may have left something else here.
 */
export function findHeader(headers: unknown, name: string): string | undefined {
  const values = headerValues(headers, name).flatMap((value) => (Array.isArray(value) ? value : [value]));
  const texts = values.filter((value) => typeof value === "string");
  return texts.length === 0 ? undefined : texts.join(", ");
}

function headerValues(headers: unknown, name: string): readonly unknown[] {
  if (typeof headers !== "object" || headers === null) return [];
  if (Symbol.iterator in headers && typeof headers[Symbol.iterator] === "function") {
    const pairs = [...(headers as Iterable<unknown>)]; // the line above makes it iterable
    return pairs.filter((pair) => Array.isArray(pair) && isName(pair[0], name)).map((pair) => (pair as unknown[])[1]); // arrays only
  }
  if ("get" in headers && typeof headers.get === "function") return [headers.get(name)];
  return Object.entries(headers)
    .filter(([key]) => isName(key, name))
    .map(([, value]) => value);
}

function isName(candidate: unknown, name: string): boolean {
  return typeof candidate === "string" && candidate.toLowerCase() === name;
}
