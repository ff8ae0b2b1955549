// Generated from the server's table of form settings by scripts/generate-api-types.ts. Do not edit.

/** Every setting of a form: which JSON its value may be, and what to type for it. Lists are of text. */
export const formSettings = {
  encryption: { types: ["boolean"], hint: "true or false" },
  piiStrip: { types: ["boolean"], hint: "true or false" },
  webhookUrl: { types: ["string", "null"], hint: "an https address, or null for none" },
  webhookRedirects: { types: ["string"], hint: "post or get" },
  allowedOrigins: { types: ["array"], hint: "origins with commas between them; * for any" },
  country: { types: ["string", "null"], hint: "two capital letters, such as DE, or null for none" },
  piiTypes: { types: ["array", "null"], hint: "types such as EMAIL_ADDRESS,PHONE_NUMBER, or null for all" },
  submissionBytesMax: { types: ["integer"], hint: "bytes, 1024 to 1048576; with encryption 3072 at least" },
  submissionsPerHour: { types: ["integer", "null"], hint: "a whole number from 1, or null for any number" },
  binDays: { types: ["integer"], hint: "days, 0 to 365; 0 deletes at once" },
} as const;
