/** Usage of a service whose completion tokens leave out reasoning: clients read OpenAI's sum. */
import { afterEach, expect, test } from "bun:test";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { chatReply, chunk, DONE, sse, startUpstream } from "../../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const usage = {
  ...{ prompt_tokens: 10, completion_tokens: 5, total_tokens: 337, num_sources_used: 2 },
  completion_tokens_details: { reasoning_tokens: 322 },
};
const counted = { prompt_tokens: 10, completion_tokens: 327, total_tokens: 337 };

function start(stream: boolean) {
  const last = `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "grok-4.5", choices: [], usage })}\n\n`;
  const upstream = startUpstream(() =>
    stream
      ? sse(chunk({ content: "Hi" }) + chunk({}, {}, "stop") + last + DONE)
      : Response.json({ ...chatReply(), usage }),
  );
  const relay = startRelay({ channels: [{ type: 48, baseUrl: upstream.url, models: ["grok-4.5"] }] });
  stops.push(upstream.stop, relay.stop);
  const body = { model: "grok-4.5", stream, messages: [{ role: "user", content: "Hi" }] };
  return { relay, ask: (more = {}) => relay.post("/v1/chat/completions", { ...body, ...more }) };
}

test("in a complete response", async () => {
  const { relay, ask } = start(false);
  expect((await (await ask()).json()).usage).toMatchObject({ ...counted, num_sources_used: 2 });
  expect(await relay.billing.nextRecord()).toMatchObject({ promptTokens: 10, completionTokens: 327 });
});

test("in a stream whose client wants usage, once", async () => {
  const { relay, ask } = start(true);
  const text = await (await ask({ stream_options: { include_usage: true } })).text();
  const reported = [...text.matchAll(/^data: (\{.*"usage":\{.*)$/gm)].map(([, data = ""]) => JSON.parse(data).usage);
  expect(reported).toHaveLength(1);
  expect(reported[0]).toMatchObject({ ...counted, completion_tokens_details: { reasoning_tokens: 322 } });
  expect(text.trimEnd()).toEndWith("data: [DONE]");
  expect((await relay.billing.nextRecord()).completionTokens).toBe(327);
});

test("a path with malformed escapes is an unknown model, no failure", async () => {
  const { relay } = start(false);
  const response = await relay.post("/v1beta/models/%zz:generateContent", { contents: [] });
  expect([400, 404]).toContain(response.status);
  const shown = await fetch(`${relay.url}/v1/models/%zz`, { headers: { authorization: "Bearer sk-test" } });
  expect(shown.status).toBe(404);
});
