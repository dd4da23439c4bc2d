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
    const rounds = [
      ["city__weather", '{"city":"Ghent"}'],
      ["city__weather", '{"city":"Bruges"}'],
      "It rains.",
    ] as const;
    const upstream = startChatUpstream([...rounds, ...rounds, ...rounds]);
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
    const tool = { type: "mcp", server_label: "city", server_url: mcp.url, require_approval: "never" } as const;
    const response = await client.responses.create({ model: "m", input: "Weather?", tools: [tool] });
    expect(response.output.map(({ type }) => type)).toEqual(["mcp_list_tools", "mcp_call", "mcp_call", "message"]);
    const post = async (path: string, body: object) => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const answer = await fetch(gateway.url + path, { method: "POST", headers, body: JSON.stringify(body) });
      return await answer.text();
    };
    const chat = await post("/v1/chat/completions", {
      ...{ model: "m", stream: true, messages: [{ role: "user", content: "Weather?" }], tools: [tool] },
    });
    expect(chat).toContain("executed_tools");
    const mcpServers = [{ name: "city", streamableHttpTransport: { url: mcp.url } }];
    const gemini = await post("/v1beta/models/m:generateContent", {
      ...{ contents: [{ role: "user", parts: [{ text: "Weather?" }] }], tools: [{ mcpServers }] },
    });
    expect(gemini).toContain("It rains.");
    expect(mcp.calls).toHaveLength(6);
    const rows = await waitForLogs(root, () => true, 9);
    // Round n has 100 n tokens of input and 10 n of output, which cost four times as much.
    expect(rows.map(({ quota }) => quota)).toEqual(Array.from({ length: 9 }, (_, at) => 140 * (9 - at)));
    const after = await settledAccount(root);
    expect(before.quota - after.quota).toBe(140 * 45);
    expect(after.used_quota - before.used_quota).toBe(140 * 45);
    expect(await gateway.stop()).toBe(0);
  },
  120_000,
);
