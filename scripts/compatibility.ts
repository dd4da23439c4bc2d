/** Writes the tables of compatibility and channel types into README.md: bun scripts/compatibility.ts */
import { join } from "node:path";
import { withTable } from "./compatibility/table.ts";

const readme = Bun.file(join(import.meta.dir, "../README.md"));
await readme.write(withTable(await readme.text()));
