/** Texts come in parts that pages load: no page may show a key because its texts are in a part that it doesn't load. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { keyOf } from "../../scripts/build/console/texts-plugin.ts";
import * as en from "./en.ts";
import { PARTS } from "./parts.ts";

const partOf = (part: string) => (Object.entries(PARTS).find(([name]) => name === part)?.[1] ?? []).map(keyOf);
const ALL = new Set(Object.values(PARTS).flat().map(keyOf));
/** A key's beginning: a file's name and a text or group in it, as far as the code writes them out. */
const GROUPS = Object.entries(en).map(
  ([name, texts]) =>
    `${name}\\.(?:\\$|(?:${Object.keys(texts)
      .join("|")
      .replaceAll(/_(one|other)/g, "")})\\b)`,
);
const KEY = new RegExp(`["\`](?=${GROUPS.join("|")})(${[...ALL].join("|")})\\.`, "g");

const UI = path.resolve(import.meta.dir, "..");
const read = (file: string) => readFileSync(path.join(UI, file), "utf8");
const scanners = { ts: new Bun.Transpiler({ loader: "ts" }), tsx: new Bun.Transpiler({ loader: "tsx" }) };

const links = new Map<string, readonly Readonly<{ file: string; isLazy: boolean }>[]>();
/** The console's modules that a module imports. */
function importsOf(file: string) {
  const known = links.get(file);
  if (known) return known;
  const scanner = scanners[file.endsWith(".tsx") ? "tsx" : "ts"];
  const found = scanner.scanImports(read(file)).flatMap(({ path: to, kind }) => {
    const target = path.join(path.dirname(file), to);
    const isOurs =
      to.startsWith(".") && /\.tsx?$/.test(to) && !target.startsWith("..") && existsSync(path.join(UI, target));
    return isOurs && !target.startsWith("locales/") ? [{ file: target, isLazy: kind === "dynamic-import" }] : [];
  });
  links.set(file, found);
  return found;
}

/** A module and what it imports, also later if `withLazy`, but for modules in `known`. */
function reach(start: string, withLazy: boolean, known: ReadonlySet<string> = new Set()): Set<string> {
  const seen = new Set<string>();
  const left = [start];
  for (let file = left.pop(); file !== undefined; file = left.pop()) {
    if (seen.has(file) || known.has(file)) continue;
    seen.add(file);
    left.push(...importsOf(file).flatMap((link) => (link.isLazy && !withLazy ? [] : [link.file])));
  }
  return seen;
}

/** Reads the sentences on why calls fail, which are a namespace of their own. */
const FAILURES = "state/failure-text.ts";

const missing = (files: Iterable<string>, parts: readonly string[]): string[] => {
  const loaded = new Set(["public", ...parts].flatMap(partOf));
  return [...files].flatMap((file) => [
    ...(file === FAILURES && !parts.includes("records") ? [`${file}: failures`] : []),
    ...Array.from(read(file).matchAll(KEY), ([, name = ""]) => name)
      .filter((name) => !loaded.has(name))
      .map((name) => `${file}: ${name}`),
  ]);
};

/** Whose texts only the command palette shows, which loads all of them. */
const PALETTE = "features/system/shell/useCommands.ts";
const shell = reach("main.tsx", false);
const shared = reach("signed-in.ts", false);
const known = new Set([...shell, ...shared, "signed-in.ts", PALETTE]);
const pages = (source: string, pattern: RegExp) =>
  Array.from(read(source).matchAll(pattern), ([, file = "", parts = ""]) => ({
    file,
    parts: Array.from(parts.matchAll(/"(\w+)"/g), ([, part = ""]) => part),
  }));

test("the shell shows texts that every page has, and its signed-in half those of signed-in pages", () => {
  expect(missing(shell, [])).toEqual([]);
  expect(missing(shared, ["signedIn"])).toEqual([]);
});

test("each page loads the parts whose texts it shows", () => {
  const guarded = pages("signed-in.ts", /import\("\.\/(features\/[^"]+Page\.tsx)"\)((?:, "\w+")*)/g);
  expect(guarded.length).toBeGreaterThan(30);
  for (const { file, parts } of guarded) {
    const also = file.includes("SettingsPage") ? ["admin", "settings"] : parts;
    expect({ file, missing: missing(reach(file, true, known), ["signedIn", ...also]) }).toEqual({ file, missing: [] });
  }
  const open = pages("router.tsx", /open\("[^"]+", \(\) => import\("\.\/(features\/[^"]+)"\)/g);
  const entry = pages("router.tsx", /(?<!open\("[^"]+", \(\) => )import\("\.\/(features\/[^"]+)"\)/g);
  expect(open.length).toBeGreaterThan(5);
  expect(entry.length).toBeGreaterThan(3);
  for (const [list, parts] of [
    [open, ["site"]],
    [entry, []],
  ] as const) {
    for (const { file } of list) {
      const own = file.includes("KeyUsagePage") ? ["signedIn", "records"] : parts;
      expect({ file, missing: missing(reach(file, true, known), own) }).toEqual({ file, missing: [] });
    }
  }
});

test("log rows load the names of alerts' events, not all texts on alerts", () => {
  expect(partOf("records")).toContain("alertEvents");
  expect(partOf("records")).not.toContain("alerts");
});

test("each file of texts is in a part", () => {
  expect([...ALL].toSorted()).toEqual(Object.keys(en).toSorted());
});
