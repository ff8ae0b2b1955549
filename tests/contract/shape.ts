import assert from "node:assert/strict";

/** A rule for one value that is not known beforehand. The name is what a failure shows. */
export interface Rule {
  readonly rule: string;
  holds(value: unknown): boolean;
}

/** The expected answer: each member as written, no member more, rules where a value is not known beforehand. */
export type Shape = Rule | string | number | boolean | null | readonly Shape[] | { readonly [member: string]: Shape };

const rule = (name: string, holds: (value: unknown) => boolean): Rule => ({ rule: name, holds });

export const integer = rule("an integer, not negative", (value) => Number.isSafeInteger(value) && Number(value) >= 0);
export const milliseconds = rule(
  "milliseconds since the Unix epoch, of about now",
  (value) => Number.isSafeInteger(value) && Math.abs(Number(value) - Date.now()) < 3_600_000,
);
export const text = rule("text", (value) => typeof value === "string" && value !== "");
export const base64url = rule("base64url", (value) => typeof value === "string" && /^[\w-]+$/.test(value));
export const matching = (pattern: RegExp) =>
  rule(`text like ${pattern}`, (value) => typeof value === "string" && pattern.test(value));
export const id = (prefix: string) => matching(new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`));
export const each = (shape: Shape, count: number) => Array.from({ length: count }, () => shape);

function isRule(shape: Shape): shape is Rule {
  return typeof shape === "object" && shape !== null && "holds" in shape && typeof shape.holds === "function";
}

/** Throws at the first place where `value` is not of this shape. */
export function assertShape(value: unknown, shape: Shape, path = "body"): void {
  if (isRule(shape)) {
    assert.ok(shape.holds(value), `${path} is ${JSON.stringify(value)}, not ${shape.rule}`);
  } else if (Array.isArray(shape)) {
    assert.ok(Array.isArray(value), `${path} is not a list`);
    assert.equal(value.length, shape.length, `entries of ${path}`);
    for (const [index, entry] of shape.entries()) assertShape(value[index], entry, `${path}[${index}]`);
  } else if (typeof shape === "object" && shape !== null) {
    assert.ok(typeof value === "object" && value !== null, `${path} is ${JSON.stringify(value)}, not an object`);
    assert.deepEqual(Object.keys(value).toSorted(), Object.keys(shape).toSorted(), `members of ${path}`);
    const members = value as Record<string, unknown>; // just checked
    for (const [name, member] of Object.entries(shape)) assertShape(members[name], member, `${path}.${name}`);
  } else {
    assert.deepEqual(value, shape, path);
  }
}
