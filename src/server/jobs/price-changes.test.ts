import { expect, test } from "bun:test";
import { channelEntry } from "../../../test/support/gateway/entries.ts";
import { fixedSettings } from "../../../test/support/lib/settings.ts";
import type { BroadcastProgress, BroadcastRequest } from "../../domain/notifications/broadcasts/broadcast.ts";
import { NOTICE_LIMITS } from "../../domain/notifications/notice-rules.ts";
import { joinChanges, notifyPriceChanges } from "./price-changes.ts";

const CHANGES = [
  {
    model: "gpt-x",
    before: { modelRatio: "1.25", completionRatio: "4", cacheRatio: "1" },
    after: { modelRatio: "1.5", completionRatio: "4", cacheRatio: "1" },
  },
  { model: "draw", before: { usdPerCall: "0.1" }, after: { usdPerCall: "0.2" } },
  { model: "new", before: null, after: { usdPerCall: "1" } },
];

type Changes = Parameters<typeof notifyPriceChanges>[1];

function noticesOf(enabled: boolean, changes: Changes = CHANGES, isRunning = false) {
  const sent: BroadcastRequest[] = [];
  const progress = (): BroadcastProgress => ({
    is_running: isRunning,
    event: null,
    title: "",
    delivered: 0,
    failed: 0,
  });
  const start = (request: BroadcastRequest) => void sent.push(request);
  const broadcasts = { start, resendFailed: () => {}, progress, cancel: () => {} };
  const settings = fixedSettings({ PriceChangeNoticeEnabled: String(enabled) });
  const channels = {
    all: () => [
      channelEntry({ id: 1, type: 1010, models: ["own-film"] }),
      channelEntry({ id: 2, models: ["tts-1"], modelPrefix: "vip-" }),
    ],
  };
  return { sent, pending: notifyPriceChanges({ settings, broadcasts, channels }, changes) };
}

test("prices that went up or down are reported in dollars, where the site wants it", () => {
  expect(noticesOf(false)).toEqual({ sent: [], pending: [] });
  expect(noticesOf(true)).toMatchObject({ pending: [] });
  expect(noticesOf(true).sent).toEqual([
    {
      event: "price_change",
      title: "Model prices have changed / 模型价格有调整",
      content: [
        "These prices have changed (input / output):",
        "gpt-x: $2.5 / $10 per 1M tokens → $3 / $12 per 1M tokens",
        "draw: $0.1 per call → $0.2 per call",
        "",
        "以下价格有调整（输入 / 输出）：",
        "gpt-x：每百万 token $2.5 / $10 → 每百万 token $3 / $12",
        "draw：每次 $0.1 → 每次 $0.2",
      ].join("\n"),
    },
  ]);
});

test("each price is reported per unit that it is charged by", () => {
  const calls = (model: string) => ({ model, before: { usdPerCall: "0.1" }, after: { usdPerCall: "0.2" } });
  const tag = (modelRatio: string) => ({ modelRatio, completionRatio: "1", cacheRatio: "1" });
  const tokens = (model: string, before: string, after: string) => ({ model, before: tag(before), after: tag(after) });
  const [notice] = noticesOf(true, [
    calls("sora-2"),
    calls("own-film"),
    calls("imagen-4.0-generate-001"),
    tokens("dall-e-3", "16", "20"),
    tokens("whisper-1", "3", "4.5"),
    tokens("tts-1", "7.5", "15"),
    tokens("vip-tts-1", "7.5", "15"),
  ]).sent;
  expect(notice?.content.split("\n")).toEqual([
    "These prices have changed (input / output):",
    "sora-2: $0.1 per second → $0.2 per second",
    "own-film: $0.1 per second → $0.2 per second",
    "imagen-4.0-generate-001: $0.1 per image → $0.2 per image",
    "dall-e-3: $0.04 per image → $0.05 per image",
    "whisper-1: $0.006 per minute → $0.009 per minute",
    "tts-1: $15 per 1M characters → $30 per 1M characters",
    "vip-tts-1: $15 per 1M characters → $30 per 1M characters",
    "",
    "以下价格有调整（输入 / 输出）：",
    "sora-2：每秒 $0.1 → 每秒 $0.2",
    "own-film：每秒 $0.1 → 每秒 $0.2",
    "imagen-4.0-generate-001：每张 $0.1 → 每张 $0.2",
    "dall-e-3：每张 $0.04 → 每张 $0.05",
    "whisper-1：每分钟 $0.006 → 每分钟 $0.009",
    "tts-1：每百万字符 $15 → 每百万字符 $30",
    "vip-tts-1：每百万字符 $15 → 每百万字符 $30",
  ]);
});

test("the notice says which other parts changed, and what a use of a tool costs", () => {
  const tokens = { modelRatio: "1.25", completionRatio: "4", cacheRatio: "0.5", cacheCreationRatio: "1.25" };
  const [notice] = noticesOf(true, [
    { model: "gpt-x", before: tokens, after: { ...tokens, cacheRatio: "0.1", cacheCreationRatio: "2" } },
    {
      model: "gpt-y",
      before: { ...tokens, contextTiers: [] },
      after: { ...tokens, modelRatio: "1.5", contextTiers: [{ over: 200_000, input: "2", output: "1.5" }] },
    },
    {
      model: "imagen-4.0-generate-001",
      before: { usdPerCall: "0.1", usdPerMegapixel: "0.01" },
      after: { usdPerCall: "0.1", usdPerMegapixel: "0.02" },
    },
    {
      model: "sora-2",
      before: { usdPerCall: "0.1", variants: { "mode=pro": "0.3" } },
      after: { usdPerCall: "0.1", variants: { "mode=pro": "0.5" } },
    },
    { model: "web_search", before: { usdPerUse: "0.01" }, after: { usdPerUse: "0.02" } },
  ]).sent;
  expect(notice?.content.split("\n")).toEqual([
    "These prices have changed (input / output):",
    "gpt-x: cached input $1.25 per 1M tokens → $0.25 per 1M tokens; cache write $3.125 per 1M tokens → $5 per 1M tokens",
    "gpt-y: $2.5 / $10 per 1M tokens → $3 / $12 per 1M tokens; prompts over 200000 tokens no separate price → $6 / $18 per 1M tokens",
    "imagen-4.0-generate-001: further and input megapixels $0.01 per megapixel → $0.02 per megapixel",
    "sora-2: variant mode=pro $0.3 per second → $0.5 per second",
    "web_search: $0.01 per use → $0.02 per use",
    "",
    "以下价格有调整（输入 / 输出）：",
    "gpt-x：缓存输入 每百万 token $1.25 → 每百万 token $0.25；缓存写入 每百万 token $3.125 → 每百万 token $5",
    "gpt-y：每百万 token $2.5 / $10 → 每百万 token $3 / $12；提示词超过 200000 token 无单独价格 → 每百万 token $6 / $18",
    "imagen-4.0-generate-001：后续及输入的像素 每百万像素 $0.01 → 每百万像素 $0.02",
    "sora-2：规格 mode=pro 每秒 $0.3 → 每秒 $0.5",
    "web_search：每次使用 $0.01 → 每次使用 $0.02",
  ]);
});

test("as many are listed as a notice holds, and both languages say how many are left", () => {
  const price = { before: { usdPerCall: "0.1" }, after: { usdPerCall: "0.2" } };
  const of = (models: number, letters: number) =>
    Array.from({ length: models }, (_, index) => ({ model: `${index}`.padEnd(letters, "x"), ...price }));
  const [short] = noticesOf(true, of(60, 4)).sent;
  expect(short?.content).toContain("\n… and 10 more\n");
  expect(short?.content).toEndWith("\n……以及另外 10 个模型");
  const [long] = noticesOf(true, of(60, 200)).sent;
  expect([...(long?.content ?? "")].length).toBeLessThanOrEqual(NOTICE_LIMITS.content);
  expect(long?.content).toContain(" more\n\n以下价格");
});

test("changes during another notice are reported after it, joined with what changed meanwhile", () => {
  const waiting = noticesOf(true, CHANGES, true);
  expect(waiting).toEqual({ sent: [], pending: CHANGES });
  const [gptX, draw] = CHANGES;
  const back = { model: "gpt-x", before: gptX?.after ?? null, after: gptX?.before ?? null };
  const again = { model: "draw", before: draw?.after ?? null, after: { usdPerCall: "0.3" } };
  const joined = joinChanges(waiting.pending, [back, again]);
  const { sent, pending } = noticesOf(true, joined);
  expect(pending).toEqual([]);
  expect(sent.map(({ content }) => content)).toEqual([
    [
      "These prices have changed (input / output):",
      "draw: $0.1 per call → $0.3 per call",
      "",
      "以下价格有调整（输入 / 输出）：",
      "draw：每次 $0.1 → 每次 $0.3",
    ].join("\n"),
  ]);
  expect(joinChanges(joined, [{ model: "new", before: { usdPerCall: "1" }, after: null }])).toEqual([
    { model: "draw", before: draw?.before ?? null, after: { usdPerCall: "0.3" } },
  ]);
});
