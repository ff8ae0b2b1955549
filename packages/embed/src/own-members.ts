import { ownParameters } from "@sealpost/wire";

/**
 * A copy of `value`'s own members in an object without a prototype. A link can put members into `Object.prototype` on a page whose
 * query parser lets it (`?__proto__[endpoint]=…`); read through a prototype, they would be options, and parts of requests.
 */
export const ownMembers: <Value extends object>(value: Value) => Value = ownParameters;

/** The value that JSON describes, each object in it without a prototype. Throws as `JSON.parse` does. */
export function parseJson(json: string): unknown {
  return JSON.parse(json, (_, value) =>
    typeof value === "object" && value && !Array.isArray(value) ? ownMembers(value) : value,
  );
}
