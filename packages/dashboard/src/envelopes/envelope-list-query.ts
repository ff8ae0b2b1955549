import { queryOptions } from "@tanstack/react-query";
import { client } from "../api/client.ts";

/** The form's envelopes as the server names them: whether there is one to unlock. */
export const envelopeListQuery = (formId: string) =>
  queryOptions({
    queryKey: ["form", formId, "envelopes"],
    queryFn: ({ signal }) => client.envelopes.list(formId, { signal }),
  });
