import { afterEach, describe, expect, test } from "bun:test";
import { startRelay } from "./testing/start-relay.ts";
import { chatReply, startUpstream } from "./testing/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const ON = { CheckSensitiveEnabled: "true", SensitiveWords: "forbidden" };
const SAID = "All good, then a Forbidden thing.";

/** Asks a model, which says `SAID`, under these options. */
async function ask(question: string, options: Readonly<Record<string, string>>) {
  const message = { role: "assistant", content: SAID };
  const choices = [{ index: 0, message, finish_reason: "stop" }];
  const upstream = startUpstream(() => Response.json(chatReply({ choices })));
  const relay = startRelay({ channels: [{ baseUrl: upstream.url }], options: { ...ON, ...options } });
  stops.push(upstream.stop, relay.stop);
  const body = { model: "gpt-4o", messages: [{ role: "user", content: question }] };
  const answer = await relay.post("/v1/chat/completions", body);
  const { choices: [choice] = [] } = (await answer.json()) as {
    choices?: { message: { content: string }; finish_reason: string }[];
  };
  return { status: answer.status, said: choice?.message.content, reason: choice?.finish_reason };
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
    [{}, SAID, "stop"],
    [{ ...onAnswers, CheckSensitiveEnabled: "false" }, SAID, "stop"],
    [{ ...onAnswers, StopOnSensitiveEnabled: "true" }, "All good, then a ", "content_filter"],
    [{ ...onAnswers, StopOnSensitiveEnabled: "false" }, "All good, then a **###** thing.", "stop"],
  ])("under %o arrives as told", async (options, said, reason) => {
    expect(await ask("A question", options)).toEqual({ status: 200, said, reason });
  });
});

describe("a text completion with a forbidden word", () => {
  const onAnswers = { ...ON, CheckSensitiveOnCompletionEnabled: "true" };
  const piece = (text: string, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ object: "text_completion", choices: [{ index: 0, text, finish_reason, logprobs: null }] })}\n\n`;

  async function complete(stream: boolean, options: Readonly<Record<string, string>>) {
    const choices = [{ index: 0, text: SAID, finish_reason: "stop", logprobs: null }];
    const pieces = ["All good, then a For", "bidden ", "thing."].map((text) => piece(text));
    const streamed = [...pieces, piece("", "stop"), "data: [DONE]\n\n"].join("");
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
    const told = events.flatMap(
      (event): { text: string; finish_reason: string | null }[] => JSON.parse(event.slice("data: ".length)).choices,
    );
    return {
      ended: !stream || text.endsWith("data: [DONE]\n\n"),
      said: told.map((choice) => choice.text).join(""),
      reasons: told.flatMap(({ finish_reason }) => finish_reason ?? []),
    };
  }

  test.each([true, false])("is masked, or ends there (streamed: %p)", async (stream) => {
    expect(await complete(stream, { StopOnSensitiveEnabled: "false" })).toEqual({
      ended: true,
      said: "All good, then a **###** thing.",
      reasons: ["stop"],
    });
    expect(await complete(stream, { StopOnSensitiveEnabled: "true" })).toEqual({
      ended: true,
      said: "All good, then a ",
      reasons: ["content_filter"],
    });
  });
});
