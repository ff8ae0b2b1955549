import assert from "node:assert/strict";
import { test } from "node:test";
import { createForm, postPlain } from "../forms/testing/test-form.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService } from "../testing/test-service.ts";
import { listDays, summarize } from "./statistics.ts";

test("a period is whole UTC days that end today, without a gap over leap days and new years", () => {
  const now = Date.UTC(2028, 2, 1, 0, 0, 0);
  assert.deepEqual(listDays("day", now), ["2028-03-01"]);
  assert.deepEqual(listDays("week", now), [
    "2028-02-24",
    "2028-02-25",
    "2028-02-26",
    "2028-02-27",
    "2028-02-28",
    "2028-02-29",
    "2028-03-01",
  ]);
  assert.equal(listDays("month", now).length, 30);
  const year = listDays("year", now + 86_399_999);
  assert.deepEqual([year.length, new Set(year).size, year[0], year.at(-1)], [365, 365, "2027-03-03", "2028-03-01"]);
});

test("the average has two decimals", () => {
  const days = listDays("week", Date.UTC(2026, 0, 7));
  const average = (count: number) => summarize(days, new Map([["2026-01-07", count]])).avgPerDay;
  assert.deepEqual([0, 1, 2, 5, 7, 1_000_000].map(average), [0, 0.14, 0.29, 0.71, 1, 142857.14]);
});

test("statistics count what was received on each day, and deleting does not rewrite them", async (t) => {
  const clock = createFakeClock(Date.UTC(2026, 0, 30, 23, 59, 59, 998));
  const service = await createTestService(t, { clock });
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false });
  const path = `/api/forms/${formId}/stats`;
  const empty = await account.request("GET", `${path}?period=day`);
  assert.deepEqual(empty.body, {
    formId,
    period: "day",
    stats: {
      totalSubmissions: 0,
      periodSubmissions: 0,
      avgPerDay: 0,
      timeline: [{ date: "2026-01-30", count: 0 }],
    },
  });
  await postPlain(service, formId);
  clock.advance(1);
  await postPlain(service, formId);
  clock.advance(1);
  const last = await postPlain(service, formId);
  const week = {
    totalSubmissions: 3,
    periodSubmissions: 3,
    avgPerDay: 0.43,
    timeline: [
      ...["2026-01-25", "2026-01-26", "2026-01-27", "2026-01-28", "2026-01-29"].map((date) => ({ date, count: 0 })),
      { date: "2026-01-30", count: 2 },
      { date: "2026-01-31", count: 1 },
    ],
  };
  assert.deepEqual((await account.request("GET", `${path}?period=week`)).body, { formId, period: "week", stats: week });
  await account.request("DELETE", `/api/forms/${formId}/submissions/${last}`);
  await account.request("DELETE", `/api/forms/${formId}/submissions?confirm=DELETE_SUBMISSIONS`);
  assert.deepEqual((await account.request("GET", `${path}?period=week`)).body.stats, week);
  const month = (await account.request("GET", path)).body;
  assert.deepEqual([month.period, month.stats.timeline.length, month.stats.avgPerDay], ["month", 30, 0.1]);
  const day = (await account.request("GET", `${path}?period=day`)).body.stats;
  assert.deepEqual([day.totalSubmissions, day.periodSubmissions], [3, 1]);
  for (const period of ["hour", "DAY", "", "day&period=week"]) {
    const { status, body } = await account.request("GET", `${path}?period=${period}`);
    assert.equal(status, 400, period);
    assert.deepEqual(body, {
      error: "bad_request",
      message: "Invalid request",
      details: { period: "Must be day, week, month or year" },
      detailCodes: { period: "period_invalid" },
      code: "invalid_request",
    });
  }
});
