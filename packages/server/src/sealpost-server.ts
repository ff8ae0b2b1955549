#!/usr/bin/env node
// How the built service starts. Nothing is loaded before it is clear that this Node.js can: an older one would end with a
// stack trace of something that it does not know.
const oldest = 26;
if (Number.parseInt(process.versions.node, 10) >= oldest) await import("./main.ts");
else {
  process.stderr.write(
    `sealpost-server needs Node.js ${oldest} or newer, and this is Node.js ${process.versions.node}. ` +
      `Install a newer one (https://nodejs.org), or let npm bring it: npx --yes -p node@${oldest} -p ./sealpost-server-VERSION.tgz sealpost-server, with the file of the release\n`,
  );
  // As for wrong settings, which do not become right by starting again.
  process.exitCode = 2;
}
