import { expect, test } from "bun:test";
import { bundleModule, PACKED_MODULES } from "./modules.ts";

test.each([...PACKED_MODULES])("%s exports as one module what the package does", async (name) => {
  const url = URL.createObjectURL(new Blob([await bundleModule(name)], { type: "text/javascript" }));
  const { all } = await import(url);
  URL.revokeObjectURL(url);
  const own = await import(name);
  const kinds = (module: Readonly<Record<string, unknown>>) => (key: string) => [key, typeof module[key]];
  // In the sources a CommonJS module also has names that the runtime adds.
  const ofRuntime = (key: string) =>
    key === "module.exports" || key === "__esModule" || (key === "default" && typeof own.default === "object");
  const names = Object.keys(own).filter((key) => !ofRuntime(key));
  expect(names.length).toBeGreaterThan(0);
  expect(names.map(kinds(all))).toEqual(names.map(kinds(own)));
});
