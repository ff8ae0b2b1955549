// Three calls with the types that openapi-typescript made: see scripts/check-clients.ts.
import type { operations } from "./api.d.ts";

type Answer<Name extends keyof operations> = operations[Name] extends {
  responses: { 200: { content: { "application/json": infer Body } } };
}
  ? Body
  : never;
type Body<Name extends keyof operations> = operations[Name] extends {
  requestBody: { content: { "application/json": infer Content } };
}
  ? Content
  : never;

async function call<Name extends keyof operations>(
  method: string,
  path: string,
  body?: Body<Name>,
): Promise<Answer<Name>> {
  const answer = await fetch(`${process.env.SEALPOST_URL}${path}`, {
    method,
    headers: { authorization: `Bearer ${process.env.SEALPOST_TOKEN}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  return (await answer.json()) as Answer<Name>; // what the document says
}

const { form: created } = await call<"createForm">("POST", "/api/forms", { name: "Made in TypeScript" });
const { form } = await call<"getForm">("GET", `/api/forms/${created.id}`);
const list = await call<"listForms">("GET", "/api/forms?limit=100");
console.log(form.name, form.settings.encryption, list.forms[0]?.id === created.id, list.nextCursor === null);
