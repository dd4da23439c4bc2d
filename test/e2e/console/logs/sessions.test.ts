/** Runs of agents in a real browser: as a timeline, each step replayed on another model, and two runs compared. */
import { describe, expect } from "bun:test";
import { WORDS, waitForQueries } from "../../../support/e2e/browser.ts";
import { test } from "../../../support/e2e/browser-test.ts";
import {
  BOTH_VIEWPORTS,
  expectChinesePages,
  fillPlaceholders,
  openConsolePage,
  startBrowserFixture,
} from "../../../support/e2e/console-page.ts";
import { setOption } from "../../../support/e2e/fixture.ts";
import { until } from "../../../support/lib/until.ts";

const MODEL = "usage-1000-500";
const CHEAPER = "usage-20-10";
const FAILING = "err-400";
const { browser, fixture } = await startBrowserFixture([MODEL, CHEAPER, FAILING]);
const { root, gateway } = fixture;
await setOption(root, "LogChatContentEnabled", true);

/** A step of a run; sub-agents name themselves. */
async function step(session: string, name: string, model = MODEL, agent?: string, tool?: string) {
  const headers = {
    ...{ authorization: `Bearer ${fixture.key}`, "content-type": "application/json" },
    ...{ "x-sluice-session": session, "x-sluice-step": name, ...(agent && { "x-sluice-agent": agent }) },
  };
  const called = { id: "call-1", type: "function", function: { name: tool, arguments: "{}" } };
  const messages = [
    { role: "user", content: `What is a sluice, in step ${name}?` },
    ...(tool
      ? [
          { role: "assistant", content: null, tool_calls: [called] },
          { role: "tool", tool_call_id: "call-1", content: "Found it." },
        ]
      : []),
  ];
  const body = JSON.stringify({ model, messages });
  await (await fetch(`${gateway.url}/v1/chat/completions`, { method: "POST", headers, body })).text();
}

/** A run of three calls, one of a sub-agent, and one that fails. */
async function run(session: string, model: string) {
  await step(session, "plan", model);
  await step(session, "search", model, "researcher", "grep");
  await step(session, "edit", model, undefined, "read_file");
  await step(session, "check", FAILING);
}
await run("first-run", MODEL);
await run("second-run", CHEAPER);
await until(
  () => root.get("/api/sessions/"),
  (found: { calls: number }[]) => found.length === 2 && found.every(({ calls }) => calls === 4),
);

describe("a session", () => {
  const { sessions, logs, replays, playground } = WORDS.en;
  const { timeline, pairs } = sessions;

  test("is a tree of agents and calls on one time axis, and each step says what it did", async () => {
    const { page, open, row, openRow, expectAccessible, close } = await openConsolePage(
      browser,
      gateway,
      BOTH_VIEWPORTS,
    );
    await open("/sessions");
    await openRow(row("first-run"));
    const lines = page.getByRole("list", { name: timeline.title }).getByRole("button");
    await lines.first().waitFor();
    expect(await lines.count()).toBe(6);
    expect(await lines.first().textContent()).toContain(sessions.mainAgent);
    const agent = lines.filter({ hasText: "researcher" });
    await agent.click();
    await until(
      () => lines.count(),
      (count) => count === 5,
    );
    await agent.click();
    await lines.filter({ hasText: "grep" }).click();
    await page.getByRole("link", { name: timeline.open }).waitFor();
    await page.getByRole("button", { name: logs.replay.action, exact: true }).nth(1).waitFor();
    await waitForQueries(page);
    await expectAccessible();
    await lines.filter({ hasText: timeline.failed }).first().waitFor();
    await close();
  }, 120_000);

  test("has steps that another model answers next to the logged answer", async () => {
    const { page, open, button, dialog, complaints, expectAccessible, close } = await openConsolePage(
      browser,
      gateway,
      BOTH_VIEWPORTS,
    );
    await open("/sessions?session=first-run&user=1");
    await page.getByRole("list", { name: timeline.title }).getByRole("button").filter({ hasText: "plan" }).click();
    await page.getByRole("list", { name: timeline.title }).getByRole("button", { name: logs.replay.action }).click();
    await dialog(logs.replay.title).getByLabel(logs.replay.model).fill(CHEAPER);
    await expectAccessible();
    await button(logs.replay.start, dialog(logs.replay.title)).click();
    await page.getByRole("heading", { name: playground.title, level: 1 }).waitFor();
    // The second answer is that of a call which was made now.
    const before = (await root.get(`/api/log/?type=2&model_name=${CHEAPER}&page_size=1`)).total;
    expect(before).toBeGreaterThan(0);
    await until(
      async () => (await root.get(`/api/log/?type=2&model_name=${CHEAPER}&page_size=1`)).total,
      (total) => total === 4,
    );
    await until(
      () => page.getByText("A sluice is a gate that measures water.").count(),
      (count) => count === 2,
    );
    expect(complaints).toEqual([]);
    await close();
  }, 120_000);

  test("is compared with another: figures, both timelines, and call by call", async () => {
    const { page, open, button, dialog, row, expectAccessible, close } = await openConsolePage(
      browser,
      gateway,
      BOTH_VIEWPORTS,
    );
    await open("/sessions?session=first-run&user=1");
    await page.getByRole("combobox", { name: sessions.compare }).click();
    await page.getByRole("option", { name: "second-run" }).click();
    await page.getByText(fillPlaceholders(timeline.of, { id: "second-run" })).waitFor();
    const edit = row(`${MODEL} → ${CHEAPER}`).filter({ hasText: "edit" });
    await edit.waitFor();
    await waitForQueries(page);
    await expectAccessible();
    await button(pairs.compare, edit).click();
    await dialog(pairs.answers).getByText("A sluice is a gate that measures water.").nth(1).waitFor();
    await expectAccessible();
    await close();
  }, 120_000);

  test("is replayed on another model, with a comparison of each answer", async () => {
    const { page, open, button, dialog, close } = await openConsolePage(browser, gateway, BOTH_VIEWPORTS);
    await open("/sessions?session=first-run&user=1");
    await button(logs.replay.action).first().click();
    await dialog(logs.replay.title).getByLabel(logs.replay.model).fill(CHEAPER);
    await button(logs.replay.start, dialog(logs.replay.title)).click();
    await page.getByRole("heading", { name: CHEAPER, level: 1 }).waitFor();
    await page.getByText(replays.status.complete).first().waitFor();
    await until(
      () => page.getByText(replays.after, { exact: true }).count(),
      (count) => count === 3,
    );
    await close();
  }, 120_000);

  test("can be read in Chinese on a phone", () =>
    expectChinesePages(browser, gateway, [
      "/sessions?session=first-run&user=1",
      "/sessions?session=first-run&user=1&with=1+second-run",
    ]));
});
