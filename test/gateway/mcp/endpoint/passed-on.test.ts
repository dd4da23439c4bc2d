/** Prompts and resources of servers through the gateway, with the official client and server. */
import { afterEach, describe, expect, test } from "bun:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListResourceTemplatesRequestSchema,
  ReadResourceRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { createMcpIndex } from "../../../../src/domain/models/mcp/directory.ts";
import { readEvents } from "../../../../src/lib/http/sse.ts";
import { nameSet } from "../../../../src/lib/values/patterns/name-patterns.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { serverAt, tool } from "../configured-server.ts";
import { startMcpServer } from "../mcp-server.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0).reverse()) stop();
});

/** A server whose texts say whose they are. */
function startLibrary(name: string) {
  const requests: string[] = [];
  const http = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1" },
    async fetch(request) {
      const server = new Server(
        { name, version: "1" },
        { capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} } },
      );
      server.setRequestHandler(ListPromptsRequestSchema, () => {
        requests.push("prompts/list");
        return {
          prompts: [{ name: "greet", arguments: [{ name: "who" }] }, { name: "odd name" }, { name: "no\u00a0break" }]
            .concat([{ name: "a/b" }])
            .map((prompt) => ({ ...prompt, description: `of ${name}` })),
        };
      });
      server.setRequestHandler(GetPromptRequestSchema, ({ params }) => {
        requests.push(`prompts/get ${params.name}`);
        const text = `Greet ${params.arguments?.who} from ${name} by ${params.name}`;
        const uri = "file:///a.txt";
        return {
          messages: [
            { role: "user" as const, content: { type: "text" as const, text } },
            { role: "user" as const, content: { type: "resource" as const, resource: { uri, text: "inside" } } },
          ],
        };
      });
      server.setRequestHandler(ListResourcesRequestSchema, () => ({
        resources: [{ uri: "file:///a.txt", name: "a" }],
      }));
      server.setRequestHandler(ListResourceTemplatesRequestSchema, () => ({
        resourceTemplates: [{ uriTemplate: "db://{table}/rows", name: "rows" }],
      }));
      server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
        requests.push(`resources/read ${uri}`);
        return { contents: [{ uri, text: `${uri} of ${name}` }] };
      });
      server.setRequestHandler(CompleteRequestSchema, ({ params: { ref, argument } }) => ({
        completion: { values: [`${name}:${ref.type === "ref/prompt" ? ref.name : ref.uri}:${argument.value}`] },
      }));
      server.setRequestHandler(CallToolRequestSchema, () => ({
        content: [{ type: "resource_link" as const, uri: "file:///a.txt", name: "a" }],
      }));
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
      await server.connect(transport);
      return transport.handleRequest(request);
    },
  });
  stops.push(() => http.stop(true));
  return { url: `http://127.0.0.1:${http.port}/mcp`, requests };
}

type Setup = Partial<Parameters<typeof startRelay>[0]>;
const BOTH = { prompts: true, resources: true };

function start(definition: object = BOTH, setup: Setup = {}) {
  const libraries = { one: startLibrary("one"), two: startLibrary("two") };
  const servers = Object.entries(libraries).map(([name, { url }], at) =>
    serverAt(at + 1, name, { url, ...definition }, { offered: [tool("find")] }),
  );
  const relay = startRelay({ channels: [], mcpServers: createMcpIndex(servers), ...setup });
  stops.push(relay.stop);
  return { relay, servers, ...libraries };
}

async function connect(relay: ReturnType<typeof start>["relay"], path = "/mcp") {
  const client = new Client({ name: "tests", version: "1" });
  const headers = { authorization: "Bearer sk-test" };
  await client.connect(new StreamableHTTPClientTransport(new URL(relay.url + path), { requestInit: { headers } }));
  stops.push(() => client.close());
  return client;
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    (error: unknown) => error,
  );

describe("prompts", () => {
  test("of all servers have names of their own, and each goes where it is from", async () => {
    const { relay, one, two } = start();
    const client = await connect(relay);
    const { prompts } = await client.listPrompts();
    const names = prompts.map(({ name }) => name);
    expect(names).toHaveLength(4);
    expect(new Set(names).size).toBe(4);
    expect(names).toContain("two__greet");
    expect(names.every((name) => /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name))).toBe(true);
    const { messages } = await client.getPrompt({ name: "two__greet", arguments: { who: "Ann" } });
    expect(messages.map(({ content }) => content)).toMatchObject([
      { text: "Greet Ann from two by greet" },
      { resource: { uri: "sluice://two/file:///a.txt", text: "inside" } },
    ]);
    // A name that clients would refuse.
    const odd = names.find((name) => name.startsWith("_one"));
    await client.getPrompt({ name: odd ?? "" });
    expect(one.requests).toContain("prompts/get a/b");
    expect(two.requests.filter((request) => request.startsWith("prompts/get"))).toEqual(["prompts/get greet"]);
    expect(await failureOf(client.getPrompt({ name: "one__missing__x" }))).toBeNull();
    expect(await failureOf(client.getPrompt({ name: "three__greet" }))).toMatchObject({ code: -32602 });
  });

  test("of one server have their own names; invisible or unusual ones are left out", async () => {
    const client = await connect(start().relay, "/mcp/one");
    expect((await client.listPrompts()).prompts.map(({ name }) => name)).toEqual(["greet", "a/b"]);
    const { messages } = await client.getPrompt({ name: "greet", arguments: { who: "Bo" } });
    expect(messages[1]?.content).toMatchObject({ resource: { uri: "file:///a.txt" } });
  });
});

describe("resources", () => {
  test("of all servers have addresses of their own, also from templates and in results of tools", async () => {
    const { relay, one, two } = start();
    const client = await connect(relay);
    expect((await client.listResources()).resources.map(({ uri }) => uri)).toEqual([
      "sluice://one/file:///a.txt",
      "sluice://two/file:///a.txt",
    ]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain("sluice://one/db://{table}/rows");
    const { contents } = await client.readResource({ uri: "sluice://two/db://users/rows" });
    expect(contents).toEqual([{ uri: "sluice://two/db://users/rows", text: "db://users/rows of two" }]);
    expect([one.requests, two.requests]).toEqual([[], ["resources/read db://users/rows"]]);
    const { content } = await client.callTool({ name: "one__find" });
    expect(content).toEqual([{ type: "resource_link", uri: "sluice://one/file:///a.txt", name: "a" }]);
    expect(await failureOf(client.readResource({ uri: "file:///a.txt" }))).toMatchObject({ code: -32602 });
  });

  test("of one server have their own addresses", async () => {
    const client = await connect(start().relay, "/mcp/two");
    expect((await client.readResource({ uri: "file:///a.txt" })).contents).toEqual([
      { uri: "file:///a.txt", text: "file:///a.txt of two" },
    ]);
  });
});

test("suggestions come from the server of the prompt or template", async () => {
  const client = await connect(start().relay);
  const suggest = async (ref: Parameters<Client["complete"]>[0]["ref"]) =>
    (await client.complete({ ref, argument: { name: "who", value: "A" } })).completion.values;
  expect(await suggest({ type: "ref/prompt", name: "two__greet" })).toEqual(["two:greet:A"]);
  expect(await suggest({ type: "ref/resource", uri: "sluice://one/db://{table}/rows" })).toEqual([
    "one:db://{table}/rows:A",
  ]);
});

describe("what is not passed on", () => {
  test("anything, unless the operator lets it pass", async () => {
    const { relay, one } = start({});
    const client = await connect(relay);
    expect(client.getServerCapabilities()).toEqual({ tools: {}, logging: {} });
    const raw = (method: string, params: object) =>
      relay.post(
        "/mcp/one",
        { jsonrpc: "2.0", id: 1, method, params },
        {
          headers: { accept: "application/json, text/event-stream" },
        },
      );
    const answer = await raw("resources/read", { uri: "file:///a.txt" });
    const [event] = readEvents(await answer.text());
    expect(JSON.parse(event?.data ?? "")).toMatchObject({ error: { code: -32601 } });
    expect(one.requests).toEqual([]);
  });

  test("what the key's list of models leaves out", async () => {
    const tokens = { test: { modelLimits: nameSet(["mcp/two/*", "mcp/one/resources/read"]) } };
    const client = await connect(start(BOTH, { tokens }).relay);
    const { prompts } = await client.listPrompts();
    expect(prompts.every(({ name }) => name.includes("two"))).toBe(true);
    expect((await client.listResources()).resources).toHaveLength(2);
  });

  test("texts that a guardrail forbids for models, and they cost nothing", async () => {
    const rules = { places: { kind: "words", words: ["file:///a.txt of two"] } };
    const options = { Guardrails: JSON.stringify(rules), ModelPrice: '{"mcp/two/resources/read": 0.01}' };
    const { relay } = start(BOTH, { options });
    const client = await connect(relay, "/mcp/two");
    expect(await failureOf(client.readResource({ uri: "file:///a.txt" }))).toMatchObject({ code: -32000 });
    expect(relay.billing.records).toMatchObject([{ modelName: "mcp/two/resources/read", quota: 0, failed: true }]);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("a server that fails hides no other; by itself it is an error", async () => {
    const { relay, servers } = start();
    const closed = serverAt(9, "closed", { url: "http://127.0.0.1:1/mcp", ...BOTH });
    const plain = startMcpServer();
    stops.push(plain.stop);
    const bare = serverAt(10, "bare", { url: plain.url, ...BOTH });
    const more = startRelay({ channels: [], mcpServers: createMcpIndex([...servers, closed, bare]) });
    stops.push(more.stop, relay.stop);
    expect((await (await connect(more)).listResources()).resources).toHaveLength(2);
    expect(await failureOf((await connect(more, "/mcp/closed")).listResources())).toMatchObject({ code: -32000 });
    // One that knows no resources has none.
    expect((await (await connect(more, "/mcp/bare")).listResources()).resources).toEqual([]);
  });
});

test("a prompt and a resource cost what the operator's price says, are logged, and count toward limits", async () => {
  const { relay } = start(BOTH, {
    options: { ModelPrice: '{"mcp/one/resources/read": 0.01}', GroupRatio: '{"default": 2}' },
    tokens: { test: { requestsPerMinute: 3 } },
  });
  const client = await connect(relay, "/mcp/one");
  await client.readResource({ uri: "file:///a.txt" });
  await client.getPrompt({ name: "greet" });
  expect(relay.billing.records.map(({ modelName, quota, failed }) => [modelName, quota, failed])).toEqual([
    ["mcp/one/resources/read", 10_000, false],
    ["mcp/one/prompts/get", 0, false],
  ]);
  expect(relay.billing.openHolds).toBe(0);
  await client.listPrompts();
  expect(await failureOf(client.listPrompts())).toMatchObject({ data: { status: 429 } });
});
