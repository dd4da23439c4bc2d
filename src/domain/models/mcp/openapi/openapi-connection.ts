import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import type { JsonObject } from "../../../../formats/json.ts";
import type { CheckedFetch } from "../../../../lib/outbound/safe-fetch.ts";
import {
  type CallOptions,
  HttpStatusError,
  type McpTool,
  type ServerConnection,
  type ToolResult,
} from "../connection.ts";
import { ResultTooLargeError } from "../result-too-large.ts";
import { buildRequest } from "./build-request.ts";

type Options = Readonly<{
  url: URL;
  /** The tools that can be called. */
  offered: readonly McpTool[];
  signal: AbortSignal;
  /** Of one response. */
  maxBytes: number;
}>;

const CALL_TIMEOUT_MS = 60_000;
/** The credentials were refused, or the request was led elsewhere: not what the caller's arguments did. */
const isFailure = (status: number): boolean =>
  status === 401 || status < 200 || (status >= 300 && status < 400) || status >= 500;

/** Calls operations of an OpenAPI document as tools. Redirects are not followed. */
export class OpenApiConnection implements ServerConnection {
  readonly hasFailed = false;

  constructor(
    private readonly send: CheckedFetch,
    private readonly options: Options,
  ) {}

  async callTool(
    name: string,
    input: JsonObject,
    { timeoutMs = CALL_TIMEOUT_MS }: CallOptions = {},
  ): Promise<ToolResult> {
    const { offered, url: base, signal, maxBytes } = this.options;
    const operation = offered.find((tool) => tool.name === name)?.operation;
    if (!operation) throw new McpError(ErrorCode.InvalidParams, `There is no tool ${name}.`);
    const { url, ...request } = buildRequest(base, operation, input);
    const deadline = AbortSignal.timeout(timeoutMs);
    try {
      const response = await this.send(url, { ...request, signal: AbortSignal.any([signal, deadline]) });
      if (isFailure(response.status)) {
        await response.body?.cancel();
        throw new HttpStatusError(response.status);
      }
      return resultOf(response, await readBounded(response, maxBytes));
    } catch (error) {
      throw deadline.aborted ? new McpError(ErrorCode.RequestTimeout, "Request timed out") : error;
    }
  }

  close(): void {}
}

async function readBounded(response: Response, maxBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > maxBytes) throw new ResultTooLargeError(maxBytes);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** A response as a tool's result; a refusal of the request is an error that the model reads. */
function resultOf({ ok, status, headers }: Response, body: Buffer): ToolResult {
  const type = (headers.get("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const isText = type === "" || /^text\/|[/+](?:json|xml|yaml|x-www-form-urlencoded|javascript)$/.test(type);
  if (!ok)
    return { content: [{ type: "text", text: `HTTP ${status}\n${isText ? body.toString() : ""}` }], isError: true };
  if (isText) return { content: [{ type: "text", text: body.length > 0 ? body.toString() : `HTTP ${status}` }] };
  const [kind] = type.split("/");
  const data = body.toString("base64");
  if (kind === "image" || kind === "audio") return { content: [{ type: kind, data, mimeType: type }] };
  return { content: [{ type: "resource", resource: { uri: "response:body", mimeType: type, blob: data } }] };
}
