import { Argument, type Command } from "commander";
import type { Context } from "./context.ts";

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

const formatters: Readonly<Record<Shell, (nodes: readonly Node[]) => string>> = {
  bash: formatBash,
  zsh: formatZsh,
  fish: formatFish,
};

export function addCompletionCommand(program: Command, context: Context): void {
  program
    .command("completion")
    .summary("print a script for completion in a shell")
    .description("Prints a script with which a shell completes commands, options and their values. Asks no server.")
    .addArgument(new Argument("<shell>", "which shell").choices(shells))
    .addHelpText(
      "after",
      `
Put into the file with which your shell begins:
  bash  ~/.bashrc                    eval "$(sealpost completion bash)"
  zsh   ~/.zshrc, after compinit  eval "$(sealpost completion zsh)"
  fish  ~/.config/fish/config.fish   sealpost completion fish | source`,
    )
    .action((shell: Shell) => void context.output.write(formatters[shell](nodesOf(program, []))));
}

/** A command, and the words that may follow it. Only words of this program: nothing in them means anything to a shell but `'`. */
interface Node {
  readonly path: readonly string[];
  readonly words: readonly { readonly name: string; readonly summary: string; readonly choices?: readonly string[] }[];
}

function nodesOf(command: Command, path: readonly string[]): readonly Node[] {
  const subcommands = command.commands.map((one) => ({ name: one.name(), summary: one.summary() }));
  const choices = command.registeredArguments.flatMap(({ argChoices = [] }) =>
    argChoices.map((name) => ({ name, summary: "" })),
  );
  const options = [
    ...(path.length > 0 ? globalOptionsOf(command) : []),
    ...command.options,
    { long: "--help", description: "show how it is used", argChoices: undefined },
  ].map(({ long, description, argChoices }) => ({
    name: long ?? "",
    summary: description,
    ...(argChoices && { choices: argChoices }),
  }));
  return [
    { path, words: [...subcommands, ...choices, ...options] },
    ...command.commands.flatMap((one) => nodesOf(one, [...path, one.name()])),
  ];
}

/** The program's own options, which every command takes too. `--version` is of use alone. */
function globalOptionsOf(command: Command): Command["options"] {
  return topOf(command).options.filter(({ long }) => long !== "--version");
}

function topOf(command: Command): Command {
  return command.parent === null ? command : topOf(command.parent);
}

function choicesOf(nodes: readonly Node[]): readonly (readonly [option: string, choices: readonly string[]])[] {
  const found = nodes.flatMap(({ words }) =>
    words.flatMap(({ name, choices }) => (choices ? [[name, choices] as const] : [])),
  );
  return [...new Map(found)];
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The lines of a `case` that finds from the words before the cursor which command they make. */
function steps(nodes: readonly Node[]): string {
  return nodes
    .filter(({ path }) => path.length > 0)
    .map(
      ({ path }) =>
        `      ${quote(`${path.slice(0, -1).join(" ")} ${path.at(-1)}`)}) place=${quote(path.join(" "))} ;;`,
    )
    .join("\n");
}

/** Where nothing of ours fits, file names. Runs in bash 3.2 too, which macOS has. */
function formatBash(nodes: readonly Node[]): string {
  const cases = nodes.map(
    ({ path, words }) => `    ${quote(path.join(" "))}) found=${quote(words.map(({ name }) => name).join(" "))} ;;`,
  );
  const choices = choicesOf(nodes).map(([option, values]) => `    ${option}) found=${quote(values.join(" "))} ;;`);
  return `_sealpost() {
  local word found='' place=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$place $word" in
${steps(nodes)}
    esac
  done
  case "$place" in
${cases.join("\n")}
  esac
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
${choices.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$found" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _sealpost sealpost
`;
}

function formatZsh(nodes: readonly Node[]): string {
  const describe = ({ name, summary }: Node["words"][number]) => quote(`${name.replaceAll(":", "\\:")}:${summary}`);
  const cases = nodes.map(
    ({ path, words }) => `    ${quote(path.join(" "))}) found=(${words.map(describe).join(" ")}) ;;`,
  );
  const choices = choicesOf(nodes).map(
    ([option, values]) => `    ${option}) compadd -- ${values.join(" ")}; return ;;`,
  );
  return `_sealpost() {
  local word place=''
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$place $word" in
${steps(nodes)}
    esac
  done
  case "\${words[CURRENT-1]}" in
${choices.join("\n")}
  esac
  case "$place" in
${cases.join("\n")}
  esac
  _describe sealpost found || _files
}
compdef _sealpost sealpost
`;
}

function formatFish(nodes: readonly Node[]): string {
  return nodes
    .flatMap(({ path, words }) => {
      const below = nodes.filter(
        (node) => node.path.length === path.length + 1 && path.every((word, index) => node.path[index] === word),
      );
      const [seen, unseen] = [path, below.map((node) => node.path.at(-1) ?? "")];
      const condition = [
        ...seen.map((word) => `__fish_seen_subcommand_from ${word}`),
        ...(unseen.length > 0 ? [`not __fish_seen_subcommand_from ${unseen.join(" ")}`] : []),
      ].join("; and ");
      return words.map(({ name, summary, choices }) => {
        const what = name.startsWith("--") ? `-l ${name.slice(2)}` : `-f -a ${name}`;
        const values = choices ? ` -x -a ${quote(choices.join(" "))}` : "";
        return `complete -c sealpost${condition && ` -n ${quote(condition)}`} ${what}${values} -d ${quote(summary)}\n`;
      });
    })
    .join("");
}
