import { afterAll, beforeAll, expect, test } from "bun:test";
import { chmod, copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startMcpServer } from "../../gateway/mcp/mcp-server.ts";
import { EXAMPLE_MODELS, startExampleUpstreams } from "../../support/docs/example-upstreams.ts";
import { startCollector } from "../../support/docs/otlp-collector.ts";
import { readPages, type ShellBlock, shellBlocks } from "../../support/docs/pages.ts";
import { createChannel } from "../../support/e2e/console-client.ts";
import { type Fixture, setOption, startFixture } from "../../support/e2e/fixture.ts";
import { makeFile } from "../../support/import/start-import.ts";
import { freePort } from "../../support/lib/free-port.ts";
import { until } from "../../support/lib/until.ts";
import { gatewayCommand, testEnvironment } from "../../support/processes/gateway.ts";

/** A block that serves until it is stopped: it runs, and is stopped when it serves. */
const SERVES = "serves in the foreground";

/** Why blocks do not run here; a block with another reason fails. */
const REASONS = [
  "builds for a minute",
  "builds for minutes",
  "builds, then serves in the foreground",
  "installs packages and takes 10 minutes",
  "measures for minutes",
  "needs a channel that makes videos",
  "needs a clone",
  "starts a coding agent",
  "needs an agent and a person",
  "needs a running gateway",
  "needs root and takes ports",
  "needs Docker",
  "needs the internet",
  "needs a database of LiteLLM",
  "needs Python and Presidio",
  "needs Vault",
  "needs a recording",
  "needs a cluster",
  "needs a stopped gateway",
  "needs an alarm",
  "needs an empty Postgres database",
  "needs a service account",
  "needs an organization",
  "needs root",
  "needs several workers",
  "needs systemd",
  "runs every test",
  SERVES,
];

const blocks = readPages().flatMap(shellBlocks);
const runnable = blocks.filter(({ reason }) => reason === null).sort((one, other) => rank(one) - rank(other));
const serving = blocks.filter(({ reason }) => reason === SERVES);
const collector = startCollector();
const OTEL = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" };
const MODELS = ["gpt-4o-mini", "gpt-4o", "dall-e-3", "text-embedding-3-small", "sora-2"];
const upstreams = startExampleUpstreams();
const mcp = startMcpServer();
let fixture: Fixture;
let sandbox = "";
let env: Record<string, string | undefined> = {};

/** Blocks that spoil the fixture for others come last: a channel that cannot be reached, then a sign-out of everybody. */
function rank({ script: text }: ShellBlock): number {
  if (text.includes("reset-password")) return 2;
  return text.includes("/api/channel/") ? 1 : 0;
}

beforeAll(async () => {
  fixture = await startFixture(MODELS, { env: { ALLOW_PRIVATE_WEBHOOKS: "true", ...OTEL } });
  const { gateway, root, key } = fixture;
  for (const [type, model] of EXAMPLE_MODELS) await createChannel(root, upstreams.url, [model], { type });
  const priced = [...MODELS, ...EXAMPLE_MODELS.map(([, model]) => model)];
  await setOption(root, "ModelRatio", Object.fromEntries(priced.map((model) => [model, 1])));
  sandbox = await mkdtemp(join(tmpdir(), "sluice-docs-"));
  await Promise.all(["bin", "backups"].map((folder) => mkdir(join(sandbox, folder))));
  await copyFile(join(gateway.dataDir, "secret.key"), join(sandbox, "backups/secret.key"));
  const command = gatewayCommand()
    .map((part) => `'${part}'`)
    .join(" ");
  await script("sluice", `exec ${command} "$@"`);
  await script("curl", `exec ${Bun.which("curl")} --silent --show-error --fail-with-body "$@"`);
  env = {
    ...testEnvironment(),
    PATH: `${join(sandbox, "bin")}:${process.env.PATH}`,
    DATA_DIR: gateway.dataDir,
    PORT: new URL(gateway.url).port,
    SLUICE_KEY: key,
    USER_ID: String(root.userId),
  };
});

afterAll(async () => {
  await fixture.stop();
  upstreams.stop();
  mcp.stop();
  await collector.stop();
  await rm(sandbox, { recursive: true, force: true });
});

/** A data directory as a block finds it: a key, a file to import, and a database where the block moves one away. */
async function freshDataDir({ script: text }: ShellBlock): Promise<void> {
  const data = join(sandbox, "data");
  await rm(data, { recursive: true, force: true });
  await mkdir(text.includes("mv /data/postgres") ? join(data, "postgres") : data, { recursive: true });
  await copyFile(join(sandbox, "backups/secret.key"), join(data, "secret.key"));
  await makeFile(join(data, "one-api.db"), "one-api");
}

async function script(name: string, body: string): Promise<void> {
  const file = join(sandbox, "bin", name);
  await Bun.write(file, `#!/bin/sh\n${body}\n`);
  await chmod(file, 0o755);
}

/** The block's commands with the gateway and the folders of this test in place of those that the page names. */
const adapted = ({ script: text }: ShellBlock): string =>
  text
    .replaceAll("http://localhost:3000", fixture.gateway.url)
    .replaceAll("https://mcp.deepwiki.com/mcp", mcp.url)
    .replaceAll(/http:\/\/(?:localhost|collector):4318/g, collector.url)
    .replaceAll("dist/sluice", "sluice")
    .replaceAll(/(?<![\w/.])\/(data|backups)(?=[/\s])/g, (path) => sandbox + path);

test("blocks that are not run say why", () => {
  const others = blocks.filter(({ reason }) => reason !== null && !REASONS.includes(reason));
  expect(others.map(({ page, line, reason }) => `${page}:${line} ${reason}`)).toEqual([]);
  expect(runnable.length).toBeGreaterThan(10);
});

test.each(runnable.map((block) => [`${block.page}:${block.line}`, block] as const))(
  "%s runs",
  async (_place, block) => {
    await freshDataDir(block);
    // A block may have made another one.
    env.ACCESS_TOKEN = await fixture.root.get("/api/user/token");
    const child = Bun.spawn(["sh", "-eu", "-c", adapted(block)], { cwd: sandbox, env, stdout: "pipe", stderr: "pipe" });
    const [out, err, code] = await Promise.all([
      Bun.readableStreamToText(child.stdout),
      Bun.readableStreamToText(child.stderr),
      child.exited,
    ]);
    expect({ code, out, err }).toMatchObject({ code: 0, out: expect.not.stringContaining('"success":false') });
  },
);

test("the trace of the examples arrives at the collector, and names the caller's span as its parent", async () => {
  const [, trace, parent] =
    /traceparent: 00-(\w{32})-(\w{16})-01/.exec(runnable.map((block) => block.script).join("\n")) ?? [];
  const spans = await until(
    () => collector.spans().filter(({ traceId }) => traceId === trace),
    ({ length }) => length >= 2,
  );
  const server = spans.find(({ kind }) => kind === 2);
  expect(server).toMatchObject({ name: "gateway chat", parentSpanId: parent });
  expect(spans.map(({ parentSpanId }) => parentSpanId)).toContain(server?.spanId);
});

test.each(serving.map((block) => [`${block.page}:${block.line}`, block] as const))(
  "%s serves",
  async (_place, block) => {
    await freshDataDir(block);
    const port = await freePort();
    const child = Bun.spawn(["sh", "-eu", "-c", adapted(block)], {
      cwd: sandbox,
      env: { ...env, PORT: String(port), HOST: "127.0.0.1", DATA_DIR: join(sandbox, "data") },
      stdout: "ignore",
      stderr: "pipe",
      // Its own process group: the shell may not hand on the signal.
      detached: true,
    });
    try {
      const answer = () =>
        fetch(`http://127.0.0.1:${port}/readyz`).then(
          ({ ok }) => ok,
          () => false,
        );
      await until(async () => child.exitCode !== null || (await answer()));
      expect({ code: child.exitCode }).toEqual({ code: null });
    } finally {
      if (child.exitCode === null) process.kill(-child.pid, "SIGTERM");
    }
    const err = await Bun.readableStreamToText(child.stderr);
    expect({ code: await child.exited, err }).toEqual({
      code: expect.any(Number),
      err: expect.not.stringMatching(/error:/i),
    });
  },
);
