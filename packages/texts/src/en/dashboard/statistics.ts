import { formatNumber } from "../formats.ts";
import { counted } from "../plurals.ts";

export const statistics = {
  period: "Period",
  periods: { day: "Today", week: "7 days", month: "30 days", year: "365 days" },
  total: "Received in all",
  inPeriod: "In this period",
  average: "A day on average",
  chart: (period: string) => `Submissions a day, ${period}. Left and right move between days.`,
  day: (date: string, count: number) => `${date}: ${counted(count, { one: "submission", other: "submissions" })}`,
  busiest: (date: string, count: number) => `Busiest day: ${date}, with ${formatNumber(count)}`,
  quiet: "Nothing was received in this period.",
  table: "Show as a table",
  date: "Day (UTC)",
  count: "Submissions",
  note: "Counts what was received. Deleting submissions does not change it. Days are UTC.",
};
