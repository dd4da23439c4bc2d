/** What a run of tests came to; `failures` names those that failed, `files` says how long each file took. */
export type Count = Readonly<{
  passed: number;
  failed: number;
  failures: readonly Failure[];
  files: readonly FileTime[];
}>;

/** The time of a test file with its hooks and the loading of its modules, in seconds, and how many of its tests were skipped. */
export type FileTime = Readonly<{ file: string; seconds: number; skipped: number }>;

/** A failed test: the file it stands in, and its name with those of its groups. */
export type Failure = Readonly<{ file: string; name: string }>;

/** Reads a JUnit report; skipped tests count as neither passed nor failed. */
export function readReport(report: string): Count {
  const head = report.match(/<testsuites\b[^>]*>/)?.[0] ?? "";
  const total = (name: string) => Number(head.match(new RegExp(`\\b${name}="(\\d+)"`))?.[1] ?? 0);
  const failed = total("failures");
  const passed = total("tests") - failed - total("skipped");
  return { passed, failed, failures: failuresOf(report), files: fileTimesOf(report) };
}

/** A file is the outermost suite of its tests, and has its path for a name. */
function fileTimesOf(report: string): FileTime[] {
  return [...report.matchAll(/<testsuite\b([^>]*)>/g)].flatMap(([, attributes = ""]) => {
    const read = (name: string) => plain(attributes.match(new RegExp(`\\b${name}="([^"]*)"`))?.[1] ?? "");
    const file = read("file");
    if (file === "" || read("name") !== file) return [];
    return [{ file, seconds: Number(read("time")), skipped: Number(read("skipped")) }];
  });
}

/** The files that took longest, the longest first, a line each. */
export function renderSlowest(files: readonly FileTime[], count = 10): string {
  const slowest = files.toSorted((a, b) => b.seconds - a.seconds).slice(0, count);
  return slowest.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}\n`).join("");
}

/**
 * The files of tests that lack what stands next to the checkout, with how many of their tests were skipped for it, as a line;
 * empty: there are none. `needing`: the files that need it.
 */
export function renderSkipped(files: readonly FileTime[], needing: readonly string[], what: string): string {
  if (needing.length === 0) return "";
  const skippedOf = (name: string) =>
    Math.max(0, ...files.flatMap(({ file, skipped }) => (file === name ? skipped : [])));
  const total = needing.reduce((sum, file) => sum + skippedOf(file), 0);
  const list = needing.map((file) => `${file} (${skippedOf(file)})`).join(", ");
  return `skipped without ${what}: ${total} tests in ${needing.length} suites: ${list}\n`;
}

/** How long each file took, as `bun test --timings` reads it; of a file that ran twice, the longer run. */
export function renderTimings(files: readonly FileTime[]): string {
  const longest = new Map<string, number>();
  for (const { file, seconds } of files) {
    longest.set(file, Math.max(longest.get(file) ?? 0, Math.round(seconds * 1000)));
  }
  const sorted = [...longest].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify({ version: 1, files: Object.fromEntries(sorted) }, null, 2)}\n`;
}

function failuresOf(report: string): Failure[] {
  const failures: Failure[] = [];
  for (const [, attributes = "", rest = ""] of report.matchAll(/<testcase\b([^>]*)>\s*(<failure\b)?/g)) {
    if (rest === "") continue;
    const read = (name: string) => plain(attributes.match(new RegExp(`\\b${name}="([^"]*)"`))?.[1] ?? "");
    const group = read("classname");
    failures.push({ file: read("file"), name: group === "" ? read("name") : `${group} > ${read("name")}` });
  }
  return failures;
}

const ENTITIES: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };

const plain = (text: string): string => text.replace(/&(lt|gt|quot|apos|amp);/g, (_, name) => ENTITIES[name] ?? "");
