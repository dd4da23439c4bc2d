/** Guardrails that only take notes: clients get byte for byte what they get without, as soon as without. */
import { afterEach, describe, expect, test } from "bun:test";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { chatReply, chunk, DONE, sse, startUpstream, usageChunk } from "../../../support/gateway/start-upstream.ts";
import { until } from "../../../support/lib/until.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

const MAIL = "ann@example.org";
const logprobs = { content: [{ token: "To", logprob: -0.1, bytes: [1], top_logprobs: [] }], refusal: null };
const CALL = { id: "c", type: "function", function: { name: "send", arguments: `{"to":"${MAIL}"}` } };
const ANSWER = chatReply({
  choices: [
    {
      ...{ index: 0, logprobs, finish_reason: "tool_calls" },
      message: { role: "assistant", content: `To ${MAIL}`, refusal: null, annotations: [], tool_calls: [CALL] },
    },
  ],
  ...{ system_fingerprint: "fp_1", unknown_member: { a: 1 } },
});
const STREAM = [
  chunk({ role: "assistant" }),
  ...["To ann@", "example", ".org"].map((content) => chunk({ content })),
  chunk({ tool_calls: [{ index: 0, id: "c", type: "function", function: { name: "send", arguments: '{"to":"' } }] }),
  chunk({ tool_calls: [{ index: 0, function: { arguments: `${MAIL}"}` } }] }),
  chunk({}, {}, "tool_calls"),
  usageChunk(),
  DONE,
].join("");
const MESSAGE = {
  ...{ id: "msg_1", type: "message", role: "assistant", model: "gpt-4o", stop_reason: "end_turn", stop_sequence: null },
  content: [{ type: "text", text: `To ${MAIL}`, citations: null }],
  usage: { input_tokens: 3, output_tokens: 2, unknown_tokens: 1 },
};
const TEXT = {
  ...{ id: "cmpl_1", object: "text_completion", created: 1, model: "gpt-4o", unknown_member: 1 },
  choices: [{ index: 0, text: `To ${MAIL}`, logprobs: { tokens: ["To"] }, finish_reason: "stop" }],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
};

const RULES = {
  personal: { kind: "personal_data" },
  words: { kind: "words", words: ["example"] },
  tools: { kind: "tools", tools: ["read_*"] },
  size: { kind: "size", max_characters: 5 },
  json: { kind: "json" },
  language: { kind: "language", languages: ["de"] },
};
const rulesWith = (fields: object) => ({
  Guardrails: JSON.stringify(
    Object.fromEntries(Object.entries(RULES).map(([name, rule]) => [name, { ...rule, phases: ["answer"], ...fields }])),
  ),
});

async function answerOf(path: string, body: object, options: Record<string, string>, type = 1) {
  const upstream = startUpstream(({ text }) => {
    if (path === "/v1/messages") return Response.json(MESSAGE);
    if (path === "/v1/completions") return Response.json(TEXT);
    return JSON.parse(text).stream ? sse(STREAM) : Response.json(ANSWER);
  });
  const relay = startRelay({ channels: [{ type, baseUrl: upstream.url }], options });
  stops.push(upstream.stop, relay.stop);
  const response = await relay.post(path, { model: "gpt-4o", ...body });
  const text = await response.text();
  const { other, quota } = await relay.billing.nextRecord();
  return { text, quota, names: other.guardrails?.verdicts.map(({ name }) => name).sort(), note: other.guardrails };
}

const messages = [{ role: "user", content: "hi" }];

describe.each([{ shadow: true }, { shadow: true, action: "block" }, { action: "flag" }])("with %j", (fields) => {
  test.each<[string, object, number, string[]]>([
    ["/v1/chat/completions", { messages }, 1, ["json", "personal", "size", "tools", "words"]],
    ["/v1/chat/completions", { messages, stream: true }, 1, ["json", "personal", "size", "tools", "words"]],
    ["/v1/messages", { messages, max_tokens: 9 }, 14, ["json", "personal", "size", "words"]],
    ["/v1/completions", { prompt: "hi" }, 1, ["json", "personal", "size", "words"]],
  ])("%s %j", async (path, body, type, found) => {
    const plain = await answerOf(path, body, {}, type);
    const watched = await answerOf(path, body, rulesWith(fields), type);
    expect(watched.text).toBe(plain.text);
    expect(watched.quota).toBe(plain.quota);
    expect(watched.names).toEqual(found);
    expect(watched.note?.held_characters).toBeUndefined();
  });
});

test("nothing of a stream waits for them, nor for those that act elsewhere", async () => {
  const gate = Promise.withResolvers<void>();
  const upstream = startUpstream(
    () =>
      new Response(
        new ReadableStream({
          async start(controller) {
            const send = (text: string) => controller.enqueue(new TextEncoder().encode(text));
            send(chunk({ role: "assistant" }) + chunk({ content: "ann@exam" }));
            await gate.promise;
            send(chunk({ content: "ple.org" }) + chunk({}, {}, "stop") + usageChunk() + DONE);
            controller.close();
          },
        }),
        { headers: { "content-type": "text/event-stream" } },
      ),
  );
  const relay = startRelay({ channels: [{ baseUrl: upstream.url }], options: rulesWith({ shadow: true }) });
  stops.push(upstream.stop, relay.stop);
  const response = await relay.post("/v1/chat/completions", { model: "gpt-4o", stream: true, messages });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (!text.includes("ann@exam")) text += (await reader?.read())?.value ?? "";
  gate.resolve();
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) text += part.value;
  expect(text).toContain("ple.org");
});

describe("a service that only takes notes", () => {
  const URL_OF = { kind: "service", service: "webhook", timeout_ms: 30_000 };
  /** A service that finds something, as soon as `answers` resolves. */
  const startService = (answers: Promise<void>) => {
    const questions: { phase: string; texts: string[] }[] = [];
    const service = startUpstream(async ({ text }) => {
      questions.push(JSON.parse(text).data);
      await answers;
      return Response.json({ verdict: "block", reason: "bad" });
    });
    stops.push(service.stop);
    return { ...service, questions };
  };
  const start = (answers: Promise<void>, fields: object) => {
    const service = startService(answers);
    const upstream = startUpstream(({ text, path }) => {
      if (path.includes("transcriptions")) return Response.json({ text: `To ${MAIL}`, duration: 1 });
      return JSON.parse(text).stream ? sse(STREAM) : Response.json(path === "/v1/completions" ? TEXT : ANSWER);
    });
    const late: [string, string, string][] = [];
    const relay = startRelay({
      channels: [{ baseUrl: upstream.url, models: ["gpt-4o"] }],
      config: { allowPrivateUpstreams: true },
      options: { Guardrails: JSON.stringify({ g: { ...URL_OF, url: service.url, ...fields } }) },
      lateVerdicts: {
        add: ({ recordId }, { name, phase, found }) =>
          void late.push([recordId, `${name} ${phase}`, found[0]?.type ?? ""]),
      },
    });
    stops.push(upstream.stop, relay.stop);
    return { service, relay, late };
  };

  test.each<[string, object, object]>([
    ["/v1/chat/completions", { messages }, { shadow: true }],
    ["/v1/chat/completions", { messages, stream: true }, { shadow: true }],
    ["/v1/chat/completions", { messages, stream: true }, { action: "flag", on_failure: "open" }],
    ["/v1/completions", { prompt: "hi" }, { shadow: true }],
  ])("delays nothing, and is received after the call has ended: %s %j %j", async (path, body, fields) => {
    const answers = Promise.withResolvers<void>();
    const { service, relay, late } = start(answers.promise, fields);
    const response = await relay.post(path, { model: "gpt-4o", ...body });
    // The client has all of the answer before the service has said anything.
    expect(await response.text()).toContain(body && "stream" in body ? "[DONE]" : MAIL);
    const record = await relay.billing.nextRecord();
    expect(record.other.guardrails?.verdicts ?? []).toEqual([]);
    await until(() => service.questions.length === 2);
    expect(service.questions.map(({ phase }) => phase)).toEqual(["request", "answer"]);
    expect(service.questions[1]?.texts.join()).toContain(MAIL);
    answers.resolve();
    await until(() => late.length === 2);
    expect(late.sort()).toEqual([
      [record.requestId, "g answer", "BAD"],
      [record.requestId, "g request", "BAD"],
    ]);
  });

  test("that does not answer holds no more than so many questions", async () => {
    const answers = Promise.withResolvers<void>();
    const { service, relay, late } = start(answers.promise, { shadow: true, phases: ["request"] });
    const all = Array.from({ length: 120 }, () => relay.post("/v1/completions", { model: "gpt-4o", prompt: "hi" }));
    for (const response of await Promise.all(all)) expect(await response.text()).toContain(MAIL);
    await until(() => relay.billing.records.length === 120);
    const noted = relay.billing.records.flatMap(({ other }) => other.guardrails?.verdicts ?? []);
    expect(noted.map(({ failed }) => failed)).toEqual(Array(20).fill("busy"));
    answers.resolve();
    await until(() => late.length === 100);
    expect(service.questions).toHaveLength(100);
  });

  test("stands in the log row of a call that takes longer", async () => {
    const service = startService(Promise.resolve());
    const upstream = startUpstream(async () => {
      await until(() => service.questions.length === 1);
      await Bun.sleep(50);
      return Response.json(ANSWER);
    });
    const rules = { g: { ...URL_OF, url: service.url, shadow: true, phases: ["request"] } };
    const relay = startRelay({
      channels: [{ baseUrl: upstream.url }],
      config: { allowPrivateUpstreams: true },
      options: { Guardrails: JSON.stringify(rules) },
    });
    stops.push(upstream.stop, relay.stop);
    await relay.post("/v1/chat/completions", { model: "gpt-4o", messages });
    const { other } = await relay.billing.nextRecord();
    expect(other.guardrails?.verdicts).toMatchObject([{ name: "g", shadow: true, action: "block" }]);
    expect(other.tags).toEqual(["guardrail:shadow", "guardrail:g"]);
  });
});
