#!/usr/bin/env node
// How the installed program starts. Nothing is loaded before it is clear that this Node.js can: an older one would end half-way
// with a stack trace of something that it does not know.
const oldest = 22;
if (Number.parseInt(process.versions.node, 10) >= oldest) await import("./main.ts");
else {
  process.stderr.write(
    `sealpost needs Node.js ${oldest} or newer, and this is Node.js ${process.versions.node}: install a newer one (https://nodejs.org)\n`,
  );
  process.exitCode = 2;
}
