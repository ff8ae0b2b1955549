import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { findFreePort } from "../../packages/server/src/testing/postgres-server.ts";

/** A real Keycloak with nothing but its own administrator; its data is in memory. */
export interface Keycloak {
  readonly origin: string;
  /** A request to its admin API. The answer's body, or the id in its `Location`. Throws for another status than 2xx. */
  // biome-ignore lint/suspicious/noExplicitAny: Keycloak's own answers
  admin(method: string, path: string, body?: object): Promise<any>;
  stop(): Promise<void>;
}

const startMilliseconds = 180_000;
const administrator = { username: "admin", password: "a password for this test alone" };

/** Starts the unpacked distribution in `folder`. Needs a Java that it runs on. */
export async function startKeycloak(folder: string): Promise<Keycloak> {
  const port = await findFreePort();
  const origin = `http://127.0.0.1:${port}`;
  // A group of its own: the script starts a Java that starts another one.
  const server = spawn(
    join(folder, "bin/kc.sh"),
    ["start-dev", `--http-port=${port}`, "--http-host=127.0.0.1", "--db=dev-mem", "--log-level=warn"],
    {
      detached: true,
      stdio: ["ignore", "ignore", "inherit"],
      env: {
        ...process.env,
        KC_BOOTSTRAP_ADMIN_USERNAME: administrator.username,
        KC_BOOTSTRAP_ADMIN_PASSWORD: administrator.password,
      },
    },
  );
  const ended = once(server, "exit");
  const stop = async () => {
    if (server.pid !== undefined && server.exitCode === null) process.kill(-server.pid, "SIGKILL");
    await ended;
  };

  async function admin(method: string, path: string, body?: object) {
    const form = new URLSearchParams({ client_id: "admin-cli", grant_type: "password", ...administrator });
    const issued = await fetch(`${origin}/realms/master/protocol/openid-connect/token`, { method: "POST", body: form });
    const { access_token: token } = Object(await issued.json());
    const answer = await fetch(`${origin}/admin${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
    return text === "" ? answer.headers.get("location")?.split("/").at(-1) : JSON.parse(text);
  }

  try {
    const deadline = Date.now() + startMilliseconds;
    const isUp = () =>
      fetch(`${origin}/realms/master`).then(
        ({ ok }) => ok,
        () => false,
      );
    while (!(await isUp())) {
      if (server.exitCode !== null || Date.now() > deadline) throw new Error("Keycloak did not start");
      await setTimeout(500);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return { origin, admin, stop };
}
