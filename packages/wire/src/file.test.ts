import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { encodeBase64Url } from "./base64.ts";
import { readExactly } from "./exact-json.ts";
import { createFileKey, sealFile } from "./file.ts";
import { toFileField } from "./file-field.ts";
import { fileBytesMax, sealedFileSize } from "./file-pieces.ts";
import { openFile, parseFileField } from "./open-file.ts";
import { files, findSource, keyOf, openFileVector, passThrough } from "./testing/file-conformance.ts";
import { contentOf, sealSource } from "./testing/file-vectors.ts";
import { binding } from "./testing/opening-vectors.ts";

const small = keyOf(findSource("150000 bytes"));

for (const vector of files.vectors) {
  test(`vector: ${vector.name}: ${vector.outcome}`, async () => {
    const opened = await openFileVector(openFile, vector);
    if (vector.outcome === "could_not_be_opened") assert.equal(opened, undefined);
    else assert.ok(isEqual(opened, contentOf(findSource(vector.claims.source))));
  });
}

test("a file key of another length than 32 bytes seals and opens nothing", async () => {
  for (const length of [0, 16, 31, 33])
    await assert.rejects(
      passThrough(sealFile({ ...small, key: new Uint8Array(length) }), new Uint8Array(small.size)),
      TypeError,
    );
});

test("vectors: ours seals each file to the bytes of its digest, however the bytes arrive", async () => {
  for (const [name, source] of Object.entries(files.sources)) {
    if ((source.pieces ?? source.binding ?? source.sealed) !== undefined) continue;
    const sealed = await passThrough(sealFile(keyOf(source)), contentOf(source));
    assert.equal(sealed.length, sealedFileSize(source.size), name);
    assert.equal(sealed.length, source.sealedSize, name);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", sealed));
    assert.equal(encodeBase64Url(digest), source.sealedSha256, name);
  }
});

test("sealing and opening hold a few pieces in memory, whatever the size of the file", async () => {
  const size = 64 * 2 ** 20;
  const file = { ...small, key: createFileKey(), size };
  let waiting = 0;
  let highest = 0;
  let given = 0;
  let received = 0;
  const source = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const portion = new Uint8Array(Math.min(2 ** 18, size - given));
        if (portion.length === 0) return controller.close();
        given += portion.length;
        waiting += portion.length;
        highest = Math.max(highest, waiting);
        controller.enqueue(portion);
      },
    },
    { highWaterMark: 1 },
  );
  const reader = source.pipeThrough(sealFile(file)).pipeThrough(openFile(file)).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    received += value.length;
    waiting -= value.length;
  }
  assert.equal(received, size);
  assert.ok(highest < 2 ** 22, `${highest} bytes were on their way at once`);
});

test("a file that changed while it was read is not sealed as if it were whole", async () => {
  for (const size of [149_999, 150_001, 0]) {
    const sealing = passThrough(sealFile({ ...small, key: createFileKey(), size }), contentOf(small));
    await assert.rejects(sealing, TypeError);
  }
  for (const size of [-1, 1.5, Number.NaN, fileBytesMax + 1])
    await assert.rejects(
      Promise.resolve().then(() => sealFile({ ...small, size })),
      TypeError,
    );
});

test("whatever hinders opening a file, its stream fails with the same sentence", async () => {
  const messages = new Set<string>();
  const sealed = await passThrough(sealFile(small), contentOf(small));
  const hostile = [sealed.slice(1), sealed.slice(0, -1), sealed.slice(0, 65_552), new Uint8Array(), new Uint8Array(9)];
  for (const bytes of hostile) {
    const failure = await passThrough(openFile(small), bytes).catch((error: Error) => error);
    assert.ok(failure instanceof Error);
    messages.add(failure.message);
  }
  assert.deepEqual([...messages], ["This file could not be opened: it was changed or is not complete"]);
});

test("a file that is cut at any byte fails, and only its beginning has come out", async () => {
  const content = contentOf(small);
  const sealed = await passThrough(sealFile(small), content);
  const atPieces = [0, 65_552, 2 * 65_552, sealed.length - 16].flatMap((edge) => [
    edge,
    edge + 1,
    Math.max(0, edge - 1),
  ]);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: sealed.length - 1 }), async (length) => {
      const reader = new Blob([sealed.slice(0, length)]).stream().pipeThrough(openFile(small)).getReader();
      let received = 0;
      let isBeginning = true;
      const reading = (async () => {
        for (let part = await reader.read(); !part.done; part = await reader.read()) {
          isBeginning &&= isEqual(part.value, content.slice(received, received + part.value.length));
          received += part.value.length;
        }
      })();
      await assert.rejects(reading, Error);
      assert.ok(isBeginning && received <= length && received < content.length, `${length}`);
    }),
    { numRuns: 60, examples: atPieces.map((length) => [length]) },
  );
});

test("nothing of a piece that was changed comes out, and nothing after it", async () => {
  const sealed = await passThrough(sealFile(small), contentOf(small));
  sealed[65_552 + 9] = (sealed[65_552 + 9] ?? 0) ^ 1;
  const writer = openFile(small);
  const reader = new Blob([sealed]).stream().pipeThrough(writer).getReader();
  let received = 0;
  const reading = (async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      received += value.length;
    }
  })();
  await assert.rejects(reading, Error);
  assert.ok(received <= 65_536, `${received}`);
});

test("the sizes of the specification's table are those of sealed files", () => {
  const sizes = [0, 1024, 65_505, 65_536, 131_040, 5_244_160].map(sealedFileSize);
  assert.deepEqual(sizes, [1072, 1072, 65_600, 65_600, 131_152, 5_375_312]);
});

test("of two file keys that AES-GCM takes for one sealed file, only the one that it commits to opens it", async () => {
  const [first, second] = ["first", "second"].map((which) => findSource(`one file for two keys: the ${which}`));
  assert.ok(first && second);
  assert.equal(first.sealed, second.sealed);
  assert.notEqual(first.key, second.key);
  const sealed = await sealSource(first, keyOf(first).key);
  assert.ok(isEqual(await passThrough(openFile(keyOf(first)), sealed), contentOf(first)));
  await assert.rejects(passThrough(openFile(keyOf(second)), sealed), Error);
});

test("a field that refers to a file is read back, and stands for a file, one of a newer program or an answer as its vector says", () => {
  const field = toFileField(small, { name: "Befund.pdf", type: "application/pdf" });
  const parsed = parseFileField(JSON.parse(JSON.stringify(field)), binding);
  assert.ok(parsed?.isNewer === false);
  assert.deepEqual(parsed.fileKey, small);
  assert.deepEqual([parsed.file.name, parsed.file.type, parsed.file.size], ["Befund.pdf", "application/pdf", 150_000]);
  for (const vector of files.fields) {
    const read = parseFileField(readExactly(vector.text), binding);
    const outcome = read === undefined ? "answer" : read.isNewer ? "newer" : "file";
    const name = read === undefined ? "" : read.isNewer ? read.name : read.file.name;
    assert.deepEqual([outcome, name], [vector.outcome, vector.file], vector.name);
    if (read?.isNewer) assert.deepEqual(Object.keys(read), ["isNewer", "name"], "no key is shown");
  }
});

function isEqual(one: Uint8Array | undefined, other: Uint8Array): boolean {
  return one?.length === other.length && one.every((byte, index) => byte === other[index]);
}
