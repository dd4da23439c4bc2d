/** Whether channels that lie about their model are distinguished from honest ones, over HTTP in the formats of providers. */
import { afterEach, describe, expect, test } from "bun:test";
import { shippedCatalog } from "../../../src/catalog/catalog.ts";
import { type Asker, collectEvidence } from "../../../src/domain/channels/authenticity/collect-evidence.ts";
import { judgeEvidence, mayReason } from "../../../src/domain/channels/authenticity/judge-evidence.ts";
import { askChannel, PROBES } from "../../../src/domain/channels/authenticity/probes.ts";
import { countText } from "../../../src/gateway/money/count-tokens.ts";
import { createAddressPolicy } from "../../../src/lib/outbound/address-policy.ts";
import { createSafeFetch } from "../../../src/lib/outbound/safe-fetch.ts";
import { channelEntry } from "../../support/gateway/entries.ts";
import { chatReply, startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** A service as it is behind its API. */
type Service = Readonly<{
  model: string;
  /** Tokens of its tokenizer for one of ours. */
  tokenizer?: number;
  /** Tokens of its template and instructions. */
  template?: number;
  maker?: string;
  caches?: boolean;
  reasoning?: number;
  /** Part of its output tokens, but not reported as reasoning. */
  hiddenReasoning?: number;
  reportsNothing?: boolean;
  /** Reports this many times the tokens of prompts and responses. */
  pads?: readonly [number, number];
  /** Reads only the last tokens of a prompt. */
  reads?: number;
  refusesBeyond?: number;
  inventsCache?: boolean;
  /** Cuts a text into tokens, which it returns with their log probability. */
  tokens?: (text: string) => readonly (readonly [token: string, logprob: number])[];
  refusesLogprobs?: boolean;
  /** What it draws random answers from. */
  taste?: number;
  anthropic?: boolean;
  /** Forgets or misreads one time in this many. */
  slips?: number;
}>;

const TASTES = [
  ["otter", "heron", "lynx", "the tide", "417", "Crumb and Co", "a grey hush", "snow falls"],
  ["capybara", "axolotl", "waves roar", "742", "Golden Loaf", "silver thread", "cold light", "pangolin"],
];

async function answerOf(service: Service, prompt: string): Promise<string> {
  const read = service.reads ? prompt.split(" ").slice(-service.reads).join(" ") : prompt;
  const slips = service.slips && Math.random() < 1 / service.slips;
  if (prompt.includes("pass phrase")) {
    const phrase = /The pass phrase is ([a-z-]+)/.exec(read)?.[1];
    return phrase && !slips ? `The pass phrase is **${phrase}**.` : "I see no pass phrase.";
  }
  if (prompt.startsWith("Repeat")) return prompt.slice(prompt.indexOf("\n\n") + 2);
  if (prompt.startsWith("Which company")) return slips ? "Google" : (service.maker ?? "OpenAI");
  if (prompt.startsWith("Answer with OK")) return "OK";
  const words = TASTES[service.taste ?? 0] ?? [];
  return words[Math.floor(Math.random() ** 2 * words.length)] ?? "";
}

function start(service: Service) {
  const seen = new Set<string>();
  const { tokenizer = 1, template = 7, pads: [padIn, padOut] = [1, 1], reasoning = 0, hiddenReasoning = 0 } = service;
  const upstream = startUpstream(async ({ text }) => {
    const { messages, logprobs: wantsLogprobs } = JSON.parse(text);
    if (wantsLogprobs && service.refusesLogprobs) {
      return Response.json({ error: { message: "logprobs are not supported with reasoning models" } }, { status: 403 });
    }
    const [first] = messages;
    const prompt: string = typeof first.content === "string" ? first.content : first.content[0].text;
    const ours = await countText(service.model, prompt);
    if (service.refusesBeyond && ours > service.refusesBeyond) {
      const message = `This model's maximum context length is ${service.refusesBeyond} tokens.`;
      return Response.json({ error: { message, type: "invalid_request_error" } }, { status: 400 });
    }
    const answer = await answerOf(service, prompt);
    const input = Math.round((ours * tokenizer + template) * padIn);
    const output =
      Math.round((await countText(service.model, answer)) * tokenizer * padOut) + reasoning + hiddenReasoning;
    const isCached = service.inventsCache || (service.caches && seen.has(prompt) && input > 1024);
    const cached = isCached ? Math.floor(input / 128) * 128 : 0;
    seen.add(prompt);
    if (service.anthropic) {
      return Response.json({
        ...{ id: "msg_1", type: "message", role: "assistant", model: service.model, stop_reason: "end_turn" },
        content: [{ type: "text", text: answer }],
        usage: { input_tokens: input - cached, output_tokens: output, cache_read_input_tokens: cached },
      });
    }
    const usage = {
      ...{ prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
      ...{
        prompt_tokens_details: { cached_tokens: cached },
        completion_tokens_details: { reasoning_tokens: reasoning },
      },
    };
    const content =
      wantsLogprobs &&
      service.tokens?.(answer).map(([token, logprob]) => ({ token, logprob, top_logprobs: [{ token, logprob }] }));
    const logprobs = content ? { content } : null;
    const choices = [{ index: 0, message: { role: "assistant", content: answer }, logprobs, finish_reason: "stop" }];
    return Response.json(
      chatReply({ model: service.model, choices, usage: service.reportsNothing ? undefined : usage }),
    );
  });
  stops.push(upstream.stop);
  const channel = channelEntry({
    ...{ id: 1, type: service.anthropic ? 14 : 1, baseUrl: upstream.url, models: [service.model] },
  });
  return (prompt: string, maxTokens: number, wantsLogprobs = false) =>
    askChannel(FETCH, channel, service.model, { prompt, maxTokens, wantsLogprobs });
}

const FETCH = createSafeFetch(createAddressPolicy(true));

async function check(service: Service, reference: Service | null = null) {
  const evidence = await collectEvidence({
    ...{ model: service.model, ask: start(service), askReference: reference && start(reference) },
    ...{ countTokens: countText, words: 6_000, probes: PROBES, random: Math.random },
  });
  return judgeEvidence(service.model, evidence, mayReason(shippedCatalog.find(service.model)));
}

/** Common words are a token each, with the blank before them. */
const byWord = (text: string) => text.split(/(?= )/).map((token) => [token, -0.01] as const);
const bySyllable = (text: string) => (text.match(/.{1,3}/g) ?? []).map((token) => [token, -0.4] as const);
const GPT = { model: "gpt-4o", slips: 50 };
const CLAUDE = { model: "claude-sonnet-4-5", maker: "Anthropic", tokenizer: 1.15, anthropic: true, slips: 50 };
const GEMINI = { model: "gemini-2.5-pro", maker: "Google DeepMind", tokenizer: 0.95, slips: 50 };

const HONEST: readonly (readonly [Service, Service?])[] = [
  [{ ...GPT, tokens: byWord }],
  [{ ...GPT, caches: true, tokens: (text) => byWord(text).map(([token]) => [`\u2581${token.trim()}`, -0.1]) }],
  [{ ...GPT, template: 150 }],
  [{ ...GPT, tokenizer: 1.03, maker: "I was trained by OpenAI." }],
  [{ ...GPT, model: "gpt-4.1-mini", template: 0 }],
  [{ ...GPT, model: "gpt-5", reasoning: 128 }],
  [{ ...GPT, model: "o3", reasoning: 640, caches: true, refusesLogprobs: true }],
  [{ ...GPT, reportsNothing: true }],
  [{ ...GPT, caches: true }, GPT],
  [CLAUDE],
  [{ ...CLAUDE, tokenizer: 1.35, caches: true }],
  [{ ...CLAUDE, template: 290 }],
  [{ ...CLAUDE, caches: true }, CLAUDE],
  [GEMINI],
  [{ ...GEMINI, tokenizer: 0.8, reasoning: 300 }],
  [{ model: "deepseek-chat", maker: "OpenAI", tokenizer: 0.9, caches: true }],
  [{ model: "qwen-max", maker: "Alibaba Cloud", tokenizer: 1.05, template: 25 }],
  [{ model: "llama-3.3-70b", maker: "Meta", template: 36 }],
  [{ model: "mistral-large", maker: "Mistral AI", tokenizer: 1.2 }],
  [
    { model: "glm-4.6", maker: "Zhipu AI", tokenizer: 0.98, caches: true },
    { model: "glm-4.6", tokenizer: 0.98 },
  ],
];

const DISHONEST: readonly (readonly [what: string, failed: string, Service, Service?])[] = [
  ["another maker's model", "answers", { ...GPT, maker: "Alibaba Cloud" }],
  ["another maker's model", "answers", { ...CLAUDE, maker: "I am DeepSeek" }],
  ["another maker's model", "answers", { ...GEMINI, maker: "OpenAI" }],
  ["a smaller model of the same maker", "equality", { ...GPT, taste: 1 }, GPT],
  ["another model that says the right maker", "equality", { ...CLAUDE, taste: 1 }, CLAUDE],
  ["a fifth more prompt tokens", "usage_input", { ...GPT, pads: [1.2, 1] }],
  ["twice the prompt tokens", "usage_input", { ...CLAUDE, pads: [2, 1] }],
  ["half the prompt tokens more", "usage_input", { ...GEMINI, pads: [1.6, 1] }],
  ["twice the output tokens and reasoning of its own", "usage_output", { ...GPT, pads: [1, 2], reasoning: 10 }],
  ["instructions of its own", "hidden_prompt", { ...GPT, template: 2_000 }],
  ["a context of 4,000 tokens", "context", { ...GPT, reads: 4_000 }],
  ["a context of 2,000 tokens", "context", { ...CLAUDE, reads: 2_000 }],
  ["refused long prompts", "context", { ...GPT, refusesBeyond: 4_096 }],
  ["invented cache hits", "cache", { ...GPT, inventsCache: true }],
  ["tokens of another tokenizer", "logprobs", { ...GPT, tokens: bySyllable }],
  ["impossible probabilities", "logprobs", { ...GPT, tokens: (text) => byWord(text).map(([token]) => [token, 1]) }],
];

/** How services report output: models that reason and that don't, with our tokenizer, others, and of unknown names. */
const HONEST_OUTPUT: readonly Service[] = [
  GPT,
  { ...GPT, model: "gpt-4o-mini" },
  { ...GPT, model: "gpt-4.1", tokenizer: 1.05 },
  { ...GPT, model: "gpt-3.5-turbo" },
  { ...GPT, model: "gpt-5", reasoning: 600 },
  { ...GPT, model: "o3", reasoning: 0 },
  // Its reasoning is counted, but not named.
  { ...GPT, model: "gpt-5", hiddenReasoning: 400 },
  { ...CLAUDE, model: "claude-3-5-haiku-20241022" },
  { ...CLAUDE, hiddenReasoning: 200 },
  { model: "deepseek-chat", maker: "OpenAI", tokenizer: 0.9 },
  { model: "deepseek-reasoner", tokenizer: 0.9, reasoning: 500 },
  { model: "house-model-7b", tokenizer: 1.3, reasoning: 90 },
];

const DISHONEST_OUTPUT: readonly Service[] = [
  ...["gpt-4o", "gpt-4o-mini", "gpt-4.1", "gpt-3.5-turbo"].map((model) => ({ ...GPT, model, pads: [1, 3] as const })),
  { model: "deepseek-chat", tokenizer: 0.9, pads: [1, 3] },
  { ...CLAUDE, model: "claude-3-5-haiku-20241022", pads: [1, 2] },
  { ...GEMINI, model: "gemini-2.0-flash", pads: [1, 2] },
  { ...GPT, pads: [1, 1.2] },
  { ...GPT, model: "gpt-4.1-mini", pads: [1, 0.5] },
  { ...GPT, model: "gpt-4o-mini", reasoning: 4_000 },
  { ...GPT, reasoning: 64 },
  { ...GPT, model: "gpt-3.5-turbo", reasoning: 500, pads: [1, 2] },
  { model: "deepseek-chat", tokenizer: 0.9, reasoning: 300 },
  { ...GPT, model: "gpt-5", reasoning: 200, pads: [1, 2] },
  { model: "house-model-7b", pads: [1, 3] },
  { model: "house-model-7b", reasoning: 100, pads: [1, 3] },
];

/** Names another maker once; the next answers to that question don't come. */
function failingAfter(ask: Asker): Asker {
  let questions = 0;
  return async (prompt, maxTokens) => {
    const answer = await ask(prompt, maxTokens);
    if (!prompt.startsWith("Which company")) return answer;
    questions += 1;
    return questions === 1
      ? { ...answer, text: "Google" }
      : { ...answer, error: "the connection was closed", text: "" };
  };
}

const ALERT_BELOW = 70;
const ROUNDS = 3;

describe("is the upstream what it says?", () => {
  test(`20 honest services, ${ROUNDS} times each: no alarm`, async () => {
    expect(HONEST).toHaveLength(20);
    const alarms: unknown[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [service, reference] of HONEST) {
        const { score, findings } = await check(service, reference);
        if (score === null || score < ALERT_BELOW) {
          alarms.push({ service, score, failed: findings.filter(({ outcome }) => outcome === "fail") });
        }
      }
    }
    expect(alarms).toEqual([]);
  }, 300_000);

  test("output is judged strictly where the model cannot reason: 12 honest and 16 dishonest services", async () => {
    expect([HONEST_OUTPUT.length, DISHONEST_OUTPUT.length]).toEqual([12, 16]);
    const outcomes = async (services: readonly Service[]) => {
      const found: unknown[] = [];
      for (const service of services) {
        const { score, findings } = await check({ ...service, slips: 0 });
        const outcome = findings.find(({ check: name }) => name === "usage_output")?.outcome;
        const isAlarm = score === null || score < ALERT_BELOW;
        found.push([service.model, outcome === "fail", isAlarm]);
      }
      return found;
    };
    expect(await outcomes(HONEST_OUTPUT)).toEqual(HONEST_OUTPUT.map(({ model }) => [model, false, false]));
    expect(await outcomes(DISHONEST_OUTPUT)).toEqual(DISHONEST_OUTPUT.map(({ model }) => [model, true, true]));
  }, 300_000);

  test("a single answer that is wrong, where the others failed, is no alarm", async () => {
    const evidence = await collectEvidence({
      ...{ model: GPT.model, ask: failingAfter(start(GPT)), askReference: null },
      ...{ countTokens: countText, words: 6_000, probes: PROBES, random: Math.random },
    });
    expect(evidence.probes.map(({ answers }) => answers)).toEqual([["Google"]]);
    const { findings } = judgeEvidence(GPT.model, evidence, false);
    expect(findings.find(({ check }) => check === "answers")?.outcome).toBe("unknown");
  });

  for (const [what, failed, service, reference] of DISHONEST) {
    test(`${service.model}, ${what}: alarm`, async () => {
      const { score, findings } = await check(service, reference);
      expect(findings.find(({ check: name }) => name === failed)).toMatchObject({ outcome: "fail" });
      expect(score).toBeLessThan(ALERT_BELOW);
    }, 60_000);
  }

  test("what cannot be checked is unknown, not failed", async () => {
    const { score, findings } = await check({ ...GPT, slips: 0, reportsNothing: true });
    const unknown = findings.filter(({ outcome }) => outcome === "unknown").map(({ check: name }) => name);
    expect(unknown).toEqual(["usage_input", "usage_output", "hidden_prompt", "cache", "logprobs", "equality"]);
    expect(score).toBe(100);
  }, 60_000);
});
