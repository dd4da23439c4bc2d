import { readFileSync } from "node:fs";
import path from "node:path";
import { ROOT } from "../../checks/source.ts";
import { ENTER, instrument, type TracedFunction } from "./instrument.ts";

const functions: TracedFunction[] = [];
let entered: TracedFunction[] | null = null;

/**
 * Instruments every file of src and db that is loaded from now on. Import the gateway dynamically after this call: what
 * was loaded before stays as it is.
 */
export function instrumentSources(): void {
  Object.assign(globalThis, {
    [ENTER](index: number) {
      const found = functions[index];
      if (found) entered?.push(found);
    },
  });
  Bun.plugin({
    name: "trace",
    setup(build) {
      build.onLoad({ filter: new RegExp(`^${RegExp.escape(ROOT)}/(src|db)/.*\\.ts$`) }, ({ path: file }) => ({
        contents: instrument(path.relative(ROOT, file), readFileSync(file, "utf8"), functions),
        loader: "ts",
      }));
    },
  });
}

/** Runs `action` and returns the functions that were entered meanwhile, in order. */
export async function trace(action: () => Promise<void>): Promise<TracedFunction[]> {
  const own: TracedFunction[] = [];
  entered = own;
  try {
    await action();
  } finally {
    entered = null;
  }
  return own;
}
