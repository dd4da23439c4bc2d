import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { cruise } from "dependency-cruiser";
import rules from "./layers.ts";

/** A file of each kind of violation, by the rule that must report it. */
const VIOLATIONS = {
  "billing-imports-downwards": ["src/billing/price.ts", 'import { list } from "../domain/channels/list.ts"; list();'],
  "lib-imports-downwards": ["src/lib/a.ts", 'export * from "../settings/store.ts";'],
  "formats-imports-downwards": ["db/connect.ts", 'export const run = () => import("../src/billing/price.ts");'],
  "cli/import-imports-downwards": ["src/cli/import/rows.ts", 'import "../serve/serve.ts";'],
  "console-knows-no-gateway": [
    "src/console/accounts/users.ts",
    'import type { A } from "../../gateway/call.ts"; export type B = A;',
  ],
  "gateway-knows-no-single-provider": ["src/gateway/voices.ts", 'import "../providers/labs/google.ts";'],
  "gateway-knows-no-console": ["src/gateway/send.ts", 'import "../console/pages.ts";'],
  "formats-are-pure": ["src/formats/chat.ts", 'import "../../db/schema.ts";'],
  "ui-takes-only-types": ["ui/client.ts", 'import { list } from "../src/domain/channels/list.ts"; list();'],
  "features-below-no-page": ["ui/components/Money.tsx", 'import "../features/logs/LogPage.tsx";'],
  "server-knows-no-ui": ["src/server/app.ts", 'import "../../ui/theme/theme.ts";'],
  "product-without-tools": ["src/settings/key.ts", 'import "../../test/support.ts";'],
  "module-has-a-layer": ["src/basement/a.ts", 'import "../lib/b.ts";'],
  "no-cycles": ["src/catalog/a.ts", 'import "./b.ts";'],
} as const;

const ALLOWED = {
  "src/domain/channels/list.ts": 'import "../api-keys/read.ts"; export const list = () => 1;',
  "src/domain/api-keys/read.ts": 'import "../../../db/schema.ts";',
  "src/settings/store.ts": "export const store = 1;",
  "src/cli/serve/serve.ts": 'import "../import/tables.ts"; import "../../server/app.ts";',
  "src/cli/import/tables.ts": "export type A = 1;",
  "src/gateway/call.ts": 'import "../billing/price.ts"; export type A = 1;',
  "src/console/pages.ts": "export const pages = 1;",
  "src/providers/labs/google.ts": "export const google = 1;",
  "src/catalog/b.ts": 'import "./a.ts";',
  "src/catalog/types.ts": 'import type { B } from "./typed.ts"; export type A = B;',
  "src/catalog/typed.ts": 'import type { A } from "./types.ts"; export type B = A | 1;',
  "src/lib/b.ts": "export const b = 1;",
  "src/lib/b.test.ts": 'import "../server/app.ts";',
  "ui/theme/theme.ts": 'import type { A } from "../../src/gateway/call.ts"; export type B = A;',
  "ui/features/logs/LogPage.tsx": "export const page = 1;",
  "db/schema.ts": "export const schema = 1;",
  "test/support.ts": "export const support = 1;",
};

const folder = await mkdtemp(path.join(tmpdir(), "sluice-layers-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

test("reports each kind of violation at its file, and nothing else", async () => {
  const files = [...Object.values(VIOLATIONS), ...Object.entries(ALLOWED)];
  await Promise.all(files.map(([file, text]) => Bun.write(path.join(folder, file), text)));
  const { output } = await cruise(["src", "ui", "db", "test"], {
    ...rules.options,
    baseDir: folder,
    validate: true,
    ruleSet: rules,
  });
  if (typeof output === "string") throw new Error(output);
  const found = output.summary.violations.map(({ rule, from }) => `${rule.name}: ${from}`);
  const expected = Object.entries(VIOLATIONS).map(([rule, [file]]) => `${rule}: ${file}`);
  expect(found.sort()).toEqual(expected.sort());
}, 60_000);
