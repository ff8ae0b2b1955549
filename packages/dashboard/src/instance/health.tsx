import { useQuery } from "@tanstack/react-query";
import { formatDateTime } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { Badge, Section } from "../ui/page.tsx";
import { instanceQuery } from "./instance-queries.ts";

const { instance: texts } = text;

const tones = { ok: "good", warning: "warning", problem: "danger" } as const;
/** Findings are the output of `sealpost-server doctor`, word for word, by which operators search and ask for help. */
const asPrinted = { lang: "en", translate: "no" } as const;
const order = ["problem", "warning", "ok"];

/** The findings of the doctor from inside, and how much waits to be sent. */
export function Health() {
  const { data } = useQuery(instanceQuery);
  if (data === undefined) return null;
  const { counts, backlog, checks, lastBackupAt } = data;
  const since = (time: number | null) => (time === null ? "" : ` ${texts.since(formatDateTime(time))}`);
  return (
    <div className="grid gap-5">
      <Section title={texts.version(data.version)}>
        <ul className="grid gap-1">
          <li>{texts.counts(counts.organizations, counts.accounts, counts.operators)}</li>
          <li>{texts.signUp[data.signUp]}</li>
          <li>
            {texts.deliveries(backlog.deliveriesDue)}
            {since(backlog.oldestDeliveryAt)}
          </li>
          <li>
            {data.sendsEmails
              ? `${texts.waitingEmails(backlog.mailsWaiting)}${since(backlog.oldestMailAt)}`
              : texts.noMail}
          </li>
          <li>{lastBackupAt === null ? texts.noBackup : `${texts.backup}${formatDateTime(lastBackupAt)}`}</li>
        </ul>
      </Section>
      <Section title={texts.checks}>
        <ul className="divide-y divide-line">
          {checks
            .toSorted((one, other) => order.indexOf(one.level) - order.indexOf(other.level))
            .map(({ check, level, message, remedy }) => (
              <li className="grid gap-1 py-2.5" key={`${check} ${message}`}>
                <p className="flex flex-wrap items-center gap-2">
                  <Badge tone={tones[level]}>{texts.levels[level]}</Badge>
                  <span className="font-medium" {...asPrinted}>
                    {check}
                  </span>
                </p>
                <p className="min-w-0 wrap-anywhere" {...asPrinted}>
                  {message}
                </p>
                {remedy !== undefined && (
                  <p className="min-w-0 wrap-anywhere text-muted text-sm" {...asPrinted}>
                    {remedy}
                  </p>
                )}
              </li>
            ))}
        </ul>
      </Section>
    </div>
  );
}
