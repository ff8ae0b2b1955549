import type { IncomingMessage, Server } from "node:http";
import {
  joinShares,
  openKeyCopy,
  type PersonalKey,
  parseShare,
  parseSheet,
  type RecoveryShare,
  RefusalError,
  readEnvelopeWithoutList,
} from "@sealpost/envelope";
import { decodeBase64Url } from "@sealpost/wire";
import { sql } from "kysely";
import type { BrowserContext } from "playwright-core";
import { hybridSeedOf } from "../../packages/envelope/src/recipient.ts";
import type { Database } from "../../packages/server/src/database/database.ts";
import type { TestServiceOptions } from "../../packages/server/src/testing/test-service.ts";
import { findSecrets, type Secret } from "./find-secrets.ts";
import { madeKeys } from "./personal-key.ts";
import { reportSecrets } from "./report-secrets.ts";

/** Remembers what the service was sent, stores and logs, and what is nobody's but its person's, and compares the two. */
export interface SecretLedger {
  /** Everything that reaches this server, from whichever page or worker, byte for byte. */
  record(server: Server): void;
  /** Everything that the service logs, at every level. */
  readonly log: NonNullable<TestServiceOptions["log"]>;
  /** Notes all that pages of this context show, draw and get from passkeys. */
  watch(context: BrowserContext): Promise<void>;
  /** Secrets that the service was sent, has stored or has logged, in any spelling. Nothing is looked for where nobody had a key. */
  findLeaks(database: Database): Promise<readonly string[]>;
}

export function createSecretLedger(): SecretLedger {
  const received: Buffer[] = [];
  const logged: Buffer[] = [];
  const shown = {
    words: new Set<string>(),
    sheets: new Set<string>(),
    links: new Set<string>(),
    bytes: new Set<string>(),
  };

  async function findLeaks(database: Database): Promise<readonly string[]> {
    if (madeKeys.length + shown.words.size + shown.sheets.size + shown.links.size === 0) return [];
    const stored = await readTables(database);
    const secrets = [
      ...[...shown.words].map((value) => ({ what: "six words", value })),
      ...[...shown.links].map((value) => ({ what: "the secret of a link", value })),
      ...[...shown.bytes].map((hex) => ({
        what: `32 bytes of a page (${hex.slice(0, 8)}…)`,
        value: Buffer.from(hex, "hex"),
      })),
      ...(await deriveSecrets([...shown.sheets], stored)),
    ];
    return findSecrets(secrets, [...received, ...stored.texts, Buffer.concat(logged)]);
  }

  return {
    record(server) {
      server.prependListener("request", (request: IncomingMessage) => {
        received.push(Buffer.from(`${request.method} ${request.url}\n${request.rawHeaders.join("\n")}`));
        const chunks: Buffer[] = [];
        const push = request.push.bind(request);
        request.push = (chunk: Buffer | null, encoding?: BufferEncoding) => {
          if (chunk !== null) chunks.push(Buffer.from(chunk));
          else if (chunks.length > 0) received.push(Buffer.concat(chunks));
          return push(chunk, encoding);
        };
      });
    },
    log: { write: (line) => void logged.push(Buffer.from(line)), dropped: () => 0 },
    async watch(context) {
      await context.exposeBinding("noteSecret", (_source, kind: keyof typeof shown, value: string) => {
        shown[kind].add(value);
      });
      await context.addInitScript(reportSecrets);
    },
    findLeaks,
  };
}

interface Stored {
  /** All values of all tables. */
  readonly texts: readonly Buffer[];
  readonly copies: readonly Uint8Array<ArrayBuffer>[];
  readonly envelopes: readonly Uint8Array<ArrayBuffer>[];
}

/** The tables of SQLite, with which the tests with browsers run; PostgreSQL has the same rows. */
async function readTables(database: Database): Promise<Stored> {
  const copies = await database.selectFrom("key_copy").select("file").execute();
  const envelopes = await database.selectFrom("envelope").select("file").execute();
  const tables = await database.introspection.getTables();
  const texts: Buffer[] = [];
  for (const { name } of tables) {
    const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(name)}`.execute(database);
    const values = rows.flatMap((row) => Object.values(row));
    const parts = values.flatMap((value) => (value === null ? [] : [toBuffer(value), Buffer.from("\n")]));
    texts.push(Buffer.concat(parts));
  }
  return {
    texts,
    copies: copies.flatMap(({ file }) => decodeBase64Url(file) ?? []),
    envelopes: envelopes.map(({ file }) => Uint8Array.from(file)),
  };
}

function toBuffer(value: unknown): Buffer {
  return value instanceof Uint8Array ? Buffer.from(value) : Buffer.from(String(value));
}

/** All that the paper opens: copies of personal keys, the keys of forms, the recovery key. */
async function deriveSecrets(sheets: readonly string[], { copies, envelopes }: Stored): Promise<readonly Secret[]> {
  const secrets: Secret[] = [];
  const identities = new Set<string>();
  const keys = new Map<string, PersonalKey>();
  const addIdentity = (what: string, identity: string) => {
    identities.add(identity);
    secrets.push({ what, value: identity });
    const seed = hybridSeedOf(identity);
    if (seed !== undefined) secrets.push({ what, value: seed });
  };
  const addKey = (key: PersonalKey) => {
    keys.set(key.signingKey, key);
    addIdentity("a personal key", key.identity);
    for (const [what, seed] of [["a signing seed", key.signingSeed] as const, ["a person's seed", key.seed] as const])
      for (const value of [seed, decodeBase64Url(seed) ?? ""]) secrets.push({ what, value });
  };
  const lines = [...sheets.map((sheet) => sheet.split("\n")), ...madeKeys.map(({ sheet }) => sheet.lines)];
  for (const line of lines.flat()) secrets.push({ what: "a line of a sheet", value: line });
  for (const { key } of madeKeys) addKey(key);
  const { identities: ofSheets, values } = await readSheets(lines);
  for (const identity of ofSheets) addIdentity("a recovery sheet", identity);
  for (const value of values) secrets.push({ what: "a share", value });
  for (let known = -1; known < keys.size; ) {
    known = keys.size;
    for (const file of copies)
      for (const identity of [...identities]) {
        const key = await openKeyCopy(file, { identity });
        if (!(key instanceof RefusalError) && !keys.has(key.signingKey)) addKey(key);
      }
  }
  for (const file of envelopes)
    for (const { identity } of keys.values()) {
      const content = await readEnvelopeWithoutList(file, identity);
      if (content instanceof RefusalError) continue;
      for (const { privateKey, hybridPrivateKey } of content.keys)
        for (const part of [privateKey.d, privateKey.p, privateKey.q, hybridPrivateKey?.priv]) {
          const bytes = typeof part === "string" ? decodeBase64Url(part) : undefined;
          if (bytes !== undefined && bytes.length >= 32)
            secrets.push({ what: "a form's private key", value: bytes.subarray(0, 24) });
        }
    }
  return secrets;
}

/** The identities of whole sheets, and of shares that are enough; and the values of shares. */
async function readSheets(sheets: readonly (readonly string[])[]) {
  const identities: string[] = [];
  const values: Uint8Array[] = [];
  const shares = new Map<string, RecoveryShare[]>();
  for (const lines of sheets) {
    for (const kind of ["personal", "organization"] as const) {
      const parsed = await parseSheet(kind, lines);
      if ("identity" in parsed) identities.push(parsed.identity);
    }
    const parsed = await parseShare(lines);
    if (!("share" in parsed)) continue;
    const { share } = parsed;
    values.push(share.value);
    shares.set(share.set, [...(shares.get(share.set) ?? []), share]);
  }
  for (const set of shares.values()) {
    const joined = await joinShares(set);
    if ("identity" in joined) identities.push(joined.identity);
  }
  return { identities, values };
}
