/**
 * Recorded answers, public reports and OpenAI's specification, stored next to the checkout. A clone does not have them: tests of
 * them are skipped then, and `scripts/test.sh` says at its end which files those are (`scripts/test/skipped.ts`).
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, parseJson, recordOf } from "../../../src/formats/json.ts";

/** The folder, from the repository's own. */
export const REFERENCE = "../shared/reference";

const fileOf = (path: string): string => join(import.meta.dir, "../../..", REFERENCE, path);

/** Whether a file or folder of it is there. */
export const hasReference = (path = ""): boolean => existsSync(fileOf(path));

/** Paths of the files in one of its folders, from that folder; none where it is not there. */
export const listReference = (folder: string): string[] =>
  hasReference(folder) ? readdirSync(fileOf(folder), { recursive: true, encoding: "utf8" }) : [];

/** The text of one of its files. Throws where it is not there. */
export const referenceText = (path: string): string => readFileSync(fileOf(path), "utf8");

/** The object in one of its files; empty where that holds none. Throws where it is not there. */
export const referenceJson = (path: string): JsonObject => recordOf(parseJson(referenceText(path))) ?? {};

/** A public report by the number that its name begins with; empty: there is none. */
export function publicReport(number: string): JsonObject {
  const name = listReference("reports").find((file) => file.startsWith(`${number}-`));
  return name === undefined ? {} : referenceJson(`reports/${name}`);
}

/** Paths and texts of the recorded samples that it accepts; none without samples. */
export const samples = (matches: (path: string, text: string) => boolean): [path: string, text: string][] =>
  listReference("fixtures")
    .filter((path) => /\.(sse|ndjson|json|jsonl|b64)$/.test(path))
    .map((path): [string, string] => [path, referenceText(`fixtures/${path}`)])
    .filter(([path, text]) => matches(path, text));
