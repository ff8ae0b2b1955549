import type { OpenApiDocument, Operation } from "./document-types.ts";

/** The document with each operation replaced by what `change` makes of it. */
export function mapOperations(document: OpenApiDocument, change: (operation: Operation) => Operation): OpenApiDocument {
  return {
    ...document,
    paths: Object.fromEntries(
      Object.entries(document.paths).map(([path, operations]) => [
        path,
        Object.fromEntries(Object.entries(operations).map(([method, operation]) => [method, change(operation)])),
      ]),
    ),
  };
}
