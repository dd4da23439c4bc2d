import { expect, test } from "bun:test";
import { listDatabaseTests, listGatewayTests, listPlainTests, listReferenceTests } from "./select-tests.ts";

test("finds the tests that open a database, by whatever they import", () => {
  const files = {
    "test/support/database.ts": "export const open = 1;",
    "db/changes.test.ts": 'import { open } from "../test/support/database.ts";',
    "test/support/console/start-console.ts": 'import { open } from "../database.ts";',
    "src/domain/wallet/statements/year.test.ts": 'import { open } from "../../../../test/support/database.ts";',
    "src/domain/wallet/plans/card/card.test.ts": 'import { open } from "../../../../../test/support/database.ts";',
    "src/domain/wallet/plans/card/reports/trial.test.ts":
      'import { open } from "../../../../../../test/support/database.ts";',
    "src/domain/wallet/plans/card/duplicate.test.ts": 'import { open } from "../../../../../test/support/database.ts";',
    "src/console/wallet/wallet.test.ts": 'import { start } from "../../../test/support/console/start-console.ts";',
    "src/console/http/guard.test.ts": 'import { start } from "../../../test/support/console/start-console.ts";',
    "src/console/words.test.ts": 'import type { Start } from "../../test/support/console/start-console.ts";',
    "test/contracts/providers/all.test.ts": 'import { open } from "../../support/database.ts";',
    "test/e2e/accounts/users.test.ts": 'import { open } from "../../support/database.ts";',
  };
  const sources = Object.entries(files).map(([path, text]) => ({ path, text }));
  expect(listDatabaseTests(sources)).toEqual({
    onBoth: [
      "db/changes.test.ts",
      "src/domain/wallet/plans/card/card.test.ts",
      "src/domain/wallet/plans/card/duplicate.test.ts",
      "src/console/wallet/wallet.test.ts",
    ],
    onPostgres: [
      "src/domain/wallet/statements/year.test.ts",
      "src/domain/wallet/plans/card/reports/trial.test.ts",
      "src/console/http/guard.test.ts",
    ],
  });
});

test("tests that start something or replace what others see do not share their modules", () => {
  const files = {
    "test/support/lib/until.ts": "export const until = 1;",
    "src/lib/waits.test.ts": 'import { until } from "../../test/support/lib/until.ts";',
    "src/lib/clock.test.ts": "jest.useFakeTimers();",
    "src/lib/variables.test.ts": 'process.env.PORT = "1";',
    "src/lib/values.ts": "export const value = 1;",
    "src/lib/values.test.ts": 'import { value } from "./values.ts";',
    "test/e2e/start.test.ts": "",
  };
  const sources = Object.entries(files).map(([path, text]) => ({ path, text }));
  expect(listPlainTests(sources)).toEqual(["src/lib/values.test.ts"]);
});

test("gateways in a test's own process share their modules, unless there is a database or something was replaced", () => {
  const files = {
    "test/support/database.ts": "export const open = 1;",
    "test/support/gateway/start-gateway.ts": "export const start = 1;",
    "test/support/gateway/families.ts": 'import { start } from "./start-gateway.ts";',
    "src/gateway/chat.test.ts": 'import { start } from "../../test/support/gateway/families.ts";',
    "src/gateway/late.test.ts": 'import { start } from "../../test/support/gateway/families.ts"; jest.useFakeTimers();',
    "test/gateway/batches.test.ts":
      'import { start } from "../support/gateway/start-gateway.ts"; import { open } from "../support/database.ts";',
    "src/lib/values.test.ts": "",
  };
  const sources = Object.entries(files).map(([path, text]) => ({ path, text }));
  expect(listGatewayTests(sources)).toEqual(["src/gateway/chat.test.ts"]);
});

test("finds the tests that read what a clone lacks, by whatever they import", () => {
  const files = {
    "test/support/formats/reference.ts": "export const samples = 1;",
    "test/contracts/schemas.ts": 'import { samples } from "../support/formats/reference.ts";',
    "test/contracts/matrix.test.ts": 'import { schemas } from "./schemas.ts";',
    "test/contracts/a.test.ts": 'import { samples } from "../support/formats/reference.ts";',
    "test/contracts/b.test.ts": "export const own = 1;",
  };
  const sources = Object.entries(files).map(([path, text]) => ({ path, text }));
  expect(listReferenceTests(sources)).toEqual(["test/contracts/a.test.ts", "test/contracts/matrix.test.ts"]);
});
