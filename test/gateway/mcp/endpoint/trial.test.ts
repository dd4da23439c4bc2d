/** A tool that an administrator tries in the console: as a call of theirs, charged exactly. */
import { afterEach, describe, expect, test } from "bun:test";
import { createMcpIndex } from "../../../../src/domain/models/mcp/directory.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { until } from "../../../support/lib/until.ts";
import { serverAt, tool } from "../configured-server.ts";
import { startMcpServer } from "../mcp-server.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0).reverse()) stop();
});

function start(definition: object = {}, options: Record<string, string> = {}) {
  const mcp = startMcpServer();
  const offered = [tool("weather"), tool("broken")];
  const server = serverAt(4, "city", { url: mcp.url, usd_per_call: "0.0125", ...definition }, { offered });
  const relay = startRelay({
    channels: [],
    mcpServers: createMcpIndex([server]),
    options: { GroupRatio: '{"default": 2}', ...options },
  });
  stops.push(mcp.stop, relay.stop);
  const attempt = (name: string, input: Record<string, unknown> = { city: "Ghent" }, userId = 1, serverId = 4) =>
    relay.tryTool({
      ...{ request: new Request("http://localhost/api"), ip: "127.0.0.1" },
      ...{ userId, serverId, tool: name, input },
    });
  return { mcp, relay, attempt };
}

test.each([{}, { groups: ["vip"] }, { enabled: false }])(
  "costs what it costs its callers, whoever those are: %j",
  async (definition) => {
    const { relay, mcp, attempt } = start(definition);
    const { result, error, requestId } = await attempt("weather");
    expect([result?.content, error]).toEqual([[{ type: "text", text: "rainy in Ghent" }], null]);
    expect(relay.billing.records).toMatchObject([
      { modelName: "mcp/city/weather", quota: 12_500, failed: false, userId: 1, tokenId: 0, requestId },
    ]);
    expect(relay.billing.holds).toMatchObject([{ amount: 12_500, state: "settled" }]);
    await until(() => mcp.sessions.size === 0);
  },
);

describe("nothing is charged", () => {
  test("where the tool reports an error", async () => {
    const { relay, attempt } = start();
    expect(await attempt("broken", {})).toMatchObject({ result: { isError: true }, error: null });
    expect(relay.billing.records).toMatchObject([{ quota: 0, failed: true }]);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("for a tool that nobody has approved, which is not called", async () => {
    const { relay, mcp, attempt } = start();
    expect(await attempt("delete")).toMatchObject({
      result: null,
      error: { code: "gateway_mcp_no_tool", params: { tool: "delete" } },
    });
    expect([relay.billing.records, mcp.requests]).toEqual([[], []]);
  });

  test("without the money for it, and it is not called", async () => {
    const { relay, mcp, attempt } = start();
    relay.billing.available = 12_499;
    const { result, error } = await attempt("weather");
    expect([result, error === null]).toEqual([null, false]);
    expect([relay.billing.openHolds, mcp.calls]).toEqual([0, []]);
  });

  test("where a guardrail forbids what is sent", async () => {
    const { relay, mcp, attempt } = start({}, { Guardrails: '{"places": {"kind": "words", "words": ["ghent"]}}' });
    expect(await attempt("weather")).toMatchObject({ result: null });
    expect([relay.billing.openHolds, mcp.calls]).toEqual([0, []]);
  });

  test.each([
    [2, 4],
    [1, 5],
  ])("of user %i on server %i, which do not exist", async (userId, serverId) => {
    const { relay, mcp, attempt } = start();
    expect(await attempt("weather", {}, userId, serverId)).toMatchObject({ error: { code: "mcp_server_not_found" } });
    expect([relay.billing.records, mcp.requests]).toEqual([[], []]);
  });
});
