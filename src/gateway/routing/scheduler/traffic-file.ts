import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TrafficSnapshot } from "../../upstream/keys/key-traffic.ts";

const fileIn = (dataDir: string): string => join(dataDir, "traffic.json");

/** The snapshot that an earlier process saved; empty if it is missing or unreadable. */
export function readTrafficFile(dataDir: string): TrafficSnapshot {
  try {
    const snapshot: unknown = JSON.parse(readFileSync(fileIn(dataDir), "utf8"));
    return snapshot && typeof snapshot === "object" ? (snapshot as TrafficSnapshot) : {};
  } catch {
    return {};
  }
}

/** Saves the traffic of the last hour for the next start. Throws file system errors. */
export function writeTrafficFile(dataDir: string, snapshot: TrafficSnapshot): void {
  mkdirSync(dataDir, { recursive: true });
  const draft = `${fileIn(dataDir)}.new`;
  writeFileSync(draft, JSON.stringify(snapshot), { mode: 0o600 });
  renameSync(draft, fileIn(dataDir));
}
