/** What a stream carries next to its text: choices, log probabilities, reasoning, transcripts of audio, members that nobody knows. */
import { afterEach, describe, expect, test } from "bun:test";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { chatReply, chunk, DONE, sse, startUpstream, usageChunk } from "../../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const MAIL = "ann@example.org";
const LEAK = /ann@|example\.org|@exam/;
const MASK = { kind: "personal_data", action: "mask", phases: ["answer"] };
const ask = { model: "gpt-4o", messages: [{ role: "user", content: "Hi" }] };
const halves = ["to ann@exam", "ple.org now"] as const;
const logprobs = (token: string) => ({
  content: [{ token, logprob: -0.1, bytes: [...Buffer.from(token)], top_logprobs: [] }],
});

function start(rule: object, answer: Parameters<typeof startUpstream>[0]) {
  const upstream = startUpstream(answer);
  const relay = startRelay({
    channels: [{ baseUrl: upstream.url }],
    options: { Guardrails: JSON.stringify({ g: rule }) },
  });
  stops.push(upstream.stop, relay.stop);
  return relay;
}

/** Chunks of two choices, whose halves come in turns. */
const choicesOf = (delta: (text: string) => object) =>
  halves.flatMap((text) =>
    [0, 1].map((index) => {
      const { choices: _, ...rest } = JSON.parse(chunk({}).slice("data: ".length));
      const choice = { index, delta: delta(text), logprobs: logprobs(text), finish_reason: null };
      return `data: ${JSON.stringify({ ...rest, choices: [choice], unknown_member: text })}\n\n`;
    }),
  );

describe.each<[string, (text: string) => object]>([
  ["text", (content) => ({ content })],
  ["a refusal", (refusal) => ({ refusal })],
  ["reasoning", (reasoning_content) => ({ reasoning_content })],
  ["reasoning next to empty text", (reasoning_content) => ({ content: "", reasoning_content })],
  ["the transcript of audio", (transcript) => ({ audio: { id: "a", data: "AAAA", transcript } })],
])("%s in two choices", (_, delta) => {
  const ends = [0, 1].map((index) => {
    const { choices: _, ...rest } = JSON.parse(chunk({}).slice("data: ".length));
    return `data: ${JSON.stringify({ ...rest, choices: [{ index, delta: {}, finish_reason: "stop" }] })}\n\n`;
  });
  const stream = [...choicesOf(delta), ...ends, usageChunk(), DONE].join("");

  test("is masked in each, with nothing of it in other members", async () => {
    const relay = start(MASK, () => sse(stream));
    const body = { ...ask, n: 2, stream: true, logprobs: true, stream_options: { include_usage: true } };
    const text = await (await relay.post("/v1/chat/completions", body)).text();
    expect(text).not.toMatch(LEAK);
    // Reasoning stands in two members.
    expect(text.match(/\[EMAIL_\w{8}\]/g)?.length).toBeGreaterThanOrEqual(2);
    expect(text).toContain('"prompt_tokens"');
    const { other } = await relay.billing.nextRecord();
    expect(other.guardrails?.verdicts).toMatchObject([{ name: "g", found: [{ type: "EMAIL", count: 2 }] }]);
  });

  test("ends each where it is blocked", async () => {
    const relay = start({ ...MASK, action: "block" }, () => sse(stream));
    const text = await (await relay.post("/v1/chat/completions", { ...ask, n: 2, stream: true })).text();
    expect(text).not.toMatch(LEAK);
    expect(text.match(/"finish_reason":"content_filter"/g)).toHaveLength(2);
  });
});

test("an answer that is complete has no log probabilities of what is masked, in any choice", async () => {
  const choices = [0, 1].map((index) => ({
    ...{ index, logprobs: logprobs(MAIL), finish_reason: "stop", unknown_member: MAIL },
    message: { role: "assistant", content: `to ${MAIL}`, reasoning_content: MAIL, unknown_member: MAIL },
  }));
  const relay = start(MASK, () => Response.json(chatReply({ choices, unknown_member: MAIL })));
  const text = await (await relay.post("/v1/chat/completions", { ...ask, n: 2, logprobs: true })).text();
  expect(text).not.toMatch(LEAK);
  expect(text.match(/to \[EMAIL_\w{8}\]/g)).toHaveLength(2);
});

test("what was found stands in the log, also if the client leaves before the end", async () => {
  const relay = start(MASK, () =>
    sse(
      new ReadableStream({
        start(controller) {
          controller.enqueue(
            Buffer.from(chunk({ content: `to ${MAIL} and others, ` }) + chunk({ content: "of whom I " })),
          );
        },
      }) as unknown as string,
    ),
  );
  const aborts = new AbortController();
  const response = await relay.post("/v1/chat/completions", { ...ask, stream: true }, { signal: aborts.signal });
  const reader = response.body?.getReader();
  const first = Buffer.from((await reader?.read())?.value ?? []).toString();
  expect(first).toContain("[EMAIL_");
  aborts.abort();
  const { other } = await relay.billing.nextRecord();
  expect([other.ending, other.guardrails?.verdicts.map(({ name }) => name)]).toEqual(["client_left", ["g"]]);
});
