import { type SignedObject, signedObjects, signObject } from "./signed-objects.ts";

/** vectors/drafts.json: signed as the drafts before were, or as a draft to come could be, each by who signs the object of today. Nobody takes any. */
export interface DraftVector {
  readonly name: string;
  readonly label: string;
  /** Two lines; of an envelope, and of heads of devices, what is in the age file. */
  readonly lines: string;
}

type Content = Readonly<Record<string, unknown>>;

/** Members that the drafts had, in the place of others or in addition. */
const ofDrafts: Readonly<Record<string, Readonly<Record<string, (content: Content) => Content>>>> = {
  "sealpost-list/1": {
    "with a name in the entry": (content) => ({ ...content, member: { ...(content.member as object), name: "Ada" } }),
    "that begins another part of the list": (content) => ({ ...content, change: "begin", carry: [] }),
  },
  "sealpost-envelope/1": {
    "with the organization to which the form is handed over": (content) => ({ ...content, handedTo: null }),
    "with readers without who put them there": (content) => ({ ...content, readers: without(content.readers, "by") }),
    "with names of readers": (content) => ({
      ...content,
      readers: (content.readers as Content[]).map((reader) => ({ ...reader, name: "Ada" })),
    }),
    "with keys without seeds": (content) => ({ ...content, keys: without(content.keys, "seed") }),
  },
  "sealpost-key-log/1": {
    "with signers in the place of owners and managers": ({ owners, managers: _, place: __, ...content }) => ({
      ...content,
      signers: owners,
    }),
    "with an end": (content) => ({ ...content, isClosed: false }),
    "with a key without a reply key": (content) => ({ ...content, key: without([content.key], "replyKey")[0] }),
  },
  "sealpost-device-heads/1": {
    "with members that were confirmed without their role": (content) => ({
      ...content,
      confirmed: without(content.confirmed, "role"),
    }),
    "for the service's id of the request": ({ format, commitment: _, ...content }) => ({
      format,
      requestId: "dev_01jd8z0000e8m9a4v5c6d7e8f9",
      ...content,
    }),
  },
};

function without(values: unknown, member: string): readonly Content[] {
  return (values as Content[]).map(({ [member]: _, ...rest }) => rest); // honest contents have them
}

/** Contents of other versions of an object's format, by what they are. */
export function draftsOf({ label, content }: SignedObject): ReadonlyMap<string, Content> {
  const [name = "", version = ""] = label.split("/");
  const drafts = new Map<string, Content>();
  for (const other of [Number(version) - 1, Number(version) + 1])
    drafts.set(`of version ${other}`, { ...content, format: `${name}/${other}` });
  drafts.set("of no version", { ...content, format: name });
  for (const member of Object.keys(content)) {
    const { [member]: _, ...rest } = content;
    drafts.set(`without ${member}`, rest);
  }
  const { extensions: _, critical: __, ...bare } = content;
  drafts.set("without room for what later versions add", bare);
  drafts.set("with a member that nobody has declared", { ...content, later: 1 });
  for (const [what, edit] of Object.entries(ofDrafts[label] ?? {})) drafts.set(what, edit(content));
  return drafts;
}

/** Objects that clients in other languages read. */
const elsewhere = ["sealpost-list/1", "sealpost-envelope/1", "sealpost-key-log/1"];

export async function draftVectors(): Promise<readonly DraftVector[]> {
  const objects = (await signedObjects()).filter(({ label }) => elsewhere.includes(label));
  const vectors = await Promise.all(
    objects.map(async (object) => {
      const { label } = object;
      const honest = { name: `${label}: of today`, label, lines: await linesOf(object) };
      const drafts = [...draftsOf(object)].map(async ([what, content]) => ({
        ...{ name: `${label}: ${what}`, label, lines: await linesOf(object, content) },
      }));
      return [honest, ...(await Promise.all(drafts))];
    }),
  );
  return vectors.flat();
}

async function linesOf(object: SignedObject, content = object.content): Promise<string> {
  return new TextDecoder().decode(await signObject(object, JSON.stringify(content)));
}
