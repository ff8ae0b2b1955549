/** An empty Fastify route that parses the same JSON and answers the same: what the framework alone costs. */
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

// Fastify belongs to the server package, so it is looked up from there.
const require = createRequire(fileURLToPath(new URL("../../packages/server/package.json", import.meta.url)));
const { default: Fastify } = (await import(require.resolve("fastify"))) as typeof import("fastify");
const app = Fastify({ bodyLimit: 1_048_576 });
app.post("/*", async (request, reply) => {
  const { id } = request.body as { id: string }; // what this benchmark sends
  reply.status(201);
  return { success: true, submission: { id, timestamp: Date.now(), receivedAt: Date.now() } };
});
console.log(`ready at ${await app.listen({ port: 0, host: "127.0.0.1" })}`);
