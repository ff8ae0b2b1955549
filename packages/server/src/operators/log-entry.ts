import type { AuditEntry } from "../audit-log/audit-entry.ts";
import type { Named } from "./instance-store.ts";

/** An entry of the instance's log, with the names that its persons and organizations have now. */
export function describeEntry(
  { id, occurredAt, action, actor, target, count, details }: AuditEntry,
  names: ReadonlyMap<string, Named>,
) {
  const operator = actor.type === "operator" ? actor.personId : undefined;
  const plan = details?.changes?.find(({ setting }) => setting === "plan")?.to;
  return {
    id,
    timestamp: occurredAt,
    action,
    operator: operator === undefined ? null : describe(operator),
    subject: target?.type === "member" || target?.type === "invitation" ? describe(target.id) : null,
    ...(count !== undefined && { count }),
    ...(typeof plan === "string" && { plan }),
  };

  function describe(personId: string) {
    const { name = "", email = null } = names.get(personId) ?? {};
    return { id: personId, name, email };
  }
}
