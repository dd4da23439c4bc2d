import { afterEach, describe, expect, test } from "bun:test";
import { startRelay } from "../../../../../test/support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../../../test/support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const ON = { CheckSensitiveEnabled: "true", SensitiveWords: "forbidden" };
const ANSWER = "All good, then a Forbidden thing.";

/** Calls a model that responds with `ANSWER`, with these settings. */
async function ask(question: string, options: Readonly<Record<string, string>>) {
  const message = { role: "assistant", content: ANSWER };
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  const upstream = startUpstream(() => Response.json(chatReply({ choices })));
  const relay = startRelay({ channels: [{ baseUrl: upstream.url }], options: { ...ON, ...options } });
  stops.push(upstream.stop, relay.stop);
  const body = { model: "gpt-4o", messages: [{ role: "user", content: question }] };
  const answer = await relay.post("/v1/chat/completions", body);
  const { choices: [choice] = [] } = (await answer.json()) as {
    choices?: { message: { content: string }; finish_reason: string }[];
  };
  return { status: answer.status, text: choice?.message.content, reason: choice?.finish_reason };
}

describe("a prompt with a forbidden word", () => {
  test.each([
    [{}, 400],
    [{ CheckSensitiveOnPromptEnabled: "false" }, 200],
    [{ CheckSensitiveEnabled: "false" }, 200],
    [{ SensitiveWords: "" }, 200],
  ])("under %o is answered %p", async (options, status) => {
    expect((await ask("A FORBIDDEN question", options)).status).toBe(status);
  });
});

describe("an answer with a forbidden word", () => {
  const onAnswers = { CheckSensitiveOnCompletionEnabled: "true" };
  test.each([
    [{}, ANSWER, "stop"],
    [{ ...onAnswers, CheckSensitiveEnabled: "false" }, ANSWER, "stop"],
    [{ ...onAnswers, StopOnSensitiveEnabled: "true" }, "All good, then a ", "content_filter"],
    [{ ...onAnswers, StopOnSensitiveEnabled: "false" }, "All good, then a **###** thing.", "stop"],
  ])("under %o arrives as expected", async (options, text, reason) => {
    expect(await ask("A question", options)).toEqual({ status: 200, text, reason });
  });
});

test.each([
  ["/suno/submit/music", { prompt: "la la", title: "A Forbidden song" }],
  ["/suno/submit/music", { gpt_description_prompt: "la la", tags: "pop, forbidden" }],
  ["/suno/submit/music", { prompt: "la la", negative_tags: "forbidden" }],
  ["/suno/submit/lyrics", { prompt: "about a forbidden thing" }],
  ["/mj/submit/imagine", { prompt: "a forbidden cat" }],
  ["/mj/submit/video", { prompt: "it moves", motion: "forbidden" }],
  ["/v1/video/generations", { model: "sora-2", prompt: "a cat", metadata: { negative_prompt: "forbidden" } }],
])("an order to %s with a forbidden word anywhere is rejected before it is sent", async (path, order) => {
  const options = { ...ON, DrawingEnabled: "true", TaskEnabled: "true" };
  const relay = startRelay({ channels: [{ baseUrl: "http://127.0.0.1:1" }], options });
  stops.push(relay.stop);
  const answer = await relay.post(path, order);
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain("words that this site does not allow");
  // The log says why, and nothing is charged or held.
  expect(relay.billing.records).toMatchObject([
    { quota: 0, failed: true, other: { guardrails: { verdicts: [{ name: "SensitiveWords", action: "block" }] } } },
  ]);
  expect(relay.billing.openHolds).toBe(0);
});

describe("a text completion with a forbidden word", () => {
  const onAnswers = { ...ON, CheckSensitiveOnCompletionEnabled: "true" };
  const piece = (text: string, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ object: "text_completion", choices: [{ index: 0, text, finish_reason, logprobs: null }] })}\n\n`;

  async function complete(
    stream: boolean,
    options: Readonly<Record<string, string>>,
    end = [piece("", "stop"), "data: [DONE]\n\n"],
  ) {
    const choices = [{ index: 0, text: ANSWER, finish_reason: "stop", logprobs: null }];
    const pieces = ["All good, then a For", "bidden ", "thing."].map((text) => piece(text));
    const streamed = [...pieces, ...end].join("");
    const upstream = startUpstream(() =>
      stream
        ? new Response(streamed, { headers: { "content-type": "text/event-stream" } })
        : Response.json(chatReply({ object: "text_completion", choices })),
    );
    const relay = startRelay({ channels: [{ baseUrl: upstream.url }], options: { ...onAnswers, ...options } });
    stops.push(upstream.stop, relay.stop);
    const answer = await relay.post("/v1/completions", { model: "gpt-4o", prompt: "A question", stream });
    const text = await answer.text();
    const events = stream ? text.split("\n\n").filter((event) => event.includes("choices")) : [`data: ${text}`];
    const sentChoices = events.flatMap(
      (event): { text: string; finish_reason: string | null }[] => JSON.parse(event.slice("data: ".length)).choices,
    );
    return {
      ended: !stream || text.endsWith("data: [DONE]\n\n"),
      text: sentChoices.map((choice) => choice.text).join(""),
      reasons: sentChoices.flatMap(({ finish_reason }) => finish_reason ?? []),
    };
  }

  test.each([true, false])("is masked, or ends the response (streamed: %p)", async (stream) => {
    expect(await complete(stream, { StopOnSensitiveEnabled: "false" })).toEqual({
      ended: true,
      text: "All good, then a **###** thing.",
      reasons: ["stop"],
    });
    expect(await complete(stream, { StopOnSensitiveEnabled: "true" })).toEqual({
      ended: true,
      text: "All good, then a ",
      reasons: ["content_filter"],
    });
  });

  test.each([
    ["the end marker alone", ["data: [DONE]\n\n"]],
    [
      "usage and the end marker",
      [
        `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 } })}\n\n`,
        "data: [DONE]\n\n",
      ],
    ],
    ["nothing", []],
  ])("arrives completely if the stream ends with %s", async (_name, end) => {
    const completion = await complete(true, { StopOnSensitiveEnabled: "false" }, end);
    expect(completion.text).toBe("All good, then a **###** thing.");
    expect(completion.reasons).toEqual([]);
  });
});
