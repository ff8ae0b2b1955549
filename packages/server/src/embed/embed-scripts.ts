import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import type { Database } from "../database/database.ts";
import type { Encoding } from "../http/choose-encoding.ts";
import type { EmbedScript } from "./embed-code.ts";

export interface EmbedScripts {
  /** The files that a new `embedCode` names. */
  readonly newest: EmbedScript;
  /** In its place on pages that pin a key log, by the name that stays. */
  readonly newestKeyLog: EmbedScript;
  /** The stylesheet that pages may use, by the name that stays. */
  readonly newestStyle: EmbedScript;
  /**
   * The bytes of any script or stylesheet that was ever the newest, compressed if an encoding is wished; or `undefined`. Made once
   * and kept, for there are few of them.
   */
  find(file: string, encoding: Encoding | undefined): Promise<Buffer | undefined>;
}

const compressors = { br: promisify(brotliCompress), gzip: promisify(gzip) } as const;

interface Manifest {
  readonly scripts: Readonly<Record<string, EmbedScript>>;
  readonly styles: Readonly<Record<string, EmbedScript>>;
}

/**
 * Takes the built scripts and the stylesheet (`npm run build`) into the database, where they stay: pages keep naming an old one with its
 * hash after we are upgraded, and it must stay served byte for byte (contract, section 8.6).
 */
export async function loadEmbedScripts(database: Database, folder: string, now: number): Promise<EmbedScripts> {
  const { scripts, styles } = readManifest(folder);
  for (const script of [...Object.values(scripts), ...Object.values(styles)]) {
    const body = readFileSync(join(folder, script.file));
    const algorithm = script.integrity.startsWith("sha256-") ? "sha256" : "sha384";
    if (script.integrity !== `${algorithm}-${createHash(algorithm).update(body).digest("base64")}`)
      throw new Error(`${script.file} is not what its manifest says. Run npm run build`);
    await database
      .insertInto("embed_script")
      .values({ file: script.file, body, created_at: now })
      .onConflict((conflict) => conflict.column("file").doNothing())
      .execute();
  }
  const newest = scripts.sealpost;
  const newestStyle = styles.sealpost;
  const newestKeyLog = scripts["sealpost-key-log"];
  if (newest === undefined || newestStyle === undefined || newestKeyLog === undefined)
    throw new Error("The manifest of the embed names no script or no stylesheet. Run npm run build");
  const kept = new Map<string, Buffer>();
  return {
    newest,
    newestKeyLog,
    newestStyle,
    async find(file, encoding) {
      const name = `${encoding} ${file}`;
      const known = kept.get(name);
      if (known !== undefined) return known;
      const row = await database.selectFrom("embed_script").select("body").where("file", "=", file).executeTakeFirst();
      if (row === undefined) return undefined;
      const bytes = encoding === undefined ? Buffer.from(row.body) : await compressors[encoding](row.body);
      kept.set(name, bytes);
      return bytes;
    },
  };
}

function readManifest(folder: string): Manifest {
  let text: string;
  try {
    text = readFileSync(join(folder, "manifest.json"), "utf8");
  } catch (cause) {
    throw new Error("The embed is not built. Run npm run build (npm start does it by itself)", { cause });
  }
  const manifest: unknown = JSON.parse(text);
  if (typeof manifest !== "object" || manifest === null || !("scripts" in manifest && "styles" in manifest))
    throw new Error("The manifest of the embed is broken or of another version. Run npm run build");
  return manifest as Manifest; // written by the embed's build; each script's bytes are compared with its hash
}
