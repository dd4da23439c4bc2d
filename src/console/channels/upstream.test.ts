import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { count } from "drizzle-orm";
import { logs, usageRollups } from "../../../db/schema/logs/logs.ts";
import {
  startFakeUpstream,
  startTestOperations,
  type TestOperations,
} from "../../../test/support/console/operations.ts";
import { until } from "../../../test/support/lib/until.ts";
import { setChannelStatus } from "../../domain/channels/status/set-status.ts";

let app: TestOperations;
let upstream: ReturnType<typeof startFakeUpstream>;
beforeAll(async () => {
  app = await startTestOperations();
  upstream = startFakeUpstream();
});
afterAll(async () => {
  await upstream.stop();
  await app.close();
});
/** An answer that a call accepts. */
const good = (path = ""): Response =>
  Response.json(
    path.endsWith("/embeddings") ? { data: [{ embedding: [0.5] }] } : { choices: [{ message: { content: "hi" } }] },
  );
beforeEach(() => upstream.answerWith(({ path }) => good(path)));

const KEY = "sk-secret-of-the-upstream";
const call = async (method: string, path: string, body?: unknown, headers = app.as.admin) =>
  (await app.ask(method, path, body, headers)).body;

async function create(input: object = {}): Promise<number> {
  const channel = { name: "main", key: KEY, models: "gpt-4o", base_url: upstream.url, ...input };
  return ((await call("POST", "/api/channel/", channel)).data as { id: number }).id;
}

async function removeAll() {
  const ids = [...app.channels.all()].map(({ id }) => id);
  if (ids.length > 0) await call("POST", "/api/channel/batch", { ids });
}

const read = async (id: number, language = "en") => {
  const headers = { ...app.as.admin, "accept-language": language };
  return (await call("GET", `/api/channel/${id}`, undefined, headers)).data as Record<string, unknown>;
};

describe("a test of one channel", () => {
  test("makes one small real call, keeps its duration and writes nothing into the log", async () => {
    const id = await create({ model_mapping: '{"gpt-4o":"real-name"}', param_override: '{"user":"probe"}' });
    const [before] = await app.db.select({ rows: count() }).from(logs);
    const answer = await call("GET", `/api/channel/test/${id}`);
    expect(answer).toMatchObject({ success: true, message: "", data: { model: "gpt-4o" } });
    expect(answer.time).toBeGreaterThan(0);
    expect(upstream.seen).toHaveLength(1);
    expect(upstream.seen[0]).toMatchObject({
      path: "/v1/chat/completions",
      headers: { authorization: `Bearer ${KEY}` },
      body: { model: "real-name", stream: false, max_tokens: 10, user: "probe" },
    });
    const { response_time: time, test_time: at } = await read(id);
    expect(time).toBe(Math.round((answer.time as number) * 1000));
    expect(at).toBeGreaterThan(0);
    expect(await app.db.select({ rows: count() }).from(logs)).toEqual([before as { rows: number }]);
    expect(await app.db.select().from(usageRollups)).toEqual([]);
  });

  test("a rejection is shown without the key, in the caller's language", async () => {
    const id = await create();
    upstream.answerWith(() =>
      Response.json({ error: { message: `Incorrect API key provided: ${KEY}.` } }, { status: 401 }),
    );
    const answer = await app.ask("GET", `/api/channel/test/${id}`, undefined, {
      ...app.as.admin,
      "accept-language": "zh",
    });
    expect(answer.body).toMatchObject({
      success: false,
      message: "测试失败：HTTP 401: Incorrect API key provided: ***.",
    });
    expect(answer.body.time).toBeGreaterThan(0);
    expect(answer.text).not.toContain(KEY);
    expect((await read(id)).response_time).toBe(0);
  });

  test.each([
    ["an error inside a success", () => Response.json({ error: { message: "no quota" } }), "no quota"],
    ["an empty object", () => Response.json({}), "not valid"],
    ["an answer that is not JSON", () => new Response("<html>"), "not JSON"],
    ["a redirect", () => Response.redirect("http://127.0.0.1:1/", 302), "redirect"],
  ])("%s is a failure", async (_, answer, reported) => {
    const id = await create();
    upstream.answerWith(answer);
    const { success, message } = await call("GET", `/api/channel/test/${id}`);
    expect(success).toBe(false);
    expect(message).toContain(reported);
  });

  test("an upstream that is not there is a failure", async () => {
    const id = await create({ base_url: "http://127.0.0.1:1" });
    expect(await call("GET", `/api/channel/test/${id}`)).toMatchObject({ success: false });
  });

  test.each([
    ["text-embedding-3-small", "/v1/embeddings", { input: ["hello world"] }],
    ["bge-m3", "/v1/embeddings", { input: ["hello world"] }],
    ["o1", "/v1/chat/completions", { max_completion_tokens: 10 }],
    ["o3-mini-high", "/v1/chat/completions", { model: "o3-mini", reasoning_effort: "high", max_completion_tokens: 10 }],
    ["gemini-2.5-pro", "/v1/chat/completions", { max_tokens: 300 }],
    ["claude-thinking", "/v1/chat/completions", { max_tokens: 50 }],
  ])("%s is requested in its own format", async (model, path, body) => {
    const id = await create({ models: model });
    expect(await call("GET", `/api/channel/test/${id}`)).toMatchObject({ success: true, data: { model } });
    expect(upstream.seen[0]).toMatchObject({ path, body });
    if ("max_completion_tokens" in body) expect(upstream.seen[0]?.body).not.toHaveProperty("max_tokens");
  });

  test.each([
    ["a service of which nothing is known says so", 19, true],
    ["OpenAI is known", 1, undefined],
  ])("%s", async (_, type, assumed) => {
    const id = await create({ type });
    const { success, assumed: isAssumed } = await call("GET", `/api/channel/test/${id}`);
    expect([success, isAssumed]).toEqual([true, assumed]);
  });

  test("the model is the query's, else the channel's test model; a prefix is not sent", async () => {
    const id = await create({ models: "a,b,c", test_model: "b", model_prefix: "p/" });
    await call("GET", `/api/channel/test/${id}`);
    await call("GET", `/api/channel/test/${id}?model=p/c`);
    expect(upstream.seen.map(({ body }) => body?.model)).toEqual(["b", "c"]);
  });

  test("types without an adapter cannot be tested; unknown channels neither", async () => {
    expect(await call("GET", `/api/channel/test/${await create({ type: 2 })}`)).toMatchObject({
      code: "channel_not_testable",
    });
    expect(await call("GET", "/api/channel/test/999999")).toMatchObject({ code: "channel_not_found" });
  });
});

describe("a test of all channels", () => {
  const finished = () =>
    until(
      async () => (await call("GET", "/api/channel/test/progress")).data as object,
      (progress) => !("running" in progress && progress.running),
    );

  test("brings recovered channels back, leaves those alone that somebody switched off", async () => {
    await removeAll();
    await app.settings.set("AutomaticEnableChannelEnabled", "true");
    const [dead, off, failing] = [await create(), await create(), await create({ models: "broken" })];
    await setChannelStatus(app, dead, 3, "401");
    await setChannelStatus(app, off, 2, "by hand");
    await setChannelStatus(app, failing, 3, "401");
    upstream.answerWith(({ body }) => (body?.model === "broken" ? new Response("", { status: 500 }) : good()));
    expect(await call("GET", "/api/channel/test")).toMatchObject({ success: true, data: { running: true, total: 2 } });
    expect(await call("GET", "/api/channel/test")).toMatchObject({ code: "channel_tests_running" });
    expect(await finished()).toEqual({ running: false, done: 2, total: 2, failed: 1 });
    expect([dead, off, failing].map((id) => app.channels.get(id)?.status)).toEqual([1, 2, 3]);
  });

  test("nobody comes back unless the setting says so", async () => {
    await removeAll();
    await app.settings.set("AutomaticEnableChannelEnabled", "false");
    const id = await create();
    await setChannelStatus(app, id, 3, "401");
    await call("GET", "/api/channel/test");
    await finished();
    expect(app.channels.get(id)?.status).toBe(3);
  });

  test("what is slower than the limit goes off, where settings and channel say so", async () => {
    await removeAll();
    await app.settings.set("AutomaticDisableChannelEnabled", "true");
    const [slow, spared, fast] = [
      await create({ models: "slow" }),
      await create({ models: "slow", auto_ban: 0 }),
      await create({ models: "fast" }),
    ];
    upstream.answerWith(async ({ body }) => {
      if (body?.model === "slow") await Bun.sleep(3_100);
      return Response.json({ choices: [] });
    });
    await app.settings.set("ChannelDisableThreshold", "3");
    await call("GET", "/api/channel/test");
    await finished();
    expect([slow, spared, fast].map((id) => app.channels.get(id)?.status)).toEqual([3, 1, 1]);
    expect(JSON.parse((await read(slow)).other_info as string).status_reason).toMatch(/The test took \d+\.\d s/);
    expect((await read(slow, "zh")).disabled_reason).toMatch(/^测试用时 \d+\.\d 秒，超过上限 3 秒$/);
  }, 60_000);

  test("what is refused for good goes off, the key alone where others are left; what is not, stays", async () => {
    await removeAll();
    await app.settings.set("AutomaticDisableChannelEnabled", "true");
    await app.settings.set("ChannelDisableThreshold", "0");
    const [refused, oneOfTwo, spared, broke, busy] = [
      await create({ models: "refused" }),
      await create({ models: "refused", key: `${KEY},another-key-000002` }),
      await create({ models: "refused", auto_ban: 0 }),
      await create({ models: "broke" }),
      await create({ models: "busy" }),
    ];
    upstream.answerWith(({ body }) => {
      if (body?.model === "busy") return Response.json({ error: { message: "slow down" } }, { status: 429 });
      const message =
        body?.model === "broke" ? "You EXCEEDED your current quota" : `Incorrect API key provided: ${KEY}`;
      return Response.json({ error: { message } }, { status: body?.model === "broke" ? 200 : 401 });
    });
    app.wentOff.length = 0;
    await call("GET", "/api/channel/test");
    expect(await finished()).toMatchObject({ done: 5, failed: 5 });
    const all = [refused, oneOfTwo, spared, broke, busy];
    expect(all.map((id) => app.channels.get(id)?.status)).toEqual([3, 1, 1, 3, 1]);
    expect([...(app.channels.get(oneOfTwo)?.disabledKeys ?? [])]).toEqual([KEY]);
    expect(JSON.parse((await read(refused)).other_info as string).status_reason).toBe(
      "HTTP 401: Incorrect API key provided: ***",
    );
    expect(app.wentOff.map(({ isKeyOnly }) => isKeyOnly).sort()).toEqual([false, false, true]);
    await app.settings.set("AutomaticDisableChannelEnabled", "false");
    await setChannelStatus(app, refused, 1);
    await call("GET", "/api/channel/test");
    await finished();
    expect(app.channels.get(refused)?.status).toBe(1);
  });

  test("a cancelled pass does not continue during the next", async () => {
    await removeAll();
    for (let index = 0; index < 12; index += 1) await create({ models: `m${index}` });
    const waiting: (() => void)[] = [];
    upstream.answerWith(() => new Promise((resolve) => waiting.push(() => resolve(Response.json({})))));
    await call("GET", "/api/channel/test");
    await until(() => waiting.length >= 4);
    await call("POST", "/api/channel/test/cancel");
    upstream.answerWith(() => good());
    await call("GET", "/api/channel/test");
    for (const answer of waiting) answer();
    expect(await finished()).toEqual({ running: false, done: 12, total: 12, failed: 0 });
    await Bun.sleep(50);
    expect(upstream.seen).toHaveLength(12);
  });
});

describe("models of an upstream", () => {
  const models = { data: [{ id: "b" }, { id: "a" }, { id: "a" }, {}, null] };

  test("are fetched for a channel and for a form, with the first key", async () => {
    upstream.answerWith(() => Response.json(models));
    const id = await create({ key: `${KEY},second` });
    expect((await call("GET", `/api/channel/fetch_models/${id}`)).data).toEqual(["a", "b"]);
    const form = { type: 1, base_url: `${upstream.url}/`, key: `${KEY}\nsecond` };
    expect((await call("POST", "/api/channel/fetch_models", form)).data).toEqual(["a", "b"]);
    expect(upstream.seen.map(({ path, headers }) => [path, headers.authorization])).toEqual(
      Array(2).fill(["/v1/models", `Bearer ${KEY}`]),
    );
  });

  test("are fetched for a form from where its other fields say", async () => {
    const requests = async (form: object, answer: object = models) => {
      upstream.answerWith(() => Response.json(answer));
      const body = { base_url: upstream.url, key: "k", ...form };
      expect((await call("POST", "/api/channel/fetch_models", body)).data).toEqual(["a", "b"]);
      return upstream.seen[0];
    };
    const named = { result: [{ name: "b" }, { name: "a" }] };
    expect((await requests({ type: 39, other: " acc " }, named))?.path).toStartWith(
      "/client/v4/accounts/acc/ai/models/",
    );
    expect((await requests({ type: 3, other: "v1" }))?.path).toBe("/openai/v1/models");
    expect((await requests({ type: 3, other: "2024-10-21" }))?.path).toBe("/openai/models?api-version=2024-10-21");
    const gemini = { models: [{ name: "models/a" }, { name: "models/b" }] };
    expect((await requests({ type: 24, other: "v1" }, gemini))?.path).toBe("/v1/models?pageSize=1000");
    const organized = await requests({ type: 1, openai_organization: "org-1" });
    expect(organized?.headers["openai-organization"]).toBe("org-1");
    // Nobody listens at the address: the proxy answers in its place.
    const setting = JSON.stringify({ proxy: upstream.url });
    expect(await requests({ type: 1, base_url: "http://127.0.0.1:1", setting })).toMatchObject({
      headers: { host: "127.0.0.1:1" },
    });
    const broken = { type: 1, base_url: upstream.url, key: "k", setting: "{" };
    expect(await call("POST", "/api/channel/fetch_models", broken)).toMatchObject({ code: "channel_setting_invalid" });
  });

  test.each([
    ["a refusal", () => new Response("", { status: 401 }), "HTTP 401", "HTTP 401"],
    ["no model list", () => Response.json({ models: [] }), "no model list", "没有模型列表"],
    ["null", () => Response.json(null), "no model list", "没有模型列表"],
    ["no JSON", () => new Response("hello"), "not JSON", "不是 JSON"],
  ])("%s is reported, in the caller's language, also later", async (_, answer, english, chinese) => {
    upstream.answerWith(answer);
    const id = await create();
    const requests = async (method: string, path: string, language: string) =>
      call(method, `/api/channel/${path}`, undefined, { ...app.as.admin, "accept-language": language });
    for (const [language, message] of [
      ["en", english],
      ["zh", chinese],
    ] as const) {
      const body = await requests("GET", `fetch_models/${id}`, language);
      expect(body).toMatchObject({ success: false, code: "channel_models_unavailable" });
      expect(body.message).toContain(message);
      await requests("POST", `${id}/model_list/refresh`, "en");
      const retained = (await requests("GET", `${id}/model_list`, language)).data;
      expect((retained as { error: string }).error).toContain(message);
    }
  });

  test.each([
    [{ type: 1, key: " " }, "channel_key_required"],
    [{ type: 9999, key: "k" }, "channel_type_unknown"],
    [{ type: 8, key: "k" }, "channel_models_unavailable"],
  ])("%p is refused", async (form, code) =>
    expect(await call("POST", "/api/channel/fetch_models", form)).toMatchObject({ code }),
  );
});

describe("the URL of a call", () => {
  test("is computed from a form, with what a key says of regions and projects, and nothing is sent", async () => {
    upstream.answerWith(() => Response.json({}));
    const urlOf = async (form: object) => (await call("POST", "/api/channel/call_url", { base_url: "", ...form })).data;
    expect(await urlOf({ type: 1 })).toBe("https://api.openai.com/v1/chat/completions");
    expect(await urlOf({ type: 26, base_url: "https://api.z.ai/api/coding/paas/v4" })).toBe(
      "https://api.z.ai/api/coding/paas/v4/chat/completions",
    );
    expect(await urlOf({ type: 3, base_url: "https://r.openai.azure.com", model: "our-gpt" })).toBe(
      "https://r.openai.azure.com/openai/deployments/our-gpt/chat/completions?api-version=2024-12-01-preview",
    );
    const socket = { type: 18, base_url: "WSS://spark-api.xf-yun.com/v3.5/chat", other: "v3.5" };
    expect(await urlOf(socket)).toBe("https://spark-api.xf-yun.com/v3.5/chat");
    expect(await call("GET", `/api/channel/${await create(socket)}`)).toMatchObject({
      data: { base_url: "https://spark-api.xf-yun.com/v3.5/chat" },
    });
    expect(await urlOf({ type: 38 })).toBe("https://api.jina.ai/v1/embeddings");
    expect(await urlOf({ type: 1010 })).toBe("https://api-singapore.klingai.com/v1/videos");
    const key = "access|secret|eu-west-1";
    expect(await urlOf({ type: 1007, model: "amazon.nova-pro-v1:0", key })).toBe(
      "https://bedrock-runtime.eu-west-1.amazonaws.com/model/amazon.nova-pro-v1%3A0/converse",
    );
    const id = await create({ type: 1007, key, base_url: "" });
    expect(await urlOf({ type: 1007, model: "m", id })).toContain("bedrock-runtime.eu-west-1.");
    expect(await urlOf({ type: 1007, model: "m", id, key: "other|us-west-2" })).toContain("runtime.us-west-2.");
    expect(upstream.seen).toHaveLength(0);
  });

  test.each([
    [{ type: 9999, base_url: "https://a.example" }],
    [{ type: 1006, base_url: "" }],
    [{ type: 1, base_url: "ftp://a.example" }],
    [{ type: 1, base_url: "https://" }],
  ])("there is none of %p", async (form) => {
    expect(await call("POST", "/api/channel/call_url", form)).toMatchObject({ success: true, data: null });
  });
});

describe("balances", () => {
  const reports = (usd: unknown, cents: number) =>
    upstream.answerWith(({ path }) =>
      Response.json(path.includes("/subscription") ? { hard_limit_usd: usd } : { total_usage: cents }),
    );

  test.each([
    ["what is left of the key's limit", { limit: 9, limit_remaining: 7.5 }, { total_credits: 99, total_usage: 0 }, 7.5],
    ["the account's credits", { limit: null, limit_remaining: null }, { total_credits: 10, total_usage: 2.5 }, 7.5],
    ["the credits, by a server that knows no limits", null, { total_credits: 10, total_usage: 2.5 }, 7.5],
    ["neither, to a key that may not know", { limit_remaining: null }, { total_credits: 0, total_usage: 0 }, null],
    ["neither, where it refuses", { limit_remaining: null }, null, null],
  ])("OpenRouter reports %s", async (_, ofKey, ofAccount, balance) => {
    upstream.answerWith(({ path }) => {
      const data = path.endsWith("/v1/key") ? ofKey : ofAccount;
      return data ? Response.json({ data }) : new Response("", { status: path.endsWith("/v1/key") ? 404 : 403 });
    });
    const answer = await call("GET", `/api/channel/update_balance/${await create({ type: 20 })}`);
    if (balance !== null) expect(answer).toMatchObject({ success: true, balance });
    else expect(answer.message).toContain("amounts");
  });

  test.each([
    [{ base_url: "" }, ""],
    [{ base_url: "/v1" }, ""],
    [{ type: 8, base_url: "/some/chat/{model}" }, ""],
  ])("%p: limit minus usage, from the billing paths", async ({ base_url: path, ...input }) => {
    reports(20, 512.5);
    const id = await create({ ...input, base_url: upstream.url + path });
    expect(await call("GET", `/api/channel/update_balance/${id}/`)).toMatchObject({
      success: true,
      balance: 14.875,
      currency: "USD",
    });
    expect(await read(id)).toMatchObject({ balance: 14.875 });
    expect(upstream.seen[0]?.path).toBe("/v1/dashboard/billing/subscription");
    expect(upstream.seen[1]?.path).toMatch(/^\/v1\/dashboard\/billing\/usage\?start_date=\d{4}-\d\d-\d\d&end_date=/);
  });

  test.each([
    ["a refusal", {}, () => new Response("", { status: 403 }), "HTTP 403"],
    ["no amounts", {}, () => Response.json(null), "返回内容中没有金额"],
    ["no JSON", {}, () => new Response("hello"), "返回内容不是 JSON"],
    ["no address", { type: 8, base_url: "" }, () => Response.json({}), "渠道的接口地址无效"],
    ["nobody there", { base_url: "http://127.0.0.1:1" }, () => Response.json({}), "无法连接 127.0.0.1:1"],
  ])("%s is reported, in the caller's language, also later", async (_, input, answer, reported) => {
    upstream.answerWith(answer);
    const id = await create(input);
    const headers = { ...app.as.admin, "accept-language": "zh" };
    const body = await call("GET", `/api/channel/update_balance/${id}`, undefined, headers);
    expect(body).toMatchObject({ code: "channel_balance_unavailable", message: `查询余额失败：${reported}` });
    expect((await read(id, "zh")).balance_error).toBe(reported);
    expect((await read(id)).balance_error).not.toMatch(/[\u4e00-\u9fff]|sluice:/);
  });

  test("not every type reports one", async () =>
    expect(await call("GET", `/api/channel/update_balance/${await create({ type: 3 })}`)).toMatchObject({
      code: "channel_balance_not_offered",
    }));

  test("all at once: channels with nothing left go off, silent ones are passed over", async () => {
    await removeAll();
    const silent = await create({ base_url: "http://127.0.0.1:1" });
    const rich = await create({ key: "rich", auto_ban: 0 });
    const poor = await create({ key: "poor", auto_ban: 0 });
    await create({ type: 3 });
    upstream.answerWith(({ path, headers }) => {
      const limit = headers.authorization === "Bearer rich" ? 10 : 1;
      return Response.json(path.includes("/subscription") ? { hard_limit_usd: limit } : { total_usage: 100 });
    });
    app.wentOff.length = 0;
    expect((await call("GET", "/api/channel/update_balance")).data).toEqual({ updated: 2, total: 3 });
    expect([silent, rich, poor].map((id) => app.channels.get(id)?.status)).toEqual([1, 1, 3]);
    expect(app.wentOff).toHaveLength(1);
  });

  test("a balance is stored with its currency, or with the reason that it failed", async () => {
    const id = await create({ type: 43, base_url: upstream.url });
    upstream.answerWith(() => Response.json({ balance_infos: [{ currency: "CNY", total_balance: "7.5" }] }));
    await call("GET", `/api/channel/update_balance/${id}`);
    expect(await read(id)).toMatchObject({ balance: 7.5, balance_currency: "CNY", balance_error: "" });
    upstream.answerWith(() => new Response("", { status: 503 }));
    await call("GET", `/api/channel/update_balance/${id}`);
    expect(await read(id)).toMatchObject({ balance: 7.5, balance_error: "HTTP 503" });
  });

  test("a balance that falls below its limit is reported once, until it has been above again", async () => {
    app.lowBalances.length = 0;
    const id = await create({ name: "thin", balance_warn_below: 12.5 });
    const ask = async (usd: number) => {
      reports(usd, 0);
      await call("GET", `/api/channel/update_balance/${id}`);
    };
    for (const usd of [20, 12, 11, 13, 12.4]) await ask(usd);
    expect(app.lowBalances).toEqual([
      { channel: "thin", amount: 12, currency: "USD", limit: 12.5 },
      { channel: "thin", amount: 12.4, currency: "USD", limit: 12.5 },
    ]);
    await call("PUT", "/api/channel/", { id, balance_warn_below: null });
    await ask(20);
    await ask(4);
    expect(app.lowBalances.at(-1)).toMatchObject({ amount: 4, limit: 5 });
    expect(await read(id)).toMatchObject({ balance_low: true, balance_warn_below: null });
    expect(await call("PUT", "/api/channel/", { id, balance_warn_below: -1 })).toMatchObject({
      code: "channel_amount_invalid",
    });
  });

  test("how long they last at the pace of the last week", async () => {
    const hour = Math.floor(Date.now() / 3_600_000) * 3600;
    const of = { userId: 1, username: "u", tokenId: 1, tokenName: "t", modelName: "m", group: "default", count: 1 };
    const [dollars, yuan, unasked] = [
      await create(),
      await create({ type: 43, base_url: upstream.url }),
      await create(),
    ];
    // Seven dollars in a week: one a day.
    const rows = [dollars, yuan, unasked].map((channelId) => ({ ...of, channelId, hour, quota: 3_500_000 }));
    await app.db.insert(usageRollups).values(rows);
    reports(20, 512.5);
    await call("GET", `/api/channel/update_balance/${dollars}`);
    upstream.answerWith(() => Response.json({ balance_infos: [{ currency: "CNY", total_balance: "73" }] }));
    await call("GET", `/api/channel/update_balance/${yuan}`);
    const { data } = await call("GET", `/api/channel/forecast?ids=${dollars},${yuan},${unasked},999999`);
    expect(data).toEqual({ [dollars]: 14, [yuan]: 10 });
    await app.db.delete(usageRollups);
  });
});

describe("what an upstream offers, compared with its channel", () => {
  const offers = (...names: string[]) =>
    upstream.answerWith(() => Response.json({ data: names.map((id) => ({ id })) }));
  const refresh = async (id: number) => (await call("POST", `/api/channel/${id}/model_list/refresh`)).data;
  const listed = async (id: number) => (await call("GET", `/api/channel/${id}/model_list`)).data;

  test("new and removed models, by their names at the upstream", async () => {
    const id = await create({ models: "mine,old,real-high", model_mapping: '{"mine":"theirs"}' });
    expect(await listed(id)).toMatchObject({ added: [], removed: [], checked_time: 0 });
    offers("theirs", "fresh", "real");
    expect(await refresh(id)).toMatchObject({ added: ["fresh", "real"], removed: ["old"], error: "" });
    const { data } = await call("GET", `/api/channel/?keyword=${id}&stats=true`);
    // The ports of other channels' addresses may have the same digits.
    expect((data as { id: number }[]).find((row) => row.id === id)).toMatchObject({
      models_changed: { added: 2, removed: 1 },
    });
  });

  test("what is chosen is taken over, the rest can be ignored", async () => {
    const id = await create({ models: "a,b" });
    offers("b", "c", "d");
    await refresh(id);
    const choice = { add: ["c"], remove: ["a"], ignore: ["d"] };
    expect(await call("POST", `/api/channel/${id}/model_list/take`, choice)).toMatchObject({ success: true });
    expect(app.channels.get(id)?.models).toEqual(["b", "c"]);
    expect(await listed(id)).toMatchObject({ added: [], removed: [], ignored: ["d"] });
    expect(await call("POST", `/api/channel/${id}/model_list/take`, { remove: ["b", "c"] })).toMatchObject({
      code: "channel_model_required",
    });
  });

  test("a failure is reported, and the list before stays", async () => {
    const id = await create({ models: "a" });
    offers("a", "b");
    await refresh(id);
    upstream.answerWith(() => new Response("", { status: 500 }));
    expect(await call("POST", `/api/channel/${id}/model_list/refresh`)).toMatchObject({
      code: "channel_models_unavailable",
    });
    expect(await listed(id)).toMatchObject({ added: ["b"], error: "HTTP 500" });
  });
});
