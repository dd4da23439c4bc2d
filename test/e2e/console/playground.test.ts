/** The playground in a real browser: streams, stops, edits, branches, compares, shows all kinds of answers, gives code. */
import { afterAll, describe, expect } from "bun:test";
import { WORDS, waitForQueries } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { createChannel } from "../../support/e2e/console-client.ts";
import { fillPlaceholders, openConsolePage, startBrowserFixture, VIEWPORTS } from "../../support/e2e/console-page.ts";
import { setOption } from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";

const MODEL = "usage-1000-500";
const SECOND = "usage-20-10";
const HELD = "hold-after-3";
const TOOLS = "tools";
const REFUSED = "err-400";
const RICH = "rich-answer";
const ANSWER = "A sluice is a gate that measures water.";
const BEGINNING = "A sluice";
/** The smallest image there is. */
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** Another site that answers link to: what it is asked for. */
function startImageHost() {
  const requested: string[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      requested.push(new URL(request.url).pathname);
      return new Response(Buffer.from(PIXEL, "base64"), { headers: { "content-type": "image/png" } });
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, requested, stop: () => server.stop(true) };
}

const imageHost = startImageHost();
afterAll(imageHost.stop);

/** An upstream that reasons, writes Markdown and returns images. */
function startThinker() {
  const deltas = [
    { reasoning_content: "Water finds its level." },
    { content: "## Locks\n\n| gate | state |\n|---|---|\n| north | open |\n\n" },
    { content: "```ts\nopenGate();\n```\n\n<b>not bold</b>" },
    { content: `\n\n![a lock](${imageHost.url}/lock.png?q=everything)` },
    { images: [{ type: "image_url", image_url: { url: `data:image/png;base64,${PIXEL}` } }] },
  ];
  const chunk = (delta: object, finish: string | null) => {
    const choices = [{ index: 0, delta, finish_reason: finish }];
    return `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: RICH, choices })}\n\n`;
  };
  const text = [...deltas.map((delta) => chunk(delta, null)), chunk({}, "stop"), "data: [DONE]\n\n"].join("");
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response(text, { headers: { "content-type": "text/event-stream" } }),
  });
  return { url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}

const thinker = startThinker();
afterAll(thinker.stop);
const { browser, fixture } = await startBrowserFixture([MODEL, SECOND, HELD, TOOLS, REFUSED]);
await createChannel(fixture.root, thinker.url, [RICH]);
await setOption(fixture.root, "ModelRatio", {
  ...Object.fromEntries([MODEL, SECOND, HELD, TOOLS, REFUSED, RICH].map((model) => [model, 1])),
});
const consolePage = await openConsolePage(browser, fixture.gateway, VIEWPORTS.en);
await consolePage.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);

const words = WORDS.en.playground;
const turns = () => consolePage.page.locator("article");
const answers = (turn = turns().last()) => turn.locator("[aria-busy]");
const ask = async (text: string) => {
  await consolePage.page.getByLabel(words.ask).fill(text);
  await consolePage.button(words.send).click();
};
/** These models in place of all that are chosen. */
const choose = async (...models: string[]) => {
  const input = consolePage.page.locator("#playground-models");
  const chips = consolePage.page.locator(".MuiChip-root");
  const chosen = (expected: number) =>
    until(
      () => chips.count(),
      (count) => count === expected,
    );
  await input.focus();
  for (let left = await chips.count(); left > 0; left -= 1) {
    await input.press("Backspace");
    await chosen(left - 1);
  }
  for (const [at, model] of models.entries()) {
    await input.fill(model);
    await input.press("Enter");
    await chosen(at + 1);
  }
};
/** In a chat of its own. */
const begin = async (...models: string[]) => {
  await consolePage.open("/playground");
  await consolePage.button(words.newChat).click();
  // A chat without models gets one as soon as it is known what is offered.
  await waitForQueries(consolePage.page);
  await choose(...models);
};
const lastBody = () => fixture.upstream.requests.filter(({ path }) => path === "/v1/chat/completions").at(-1)?.body;

describe("the playground", () => {
  test("shows an answer while it comes, and then its tokens, cost and times", async () => {
    const { page } = consolePage;
    await begin(HELD);
    await ask("Hello");
    await answers().getByText(BEGINNING, { exact: true }).waitFor();
    expect(await answers().getAttribute("aria-busy")).toBe("true");
    fixture.upstream.release();
    await answers().getByText(ANSWER, { exact: true }).waitFor();
    await page.getByText(/^Total \d+(?:\.\d+ s| ms)$/).waitFor();
    await page.getByText(/^First token \d+(?:\.\d+ s| ms)$/).waitFor();
    await page.getByText("21 in / 9 out", { exact: true }).waitFor();
    await page.getByText("$0.00006").waitFor();
    expect(await answers().getAttribute("aria-busy")).toBe("false");
    await consolePage.expectAccessible();
  }, 120_000);

  test("stops an answer and keeps what has come", async () => {
    await begin(HELD);
    await ask("Slowly");
    await answers().getByText(BEGINNING, { exact: true }).waitFor();
    await consolePage.button(words.stop).click();
    await consolePage.button(words.send).waitFor();
    fixture.upstream.release();
    await consolePage.page.getByText(/^Total /).waitFor();
    expect(await answers().textContent()).toContain(BEGINNING);
    expect(await answers().textContent()).not.toContain(ANSWER);
  }, 120_000);

  test("asks an edited question in place of the old one, and branches into a chat of its own", async () => {
    const { page, button, dialog } = consolePage;
    await begin(SECOND);
    await ask("First question");
    await answers().getByText(ANSWER).waitFor();
    await ask("Second question");
    await answers(turns().nth(1)).getByText(ANSWER).waitFor();
    await button(words.edit, turns().first()).click();
    expect(await page.getByLabel(words.ask).inputValue()).toBe("First question");
    await button(words.cancelEdit).click();
    await button(words.edit, turns().first()).click();
    await ask("Better question");
    await turns().getByText("Better question", { exact: true }).waitFor();
    await answers().getByText(ANSWER).waitFor();
    expect(await turns().count()).toBe(1);
    expect(lastBody().messages.map(({ content }: { content: string }) => content)).toEqual(["Better question"]);
    await button(words.retry).and(page.locator(":enabled")).first().waitFor();
    await button(words.branch).click();
    await ask("On the branch");
    await answers(turns().nth(1)).getByText(ANSWER).waitFor();
    // The whole conversation before goes with it.
    expect(lastBody().messages).toHaveLength(3);
    await page.getByRole("combobox", { name: words.chats }).click();
    const chats = page.getByRole("option", { name: "First question" });
    expect(await chats.count()).toBe(2);
    await chats.last().click();
    await turns().nth(1).waitFor({ state: "detached" });
    await until(
      () => page.evaluate(() => JSON.stringify({ ...localStorage })),
      (stored) => stored.includes("On the branch"),
    );
    await page.reload();
    await turns().getByText("On the branch", { exact: true }).waitFor();
    expect(await turns().count()).toBe(2);
    await button(words.delete.action).click();
    await button(words.delete.action, dialog()).click();
    await turns().nth(1).waitFor({ state: "detached" });
    await button(words.clear).click();
    await page.getByText(words.empty.title).waitFor();
  }, 120_000);

  test("compares two models: content, cost and time of each, and asks one of them again", async () => {
    const { page, button } = consolePage;
    await begin(MODEL, SECOND);
    await ask("Which is better?");
    for (const [lane, model, tokens, cost] of [
      [0, MODEL, "1000 in / 500 out", "$0.003"],
      [1, SECOND, "20 in / 10 out", "$0.00006"],
    ] as const) {
      const answer = answers().nth(lane);
      for (const text of [model, ANSWER, tokens]) await answer.getByText(text, { exact: true }).waitFor();
      await answer.getByText(cost).waitFor();
      await answer.getByText(/^Total \d+(?:\.\d+ s| ms)$/).waitFor();
    }
    await consolePage.expectAccessible();
    const requestCount = fixture.upstream.requests.length;
    await button(words.retry, answers().nth(1)).click();
    await until(
      async () => fixture.upstream.requests.length,
      (count) => count === requestCount + 1,
    );
    expect(lastBody().model).toBe(SECOND);
    await answers().nth(1).getByText(ANSWER, { exact: true }).waitFor();
    await answers().first().getByText(ANSWER, { exact: true }).waitFor();
    await page
      .getByText(/^Total /)
      .nth(1)
      .waitFor();
  }, 120_000);

  test("shows reasoning, Markdown, code, images and tool calls", async () => {
    const { page, button } = consolePage;
    await begin(RICH);
    await ask("Draw me a lock");
    await page.getByRole("heading", { name: "Locks", exact: true }).waitFor();
    await page.getByRole("cell", { name: "north" }).waitFor();
    await page.getByRole("img", { name: words.image }).waitFor();
    await page.getByText("<b>not bold</b>").waitFor();
    // An image on another site is fetched once the reader wants it.
    const load = button(fillPlaceholders(words.loadImage, { host: new URL(imageHost.url).host }));
    await load.waitFor();
    expect(imageHost.requested).toEqual([]);
    await load.click();
    await page.getByRole("img", { name: "a lock" }).waitFor();
    expect(
      await until(
        () => imageHost.requested.length,
        (count) => count > 0,
      ),
    ).toBe(1);
    await page.getByText(words.reasoning, { exact: true }).click();
    await page.getByText("Water finds its level.").waitFor();
    await button(words.copyCode).click();
    expect(
      await until(
        () => page.evaluate(() => navigator.clipboard.readText()),
        (text) => text !== "",
      ),
    ).toBe("openGate();");
    await consolePage.expectAccessible();
    await begin(TOOLS);
    await ask("Open the north gate");
    await page.getByRole("region", { name: fillPlaceholders(words.tool, { name: "open_gate" }) }).waitFor();
    await page.getByText('{"gate":"north","percent":40}').waitFor();
    await page.getByText(fillPlaceholders(words.tool, { name: "read_level" })).waitFor();
    await consolePage.expectAccessible();
  }, 120_000);

  test("follows the newest answer until the reader scrolls up, and goes on from the button", async () => {
    const { page, button } = consolePage;
    await page.setViewportSize({ width: 1280, height: 480 });
    await begin(SECOND);
    const isAtEnd = () =>
      page.waitForFunction(() => scrollY > 0 && document.documentElement.scrollHeight - innerHeight - scrollY < 2);
    for (const text of ["One", "Two", "Three", "Four"]) {
      await ask(text);
      await answers().getByText(ANSWER).waitFor();
    }
    await isAtEnd();
    await page.mouse.move(800, 200);
    await page.mouse.wheel(0, -2000);
    await page.waitForFunction(() => scrollY === 0);
    const field = page.getByLabel(words.ask);
    await field.fill("Five");
    expect(await page.evaluate(() => scrollY)).toBe(0);
    await button(words.toEnd).click();
    await isAtEnd();
    await button(words.toEnd).waitFor({ state: "detached" });
    await page.setViewportSize({ width: 1280, height: 900 });
  }, 120_000);

  test("sends images, a system prompt, temperature and length, and gives the call as code", async () => {
    const { page, button, dialog } = consolePage;
    await begin(SECOND);
    await page.locator("#playground-system").fill("Answer like a lock keeper.");
    await page.locator("#playground-max").fill("77");
    const slider = page.getByRole("slider");
    await slider.focus();
    await slider.press("ArrowRight");
    await page
      .locator('input[type="file"]')
      .setInputFiles({ name: "lock.png", mimeType: "image/png", buffer: Buffer.from(PIXEL, "base64") });
    await button(words.removeImage).waitFor();
    await ask("What is on it?");
    await answers().getByText(ANSWER).waitFor();
    const url = `data:image/png;base64,${PIXEL}`;
    expect(lastBody()).toMatchObject({
      temperature: 0.2,
      max_tokens: 77,
      messages: [
        { role: "system", content: "Answer like a lock keeper." },
        {
          role: "user",
          content: [
            { type: "text", text: "What is on it?" },
            { type: "image_url", image_url: { url } },
          ],
        },
      ],
    });
    await page.getByRole("article").getByRole("img", { name: words.image }).waitFor();
    await button(words.asCode).click();
    const code = dialog().getByRole("region", { name: words.asCode });
    for (const [language, sign] of [
      ["curl", `curl ${fixture.gateway.url}/v1/chat/completions`],
      ["python", `base_url="${fixture.gateway.url}/v1"`],
      ["typescript", `baseURL: "${fixture.gateway.url}/v1"`],
    ] as const) {
      await button(WORDS.en.apiKeys.use[language], dialog()).click();
      await code.getByText(sign).waitFor();
      expect(await code.textContent()).toContain("Answer like a lock keeper.");
    }
    await consolePage.expectAccessible();
    await button(words.copyCode, dialog()).click();
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    expect(await until(copied, (text) => text.includes("new OpenAI"))).toBe((await code.textContent()) ?? "");
    await button(words.close, dialog()).click();
  }, 120_000);

  test("opens a logged conversation, asks it again, and gives it as a command", async () => {
    const { page, button } = consolePage;
    await setOption(fixture.root, "LogChatContentEnabled", true);
    await begin(SECOND);
    await page.locator("#playground-system").fill("Answer like a lock keeper.");
    await ask("Who opens the gate?");
    await answers().getByText(ANSWER).waitFor();
    await ask("And at night?");
    await answers(turns().nth(1)).getByText(ANSWER).waitFor();
    await answers(turns().nth(1))
      .getByText(/^Total /)
      .waitFor();
    const sent = lastBody().messages;
    await setOption(fixture.root, "LogChatContentEnabled", false);

    const { share } = WORDS.en.logs;
    await consolePage.open("/log");
    await page.getByRole("row", { name: SECOND }).first().click();
    await button(share.curl).click();
    const copied = await until(
      () => page.evaluate(() => navigator.clipboard.readText()),
      (text) => text.startsWith("curl "),
    );
    expect(copied).toContain(`curl ${fixture.gateway.url}/v1/chat/completions`);
    expect(copied).toContain(JSON.stringify({ model: SECOND, messages: sent }));

    await page.getByRole("link", { name: share.playground }).click();
    await turns().getByText("And at night?", { exact: true }).waitFor();
    expect(await turns().count()).toBe(2);
    await answers(turns().first()).getByText(ANSWER).waitFor();
    await consolePage.expectAccessible();
    const requestCount = fixture.upstream.requests.length;
    await button(words.retry, turns().last()).click();
    await until(
      async () => fixture.upstream.requests.length,
      (count) => count === requestCount + 1,
    );
    expect(lastBody().messages).toEqual(sent);
    await button(words.retry).and(page.locator(":enabled")).first().waitFor();
  }, 120_000);

  test("says what went wrong in the place of the answer, and reports a session that has ended", async () => {
    const { page, button } = consolePage;
    await begin(REFUSED);
    await ask("Hello");
    await answers().getByRole("alert").waitFor();
    expect(await answers().getByRole("alert").textContent()).toContain("temperature");
    await button(words.retry, answers()).and(page.locator(":enabled")).waitFor();
    await consolePage.expectAccessible();
    // Browsers list refused calls as errors.
    expect(consolePage.complaints.filter((text) => !/status of 4\d\d/.test(text))).toEqual([]);
    await consolePage.open("/playground?expired=true");
    await consolePage.waitForNotice(words.expired);
  }, 120_000);
});

test("the wallet shows how long the balance lasts at last week's rate", async () => {
  const { root } = fixture;
  const { quota, used_quota: spent } = await root.get("/api/user/self");
  await root.put("/api/user/", { id: root.userId, quota_delta: 5 * spent - quota });
  await consolePage.open("/topup");
  const text = fillPlaceholders(WORDS.en.components.balanceLasts_other, { count: 35 });
  await consolePage.page.getByText(text).waitFor();
  await root.put("/api/user/", { id: root.userId, quota_delta: quota });
}, 60_000);

test("the playground works as well in Chinese on a phone", async () => {
  const zh = WORDS.zh.playground;
  const phone = await openConsolePage(browser, fixture.gateway, VIEWPORTS.zh);
  await phone.open("/playground");
  await phone.page.getByText(zh.empty.title).waitFor();
  await phone.expectAccessible();
  // The settings are folded away from the composer.
  expect((await phone.page.getByLabel(zh.ask).boundingBox())?.y).toBeLessThan(600);
  await phone.button(zh.settings).click();
  const models = phone.page.locator("#playground-models");
  for (const model of [MODEL, SECOND]) {
    await models.fill(model);
    await models.press("Enter");
  }
  await phone.page.getByLabel(zh.ask).fill("你好");
  await phone.button(zh.send).click();
  await phone.page.getByText("$0.003").waitFor();
  await phone.page.getByText("$0.00006").waitFor();
  await phone.expectAccessible();
  expect(phone.complaints).toEqual([]);
  await phone.close();
}, 120_000);
