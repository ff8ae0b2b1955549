import type { Fields } from "@sealpost/wire";

/** Half of the size limit: what is sealed grows by its padding and base64. */
const most = 600_000;

const deep = (depth: number): Fields => JSON.parse(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`);

const manyFields = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`f${index}`, 1]));

/** Submissions that a stranger can seal: the service sees nothing of it, and only the owner's page opens it. */
export const hostileSubmissions: readonly (readonly [name: string, fields: Fields, times?: number])[] = [
  ["60,000 fields", manyFields],
  ["60,000 fields, twelve times", manyFields, 12],
  ["60,000 values of one field", { values: Array(60_000).fill("v") }],
  ["one text without a space", { text: "x".repeat(most) }],
  ["one text of line breaks", { text: "\n".repeat(most / 2) }],
  ["one text of combining marks", { text: "a\u0301\u0302\u0303".repeat(most / 8) }],
  ["one name as long as all", { ["n".repeat(most)]: "v" }],
  [
    "200 texts of 3,000 characters",
    Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`f${index}`, "word ".repeat(600)])),
  ],
  [
    "nested 64 deep, again and again",
    Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`f${index}`, deep(60)])),
  ],
];
