/** What an API key may be allowed to do (contract, section 3.2). */
export const permissions = ["forms:read", "forms:write", "submissions:read", "submissions:delete"] as const;
export type Permission = (typeof permissions)[number];
