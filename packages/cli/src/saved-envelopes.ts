import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { OpeningKey } from "@sealpost/sdk";
import type { Context } from "./context.ts";
import { CommandError } from "./exit-code.ts";
import { readIdentityFile } from "./identity-file.ts";

/** The keys in envelopes that somebody saved, **without** the list of members: nobody has checked who wrote them. To open with, and nothing else. */
export async function readEnvelopes(
  context: Context,
  identityPath: string,
  paths: readonly string[],
  passphraseFile?: string,
): Promise<readonly OpeningKey[]> {
  const identityText = await readIdentityFile(context, identityPath, passphraseFile);
  const [{ parseIdentities, readEnvelopeWithoutList, RefusalError }, { importEnvelopeKeys }] = await Promise.all([
    import("@sealpost/envelope"),
    import("@sealpost/sdk/envelopes"),
  ]);
  const identities = parseIdentities(identityText);
  if (identities === undefined) throw new CommandError("usage", `${identityPath} is not an identity file`);
  const keys: OpeningKey[] = [];
  for (const path of paths) {
    const bytes = await readFile(resolve(context.folder, path)).catch(() => {
      throw new CommandError("usage", `The envelope ${path} cannot be read`);
    });
    const outcomes = await Promise.all(identities.map((one) => readEnvelopeWithoutList(new Uint8Array(bytes), one)));
    const content = outcomes.find((outcome) => !(outcome instanceof RefusalError));
    const refusal = outcomes.find((one) => one instanceof RefusalError && one.reason !== "not_a_reader") ?? outcomes[0];
    if (content === undefined || content instanceof RefusalError) {
      const message = refusal instanceof Error ? refusal.message : "";
      throw new CommandError("notOpened", `${path}: ${message}`);
    }
    keys.push(...(await importEnvelopeKeys(content)));
  }
  return keys;
}
