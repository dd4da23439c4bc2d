import type { Family } from "../../../src/cli/import/coverage/detect-family.ts";
import doneHub from "../../fixtures/import/done-hub.json";
import liteLlm from "../../fixtures/import/litellm.json";
import newApi from "../../fixtures/import/new-api.json";
import oneApi from "../../fixtures/import/one-api.json";
import oneHub from "../../fixtures/import/one-hub.json";
import veloera from "../../fixtures/import/Veloera.json";

/** Types of columns by table and name. */
type Schema = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * All tables and columns of each gateway, as its own migrations make them: one-api 8df4a26 (2025-02), new-api 823e263 (2026-08),
 * one-hub 387f8bf (2026-02), done-hub 42841b3 (2026-08), Veloera 8117f30 (2025-06), litellm-proxy-extras 0.4.110 (2026-10).
 */
export const REAL_SCHEMAS: Readonly<Record<Family, Schema>> = {
  "one-api": oneApi,
  "new-api": newApi,
  "one-hub": oneHub,
  "done-hub": doneHub,
  Veloera: veloera,
  LiteLLM: liteLlm,
};

const SQLITE_TYPES: Readonly<Record<string, string>> = {
  integer: "integer default 0",
  flag: "numeric default 0",
  real: "real default 0",
  moment: "datetime",
};

/** The statements that make these tables in a SQLite file. */
export const sqliteTables = (family: Family): string[] =>
  Object.entries(REAL_SCHEMAS[family]).map(([table, columns]) => {
    const typed = Object.entries(columns).map(([name, type]) =>
      name === "id" && type === "integer"
        ? '"id" integer primary key autoincrement'
        : `"${name}" ${SQLITE_TYPES[type] ?? "text"}`,
    );
    return `create table "${table}" (${typed.join(", ")})`;
  });
