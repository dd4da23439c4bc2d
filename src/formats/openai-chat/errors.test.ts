import { describe, expect, test } from "bun:test";
import { startRelay } from "../../../test/support/gateway/start-gateway.ts";
import { chatReply, startUpstream } from "../../../test/support/gateway/start-upstream.ts";
import { isUnknownEndpoint, readError } from "./errors.ts";

const isUnknown = (status: number, body: unknown) =>
  isUnknownEndpoint(status, readError(status, typeof body === "string" ? body : JSON.stringify(body)));

/** Responses of servers without /v1/responses, in documented or known shapes. */
const NO_ENDPOINT: readonly (readonly [server: string, status: number, body: unknown])[] = [
  ["Go's router", 404, "404 page not found"],
  ["nginx", 404, "<html><head><title>404 Not Found</title></head><body>nginx</body></html>"],
  ["an empty body", 404, ""],
  ["FastAPI (vLLM, Mistral)", 404, { detail: "Not Found" }],
  ["FastAPI, other methods only", 405, { detail: "Method Not Allowed" }],
  ["llama.cpp", 404, { error: { code: 404, message: "File Not Found", type: "not_found_error" } }],
  ["LM Studio", 404, { error: "Unexpected endpoint or method. (POST /v1/responses)" }],
  ["Groq", 404, { error: { message: "Unknown request URL: POST /v1/responses", code: "unknown_url" } }],
  ["one-api", 404, { error: { message: "Invalid URL (POST /v1/responses)", type: "invalid_request_error", code: "" } }],
  ["a code of its own", 404, { error: { message: "Not found", type: "invalid_request_error", code: "not_found" } }],
  ["no code", 404, { error: { message: "The requested resource was not found" } }],
  ["a named path", 404, { error: { message: "POST /v1/responses not found", code: null } }],
  ["Spring", 404, { timestamp: 1, status: 404, error: "Not Found", path: "/v1/responses" }],
  ["Express", 404, "<pre>Cannot POST /v1/responses</pre>"],
  ["not implemented", 501, { error: { message: "This API is not offered.", code: "api_not_implemented" } }],
];

/** Responses of servers with /v1/responses for objects that do not exist. */
const NO_OBJECT: readonly (readonly [server: string, status: number, body: unknown])[] = [
  ["OpenAI, model", 404, { error: { message: "The model `x` does not exist or you do not have access to it." } }],
  ["OpenAI, model by code", 404, { error: { message: "Sorry.", code: "model_not_found" } }],
  ["OpenAI, response", 404, { error: { message: "Response with id 'resp_1' not found.", code: null } }],
  ["OpenAI, item", 404, { error: { message: "Item with id 'rs_1' not found.", param: "input", code: null } }],
  ["OpenAI, conversation", 404, { error: { message: "Conversation with id 'conv_1' not found." } }],
  ["Azure", 404, { error: { code: "DeploymentNotFound", message: "The API deployment for this resource …" } }],
  ["vLLM", 404, { object: "error", message: "The model `x` does not exist.", type: "NotFoundError", code: 404 }],
  ["Ollama", 404, { error: { message: 'model "x" not found, try pulling it first', type: "api_error" } }],
  ["Anthropic", 404, { type: "error", error: { type: "not_found_error", message: "model: x" } }],
  ["another order", 404, { error: { message: "No such model: x" } }],
  ["unsupported by the model", 404, { error: { message: "This model is not supported in v1/responses." } }],
];

describe("a server without the endpoint", () => {
  test.each(NO_ENDPOINT)("%s", (_server, status, body) => {
    expect(isUnknown(status, body)).toBe(true);
  });

  test.each(NO_OBJECT)("is not one without the object: %s", (_server, status, body) => {
    expect(isUnknown(status, body)).toBe(false);
  });

  test.each([400, 401, 403, 429, 500, 503])("nor one that answers %i", (status) => {
    expect(isUnknown(status, "404 page not found")).toBe(false);
  });
});

describe("a call of the Responses API", () => {
  const params = async (status: number, body: unknown) => {
    const upstream = startUpstream(({ path }) => {
      if (!path.endsWith("/responses")) return Response.json(chatReply());
      return typeof body === "string" ? new Response(body, { status }) : Response.json(body, { status });
    });
    const relay = startRelay({
      channels: [{ type: 1, baseUrl: upstream.url, models: ["m"], groups: ["default"] }],
      options: { ModelRatio: '{"m": 1}' },
    });
    const statuses: number[] = [];
    for (let times = 0; times < 2; times += 1) {
      statuses.push((await relay.post("/v1/responses", { model: "m", input: "Hi" })).status);
    }
    relay.stop();
    upstream.stop();
    return { statuses, paths: upstream.received.map(({ path }) => path) };
  };
  const [responses, chat] = ["/v1/responses", "/v1/chat/completions"];

  test.each(NO_ENDPOINT)(
    "goes to chat completions, and from then on immediately: %s",
    async (_server, status, body) => {
      expect(await params(status, body)).toEqual({ statuses: [200, 200], paths: [responses, chat, chat] });
    },
  );

  test.each(NO_OBJECT)("fails, and the next one tries again: %s", async (_server, status, body) => {
    expect(await params(status, body)).toEqual({ statuses: [404, 404], paths: [responses, responses] });
  });
});
