import { registerHooks } from "node:module";
import { BroadcastChannel as Channel } from "node:worker_threads";

// For tests that import, by `import()` afterwards, modules of the app which need a page: no worker runs, and no channel keeps the process.

registerHooks({
  resolve(specifier, context, next) {
    if (!specifier.endsWith("?worker&url")) return next(specifier, context);
    return { url: "data:text/javascript,export default ''", shortCircuit: true };
  },
});

class PassingChannel extends Channel {
  constructor(name: string) {
    super(name);
    this.unref();
  }
}

Object.assign(globalThis, { window: globalThis, BroadcastChannel: PassingChannel });
