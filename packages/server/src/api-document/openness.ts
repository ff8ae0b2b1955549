import { componentPrefix } from "./components.ts";
import type { OpenApiDocument, Schema } from "./document-types.ts";
import { mapOperations } from "./map-operations.ts";
import { rewrite } from "./rewrite.ts";

/**
 * The document with answers open and requests closed: a client made from it ignores members that a newer version adds to an
 * answer, and gets an error for a member that no request knows. A component that both use is there twice, closed as `…Input`.
 */
export function openAnswers(document: OpenApiDocument): OpenApiDocument {
  const components = document.components.schemas;
  const inRequests = findUsed(
    eachOperation(document, ({ requestBody, parameters }) => [requestBody, parameters]),
    components,
  );
  const inAnswers = findUsed(
    [eachOperation(document, ({ responses, callbacks }) => [responses, callbacks]), document.webhooks],
    components,
  );
  const inputs = [...inRequests].filter((name) => inAnswers.has(name));
  const renamed = new Map(inputs.map((name) => [componentPrefix + name, `${componentPrefix}${name}Input`]));
  const toInput = <Value>(value: Value) => rewrite(value, (schema) => renameReference(schema, renamed));
  return {
    ...mapOperations(document, (operation) => ({
      ...operation,
      ...(operation.requestBody !== undefined && { requestBody: toInput(operation.requestBody) }),
      responses: open(operation.responses),
    })),
    ...(document.webhooks !== undefined && { webhooks: open(document.webhooks) }),
    components: {
      ...document.components,
      schemas: Object.fromEntries(
        Object.entries(components).flatMap(([name, schema]) => {
          if (!inRequests.has(name)) return [[name, open(schema)]];
          if (!inAnswers.has(name)) return [[name, toInput(schema)]];
          return [
            [name, open(schema)],
            [`${name}Input`, toInput(schema)],
          ];
        }),
      ),
    },
  };
}

function open<Value>(value: Value): Value {
  return rewrite(value, ({ additionalProperties, ...schema }) =>
    additionalProperties === false || additionalProperties === undefined ? schema : { ...schema, additionalProperties },
  );
}

function renameReference(schema: Schema, renamed: ReadonlyMap<string, string>): Schema {
  const target = typeof schema.$ref === "string" ? renamed.get(schema.$ref) : undefined;
  return target === undefined ? schema : { ...schema, $ref: target };
}

/** The names of the components that `value` uses, through others too. */
function findUsed(value: unknown, components: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const used = new Set<string>();
  const visit = (part: unknown): void => {
    if (typeof part !== "object" || part === null) return;
    const { $ref: target } = part as { readonly $ref?: unknown }; // any object can be asked for a member
    if (typeof target === "string" && target.startsWith(componentPrefix)) {
      const name = target.slice(componentPrefix.length);
      if (!used.has(name)) {
        used.add(name);
        visit(components[name]);
      }
    }
    for (const member of Object.values(part)) visit(member);
  };
  visit(value);
  return used;
}

function eachOperation<Result>(
  { paths }: OpenApiDocument,
  pick: (operation: OpenApiDocument["paths"][string][string]) => Result,
): readonly Result[] {
  return Object.values(paths).flatMap((operations) => Object.values(operations).map(pick));
}
