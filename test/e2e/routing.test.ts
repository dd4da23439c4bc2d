/** An administrator asks where a call would go, and sees a conversation stick; English wide, Chinese on a phone. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { WORDS } from "./browser.ts";
import { createChannel } from "./console-client.ts";
import { type Desk, openDesk, openStage, WAYS } from "./desk.ts";

const MODEL = "gpt-4o";
/** It goes on from an answer: its channel may have it in a cache. */
const REQUEST = {
  messages: [
    { role: "user", content: "What is a sluice?" },
    { role: "assistant", content: "A gate for water." },
    { role: "user", content: "Who opens it?" },
  ],
};

const { browser, stage } = await openStage([MODEL]);
await createChannel(stage.root, stage.upstream.url, [MODEL], { name: "second" });
const headers = { authorization: `Bearer ${stage.key}`, "content-type": "application/json" };
const body = JSON.stringify({ model: MODEL, ...REQUEST });
const answer = await fetch(`${stage.gateway.url}/v1/chat/completions`, { method: "POST", headers, body });
expect(answer.status).toBe(200);

describe.each(["en", "zh"] as const)("routing in %s", (language) => {
  const words = WORDS[language].routing;
  let desk: Desk;
  beforeAll(async () => {
    desk = await openDesk(browser, stage.gateway, WAYS[language]);
  });
  afterAll(() => desk.close());

  const shares = async (): Promise<string[]> => {
    await desk.row("%").nth(1).waitFor();
    const texts = await desk.row("%").allTextContents();
    return texts.map((text) => /(100|50|0)%/.exec(text)?.[0] ?? "").toSorted();
  };

  test("a new call may go to both channels, a conversation stays with one", async () => {
    await desk.open("/router");
    const { page } = desk;
    // Leaving a field closes the list of what it offers.
    const fill = async (label: string, text: string) => {
      await page.getByLabel(label, { exact: true }).fill(text);
      await page.keyboard.press("Tab");
    };
    await fill(words.model, MODEL);
    await desk.button(words.ask).click();
    expect(await shares()).toEqual(["50%", "50%"]);
    const [{ id }] = await stage.root.get("/api/token/");
    await fill(words.keyId, String(id));
    await fill(words.request, JSON.stringify(REQUEST));
    await desk.button(words.ask).click();
    await page.getByText(words.stuck.by.prompt, { exact: false }).first().waitFor();
    expect(await shares()).toEqual(["0%", "100%"]);
    await desk.row(words.reasons.stuckElsewhere).waitFor();
    await desk.clean();
    await fill(words.request, '{"messages":[{"role":"user","content":"New"}]}');
    await desk.button(words.ask).click();
    await desk.told(words.stuck.no);
    expect(await shares()).toEqual(["50%", "50%"]);
    expect(desk.complaints).toEqual([]);
  }, 90_000);
});
