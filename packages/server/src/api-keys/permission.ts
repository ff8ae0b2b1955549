/** What an API key may be allowed to do (interface.md 2.3). */
export const permissions = ["forms:read", "forms:write", "submissions:read", "submissions:delete"] as const;
export type Permission = (typeof permissions)[number];
