import { expect, test } from "bun:test";
import { checkImportDirection } from "./import-direction.ts";
import { readSources } from "./source.ts";

function problemsOf(from: string, target: string, keyword = "import") {
  const depth = "../".repeat(from.split("/").length - 1);
  return checkImportDirection([
    { path: from, text: `${keyword} { x } from "${depth}${target}";` },
    { path: target, text: "" },
  ]).problems;
}

test("downwards and inside a module is allowed", () => {
  expect(problemsOf("src/gateway/pipeline.ts", "src/billing/ledger.ts")).toEqual([]);
  expect(problemsOf("src/domain/api-keys/create.ts", "db/schema/tokens.ts")).toEqual([]);
  expect(problemsOf("src/server/app.ts", "src/console/routes.ts")).toEqual([]);
  expect(problemsOf("src/domain/logs/list.ts", "src/domain/api-keys/read.ts")).toEqual([]);
  expect(problemsOf("src/gateway/a.ts", "src/gateway/http/endpoints/b.ts")).toEqual([]);
});

test("upwards is refused, with the reason", () => {
  const [problem] = problemsOf("src/billing/price.ts", "src/domain/channels/list.ts");
  expect(problem).toStartWith("src/billing/price.ts:1 billing imports domain/channels");
  expect(problem).toContain("imports point one way");
  expect(problemsOf("src/lib/a.ts", "src/settings/registry.ts")).toHaveLength(1);
  expect(problemsOf("db/connect.ts", "src/domain/accounts/read.ts")).toHaveLength(1);
});

test("the data plane and the management API don't know each other", () => {
  expect(problemsOf("src/console/users.ts", "src/gateway/pipeline.ts")[0]).toContain("src/server/app.ts");
  expect(problemsOf("src/gateway/pipeline.ts", "src/console/users.ts", "import type")).toHaveLength(1);
});

test("formats are pure", () => {
  expect(problemsOf("src/formats/openai-chat.ts", "db/connect.ts")[0]).toContain("formats are pure");
});

test("the console takes only types from the server", () => {
  expect(problemsOf("ui/api/client.ts", "src/server/app.ts", "import type")).toEqual([]);
  expect(problemsOf("ui/api/client.ts", "src/server/app.ts")[0]).toContain("import type");
  expect(problemsOf("src/server/app.ts", "ui/theme.ts")).toHaveLength(1);
});

test("a new module must be given its place; tests may reach anywhere", () => {
  expect(problemsOf("src/basement/a.ts", "src/lib/b.ts")[0]).toContain("unknown module");
  expect(problemsOf("src/lib/a.test.ts", "src/server/app.ts")).toEqual([]);
});

test("reads the project's own files", () => {
  const paths = readSources().map(({ path }) => path);
  expect(paths).toContain("src/server/config.ts");
  expect(paths.some((path) => path.includes("node_modules"))).toBe(false);
});
