/** The limit: Node's own HTTP server, which reads the body, parses the JSON and answers what the service would. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { id } = JSON.parse(Buffer.concat(chunks).toString());
    const body = JSON.stringify({ success: true, submission: { id, timestamp: Date.now(), receivedAt: Date.now() } });
    response
      .writeHead(201, { "content-type": "application/json", "content-length": Buffer.byteLength(body) })
      .end(body);
  });
});
server.listen(0, "127.0.0.1", () => console.log(`ready at http://127.0.0.1:${(server.address() as AddressInfo).port}`)); // TCP
