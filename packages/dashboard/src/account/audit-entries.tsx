import type { AuditEntry } from "@sealpost/sdk";
import { useQuery } from "@tanstack/react-query";
import { queries } from "../api/queries.ts";
import { membersQuery } from "../organization/member-queries.ts";
import { useMay } from "../organization/membership.ts";
import { nameOf } from "../organization/names.ts";
import type { Way as KeyWay } from "../personal-key/personal-key-api.ts";
import { useSession } from "../session/session.ts";
import { formatDateTime } from "../texts/format.ts";
import { findText, text } from "../texts/text.ts";

const { auditLog: texts } = text;

/** Entries of the audit log, newest first. */
export function Entries({ entries }: { readonly entries: readonly AuditEntry[] }) {
  const keys = useQuery({ ...queries.apiKeys(), enabled: useMay()("listApiKeys") });
  // A revoked key is known by the entries that tell of it.
  const keyNames = new Map([
    ...entries.flatMap(({ target }) => (target?.type === "api_key" ? [[target.id, target.name] as const] : [])),
    ...(keys.data?.keys.map(({ id, name }) => [id, name] as const) ?? []),
  ]);
  if (entries.length === 0) return null;
  return (
    <ol aria-label={texts.list} className="divide-y divide-line">
      {entries.map(({ id, action, actor, target, count, details, timestamp }) => (
        <li
          className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-0.5 py-2.5 first:pt-0 last:pb-0"
          key={id}
        >
          <div className="min-w-0">
            <p>
              <span className="font-medium">{texts.actions[action]}</span>
              {target !== undefined && "name" in target && (
                <>
                  {": "}
                  <bdi className="wrap-anywhere">{target.name}</bdi>
                </>
              )}
              {count !== undefined && count > 0 && ` (${texts.submissions(count)})`}
            </p>
            {details !== undefined && <Details details={details} />}
            <p className="text-muted text-sm">
              {findText(texts.actors, action) ?? <Actor actor={actor} keyNames={keyNames} />}
            </p>
            <Warning action={action} />
          </div>
          <p className="text-muted text-sm">
            <time dateTime={new Date(timestamp).toISOString()}>{formatDateTime(timestamp)}</time>
          </p>
        </li>
      ))}
    </ol>
  );
}

function Warning({ action }: { readonly action: AuditEntry["action"] }) {
  const warning = findText(texts.warnings, action);
  return warning === undefined ? null : <p className="text-sm text-warning">{warning}</p>;
}

function Details({
  details: { changes = [], counts = {}, backupAt },
}: {
  readonly details: NonNullable<AuditEntry["details"]>;
}) {
  const counted = Object.entries(texts.counts).flatMap(([name, say]) => {
    const count = counts[name as keyof typeof texts.counts]; // one of its own keys
    return count === undefined ? [] : [say(count)];
  });
  return (
    <>
      {changes.length > 0 && (
        <ul className="text-sm">
          {changes.map(({ setting, from, to }) => (
            <li key={setting}>
              {findText(texts.settings, setting) ?? <span translate="no">{setting}</span>}
              {": "}
              <Value setting={setting} value={from} /> <span className="text-muted">{texts.becomes}</span>{" "}
              <Value className="font-medium" setting={setting} value={to} />
            </li>
          ))}
        </ul>
      )}
      {backupAt !== undefined && <p className="text-sm">{texts.backupAt(formatDateTime(backupAt))}</p>}
      {counted.length > 0 && <p className="text-sm">{counted.join(", ")}</p>}
    </>
  );
}

/** Settings whose value is a time, as ISO 8601. */
const times: ReadonlySet<string> = new Set(["holdSince", "holdUntil", "secondFactorRequiredFrom", "expiresAt"]);

/** Settings whose values are codes that people know by a name. */
const valueNames: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  role: text.members.roles,
  listChange: texts.listChanges,
  ways: pickWays(text.personalKey.unlock),
};

function pickWays({ passphrase, passkey, sheet, device }: Readonly<Record<KeyWay, string>>) {
  return { passphrase, passkey, sheet, device };
}

/** A value in words; one that has none as the API has it. */
function Value({
  setting,
  value,
  className = "",
}: {
  readonly setting: string;
  readonly value: unknown;
  readonly className?: string;
}) {
  const described = describeValue(setting, value);
  return (
    <bdi className={`break-all ${className}`} translate={described === undefined ? "no" : undefined}>
      {described ?? (Array.isArray(value) ? value.join(", ") : String(value))}
    </bdi>
  );
}

function describeValue(setting: string, value: unknown): string | undefined {
  if (value === null || (Array.isArray(value) && value.length === 0)) return texts.none;
  if (times.has(setting) && typeof value === "string") return formatDateTime(Date.parse(value));
  if (typeof value === "boolean") return value ? texts.on : texts.off;
  const names = valueNames[setting];
  if (names === undefined) return undefined;
  return [value]
    .flat()
    .map((one) => findText(names, String(one)) ?? String(one))
    .join(", ");
}

function Actor({
  actor,
  keyNames,
}: {
  readonly actor: AuditEntry["actor"];
  readonly keyNames: ReadonlyMap<string, string>;
}) {
  const { session, user } = useSession();
  const members = useQuery({ ...membersQuery, enabled: useMay()("listMembers") });
  const findName = (id: string | undefined) => {
    const member = members.data?.members.find((one) => one.id === id && id !== user.id);
    return member && nameOf(member);
  };
  switch (actor.type) {
    case "session": {
      const name = findName(actor.personId);
      if (name !== undefined) return <bdi>{texts.by(name)}</bdi>;
      return actor.id === session.id ? texts.thisSession : texts.otherSession;
    }
    case "api_key":
      return (
        <>
          {texts.apiKey} <bdi>{keyNames.get(actor.id) ?? actor.id}</bdi>
        </>
      );
    case "operator":
      return texts.operator;
    case "nobody":
      return texts.nobody;
    default:
      return actor satisfies never;
  }
}
