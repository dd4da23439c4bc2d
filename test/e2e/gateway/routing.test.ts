/** An administrator asks where a call would go, and sees a conversation stick; English wide, Chinese on a phone. */
import { afterAll, beforeAll, describe, expect } from "bun:test";
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
import { CHEAPEST_ENGINE } from "../../support/e2e/fixture.ts";
import { until } from "../../support/lib/until.ts";

const MODEL = "gpt-4o";
/** It goes on from an answer: its channel may have it in a cache. */
const REQUEST = {
  messages: [
    { role: "user", content: "What is a sluice?" },
    { role: "assistant", content: "A gate for water." },
    { role: "user", content: "Who opens it?" },
  ],
};

const { browser, fixture } = await startBrowserFixture([MODEL], { engine: CHEAPEST_ENGINE });
await createChannel(fixture.root, fixture.upstream.url, [MODEL], { name: "second" });
const headers = { authorization: `Bearer ${fixture.key}`, "content-type": "application/json" };
const body = JSON.stringify({ model: MODEL, ...REQUEST });
const answer = await fetch(`${fixture.gateway.url}/v1/chat/completions`, { method: "POST", headers, body });
expect(answer.status).toBe(200);

test("a route that was just created serves calls, and its charge and log name the model that responded", async () => {
  const call = () => {
    const chat = JSON.stringify({ model: "best", messages: [{ role: "user", content: "Hi" }] });
    return fetch(`${fixture.gateway.url}/v1/chat/completions`, { method: "POST", headers, body: chat });
  };
  expect((await call()).status).toBe(404);
  const route = { candidates: [{ model: "nobody" }, { model: MODEL }] };
  await fixture.root.post("/api/route/", { name: "best", route });
  expect(await fixture.root.get("/api/route/")).toEqual([{ name: "best", ...route, unserved: ["nobody"] }]);
  const response = await call();
  expect([response.status, response.headers.get("x-sluice-model")]).toEqual([200, MODEL]);
  await response.text();
  const requestId = response.headers.get("x-request-id");
  await until(async () => {
    const { items } = await fixture.root.get(`/api/log/?p=0&size=10&request_id=${requestId}`);
    const [row] = items;
    return row?.model_name === MODEL && JSON.parse(row.other).requested_model === "best";
  });
  await fixture.root.delete("/api/route/?name=best");
  expect((await call()).status).toBe(404);
});

describe("routing", () => {
  const words = WORDS.en.explain;
  let consolePage: ConsolePage;
  beforeAll(async () => {
    consolePage = await openConsolePage(browser, fixture.gateway, BOTH_VIEWPORTS);
  });
  afterAll(() => consolePage.close());

  const shares = async (): Promise<string[]> => {
    await consolePage.row("%").nth(1).waitFor();
    const texts = await consolePage.row("%").allTextContents();
    return texts.map((text) => /(100|50|0)%/.exec(text)?.[0] ?? "").toSorted();
  };

  test("a new call may go to both channels, a conversation stays with one", async () => {
    await consolePage.open("/router");
    const { page } = consolePage;
    // Leaving a field closes the list of what it offers.
    const fill = async (label: string, text: string) => {
      await page.getByLabel(label, { exact: true }).fill(text);
      await page.keyboard.press("Tab");
    };
    await fill(words.model, MODEL);
    await consolePage.button(words.ask).click();
    expect(await shares()).toEqual(["50%", "50%"]);
    const [{ id }] = await fixture.root.get("/api/token/");
    await fill(words.keyId, String(id));
    await fill(words.request, JSON.stringify(REQUEST));
    await consolePage.button(words.ask).click();
    await page.getByText(words.sticky.by.prompt, { exact: false }).first().waitFor();
    expect(await shares()).toEqual(["0%", "100%"]);
    await consolePage.row(words.reasons.stickyElsewhere).waitFor();
    await consolePage.expectAccessible();
    await fill(words.request, '{"messages":[{"role":"user","content":"New"}]}');
    await consolePage.button(words.ask).click();
    await consolePage.waitForNotice(words.sticky.no);
    expect(await shares()).toEqual(["50%", "50%"]);
    expect(consolePage.complaints).toEqual([]);
  }, 90_000);

  test("a route is created, explained, changed and deleted in the console", async () => {
    const { form, ...routes } = WORDS.en.routes;
    const { page, button, dialog } = consolePage;
    const addModel = async (position: number, model: string) => {
      await dialog()
        .getByLabel(form.model, { exact: true })
        .nth(position - 1)
        .fill(model);
      await page.keyboard.press("Tab");
    };
    await consolePage.open("/routes");
    await page.getByText(routes.empty.title).waitFor();
    await button(routes.add).first().click();
    await button(form.create, dialog()).waitFor();
    await dialog().getByLabel(form.name, { exact: true }).fill("spread");
    await button(form.create, dialog()).click();
    await dialog().getByText(form.errors.model).waitFor();
    await addModel(1, "nobody");
    await dialog().getByText(form.unserved).waitFor();
    await addModel(2, MODEL);
    await button(form.moveUp.replace("{{position}}", "2"), dialog()).click();
    await button(form.noConditions, dialog()).last().click();
    await dialog().getByLabel(form.regions, { exact: true }).fill("eu-*");
    await page.keyboard.press("Tab");
    await consolePage.expectAccessible();
    await button(form.create, dialog()).click();
    await consolePage.row("spread").getByText(routes.status.partly).waitFor();
    expect(await fixture.root.get("/api/route/")).toEqual([
      {
        name: "spread",
        strategy: "priority",
        candidates: [{ model: MODEL }, { model: "nobody", regions: ["eu-*"] }],
        unserved: ["nobody"],
      },
    ]);
    await consolePage.expectAccessible();
    await consolePage.chooseRowAction("spread", routes.explain);
    await button(words.ask).click();
    await consolePage.row("nobody").getByText(words.route.reasons.no_channel).waitFor();
    await page.getByText(words.route.channels.replace("{{model}}", MODEL)).waitFor();
    await consolePage.expectAccessible();
    await consolePage.open("/routes");
    await consolePage.chooseRowAction("spread", routes.disable);
    await consolePage.row("spread").getByText(routes.status.disabled).waitFor();
    await consolePage.chooseRowAction("spread", routes.delete);
    await button(routes.deleteAction, dialog()).click();
    await page.getByText(routes.empty.title).waitFor();
    expect(consolePage.complaints).toEqual([]);
  }, 90_000);

  test("is explained in Chinese on a phone as well", async () => {
    const { routes, explain: routing } = WORDS.zh;
    await expectChinesePages(browser, fixture.gateway, ["/routes", "/router"], undefined, async (phone) => {
      await phone.page.getByLabel(routing.model, { exact: true }).fill(MODEL);
      await phone.page.keyboard.press("Tab");
      await phone.button(routing.ask).click();
      await phone.row("50%").nth(1).waitFor();
      await phone.expectAccessible();
      await phone.open("/routes");
      await phone.button(routes.addShort).first().click();
      await phone.button(routes.form.create, phone.dialog()).click();
      await phone.dialog().getByText(routes.form.errors.model).waitFor();
      await phone.expectAccessible();
    });
  }, 90_000);
});
