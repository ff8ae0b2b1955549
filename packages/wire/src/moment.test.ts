import assert from "node:assert/strict";
import { test } from "node:test";
import { parseMoment } from "./moment.ts";

const pad = (value: number) => String(value).padStart(2, "0");
const daysOf = (year: number, month: number) => new Date(Date.UTC(year, month, 0)).getUTCDate();

test("a written moment has a day and a time that exist, whatever its zone", () => {
  for (const year of [1970, 2000, 2027, 2028, 2100])
    for (let month = 0; month <= 13; month++)
      for (let day = 0; day <= 32; day++)
        for (const [zone, hours] of [
          ["Z", 0],
          ["+14:00", 14],
          ["-12:00", -12],
        ] as const) {
          const text = `${year}-${pad(month)}-${pad(day)}T23:59:58.7${zone}`;
          const exists = month >= 1 && month <= 12 && day >= 1 && day <= daysOf(year, month);
          const expected = exists ? Date.UTC(year, month - 1, day, 23 - hours, 59, 58, 700) : undefined;
          assert.equal(parseMoment(text), expected, text);
        }
  for (const time of ["24:00", "25:00", "12:60", "12:00:60"])
    assert.equal(parseMoment(`2027-01-31T${time}Z`), undefined, time);
  for (const text of [
    "",
    "2027-01-31",
    "2027-01-31T12:00",
    "2027-01-31 12:00Z",
    "2027-01-31T12:00+99:00",
    "+002027-01-31T12:00Z",
  ])
    assert.equal(parseMoment(text), undefined, text);
  assert.equal(parseMoment("2027-01-31T12:00Z"), Date.UTC(2027, 0, 31, 12));
});
