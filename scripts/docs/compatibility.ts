/** Writes the tables of docs/guide/compatibility.md: bun scripts/docs/compatibility.ts */
import { join } from "node:path";
import { withTable } from "./compatibility-table.ts";

const page = Bun.file(join(import.meta.dir, "../../docs/guide/compatibility.md"));
await page.write(withTable(await page.text()));
