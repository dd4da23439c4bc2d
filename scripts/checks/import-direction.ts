import { type Import, listImports } from "./import-list.ts";
import { type Findings, isTestFile, type SourceFile } from "./source.ts";

/**
 * The rooms, upper floors first. A room imports from its own floor and the floors below, never from above: so each can
 * be read, tested and changed knowing only what it stands on. (ARCHITECTURE.md shows the same picture.)
 */
const FLOORS: readonly (readonly string[])[] = [
  ["scripts"],
  ["main", "cli"],
  ["app", "openapi"],
  ["services"],
  ["health"],
  ["console", "relay"],
  ["migration", "jobs", "doctor"],
  ["accounts", "channels", "tokens", "codes", "wallet", "logs", "tasks", "notify", "models"],
  ["billing", "providers", "settings"],
  ["dialects", "db"],
  ["catalog"],
  ["config", "version"],
  ["lib"],
];

const FLOOR_OF = new Map(FLOORS.flatMap((rooms, floor) => rooms.map((room) => [room, floor] as const)));

/** Pairs on one floor that must not know each other, with the reason. */
const STRANGERS = new Map([
  [
    "console>relay",
    "the management API and the data plane are joined by src/app.ts only, so that either can change alone",
  ],
  ["relay>console", "the data plane must not wait for, or break with, the management API; src/app.ts joins them"],
  [
    "dialects>db",
    "dialects are pure: no fetch, no clock, no database, so that every format can be tested with bytes alone",
  ],
]);

/** Checks that imports between rooms point one way. */
export function checkImportDirection(files: readonly SourceFile[]): Findings {
  const imports = listImports(files).filter(({ from }) => !isTestFile(from) && !from.startsWith("scripts/"));
  return { problems: imports.flatMap((link) => objection(link).map((why) => `${link.from}:${link.line} ${why}`)) };
}

function objection(link: Import): string[] {
  const from = roomOf(link.from);
  const target = roomOf(link.target);
  if (from === target) return [];
  if (target === "scripts") return ["imports from scripts/: tools for developers are no part of the product"];
  if (from === "ui") return uiObjection(link, target);
  if (target === "ui") return [`imports ${link.target}: the server knows the console only as files to serve`];
  const stranger = STRANGERS.get(`${from}>${target}`);
  if (stranger) return [`${from} imports ${target} (${link.target}): ${stranger}`];
  const [upper, lower] = [FLOOR_OF.get(from), FLOOR_OF.get(target)];
  if (upper === undefined) return [`${from}: unknown room; give it a floor in scripts/checks/import-direction.ts`];
  if (lower === undefined) return [`${target}: unknown room; give it a floor in scripts/checks/import-direction.ts`];
  if (lower >= upper) return [];
  return [
    `${from} imports ${target} (${link.target}), which stands above it: move what both need down, or pass it in as an ` +
      "argument; imports point one way so that a room can be understood without those that use it",
  ];
}

function uiObjection(link: Import, target: string): string[] {
  if (link.typeOnly) return [];
  return [`ui imports ${target} (${link.target}) by value: only \`import type\`, or server code ends in the browser`];
}

function roomOf(file: string): string {
  const [top = "", second = ""] = file.split("/");
  if (top !== "src") return top;
  return second.replace(/\.tsx?$/, "");
}
