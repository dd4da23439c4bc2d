/** What settings do in the running executable, where no other test sees them act. */
import { afterAll, describe, expect } from "bun:test";
import { WORDS } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { createChannel, setOptions } from "../../support/e2e/console-client.ts";
import { openConsolePage, startBrowserFixture, VIEWPORTS } from "../../support/e2e/console-page.ts";
import { setOption } from "../../support/e2e/fixture.ts";
import { startMidjourney } from "../../support/gateway/fake-midjourney.ts";
import { until } from "../../support/lib/until.ts";

const MODEL = "usage-20-10";
const SLOW = "slow-model";
const DRAWING = "mj_imagine";
const HOOK = "http://hook.example.test/mine";

const LOGO = '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><rect width="20" height="20"/></svg>';

type Json = Record<string, unknown>;

const midjourney = startMidjourney();
/** Receives what the gateway's worker would pass on, and is an upstream that answers late. */
const received: Json[] = [];
let slowMs = 0;
const helper = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    if (request.method === "GET") return new Response(LOGO, { headers: { "content-type": "image/svg+xml" } });
    const body: Json = await request.json();
    if (new URL(request.url).pathname !== "/v1/chat/completions") {
      received.push(body);
      return Response.json({ ok: true });
    }
    await Bun.sleep(slowMs);
    const message = { role: "assistant", content: "Late." };
    return Response.json({
      id: "chatcmpl-1",
      object: "chat.completion",
      created: 1,
      model: SLOW,
      choices: [{ index: 0, message, finish_reason: "stop" }],
      usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
    });
  },
});
const helperUrl = `http://127.0.0.1:${helper.port}`;
const { browser, fixture } = await startBrowserFixture([MODEL], { env: { ALLOW_PRIVATE_WEBHOOKS: "true" } });
const { gateway, root, key } = fixture;
afterAll(() => {
  midjourney.stop();
  helper.stop(true);
});

const post = async (path: string, body: object): Promise<Json> => {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  const reply = await fetch(gateway.url + path, { method: "POST", headers, body: JSON.stringify(body) });
  return reply.json();
};
const draw = (fields: object = {}) =>
  post("/mj/submit/imagine", { prompt: "a lock --fast", notifyHook: HOOK, ...fields });
const task = async (id: unknown): Promise<Json> => {
  const reply = await fetch(`${gateway.url}/mj/task/${id}/fetch`, { headers: { authorization: `Bearer ${key}` } });
  return reply.json();
};
const lastOrder = (): Json => midjourney.received.findLast(({ path }) => path.startsWith("/mj/submit/"))?.body ?? {};

describe("the settings of drawings", () => {
  test("pass on the account filter, drop the speed, call back, hide where images come from, and ask for success", async () => {
    const fields = { type: 2, key: "mj-secret", models: DRAWING };
    await createChannel(root, midjourney.url, [DRAWING], fields);
    await setOptions(root, {
      ServerAddress: gateway.url,
      MjNotifyEnabled: false,
      MjAccountFilterEnabled: false,
      MjModeClearEnabled: false,
      MjForwardUrlEnabled: true,
      MjActionCheckSuccessEnabled: true,
    });
    const accountFilter = { modes: ["FAST"] };
    const first = await draw({ accountFilter });
    expect(first).toMatchObject({ code: 1 });
    expect(lastOrder()).toEqual({ prompt: "a lock --fast" });
    expect(
      await post("/mj/submit/action", { taskId: first.result, customId: "MJ::JOB::upsample::1::hash" }),
    ).toMatchObject({
      description: expect.stringContaining("task_status_not_success"),
    });

    await setOptions(root, {
      MjNotifyEnabled: true,
      MjAccountFilterEnabled: true,
      MjModeClearEnabled: true,
      MjActionCheckSuccessEnabled: false,
    });
    const second = await draw({ accountFilter });
    const { notifyHook, ...order } = lastOrder();
    expect(order).toEqual({ prompt: "a lock", accountFilter });
    expect(String(notifyHook)).toStartWith(`${gateway.url}/mj/notify/`);
    expect(
      await post("/mj/submit/action", { taskId: second.result, customId: "MJ::JOB::upsample::1::hash" }),
    ).toMatchObject({ code: 1 });

    const imageUrl = `${midjourney.url}/picture.png`;
    await fetch(String(notifyHook), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ id: second.result, status: "SUCCESS", progress: "100%", imageUrl }),
    });
    const shown = await task(second.result);
    expect(shown.status).toBe("SUCCESS");
    expect(String(shown.imageUrl)).toStartWith(`${gateway.url}/mj/image/`);
    const image = await fetch(String(shown.imageUrl));
    expect([image.status, image.headers.get("content-type")]).toEqual([200, "image/png"]);
    await setOption(root, "MjForwardUrlEnabled", false);
    expect((await task(second.result)).imageUrl).toBe(imageUrl);
  }, 60_000);
});

test("notices to webhooks go through the worker, with its key", async () => {
  await setOptions(root, { WorkerUrl: helperUrl, WorkerValidKey: "worker-key" });
  const webhook = "https://hooks.example.test/in";
  await root.put("/api/user/setting", {
    notify_type: "webhook",
    quota_warning_threshold: 100_000,
    webhook_url: webhook,
    webhook_secret: "",
  });
  await root.post("/api/user/setting/test");
  expect(received.at(-1)).toMatchObject({ url: webhook, key: "worker-key", method: "POST" });
  await setOptions(root, { WorkerUrl: "", WorkerValidKey: "" });
}, 60_000);

test("calls without an output limit are held for as many tokens as the setting says", async () => {
  const reservedFor = async (tokens: number): Promise<number> => {
    await setOption(root, "PreConsumedQuota", tokens);
    await post("/v1/chat/completions", { model: MODEL, messages: [{ role: "user", content: "Hello" }] });
    const other = await until(
      async () => {
        const { items } = await root.get(`/api/log/?p=1&page_size=1&model_name=${MODEL}`);
        return JSON.parse(items[0]?.other ?? "{}");
      },
      ({ reserved }) => reserved !== undefined && reserved !== seen,
    );
    seen = other.reserved;
    return other.reserved;
  };
  let seen = 0;
  const few = await reservedFor(100);
  const many = await reservedFor(5100);
  // Both answer and prompt cost one unit a token here, at the ratio 1.
  expect(many - few).toBe(5000);
}, 60_000);

test("a channel that is slower than the limit goes off, and comes back when it is fast again", async () => {
  const id = await createChannel(root, helperUrl, [SLOW], { name: "slow" });
  await setOptions(root, {
    AutomaticDisableChannelEnabled: true,
    AutomaticEnableChannelEnabled: true,
    ChannelDisableThreshold: 1,
  });
  const testAll = async (status: number) => {
    await root.get("/api/channel/test");
    const channel = await until(
      () => root.get(`/api/channel/${id}`),
      (found) => found.status === status,
    );
    expect(channel.status).toBe(status);
    // The next test may only begin when this one is over.
    await until(async () => (await root.get("/api/channel/test/progress")).running !== true);
  };
  slowMs = 1200;
  await testAll(3);
  slowMs = 0;
  await testAll(1);
  await setOption(root, "AutomaticDisableChannelEnabled", false);
}, 60_000);

test("usage is summed up as often as the setting says", async () => {
  const intervalOf = async (): Promise<number> => {
    const { jobs } = await root.get("/api/jobs/");
    return jobs.find(({ name }: { name: string }) => name === "usage totals").interval_s;
  };
  await setOption(root, "DataExportInterval", 7);
  expect(Math.round((await intervalOf()) / 60)).toBe(7);
  await setOption(root, "DataExportInterval", 5);
  expect(Math.round((await intervalOf()) / 60)).toBe(5);
}, 60_000);

test("equal requests are answered from the cache, which says what it saves and can be cleared", async () => {
  await setOption(root, "ResponseCacheEnabled", true);
  const ask = async () => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const body = JSON.stringify({ model: MODEL, messages: [{ role: "user", content: "Once" }] });
    const reply = await fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", headers, body });
    return { state: reply.headers.get("x-sluice-cache"), text: await reply.text() };
  };
  const first = await ask();
  expect(await ask()).toEqual({ ...first, state: "hit" });
  const consolePage = await openConsolePage(browser, gateway, VIEWPORTS.en);
  const { page, button } = consolePage;
  const words = WORDS.en;
  await until(async () => (await root.get("/api/response_cache/")).some(({ hits }: { hits: number }) => hits === 1));
  await consolePage.open("/setting?tab=operation&section=responseCache");
  const panel = page.locator('[id="section-responseCache"]');
  await panel.getByText(words.receipt.savings.cache.rate).waitFor();
  await panel.getByText("50%").waitFor();
  await button(words.settings.responseCache.clear).click();
  await page.getByRole("dialog").getByRole("button", { name: words.settings.responseCache.clear }).click();
  await consolePage.waitForNotice(words.settings.responseCache.cleared);
  expect((await ask()).state).toBe("miss");
  await setOption(root, "ResponseCacheEnabled", false);
  await consolePage.close();
}, 60_000);

test("the site shows its own logo and footer, and a sidebar that is collapsed at first", async () => {
  const logo = `${helperUrl}/logo.svg`;
  await setOptions(root, { Logo: logo, Footer: "Kept by the **harbour**", DefaultCollapseSidebar: true });
  const consolePage = await openConsolePage(browser, gateway, VIEWPORTS.en);
  const { page, button } = consolePage;
  await consolePage.open("/dashboard");
  const words = WORDS.en.shell;
  await button(words.expand).waitFor();
  await page.locator(`header img[src="${logo}"]`).waitFor();
  await page.getByRole("contentinfo").getByText("Kept by the harbour").waitFor();
  // What a user chooses on this device counts more than the site's default.
  await button(words.expand).click();
  await page.reload();
  await button(words.collapse).waitFor();
  await consolePage.close();
}, 60_000);
