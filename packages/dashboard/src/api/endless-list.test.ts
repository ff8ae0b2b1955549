import assert from "node:assert/strict";
import { test } from "node:test";
import { loadFilled } from "./endless-list.ts";

interface Page {
  readonly items: readonly string[];
  readonly nextCursor: string | null;
}

const load =
  (pages: Readonly<Record<string, Page>>) =>
  async ({ cursor = "" }: { readonly cursor?: string }) =>
    pages[cursor] ?? { items: [], nextCursor: null };
const itemsOf = ({ items }: Page) => items;

test("a list loads on past empty pages until something is on one, or there are no more", async () => {
  const pages = {
    "": { items: [], nextCursor: "1" },
    "1": { items: [], nextCursor: "2" },
    "2": { items: ["one"], nextCursor: "3" },
    "3": { items: [], nextCursor: "4" },
    "4": { items: [], nextCursor: null },
  };
  assert.deepEqual(await loadFilled("", load(pages), itemsOf), pages["2"]);
  assert.deepEqual(await loadFilled("3", load(pages), itemsOf), pages["4"]);
});

test("a list of empty pages that leads round in a circle ends", async () => {
  const pages = { "": { items: [], nextCursor: "1" }, "1": { items: [], nextCursor: "1" } };
  await assert.rejects(loadFilled("", load(pages), itemsOf), /has no end/);
});
