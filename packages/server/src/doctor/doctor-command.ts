import type { Command } from "commander";
import { loadConfig } from "../config/config-files.ts";
import type { Clock } from "../time/clock.ts";
import type { Finding } from "./finding.ts";

export interface DoctorCommandDependencies {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly print: (line: string) => void;
  /** Called when there is a problem, once all is printed. */
  readonly fail: () => void;
}

/** `sealpost-server doctor`. */
export function addDoctorCommand(
  program: Command,
  { environment, clock, print, fail }: DoctorCommandDependencies,
): void {
  program
    .command("doctor")
    .description("Look for what is wrong with an instance, and say what to do about it.")
    .option("--webhook <url>", "also whether a receiver at this URL can be reached; nothing is sent to it")
    .option("--json", "print the findings as one JSON array")
    .addHelpText(
      "after",
      `
Looks at the settings, the clock, the disk, the data folder's permissions, the database
and its tables, the service, the public URL with its certificate and its proxy, at the
mail server, and at who may sign up. Changes nothing, and works whether the service
runs or not. Run it as the user of the service and with its settings.

Exit codes:
  0  nothing is wrong; there may be warnings
  1  there is a problem
  2  wrong arguments or configuration

Example:
  sealpost-server doctor --webhook https://example.com/hook`,
    )
    .action(async ({ webhook, json }: { webhook?: string; json?: true }) => {
      const { examine } = await import("./doctor.ts");
      const findings = await examine({ config: loadConfig(environment), clock, webhook });
      if (json) print(JSON.stringify(findings));
      else for (const line of report(findings)) print(line);
      if (count(findings, "problem") > 0) fail();
    });
}

function report(findings: readonly Finding[]): readonly string[] {
  const lines = findings.flatMap((finding) => [
    `${finding.level.padEnd(8)} ${finding.check}: ${finding.message}`,
    ...(finding.level === "ok" ? [] : [`         → ${finding.remedy}`]),
  ]);
  return [...lines, `Problems: ${count(findings, "problem")}, warnings: ${count(findings, "warning")}`];
}

function count(findings: readonly Finding[], level: Finding["level"]): number {
  return findings.filter((finding) => finding.level === level).length;
}
