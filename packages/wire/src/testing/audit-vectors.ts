import { canonicalJson, hashAuditEntry, startAuditLog } from "../audit-chain.ts";

const organization = "acc_01ka5fg000e00g40r40m30e209";
const session = { type: "session", id: "kO3rG1", personId: organization };

/** The contents of entries, with what escaping and sorting could get wrong. */
const contents = [
  { id: "aud_01ka5fg000e00g40r40m30e201", timestamp: 1763899200000, action: "account.created", actor: session },
  {
    ...{ id: "aud_01ka5fg001e00g40r40m30e202", timestamp: 1763899200001, action: "form.updated", actor: session },
    target: { id: "form_01ka5fg001e00g40r40m30e203", name: 'Zoë "😀" \\ \u2028 \u007f' },
    details: {
      changes: [
        { setting: "webhookUrl", from: null, to: "https://receiver.example/hook?a=1&b=<2>" },
        { setting: "encryption", from: true, to: false },
        { setting: "allowedOrigins", from: [], to: ["https://a.example", "https://b.example"] },
      ],
    },
  },
  {
    ...{ id: "aud_01ka5fg002e00g40r40m30e204", timestamp: 1763899200002, action: "sign_in.failures_counted" },
    ...{ actor: { type: "nobody" }, details: { since: 1763895600000, counts: { passwords: 12, codes: 0 } } },
  },
  {
    ...{ id: "aud_01ka5fg003e00g40r40m30e205", timestamp: 1763899200003, action: "submissions.deleted", count: 3 },
    actor: { type: "api_key", id: "key_01ka5fg003e00g40r40m30e206" },
    target: { id: "form_01ka5fg001e00g40r40m30e203", name: "\u0001\n\t" },
  },
];

/** An audit log, entry by entry: what is hashed, and its hash. */
export async function auditVectors() {
  const start = await startAuditLog(organization);
  const entries = [];
  let previous = start.hash;
  for (const [index, content] of contents.entries()) {
    const entry = { sequence: index + 1, previous, ...content };
    const hash = await hashAuditEntry(entry);
    entries.push({ entry: { ...entry, hash }, canonical: canonicalJson(entry) });
    previous = hash;
  }
  return { organization, start, entries };
}
