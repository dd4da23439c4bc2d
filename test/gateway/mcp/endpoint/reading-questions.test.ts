/** What servers ask and report while a prompt or a resource is read, and what they report after a result. */
import { afterEach, describe, expect, test } from "bun:test";
import { createMcpIndex } from "../../../../src/domain/models/mcp/directory.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { until } from "../../../support/lib/until.ts";
import { connecting, EVERYTHING } from "./asking-client.ts";
import { askingAt, startAskingServer } from "./asking-server.ts";

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0).reverse()) stop();
});
const connect = connecting(stops);

function start(definition: object = {}, setup: Partial<Parameters<typeof startRelay>[0]> = {}) {
  const server = startAskingServer();
  const passing = { prompts: true, resources: true, ...definition };
  const mcpServers = createMcpIndex([askingAt(1, "one", server.url, passing)]);
  const relay = startRelay({ channels: [], mcpServers, ...setup });
  stops.push(server.stop, relay.stop);
  return { relay, server };
}

const never = () => new Promise<never>(() => {});
type Connected = Awaited<ReturnType<typeof connect>>;
type Options = { onprogress?: (progress: object) => void; signal?: AbortSignal };

/** Reads what a server at `/mcp` has; at `/mcp/one` under its own names. */
const READS = [
  [
    "a prompt",
    ({ client }: Connected, what: string, options?: Options) => client.getPrompt({ name: what }, options),
    "color",
    "wait",
  ],
  [
    "a resource",
    ({ client }: Connected, what: string, options?: Options) => client.readResource({ uri: what }, options),
    "ask://color",
    "ask://wait",
  ],
] as const;

describe.each(READS)("while %s is read", (_what, read, name, waiting) => {
  test("its server asks and reports, and the client answers", async () => {
    const { relay } = start();
    const connected = await connect(`${relay.url}/mcp/one`);
    const progress: object[] = [];
    const result = await read(connected, name, { onprogress: (each) => void progress.push(each) });
    expect(JSON.stringify(result)).toContain("blue");
    expect(connected.questions).toMatchObject([{ message: `Which ${name}?` }]);
    await until(() => connected.logs.length === 1 && progress.length === 1);
    expect([connected.logs, progress]).toMatchObject([
      [{ level: "info", data: `reading ${name}` }],
      [{ progress: 1, total: 2 }],
    ]);
    expect(relay.billing.openHolds).toBe(0);
  });

  test("a question that nobody answers costs it its time-out", async () => {
    const { relay } = start({ timeout_ms: 1_000 });
    const connected = await connect(`${relay.url}/mcp/one`, EVERYTHING, { elicit: never });
    const failure = await read(connected, name).catch((error: unknown) => error);
    expect(failure).toMatchObject({ data: { status: 504, code: "mcp_timeout" } });
    expect(relay.billing.openHolds).toBe(0);
  });

  test("a server that may not ask is refused", async () => {
    const { relay, server } = start({ elicitation: false });
    const connected = await connect(`${relay.url}/mcp/one`);
    await expect(read(connected, name)).rejects.toThrow();
    expect([connected.questions, server.seen.begun]).toEqual([[], 1]);
  });

  test("the client cancels it: the server learns of it", async () => {
    const { relay, server } = start();
    const connected = await connect(`${relay.url}/mcp/one`);
    const stop = new AbortController();
    const reading = read(connected, waiting, { signal: stop.signal }).catch((error: unknown) => error);
    await until(() => server.seen.begun === 1);
    stop.abort();
    await reading;
    await until(() => server.seen.canceled === 1);
    await until(() => relay.billing.openHolds === 0);
  });

  test("guardrails look through its questions", async () => {
    const options = { CheckSensitiveEnabled: "true", CheckSensitiveOnPromptEnabled: "true", SensitiveWords: "which" };
    const { relay } = start({}, { options });
    const connected = await connect(`${relay.url}/mcp/one`);
    await expect(read(connected, name)).rejects.toThrow();
    expect(connected.questions).toEqual([]);
  });
});

describe("what a server reports after the result", () => {
  test("waits for the next call of the session, at the level that it wants", async () => {
    const { relay } = start();
    const connected = await connect(`${relay.url}/mcp/one`);
    const other = await connect(`${relay.url}/mcp/one`);
    await connected.call("log-late");
    await Bun.sleep(300);
    expect(connected.logs).toEqual([]);
    await other.call("roots");
    await connected.call("roots");
    await until(() => connected.logs.length === 1);
    expect([connected.logs, other.logs]).toMatchObject([[{ level: "warning", data: "late 0" }], []]);
    await connected.client.setLoggingLevel("error");
    await connected.call("log-late");
    await Bun.sleep(300);
    await connected.call("roots");
    expect(connected.logs).toHaveLength(1);
  });

  test.each([
    [{ count: 150 }, 100, "late 149"],
    [{ count: 10, length: 60_000 }, 4, "late 9"],
  ])("is bounded: of %j the latest %p", async (input, count, last) => {
    const { relay } = start();
    const connected = await connect(`${relay.url}/mcp/one`);
    await connected.call("log-late", input);
    await Bun.sleep(600);
    await connected.call("roots");
    await until(() => connected.logs.length === count);
    await Bun.sleep(50);
    expect(connected.logs).toHaveLength(count);
    expect(JSON.stringify(connected.logs.at(-1))).toContain(last);
  });

  test("is lost where clients name no session: it may be another client's", async () => {
    const { relay } = start();
    const call = (name: string) =>
      relay.post(
        "/mcp/one",
        { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } },
        { headers: { accept: "application/json, text/event-stream" } },
      );
    await (await call("log-late")).text();
    await Bun.sleep(300);
    expect(await (await call("roots")).text()).not.toContain("late");
  });
});
