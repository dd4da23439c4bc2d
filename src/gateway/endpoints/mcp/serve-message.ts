import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  ErrorCode,
  GetPromptRequestSchema,
  InitializeRequestSchema,
  JSONRPCRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  type ServerNotification,
  type ServerRequest,
  SetLevelRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { McpTool } from "../../../domain/models/mcp/connection.ts";
import type { McpServer } from "../../../domain/models/mcp/directory.ts";
import { type JsonObject, textOf } from "../../../formats/json.ts";
import { requestIdOf } from "../../../lib/http/request.ts";
import { sayReason } from "../../../lib/reason.ts";
import { version } from "../../../server/version.ts";
import type { OfferedTool, OfferedTools } from "../../adapters/mcp/sources/offered-tools.ts";
import { isLimited, rateLimit } from "../../auth/rate-limit.ts";
import type { Caller } from "../../call/caller.ts";
import { GatewayError } from "../../call/errors.ts";
import type { CallTiming } from "../../call/progress.ts";
import { callTool } from "./call-tool.ts";
import { sessionOf } from "./endpoint.ts";
import { MAX_NAMED, type Observe, PassedOn } from "./passed-on.ts";
import { CallRelay } from "./questions/call-relay.ts";
import { readToolCall, searchTools, toolSearchOf } from "./search/tool-search.ts";
import type { ServerCallContext } from "./server-call.ts";
import { signInResult, urlElicitation } from "./sign-in-required.ts";

/** A message of an authenticated client. */
export type ClientMessage = Readonly<{
  request: Request;
  json: JsonObject;
  caller: Caller;
  ip: string;
  timing: CallTiming;
  tools: OfferedTools;
  /** Those that the caller may use; `isJoined`: under joined names. */
  servers: readonly McpServer[];
  isJoined: boolean;
}>;

const PAGE_SIZE = 250;
const SDK_PREFIX = /^MCP error -?\d+: /;
/** Reports of progress in one call. */
const MAX_REPORTS = 10_000;
/** While these run, a server may ask its client, and report. */
const STREAMED: readonly unknown[] = ["tools/call", "prompts/get", "resources/read"];
type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>;

/** An error of the server, as JSON-RPC leaves them to implementations. */
const SERVER_ERROR = -32000;

/**
 * Answers one JSON-RPC message with a server of its own: nothing of one client's protocol is another's. Calls are answered as a
 * stream, which says that they are under way, and has what their servers send meanwhile; all else as JSON.
 */
export async function serveMessage(context: ServerCallContext, message: ClientMessage): Promise<Response> {
  const { request, json } = message;
  const wrong = wrongParams(json);
  if (wrong) return wrong;
  const session = sessionOf(request);
  const by = { ...message, session, labels: session === "" ? {} : { session_id: session } };
  const passed = new PassedOn(context, message.servers, message.isJoined, by);
  const capabilities = {
    tools: {},
    logging: {},
    ...(passed.hasPrompts && { prompts: {} }),
    ...(passed.hasResources && { resources: {} }),
    ...((passed.hasPrompts || passed.hasResources) && { completions: {} }),
  };
  const server = new Server({ name: "sluice", version }, { capabilities });
  const answer = async <Result>(work: Promise<Result>): Promise<Result> => {
    try {
      return await work;
    } catch (error) {
      if (error instanceof GatewayError) throw toRpcError(error, requestIdOf(request), session);
      // The SDK writes the code into the message, and clients do it again.
      if (error instanceof McpError) throw new RpcError(error.code, error.message.replace(SDK_PREFIX, ""));
      throw error;
    }
  };
  const observe =
    ({ requestId, sendNotification, _meta }: Extra): Observe =>
    async ({ server: called, model }, make) => {
      const { isJoined, caller } = message;
      const client = new CallRelay(context, {
        ...{ caller, session, server: called, model, isJoined },
        ...{ transport, requestId, left: request.signal },
      });
      const ended = context.mcpQuestions.begin(caller, session, requestId, () => {
        client.cancel();
        // Nothing answers a request that is canceled.
        void server.close();
      });
      const progressToken = _meta?.progressToken;
      let reports = 0;
      const onProgress = (progress: object) => {
        reports += 1;
        if (reports > MAX_REPORTS) return;
        const params = { progress: 0, ...progress, progressToken: progressToken ?? 0 };
        void sendNotification({ method: "notifications/progress", params }).catch(() => {});
      };
      try {
        return await make({ client, ...(progressToken !== undefined && { onProgress }) });
      } finally {
        ended();
        client.end();
      }
    };
  passOn(server, passed, answer, observe);
  server.setRequestHandler(SetLevelRequestSchema, async ({ params }) => {
    // What reaches all processes counts toward the limits of the caller.
    if (isLimited(context, message.caller)) await answer(rateLimit(context, message.caller));
    context.mcpQuestions.setLevel(message.caller, session, params.level);
    return {};
  });
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const search = toolSearchOf(context, message);
    return search ? { tools: search.own.map(describe) } : page([...message.tools], params?.cursor);
  });
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    let { name, arguments: input = {} } = params;
    const search = message.tools.find(name) ? null : toolSearchOf(context, message);
    if (search?.searches(name)) {
      if (isLimited(context, message.caller)) await answer(rateLimit(context, message.caller));
      return await searchTools(message, input, ({ alias, tool }) => describe({ ...tool, alias }));
    }
    if (search?.calls(name)) {
      const named = readToolCall(input);
      if ("content" in named) return named;
      ({ name, input } = named);
    }
    const offered = message.tools.find(name);
    if (!offered) throw new RpcError(ErrorCode.InvalidParams, `There is no tool ${name.slice(0, MAX_NAMED)}.`);
    const called = observe(extra)(offered, (observer) => callTool(context, { ...by, offered, input, ...observer }));
    const result = await answer(
      called.catch((error: unknown) => {
        const required = signInResult(error, session);
        if (required) return required;
        throw error;
      }),
    );
    return { ...result, content: result.content.map((block) => passed.namedContent(offered.server, block)) };
  });
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: undefined,
    enableJsonResponse: !STREAMED.includes(json.method),
  });
  await server.connect(transport);
  return await transport.handleRequest(request, { parsedBody: json });
}

/** The requests whose parameters are checked here: the SDK calls wrong ones its own failure. */
const SCHEMAS = [
  ...[InitializeRequestSchema, SetLevelRequestSchema, ListToolsRequestSchema, CallToolRequestSchema],
  ...[ListPromptsRequestSchema, GetPromptRequestSchema, ListResourcesRequestSchema, CompleteRequestSchema],
  ...[ListResourceTemplatesRequestSchema, ReadResourceRequestSchema],
] as const;
const SCHEMA_OF = new Map<string, (typeof SCHEMAS)[number]>(
  SCHEMAS.map((schema) => [schema.shape.method.value, schema]),
);

/** The error of a request whose parameters are none of its method; null: they are, or it is no request. */
function wrongParams(json: JsonObject): Response | null {
  const { method, id } = json;
  const schema =
    typeof method === "string" && JSONRPCRequestSchema.safeParse(json).success ? SCHEMA_OF.get(method) : null;
  const [issue] = schema?.safeParse(json).error?.issues ?? [];
  if (!issue) return null;
  const message = `${issue.path.join(".").slice(0, MAX_NAMED)}: ${issue.message.slice(0, 1_000)}`;
  return Response.json({ jsonrpc: "2.0", id, error: { code: ErrorCode.InvalidParams, message } });
}

/** Handles what clients ask of prompts and resources, where servers pass them on. */
function passOn(
  server: Server,
  passed: PassedOn,
  answer: <Result>(work: Promise<Result>) => Promise<Result>,
  observe: (extra: Extra) => Observe,
): void {
  if (passed.hasPrompts) {
    server.setRequestHandler(ListPromptsRequestSchema, async () => ({ prompts: await answer(passed.prompts()) }));
    server.setRequestHandler(GetPromptRequestSchema, ({ params: { name, arguments: input = {} } }, extra) =>
      answer(passed.prompt(name, input, observe(extra))),
    );
  }
  if (passed.hasResources) {
    server.setRequestHandler(ListResourcesRequestSchema, async () => ({ resources: await answer(passed.resources()) }));
    server.setRequestHandler(ListResourceTemplatesRequestSchema, async () => ({
      resourceTemplates: await answer(passed.templates()),
    }));
    server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }, extra) =>
      answer(passed.resource(uri, observe(extra))),
    );
  }
  if (passed.hasPrompts || passed.hasResources) {
    server.setRequestHandler(CompleteRequestSchema, ({ params }) => answer(passed.completion(params)));
  }
}

/** What the client gets of an error: its protocol sends `code` and `data` of whatever is thrown. */
class RpcError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: JsonObject,
  ) {
    super(message);
  }
}

function toRpcError(error: GatewayError, requestId: string, session: string): RpcError {
  const { code, status, reason, retryAfterSeconds } = error;
  const elicitation = urlElicitation(error, session, requestId);
  const own = typeof code === "number" ? code : elicitation ? ErrorCode.UrlElicitationRequired : SERVER_ERROR;
  return new RpcError(own, sayReason(reason, "en"), {
    ...{ code, status, request_id: requestId, ...elicitation },
    ...(retryAfterSeconds !== undefined && { retry_after_seconds: retryAfterSeconds }),
  });
}

/** A tool under the name by which the client gets it. */
type DescribedTool = Omit<McpTool, "name"> & Readonly<{ alias: string }>;

/** A page of tools; the cursor is the name of the last one before it. */
function page(tools: readonly OfferedTool[], cursor: string | undefined) {
  const start = cursor === undefined ? 0 : tools.findIndex(({ alias }) => alias === cursor) + 1;
  if (cursor !== undefined && start === 0) throw new RpcError(ErrorCode.InvalidParams, "The cursor is invalid.");
  const shown = tools.slice(start, start + PAGE_SIZE);
  const last = shown.at(-1);
  const hasMore = start + PAGE_SIZE < tools.length;
  const described = shown.map(({ alias, tool }) => describe({ ...tool, alias }));
  return { tools: described, ...(hasMore && last && { nextCursor: last.alias }) };
}

function describe({ alias, title, description, inputSchema, outputSchema, annotations }: DescribedTool) {
  return {
    name: alias,
    ...(title !== undefined && { title }),
    ...(description !== null && { description }),
    inputSchema: { ...inputSchema, type: "object" as const },
    ...(outputSchema && { outputSchema: { ...outputSchema, type: "object" as const } }),
    ...(annotations && { annotations: readAnnotations(annotations) }),
  };
}

/** The hints that the protocol knows. */
function readAnnotations(annotations: JsonObject) {
  const { title, readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
  const hints = { readOnlyHint, destructiveHint, idempotentHint, openWorldHint };
  const known = Object.entries(hints).flatMap(([name, hint]) => (typeof hint === "boolean" ? [[name, hint]] : []));
  return { ...(textOf(title) !== null && { title: textOf(title) ?? "" }), ...Object.fromEntries(known) };
}
