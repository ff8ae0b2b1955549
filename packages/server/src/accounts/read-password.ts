import { createInterface } from "node:readline/promises";
import type { ReadStream, WriteStream } from "node:tty";

/** The first line of the input; at a terminal asked for twice. Without an output nothing typed is shown. */
export async function readPassword(
  input: NodeJS.ReadableStream & Partial<Pick<ReadStream, "isTTY">>,
  questions: Pick<WriteStream, "write">,
): Promise<string> {
  const isTerminal = input.isTTY === true;
  const lines = createInterface({ input, terminal: isTerminal });
  lines.on("SIGINT", () => lines.close());
  const reader = lines[Symbol.asyncIterator]();
  const ask = async (question: string): Promise<string> => {
    if (isTerminal) questions.write(question);
    const { value, done } = await reader.next();
    if (isTerminal) questions.write("\n");
    if (done === true) throw new Error("A password is needed: type it, or send it on standard input");
    // Some editors and shells begin a text with a byte order mark, which no keyboard has: nobody could type such a password.
    return value.startsWith("\uFEFF") ? value.slice(1) : value;
  };
  try {
    const password = await ask("Password: ");
    if (isTerminal && (await ask("The same again: ")) !== password) throw new Error("The two passwords differ");
    return password;
  } finally {
    lines.close();
  }
}
