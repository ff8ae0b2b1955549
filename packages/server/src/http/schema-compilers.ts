import { Ajv, type AnySchema, type ValidateFunction } from "ajv";
import type { FastifyInstance } from "fastify";
import { readIntegers } from "./strict-query.ts";

const ajv = new Ajv({
  ...{ allErrors: true, verbose: true, strict: false, removeAdditional: false, useDefaults: false },
  // A test holds the schemas to JSON Schema's own: compiling that one took the first request 30 ms.
  ...{ meta: false, validateSchema: false },
});

/** By the schema's text: routes have the same ones, and so have the services of a process of tests. */
const compiled = new Map<string, ValidateFunction>();

function compile(schema: AnySchema): ValidateFunction {
  const text = JSON.stringify(schema);
  const validate = compiled.get(text) ?? ajv.compile(schema);
  compiled.set(text, validate);
  return validate;
}

/** Every error of a request is reported, and nothing of it is changed but integers in queries, which come as text. */
export function installSchemaCompilers(app: FastifyInstance): void {
  // Compiled by the first request that is held to it: to compile all at once was a seventh of a start.
  app.setValidatorCompiler(({ schema, httpPart }) => {
    let validate: ValidateFunction | undefined;
    return (value: unknown) => {
      validate ??= compile(schema as AnySchema); // of a route
      if (httpPart === "querystring") return readIntegers(schema, validate)(Object(value));
      return validate(value) ? { value } : { error: validate.errors ?? [] };
    };
  });
  // Handlers build every answer member by member; tests hold the answers to their schemas.
  app.setSerializerCompiler(() => (value) => JSON.stringify(value));
}
