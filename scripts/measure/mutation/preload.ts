/** Preloaded by `bun test` in a run for one mutant, which SLUICE_MUTANT holds as JSON: its file is loaded changed. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "../../checks/source.ts";
import { applyMutant, type Mutant } from "./mutants.ts";

// Written by run.ts.
const mutant: Mutant = JSON.parse(process.env.SLUICE_MUTANT ?? "");
const file = path.join(ROOT, mutant.file);
Bun.plugin({
  name: "mutation",
  setup(build) {
    build.onLoad({ filter: new RegExp(`^${RegExp.escape(file)}$`) }, () => ({
      contents: applyMutant(readFileSync(file, "utf8"), mutant),
      loader: "ts",
    }));
  },
});
