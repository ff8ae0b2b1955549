import { decodeBase64, encodeBase64, encodeBase64Url } from "@sealpost/wire";
import { derive } from "../../../wire/src/testing/opening-vectors.ts";
import { foldName } from "../look-alikes.ts";
import { computeCommitment, formatNames, type NameLine, type NameOwner } from "../names.ts";
import { idOf, organizationId } from "./people.ts";

/** A name that an entry commits to: who is called so, and the name, `null` where it is missing. */
export interface AskedName {
  readonly use: "member" | "organization";
  readonly id: string;
  readonly commitment: string;
  readonly name: string | null;
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
  readonly folds: readonly { readonly name: string; readonly fold: string }[];
  readonly lookAlikes: readonly { readonly one: string; readonly other: string; readonly areLookAlikes: boolean }[];
}

const owner: NameOwner = { use: "member", organizationId, id: idOf("owner") };
const reader: NameOwner = { use: "member", organizationId, id: idOf("reader") };
const organization: NameOwner = { use: "organization", organizationId };
const otherOrganizationId = "acc_01hk153x00e5rbcwg8rxcnh8w1";

export async function nameVectors(): Promise<NameVectors> {
  const commitments = await commitmentVectors();
  return JSON.parse(JSON.stringify({ commitments, files: await fileVectors(), folds: folds(), lookAlikes }));
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
