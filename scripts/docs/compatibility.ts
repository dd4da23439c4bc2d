/** Writes the tables of docs/guide/compatibility.md and docs/contributing/services.md, and of docs/guide/migration.md: bun scripts/docs/compatibility.ts */
import { join } from "node:path";
import { withServices, withTable } from "./compatibility-table.ts";
import { withImports } from "./import-tables.ts";

const pageOf = (name: string) => Bun.file(join(import.meta.dir, "../../docs", name));
const [compatibility, services] = [pageOf("guide/compatibility.md"), pageOf("contributing/services.md")];
await compatibility.write(withTable(await compatibility.text()));
await services.write(withServices(await services.text()));
const imports = pageOf("guide/migration.md");
await imports.write(withImports(await imports.text()));
