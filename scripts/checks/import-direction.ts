import { type Import, listImports } from "./import-list.ts";
import { type Findings, isTestFile, type SourceFile } from "./source.ts";

/**
 * The modules, upper layers first. A module imports from its own layer and the layers below, never from above: so each
 * can be read, tested and changed knowing only what it depends on. (ARCHITECTURE.md shows the same picture.)
 */
const LAYERS: readonly (readonly string[])[] = [
  ["scripts", "test"],
  ["main", "cli"],
  ["server/app", "server/openapi"],
  ["server/benchmark"],
  ["server/services"],
  ["server/health"],
  ["console", "gateway"],
  ["cli/import", "server/jobs", "domain/diagnostics"],
  [
    ...["domain/accounts", "domain/api-keys", "domain/channels", "domain/codes", "domain/logs", "domain/models"],
    ...["domain/notifications", "domain/tasks", "domain/wallet"],
  ],
  ["billing", "providers", "settings"],
  ["formats", "db"],
  ["catalog"],
  ["server/config", "server/version"],
  ["lib"],
];

const LAYER_OF = new Map(LAYERS.flatMap((modules, layer) => modules.map((module) => [module, layer] as const)));

/** Pairs on one layer that must not import each other, with the reason. */
const FORBIDDEN = new Map([
  [
    "console>gateway",
    "the management API and the data plane are joined by src/server/app.ts only, so that either can change alone",
  ],
  [
    "gateway>console",
    "the data plane must not wait for, or break with, the management API; src/server/app.ts joins them",
  ],
  [
    "formats>db",
    "formats are pure: no fetch, no clock, no database, so that every format can be tested with bytes alone",
  ],
]);

/** Checks that imports between modules point one way. */
export function checkImportDirection(files: readonly SourceFile[]): Findings {
  const imports = listImports(files).filter(({ from }) => !isTestFile(from) && !/^(scripts|test)\//.test(from));
  return { problems: imports.flatMap((link) => objection(link).map((why) => `${link.from}:${link.line} ${why}`)) };
}

function objection(link: Import): string[] {
  const from = moduleOf(link.from);
  const target = moduleOf(link.target);
  if (from === target) return [];
  if (target === "scripts" || target === "test") return [`imports from ${target}/: it is no part of the product`];
  if (from === "ui") return uiObjection(link, target);
  if (target === "ui") return [`imports ${link.target}: the server knows the console only as files to serve`];
  const forbidden = FORBIDDEN.get(`${from}>${target}`);
  if (forbidden) return [`${from} imports ${target} (${link.target}): ${forbidden}`];
  const [upper, lower] = [LAYER_OF.get(from), LAYER_OF.get(target)];
  if (upper === undefined) return [`${from}: unknown module; give it a layer in scripts/checks/import-direction.ts`];
  if (lower === undefined) return [`${target}: unknown module; give it a layer in scripts/checks/import-direction.ts`];
  if (lower >= upper) return [];
  return [
    `${from} imports ${target} (${link.target}), which stands above it: move what both need down, or pass it in as an ` +
      "argument; imports point one way so that a module can be understood without those that use it",
  ];
}

function uiObjection(link: Import, target: string): string[] {
  if (link.typeOnly) return [];
  return [`ui imports ${target} (${link.target}) by value: only \`import type\`, or server code ends in the browser`];
}

const NESTED = new Set(["domain", "server"]);

function moduleOf(file: string): string {
  const [top = "", second = "", third = ""] = file.split("/").map((part) => part.replace(/\.tsx?$/, ""));
  if (top !== "src") return top;
  return NESTED.has(second) || `${second}/${third}` === "cli/import" ? `${second}/${third}` : second;
}
