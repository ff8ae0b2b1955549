import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ComponentProps, useState } from "react";
import { type Period, queries } from "../api/queries.ts";
import { useForm } from "../form/form-frame.tsx";
import { formatNumber } from "../texts/format.ts";
import { text } from "../texts/text.ts";
import { ErrorNotice } from "../ui/notice.tsx";
import { Skeleton } from "../ui/page.tsx";
import { Chart } from "./chart.tsx";

const { statistics: texts } = text;

const periods = ["day", "week", "month", "year"] as const satisfies readonly Period[];

export function StatisticsPage() {
  const form = useForm();
  const [period, setPeriod] = useState<Period>("month");
  const statistics = useQuery({ ...queries.statistics(form.id, period), placeholderData: keepPreviousData });
  const stats = statistics.data?.stats;
  return (
    <div className="grid gap-5">
      <PeriodChoice onChange={setPeriod} value={period} />
      {statistics.isError && <ErrorNotice error={statistics.error} onRetry={() => statistics.refetch()} />}
      {statistics.isPending && (
        <div aria-busy="true" className="card grid gap-4 p-6">
          <p className="sr-only">{text.common.loading}</p>
          <Skeleton className="h-10 w-64" />
          <Skeleton className="h-56 w-full" />
        </div>
      )}
      {stats !== undefined && (
        <>
          <dl className="grid grid-cols-[repeat(auto-fit,minmax(min(100%,6.5rem),1fr))] gap-2 sm:gap-3">
            <Tile name={texts.inPeriod} value={formatNumber(stats.periodSubmissions)} />
            <Tile name={texts.average} value={formatNumber(stats.avgPerDay)} />
            <Tile name={texts.total} value={formatNumber(stats.totalSubmissions)} />
          </dl>
          <div className="card p-4 sm:p-6">
            <Chart label={texts.chart(texts.periods[period])} timeline={stats.timeline} />
            <DayTable timeline={stats.timeline} />
          </div>
          <p className="text-muted text-sm">{texts.note}</p>
        </>
      )}
    </div>
  );
}

function PeriodChoice({ value, onChange }: { readonly value: Period; readonly onChange: (period: Period) => void }) {
  return (
    <fieldset className="flex w-fit max-w-full flex-wrap gap-1 rounded-lg border border-line bg-surface p-1">
      <legend className="sr-only">{texts.period}</legend>
      {periods.map((period) => (
        <label
          className="inline-flex items-center whitespace-nowrap rounded-md px-2 py-1 font-medium text-muted 2xs:px-3 has-checked:bg-accent-soft has-checked:text-accent has-focus-visible:outline-2 has-focus-visible:outline-accent"
          key={period}
        >
          <input
            checked={period === value}
            className="sr-only"
            name="period"
            onChange={() => onChange(period)}
            type="radio"
            value={period}
          />
          {texts.periods[period]}
        </label>
      ))}
    </fieldset>
  );
}

/** The numbers that the chart draws. */
function DayTable({ timeline }: { readonly timeline: ComponentProps<typeof Chart>["timeline"] }) {
  return (
    <details className="mt-4">
      <summary className="w-fit rounded font-medium text-accent">{texts.table}</summary>
      <table className="mt-2 w-full max-w-sm text-left">
        <thead>
          <tr className="border-line border-b text-muted">
            <th className="py-1 font-medium" scope="col">
              {texts.date}
            </th>
            <th className="py-1 text-right font-medium" scope="col">
              {texts.count}
            </th>
          </tr>
        </thead>
        <tbody>
          {timeline.toReversed().map(({ date, count }) => (
            <tr className="border-line border-b" key={date}>
              <th className="py-1 font-normal tabular-nums" scope="row">
                {date}
              </th>
              <td className="py-1 text-right tabular-nums">{formatNumber(count)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function Tile({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div className="card flex flex-col-reverse justify-end px-3 py-3 sm:px-5 sm:py-4">
      <dt className="text-muted text-sm sm:text-base">{name}</dt>
      <dd className="font-semibold text-xl tabular-nums tracking-tight sm:text-3xl">{value}</dd>
    </div>
  );
}
