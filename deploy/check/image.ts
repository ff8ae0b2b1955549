import assert from "node:assert/strict";
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { run, start } from "./service.ts";

const root = join(import.meta.dirname, "..", "..");

interface Instruction {
  readonly name: string;
  readonly text: string;
}

/**
 * The Dockerfile without Docker: what the stage `service` copies and installs, in order, in an empty folder, with the files
 * that this checkout has built in place of the first stage's. Then the service is started there as the last stage starts it.
 * `npm run check -- image` builds and runs the image itself.
 */
export async function checkImage(folder: string): Promise<void> {
  const stages = parseStages(readFileSync(join(root, "Dockerfile"), "utf8"));
  const last = stages.at(-1) ?? [];
  const image = join(folder, "sealpost");
  mkdirSync(image);
  for (const { name, text } of stages.find((stage) => stage[0]?.text.endsWith(" AS service")) ?? []) {
    if (name === "COPY") copy(text, image);
    if (name === "RUN") await run(["sh", "-c", text], image);
  }
  for (const absent of ["scripts", "tests", "packages", "node_modules"])
    assert.ok(!existsSync(join(image, absent)), `${absent} is in the image`);
  const find = (name: string) => last.findLast((instruction) => instruction.name === name)?.text ?? "";
  assert.equal(find("USER"), "node");
  const [, ...entry] = JSON.parse(find("ENTRYPOINT")) as string[]; // the form of the instruction
  const settings = Object.fromEntries(
    last.filter(({ name }) => name === "ENV").flatMap(({ text }) => text.split(" ").map((pair) => pair.split("="))),
  );
  const environment = {
    ...settings,
    SEALPOST_DATA: join(folder, "data"),
    SEALPOST_PORT: "0",
    SEALPOST_HOST: "127.0.0.1",
  };
  const service = await start([process.execPath, ...entry, "serve"], { cwd: image, environment, ready: /ready at/ });
  const url = /ready at (\S+)/.exec(service.output())?.[1] ?? "";
  for (const path of ["/", "/docs", "/api/docs", "/embed/sealpost.js", "/health/ready"])
    assert.equal((await fetch(url + path)).status, 200, path);
  const health = (JSON.parse(/CMD (\[.*\])$/.exec(find("HEALTHCHECK"))?.[1] ?? "[]") as string[]).slice(1);
  const port = { SEALPOST_PORT: new URL(url).port };
  await run([process.execPath, ...health], image, port);
  const doctor = await run([process.execPath, ...entry, "doctor"], image, { ...environment, ...port });
  assert.match(doctor, /Problems: 0/);
  assert.equal(await service.stop(), 0);
  await assert.rejects(run([process.execPath, ...health], image, port), "a stopped service is not healthy");
}

function parseStages(text: string): readonly (readonly Instruction[])[] {
  const stages: Instruction[][] = [];
  for (const line of text.replaceAll(/\\\n/g, " ").split("\n")) {
    const [, name = "", rest = ""] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (name === "FROM") stages.push([]);
    // Only an ARG may come before the first FROM.
    if (name !== "") stages.at(-1)?.push({ name, text: rest.replaceAll(/\s+/g, " ") });
  }
  return stages;
}

/** `COPY a b folder/`: what `.dockerignore` keeps out of the context is kept out here as well. */
function copy(text: string, image: string): void {
  const paths = text.split(" ").filter((part) => !part.startsWith("--"));
  const to = paths.pop() ?? "";
  const isBuilt = text.startsWith("--from=build");
  for (const path of paths) {
    const from = isBuilt ? path.replace("/sealpost/", "") : path;
    const target = to.endsWith("/") ? join(image, to, from) : join(image, to);
    mkdirSync(dirname(target), { recursive: true });
    const isIgnored = (file: string) => !isBuilt && ignored.some((pattern) => pattern.test(file));
    cpSync(join(root, from), target, { recursive: true, filter: (file) => !isIgnored(file) });
    if (statSync(target).isDirectory()) assert.ok(globSync("**/*", { cwd: target }).length > 0, `${from} is empty`);
  }
}

/** The patterns of `.dockerignore` that begin with two asterisks; the others only say which folders are in the context. */
const ignored = readFileSync(join(root, ".dockerignore"), "utf8")
  .split("\n")
  .filter((line) => line.startsWith("**/"))
  .map((line) => new RegExp(`/${line.slice(3).replaceAll(".", "\\.").replaceAll("*", "[^/]*")}$`));
