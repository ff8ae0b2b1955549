import type { Command } from "commander";
import { connectWithSession } from "./connection.ts";
import { type Context, say } from "./context.ts";
import { counted } from "./counted.ts";
import { formatJson, formatTable, formatTime } from "./table.ts";

interface JsonOption {
  readonly json?: boolean;
}

export function addSessionsCommands(program: Command, context: Context): void {
  const sessions = program
    .command("sessions")
    .summary("list and end the sessions in which you are signed in")
    .description("Shows where you are signed in, and signs you out there. Needs a session (`sealpost login`).");

  sessions
    .command("list")
    .summary("list where you are signed in")
    .description("Lists your sessions, the newest first, with a coarse name of the browser.")
    .option("--json", "print the sessions as a JSON array, as the API shows them")
    .action((options: JsonOption) => listSessions(context, options));

  sessions
    .command("end")
    .summary("end one session at once")
    .description("Ends a session: its next request is refused. API keys stay valid.")
    .argument("<session-id>", "id of the session")
    .action((id: string) => endSession(context, id));

  sessions
    .command("end-others")
    .summary("end all sessions except this one")
    .description("Ends all of your sessions except this one, for example after losing a device. API keys stay valid.")
    .action(() => endOthers(context));
}

async function listSessions(context: Context, { json }: JsonOption): Promise<void> {
  const { output, signal } = context;
  const { client } = await connectWithSession(context);
  const { sessions } = await client.sessions.list({ signal, retry: true });
  if (json) return void output.write(`${formatJson(sessions, 2)}\n`);
  const rows = sessions.map(({ id, browser, system, createdAt, lastUsedAt, expiresAt, current }) => [
    ...[id, browser ?? "", system ?? "", formatTime(createdAt)],
    ...[formatTime(lastUsedAt), formatTime(expiresAt), current ? "yes" : "no"],
  ]);
  output.write(formatTable(["ID", "BROWSER", "SYSTEM", "SINCE", "LAST USED", "ENDS", "CURRENT"], rows));
}

async function endSession(context: Context, id: string): Promise<void> {
  const { signal } = context;
  const { client } = await connectWithSession(context);
  await client.sessions.end(id, { signal });
  say(context, "The session has ended.");
}

async function endOthers(context: Context): Promise<void> {
  const { signal } = context;
  const { client } = await connectWithSession(context);
  const ended = await client.sessions.endOthers({ signal });
  say(context, `${counted(ended, "other session has", "other sessions have")} ended.`);
}
