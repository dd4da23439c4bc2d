/** Writes the tables of docs/guide/compatibility.md and docs/contributing/services.md, docs/guide/migration.md, docs/operate/site/errors.md, settings.md and provider-setup.md: bun scripts/docs/compatibility.ts */
import { join } from "node:path";
import { plugin } from "bun";
import textsPlugin from "../build/console/texts-plugin.ts";
import { withServices, withTable } from "./tables/compatibility-table.ts";
import { withErrors } from "./tables/error-table.ts";
import { withImports } from "./tables/import-tables.ts";
import { withProviders } from "./tables/provider-page.ts";

// The sections of the settings are the console's, whose texts the build makes.
await plugin(textsPlugin);
const { withSettings } = await import("./tables/settings-table.ts");

const pageOf = (name: string) => Bun.file(join(import.meta.dir, "../../docs", name));
const [compatibility, services] = [pageOf("guide/compatibility.md"), pageOf("contributing/services.md")];
await compatibility.write(withTable(await compatibility.text()));
await services.write(withServices(await services.text()));
for (const language of ["en", "zh"] as const) {
  const folder = language === "en" ? "operate/site" : "zh/operate/site";
  const [errors, settings, providers] = ["errors", "settings", "provider-setup"].map((name) =>
    pageOf(`${folder}/${name}.md`),
  );
  await errors?.write(await withErrors(await errors.text(), language));
  await settings?.write(withSettings(await settings.text(), language));
  await providers?.write(withProviders(await providers.text(), language));
}
const imports = pageOf("guide/migration.md");
await imports.write(withImports(await imports.text()));
