/** Search over tools where a caller has too many to list, with the official client. */
import { afterEach, describe, expect, test } from "bun:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { createMcpIndex, type McpServer } from "../../../../src/domain/models/mcp/directory.ts";
import { nameSet } from "../../../../src/lib/values/patterns/name-patterns.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { serverAt, TOOLS, tool } from "../configured-server.ts";
import { startMcpServer } from "../mcp-server.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0).reverse()) stop();
});

type Setup = Partial<Parameters<typeof startRelay>[0]>;

async function connect(servers: readonly McpServer[], setup: Setup = {}, path = "/mcp") {
  const relay = startRelay({
    channels: [],
    mcpServers: createMcpIndex(servers),
    ...setup,
  });
  const client = new Client({ name: "tests", version: "1" });
  const received = { bytes: 0 };
  const transport = new StreamableHTTPClientTransport(new URL(relay.url + path), {
    requestInit: { headers: { authorization: "Bearer sk-test" } },
    async fetch(url, init) {
      const response = await fetch(url, init);
      const bytes = await response.arrayBuffer();
      received.bytes += bytes.byteLength;
      return new Response(bytes.byteLength > 0 ? bytes : null, response);
    },
  });
  await client.connect(transport);
  stops.push(relay.stop, () => client.close());
  return { relay, client, received };
}

function startUpstream() {
  const upstream = startMcpServer();
  stops.push(upstream.stop);
  return upstream;
}

type Connected = Awaited<ReturnType<typeof connect>>["client"];
type Found = Readonly<{
  matches: number;
  tools: readonly { name: string; description: string; inputSchema: object }[];
}>;

const textOf = (result: Awaited<ReturnType<Connected["callTool"]>>): string => {
  const [block] = result.content as { text: string }[];
  return block?.text ?? "";
};
const search = async (client: Connected, query: unknown, name = "search_tools"): Promise<Found> =>
  JSON.parse(textOf(await client.callTool({ name, arguments: { query } })));
const namesOf = ({ tools }: Found) => tools.map(({ name }) => name);
const listed = async (client: Connected) => (await client.listTools()).tools.map(({ name }) => name);
const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => ({}),
    (error: unknown) => error as { code: number; data?: { code: string; status: number } },
  );

const nowhere = { url: "http://127.0.0.1:1/mcp" };
const LOW: Setup = { options: { "mcp.tool_search_threshold": "5" } };
const described = (name: string, description: string) => tool(name, { description });

describe("10,000 tools of ten servers", () => {
  const verbs = ["create", "list", "get", "update", "delete", "search", "merge", "export", "archive", "assign"];
  const nouns = ["issue", "invoice", "branch", "customer", "ticket", "page", "deploy", "alert", "contract", "photo"];
  const long = "It returns what the caller may see, in pages, and fails where the account has no such right. ".repeat(
    3,
  );
  const schema = {
    type: "object",
    properties: { id: { type: "string" }, fields: { type: "array" } },
  };
  const servers = Array.from({ length: 10 }, (_, server) =>
    serverAt(server + 1, `site${server}`, nowhere, {
      offered: Array.from({ length: 1_000 }, (_, at) => {
        const [verb, noun] = [verbs[at % 10], nouns[Math.floor(at / 10) % 10]];
        const name = `${verb}_${noun}_${Math.floor(at / 100)}`;
        return tool(name, {
          description: `Tool ${server}/${at}: to ${verb} a ${noun}. ${long}`,
          inputSchema: schema,
        });
      }),
    }),
  );

  test("are two tools in the list, and a search finds each of them in a few kilobytes", async () => {
    const { client, received } = await connect(servers);
    received.bytes = 0;
    expect(await listed(client)).toEqual(["search_tools", "call_tool"]);
    expect(received.bytes).toBeLessThan(3_000);
    received.bytes = 0;
    const found = await search(client, "merge branch 7 site3");
    expect(found.tools).toHaveLength(20);
    expect(found.tools[0]).toEqual({
      name: "site3__merge_branch_7",
      description: `Tool 3/726: to merge a branch. ${long}`,
      inputSchema: schema,
    });
    expect(received.bytes).toBeLessThan(30_000);
  });

  test("without the search they are all listed, in megabytes", async () => {
    const { client, received } = await connect(servers, {
      options: { "mcp.tool_search_threshold": "0" },
    });
    let count = 0;
    let cursor: string | undefined;
    do {
      const { tools, nextCursor } = await client.listTools({ cursor });
      count += tools.length;
      cursor = nextCursor;
    } while (cursor !== undefined);
    expect(count).toBe(10_000);
    expect(received.bytes).toBeGreaterThan(4_000_000);
  });
});

describe("when there is a search", () => {
  test.each([
    [TOOLS.length - 1, true],
    [TOOLS.length, false],
    [0, false],
  ])("of six tools with a threshold of %i: %p", async (threshold, hasSearch) => {
    const options = { "mcp.tool_search_threshold": String(threshold) };
    const { client } = await connect([serverAt(1, "one", nowhere)], {
      options,
    });
    expect((await listed(client)).includes("search_tools")).toBe(hasSearch);
    const failure = await failureOf(
      client.callTool({
        name: "search_tools",
        arguments: { query: "weather" },
      }),
    );
    expect(failure).toMatchObject(hasSearch ? {} : { code: -32602 });
  });

  test("counts what the key may use, not what there is", async () => {
    const tokens = {
      test: { modelLimits: nameSet(["mcp/one/weather", "mcp/one/delete"]) },
    };
    const { client } = await connect([serverAt(1, "one", nowhere)], {
      ...LOW,
      tokens,
    });
    expect(await listed(client)).toEqual(["one__weather", "one__delete"]);
  });
});

describe("what a search finds", () => {
  const tools = [
    described("create_issue", "Opens an issue in a repository."),
    described("listIssues", "Lists issues of a repository, newest first."),
    described("get_weather", "The weather of a city, such as an issue of storm warnings."),
    described("send-mail", "Sends a message to a person."),
    described("发送邮件", "向联系人发送电子邮件。"),
    described("noop", "Nothing."),
  ];
  const servers = [serverAt(1, "hub", nowhere, { offered: tools })];

  test.each([
    ["create issue", "hub__create_issue"],
    ["CREATE_ISSUE", "hub__create_issue"],
    ["list issues", "hub__listIssues"],
    ["mails", "hub__send-mail"],
    ["storm", "hub__get_weather"],
    ["mess", "hub__send-mail"],
  ])("%s: %s first", async (query, first) => {
    const { client } = await connect(servers, LOW);
    expect(namesOf(await search(client, query))[0]).toBe(first);
  });

  test("words without spaces between them", async () => {
    const { client } = await connect(servers, LOW);
    const found = await search(client, "电子邮件");
    expect(found.tools.map(({ description }) => description)).toEqual(["向联系人发送电子邮件。"]);
  });

  test("nothing, where nothing matches", async () => {
    const { client } = await connect(servers, LOW);
    expect(await search(client, "zebra")).toEqual({ matches: 0, tools: [] });
    expect(await search(client, "?!")).toEqual({ matches: 0, tools: [] });
  });

  test.each([
    ["no query", undefined],
    ["a number", 7],
    ["nothing", ""],
    ["a space", " "],
    ["too much", "x".repeat(1_001)],
  ])("%s is an error that the model reads", async (_, query) => {
    const { client } = await connect(servers, LOW);
    const result = await client.callTool({
      name: "search_tools",
      arguments: { query },
    });
    expect(result).toMatchObject({ isError: true });
    expect(textOf(result)).toContain("1 to 1000 characters");
  });

  test("no tool that the key may not use", async () => {
    const allowed = tools.filter(({ name }) => name !== "create_issue").map(({ name }) => `mcp/hub/${name}`);
    const tokens = { test: { modelLimits: nameSet(allowed) } };
    const options = { "mcp.tool_search_threshold": "4" };
    const { client } = await connect(servers, { options, tokens });
    expect(namesOf(await search(client, "create issue"))).toEqual(["hub__listIssues", "hub__get_weather"]);
  });

  test("not more text than a model can read, however long descriptions are", async () => {
    const offered = Array.from({ length: 20 }, (_, at) => described(`t${at}`, `issue ${"y".repeat(60_000)}`));
    const { client, received } = await connect([serverAt(1, "hub", nowhere, { offered })], LOW);
    received.bytes = 0;
    const found = await search(client, "issue");
    expect([found.matches, found.tools.length]).toEqual([20, 3]);
    expect(received.bytes).toBeLessThan(250_000);
  });
});

describe("what was found", () => {
  test("is called by its name, or with call_tool, and charged and logged alike", async () => {
    const upstream = startUpstream();
    const { client, relay } = await connect([serverAt(1, "one", { url: upstream.url, usd_per_call: "0.01" })], LOW);
    const input = { city: "Ghent" };
    const byName = await client.callTool({
      name: "one__weather",
      arguments: input,
    });
    const through = await client.callTool({
      name: "call_tool",
      arguments: { name: "one__weather", arguments: input },
    });
    expect([textOf(byName), textOf(through)]).toEqual(["rainy in Ghent", "rainy in Ghent"]);
    expect(upstream.calls).toEqual(["weather Ghent", "weather Ghent"]);
    expect(relay.billing.records.map(({ modelName, quota }) => [modelName, quota])).toEqual([
      ["mcp/one/weather", 5_000],
      ["mcp/one/weather", 5_000],
    ]);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("stays forbidden to a key that may not use it", async () => {
    const upstream = startUpstream();
    const tokens = {
      test: {
        modelLimits: nameSet(["re:^mcp/one/(weather|broken|long|slow|missing)$"]),
      },
    };
    const options = { "mcp.tool_search_threshold": "4" };
    const { client } = await connect([serverAt(1, "one", { url: upstream.url })], { options, tokens });
    const failure = await failureOf(
      client.callTool({
        name: "call_tool",
        arguments: { name: "one__delete" },
      }),
    );
    expect(failure).toMatchObject({
      data: { code: "model_not_allowed", status: 403 },
    });
    expect(upstream.calls).toEqual([]);
  });

  test("is nothing of the gateway's own, and nothing that is no name", async () => {
    const { client, relay } = await connect([serverAt(1, "one", nowhere)], LOW);
    const call = (input: object) => client.callTool({ name: "call_tool", arguments: { ...input } });
    for (const name of ["call_tool", "search_tools", "one__none"])
      expect(await failureOf(call({ name }))).toMatchObject({ code: -32602 });
    expect(await call({})).toMatchObject({ isError: true });
    expect(await call({ name: "one__weather", arguments: "{}" })).toMatchObject({ isError: true });
    expect(relay.billing.records).toEqual([]);
  });
});

test("a search is free, and counts toward the limits of the key", async () => {
  const { client, relay } = await connect([serverAt(1, "one", nowhere)], {
    ...LOW,
    tokens: { test: { requestsPerMinute: 2 } },
  });
  await search(client, "weather");
  await search(client, "weather");
  expect(await failureOf(search(client, "weather"))).toMatchObject({
    data: { status: 429 },
  });
  expect(relay.billing.records).toEqual([]);
  expect(relay.billing.holds).toEqual([]);
});

test("at the address of one server, the search takes no name from its tools", async () => {
  const upstream = startUpstream();
  const offered = [...TOOLS, tool("search_tools"), tool("_search_tools")];
  const { client } = await connect([serverAt(1, "one", { url: upstream.url }, { offered })], LOW, "/mcp/one");
  expect(await listed(client)).toEqual(["__search_tools", "call_tool"]);
  expect(namesOf(await search(client, "weather", "__search_tools"))).toEqual(["weather"]);
  await failureOf(client.callTool({ name: "search_tools" }));
  expect(upstream.calls).toEqual(["search_tools"]);
});
