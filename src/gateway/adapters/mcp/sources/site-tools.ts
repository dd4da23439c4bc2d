import type { McpTool, ToolResult } from "../../../../domain/models/mcp/connection.ts";
import type { McpServer } from "../../../../domain/models/mcp/directory.ts";
import type { JsonObject } from "../../../../formats/json.ts";
import type { Call } from "../../../call/call.ts";
import type { Caller } from "../../../call/caller.ts";
import { GatewayError } from "../../../call/errors.ts";
import { CallTiming } from "../../../call/progress.ts";
import type { Uses } from "../../../call/services.ts";
import { agentSessionOf } from "../../../money/call-labels.ts";
import { type OfferedTool, OfferedTools, serversOf } from "./offered-tools.ts";
import type { ToolSource } from "./tool-result.ts";

/** Who calls which tool of the site's servers with what. */
export type ToolRequest = Readonly<{
  /** A request for this call alone: it names the call. */
  request: Request;
  caller: Caller;
  ip: string;
  timing: CallTiming;
  /** The client's session, for which the server has one of its own; empty: the client names none. */
  session: string;
  /** What the client's request says of the agent run, as a model's would. */
  labels: JsonObject;
  offered: OfferedTool;
  input: JsonObject;
}>;

/** Calls tools of the site's servers for models, by the rules of the MCP endpoint. */
export type SiteTools = Readonly<{
  /** Rejects GatewayError; then nothing is charged or held. */
  call(tool: ToolRequest): Promise<ToolResult>;
  /** Ends what a session has at servers. */
  end(servers: readonly McpServer[], caller: Caller, session: string): void;
}>;

/** What `siteSource` works with. */
export type SiteSourceContext = Uses<"mcpServers"> & Readonly<{ siteTools: SiteTools }>;

/**
 * The tools of one of the site's servers, or under joined names of all (`name` empty), that the caller of `call` may use. Each call of
 * a tool is a call of its own: limited, charged and logged, with the request id and agent session of the model's. It is made to its end,
 * and charged, where the client has left.
 */
export function siteSource(context: SiteSourceContext, call: Call, name: string, signal: AbortSignal): ToolSource {
  const { services, siteTools } = context;
  const { caller } = call;
  const session = call.recordId;
  const underWay = new Set<Promise<unknown>>();
  const servers = () => {
    const usable = serversOf(services, caller, name === "" ? null : name);
    if (name !== "" && usable.length === 0) throw unknownServer(name);
    return usable;
  };
  /** As they are approved at this time. */
  const tools = () => new OfferedTools(servers(), name === "", caller);
  return {
    isListedByClient: false,
    listTools: async () => [...tools()].map(({ alias, tool }): McpTool => ({ ...tool, name: alias })),
    async callTool(alias, input) {
      const offered = tools().find(alias);
      if (!offered) throw notOffered(alias);
      const work = siteTools.call({
        ...{ request: requestFor(call), caller, ip: call.ip, timing: new CallTiming(performance.now()) },
        ...{ session, labels: labelsOf(call), offered, input },
      });
      underWay.add(work);
      const done = () => void underWay.delete(work);
      work.then(done, done);
      return await unlessAborted(work, signal);
    },
    close() {
      // A call that is under way needs the session.
      const used = serversOf(services, caller, name === "" ? null : name);
      void Promise.allSettled(underWay).then(() => siteTools.end(used, caller, session));
    },
  };
}

const unknownServer = (name: string): GatewayError =>
  new GatewayError(
    400,
    "mcp_server_not_found",
    { code: "gateway_mcp_unknown", params: { server: name.slice(0, 100) } },
    { type: "invalid_request_error" },
  );

const notOffered = (name: string): GatewayError =>
  new GatewayError(404, "mcp_tool_not_found", { code: "gateway_mcp_no_tool", params: { tool: name.slice(0, 100) } });

function requestFor({ request, requestId }: Call): Request {
  const headers = new Headers(request.headers);
  headers.set("x-request-id", requestId);
  return new Request(request.url, { method: "POST", headers });
}

/** A tool's call belongs to the agent session of the model's call, and has its tags. */
function labelsOf(call: Call): JsonObject {
  const { metadata, client_metadata: frame } = call.body.json;
  const session = agentSessionOf(call)?.id;
  return {
    ...(metadata !== undefined && { metadata }),
    ...(frame !== undefined && { client_metadata: frame }),
    ...(session !== undefined && { session_id: session }),
  };
}

/** Rejects when the client leaves; the work goes on. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const left = Promise.withResolvers<never>();
  const leave = () => left.reject(signal.reason);
  signal.addEventListener("abort", leave, { once: true });
  try {
    signal.throwIfAborted();
    return await Promise.race([work, left.promise]);
  } finally {
    signal.removeEventListener("abort", leave);
  }
}
