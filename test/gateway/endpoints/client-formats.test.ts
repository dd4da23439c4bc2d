/** What each format asks for besides chats: lists of models in its own shape, and tokens counted. */
import { afterEach, expect, test } from "bun:test";
import { recordOf, recordsOf } from "../../../src/formats/json.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

function start() {
  const relay = startRelay({ channels: [{ baseUrl: "http://127.0.0.1:1", models: ["gpt-4o"] }] });
  stops.push(relay.stop);
  return relay;
}

test("models are listed in the shape of Anthropic's for its clients", async () => {
  const { url } = start();
  const answer = await fetch(`${url}/v1/models`, {
    headers: { "x-api-key": "sk-test", "anthropic-version": "2023-06-01" },
  });
  const body = recordOf(await answer.json()) ?? {};
  expect(recordsOf(body.data)[0]).toMatchObject({ type: "model", id: "gpt-4o" });
  expect(body).toMatchObject({ has_more: false, first_id: "gpt-4o" });
});

test("models are listed in the shape of Google's under its address", async () => {
  const { url } = start();
  const answer = await fetch(`${url}/v1beta/models`, { headers: { "x-goog-api-key": "sk-test" } });
  const { models } = recordOf(await answer.json()) ?? {};
  expect(recordsOf(models)[0]).toMatchObject({ name: "models/gpt-4o" });
});

test("tokens of a message are counted, more of them for more words; errors are in Anthropic's shape", async () => {
  const relay = start();
  const count = async (content: string) => {
    const request = { model: "gpt-4o", messages: [{ role: "user", content }] };
    const answer = await relay.post("/v1/messages/count_tokens", request);
    return Number(recordOf(await answer.json())?.input_tokens);
  };
  const few = await count("Hi");
  expect(few).toBeGreaterThan(0);
  expect(await count("What is the weather in Ghent today?")).toBeGreaterThan(few);
  const refused = await relay.post("/v1/messages/count_tokens", { model: "gpt-4o" });
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    { type: "error", error: { type: "invalid_request_error" } },
  ]);
});
