import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KeptTraffic } from "./key-traffic.ts";

const fileIn = (dataDir: string): string => join(dataDir, "traffic.json");

/** What an earlier process wrote of its last hour; nothing where it left none, or nothing that can be read. */
export function readTrafficFile(dataDir: string): KeptTraffic {
  try {
    const kept: unknown = JSON.parse(readFileSync(fileIn(dataDir), "utf8"));
    return kept && typeof kept === "object" ? (kept as KeptTraffic) : {};
  } catch {
    return {};
  }
}

/** Keeps the figures of the last hour for the next start. Throws what the disk says. */
export function writeTrafficFile(dataDir: string, kept: KeptTraffic): void {
  mkdirSync(dataDir, { recursive: true });
  const draft = `${fileIn(dataDir)}.new`;
  writeFileSync(draft, JSON.stringify(kept), { mode: 0o600 });
  renameSync(draft, fileIn(dataDir));
}
