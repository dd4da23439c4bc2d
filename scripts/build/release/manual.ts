import { HELP } from "../../../src/cli/arguments.ts";

type Described = Readonly<{ usage: string; text: string }>;

/** The lines of a section of the help: what is typed, and what it does. Lines of only text belong to the one before. */
function section(title: string): Described[] {
  const [, after = ""] = HELP.split(`\n${title}`);
  const lines = after.slice(after.indexOf("\n") + 1).split(/\n\n|$/)[0] ?? "";
  const described: { usage: string; text: string }[] = [];
  for (const line of lines.split("\n")) {
    const [, usage = "", text = ""] = /^ {2}(\S.*?)(?: {2,}(.*))?$/.exec(line) ?? [];
    const last = described.at(-1);
    if (usage) described.push({ usage, text });
    else if (last) last.text = `${last.text} ${line.trim()}`.trim();
  }
  return described;
}

const commands = () => section("Commands");
const variables = () => section("Environment");

/** The first words of the commands, and all their options. */
function words(): { names: string[]; options: string[] } {
  const names = new Set(commands().map(({ usage }) => usage.split(" ")[0] ?? ""));
  const options = new Set(HELP.match(/--[a-z][a-z-]*/g));
  return { names: [...names].sort(), options: [...options].sort() };
}

const roff = (text: string): string =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replace(/^([.'])/, "\\&$1");

/**
 * The manual page of the command, from its help.
 * @param date - the day of the release, YYYY-MM-DD
 * Format: man-pages(7).
 */
export function manualPage(version: string, date: string): string {
  const list = (entries: readonly Described[]) =>
    entries.flatMap(({ usage, text }) => [".TP", `.B ${roff(usage)}`, roff(text)]);
  return [
    `.TH SLUICE 1 "${date}" "Sluice ${version}" "User Commands"`,
    ".SH NAME",
    `sluice \\- ${roff("a gateway in front of every AI provider")}`,
    ".SH SYNOPSIS",
    ".B sluice",
    "[command]",
    ".SH COMMANDS",
    ...list(commands()),
    ".SH ENVIRONMENT",
    ...list(variables()),
    ".SH SEE ALSO",
    "The gateway serves its documentation under /docs.",
    "",
  ].join("\n");
}

/** The completions of shells, by the file's name. */
export function completions(): Record<"sluice.bash" | "_sluice" | "sluice.fish", string> {
  const { names, options } = words();
  const described = commands().filter(({ usage }, at, all) => {
    const [name] = usage.split(" ");
    return all.findIndex((other) => other.usage.split(" ")[0] === name) === at;
  });
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  return {
    "sluice.bash": `_sluice() {
  local word=\${COMP_WORDS[COMP_CWORD]}
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "${options.join(" ")}" -- "$word"))
  elif ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W "${names.join(" ")}" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -F _sluice sluice
`,
    _sluice: `#compdef sluice
_arguments '1:command:((${described.map(({ usage, text }) => `${usage.split(" ")[0]}\\:${zshText(text)}`).join(" ")}))' '*:file:_files' \\
${options.map((option) => `  '${option}'`).join(" \\\n")}
`,
    "sluice.fish": [
      ...described.map(
        ({ usage, text }) => `complete -c sluice -n __fish_use_subcommand -a ${usage.split(" ")[0]} -d ${quoted(text)}`,
      ),
      ...options.map((option) => `complete -c sluice -l ${option.slice(2)}`),
      "",
    ].join("\n"),
  };
}

const zshText = (text: string): string => `"${text.replaceAll(/["`$\\:]/g, " ").replaceAll("'", "’")}"`;
