/** The part of `node:assert/strict` that tests running in both Node and a page use. */

export function fail(message: string): never {
  throw new Error(message);
}

export function ok(value: unknown, message = `Not truthy: ${show(value)}`): asserts value {
  if (!value) fail(message);
}

export function equal(actual: unknown, expected: unknown, message?: string): void {
  if (!Object.is(actual, expected)) fail(`${message ?? "Not equal"}: ${show(actual)} is not ${show(expected)}`);
}

export function notEqual(actual: unknown, expected: unknown, message = "Equal, and should differ"): void {
  if (Object.is(actual, expected)) fail(`${message}: ${show(actual)}`);
}

export function deepEqual(actual: unknown, expected: unknown, message = "Not deeply equal"): void {
  if (!same(actual, expected)) fail(`${message}: ${show(actual)} is not ${show(expected)}`);
}

export function notDeepEqual(actual: unknown, expected: unknown, message = "Deeply equal, and should differ"): void {
  if (same(actual, expected)) fail(`${message}: ${show(actual)}`);
}

export function match(text: string, pattern: RegExp, message = "No match"): void {
  if (!pattern.test(text)) fail(`${message}: ${show(text)} against ${pattern}`);
}

/** An error of this class, whose name and message the expression matches, or that the function finds right. */
export function throws(
  work: () => unknown,
  expected: RegExp | (new (...values: never[]) => Error) | ((error: unknown) => boolean),
): void {
  try {
    work();
  } catch (error) {
    if (isExpected(error, expected)) return;
    throw error;
  }
  fail(`Returned, and did not throw ${expected instanceof RegExp ? expected : expected.name}`);
}

export async function rejects(promise: Promise<unknown>, expected: new (...values: never[]) => Error): Promise<void> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof expected) return;
    throw error;
  }
  fail(`Was fulfilled, not rejected with ${expected.name}`);
}

export default { fail, ok, equal, notEqual, deepEqual, notDeepEqual, match, throws, rejects };

/** An arrow function has no prototype, and `instanceof` throws on it. */
function isExpected(error: unknown, expected: Parameters<typeof throws>[1]): boolean {
  if (expected instanceof RegExp) return expected.test(String(error));
  if (isClass(expected)) return error instanceof expected;
  return expected(error);
}

function isClass(
  expected: Exclude<Parameters<typeof throws>[1], RegExp>,
): expected is new (
  ...values: never[]
) => Error {
  return expected.prototype !== undefined;
}

function same(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) return false;
  if (Object.getPrototypeOf(left) !== Object.getPrototypeOf(right)) return false;
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => Object.hasOwn(right, name) && same(Reflect.get(left, name), Reflect.get(right, name)));
}

function show(value: unknown): string {
  const text = typeof value === "bigint" ? `${value}n` : (JSON.stringify(value) ?? String(value));
  return text.length > 500 ? `${text.slice(0, 500)}…` : text;
}
