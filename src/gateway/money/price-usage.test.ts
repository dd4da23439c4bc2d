/** What calls are charged for that their upstream's usage does not say. */
import { afterEach, describe, expect, test } from "bun:test";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../test/support/gateway/start-upstream.ts";

const stops: (() => unknown)[] = [];
afterEach(() => Promise.all(stops.splice(0).map((stop) => stop())));

const ZHIPU = 26;
const messages = [{ role: "user", content: "What is new?" }];

describe("a search whose pages alone the response shows", () => {
  const start = (shown: object) => {
    const upstream = startUpstream(() => Response.json({ ...chatReply({ model: "glm-x" }), ...shown }));
    const relay = startRelay({
      channels: [{ type: ZHIPU, baseUrl: upstream.url, models: ["glm-x"] }],
      options: {
        ModelRatio: '{"glm-x":0}',
        ToolPrice: '{"zhipu_search_std":0.01,"zhipu_search_pro":0.03}',
      },
    });
    stops.push(relay.stop, upstream.stop);
    return relay;
  };
  const pages = { web_search: [{ title: "News", link: "https://news.example", content: "…" }] };
  const engine = (search_engine: string) => ({
    tools: [{ type: "web_search", web_search: { enable: true, search_engine } }],
  });

  test.each<[string, object, object, number]>([
    ["is charged once, at the price of its engine", engine("search_pro"), pages, 15_000],
    ["is charged as the usual one where none is named", { web_search_options: {} }, pages, 5_000],
    ["is not charged without pages", engine("search_pro"), {}, 0],
    ["is not charged where nobody asked for one", {}, pages, 0],
  ])("%s", async (_, asks, shown, quota) => {
    const relay = start(shown);
    const response = await relay.post("/v1/chat/completions", { model: "glm-x", messages, ...asks });
    expect(response.status).toBe(200);
    await response.text();
    expect((await relay.billing.nextRecord()).quota).toBe(quota);
  });
});
