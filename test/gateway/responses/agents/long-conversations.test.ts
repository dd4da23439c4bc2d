/**
 * Conversations that outgrow the context window of their model: the agents, where they are installed, compact them by
 * themselves and go on.
 */
import { afterEach, expect, test } from "bun:test";
import { recordOf } from "../../../../src/formats/json.ts";
import { type Answer, PLAIN, type Sent } from "../../../contracts/matrix/conversation.ts";
import { upstreams } from "../../../contracts/matrix/upstreams/index.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { startUpstream } from "../../../support/gateway/start-upstream.ts";
import { AGENTS, callShell, FAMILIES, LIMITS, removeHomes, run } from "./programs.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await removeHomes();
});

type Family = (typeof FAMILIES)[number];

const MOST_CALLS = 40;

/** A too long prompt in the words of each provider. */
const openai = () =>
  Response.json(
    {
      error: {
        message:
          "This model's maximum context length is 200000 tokens. However, your messages resulted in 203511 tokens. Please reduce the length of the messages.",
        type: "invalid_request_error",
        param: "messages",
        code: "context_length_exceeded",
      },
    },
    { status: 400 },
  );
const OVERFLOWS: Readonly<Record<Family, () => Response>> = {
  "openai-responses": openai,
  "openai-chat": openai,
  anthropic: () =>
    Response.json(
      {
        type: "error",
        error: { type: "invalid_request_error", message: "prompt is too long: 203511 tokens > 200000 maximum" },
      },
      { status: 400 },
    ),
  gemini: () =>
    Response.json(
      {
        error: {
          code: 400,
          message: "The input token count (203511) exceeds the maximum number of tokens allowed (200000).",
          status: "INVALID_ARGUMENT",
        },
      },
      { status: 400 },
    ),
};

/** A summary as Qwen Code demands it, which compares its tokens with those before; the others take any text. */
const SUMMARY: Answer = {
  ...PLAIN,
  text: "<state_snapshot>The command printed numbers.</state_snapshot>",
  usage: { ...PLAIN.usage, prompt: 203_511 },
};

/**
 * Runs an agent on an upstream that has it run a command with a long output, and then answers the call that holds it as
 * `answerLong` says; null: as if nothing were too long. What it requested before that answer, and after.
 */
async function runLong(name: string, family: Family, promptTokens: number, answerLong: (() => Response) | null) {
  const agent = AGENTS[name];
  const program = agent && Bun.which(agent.command);
  if (!agent || !program) throw new Error("it is not installed");
  const { type, model, key, speak, read, isStream } = upstreams[family];
  const requests: { before: Sent[]; after: Sent[] } = { before: [], after: [] };
  let hasCalled = false;
  let isRefused = false;
  const upstream = startUpstream(({ path, text, headers }, _, count) => {
    if (family === "openai-chat" && path === "/v1/responses") return new Response("", { status: 404 });
    // An agent that repeats itself ends.
    if (count > MOST_CALLS) return new Response("", { status: 500 });
    const body = recordOf(JSON.parse(text)) ?? {};
    const sent = read(body);
    const stream = isStream(path, body, headers);
    requests[isRefused ? "after" : "before"].push(sent);
    if (isRefused) return speak(sent.tools.length === 0 ? SUMMARY : PLAIN, stream);
    const call = hasCalled ? null : callShell(sent, "seq 1 3000");
    hasCalled ||= call !== null;
    if (call) return speak({ ...call, usage: { ...call.usage, prompt: promptTokens } }, stream);
    if (sent.results.length === 0 || !answerLong) return speak(sent.tools.length === 0 ? SUMMARY : PLAIN, stream);
    isRefused = true;
    return answerLong();
  });
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, keys: [key], models: [model] }],
    options: { ModelRatio: JSON.stringify({ [model]: 1 }) },
  });
  stops.push(upstream.stop, relay.stop);
  await run(agent, program, { baseUrl: `${relay.url}/v1`, key: "sk-test", model, ...LIMITS });
  return requests;
}

/** Agents that compact when their provider refuses, and those that only do so before. */
const REACTS = ["Claude Code", "opencode", "Copilot CLI", "Qwen Code", "Kilo", "pi"];
const ANTICIPATES = ["Codex"];

const isInstalled = (name: string): boolean => Bun.which(AGENTS[name]?.command ?? "") !== null;
const runsOf = (names: readonly string[]) => names.flatMap((name) => FAMILIES.map((family) => [name, family] as const));

for (const [name, family] of runsOf(REACTS))
  test.if(isInstalled(name))(`${name} compacts by itself when ${family} refuses a too long prompt`, async () => {
    const { after } = await runLong(name, family, 120_000, OVERFLOWS[family]);
    // A summary, and the conversation that goes on with it.
    expect(after.length).toBeGreaterThanOrEqual(2);
    expect(after.at(-1)?.tools.length).toBeGreaterThan(0);
  });

for (const [name, family] of runsOf(ANTICIPATES))
  test.if(isInstalled(name))(`${name} compacts before the window of its set-up is full, on ${family}`, async () => {
    const { before } = await runLong(name, family, 195_000, null);
    const summary = before.findIndex(({ tools }) => tools.length === 0);
    expect(summary).toBeGreaterThan(0);
    expect(before.at(-1)?.results).toEqual([]);
    expect(before.at(-1)?.tools.length).toBeGreaterThan(0);
  });
