import type { OpenApiDocument } from "./document-types.ts";
import { mapOperations } from "./map-operations.ts";

interface Link {
  readonly operationId: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly description: string;
}

const toForm = (place: string) => ({ form_id: `$response.body#${place}` });
const sameForm = { form_id: "$request.path.form_id" };

/** Where an answer leads: the operation, and what of the answer it wants. */
const links: Readonly<Record<string, readonly Link[]>> = {
  createForm: [
    { operationId: "getForm", parameters: toForm("/form/id"), description: "The form with its embed code." },
    { operationId: "updateForm", parameters: toForm("/form/id"), description: "Change its name or settings." },
    { operationId: "listSubmissions", parameters: toForm("/form/id"), description: "What was submitted to it." },
    { operationId: "getWebhookSecret", parameters: toForm("/form/id"), description: "The secret of its webhooks." },
  ],
  listForms: [
    { operationId: "getForm", parameters: toForm("/forms/0/id"), description: "One of the forms, here the first." },
  ],
  postSubmission: [
    {
      operationId: "getSubmission",
      parameters: { ...sameForm, submission_id: "$response.body#/submission/id" },
      description: "The submission, for the form's owner.",
    },
  ],
  listSubmissions: [
    {
      operationId: "getSubmission",
      parameters: { ...sameForm, submission_id: "$response.body#/submissions/0/id" },
      description: "One of the submissions, here the first.",
    },
    {
      operationId: "deleteSubmission",
      parameters: { ...sameForm, submission_id: "$response.body#/submissions/0/id" },
      description: "Delete one of them.",
    },
  ],
  listDeliveries: [
    {
      operationId: "getDelivery",
      parameters: { ...sameForm, delivery_id: "$response.body#/logs/0/id" },
      description: "One of the deliveries with its attempts, here the first.",
    },
    {
      operationId: "resendDelivery",
      parameters: { ...sameForm, delivery_id: "$response.body#/logs/0/id" },
      description: "Send it once more.",
    },
  ],
  testWebhook: [
    {
      operationId: "getDelivery",
      parameters: { ...sameForm, delivery_id: "$response.body#/delivery/id" },
      description: "The test in the log.",
    },
  ],
  createApiKey: [
    {
      operationId: "revokeApiKey",
      parameters: { key_id: "$response.body#/key/id" },
      description: "Revoke the key.",
    },
  ],
};

/** The document with links from answers to operations. */
export function addLinks(document: OpenApiDocument): OpenApiDocument {
  return mapOperations(document, (operation) => {
    const own = links[operation.operationId];
    if (own === undefined) return operation;
    const named = Object.fromEntries(own.map((link) => [link.operationId, link]));
    const responses = Object.entries(operation.responses).map(([status, response]) => [
      status,
      status.startsWith("2") ? { ...response, links: named } : response,
    ]);
    return { ...operation, responses: Object.fromEntries(responses) };
  });
}
