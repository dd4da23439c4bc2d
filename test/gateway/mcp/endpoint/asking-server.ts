import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  CallToolRequestSchema,
  CreateMessageResultSchema,
  ElicitResultSchema,
  GetPromptRequestSchema,
  LATEST_PROTOCOL_VERSION,
  ListRootsResultSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  ResultSchema,
  type ServerNotification,
  type ServerRequest,
  SetLevelRequestSchema,
  UrlElicitationRequiredError,
} from "@modelcontextprotocol/sdk/types.js";
import { serverAt, tool } from "../configured-server.ts";

const NAMES = [
  "elicit",
  "elicit-aside",
  "open",
  "sample",
  "sample-tools",
  "roots",
  "log",
  "log-aside",
  "log-late",
  "storm",
  "progress",
] as const;
/** The tools, as an administrator has approved them. */
const ASKING_TOOLS = [...NAMES, "many", "at-once", "give-up", "forget", "wait", "forged", "refuse"].map((name) =>
  tool(name),
);

const FORM = { type: "object" as const, properties: { color: { type: "string" as const } }, required: ["color"] };

/** The revision that an SDK offers, as an older one would. */
export const offering = (revision: string, body: string): string =>
  body.replace(`"protocolVersion":"${LATEST_PROTOCOL_VERSION}"`, `"protocolVersion":"${revision}"`);

/**
 * A server of the official SDK whose tools ask their clients. `canceled`: how many calls clients have canceled; `revision`: the latest
 * of the protocol that it knows.
 */
export function startAskingServer(revision = LATEST_PROTOCOL_VERSION) {
  const seen = {
    canceled: 0,
    begun: 0,
    errors: [] as string[],
    capabilities: [] as unknown[],
    levels: [] as unknown[],
  };
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const open = async () => {
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
      onsessionclosed: (id) => void sessions.delete(id),
    });
    await createServer(seen).connect(transport);
    return transport;
  };
  const http = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1", idleTimeout: 0 },
    async fetch(request) {
      const id = request.headers.get("mcp-session-id");
      const transport = id === null ? await open() : sessions.get(id);
      if (!transport) return new Response(null, { status: 404 });
      if (request.method !== "POST") return await transport.handleRequest(request);
      const parsedBody: unknown = JSON.parse(offering(revision, await request.text()));
      return await transport.handleRequest(request, { parsedBody });
    },
  });
  return { url: `http://127.0.0.1:${http.port}/mcp`, seen, stop: () => http.stop(true) };
}

/** Such a server as an administrator has configured it. */
export const askingAt = (id: number, name: string, url: string, definition: object = {}) =>
  serverAt(id, name, { url, elicitation: true, sampling: true, roots: true, ...definition }, { offered: ASKING_TOOLS });

type Seen = ReturnType<typeof startAskingServer>["seen"];

function createServer(seen: Seen): Server {
  const server = new Server(
    { name: "asking", version: "1.0.0" },
    { capabilities: { tools: { listChanged: true }, logging: {}, prompts: {}, resources: {} } },
  );
  const text = (value: unknown) => ({ content: [{ type: "text" as const, text: JSON.stringify(value) }] });
  const ask = (message: string) => ({
    method: "elicitation/create" as const,
    params: { mode: "form" as const, message, requestedSchema: FORM },
  });
  const sample = (more: object = {}) => ({
    method: "sampling/createMessage" as const,
    params: {
      messages: [{ role: "user" as const, content: { type: "text" as const, text: "Name a color." } }],
      ...{ maxTokens: 20, includeContext: "allServers" as const, ...more },
    },
  });
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: ASKING_TOOLS.map(({ name }) => ({ name, inputSchema: { type: "object" as const } })),
  }));
  type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;
  /** What a prompt and a resource do before there is a result. */
  const askFirst = async (what: string, { sendRequest, sendNotification, signal, _meta }: Extra): Promise<string> => {
    seen.begun += 1;
    await sendNotification({ method: "notifications/message", params: { level: "info", data: `reading ${what}` } });
    const progressToken = _meta?.progressToken;
    if (progressToken !== undefined)
      await sendNotification({ method: "notifications/progress", params: { progressToken, progress: 1, total: 2 } });
    signal.addEventListener("abort", () => {
      seen.canceled += 1;
    });
    if (what.endsWith("wait")) return await new Promise<never>(() => {});
    return JSON.stringify(await sendRequest(ask(`Which ${what}?`), ElicitResultSchema));
  };
  server.setRequestHandler(GetPromptRequestSchema, async ({ params: { name } }, extra) => ({
    messages: [{ role: "user", content: { type: "text", text: await askFirst(name, extra) } }],
  }));
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }, extra) => ({
    contents: [{ uri, text: await askFirst(uri, extra) }],
  }));
  server.setRequestHandler(SetLevelRequestSchema, ({ params: { level } }) => {
    seen.levels.push(level);
    return {};
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: input } }, extra) => {
    seen.begun += 1;
    seen.capabilities.push(server.getClientCapabilities());
    const word = String(input?.word ?? "color");
    const attempt = async (work: Promise<unknown>) => {
      try {
        return text(await work);
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        seen.errors.push(message);
        return text({ error: message });
      }
    };
    switch (name) {
      case "elicit":
        return await attempt(extra.sendRequest(ask(`Which ${word}?`), ElicitResultSchema));
      case "elicit-aside":
        return await attempt(server.elicitInput(ask(`Which ${word}?`).params));
      case "open": {
        const params = { mode: "url" as const, message: "Sign in", elicitationId: "e1", url: String(input?.url) };
        return await attempt(
          extra.sendRequest({ method: "elicitation/create", params }, ElicitResultSchema).then(async (result) => {
            const done = { elicitationId: params.elicitationId };
            await extra.sendNotification({ method: "notifications/elicitation/complete", params: done });
            return result;
          }),
        );
      }
      case "refuse": {
        const params = { mode: "url" as const, message: "Sign in", elicitationId: "e2", url: String(input?.url) };
        throw new UrlElicitationRequiredError([params], "Sign in first.");
      }
      case "sample":
        return await attempt(extra.sendRequest(sample(), CreateMessageResultSchema));
      case "sample-tools":
        return await attempt(
          extra.sendRequest(sample({ tools: [{ name: "t", inputSchema: { type: "object" } }] }), ResultSchema),
        );
      case "roots":
        return await attempt(extra.sendRequest({ method: "roots/list" }, ListRootsResultSchema));
      case "log":
      case "log-aside":
        for (const level of ["debug", "warning"] as const) {
          const params = { level, logger: "worker", data: `a ${level}` };
          if (name === "log") await extra.sendNotification({ method: "notifications/message", params });
          else await server.sendLoggingMessage(params);
        }
        // A message on a stream of its own may arrive later than the result.
        if (name === "log-aside") await Bun.sleep(100);
        return text("logged");
      case "log-late":
        for (let at = 0; at < Number(input?.count ?? 1); at += 1) {
          const data = `late ${at}${"x".repeat(Number(input?.length ?? 0))}`;
          setTimeout(() => void server.sendLoggingMessage({ level: "warning", data }), 50);
        }
        return text("logged");
      case "storm":
        for (let at = 0; at < Number(input?.count); at += 1) setTimeout(() => void server.sendToolListChanged(), 100);
        return text("stormed");
      case "progress": {
        const progressToken = extra._meta?.progressToken ?? 0;
        for (let progress = 1; progress <= Number(input?.count); progress += 1)
          await extra.sendNotification({ method: "notifications/progress", params: { progressToken, progress } });
        return text("done");
      }
      case "many": {
        const outcomes: unknown[] = [];
        for (let at = 0; at < 1_000; at += 1)
          outcomes.push(
            await extra.sendRequest(ask(`${at}?`), ElicitResultSchema).then(
              () => "ok",
              () => "refused",
            ),
          );
        return text(outcomes.filter((outcome) => outcome === "ok").length);
      }
      case "at-once": {
        const pending = Array.from({ length: 40 }, (_, at) => extra.sendRequest(ask(`${at}?`), ElicitResultSchema));
        const outcomes = await Promise.allSettled(pending);
        return text(outcomes.filter(({ status }) => status === "fulfilled").length);
      }
      case "give-up":
        return await attempt(extra.sendRequest(ask("Quick?"), ElicitResultSchema, { timeout: 200 }));
      case "forget":
        void extra.sendRequest(ask("Unimportant?"), ElicitResultSchema).catch(() => {});
        await Bun.sleep(100);
        return text("did not wait");
      case "wait":
        extra.signal.addEventListener("abort", () => {
          seen.canceled += 1;
        });
        return await new Promise<never>(() => {});
      default:
        return await attempt(extra.sendRequest({ method: "tasks/list" }, ResultSchema));
    }
  });
  return server;
}
