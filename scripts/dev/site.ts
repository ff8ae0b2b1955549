import { createServer, type ServerResponse } from "node:http";
import type { Client } from "@sealpost/sdk";
import { createDemoPage } from "../demo/page.ts";
import { escapeHtml } from "../documentation/render.ts";
import { listen } from "./front.ts";

export interface Site {
  /** Every open page loads itself again, with what was typed into it. */
  reload(): void;
  close(): void;
}

/** Runs in the page. What a visitor typed stays over a reload. */
const liveReload = `<script>
  const kept = "typed at " + location.pathname;
  const inputs = () => [...document.querySelectorAll("input[name], textarea[name], select[name]")];
  for (const [place, value] of JSON.parse(sessionStorage.getItem(kept) ?? "[]").entries()) {
    const input = inputs()[place];
    if (input?.type === "checkbox" || input?.type === "radio") input.checked = value;
    else if (input) input.value = value;
  }
  sessionStorage.removeItem(kept);
  new EventSource("/changes").addEventListener("change", () => {
    const typed = inputs().map((input) => (/checkbox|radio/.test(input.type) ? input.checked : input.value));
    sessionStorage.setItem(kept, JSON.stringify(typed));
    location.reload();
  });
</script>
`;

/** Pages of another origin than the service, with the current embed code of each form of the account. */
export async function startSite(client: Client, port: number): Promise<Site> {
  const listeners = new Set<ServerResponse>();
  const server = createServer((request, response) => {
    const path = request.url?.split("?")[0] ?? "/";
    if (path === "/changes") {
      response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-store" }).flushHeaders();
      listeners.add(response);
      return void response.on("close", () => listeners.delete(response));
    }
    createPage(client, path.slice(1)).then(
      (html) => response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end(html),
      (error: Error) => response.writeHead(404, { "content-type": "text/plain; charset=utf-8" }).end(error.message),
    );
  });
  await listen(server, port);
  return {
    reload() {
      for (const response of listeners) response.write("event: change\ndata:\n\n");
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function createPage(client: Client, formId: string): Promise<string> {
  if (formId !== "") {
    const { embedCode, name, settings } = await client.forms.get(formId);
    return createDemoPage(embedCode, { title: escapeHtml(name), isSealed: settings.encryption, more: liveReload });
  }
  const { forms } = await client.forms.list({ limit: 100 });
  const items = forms.map(({ id, name }) => `<li><a href="/${id}">${escapeHtml(name)}</a></li>`).join("\n");
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Forms</title></head>
<body><main><h1>Forms</h1><ul>
${items}
</ul></main></body>
</html>
`;
}
