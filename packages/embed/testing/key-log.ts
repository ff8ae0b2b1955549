import { createKeyLogEntry, type KeyLogSigner } from "@sealpost/envelope";
import {
  encodeBase64Url,
  type FormId,
  formatKeyLogHead,
  keyLogPageEntries,
  type LoggedKey,
  type VerifiedKeyLog,
  verifyKeyLog,
} from "@sealpost/wire";

/** Somebody who signs entries of key logs. */
export async function createLogSigner(): Promise<KeyLogSigner> {
  const pair = await crypto.subtle.generateKey("Ed25519", true, ["sign", "verify"]);
  if (!("privateKey" in pair)) throw new TypeError("Ed25519 has pairs");
  const raw = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
  return { publicKey: encodeBase64Url(raw), signingKey: pair.privateKey };
}

/** A key, without a reply key where a test needs none. */
type TestKey = Omit<LoggedKey, "replyKey"> & Partial<Pick<LoggedKey, "replyKey">>;

/** A key log that a test writes entry by entry, and that it can show as a server does. */
export interface TestKeyLog {
  readonly entries: readonly string[];
  /** Adds an entry, by default signed by the log's first signer, who stays the only one: `signers` are owners. Gives its head as a pin. */
  add(key: TestKey, by?: KeyLogSigner, signers?: readonly KeyLogSigner[]): Promise<string>;
  /** Adds what nobody accepts: signed by somebody whom the entry before does not name. */
  addForeign(key: TestKey, by: KeyLogSigner): Promise<string>;
  /** The answer of `GET …/keys/log?from=`. */
  page(from: number): string;
  /** The same log so far, to be continued in another way. */
  fork(): TestKeyLog;
}

export function createKeyLog(formId: FormId, signer: KeyLogSigner, start: readonly string[] = []): TestKeyLog {
  const entries = [...start];
  const verified = async (): Promise<VerifiedKeyLog | undefined> => {
    if (entries.length === 0) return undefined;
    const log = await verifyKeyLog(new TextEncoder().encode(entries.join("")), { formId });
    if (typeof log === "string") throw new Error(log);
    return log;
  };
  async function append(before: VerifiedKeyLog | undefined, key: TestKey, by: KeyLogSigner, owners: readonly string[]) {
    const entry = await createKeyLogEntry(
      before,
      { formId, key: { replyKey: null, ...key }, owners, managers: [] },
      by,
    );
    entries.push(entry);
    const [line = ""] = entry.split("\n");
    const hash = encodeBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(line))));
    return formatKeyLogHead({ number: entries.length, hash });
  }
  return {
    entries,
    add: async (key, by = signer, signers = [signer]) =>
      append(
        await verified(),
        key,
        by,
        signers.map(({ publicKey }) => publicKey),
      ),
    async addForeign(key, by) {
      const before = await verified();
      // Only so far as the writer looks: who reads the log knows whom its newest entry names.
      const claimed = before && { ...before, entry: { ...before.entry, owners: [by.publicKey] } };
      return append(claimed, key, by, [by.publicKey]);
    },
    page: (from) => entries.slice(from - 1, from - 1 + keyLogPageEntries).join(""),
    fork: () => createKeyLog(formId, signer, entries),
  };
}
