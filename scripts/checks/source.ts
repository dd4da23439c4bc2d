import { readFileSync } from "node:fs";
import path from "node:path";

/** The project's own folder. */
export const ROOT = path.resolve(import.meta.dir, "../..");

/** One source file; `path` is relative to the project, with forward slashes. */
export type SourceFile = Readonly<{ path: string; text: string }>;

/** What a check found; `problems` fail it, `warnings` don't. Each is one line that begins with its place. */
export type Findings = Readonly<{ problems: readonly string[]; warnings?: readonly string[] }>;

/** Reads every TypeScript file of src, ui, db, scripts and test, but for what is generated. */
export function readSources(root = ROOT): SourceFile[] {
  const glob = new Bun.Glob("{src,ui,db,scripts,test}/**/*.{ts,tsx}");
  return [...glob.scanSync({ cwd: root })]
    .filter((file) => !file.startsWith("ui/dist/") && !file.endsWith(".gen.ts"))
    .sort()
    .map((file) => ({ path: file, text: readFileSync(path.join(root, file), "utf8") }));
}

/** Whether a file is a test or only there for tests. */
export function isTestFile(file: string): boolean {
  return /\.test\.tsx?$/.test(file) || file.startsWith("test/");
}

/** The text with comments blanked out, positions and lines kept, so that prose about a call is not taken for one. */
export function withoutComments(text: string): string {
  const pattern = /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
  return text.replace(pattern, (match, literal: string | undefined) => literal ?? match.replace(/[^\n]/g, " "));
}

/** The line number, from 1, of a position in a text. */
export function lineAt(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}
