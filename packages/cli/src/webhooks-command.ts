import type { Command } from "commander";
import type { Context } from "./context.ts";
import { addListenCommand } from "./listen-command.ts";
import { addOpenCommand } from "./open-command.ts";

export function addWebhooksCommands(program: Command, context: Context, version: string): void {
  const webhooks = program
    .command("webhooks")
    .summary("try a receiver on this machine, and open what it was sent")
    .description("Brings a form's events to this machine, without a public address, and opens their bodies.");
  addListenCommand(webhooks, context, version);
  addOpenCommand(webhooks, context);
}
