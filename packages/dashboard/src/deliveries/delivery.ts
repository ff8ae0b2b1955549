import type { Client } from "@sealpost/sdk";

/** One entry of the log, as the client gives it. */
export type Delivery = Awaited<ReturnType<Client["webhooks"]["logs"]>>["logs"][number];
