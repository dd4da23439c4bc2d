/** Calls by the paths that clients write when their base address was meant for another service. */
import { afterEach, expect, test } from "bun:test";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import {
  connect,
  KEY_HEADER,
  startRealtime,
  startUpstream as startSocketUpstream,
  stopAll,
} from "../../support/gateway/start-realtime.ts";
import { chatReply, startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(async () => {
  stopAll();
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

/** An upstream that knows only chat and transcriptions. */
function start(models = ["gpt-4o"]) {
  const upstream = startUpstream(({ path }) =>
    path.endsWith("/responses") ? new Response("", { status: 404 }) : Response.json({ text: "Hi", ...chatReply() }),
  );
  const relay = startRelay({
    channels: [{ baseUrl: upstream.url, models }],
    options: { ModelRatio: '{"gpt-4o": 1, "my/m": 1, "whisper-1": 1}' },
  });
  stops.push(upstream.stop, relay.stop);
  return { upstream, relay };
}

const MODEL = "gpt-4o";
const MESSAGES = [{ role: "user", content: "Hi" }];
const CALLS = {
  "chat/completions": { model: MODEL, messages: MESSAGES },
  messages: { model: MODEL, max_tokens: 9, messages: MESSAGES },
  responses: { model: MODEL, input: "Hi" },
};
const PREFIXES = ["/v1/v1/", "/openai/v1/", "/openai/", "/anthropic/v1/", "/api/v1/", "/v1beta/openai/", "//v1/", "/"];

test.each(PREFIXES)("%s serves what /v1 serves, and is charged alike", async (prefix) => {
  const { upstream, relay } = start();
  for (const [path, body] of Object.entries(CALLS)) {
    const [direct, spelled] = [await relay.post(`/v1/${path}`, body), await relay.post(prefix + path, body)];
    expect([prefix + path, spelled.status, Object.keys(await spelled.json())]).toEqual([
      prefix + path,
      200,
      Object.keys(await direct.json()),
    ]);
    const [first, second] = [await relay.billing.nextRecord(), await relay.billing.nextRecord()];
    expect(second).toMatchObject({ quota: first.quota, failed: false, modelName: MODEL });
  }
  expect(upstream.received.filter(({ path }) => path === "/v1/chat/completions").length).toBe(6);
  const list = await relay.get(`${prefix}models`);
  expect([list.status, await list.json()]).toMatchObject([200, { data: [{ id: MODEL }] }]);
});

test("Google's paths with a doubled or another version", async () => {
  const { relay } = start();
  const body = { contents: [{ role: "user", parts: [{ text: "Hi" }] }] };
  for (const prefix of ["/v1beta/v1beta", "/v1/v1beta", "/v1/v1", ""]) {
    const answer = await relay.post(`${prefix}/models/${MODEL}:generateContent?alt=json`, body);
    expect([prefix, answer.status, Object.keys(await answer.json())]).toEqual([
      prefix,
      200,
      expect.arrayContaining(["candidates"]),
    ]);
  }
});

test("Azure's clients name the model in the path, whatever the body says", async () => {
  const { upstream, relay } = start(["my/m", "whisper-1"]);
  for (const body of [{ messages: MESSAGES }, { model: "gpt-35-turbo", messages: MESSAGES }]) {
    const path = "/openai/deployments/my%2Fm/chat/completions?api-version=2024-10-21";
    const answer = await relay.post(path, body, { headers: { authorization: "", "api-key": "sk-test" } });
    expect(answer.status).toBe(200);
    expect(upstream.received.at(-1)).toMatchObject({
      path: "/v1/chat/completions",
      text: expect.stringContaining('"model":"my/m"'),
    });
    expect(await relay.billing.nextRecord()).toMatchObject({ modelName: "my/m" });
  }
  const form = new FormData();
  form.set("file", new File(["RIFF"], "a.wav"));
  const path = "/openai/deployments/whisper-1/audio/transcriptions?api-version=2024-10-21";
  const headers = { authorization: "Bearer sk-test" };
  const answer = await fetch(relay.url + path, { method: "POST", headers, body: form });
  expect(answer.status).toBe(200);
  expect(upstream.received.at(-1)?.text).toMatch(/name="model"\r\n\r\nwhisper-1\r\n/);
});

test("a rejected key is refused in the client's own format", async () => {
  const { relay } = start();
  const headers = { authorization: "Bearer sk-none" };
  for (const [path, shape] of [
    ["/anthropic/v1/messages", { type: "error", error: { type: "authentication_error" } }],
    ["/api/v1/chat/completions", { error: { code: "invalid_api_key" } }],
    ["/v1beta/v1beta/models/m:generateContent", { error: { status: "UNAUTHENTICATED" } }],
  ] as const)
    expect(await (await relay.post(path, {}, { headers })).json()).toMatchObject(shape);
});

test.each([
  "/realtime?model=gpt-realtime",
  "/openai/v1/realtime?model=gpt-realtime",
  "/openai/realtime?api-version=2024-10-01-preview&deployment=gpt-realtime",
])("a realtime session opens at %s", async (path) => {
  const upstream = startSocketUpstream(() => {});
  const relay = startRealtime(upstream.url);
  await connect(relay.url, KEY_HEADER, path).waitFor("session.created");
  expect(upstream.handshakes[0]?.url.searchParams.get("model")).toBe("gpt-realtime");
});
