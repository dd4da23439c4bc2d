/** What pictures and videos cost, in the console: receipts of calls, and where their prices are set. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import { waitForLogs } from "./books.ts";
import { WORDS } from "./browser.ts";
import { createChannel } from "./console-client.ts";
import { type Desk, openDesk, openStage, WAYS } from "./desk.ts";
import { setOption } from "./harness.ts";

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

const { browser, stage } = await openStage(["gpt-4o"]);
await createChannel(stage.root, maker.url.origin, ["gpt-image-1", "sora-2-pro"]);
await setOption(stage.root, "ModelRatio", { "gpt-image-1": 2.5 });
const client = new OpenAI({ apiKey: stage.key, baseURL: `${stage.gateway.url}/v1`, maxRetries: 0 });
const image = await toFile(new Uint8Array([137, 80, 78, 71]), "cat.png", { type: "image/png" });
await client.images.edit({ model: "gpt-image-1", prompt: "a hat", image });
await client.videos.create({ model: "sora-2-pro", prompt: "a cat", size: "1792x1024" });
expect(await waitForLogs(stage.root, () => true, 2)).toHaveLength(2);
afterAll(() => maker.stop(true));

describe.each(["en", "zh"] as const)("in %s", (language) => {
  let desk: Desk;
  const words = WORDS[language];
  beforeAll(async () => {
    desk = await openDesk(browser, stage.gateway, WAYS[language]);
  });
  afterAll(() => desk.close());

  test("receipts tell pictures from text, and which variant a video is", async () => {
    await desk.open("/log");
    await desk.row("gpt-image-1").locator("[aria-expanded=false]").first().click();
    const { items, variant } = words.components.receipt;
    for (const item of [items.image_input, items.image_output]) {
      await desk.page.getByText(item, { exact: true }).first().waitFor();
    }
    await desk.open("/log");
    await desk.row("sora-2-pro").locator("[aria-expanded=false]").first().click();
    const told = variant.replace("{{variant}}", "size=1024x1792|1792x1024");
    await desk.page.getByText(told).first().waitFor();
    await desk.clean();
  }, 120_000);

  test("the editor marks prices that no list says, and takes those of variants", async () => {
    await desk.open("/setting?tab=operation&field=pricing");
    const { pricing, fields } = words.settings;
    const search = desk.page.getByPlaceholder(pricing.search).or(desk.page.getByLabel(pricing.search)).first();
    await search.fill("viduq");
    await desk.page.getByText("viduq1").first().waitFor();
    await desk.page.getByText(pricing.assumed, { exact: true }).first().waitFor();
    expect(await desk.page.getByText(pricing.assumed, { exact: true }).count()).toBe(1);
    await desk.page.getByRole("tab", { name: pricing.views.json }).click();
    await desk.page.getByText(fields.VideoPrice.label, { exact: true }).first().waitFor();
    await desk.page.getByText(fields.ImageRatio.label, { exact: true }).first().waitFor();
    expect(desk.complaints).toEqual([]);
  }, 120_000);
});
