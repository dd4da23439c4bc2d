import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestOperations, type TestOperations } from "../../../test/support/console/operations.ts";
import { chatReply, startUpstream } from "../../../test/support/gateway/start-upstream.ts";
import { dayOf, readSpend } from "../../billing/operator-spend.ts";
import { findSuspiciousChannels } from "../../domain/alerts/conditions/site-conditions.ts";
import type { ChannelCheckView } from "../../domain/channels/authenticity/check-channel.ts";
import { countText } from "../../gateway/money/count-tokens.ts";
import { nowSeconds } from "../../lib/clock.ts";

let app: TestOperations;
let upstream: ReturnType<typeof startUpstream>;
/** Times the tokens that the upstream reports are those that it counts. */
let padding = 1;
beforeAll(async () => {
  app = await startTestOperations();
  upstream = startUpstream(async ({ text }) => {
    const prompt: string = JSON.parse(text).messages[0].content;
    const phrase = /The pass phrase is ([a-z-]+)/.exec(prompt)?.[1];
    const echoed = prompt.startsWith("Repeat") ? prompt.slice(prompt.indexOf("\n\n") + 2) : "OpenAI";
    const content = phrase ?? echoed;
    const [input, output] = [await countText("gpt-4o", prompt), await countText("gpt-4o", content)];
    const usage = { prompt_tokens: Math.round((input + 7) * padding), completion_tokens: output };
    const message = { role: "assistant", content };
    return Response.json(chatReply({ choices: [{ index: 0, message, finish_reason: "stop" }], usage }));
  });
});
afterAll(async () => {
  upstream.stop();
  await app.close();
});

const call = async (method: string, path: string, body?: unknown, headers = app.as.admin) =>
  (await app.ask(method, path, body, headers)).body;
const list = async () => (await call("GET", "/api/channel-checks/")).data as readonly ChannelCheckView[];
const setRules = (rules: object) =>
  app.settings.change(["ChannelAuthenticity"], () => new Map([["ChannelAuthenticity", JSON.stringify(rules)]]));
const alerts = () =>
  findSuspiciousChannels(app, {
    owner: "site",
    organization: null,
    threshold: 0,
    windowMinutes: 0,
    now: nowSeconds(),
    since: 0,
  });

test("a check scores a channel, costs the operator what it used, and warns, then disables a channel that lies", async () => {
  await setRules({ prompt_words: 1000, disable_below: 60 });
  const created = await call("POST", "/api/channel/", {
    ...{ name: "reseller", key: "sk-1", models: "gpt-4o", base_url: upstream.url },
  });
  const { id } = created.data as { id: number };
  const check = () => call("POST", "/api/channel-checks/", { channel_id: id, model: "gpt-4o" });

  expect(await check()).toMatchObject({ success: true, data: { score: 100 } });
  expect(await list()).toMatchObject([{ channel: "reseller", model: "gpt-4o", score: 100, is_low: false }]);
  expect(await alerts()).toEqual([]);

  padding = 1.5;
  expect(await check()).toMatchObject({ data: { score: 50 } });
  const [low] = await list();
  expect(low).toMatchObject({ score: 50, is_low: true });
  const input = low?.findings.find(({ check: name }) => name === "usage_input");
  expect(input).toMatchObject({ outcome: "fail", detail: { ratio: expect.closeTo(1.5, 1) } });
  expect(await alerts()).toMatchObject([{ subject: `channel/${id}/gpt-4o`, severity: "error" }]);
  // Once may be chance.
  expect(app.channels.get(id)?.status).toBe(1);
  await check();
  // By hand, so that no test that passes enables it again.
  expect(app.channels.get(id)?.status).toBe(2);
  expect(await alerts()).toEqual([]);

  const spent = await readSpend(app.db, "channel checks", dayOf(nowSeconds()));
  expect(low?.cost).toBeGreaterThan(0);
  expect(spent).toBeGreaterThan(2 * (low?.cost ?? 0));
});

test("nothing is sent once the day's budget is used up, and only administrators check", async () => {
  await setRules({ prompt_words: 500, max_usd_per_day: 1 });
  await app.settings.change(["QuotaPerUnit"], () => new Map([["QuotaPerUnit", "1"]]));
  const [known] = await list();
  const before = upstream.received.length;
  const body = { channel_id: known?.channel_id, model: "gpt-4o" };
  expect(await call("POST", "/api/channel-checks/", body)).toMatchObject({ code: "channel_check_budget" });
  expect(upstream.received).toHaveLength(before);
  expect(await call("POST", "/api/channel-checks/", body, app.as.user)).toMatchObject({ code: "permission_denied" });
  expect(await call("POST", "/api/channel-checks/", { ...body, channel_id: 999 })).toMatchObject({
    code: "channel_not_found",
  });
});
