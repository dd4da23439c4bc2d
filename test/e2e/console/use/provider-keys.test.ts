/** Keys of one's own at providers in a real browser: added, tested, used by a call at a fee, and deleted. */
import { afterAll, expect } from "bun:test";
import { WORDS } from "../../../support/e2e/browser.ts";
import { test } from "../../../support/e2e/browser-test.ts";
import { setOptions } from "../../../support/e2e/console-client.ts";
import {
  fillPlaceholders,
  openConsolePage,
  startBrowserFixture,
  VIEWPORTS,
} from "../../../support/e2e/console-page.ts";

const KEY = "sk-a-key-of-my-own";
/** The provider, and the keys that it was sent. */
const sent: (string | null)[] = [];
const provider = Bun.serve({
  ...{ port: 0, hostname: "127.0.0.1" },
  fetch(request) {
    sent.push(request.headers.get("authorization"));
    if (request.method === "GET") return Response.json({ data: [{ id: "usage-1000-500" }, { id: "gpt-4o" }] });
    const message = { role: "assistant", content: "Hello from your own account" };
    return Response.json({
      ...{ id: "chatcmpl-1", object: "chat.completion", created: 1, model: "usage-1000-500" },
      choices: [{ index: 0, message, finish_reason: "stop" }],
      usage: { prompt_tokens: 1000, completion_tokens: 500, total_tokens: 1500 },
    });
  },
});
afterAll(() => provider.stop(true));

const { browser, fixture } = await startBrowserFixture(["usage-1000-500"], {
  env: { PROVIDER_KEY_ADDRESSES: `openai=http://127.0.0.1:${provider.port}` },
});
await setOptions(fixture.root, { ProviderKeys: "both", ProviderKeyFeePercent: "10", ProviderKeyFeePerCall: "0.0001" });
const consolePage = await openConsolePage(browser, fixture.gateway, VIEWPORTS.en);
const words = WORDS.en.providerKeys;

const ask = () =>
  fetch(`${fixture.gateway.url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${fixture.key}`, "content-type": "application/json" },
    body: JSON.stringify({ model: "usage-1000-500", messages: [{ role: "user", content: "Hi" }] }),
  });

test("a key is added and tested, serves a call at the site's fee, and is gone when it is deleted", async () => {
  const { page, button, dialog, row, chooseRowAction } = consolePage;
  await consolePage.open("/provider-keys");
  await page.getByText(words.empty.title, { exact: true }).waitFor();
  await page.getByText(fillPlaceholders(words.terms.fee, { percent: "10", usd: "0.0001" })).waitFor();
  await consolePage.expectAccessible();

  await button(words.add).first().click();
  const form = dialog(words.form.createTitle);
  await form.getByLabel(words.form.name, { exact: true }).fill("My OpenAI");
  await form.getByLabel(words.form.secret, { exact: true }).fill(KEY);
  await consolePage.expectAccessible();
  const models = form.getByLabel(words.form.models, { exact: true });
  await models.fill("usage-*");
  await models.press("Enter");
  await button(words.form.create, form).click();
  await row("My OpenAI").waitFor();
  expect(await page.content()).not.toContain(KEY);

  await chooseRowAction("My OpenAI", words.test);
  await page.getByText(fillPlaceholders(words.testedToast, { name: "My OpenAI", models: "2" })).waitFor();
  expect(sent).toEqual([`Bearer ${KEY}`]);

  const answer = await ask();
  expect(await answer.text()).toContain("Hello from your own account");
  expect(sent).toHaveLength(2);
  const requestId = answer.headers.get("x-request-id") ?? answer.headers.get("x-oneapi-request-id");
  expect(requestId).toBeTruthy();
  await consolePage.open(`/log/${requestId}`);
  await page.getByText("My OpenAI (OpenAI)").waitFor();
  await page.getByText(WORDS.en.receipt.ownKeyFee, { exact: true }).waitFor();

  await consolePage.open("/provider-keys");
  await chooseRowAction("My OpenAI", words.delete);
  await button(words.deleteAction).last().click();
  await page.getByText(words.empty.title, { exact: true }).waitFor();
  expect(await (await ask()).text()).not.toContain("your own account");
  expect(sent).toHaveLength(2);
  expect(consolePage.complaints).toEqual([]);
}, 120_000);
