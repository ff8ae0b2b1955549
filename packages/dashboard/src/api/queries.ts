import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { type AuditFilters, toAuditQuery } from "./audit-filters.ts";
import { client } from "./client.ts";
import { loadFilled, refuseEndless } from "./endless-list.ts";

export type Period = "day" | "week" | "month" | "year";
export type DeliveryFilter = "all" | "success" | "failed";

/** The app's queries to the API, each with the key under which it is kept. */
export const queries = {
  forms: () =>
    infiniteQueryOptions({
      queryKey: ["forms"],
      queryFn: async ({ pageParam: { cursor, count }, signal }) => {
        const page = await client.forms.list({ limit: 100, ...(cursor !== "" && { cursor }) }, { signal });
        refuseEndless(page, count + page.forms.length);
        return page;
      },
      initialPageParam: { cursor: "", count: 0 },
      getNextPageParam: ({ nextCursor }, pages) =>
        nextCursor === null
          ? null
          : { cursor: nextCursor, count: pages.reduce((sum, { forms }) => sum + forms.length, 0) },
    }),
  apiKeys: () => queryOptions({ queryKey: ["api-keys"], queryFn: ({ signal }) => client.apiKeys.list({ signal }) }),
  auditLog: (filters: AuditFilters) =>
    infiniteQueryOptions({
      queryKey: ["audit-log", filters],
      queryFn: ({ pageParam, signal }) =>
        loadFilled(
          pageParam,
          (query) => client.auditLog.list({ ...toAuditQuery(filters), ...query }, { signal }),
          ({ entries }) => entries,
        ),
      initialPageParam: "",
      getNextPageParam: (page) => page.nextCursor,
      staleTime: 0,
    }),
  usage: () =>
    queryOptions({ queryKey: ["usage"], queryFn: ({ signal }) => client.account.usage({ signal }), staleTime: 30_000 }),
  sessions: () => queryOptions({ queryKey: ["sessions"], queryFn: ({ signal }) => client.sessions.list({ signal }) }),
  form: (formId: string) =>
    queryOptions({ queryKey: ["form", formId], queryFn: ({ signal }) => client.forms.get(formId, { signal }) }),
  keys: (formId: string) =>
    queryOptions({
      queryKey: ["form", formId, "keys"],
      queryFn: ({ signal }) => client.forms.keys(formId, { signal }),
    }),
  bin: (formId: string) =>
    infiniteQueryOptions({
      queryKey: ["form", formId, "bin", "pages"],
      queryFn: ({ pageParam, signal }) =>
        client.submissions.listBin(formId, { limit: 100, ...(pageParam !== "" && { cursor: pageParam }) }, { signal }),
      initialPageParam: "",
      getNextPageParam: (page) => page.nextCursor,
      staleTime: 0,
    }),
  binTotal: (formId: string) =>
    queryOptions({
      queryKey: ["form", formId, "bin", "total"],
      queryFn: async ({ signal }) => (await client.submissions.listBin(formId, { limit: 1 }, { signal })).total,
      staleTime: 0,
    }),
  retention: (formId: string) =>
    queryOptions({
      queryKey: ["form", formId, "retention"],
      queryFn: async ({ signal }) => ({ days: await client.forms.retention(formId, { signal }) }),
    }),
  accountNotifications: () =>
    queryOptions({
      queryKey: ["notifications"],
      queryFn: ({ signal }) => client.notifications.get({ signal }),
    }),
  notifications: (formId: string) =>
    queryOptions({
      queryKey: ["form", formId, "notifications"],
      queryFn: ({ signal }) => client.forms.notifications(formId, { signal }),
    }),
  statistics: (formId: string, period: Period) =>
    queryOptions({
      queryKey: ["form", formId, "statistics", period],
      queryFn: ({ signal }) => client.forms.stats(formId, { period }, { signal }),
    }),
  /** The whole log, or what was sent about one submission. */
  deliveries: (formId: string, status: DeliveryFilter, submissionId?: string) =>
    infiniteQueryOptions({
      queryKey: ["form", formId, "deliveries", status, submissionId],
      queryFn: ({ pageParam, signal }) =>
        loadFilled(
          pageParam,
          (query) =>
            client.webhooks.logs(
              formId,
              {
                limit: 20,
                ...(status !== "all" && { status }),
                ...(submissionId !== undefined && { submissionId }),
                ...query,
              },
              { signal },
            ),
          ({ logs }) => logs,
        ),
      initialPageParam: "",
      getNextPageParam: (page) => page.nextCursor,
    }),
  delivery: (formId: string, deliveryId: string) =>
    queryOptions({
      queryKey: ["form", formId, "delivery", deliveryId],
      queryFn: ({ signal }) => client.webhooks.log(formId, deliveryId, { signal }),
    }),
};
