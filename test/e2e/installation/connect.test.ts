/** `sluice connect`: sign in by a code, set an agent up, call, and take it back. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdirSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Fixture, startFixture } from "../../support/e2e/fixture.ts";
import { gatewayCommand } from "../../support/processes/gateway.ts";

let fixture: Fixture;
let home: string;
beforeAll(async () => {
  fixture = await startFixture(["gpt-5", "claude-haiku-4-5"]);
  home = await mkdtemp(path.join(tmpdir(), "sluice-connect-"));
});
afterAll(async () => {
  await fixture.stop();
  await rm(home, { recursive: true });
});

const start = (...args: string[]) =>
  Bun.spawn([...gatewayCommand(), "connect", ...args], {
    cwd: home,
    env: { ...process.env, HOME: home, XDG_CONFIG_HOME: "", SLUICE_URL: fixture.gateway.url },
    stdio: ["ignore", "pipe", "pipe"],
  });
const textOf = (stream: ReadableStream<Uint8Array>) => new Response(stream).text();
async function run(...args: string[]) {
  const child = start(...args);
  const [out, err, code] = await Promise.all([textOf(child.stdout), textOf(child.stderr), child.exited]);
  return { out, err, code };
}
const read = (name: string) => Bun.file(path.join(home, name)).text();
const keys = async (): Promise<{ name: string }[]> => fixture.root.get("/api/token/");

test("an agent is connected with a key of its own, and everything comes back", async () => {
  mkdirSync(path.join(home, ".claude"));
  const before = '{\n  "theme": "dark"\n}\n';
  await Bun.write(path.join(home, ".claude/settings.json"), before);
  const child = start("claude", "--yes", "--model", "claude-haiku-4-5");
  let out = "";
  for await (const bytes of child.stdout) {
    out += new TextDecoder().decode(bytes);
    const code = /confirm the code ([A-Z]{4}-[A-Z]{4})\n/.exec(out)?.[1];
    if (code && !out.includes("+++")) {
      expect(out).toContain(`/device?code=${code}`);
      await fixture.root
        .post("/api/device/approve", { code, name: "My agent", daily_quota: 5_000_000 })
        .catch(() => {});
    }
  }
  expect(await child.exited).toBe(0);
  expect(out).toContain('+    "ANTHROPIC_MODEL": "claude-haiku-4-5"');
  expect(out).toContain("a call of claude-haiku-4-5 worked");
  const settings = JSON.parse(await read(".claude/settings.json"));
  expect(settings).toMatchObject({ theme: "dark", env: { ANTHROPIC_BASE_URL: fixture.gateway.url } });
  // The key stands in the file, and nowhere in what was shown.
  expect(out).not.toContain(settings.env.ANTHROPIC_AUTH_TOKEN);
  expect((await keys()).map(({ name }) => name)).toContain("My agent");
  const list = await run("--list");
  expect(list.out).toMatch(/^claude +Claude Code +.*\.claude\/settings\.json +connected to http/m);
  expect((await run("claude", "--yes")).err).toContain("--undo first");
  expect(await run("claude", "--undo")).toMatchObject({ code: 0 });
  expect(await read(".claude/settings.json")).toBe(before);
  expect((await keys()).map(({ name }) => name)).not.toContain("My agent");
  const refused = await fetch(`${fixture.gateway.url}/v1/models`, {
    headers: { authorization: `Bearer ${settings.env.ANTHROPIC_AUTH_TOKEN}` },
  });
  expect(refused.status).toBe(401);
});

test("files that were not there are gone again; what somebody changed since stays", async () => {
  const connected = await run("gemini", "--yes", "--model", "gpt-5", "--key", fixture.key);
  expect(connected).toMatchObject({ code: 0, err: "" });
  expect(await read(".gemini/.env")).toContain(`GEMINI_API_KEY=${fixture.key}\n`);
  const settings = JSON.parse(await read(".gemini/settings.json"));
  await Bun.write(path.join(home, ".gemini/settings.json"), JSON.stringify({ ...settings, theme: "mine" }));
  expect(await run("gemini", "--undo")).toMatchObject({ code: 0 });
  expect(existsSync(path.join(home, ".gemini/.env"))).toBe(false);
  expect(JSON.parse(await read(".gemini/settings.json"))).toEqual({ theme: "mine" });
  // The key was there before, and stays.
  expect((await keys()).length).toBe(1);
});

test("a model that the key may not use, an unknown agent and a file with comments change nothing", async () => {
  expect((await run("codex", "--yes", "--model", "none", "--key", fixture.key)).err).toContain(
    "one of claude-haiku-4-5, gpt-5",
  );
  expect((await run("vim", "--yes")).err).toContain("unknown agent vim");
  mkdirSync(path.join(home, ".config/zed"), { recursive: true });
  await Bun.write(path.join(home, ".config/zed/settings.json"), "// mine\n{}\n");
  const zed = await run("zed", "--yes", "--model", "gpt-5", "--key", fixture.key);
  expect(zed.code).toBe(1);
  expect(zed.err).toContain("it has comments");
  expect(await read(".config/zed/settings.json")).toBe("// mine\n{}\n");
  expect(existsSync(path.join(home, ".codex"))).toBe(false);
});

test("with --mcp an agent gets the address of the MCP servers, too, and it goes with the rest", async () => {
  await Bun.write(path.join(home, ".claude.json"), '{\n  "numStartups": 7\n}\n');
  const connected = await run("claude", "--mcp", "--yes", "--model", "gpt-5", "--key", fixture.key);
  expect(connected).toMatchObject({ code: 0, err: "" });
  expect(connected.out).toContain("/mcp lists 0 tools for this key");
  expect(connected.out).not.toContain(fixture.key);
  expect(JSON.parse(await read(".claude.json"))).toEqual({
    numStartups: 7,
    mcpServers: {
      sluice: {
        ...{ type: "http", url: `${fixture.gateway.url}/mcp` },
        headers: { Authorization: `Bearer ${fixture.key}` },
      },
    },
  });
  expect(await run("claude", "--undo")).toMatchObject({ code: 0 });
  expect(await read(".claude.json")).toBe('{\n  "numStartups": 7\n}\n');
  expect((await run("aider", "--mcp", "--yes", "--model", "gpt-5", "--key", fixture.key)).err).toContain(
    "leave out --mcp",
  );
});

/** What each program is asked without a person, where it is installed. */
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {
  claude: ["claude", "--print", "--", "Say hello."],
  codex: ["codex", "exec", "--skip-git-repo-check", "Say hello."],
  gemini: ["gemini", "--skip-trust", "--prompt", "Say hello."],
  opencode: ["opencode", "run", "Say hello."],
  qwen: ["qwen", "Say hello."],
};

for (const [agent, [program = "", ...args]] of Object.entries(PROGRAMS)) {
  test.skipIf(Bun.which(program) === null)(`${program} itself calls the gateway as it was connected`, async () => {
    expect(await run(agent, "--yes", "--model", "gpt-5", "--key", fixture.key)).toMatchObject({ code: 0, err: "" });
    fixture.upstream.requests.length = 0;
    const { SLUICE_URL: _, ...env } = { ...process.env, HOME: home, XDG_CONFIG_HOME: "", SLUICE_URL: "" };
    const child = Bun.spawn([Bun.which(program) ?? program, ...args], {
      cwd: home,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const [out, err, code] = await Promise.all([textOf(child.stdout), textOf(child.stderr), child.exited]);
    expect({ code, out, err: code === 0 ? "" : err }).toMatchObject({ code: 0 });
    const models = new Set(fixture.upstream.requests.map(({ body }) => body?.model));
    expect([...models]).toEqual(["gpt-5"]);
    expect(await run(agent, "--undo")).toMatchObject({ code: 0 });
  });
}
