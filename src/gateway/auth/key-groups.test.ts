import { afterEach, expect, test } from "bun:test";
import { ASK, CHAT, createAnsweringRelays } from "../../../test/support/gateway/start-gateway.ts";
import type { ApiKeyEntry } from "../../domain/api-keys/directory/index.ts";
import type { ChannelEntry } from "../../domain/channels/entry.ts";

const relays = createAnsweringRelays();
afterEach(relays.stop);

const OPTIONS = {
  GroupRatio: '{"default":1,"cheap":0.5,"dear":3,"closed":1}',
  UserUsableGroups: '{"cheap":"Cheap","dear":"Dear","unpriced":"No price"}',
  AutoGroups: '["closed","dear","cheap"]',
  ModelRatio: '{"gpt-4o":2,"other":2}',
  CompletionRatio: '{"gpt-4o":4,"other":4}',
};

function start(group: string, channels: readonly Partial<ChannelEntry>[], key: Partial<ApiKeyEntry> = {}) {
  return relays.start({ channels, options: OPTIONS, tokens: { test: { group, ...key } } });
}

const GPT = { models: ["gpt-4o"] };

test.each([
  [
    "cheap,dear",
    [
      { ...GPT, groups: ["dear"] },
      { ...GPT, groups: ["cheap"] },
    ],
    "cheap",
    0.5,
    2,
  ],
  [
    "dear,cheap",
    [
      { ...GPT, groups: ["dear"] },
      { ...GPT, groups: ["cheap"] },
    ],
    "dear",
    3,
    1,
  ],
  [
    "cheap,dear",
    [
      { ...GPT, groups: ["dear"] },
      { models: ["other"], groups: ["cheap"] },
    ],
    "dear",
    3,
    1,
  ],
  [
    "cheap,dear",
    [
      { ...GPT, groups: ["dear"] },
      { ...GPT, groups: ["cheap"], status: 2 },
    ],
    "dear",
    3,
    1,
  ],
  [
    "closed,unpriced,cheap",
    [
      { ...GPT, groups: ["closed", "unpriced"] },
      { ...GPT, groups: ["cheap"] },
    ],
    "cheap",
    0.5,
    2,
  ],
  [
    "auto",
    [
      { ...GPT, groups: ["cheap"] },
      { ...GPT, groups: ["closed"] },
    ],
    "cheap",
    0.5,
    1,
  ],
  [
    "auto",
    [
      { ...GPT, groups: ["cheap"] },
      { ...GPT, groups: ["dear"] },
    ],
    "dear",
    3,
    2,
  ],
] as const)(
  "a key of %s is served by the first group with a channel, and pays its price exactly",
  async (group, channels, served, ratio, channelId) => {
    const { relay } = start(group, channels);
    expect((await relay.post(CHAT, ASK)).status).toBe(200);
    const record = await relay.billing.nextRecord();
    expect([record.group, record.channelId]).toEqual([served, channelId]);
    const { promptTokens, completionTokens } = record;
    expect(promptTokens + completionTokens).toBeGreaterThan(0);
    expect(record.quota).toBe(Math.round((promptTokens + completionTokens * 4) * 2 * ratio));
  },
);

test("a key none of whose groups may be used, or has a channel, is refused", async () => {
  const refused = await start("closed,unpriced", [{ ...GPT, groups: ["closed"] }]).relay.post(CHAT, ASK);
  expect([refused.status, (await refused.json()).error.code]).toEqual([403, "group_not_allowed"]);
  const unserved = await start("cheap,dear", [{ ...GPT, groups: ["default"] }]).relay.post(CHAT, ASK);
  expect(unserved.status).toBe(404);
});

test("a list of models has those of all groups, each once", async () => {
  const channels = [
    { models: ["gpt-4o", "other"], groups: ["cheap"] },
    { models: ["other", "third"], groups: ["dear"] },
    { models: ["hidden"], groups: ["closed"] },
  ];
  const { relay } = start("auto", channels);
  const { data } = (await (await relay.get("/v1/models")).json()) as { data: { id: string }[] };
  expect(data.map(({ id }) => id)).toEqual(["gpt-4o", "other", "third"]);
  expect((await relay.get("/v1/models/third")).status).toBe(200);
  expect((await relay.get("/v1/models/hidden")).status).toBe(404);
});

test("a key's model limits hold in every group", async () => {
  const { relay } = start("cheap,dear", [{ ...GPT, groups: ["dear"] }], { modelLimits: new Set(["other"]) });
  expect((await relay.post(CHAT, ASK)).status).toBe(403);
});
