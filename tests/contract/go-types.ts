/** A member of a Go struct by the name that it has in JSON. */
export interface Member {
  /** `struct`, `*struct` and `[]struct` where it is written inside of its owner, which is `inner` then. */
  readonly type: string;
  /** The comment above it, what other comments of the struct say of it by its name, and that of its type where that is a text. */
  readonly comment: string;
  readonly inner: Struct | undefined;
}
export type Struct = ReadonlyMap<string, Member>;

interface OpenStruct {
  readonly members: Map<string, Member>;
  readonly fields: Map<string, string>;
  readonly comments: string[];
  readonly type: string;
  readonly name: string;
  readonly comment: string;
}

/** The structs of a Go file that gofmt has formatted, by their names. */
export function parseGoTypes(source: string): ReadonlyMap<string, Struct> {
  const types = new Map<string, Struct>();
  const open: OpenStruct[] = [];
  const texts = new Map<string, string>();
  let above: string[] = [];
  const begin = (name: string, type: string) => {
    open.push({
      members: new Map(),
      fields: new Map(),
      comments: [above.join(" ")],
      type,
      name,
      comment: above.join(" "),
    });
    above = [];
  };
  for (const line of source.split("\n").map((text) => text.trim())) {
    const { comment, struct, text, embedded, field, inner, type, end, tag } =
      /^\/\/ ?(?<comment>.*)$|^type (?<struct>\w+) struct \{$|^type (?<text>\w+) string$|^(?<embedded>[A-Z]\w+)$|^(?<inner>\w+) +(?<type>(?:\*|\[\])?struct) \{$|^\}(?: `json:"(?<end>\w+).*)?$|^(?<field>\w+ +\S+) +`json:"(?<tag>\w+).*$/.exec(
        line,
      )?.groups ?? {};
    const current = open.at(-1);
    if (comment !== undefined) {
      above.push(comment);
      continue;
    }
    if (struct !== undefined) begin(struct, "struct");
    else if (text !== undefined) texts.set(text, above.join(" "));
    else if (inner !== undefined && type !== undefined) begin(inner, type);
    else if (embedded !== undefined)
      for (const [name, member] of types.get(embedded) ?? []) current?.members.set(name, member);
    else if (field !== undefined && tag !== undefined) {
      const [name = "", ofType = ""] = field.split(/ +/);
      addMember(current, name, tag, {
        type: ofType,
        comment: [...above, texts.get(ofType) ?? ""].join(" "),
        inner: undefined,
      });
    } else if (line.startsWith("}")) {
      const closed = open.pop();
      if (closed === undefined) continue;
      const members = withNames(closed);
      if (end === undefined) types.set(closed.name, members);
      else addMember(open.at(-1), closed.name, end, { type: closed.type, comment: closed.comment, inner: members });
    }
    if (above.length > 0) current?.comments.push(above.join(" "));
    above = [];
  }
  return types;
}

function addMember(owner: OpenStruct | undefined, field: string, tag: string, member: Member): void {
  owner?.members.set(tag, member);
  owner?.fields.set(tag, field);
  owner?.comments.push(member.comment);
}

/** A comment can speak of several members: "HybridPublicKey is nil, and HybridFingerprint empty". */
function withNames({ members, fields, comments }: OpenStruct): Struct {
  return new Map(
    [...members].map(([tag, member]) => {
      const field = fields.get(tag);
      const naming = comments.filter((comment) => field !== undefined && comment.split(/\W+/).includes(field));
      return [tag, { ...member, comment: [member.comment, ...naming].join(" ") }];
    }),
  );
}
