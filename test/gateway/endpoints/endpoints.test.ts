import { afterEach, describe, expect, test } from "bun:test";
import { userEntry } from "../../support/gateway/entries.ts";
import { startRelay } from "../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

type Setup = Parameters<typeof startRelay>[0];
const start = (
  setup: Partial<Setup> = {},
  answer: Parameters<typeof startUpstream>[0] = () => Response.json(chatReply()),
) => {
  const upstream = startUpstream(answer);
  const relay = startRelay({
    ...setup,
    channels: (setup.channels ?? [{}]).map((c) => ({ baseUrl: upstream.url, ...c })),
  });
  stops.push(upstream.stop, relay.stop);
  return { upstream, relay };
};
const ASK = { model: "gpt-4o", messages: [{ role: "user", content: "Hi" }] };
const embeddings = { object: "list", data: [{ object: "embedding", index: 0, embedding: [0.1, 0.2] }], model: "m" };

describe("models", () => {
  test("are what the key may call, as a list in OpenAI's form", async () => {
    const { relay } = start({
      channels: [{ models: ["b", "a"] }, { models: ["c"], modelPrefix: "p/" }, { groups: ["x"], models: ["d"] }],
    });
    const list = (await (await relay.get("/v1/models")).json()) as { object: string; data: { id: string }[] };
    expect(list.object).toBe("list");
    expect(list.data.map(({ id }) => id)).toEqual(["a", "b", "p/c"]);
    expect(list.data[0]).toMatchObject({ object: "model", owned_by: "openai", created: 1_626_777_600, parent: null });
  });
  test("are limited by the key, which must be let in", async () => {
    const { relay } = start({
      tokens: {
        test: { modelLimits: new Set(["gpt-4o", "gone"]) },
        no: { allowIps: { matches: () => false, text: "" } },
      },
    });
    const list = (await (await relay.get("/v1/models")).json()) as { data: { id: string }[] };
    expect(list.data.map(({ id }) => id)).toEqual(["gpt-4o"]);
    expect((await relay.get("/v1/models", { authorization: "Bearer no" })).status).toBe(403);
    expect((await relay.get("/v1/models", {})).status).toBe(401);
  });
  test("can be looked up by name, slashes included", async () => {
    const { relay } = start({ channels: [{ models: ["org/model"] }] });
    expect(await (await relay.get("/v1/models/org/model")).json()).toMatchObject({ id: "org/model", object: "model" });
    const missing = await relay.get("/v1/models/gpt-4o");
    expect(missing.status).toBe(404);
    expect(await missing.json()).toMatchObject({ error: { code: "model_not_found" } });
  });
});

describe("paths", () => {
  test("work with a slash behind them, and under /hf", async () => {
    const { relay, upstream } = start();
    for (const path of ["/v1/chat/completions/", "/hf/v1/chat/completions"])
      expect((await relay.post(path, ASK)).status).toBe(200);
    expect(upstream.received.map(({ path }) => path)).toEqual(["/v1/chat/completions", "/v1/chat/completions"]);
  });
  test("nobody knows are 404, known ones that are not offered 501", async () => {
    const { relay } = start();
    const unknown = await relay.post("/v1/nope", {});
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({
      error: { type: "invalid_request_error", message: expect.stringContaining("Invalid URL (POST /v1/nope)") },
    });
    const unsupported = await relay.post("/v1/edits", {});
    expect(unsupported.status).toBe(501);
    expect(await unsupported.json()).toMatchObject({ error: { code: "api_not_implemented" } });
  });
  test("may be called from any page", async () => {
    const { relay } = start();
    const preflight = await fetch(`${relay.url}/v1/chat/completions`, { method: "OPTIONS" });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get("access-control-allow-headers")).toContain("Authorization");
    const headers = { origin: "https://page.example" };
    for (const body of [ASK, "{"]) {
      const answer = await relay.post("/v1/chat/completions", body, { headers });
      expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    }
  });
});

describe("text completions", () => {
  test("are forwarded and charged", async () => {
    const reply = {
      id: "cmpl-1",
      object: "text_completion",
      choices: [{ text: "x", index: 0, finish_reason: "stop" }],
      usage: { prompt_tokens: 4, completion_tokens: 2 },
    };
    const { relay, upstream } = start({}, () => Response.json(reply));
    const body = { model: "gpt-4o", prompt: "Say x" };
    expect(await (await relay.post("/v1/completions", body)).json()).toEqual(reply);
    expect(upstream.received[0]?.path).toBe("/v1/completions");
    expect((await relay.billing.nextRecord()).quota).toBe(15);
  });
});

describe("embeddings", () => {
  test("take the model from the path when the body has none", async () => {
    const { relay, upstream } = start({}, () =>
      Response.json({ ...embeddings, usage: { prompt_tokens: 1000, total_tokens: 1000 } }),
    );
    await relay.post("/v1/engines/text-embedding-3-small/embeddings", { input: "a" });
    expect(upstream.received[0]).toMatchObject({
      path: "/v1/embeddings",
      text: '{"model":"text-embedding-3-small","input":"a"}',
    });
    expect(await relay.billing.nextRecord()).toMatchObject({
      quota: 10,
      modelName: "text-embedding-3-small",
      completionTokens: 0,
    });
  });
  test("without usage are counted here", async () => {
    const { relay } = start({}, () => Response.json(embeddings));
    await relay.post("/v1/embeddings", { model: "text-embedding-3-small", input: ["hello world", "again"] });
    const record = await relay.billing.nextRecord();
    expect(record.promptTokens).toBe(4);
    expect(record.other.usage_evidence).toBe("estimated");
  });
});

describe("answers without content", () => {
  const empty = (message: object, usage: object | undefined) => () =>
    Response.json(
      chatReply({
        choices: [{ index: 0, message: { role: "assistant", content: null, ...message }, finish_reason: "stop" }],
        usage,
      }),
    );
  const quotaOf = async (answer: () => Response) => {
    const { relay } = start({}, answer);
    await relay.post("/v1/chat/completions", ASK);
    return (await relay.billing.nextRecord()).quota;
  };
  test("are free", async () => {
    expect(await quotaOf(empty({}, { prompt_tokens: 10, completion_tokens: 0 }))).toBe(0);
    expect(await quotaOf(empty({ content: " \n" }, undefined))).toBe(0);
  });
  test("are charged when there is a tool call, or tokens are reported", async () => {
    const call = { tool_calls: [{ id: "1", type: "function", function: { name: "f", arguments: "{}" } }] };
    expect(await quotaOf(empty(call, undefined))).toBeGreaterThan(0);
    expect(await quotaOf(empty({}, { prompt_tokens: 10, completion_tokens: 3 }))).toBeGreaterThan(0);
  });
});

describe("the playground", () => {
  const session = userEntry({ username: "bob", group: "vip" });
  test("playground: charges the signed-in user and leaves its own fields out", async () => {
    const { relay, upstream } = start({ session, channels: [{ groups: ["vip", "default"] }] });
    const answer = await relay.post("/pg/chat/completions", { ...ASK, group: "", max_tokens: 0, temperature: 0 });
    expect(answer.status).toBe(200);
    expect(JSON.parse(upstream.received[0]?.text ?? "")).toEqual({ ...ASK, temperature: 0 });
    expect(await relay.billing.nextRecord()).toMatchObject({
      tokenId: 0,
      tokenName: "playground-vip",
      username: "bob",
      group: "vip",
    });
  });
  test("rejects unknown keys, access tokens, other groups and a missing model", async () => {
    const { relay } = start({ session });
    const otherGateway = start();
    const code = async (answer: Promise<Response>) => {
      const got = await answer;
      return [got.status, ((await got.json()) as { error: { code: string } }).error.code];
    };
    expect(await code(otherGateway.relay.post("/pg/chat/completions", ASK))).toEqual([
      400,
      "access_token_not_supported",
    ]);
    expect(await code(fetch(`${otherGateway.relay.url}/pg/chat/completions`, { method: "POST", body: "{}" }))).toEqual([
      401,
      "not_logged_in",
    ]);
    expect(await code(relay.post("/pg/chat/completions", { ...ASK, group: "svip" }))).toEqual([
      403,
      "group_not_allowed",
    ]);
    expect(await code(relay.post("/pg/chat/completions", { messages: ASK.messages }))).toEqual([400, "model_required"]);
  });
});

test("the playground shows its reader why a call failed in the console's language; an endpoint for programs does not", async () => {
  const { relay } = start({ session: userEntry({ username: "bob", group: "vip" }) });
  const errorMessage = async (path: string) => {
    const headers = { authorization: "Bearer sk-test", "accept-language": "zh-CN,zh;q=0.9" };
    const body = JSON.stringify({ ...ASK, group: "default", model: "unknown" });
    const answer = await fetch(relay.url + path, { method: "POST", headers, body });
    return ((await answer.json()) as { error: { message: string } }).error.message;
  };
  expect(await errorMessage("/pg/chat/completions")).toStartWith(
    "模型「unknown」不存在，或该令牌无权使用。（请求编号：",
  );
  expect(await errorMessage("/v1/chat/completions")).toStartWith("The model “unknown” does not exist");
});

describe("options", () => {
  test("pass-through forwards the body untouched, without mapping and overrides", async () => {
    const { relay, upstream } = start({
      channels: [{ modelMapping: new Map([["gpt-4o", "x"]]), paramOverride: { user: "u" } }],
      options: { "global.pass_through_request_enabled": "true" },
    });
    await relay.post("/v1/chat/completions", ASK);
    expect(upstream.received[0]?.text).toBe(JSON.stringify(ASK));
  });
  test("upstream errors are passed on, or hidden", async () => {
    const answer = () =>
      Response.json({ error: { message: "secret detail", type: "t", param: "p", code: "c" } }, { status: 400 });
    const open = start({}, answer);
    expect(await (await open.relay.post("/v1/chat/completions", ASK)).json()).toMatchObject({
      error: { message: expect.stringContaining("secret detail (request id: "), type: "t", param: "p", code: "c" },
    });
    const hidden = start({ options: { "global.hide_upstream_error_enabled": "true" } }, answer);
    expect(await (await hidden.relay.post("/v1/chat/completions", ASK)).json()).toMatchObject({
      error: { message: expect.stringContaining("Upstream error with status code 400"), type: "upstream_error" },
    });
  });
  test("where calls are not logged, the charge alone is stored", async () => {
    const options = { LogConsumeEnabled: "false", LogChatContentEnabled: "true" };
    const { relay } = start({ options });
    await relay.post("/v1/chat/completions", ASK);
    const { quota, other, ...record } = await relay.billing.nextRecord();
    expect(record).toMatchObject({ unlogged: true, ip: "", content: "" });
    expect(quota).toBeGreaterThan(0);
    expect(Object.keys(other)).toEqual(["request_id"]);
    const failing = start({ options }, () => new Response("no", { status: 400 }));
    expect((await failing.relay.post("/v1/chat/completions", ASK)).status).toBe(400);
    expect(failing.relay.billing.records).toEqual([]);
  });

  test("contents are logged on request", async () => {
    const { relay } = start({ options: { LogChatContentEnabled: "true" } });
    const messages = [
      { role: "system", content: "S" },
      { role: "user", content: "first" },
      { role: "assistant", content: "A" },
      { role: "user", content: "last" },
    ];
    await relay.post("/v1/chat/completions", { ...ASK, messages });
    expect((await relay.billing.nextRecord()).other).toMatchObject({
      system_prompt: "S",
      input_content: "last",
      output_content: "Hello there",
    });
  });
  test("where contents are logged, so is what the client sent, and what went upstream", async () => {
    const options = { LogChatContentEnabled: "true" };
    const channels = [{ modelMapping: new Map([["gpt-4o", "x"]]), paramOverride: { user: "u" } }];
    const changed = start({ options, channels });
    const key = "sk-proj-abcdefghijklmnop1234";
    const ask = { ...ASK, messages: [{ role: "user", content: `it is ${key}` }] };
    await changed.relay.post("/v1/chat/completions", ask);
    const { client = "", upstream = "" } = (await changed.relay.billing.nextRecord()).other.admin_info?.exchange ?? {};
    const clean = { ...ask, messages: [{ role: "user", content: "it is [key]" }] };
    expect(JSON.parse(client)).toEqual(clean);
    expect(JSON.parse(upstream)).toEqual({ ...clean, model: "x", user: "u" });

    const untouched = start({ options: { ...options, "global.pass_through_request_enabled": "true" } });
    await untouched.relay.post("/v1/chat/completions", ASK);
    const same = (await untouched.relay.billing.nextRecord()).other.admin_info?.exchange;
    expect(same).toEqual({ client: JSON.stringify(ASK), format: "openai-chat" });

    const failing = start({ options, channels }, () => new Response("no", { status: 400 }));
    await failing.relay.post("/v1/chat/completions", ASK);
    const rejected = (await failing.relay.billing.nextRecord()).other.admin_info?.exchange;
    expect(rejected?.upstream).toContain('"user":"u"');

    const unlogged = start({ channels });
    await unlogged.relay.post("/v1/chat/completions", ASK);
    expect((await unlogged.relay.billing.nextRecord()).other.admin_info).not.toHaveProperty("exchange");
  });
  test("private addresses are refused when they are not allowed", async () => {
    const { relay, upstream } = start({ config: { allowPrivateUpstreams: false } });
    const answer = await relay.post("/v1/chat/completions", ASK);
    expect(answer.status).toBe(502);
    expect(await answer.text()).not.toContain("127.0.0.1");
    expect(upstream.received).toHaveLength(0);
    expect((await relay.billing.nextRecord()).other.admin_info?.attempts[0]?.error).toContain(
      "ALLOW_PRIVATE_UPSTREAMS",
    );
  });
});

test("figures are counted for monitors", async () => {
  const { relay } = start();
  await relay.post("/v1/chat/completions", ASK);
  await relay.post("/v1/chat/completions", "{");
  const text = await relay.metrics.metrics();
  expect(text).toContain('sluice_relay_requests_total{endpoint="chat",status="2xx"} 1');
  expect(text).toContain('sluice_relay_requests_total{endpoint="refused",status="4xx"} 1');
  expect(text).toContain('sluice_relay_tokens_total{kind="prompt"} 10');
  expect(text).toContain("# TYPE sluice_relay_duration_seconds histogram");
  expect(text).toContain('sluice_relay_duration_seconds_bucket{endpoint="chat",le="+Inf"} 1');
  expect(text).toMatch(/sluice_relay_duration_seconds_bucket\{endpoint="chat",le="300"\} 1/);
  expect(text).toContain('sluice_relay_duration_seconds_count{endpoint="chat"} 1');
  expect(await relay.metrics.metrics()).toBe(text);
});
