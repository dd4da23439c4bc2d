/** Ratios by the user's group and by model: what is held and charged, to the unit, and what the log row says. */
import { afterEach, expect, test } from "bun:test";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const OPTIONS = {
  ModelRatio: '{"m":1,"m-mini":1}',
  CompletionRatio: '{"m":1,"m-mini":1}',
  GroupRatio: '{"default":1,"vip":0.8}',
  GroupGroupRatio: '{"vip":{"default":0.3333}}',
  GroupModelRatio: '{"default":{"*-mini":2}}',
};

test.each<[userGroup: string, model: string, quota: number, shown: number]>([
  ["default", "m", 1_000, -1],
  ["vip", "m", 333, 0.3333],
  ["vip", "m-mini", 2_000, -1],
])("a user of %s pays for %s %d units", async (userGroup, model, quota, shown) => {
  const upstream = startUpstream(() =>
    Response.json(chatReply({ usage: { prompt_tokens: 600, completion_tokens: 400, total_tokens: 1_000 } })),
  );
  const relay = startRelay({
    channels: [{ baseUrl: upstream.url, models: ["m", "m-mini"], groups: ["default"] }],
    user: { group: userGroup },
    tokens: { test: { group: "default" } },
    options: OPTIONS,
  });
  stops.push(relay.stop, upstream.stop);
  const response = await relay.post("/v1/chat/completions", { model, messages: [{ role: "user", content: "Hi" }] });
  expect(response.status).toBe(200);
  const record = await relay.billing.nextRecord();
  expect(record).toMatchObject({ quota, group: "default", other: { user_group_ratio: shown } });
  expect(record.other.receipt).toMatchObject({ total: quota });
});
