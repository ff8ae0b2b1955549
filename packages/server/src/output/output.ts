import { fstatSync, writeSync } from "node:fs";
import { isatty } from "node:tty";

/**
 * Standard output or standard error of a service. A line that can't be written (the disk is full, the reader stands still or has
 * gone) is dropped and counted: the service never waits for its log, and never ends because of it.
 */
export interface Output {
  /** Writes one or more whole lines. Never throws, and never waits. */
  write(text: string): void;
  /** How many lines were dropped so far. */
  dropped(): number;
  /** Waits until what was taken has been written, for a second at most. */
  flush(): Promise<void>;
}

/** The part that is used of the streams of a process. */
export interface OutputStream {
  readonly fd: number;
  readonly writableLength: number;
  write(text: string, done: (error?: Error | null) => void): boolean;
  on(event: "error", listener: () => void): unknown;
}

export interface OutputOptions {
  /** The line that says how many are missing, once lines can be written again. */
  readonly describeDropped: (count: number) => string;
}

/** More than a pipe holds, so that a reader may be away for a moment; then memory must not grow. */
const waitingBytesMax = 1_048_576;
const flushMilliseconds = 1000;

export function createOutput(stream: OutputStream, { describeDropped }: OutputOptions): Output {
  const isFile = isFileOrDevice(stream.fd);
  let dropped = 0;
  let unsaid = 0;
  let waiting = 0;
  let whenWritten: (() => void) | undefined;
  /** A line was cut off where the disk was full. */
  let isBroken = false;
  const drop = (text: string) => {
    const lines = countLines(text);
    dropped += lines;
    unsaid += lines;
  };
  // Warnings of Node.js, which go to the stream directly, must not end the process either.
  stream.on("error", () => undefined);

  /** A regular file or a device: it never makes anybody wait, and what fails fails at once. */
  function writeToFile(text: string): boolean {
    const bytes = Buffer.from(isBroken ? `\n${text}` : text);
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(stream.fd, bytes, written);
      isBroken = false;
      return true;
    } catch {
      isBroken ||= written > 0;
      return false;
    }
  }

  /** A pipe, a socket or a terminal, which Node.js writes to without waiting, from a queue of its own. */
  function writeToStream(text: string): boolean {
    if (stream.writableLength > waitingBytesMax) return false;
    waiting += 1;
    stream.write(text, (error) => {
      if (error) drop(text);
      waiting -= 1;
      if (waiting === 0) whenWritten?.();
    });
    return true;
  }

  const put = isFile ? writeToFile : writeToStream;
  return {
    write(text) {
      const count = unsaid;
      // While a reader is away the queue is full most of the time: said only once there is room for more than one line.
      if (count > 0 && stream.writableLength <= waitingBytesMax / 2 && put(describeDropped(count))) unsaid -= count;
      if (!put(text)) drop(text);
    },
    dropped: () => dropped,
    async flush() {
      if (waiting === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      whenWritten = resolve;
      const timer = setTimeout(resolve, flushMilliseconds);
      await promise;
      clearTimeout(timer);
    },
  };
}

function countLines(text: string): number {
  return text.trimEnd().split("\n").length;
}

function isFileOrDevice(descriptor: number): boolean {
  try {
    const kind = fstatSync(descriptor);
    return kind.isFile() || (kind.isCharacterDevice() && !isatty(descriptor));
  } catch {
    return false;
  }
}

/** Standard output and standard error of the service. */
export interface Outputs {
  readonly log: Output;
  readonly errors: Output;
}

export function openOutputs(output: OutputStream, errors: OutputStream): Outputs {
  return {
    log: createOutput(output, {
      describeDropped: (dropped) =>
        `${JSON.stringify({ level: 40, time: Date.now(), dropped, msg: "lines of the log could not be written" })}\n`,
    }),
    errors: createOutput(errors, {
      describeDropped: (dropped) => `${dropped} lines could not be written\n`,
    }),
  };
}
