/**
 * The table by which the client libraries look at answers, in the language of each. A line for each operation that answers with JSON:
 * `GET /api/forms forms=list total=integer nextCursor=string|null forms[]=object forms[].id=string`. A path with `?` may be absent.
 *
 * It has the members of the answer, and of what is in them only what a client reads itself, and ids: a library works with a server
 * that lacks what its types know of newer ones.
 */
import { type Kind, listAnswerKinds } from "./openapi-answers.ts";
import type { ApiDocument } from "./openapi-operations.ts";

/** Members of members that clients read, to sort them too. */
const innerNames = ["id", "version", "lowestVersion"];
/** Objects of which the clients read everything: counts. */
const counts = ["deleted", "binned", "restored"];
/** Needed to seal, and to tell that a submission was taken. */
const furtherNames: Readonly<Record<string, readonly string[]>> = {
  "GET /api/forms/{form_id}/public": ["publicKey", "keyVersion"],
  "POST /api/forms/{form_id}/submissions": ["timestamp", "receivedAt"],
};

const banner = "Generated from the server's OpenAPI document by scripts/generate-api-types.ts. Do not edit.";
const purpose = "By operation the members of its answer: path and kinds.";

/** Where each is in the repository, and its source. */
export function writeAnswerMembers(document: ApiDocument): Readonly<Record<string, string>> {
  const lines = listAnswerKinds(document).map(([name, kind]) =>
    [name, ...describeMembers(kind, furtherNames[name])].join(" "),
  );
  const text = lines.join("\n");
  // Go's client has no names for the ids in a path.
  const goText = lines.map((line) => line.replace(/ \S+/, (path) => path.replace(/\{\w+\}/g, "{}"))).join("\n");
  return {
    "packages/sdk/src/client/answer-members.ts": `// ${banner}\n\n/** ${purpose} */\nexport const answerMembers = \`\n${text}\n\`;\n`,
    "clients/python/src/sealpost/_answer_members.py": `"""${banner}"""\n\nanswer_members = """\n${text}\n"""\n"""${purpose}"""\n`,
    "clients/php/src/Internal/AnswerMembers.php": `<?php\n\n// ${banner}\n\ndeclare(strict_types=1);\n\nnamespace Sealpost\\Internal;\n\n/** ${purpose} */\nfinal class AnswerMembers\n{\n    public const TEXT = <<<'TEXT'\n${text.replace(/^/gm, "        ")}\n        TEXT;\n}\n`,
    "clients/go/answer_members.go": `// Code generated from the server's OpenAPI document by scripts/generate-api-types.ts. DO NOT EDIT.\n\npackage sealpost\n\n// answerMembers has by operation the members of its answer: path and kinds.\nconst answerMembers = \`\n${goText}\n\`\n`,
  };
}

type Members = readonly (readonly [name: string, Kind])[];

function describeMembers(answer: Kind, further: readonly string[] = []): readonly string[] {
  const members = membersOf(answer);
  const outer = members.map(([name, kind]) => `${name}=${nameKinds(kind)}`);
  return [...outer, ...members.flatMap(([name, kind]) => describeInner(name, kind, [...innerNames, ...further]))];
}

function describeInner(name: string, kind: Kind, names: readonly string[]): readonly string[] {
  const isList = Array.isArray(kind) && kind.length === 1;
  const inner = membersOf(isList ? kind[0] : kind);
  const path = isList ? `${name}[]` : name;
  const read = inner.filter(([member]) => names.includes(member) || (counts.includes(name) && !member.endsWith("?")));
  return [
    ...(isList ? [`${path}=${nameKinds(kind[0])}`] : []),
    ...read.map(([member, value]) => `${path}.${member}=${nameKinds(value)}`),
  ];
}

function membersOf(kind: Kind): Members {
  return typeof kind === "object" && kind !== null && !Array.isArray(kind) ? Object.entries(kind) : [];
}

function nameKinds(kind: Kind): string {
  if (kind === 0) return "any";
  if (typeof kind === "string") return kind;
  if (kind === null) return "null";
  if (!Array.isArray(kind)) return "object";
  return kind.length > 1 ? kind.map(nameKinds).join("|") : "list";
}
