import { type Findings, isTestFile, type SourceFile } from "./source.ts";

const WARN_LINES = 300;
const FAIL_LINES = 400;
/** Every step of a call on one page. */
const PAGES: Readonly<Record<string, number>> = { "src/gateway/pipeline/pipeline.ts": 120 };
const EXEMPT = /(^|\/)(locales|migrations)\//;

/** Checks that files stay short enough to have one job. Tests, translations and generated files may be longer. */
export function checkFileLength(files: readonly SourceFile[]): Findings {
  const long = files
    .filter((file) => !isTestFile(file.path) && !EXEMPT.test(file.path))
    .map(({ path, text }) => ({ path, lines: text.split("\n").length - 1, most: PAGES[path] ?? FAIL_LINES }));
  const describe = ({ path, lines, most }: (typeof long)[number]) =>
    `${path}: ${lines} lines (at most ${most}); does it still have one job? Split it along its jobs`;
  return {
    problems: long.filter(({ lines, most }) => lines > most).map(describe),
    warnings: long.filter(({ lines, most }) => lines > WARN_LINES && lines <= most).map(describe),
  };
}
