/** What the response cache saves and what calls by callers' own keys come to, on the dashboards of a user and an administrator. */
import { afterAll, expect } from "bun:test";
import { WORDS } from "../../../support/e2e/browser.ts";
import { test } from "../../../support/e2e/browser-test.ts";
import { createApiKey, createChannel, login, setOptions } from "../../../support/e2e/console-client.ts";
import { openConsolePage, startBrowserFixture, VIEWPORTS } from "../../../support/e2e/console-page.ts";
import { until } from "../../../support/lib/until.ts";

const MODEL = "gpt-4o";
const upstream = Bun.serve({
  ...{ port: 0, hostname: "127.0.0.1" },
  fetch: () =>
    Response.json({
      ...{ id: "chatcmpl-1", object: "chat.completion", created: 1, model: MODEL },
      choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 200_000, completion_tokens: 50_000, total_tokens: 250_000 },
    }),
});
afterAll(() => upstream.stop(true));
const address = `http://127.0.0.1:${upstream.port}`;

const { browser, fixture } = await startBrowserFixture(["other"], {
  env: { PROVIDER_KEY_ADDRESSES: `openai=${address}` },
});
const { gateway, root } = fixture;
await createChannel(root, address, [MODEL], { setting: JSON.stringify({ cost_ratio: 0.5 }) });
await setOptions(root, {
  ...{ ResponseCacheEnabled: true, ResponseCacheHitPercent: 10, ProviderKeys: "both", ProviderKeyFeePercent: "10" },
  ...{ ModelRatio: { [MODEL]: 1 }, CompletionRatio: { [MODEL]: 1 } },
});
await root.post("/api/user/", { username: "owner", password: "some-password-1" });
const user = await login(gateway, "owner", "some-password-1");
await root.put("/api/user/", { id: user.userId, quota: 50_000_000 });
const { key } = await createApiKey(user);

const ask = async (prompt: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify({ model: MODEL, messages: [{ role: "user", content: prompt }] }),
  });
  expect(response.status).toBe(200);
};

test("the dashboards say what the cache and own keys did, to each what is theirs", async () => {
  const wide = await openConsolePage(browser, gateway, VIEWPORTS.en);
  const english = WORDS.en.receipt.savings;
  await wide.open("/detail");
  await wide.page.getByText(WORDS.en.usage.tiles.cost, { exact: true }).first().waitFor();
  expect(await wide.page.getByText(english.cache.title).count()).toBe(0);

  // One is made, and three are hits; two go by a key of the caller's own.
  for (const _ of [1, 2, 3, 4]) await ask("Hi");
  for (const _ of [1, 2]) await ask("Hi", { "x-provider-key": "openai sk-a-key-of-my-own" });
  await until(
    () => root.get("/api/provider_keys/usage"),
    (days: { calls: number }[]) => days[0]?.calls === 2,
  );
  expect(await user.get("/api/response_cache/self")).toMatchObject([
    { hits: 3, misses: 1, saved: 675_000, tokens: 750_000, upstream_saved: 0 },
  ]);
  await wide.load("/detail");
  const panel = (title: string) => wide.page.locator("section", { hasText: title }).last();
  const cache = panel(english.cache.title);
  await cache.getByText("75%").waitFor();
  // 3 × 225,000 units, and 3 × 250,000 tokens at half the price.
  for (const text of [english.cache.saved, "$1.35", english.cache.upstreamSaved, "$0.75", "750,000"])
    await cache.getByText(text).first().waitFor();
  const keys = panel(english.keys.title);
  for (const text of [english.keys.fees, "$0.10", english.keys.worth, "$1.00"])
    await keys.getByText(text).first().waitFor();
  await wide.expectAccessible();
  expect(wide.complaints).toEqual([]);

  const phone = await openConsolePage(browser, gateway, VIEWPORTS.zh, {
    username: "owner",
    password: "some-password-1",
  });
  await phone.open("/detail");
  const own = phone.page.locator("section", { hasText: WORDS.zh.receipt.savings.cache.title }).last();
  await own.getByText(WORDS.zh.receipt.savings.cache.ownSaved).waitFor();
  expect(await own.getByText(WORDS.zh.receipt.savings.cache.upstreamSaved).count()).toBe(0);
  expect(await phone.page.getByText(WORDS.zh.receipt.savings.keys.title).count()).toBe(0);
  await phone.expectAccessible();
  expect(phone.complaints).toEqual([]);
}, 120_000);
