/** What servers ask the clients of calls, through the gateway, with the official client and server. */
import { afterEach, describe, expect, test } from "bun:test";
import { ElicitRequestSchema, LATEST_PROTOCOL_VERSION } from "@modelcontextprotocol/sdk/types.js";
import type { ChangedIds } from "../../../../db/changes.ts";
import { createMcpIndex } from "../../../../src/domain/models/mcp/directory.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { until } from "../../../support/lib/until.ts";
import { connecting, EVERYTHING } from "./asking-client.ts";
import { askingAt, offering, startAskingServer } from "./asking-server.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0).reverse()) stop();
});

type Setup = Partial<Parameters<typeof startRelay>[0]>;

function start(definition: object = {}, setup: Setup = {}, revision = LATEST_PROTOCOL_VERSION) {
  const server = startAskingServer(revision);
  const mcpServers = createMcpIndex([askingAt(1, "one", server.url, definition)]);
  const relay = startRelay({ channels: [], mcpServers, ...setup });
  stops.push(server.stop, relay.stop);
  return { relay, server };
}

const connect = connecting(stops);

describe("a question of a server", () => {
  test("reaches the client of its call, and the answer the server", async () => {
    const { relay } = start();
    const { call, questions } = await connect(`${relay.url}/mcp/one`);
    expect(await call("elicit")).toEqual({ action: "accept", content: { color: "blue" } });
    expect(await call("sample")).toMatchObject({ model: "the client's", content: { text: "blue" } });
    expect(await call("sample-tools")).toMatchObject({ content: { text: "blue" } });
    expect(await call("roots")).toEqual({ roots: [{ uri: "file:///home", name: "home" }] });
    expect(await call("open", { url: "https://example.com/sign-in" })).toEqual({ action: "accept" });
    expect(questions).toMatchObject([
      { message: "Which color?" },
      { messages: [{ content: { text: "Name a color." } }] },
      { tools: [{ name: "t" }] },
      { mode: "url", url: "https://example.com/sign-in" },
    ]);
    // To the client all servers are one, whose contexts are not for each of them.
    expect(JSON.stringify(questions)).not.toContain("includeContext");
    // What the gateway itself pays is the call alone.
    expect(relay.billing.records).toHaveLength(5);
  });

  test.each([
    ["2025-06-18", "2025-06-18"],
    ["2025-06-18", "2025-11-25"],
    ["2025-11-25", "2025-06-18"],
  ])("passes between a client of %s and a server of %s", async (clients, servers) => {
    const { relay } = start({}, {}, servers);
    const older = (...[input, init]: Parameters<typeof fetch>) =>
      fetch(input, typeof init?.body === "string" ? { ...init, body: offering(clients, init.body) } : init);
    const { call, transport } = await connect(
      `${relay.url}/mcp/one`,
      { elicitation: {}, sampling: {} },
      { fetch: Object.assign(older, { preconnect: fetch.preconnect }) },
    );
    expect(transport.protocolVersion).toBe(clients);
    expect(await call("elicit")).toEqual({ action: "accept", content: { color: "blue" } });
    expect(await call("elicit-aside")).toEqual({ action: "accept", content: { color: "blue" } });
    expect(await call("sample")).toMatchObject({ content: { text: "blue" } });
  });

  test("to open an address first is passed on as the error that it is", async () => {
    const { relay } = start();
    const refusal = ({ client }: Awaited<ReturnType<typeof connect>>, url: string) =>
      client.callTool({ name: "refuse", arguments: { url } }).catch((error: unknown) => error);
    const able = await connect(`${relay.url}/mcp/one`);
    const elicitations = [{ mode: "url", message: "Sign in", elicitationId: "e2", url: "https://example.com" }];
    expect(await refusal(able, "https://example.com")).toMatchObject({ code: -32042, data: { elicitations } });
    expect(await refusal(able, "javascript:alert(1)")).not.toHaveProperty("data.elicitations");
    const bare = await connect(`${relay.url}/mcp/one`, {});
    expect(await refusal(bare, "https://example.com")).not.toHaveProperty("data.elicitations");
  });

  test("that comes outside of the call's response does too", async () => {
    const { relay } = start();
    const { call } = await connect(`${relay.url}/mcp/one`);
    expect(await call("elicit-aside")).toEqual({ action: "accept", content: { color: "blue" } });
    expect(await call("elicit-aside")).toEqual({ action: "accept", content: { color: "blue" } });
  });

  test("says which of several servers asks", async () => {
    const { relay } = start();
    const { call, questions } = await connect(`${relay.url}/mcp`);
    await call("one__elicit");
    expect(questions).toMatchObject([{ message: "one: Which color?" }]);
  });

  test("of many calls at the same time goes to its own", async () => {
    const { relay } = start();
    const clients = await Promise.all(
      ["a", "b", "c"].map((name) =>
        connect(`${relay.url}/mcp/one`, EVERYTHING, {
          elicit: async ({ message }) => {
            await Bun.sleep(Math.random() * 20);
            return { action: "accept", content: { color: `${name} ${message}` } };
          },
        }),
      ),
    );
    const words = Array.from({ length: 5 }, (_, at) => `w${at}`);
    const results = await Promise.all(clients.flatMap(({ call }) => words.map((word) => call("elicit", { word }))));
    const expected = ["a", "b", "c"].flatMap((name) => words.map((word) => `${name} Which ${word}?`));
    expect(results.map(({ content }) => content.color)).toEqual(expected);
  });

  test("is refused unless the client has declared that it answers, and the operator lets the server ask", async () => {
    const { relay, server } = start();
    const bare = await connect(`${relay.url}/mcp/one`, {});
    for (const name of ["elicit", "sample", "roots", "forged"]) expect(await bare.call(name)).toHaveProperty("error");
    expect(server.seen.capabilities).toEqual([{}, {}, {}, {}]);
    const form = await connect(`${relay.url}/mcp/one`, { elicitation: {}, sampling: {} });
    expect(await form.call("elicit")).toMatchObject({ action: "accept" });
    expect(await form.call("open", { url: "https://example.com" })).toHaveProperty("error");
    expect(await form.call("sample-tools")).toHaveProperty("error");
    expect(server.seen.capabilities.at(-1)).toEqual({ elicitation: { form: {} }, sampling: {} });
    expect(form.questions).toHaveLength(1);

    const closed = start({ elicitation: false, sampling: false, roots: false });
    const { call, questions } = await connect(`${closed.relay.url}/mcp/one`);
    for (const name of ["elicit", "elicit-aside", "sample", "roots"]) expect(await call(name)).toHaveProperty("error");
    expect(closed.server.seen.capabilities).toEqual([{}, {}, {}, {}]);
    expect(questions).toEqual([]);
  });

  test("must pass the guardrails, and so must its answer", async () => {
    const options = {
      CheckSensitiveEnabled: "true",
      CheckSensitiveOnPromptEnabled: "true",
      SensitiveWords: "name a\ncrimson",
    };
    const { relay } = start({}, { options });
    const { call, questions } = await connect(`${relay.url}/mcp/one`, EVERYTHING, {
      elicit: () => ({ action: "accept", content: { color: "crimson" } }),
    });
    expect(await call("sample")).toHaveProperty("error");
    expect(questions).toEqual([]);
    expect(await call("elicit", { word: "hue" })).toHaveProperty("error");
    expect(questions).toHaveLength(1);
  });

  test.each(["javascript:alert(1)", "file:///etc/passwd", "no address"])("opens no %s", async (url) => {
    const { relay } = start();
    const { call, questions } = await connect(`${relay.url}/mcp/one`);
    expect(await call("open", { url })).toHaveProperty("error");
    expect(questions).toEqual([]);
  });

  test("is one of a hundred in a call, and of sixteen at the same time", async () => {
    const { relay } = start();
    const { call, questions } = await connect(`${relay.url}/mcp/one`);
    expect(await call("many")).toBe(100);
    expect(questions).toHaveLength(100);
    const answer = Promise.withResolvers<object>();
    const slow = await connect(`${relay.url}/mcp/one`, EVERYTHING, { elicit: () => answer.promise });
    const result = slow.call("at-once");
    await until(() => slow.questions.length === 16);
    answer.resolve({ action: "cancel" });
    expect(await result).toBe(16);
    expect(await call("elicit")).toMatchObject({ action: "accept" });
  });
});

const never = () => new Promise<never>(() => {});

describe("a client", () => {
  test("that never answers costs the call its time-out, and closes the server to nobody", async () => {
    const { relay } = start({ timeout_ms: 1_000 });
    const silent = await connect(`${relay.url}/mcp/one`, EVERYTHING, { elicit: never });
    const failures = await Promise.allSettled(Array.from({ length: 6 }, () => silent.call("elicit")));
    for (const failure of failures)
      expect(failure).toMatchObject({ status: "rejected", reason: { data: { status: 504, code: "mcp_timeout" } } });
    const { call } = await connect(`${relay.url}/mcp/one`);
    expect(await call("elicit")).toMatchObject({ action: "accept" });
    expect(relay.billing.openHolds).toBe(0);
  });

  test("that leaves ends its questions, and the call goes on", async () => {
    const { relay, server } = start();
    const leaving = await connect(`${relay.url}/mcp/one`, EVERYTHING, { elicit: never });
    void leaving.call("elicit").catch(() => {});
    await until(() => leaving.questions.length === 1);
    await leaving.client.close();
    await until(() => server.seen.errors.some((error) => error.includes("answers no more")));
    await until(() => relay.billing.records.length === 1);
  });

  test("learns of questions that need no answer any more", async () => {
    const { relay } = start();
    const aborted: unknown[] = [];
    const waiting = await connect(`${relay.url}/mcp/one`);
    waiting.client.setRequestHandler(ElicitRequestSchema, async ({ params }, { signal }) => {
      signal.addEventListener("abort", () => void aborted.push(params.message));
      return await never();
    });
    expect(await waiting.call("forget")).toBe("did not wait");
    await until(() => aborted.length === 1);
    expect(await waiting.call("give-up")).toHaveProperty("error");
    await until(() => aborted.length === 2);
  });

  test("cancels a call: the server learns of it, nothing is answered, and what was called is charged", async () => {
    const { relay, server } = start({ usd_per_call: "0.01" });
    const { client } = await connect(`${relay.url}/mcp/one`);
    const stop = new AbortController();
    const call = client.callTool({ name: "wait" }, undefined, { signal: stop.signal }).catch((error: unknown) => error);
    await until(() => server.seen.begun === 1);
    stop.abort();
    await call;
    await until(() => server.seen.canceled === 1);
    await until(() => relay.billing.records.length === 1);
    expect(relay.billing.records.map(({ quota, other }) => [quota, other.ending])).toEqual([[5_000, "client_left"]]);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("gets log messages of the level that it wants", async () => {
    const { relay } = start();
    const { call, logs, client } = await connect(`${relay.url}/mcp`);
    await call("one__log");
    await until(() => logs.length === 2);
    expect(logs[0]).toEqual({ level: "debug", logger: "one/worker", data: "a debug" });
    await client.setLoggingLevel("warning");
    await call("one__log");
    await call("one__log-aside");
    await until(() => logs.length === 4);
    expect(logs.slice(2)).toMatchObject([{ level: "warning" }, { level: "warning" }]);
  });
});

describe("an answer", () => {
  /** A call whose question nobody answers, and the question's id. */
  async function openQuestion(relay: ReturnType<typeof startRelay>) {
    const ids: string[] = [];
    const watching = async (...[input, init]: Parameters<typeof fetch>) => {
      const response = await fetch(input, init);
      const [own, other] = response.body?.tee() ?? [];
      if (other)
        void (async () => {
          let text = "";
          for await (const part of other.pipeThrough(new TextDecoderStream())) {
            text += part;
            const id = /"id":"(q[^"]+)"/.exec(text)?.[1];
            if (id && !ids.includes(id)) ids.push(id);
          }
        })().catch(() => {});
      return new Response(own ?? null, { status: response.status, headers: response.headers });
    };
    const asking = await connect(`${relay.url}/mcp/one`, EVERYTHING, {
      elicit: never,
      fetch: Object.assign(watching, { preconnect: fetch.preconnect }),
    });
    const result = asking.call("elicit");
    await until(() => ids.length === 1);
    return { asking, result, id: ids[0] ?? "" };
  }

  const post = (
    url: string,
    {
      key = "test",
      session,
      ...message
    }: { key?: string; session: string; id: string; result?: object; error?: unknown },
  ) =>
    fetch(`${url}/mcp/one`, {
      method: "POST",
      headers: {
        ...{ authorization: `Bearer sk-${key}`, "content-type": "application/json" },
        ...{ accept: "application/json, text/event-stream", "mcp-session-id": session },
      },
      body: JSON.stringify({ jsonrpc: "2.0", ...message }),
    });
  const result = { action: "accept", content: { color: "forged" } };

  test("counts only from the session that has the question, once", async () => {
    const { relay } = start({}, { tokens: { test: { id: 1 }, other: { id: 2 } } });
    const { asking, result: called, id } = await openQuestion(relay);
    const session = asking.transport.sessionId ?? "";
    const other = await connect(`${relay.url}/mcp/one`, EVERYTHING, { key: "other" });
    for (const [key, from] of [
      ["other", session],
      ["other", other.transport.sessionId ?? ""],
      ["test", other.transport.sessionId ?? ""],
      ["test", ""],
    ] as const)
      expect((await post(relay.url, { key, session: from, id, result })).status).toBe(202);
    for (const forged of [
      id.replace(/.$/, (last) => (last === "0" ? "1" : "0")),
      id.replace(/\.\d+\./, ".9999999999."),
      "0",
    ])
      expect((await post(relay.url, { session, id: forged, result })).status).toBe(202);
    expect(await Promise.race([called, Bun.sleep(100)])).toBeUndefined();
    const own = { action: "accept", content: { color: "own" } };
    await post(relay.url, { session, id, result: own });
    await post(relay.url, { session, id, result });
    expect(await called).toEqual(own);
  });

  test.each([
    [{ result: { action: "maybe" } }],
    [{ result: { action: "accept", content: { nested: { a: 1 } } } }],
    [{ error: { code: -1, message: "The user is away." } }],
    [{ error: "no" }],
    [{}],
  ])("that is none is an error for the server (%#)", async (message) => {
    const { relay } = start();
    const { asking, result: called, id } = await openQuestion(relay);
    await post(relay.url, { session: asking.transport.sessionId ?? "", id, ...message });
    expect(await called).toHaveProperty("error");
  });

  test("after the time-out goes nowhere", async () => {
    const { relay } = start({ timeout_ms: 1_000 });
    const { asking, result: called, id } = await openQuestion(relay);
    expect(await called.catch((error: unknown) => error)).toMatchObject({ data: { code: "mcp_timeout" } });
    const late = await post(relay.url, { session: asking.transport.sessionId ?? "", id, result });
    expect(late.status).toBe(202);
  });
});

describe("two processes of one site", () => {
  /** Requests go to one after the other. */
  function startTwo(definition: object = {}) {
    const handlers: ((messages: ChangedIds) => unknown)[] = [];
    const changes: NonNullable<Setup["changes"]> = {
      publish: async (_topic, messages) => {
        for (const handler of handlers) await handler(messages);
      },
      subscribe: (_topic, handler) => {
        handlers.push(handler);
        return () => {};
      },
    };
    const { relay, server } = start(definition, { changes });
    const mcpServers = createMcpIndex([askingAt(1, "one", server.url, definition)]);
    const other = startRelay({ channels: [], mcpServers, changes });
    stops.push(other.stop);
    const relays = [relay, other];
    let turn = 0;
    const proxy = Bun.serve({
      ...{ port: 0, hostname: "127.0.0.1", idleTimeout: 0 },
      fetch(request) {
        const target = relays[turn++ % relays.length]?.url ?? "";
        return fetch(new Request(target + new URL(request.url).pathname, request));
      },
    });
    stops.push(() => proxy.stop(true));
    return { url: `http://127.0.0.1:${proxy.port}`, relays, changes, server };
  }

  test("an answer, a large one too, reaches the call wherever it arrives", async () => {
    const { url } = startTwo();
    const long = "x".repeat(200_000);
    const { call } = await connect(`${url}/mcp/one`, EVERYTHING, {
      sample: () => ({ content: { type: "text" as const, text: long } }),
    });
    const [first, second] = [await call("elicit"), await call("elicit")];
    expect([first, second]).toEqual(Array(2).fill({ action: "accept", content: { color: "blue" } }));
    expect((await call("sample")).content.text).toBe(long);
    expect((await call("sample")).content.text).toBe(long);
  });

  test("a level reaches a process that has started later", async () => {
    const { url, relays, changes, server } = startTwo();
    const { client, call, logs } = await connect(`${url}/mcp/one`);
    await client.setLoggingLevel("warning");
    const mcpServers = createMcpIndex([askingAt(1, "one", server.url)]);
    const late = startRelay({ channels: [], mcpServers, changes });
    stops.push(late.stop);
    relays.splice(0, 2, late);
    await call("log");
    await call("log");
    await until(() => logs.some((log) => JSON.stringify(log).includes("warning")));
    expect(logs).toMatchObject([{ level: "warning" }, { level: "warning" }]);
    expect(server.seen.levels.at(-1)).toBe("warning");
  });

  test("a cancellation and a level do too", async () => {
    const { url, relays, server } = startTwo();
    const { client, call, logs } = await connect(`${url}/mcp/one`);
    await client.setLoggingLevel("warning");
    await call("log");
    await call("log");
    await until(() => logs.length === 2);
    expect(logs).toMatchObject([{ level: "warning" }, { level: "warning" }]);
    for (let at = 1; at <= 2; at += 1) {
      const stop = new AbortController();
      const waiting = client.callTool({ name: "wait" }, undefined, { signal: stop.signal }).catch(() => {});
      await until(() => server.seen.begun === 2 + at);
      stop.abort();
      await waiting;
      await until(() => server.seen.canceled === at);
    }
    await until(() => relays.every(({ billing }) => billing.openHolds === 0));
  });
});
