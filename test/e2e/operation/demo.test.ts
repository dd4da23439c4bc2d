/** `sluice demo`: a gateway to look around in, which leaves nothing behind. */
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { login } from "../../support/e2e/console-client.ts";
import { freePort } from "../../support/lib/free-port.ts";
import { until } from "../../support/lib/until.ts";
import { gatewayCommand } from "../../support/processes/gateway.ts";

test("the demo fills itself, serves calls, and removes everything when it ends", async () => {
  const port = await freePort();
  const folder = await mkdtemp(path.join(tmpdir(), "sluice-demo-test-"));
  const { DATABASE_URL, SQL_DSN, ...environment } = process.env;
  const child = Bun.spawn([...gatewayCommand(), "demo"], {
    cwd: folder,
    env: { ...environment, PORT: String(port), TMPDIR: folder, SHUTDOWN_TIMEOUT: "2" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    let output = "";
    for await (const bytes of child.stdout) {
      output += new TextDecoder().decode(bytes);
      if (output.includes("Ctrl+C")) break;
    }
    const account = /Sign in as (\S+) with the password (\S+)/.exec(output);
    const session = await login({ url: `http://127.0.0.1:${port}` }, account?.[1] ?? "", account?.[2] ?? "");
    expect((await session.get("/api/channel/?p=0&page_size=10")).length).toBe(3);
    // Weeks before it, charged like any calls, and what comes in now.
    const callsBefore = async (days: number) => {
      const end = Math.floor(Date.now() / 1000) - days * 86_400;
      return (await session.get(`/api/log/?type=2&page_size=1&end_timestamp=${end}`)).total;
    };
    expect(await callsBefore(40)).toBeGreaterThan(50);
    expect(await callsBefore(2)).toBeGreaterThan(1000);
    const now = await callsBefore(0);
    await until(
      () => callsBefore(0),
      (calls) => calls > now,
    );
    for (const book of (await session.get("/api/books/")).books) {
      const { wrong } = await session.get(`/api/books/${book}`);
      expect({ book, wrong }).toEqual({ book, wrong: [] });
    }
    const [organization, ...others] = await session.get("/api/organization/");
    expect(others).toEqual([]);
    const ofOrganization = (what: string) => session.get(`/api/organization/${organization.id}/${what}`);
    expect(await ofOrganization("members")).toHaveLength(3);
    expect(await ofOrganization("budgets")).toMatchObject([{ scope: "project", period: "month" }]);
    // Every page of agents and routing has something to show.
    expect((await session.get("/api/route/")).length).toBe(2);
    const experiments = await session.get("/api/experiments/");
    expect(experiments.find(({ route }: { route: string }) => route === "summaries").calls.trial).toBeGreaterThan(40);
    await until(
      () => session.get("/api/sessions/"),
      (sessions: { calls: number }[]) => sessions.some(({ calls }) => calls === 6),
    );
    expect(await session.get("/api/channel-checks/")).toHaveLength(1);
    const [sink] = await session.get("/api/sinks/");
    expect(sink).toMatchObject({ last_error: "", exported: expect.any(Number) });
    await until(
      () => session.get("/api/replays/sets"),
      ([{ evaluations }]: [{ evaluations: { status: string }[] }]) => evaluations[0]?.status === "complete",
    );
    const steps = await session.get("/api/system/first_steps");
    expect(steps).toMatchObject({ unpriced: [], has_key: true });
    expect((await readdir(folder)).filter((name) => name.startsWith("sluice-demo-")).length).toBe(1);
  } finally {
    child.kill("SIGTERM");
    await child.exited;
  }
  expect(child.exitCode).toBe(0);
  expect(existsSync(folder) ? (await readdir(folder)).filter((name) => name.startsWith("sluice-demo-")) : []).toEqual(
    [],
  );
  await rm(folder, { recursive: true, force: true });
}, 120_000);
