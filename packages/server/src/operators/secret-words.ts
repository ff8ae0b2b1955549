import { describeKey } from "../instance/open-key-ring.ts";
import type { SecretUse } from "./secret-rotation.ts";

/** A key and what needs it, in a line for the operator. */
export function describeUse({ key, values = 0 }: SecretUse): string {
  const since = new Date(key.since).toISOString();
  const name = describeKey(key);
  switch (key.state) {
    case "waiting":
      return `${name}: waits since ${since} until every process has its secret`;
    case "active":
      return `${name}: everything new is sealed with it since ${since}`;
    case "former":
      return `${name}: former since ${since}; ${values} values are still sealed with it: sealpost-server secret rotate`;
    case "spent":
      return values === 0
        ? `${name}: nothing is sealed with it since ${since}; it can be dropped: sealpost-server secret drop`
        : `${name}: ${values} values are sealed with it and do not open`;
    case "dropped":
      return `${name}: dropped ${since}; only backups from before need its secret`;
    default:
      throw new Error(`Unknown state: ${key.state satisfies never}`);
  }
}
