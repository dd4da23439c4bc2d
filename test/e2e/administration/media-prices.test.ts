/** What images and videos cost, in the console: receipts of calls, and where their prices are set. */
import { afterAll, beforeAll, describe, expect } from "bun:test";
import OpenAI, { toFile } from "openai";
import { waitForLogs } from "../../support/billing/books.ts";
import { WORDS } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { createChannel } from "../../support/e2e/console-client.ts";
import {
  BOTH_VIEWPORTS,
  type ConsolePage,
  expectChinesePages,
  openConsolePage,
  startBrowserFixture,
} from "../../support/e2e/console-page.ts";
import { CHEAPEST_ENGINE, setOption } from "../../support/e2e/fixture.ts";

/** An upstream that draws and films. */
const maker = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(request) {
    if (new URL(request.url).pathname.endsWith("/videos")) {
      return Response.json({ id: "video_up", object: "video", status: "queued", progress: 0 });
    }
    const input_tokens_details = { text_tokens: 100, image_tokens: 200 };
    const usage = { input_tokens: 300, output_tokens: 1_000, total_tokens: 1_300, input_tokens_details };
    return Response.json({ created: 1, data: [{ b64_json: "AAAA" }], usage });
  },
});

const { browser, fixture } = await startBrowserFixture(["gpt-4o"], { engine: CHEAPEST_ENGINE });
await createChannel(fixture.root, maker.url.origin, ["gpt-image-1", "sora-2-pro"]);
await setOption(fixture.root, "ModelRatio", { "gpt-image-1": 2.5 });
const client = new OpenAI({ apiKey: fixture.key, baseURL: `${fixture.gateway.url}/v1`, maxRetries: 0 });
const image = await toFile(new Uint8Array([137, 80, 78, 71]), "cat.png", { type: "image/png" });
await client.images.edit({ model: "gpt-image-1", prompt: "a hat", image });
await client.videos.create({ model: "sora-2-pro", prompt: "a cat", size: "1792x1024" });
expect(await waitForLogs(fixture.root, () => true, 2)).toHaveLength(2);
afterAll(() => maker.stop(true));

describe("what images and videos cost", () => {
  let consolePage: ConsolePage;
  const words = WORDS.en;
  beforeAll(async () => {
    consolePage = await openConsolePage(browser, fixture.gateway, BOTH_VIEWPORTS);
  });
  afterAll(() => consolePage.close());

  test("receipts distinguish images from text, and which variant a video is", async () => {
    await consolePage.open("/log");
    await consolePage.row("gpt-image-1").locator("[aria-expanded=false]").first().click();
    const { items, variant } = words.receipt;
    for (const item of [items.image_input, items.image_output]) {
      await consolePage.page.getByText(item, { exact: true }).first().waitFor();
    }
    await consolePage.open("/log");
    await consolePage.row("sora-2-pro").locator("[aria-expanded=false]").first().click();
    const variantText = variant.replace("{{variant}}", "size=1024x1792|1792x1024");
    await consolePage.page.getByText(variantText).first().waitFor();
    await consolePage.expectAccessible();
  }, 120_000);

  test("the editor marks prices that no list says, and takes those of variants", async () => {
    await consolePage.open("/setting?tab=operation&field=pricing");
    const { pricing, fields } = words.settings;
    const search = consolePage.page
      .getByPlaceholder(pricing.search)
      .or(consolePage.page.getByLabel(pricing.search))
      .first();
    await search.fill("viduq");
    await consolePage.page.getByText("viduq1").first().waitFor();
    await consolePage.page.getByText(pricing.assumed, { exact: true }).first().waitFor();
    expect(await consolePage.page.getByText(pricing.assumed, { exact: true }).count()).toBe(1);
    await consolePage.page.getByRole("tab", { name: pricing.views.json }).click();
    await consolePage.page.getByText(fields.VideoPrice.label, { exact: true }).first().waitFor();
    await consolePage.page.getByText(fields.ImageRatio.label, { exact: true }).first().waitFor();
    expect(consolePage.complaints).toEqual([]);
  }, 120_000);

  test("reads as well in Chinese on a phone", async () => {
    const { receipt } = WORDS.zh;
    await expectChinesePages(browser, fixture.gateway, ["/log"], undefined, async (phone) => {
      await phone.row("sora-2-pro").locator("[aria-expanded=false]").first().click();
      const text = receipt.variant.replace("{{variant}}", "size=1024x1792|1792x1024");
      await phone.page.getByText(text).first().waitFor();
      await phone.expectAccessible();
    });
  }, 120_000);
});
