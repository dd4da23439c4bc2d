import { expect, test } from "bun:test";
import { checkForbiddenCalls } from "./forbidden-calls.ts";
import { readSources } from "./source.ts";

function problemsOf(path: string, text: string) {
  return checkForbiddenCalls([{ path, text }]).problems;
}

test("fetch is for the outgoing clients and the console's client", () => {
  const call = "const reply = await fetch(url);";
  expect(problemsOf("src/domain/channels/test.ts", `\n${call}`)[0]).toStartWith("src/domain/channels/test.ts:2 fetch:");
  expect(problemsOf("src/domain/channels/test.ts", "globalThis.fetch(url)")).toHaveLength(1);
  expect(problemsOf("src/gateway/upstream/upstream.ts", call)).toHaveLength(1);
  expect(problemsOf("ui/features/logs/export.ts", call)).toHaveLength(1);
  for (const allowed of ["src/lib/outbound.ts", "src/lib/outbound/safe.ts", "ui/api/client.ts"]) {
    expect(problemsOf(allowed, call)).toEqual([]);
  }
});

test("a method of that name, a handler called fetch, and prose are no calls", () => {
  expect(problemsOf("src/server/app.ts", "app.fetch(request)")).toEqual([]);
  expect(problemsOf("src/server/app.ts", "Bun.serve({ fetch(request) { return app.handle(request); } })")).toEqual([]);
  expect(
    problemsOf("src/server/app.ts", "Bun.serve({ async fetch(request, server): Promise<Response> {\n} })"),
  ).toEqual([]);
  expect(problemsOf("src/server/app.ts", "type App = {\n  fetch(request: Request): Promise<Response>;\n};")).toEqual(
    [],
  );
  expect(problemsOf("src/server/app.ts", "// never fetch(url) here")).toEqual([]);
});

test("the safe outgoing fetch may be called by that name where it is an argument", () => {
  expect(
    problemsOf("src/domain/channels/test.ts", "function ask(fetch: SafeFetch) {\n  return fetch(url);\n}"),
  ).toEqual([]);
});

test("counting log rows is refused, counting other rows is not", () => {
  expect(problemsOf("src/domain/logs/list.ts", "select({ n: count() })")).toHaveLength(1);
  expect(problemsOf("src/console/logs/logs.ts", "db.$count(logs)")).toHaveLength(1);
  expect(problemsOf("src/server/jobs/report.ts", "sql`select count(*) from logs`")).toHaveLength(1);
  expect(problemsOf("src/domain/channels/list.ts", "select({ n: count() })")).toEqual([]);
});

test("an aggregate's row is read with requireRow", () => {
  const problems = (text: string) => problemsOf("src/domain/wallet/codes/list.ts", text);
  expect(
    problems("const [row] = await sql<{ sum: number }[]>`\n  select coalesce(sum(quota), 0) as sum from users`;\n"),
  ).toHaveLength(1);
  expect(problems("const [held] = await db.select({ many: count() }).from(passkeys);\n")).toHaveLength(1);
  expect(problems("const [lease] = await tx`select exists(select 1 from processes)`;\n")).toHaveLength(1);
  expect(problems("const row = requireRow(await sql`select count(*) from users`);\n")).toEqual([]);
  expect(problems("const [user] = await sql`select id from users`;\nconst all = rows.map(count(1));\n")).toEqual([]);
});

test("pages format numbers, times and durations with the shared functions", () => {
  expect(problemsOf("ui/features/logs/Facts.tsx", "tokens.toLocaleString()")).toHaveLength(1);
  expect(problemsOf("ui/features/logs/Facts.tsx", "(ms / 1000).toFixed(2)")).toHaveLength(1);
  expect(problemsOf("ui/features/logs/Facts.tsx", "new Intl.DateTimeFormat(language)")).toHaveLength(1);
  expect(problemsOf("ui/lib/format/number.ts", "value.toFixed(2)")).toEqual([]);
});

test("chance that can be predicted, console and the raw environment are refused outside tests", () => {
  expect(problemsOf("src/domain/wallet/codes/create.ts", "Math.random()")).toHaveLength(1);
  expect(problemsOf("src/domain/wallet/codes/create.ts", "console.log(1)")).toHaveLength(1);
  expect(problemsOf("db/connect.ts", "process.env.PORT")).toHaveLength(1);
  expect(problemsOf("src/server/config.ts", "process.env.PORT")).toEqual([]);
  expect(problemsOf("src/server/app.ts", "process.env.NODE_ENV")).toEqual([]);
  expect(problemsOf("src/domain/wallet/codes/create.test.ts", "Math.random()")).toEqual([]);
});

test("only the gateway and commands that the operator names are started, and no text is run or becomes markup", () => {
  for (const call of ["Bun.spawn(args)", "await Bun.$`ls`", 'import { exec } from "node:child_process";']) {
    expect(problemsOf("src/gateway/endpoints/tasks/poll.ts", call)).toHaveLength(1);
    expect(problemsOf("src/cli/serve/supervisor/worker-process.ts", call)).toEqual([]);
    expect(problemsOf("src/domain/models/mcp/stdio/transport.ts", call)).toEqual([]);
  }
  for (const code of ["eval(text)", "new Function(text)", "node.innerHTML = text;"]) {
    expect(problemsOf("src/gateway/endpoints/tasks/poll.ts", code)).toHaveLength(1);
    expect(problemsOf("ui/components/site/Prose.tsx", code)).toHaveLength(1);
  }
  expect(problemsOf("ui/components/site/Prose.tsx", "<p dangerouslySetInnerHTML={{ __html: text }} />")).toHaveLength(
    1,
  );
});

test("windows send each other messages in one module, which checks the sender", () => {
  for (const call of ['window.addEventListener("message", read)', "frame.postMessage(draft, origin)"]) {
    expect(problemsOf("ui/features/settings/page.ts", call)).toHaveLength(1);
    expect(problemsOf("ui/components/site/brand-preview.ts", call)).toEqual([]);
  }
});

test("what is forbidden occurs nowhere in the project", () => {
  expect(checkForbiddenCalls(readSources()).problems).toEqual([]);
});

test("the console checks outside data instead of asserting its type", () => {
  const path = "ui/features/logs/entries/log-entry.ts";
  for (const assertion of [
    "JSON.parse(text) as Row;",
    "(await load()) as Rows[]",
    "({ a } as { a: string })",
    "x as unknown",
  ])
    expect(problemsOf(path, `const value = ${assertion};`)).toHaveLength(1);
  for (const fine of [
    'const A = ["b"] as const;',
    'import { type Row as TableRow } from "x";',
    'export { default as Row } from "x";',
  ])
    expect(problemsOf(path, fine)).toEqual([]);
  expect(problemsOf("src/console/x.ts", "const value = row as Row;")).toEqual([]);
});

test("the Host header is for the module that compares it, not for building addresses", () => {
  for (const text of [
    'request.headers.get("host")',
    'headers.get("x-forwarded-host")',
    "clientAddress.host(request, server)",
  ]) {
    expect(problemsOf("src/console/accounts/sign-in/oauth.ts", text)).toHaveLength(1);
    expect(problemsOf("src/console/http/request-checks.ts", text)).toEqual([]);
  }
});
