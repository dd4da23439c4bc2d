/**
 * How long the console's pages take at volume, until everything they ask the server for is drawn and fingers can press: opened
 * by a link in the open console, and loaded as from the address bar. Makes a site of its own on a temporary Postgres: 500 channels,
 * 2,000 models, 10,000 users, 200 groups, 3,000 API keys (500 of them the administrator's) and 50,000 log rows.
 *   --rounds=N     default 3; the median counts
 *   --only=PATH    one page
 *   --as=user      the pages of a user
 * Exit code 1 when a page takes longer than a second by a link.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { chromium, type Page, type Response } from "playwright";
import postgres from "postgres";
import { findChromium, waitForQueries } from "../../test/support/e2e/browser.ts";
import { login, ROOT_NAME, ROOT_PASSWORD, setOptions, setUp } from "../../test/support/e2e/console-client.ts";
import { startGateway } from "../../test/support/processes/gateway.ts";
import { runCommand } from "../../test/support/processes/run-command.ts";
import { startTemporaryPostgres } from "../../test/support/processes/temporary-postgres.ts";
import { table } from "../bench/report/report.ts";
import { percentile } from "../bench/report/statistics.ts";

const LIMIT_MS = 1000;
const SIZES = { channels: 500, models: 2000, groups: 200, users: 10_000, keys: 3000, rootKeys: 500, logs: 50_000 };
const PAGES = [
  "/console",
  "/channel",
  "/user",
  "/token",
  "/log",
  "/pricing",
  "/catalog",
  "/redemption",
  "/setting",
  "/routes",
  "/router",
  "/failures",
  "/sessions",
  "/alerts",
  "/playground",
  "/statement",
  "/topup",
  "/personal",
  "/organization",
  "/guardrails",
  "/mcp-servers",
  "/live",
  "/plan",
  "/order",
  "/task",
  "/audit",
  "/service-accounts",
  "/experiments",
  "/status",
  "/doctor",
];
const USER_PAGES = [
  "/console",
  "/start",
  "/token",
  "/log",
  "/pricing",
  "/playground",
  "/topup",
  "/personal",
  "/provider-keys",
];
const USER = { username: "measured", password: "long-enough-9" };

const { values: flags } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    only: { type: "string" },
    as: { type: "string", default: "root" },
  },
});

const server = await startTemporaryPostgres({ durable: true });
const dataDir = await mkdtemp(path.join(tmpdir(), "sluice-pages-"));
try {
  const DATABASE_URL = await server.createDatabase();
  const env = { DATABASE_URL };
  const first = await startGateway({ dataDir, env });
  const session = await setUp(first);
  await session.post("/api/user/", { ...USER, display_name: "Measured" });
  await first.stop();
  await fill(DATABASE_URL);
  const gateway = await startGateway({ dataDir, env });
  try {
    await setOptions(await login(gateway, ROOT_NAME, ROOT_PASSWORD), {
      GroupRatio: Object.fromEntries(groups().map((name, index) => [name, 1 + (index % 10) / 10])),
      UserUsableGroups: Object.fromEntries(groups().map((name) => [name, `Group ${name}`])),
      ModelRatio: Object.fromEntries(models().map((name, index) => [name, 1 + (index % 50) / 10])),
    });
    const rows = await measure(gateway.url);
    process.stdout.write(
      `${table(
        ["page", "by a link", "loaded", "requests", "KB"],
        rows.map((row) => row.cells),
      )}\n`,
    );
    process.exitCode = rows.some((row) => row.isMissed) ? 1 : 0;
  } finally {
    await gateway.stop();
  }
} finally {
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
}
process.exit();

function groups(): string[] {
  return ["default", ...Array.from({ length: SIZES.groups - 1 }, (_, index) => `group-${index + 1}`)];
}

function models(): string[] {
  return Array.from({ length: SIZES.models }, (_, index) => `maker-${index % 40}/model-${index}`);
}

async function fill(url: string): Promise<void> {
  const script = path.resolve(import.meta.dir, "../seed/run-seed.ts");
  const { channels, users, keys, logs } = SIZES;
  const sizes = [`--channels=${channels}`, `--users=${users}`, `--tokens=${keys}`, `--logs=${logs}`];
  const seeded = await runCommand(sizes, { DATABASE_URL: url, DATA_DIR: dataDir }, [process.execPath, script]);
  if (seeded.code !== 0) throw new Error(seeded.err);
  const sql = postgres(url, { max: 1, onnotice() {} });
  try {
    await sql`
      with names as (select ${models()}::text[] as all_models, ${groups()}::text[] as all_groups)
      update channels set
        models = (select array(select all_models[1 + (channels.id * 17 + n) % ${SIZES.models}::int] from generate_series(0, 39) n) from names),
        groups = (select array(select distinct all_groups[1 + (channels.id * 7 + n * 5) % ${SIZES.groups}::int] from generate_series(0, 19) n) || 'default'::text from names)`;
    await sql`delete from abilities`;
    await sql`
      insert into abilities ("group", model, channel_id, enabled, priority, weight, tag)
      select distinct g, m, c.id, c.status = 1, c.priority, c.weight, c.tag from channels c, unnest(c.groups) g, unnest(c.models) m`;
    await sql`update tokens set user_id = (select id from users where username = ${ROOT_NAME}) where id <= ${SIZES.rootKeys}`;
    await sql`update tokens set user_id = (select id from users where username = ${USER.username}) where id > ${SIZES.rootKeys} and id <= ${2 * SIZES.rootKeys}`;
    await sql`analyze`;
  } finally {
    await sql.end();
  }
}

async function measure(url: string): Promise<{ cells: string[]; isMissed: boolean }[]> {
  const browser = await chromium.launch({ executablePath: findChromium(), args: ["--no-sandbox", "--disable-gpu"] });
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: "en-US" });
  const page = await context.newPage();
  await page.goto(`${url}/healthz`);
  await page.evaluate(
    async (body) => {
      const headers = { "content-type": "application/json" };
      const reply = await fetch("/api/user/login", { method: "POST", headers, body: JSON.stringify(body) });
      localStorage.setItem("user", JSON.stringify((await reply.json()).data));
    },
    flags.as === "user" ? USER : { username: ROOT_NAME, password: ROOT_PASSWORD },
  );
  const paths = flags.only ? [flags.only] : flags.as === "user" ? USER_PAGES : PAGES;
  const times = new Map(
    paths.map((each) => [each, { linked: [] as number[], loaded: [] as number[], requests: 0, bytes: 0 }]),
  );
  for (let round = 0; round < Number(flags.rounds); round += 1) {
    for (const each of paths) {
      const result = times.get(each);
      if (!result) continue;
      await page.goto(`${url}/about`);
      await waitForQueries(page);
      await page.waitForTimeout(300);
      result.requests = 0;
      result.bytes = 0;
      const count = (response: Response) => {
        if (!response.url().includes("/api/")) return;
        result.requests += 1;
        void response.body().then(
          (body) => {
            result.bytes += body.byteLength;
          },
          () => {},
        );
      };
      page.on("response", count);
      result.linked.push(await timeLink(page, each));
      page.off("response", count);
      const start = performance.now();
      await page.goto(url + each, { waitUntil: "commit" });
      await waitForQueries(page);
      result.loaded.push(performance.now() - start);
    }
  }
  await browser.close();
  return paths.map((each) => {
    const { linked, loaded, requests, bytes } = times.get(each) ?? { linked: [], loaded: [], requests: 0, bytes: 0 };
    const linkedMs = percentile(linked, 0.5);
    return {
      cells: [
        each,
        `${linkedMs.toFixed(0)} ms`,
        `${percentile(loaded, 0.5).toFixed(0)} ms`,
        String(requests),
        (bytes / 1024).toFixed(0),
      ],
      isMissed: linkedMs > LIMIT_MS,
    };
  });
}

type Router = Readonly<{ navigate: (to: Readonly<{ href: string }>) => Promise<void> }>;

async function timeLink(page: Page, href: string): Promise<number> {
  const start = performance.now();
  await page.evaluate(async (to) => {
    const { __TSR_ROUTER__: router } = window as unknown as { __TSR_ROUTER__?: Router };
    await router?.navigate({ href: to });
  }, href);
  await waitForQueries(page);
  return performance.now() - start;
}
