import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Page as BrowserPage } from "playwright-core";

/** The lists that pages got, by what they asked the API. */
export interface SeenLists {
  /** Counts the answers that follow for this page of the manifest. */
  begin(page: string): void;
  /** Lists that a page got empty and never with something, `members: GET /api/invitations invitations`; and empty places on a page. */
  listEmpty(): readonly string[];
  /** Operations that answer with a list, and that no page has asked. */
  listUnasked(): readonly string[];
  /** Notes every place on the page that says that there is nothing. */
  look(page: BrowserPage): Promise<void>;
}

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

/** The parts of an OpenAPI document that say what is a list. */
export interface ListDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface DocumentOperation {
  readonly responses: Readonly<
    Record<string, { readonly content?: { readonly "application/json"?: { readonly schema?: Schema } } }>
  >;
}

interface ListOperation {
  /** `GET /api/forms`. */
  readonly name: string;
  readonly pattern: RegExp;
  /** Members of the answer, `forms`. */
  readonly lists: readonly string[];
}

/** Every operation whose answer has a list of objects, as the document says. */
export function findListOperations({ paths, components }: ListDocument): readonly ListOperation[] {
  const resolve = (schema: Schema | undefined): Schema | undefined =>
    schema?.$ref === undefined ? schema : resolve(components.schemas[schema.$ref.split("/").at(-1) ?? ""]);
  const isList = (schema: Schema | undefined) =>
    schema?.type === "array" && resolve(schema.items)?.properties !== undefined;
  return Object.entries(paths).flatMap(([path, { get }]) => {
    const answer = resolve(get?.responses["200"]?.content?.["application/json"]?.schema);
    const lists = Object.entries(answer?.properties ?? {}).flatMap(([name, member]) =>
      isList(resolve(member)) ? [name] : [],
    );
    const pattern = new RegExp(`^${path.replace(/\{\w+\}/g, "[^/]+")}$`);
    return lists.length === 0 ? [] : [{ name: `GET ${path}`, pattern, lists }];
  });
}

/** Sees which lists of pages are filled, in the answers of the service. What an operation lists is taken from the OpenAPI document. */
export function watchLists(server: Server, document: ListDocument): SeenLists {
  const operations = findListOperations(document).toSorted(
    // A fixed path wins over one with a parameter, as in the router.
    (one, other) => one.name.split("{").length - other.name.split("{").length,
  );
  const isFilled = new Map<string, boolean>();
  const asked = new Set<string>();
  let page = "";

  server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
    const [path = ""] = (request.url ?? "").split("?");
    const operation = operations.find(({ pattern }) => pattern.test(path));
    if (operation === undefined || request.method !== "GET") return;
    const on = page;
    collectBody(response, (body) => {
      if (response.statusCode !== 200) return;
      const answer = JSON.parse(body) as Readonly<Record<string, readonly unknown[]>>; // as the document says
      asked.add(operation.name);
      for (const list of operation.lists) {
        const key = `${on}: ${operation.name} ${list}`;
        isFilled.set(key, isFilled.get(key) === true || (answer[list]?.length ?? 0) > 0);
      }
    });
  });

  return {
    begin: (name) => {
      page = name;
    },
    async look(shown) {
      const places = await shown.locator("[data-empty]").allInnerTexts();
      for (const place of places) isFilled.set(`${page}: ${place.split("\n")[0]}`, false);
    },
    listEmpty: () => [...isFilled].flatMap(([key, filled]) => (filled ? [] : [key])).sort(),
    listUnasked: () => operations.flatMap(({ name }) => (asked.has(name) ? [] : [name])).sort(),
  };
}

function collectBody(response: ServerResponse, onEnd: (body: string) => void): void {
  const chunks: Buffer[] = [];
  for (const name of ["write", "end"] as const) {
    const original = response[name];
    response[name] = function (this: ServerResponse, ...given: unknown[]) {
      const [chunk] = given;
      if (typeof chunk === "string" || chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk as Uint8Array)); // either of them
      return Reflect.apply(original, this, given);
    } as never; // with each of its parameters
  }
  response.once("finish", () => onEnd(Buffer.concat(chunks).toString()));
}
