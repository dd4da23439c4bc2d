import { afterAll, expect, test } from "bun:test";
import OpenAI from "openai";
import { startChatUpstream } from "../../gateway/mcp/chat-upstream.ts";
import { startMcpServer } from "../../gateway/mcp/mcp-server.ts";
import { settledAccount, waitForLogs } from "../../support/billing/books.ts";
import { createApiKey, createChannel } from "../../support/e2e/console-client.ts";
import { ENGINES, setOption, setUp, startOn } from "../../support/e2e/fixture.ts";

const stops: (() => unknown)[] = [];
afterAll(() => {
  for (const stop of stops) stop();
});

/** DeepSeek's chat completions connect to no MCP servers. */
const DEEPSEEK = 43;

test.each(ENGINES)(
  "every round of a request with MCP tools is charged in the database (%s)",
  async (engine) => {
    const upstream = startChatUpstream([
      ["city__weather", '{"city":"Ghent"}'],
      ["city__weather", '{"city":"Bruges"}'],
      "It rains.",
    ]);
    const mcp = startMcpServer();
    stops.push(upstream.stop, mcp.stop);
    const gateway = await startOn(engine, { env: { ALLOW_PRIVATE_WEBHOOKS: "true" } });
    const root = await setUp(gateway);
    await createChannel(root, upstream.url, ["m"], { type: DEEPSEEK });
    await setOption(root, "ModelRatio", { m: 1 });
    await setOption(root, "CompletionRatio", { m: 4 });
    const { key } = await createApiKey(root);
    const before = await settledAccount(root);

    const client = new OpenAI({ apiKey: key, baseURL: `${gateway.url}/v1`, maxRetries: 0 });
    const response = await client.responses.create({
      model: "m",
      input: "Weather?",
      tools: [{ type: "mcp", server_label: "city", server_url: mcp.url, require_approval: "never" }],
    });
    expect(response.output.map(({ type }) => type)).toEqual(["mcp_list_tools", "mcp_call", "mcp_call", "message"]);
    const rows = await waitForLogs(root, () => true, 3);
    expect(rows.map(({ quota }) => quota)).toEqual([300 + 4 * 30, 200 + 4 * 20, 100 + 4 * 10]);
    const after = await settledAccount(root);
    expect(before.quota - after.quota).toBe(840);
    expect(after.used_quota - before.used_quota).toBe(840);
    expect(await gateway.stop()).toBe(0);
  },
  120_000,
);
