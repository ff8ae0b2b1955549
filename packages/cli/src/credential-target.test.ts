import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { exitCodes } from "./exit-code.ts";
import { storeCurrentName, storeProfile } from "./profiles.ts";
import { createCommandLine } from "./testing/run-command-line.ts";

/** An instance that notes the credentials that it gets. */
async function startInstance(t: TestContext) {
  const got: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    got.push(request.headers.authorization?.replace("Bearer ", ""));
    response.setHeader("content-type", "application/json");
    response.end('{"forms":[],"total":0,"nextCursor":null}');
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }; // it listens on a port
}

const chosenBy = ["--profile", "SEALPOST_PROFILE", "current profile", "nothing"] as const;

test("a credential goes only to the instance that it was given for, however profile, address and token are combined", async (t) => {
  const [one, other] = [await startInstance(t), await startInstance(t)];
  for (const instances of [[], [one], [one, other]])
    for (const choice of chosenBy)
      for (const address of [undefined, one, other])
        for (const token of [undefined, "sp_token"]) {
          const { run, folder } = createCommandLine(t);
          const environment = { XDG_CONFIG_HOME: `${folder}/config` };
          for (const instance of instances)
            await storeProfile(environment, instance === one ? "one" : "other", {
              ...{ kind: "apiKey", url: instance.url },
              key: instance === one ? "sp_kept_one" : "sp_kept_other",
            });
          if (choice === "current profile") await storeCurrentName(environment, "one");
          one.got.length = 0;
          other.got.length = 0;
          const words = ["forms", "list", ...(choice === "--profile" ? ["--profile", "one"] : [])];
          const { code, errors } = await run(words, {
            environment: {
              ...environment,
              ...(choice === "SEALPOST_PROFILE" ? { SEALPOST_PROFILE: "one" } : {}),
              ...(address === undefined ? {} : { SEALPOST_URL: address.url }),
              ...(token === undefined ? {} : { SEALPOST_TOKEN: token }),
            },
          });
          const whose = address === undefined ? "no address" : `the address of ${address === one ? "one" : "other"}`;
          const title = `${instances.length} profiles, ${choice}, ${whose}, ${token ?? "no token"}: ${code} ${errors}`;
          // A profile on the command line hides the two variables. Otherwise the token is the address's, or the only instance's.
          const isTokenUsed = token !== undefined && choice !== "--profile";
          const allowed = [one, other].map((instance, index) => {
            const kept = index === 0 ? "sp_kept_one" : "sp_kept_other";
            if (!isTokenUsed) return kept;
            return instance === address || (address === undefined && instances.length === 1) ? token : undefined;
          });
          for (const [index, { got }] of [one, other].entries())
            for (const credential of got) assert.equal(credential, allowed[index], title);
          const asked = one.got.length + other.got.length;
          assert.ok(asked <= 1, title);
          assert.equal(code === 0, asked === 1, title);
          if (isTokenUsed && address === undefined && instances.length > 1 && choice !== "nothing") {
            assert.equal(code, exitCodes.usage[0], title);
            assert.match(errors, /^sealpost: [^\n]*Set SEALPOST_URL to the one that the token is for\n$/, title);
          }
          if (isTokenUsed && address !== undefined) assert.deepEqual(address.got, [token], title);
        }
});
