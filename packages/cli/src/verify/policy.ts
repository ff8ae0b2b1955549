const none = ["'none'"];
const own = ["'self'", "'none'"];

/** The sources that each directive of a page's `Content-Security-Policy` may name at most. No release has a directive that is not here. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  "default-src": none,
  "script-src": own,
  "script-src-elem": own,
  "script-src-attr": own,
  "style-src": own,
  "connect-src": own,
  "worker-src": own,
  "frame-src": own,
  "child-src": own,
  "object-src": none,
  "img-src": [...own, "data:", "blob:"],
  "font-src": own,
  "media-src": own,
  "manifest-src": own,
  "form-action": own,
  "base-uri": none,
  "frame-ancestors": none,
  "require-trusted-types-for": ["'script'"],
  "trusted-types": ["sealpost", "'none'"],
  "upgrade-insecure-requests": [],
};
/** Directives that do not fall back on `default-src`, and that one. */
const required = ["default-src", "form-action", "base-uri", "frame-ancestors", "require-trusted-types-for"];

/** Why a page's policy is laxer than that of any release; `undefined` if it is not. Of several policies each holds, so one that is strict will do. */
export function findPolicyError(header: string | undefined): string | undefined {
  if (header === undefined) return "comes without a Content-Security-Policy";
  const errors = header.split(",").map(findError);
  return errors.includes(undefined) ? undefined : errors[0];
}

function findError(policy: string): string | undefined {
  const directives = new Map<string, readonly string[]>();
  for (const part of policy.split(";")) {
    const [name = "", ...sources] = part.trim().toLowerCase().split(/\s+/);
    // Browsers take the first of two equal directives.
    if (name !== "" && !directives.has(name)) directives.set(name, sources);
  }
  const missing = required.find((name) => !directives.has(name));
  if (missing !== undefined) return `has a Content-Security-Policy without ${missing}`;
  for (const [name, sources] of directives) {
    const lax = allowed[name] === undefined ? "something" : sources.find((source) => !allowed[name]?.includes(source));
    if (lax !== undefined) return `has a Content-Security-Policy whose ${name} allows ${lax}`;
  }
  return undefined;
}
