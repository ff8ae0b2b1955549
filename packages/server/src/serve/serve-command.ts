import { type Command, InvalidArgumentError, Option } from "commander";
import { type Config, ConfigError } from "../config/config.ts";
import { loadConfig } from "../config/config-files.ts";
import { explainListenFailure } from "../http/listen-failure.ts";
import { pageUrl } from "../instance/page-url.ts";
import { version } from "../instance/version.ts";
import type { Outputs } from "../output/output.ts";
import { systemClock } from "../time/clock.ts";
import { startWatchdog } from "../watchdog/watchdog.ts";
import { isOneOfProcesses, joinProcesses, type Ready, startProcesses } from "./processes.ts";

export interface ServeCommandDependencies {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Opened by this command alone: others fail where they can't write. */
  readonly openOutputs: () => Outputs;
  /** The sentence for the operator. */
  readonly describe: (error: unknown) => string;
  /** Called at each signal that is to end the process. */
  readonly onSignal: (handle: () => void) => void;
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
  readonly exitCodes: string;
}

interface ServeOptions {
  readonly processes: number;
  readonly watchdogMilliseconds?: number;
}

const failed = 1;

/** `sealpost-server serve`, and what happens without a command. */
export function addServeCommand(program: Command, dependencies: ServeCommandDependencies): void {
  const { exitCodes } = dependencies;
  program
    .command("serve", { isDefault: true })
    .description("Start the service. This is what happens without a command.")
    .addOption(
      new Option("--processes <number>", "how many processes serve the port together; PostgreSQL only")
        .argParser(parseProcesses)
        .default(1),
    )
    .addHelpText(
      "after",
      `
Prints one line with its address when it is ready. On an instance without accounts
it also prints how to make the first one.
SIGTERM and SIGINT stop it: open requests and running webhook attempts may end first.
A second signal ends it at once, and loses nothing that was answered.

With --processes a process that ends by itself is started again. One for each core is
a good number; only one service may use a SQLite data folder.

A service that has stood still for 30 seconds, and so answers nobody, ends itself
with 3 and says where it stood. Whatever started it should start it again.

The README lists the settings, all of them SEALPOST_… in the environment.
${exitCodes}
  3  stood still`,
    )
    // For tests, which can't wait as long.
    .addOption(new Option("--watchdog-milliseconds <number>").argParser(Number).hideHelp())
    .action((options: ServeOptions) => serve(options, dependencies));
}

async function serve(options: ServeOptions, given: ServeCommandDependencies): Promise<void> {
  const { processes: count, watchdogMilliseconds } = options;
  const { environment, describe } = given;
  const outputs = given.openOutputs();
  const report = (line: string) => outputs.errors.write(`${line}\n`);
  const exit = (code: number) => {
    void Promise.all([outputs.log.flush(), outputs.errors.flush()]).then(() => given.exit(code));
  };
  const { write } = outputs.log;
  const dependencies: ServingDependencies = { onSignal: given.onSignal, write, report, exit };
  const stopping = listenForSignals(dependencies);
  const config = loadConfig(environment);
  if (count > 1 && config.databaseUrl === undefined)
    throw new ConfigError(["--processes needs SEALPOST_DATABASE_URL: a SQLite database is served by one process"]);
  if (count > 1 && !isOneOfProcesses()) return serveTogether(count, config, stopping, dependencies);
  // Loading the service takes half of the time of every other command.
  const { startService } = await import("../service.ts");
  const output = { write, dropped: () => outputs.log.dropped() + outputs.errors.dropped() };
  const service = await startService({ config, clock: systemClock, output, isAnnounced: false }).catch(
    (error: unknown) => {
      throw explainListenFailure(error, config);
    },
  );
  // Not earlier: a start and its migrations may take as long as they take, and so may the end.
  const watchdog = startWatchdog(watchdogMilliseconds);
  stopping.replace(() => {
    const stopped = watchdog.stop().then(() => service.stop());
    stopped.then(
      () => exit(0),
      (error: unknown) => {
        report(describe(error));
        exit(failed);
      },
    );
  });
  const ready = { url: service.url, setupToken: service.setupToken };
  if (isOneOfProcesses()) await joinProcesses(ready);
  else write(announce(ready, config));
  service.announced();
}

interface ServingDependencies extends Pick<ServeCommandDependencies, "onSignal" | "exit"> {
  readonly write: (text: string) => void;
  readonly report: (line: string) => void;
}

interface Stopping {
  /** Sets the actions of the first and of the second signal from now on. */
  replace(stop: () => void, end?: () => void): void;
}

/**
 * From the first line on: process 1 of a container hears no signal that nobody listens for. During a start there is nothing to
 * let end: nobody was answered, and a start that was broken off is continued by the next one, as after `kill -9`.
 */
function listenForSignals({ onSignal, exit }: ServingDependencies): Stopping {
  let [stop, end] = [() => exit(0), () => exit(failed)];
  let isStopping = false;
  onSignal(() => {
    // The second signal ends at once: leases cover what was in flight. One of many gets a signal at a terminal and from
    // its parent, and the parent ends it.
    if (isStopping && !isOneOfProcesses()) return end();
    if (isStopping) return;
    isStopping = true;
    stop();
  });
  return {
    replace(nextStop, nextEnd = end) {
      [stop, end] = [nextStop, nextEnd];
    },
  };
}

async function serveTogether(
  count: number,
  config: Config,
  stopping: Stopping,
  { write, report, exit }: ServingDependencies,
): Promise<void> {
  if (config.metricsToken !== undefined) {
    const { addUpProcessMetrics } = await import("../metrics/process-metrics.ts");
    addUpProcessMetrics();
  }
  const processes = startProcesses({ count, onReady: (ready) => write(announce(ready, config)), report });
  stopping.replace(processes.stop, () => {
    processes.kill();
    exit(failed);
  });
  exit(await processes.ended);
}

/** One text: who waits for the first line has the second as well. */
function announce({ url, setupToken }: Ready, { signUp }: Config): string {
  const ready = `Sealpost ${version} is ready at ${url}\n`;
  if (setupToken === undefined) return ready;
  const way =
    signUp === "closed"
      ? "Sign-up is closed: create one with sealpost-server account create --email you@example.com"
      : `Create the first one at ${pageUrl(url, "setup")}?token=${setupToken}`;
  return `${ready}There is no account yet. ${way}\n`;
}

function parseProcesses(text: string): number {
  if (!/^[1-9][0-9]?$/.test(text)) throw new InvalidArgumentError("It is a whole number from 1 to 99.");
  return Number(text);
}
