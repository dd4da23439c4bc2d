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
import {
  AGENTS,
  type Agent,
  CODEX_BY_LIST,
  callShell,
  converse,
  FAMILIES,
  LIMITS,
  removeHomes,
  run,
} from "./programs.ts";

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

type Long = Readonly<{
  /** The prompt's tokens that the upstream reports once the long output is in it. */
  promptTokens: number;
  /** Answers the call that holds the long output; absent: as if nothing were too long. */
  answerLong?: () => Response;
  /** In a terminal, with a second message. */
  chats?: boolean;
  limits?: typeof LIMITS;
}>;

/**
 * Runs an agent on an upstream that has it run a command with a long output. What it requested before the answer to the call that
 * holds it, and after.
 */
async function runLong(agent: Agent | undefined, family: Family, { promptTokens, answerLong, chats, limits }: Long) {
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
    if (sent.results.length > 0 && answerLong) {
      isRefused = true;
      return answerLong();
    }
    if (sent.tools.length === 0) return speak(SUMMARY, stream);
    const isLong = sent.results.length > 0;
    return speak(isLong ? { ...PLAIN, usage: { ...PLAIN.usage, prompt: promptTokens } } : PLAIN, stream);
  });
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, keys: [key], models: [model] }],
    options: { ModelRatio: JSON.stringify({ [model]: 1 }) },
  });
  stops.push(upstream.stop, relay.stop);
  const access = { baseUrl: `${relay.url}/v1`, key: "sk-test", model, ...(limits ?? LIMITS) };
  const hasResult = () => requests.before.some(({ results }) => results.length > 0);
  const hasContinued = () => isSummarized(requests.before);
  if (chats) await converse(agent, program, access, { message: "Go on.", isAnswered: hasResult, isDone: hasContinued });
  else await run(agent, program, access);
  return requests;
}

/** Whether an agent that had the long output went on without it, or after a summary. */
function isSummarized(requests: readonly Sent[]): boolean {
  const later = requests.slice(requests.findIndex(({ results }) => results.length > 0) + 1);
  const last = later.at(-1);
  if (!last || last.tools.length === 0) return false;
  return last.results.length === 0 || later.some(({ tools }) => tools.length === 0);
}

/** Agents that compact when their provider refuses. */
const REACTS = ["Claude Code", "opencode", "Copilot CLI", "Qwen Code", "Cline", "Kilo", "pi"];
/** Agents that only do so before, and what each goes by. Continue counts the tokens itself, and cuts outputs to some thousands. */
const ANTICIPATES: Readonly<Record<string, Long>> = {
  Codex: { promptTokens: 195_000 },
  Continue: { promptTokens: 1, limits: { contextWindow: 10_500, outputLimit: 4_000 } },
  "Gemini CLI": { promptTokens: 170_000, chats: true },
};

const isInstalled = (name: string): boolean => Bun.which(AGENTS[name]?.command ?? "") !== null;
const runsOf = (names: readonly string[]) => names.flatMap((name) => FAMILIES.map((family) => [name, family] as const));

for (const [name, family] of runsOf(REACTS))
  test.if(isInstalled(name))(`${name} compacts by itself when ${family} refuses a too long prompt`, async () => {
    const long = { promptTokens: 120_000, answerLong: OVERFLOWS[family] };
    const { before, after } = await runLong(AGENTS[name], family, long);
    expect(after.length).toBeGreaterThan(0);
    expect([...before, ...after]).toSatisfy(isSummarized);
  });

for (const [name, family] of runsOf(Object.keys(ANTICIPATES)))
  test.if(isInstalled(name))(`${name} compacts before the window of its set-up is full, on ${family}`, async () => {
    const long = ANTICIPATES[name] ?? { promptTokens: 1 };
    expect((await runLong(AGENTS[name], family, long)).before).toSatisfy(isSummarized);
  });

test.if(isInstalled("Codex"))(
  "Codex knows the window by the list of models, where its key comes from a command",
  async () => {
    // Without the list it would take the model for one of 272,000 tokens.
    const { before } = await runLong(CODEX_BY_LIST, "anthropic", { promptTokens: 185_000 });
    expect(before).toSatisfy(isSummarized);
  },
);
