import { expect, test } from "bun:test";
import { createLogger } from "../lib/log.ts";
import type { BroadcastProgress, BroadcastRequest } from "../notify/broadcast.ts";
import { fixedSettings } from "../settings/testing.ts";
import { tellPriceChanges } from "./price-changes.ts";

const log = createLogger({ logLevel: "silent", logFormat: "json" });
const CHANGES = [
  {
    model: "gpt-x",
    before: { modelRatio: "1.25", completionRatio: "4", cacheRatio: "1" },
    after: { modelRatio: "1.5", completionRatio: "4", cacheRatio: "1" },
  },
  { model: "draw", before: { usdPerCall: "0.1" }, after: { usdPerCall: "0.2" } },
  { model: "new", before: null, after: { usdPerCall: "1" } },
];

function tell(enabled: boolean, isRunning = false) {
  const sent: BroadcastRequest[] = [];
  const progress = (): BroadcastProgress => ({ is_running: isRunning, event: null, title: "", told: 0, failed: 0 });
  const broadcasts = { start: (request: BroadcastRequest) => void sent.push(request), progress, cancel: () => {} };
  tellPriceChanges(
    { settings: fixedSettings({ PriceChangeNoticeEnabled: String(enabled) }), broadcasts, log },
    CHANGES,
  );
  return sent;
}

test("prices that went up or down are told in dollars, where the site wants it", () => {
  expect(tell(false)).toEqual([]);
  expect(tell(true, true)).toEqual([]);
  expect(tell(true)).toEqual([
    {
      event: "price_change",
      title: "Model prices have changed / 模型价格有调整",
      content: "gpt-x: $2.5 / $10 per 1M → $3 / $12 per 1M\ndraw: $0.1 per call → $0.2 per call",
    },
  ]);
});
