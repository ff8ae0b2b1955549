import { createId } from "@sealpost/wire";

/** An id like those of `@sealpost/wire`, of rows whose ids nobody but the service makes or checks. `now` is milliseconds since the Unix epoch. */
export function createRowId<Prefix extends string>(prefix: Prefix, now: number): `${Prefix}_${string}` {
  return `${prefix}_${createId("event", now).slice("evt_".length)}`;
}
