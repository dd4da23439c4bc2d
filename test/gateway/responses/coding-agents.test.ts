/**
 * The coding agents themselves, where they are installed (npm: @anthropic-ai/claude-code, @google/gemini-cli, @openai/codex,
 * opencode-ai), set up by the console's snippets, on upstreams of every format: each runs a command that the model asks for, and
 * reports its answer.
 */
import { afterEach, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { recordOf } from "../../../src/formats/json.ts";
import { type SnippetName, snippetOf } from "../../../ui/features/tokens/snippets.ts";
import { type Answer, PLAIN, type Sent } from "../../contracts/matrix/conversation.ts";
import { upstreams } from "../../contracts/matrix/upstreams/index.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../support/gateway/start-upstream.ts";

const OVER_WEBSOCKET = "Codex over WebSocket";

type Agent = Readonly<{
  command: string;
  args: readonly string[];
  /** What the console's snippet for it becomes, as files in its home. Variables that the snippet exports are set besides. */
  files: (snippet: string) => Readonly<Record<string, string>>;
  snippet: SnippetName;
}>;

const QUESTION = "Write the file made.txt.";
const LIMITS = { contextWindow: 200_000, outputLimit: 32_000 };
/** Without substitution, which Gemini CLI refuses. */
const COMMAND = "expr 6 '*' 7 > made.txt && echo done by the shell";

const codex = (settings: string): Agent => ({
  command: "codex",
  args: ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", QUESTION],
  snippet: "codex",
  files: (snippet) => ({ ".codex/config.toml": `${snippet}\n${settings}` }),
});

const AGENTS: Readonly<Record<string, Agent>> = {
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
    snippet: "geminiCli",
    files: (snippet) => ({ ".gemini/settings.json": /^# (\{.*)$/m.exec(snippet)?.[1] ?? "" }),
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
    args: [QUESTION],
    snippet: "cline",
    files: (snippet) => ({ ".cline/data/settings/providers.json": clineSettings(snippet) }),
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

/** What `cline auth` stores of the values in the snippet. */
function clineSettings(snippet: string): string {
  const lineOf = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(snippet)?.[1];
  const provider = "openai-compatible";
  const settings = {
    ...{ provider, apiKey: lineOf("OpenAI Compatible API Key"), model: lineOf("Model ID") },
    baseUrl: lineOf("Base URL"),
  };
  return JSON.stringify({ version: 1, lastUsedProvider: provider, modes: {}, providers: { [provider]: { settings } } });
}

const FAMILIES = ["openai-responses", "openai-chat", "anthropic", "gemini"] as const;
const RUNS = Object.keys(AGENTS).flatMap((agent) => FAMILIES.map((family) => [agent, family] as const));

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

/** Asks for the command by the first tool that runs one; once its result is there, gives the answer. */
function answerTo({ tools, results }: Sent): Answer {
  const shell = tools.find(({ name }) => /^(bash|shell|shell_command|exec_command|run_shell_command)$/i.test(name));
  if (!shell || results.length > 0) return PLAIN;
  const { cmd, command } = recordOf(recordOf(shell.schema)?.properties) ?? {};
  const line = recordOf(command)?.type === "array" ? ["bash", "-c", COMMAND] : COMMAND;
  const input = { [cmd ? "cmd" : "command"]: line, description: "Writes the file" };
  return { ...PLAIN, text: "", calls: [{ name: shell.name, input }], finish: "tool_calls" };
}

/** Runs an agent in a new home that is set up as the snippet says. Resolves when it has ended. */
async function run(agent: Agent, path: string, access: Parameters<typeof snippetOf>[1]) {
  const home = await mkdtemp(join(tmpdir(), "sluice-agent-"));
  stops.push(() => rm(home, { recursive: true, force: true }));
  const snippet = snippetOf(agent.snippet, access);
  for (const [file, text] of Object.entries(agent.files(snippet))) await Bun.write(join(home, file), text);
  const exported = [...snippet.matchAll(/export (\w+)=(.*)/g)].map(([, variable, value]) => [variable, value]);
  const child = Bun.spawn([path, ...agent.args], {
    cwd: home,
    env: { PATH: process.env.PATH, HOME: home, ...Object.fromEntries(exported) },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, errors] = await Promise.all([
    Bun.readableStreamToText(child.stdout),
    Bun.readableStreamToText(child.stderr),
  ]);
  return { code: await child.exited, home, output, errors };
}

for (const [name, agent] of Object.entries(AGENTS)) {
  const path = Bun.which(agent.command);
  test.if(path !== null)(`${name} says that the quota of the key is used up, and ends`, async () => {
    const relay = startRelay({ channels: [], tokens: { test: { status: 4 } } });
    stops.push(relay.stop);
    const { code, output, errors } = await run(agent, path ?? "", {
      baseUrl: `${relay.url}/v1`,
      key: "sk-test",
      model: "gpt-5",
    });
    expect(code).not.toBe(0);
    expect(output + errors).toContain("is used up");
  });
}

for (const [name, family] of RUNS) {
  const agent = AGENTS[name];
  const path = agent && Bun.which(agent.command);
  test.if(Boolean(path))(`${name} runs what ${family} asks for, and is charged for each call once`, async () => {
    if (!agent || !path) throw new Error("it is not installed");
    const { type, model, key, speak, read, isStream } = upstreams[family];
    const upstream = startUpstream(({ path, text, headers }) => {
      if (family === "openai-chat" && path === "/v1/responses")
        return new Response("404 page not found", { status: 404 });
      const body = recordOf(JSON.parse(text)) ?? {};
      return speak(answerTo(read(body)), isStream(path, body, headers));
    });
    const relay = startRelay({
      channels: [{ type, baseUrl: upstream.url, keys: [key], models: [model] }],
      options: { ModelRatio: JSON.stringify({ [model]: 1 }) },
    });
    stops.push(upstream.stop, relay.stop);
    const { code, home, output } = await run(agent, path, {
      baseUrl: `${relay.url}/v1`,
      key: "sk-test",
      model,
      ...LIMITS,
    });
    expect(code).toBe(0);
    expect(output).toContain(PLAIN.text);
    expect(await Bun.file(join(home, "made.txt")).text()).toBe("42\n");
    const answered = upstream.received.filter(({ path }) => !(family === "openai-chat" && path === "/v1/responses"));
    const results = answered.flatMap(({ text }) => read(recordOf(JSON.parse(text)) ?? {}).results);
    expect(results.map(({ text }) => text).join()).toContain("done by the shell");
    expect(relay.billing.records).toHaveLength(answered.length);
    expect(relay.billing.openHolds).toBe(0);
    expect(relay.openedSockets() > 0).toBe(name === OVER_WEBSOCKET);
    // Calls without tools, such as those for a title, are in none where the agent names no session.
    const sessions = new Set(relay.billing.records.flatMap(({ other }) => other.agent_session?.id ?? []));
    expect(sessions.size).toBe(1);
    expect([...sessions][0]).toMatch(/^[\w-]{8,}$/);
  });
}

const claude = Bun.which("claude");
test.if(claude !== null)(
  "sub-agents of Claude Code are in its session, each below the one that started it",
  async () => {
    const { type, model, key, speak, read, isStream } = upstreams.anthropic;
    const input = { description: "count", prompt: "Count the files with an agent.", subagent_type: "general-purpose" };
    const start: Answer = { ...PLAIN, text: "", calls: [{ name: "Agent", input }], finish: "tool_calls" };
    // Each agent starts another, until Claude Code offers the tool no more.
    const upstream = startUpstream(({ path, text, headers }) => {
      const body = recordOf(JSON.parse(text)) ?? {};
      const { tools, results } = read(body);
      const canStart = results.length === 0 && tools.some(({ name }) => name === "Agent");
      return speak(canStart ? start : PLAIN, isStream(path, body, headers));
    });
    const relay = startRelay({
      channels: [{ type, baseUrl: upstream.url, keys: [key], models: [model] }],
      options: { ModelRatio: JSON.stringify({ [model]: 1 }) },
    });
    stops.push(upstream.stop, relay.stop);
    const args = ["--print", "--allowedTools", "Agent", "--", "Count the files with an agent."];
    const agent: Agent = { command: "claude", args, snippet: "claudeCode", files: () => ({}) };
    const { code } = await run(agent, claude ?? "", { baseUrl: `${relay.url}/v1`, key: "sk-test", model });
    expect(code).toBe(0);
    const calls = relay.billing.records.flatMap(({ other }) => other.agent_session ?? []);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(1);
    const parents = new Map(calls.flatMap(({ agent: id, parent }) => (id ? [[id, parent ?? ""]] : [])));
    expect(parents.size).toBeGreaterThan(1);
    // The first was started by the agent of the session, each further one by another sub-agent.
    expect([...parents.values()].filter((parent) => parent === "")).toHaveLength(1);
    for (const parent of parents.values()) expect(parent === "" || parents.has(parent)).toBe(true);
    // Each but the last sends the result of the agent that it started.
    expect(calls.filter(({ tools }) => tools?.includes("Agent"))).toHaveLength(parents.size);
  },
);

const codexPath = Bun.which("codex");
test.if(codexPath !== null).each([false, true])(
  "a sub-agent of Codex is in its session, by its name (over WebSocket: %p)",
  async (overWebSocket) => {
    const message = { type: "message", id: "msg_1", role: "assistant", status: "completed" };
    const done = { ...message, content: [{ type: "output_text", text: "Done.", annotations: [] }] };
    const args = JSON.stringify({ message: "Count.", task_name: "count" });
    const start = {
      ...{ type: "function_call", id: "fc_1", call_id: "call_1", status: "completed" },
      ...{ namespace: "collaboration", name: "spawn_agent", arguments: args },
    };
    const upstream = startUpstream(({ text }) => {
      const { input, tools } = recordOf(JSON.parse(text)) ?? {};
      const canStart = JSON.stringify(tools ?? []).includes('"spawn_agent"');
      const item = canStart && !JSON.stringify(input).includes("function_call_output") ? start : done;
      const usage = { input_tokens: 5, output_tokens: 5, total_tokens: 10 };
      const events = [
        { type: "response.created", response: { id: "resp_1", status: "in_progress", output: [] } },
        { type: "response.output_item.done", output_index: 0, item },
        { type: "response.completed", response: { id: "resp_1", status: "completed", output: [item], usage } },
      ];
      const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    });
    const relay = startRelay({
      channels: [{ type: 1, baseUrl: upstream.url, keys: ["k"], models: ["gpt-5.5"] }],
      options: { ModelRatio: '{"gpt-5.5": 1}' },
    });
    stops.push(upstream.stop, relay.stop);
    const settings = `${overWebSocket ? "supports_websockets = true\n" : ""}[features]\nmulti_agent_v2 = true`;
    const access = { baseUrl: `${relay.url}/v1`, key: "sk-test", model: "gpt-5.5" };
    const { code } = await run(codex(settings), codexPath ?? "", access);
    expect(code).toBe(0);
    const calls = relay.billing.records.flatMap(({ other }) => other.agent_session ?? []);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(1);
    expect(new Set(calls.map(({ name }) => name))).toEqual(new Set([undefined, "/root/count"]));
    expect(relay.openedSockets() > 0).toBe(overWebSocket);
  },
);
