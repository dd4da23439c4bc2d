import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import { CallToolRequestSchema, ErrorCode, ListToolsRequestSchema, McpError } from "@modelcontextprotocol/sdk/types.js";

type Options = Readonly<{
  /** The only accepted value of `Authorization`. */
  authorization?: string;
  /** Responds with JSON instead of streams. */
  json?: boolean;
  /** Called when the tool `slow` begins. */
  onSlow?: () => void;
  /** When it ends; absent: never. */
  untilSlow?: Promise<void>;
}>;

/** A real MCP server with a few tools, on a free loopback port. */
export function startMcpServer({ authorization, json = false, ...slow }: Options = {}) {
  const calls: string[] = [];
  const requests: { method: string; headers: Headers }[] = [];
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const open = async () => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      enableJsonResponse: json,
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await createServer(calls, slow).connect(transport);
    return transport;
  };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      requests.push({ method: request.method, headers: request.headers });
      if (authorization !== undefined && request.headers.get("authorization") !== authorization) {
        return new Response("no", { status: 401 });
      }
      const id = request.headers.get("mcp-session-id");
      const transport = id === null ? await open() : sessions.get(id);
      return transport ? await transport.handleRequest(request) : new Response(null, { status: 404 });
    },
  });
  return { url: `http://127.0.0.1:${server.port}/mcp`, calls, requests, sessions, stop: () => server.stop(true) };
}

const cities = { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] };
const nothing = { type: "object" as const, properties: {} };
const TOOLS = [
  { name: "weather", description: "The weather of a city.", inputSchema: cities, annotations: { readOnlyHint: true } },
  { name: "delete", description: "Deletes a city.", inputSchema: cities },
  { name: "broken", inputSchema: nothing },
  { name: "long", inputSchema: nothing },
  { name: "slow", inputSchema: nothing },
];

function createServer(calls: string[], { onSlow, untilSlow }: Pick<Options, "onSlow" | "untilSlow">): Server {
  const server = new Server({ name: "tests", version: "1.0.0" }, { capabilities: { tools: {} } });
  const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });
  // Two pages, as servers with many tools have them.
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) =>
    params?.cursor === "2" ? { tools: TOOLS.slice(2) } : { tools: TOOLS.slice(0, 2), nextCursor: "2" },
  );
  server.setRequestHandler(CallToolRequestSchema, ({ params: { name, arguments: input } }) => {
    const city = input?.city;
    calls.push(city === undefined ? name : `${name} ${city}`);
    switch (name) {
      case "weather":
        return text(`rainy in ${city}`);
      case "delete":
        return text(`deleted ${city}`);
      case "broken":
        return { ...text("the gauge is broken"), isError: true };
      case "long":
        return text("x".repeat(300_000));
      case "slow":
        onSlow?.();
        return untilSlow ? untilSlow.then(() => text("slowly")) : new Promise<never>(() => {});
      default:
        throw new McpError(ErrorCode.InvalidParams, `there is no tool ${name}`);
    }
  });
  return server;
}
