import { textOf } from "../exact-json.ts";
import type { Kem } from "../kem.ts";
import { open, openFile } from "../open.ts";
import { verifyService, verifyStandard } from "../webhook-signature.ts";
import type { OpeningVector } from "./opening-vectors.ts";
import { anyKem, importVectorKey } from "./vector-keys.ts";
import type { VerificationVector } from "./verification-vectors.ts";

/** An implementation under test: ours, or a deliberately wrong one. */
export interface Implementation {
  readonly open: typeof open;
  readonly openFile: typeof openFile;
  readonly verifyStandard: typeof verifyStandard;
  readonly verifyService: typeof verifyService;
}

export const ours: Implementation = { open, openFile, verifyStandard, verifyService };

/** One entry of `service` or `refusedService` of vectors/webhook-signatures.json. */
export interface ServiceVector {
  readonly secret: string;
  readonly body: string;
  readonly signature: string;
}

/** The content that a vector opens to, or the outcome. */
export async function openVector(
  { open: opener }: Pick<Implementation, "open">,
  { keys, expectedFingerprint, payload, formId, keyVersion, submissionId }: OpeningVector,
  kem: Kem = anyKem,
): Promise<unknown> {
  const imported = await Promise.all(keys.map(({ name, ...label }) => importVectorKey(name, label, kem)));
  const opened = await opener({ payload, formId, keyVersion, submissionId }, imported, expectedFingerprint, kem);
  if (!opened.opened) return opened.reason;
  return { fields: opened.fields, text: textOf(opened), sealpost: opened.sealpost };
}

/** The expected result of `openVector`. */
export function expectedOf(vector: OpeningVector): unknown {
  if (vector.outcome !== "opened") return vector.outcome;
  const { text, plaintext = text, fields = JSON.parse(plaintext ?? ""), sealpost } = vector;
  return { fields, text: text ?? JSON.stringify(fields), sealpost };
}

export function verifyVector(
  { verifyStandard: verify }: Pick<Implementation, "verifyStandard">,
  { secret, id, timestamp, signature, body, now }: VerificationVector,
): Promise<string> {
  return verify([secret], { id, timestamp, signature }, new TextEncoder().encode(body), now * 1000);
}

export function verifyServiceVector(
  { verifyService: verify }: Pick<Implementation, "verifyService">,
  { secret, body, signature }: ServiceVector,
): Promise<boolean> {
  return verify([secret], new TextEncoder().encode(body), signature);
}
