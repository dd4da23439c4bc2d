/** The playground in a real browser: streams, stops, edits, branches, compares, calls functions, shows all kinds of answers, gives code. */
import { afterAll, describe, expect } from "bun:test";
import type { Locator } from "playwright";
import { WORDS, waitForQueries } from "../../support/e2e/browser.ts";
import { test } from "../../support/e2e/browser-test.ts";
import { createChannel } from "../../support/e2e/console-client.ts";
import {
  type ConsolePage,
  fillPlaceholders,
  openConsolePage,
  startBrowserFixture,
  VIEWPORTS,
} from "../../support/e2e/console-page.ts";
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
    { audio: { id: "audio-1", data: Buffer.from([0, 0, 1, 0]).toString("base64") } },
    { content: "```ts\nopenGate();\n```\n\n<b>not bold</b>" },
    { content: "\n\nIt holds \\(V = h \\cdot A\\), from $5 to $7." },
    {
      annotations: [
        { type: "url_citation", url_citation: { url: "https://locks.test/", title: "Locks of the world" } },
      ],
    },
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
type PlaygroundWords = Readonly<{ model: string; addModel: string; removeModel: string }>;

async function chooseModels({ page, button }: ConsolePage, texts: PlaygroundWords, models: readonly string[]) {
  const removals = page.getByRole("button", {
    name: new RegExp(`^${fillPlaceholders(texts.removeModel, { name: "" })}`),
  });
  const lanes = page.getByRole("combobox", { name: new RegExp(`^${texts.model}( \\d)?$`) });
  await lanes.first().waitFor();
  for (let left = await lanes.count(); left > models.length; left -= 1) await removals.last().click();
  for (let lane = 0; lane < models.length; lane += 1) {
    if (lane > 0 && (await lanes.count()) <= lane) await button(texts.addModel).click();
    const input = lanes.nth(lane);
    await input.fill(models[lane] ?? "");
    await input.press("Enter");
    await until(
      () => input.inputValue(),
      (value) => value === models[lane],
    );
  }
}

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
const choose = (...models: string[]) => chooseModels(consolePage, words, models);
/** In a chat of its own. */
const begin = async (...models: string[]) => {
  await consolePage.open("/playground");
  await consolePage.button(words.newChat).click();
  await consolePage.page.getByText(words.empty.title).waitFor();
  // A chat without models gets one as soon as it is known what is offered.
  await waitForQueries(consolePage.page);
  await choose(...models);
};
/** The value of a figure below an answer. */
const fact = async (answer: Locator, name: string) =>
  (await answer
    .locator("dl", { has: consolePage.page.locator("dt", { hasText: name }) })
    .locator("dd")
    .textContent()) ?? "";
const lastBody = () => fixture.upstream.requests.filter(({ path }) => path === "/v1/chat/completions").at(-1)?.body;

describe("the playground", () => {
  test("shows an answer while it comes, and then its tokens, cost and times", async () => {
    const { page } = consolePage;
    await begin(HELD);
    await ask("Hello");
    await answers().getByText(BEGINNING, { exact: true }).waitFor();
    expect(await answers().getAttribute("aria-busy")).toBe("true");
    // An answer that comes at once has no speed.
    await Bun.sleep(300);
    fixture.upstream.release();
    await answers().getByText(ANSWER, { exact: true }).waitFor();
    for (const name of [words.total, words.first]) expect(await fact(answers(), name)).toMatch(/^\d+(?:\.\d+ s| ms)$/);
    expect(await fact(answers(), words.inOut)).toBe("21 / 9");
    expect(await fact(answers(), words.speed)).toMatch(/^[\d,]+ tok\/s$/);
    await page.getByText("$0.00006").waitFor();
    expect(await answers().getAttribute("aria-busy")).toBe("false");
    await consolePage.expectAccessible();
  }, 120_000);

  test("stops an answer and keeps what has come", async () => {
    await begin(HELD);
    await ask("Slowly");
    await answers().getByText(BEGINNING, { exact: true }).waitFor();
    await consolePage.page.getByLabel(words.ask).press("Escape");
    await consolePage.button(words.send).waitFor();
    fixture.upstream.release();
    await consolePage.page.locator("dt", { hasText: words.total }).waitFor();
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
    // ↑ in the empty field edits the last question, and Escape leaves it.
    await page.getByLabel(words.ask).press("ArrowUp");
    await page.getByLabel(words.ask).and(page.locator(":focus")).waitFor();
    expect(await page.getByLabel(words.ask).inputValue()).toBe("Second question");
    await page.getByLabel(words.ask).press("Escape");
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
    await button(words.history.title).click();
    const chats = dialog().getByRole("listitem").filter({ hasText: "First question" });
    await chats.nth(1).waitFor();
    await dialog().getByLabel(words.history.search).fill("nothing of the kind");
    await dialog().getByText(words.history.none).waitFor();
    await dialog().getByLabel(words.history.search).fill("better");
    await chats.nth(1).waitFor();
    await consolePage.expectAccessible();
    await chats.last().getByRole("button", { name: "First question", exact: true }).click();
    await turns().nth(1).waitFor({ state: "detached" });
    await page.getByLabel(words.name).fill("Renamed");
    await button(words.history.title).click();
    const renamed = dialog().getByRole("button", { name: "Renamed", exact: true });
    await renamed.waitFor();
    // On the server they are in any browser, and turned off they are in this one again.
    await dialog().getByRole("switch").or(dialog().getByRole("checkbox")).click();
    await until(
      async () => (await fixture.root.get("/api/playground/chats")).items.map(({ title }: { title: string }) => title),
      (titles) => titles.includes("Renamed") && titles.includes("First question"),
    );
    await page.keyboard.press("Escape");
    await page.reload();
    await turns().first().waitFor();
    await button(words.history.title).click();
    await dialog().getByLabel(words.history.search).fill("on the branch");
    await dialog().getByRole("button", { name: "First question", exact: true }).click();
    await turns().getByText("On the branch", { exact: true }).waitFor();
    expect(await turns().count()).toBe(2);
    await button(words.history.title).click();
    await dialog().getByRole("switch").or(dialog().getByRole("checkbox")).click();
    await until(
      async () => (await fixture.root.get("/api/playground/chats")).enabled,
      (isEnabled) => !isEnabled,
    );
    await button(fillPlaceholders(words.delete.named, { name: "First question" }), dialog(words.history.title)).click();
    await button(words.delete.action, dialog(words.delete.title)).click();
    await turns().nth(1).waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    await button(words.clear).click();
    await page.getByText(words.empty.title).waitFor();
  }, 120_000);

  test("compares two models: content, cost and time of each, and asks one of them again", async () => {
    const { page, button } = consolePage;
    await begin(MODEL, SECOND);
    await ask("Which is better?");
    for (const [lane, model, tokens, cost] of [
      [0, MODEL, "1,000 / 500", "$0.003"],
      [1, SECOND, "20 / 10", "$0.00006"],
    ] as const) {
      const answer = answers().nth(lane);
      for (const text of [ANSWER, tokens]) await answer.getByText(text, { exact: true }).waitFor();
      await answer.getByText(cost).waitFor();
      expect(await page.getByLabel(`${words.model} ${lane + 1}`).inputValue()).toBe(model);
    }
    await answers()
      .nth(1)
      .getByText(fillPlaceholders(words.cheaper, { factor: "50" }))
      .waitFor();
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
    await page.locator("dt", { hasText: words.total }).nth(1).waitFor();
    // Four at most.
    await button(words.addModel).click();
    await button(words.addModel).click();
    await button(words.addModel).waitFor({ state: "detached" });
    await ask("And of four?");
    await answers(turns().nth(1)).nth(3).waitFor();
    await answers(turns().nth(1)).nth(0).getByText(ANSWER, { exact: true }).waitFor();
    await until(
      () => {
        fixture.upstream.release();
        return answers(turns().nth(1)).and(page.locator("[aria-busy=true]")).count();
      },
      (count) => count === 0,
    );
    await consolePage.expectAccessible();
    await button(words.send).waitFor();
  }, 120_000);

  test("shows reasoning, Markdown, code, images and tool calls", async () => {
    const { page, button } = consolePage;
    await begin(RICH);
    await ask("Draw me a lock");
    await page.getByRole("heading", { name: "Locks", exact: true }).waitFor();
    await page.getByRole("cell", { name: "north" }).waitFor();
    await page.getByRole("img", { name: words.image }).waitFor();
    await page.getByText("<b>not bold</b>").waitFor();
    await page.locator(`audio[aria-label="${words.audio}"][src^="blob:"]`).waitFor();
    const playable = () =>
      page.locator("audio").evaluate((audio) => audio instanceof HTMLAudioElement && audio.duration);
    expect(await until(playable, (seconds) => Number(seconds) > 0)).toBeCloseTo(2 / 24_000);
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
    // Folded once the model writes its answer.
    const reasoning = page.getByText("Water finds its level.");
    await reasoning.waitFor({ state: "hidden" });
    await page.getByText(new RegExp(`^${fillPlaceholders(words.thoughtFor, { time: "" })}`)).click();
    await reasoning.waitFor();
    // Colors and formulas come with libraries of their own; prices are none.
    await page.locator(".hljs-title", { hasText: "openGate" }).waitFor();
    await page.locator("math").first().waitFor();
    await page.getByText("from $5 to $7").waitFor();
    await page.getByRole("link", { name: "Locks of the world" }).waitFor();
    await button(words.copyCode).click();
    expect(
      await until(
        () => page.evaluate(() => navigator.clipboard.readText()),
        (text) => text !== "",
      ),
    ).toBe("openGate();");
    await consolePage.expectAccessible();
  }, 120_000);

  test("defines functions, answers calls by hand or by a mock, and goes on with their results", async () => {
    const { page, button, dialog } = consolePage;
    await begin(TOOLS);
    await button(words.tools.edit).click();
    const editor = dialog().locator("#playground-tools");
    await editor.fill("[{");
    await dialog().getByText(words.tools.invalid).waitFor();
    await editor.fill('[{"name":"open_gate"},{"name":"read_level"}]');
    await dialog()
      .getByLabel(fillPlaceholders(words.tools.mock, { name: "read_level" }))
      .fill("3 m");
    await consolePage.expectAccessible();
    await button(words.tools.save, dialog()).click();
    await ask("Open the north gate");
    await page.getByRole("region", { name: fillPlaceholders(words.tool, { name: "open_gate" }) }).waitFor();
    const result = page.getByLabel(fillPlaceholders(words.toolResult, { name: "open_gate" })).last();
    await result.fill("open");
    expect(
      await page
        .getByLabel(fillPlaceholders(words.toolResult, { name: "read_level" }))
        .last()
        .inputValue(),
    ).toBe("3 m");
    await consolePage.expectAccessible();
    const requestCount = fixture.upstream.requests.length;
    await button(fillPlaceholders(words.sendResults_other, { count: "2" })).click();
    await until(
      () => fixture.upstream.requests.length,
      (count) => count > requestCount,
    );
    const { messages, tools } = lastBody();
    expect(tools.map(({ function: { name } }: { function: { name: string } }) => name)).toEqual([
      "open_gate",
      "read_level",
    ]);
    expect(messages.map(({ role, content }: { role: string; content: string | null }) => [role, content])).toEqual(
      [
        ["user", "Open the north gate"],
        ["assistant", expect.anything()],
        ["tool", "open"],
        ["tool", "3 m"],
      ].map(([role, content]) => [role, role === "assistant" ? messages[1].content : content]),
    );
    expect(messages[2].tool_call_id).toBe(messages[1].tool_calls[0].id);
    await button(words.send).waitFor();
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
    await ask("Without parameters");
    await answers().getByText(ANSWER).waitFor();
    // The model's own defaults.
    for (const name of ["temperature", "max_tokens", "top_p"]) expect(lastBody()).not.toHaveProperty(name);
    await page.getByLabel(words.parameters.max_tokens).fill("77");
    const slider = page.getByRole("slider");
    await slider.focus();
    await slider.press("ArrowRight");
    await button(words.moreParameters).click();
    await page.getByLabel(words.parameters.stop).fill("END");
    await page.locator("#playground-schema").fill('{"type":"object"}');
    const file = (name: string, mimeType: string) => ({ name, mimeType, buffer: Buffer.from(PIXEL, "base64") });
    await page
      .locator('input[type="file"]')
      .setInputFiles([
        file("lock.png", "image/png"),
        file("plan.pdf", "application/pdf"),
        file("gate.mp3", "audio/mpeg"),
        file("notes.zip", "application/zip"),
      ]);
    await consolePage.waitForNotice(fillPlaceholders(words.fileErrors.type, { name: "notes.zip" }));
    for (const name of ["lock.png", "plan.pdf", "gate.mp3"])
      await button(fillPlaceholders(words.removeFile, { name })).waitFor();
    // Pasted and dropped files come with the same question.
    await page.getByLabel(words.ask).evaluate((field) => {
      const data = new DataTransfer();
      data.items.add(new File(["%PDF-1"], "pasted.pdf", { type: "application/pdf" }));
      field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
      const dropped = new DataTransfer();
      dropped.items.add(new File(["%PDF-2"], "dropped.pdf", { type: "application/pdf" }));
      field.dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, bubbles: true, cancelable: true }));
    });
    for (const name of ["pasted.pdf", "dropped.pdf"])
      await button(fillPlaceholders(words.removeFile, { name })).click();
    await consolePage.expectAccessible();
    await ask("What is on it?");
    await answers().getByText(ANSWER).waitFor();
    const url = `data:image/png;base64,${PIXEL}`;
    expect(lastBody()).toMatchObject({
      temperature: 1.1,
      max_tokens: 77,
      stop: ["END"],
      response_format: { type: "json_schema", json_schema: { schema: { type: "object" } } },
      messages: [
        { role: "system", content: "Answer like a lock keeper." },
        { role: "user", content: "Without parameters" },
        { role: "assistant", content: ANSWER },
        {
          role: "user",
          content: [
            { type: "text", text: "What is on it?" },
            { type: "image_url", image_url: { url } },
            { type: "file", file: { filename: "plan.pdf", file_data: `data:application/pdf;base64,${PIXEL}` } },
            { type: "input_audio", input_audio: { data: PIXEL, format: "mp3" } },
          ],
        },
      ],
    });
    await page.getByRole("article").getByRole("img", { name: "lock.png" }).waitFor();
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
    for (const [format, sign] of [
      ["Responses", "client.responses.create"],
      ["Anthropic Messages", "client.messages.create"],
      ["Gemini", "client.models.generateContent"],
    ] as const) {
      await button(format, dialog()).click();
      await code.getByText(sign).waitFor();
    }
    await dialog()
      .getByText(fillPlaceholders(words.notInFormat, { fields: "" }))
      .or(code)
      .first()
      .waitFor();
    await consolePage.expectAccessible();
    await button("Chat Completions", dialog()).click();
    await code.getByText("new OpenAI").waitFor();
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
    await page.getByLabel(words.parameters.max_tokens).fill("99");
    await ask("Who opens the gate?");
    await answers().getByText(ANSWER).waitFor();
    await ask("And at night?");
    await answers(turns().nth(1)).getByText(ANSWER).waitFor();
    await answers(turns().nth(1)).locator("dt", { hasText: words.total }).waitFor();
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
    // With what the client sent, parameters too.
    expect(await page.getByLabel(words.parameters.max_tokens).inputValue()).toBe("99");
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

test("the wallet shows how long the balance lasts at last week's rate, and leads to an alert", async () => {
  const { root } = fixture;
  const { quota, used_quota: spent } = await root.get("/api/user/self");
  await root.put("/api/user/", { id: root.userId, quota_delta: 5 * spent - quota });
  await consolePage.open("/topup");
  const days = Math.floor((5 * spent) / Math.ceil(spent / 7));
  const lasts = fillPlaceholders(WORDS.en.components.lasts_other, { count: days });
  await consolePage.button(new RegExp(`^${lasts}`)).click();
  // One click leads to an alert three days before the end, in money.
  await consolePage.page.waitForURL("**/personal?**alert=balance_low**");
  const drawer = consolePage.dialog(WORDS.en.alerts.rules.form.addTitle);
  await drawer.getByText(WORDS.en.alertEvents.names.balance_low).waitFor();
  const threshold = Number((3 * Math.ceil(spent / 7)).toPrecision(2));
  const amount = await drawer.getByLabel(WORDS.en.alerts.rules.form.units.quota, { exact: true }).inputValue();
  expect(Number(amount) * 500_000).toBeCloseTo(threshold, 3);
  await consolePage.expectAccessible();
  await root.put("/api/user/", { id: root.userId, quota_delta: quota });
}, 60_000);

test("the playground works as well in Chinese on a phone", async () => {
  const zh = WORDS.zh.playground;
  const phone = await openConsolePage(browser, fixture.gateway, VIEWPORTS.zh);
  await phone.open("/playground");
  await phone.page.getByText(zh.empty.title).waitFor();
  await phone.expectAccessible();
  // The settings are folded away, and the composer stands at the bottom of the window.
  const composer = await phone.button(zh.send).boundingBox();
  const below = (phone.page.viewportSize()?.height ?? 0) - (composer?.y ?? 0) - (composer?.height ?? 0);
  expect(below).toBeGreaterThanOrEqual(0);
  expect(below).toBeLessThan(160);
  await chooseModels(phone, zh, [MODEL, SECOND]);
  await phone.button(zh.settings).click();
  await phone.expectAccessible();
  await phone.button(zh.settings).click();
  await phone.page.getByLabel(zh.ask).fill("你好");
  await phone.button(zh.send).click();
  await phone.page.getByText("$0.003").waitFor();
  await phone.page.getByText("$0.00006").waitFor();
  await phone.expectAccessible();
  expect(phone.complaints).toEqual([]);
  await phone.close();
}, 120_000);
