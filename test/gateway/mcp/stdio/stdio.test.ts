/** MCP servers that are processes, with the official client before the gateway and real, also hostile, processes behind it. */
import { afterEach, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import path from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { readMcpRules } from "../../../../src/domain/models/mcp/definition.ts";
import { createMcpIndex, type McpLookup, type McpServer } from "../../../../src/domain/models/mcp/directory.ts";
import { hideValues, readEnvironment } from "../../../../src/domain/models/mcp/stdio/environment.ts";
import { type StdioLimits, StdioSupervisor } from "../../../../src/domain/models/mcp/stdio/supervisor.ts";
import { startRelay } from "../../../support/gateway/start-gateway.ts";
import { until } from "../../../support/lib/until.ts";

const WORKER = path.join(import.meta.dir, "server-worker.ts");
const SECRET = "SECRET_NAME=the-secret-value";
const MEBIBYTE = 1_048_576;
const TOOLS = ["environment", "pid", "die", "hang", "late", "fork", "large", "memory", "progress"].map((name) => ({
  ...{ name, description: null, inputSchema: { type: "object" }, annotations: null },
}));

const stops: (() => unknown)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0).reverse()) stop();
});

const serverOf = (manner: string, definition: object = {}): McpServer => ({
  ...readMcpRules({
    ...{ kind: "stdio", command: process.execPath, args: [WORKER, manner], usd_per_call: "1", timeout_ms: 60_000 },
    ...definition,
  }),
  ...{ id: 1, name: "local", secret: SECRET, offered: TOOLS },
});

function start(manner: string, definition: object = {}, limits: Partial<StdioLimits> = {}) {
  const stdio = new StdioSupervisor({
    ...{ commands: [process.execPath], maxProcesses: 16, maxMemoryBytes: 1024 * MEBIBYTE },
    ...limits,
  });
  let lookup: McpLookup = createMcpIndex([serverOf(manner, definition)]);
  const relay = startRelay({
    ...{ channels: [], tokens: { a: { id: 1 }, b: { id: 2 } } },
    mcpServers: { of: (caller) => lookup.of(caller), get: (id) => lookup.get(id) },
    mcpFetches: { stdio },
  });
  stops.push(relay.stop, () => stdio.close());
  const connect = async (key = "sk-a") => {
    const client = new Client({ name: "tests", version: "1" });
    const headers = { authorization: `Bearer ${key}` };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${relay.url}/mcp`), { requestInit: { headers } }));
    stops.push(() => client.close());
    const call = async (name: string, input: Record<string, unknown> = {}, more: object = {}) => {
      const { content } = await client.callTool({ name: `local__${name}`, arguments: input }, undefined, {
        ...{ timeout: 90_000, ...more },
      });
      return (content as { text: string }[])[0]?.text ?? "";
    };
    const failure = (name: string, input: Record<string, unknown> = {}) =>
      call(name, input).then(
        (text) => ({ text }),
        (error: unknown) => error as { code: number; message: string; data?: { code: string; status: number } },
      );
    return { call, failure };
  };
  const reconfigure = (server: McpServer) => {
    lookup = createMcpIndex([server]);
  };
  return { relay, stdio, connect, reconfigure };
}

const isAlive = (pid: number): boolean => existsSync(`/proc/${pid}`) && !isZombie(pid);
const isZombie = (pid: number): boolean =>
  Bun.spawnSync(["grep", "-q", "^State:\\sZ", `/proc/${pid}/status`]).exitCode === 0;
const ends = (pid: number) => until(() => !isAlive(pid));

describe("a process of a server", () => {
  test("gets its own variables and nothing of the gateway's, in a folder of its own", async () => {
    process.env.DATABASE_URL_OF_TESTS = "postgres://secret";
    stops.push(() => delete process.env.DATABASE_URL_OF_TESTS);
    const { call } = await start("good", { args: [WORKER, "good", "$(id); `id` | id", "a b"] }).connect();
    const { env, cwd, args } = JSON.parse(await call("environment"));
    expect(
      Object.keys(env)
        .filter((name) => !/^(BUN|_$)/.test(name))
        .sort(),
    ).toEqual([...["HOME", "LANG", "PATH", "SECRET_NAME", "TMPDIR"]]);
    expect(env).toMatchObject({ SECRET_NAME: "the-secret-value", HOME: cwd });
    expect(cwd).toContain("sluice-mcp-");
    // No shell has read the arguments.
    expect(args).toEqual(["good", "$(id); `id` | id", "a b"]);
  });

  test("is one for each client's session, and is used again", async () => {
    const { connect, stdio } = start("good");
    const [one, two, other] = [await connect(), await connect(), await connect("sk-b")];
    const pids = [await one.call("pid"), await two.call("pid"), await other.call("pid"), await one.call("pid")];
    expect(new Set(pids).size).toBe(3);
    expect(pids[3]).toBe(pids[0] ?? "");
    expect(stdio.running).toBe(3);
  });

  test("makes room when it is idle, and none is started beyond the limit while all are used", async () => {
    // A share of two for each account.
    const { connect, stdio } = start("good", {}, { maxProcesses: 8 });
    const clients = [await connect(), await connect(), await connect()] as const;
    const first = Number(await clients[0].call("pid"));
    await clients[1].call("pid");
    await clients[2].call("pid");
    await ends(first);
    expect(stdio.running).toBe(2);
    // Its session is opened again, and its call is made once.
    expect(Number(await clients[0].call("pid"))).not.toBe(first);
    const busy = [clients[0].call("late"), clients[2].call("late")];
    await until(() => stdio.running === 2);
    for (let time = 0; time < 6; time += 1)
      expect(await clients[1].failure("pid")).toMatchObject({
        data: { code: "mcp_server_unavailable", retry_after_seconds: 5 },
        message: expect.stringContaining("which is the most"),
      });
    expect(await Promise.all(busy)).toEqual(["late", "late"]);
  });

  test("takes no room from another account", async () => {
    const limits = { commands: [process.execPath], maxProcesses: 8, maxMemoryBytes: 1024 * MEBIBYTE };
    const stdio = new StdioSupervisor(limits);
    stops.push(() => stdio.close());
    const startFor = async (accountId: number) => {
      const server = { id: 1, command: process.execPath, args: [WORKER, "good"], secret: "", accountId };
      const transport = stdio.transport(server, MEBIBYTE);
      await transport.start();
      return transport;
    };
    const other = await startFor(2);
    const own = [await startFor(1), await startFor(1), await startFor(1), await startFor(1)];
    expect([other, ...own].map(({ isOver }) => isOver)).toEqual([false, true, true, false, false]);
    // The gateway's own listings come from all accounts' room.
    for (let listing = 0; listing < 5; listing += 1) await startFor(0);
    expect(other.isOver).toBe(false);
    expect(stdio.running).toBe(8);
  });

  test("that one account brings to its end starts for another all the same", async () => {
    const limits = { commands: [process.execPath], maxProcesses: 8, maxMemoryBytes: 1024 * MEBIBYTE };
    const stdio = new StdioSupervisor(limits);
    stops.push(() => stdio.close());
    const transportFor = (accountId: number, manner: string) =>
      stdio.transport({ id: 1, command: process.execPath, args: [WORKER, manner], secret: "", accountId }, MEBIBYTE);
    await transportFor(1, "dies-at-start").start();
    await until(() => stdio.running === 0);
    expect(
      await transportFor(1, "good")
        .start()
        .catch((error) => error),
    ).toMatchObject({ code: "mcp_stdio_resting" });
    await transportFor(2, "good").start();
    expect(stdio.running).toBe(1);
  });

  test("ends soon after the server is configured otherwise, or no longer", async () => {
    const { connect, reconfigure } = start("good");
    const { call } = await connect();
    const pid = Number(await call("pid"));
    reconfigure(serverOf("good", { description: "another" }));
    await ends(pid);
    expect(Number(await call("pid"))).not.toBe(pid);
  });

  test("does not start unless the operator allows its command", async () => {
    const { connect, relay, stdio } = start("good", {}, { commands: ["/usr/bin/other"] });
    expect(await (await connect()).failure("pid")).toMatchObject({
      ...{ data: { code: "mcp_server_failed" }, message: expect.stringContaining("MCP_STDIO_COMMANDS") },
    });
    expect([stdio.running, relay.billing.openHolds]).toEqual([0, 0]);
  });
});

test("progress that comes with the result reaches the client before it", async () => {
  const { call } = await start("good").connect();
  const seen: number[] = [];
  const onprogress = ({ progress }: { progress: number }) => seen.push(progress);
  for (let time = 0; time < 5; time += 1) expect(await call("progress", {}, { onprogress })).toBe("both");
  expect(seen).toEqual([1, 2, 1, 2, 1, 2, 1, 2, 1, 2]);
});

describe("a hostile process", () => {
  test.each<[string, string, object]>([
    ["dies at its start", "ended with code 3", {}],
    ["writes what is no message without end", "what is no message", {}],
    ["writes a line without an end", "more than 100000 bytes", { max_result_bytes: 100_000 }],
  ])("that %s fails with the reason, costs nothing and is gone", async (what, message, definition) => {
    const manners = { "dies at its start": "dies-at-start", "writes a line without an end": "one-line" };
    const manner = Object.entries(manners).find(([name]) => name === what)?.[1] ?? "garbage";
    const { connect, relay, stdio } = start(manner, definition);
    const { failure } = await connect();
    expect(await failure("pid")).toMatchObject({ message: expect.stringContaining(message) });
    await until(() => stdio.running === 0);
    expect(relay.billing.records).toMatchObject([{ quota: 0, failed: true }]);
    expect(relay.billing.openHolds).toBe(0);
    // It is not started again at once.
    expect(await failure("pid")).toMatchObject({ message: expect.stringContaining("started again in") });
  });

  test("that prints a greeting works all the same", async () => {
    const { call } = await start("greets").connect();
    expect(Number(await call("pid"))).toBeGreaterThan(0);
  });

  test("that dies within a call fails it, and is started again", async () => {
    const { connect, relay } = start("good");
    const { call, failure } = await connect();
    expect(await failure("die")).toMatchObject({ message: expect.stringContaining("ended with code 4") });
    expect(relay.billing.openHolds).toBe(0);
    expect(await failure("pid")).toMatchObject({ message: expect.stringContaining("started again in 1 s") });
    expect(Number(await until(() => call("pid").catch(() => "")))).toBeGreaterThan(0);
  });

  test("that hangs ends at the time-out, and the next call gets another one", async () => {
    const { connect } = start("good", { timeout_ms: 1_000 });
    const { call, failure } = await connect();
    const pid = Number(await call("pid"));
    expect(await failure("hang")).toMatchObject({ data: { code: "mcp_timeout", status: 504 } });
    await ends(pid);
    expect(Number(await call("pid"))).not.toBe(pid);
  });

  test("with too large a result ends, and with one below the bound does not", async () => {
    const { call, failure } = await start("good", { max_result_bytes: 100_000 }).connect();
    expect((await call("large", { size: 90_000 })).length).toBe(90_000);
    expect(await failure("large", { size: 200_000 })).toMatchObject({
      message: expect.stringContaining("more than 100000 bytes"),
    });
  });

  test.skipIf(Bun.which("prlimit") === null)("gets no more memory than it may have", async () => {
    const { call } = await start("good", {}, { maxMemoryBytes: 512 * MEBIBYTE }).connect();
    expect(Number((await call("memory")).replace("refused after ", ""))).toBeLessThan(512);
  });

  test("leaves no process behind, whatever it has started", async () => {
    const { connect, stdio } = start("good");
    const child = Number(await (await connect()).call("fork"));
    expect(isAlive(child)).toBe(true);
    stdio.close();
    await ends(child);
  });

  test("that ignores signals is killed", async () => {
    const { connect, reconfigure } = start("stubborn");
    const pid = Number(await (await connect()).call("pid"));
    reconfigure(serverOf("good"));
    await ends(pid);
  });
});

describe("variables", () => {
  test("are lines of names and values", () => {
    expect(readEnvironment("# keys\nA=1\r\n\nB_2 = x=y \n")).toEqual({ A: "1", B_2: " x=y " });
    for (const text of ["A", "=1", "1A=2", "A B=1", "A=\0"]) expect(() => readEnvironment(text)).toThrow("NAME=value");
  });
  test("are not read in what a process wrote", () => {
    const environment = { KEY: "abcdef", LONG: "abcdefgh", SHORT: "on" };
    expect(hideValues("abcdefgh and abcdef are on\u001b[31m\u0007\n", environment)).toBe("*** and *** are on[31m\n");
  });
});
