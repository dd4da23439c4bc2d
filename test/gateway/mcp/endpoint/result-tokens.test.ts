/** The bound of a tool's result in tokens, with the official client before the gateway and a server behind it. */
import { afterEach, describe, expect, test } from "bun:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { CallToolRequestSchema, ReadResourceRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { createMcpIndex } from "../../../../src/domain/models/mcp/directory.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { serverAt, tool } from "../configured-server.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0).reverse()) stop();
});

/** A server whose only tool and resource have what `result` says. */
function startUpstream(result: Readonly<{ content: object[]; structuredContent?: object; isError?: boolean }>): string {
  const upstream = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const server = new Server({ name: "tests", version: "1" }, { capabilities: { tools: {}, resources: {} } });
      server.setRequestHandler(CallToolRequestSchema, () => ({ ...result }));
      server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => ({
        contents: [{ uri, text: result.content.map((block) => ("text" in block ? String(block.text) : "")).join("") }],
      }));
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
      await server.connect(transport);
      return await transport.handleRequest(request);
    },
  });
  stops.push(() => upstream.stop(true));
  return `http://127.0.0.1:${upstream.port}/mcp`;
}

async function connect(result: Parameters<typeof startUpstream>[0], max: number) {
  const url = startUpstream(result);
  const definition = { url, resources: true, max_result_tokens: max, usd_per_call: "0.01" };
  const servers = [serverAt(1, "one", definition, { offered: [tool("read")] })];
  const relay = startRelay({ channels: [], mcpServers: createMcpIndex(servers) });
  const client = new Client({ name: "tests", version: "1" });
  const headers = { authorization: "Bearer sk-test" };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${relay.url}/mcp/one`), { requestInit: { headers } }),
  );
  stops.push(relay.stop, () => client.close());
  return { relay, client };
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error as { message: string; data?: { code: string; status: number } },
  );
const textResult = (text: string) => ({ content: [{ type: "text", text }] });
/** Each a token. */
const words = (count: number) => " the".repeat(count);

describe("a result", () => {
  test.each([
    ["at the bound", textResult(words(100)), null],
    ["of few tokens and many characters", textResult(" international".repeat(100)), null],
    [
      "of an image, which is no text",
      { content: [{ type: "image", data: "a".repeat(4_000), mimeType: "image/png" }] },
      null,
    ],
    ["beyond the bound", textResult(words(101)), 101],
    ["of several texts", { content: [...textResult(words(60)).content, ...textResult(words(60)).content] }, 121],
    ["that reports an error", { ...textResult(words(300)), isError: true }, 300],
    [
      "with structured content that is longer",
      { ...textResult("short"), structuredContent: { text: words(200) } },
      204,
    ],
    ["too long to be counted", textResult(words(200_000)), 200_000],
  ])("%s", async (_, result, tokens) => {
    const { client, relay } = await connect(result, 100);
    const failure = await failureOf(client.callTool({ name: "read" }));
    if (tokens === null) {
      expect(failure).toBeNull();
      expect(relay.billing.records).toMatchObject([{ quota: 5_000, failed: false }]);
    } else {
      expect(failure?.message).toEndWith(
        `The result of the MCP server “one” has about ${tokens} tokens. At most 100 are allowed.`,
      );
      expect(failure).toMatchObject({ data: { code: "mcp_result_too_large", status: 502 } });
      expect(relay.billing.records).toMatchObject([{ quota: 0, failed: true }]);
      expect(relay.billing.holds).toMatchObject([{ state: "refunded" }]);
    }
    expect(relay.billing.openHolds).toBe(0);
  });

  test("of a resource has the same bound", async () => {
    const { client } = await connect(textResult(words(150)), 100);
    const failure = await failureOf(client.readResource({ uri: "file:///a" }));
    expect(failure).toMatchObject({ data: { code: "mcp_result_too_large" } });
  });

  test("that is too long does not close the server to others", async () => {
    const { client } = await connect(textResult(words(150)), 100);
    for (let round = 0; round < 7; round += 1) {
      expect(await failureOf(client.callTool({ name: "read" }))).toMatchObject({
        data: { code: "mcp_result_too_large" },
      });
    }
  });
});
