/** MCP servers of requests in Google's format: with the official client and a real MCP server. */
import { afterEach, describe, expect, test } from "bun:test";
import { GoogleGenAI } from "@google/genai";
import { createMcpIndex } from "../../../../src/domain/models/mcp/directory.ts";
import type { JsonObject } from "../../../../src/formats/json.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { sse, startUpstream } from "../../../support/gateway/start-upstream.ts";
import { until } from "../../../support/lib/until.ts";
import { type Step, startChatUpstream } from "../chat-upstream.ts";
import { serverAt } from "../configured-server.ts";
import { startMcpServer } from "../mcp-server.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0).reverse()) stop();
});

type Upstream = ReturnType<typeof startUpstream>;

/** The site's server `city`; DeepSeek's chat completions (43) and Google's own API (24) as upstreams. */
function start(steps: readonly Step[] | Upstream, type = 43) {
  const upstream = "received" in steps ? steps : startChatUpstream(steps);
  const mcp = startMcpServer();
  const relay = startRelay({
    channels: [{ type, baseUrl: upstream.url, models: ["m"] }],
    options: { ModelRatio: '{"m": 1}', CompletionRatio: '{"m": 4}', GroupRatio: '{"default": 1}' },
    mcpServers: createMcpIndex([serverAt(1, "city", { url: mcp.url, usd_per_call: "0.0125" })]),
  });
  stops.push(upstream.stop, mcp.stop, relay.stop);
  const client = new GoogleGenAI({ apiKey: "sk-test", httpOptions: { baseUrl: relay.url } });
  const stream = async (query: string) =>
    await relay.post(`/v1beta/models/m:streamGenerateContent${query}`, { contents: CONTENTS, tools: [BY_NAME] });
  return { upstream, mcp, relay, client, stream };
}

const CONTENTS = [{ role: "user", parts: [{ text: "Weather?" }] }];
const BY_NAME = { mcpServers: [{ name: "city" }] };
const WEATHER = ["city__weather", '{"city":"Ghent"}'] as const;
const sentTo = ({ received }: Upstream, at: number) => JSON.parse(received[at]?.text ?? "{}") as JsonObject;

describe("MCP servers in Google's format", () => {
  test("are used round by round with the official client; each round and each call of a tool is charged", async () => {
    const { client, mcp, relay } = start([WEATHER, ["city__broken", "{}"], "It rains."]);
    const answer = await client.models.generateContent({
      model: "m",
      contents: "Weather?",
      config: { tools: [BY_NAME] },
    });
    expect(answer.text).toBe("It rains.");
    expect(answer.functionCalls).toBeUndefined();
    expect(answer.usageMetadata).toMatchObject({
      promptTokenCount: 600,
      candidatesTokenCount: 60,
      totalTokenCount: 660,
    });
    expect(mcp.calls).toEqual(["weather Ghent", "broken"]);
    await until(() => relay.billing.records.length === 5);
    expect(relay.billing.records.map(({ modelName, quota }) => [modelName, quota])).toEqual([
      ["m", 140],
      ["mcp/city/weather", 6_250],
      ["m", 280],
      ["mcp/city/broken", 0],
      ["m", 420],
    ]);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("are streamed as one response", async () => {
    const { client, mcp } = start([WEATHER, "It rains."]);
    const stream = await client.models.generateContentStream({
      ...{ model: "m", contents: "Weather?", config: { tools: [BY_NAME] } },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.map(({ text }) => text ?? "").join("")).toBe("It rains.");
    expect(chunks.flatMap(({ candidates }) => candidates?.[0]?.finishReason ?? [])).toEqual(["STOP" as never]);
    expect(chunks.at(-1)?.usageMetadata).toMatchObject({ promptTokenCount: 300, candidatesTokenCount: 30 });
    expect(new Set(chunks.map(({ responseId }) => responseId)).size).toBe(1);
    await until(() => mcp.sessions.size === 0);
  });

  test("are streamed as an array", async () => {
    const { stream } = start([WEATHER, "It rains."]);
    const answer = await stream("");
    expect(answer.headers.get("content-type")).toBe("application/json");
    const elements = (await answer.json()) as { candidates: { content: { parts: { text?: string }[] } }[] }[];
    const parts = elements.flatMap(({ candidates }) => candidates.flatMap(({ content }) => content.parts));
    expect(parts.map(({ text }) => text ?? "").join("")).toBe("It rains.");
    expect(JSON.stringify(elements)).not.toContain("functionCall");
  });

  test.each(["?alt=sse", ""])("whose later round fails end the stream with an error (%p)", async (query) => {
    const refusal = Response.json({ error: { message: "bad", type: "invalid_request_error" } }, { status: 400 });
    const { stream } = start([WEATHER, refusal]);
    const text = await (await stream(query)).text();
    const last = query === "" ? JSON.parse(text).at(-1) : JSON.parse(text.trim().split("data: ").at(-1) ?? "");
    expect(last).toMatchObject({ error: { code: 400, status: "INVALID_ARGUMENT" } });
  });

  test("are reached at an address with headers, in either spelling", async () => {
    const { relay, mcp } = start([WEATHER, "ok"]);
    const transport = { url: mcp.url, headers: { "x-own": "1" } };
    const answer = await relay.post("/v1beta/models/m:generateContent", {
      ...{ contents: CONTENTS, tools: [{ mcp_servers: [{ name: "city", streamable_http_transport: transport }] }] },
    });
    expect(answer.status).toBe(200);
    expect(mcp.calls).toEqual(["weather Ghent"]);
    expect(mcp.requests.every(({ headers }) => headers.get("x-own") === "1")).toBe(true);
  });

  test.each([
    [{ mcpServers: [{}] }, "tools.mcpServers.name"],
    [
      { mcpServers: [{ name: "city", streamableHttpTransport: { url: "sluice://city", headers: { a: 1 } } }] },
      "headers.a",
    ],
    [{ mcpServers: [{ name: "city", streamableHttpTransport: { url: 7 } }] }, "city"],
    [{ mcpServers: [{ name: "nobody" }] }, "nobody"],
  ])("are refused where %j cannot be read", async (tool, named) => {
    const { relay, upstream } = start(["Never."]);
    const answer = await relay.post("/v1beta/models/m:generateContent", { contents: CONTENTS, tools: [tool] });
    const { error } = await answer.json();
    expect([answer.status, error.message]).toEqual([400, expect.stringContaining(named)]);
    expect(upstream.received).toEqual([]);
  });
});

describe("on Google's own API", () => {
  const usageMetadata = {
    ...{ promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
    promptTokensDetails: [{ modality: "TEXT", tokenCount: 10 }],
  };
  const call = { functionCall: { name: "city__weather", args: { city: "Ghent" } }, thoughtSignature: "sealed" };
  const mine = { functionCall: { name: "mine", args: {} } };
  const reply = (parts: object[]) => ({
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
    ...{ usageMetadata, modelVersion: "m", responseId: "r1" },
  });
  const replies = (...rounds: object[][]) =>
    startUpstream((_received, request, count) => {
      const body = reply(rounds[count - 1] ?? []);
      return request.url.includes("stream") ? sse(`data: ${JSON.stringify(body)}\r\n\r\n`) : Response.json(body);
    });

  test.each(["generateContent", "streamGenerateContent?alt=sse"])(
    "the next round gets the call as it was: %s",
    async (method) => {
      const { relay, upstream } = start(replies([{ text: "Hm.", thought: true }, call], [{ text: "It rains." }]), 24);
      const tools = [{ ...BY_NAME, googleSearch: {} }, { functionDeclarations: [{ name: "mine" }] }];
      const toolConfig = { functionCallingConfig: { mode: "ANY", streamFunctionCallArguments: true } };
      const answer = await relay.post(`/v1beta/models/m:${method}`, { contents: CONTENTS, tools, toolConfig });
      expect(await answer.text()).toContain("It rains.");
      const [first, second] = [sentTo(upstream, 0), sentTo(upstream, 1)];
      expect(JSON.stringify(first)).not.toContain("mcpServers");
      expect(first.toolConfig).toEqual({ functionCallingConfig: { mode: "ANY" } });
      expect(second.toolConfig).toBeUndefined();
      expect((second.contents as object[]).slice(1)).toMatchObject([
        { role: "model", parts: [{ text: "Hm.", thought: true }, call] },
        {
          role: "user",
          parts: [{ functionResponse: { name: "city__weather", response: { output: "rainy in Ghent" } } }],
        },
      ]);
    },
  );

  test("the client's own call ends the response, with the signature of the call of a tool", async () => {
    const { relay, mcp } = start(replies([call, mine]), 24);
    const tools = [BY_NAME, { functionDeclarations: [{ name: "mine" }] }];
    const answer = await relay.post("/v1beta/models/m:generateContent", { contents: CONTENTS, tools });
    const [candidate] = (await answer.json()).candidates;
    expect(candidate.content.parts).toEqual([{ ...mine, thoughtSignature: "sealed" }]);
    expect(mcp.calls).toEqual([]);
  });
});
