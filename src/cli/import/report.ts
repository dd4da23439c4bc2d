import { type CoverageLine, writeCoverage } from "./coverage/cover-source.ts";

/** What became of the rows of one kind. */
export type Section = {
  read: number;
  added: number;
  /** Rows that were here already: by an earlier run, or a namesake. */
  present: number;
  skipped: Map<string, number>;
  /** Rows that came over, but not as they were. */
  remarks: Map<string, number>;
  /** Quota units of the rows that are here now: at the source, and as this database adds them up (not in a dry run). */
  before: number;
  after: number;
};

export type Report = Readonly<{
  section(name: string): Section;
  skip(name: string, reason: string): void;
  remark(name: string, remark: string): void;
  sections: ReadonlyMap<string, Section>;
  /** What becomes of each table and column of the source. */
  coverage: CoverageLine[];
}>;

/** An empty report. */
export function createReport(): Report {
  const sections = new Map<string, Section>();
  const section = (name: string): Section => {
    const known = sections.get(name);
    if (known) return known;
    const fresh = { read: 0, added: 0, present: 0, skipped: new Map(), remarks: new Map(), before: 0, after: 0 };
    sections.set(name, fresh);
    return fresh;
  };
  const count = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1);
  return {
    section,
    skip: (name, reason) => void count(section(name).skipped, reason),
    remark: (name, remark) => void count(section(name).remarks, remark),
    sections,
    coverage: [],
  };
}

/** The report as lines to read. */
export function writeReport({ sections, coverage }: Report, isDry: boolean): string {
  const lines = [...sections].flatMap(([name, section]) => [
    `${name}: ${section.read} at the source, ${section.added} ${isDry ? "to add" : "added"}, ${section.present} here already`,
    ...linesOf("left out", section.skipped),
    ...linesOf("changed", section.remarks),
    ...sumLine(section, isDry),
  ]);
  return `${lines.join("\n")}\n${writeCoverage(coverage)}`;
}

const linesOf = (what: string, counts: ReadonlyMap<string, number>): string[] =>
  [...counts].map(([reason, count]) => `  ${count} ${what}: ${reason}`);

function sumLine({ before, after }: Section, isDry: boolean): string[] {
  if (before === 0 && after === 0) return [];
  if (isDry) return [`  quota at the source: ${before}`];
  const verdict = before === after ? "equal" : "different: rows that were here already have their own";
  return [`  quota at the source: ${before}; here: ${after} (${verdict})`];
}
