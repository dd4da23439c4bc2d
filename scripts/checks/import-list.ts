import path from "node:path";
import { lineAt, type SourceFile, withoutComments } from "./source.ts";

/** One import of another file of the project; `target` is relative to the project. */
export type Import = Readonly<{ from: string; target: string; line: number; typeOnly: boolean }>;

const STATIC = /(?:^|\n)[ \t]*(?:import|export)\s+(type\s)?(?:([^"'`;]*?)\sfrom\s+)?"([^"\n]+)"/g;
const DYNAMIC = /\bimport\(\s*"([^"\n]+)"\s*\)/g;
const EXTENSIONS = ["", ".ts", ".tsx", "/index.ts", "/index.tsx"];

/**
 * Lists the imports between files of the project (packages are left out). A statement counts as type-only when it
 * says `import type`, or when each of its names does.
 */
export function listImports(files: readonly SourceFile[]): Import[] {
  const known = new Set(files.map((file) => file.path));
  return files.flatMap((file) => {
    const text = withoutComments(file.text);
    const found = [
      ...[...text.matchAll(STATIC)].map((match) => ({
        specifier: match[3] ?? "",
        index: match.index + match[0].length,
        typeOnly: match[1] !== undefined || onlyTypes(match[2]),
      })),
      ...[...text.matchAll(DYNAMIC)].map((match) => ({
        specifier: match[1] ?? "",
        index: match.index,
        typeOnly: /typeof\s+$|:\s*$/.test(text.slice(Math.max(0, match.index - 10), match.index)),
      })),
    ];
    return found.flatMap(({ specifier, index, typeOnly }) => {
      const target = resolve(file.path, specifier, known);
      return target ? [{ from: file.path, target, line: lineAt(text, index), typeOnly }] : [];
    });
  });
}

function onlyTypes(names: string | undefined): boolean {
  const inner = names?.match(/^\{([\s\S]*)\}$/)?.[1];
  const list =
    inner
      ?.split(",")
      .map((name) => name.trim())
      .filter(Boolean) ?? [];
  return list.length > 0 && list.every((name) => name.startsWith("type "));
}

function resolve(from: string, specifier: string, known: ReadonlySet<string>): string | null {
  if (!specifier.startsWith(".")) return null;
  const base = path.posix.join(path.posix.dirname(from), specifier);
  return EXTENSIONS.map((extension) => base + extension).find((candidate) => known.has(candidate)) ?? null;
}
