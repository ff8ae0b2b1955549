/** The permissions of API keys (contract, section 3.2). */
export const permissions = ["forms:read", "forms:write", "submissions:read", "submissions:delete"] as const;
export type Permission = (typeof permissions)[number];
