/** Agents that are installed call a tool of a server of the site, as `sluice connect AGENT --mcp` has set them up. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseJson, recordOf, recordsOf, textOf } from "../../../../src/formats/json.ts";
import { replyOf } from "../../../gateway/mcp/chat-upstream.ts";
import { createApiKey, createChannel } from "../../../support/e2e/console-client.ts";
import { type Gateway, setOption, setUp, startGateway } from "../../../support/e2e/fixture.ts";
import { startUpstream } from "../../../support/gateway/start-upstream.ts";
import { gatewayCommand } from "../../../support/processes/gateway.ts";
import { startToolServer } from "./tool-server.ts";

/** DeepSeek's chat completions, so that each agent's format is translated. */
const DEEPSEEK = 43;

/** A model that calls the tool whose name ends with the server's and its own, and says what it returned. */
const model = startUpstream(({ text }) => {
  const { tools, messages, stream } = recordOf(parseJson(text)) ?? {};
  const names = recordsOf(tools).map((tool) => textOf(recordOf(tool.function)?.name) ?? "");
  const name = names.find((each) => each.endsWith("site__act"));
  const isDone = recordsOf(messages).some(
    ({ role, content }) => role === "tool" && JSON.stringify(content).includes("did "),
  );
  const step = isDone ? "The tool did it." : name ? ([name, '{"id":"by-agent","manner":"ok"}'] as const) : "Hello.";
  return replyOf(step, 1, stream === true);
});
const server = startToolServer();
let gateway: Gateway;
let key: string;
let home: string;

beforeAll(async () => {
  gateway = await startGateway();
  home = await mkdtemp(path.join(tmpdir(), "sluice-agents-"));
  const root = await setUp(gateway);
  await createChannel(root, model.url, ["gpt-5"], { type: DEEPSEEK });
  await setOption(root, "ModelRatio", { "gpt-5": 1 });
  const { id } = await root.post("/api/mcp-server/", { name: "site", server: { url: server.url } });
  const tools: { name: string; hash: string }[] = await root.get(`/api/mcp-server/${id}/tools`);
  await root.post(`/api/mcp-server/${id}/tools/approve`, { tools: tools.map(({ name, hash }) => ({ name, hash })) });
  ({ key } = await createApiKey(root));
});
afterAll(async () => {
  await gateway.stop();
  for (const { stop } of [model, server]) stop();
  await rm(home, { recursive: true, force: true });
});

async function run(command: readonly string[], env: Record<string, string>) {
  const child = Bun.spawn([...command], {
    ...{ cwd: home, stdio: ["ignore", "pipe", "pipe"], timeout: 100_000 },
    env: { ...process.env, HOME: home, XDG_CONFIG_HOME: "", ...env },
  });
  const read = (stream: ReadableStream<Uint8Array>) => new Response(stream).text();
  const [out, err, code] = await Promise.all([read(child.stdout), read(child.stderr), child.exited]);
  return { out, err, code };
}

/** How each is started without a person, and lets its model call tools. */
const AGENTS: Readonly<Record<string, readonly string[]>> = {
  claude: ["--print", "--allowedTools", "mcp__sluice", "--", "Act."],
  codex: ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "Act."],
  gemini: ["--skip-trust", "--approval-mode", "yolo", "--prompt", "Act."],
  opencode: ["run", "Act."],
};

/** The official inspector, whose older versions take no address. */
const inspector = Bun.which("mcp-inspector");
const takesAddress =
  inspector !== null && Bun.spawnSync([inspector, "--cli", "--help"]).stdout.toString().includes("--server-url");

test.skipIf(!takesAddress)(
  "the official inspector lists and calls a tool of the site",
  async () => {
    const inspect = (...args: string[]) =>
      run(
        [
          ...[inspector ?? "", "--cli", "--transport", "http", "--server-url", `${gateway.url}/mcp`],
          ...["--header", `Authorization: Bearer ${key}`, ...args],
        ],
        {},
      );
    const listed = await inspect("--method", "tools/list");
    expect([listed.code, listed.out]).toEqual([0, expect.stringContaining('"site__act"')]);
    server.executed.length = 0;
    const called = await inspect("--method", "tools/call", "--tool-name", "site__act", "--tool-arg", "id=by-inspector");
    expect(`${called.code}${called.out}${called.err}`).toContain("did by-inspector");
    expect(server.executed).toEqual(["by-inspector"]);
  },
  60_000,
);

for (const [agent, args] of Object.entries(AGENTS)) {
  const program = Bun.which(agent);
  test.skipIf(program === null)(
    `${agent} calls a tool of the site, and its model reads the result`,
    async () => {
      const connect = [...gatewayCommand(), "connect", agent, "--mcp", "--yes", "--model", "gpt-5", "--key", key];
      const connected = await run(connect, { SLUICE_URL: gateway.url });
      expect(connected).toMatchObject({ code: 0, err: "" });
      expect(connected.out).toContain("/mcp lists 1 tool");
      server.executed.length = 0;
      const { out, err, code } = await run([program ?? agent, ...args], { SLUICE_URL: "" });
      expect(`${code}\n${out}${err}`).toContain("The tool did it.");
      expect(server.executed).toEqual(["by-agent"]);
    },
    120_000,
  );
}
