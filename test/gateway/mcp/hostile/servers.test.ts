/** JSON of servers that is nested deeper than what walks through it can go. */
import { afterEach, expect, test } from "bun:test";
import { createMcpIndex } from "../../../../src/domain/models/mcp/directory.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { serverAt, tool } from "../configured-server.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0).reverse()) stop();
});

const DEEP = `${"[".repeat(200_000)}${"]".repeat(200_000)}`;

/** A server that puts what it is to answer into each result; `isStream`: as an event, on lines of a few brackets each. */
function start(isStream: boolean, memberOf: (method: string) => string) {
  const http = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1" },
    async fetch(request) {
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const { id, method } = await request.json();
      if (id === undefined) return new Response(null, { status: 202 });
      if (method === "initialize") {
        const capabilities = { tools: {}, prompts: {} };
        const result = { protocolVersion: "2025-11-25", capabilities, serverInfo: { name: "s", version: "1" } };
        return Response.json({ jsonrpc: "2.0", id, result });
      }
      const text = `{"jsonrpc":"2.0","id":${id},"result":{${memberOf(method)}}}`;
      if (!isStream) return new Response(text, { headers: { "content-type": "application/json" } });
      const data = text.replaceAll("[[[[", "[[[[\ndata: ");
      return new Response(`data: ${data}\n\n`, { headers: { "content-type": "text/event-stream" } });
    },
  });
  const definition = { url: `http://127.0.0.1:${http.port}/`, prompts: true, max_result_bytes: 4_194_304 };
  const relay = startRelay({
    channels: [],
    mcpServers: createMcpIndex([serverAt(1, "one", definition, { offered: [tool("deep")] })]),
  });
  stops.push(() => http.stop(true), relay.stop);
  return relay;
}

test.each([
  ["tools/call", { name: "deep" }, `"content":[],"_meta":{"x":${DEEP}}`],
  ["tools/call", { name: "deep" }, `"content":[],"structuredContent":{"x":${DEEP}}`],
  ["prompts/list", {}, `"prompts":[{"name":"p","_meta":{"x":${DEEP}}}]`],
  ["prompts/get", { name: "p" }, `"messages":[],"_meta":{"x":${DEEP}}`],
])("are the failure of %s, at once", async (method, params, member) => {
  for (const isStream of [false, true]) {
    const relay = start(isStream, () => member);
    const startedAt = performance.now();
    const headers = { accept: "application/json, text/event-stream" };
    const answer = await relay.post("/mcp/one", { jsonrpc: "2.0", id: 1, method, params }, { headers });
    expect(await answer.text()).toContain("nested deeper than 512 levels");
    expect(performance.now() - startedAt).toBeLessThan(2_000);
    expect(relay.billing.openHolds).toBe(0);
  }
});
