import { decodeBase64, encodeBase64, encodeBase64Url } from "@sealpost/wire";
import { derive } from "../../../wire/src/testing/opening-vectors.ts";
import { foldName } from "../look-alikes.ts";
import { computeCommitment, formatNames, type NameLine, type NameOwner } from "../names.ts";
import { createList, signingKey, steps } from "./list-maker.ts";
import { createNameLine } from "./name-lines.ts";
import { idOf, organizationId } from "./people.ts";

/** A name that an entry commits to: who is called so, and the name, `null` where it is missing. */
export interface AskedName {
  readonly use: "member" | "organization";
  readonly id: string;
  readonly commitment: string;
  readonly name: string | null;
}

export interface NamedListVector {
  readonly name: string;
  readonly organizationId: string;
  readonly trust: { readonly signingKey: string };
  readonly list: string;
  readonly names: string;
  readonly organizationName: string | null;
  readonly members: Readonly<Record<string, string | null>>;
}

/** vectors/names.json. */
export interface NameVectors {
  readonly commitments: readonly (AskedName & { readonly organizationId: string; readonly salt: string })[];
  readonly files: readonly {
    readonly name: string;
    readonly organizationId: string;
    /** As it was received, or its bytes where these are not UTF-8. */
    readonly file: string;
    readonly fileBase64?: string;
    /** So many lines that no entry names are put after the first one. */
    readonly fillers?: number;
    readonly asked: readonly AskedName[];
  }[];
  /** Lists with a file of names: the names of the present members, and the organization's, `null` where they are missing. All of them verify. */
  readonly lists: readonly NamedListVector[];
  /** The file of names of the list called "a council" in signed-lists.json. */
  readonly council: string;
  readonly folds: readonly { readonly name: string; readonly fold: string }[];
  readonly lookAlikes: readonly { readonly one: string; readonly other: string; readonly areLookAlikes: boolean }[];
}

const owner: NameOwner = { use: "member", organizationId, id: idOf("owner") };
const reader: NameOwner = { use: "member", organizationId, id: idOf("reader") };
const organization: NameOwner = { use: "organization", organizationId };
const otherOrganizationId = "acc_01hk153x00e5rbcwg8rxcnh8w1";

export async function nameVectors(): Promise<NameVectors> {
  const commitments = await commitmentVectors();
  return JSON.parse(
    JSON.stringify({
      commitments,
      files: await fileVectors(),
      lists: await listVectors(),
      council: await councilNames(),
      folds: folds(),
      lookAlikes,
    }),
  );
}

const idOfOwner = (one: NameOwner) => (one.use === "member" ? one.id : one.organizationId);

async function lineOf(one: NameOwner, name: string, salt = name): Promise<NameLine> {
  const drawn = { salt: encodeBase64Url(await derive("salt", salt, 32)), name };
  return { commitment: await computeCommitment(one, drawn), ...drawn };
}

async function commitmentVectors(): Promise<NameVectors["commitments"]> {
  const owners: readonly NameOwner[] = [
    ...[owner, reader, organization],
    { use: "organization", organizationId: otherOrganizationId },
    { use: "member", organizationId: otherOrganizationId, id: idOf("owner") },
    // The organization's id as a member's is another use.
    { use: "member", organizationId, id: organizationId },
  ];
  const made = owners.map(async (one) => ({ one, ...(await lineOf(one, "Ada Example")) }));
  const others = [
    { one: owner, ...(await lineOf(owner, "Ada Example", "another salt")) },
    { one: owner, ...(await lineOf(owner, `${"ÿ".repeat(98)}日😀`)) },
    { one: owner, ...(await lineOf(owner, 'A "quoted" \\ name')) },
  ];
  return [...(await Promise.all(made)), ...others].map(({ one, commitment, salt, name }) => ({
    ...{ use: one.use, organizationId: one.organizationId, id: idOfOwner(one), salt, name },
    commitment: String(commitment),
  }));
}

async function fileVectors(): Promise<NameVectors["files"]> {
  const lines = [
    await lineOf(owner, "Ada Example"),
    await lineOf(reader, "Bela Example"),
    await lineOf(organization, "Example Council"),
  ] as const;
  const [ada, bela, council] = lines;
  const file = formatNames(organizationId, lines);
  const [head = "", ...written] = file.match(/.+\n/g) ?? [];
  const asked = (names: readonly (string | null)[]): readonly AskedName[] =>
    [owner, reader, organization].map((one, index) => {
      const { commitment = ada.commitment } = lines[index] ?? {};
      return { use: one.use, id: idOfOwner(one), commitment: String(commitment), name: names[index] ?? null };
    });
  const all = asked(["Ada Example", "Bela Example", "Example Council"]);
  const none = asked([]);
  const ask = (one: NameOwner, { commitment }: NameLine, name: string | null): AskedName => ({
    ...{ use: one.use, id: idOfOwner(one), commitment: String(commitment), name },
  });
  const of = (changed: readonly NameLine[]) => formatNames(organizationId, changed);
  const withAda = (name: string) => of([{ ...ada, name }, bela, council]);
  const long = await lineOf(owner, `${"ÿ".repeat(98)}日😀`);
  const manyBytes = await lineOf(owner, "😀".repeat(100));
  const other = await lineOf(owner, "Somebody else");
  const received: readonly (readonly [string, string, readonly AskedName[]])[] = [
    ["three names", file, all],
    ["no names", head, none],
    ["a line that no entry names", of([...lines, other]), all],
    ["a name of 100 characters", of([long]), [ask(owner, long, `${"ÿ".repeat(98)}日😀`)]],
    ["a name of 400 bytes", of([manyBytes]), [ask(owner, manyBytes, "😀".repeat(100))]],
    ["a line is missing", of([ada, council]), asked(["Ada Example", null, "Example Council"])],
    ["another name", withAda("Eve Example"), asked([null, "Bela Example", "Example Council"])],
    [
      "another salt",
      of([{ ...ada, salt: bela.salt }, bela, council]),
      asked([null, "Bela Example", "Example Council"]),
    ],
    [
      "the names of two members swapped",
      of([{ ...bela, commitment: ada.commitment }, { ...ada, commitment: bela.commitment }, council]),
      asked([null, null, "Example Council"]),
    ],
    ["a commitment with another id", file, [ask(reader, ada, null), ask(owner, bela, null)]],
    ["a commitment for another use", file, [ask({ use: "member", organizationId, id: organizationId }, council, null)]],
    ["unordered lines", [head, ...written.toReversed()].join(""), none],
    ["a doubled line", [head, written[0], ...written].join(""), none],
    ["a doubled commitment with two names", of([...lines, { ...ada, name: "Eve Example" }]), none],
    ["the file of another organization", formatNames(otherOrganizationId, lines), none],
    ["another format", file.replace("sealpost-names/1", "sealpost-names/2"), none],
    ["a first line with white space", file.replace('{"format"', '{ "format"'), none],
    ["no first line", written.join(""), none],
    ["an empty file", "", none],
    ["no line feed at the end", file.slice(0, -1), none],
    ["an empty line at the end", `${file}\n`, none],
    ["a byte order mark", `\ufeff${file}`, none],
    ["a carriage return", file.replace("\n", "\r\n"), none],
    ["a line with white space", file.replace('","salt"', '", "salt"'), none],
    ["a line with another spelling of a letter", file.replace("Ada Ex", "Ad\\u0061 Ex"), none],
    ["a line with another member", file.replace(/"\}\n$/, '","note":"1"}\n'), none],
    ["a line with its members in another order", file.replace(/("salt":"[^"]+"),("name":"[^"]+")/, "$2,$1"), none],
    ["a line that is no object", `${head}[]\n`, none],
    ["a salt of 31 bytes", file.replace(/"salt":"\w{2}/, '"salt":"'), none],
    ["a name with a line feed", withAda("Ada\nExample"), none],
    ["a name of 101 characters", withAda("n".repeat(101)), none],
    ["a name that turns the direction of the text", withAda("Ada\u202eExample"), none],
    ["half a surrogate pair in a name", withAda("Ada\ud83d"), none],
    ["an empty name", withAda(""), none],
    ["a line of 641 bytes", of([{ ...ada, name: "n".repeat(517) }, bela, council]), none],
  ];
  return [
    ...received.map(([name, text, questions]) => ({ name, organizationId, file: text, asked: questions })),
    {
      ...{ name: "a byte that is not UTF-8", organizationId, file: "", asked: none },
      fileBase64: encodeBase64(Uint8Array.from(file.replace("Ada", "Ad\u00e9"), (letter) => letter.charCodeAt(0))),
    },
    { name: "4,096 lines", organizationId, file, fillers: 4093, asked: all },
    { name: "4,097 lines", organizationId, file, fillers: 4094, asked: none },
  ];
}

/** Lists, and what a service might make of the file of names next to them. */
async function listVectors(): Promise<readonly NamedListVector[]> {
  const named = [
    await createNameLine(owner, "Ada Example"),
    await createNameLine(owner, "Ada Lovelace"),
    await createNameLine(reader, "Bela Example"),
    await createNameLine(organization, "Example Council"),
    await createNameLine(organization, "Example Assembly"),
  ] as const;
  const [ada, adaLater, bela, council, assembly] = named;
  const list = await createList([
    { of: "owner", by: "owner", member: { name: ada.name } },
    { change: "name", of: "owner", by: "owner", called: council.name },
    { of: "reader", by: "owner", member: { name: bela.name } },
    { change: "replace", of: "owner", by: "owner", member: { name: adaLater.name } },
    { change: "name", of: "owner", by: "owner", called: assembly.name },
  ]);
  const unnamed = await createList([{ of: "owner", by: "owner", member: { name: ada.name } }]);
  const all: readonly NameLine[] = named;
  const without = (...gone: readonly NameLine[]) => all.filter((line) => !gone.includes(line));
  const trust = await signingKey("owner");
  const make = (
    name: string,
    lines: readonly NameLine[],
    [ownerName, readerName, organizationName]: readonly (string | null)[],
  ): NamedListVector => ({
    ...{ name: `named list: ${name}`, organizationId, trust, list, names: formatNames(organizationId, lines) },
    organizationName: organizationName ?? null,
    members: { [idOf("owner")]: ownerName ?? null, [idOf("reader")]: readerName ?? null },
  });
  const [now, then] = ["Example Assembly", "Bela Example"];
  return [
    make("all names", all, ["Ada Lovelace", then, now]),
    make("no names", [], [null, null, null]),
    make("a member's name is missing", without(bela), ["Ada Lovelace", null, now]),
    make("former names are missing", without(ada, council), ["Ada Lovelace", then, now]),
    make("the newest names are missing, and former ones are there", without(adaLater, assembly), [null, then, null]),
    make(
      "the line of the newest name has the former one",
      [...without(adaLater), { ...ada, commitment: adaLater.commitment }],
      [null, then, now],
    ),
    make(
      "the names of two members swapped",
      [
        ...without(adaLater, bela),
        { ...bela, commitment: adaLater.commitment },
        { ...adaLater, commitment: bela.commitment },
      ],
      [null, null, now],
    ),
    make("another salt", [...without(bela), { ...bela, salt: ada.salt }], ["Ada Lovelace", null, now]),
    make("a name that looks alike", [...without(bela), { ...bela, name: "Веla Example" }], ["Ada Lovelace", null, now]),
    make(
      "a member's name as the organization's",
      [...without(assembly), { ...bela, commitment: assembly.commitment }],
      ["Ada Lovelace", then, null],
    ),
    {
      ...make("an organization without a name", all, ["Ada Example"]),
      ...{ list: unnamed, members: { [idOf("owner")]: "Ada Example" } },
    },
  ];
}

async function councilNames(): Promise<string> {
  const people = steps.council.map(({ of }) => createNameLine({ use: "member", organizationId, id: idOf(of) }, of));
  return formatNames(organizationId, await Promise.all(people));
}

/** The bytes of a vector's file. */
export function bytesOfFile({ file, fileBase64, fillers = 0 }: NameVectors["files"][number]): Uint8Array {
  if (fileBase64 !== undefined) return decodeBase64(fileBase64) ?? new Uint8Array();
  const lines = Array.from({ length: fillers }, (_, index) => {
    const commitment = `${"-".repeat(38)}${String(index).padStart(4, "0")}A`;
    return `{"commitment":"${commitment}","salt":"${"A".repeat(43)}","name":"n"}\n`;
  });
  return new TextEncoder().encode(file.replace("\n", `\n${lines.join("")}`));
}

function folds(): NameVectors["folds"] {
  const names = [
    ...[
      "Ada Example",
      "Аԁа Ехамрӏе",
      "A\u200bda Ex\u00adample",
      "Ａｄａ　Ｅｘａｍｐｌｅ",
      "ADA-EXAMPLE",
      "Ádà Ëxämplé",
    ],
    ...["Burns", "Bums", "Savvy", "Sawy", "PauI", "Pau1", "Pau|", "Pauӏ", "O'Brien", "0’Brien", "l0ve", "Ⅷ", "½"],
    ...["Groß", "GROẞ", "Gross", "Ærø", "Œuvre", "Øre", "Đorđe", "Łódź", "İstanbul", "ıstanbul", "Ά λφα", "ΣΑΣ", "σας"],
    ...[
      "日本",
      "한국",
      "العربية",
      "ﷺ",
      "é",
      "e\u0301",
      "r\u200bn",
      "r.n",
      "v-v",
      "🙂",
      "🙂🙃",
      "...",
      "\u3164",
      "\u115f",
      "A\ufe0f",
    ],
    ...["ﬁne", "ǅ", "ϴ", "K", "Å", "𝐀𝐝𝐚", "Ⓐda", "३"],
  ];
  return names.map((name) => ({ name, fold: foldName(name) }));
}

const lookAlikes: NameVectors["lookAlikes"] = [
  { one: "Ada Example", other: "Аԁа Ехамрӏе", areLookAlikes: true },
  { one: "Ada Example", other: "Ada\u200b Example", areLookAlikes: true },
  { one: "Ada Example", other: "Ａｄａ Ｅｘａｍｐｌｅ", areLookAlikes: true },
  { one: "Burns", other: "Bums", areLookAlikes: true },
  { one: "Ada Example", other: "Ada Example", areLookAlikes: true },
  { one: "Ada Example", other: "🙂", areLookAlikes: true },
  { one: "Ada Example", other: "Eva Example", areLookAlikes: false },
  { one: "日本", other: "日木", areLookAlikes: false },
];
