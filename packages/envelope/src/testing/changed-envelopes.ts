import { decodeBase64 } from "@sealpost/wire";
import { armor, Encrypter } from "age-encryption";
import type { Bytes } from "../age-header.ts";
import { toVector } from "./envelope-maker.ts";
import type { EnvelopeVector } from "./envelope-vectors.ts";

/** Changes of the bytes that a server can make. */
export async function changedEnvelopes(
  first: EnvelopeVector,
  existing: readonly EnvelopeVector[],
): Promise<readonly EnvelopeVector[]> {
  const file = decodeBase64(first.envelope) ?? new Uint8Array();
  const text = new TextDecoder("latin1").decode(file);
  const flipped = (index: number) => file.with(index, (file[index] ?? 0) ^ 1) as Bytes;
  const bodies = [...text.matchAll(/^-> .*\n/gm)].map((line) => line.index + line[0].length);
  const mac = text.indexOf("\n--- ") + 7;
  const header = text.slice(0, text.indexOf("\n", mac) + 1);
  const secondStanza = text.indexOf("\n-> ", text.indexOf("\n-> ") + 1);
  const latin1 = (changed: string) => Uint8Array.from(changed, (character) => character.charCodeAt(0));
  const kept = (name: string) => existing.find((vector) => vector.name === name && vector.envelope !== "")?.envelope;
  const armored = new TextEncoder().encode(armor.encode(file));
  const protectedName = "envelope: an age file with a passphrase";
  const changed: Readonly<Record<string, Bytes>> = {
    "envelope: nothing at all": new Uint8Array(),
    "envelope: not an age file": new TextEncoder().encode('{"format":"sealpost-envelope/1"}\n'),
    "envelope: armored": armored,
    "envelope: the header alone": latin1(header),
    "envelope: cut within the header": latin1(header.slice(0, 100)),
    "envelope: one byte less": file.slice(0, -1),
    "envelope: one byte more": new Uint8Array([...file, 0]),
    "envelope: a bit of what is sealed": flipped(file.length - 100),
    "envelope: a bit of the header's authentication": flipped(mac),
    "envelope: a bit of another reader's stanza": flipped(bodies[0] ?? 0),
    "envelope: a reader's stanza is missing": latin1(text.slice(0, text.indexOf("\n-> ")) + text.slice(secondStanza)),
    [protectedName]: decodeBase64(kept(protectedName) ?? "?") ?? (await protect(file)),
  };
  const own = toVector("envelope: a bit of the own stanza", flipped(bodies[2] ?? 0), { outcome: "not_a_reader" });
  return [...Object.entries(changed).map(([name, bytes]) => toVector(name, bytes, { outcome: "malformed" })), own];
}

async function protect(file: Bytes): Promise<Bytes> {
  const encrypter = new Encrypter();
  encrypter.setPassphrase("a passphrase");
  encrypter.setScryptWorkFactor(20);
  return new Uint8Array(await encrypter.encrypt(file));
}
