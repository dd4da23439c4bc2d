/** MCP servers that are processes, with the executable: who may add one, and that none outlives the gateway. */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import path from "node:path";
import { createApiKey, login } from "../../../support/e2e/console-client.ts";
import { setUp, startGateway } from "../../../support/e2e/fixture.ts";
import { until } from "../../../support/lib/until.ts";

const WORKER = path.resolve(import.meta.dir, "../../../gateway/mcp/stdio/server-worker.ts");
const SECRET = "the-secret-value";

const stateOf = (pid: number) =>
  existsSync(`/proc/${pid}`)
    ? Bun.spawnSync(["ps", "-o", "stat=", "-p", String(pid)])
        .stdout.toString()
        .trim()
        .slice(0, 1)
    : "";

test.each(["SIGTERM", "SIGKILL"] as const)(
  "a process that ignores signals ends with the gateway's %s",
  async (signal) => {
    const gateway = await startGateway({ env: { MCP_STDIO_COMMANDS: process.execPath, MY_SECRET: "of the gateway" } });
    const root = await setUp(gateway);
    const server = { kind: "stdio", command: process.execPath, args: [WORKER, "stubborn"], usd_per_call: "0.002" };
    const body = { name: "local", server, secret: `SECRET_NAME=${SECRET}` };
    const { id, listing } = await root.post("/api/mcp-server/", body);
    expect(listing).toMatchObject({ error: "", waiting: 9 });
    const [view] = await root.get("/api/mcp-server/");
    expect(view).toMatchObject({ has_secret: true, output: "stubborn has started with ***\n" });
    const tools = await root.get(`/api/mcp-server/${id}/tools`);
    await root.post(`/api/mcp-server/${id}/tools/approve`, {
      tools: tools.map(({ name, hash }: { name: string; hash: string }) => ({ name, hash })),
    });
    const { key } = await createApiKey(root);
    const call = async (name: string) => {
      const reply = await fetch(`${gateway.url}/mcp/local`, {
        method: "POST",
        headers: {
          ...{ authorization: `Bearer ${key}`, "content-type": "application/json" },
          ...{ accept: "application/json, text/event-stream", "mcp-session-id": "one" },
        },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name } }),
      });
      return /"text":"((?:[^"\\\\]|\\\\.)*)"/.exec(await reply.text())?.[1] ?? "";
    };
    const pid = Number(await call("pid"));
    const left = Number(await call("fork"));
    expect([stateOf(pid), stateOf(left)].join("")).toMatch(/^[RS][RS]$/);
    expect(await call("environment")).not.toMatch(/of the gateway|DATA_DIR|SESSION_SECRET/);

    await root.post("/api/user/", { username: "helper", password: "some-password-1" });
    const helper = await login(gateway, "helper", "some-password-1");
    await root.post("/api/user/manage", { id: helper.userId, action: "promote" });
    const admin = await login(gateway, "helper", "some-password-1");
    const messageOf = async (method: string, at: string, sent: object) =>
      (await (await admin.send(method, `/api/mcp-server/${at}`, sent)).json()).code;
    expect(await messageOf("POST", "", { ...body, name: "other" })).toBe("mcp_stdio_root_only");
    expect(await messageOf("PUT", String(id), body)).toBe("mcp_stdio_root_only");
    const asAddress = { name: "local", server: { url: "http://127.0.0.1:1/mcp" } };
    expect(await messageOf("PUT", String(id), asAddress)).toBe("mcp_stdio_root_only");
    const other = await root.send("POST", "/api/mcp-server/", { name: "sh", server: { kind: "stdio", command: "sh" } });
    expect(await other.json()).toMatchObject({ success: false, code: "mcp_stdio_not_allowed" });
    expect(await root.get("/api/mcp-server/")).toHaveLength(1);

    await gateway.stop(signal);
    await until(() => stateOf(pid) === "" || stateOf(pid) === "Z");
    // So does what it has started itself.
    await until(() => stateOf(left) === "" || stateOf(left) === "Z");
  },
  90_000,
);
