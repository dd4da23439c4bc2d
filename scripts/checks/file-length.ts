import { type Findings, isTestFile, type SourceFile } from "./source.ts";

const WARN_LINES = 300;
const FAIL_LINES = 400;
const EXEMPT = /(^|\/)(locales|migrations)\//;

/** Checks that files stay short enough to have one job. Tests, translations and generated files may be longer. */
export function checkFileLength(files: readonly SourceFile[]): Findings {
  const long = files
    .filter((file) => !isTestFile(file.path) && !EXEMPT.test(file.path))
    .map((file) => ({ path: file.path, lines: file.text.split("\n").length - 1 }));
  const describe = ({ path, lines }: (typeof long)[number]) =>
    `${path}: ${lines} lines (at most ${FAIL_LINES}); does it still have one job? Split it along its jobs`;
  return {
    problems: long.filter(({ lines }) => lines > FAIL_LINES).map(describe),
    warnings: long.filter(({ lines }) => lines > WARN_LINES && lines <= FAIL_LINES).map(describe),
  };
}
