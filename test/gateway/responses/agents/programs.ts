/** The coding agents that tests run where they are installed, set up by the console's snippets. */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recordOf } from "../../../../src/formats/json.ts";
import { type SnippetName, snippetOf } from "../../../../ui/lib/snippets/snippets.ts";
import { type Answer, PLAIN, type Sent } from "../../../contracts/matrix/conversation.ts";
import { until } from "../../../support/lib/until.ts";

export const OVER_WEBSOCKET = "Codex over WebSocket";

export type Agent = Readonly<{
  command: string;
  args: readonly string[];
  /** Arguments of the command that signs in, from the snippet. */
  signIn?: (snippet: string) => readonly string[];
  /** Its conversation in a terminal, with the question as its first message. */
  chatArgs?: readonly string[];
  /** What the console's snippet for it becomes, as files in its home. Variables that the snippet exports are set besides. */
  files: (snippet: string) => Readonly<Record<string, string>>;
  snippet: SnippetName;
}>;

const QUESTION = "Write the file made.txt.";
export const LIMITS = { contextWindow: 200_000, outputLimit: 32_000 };
/** Without substitution, which Gemini CLI refuses. */
const COMMAND = "expr 6 '*' 7 > made.txt && echo done by the shell";

export const codex = (settings: string): Agent => ({
  command: "codex",
  args: ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", QUESTION],
  snippet: "codex",
  files: (snippet) => ({ ".codex/config.toml": `${snippet}\n${settings}` }),
});

/** Knows the model by the gateway's list alone, which Codex reads where its key comes from a command. */
export const CODEX_BY_LIST: Agent = {
  ...codex(""),
  files: (snippet) => ({
    ".codex/config.toml": `${snippet.replace(/^(env_key|model_context_window) .*\n/gm, "")}
auth = { command = "printenv", args = ["SLUICE_KEY"] }`,
  }),
};

export const AGENTS: Readonly<Record<string, Agent>> = {
  "Claude Code": {
    command: "claude",
    args: ["--print", "--allowedTools", "Bash", "--", QUESTION],
    snippet: "claudeCode",
    files: () => ({}),
  },
  Codex: codex(""),
  [OVER_WEBSOCKET]: codex("supports_websockets = true"),
  "Gemini CLI": {
    command: "gemini",
    args: ["--yolo", "--skip-trust", "--prompt", QUESTION],
    chatArgs: ["--yolo", "--skip-trust", "--screen-reader", "--prompt-interactive", QUESTION],
    snippet: "geminiCli",
    files: (snippet) => ({ ".gemini/settings.json": /^\{$.*?^\}$/ms.exec(snippet)?.[0] ?? "" }),
  },
  opencode: {
    command: "opencode",
    args: ["run", QUESTION],
    snippet: "openCode",
    files: (snippet) => ({ "opencode.json": snippet }),
  },
  "Copilot CLI": {
    command: "copilot",
    args: ["--allow-all-tools", "--prompt", QUESTION],
    snippet: "copilotCli",
    files: () => ({}),
  },
  "Qwen Code": {
    command: "qwen",
    args: ["--yolo", QUESTION],
    snippet: "qwenCode",
    files: (snippet) => ({ ".qwen/settings.json": /^# (\{.*)$/m.exec(snippet)?.[1] ?? "" }),
  },
  Cline: {
    command: "cline",
    signIn: (snippet) => /^# In a terminal: cline (.*)$/m.exec(snippet)?.[1]?.split(" ") ?? [],
    args: [QUESTION],
    snippet: "cline",
    files: () => ({}),
  },
  Kilo: {
    command: "kilo",
    args: ["run", "--auto", QUESTION],
    snippet: "kiloCode",
    files: (snippet) => ({ "kilo.json": snippet }),
  },
  Continue: {
    command: "cn",
    args: ["--print", "--auto", "--config", ".continue/config.yaml", QUESTION],
    snippet: "continueDev",
    files: (snippet) => ({ ".continue/config.yaml": snippet }),
  },
  pi: {
    command: "pi",
    args: ["--print", "--provider", "sluice", QUESTION],
    snippet: "piAgent",
    files: (snippet) => ({ ".pi/agent/models.json": snippet }),
  },
};

/** Formats of upstreams: chat alone, as most servers that imitate OpenAI have it, and those of the labs. */
export const FAMILIES = ["openai-responses", "openai-chat", "anthropic", "gemini"] as const;

/** A call of the first tool that runs commands; null: the agent has none. */
export function callShell({ tools }: Sent, commandLine: string): Answer | null {
  const shell = tools.find(({ name }) =>
    /^(bash|shell|shell_command|exec_command|run_shell_command|run_commands)$/i.test(name),
  );
  if (!shell) return null;
  const { cmd, command, commands } = recordOf(recordOf(shell.schema)?.properties) ?? {};
  const line = recordOf(command)?.type === "array" ? ["bash", "-c", commandLine] : commandLine;
  const argument = commands ? { commands: [commandLine] } : { [cmd ? "cmd" : "command"]: line };
  const input = { ...argument, description: "Runs a command" };
  return { ...PLAIN, text: "", calls: [{ name: shell.name, input }], finish: "tool_calls" };
}

/** Asks for the command; once its result is there, gives the answer. */
export const answerTo = (sent: Sent): Answer => (sent.results.length > 0 ? null : callShell(sent, COMMAND)) ?? PLAIN;

const homes: string[] = [];
/** Removes the homes of agents that have ended, with what these have left running, such as Cline's hub. */
export async function removeHomes() {
  for (const home of homes.splice(0)) {
    for (const pid of await readdir("/proc").catch(() => [])) {
      const environment = await Bun.file(`/proc/${pid}/environ`)
        .text()
        .catch(() => "");
      if (environment.includes(`HOME=${home}\0`)) process.kill(Number(pid), "SIGKILL");
    }
    await rm(home, { recursive: true, force: true });
  }
}

/** A new home for an agent that is set up as the snippet says, and the environment to run it in. */
async function prepare(agent: Agent, access: Parameters<typeof snippetOf>[1]) {
  const home = await mkdtemp(join(tmpdir(), "sluice-agent-"));
  homes.push(home);
  const snippet = snippetOf(agent.snippet, access);
  for (const [file, text] of Object.entries(agent.files(snippet))) await Bun.write(join(home, file), text);
  const exported = [...snippet.matchAll(/export (\w+)=(.*)/g)].map(([, variable, value]) => [variable, value]);
  const env = { PATH: process.env.PATH, HOME: home, ...Object.fromEntries(exported) };
  return { home, env };
}

/** Runs an agent in a new home. Resolves when it has ended. */
export async function run(agent: Agent, path: string, access: Parameters<typeof snippetOf>[1]) {
  const { home, env } = await prepare(agent, access);
  const signIn = agent.signIn?.(snippetOf(agent.snippet, access));
  if (signIn) await Bun.spawn([path, ...signIn], { cwd: home, env, stdio: ["ignore", "ignore", "ignore"] }).exited;
  const child = Bun.spawn([path, ...agent.args], { cwd: home, env, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  const [output, errors] = await Promise.all([
    Bun.readableStreamToText(child.stdout),
    Bun.readableStreamToText(child.stderr),
  ]);
  return { code: await child.exited, home, output, errors };
}

/** Keys are typed with pauses, so that a terminal program does not take them for pasted text. */
const BETWEEN_KEYS_MS = 500;

/**
 * Has an agent answer the question in a terminal, and then `message`, which is typed once `isAnswered()`. Resolves when
 * `isDone()`; rejects if that takes too long.
 */
export async function converse(
  agent: Agent,
  path: string,
  access: Parameters<typeof snippetOf>[1],
  { message, isAnswered, isDone }: Readonly<{ message: string; isAnswered: () => boolean; isDone: () => boolean }>,
) {
  const { home, env } = await prepare(agent, access);
  let screen = "";
  const decoder = new TextDecoder();
  const terminal = {
    ...{ cols: 120, rows: 40 },
    data(_: unknown, bytes: Uint8Array) {
      screen += decoder.decode(bytes, { stream: true });
    },
  };
  const child = Bun.spawn([path, ...(agent.chatArgs ?? [])], {
    cwd: home,
    env: { ...env, TERM: "xterm-256color" },
    terminal,
  });
  try {
    await until(() => isAnswered() && screen.includes(PLAIN.text));
    for (const keys of [message, "\r"]) {
      await Bun.sleep(BETWEEN_KEYS_MS);
      child.terminal?.write(keys);
    }
    await until(isDone);
  } finally {
    child.kill("SIGKILL");
    await child.exited;
  }
}
