import { readFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { CommandError } from "../exit-code.ts";
import { hashBytes, parseChecksums, servedListName } from "./served-list.ts";
import { checksumsFile, isSignedBy, parseSigner, signatureFile } from "./signature.ts";

/** All that a release serves to browsers. */
export interface ReleaseList {
  readonly version: string;
  /** Who vouches for it: the key given with `--signer`; nobody; or the one who gave you this command line. */
  readonly trust: "signed" | "unsigned" | "built in";
  /** SHA-256 by path. */
  readonly files: ReadonlyMap<string, string>;
}

/** Gives the bytes of a file, or `undefined` if there is none. Throws when nobody knows. */
type ReadFile = (name: string) => Promise<Uint8Array | undefined>;

/** Fetches `url`, with a bound on time and size; `undefined` for 404. Throws a `CommandError` for anything else. */
export type Download = (url: URL) => Promise<Uint8Array | undefined>;

/**
 * The list of a release: its folder, or that folder's address, with `SHA256SUMS` in it. The signature covers the checksums, these cover the
 * list. A signature that nobody checks would be worth nothing, so it needs `signerFile`.
 */
export async function loadReleaseList(
  place: string,
  signerFile: string | undefined,
  download: Download,
): Promise<ReleaseList> {
  const read = createReader(place, download);
  const sums = await read(checksumsFile);
  if (sums === undefined)
    throw new CommandError(
      "usage",
      `${place} is not a release: there is no ${checksumsFile}. Give the release's folder or address.`,
    );
  const trust = await findTrust(place, sums, await read(signatureFile), signerFile);
  const checksums = parseChecksums(Buffer.from(sums).toString("utf8"));
  const [name, ...others] = [...(checksums?.keys() ?? [])].filter((file) => servedListName.test(file));
  const version = servedListName.exec(name ?? "")?.[1];
  if (checksums === undefined || name === undefined || version === undefined || others.length > 0)
    throw new CommandError(
      "usage",
      `The ${checksumsFile} of ${place} does not name exactly one list of served files. Is it an older release without that list?`,
    );
  const list = await read(name);
  if (list === undefined || hashBytes(list) !== checksums.get(name))
    throw new CommandError(
      "differs",
      `${name} of ${place} is missing, or is not the one that ${checksumsFile} names. Download the release again.`,
    );
  return { version, trust, files: parseList(list, place) };
}

/** The list of the version that this command line is of; only the command line of a release has one. */
export async function loadBuiltInList(version: string): Promise<ReleaseList> {
  const list = await readExisting(new URL("../served.txt", import.meta.url));
  if (list === undefined)
    throw new CommandError(
      "usage",
      "This command line is not from a release, so it knows no list of files. Name a release with --release.",
    );
  return { version, trust: "built in", files: parseList(list, "this command line") };
}

function createReader(place: string, download: Download): ReadFile {
  if (/^https?:\/\//.test(place)) {
    if (!URL.canParse(place)) throw new CommandError("usage", `Not an address: ${place}`);
    const folder = new URL(place.replace(/\/?(SHA256SUMS)?$/, "/"));
    return (name) => download(new URL(name, folder));
  }
  const folder = basename(place) === checksumsFile ? dirname(place) : place;
  return (name) => readExisting(join(folder, name));
}

async function readExisting(file: string | URL): Promise<Uint8Array | undefined> {
  try {
    return await readFile(file);
  } catch (error) {
    if (error instanceof Error && "code" in error && ["ENOENT", "ENOTDIR"].includes(String(error.code)))
      return undefined;
    throw error;
  }
}

async function findTrust(
  place: string,
  sums: Uint8Array,
  signature: Uint8Array | undefined,
  signerFile: string | undefined,
): Promise<ReleaseList["trust"]> {
  if (signature === undefined && signerFile === undefined) return "unsigned";
  if (signature === undefined)
    throw new CommandError(
      "differs",
      `${place} is an unsigned build: nobody has signed its list. Without --signer it is compared anyway.`,
    );
  if (signerFile === undefined)
    throw new CommandError("usage", `${place} is signed: name the publisher's public key with --signer.`);
  const pem = await readExisting(signerFile);
  const signer = pem && parseSigner(Buffer.from(pem).toString("utf8"));
  if (signer === undefined)
    throw new CommandError("usage", `${signerFile} is not an Ed25519 public key in PEM ("BEGIN PUBLIC KEY").`);
  if (!isSignedBy(signer, sums, signature))
    throw new CommandError(
      "differs",
      `${place} was signed with another key than ${signerFile}, or is damaged. Do not use it.`,
    );
  return "signed";
}

function parseList(bytes: Uint8Array, place: string): ReadonlyMap<string, string> {
  const files = parseChecksums(Buffer.from(bytes).toString("utf8"));
  const isList = files !== undefined && files.size > 0 && files.size <= filesMax;
  if (!isList || ![...files.keys()].every((path) => /^\/[\w./-]*$/.test(path) && !path.includes("//")))
    throw new CommandError("usage", `The list of served files of ${place} is no such list.`);
  return files;
}

/** There are fewer than 200; a list that never ends must not keep a monitor busy for ever. */
const filesMax = 2000;
