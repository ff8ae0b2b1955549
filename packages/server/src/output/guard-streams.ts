/** The part that is used of the streams of a process. */
interface Stream {
  on(event: "error", listener: (error: NodeJS.ErrnoException) => void): unknown;
}

export interface GuardedStreams {
  readonly stdout: Stream;
  readonly stderr: Stream & { write(text: string): unknown };
  /** Called where something can't be written. */
  readonly fail: () => void;
}

/**
 * Without a listener a reader that leaves early (`| head`), or a full disk, would end a command with a stack trace in the middle of its
 * work. It continues: who has left wants to know nothing more, and elsewhere a line says that the output is not whole.
 */
export function guardStreams({ stdout, stderr, fail }: GuardedStreams): void {
  let isSaid = false;
  stderr.on("error", () => undefined);
  stdout.on("error", (error) => {
    if (error.code === "EPIPE" || isSaid) return;
    isSaid = true;
    fail();
    stderr.write(`The output can't be written, but the command continues: ${error.message}\n`);
  });
}
