/**
 * The coding agents themselves, where they are installed (npm: @anthropic-ai/claude-code, @google/gemini-cli, @openai/codex,
 * opencode-ai), set up by the console's snippets, on upstreams of every format: each runs a command that the model asks for, and
 * reports its answer.
 */
import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { recordOf } from "../../../../src/formats/json.ts";
import { type Answer, PLAIN } from "../../../contracts/matrix/conversation.ts";
import { upstreams } from "../../../contracts/matrix/upstreams/index.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../../support/gateway/start-upstream.ts";
import { AGENTS, type Agent, answerTo, codex, FAMILIES, LIMITS, OVER_WEBSOCKET, removeHomes, run } from "./programs.ts";

const RUNS = Object.keys(AGENTS).flatMap((agent) => FAMILIES.map((family) => [agent, family] as const));

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await removeHomes();
});

/** The others repeat each 429 before they end, whatever it says (opencode and Kilo five times, Continue ten), for longer than a test can wait. */
const ENDS_WITHOUT_QUOTA = /^(Claude Code|Codex|Gemini CLI|Copilot CLI|Qwen Code|pi)/;

for (const [name, agent] of Object.entries(AGENTS)) {
  const path = ENDS_WITHOUT_QUOTA.test(name) ? Bun.which(agent.command) : null;
  test.if(path !== null)(`${name} says that the quota of the key is used up, and ends`, async () => {
    const relay = startRelay({ channels: [], tokens: { test: { status: 4 } } });
    stops.push(relay.stop);
    const { code, output, errors } = await run(agent, path ?? "", {
      baseUrl: `${relay.url}/v1`,
      key: "sk-test",
      model: "gpt-5",
    });
    expect(code).not.toBe(0);
    // Codex has a sentence of its own.
    expect(output + errors).toMatch(/is exhausted|quota exceeded/i);
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
