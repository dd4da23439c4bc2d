import { expect, test } from "bun:test";
import { serverAt } from "../../../../test/gateway/mcp/configured-server.ts";
import { recordOf } from "../../../formats/json.ts";
import { McpSessions } from "./sessions.ts";

/** Sessions at a server that answers in this process; a call of `hang` has its result when `release` is called. */
function start() {
  const opened: string[] = [];
  const ended: string[] = [];
  const hanging = Promise.withResolvers<void>();
  const send = async (
    _url: URL,
    request: Readonly<{ method?: string; headers?: Record<string, string>; body?: string | undefined }>,
  ) => {
    const session = request.headers?.["mcp-session-id"] ?? "";
    if (request.method === "DELETE") ended.push(session);
    if (request.method !== "POST") return new Response(null, { status: request.method === "DELETE" ? 200 : 405 });
    const { id, method, params } = JSON.parse(request.body ?? "{}");
    if (id === undefined) return new Response(null, { status: 202 });
    const reply = (result: object, headers = {}) => Response.json({ jsonrpc: "2.0", id, result }, { headers });
    if (method === "initialize") {
      const own = `s${opened.length}`;
      opened.push(own);
      const result = {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "s", version: "1" },
      };
      return reply(result, { "mcp-session-id": own });
    }
    if (recordOf(params)?.name === "hang") await hanging.promise;
    return reply({ content: [] });
  };
  const sessions = new McpSessions({ send: send as never, fetch: (() => {}) as never }, () => true);
  const server = serverAt(1, "city", { url: "https://mcp.example/" });
  const call = (account: number, session: string, tool = "weather") =>
    sessions.call(server, { caller: { user: { id: account }, token: null }, session }, { tool, input: {} });
  return { opened, ended, call, release: hanging.resolve };
}

test("an account that opens many sessions ends its own idle ones, and nobody else's", async () => {
  const { opened, ended, call, release } = start();
  await call(2, "other");
  const running = call(1, "running", "hang");
  await Bun.sleep(20);
  for (let at = 0; at < 600; at += 1) await call(1, `s${at}`);
  await Bun.sleep(20);
  expect(opened).toHaveLength(602);
  // 500 are left, with the one whose call is under way.
  expect(ended).toHaveLength(101);
  expect(ended).not.toContain(opened[0]);
  expect(ended).not.toContain(opened[1]);
  release();
  await running;
  await call(2, "other");
  expect(opened).toHaveLength(602);
});
