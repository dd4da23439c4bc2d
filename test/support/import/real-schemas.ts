import type { Family } from "../../../src/cli/import/coverage/detect-family.ts";
import doneHub from "../../fixtures/import/done-hub.json";
import liteLlm from "../../fixtures/import/litellm.json";
import newApi from "../../fixtures/import/new-api.json";
import oneApi from "../../fixtures/import/one-api.json";
import oneHub from "../../fixtures/import/one-hub.json";
import veloera from "../../fixtures/import/Veloera.json";

export type Engine = "SQLite" | "Postgres" | "MariaDB";

/** Columns by table and name: `type`, or `type=what stands there by default`. */
type Schema = Readonly<Record<string, Readonly<Record<string, string>>>>;

/**
 * All tables and columns of each gateway, read from the information schema of a Postgres database that its own migrations made:
 * one-api 8df4a26 (2025-02), new-api 823e263 (2026-08), one-hub 387f8bf (2026-02), done-hub 42841b3 (2026-08), Veloera 8117f30
 * (2025-06), litellm-proxy-extras 0.4.110 (2026-10). SQLite and MariaDB have the same columns.
 */
export const REAL_SCHEMAS: Readonly<Record<Family, Schema>> = {
  "one-api": oneApi,
  "new-api": newApi,
  "one-hub": oneHub,
  "done-hub": doneHub,
  Veloera: veloera,
  LiteLLM: liteLlm,
};

/** How the ORM of the other gateways writes its types on each engine. */
const TYPES: Readonly<Record<string, Readonly<Record<Engine, string>>>> = {
  integer: { SQLite: "integer", Postgres: "bigint", MariaDB: "bigint" },
  flag: { SQLite: "numeric", Postgres: "boolean", MariaDB: "tinyint(1)" },
  real: { SQLite: "real", Postgres: "numeric", MariaDB: "double" },
  text: { SQLite: "text", Postgres: "text", MariaDB: "longtext" },
  moment: { SQLite: "datetime", Postgres: "timestamptz", MariaDB: "datetime(3)" },
  date: { SQLite: "date", Postgres: "date", MariaDB: "date" },
  json: { SQLite: "json", Postgres: "json", MariaDB: "json" },
  bytes: { SQLite: "blob", Postgres: "bytea", MariaDB: "longblob" },
  "text[]": { SQLite: "text", Postgres: "text[]", MariaDB: "longtext" },
};
/** Prisma, by which LiteLLM makes its tables, has others. */
const PRISMA_TYPES: Readonly<Record<string, string>> = {
  real: "double precision",
  moment: "timestamp(3)",
  json: "jsonb",
};
const ID: Readonly<Record<Engine, string>> = {
  SQLite: "integer primary key autoincrement",
  Postgres: "bigserial primary key",
  MariaDB: "bigint auto_increment primary key",
};

/** The statements that make all tables of a gateway on an engine, in standard quotes. */
export const tablesOf = (engine: Engine, family: Family): string[] =>
  Object.entries(REAL_SCHEMAS[family]).map(([table, columns]) => {
    const typed = Object.entries(columns).map(([name, fact]) => `"${name}" ${typeOf(engine, family, name, fact)}`);
    return `create table "${table}" (${typed.join(", ")})`;
  });

function typeOf(engine: Engine, family: Family, name: string, fact: string): string {
  const [type = "", ...rest] = fact.split("=");
  if (name === "id" && type === "integer") return ID[engine];
  const prisma = family === "LiteLLM" && engine === "Postgres" ? PRISMA_TYPES[type] : undefined;
  const written = prisma ?? TYPES[type]?.[engine] ?? type;
  if (rest.length === 0) return written;
  const initial = rest.join("=");
  const isLiteral = type !== "integer" && type !== "flag" && type !== "real" && initial !== "CURRENT_TIMESTAMP";
  return `${written} default ${isLiteral ? `'${initial.replaceAll("'", "''")}'` : initial}`;
}
