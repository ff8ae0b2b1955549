import type { Config } from "../config/config.ts";

/** A sentence for the operator when `error` says that the service cannot listen where it should; else the error itself. */
export function explainListenFailure(error: unknown, { host, port }: Pick<Config, "host" | "port">): unknown {
  if (!(error instanceof Error)) return error;
  const { code, syscall, hostname } = error as NodeJS.ErrnoException & { readonly hostname?: string }; // each may be absent
  // A process of several binds its port through the first one.
  const isListening = syscall === "listen" || syscall === "bind";
  const isLookup = syscall === "getaddrinfo" && hostname === host;
  const explanation = isListening ? explain(code, host, port) : isLookup ? unknownHost(host) : undefined;
  return explanation === undefined ? error : new Error(explanation, { cause: error });
}

function explain(code: string | undefined, host: string, port: number): string | undefined {
  switch (code) {
    case "EADDRINUSE":
      return `Port ${port} of ${host} is in use: end the program that has it, or name another port with SEALPOST_PORT`;
    case "EACCES":
      return `This user may not open port ${port}: name one above 1023 with SEALPOST_PORT, and put a proxy before it`;
    case "EADDRNOTAVAIL":
      return `This machine has no address ${host}: name one of its own with SEALPOST_HOST`;
    default:
      return undefined;
  }
}

function unknownHost(host: string): string {
  return `There is no address for the host ${host}: name an address of this machine with SEALPOST_HOST`;
}
