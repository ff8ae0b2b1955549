import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { createKeyFile } from "@sealpost/sdk";
import type { Fields, KeyPair } from "@sealpost/wire";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import { createdSealed } from "../../../sdk/src/testing/delivery.ts";
import { createTestService } from "../../../server/src/testing/test-service.ts";
import { createCommandLine, type RunOptions } from "./run-command-line.ts";

export const [first, second] = [takeKeyPair(), takeKeyPair()];

/** A form with two key versions on a real service, and the key files of both in the folder of a command line. */
export async function createForm(t: TestContext) {
  const service = await createTestService(t);
  const account = await service.signUp();
  const { form } = (await account.request("POST", "/api/forms", { name: "Contact", publicKey: first.publicKey })).body;
  await account.request("POST", `/api/forms/${form.id}/rotate-keys`, { publicKey: second.publicKey });
  const { run, folder } = createCommandLine(t);
  for (const [index, { privateKey }] of [first, second].entries()) {
    const keyFile = await createKeyFile({ formId: form.id, keyVersion: index + 1, createdAt: 0, privateKey });
    await writeFile(join(folder, `v${index + 1}.json`), JSON.stringify(keyFile));
  }
  const environment = { SEALPOST_URL: service.url, SEALPOST_TOKEN: account.token };
  return {
    account,
    folder,
    id: form.id as `form_${string}`, // as the server made it
    async submit(fields: Fields, pair: KeyPair, sealedWith: number, statedVersion = sealedWith): Promise<string> {
      const { submission } = await createdSealed(fields, pair, sealedWith, form.id);
      const body = { id: submission.id, payload: submission.payload, keyVersion: statedVersion };
      const posted = await service.request("POST", `/api/forms/${form.id}/submissions`, { body });
      assert.equal(posted.status, 201);
      return submission.id;
    },
    url: service.url,
    runAt: (SEALPOST_URL: string, ...parameters: string[]) =>
      run(["submissions", "export", form.id, ...parameters], { environment: { ...environment, SEALPOST_URL } }),
    runWith: (options: RunOptions, ...parameters: string[]) =>
      run(["submissions", "export", form.id, ...parameters], { ...options, environment }),
    run: (...parameters: string[]) => run(["submissions", "export", form.id, ...parameters], { environment }),
    runAtTerminal: (...parameters: string[]) =>
      run(["submissions", "export", form.id, ...parameters], { environment, isTerminal: true }),
    runAs: (token: string, ...parameters: string[]) =>
      run(["submissions", "export", form.id, ...parameters], {
        environment: { ...environment, SEALPOST_TOKEN: token },
      }),
  };
}

export function parseLines(
  text: string,
): { id: string; status: string; fields?: Fields; keyVersion: number; receivedAt: number }[] {
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}
