/** The value of a field as JSON, and what an opener takes it for. */
export interface FieldVector {
  readonly name: string;
  readonly text: string;
  /** A file that can be opened, one of a newer program, or an ordinary answer. */
  readonly outcome: "file" | "newer" | "answer";
  /** The name to show; empty for an answer. */
  readonly file: string;
}

const key = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const usual = {
  id: '"fil_01hk153x00e5rbcwg8rxcnh8w5"',
  name: '"a.pdf"',
  type: '"application/pdf"',
  size: "1024",
  key: `"${key}"`,
  format: '"spf1"',
};

/** `fields` of vectors/files.json. */
export function fieldVectors(): readonly FieldVector[] {
  const file = (change: Readonly<Record<string, string | undefined>>) =>
    `{"$file":{${Object.entries({ ...usual, ...change })
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => `"${name}":${value}`)
      .join(",")}}}`;
  const files: Record<string, string> = {
    "a file": file({}),
    "a file of no bytes": file({ size: "0" }),
    "a file of 2^40 bytes": file({ size: "1099511627776" }),
    "a member more": file({ later: '{"a":[1]}' }),
    "a name with a path": file({ name: '"../a.pdf"' }),
  };
  const newer: Record<string, string> = {
    "format spf2": file({ format: '"spf2"' }),
    "format spf2, without all that is known": '{"$file":{"format":"spf2","name":"a.pdf"}}',
    "format spf2, without a name": file({ format: '"spf2"', name: undefined }),
    "format in upper case": file({ format: '"SPF1"' }),
    "format empty": file({ format: '""' }),
  };
  const answers: Record<string, string> = {
    "a text": '"a"',
    nothing: "null",
    "a list": "[]",
    "an empty object": "{}",
    "no object in it": '{"$file":null}',
    "an empty object in it": '{"$file":{}}',
    "a member next to it": `${file({}).slice(0, -1)},"more":1}`,
    "the members without $file": file({}).slice('{"$file":'.length, -1),
    ...Object.fromEntries(Object.keys(usual).map((name) => [`without ${name}`, file({ [name]: undefined })])),
    "the id of a submission": file({ id: '"sub_01hk153x00e5rbcwg8rxcnh8w5"' }),
    "a name that is a number": file({ name: "1" }),
    "a type that is null": file({ type: "null" }),
    "a size as a text": file({ size: '"1024"' }),
    "a size with a fraction of zero": file({ size: "1024.0" }),
    "a size with an exponent": file({ size: "1e3" }),
    "a size below zero": file({ size: "-1" }),
    "a size with a fraction": file({ size: "1.5" }),
    "a size over 2^40": file({ size: "1099511627777" }),
    "a size that is true": file({ size: "true" }),
    "a key of three bytes": file({ key: '"AAAA"' }),
    "a key without padding": file({ key: `"${key.slice(0, -1)}"` }),
    "format null": file({ format: "null" }),
    "format a number": file({ format: "1" }),
  };
  const list = (texts: Readonly<Record<string, string>>, outcome: FieldVector["outcome"]) =>
    Object.entries(texts).map(([name, text]) => ({
      name: `field: ${name}`,
      text,
      outcome,
      file: nameOf(text, outcome),
    }));
  return [...list(files, "file"), ...list(newer, "newer"), ...list(answers, "answer")];
}

function nameOf(text: string, outcome: FieldVector["outcome"]): string {
  return outcome === "answer" ? "" : (JSON.parse(text).$file.name ?? "");
}
