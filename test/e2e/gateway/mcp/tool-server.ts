/** An MCP server whose tool ends as its caller says, and which notes what it was asked to do. */

/** How a call ends: with a result, or in one of the ways in which servers fail. */
export const FAILURES = ["reports-error", "refuses", "status-500", "cut", "hang", "garbage"] as const;
export type Manner = "ok" | "late" | (typeof FAILURES)[number];

const LATE_MS = 250;
const TOOL = {
  ...{ name: "act", description: "Ends as its caller says." },
  inputSchema: { type: "object", properties: { id: { type: "string" }, manner: { type: "string" } } },
};

type Message = Readonly<{ id?: number; method: string; params?: { arguments?: { id: string; manner: Manner } } }>;

/** Starts the server on a free loopback port. `executed`: the ids of calls that it received, each time one was made. */
export function startToolServer() {
  const executed: string[] = [];
  const server = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1", idleTimeout: 0 },
    async fetch(request) {
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const { id, method, params } = (await request.json()) as Message;
      if (id === undefined) return new Response(null, { status: 202 });
      const reply = (result: object) => Response.json({ jsonrpc: "2.0", id, result });
      if (method === "initialize") {
        const serverInfo = { name: "tool-server", version: "1" };
        return reply({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo });
      }
      if (method === "tools/list") return reply({ tools: [TOOL] });
      const { id: call = "", manner = "ok" } = params?.arguments ?? {};
      executed.push(call);
      const content = [{ type: "text", text: `did ${call}` }];
      const streamed = { headers: { "content-type": "text/event-stream" } };
      switch (manner) {
        case "ok":
          return reply({ content });
        case "late":
          await Bun.sleep(LATE_MS);
          return reply({ content });
        case "reports-error":
          return reply({ content, isError: true });
        case "refuses":
          return Response.json({ jsonrpc: "2.0", id, error: { code: -32602, message: "no" } });
        case "status-500":
          return new Response("broken", { status: 500 });
        case "cut":
          return new Response('event: message\ndata: {"jsonrpc":', streamed);
        case "garbage":
          return new Response("\0<html>", { headers: { "content-type": "application/json" } });
        case "hang":
          return new Response(new ReadableStream(), streamed);
      }
    },
  });
  return { url: `http://127.0.0.1:${server.port}/mcp`, executed, stop: () => server.stop(true) };
}
