/** Calls of MCP tools that a user must approve, and the site's switch. */
import { afterEach, expect, test } from "bun:test";
import OpenAI from "openai";
import type { JsonObject } from "../../../../src/formats/json.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { type Step, startChatUpstream } from "../chat-upstream.ts";
import { startMcpServer } from "../mcp-server.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

function start(steps: readonly Step[], options: NonNullable<Parameters<typeof startRelay>[0]["options"]> = {}) {
  const upstream = startChatUpstream(steps);
  const mcp = startMcpServer();
  const relay = startRelay({
    // DeepSeek's chat completions connect to no MCP servers.
    channels: [{ type: 43, baseUrl: upstream.url, models: ["m"] }],
    options: { ModelRatio: '{"m": 1}', ...options },
  });
  stops.push(upstream.stop, mcp.stop, relay.stop);
  const client = new OpenAI({ apiKey: "sk-test", baseURL: `${relay.url}/v1`, maxRetries: 0 });
  const server = (requireApproval?: object) => ({
    ...{ type: "mcp" as const, server_label: "city", server_url: mcp.url },
    ...(requireApproval && { require_approval: requireApproval }),
  });
  return { upstream, mcp, relay, client, server };
}

const toolMessages = ({ received }: ReturnType<typeof startChatUpstream>, at: number) =>
  (JSON.parse(received[at]?.text ?? "{}") as { messages: JsonObject[] }).messages
    .filter(({ role }) => role === "tool")
    .map(({ content }) => content);

const DELETE = ["city__delete", '{"city":"Ghent"}'] as const;

test.each([true, false])("a call waits for its approval (approve: %p)", async (approve) => {
  const { client, server, mcp, upstream } = start([DELETE, "done"]);
  const tools = [server()];
  const first = await client.responses.create({ model: "m", input: "Delete Ghent.", tools });
  const request = first.output.at(-1);
  if (request?.type !== "mcp_approval_request") throw new Error("no approval request");
  expect(request).toMatchObject({ server_label: "city", name: "delete", arguments: '{"city":"Ghent"}' });
  expect([first.status, mcp.calls]).toEqual(["completed", []]);

  const answer = { type: "mcp_approval_response" as const, approval_request_id: request.id, approve };
  const second = await client.responses.create({ model: "m", input: [answer], previous_response_id: first.id, tools });
  expect(mcp.calls).toEqual(approve ? ["delete Ghent"] : []);
  expect(toolMessages(upstream, 1)).toEqual([approve ? "deleted Ghent" : "The user rejected this tool call."]);
  const call = { type: "mcp_call", approval_request_id: request.id, output: "deleted Ghent", status: "completed" };
  expect(second.output).toMatchObject([...(approve ? [call] : []), { type: "message" }]);
});

test("a client that sends all items approves the same way, in a stream", async () => {
  const { client, server, mcp } = start([DELETE, "done"]);
  const tools = [server()];
  const base = { model: "m", tools, store: false, stream: true } as const;
  const ask = async (input: OpenAI.Responses.ResponseInput) => {
    const events: OpenAI.Responses.ResponseStreamEvent[] = [];
    for await (const event of await client.responses.create({ ...base, input })) events.push(event);
    return events;
  };
  const question = { role: "user" as const, content: "Delete Ghent." };
  const events = await ask([question]);
  const end = events.at(-1);
  if (end?.type !== "response.completed") throw new Error("not completed");
  const { output } = end.response;
  const request = output.at(-1);
  expect(request?.type).toBe("mcp_approval_request");
  // Nothing is shown of the call but the request for its approval.
  expect(events.filter(({ type }) => type.includes("mcp_call") || type.includes("function_call"))).toEqual([]);
  const answer = { type: "mcp_approval_response" as const, approval_request_id: request?.id ?? "", approve: true };
  const more = await ask([question, ...(output as OpenAI.Responses.ResponseInput), answer]);
  expect(mcp.calls).toEqual(["delete Ghent"]);
  expect(more.map(({ type }) => type)).toContain("response.mcp_call.completed");
  expect(more.findIndex(({ type }) => type === "response.mcp_call.completed")).toBeLessThan(
    more.findIndex(({ type }) => type === "response.output_text.delta"),
  );
});

test.each([
  [{ never: { tool_names: ["delete"] } }, true],
  [{ never: { read_only: true } }, false],
  [{ always: { tool_names: ["delete"] } }, false],
  [{ always: { tool_names: ["weather"] } }, true],
])("the request says which tools need none: %j", async (requireApproval, isCalled) => {
  const { client, server, mcp } = start([DELETE, "done"]);
  await client.responses.create({ model: "m", input: "?", tools: [server(requireApproval)] });
  expect(mcp.calls).toEqual(isCalled ? ["delete Ghent"] : []);
});

test("an approval of an unknown request is an error", async () => {
  const { relay, server } = start([]);
  const input = [{ type: "mcp_approval_response", approval_request_id: "mcpr_unknown", approve: true }];
  const answer = await relay.post("/v1/responses", { model: "m", input, tools: [server()] });
  expect([answer.status, JSON.stringify(await answer.json())]).toEqual([400, expect.stringContaining("mcpr_unknown")]);
});

test("a site that switches this off drops the tools and says so", async () => {
  const { relay, server, mcp, upstream } = start(["I have no tools."], { "mcp.execution_enabled": "false" });
  const answer = await relay.post("/v1/responses", { model: "m", input: "?", tools: [server()] });
  expect(answer.status).toBe(200);
  expect(answer.headers.get("x-sluice-dropped")).toContain("mcp");
  expect(JSON.parse(upstream.received[0]?.text ?? "{}").tools).toBeUndefined();
  expect(mcp.requests).toEqual([]);
});
